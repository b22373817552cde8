//! Markdown, TOML, YAML, CSS, SQL, protobuf, and what has no definitions.

use super::super::candidate::{Block, Candidate, Found};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::signature::{self, Style};
use super::super::steps::Steps;
use super::super::table::{BRACES, INDENTED, Language, Single, Table};
use super::super::words::{path, trim_end, trim_start, word};

/// A language without a lexer.
const DOCUMENT: Table = Table { is_code: false, ..BRACES };

pub(super) static MARKDOWN: Table =
    Table { language: Language::Markdown, name: "markdown", extensions: "md markdown mdx", ..DOCUMENT };
pub(super) static TOML: Table =
    Table { language: Language::Toml, name: "toml", extensions: "toml", files: "pipfile", ..DOCUMENT };
pub(super) static YAML: Table = Table {
    language: Language::Yaml,
    name: "yaml",
    extensions: "yml yaml",
    files: ".clang-format .clang-tidy",
    ..DOCUMENT
};
pub(super) static JSON: Table = Table {
    language: Language::Json,
    name: "json",
    extensions: "json jsonc json5",
    files: ".babelrc .eslintrc .prettierrc",
    ..DOCUMENT
};
pub(super) static HTML: Table =
    Table { language: Language::Html, name: "html", extensions: "html htm xhtml", ..DOCUMENT };
pub(super) static OTHER: Table = Table { name: "other", ..DOCUMENT };

pub(super) static CSS: Table = Table {
    language: Language::Css,
    name: "css",
    extensions: "css scss less",
    starts: b"",
    style: Style { quotes: false, ..BRACES.style },
    ..DOCUMENT
}
.ready();

pub(super) static SQL: Table = Table {
    language: Language::Sql,
    name: "sql",
    extensions: "sql ddl psql",
    marks: b"\"'/-{}()[]",
    starts: b"cC",
    single: Single::Long,
    style: Style { comment: b"--", ..INDENTED.style },
    ..BRACES
}
.ready();

pub(super) static PROTO: Table = Table {
    language: Language::Proto,
    name: "proto",
    extensions: "proto",
    keywords: &[
        ("message", Kind::Message, Block::Other),
        ("group", Kind::Message, Block::Other),
        ("service", Kind::Interface, Block::Class),
        ("enum", Kind::Enum, Block::Other),
        ("oneof", Kind::Field, Block::Other),
    ],
    ..BRACES
}
.ready();

pub(super) fn message<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let (keyword, rest) = word(line.code);
    let (name, after) = word(rest);
    let opens = matches!(after.first(), None | Some(b'{'));
    match keyword {
        b"rpc" => Candidate::new(name, Kind::Method, Block::Other),
        b"extend" => Candidate::new(path(rest, b".").0, Kind::Message, Block::Other),
        _ => line.by_keyword(keyword, name).filter(|_| opens),
    }
}

/// The lines of `text`, with their offsets and without their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let start = at;
        at += length + 1;
        Some((start, trim_end(rest.get(..length)?)))
    })
}

fn push(found: &mut Found, text: &[u8], name: &[u8], kind: Kind, line: usize, depth: usize, start: usize) {
    let style = Style { comment: b"#", ends: b":>", quotes: true, initializers: false };
    let signature = match kind {
        // Neither `;` nor quotes mean anything in a heading.
        Kind::Heading => {
            let line = text.get(start..).unwrap_or(&[]);
            let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
            let line = signature::lossy(line.get(..end).unwrap_or(&[]));
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        _ => signature::collect(text, start, start, &style, Kind::Constant, false, &mut Vec::new()),
    };
    found.push(name, kind, line, depth, start, signature);
}

/// The headings outside fenced code.
pub(super) fn markdown(text: &[u8], steps: &mut Steps<'_>) -> Found {
    let mut found = Found::default();
    // The byte and length of the fence that is open.
    let mut fence: Option<(u8, usize)> = None;
    for (number, (start, line)) in lines(text).take_while(|_| steps.go_on()).enumerate() {
        let code = trim_start(line);
        if line.len() - code.len() > 3 && fence.is_none() {
            continue;
        }
        let first = code.first().copied().unwrap_or_default();
        let run = code.iter().take_while(|byte| **byte == first).count();
        if matches!(first, b'`' | b'~') && run >= 3 {
            match fence {
                None => fence = Some((first, run)),
                Some((open, length)) if open == first && run >= length && run == code.len() => fence = None,
                Some(_) => {}
            }
        } else if fence.is_none() && first == b'#' && run <= 6 {
            let name = code.get(run..).unwrap_or(&[]);
            if matches!(name.first(), Some(b' ' | b'\t')) {
                let name = trim_end(trim_start(name));
                let end = name.iter().rposition(|byte| *byte != b'#').map_or(0, |last| last + 1);
                let name = trim_end(name.get(..end).unwrap_or(name));
                if !name.is_empty() {
                    push(&mut found, text, name, Kind::Heading, number + 1, run - 1, start);
                }
            }
        }
    }
    found
}

/// The tables, and the keys before the first one.
pub(super) fn toml(text: &[u8], steps: &mut Steps<'_>) -> Found {
    let mut found = Found::default();
    let mut tables = false;
    // The quotes of the string that is open, and the brackets of a value.
    let mut string: Option<&[u8]> = None;
    let mut brackets = 0_usize;
    for (number, (start, line)) in lines(text).take_while(|_| steps.go_on()).enumerate() {
        if let Some(quotes) = string {
            if memchr::memmem::find(line, quotes).is_some() {
                string = None;
            }
            continue;
        }
        let code = trim_start(line);
        let is_key =
            code.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'"'));
        let equals = memchr::memchr(b'=', code);
        if brackets == 0 && code.first() == Some(&b'[') {
            let name = code.trim_ascii_end();
            let end = memchr::memchr(b']', name).unwrap_or(name.len());
            let name = name.get(..end).unwrap_or(name);
            let name = trim_start(name.strip_prefix(b"[[").or_else(|| name.strip_prefix(b"[")).unwrap_or(name));
            tables = true;
            if !name.is_empty() {
                push(&mut found, text, trim_end(name), Kind::Table, number + 1, 0, start);
            }
            continue;
        }
        let Some(equals) = equals.filter(|_| is_key || brackets > 0).or((brackets > 0).then_some(0)) else { continue };
        if brackets == 0 && !tables {
            let name = trim_end(code.get(..equals).unwrap_or(code));
            push(&mut found, text, name, Kind::Key, number + 1, 0, start);
        }
        let value = if brackets > 0 { code } else { code.get(equals + 1..).unwrap_or(&[]) };
        for quotes in [&b"\"\"\""[..], b"'''"] {
            let mut marks = memchr::memmem::find_iter(value, quotes);
            if marks.next().is_some() && marks.next().is_none() {
                string = Some(quotes);
            }
        }
        if string.is_none() {
            brackets = balance(value, brackets);
        }
    }
    found
}

/// The brackets that are open after `value`, of which `open` were before.
fn balance(value: &[u8], mut open: usize) -> usize {
    let mut quote = None;
    for &byte in value {
        match (quote, byte) {
            (Some(end), byte) if byte == end => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'#') => break,
            (None, b'[') => open += 1,
            (None, b']') => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open
}

/// The keys of the first two levels.
pub(super) fn yaml(text: &[u8], steps: &mut Steps<'_>) -> Found {
    let mut found = Found::default();
    // The column of the second level, and of the key whose text goes on.
    let mut second: Option<usize> = None;
    let mut block: Option<usize> = None;
    for (number, (start, line)) in lines(text).take_while(|_| steps.go_on()).enumerate() {
        let code = trim_start(line);
        let column = line.len() - code.len();
        let Some(first) = code.first() else { continue };
        if block.is_some_and(|key| column > key) {
            continue;
        }
        block = None;
        if *first == b'#' || line.starts_with(b"---") || line.starts_with(b"...") {
            continue;
        }
        let scalar = is_block_scalar(code);
        if scalar {
            block = Some(column);
        }
        if *first == b'-' {
            // The keys of a list are no keys of the file.
            if second.is_none_or(|second| column < second) {
                second = Some(0);
            }
            continue;
        }
        let Some(name) = key(code) else { continue };
        let depth = if column == 0 {
            second = None;
            0
        } else if found.definitions.is_empty() || *second.get_or_insert(column) != column {
            continue;
        } else {
            1
        };
        push(&mut found, text, name, Kind::Key, number + 1, depth, start);
    }
    found
}

/// The key before `:`, without quotes.
fn key(code: &[u8]) -> Option<&[u8]> {
    let quote = code.first().copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let (name, after) = match quote {
        Some(quote) => {
            let inner = code.get(1..)?;
            let end = memchr::memchr(quote, inner)?;
            (inner.get(..end)?, inner.get(end + 1..)?)
        }
        None => {
            let end =
                memchr::memchr_iter(b':', code).find(|at| matches!(code.get(at + 1), None | Some(b' ' | b'\t')))?;
            (code.get(..end)?, code.get(end..)?)
        }
    };
    let plain =
        !name.is_empty() && name.len() <= 100 && !matches!(name.first(), Some(b'{' | b'[' | b'|' | b'>' | b'%' | b'?'));
    (plain && trim_start(after).starts_with(b":")).then(|| trim_end(name))
}

/// Whether a value starts that is text up to a smaller indentation.
fn is_block_scalar(code: &[u8]) -> bool {
    let value = code.rsplit(|byte| *byte == b' ').next().unwrap_or(code);
    matches!(value.first(), Some(b'|' | b'>')) && value.len() <= 3 && value.len() < code.len()
}

/// The selector of a rule of a style sheet, or the name of a mixin, function or animation.
pub(super) fn selector<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let end = memchr::memchr(b'{', line.code)?;
    let head = trim_end(line.code.get(..end)?);
    // Interpolation in a property: `#{$name}: value;`.
    let quotes = memchr::memchr_iter(b'"', head).count();
    if quotes % 2 == 1
        || head.starts_with(b"/")
        || head.is_empty()
        || head.ends_with(b"#")
        || head.ends_with(b":")
        || head.contains(&b';')
    {
        return None;
    }
    if let Some(rule) = head.strip_prefix(b"@") {
        let (rule, rest) = path(rule, b"-");
        let named = matches!(rule, b"mixin" | b"function" | b"keyframes" | b"-webkit-keyframes" | b"layer");
        return if named { Candidate::new(path(rest, b"-").0, Kind::Function, Block::Other) } else { None };
    }
    // The steps of an animation.
    if head.ends_with(b"%") || matches!(head, b"from" | b"to") {
        return None;
    }
    Candidate::new(head, Kind::Selector, Block::Other)
}

/// What a `CREATE` statement creates.
pub(super) fn statement<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let (first, mut rest) = word(line.code);
    if !first.eq_ignore_ascii_case(b"create") {
        return None;
    }
    let mut kind = None;
    loop {
        let (next, after) = word(rest);
        let lower = next.to_ascii_lowercase();
        match lower.as_slice() {
            b"or" | b"replace" | b"temp" | b"temporary" | b"unique" | b"global" | b"local" | b"unlogged"
            | b"recursive" | b"materialized" | b"virtual" | b"external" | b"if" | b"not" | b"exists"
            | b"concurrently" | b"constraint" | b"clustered" | b"nonclustered" | b"alter" | b"foreign" => {}
            b"table" | b"view" if kind.is_none() => kind = Some(Kind::Table),
            b"function" | b"procedure" | b"trigger" | b"aggregate" if kind.is_none() => kind = Some(Kind::Function),
            b"index" | b"sequence" if kind.is_none() => kind = Some(Kind::Key),
            b"type" | b"domain" if kind.is_none() => kind = Some(Kind::Type),
            b"schema" | b"database" | b"extension" if kind.is_none() => kind = Some(Kind::Module),
            _ => break,
        }
        rest = after;
    }
    let name = path(rest, b".\"`[]").0;
    let start = name.iter().rposition(|byte| *byte == b'.').map_or(0, |dot| dot + 1);
    let name = name.get(start..)?;
    let name = name
        .strip_prefix(b"\"")
        .or_else(|| name.strip_prefix(b"`"))
        .or_else(|| name.strip_prefix(b"["))
        .unwrap_or(name);
    let end = name.iter().position(|byte| matches!(byte, b'"' | b'`' | b']')).unwrap_or(name.len());
    Candidate::new(name.get(..end)?, kind?, Block::Other)
}
