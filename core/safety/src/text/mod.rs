//! A text as bytes: classes of characters, blocks, and what stands in it beside what is said: invisible and control
//! characters, gutters, base64.

pub(crate) mod base64;
pub(crate) mod blocks;
pub(crate) mod bytes;
pub(crate) mod control;
pub(crate) mod gutters;
pub(crate) mod invisible;
