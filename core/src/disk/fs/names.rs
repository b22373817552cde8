//! The names of what lies beside a data file.

use std::path::{Path, PathBuf};

/// `NAME` with `suffix` behind it.
pub(crate) fn beside(data: &Path, suffix: &str) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
