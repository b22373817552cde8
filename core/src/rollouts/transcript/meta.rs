//! The session of a transcript: the id, the folder, the branch, and when it changed last. Of a plain file only the
//! beginning and the end are read, unless a record there is very long. What was added since the last time is searched for the
//! mode of the session.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Format;
use super::records::{Piece, Records};
use super::text::{Limit, decoded, of_content, of_record};
use crate::disk::{Disk, Stat};
use crate::error::{Error, Result};
use crate::rollouts::threads::Mode;
use crate::rollouts::time;

/// The number of records from the beginning that may say it.
const HEAD_RECORDS: usize = 200;
/// How loopmem's own instructions begin, for an extraction and for a consolidation: the session of a model that was asked is
/// none to extract from.
const INSTRUCTIONS: [&str; 2] = [
    "You read the transcript of one past session between a user and a coding agent",
    "You maintain the memory of a coding agent: a few files in one folder that later sessions read.",
];
/// The number of bytes of a message that are compared with them.
const FIRST_WORDS: usize = 200;
/// The key of the mode in a header.
const MODE: &[u8] = b"\"memory_mode\"";
/// How much is read at the end at first, in bytes, and at most.
const MIN_TAIL: u64 = 64 << 10;
/// More than a header has, in bytes: one that was half written the last time is read again.
const MAX_HEADER: u64 = 256 << 10;
const MAX_TAIL: u64 = 16 << 20;
/// How much is read at the beginning at most, in bytes. What is behind it, and before the end, may be a hole.
const MAX_HEAD: u64 = 32 << 20;

/// The session of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) id: String,
    pub(crate) cwd: String,
    pub(crate) source: String,
    pub(crate) git_branch: Option<String>,
    /// When it changed last, in milliseconds since 1970.
    pub(crate) updated_at: i64,
    /// The mode that its last header says, unless that is `enabled`.
    pub(crate) mode: Option<Mode>,
}

/// Reads what a transcript says of its session; a reason if it says too little. The mode was read up to the place `searched`.
///
/// # Errors
/// `IOError`; the error of `check`.
pub(crate) fn read_meta(
    disk: &Disk,
    path: &Path,
    format: Format,
    stat: &Stat,
    searched: u64,
    check: &dyn Fn() -> Result<()>,
) -> Result<Result<Meta, &'static str>> {
    let mut records = Records::open_head(disk, path, MAX_HEAD)?;
    let is_compressed = path.extension().is_some_and(|extension| extension == "zst");
    let mut found = Head::default();
    let mut last = Last::default();
    let mut read = 0;
    while read < HEAD_RECORDS
        && !found.is_complete(format)
        && let Some(piece) = records.next(check)?
    {
        let Piece::Record(record) = piece else { continue };
        let json = of_record(record.json);
        found.read(&json, format);
        last.read(&json, found.id.as_deref());
        read += 1;
    }
    let mut meta = match found.into_meta(path, format) {
        Ok(meta) => meta,
        Err(reason) => return Ok(Err(reason)),
    };
    let at_end = if is_compressed { None } else { last_timestamp(disk, path, stat.size, check)? };
    let from = searched.saturating_sub(MAX_HEADER);
    let is_whole = is_compressed || stat.size <= MAX_HEAD;
    if at_end.is_none() && is_whole {
        last.read_all(records, Some(&meta.id), check)?;
    } else if format == Format::Codex
        && mentions_mode(disk, path, from, check)?
        && let Some(records) = Records::of_part(disk, path, from, u64::MAX)?
    {
        last.read_modes(records, &meta.id, check)?;
    }
    let modified = i64::try_from(stat.modified / 1_000_000).unwrap_or(0);
    meta.updated_at = at_end.or(last.time.filter(|_| is_whole)).unwrap_or(modified);
    meta.mode = last.mode.filter(|mode| *mode != Mode::Enabled);
    Ok(Ok(meta))
}

/// The time of the last record near the end of a file that has one.
fn last_timestamp(disk: &Disk, path: &Path, size: u64, check: &dyn Fn() -> Result<()>) -> Result<Option<i64>> {
    let mut length = MIN_TAIL;
    loop {
        let from = size.saturating_sub(length);
        let Some(records) = Records::of_part(disk, path, from, length)? else { return Ok(None) };
        let mut last = Last::default();
        last.read_all(records, None, check)?;
        if last.time.is_some() || from == 0 || length >= MAX_TAIL {
            return Ok(last.time);
        }
        length *= 16;
    }
}

/// True if a header in a plain file, from this place on, may say a mode: one that was appended when the mode changed may be
/// anywhere.
fn mentions_mode(disk: &Disk, path: &Path, from: u64, check: &dyn Fn() -> Result<()>) -> Result<bool> {
    let failed = |cause: &std::io::Error| Error::io("read the transcript", path, cause);
    let finder = memchr::memmem::Finder::new(MODE);
    let Some(mut file) = disk.read_foreign_from(path, from).map_err(|cause| failed(&cause))? else { return Ok(false) };
    let (mut buffer, mut kept) = (vec![0; 256 << 10], 0);
    loop {
        check()?;
        let read = match file.read(&mut buffer[kept..]) {
            Err(cause) if cause.kind() == std::io::ErrorKind::Interrupted => continue,
            read => read.map_err(|cause| failed(&cause))?,
        };
        if read == 0 || finder.find(&buffer[..kept + read]).is_some() {
            return Ok(read > 0);
        }
        // It may be in two blocks.
        let end = kept + read;
        kept = end.min(MODE.len() - 1);
        buffer.copy_within(end - kept..end, 0);
    }
}

/// What the last records say.
#[derive(Default)]
struct Last {
    time: Option<i64>,
    mode: Option<Mode>,
}

impl Last {
    /// Reads a record of the session `id`, or of any if it is not known.
    fn read(&mut self, json: &str, id: Option<&str>) {
        self.time = timestamp(json).or(self.time);
        if memchr::memmem::find(json.as_bytes(), MODE).is_some() {
            self.mode = mode(json, id).or(self.mode);
        }
    }

    /// Reads the modes that the headers of the session `id` say.
    fn read_modes<R: Read>(&mut self, mut records: Records<R>, id: &str, check: &dyn Fn() -> Result<()>) -> Result<()> {
        while let Some(piece) = records.next(check)? {
            if let Piece::Record(record) = piece
                && memchr::memmem::find(record.json, MODE).is_some()
            {
                self.mode = mode(&of_record(record.json), Some(id)).or(self.mode);
            }
        }
        Ok(())
    }

    fn read_all<R: Read>(
        &mut self,
        mut records: Records<R>,
        id: Option<&str>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        while let Some(piece) = records.next(check)? {
            if let Piece::Record(record) = piece {
                self.read(&of_record(record.json), id);
            }
        }
        Ok(())
    }
}

/// The mode that the header of the session `id` says; `None` if this is another record, or the header of another session.
fn mode(json: &str, id: Option<&str>) -> Option<Mode> {
    let line: Line<'_> = serde_json::from_str(json).ok()?;
    let payload = line.payload.filter(|_| line.kind.as_deref() == Some("session_meta"))?;
    let meta: SessionMeta<'_> = serde_json::from_str(payload.get()).ok()?;
    meta.memory_mode.filter(|_| meta.id.as_deref() == id).map(|mode| Mode::of(&mode))
}

/// The time of a record; `None` if it has none.
fn timestamp(json: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct Timed<'t> {
        #[serde(borrow)]
        timestamp: Cow<'t, str>,
    }
    let timed: Timed<'_> = serde_json::from_str(json).ok()?;
    time::read(&timed.timestamp)
}

/// The facts from the beginning.
#[derive(Default)]
struct Head {
    id: Option<String>,
    cwd: Option<String>,
    source: Option<String>,
    git_branch: Option<String>,
    is_sidechain: bool,
    is_transcript: bool,
    /// True if the first message of the user is loopmem's own instructions; `None` before it.
    is_ours: Option<bool>,
}

/// A line of either format.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'t> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'t, str>>,
    #[serde(borrow)]
    payload: Option<&'t RawValue>,
    #[serde(borrow)]
    id: Option<Cow<'t, str>>,
    #[serde(borrow)]
    session_id: Option<Cow<'t, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'t, str>>,
    #[serde(borrow)]
    git_branch: Option<Cow<'t, str>>,
    is_sidechain: Option<bool>,
    is_meta: Option<bool>,
    #[serde(borrow)]
    entrypoint: Option<Cow<'t, str>>,
    #[serde(borrow)]
    git: Option<&'t RawValue>,
}

/// The first line of a rollout.
#[derive(Deserialize)]
struct SessionMeta<'t> {
    #[serde(borrow)]
    id: Option<Cow<'t, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'t, str>>,
    #[serde(borrow)]
    source: Option<&'t RawValue>,
    #[serde(borrow)]
    thread_source: Option<Cow<'t, str>>,
    #[serde(borrow)]
    memory_mode: Option<Cow<'t, str>>,
    #[serde(borrow)]
    git: Option<&'t RawValue>,
}

#[derive(Deserialize)]
struct Git {
    branch: Option<String>,
}

fn branch(git: Option<&RawValue>) -> Option<String> {
    serde_json::from_str::<Git>(git?.get()).ok()?.branch
}

impl Head {
    fn read(&mut self, text: &str, format: Format) {
        let Ok(line) = serde_json::from_str::<Line<'_>>(text) else { return };
        if self.is_ours.is_none() {
            self.is_ours =
                first_words(&line, text).map(|message| INSTRUCTIONS.iter().any(|it| message.starts_with(it)));
        }
        let owned = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned).filter(|text| !text.is_empty());
        match (format, line.kind.as_deref()) {
            (Format::Codex, Some("session_meta")) if self.id.is_none() => {
                let Some(meta) = line.payload.and_then(|it| serde_json::from_str::<SessionMeta<'_>>(it.get()).ok())
                else {
                    return;
                };
                (self.id, self.cwd, self.git_branch) = (owned(meta.id), owned(meta.cwd), branch(meta.git));
                self.source = match meta.thread_source.as_deref() {
                    None | Some("user") => meta.source.and_then(source),
                    Some(other) => Some(other.to_owned()),
                };
            }
            // The older form, whose first line has no type, and says no folder.
            (Format::Codex, None) if self.id.is_none() => {
                (self.id, self.git_branch) = (owned(line.id), branch(line.git));
            }
            (Format::Codex, Some("message")) if self.cwd.is_none() => self.cwd = environment_folder(text),
            (Format::Codex, _) => {}
            (Format::Claude, kind) => {
                self.is_transcript |= matches!(kind, Some("user" | "assistant"));
                self.is_sidechain |= line.is_sidechain == Some(true);
                self.id = self.id.take().or_else(|| owned(line.session_id));
                self.cwd = self.cwd.take().or_else(|| owned(line.cwd));
                self.git_branch = self.git_branch.take().or_else(|| owned(line.git_branch));
                let program = line.entrypoint.filter(|it| !["cli", "claude-vscode"].contains(&&**it));
                self.source = self.source.take().or_else(|| program.map(|program| format!("claude-{program}")));
            }
        }
    }

    fn is_complete(&self, format: Format) -> bool {
        match format {
            Format::Codex => self.id.is_some() && self.cwd.is_some() && self.is_ours.is_some(),
            Format::Claude => {
                self.id.is_some()
                    && self.cwd.is_some()
                    && self.git_branch.is_some()
                    && self.is_transcript
                    && self.is_ours.is_some()
            }
        }
    }

    fn into_meta(self, path: &Path, format: Format) -> Result<Meta, &'static str> {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if self.is_ours == Some(true) {
            return Err("extraction");
        }
        let (id, source) = match format {
            Format::Codex => (self.id, self.source.unwrap_or_else(|| "cli".to_owned())),
            Format::Claude if self.is_sidechain || stem.starts_with("agent-") => return Err("subagent"),
            Format::Claude if !self.is_transcript => return Err("noSession"),
            // A session that was continued from another one begins with lines of that one.
            Format::Claude => (self.id.map(|_| stem.to_owned()), self.source.unwrap_or_else(|| "claude".to_owned())),
        };
        let id = id.ok_or("noSession")?;
        let cwd = self.cwd.filter(|cwd| Path::new(cwd).is_absolute()).unwrap_or_default();
        Ok(Meta { id, cwd, source, git_branch: self.git_branch, updated_at: 0, mode: None })
    }
}

/// The beginning of a message of the user; `None` if it is another line, or was sent in the user's name.
fn first_words(line: &Line<'_>, text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Message<'t> {
        #[serde(borrow, rename = "type")]
        kind: Option<Cow<'t, str>>,
        #[serde(borrow)]
        role: Option<Cow<'t, str>>,
        #[serde(borrow)]
        content: Option<&'t RawValue>,
        #[serde(borrow)]
        message: Option<&'t RawValue>,
    }
    let read = |json: &'_ str| -> Option<String> {
        let message: Message<'_> = serde_json::from_str(json).ok()?;
        let message: Message<'_> = match message.message {
            Some(message) => serde_json::from_str(message.get()).ok()?,
            None if message.kind.as_deref() == Some("message") => message,
            None => return None,
        };
        let is_user = message.role.as_deref() == Some("user");
        let window = of_content(message.content.filter(|_| is_user)?, Limit { head: FIRST_WORDS, tail: 0 });
        Some(window.head.trim_start().to_owned())
    };
    if line.is_meta == Some(true) {
        return None;
    }
    let message = match line.payload {
        Some(payload) => read(payload.get())?,
        None => read(text)?,
    };
    // The folder, instructions and the like, which programs send in the user's name.
    (!message.is_empty() && !message.starts_with('<') && !message.starts_with("# AGENTS.md")).then_some(message)
}

/// Where a session was held: a word, or an object whose only member is the word.
fn source(source: &RawValue) -> Option<String> {
    if let Ok(word) = serde_json::from_str::<String>(source.get()) {
        return Some(word);
    }
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(source.get()).ok()?;
    object.into_iter().next().map(|(word, _)| word)
}

/// The folder that a message about the environment names, in the older form of rollouts.
fn environment_folder(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("<environment_context>")?;
    let (_, rest) = rest.split_once("<cwd>")?;
    let (folder, _) = rest.split_once("</cwd>")?;
    decoded(&format!("\"{folder}\"")).map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompts_begin_with_the_instructions_by_which_they_are_recognized() {
        for prompt in [include_str!("../prompts/stage1.md"), include_str!("../prompts/consolidation.md")] {
            assert!(INSTRUCTIONS.iter().any(|it| it.len() <= FIRST_WORDS && prompt.starts_with(it)), "{prompt}");
        }
    }
}
