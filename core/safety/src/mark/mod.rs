//! Where secrets were found in a text, and the placeholders that replace them.

pub(crate) mod found;
pub(crate) mod tag;
