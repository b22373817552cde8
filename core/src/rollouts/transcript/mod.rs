//! Transcripts of sessions: Codex rollouts and Claude Code sessions, line by line, as a model should read them.
//!
//! A transcript is read as a stream: of a long one, no more is kept than may be shown. What is damaged or unfinished is
//! counted; records of an unknown kind are passed over.

mod claude;
mod codex;
mod collector;
mod entry;
mod meta;
mod records;
mod scanner;
mod selection;
mod shortening;
mod text;

use std::path::Path;

use collector::{Collector, Outcome};
pub(super) use meta::{Meta, read_meta};
use records::{Piece, Records};
pub(super) use selection::{Excerpt, Selection};
pub(super) use text::with_whole_characters;

use crate::disk::Disk;
use crate::error::Result;

/// The format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// Reads a transcript into `selection`. `check` is called now and then, and its error ends the call.
///
/// # Errors
/// `IOError` naming the file; the error of `check`.
pub(super) fn read(disk: &Disk, path: &Path, selection: &mut Selection, check: &dyn Fn() -> Result<()>) -> Result<()> {
    let mut entries = Collector::new(selection);
    let mut records = Records::open(disk, path)?;
    // A copied file may have any name.
    let format = Format::of(path);
    while let Some(piece) = records.next(check)? {
        let Piece::Record(record) = piece else {
            entries.lose();
            continue;
        };
        let json = text::of_record(record.json);
        let outcome = match format {
            Some(Format::Codex) => codex::read(&json, &mut entries),
            _ => match claude::read(&json, &mut entries) {
                Outcome::Known => Outcome::Known,
                _ => codex::read(&json, &mut entries),
            },
        };
        if outcome == Outcome::Damaged || (outcome == Outcome::Known && record.is_shortened) {
            entries.lose();
        }
    }
    entries.finish();
    Ok(())
}
