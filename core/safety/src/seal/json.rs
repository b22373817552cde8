//! A pass over JSON text that rewrites its strings and numbers and leaves every other byte unchanged.
//!
//! Numbers and the order of members are preserved exactly, which a round trip through a tree of values would not
//! guarantee (`1e400`, 30-digit integers).

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use crate::mark::tag;
use crate::text::bytes::json_string_end;

/// The maximum nesting depth of objects and arrays. Parsers in other languages fail not far beyond it.
const MAX_DEPTH: usize = 100;

/// How much of a path is shown, in characters.
const MAX_PATH: usize = 200;

/// A fault in well-formed JSON: a string that is not valid text, or too many levels of nesting.
pub(crate) struct Fault {
    /// The key whose value has the fault, if any.
    pub(crate) key: Option<String>,
    pub(crate) what: &'static str,
}

/// A key, string or number that may be rewritten, and where it is.
pub(crate) struct Token<'k> {
    pub(crate) kind: TokenKind,
    /// The key whose value it is; `None` for a key.
    pub(crate) key: Option<&'k str>,
    /// How many objects and arrays contain it.
    pub(crate) depth: usize,
    /// Its range in the JSON; for a string, without the quotes.
    pub(crate) place: std::ops::Range<usize>,
    /// The objects and arrays that contain it.
    open: &'k [Container],
}

impl Token<'_> {
    /// The path of its field, `metadata.headers`, in which keys are redacted. Elements of a list have that of the list,
    /// and a key that of its object.
    pub(crate) fn path(&self) -> String {
        let open = match (self.kind, self.open) {
            (TokenKind::Key, [outer @ .., _]) => outer,
            (_, open) => open,
        };
        // A dot in a key is not one between keys.
        let keys = open.iter().filter(|it| it.object).filter_map(|it| it.shown.as_deref());
        let path = keys.map(|key| key.replace('.', "\\.")).collect::<Vec<_>>().join(".");
        match path.char_indices().nth(MAX_PATH) {
            Some((end, _)) => format!("{}…", tag::beginning(&path, end)),
            None => path,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Key,
    Text,
    Number,
}

/// An open object or array.
struct Container {
    object: bool,
    /// The key whose value is being read.
    key: Option<Rc<str>>,
    /// The same, redacted.
    shown: Option<Rc<str>>,
    at_key: bool,
    /// Its keys in which something was redacted; see [`unique_key`].
    redacted: HashMap<String, usize>,
}

/// Passes every string (including keys) and every number of `json`, which is well-formed, through `rewrite`; borrowed
/// if nothing changed. A rewritten number becomes a string. Keys of one object that become equal are numbered.
pub(crate) fn rewrite<'j>(
    json: &'j str,
    mut rewrite: impl for<'t> FnMut(Token<'_>, &'t str) -> Cow<'t, str>,
) -> Result<Cow<'j, str>, Fault> {
    let bytes = json.as_bytes();
    let mut open: Vec<Container> = Vec::new();
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let depth = open.len();
        let inner = open.last_mut();
        let end = match byte {
            b'{' | b'[' => {
                // Values in an array or object inherit its key until a nearer one follows.
                let key = inner.and_then(|inner| inner.key.clone());
                if depth == MAX_DEPTH {
                    return Err(Fault {
                        key: key.map(|key| (*key).to_owned()),
                        what: "is nested deeper than 100 levels",
                    });
                }
                let object = byte == b'{';
                open.push(Container { object, key, shown: None, at_key: object, redacted: HashMap::new() });
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
                let key = inner.and_then(|inner| inner.key.clone()).filter(|_| !is_key);
                let (kind, end, text) = if byte == b'"' {
                    let end = string_end(bytes, at);
                    let text = unescape(&json[at..end])
                        .map_err(|what| Fault { key: key.as_deref().map(str::to_owned), what })?;
                    (if is_key { TokenKind::Key } else { TokenKind::Text }, end, text)
                } else {
                    let end = number_end(bytes, at);
                    (TokenKind::Number, end, Cow::Borrowed(&json[at..end]))
                };
                let mut new = rewrite(
                    Token {
                        kind,
                        key: key.as_deref(),
                        depth,
                        place: at + usize::from(byte == b'"')..end - usize::from(byte == b'"'),
                        open: &open,
                    },
                    &text,
                );
                if let Some(inner) = open.last_mut().filter(|_| is_key) {
                    let key: Rc<str> = Rc::from(&*text);
                    inner.at_key = false;
                    if !tag::placeholders(new.as_bytes()).is_empty() {
                        new = Cow::Owned(unique_key(&mut inner.redacted, &new));
                    }
                    inner.shown = Some(if new == text { Rc::clone(&key) } else { Rc::from(&*new) });
                    inner.key = Some(key);
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

/// `json` (well-formed) without white space between its tokens: one line, and the same bytes for the same values,
/// whatever their formatting; `None` if there is no such white space.
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

/// `key`, numbered if it is in `taken`: two secrets must not end up under one key, where a reader would lose one of the
/// values. `taken` maps each key to the last number given to it.
fn unique_key(taken: &mut HashMap<String, usize>, key: &str) -> String {
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

/// The position after the closing quote of the string that starts at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    bytes.len().min(json_string_end(bytes, start + 1) + 1)
}

fn unescape(quoted: &str) -> Result<Cow<'_, str>, &'static str> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let text = if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        Cow::Borrowed(inner)
    } else {
        // In well-formed JSON, only a lone surrogate is not valid text.
        Cow::Owned(serde_json::from_str(quoted).map_err(|_| "contains a lone surrogate, which is not valid Unicode")?)
    };
    if memchr::memchr(0, text.as_bytes()).is_some() { Err("contains a NUL character") } else { Ok(text) }
}
