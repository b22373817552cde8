//! The definitions of one file, as they are found.

use super::super::definition::{Definition, Kind};
use super::signature::lossy;

/// The definitions of a file, and the offsets where their lines start.
#[derive(Debug, Default)]
pub struct Found {
    pub definitions: Vec<Definition>,
    pub starts: Vec<usize>,
}

impl Found {
    pub(super) fn push(&mut self, name: &[u8], kind: Kind, line: usize, depth: usize, start: usize, signature: String) {
        let name = lossy(name);
        if name.is_empty() || self.definitions.len() >= usize::from(u16::MAX) {
            return;
        }
        self.definitions.push(Definition {
            name,
            kind,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            depth: u8::try_from(depth).unwrap_or(u8::MAX),
            signature,
        });
        self.starts.push(start);
    }
}
