//! `repo-map.json`: what the index knows of each file, for people and other programs. loopmem does not read it.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::entry::{Entry, Outline};
use super::scan::Language;
use super::table::{FileRow, Snapshot};

/// How many definitions of a file are listed.
const MAX_DEFINITIONS: usize = 200;

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
    let mut bytes = br#"{"schemaVersion":1,"files":["#.to_vec();
    let mut separator: &[u8] = b"";
    for row in &snapshot.table.files {
        check()?;
        if let Some(file) = file(snapshot, row) {
            bytes.extend_from_slice(separator);
            bytes.extend_from_slice(&file);
            separator = b",";
        }
    }
    bytes.extend_from_slice(b"]}");
    Ok(bytes)
}

fn file(snapshot: &Snapshot, row: &FileRow) -> Option<Vec<u8>> {
    let bytes = snapshot.entry(row.content.as_ref()?)?;
    let entry = Entry::read(&bytes)?;
    let outlines = entry.outlines();
    serde_json::to_vec(&File {
        path: String::from_utf8_lossy(&row.path),
        language: Language::of_path(&row.path).name(),
        definitions: outlines.take(MAX_DEFINITIONS).map(|outline| outline.map(Line)).collect::<Option<_>>()?,
    })
    .ok()
}
