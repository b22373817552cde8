//! Misspelt keys: the known key that somebody meant.

use crate::error::Error;

/// The longest key that is quoted in an error. A longer one is hardly a typo, and could be anything.
pub(super) const MAX_SHOWN_KEY_BYTES: usize = 40;
/// The shortest key that is compared with the words of a known one.
const MIN_WORD: usize = 4;
/// The shortest known key of which a typo is told from another word.
const MIN_TYPO: usize = 6;

/// The known key that `key` is a spelling of: in another convention (`impacted_paths`), with a typo (`contnet`), or as one of
/// its words (`paths` for `impactedPaths`).
pub(super) fn nearest<'k>(key: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if key.len() > MAX_SHOWN_KEY_BYTES {
        return None;
    }
    let plain = plain(key);
    let distances = known.into_iter().filter_map(|name| Some((distance(&plain, name)?, name)));
    distances.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// How far apart two keys are, ignoring their conventions; `None` if they are unlike each other.
fn distance(key: &str, name: &str) -> Option<usize> {
    let name = plain(name);
    let typos = strsim::osa_distance(key, &name);
    let most = match key.len().max(name.len()) {
        0..=2 => 0,
        3..=7 => 1,
        _ => 2,
    };
    let is_word = key.len() >= MIN_WORD && (name.starts_with(key) || name.ends_with(key));
    if typos <= most { Some(typos) } else { is_word.then_some(most + 1) }
}

/// The letters and digits of a key, in lower case.
fn plain(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The beginning of the message for an unknown key, which says what was meant if that is `known`.
pub(super) fn unknown(key: &str, known: Option<&str>) -> String {
    match known {
        Some(known) => format!("unknown key `{key}`; did you mean `{known}`?"),
        None if key.len() <= MAX_SHOWN_KEY_BYTES => format!("unknown key `{key}`"),
        None => "unknown key".to_owned(),
    }
}

/// Refuses a key of a record that is neither known nor one of the caller's own; `place` is the record: `convention`.
pub(crate) fn check_key(place: &str, key: &str, known: &[&str], allows_others: bool) -> Result<(), Error> {
    match nearest(key, known.iter().copied()) {
        None if allows_others => Ok(()),
        None => Err(Error::validation(format!(
            "{place}: {}; pass fields of your own in `extra`, or open the store with `allowUnknownFields`",
            unknown(key, None)
        ))),
        meant => Err(Error::validation(format!("{place}: {}", unknown(key, meant)))),
    }
}

/// Refuses a key that can hardly be anything but a misspelling, where other keys are the caller's own.
pub(crate) fn check_spelling(place: &str, key: &str, known: &[&str]) -> Result<(), Error> {
    let own = plain(key);
    let is_meant = |name: &&&str| {
        let name = plain(name);
        let letters = |word: &str| {
            let mut letters: Vec<char> = word.chars().collect();
            letters.sort_unstable();
            letters
        };
        // With another letter in its place, it may be another word: `context`.
        let has_letters = own.len() != name.len() || letters(&own) == letters(&name);
        let is_typo = name.len() >= MIN_TYPO && has_letters && strsim::osa_distance(&own, &name) == 1;
        own == name || is_typo && !own.starts_with(&name) && !name.starts_with(&own)
    };
    match known.iter().find(is_meant) {
        Some(meant) if !known.contains(&key) => {
            Err(Error::validation(format!("{place}: {}", unknown(key, Some(meant)))))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 6] = ["id", "title", "content", "tags", "impactedPaths", "maxChars"];

    #[test]
    fn a_key_near_a_known_one_is_its_misspelling() {
        for (key, meant) in [
            ("contnet", "content"),
            ("Content", "content"),
            ("tag", "tags"),
            ("ID", "id"),
            ("impacted_paths", "impactedPaths"),
            ("impacted-paths", "impactedPaths"),
            ("IMPACTED_PATHS", "impactedPaths"),
            ("impactedPath", "impactedPaths"),
            ("paths", "impactedPaths"),
            ("maxchars", "maxChars"),
        ] {
            assert_eq!(nearest(key, KNOWN), Some(meant), "{key}");
        }
    }

    #[test]
    fn a_key_of_its_own_is_near_no_known_one() {
        let long = "content".repeat(20);
        for key in ["", "_", "priority", "owner", "it", "mood", "review", &long] {
            assert_eq!(nearest(key, KNOWN), None, "{key}");
        }
    }
}
