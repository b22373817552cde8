//! Checks of a data file's text: its size, its version and its lines, and the messages about what is wrong with it.

use std::io::Write as _;
use std::path::Path;

use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};
use crate::safety::Fields;
use crate::warning::Warning;

/// The maximum size of a list in bytes. No data file is larger.
pub(in crate::disk) const MAX_LIST_BYTES: u64 = 1 << 30;

/// The error for a write that would make a file too large to be read.
pub(in crate::disk) fn too_long(path: &Path, bytes: usize, limit: u64) -> Error {
    let message = format!(
        "{} would grow to {bytes} bytes; the limit is {limit}; remove what is no longer needed",
        path.display()
    );
    Error::validation(message).at(path)
}

/// Refuses a format written by a newer loopmem.
pub(crate) fn refuse_newer(path: &Path, what: &str, version: &str, newest: u64) -> Result<()> {
    if version.parse().is_ok_and(|version: u64| version <= newest) {
        return Ok(());
    }
    if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::parse(path, format!("{what} is not a whole number")));
    }
    Err(Error::new(
        ErrorKind::FormatTooNew,
        format!(
            "{}: {what} is {version}, but this loopmem reads up to {newest}; update loopmem; the file was not changed",
            path.display()
        ),
    )
    .at(path))
}

/// Needed because serde also accepts an array as a record, field by field.
pub(in crate::disk) fn is_object(json: &RawValue) -> bool {
    json.get().starts_with('{')
}

/// What serde found wrong, without the values that it may quote: they could contain secrets.
pub(in crate::disk) fn describe(cause: &serde_json::Error) -> String {
    let text = cause.to_string();
    let missing = text.strip_prefix("missing field").and_then(|rest| rest.split(" at line").next());
    match (missing, cause.classify()) {
        (Some(field), _) => format!("a field is missing:{field}"),
        (None, serde_json::error::Category::Io) => "it could not be read".to_owned(),
        (None, serde_json::error::Category::Syntax) => "it is not valid JSON".to_owned(),
        (None, serde_json::error::Category::Data) => "it does not have the expected fields".to_owned(),
        (None, serde_json::error::Category::Eof) => "it ends prematurely".to_owned(),
    }
}

/// The error for a file of these bytes that does not parse as a whole.
pub(in crate::disk) fn damaged_at(path: &Path, bytes: &[u8], cause: &serde_json::Error) -> Error {
    if without_mark(bytes).len() < bytes.len() {
        return Error::parse(path, "it begins with a byte order mark; save it as UTF-8 without one");
    }
    Error::parse(path, format!("{} (line {}, column {})", describe(cause), cause.line(), cause.column()))
}

/// Appends members unknown to this version, each on its own line.
pub(in crate::disk) fn push_members(text: &mut Vec<u8>, members: &Fields) {
    for (name, value) in members.iter() {
        // Writing to a Vec cannot fail.
        let _ = write!(text, ",\n{}: {}", serde_json::Value::from(name), value.get());
    }
}

/// Appends a line of a list.
pub(in crate::disk) fn push_line(text: &mut Vec<u8>, json: &RawValue) {
    text.extend_from_slice(json.get().as_bytes());
    text.push(b'\n');
}

/// The text of these lines.
pub(in crate::disk) fn text_of<'j>(lines: impl Iterator<Item = &'j RawValue> + Clone) -> Vec<u8> {
    let mut text = Vec::with_capacity(lines.clone().map(|line| line.get().len() + 1).sum());
    lines.for_each(|line| push_line(&mut text, line));
    text
}

/// The warning about an incomplete last line.
pub(in crate::disk) fn torn_line(path: &Path, bytes: usize) -> Warning {
    let message = "the last line is incomplete; it is skipped, and the next append moves it to the .torn file";
    Warning::new(message).at(path).of_bytes(bytes)
}

/// The warning about damaged lines.
pub(in crate::disk) fn damaged_lines(path: &Path, count: usize) -> Warning {
    let message = "damaged lines were skipped; doctor.check (loopmem doctor) lists them";
    Warning::new(message).at(path).counting(count)
}

/// The end of the last whole line. A power loss may leave a prefix of a line, or zeros instead of its first part, so a last
/// line that is not valid JSON is incomplete too.
pub(in crate::disk) fn whole_lines(bytes: &[u8]) -> usize {
    let end = memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1);
    let Some(line) = bytes[..end].strip_suffix(b"\n") else { return end };
    let start = memchr::memrchr(b'\n', line).map_or(0, |newline| newline + 1);
    let is_json = |line: &[u8]| line.is_empty() || serde_json::from_slice::<&RawValue>(without_mark(line)).is_ok();
    if is_json(&line[start..]) { end } else { start }
}

/// A line without the byte order mark that an editor may have put before the first one.
pub(crate) fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}
