//! What only this user's redactor looks for: patterns of his own, and the values of the environment's variables.

use std::fmt;
use std::sync::{Arc, Mutex};

use aho_corasick::{AhoCorasick, Input, MatchKind};
use regex::bytes::{Regex, RegexBuilder};

use crate::detect::environment;
use crate::error::{Error, Result};
use crate::mark::found::Found;
use crate::mark::tag;
use crate::rules::general;

/// The compiled size a pattern may have, in bytes; the `regex` crate has no catastrophic backtracking.
const PATTERN_SIZE: usize = 1 << 20;
/// How many compiled sets a process keeps.
const KEPT: usize = 16;
/// The rule of a pattern that has no name of its own.
pub(crate) const UNNAMED: &str = "custom-pattern";
/// The group of a pattern that is the secret, where the pattern also matches what stands around it.
const SECRET_GROUP: &str = "secret";

/// A pattern of the user's.
#[derive(Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The id of its rule: small letters, digits and hyphens.
    pub id: String,
    /// What it finds, for people.
    pub description: String,
    /// How errors name it, such as `memory.redactionPatterns[0]`: what it says may itself be what is to stay unknown.
    pub place: String,
    /// A regular expression. Where it has a group named `secret`, only that is redacted.
    pub regex: String,
}

impl Pattern {
    /// Patterns without names of their own, which stand in the list `place`.
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

/// Patterns and values, compiled.
pub(crate) struct Own {
    patterns: Vec<(Pattern, Regex)>,
    values: Vec<String>,
    search: Option<AhoCorasick>,
}

impl Own {
    /// Compiles them, or takes what this process compiled from the same ones before.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) with the place of the pattern whose id is none, that does not compile or is too large.
    pub(crate) fn of(
        patterns: Vec<Pattern>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Arc<Own>> {
        static COMPILED: Mutex<Vec<Arc<Own>>> = Mutex::new(Vec::new());
        let values = environment::secrets(environment);
        let is_same = |own: &&Arc<Own>| own.values == values && own.patterns.iter().map(|(it, _)| it).eq(&patterns);
        // Never waited for: in a child that was forked its holder may not be there. Whoever comes second compiles anew.
        if let Ok(compiled) = COMPILED.try_lock()
            && let Some(own) = compiled.iter().find(is_same)
        {
            return Ok(Arc::clone(own));
        }
        let own = Arc::new(Own::compile(patterns, values)?);
        if let Ok(mut compiled) = COMPILED.try_lock() {
            let first_kept = (compiled.len() + 1).saturating_sub(KEPT);
            compiled.drain(..first_kept);
            compiled.push(Arc::clone(&own));
        }
        Ok(own)
    }

    fn compile(patterns: Vec<Pattern>, values: Vec<String>) -> Result<Own> {
        let with_regex = |pattern| compile(&pattern).map(|regex| (pattern, regex));
        let patterns = patterns.into_iter().map(with_regex).collect::<Result<_>>()?;
        // A search that cannot be built would be a secret that is not found.
        let build = || AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&values);
        let search = (!values.is_empty()).then(build).transpose().map_err(|cause| {
            Error::invalid("the environment holds too much to look for; unset what is not needed").because(cause)
        })?;
        Ok(Own { patterns, values, search })
    }

    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter().map(|(pattern, _)| pattern)
    }

    pub(crate) fn count_of_values(&self) -> usize {
        self.values.len()
    }

    /// Adds the values of the environment.
    pub(crate) fn find_values<'r>(&'r self, text: &[u8], found: &mut Vec<Found<'r>>) {
        if let Some(search) = &self.search {
            let mut at = 0;
            while let Some(hit) = search.find(Input::new(text).range(at..)) {
                found.push(Found::new(general::ENVIRONMENT_VALUE, hit.range()));
                // One value may end as another begins.
                at = hit.start() + 1;
            }
        }
    }

    /// Adds what the user's patterns match.
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
    let refused = |fault: &str| Error::invalid(format!("{} {fault}; mend or remove it", pattern.place));
    if !tag::is_rule_id(pattern.id.as_bytes()) {
        return Err(refused("has an id that is not made of small letters, digits and hyphens"));
    }
    let built = RegexBuilder::new(&pattern.regex).size_limit(PATTERN_SIZE).build().map_err(|cause| match cause {
        regex::Error::CompiledTooBig(_) => refused("is too large"),
        _ => refused("is no regular expression"),
    })?;
    // Of a rule with a name it is a slip; patterns without one have always been let off.
    if pattern.id != UNNAMED && built.is_match(b"") {
        return Err(refused("matches the empty text"));
    }
    Ok(built)
}
