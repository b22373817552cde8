//! Follows comments, strings and braces from line to line.

use super::bytes::Marks;
use super::candidate::Block;
use super::table::{Class, Language, Table};
use super::words::{Words, after_brackets, path, regex_end, trim_start, word};

/// The most blocks that are remembered; deeper ones are only counted.
const DEEPEST: usize = 256;

/// Words that start a declaration in TypeScript, whose type may follow.
const TYPED: Words = Words::new("export declare const let var readonly private public protected");

/// Where a line starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Code,
    /// A block comment in `depth` others. The first two marks open one, and the others close it.
    Comment {
        marks: &'static [u8; 4],
        depth: usize,
    },
    /// A string that ends with the first of `ends` times `quote`, and after them the second times `#`.
    Text {
        quote: u8,
        ends: (usize, usize),
        escapes: bool,
    },
    /// A Lua string or comment in brackets, or a raw string of C++: ends with `first`, the kept tag and `last`.
    Tagged {
        first: u8,
        last: u8,
    },
    /// A template literal.
    Template,
    /// A document that ends at a line with the kept tag.
    Heredoc,
    /// A `=begin` comment of Ruby.
    Begin,
}

/// The state at the start of a line.
#[derive(Debug)]
pub(super) struct Lexer {
    pub(super) table: &'static Table,
    pub(super) mode: Mode,
    /// The open braces, the parentheses that were open before them, and the block that is expected after them.
    blocks: Vec<(Block, usize, Block)>,
    /// The open braces beyond those.
    pub(super) deeper: usize,
    functions: usize,
    pub(super) parens: usize,
    expected: Block,
    pub(super) last: u8,
    /// The tag of the string that the line is in, or that starts on the next line.
    pub(super) tag: Vec<u8>,
    pub(super) heredoc: bool,
    /// How many blocks were open at each open `#if`.
    conditions: Vec<usize>,
    /// Whether the line continues a directive of the C preprocessor.
    directive: bool,
    marks: Marks,
    /// Whether statements are looked for in the middle of lines.
    pub(super) all: bool,
    /// Whether one may start where the lexer is.
    at_statement: bool,
    /// Whether nothing but blanks is before the comment.
    leading: bool,
    /// The block that was closed last.
    pub(super) closed: Block,
    /// How many blocks are open that are the input of macros.
    macros: usize,
}

impl Lexer {
    pub(super) fn new(table: &'static Table, all: bool) -> Self {
        Self {
            table,
            mode: Mode::Code,
            blocks: Vec::new(),
            deeper: 0,
            functions: 0,
            parens: 0,
            expected: Block::Other,
            last: 0,
            tag: Vec::new(),
            heredoc: false,
            conditions: Vec::new(),
            directive: false,
            marks: Marks::new(all),
            all,
            at_statement: false,
            leading: false,
            closed: Block::Other,
            macros: 0,
        }
    }

    pub(super) fn is_ecma(&self) -> bool {
        matches!(self.table.language, Language::JavaScript | Language::TypeScript | Language::Tsx)
    }

    pub(super) fn in_code(&self) -> bool {
        self.mode == Mode::Code && !self.directive
    }

    /// The innermost block; at the top level a namespace.
    pub(super) fn block(&self) -> Block {
        match self.blocks.last() {
            _ if self.deeper > 0 => Block::Other,
            Some((block, ..)) => *block,
            None => Block::Namespace,
        }
    }

    pub(super) fn in_function(&self) -> bool {
        self.functions > 0
    }

    pub(super) fn in_macro(&self) -> bool {
        self.macros > 0
    }

    pub(super) fn depth(&self) -> usize {
        self.blocks.len() + self.deeper
    }

    /// The next brace opens `block`.
    pub(super) fn announce(&mut self, block: Block) {
        self.expected = block;
    }

    pub(super) fn open(&mut self, block: Block) {
        if self.blocks.len() >= DEEPEST {
            self.deeper += 1;
        } else {
            self.functions += usize::from(block == Block::Function);
            self.macros += usize::from(block == Block::Macro);
            self.blocks.push((block, self.parens, Block::Other));
        }
        self.parens = 0;
    }

    fn close(&mut self) -> Block {
        if self.deeper > 0 {
            self.deeper -= 1;
            self.parens = 0;
            return Block::Other;
        }
        self.expected = Block::Other;
        match self.blocks.pop() {
            Some((block, parens, expected)) => {
                self.expected = expected;
                self.functions -= usize::from(block == Block::Function);
                self.macros -= usize::from(block == Block::Macro);
                self.closed = block;
                self.parens = parens;
                block
            }
            None => {
                self.parens = 0;
                Block::Other
            }
        }
    }

    /// Whether a line that starts in code has none: it is blank or a comment.
    pub(super) fn skips(&self, code: &[u8]) -> bool {
        match code {
            [] | [b'\r'] => true,
            [b'/', b'/', ..] => self.table.class(b'/') == Class::Slash && self.table.language != Language::Sql,
            _ => false,
        }
    }

    /// Reads the line of `text` from `from` to `end`, which starts with `column` blanks. Calls `visit` with each column after
    /// that where a statement may start.
    pub(super) fn line(
        &mut self,
        text: &[u8],
        (from, end): (usize, usize),
        column: usize,
        mut visit: impl FnMut(&mut Self, usize),
    ) {
        let line = text.get(from..end).unwrap_or(&[]);
        if self.mode == Mode::Heredoc {
            self.heredoc_line(line);
            return;
        }
        if self.mode == Mode::Begin {
            if line.starts_with(b"=end") {
                self.mode = Mode::Code;
            }
            return;
        }
        let mut directive = false;
        if self.mode == Mode::Code {
            match self.table.language {
                Language::C | Language::Cpp | Language::CSharp => directive = self.preprocessor(line),
                Language::Ruby if line.starts_with(b"=begin") => {
                    self.mode = Mode::Begin;
                    return;
                }
                _ => {}
            }
        }
        let depth = (self.parens, self.last);
        let mut at = if self.mode == Mode::Code { column } else { 0 };
        while at < line.len() {
            if std::mem::take(&mut self.at_statement) && !directive {
                let rest = line.get(at..).unwrap_or(&[]);
                at += rest.len() - trim_start(rest).len();
                visit(self, at);
            }
            at = match self.mode {
                Mode::Code => self.code(text, from, line, at, directive),
                Mode::Comment { marks, depth } => self.comment(line, at, marks, depth),
                Mode::Text { quote, ends, escapes } => self.text(line, at, quote, ends, escapes),
                Mode::Tagged { first, last } => self.tagged(line, at, first, last),
                Mode::Template => self.template(line, at),
                Mode::Heredoc | Mode::Begin => break,
            };
        }
        self.at_statement = false;
        if directive {
            (self.parens, self.last) = depth;
        }
        if self.heredoc && self.mode == Mode::Code {
            self.mode = Mode::Heredoc;
        }
        self.heredoc = false;
    }

    /// Reads a directive: its braces do not count, and each branch of `#if` starts with the same blocks.
    fn preprocessor(&mut self, line: &[u8]) -> bool {
        let starts = trim_start(line);
        if !self.directive && starts.first() != Some(&b'#') {
            return false;
        }
        let continued = line.trim_ascii_end().last() == Some(&b'\\');
        if !self.directive {
            let name = trim_start(starts.get(1..).unwrap_or(&[]));
            if name.starts_with(b"if") {
                self.conditions.push(self.depth());
            } else if name.starts_with(b"el") {
                let depth = self.conditions.last().copied().unwrap_or(usize::MAX);
                while self.depth() > depth {
                    self.close();
                }
            } else if name.starts_with(b"endif") {
                self.conditions.pop();
            }
        }
        self.directive = continued;
        true
    }

    /// Reads code from `from` until the mode changes or the line ends, and returns where. `line` starts
    /// in `text` at `start`.
    fn code(&mut self, text: &[u8], start: usize, line: &[u8], from: usize, directive: bool) -> usize {
        let (table, all) = (self.table, self.all);
        let mut at = from;
        loop {
            at = self.marks.next(text, start + at, start + line.len()) - start;
            let Some(&byte) = line.get(at) else { break };
            let class = table.class(byte);
            if class == Class::Plain {
                at += 1;
                continue;
            }
            if class <= Class::Semicolon {
                let open = self.parens + usize::from(class == Class::OpenRound);
                self.parens = open.saturating_sub(usize::from(class == Class::CloseRound));
                let ends = class == Class::Semicolon && self.parens == 0;
                self.expected = if ends { Block::Other } else { self.expected };
                at += 1;
                if all && (ends || class == Class::OpenRound && self.is_ecma()) {
                    return self.statement(line, from, at);
                }
                continue;
            }
            let next = line.get(at + 1).copied().unwrap_or_default();
            match class {
                Class::Open if directive => {}
                Class::Close if directive => {}
                Class::Open => {
                    if table.language == Language::Haskell && next == b'-' {
                        return self.enter_comment(line, from, at, b"{--}");
                    }
                    if table.has_blocks() {
                        let inner = if all { self.inferred(line, at) } else { None };
                        let block = match inner {
                            Some(inner) => inner,
                            // An interface in a group of Go's types.
                            None if self.parens == 1 && self.expected == Block::Interface => {
                                std::mem::take(&mut self.expected)
                            }
                            None if self.parens > 0 => Block::Other,
                            None => std::mem::take(&mut self.expected),
                        };
                        let expected = self.expected;
                        self.open(block);
                        if let Some(open) = self.blocks.last_mut().filter(|_| all) {
                            open.2 = expected;
                        }
                    } else {
                        self.parens += 1;
                    }
                    if all {
                        return self.statement(line, from, at + 1);
                    }
                }
                Class::Close => {
                    if !table.has_blocks() {
                        self.parens = self.parens.saturating_sub(1);
                    } else if self.close() == Block::Template {
                        self.mode = Mode::Template;
                        return at + 1;
                    } else if all {
                        return self.statement(line, from, at + 1);
                    }
                }
                Class::Comma => return self.statement(line, from, at + 1),
                Class::Slash => match next {
                    b'/' if self.line_comment(line, at) => {
                        self.note_last(line, from, at);
                        return line.len();
                    }
                    b'*' => return self.enter_comment(line, from, at, b"/**/"),
                    _ if self.starts_regex(line, at) => {
                        at = regex_end(line, at + 1);
                        continue;
                    }
                    _ => {}
                },
                Class::Hash => {
                    // `$#` and `${a#b}` of Bash are no comments, and `#[…]` of PHP is an attribute.
                    let before = at.checked_sub(1).and_then(|at| line.get(at)).copied().unwrap_or(b' ');
                    let starts = match table.language {
                        Language::Bash => before.is_ascii_whitespace() || before == b';',
                        Language::Php => next != b'[',
                        Language::Ruby => before != b'?',
                        _ => true,
                    };
                    if starts {
                        self.note_last(line, from, at);
                        return line.len();
                    }
                }
                Class::Dash if next == b'-' => {
                    let rest = line.get(at + 2..).unwrap_or(&[]);
                    if table.language == Language::Lua && self.brackets(rest) {
                        self.note_last(line, from, at);
                        return at + 4 + self.tag.len();
                    }
                    self.note_last(line, from, at);
                    return line.len();
                }
                Class::LongBracket if self.brackets(line.get(at..).unwrap_or(&[])) => return at + 2 + self.tag.len(),
                Class::Less => self.starts_heredoc(line, at),
                Class::Escape => {
                    if table.language == Language::Zig && next == b'\\' {
                        return line.len();
                    }
                    at += 1;
                }
                Class::Quote => {
                    let end = self.quote(line, at, byte);
                    if self.mode != Mode::Code {
                        self.last = byte;
                        return end;
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        self.note_last(line, from, line.len());
        line.len()
    }

    /// Notes that a statement may start at `at`, and returns it.
    fn statement(&mut self, line: &[u8], from: usize, at: usize) -> usize {
        self.note_last(line, from, at);
        self.at_statement = true;
        at
    }

    /// The block that the brace at `at` opens, if what is before it says more than the definition before it.
    fn inferred(&self, line: &[u8], at: usize) -> Option<Block> {
        // A look back over more than declarations have would take quadratic time.
        let before = line.get(at.saturating_sub(200)..at).unwrap_or(&[]).trim_ascii_end();
        let code = if at <= 200 { trim_start(before) } else { &[] };
        let last = before.last().copied().unwrap_or(self.last);
        let is_expected = self.expected != Block::Other;
        match self.table.language {
            // An object type: in the arguments or in the result of a function, or of a declaration.
            Language::TypeScript | Language::Tsx => {
                let is_type = match last {
                    b'<' => true,
                    // The constraint or the default of a type parameter.
                    b's' | b'=' if is_expected && line.get(at + 1) == Some(&b'}') => {
                        last == b'=' || before.ends_with(b" extends")
                    }
                    b'&' | b'|' => !before.ends_with(&[last, last]),
                    b':' if is_expected => true,
                    b',' if is_expected => self.parens == 0,
                    b':' => TYPED.contains(word(code).0) && !code.iter().any(|byte| matches!(byte, b'=' | b'(')),
                    _ => false,
                };
                is_type.then_some(Block::Interface)
            }
            // The fields before `with` are set early.
            Language::Scala if before.ends_with(b" extends") => Some(Block::Other),
            // `new Name(…) {` has the members of an anonymous class, and so may `NAME(…) {` in an enumeration.
            Language::Java | Language::Scala if !is_expected || self.parens > 0 => {
                let is_call = |rest: &[u8]| after_brackets(rest).is_some_and(<[u8]>::is_empty);
                let created = memchr::memmem::rfind(before, b"new ").and_then(|at| before.get(at + 4..));
                let is_class = created.is_some_and(|it| {
                    let (_, rest) = path(it, b".<>?, []@");
                    rest.is_empty() && self.table.language == Language::Scala || is_call(rest)
                });
                let (name, rest) = word(code);
                let is_constant = self.table.language == Language::Java
                    && self.parens == 0
                    && self.block() == Block::Class
                    && !matches!(name, b"" | b"static")
                    && (rest.is_empty() || is_call(rest));
                (is_class || is_constant).then_some(Block::Class)
            }
            // In a function, `quote! {` and the like make code of something else.
            Language::Rust if self.in_function() && before.ends_with(b"!") => Some(Block::Macro),
            _ => None,
        }
    }

    /// Keeps the last byte of `line` between the offsets that is not blank.
    fn note_last(&mut self, line: &[u8], from: usize, to: usize) {
        let code = line.get(from..to).unwrap_or(&[]);
        if let Some(byte) = code.iter().rfind(|byte| !byte.is_ascii_whitespace()) {
            self.last = *byte;
        }
    }

    fn line_comment(&self, line: &[u8], at: usize) -> bool {
        match self.table.language {
            // The `//` of an address.
            Language::Css => at.checked_sub(1).and_then(|before| line.get(before)) != Some(&b':'),
            _ => true,
        }
    }

    fn enter_comment(&mut self, line: &[u8], from: usize, at: usize, marks: &'static [u8; 4]) -> usize {
        self.note_last(line, from, at);
        self.leading = trim_start(line.get(..at).unwrap_or(&[])).is_empty();
        self.mode = Mode::Comment { marks, depth: 0 };
        at + 2
    }

    fn comment(&mut self, line: &[u8], from: usize, marks: &'static [u8; 4], mut depth: usize) -> usize {
        let (open, close) = marks.split_at(2);
        let mut at = from;
        while let Some(found) = line.get(at..).and_then(|rest| memchr::memchr2(b'*', b'-', rest)) {
            let mark = at + found;
            at = mark + 1;
            if line.get(mark..).is_some_and(|rest| rest.starts_with(close)) {
                at += 1;
                if depth == 0 {
                    self.mode = Mode::Code;
                    self.at_statement = self.all && self.leading;
                    return at;
                }
                depth -= 1;
            } else if self.table.nested && found > 0 && line.get(mark - 1..).is_some_and(|it| it.starts_with(open)) {
                depth += 1;
            }
        }
        self.mode = Mode::Comment { marks, depth };
        line.len()
    }
}
