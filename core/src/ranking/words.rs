//! The words of a text: runs of letters and digits, whatever their script and their case.
//!
//! `snake_case` is two words and `updateContext` one. A script that parts no words with spaces has its runs for words.

/// The words of one text, lower-cased.
///
/// ```
/// use loopmem::ranking::Words;
///
/// let words = Words::of("Fixed the retry of HTTP/2 in `fetch_all`.");
/// assert!(words.iter().eq(["fixed", "the", "retry", "of", "http", "2", "in", "fetch", "all"]));
/// ```
#[derive(Debug, Clone)]
pub struct Words {
    lower: String,
}

impl Words {
    /// Reads `text`.
    pub fn of(text: &str) -> Self {
        // Before it is parted: a lower-case letter may be two characters, and both spellings are to part alike.
        Words { lower: text.to_lowercase() }
    }

    /// The words in their order, each as often as it is there.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        Words::of(text).iter().map(str::to_owned).collect()
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(
            words("git-2.43: can't\tread\n`src/main.rs`"),
            ["git", "2", "43", "can", "t", "read", "src", "main", "rs"]
        );
        assert_eq!(words("snake_case updateContext"), ["snake", "case", "updatecontext"]);
        assert_eq!(words("  …!?  "), [""; 0]);
        assert_eq!(words(""), [""; 0]);
    }

    #[test]
    fn case_makes_no_difference_in_any_script() {
        for (one, other) in [("ÄRGER", "ärger"), ("ΟΔΟΣ", "οδος"), ("Журнал", "ЖУРНАЛ"), ("İstanbul", "i̇stanbul")]
        {
            assert_eq!(words(one), words(other));
        }
    }

    proptest! {
        #[test]
        fn the_words_of_any_text_are_themselves_words(text in "\\PC{0,80}") {
            for word in words(&text) {
                prop_assert_eq!(words(&word), [word]);
            }
        }
    }
}
