//! A walk over JSON text that rewrites its strings and leaves every other byte as it is.
//!
//! Numbers, spacing and the order of members survive exactly, which a detour over a tree of values would not
//! promise (`1e400`, 30-digit integers).

use std::borrow::Cow;

use super::redactor::PLACEHOLDER;

/// A string of the JSON text that is no text: a lone surrogate or a NUL.
pub(super) struct BadString {
    /// The key it stands under, if any.
    pub(super) key: Option<String>,
    pub(super) fault: &'static str,
}

/// `json` (well-formed) with every string, keys too, passed through `rewrite(key, text)`, where `key` is the name
/// under which the string stands; borrowed when nothing changed. Keys of one object that become the same are numbered.
pub(super) fn rewrite_strings<'j>(
    json: &'j str,
    mut rewrite: impl for<'t> FnMut(Option<&str>, &'t str) -> Cow<'t, str>,
) -> Result<Cow<'j, str>, BadString> {
    /// An open object or array, and the key in whose value we are.
    struct Open {
        object: bool,
        key: Option<String>,
        at_key: bool,
        /// Its keys in which something was redacted.
        redacted: Vec<String>,
    }
    let bytes = json.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => {
                // What stands in an array or object stands under the same name until a nearer one is told.
                let key = open.last().and_then(|outer| outer.key.clone());
                open.push(Open { object: byte == b'{', key, at_key: byte == b'{', redacted: Vec::new() });
            }
            b'}' | b']' => {
                open.pop();
            }
            b',' => {
                if let Some(inner) = open.last_mut() {
                    inner.at_key = inner.object;
                }
            }
            b'"' => {
                let end = string_end(bytes, at);
                let key = open.last().and_then(|inner| if inner.at_key { None } else { inner.key.as_deref() });
                let text =
                    unescape(&json[at..end]).map_err(|fault| BadString { key: key.map(str::to_owned), fault })?;
                let mut new = rewrite(key, &text);
                if let Some(inner) = open.last_mut()
                    && inner.at_key
                    && new.contains(PLACEHOLDER)
                {
                    // Two secrets must not end up under one key: readers would lose one value.
                    let first = new.clone();
                    for number in 2.. {
                        if !inner.redacted.iter().any(|taken| *taken == new) {
                            break;
                        }
                        new = Cow::Owned(format!("{first} {number}"));
                    }
                    inner.redacted.push(new.clone().into_owned());
                }
                if new != text {
                    out.push_str(&json[copied..at]);
                    out.push_str(&serde_json::Value::from(new.as_ref()).to_string());
                    copied = end;
                }
                if let Some(inner) = open.last_mut()
                    && inner.at_key
                {
                    inner.key = Some(text.into_owned());
                    inner.at_key = false;
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(json));
    }
    out.push_str(&json[copied..]);
    Ok(Cow::Owned(out))
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
