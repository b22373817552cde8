//! Text as bytes: character classes, blocks, and what is in a text besides its words: invisible and control characters,
//! gutters, base64. Searches for words.

pub(crate) mod base64;
pub(crate) mod blocks;
pub(crate) mod bytes;
pub(crate) mod control;
pub(crate) mod gutters;
pub(crate) mod invisible;
pub(crate) mod masks;
pub(crate) mod word_search;
