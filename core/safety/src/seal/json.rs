//! A walk over JSON text that rewrites its strings and numbers and leaves every other byte as it is.
//!
//! Numbers and the order of members survive exactly, which a detour over a tree of values would not
//! promise (`1e400`, 30-digit integers).

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use crate::mark::tag;

/// How deep objects and arrays may lie in each other. Readers in other languages give up not far behind.
const MAX_DEPTH: usize = 100;

/// What JSON text may not hold although it is well-formed: a string that is no text, or one level too many.
pub(crate) struct Fault {
    /// The key under which it stands, if any.
    pub(crate) key: Option<String>,
    pub(crate) what: &'static str,
}

/// A piece of JSON that may be rewritten, and where it stands.
pub(crate) struct Spot<'k> {
    pub(crate) piece: Piece,
    /// The name under which it stands; a key stands under none.
    pub(crate) key: Option<&'k str>,
    /// How many objects and arrays are open around it.
    pub(crate) depth: usize,
    /// Where it stands in the JSON; of a string without its quotes.
    pub(crate) place: std::ops::Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    Key,
    Text,
    Number,
}

/// An open object or array.
struct Open {
    object: bool,
    /// The key in whose value we are.
    key: Option<Rc<str>>,
    at_key: bool,
    /// Its keys in which something was redacted; see [`unlike`].
    redacted: HashMap<String, usize>,
}

/// `json` (well-formed) with every string, keys too, and every number passed through `rewrite`; borrowed when nothing
/// changed. A number that is rewritten becomes a string. Keys of one object that become the same are numbered.
pub(crate) fn rewrite<'j>(
    json: &'j str,
    mut rewrite: impl for<'t> FnMut(Spot<'_>, &'t str) -> Cow<'t, str>,
) -> Result<Cow<'j, str>, Fault> {
    let bytes = json.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let depth = open.len();
        let inner = open.last_mut();
        let end = match byte {
            b'{' | b'[' => {
                // What stands in an array or object stands under the same name until a nearer one is told.
                let key = inner.and_then(|inner| inner.key.clone());
                if depth == MAX_DEPTH {
                    return Err(Fault {
                        key: key.map(|key| (*key).to_owned()),
                        what: "is nested deeper than 100 levels",
                    });
                }
                open.push(Open { object: byte == b'{', key, at_key: byte == b'{', redacted: HashMap::new() });
                at + 1
            }
            b'}' | b']' => {
                open.pop();
                at + 1
            }
            b',' => {
                if let Some(inner) = inner {
                    inner.at_key = inner.object;
                }
                at + 1
            }
            b'"' | b'-' | b'0'..=b'9' => {
                let is_key = inner.as_ref().is_some_and(|inner| inner.at_key);
                let key = inner.as_ref().and_then(|inner| inner.key.clone()).filter(|_| !is_key);
                let (piece, end, text) = if byte == b'"' {
                    let end = string_end(bytes, at);
                    let text = unescape(&json[at..end])
                        .map_err(|what| Fault { key: key.as_deref().map(str::to_owned), what })?;
                    (if is_key { Piece::Key } else { Piece::Text }, end, text)
                } else {
                    let end = number_end(bytes, at);
                    (Piece::Number, end, Cow::Borrowed(&json[at..end]))
                };
                let mut new = rewrite(
                    Spot {
                        piece,
                        key: key.as_deref(),
                        depth,
                        place: at + usize::from(byte == b'"')..end - usize::from(byte == b'"'),
                    },
                    &text,
                );
                if let Some(inner) = inner.filter(|_| is_key) {
                    inner.key = Some(Rc::from(&*text));
                    inner.at_key = false;
                    if !tag::placeholders(new.as_bytes()).is_empty() {
                        new = Cow::Owned(unlike(&mut inner.redacted, &new));
                    }
                }
                if new != text {
                    out.push_str(&json[copied..at]);
                    out.push_str(&serde_json::Value::from(new.as_ref()).to_string());
                    copied = end;
                }
                end
            }
            _ => at + 1,
        };
        at = end;
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(json));
    }
    out.push_str(&json[copied..]);
    Ok(Cow::Owned(out))
}

/// `json` (well-formed) without the spaces and line breaks between its tokens: one line, and the same bytes for the same
/// values, whoever wrote them; `None` when nothing stands there.
pub(crate) fn compacted(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.push_str(&json[copied..at]);
                at += 1;
                copied = at;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&json[copied..]);
    Some(out)
}

/// `key`, numbered when it is among `taken`: two secrets must not end up under one key, where readers would lose one
/// value. Beside each taken key stands the last number it was given.
fn unlike(taken: &mut HashMap<String, usize>, key: &str) -> String {
    let mut free = key.to_owned();
    while taken.contains_key(&free) {
        let number = taken.entry(key.to_owned()).or_insert(1);
        *number += 1;
        free = format!("{key} {number}");
    }
    taken.insert(free.clone(), 1);
    free
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let run = bytes[start..].iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    start + run.count()
}

/// Behind the closing quote of the string that opens at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(step) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += step;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
        if at > bytes.len() {
            break;
        }
    }
    bytes.len()
}

fn unescape(quoted: &str) -> Result<Cow<'_, str>, &'static str> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let text = if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        Cow::Borrowed(inner)
    } else {
        // Well-formed JSON that is still no text holds a lone surrogate.
        Cow::Owned(serde_json::from_str(quoted).map_err(|_| "holds a lone surrogate, which is no Unicode text")?)
    };
    if memchr::memchr(0, text.as_bytes()).is_some() { Err("holds a NUL character") } else { Ok(text) }
}
