//! What the text of a data file may be: its size, its version, its lines, and the words for what is wrong with it.

use std::path::Path;

use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};
use crate::warning::Warning;

/// The size that a list may have, in bytes: no data file is larger.
pub(in crate::disk) const MAX_LIST_BYTES: u64 = 1 << 30;

/// The error of a file that would become longer than may be read.
pub(in crate::disk) fn too_long(path: &Path, bytes: usize, most: u64) -> Error {
    let message = format!(
        "{} would be {bytes} bytes long; at most {most} are stored; remove what is no longer needed",
        path.display()
    );
    Error::validation(message).at(path)
}

/// Refuses a format that a newer loopmem wrote.
pub(crate) fn refuse_newer(path: &Path, what: &str, version: &str, newest: u64) -> Result<()> {
    if version.parse().is_ok_and(|version: u64| version <= newest) {
        return Ok(());
    }
    if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::parse(path, format!("{what} is no whole number")));
    }
    Err(Error::new(
        ErrorKind::FormatTooNew,
        format!(
            "{}: {what} is {version} and this loopmem reads up to {newest}; update loopmem; the file was left as it is",
            path.display()
        ),
    )
    .at(path))
}

/// serde would take an array for a record, field by field.
pub(in crate::disk) fn is_object(json: &RawValue) -> bool {
    json.get().starts_with('{')
}

/// What serde found wrong, without the values it may quote: they are somebody's text.
pub(in crate::disk) fn describe(cause: &serde_json::Error) -> String {
    let text = cause.to_string();
    let missing = text.strip_prefix("missing field").and_then(|rest| rest.split(" at line").next());
    match (missing, cause.classify()) {
        (Some(field), _) => format!("a field is missing:{field}"),
        (None, serde_json::error::Category::Io) => "it could not be read".to_owned(),
        (None, serde_json::error::Category::Syntax) => "it is no JSON".to_owned(),
        (None, serde_json::error::Category::Data) => "it has not the right fields".to_owned(),
        (None, serde_json::error::Category::Eof) => "it ends too early".to_owned(),
    }
}

/// The warning that lines are damaged.
pub(in crate::disk) fn damaged_lines(path: &Path, count: usize) -> Warning {
    let message = "lines are damaged and were skipped; doctor.check (loopmem doctor) names them";
    Warning::new(message).at(path).counting(count)
}

/// Where the last whole line ends. A power cut may leave a prefix of a line, or zeros in the place of its first part:
/// a last line that is no JSON was never finished either.
pub(in crate::disk) fn whole_lines(bytes: &[u8]) -> usize {
    let end = memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1);
    let Some(line) = bytes[..end].strip_suffix(b"\n") else { return end };
    let start = memchr::memrchr(b'\n', line).map_or(0, |newline| newline + 1);
    let is_json = |line: &[u8]| line.is_empty() || serde_json::from_slice::<&RawValue>(line).is_ok();
    if is_json(&line[start..]) { end } else { start }
}
