//! `repo-map.json`: what the index knows of each file, for people and other programs. loopmem does not read it.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::entry::Outline;
use super::scan::Language;
use super::table::{FileRow, Snapshot};

/// How many definitions of a file are listed.
const MAX_DEFINITIONS: usize = 200;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RepoMap<'s> {
    schema_version: u32,
    files: Vec<File<'s>>,
}

#[derive(Serialize)]
struct File<'s> {
    path: Cow<'s, str>,
    language: &'static str,
    definitions: Vec<Line<'s>>,
}

/// A definition as its line, its kind and its name.
struct Line<'s>(Outline<'s>);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Line(outline) = self;
        serializer.collect_str(&format_args!("{} {} {}", outline.line, outline.kind.name(), outline.name()))
    }
}

/// The bytes of the file.
///
/// # Errors
/// Those of `check`.
pub(super) fn written(
    snapshot: &Snapshot,
    check: &dyn Fn() -> crate::error::Result<()>,
) -> crate::error::Result<Vec<u8>> {
    let mut files = Vec::with_capacity(snapshot.table.files.len());
    for row in &snapshot.table.files {
        check()?;
        files.extend(file(snapshot, row));
    }
    Ok(serde_json::to_vec(&RepoMap { schema_version: 1, files }).unwrap_or_default())
}

fn file<'s>(snapshot: &'s Snapshot, row: &'s FileRow) -> Option<File<'s>> {
    let entry = snapshot.entry(row.content.as_ref()?)?;
    Some(File {
        path: String::from_utf8_lossy(&row.path),
        language: Language::of_path(&row.path).name(),
        definitions: entry.outlines().take(MAX_DEFINITIONS).map(|outline| outline.map(Line)).collect::<Option<_>>()?,
    })
}
