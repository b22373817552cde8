//! The words of a text: runs of letters and digits of any script, lower-cased.
//!
//! `snake_case` is two words and `updateContext` is one. In scripts without spaces, a whole run counts as a word.

/// The words of one text, lower-cased.
#[derive(Debug, Clone)]
pub struct Words {
    lower: String,
}

impl Words {
    /// Splits `text` into words.
    pub fn of(text: &str) -> Self {
        // Lower-cased before it is split: a lower-case letter may be two characters, and both cases must split alike.
        Words { lower: text.to_lowercase() }
    }

    /// The words in order, with repetitions.
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
    fn case_is_ignored_in_every_script() {
        for (one, other) in [("ÄRGER", "ärger"), ("ΟΔΟΣ", "οδος"), ("Журнал", "ЖУРНАЛ"), ("İstanbul", "i̇stanbul")]
        {
            assert_eq!(words(one), words(other));
        }
    }

    proptest! {
        #[test]
        fn splitting_a_word_returns_the_word(text in "\\PC{0,80}") {
            for word in words(&text) {
                prop_assert_eq!(words(&word), [word]);
            }
        }
    }
}
