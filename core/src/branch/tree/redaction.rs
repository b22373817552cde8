//! Secrets in the files of a memory: redacted in texts, refused in other files.

use std::path::Path;

use super::contents::Contents;
use super::fault::{Fault, Rule};
use super::{folder, working_copy};
use crate::branch::merge::{Format, text_of};
use crate::branch::repository::objects::{Tree, id_of};
use crate::branch::repository::state;
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::redactions;
use crate::safety::{Form, SealedText};

/// How much text before the place of a secret is searched, and how much from there on, in bytes.
const MAX_NAME: usize = 1 << 10;
const MAX_SECRET: usize = 64 << 10;
/// The shortest run of letters in UTF-16 or UTF-32 that is searched.
const MIN_RUN: usize = 8;

/// Ends a dry run with what would be redacted in these files of a folder, except for those that `base` has. Takes no
/// lock and writes nothing.
///
/// # Errors
/// `SecretRefused` for a file that is not text; the error that ends a dry run.
pub(crate) fn preview(home: &Home, directory: &Path, paths: impl Iterator<Item = String>, base: &Tree) -> Result<()> {
    let disk = folder::disk(home, directory);
    for (path, content) in working_copy::read(home, &disk, directory, paths, working_copy::MAX_BYTES)? {
        if base.get(&path).map(|item| item.id) != Some(id_of(&content)?) {
            without_secrets(home, &path, content)?;
        }
    }
    home.end_dry_run()
}

/// The faults of files of a folder that are not text and have a secret, each of at most `limit` bytes. Those that the
/// folder's base has are not faults: a push leaves them.
///
/// # Errors
/// Those of [`working_copy::read`], and of reading the state if there is a secret.
pub(crate) fn faults(
    home: &Home,
    directory: &Path,
    paths: impl Iterator<Item = String>,
    limit: u64,
) -> Result<Vec<Fault>> {
    let disk = folder::disk(home, directory);
    let check = home.cancel_check();
    let mut faults = Vec::new();
    for path in paths {
        check()?;
        let content = working_copy::read_file(&disk, directory, &path, limit)?;
        if text_of(&content).is_some() {
            continue;
        }
        match refuse_secrets(home, &path, &content) {
            Err(refused) if refused.kind() == ErrorKind::SecretRefused => {
                let base = state::tree_at_base(home, directory)?.unwrap_or_default();
                if base.get(&path).map(|item| item.id) != Some(id_of(&content)?) {
                    faults.push(fault_of(&refused));
                }
            }
            checked => checked?,
        }
    }
    Ok(faults)
}

/// The fault of a file that was refused because of a secret.
pub(crate) fn fault_of(refused: &Error) -> Fault {
    let message = refused.message();
    // The fault names the file itself.
    let rest = refused.id().and_then(|path| message.strip_prefix(path)).map(str::trim_start);
    Fault::new(refused.id(), Rule::Secret, None, rest.unwrap_or(message))
}

/// Redacts what others left on the branch in files that are merged with it: each side on its own was not changed, but the
/// result is written anew. Files that are those of a side stay.
///
/// # Errors
/// `SecretRefused` for one that is not text; `GitError`.
pub(crate) fn redact_merged(
    home: &Home,
    contents: &mut Contents<'_>,
    merged: &mut Tree,
    sides: &[Option<&Tree>],
) -> Result<()> {
    for (path, item) in merged.iter_mut().filter(|(_, item)| item.is_file()) {
        let is_of_side = |side: &&Tree| side.get(path).is_some_and(|there| there.id == item.id);
        if !sides.iter().flatten().any(is_of_side) {
            item.id = contents.add(without_secrets(home, path, contents.get(item.id)?)?)?;
        }
    }
    Ok(())
}

/// The content of a file without secrets.
///
/// # Errors
/// `SecretRefused` for one that is not text.
pub(crate) fn without_secrets(home: &Home, path: &str, content: Vec<u8>) -> Result<Vec<u8>> {
    match text_of(&content) {
        Some(text) => Ok(sealed(home, path, text).as_str().as_bytes().to_vec()),
        None => {
            refuse_secrets(home, path, &content)?;
            Ok(content)
        }
    }
}

/// The text of a file without secrets.
pub(crate) fn sealed(home: &Home, path: &str, text: &str) -> SealedText {
    let form = match Format::of(path) {
        Format::Records => Form::JsonLines,
        Format::Json => Form::Json,
        Format::Text => Form::Text,
    };
    let (text, found) = home.redactor().seal_file(form, path, text);
    redactions::record(found.into_list());
    text
}

/// Refuses a file that is not text, and so cannot be redacted, if it has a secret.
fn refuse_secrets(home: &Home, path: &str, binary: &[u8]) -> Result<()> {
    refuse_secret(home, path, binary)?;
    refuse_wide_secret(home, path, &wide_letters(binary))
}

/// The plain letters of a text in UTF-16 or UTF-32, wherever it is and in either order of bytes: each run of them on a line.
fn wide_letters(content: &[u8]) -> String {
    let mut lines = String::new();
    for width in [2, 4] {
        // The other order of bytes has the letters one step later.
        for phase in 0..width {
            let mut line = String::new();
            for unit in content.get(phase..).unwrap_or_default().chunks(width) {
                match unit {
                    [letter @ (b'\t' | b' '..=b'~'), zeros @ ..] if zeros.iter().all(|byte| *byte == 0) => {
                        line.push(char::from(*letter));
                    }
                    _ => keep(&mut lines, &mut line),
                }
            }
            keep(&mut lines, &mut line);
        }
    }
    lines
}

/// Moves a line to the others, unless it is too short to be more than a coincidence.
fn keep(lines: &mut String, line: &mut String) {
    if line.len() >= MIN_RUN {
        lines.push_str(line);
        lines.push('\n');
    }
    line.clear();
}

/// As [`refuse_secret`], for a text in another encoding.
fn refuse_wide_secret(home: &Home, path: &str, text: &str) -> Result<()> {
    let (_, secrets) = home.redactor().redact_field(path, text);
    let Some(secret) = secrets.first() else { return Ok(()) };
    let message = format!(
        "{path} is not in UTF-8, and has what looks like a secret (rule {}, tag {}); save it in UTF-8, remove the secret, or \
         allow it by this tag with safety.allow",
        secret.rule, secret.tag
    );
    Err(Error::new(ErrorKind::SecretRefused, message).about(path))
}

/// A file that is not text cannot be redacted. Among millions of random bytes, a few always look like a short name with a
/// value: what is found must be found in the text around it, too.
fn refuse_secret(home: &Home, path: &str, content: &[u8]) -> Result<()> {
    for found in home.redactor().find(content) {
        let (start, text) = text_around(content, found.place.start);
        let (_, secrets) = home.redactor().redact_field(path, text);
        if let Some(secret) = secrets.first() {
            let message = format!(
                "{path} is not a text file, and has what looks like a secret at byte {} (rule {}, tag {}); remove it, or allow it by this tag with safety.allow",
                start + secret.place.start,
                secret.rule,
                secret.tag
            );
            return Err(Error::new(ErrorKind::SecretRefused, message).about(path));
        }
    }
    Ok(())
}

/// The printable characters around a place, and where they begin.
fn text_around(content: &[u8], place: usize) -> (usize, &str) {
    let is_printable = |byte: &u8| byte.is_ascii_graphic() || b" \t\r\n".contains(byte);
    let (before, after) = content.split_at_checked(place).unwrap_or((content, &[]));
    let start = before.iter().rposition(|byte| !is_printable(byte)).map_or(0, |last| last + 1);
    let start = start.max(place.saturating_sub(MAX_NAME));
    let end = place + after.iter().take(MAX_SECRET).take_while(|byte| is_printable(byte)).count();
    (start, content.get(start..end).and_then(|text| str::from_utf8(text).ok()).unwrap_or_default())
}
