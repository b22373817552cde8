//! Ruby.

use super::super::candidate::{Block, Candidate, Shown};
use super::super::definition::Kind;
use super::super::line::{Line, Nesting};
use super::super::table::{INDENTED, Language, Table};
use super::super::words::{Words, is_upper_case, last_word, path, word};

pub(super) static RUBY: Table = Table {
    language: Language::Ruby,
    name: "ruby",
    extensions: "rb rake gemspec ru",
    files: "rakefile gemfile guardfile podfile fastfile vagrantfile brewfile",
    modifiers: Words::new("private protected public private_class_method module_function memoize"),
    marks: b"\"'#<{}()[]",
    ..INDENTED
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>, nesting: &mut Nesting) -> Option<Candidate<'t>> {
    let (mut keyword, mut rest) = word(line.code);
    if line.table.modifiers.contains(keyword) {
        (keyword, rest) = word(rest);
    }
    let block = nesting.block(line.column);
    match keyword {
        b"def" => {
            let (full, after) = path(rest, b".");
            let (name, mark) = match memchr::memrchr(b'.', full) {
                Some(dot) => (full.get(dot + 1..)?, after),
                None => (full, after),
            };
            let start = full.len() - name.len();
            // `name?`, `name!`, `name=`; operators such as `==` and `<=>`.
            let whole = match mark.first() {
                Some(b'?' | b'!') if rest.get(full.len()) == mark.first() => rest.get(start..full.len() + 1)?,
                Some(b'=') if rest.get(full.len()) == Some(&b'=') && rest.get(full.len() + 1) == Some(&b'(') => {
                    rest.get(start..full.len() + 1)?
                }
                _ if name.is_empty() => {
                    let rest = rest.strip_prefix(b"self.").unwrap_or(rest);
                    let end = rest.iter().position(|it| matches!(it, b'(' | b' ')).unwrap_or(rest.len());
                    if rest.starts_with(b"#{") {
                        return None;
                    }
                    rest.get(..end)?
                }
                _ => name,
            };
            let class = matches!(block, Block::Class);
            Candidate::new(whole, if class { Kind::Method } else { Kind::Function }, Block::Function)
        }
        b"alias" => {
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            Candidate::minor(rest.get(..end)?, Kind::Method, Block::Other)
        }
        b"class" if !rest.starts_with(b"<<") => {
            let name = path(rest, b":").0;
            let name = if line.all { last_word(name) } else { name };
            Candidate::new(name, Kind::Class, Block::Class)
        }
        b"module" => {
            let name = path(rest, b":").0;
            Candidate::new(if line.all { last_word(name) } else { name }, Kind::Module, Block::Class)
        }
        name if name.first().is_some_and(u8::is_ascii_uppercase)
            && block != Block::Function
            && rest.starts_with(b"=")
            && !matches!(rest.get(1), Some(b'=' | b'~' | b'>')) =>
        {
            let found = Candidate::new(name, Kind::Constant, Block::Other)?;
            if is_upper_case(name) {
                Some(found)
            } else {
                Some(found.shown(Shown::Symbols)).filter(|_| line.parens == 0)
            }
        }
        b"attr_accessor" | b"attr_reader" | b"attr_writer" => {
            Candidate::new(word(rest.strip_prefix(b":")?).0, Kind::Field, Block::Other)
        }
        _ => None,
    }
}
