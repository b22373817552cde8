//! The secrets of the process's own environment: what they are is known, so they are found wherever they stand.

use super::keyed;

/// The rule that finds them.
pub(super) const RULE: &str = "environment-value";
/// A shorter value stands in too many texts by chance.
const LEAST_BYTES: usize = 8;

/// The values, each once and in order, of the variables whose names say that they hold a secret; numbers, paths and plain
/// words are none.
pub(super) fn secrets(environment: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let mut values: Vec<String> = environment
        .into_iter()
        .filter(|(name, value)| value.len() >= LEAST_BYTES && keyed::names_a_secret(name) && keyed::looks_secret(value))
        .map(|(_, value)| value)
        .collect();
    values.sort();
    values.dedup();
    values
}
