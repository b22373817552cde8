//! What the detectors find.

use super::definition::{Definition, Kind};
use super::signature::lossy;

/// What the braces after a definition enclose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Block {
    /// Statements, or something unknown.
    #[default]
    Other,
    /// The members of a type.
    Class,
    /// Definitions of a module or namespace.
    Namespace,
    /// The body of a function.
    Function,
    /// An expression in a template literal.
    Template,
    /// The members of an interface or of an object type.
    Interface,
    /// The input of a macro, in which nothing is defined yet.
    Macro,
}

/// Where a definition is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Everywhere,
    /// Among the symbols, but not in a map: it would crowd out what matters more.
    Symbols,
    /// In a map, but not among the symbols: it has no name in the source.
    Map,
}

/// A definition that a detector found on a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'t> {
    pub(super) name: &'t [u8],
    pub(super) kind: Kind,
    /// What its braces enclose.
    pub(super) opens: Block,
    pub(super) shown: Shown,
    /// The other name of a function that is assigned, or nothing.
    pub(super) also: &'t [u8],
}

impl<'t> Candidate<'t> {
    pub(super) fn new(name: &'t [u8], kind: Kind, opens: Block) -> Option<Self> {
        (!name.is_empty()).then_some(Self { name, kind, opens, shown: Shown::Everywhere, also: b"" })
    }

    /// A candidate that only the symbols show.
    pub(super) fn minor(name: &'t [u8], kind: Kind, opens: Block) -> Option<Self> {
        Self::new(name, kind, opens).map(|it| it.shown(Shown::Symbols))
    }

    /// A candidate that only a map shows.
    pub(super) fn unnamed(name: &'t [u8], kind: Kind, opens: Block) -> Option<Self> {
        Self::new(name, kind, opens).map(|it| it.shown(Shown::Map))
    }

    pub(super) fn shown(self, shown: Shown) -> Self {
        Self { shown, ..self }
    }
}

/// The definitions of a file, and the offsets where their lines start.
#[derive(Debug, Default)]
pub struct Found {
    pub definitions: Vec<Definition>,
    pub starts: Vec<usize>,
}

impl Found {
    pub(super) fn push(&mut self, name: &[u8], kind: Kind, line: usize, depth: usize, start: usize, signature: String) {
        let name = lossy(name);
        if name.is_empty() || self.definitions.len() >= usize::from(u16::MAX) {
            return;
        }
        self.definitions.push(Definition {
            name,
            kind,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            depth: u8::try_from(depth).unwrap_or(u8::MAX),
            signature,
        });
        self.starts.push(start);
    }
}
