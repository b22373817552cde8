//! The names of files beside a data file.

use std::path::{Path, PathBuf};

/// Appends `suffix` to the file name.
pub(crate) fn beside(data: &Path, suffix: &str) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
