//! Which program wrote a transcript.

use std::path::Path;

/// The format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rollouts) enum Format {
    /// A rollout of Codex.
    Codex,
    /// A session of Claude Code.
    Claude,
}

impl Format {
    /// The format that the name of a file says: those of Codex are called `rollout-*`.
    pub(in crate::rollouts) fn of(path: &Path) -> Option<Self> {
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
