//! What is wrong with a file, and how it is mended.

pub(in crate::disk) mod diagnosis;
pub(in crate::disk) mod examine;
pub(in crate::disk) mod extent;
pub(in crate::disk) mod salvage;
pub(in crate::disk) mod whole;
