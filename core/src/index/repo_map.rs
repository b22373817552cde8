//! `repo-map.json`: what the index knows of each file, for people and other programs. loopmem does not read it.

use serde::Serialize;

use super::scan::Language;
use super::snapshot::Snapshot;
use crate::error::Result;

/// How many definitions of a file are listed.
const MAX_DEFINITIONS: usize = 200;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RepoMap {
    schema_version: u32,
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    path: String,
    language: &'static str,
    definitions: Vec<String>,
}

/// The bytes of the file.
///
/// # Errors
/// Those of `check`.
pub(super) fn written(snapshot: &Snapshot, check: &dyn Fn() -> Result<()>) -> Result<Vec<u8>> {
    let file = |row: &super::table::FileRow| {
        let entry = snapshot.entry(row.content.as_ref()?)?;
        let outlines = entry.outlines().take(MAX_DEFINITIONS);
        let definitions = outlines.map(|it| it.map(|it| format!("{} {} {}", it.line, it.kind.name(), it.name())));
        Some(File {
            path: String::from_utf8_lossy(&row.path).into_owned(),
            language: Language::of_path(&row.path).name(),
            definitions: definitions.collect::<Option<_>>()?,
        })
    };
    let mut files = Vec::with_capacity(snapshot.table.files.len());
    for row in &snapshot.table.files {
        check()?;
        files.extend(file(row));
    }
    Ok(serde_json::to_vec(&RepoMap { schema_version: 1, files }).unwrap_or_default())
}
