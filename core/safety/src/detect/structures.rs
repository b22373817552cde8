//! Formats that hold secrets: private keys in PEM and PuTTY format, lines of pgpass files, values of Kubernetes
//! secrets.
//!
//! Only the lines that belong to a block are taken, together with whatever a log prints before each of them; a
//! truncated block ends with its last line.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::Strength;
use crate::classify::plausibility;
use crate::detect::collections;
use crate::detect::name::Name;
use crate::mark::tag;
use crate::rules::general::{KUBERNETES, PRIVATE_KEY};
use crate::text::bytes::{find, is_blank, is_of_base64, line_around, peek, run_end, run_start, slice};
use crate::text::gutters;

/// The longest private key, in bytes.
const MAX_KEY: usize = 32 << 10;
/// How far the private lines of a PuTTY key may be after its first word, in bytes, and the maximum length of a JSON Web
/// Key.
const MAX_HEADERS: usize = 8 << 10;
/// How far the data of a Kubernetes secret may be from its kind, in bytes.
const MAX_MANIFEST: usize = 16 << 10;

/// The private key whose `--BEGIN ` starts at `from` and ends at `at`; returns where to continue.
pub(crate) fn pem(text: &[u8], from: usize, at: usize, found: &mut impl FnMut(&'static str, Range<usize>)) -> usize {
    let label_end = run_end(text, at, 64, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let label = slice(text, at..label_end);
    let is_private = memchr::memmem::find(label, b"PRIVATE KEY").is_some();
    if !is_private || !text.get(label_end..).is_some_and(|rest| rest.starts_with(b"-----")) {
        return at;
    }
    let start = run_start(text, from, 3, |byte| byte == b'-');
    if !has_body(text, label_end + 5) {
        return label_end;
    }
    let body = label_end + 5;
    let window = slice(text, body..text.len().min(body + MAX_KEY));
    let reopened = memchr::memmem::find(window, b"-----BEGIN ").unwrap_or(window.len());
    let end = match memchr::memmem::find(slice(window, 0..reopened), b"-----END ") {
        Some(closing) => {
            let end = run_end(text, body + closing + 9, 64, |byte| {
                byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
            });
            run_end(text, end, 5, |byte| byte == b'-')
        }
        None => body_end(text, body, body + reopened),
    };
    found(PRIVATE_KEY, start..end);
    end
}

/// Whether a run of base64 or the key's headers follow soon: code may only name the lines around a key.
fn has_body(text: &[u8], at: usize) -> bool {
    let window = slice(text, at..text.len().min(at + 400));
    let window = slice(window, 0..memchr::memmem::find(window, b"-----").unwrap_or(window.len()));
    // A sentence continues after the line: "… not found".
    let word = run_end(window, 0, 1, |byte| byte == b' ');
    let letters = run_end(window, word, 16, |byte| byte.is_ascii_lowercase());
    let is_word = letters > word && window.get(letters).is_none_or(|byte| matches!(byte, b' ' | b'.' | b',' | b'\n'));
    if word > 0 && is_word {
        return false;
    }
    // What is in quotes or in a cell is often only the line, and what follows is code or a name.
    let mut start = word;
    while let [b'\\', ..] = slice(window, start..window.len()) {
        start = run_end(window, start, 8, |byte| byte == b'\\');
        start = run_end(window, start, 1, |byte| matches!(byte, b'n' | b'r'));
    }
    let is_beside = window.get(start).is_some_and(|byte| !byte.is_ascii_whitespace() && !is_of_base64(*byte));
    let is_key = |run: &[u8]| {
        run.len() >= 12
            && run.iter().any(u8::is_ascii_uppercase)
            && run.iter().any(|byte| byte != run.first().unwrap_or(byte))
            // `YOUR_PRIVATE_KEY`, after the letter of an escaped line break
            && !run.iter().skip(1).all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'))
    };
    let mut end = 0;
    let mut runs = window.split(|byte| !is_of_base64(*byte)).map(|run| {
        let start = end;
        end += run.len() + 1;
        start..start + run.len()
    });
    if is_beside {
        // Between the literals of one text there is no word.
        let mut skipped = 0;
        let first = runs.find(|run| {
            skipped += if run.len() > 4 { 0 } else { run.len() };
            run.len() > 4
        });
        return first.filter(|_| skipped <= 6).is_some_and(|run| {
            let run = slice(window, run);
            is_key(run) && plausibility::is_random(run)
        });
    }
    runs.any(|run| {
        // The beginning of an example
        let is_cut = run.len() < 48 && slice(window, run.end..window.len()).starts_with(b"...");
        is_key(slice(window, run)) && !is_cut
    })
}

/// The end of the body of a truncated key: as far as its lines are base64 or headers.
fn body_end(text: &[u8], from: usize, limit: usize) -> usize {
    let mut end = run_end(text, from, limit - from.min(limit), |byte| is_of_base64(byte) || byte == b'\\');
    // Blank lines belong to the key only if it continues after them, and headers come before its lines,
    // apart from PuTTY's `Private-MAC`.
    let mut taken = end;
    let mut has_lines = false;
    loop {
        let Some(newline) = slice(text, end..limit).iter().position(|byte| *byte == b'\n').map(|step| end + step)
        else {
            return taken;
        };
        if !slice(text, end..newline).trim_ascii().is_empty() {
            return taken;
        }
        let line = line_around(text, newline + 1);
        let start = line.start + gutters::width(slice(text, line.clone()));
        let start = run_end(text, start, line.end - start, is_blank);
        let stop = run_end(text, start, line.end - start, is_of_base64);
        let rest = slice(text, stop..line.end).trim_ascii();
        let is_header = (!has_lines || slice(text, start..line.end).starts_with(b"Private-"))
            && slice(text, start..line.end).windows(2).any(|pair| pair == b": ")
            && line.end - start < 80
            && peek(text, stop, 1) == b":";
        let is_empty = slice(text, start..line.end).trim_ascii().is_empty();
        let is_body = stop - start >= 16
            || (stop > start && rest.is_empty() && stop - start <= 76 && slice(text, start..stop).ends_with(b"="));
        if line.end > limit
            || !(is_header || is_empty || (is_body && !slice(text, start..stop).iter().all(u8::is_ascii_lowercase)))
        {
            return taken;
        }
        end = if is_header { line.end } else { stop };
        has_lines |= is_body;
        if !is_empty {
            taken = end;
        }
        if line.end >= text.len() {
            return taken;
        }
    }
}

/// The private lines of a PuTTY key, starting after its first word; returns where to continue.
pub(crate) fn putty(text: &[u8], at: usize, found: &mut impl FnMut(&'static str, Range<usize>)) -> usize {
    let window = slice(text, at..text.len().min(at + MAX_HEADERS));
    let Some(private) = memchr::memmem::find(window, b"Private-Lines:") else { return at };
    let start = at + private + b"Private-Lines:".len();
    let line = line_around(text, start);
    let end = body_end(text, line.end, text.len().min(start + MAX_KEY));
    if end <= line.end {
        return start;
    }
    // If the lines were redacted before, there are none.
    let Some(blanks) = slice(text, line.end..end).iter().position(|byte| is_of_base64(*byte)) else { return start };
    found(PRIVATE_KEY, line.end + blanks..end);
    end
}

/// The password of the line `host:port:database:user:password` whose port follows the colon at `colon`.
pub(crate) fn pgpass(text: &[u8], colon: usize) -> Option<Range<usize>> {
    let line = line_around(text, colon);
    let start = line.start + gutters::width(slice(text, line.clone()));
    let fields: Vec<&[u8]> = slice(text, start..line.end).splitn(5, |byte| *byte == b':').collect();
    let [host, port, database, user, password] = fields.as_slice() else { return None };
    let is_port = *port == b"*" || (port.len() >= 2 && port.iter().all(u8::is_ascii_digit));
    let is_word = |field: &&[u8]| !field.is_empty() && !field.iter().any(u8::is_ascii_whitespace);
    let password = password.trim_ascii_end();
    let is_taken = is_port
        && [*host, *database, *user, password].iter().all(is_word)
        && !tag::starts_placeholder(password)
        && !plausibility::is_stand_in(password);
    let end = start + slice(text, start..line.end).trim_ascii_end().len();
    (is_taken && database.iter().any(|byte| byte.is_ascii_alphabetic() || *byte == b'*'))
        .then(|| end - password.len()..end)
}

/// The values below `data:` and `stringData:` of a manifest whose kind is the `Secret` at `name`. Manifests before
/// `done` have been read; returns the new value.
pub(crate) fn kubernetes(
    text: &[u8],
    name: &Name,
    done: usize,
    found: &mut impl FnMut(&'static str, Range<usize>),
) -> usize {
    let before = slice(text, name.place.start.saturating_sub(12)..name.place.start);
    let lead = run_start(before, before.len(), 8, |byte| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b':' | b'\\')
    });
    let is_kind = slice(text, name.place.clone()) == b"Secret"
        && slice(before, 0..lead).ends_with(b"kind")
        && slice(before, lead..before.len()).contains(&b':');
    if !is_kind || name.place.start < done {
        return done;
    }
    let is_json = matches!(before.last(), Some(b'"')) && slice(before, lead..before.len()).first() != Some(&b':');
    if is_json {
        return kubernetes_json(text, name.place.start, done, found);
    }
    let from = name.place.start.saturating_sub(MAX_MANIFEST);
    let before = slice(text, from..name.place.start);
    let start = from + memchr::memmem::rfind(before, b"\n---").map_or(0, |at| at + 4);
    let rest = slice(text, name.place.end..text.len().min(name.place.end + MAX_MANIFEST));
    let end = name.place.end + memchr::memmem::find(rest, b"\n---").unwrap_or(rest.len());
    let mut at = start;
    let mut depth = None;
    while at < end {
        let line = line_around(text, at);
        at = line.end + 1;
        let content = line.start + gutters::width(slice(text, line.clone()));
        let indent = run_end(text, content, 64, is_blank);
        let written = slice(text, indent..line.end).trim_ascii_end();
        if written == b"data:" || written == b"stringData:" {
            depth = Some(indent - content);
            continue;
        }
        if depth.is_some_and(|depth| indent - content <= depth) && !written.is_empty() {
            depth = None;
        }
        let Some(colon) = depth.and_then(|_| memchr::memmem::find(written, b": ")) else { continue };
        if matches!(slice(written, colon + 2..written.len()), [b'|' | b'>'] | [b'|' | b'>', b'-' | b'+']) {
            at = block(text, line.end, indent - line.start, found);
            continue;
        }
        let value = run_end(text, indent + colon + 2, 4, |byte| is_blank(byte) || matches!(byte, b'"' | b'\''));
        let stop = run_end(text, value, line.end - value.min(line.end), |byte| {
            !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'')
        });
        let secret = slice(text, value..stop);
        if secret.len() >= 4 && !tag::starts_placeholder(secret) && !plausibility::is_stand_in(secret) {
            found(KUBERNETES, value..stop);
        }
    }
    end
}

/// The lines after `from` that are indented more than `indent`, each as a secret; returns where the next line starts.
fn block(text: &[u8], from: usize, indent: usize, found: &mut impl FnMut(&'static str, Range<usize>)) -> usize {
    let mut at = from + 1;
    while at < text.len() {
        let line = line_around(text, at);
        let start = run_end(text, line.start, 64, is_blank);
        if start < line.end && start - line.start <= indent {
            break;
        }
        let end = start + slice(text, start..line.end).trim_ascii_end().len();
        let secret = slice(text, start..end);
        if secret.len() >= 4 && !tag::starts_placeholder(secret) && !plausibility::is_stand_in(secret) {
            found(KUBERNETES, start..end);
        }
        at = line.end + 1;
    }
    at
}

/// The values below `"data"` and `"stringData"` of the JSON object around `at`, which was not read before `done`;
/// returns its end.
fn kubernetes_json(text: &[u8], at: usize, done: usize, found: &mut impl FnMut(&'static str, Range<usize>)) -> usize {
    let from = at.saturating_sub(MAX_MANIFEST).max(done);
    let mut depth = 0_usize;
    let is_open = |byte: &u8| {
        match byte {
            b'}' => depth += 1,
            b'{' if depth == 0 => return true,
            b'{' => depth -= 1,
            _ => {}
        }
        false
    };
    let Some(open) = slice(text, from..at).iter().rposition(is_open).map(|open| from + open) else { return at };
    let window = slice(text, open..text.len().min(at + MAX_MANIFEST));
    let mut end = open + window.len();
    let mut depth = 0_usize;
    for (step, byte) in window.iter().enumerate() {
        match byte {
            b'{' => {
                depth += 1;
                let key = run_start(window, step, 16, |byte| {
                    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b':' | b'\\')
                });
                let key = slice(window, 0..key);
                if depth == 2 && (key.ends_with(b"\"data") || key.ends_with(b"\"stringData")) {
                    collections::members(text, open + step, &mut |_, value| {
                        let secret = slice(text, value.clone());
                        if secret.len() >= 4 && !tag::starts_placeholder(secret) && !plausibility::is_stand_in(secret) {
                            found(KUBERNETES, value);
                        }
                    });
                }
            }
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            end = open + step + 1;
            break;
        }
    }
    end.max(at)
}

/// The value that Terraform generated and keeps in its state, after the type `random_password` at `kind`.
pub(crate) fn generated_password(text: &[u8], kind: &Range<usize>) -> Option<Range<usize>> {
    if slice(text, kind.clone()) != b"random_password" || text.get(kind.end) != Some(&b'"') {
        return None;
    }
    let rest = slice(text, kind.end..text.len().min(kind.end + MAX_HEADERS));
    let result = find(rest, b"\"result\"")?;
    // Not that of another resource.
    if find(slice(rest, 0..result), b"\"type\"").is_some() {
        return None;
    }
    let colon = run_end(rest, result + 8, 8, |byte| is_blank(byte) || byte == b':');
    let start = (rest.get(colon) == Some(&b'"')).then_some(kind.end + colon + 1)?;
    let end = run_end(text, start, MAX_HEADERS, |byte| !matches!(byte, b'"' | b'\\' | b'\n'));
    let value = slice(text, start..end);
    (!tag::starts_placeholder(value) && judgement::is_secret(value, Strength::Strong, Form::Data)).then_some(start..end)
}

/// The private members of the JSON Web Key around `at`; returns its end.
pub(crate) fn json_web_key(text: &[u8], at: usize, found: &mut impl FnMut(&'static str, Range<usize>)) -> usize {
    const MEMBERS: [&[u8]; 7] = [b"\"d\"", b"\"k\"", b"\"p\"", b"\"q\"", b"\"dp\"", b"\"dq\"", b"\"qi\""];
    let from = memchr::memrchr(b'{', slice(text, at.saturating_sub(MAX_HEADERS)..at))
        .map_or(at, |open| at.saturating_sub(MAX_HEADERS) + open);
    let rest = slice(text, from..text.len().min(from + MAX_HEADERS));
    let key = slice(rest, 0..memchr::memchr(b'}', rest).unwrap_or(rest.len()));
    for member in MEMBERS {
        let Some(name) = memchr::memmem::find(key, member) else { continue };
        let start =
            run_end(key, name + member.len(), 16, |byte| byte.is_ascii_whitespace() || matches!(byte, b':' | b'"'));
        let end = run_end(key, start, key.len(), is_of_base64);
        if end >= start + 16 {
            found(PRIVATE_KEY, from + start..from + end);
        }
    }
    from + key.len()
}
