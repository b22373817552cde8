//! A definition as the index stores it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a definition defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[non_exhaustive]
#[repr(u8)]
pub enum Kind {
    /// A function outside a type.
    Function = 0,
    /// A function of a type.
    Method = 1,
    /// A class, an object, an actor, or a Rust `impl` block.
    Class = 2,
    /// A struct, a record or a union.
    Struct = 3,
    /// An enumeration.
    Enum = 4,
    /// An interface, a trait or a protocol.
    Interface = 5,
    /// A type alias or another named type.
    Type = 6,
    /// A module, a namespace or a package.
    Module = 7,
    /// A constant.
    Constant = 8,
    /// A variable.
    Variable = 9,
    /// A macro.
    Macro = 10,
    /// A field or a property.
    Field = 11,
    /// A heading of a document.
    Heading = 12,
    /// A table or a view of a database, or a table of a TOML file.
    Table = 13,
    /// A protobuf message.
    Message = 14,
    /// A CSS selector.
    Selector = 15,
    /// A key of a configuration file, or an index of a database.
    Key = 16,
}

impl Kind {
    const ALL: [(Self, &'static str); 17] = [
        (Self::Function, "function"),
        (Self::Method, "method"),
        (Self::Class, "class"),
        (Self::Struct, "struct"),
        (Self::Enum, "enum"),
        (Self::Interface, "interface"),
        (Self::Type, "type"),
        (Self::Module, "module"),
        (Self::Constant, "constant"),
        (Self::Variable, "variable"),
        (Self::Macro, "macro"),
        (Self::Field, "field"),
        (Self::Heading, "heading"),
        (Self::Table, "table"),
        (Self::Message, "message"),
        (Self::Selector, "selector"),
        (Self::Key, "key"),
    ];

    /// The kind that is stored as `byte`.
    pub fn from_u8(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).map(|(kind, _)| *kind)
    }

    /// The byte that stores this kind.
    pub fn as_u8(self) -> u8 {
        self as u8
    }

    /// The name in lower case, such as `function`.
    pub fn name(self) -> &'static str {
        Self::ALL.get(usize::from(self.as_u8())).map_or("", |(_, name)| *name)
    }
}

/// A named thing that a file defines. Its texts are somewhat longer than what is stored of them, until they are redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The name, without its path or receiver.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The line of the name, from 1.
    pub line: u32,
    /// How deep it is nested, 0 at the top level: by enclosing braces, by enclosing definitions where the language nests by
    /// indentation, by level in a document.
    pub depth: u8,
    /// The declaration on one line, without its body, with single spaces.
    pub signature: String,
}

/// The innermost definition that contains each one, by ordinal. The extent of a definition ends before the next one of the same
/// or a smaller depth.
pub(super) fn parents(definitions: &[Definition]) -> Vec<Option<u16>> {
    let mut open: Vec<(u8, u16)> = Vec::new();
    let ordinals = 0..=u16::MAX;
    ordinals
        .zip(definitions)
        .map(|(ordinal, definition)| {
            while open.last().is_some_and(|(depth, _)| *depth >= definition.depth) {
                open.pop();
            }
            let parent = open.last().map(|(_, ordinal)| *ordinal);
            open.push((definition.depth, ordinal));
            parent
        })
        .collect()
}
