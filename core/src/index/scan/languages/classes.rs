//! Java and C#: types by keyword, members by shape.

use super::super::candidate::{Block, Candidate, Shown};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::table::{BRACES, Language, Table};
use super::super::words::{
    Words, after_attribute, after_brackets, is_name, is_upper_case, is_word, last_word, path, starts_with_word,
    trim_start, word,
};

const CLASSES: Table = Table {
    language: Language::Java,
    name: "java",
    extensions: "java",
    modifiers: Words::new(
        "const static final readonly public private protected internal abstract sealed override virtual async unsafe extern \
         partial new default synchronized native transient volatile strictfp required ref file",
    ),
    keywords: &[
        ("class", Kind::Class, Block::Class),
        ("interface", Kind::Interface, Block::Class),
        ("enum", Kind::Enum, Block::Class),
        ("struct", Kind::Struct, Block::Class),
    ],
    statements: Words::new(
        "if for while switch catch return do else try new throw case finally super this import package assert yield static \
         throws extends implements permits",
    ),
    triple: b"\"",
    ..BRACES
};

pub(super) static JAVA: Table = CLASSES.ready();
pub(super) static CSHARP: Table = Table {
    language: Language::CSharp,
    name: "csharp",
    extensions: "cs csx",
    statements: Words::new(
        "if for foreach while switch catch return do else try new throw case finally base this using lock yield static \
         fixed event where",
    ),
    ..CLASSES
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let language = line.table.language;
    // A statement that goes on is no member.
    let is_scope = matches!(line.block, Block::Class | Block::Namespace);
    if !line.all && (line.in_function || !is_scope) || matches!(line.code, [b':' | b'#', ..]) {
        return None;
    }
    let mut code = line.code;
    loop {
        code = if code.starts_with(b"@") && !code.starts_with(b"@interface") {
            after_attribute(code)?
        } else if language == Language::CSharp && code.starts_with(b"[") {
            after_brackets(code)?
        } else {
            break;
        };
    }
    let mut constant = (false, false);
    loop {
        let (first, rest) = word(code);
        match first {
            b"const" => constant = (true, true),
            b"static" => constant.0 = true,
            b"final" | b"readonly" => constant.1 = true,
            _ if line.table.modifiers.contains(first) => {}
            b"event" if line.all => {}
            b"" if line.all && code.starts_with(b"@") && !code.starts_with(b"@interface") => {
                code = after_attribute(code)?;
                continue;
            }
            b"non" if rest.starts_with(b"-sealed") => {
                code = trim_start(rest.get(7..)?);
                continue;
            }
            _ => break,
        }
        match rest.first()? {
            b'(' => break,
            byte if is_word(*byte) || matches!(byte, b'<' | b'@' | b'[') => code = rest,
            _ => return None,
        }
    }
    let (keyword, rest) = word(code);
    let named = rest.first().copied().is_some_and(is_word);
    match keyword {
        b"class" | b"interface" | b"enum" | b"struct" if named => line.by_keyword(keyword, word(rest).0),
        b"record" if named && (language == Language::CSharp || matches!(word(rest).1.first(), Some(b'(' | b'<'))) => {
            let rest =
                if starts_with_word(rest, b"class") || starts_with_word(rest, b"struct") { word(rest).1 } else { rest };
            Candidate::new(word(rest).0, Kind::Struct, Block::Class)
        }
        b"namespace" if named => Candidate::new(path(rest, b".").0, Kind::Module, Block::Namespace),
        b"delegate" if language == Language::CSharp => {
            let head = rest.get(..memchr::memchr(b'(', rest)?)?.trim_ascii_end();
            let head =
                head.strip_suffix(b">").and_then(|head| head.get(..memchr::memrchr(b'<', head)?)).unwrap_or(head);
            Candidate::new(last_word(head), Kind::Type, Block::Other)
        }
        b"" if code.starts_with(b"@interface") => {
            Candidate::new(word(trim_start(code.get(10..)?)).0, Kind::Interface, Block::Class)
        }
        _ if line.table.statements.contains(keyword) => None,
        _ if line.block == Block::Class => member(line, code, constant.0 && constant.1),
        // A function in a function.
        _ if line.in_function && language == Language::CSharp && keyword != b"await" => {
            let parameters = code.get(memchr::memchr(b'(', code)?..)?;
            let rest = after_brackets(line.tail_at(parameters))?;
            member(line, code, false)
                .filter(|it| {
                    it.kind == Kind::Method && it.name != keyword && matches!(rest, [b'{', ..] | [b'=', b'>', ..])
                })
                .map(|it| Candidate { kind: Kind::Function, ..it })
        }
        _ => None,
    }
    .map(|it| if line.in_function || !is_scope { it.shown(Shown::Symbols) } else { it })
}

fn member<'t>(line: &Line<'t>, code: &'t [u8], constant: bool) -> Option<Candidate<'t>> {
    let language = line.table.language;
    if matches!(line.last, b',' | b'.' | b'=' | b'+' | b'?' | b'|' | b'(' | b'<') {
        return None;
    }
    let code = if code.first() == Some(&b'<') { after_brackets(code)? } else { code };
    let mut angles = 0_usize;
    let stop = code.iter().position(|byte| {
        angles = (angles + usize::from(*byte == b'<')).saturating_sub(usize::from(*byte == b'>'));
        matches!(byte, b'(' | b'=' | b'{' | b';') || angles == 0 && *byte == b','
    });
    let head = code.get(..stop.unwrap_or(code.len()))?;
    let after = code.get(head.len()..)?;
    let signature = head.trim_ascii_end();
    // `int name[]`
    let signature = match signature.strip_suffix(b"[]") {
        Some(signature) if language == Language::Java => signature.trim_ascii_end(),
        _ => signature,
    };
    // A generic method of C# has its parameters after its name.
    let signature = match signature.strip_suffix(b">") {
        Some(_) if after.first() == Some(&b'(') => signature.get(..memchr::memrchr(b'<', signature)?)?,
        _ => signature,
    };
    let name = last_word(signature);
    let types = signature.get(..signature.len() - name.len())?;
    if name.is_empty()
        || line.table.statements.contains(name)
        || types.ends_with(b".") && (language == Language::Java || !types.contains(&b' '))
    {
        return None;
    }
    let typed = !types.is_empty() && is_name(name);
    if line.all && (name == b"operator" || memchr::memmem::find(types, b"operator").is_some()) {
        return None;
    }
    match after.first() {
        Some(b'(') => {
            let rest = after_brackets(line.tail_at(after))?;
            let body = rest.starts_with(b"{")
                || starts_with_word(rest, b"throws")
                || language == Language::CSharp
                    && (rest.starts_with(b"=>") || rest.starts_with(b":") || starts_with_word(rest, b"where"));
            let declared = !types.is_empty() && (rest.starts_with(b";") || starts_with_word(rest, b"default"));
            // The constants of an enum may have bodies too: `ONE(1) {`.
            let constructor = types.is_empty() && is_upper_case(name) && language == Language::Java;
            if constructor || !(body || declared) {
                return None;
            }
            Candidate::new(name, Kind::Method, Block::Function)
        }
        Some(b'=') if after.starts_with(b"=>") && !types.is_empty() => {
            Candidate::new(name, Kind::Field, Block::Function)
        }
        Some(b'=' | b';') if constant => Candidate::new(name, Kind::Constant, Block::Other),
        Some(b'=' | b';' | b',') if typed => Candidate::minor(name, Kind::Field, Block::Other),
        None if typed => {
            let tail = line.tail_at(after).trim_ascii_start();
            let opens = if tail.starts_with(b"=>") || tail.starts_with(b"{") { Block::Function } else { Block::Other };
            let is_field = tail.starts_with(b"=") || language == Language::CSharp && opens == Block::Function;
            if is_field { Candidate::minor(name, Kind::Field, opens) } else { None }
        }
        // A property of C#, or the compact constructor of a record.
        Some(b'{') if !types.is_empty() && language == Language::CSharp => {
            Candidate::new(name, Kind::Field, Block::Function)
        }
        _ => None,
    }
}
