//! A symbol, as a parser finds it.

use super::super::scan::Kind;

/// The longest signature and the longest name, in bytes of UTF-8.
pub(super) const MAX_SIGNATURE: usize = 200;

/// A definition in a source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name as it is declared, without its scope; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// What it defines. A block that adds to a type defined elsewhere (`impl`, a Swift `extension`) is a
    /// [`Kind::Class`] with the name of that type.
    pub kind: Kind,
    /// The line of the signature's first byte, from 1. Attributes and decorators above it are not counted.
    pub line: u32,
    /// The last line of the definition with its body, from 1.
    pub end_line: u32,
    /// How many of the text's other symbols enclose it.
    pub depth: u8,
    /// The declaration on one line, without its body and with runs of whitespace collapsed; at most
    /// [`MAX_SIGNATURE`] bytes, cut at a character boundary.
    pub signature: String,
}
