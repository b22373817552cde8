//! `synced.jsonl`: the records as they last were the same here and on the branch.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::home::Home;
use crate::room::Lines;

const VERSION: u64 = 1;
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// The records of each file of the branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Synced(pub(super) BTreeMap<String, Lines>);

/// A line of the file. The last one has the number of the others, so that a file that was cut off is found.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Record { file: String, key: String, record: String },
    File { file: String },
    End { v: u64, lines: usize },
}

impl Synced {
    /// Reads the file. Without it, or if it is damaged, nothing is known to have been the same: records are then merged by
    /// their times, and none is removed.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(super) fn read(home: &Home, path: &Path) -> Result<Self> {
        let Ok(Some(bytes)) = home.disk().read_foreign(path, MAX_BYTES) else { return Ok(Synced::default()) };
        let check = home.cancel_check();
        let mut synced = Synced::default();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        for (count, line) in lines.enumerate() {
            check()?;
            match serde_json::from_slice(line) {
                Ok(Line::Record { file, key, record }) => {
                    synced.0.entry(file).or_default().insert(key, record);
                }
                Ok(Line::File { file }) => drop(synced.0.entry(file).or_default()),
                Ok(Line::End { v: VERSION, lines }) if lines == count => return Ok(synced),
                _ => break,
            }
        }
        Ok(Synced::default())
    }

    /// Writes the file.
    pub(super) fn write(&self, home: &Home, path: &Path) -> Result<()> {
        let mut text = Vec::new();
        let mut count = 0;
        let mut add = |line: &Line| {
            serde_json::to_writer(&mut text, line)
                .map_err(|cause| Error::internal("a line cannot be written").because(cause))?;
            text.push(b'\n');
            Ok::<_, Error>(())
        };
        for (file, lines) in &self.0 {
            add(&Line::File { file: file.clone() })?;
            count += 1;
            for (key, record) in lines {
                add(&Line::Record { file: file.clone(), key: key.clone(), record: record.clone() })?;
                count += 1;
            }
        }
        add(&Line::End { v: VERSION, lines: count })?;
        home.disk().write_derived(path, &text)?;
        let folder = path.parent().unwrap_or(path);
        home.disk().sync_files(folder, [path.to_owned()]).map(drop)
    }
}
