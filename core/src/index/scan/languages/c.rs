//! C and C++.

use super::super::candidate::{Block, Candidate, Shown};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::signature::Style;
use super::super::table::{BRACES, Language, Table};
use super::super::words::{
    Words, after_brackets, is_name, is_upper_case, is_word, last_word, path, skip_space, starts_with_word, trim_end,
    trim_start, word,
};

const FAMILY: Table = Table {
    language: Language::C,
    name: "c",
    extensions: "c h",
    modifiers: Words::new(
        "static inline extern virtual constexpr explicit friend consteval constinit thread_local __inline __inline__ \
         __extension__",
    ),
    statements: Words::new(
        "if for while switch catch return sizeof do else defined decltype alignas noexcept static_assert __attribute__ \
         __declspec asm throw new delete typeof _Static_assert",
    ),
    in_parens: true,
    ..BRACES
};

pub(super) static C: Table = FAMILY.ready();

pub(super) static CPP: Table = Table {
    language: Language::Cpp,
    name: "cpp",
    style: Style { initializers: true, ..BRACES.style },
    extensions: "cpp cc cxx c++ hpp hh hxx h++ ipp inl tpp cu cuh",
    ..FAMILY
}
.ready();

/// Words that start no declaration.
const STATEMENTS: Words = Words::new(
    "return else goto case public private protected if for while do switch static_assert throw new delete default signals \
     slots",
);

/// How far the end of a `typedef` is looked for, in bytes.
const TYPEDEF: usize = 1024;

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let first = *line.code.first()?;
    if first == b'#' {
        return directive(line.code);
    }
    let is_scope = matches!(line.block, Block::Class | Block::Namespace);
    if line.parens > 0 || !line.all && (line.in_function || !is_scope) {
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
            _ if line.table.modifiers.contains(first) => match rest.strip_prefix(b"\"C\"") {
                Some(rest) => {
                    let rest = trim_start(rest);
                    if rest.is_empty() || rest.first() == Some(&b'{') {
                        return Candidate::unnamed(b"extern \"C\"", Kind::Module, Block::Namespace);
                    }
                    code = rest;
                }
                None => code = rest,
            },
            b"" if code.starts_with(b"[[") => code = after_brackets(code)?,
            b"export" => code = rest,
            _ => break,
        }
    }
    let (keyword, rest) = word(code);
    let found = match keyword {
        // Types may be local.
        b"using" => {
            Candidate::new(word(rest).0, Kind::Type, Block::Other).filter(|_| memchr::memchr(b'=', rest).is_some())
        }
        b"typedef" => typedef(line.tail_at(code), line.all),
        b"struct" | b"class" | b"union" | b"enum" => aggregate(keyword, line.tail_at(rest))
            .or_else(|| if is_scope { function(line, code).or_else(|| variable(line, code)) } else { None }),
        _ if !is_scope => None,
        b"" if !code.starts_with(b"~") && !code.starts_with(b"::") => None,
        b"namespace" if memchr::memchr2(b'=', b'{', rest).is_some_and(|at| rest.get(at) == Some(&b'=')) => None,
        b"namespace" => Candidate::new(path(rest, b":").0, Kind::Module, Block::Namespace)
            .or_else(|| Candidate::unnamed(b"anonymous", Kind::Module, Block::Namespace)),
        _ if STATEMENTS.contains(keyword) => None,
        _ => function(line, code).or_else(|| constant(line, code)).or_else(|| variable(line, code)),
    };
    if line.in_function || !is_scope { found.map(|it| it.shown(Shown::Symbols)) } else { found }
}

/// `#define` with parameters or with a name in capitals and a value.
fn directive(code: &[u8]) -> Option<Candidate<'_>> {
    let (keyword, rest) = word(trim_start(code.get(1..)?));
    if keyword != b"define" {
        return None;
    }
    let (name, after) = word(rest);
    let is_empty = after.is_empty() || after.starts_with(b"//") || after.starts_with(b"/*");
    // Parameters follow without a blank.
    let parameters = rest.get(name.len()) == Some(&b'(');
    let found = Candidate::new(name, Kind::Macro, Block::Other)?;
    match is_upper_case(name) && !after.is_empty() {
        _ if parameters => Some(found),
        true => Some(if is_empty { found.shown(Shown::Map) } else { found }),
        false if is_empty => None,
        false => Some(found.shown(Shown::Symbols)),
    }
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
    // A comment after the name.
    let comment = memchr::memmem::find(head, b"//").filter(|at| !trim_end(head.get(..*at).unwrap_or(&[])).is_empty());
    let head = head.get(..comment.unwrap_or(end))?;
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
            b'/' if matches!(rest.get(at + 1), Some(b'/' | b'*')) => {
                at = rest.len() - skip_space(rest.get(at..)?).len()
            }
            b';' | b'=' | b'}' | b')' => return None,
            b'(' => {
                // The argument of an attribute or of a base class, unless a function returns the type.
                let before = rest.get(..at).unwrap_or(&[]);
                let count = |byte| memchr::memchr_iter(byte, before).count();
                let attribute = last_word(trim_end(before));
                if !(attribute.starts_with(b"__")
                    || is_upper_case(attribute)
                    || attribute == b"alignas"
                    || count(b'<') > count(b'>'))
                {
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
fn typedef(tail: &[u8], all: bool) -> Option<Candidate<'_>> {
    let tail = tail.get(..tail.len().min(if all { TYPEDEF * 8 } else { TYPEDEF }))?;
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
        let tag = last_word(trim_end(rest.get(..body)?));
        if name.is_empty() {
            return Candidate::new(if tag.is_empty() { keyword } else { tag }, kind, block);
        }
        let also = if tag == name { &b""[..] } else { tag };
        return Candidate::new(name, kind, block).map(|it| Candidate { also, ..it });
    }
    let end = memchr::memchr(b';', tail)?;
    let declaration = tail.get(..end)?;
    let mut angles = 0_usize;
    let open = declaration.iter().position(|byte| {
        angles = (angles + usize::from(*byte == b'<')).saturating_sub(usize::from(*byte == b'>'));
        angles == 0 && matches!(byte, b'(' | b'[')
    });
    let (head, rest) = declaration.split_at_checked(open.unwrap_or(declaration.len()))?;
    // `(*name)(int)`, `(CALL *name)(int)`, `(name)(int)`.
    let inner = rest.strip_prefix(b"(").and_then(|it| it.get(..memchr::memchr(b')', it)?));
    let name = inner.filter(|it| rest.get(it.len() + 2..).is_some_and(|it| trim_start(it).starts_with(b"(")));
    let name = match name.and_then(|it| Some((it, memchr::memrchr(b'*', it)?))) {
        Some((inner, star)) => word(trim_start(inner.get(star + 1..)?)).0,
        None => name.filter(|it| it.iter().all(|byte| is_word(*byte))).unwrap_or_else(|| last_word(trim_end(head))),
    };
    Candidate::new(name, kind, Block::Other)
}

/// The most macros before a declaration that are skipped.
const MAX_MACROS: usize = 8;

/// A function with a body, or a method that is declared in a class.
fn function<'t>(line: &Line<'t>, code: &'t [u8]) -> Option<Candidate<'t>> {
    function_behind(line, code, MAX_MACROS)
}

/// A function behind macros, of which this many more are skipped.
fn function_behind<'t>(line: &Line<'t>, code: &'t [u8], macros: usize) -> Option<Candidate<'t>> {
    let typed = macros < MAX_MACROS;
    // A line that continues an initializer or an expression is not a definition.
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
    let parameters = line.tail_at(code.get(open..)?);
    let rest = after_brackets(parameters);
    // A macro before the declaration: `DEPRECATED("…") int name(…)`.
    let attribute = matches!(name, b"__attribute__" | b"__declspec" | b"__attribute");
    let is_macro = is_upper_case(name)
        && head.len() == name.len()
        && rest.is_some_and(|it| it.first().copied().is_some_and(is_word));
    if attribute || is_macro && line.all {
        let after = rest.and_then(|rest| code.get(open + parameters.len() - rest.len()..)).filter(|it| !it.is_empty());
        let found = after.and_then(|code| function_behind(line, code, macros.checked_sub(1)?));
        if attribute || found.is_some() {
            return found;
        }
    }
    let rest = rest?;
    // `int (*name)(…)` is no function, and neither is `int name OF((…))`; `int (name)(…)` is one.
    if operator.is_none() {
        let (inner, after) = word(code.get(open + 1..)?);
        match code.get(open + 1) {
            Some(b'*' | b'^') => return None,
            Some(b'(') if line.all => return None,
            _ if head.len() < open && after.starts_with(b")") && rest.starts_with(b"(") => {
                return Candidate::minor(inner, Kind::Function, Block::Other);
            }
            _ => {}
        }
    }
    if !is_name(name) || line.table.statements.contains(name) {
        return None;
    }
    let types = head.get(..head.len() - name.len())?;
    let member = types.ends_with(b"::");
    let typed = typed || !types.is_empty();
    let class = line.block == Block::Class;
    // A call of a macro stands alone; a function without a type has it on the line before.
    if !(typed || class || line.column == 0 || line.continues()) {
        return None;
    }
    match body(rest) {
        Body::Open => {
            let kind = if member || class { Kind::Method } else { Kind::Function };
            let found = Candidate::new(name, kind, Block::Function);
            // A macro that defines a function of another name.
            let inner = parameters.get(..parameters.len() - rest.len())?;
            let macro_like = !typed && !class && (line.table.language == Language::C || inner.contains(&b'"'));
            if macro_like && is_upper_case(name) { found.map(|it| it.shown(Shown::Map)) } else { found }
        }
        Body::Defaulted if member => Candidate::minor(name, Kind::Method, Block::Other),
        Body::Declared if !class && !member && typed => {
            let kind = if declares(parameters) { Kind::Function } else { Kind::Variable };
            Candidate::minor(name, kind, Block::Other)
        }
        Body::None if line.all && is_old_style(parameters, rest) => {
            Candidate::minor(name, Kind::Function, Block::Function)
        }
        // A pointer to a function whose calling convention is a macro.
        Body::Declared if class && line.all && rest.starts_with(b"(") => None,
        Body::Declared | Body::Defaulted if class && (typed || name.starts_with(b"~") || !is_upper_case(name)) => {
            Candidate::new(name, Kind::Method, Block::Other)
        }
        _ => None,
    }
}

/// Whether what is in the parentheses of a declaration are parameters, and no arguments.
fn declares(parameters: &[u8]) -> bool {
    let inner = parameters.get(1..).unwrap_or(&[]).trim_ascii_start();
    !matches!(inner, [b'"' | b'\'' | b'-' | b'&' | b'{' | b'0'..=b'9', ..])
}

/// Whether the parameters of a function are declared after it, as before C89.
fn is_old_style(parameters: &[u8], rest: &[u8]) -> bool {
    let names = parameters.get(1..(parameters.len() - rest.len())).unwrap_or(&[]);
    let names = names.trim_ascii_end().strip_suffix(b")").unwrap_or(b"(");
    let plain = |byte: &u8| is_word(*byte) || *byte == b',' || byte.is_ascii_whitespace();
    let declarations = rest.get(..memchr::memchr(b'{', rest).unwrap_or(0)).unwrap_or(&[]).trim_ascii_end();
    !names.is_empty()
        && names.iter().all(plain)
        && declarations.ends_with(b";")
        && !declarations.contains(&b'=')
        && !declarations.contains(&b'}')
}

enum Body {
    Open,
    /// `= default` or `= delete`.
    Defaulted,
    Declared,
    None,
}

/// What follows the parameters of a function.
fn body(rest: &[u8]) -> Body {
    let mut rest = rest;
    loop {
        rest = skip_space(rest);
        let Some(first) = rest.first() else { return Body::None };
        match first {
            b'{' => return Body::Open,
            b';' => return Body::Declared,
            b'=' => {
                let value = rest.get(1..).unwrap_or(&[]).trim_ascii_start();
                let defaulted = value.starts_with(b"default") || value.starts_with(b"delete");
                return if defaulted { Body::Defaulted } else { Body::Declared };
            }
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

/// A variable with a value.
fn variable<'t>(line: &Line<'t>, code: &'t [u8]) -> Option<Candidate<'t>> {
    if !line.all || line.block != Block::Namespace || matches!(line.last, b',' | b'=' | b'(') {
        return None;
    }
    let mut equals = code.iter().position(|byte| matches!(byte, b'=' | b';' | b'{' | b'"' | b')'));
    // What continues on the next line.
    let tail = line.tail_at(code);
    if equals.is_none() && tail.get(code.len()..)?.trim_ascii_start().starts_with(b"=") {
        equals = Some(code.len());
    }
    let equals = equals?;
    if !matches!(tail.get(equals..)?.trim_ascii_start(), [b'=', next, ..] if *next != b'=') {
        return None;
    }
    let head = trim_end(code.get(..equals)?);
    let head = memchr::memchr(b'[', head).and_then(|end| head.get(..end)).map_or(head, trim_end);
    let name = last_word(head);
    let types = head.get(..head.len() - name.len())?;
    // The type may be on the line before, or the struct that ends here.
    let typed = !types.is_empty() || line.continues() || line.last == b'}' && line.closed == Block::Class;
    let is_declared = typed && !types.contains(&b'(') && is_name(name) && !types.ends_with(b"operator");
    Candidate::minor(name, Kind::Variable, Block::Other).filter(|_| is_declared)
}
