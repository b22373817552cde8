//! The paths by which a model names files: below `/memories`, and never out of it.

use std::fmt;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;

use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// The path of the folder itself.
pub(super) const ROOT: &str = "/memories";
/// The maximum length of a path, in bytes.
const MAX_PATH_BYTES: usize = 1_024;
/// The maximum length of a name, in bytes: that of most file systems.
const MAX_NAME_BYTES: usize = 255;
/// How often a text may have been encoded, one time over the other.
const MAX_ENCODINGS: usize = 3;

/// A path as a model wrote it, and the names that it leads along.
#[derive(Debug)]
pub(super) struct ToolPath<'p> {
    shown: &'p str,
    names: Vec<&'p str>,
}

impl<'p> ToolPath<'p> {
    /// Parses a path. `..` is resolved by the names alone.
    ///
    /// # Errors
    /// `ValidationError` if it does not begin with `/memories`, leads out of it, even if somebody decodes it first, or has a
    /// control character; `SecretRefused` if it looks like a secret.
    pub(super) fn parse(home: &Home, path: &'p str) -> Result<Self> {
        let below = path.strip_prefix(ROOT).filter(|below| below.is_empty() || below.starts_with('/'));
        if path.len() > MAX_PATH_BYTES || path.contains(char::is_control) {
            let message = format!("a path must be at most {MAX_PATH_BYTES} bytes of text without control characters");
            return Err(Error::validation(message));
        }
        let below = below.ok_or_else(|| Error::validation(format!("Path must start with {ROOT}, got: {path}")))?;
        let outside = || Error::validation(format!("Path {path} would escape {ROOT} directory"));
        if hides_parent(below) {
            return Err(outside());
        }
        let mut names = Vec::new();
        for name in below.split('/') {
            match name {
                "" | "." => {}
                ".." => drop(names.pop().ok_or_else(outside)?),
                name if name.len() > MAX_NAME_BYTES => {
                    return Err(Error::validation(format!("a name in {path} is longer than {MAX_NAME_BYTES} bytes")));
                }
                name => names.push(name),
            }
        }
        // That of the whole folder is no secret, whatever a user's pattern matches.
        if !names.is_empty() {
            home.redactor().admit("path", path)?;
        }
        Ok(ToolPath { shown: path, names })
    }

    /// Whether it is that of the whole folder.
    pub(super) fn is_root(&self) -> bool {
        self.names.is_empty()
    }

    /// The error if there is nothing.
    pub(super) fn missing(&self) -> Error {
        Error::new(ErrorKind::NotFound, format!("The path {self} does not exist. Please provide a valid path."))
    }

    /// The path relative to the folder.
    pub(super) fn relative(&self) -> PathBuf {
        self.names.iter().collect()
    }

    /// The same path, without what was resolved.
    pub(super) fn plain(&self) -> String {
        self.names.iter().fold(ROOT.to_owned(), |path, name| path + "/" + name)
    }
}

impl fmt::Display for ToolPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown)
    }
}

/// Whether a name is `..` for somebody who decodes percent signs or for whom `\` separates names. No honest path has one.
fn hides_parent(path: &str) -> bool {
    let mut decoded = path.to_owned();
    for _ in 0..MAX_ENCODINGS {
        if decoded.contains(['%', '\\']) && decoded.split(['/', '\\']).any(|name| name == "..") {
            return true;
        }
        decoded = percent_decode_str(&decoded).decode_utf8_lossy().into_owned();
    }
    path.contains(['%', '\\']) && decoded.split(['/', '\\']).any(|name| name == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_found_behind_every_encoding() {
        for path in ["/%2e%2e/x", "/%2E%2E%2fx", "/..%2fx", "/%252e%252e/x", "/..\\x", "/a\\..\\x", "/%2e./x"] {
            assert!(hides_parent(path), "{path}");
        }
        for path in ["/100%", "/a..b/%2e%2e.md", "/back\\slash", "/a/../b", "/...", "/%zz"] {
            assert!(!hides_parent(path), "{path}");
        }
    }
}
