//! The secrets of the process's own environment: what they are is known, so they are found wherever they stand.

use crate::judge::looks;
use crate::judge::names::{Says, said_by};
use crate::text::invisible;

/// A shorter value stands in too many texts by chance.
const LEAST_BYTES: usize = 8;

/// The values, each once and in order, of the variables whose names say that they hold a secret; numbers, paths and plain
/// words are none.
pub(crate) fn secrets(environment: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let mut values: Vec<String> = environment
        .into_iter()
        .filter(|(name, value)| value.len() >= LEAST_BYTES && is_secret(name, value))
        .map(|(_, value)| value)
        .collect();
    // Text is looked at without invisible characters too.
    let bare: Vec<_> =
        values.iter().filter(|value| !value.is_ascii()).map(|it| invisible::without(it).into_owned()).collect();
    values.extend(bare.into_iter().filter(|value| value.len() >= LEAST_BYTES));
    values.sort();
    values.dedup();
    values
}

fn is_secret(name: &str, value: &str) -> bool {
    let is_pat = name.len() > 4 && name.to_ascii_lowercase().ends_with("_pat");
    (said_by(name.as_bytes()) > Says::Nothing || is_pat) && looks::is_of_environment(value.as_bytes())
}
