//! Text as bytes: character classes, blocks, and what is in a text besides its words: invisible and control characters,
//! gutters, base64.

pub(crate) mod base64;
pub(crate) mod blocks;
pub(crate) mod bytes;
pub(crate) mod control;
pub(crate) mod gutters;
pub(crate) mod invisible;
