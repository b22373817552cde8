//! Data files: their formats, and how they are read, replaced and appended to.

pub(in crate::disk) mod cache;
pub(in crate::disk) mod commit;
pub(in crate::disk) mod disk;
pub(in crate::disk) mod document;
pub(in crate::disk) mod durable;
pub(in crate::disk) mod folder;
mod ignores;
pub(in crate::disk) mod journal;
pub(in crate::disk) mod line_file;
pub(in crate::disk) mod line_snapshot;
pub(in crate::disk) mod lines;
pub(in crate::disk) mod ownership;
pub(in crate::disk) mod plain_files;
pub(in crate::disk) mod record;
pub(in crate::disk) mod stored;
pub(in crate::disk) mod text;
pub(in crate::disk) mod value;
pub(in crate::disk) mod work_tree;
