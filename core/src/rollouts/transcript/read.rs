//! Reading a transcript as what a model should read of it.

use std::path::Path;

use super::collector::Collector;
use super::format::Format;
use super::lines::Lines;
use super::selection::Selection;
use super::{claude, codex};
use crate::disk::Disk;
use crate::error::Result;

/// Reads a transcript into what `selection` keeps of it. `check` is called now and then, and its error ends the call.
///
/// # Errors
/// `IOError` naming the file; the error of `check`.
pub(in crate::rollouts) fn read(
    disk: &Disk,
    path: &Path,
    selection: &mut Selection,
    check: &dyn Fn() -> Result<()>,
) -> Result<()> {
    let mut entries = Collector::new(selection);
    let mut lines = Lines::open(disk, path)?;
    // A file that somebody copied may have any name.
    let format = Format::of(path);
    while let Some(line) = lines.next(check)? {
        match format {
            Some(Format::Codex) => codex::read(line, &mut entries),
            _ => {
                if !claude::read(line, &mut entries) {
                    codex::read(line, &mut entries);
                }
            }
        }
    }
    entries.finish();
    Ok(())
}
