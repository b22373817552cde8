//! Transcripts of sessions: Codex rollouts and Claude Code sessions, line by line, as what a model should read of them.
//!
//! A transcript is read as a stream: of a long one, no more is kept than may be shown. Lines that are damaged, unfinished or
//! of an unknown kind are passed over.

mod claude;
mod codex;
mod collector;
mod entry;
mod format;
mod lines;
mod meta;
mod read;
mod selection;
mod text;

pub(super) use format::Format;
pub(super) use meta::{Meta, read_meta};
pub(super) use read::read;
pub(super) use selection::{Excerpt, Selection};
