//! What only this user's redactor searches for: the user's patterns, and the values of environment variables.

use std::fmt;
use std::sync::{Arc, Mutex};

use aho_corasick::{AhoCorasick, Input, MatchKind};
use regex::bytes::{Regex, RegexBuilder};

use crate::detect::environment;
use crate::error::{Error, Result};
use crate::mark::found::Found;
use crate::mark::tag;
use crate::rules::general;

/// The maximum compiled size of a pattern, in bytes; the `regex` crate does not backtrack.
const PATTERN_SIZE: usize = 1 << 20;
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
        let with_regex = |pattern| compile(&pattern).map(|regex| (pattern, regex));
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

fn compile(pattern: &Pattern) -> Result<Regex> {
    let refused = |fault: &str| Error::invalid(format!("{} {fault}; fix or remove it", pattern.place));
    if !tag::is_id_of_user(pattern.id.as_bytes()) {
        return Err(refused("has an id that is not made of lower-case letters, digits and hyphens"));
    }
    let built = RegexBuilder::new(&pattern.regex).size_limit(PATTERN_SIZE).build().map_err(|cause| match cause {
        regex::Error::CompiledTooBig(_) => refused("is too large"),
        _ => refused("is not a valid regular expression"),
    })?;
    // In a named rule this is a mistake; unnamed patterns have always been allowed to match the empty text.
    if pattern.id != UNNAMED && built.is_match(b"") {
        return Err(refused("matches the empty text"));
    }
    Ok(built)
}
