//! C and C++.

use super::super::definition::Kind;
use super::candidate::{Block, Candidate};
use super::line::Line;
use super::words::{
    after_brackets, is_upper_case, is_word, last_word, path, starts_with_word, trim_end, trim_start, word,
};

/// How far the end of a `typedef` is looked for, in bytes.
const TYPEDEF: usize = 1024;

/// The definition on a line.
pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let first = *line.code.first()?;
    if first == b'#' {
        return directive(line.code);
    }
    if line.parens > 0 || line.in_function || !matches!(line.block, Block::Class | Block::Namespace) {
        return None;
    }
    if !(is_word(first) || matches!(first, b'~' | b'[' | b':')) {
        return None;
    }
    let mut code = line.code;
    loop {
        let (first, rest) = word(code);
        match first {
            b"template" => code = after_brackets(rest)?,
            b"static" | b"inline" | b"extern" | b"virtual" | b"constexpr" | b"explicit" | b"friend" | b"consteval"
            | b"constinit" | b"thread_local" | b"__inline" | b"__inline__" | b"__extension__" => {
                match rest.strip_prefix(b"\"C\"") {
                    Some(rest) => {
                        let rest = trim_start(rest);
                        if rest.is_empty() || rest.first() == Some(&b'{') {
                            return Candidate::new(b"extern \"C\"", Kind::Module, Block::Namespace);
                        }
                        code = rest;
                    }
                    None => code = rest,
                }
            }
            b"" if code.starts_with(b"[[") => code = after_brackets(code)?,
            b"export" => code = rest,
            _ => break,
        }
    }
    let tail = line.tail.get(line.code.len() - code.len()..)?;
    let (keyword, rest) = word(code);
    match keyword {
        b"" if !code.starts_with(b"~") && !code.starts_with(b"::") => None,
        b"namespace" => {
            let (name, _) = path(rest, b":");
            let name = if name.is_empty() { &b"anonymous"[..] } else { name };
            let alias = memchr::memchr(b'=', rest).is_some();
            if alias { None } else { Candidate::new(name, Kind::Module, Block::Namespace) }
        }
        b"using" => match memchr::memchr(b'=', rest) {
            Some(_) => Candidate::new(word(rest).0, Kind::Type, Block::Other),
            None => None,
        },
        b"typedef" => typedef(tail),
        b"struct" | b"class" | b"union" | b"enum" => {
            aggregate(keyword, tail.get(code.len() - rest.len()..)?).or_else(|| function(line, code, tail))
        }
        b"return" | b"else" | b"goto" | b"case" | b"public" | b"private" | b"protected" | b"if" | b"for" | b"while"
        | b"do" | b"switch" | b"using_" | b"static_assert" | b"throw" | b"new" | b"delete" | b"default"
        | b"signals" | b"slots" => None,
        _ => function(line, code, tail).or_else(|| constant(line, code)),
    }
}

/// `#define` with parameters or with a name in capitals and a value.
fn directive(code: &[u8]) -> Option<Candidate<'_>> {
    let (keyword, rest) = word(trim_start(code.get(1..)?));
    if keyword != b"define" {
        return None;
    }
    let (name, after) = word(rest);
    // Parameters follow without a blank.
    let parameters = rest.get(name.len()) == Some(&b'(');
    let shown = parameters || is_upper_case(name) && !after.is_empty();
    if shown { Candidate::new(name, Kind::Macro, Block::Other) } else { None }
}

/// A struct, class, union or enum with a body, after the keyword.
fn aggregate<'t>(keyword: &[u8], rest: &'t [u8]) -> Option<Candidate<'t>> {
    let rest = if keyword == b"enum" {
        rest.strip_prefix(b"class ").or_else(|| rest.strip_prefix(b"struct ")).unwrap_or(rest)
    } else {
        rest
    };
    let (kind, block) = match keyword {
        b"enum" => (Kind::Enum, Block::Other),
        b"class" => (Kind::Class, Block::Class),
        _ => (Kind::Struct, Block::Class),
    };
    let end = body_of_type(rest)?;
    let head = rest.get(..end)?;
    // The bases of a class and the type of an enum.
    let mut at = 0;
    let mut head = loop {
        match memchr::memchr(b':', head.get(at..)?) {
            Some(colon) if head.get(at + colon + 1) == Some(&b':') => at += colon + 2,
            Some(colon) => break head.get(..at + colon)?,
            None => break head,
        }
    };
    head = trim_end(head);
    head = head.strip_suffix(b"final").map_or(head, trim_end);
    if head.ends_with(b">") {
        head = trim_end(head.get(..memchr::memchr(b'<', head)?)?);
    }
    Candidate::new(last_word(head), kind, block)
}

/// The offset of the brace that starts the body of a type.
fn body_of_type(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'{' => return Some(at),
            b';' | b'=' | b'}' | b')' => return None,
            b'(' => {
                // The argument of an attribute, unless a function returns the type.
                let before = rest.get(..at).unwrap_or(&[]);
                let attribute = last_word(trim_end(before));
                if !(attribute.starts_with(b"__") || is_upper_case(attribute) || attribute == b"alignas") {
                    return None;
                }
                let inner = rest.get(at..)?;
                at = rest.len() - after_brackets(inner)?.len();
            }
            _ => at += 1,
        }
    }
    None
}

/// A `typedef`, from the keyword on.
fn typedef(tail: &[u8]) -> Option<Candidate<'_>> {
    let tail = tail.get(..tail.len().min(TYPEDEF))?;
    let (keyword, rest) = word(word(tail).1);
    let kind = match keyword {
        b"struct" | b"union" => Kind::Struct,
        b"enum" => Kind::Enum,
        _ => Kind::Type,
    };
    if kind != Kind::Type
        && let Some(body) = body_of_type(rest)
    {
        let block = if kind == Kind::Enum { Block::Other } else { Block::Class };
        // `typedef struct name { … } other;`: the last name is the one that is used.
        let after = after_brackets(rest.get(body..)?).unwrap_or(&[]);
        let end = after.iter().position(|byte| matches!(byte, b';' | b'\n' | b',')).unwrap_or(0);
        let name = last_word(trim_end(after.get(..end)?));
        let name = if name.is_empty() { last_word(trim_end(rest.get(..body)?)) } else { name };
        let name = if name.is_empty() { keyword } else { name };
        return Candidate::new(name, kind, block);
    }
    let end = memchr::memchr(b';', tail)?;
    let declaration = tail.get(..end)?;
    // A pointer to a function: `(*name)`.
    let name = match memchr::memmem::find(declaration, b"(*") {
        Some(at) => word(trim_start(declaration.get(at + 2..)?)).0,
        None => {
            let end = memchr::memchr2(b'(', b'[', declaration).unwrap_or(declaration.len());
            last_word(trim_end(declaration.get(..end)?))
        }
    };
    Candidate::new(name, kind, Block::Other)
}

/// A function with a body, or a method that is declared in a class.
fn function<'t>(line: &Line<'t>, code: &'t [u8], tail: &'t [u8]) -> Option<Candidate<'t>> {
    // What continues an initializer or an expression is none.
    if matches!(line.last, b',' | b'=' | b'+' | b'|' | b'?' | b'(' | b'\\') {
        return None;
    }
    let stop = code.iter().position(|byte| matches!(byte, b'(' | b'=' | b';' | b'{' | b'"'))?;
    let operator = memchr::memmem::find(code.get(..stop.max(1))?, b"operator");
    let open = match operator {
        // `operator()(…)`, `operator==(…)`.
        Some(at) => {
            let from = at + 8;
            let rest = code.get(from..)?;
            from + if rest.starts_with(b"()") { 2 } else { memchr::memchr(b'(', rest)? }
        }
        None if code.get(stop) == Some(&b'(') => stop,
        None => return None,
    };
    let head = trim_end(code.get(..open)?);
    let name = match operator {
        Some(at) => head.get(at..)?,
        None => {
            let name = last_word(head);
            let tilde = head.get(..head.len() - name.len())?.ends_with(b"~");
            head.get(head.len() - name.len() - usize::from(tilde)..)?
        }
    };
    if matches!(name, b"__attribute__" | b"__declspec" | b"__attribute") {
        let tail = after_brackets(tail.get(open..)?)?;
        let code = code.get(code.len().checked_sub(tail.len().checked_sub(line.tail.len() - line.code.len())?)?..)?;
        return function(line, code, tail);
    }
    if name.is_empty() || is_statement(name) || name.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let types = head.get(..head.len() - name.len())?;
    let member = types.ends_with(b"::");
    let typed = !types.is_empty();
    let class = line.block == Block::Class;
    // A call of a macro stands alone; a function without a type has it on the line before.
    if !(typed || class || line.column == 0 || line.continues()) {
        return None;
    }
    match body(after_brackets(tail.get(open..)?)?) {
        Body::Open => {
            let kind = if member || class { Kind::Method } else { Kind::Function };
            Candidate::new(name, kind, Block::Function)
        }
        Body::Declared if class && (typed || name.starts_with(b"~") || !is_upper_case(name)) => {
            Candidate::new(name, Kind::Method, Block::Other)
        }
        _ => None,
    }
}

enum Body {
    Open,
    Declared,
    None,
}

/// What follows the parameters of a function.
fn body(rest: &[u8]) -> Body {
    let mut rest = rest;
    loop {
        rest = super::words::skip_space(rest);
        let Some(first) = rest.first() else { return Body::None };
        match first {
            b'{' => return Body::Open,
            b';' => return Body::Declared,
            // `= 0`, `= default`, `= delete`.
            b'=' => return Body::Declared,
            b':' => {
                // The initializers of a constructor may have braces; the body comes anyway.
                return if rest.starts_with(b"::") { Body::None } else { Body::Open };
            }
            b'-' if rest.starts_with(b"->") => {
                let end = rest.iter().position(|byte| matches!(byte, b'{' | b';')).unwrap_or(rest.len());
                rest = rest.get(end..).unwrap_or(&[]);
            }
            b'(' | b'[' => match after_brackets(rest) {
                Some(after) => rest = after,
                None => return Body::None,
            },
            b'&' | b'*' => rest = rest.get(1..).unwrap_or(&[]),
            byte if is_word(*byte) => {
                let (first, after) = word(rest);
                let known = matches!(
                    first,
                    b"const" | b"noexcept" | b"override" | b"final" | b"volatile" | b"try" | b"throw" | b"requires"
                );
                // Attributes are macros; anything else is the parameters of an old style function, or no function.
                if !(known || first.starts_with(b"__") || is_upper_case(first)) {
                    return Body::None;
                }
                rest = after;
            }
            _ => return Body::None,
        }
    }
}

/// A constant in capitals, or any that is `constexpr` or `const` with a value.
fn constant<'t>(line: &Line<'t>, code: &'t [u8]) -> Option<Candidate<'t>> {
    let fixed = starts_with_word(code, b"const") || memchr::memmem::find(line.code, b"constexpr").is_some();
    let equals = memchr::memchr2(b'=', b'(', code).filter(|_| fixed)?;
    if code.get(equals) != Some(&b'=') || code.get(equals + 1) == Some(&b'=') {
        return None;
    }
    let head = trim_end(code.get(..equals)?);
    let head = memchr::memchr(b'[', head).and_then(|end| head.get(..end)).map_or(head, trim_end);
    Candidate::new(last_word(head), Kind::Constant, Block::Other)
}

fn is_statement(name: &[u8]) -> bool {
    matches!(
        name,
        b"if"
            | b"for"
            | b"while"
            | b"switch"
            | b"catch"
            | b"return"
            | b"sizeof"
            | b"do"
            | b"else"
            | b"defined"
            | b"decltype"
            | b"alignas"
            | b"noexcept"
            | b"static_assert"
            | b"__attribute__"
            | b"__declspec"
            | b"asm"
            | b"throw"
            | b"new"
            | b"delete"
            | b"typeof"
            | b"_Static_assert"
    )
}
