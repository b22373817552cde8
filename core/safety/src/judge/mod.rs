//! What a name, a value and a word say: whether a name is a secret's, and whether a value looks like one.

pub(crate) mod looks;
pub(crate) mod names;
pub(crate) mod telling;
pub(crate) mod words;
