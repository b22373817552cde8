//! The secrets in the process's own environment: their values are known, so they are found anywhere.

use crate::classify::names::{Strength, strength};
use crate::classify::plausibility;
use crate::text::invisible;

/// A shorter value occurs in too many texts by chance.
const MIN_BYTES: usize = 8;

/// The values of the variables with a secret's name, sorted and deduplicated; numbers, paths and plain words are
/// excluded.
pub(crate) fn secrets(environment: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let mut values: Vec<String> = environment
        .into_iter()
        .filter(|(name, value)| value.len() >= MIN_BYTES && is_secret(name, value))
        .map(|(_, value)| value)
        .collect();
    // Text is also searched without its invisible characters.
    let bare: Vec<_> =
        values.iter().filter(|value| !value.is_ascii()).map(|it| invisible::without(it).into_owned()).collect();
    values.extend(bare.into_iter().filter(|value| value.len() >= MIN_BYTES));
    values.sort();
    values.dedup();
    values
}

fn is_secret(name: &str, value: &str) -> bool {
    let is_pat = name.len() > 4 && name.to_ascii_lowercase().ends_with("_pat");
    (strength(name.as_bytes()) > Strength::None || is_pat) && plausibility::is_environment_secret(value.as_bytes())
}
