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
}

/// A definition that a detector found on a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'t> {
    pub(super) name: &'t [u8],
    pub(super) kind: Kind,
    /// What its braces enclose.
    pub(super) opens: Block,
}

impl<'t> Candidate<'t> {
    pub(super) fn new(name: &'t [u8], kind: Kind, opens: Block) -> Option<Self> {
        (!name.is_empty()).then_some(Self { name, kind, opens })
    }
}
