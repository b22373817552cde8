//! The patterns of the files of a memory that are kept. Pure, no I/O.

use regex::Regex;

use crate::branch::{Branches, operation};
use crate::error::{Error, Result};

/// The longest pattern, in bytes.
const MAX_BYTES: usize = 4_096;

/// Returns whether a pattern matches a path, which is relative to the folder of the memory and has `/` between its parts.
///
/// The pattern has to match the whole path, case-sensitively. `*` is any text without `/`, `**` any text at all, and
/// every other character stands for itself: `**/x` does not match a file `x` in the folder, and `metrics/**/*.json`
/// does not match `metrics/a.json`.
///
/// # Errors
/// `ValidationError` for a pattern of more than 4,096 bytes.
pub fn matches(pattern: &str, path: &str) -> Result<bool> {
    Ok(compiled(pattern)?.is_match(path))
}

impl Branches {
    /// Returns whether a pattern matches the path of a file, which is relative to the folder of the memory. It has to match the
    /// whole path. `*` is any text without `/`, `**` any text at all, and every other character stands for itself.
    ///
    /// # Errors
    /// `ValidationError` for a pattern that is too long.
    pub fn matches(&self, pattern: &str, path: &str) -> Result<bool> {
        self.home.call(operation::MATCH, |_| matches(pattern, path))
    }
}

/// The patterns of a memory.
pub(crate) struct Patterns(Option<Vec<Regex>>);

impl Patterns {
    /// Compiles patterns; `None` takes every file.
    pub(crate) fn new(patterns: Option<&[String]>) -> Result<Self> {
        let compiled = patterns.map(|patterns| patterns.iter().map(|pattern| compiled(pattern)).collect());
        Ok(Patterns(compiled.transpose()?))
    }

    /// Returns whether one of them matches a path.
    pub(crate) fn take(&self, path: &str) -> bool {
        self.0.as_ref().is_none_or(|patterns| patterns.iter().any(|pattern| pattern.is_match(path)))
    }
}

/// The pattern as a regular expression, which is matched in linear time.
fn compiled(pattern: &str) -> Result<Regex> {
    if pattern.len() > MAX_BYTES {
        return Err(Error::validation(format!("a pattern must be at most {MAX_BYTES} bytes long")));
    }
    let parts = pattern.split("**").map(|part| part.split('*').map(regex::escape).collect::<Vec<_>>().join("[^/]*"));
    let expression = format!("(?s)^{}$", parts.collect::<Vec<_>>().join(".*"));
    Regex::new(&expression).map_err(|cause| Error::validation("the pattern is too complex").because(cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_asterisks_are_special() {
        for (pattern, path, expected) in [
            ("*.jsonl", "history.jsonl", true),
            ("*.jsonl", "memory/default/history.jsonl", false),
            ("*.json", "a.jsonl", false),
            ("*", ".hidden", true),
            ("**", "a/b/c", true),
            ("metrics/**", "metrics/2024/12.json", true),
            ("metrics/**", "metrics", false),
            ("metrics/**/*.json", "metrics/a.json", false),
            ("metrics/**/*.json", "metrics/x/a.json", true),
            ("**/x", "x", false),
            ("**/x", "a/b/x", true),
            ("a*/b", "a/x/b", false),
            ("***", "a/b", true),
            ("A.md", "a.md", false),
            ("a.md", "axmd", false),
            ("[ab]?.{md}(x)+|^$", "[ab]?.{md}(x)+|^$", true),
            ("[ab]", "a", false),
            ("*.md", "a\nb.md", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, path).unwrap(), expected, "{pattern} {path}");
        }
        assert!(matches(&"*".repeat(5_000), "a").is_err());
        // No backtracking.
        assert!(!matches(&"*a".repeat(1_000), &"a".repeat(900)).unwrap());
    }
}
