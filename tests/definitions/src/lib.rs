//! The definitions of a source file as tree-sitter finds them. The scanner of the core is measured by them in `tests/`.

mod extract;
mod grammar;

use std::ops::RangeInclusive;

pub use extract::Reference;

/// A language that there is a grammar for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Java,
    C,
    Cpp,
    Lua,
    #[cfg(feature = "all")]
    CSharp,
    #[cfg(feature = "all")]
    Ruby,
    #[cfg(feature = "all")]
    Php,
    #[cfg(feature = "all")]
    Bash,
    #[cfg(feature = "all")]
    Kotlin,
    #[cfg(feature = "all")]
    Swift,
    #[cfg(feature = "all")]
    Scala,
}

/// The kind of what may be taken for a definition or not.
pub const OPTIONAL: &str = "optional";

/// A definition in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name, without the scope.
    pub name: String,
    /// What it is, such as `function`; or [`OPTIONAL`].
    pub kind: &'static str,
    /// From the line where its declaration begins, without attributes and decorators, to the line of its name; from 1.
    pub lines: RangeInclusive<usize>,
}

/// What is known of a source file.
#[derive(Debug, Default)]
pub struct Parsed {
    /// Its definitions, in its order.
    pub definitions: Vec<Definition>,
    /// The lines that do not conform to the grammar: the definitions found there may be none, and others missing.
    pub unsure: Vec<RangeInclusive<usize>>,
}
