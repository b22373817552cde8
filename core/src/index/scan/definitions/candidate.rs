//! What a detector found on a line.

use super::super::definition::Kind;

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
    /// In a map, but not among the symbols: it has no name that anybody would look for.
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

    pub(super) fn shown(self, shown: Shown) -> Self {
        Self { shown, ..self }
    }
}
