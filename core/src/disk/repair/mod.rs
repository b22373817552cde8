//! Inspecting and repairing damaged files.

pub(in crate::disk) mod file_check;
pub(in crate::disk) mod formats;
pub(in crate::disk) mod inspection;
pub(in crate::disk) mod salvage;
