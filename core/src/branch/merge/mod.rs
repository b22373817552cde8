//! The three-way merge of one file of a memory: the version in the agent's folder (*ours*), the one on the branch
//! (*theirs*), and the one from which both started (*base*). Pure, no I/O.
//!
//! The extension determines how a file is merged:
//!
//! - `.jsonl` and `.ndjson` are merged by records, and no record that either side appended is lost;
//! - `.json` is merged by key path;
//! - other UTF-8 text is merged by lines, as git does, except that what both sides appended is kept;
//! - binary files, and JSON that does not parse, are taken whole from ours.
//!
//! Where both sides changed the same thing, ours wins, and the merge is reported as a conflict. A file that one side
//! did not touch keeps the exact bytes of the other. Merging a result again with either of its sides changes nothing;
//! for text that was merged by lines, this is only certain if lines are neither repeated nor moved.

mod file;
mod json;
mod merged;
mod records;
mod style;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub(super) use file::merge;
