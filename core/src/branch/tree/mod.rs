//! The folder of a memory: its files, the rules for them, and how three versions of it are merged.

pub(crate) mod campaign;
pub(crate) mod combine;
pub(crate) mod contents;
pub(crate) mod fault;
pub(crate) mod folder;
pub(crate) mod names;
pub(crate) mod redaction;
pub(crate) mod validate;
pub(crate) mod working_copy;
