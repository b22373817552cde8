//! Tokens that providers mark with a prefix: what each starts with, and what may follow.
//!
//! A row gives the minimum length after the prefix and no maximum: lengths change, and the tail of a token longer than
//! expected would be left in the text. Publishable keys, client ids and account ids are not secrets and have no row.
//! Tokens without a prefix are recognized by their `shapes`; those without either are found under a secret's name.

/// A kind of token: a prefix, what may follow it, and how much of that is required.
pub(crate) struct Provider {
    /// The rule's id, such as `github-pat`.
    pub(crate) rule: &'static str,
    /// A description for people.
    pub(crate) description: &'static str,
    /// The prefixes of this kind of token; case-sensitive.
    pub(crate) prefixes: &'static [&'static str],
    /// The bytes that may follow a prefix.
    pub(crate) alphabet: Alphabet,
    /// How many bytes of the alphabet must follow a prefix.
    pub(crate) minimum: usize,
    /// Whether nothing else looks like it. Otherwise, what follows the prefix must also look random.
    pub(crate) firm: bool,
}

/// The bytes of a kind of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alphabet {
    Hex,
    /// Hexadecimal digits in groups, with hyphens.
    Uuid,
    LowerAlnum,
    UpperAlnum,
    Alnum,
    /// Letters, digits and `_`.
    Word,
    /// Letters, digits, `_` and `-`.
    Base64Url,
    /// As `Base64Url`, with dots between parts.
    Dotted,
    /// Both alphabets of base64, and its padding.
    Base64,
    /// As `Base64`, with URL escapes.
    Escaped,
    /// The bytes of a bearer token (RFC 7235).
    Token68,
    /// As `Token68`, with colons between parts.
    Coloned,
    /// The path and query of a URL that anyone who knows it can call.
    Url,
}

impl Alphabet {
    pub(crate) const fn contains(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Uuid => byte.is_ascii_hexdigit() || byte == b'-',
            Self::LowerAlnum => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Self::UpperAlnum => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Word => Self::Alnum.contains(byte) || byte == b'_',
            Self::Base64Url => Self::Word.contains(byte) || byte == b'-',
            Self::Dotted => Self::Base64Url.contains(byte) || byte == b'.',
            Self::Base64 => Self::Base64Url.contains(byte) || matches!(byte, b'+' | b'/' | b'='),
            Self::Escaped => Self::Base64.contains(byte) || byte == b'%',
            Self::Token68 => Self::Base64.contains(byte) || matches!(byte, b'.' | b'~'),
            Self::Coloned => Self::Token68.contains(byte) || byte == b':',
            Self::Url => Self::Coloned.contains(byte) || matches!(byte, b'%' | b'@' | b'?' | b'&'),
        }
    }
}

macro_rules! providers {
    (@ firm) => { true };
    (@ weak) => { false };
    ($($rule:literal = $($prefix:literal)|+ + $alphabet:ident * $minimum:literal $strength:ident:
        $description:literal;)*) => {
        &[$(Provider {
            rule: $rule,
            description: $description,
            prefixes: &[$($prefix),+],
            alphabet: Alphabet::$alphabet,
            minimum: $minimum,
            firm: providers!(@ $strength),
        }),*]
    };
}

mod table;

pub(crate) use table::PROVIDERS;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The kind of token at the start of `word`, and its length, without the check for randomness.
    fn taken(word: &str) -> Option<(&'static Provider, usize)> {
        PROVIDERS.iter().find_map(|provider| {
            let rest = provider.prefixes.iter().find_map(|prefix| word.strip_prefix(prefix))?;
            let run = rest.bytes().take_while(|byte| provider.alphabet.contains(*byte)).count();
            (run >= provider.minimum).then_some((provider, word.len() - rest.len() + run))
        })
    }

    /// A token of minimum length that uses every byte of the alphabet in turn.
    fn shortest(provider: &Provider, prefix: &str) -> String {
        let alphabet = (b'!'..=b'~').filter(|byte| provider.alphabet.contains(*byte)).map(char::from);
        let body = alphabet.collect::<Vec<_>>().into_iter().rev().cycle().take(provider.minimum);
        prefix.chars().chain(body).collect()
    }

    #[test]
    fn there_are_at_least_190_kinds() {
        assert!(PROVIDERS.len() >= 190, "{}", PROVIDERS.len());
    }

    #[test]
    fn a_rule_has_one_row_a_valid_id_and_a_description() {
        let mut seen = HashSet::new();
        for Provider { rule, description, prefixes, .. } in PROVIDERS {
            assert!(seen.insert(rule), "{rule}");
            assert!(rule.bytes().all(|byte| Alphabet::LowerAlnum.contains(byte) || byte == b'-'), "{rule}");
            assert!(!description.is_empty() && !description.ends_with('.'), "{rule}");
            assert!(!prefixes.is_empty(), "{rule}");
        }
    }

    #[test]
    fn a_prefix_is_long_enough_to_search_for_and_unique() {
        let mut seen = HashSet::new();
        for prefix in PROVIDERS.iter().flat_map(|provider| provider.prefixes) {
            assert!(prefix.len() >= 3 && prefix.is_ascii(), "{prefix}");
            assert!(seen.insert(prefix), "{prefix}");
        }
    }

    #[test]
    fn a_prefix_comes_before_shorter_ones_that_it_starts_with() {
        let prefixes: Vec<_> = PROVIDERS.iter().flat_map(|provider| provider.prefixes).collect();
        for (at, earlier) in prefixes.iter().enumerate() {
            for later in &prefixes[at + 1..] {
                assert!(!later.starts_with(**earlier), "{earlier} hides {later}");
            }
        }
    }

    #[test]
    fn a_whole_token_is_taken_by_its_own_rule() {
        for provider in PROVIDERS {
            for prefix in provider.prefixes {
                let token = shortest(provider, prefix);
                let (found, length) = taken(&token).unwrap_or_else(|| panic!("{token}"));
                assert_eq!((found.rule, length), (provider.rule, token.len()), "{token}");
                // The next byte of prose or of markup is never part of it.
                for after in [" ", "\"", "`", ")", ",", ";", "<", "\n", "*"] {
                    assert_eq!(taken(&format!("{token}{after}x")).unwrap().1, length, "{token}{after}");
                }
            }
        }
    }

    #[test]
    fn a_prefix_alone_does_not_make_a_secret() {
        let words = "sk-learn sk_buff_head_init re_compile_pattern test_that_a_long_name_of_a_test_is_no_key key-value \
            key_of_the_map pk_live_51 secret_manager_client_factory st.session_state secret-token: \
            api-gateway web_accessibility hf_hub_download npm_config_registry npm_lifecycle_event dapi dose-response \
            fn live_reload_is_enabled AKIA ghp_ github_pat_ glpat- xoxb-token sha256 p.eyJ st.columns v1.0-rc1 \
            pat.match API-KEY SECURITY EAAlike oauth:callback cs_test_a1 sess-1 dp.st. ser.serialize vcr_cassette \
            ops_event cal_days_in_month as-is hooks.slack.com/services/ access-production-logs mdb_sa_id_0123 \
            phc_public whsec_ rnd_state";
        for word in words.split(' ') {
            assert!(taken(word).is_none(), "{word}");
        }
    }
}
