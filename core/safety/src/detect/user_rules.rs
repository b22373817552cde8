//! What only this user's redactor searches for: the user's patterns, and the values of environment variables.

use std::fmt;
use std::sync::{Arc, Mutex};

use aho_corasick::{AhoCorasick, Input, MatchKind};
use regex::bytes::{Regex, RegexBuilder, RegexSetBuilder};

use crate::detect::environment;
use crate::error::{Error, Result};
use crate::mark::found::Found;
use crate::mark::tag;
use crate::rules::general;

/// The maximum compiled size of a pattern, in bytes; the `regex` crate does not backtrack.
const PATTERN_SIZE: usize = 1 << 20;
/// The maximum compiled size of all patterns together.
const TOTAL_SIZE: usize = 32 * PATTERN_SIZE;
/// The memory for searches with one pattern, and with all of them together, in bytes. With less than is needed, a search is slower.
const SEARCH_SIZE: usize = 2 << 20;
const TOTAL_SEARCH_SIZE: usize = 64 << 20;
const MIN_SEARCH_SIZE: usize = 64 << 10;
/// How many compiled sets a process caches.
const MAX_CACHED: usize = 16;
/// The rule of a pattern without a name.
pub(crate) const UNNAMED: &str = "custom-pattern";
/// The capture group that is the secret, for a pattern that also matches surrounding text.
const SECRET_GROUP: &str = "secret";

/// A pattern of the user.
#[derive(Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The id of its rule: lower-case letters, digits and hyphens.
    pub id: String,
    /// A description for people.
    pub description: String,
    /// How errors refer to it, such as `memory.redactionPatterns[0]`: the pattern itself may be secret.
    pub place: String,
    /// A regular expression. If it has a group named `secret`, only that group is redacted.
    pub regex: String,
}

impl Pattern {
    /// Patterns without names, from the list `place`.
    pub fn unnamed(place: &str, patterns: &[String]) -> Vec<Pattern> {
        let pattern = |(index, regex): (usize, &String)| Pattern {
            id: UNNAMED.to_owned(),
            description: format!("Pattern {} of {place}", index + 1),
            place: format!("{place}[{index}]"),
            regex: regex.clone(),
        };
        patterns.iter().enumerate().map(pattern).collect()
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pattern").field("id", &self.id).field("place", &self.place).finish_non_exhaustive()
    }
}

/// Compiled patterns and values.
pub(crate) struct UserRules {
    patterns: Vec<(Pattern, Regex)>,
    values: Vec<String>,
    search: Option<AhoCorasick>,
}

impl UserRules {
    /// Compiles them, or returns what this process has cached for the same ones.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) with the place of a pattern that has an invalid id, does not compile or
    /// is too large.
    pub(crate) fn new(
        patterns: Vec<Pattern>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Arc<UserRules>> {
        static COMPILED: Mutex<Vec<Arc<UserRules>>> = Mutex::new(Vec::new());
        let values = environment::secrets(environment);
        let is_same =
            |rules: &&Arc<UserRules>| rules.values == values && rules.patterns.iter().map(|(it, _)| it).eq(&patterns);
        // Never blocks: after a fork, the holder of the lock may not exist in the child. If the lock is taken, the set
        // is compiled again.
        if let Ok(compiled) = COMPILED.try_lock()
            && let Some(rules) = compiled.iter().find(is_same)
        {
            return Ok(Arc::clone(rules));
        }
        let rules = Arc::new(UserRules::compile(patterns, values)?);
        if let Ok(mut compiled) = COMPILED.try_lock() {
            let outdated = (compiled.len() + 1).saturating_sub(MAX_CACHED);
            compiled.drain(..outdated);
            compiled.push(Arc::clone(&rules));
        }
        Ok(rules)
    }

    fn compile(patterns: Vec<Pattern>, values: Vec<String>) -> Result<UserRules> {
        check_total_size(&patterns)?;
        let search_size = (TOTAL_SEARCH_SIZE / patterns.len().max(1)).clamp(MIN_SEARCH_SIZE, SEARCH_SIZE);
        let with_regex = |pattern| compile(&pattern, search_size).map(|regex| (pattern, regex));
        let patterns = patterns.into_iter().map(with_regex).collect::<Result<_>>()?;
        // If the search cannot be built, secrets would be missed, so that is an error.
        let build = || AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&values);
        let search = (!values.is_empty()).then(build).transpose().map_err(|cause| {
            Error::invalid(
                "the environment has too many secret values to search for; unset the variables that are not needed",
            )
            .because(cause)
        })?;
        Ok(UserRules { patterns, values, search })
    }

    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter().map(|(pattern, _)| pattern)
    }

    pub(crate) fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Adds the values of the environment.
    pub(crate) fn find_values<'r>(&'r self, text: &[u8], found: &mut Vec<Found<'r>>) {
        if let Some(search) = &self.search {
            let mut at = 0;
            while let Some(hit) = search.find(Input::new(text).range(at..)) {
                found.push(Found::new(general::ENVIRONMENT_VALUE, hit.range()));
                // One value may start inside another.
                at = hit.start() + 1;
            }
        }
    }

    /// How many bytes at the end of `text` are the beginning of a value that continues after it.
    pub(crate) fn begun_value(&self, text: &[u8]) -> usize {
        let begun = |value: &String| {
            let value = value.as_bytes();
            (1..value.len()).rev().find(|length| value.get(..*length).is_some_and(|begun| text.ends_with(begun)))
        };
        self.values.iter().filter_map(begun).max().unwrap_or_default()
    }

    /// Adds the matches of the user's patterns.
    pub(crate) fn find_patterns<'r>(&'r self, text: &[u8], found: &mut Vec<Found<'r>>) {
        for (pattern, regex) in &self.patterns {
            let has_group = regex.capture_names().flatten().any(|name| name == SECRET_GROUP);
            if has_group {
                let hits = regex.captures_iter(text).filter_map(|hit| Some(hit.name(SECRET_GROUP)?.range()));
                found.extend(hits.filter(|hit| !hit.is_empty()).map(|hit| Found::new(&pattern.id, hit)));
            } else {
                let hits = regex.find_iter(text).filter(|hit| !hit.is_empty());
                found.extend(hits.map(|hit| Found::new(&pattern.id, hit.range())));
            }
        }
    }
}

/// Checks that the patterns are not too large together.
fn check_total_size(patterns: &[Pattern]) -> Result<()> {
    let fits = |count: usize| {
        let together = patterns.iter().take(count).map(|pattern| &pattern.regex);
        let built = RegexSetBuilder::new(together).size_limit(TOTAL_SIZE).build();
        // One that is invalid is reported by itself.
        !matches!(built, Err(regex::Error::CompiledTooBig(_)))
    };
    // So many have a limit of their own that is lower.
    if patterns.len() <= TOTAL_SIZE / PATTERN_SIZE || fits(patterns.len()) {
        return Ok(());
    }
    let counts: Vec<usize> = (1..=patterns.len()).collect();
    let first = counts.partition_point(|count| fits(*count));
    let place = patterns.get(first).map_or("", |pattern| &pattern.place);
    Err(Error::invalid(format!(
        "{place} and the patterns before it are too large together; remove some, or make their repetitions shorter"
    )))
}

fn compile(pattern: &Pattern, search_size: usize) -> Result<Regex> {
    let refused = |fault: &str| Error::invalid(format!("{} {fault}; fix or remove it", pattern.place));
    if !tag::is_id_of_user(pattern.id.as_bytes()) {
        return Err(refused("has an id that is not made of lower-case letters, digits and hyphens"));
    }
    let built = RegexBuilder::new(&pattern.regex).size_limit(PATTERN_SIZE).dfa_size_limit(search_size).build();
    let built = built.map_err(|cause| match cause {
        regex::Error::CompiledTooBig(_) => refused("is too large"),
        _ => refused("is not a valid regular expression"),
    })?;
    // In a named rule this is a mistake; unnamed patterns have always been allowed to match the empty text.
    if pattern.id != UNNAMED && built.is_match(b"") {
        return Err(refused("matches the empty text"));
    }
    Ok(built)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_are_large_only_together_are_refused() {
        let pattern = |number: usize, regex: String| Pattern {
            id: "large".to_owned(),
            description: String::new(),
            place: format!("redaction.toml: rule {number}"),
            regex,
        };
        let many = |count: usize, regex: &dyn Fn(usize) -> String| -> Vec<Pattern> {
            (0..count).map(|number| pattern(number, regex(number))).collect()
        };
        let large = |number: usize| format!(".{{0,900}}(a|b|c){number}");
        assert!(UserRules::new(many(1, &large), []).is_ok());
        let refused = UserRules::new(many(48, &large), []).err().unwrap().to_string();
        assert!(refused.starts_with("redaction.toml: rule ") && refused.contains("too large together"), "{refused}");
        assert!(UserRules::new(many(200, &|number| format!("CORP-{number}-[0-9]{{4,12}}")), []).is_ok());
        // Whatever else is wrong with one of many is said of that one.
        let mut invalid = many(100, &|number| format!("C{number}"));
        invalid[70].regex = "(".to_owned();
        assert!(UserRules::new(invalid, []).err().unwrap().to_string().contains("rule 70 is not a valid"));
    }
}
