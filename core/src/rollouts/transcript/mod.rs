//! Transcripts of sessions: Codex rollouts and Claude Code sessions, line by line, as a model should read them.
//!
//! A transcript is read as a stream: of a long one, no more is kept than may be shown. What is damaged or unfinished is
//! counted; records of an unknown kind are passed over.

mod claude;
mod codex;
mod collector;
mod entry;
mod forks;
mod meta;
mod records;
mod scanner;
mod selection;
mod shortening;
mod text;

use std::path::{Path, PathBuf};

use collector::{Collector, Outcome};
pub(super) use meta::{Meta, read_meta};
use records::{Piece, Records};
pub(super) use selection::{Excerpt, Selection};
pub(super) use text::with_whole_characters;

use crate::disk::Disk;
use crate::error::Result;

/// The format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Format {
    /// A rollout of Codex.
    Codex,
    /// A session of Claude Code.
    Claude,
}

impl Format {
    /// The format by the name of a file: those of Codex are called `rollout-*`.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let is_codex = name.starts_with("rollout-");
        let stem = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".jsonl.zst").filter(|_| is_codex))?;
        match (is_codex, stem.is_empty()) {
            (_, true) => None,
            (true, false) => Some(Format::Codex),
            (false, false) => Some(Format::Claude),
        }
    }
}

/// The name of a transcript without its extensions.
pub(super) fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    Some(name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".jsonl.zst")).unwrap_or(name))
}

/// Reads a transcript of several files into `selection`, without the history of another session that it may repeat. `check` is
/// called now and then, and its error ends the call.
///
/// # Errors
/// `IOError` naming a file that cannot be read, also if all of them are gone; the error of `check`.
pub(super) fn read(
    disk: &Disk,
    paths: &[PathBuf],
    selection: &mut Selection,
    check: &dyn Fn() -> Result<()>,
) -> Result<()> {
    let mut entries = Collector::new(selection);
    let is_gone = |path: &PathBuf| matches!(disk.stat_foreign(path), Ok(None));
    let is_any = !paths.iter().all(is_gone);
    for (number, path) in paths.iter().enumerate() {
        match is_any && is_gone(path) {
            true => entries.lose(),
            // A later part has the same header, but repeats no history.
            false => read_file(disk, path, number == 0, &mut entries, check)?,
        }
    }
    entries.finish();
    Ok(())
}

fn read_file(
    disk: &Disk,
    path: &Path,
    is_first: bool,
    entries: &mut Collector<'_>,
    check: &dyn Fn() -> Result<()>,
) -> Result<()> {
    let mut records = Records::open(disk, path)?;
    // A copied file may have any name.
    let format = Format::of(path);
    let mut inherited = match (format, stem(path)) {
        _ if !is_first => 0,
        (Some(Format::Claude), Some(stem)) => forks::inherited_by_session(Records::open(disk, path)?, stem, check)?,
        _ => forks::inherited_by_rollout(Records::open(disk, path)?, check)?,
    };
    while let Some(piece) = records.next(check)? {
        let record = match piece {
            Piece::Record(_) if inherited > 0 => {
                inherited -= 1;
                entries.inherit();
                continue;
            }
            Piece::Record(record) => record,
            Piece::Damaged => {
                if inherited == 0 {
                    entries.lose();
                }
                continue;
            }
        };
        let json = text::of_record(record.json);
        let outcome = match format {
            Some(Format::Codex) => codex::read(&json, entries),
            _ => match claude::read(&json, entries) {
                outcome @ (Outcome::Known | Outcome::Inherited) => outcome,
                Outcome::Damaged if codex::read(&json, entries) != Outcome::Known => Outcome::Damaged,
                Outcome::Damaged => Outcome::Known,
                Outcome::PassedOver => codex::read(&json, entries),
            },
        };
        if outcome == Outcome::Inherited {
            entries.inherit();
        }
        if outcome == Outcome::Damaged || (outcome == Outcome::Known && record.is_shortened) {
            entries.lose();
        }
    }
    Ok(())
}
