//! Classifies names, values and words: whether a name announces a secret, and whether a value looks like one.

pub(crate) mod formats;
pub(crate) mod judgement;
pub(crate) mod labels;
pub(crate) mod names;
pub(crate) mod password_cues;
pub(crate) mod placeholders;
pub(crate) mod plausibility;
pub(crate) mod seed_words;
pub(crate) mod stand_ins;
pub(crate) mod word_lists;
pub(crate) mod words;
