//! Where secrets were found in a text, and what stands in their place.

pub(crate) mod found;
pub(crate) mod tag;
