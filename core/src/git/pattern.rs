//! git's `wildmatch` in path mode: `*` and `?` do not match a slash, `**` does.

/// The limit on matching steps, against patterns that are made to be slow.
const MAX_STEPS: usize = 1 << 18;
/// The longest accepted pattern, in bytes: paths are not longer, and each star may use a stack frame.
const MAX_PATTERN_BYTES: usize = 4096;

/// Whether the whole `text` matches `pattern`.
pub(crate) fn matches(pattern: &[u8], text: &[u8], ignores_case: bool) -> bool {
    if pattern.len() > MAX_PATTERN_BYTES {
        return false;
    }
    let mut steps = MAX_STEPS;
    Matcher { pattern, text, ignores_case, steps: &mut steps }.matches(0, 0)
}

struct Matcher<'a> {
    pattern: &'a [u8],
    text: &'a [u8],
    ignores_case: bool,
    steps: &'a mut usize,
}

impl Matcher<'_> {
    fn matches(&mut self, mut at: usize, mut place: usize) -> bool {
        while let Some(&mark) = self.pattern.get(at) {
            if *self.steps == 0 {
                return false;
            }
            *self.steps -= 1;
            if mark == b'*' {
                return self.star(at, place);
            }
            let Some(&byte) = self.text.get(place) else { return false };
            let (is_match, length) = match mark {
                b'?' => (byte != b'/', 1),
                b'[' => match class(&self.pattern[at..], byte, self.ignores_case) {
                    Some((is_in, length)) => {
                        // The cost of a class is its length.
                        *self.steps = self.steps.saturating_sub(length);
                        (is_in && byte != b'/', length)
                    }
                    None => return false,
                },
                b'\\' => match self.pattern.get(at + 1) {
                    Some(escaped) => (self.is_same(*escaped, byte), 2),
                    None => return false,
                },
                literal => (self.is_same(literal, byte), 1),
            };
            if !is_match {
                return false;
            }
            at += length;
            place += 1;
        }
        place == self.text.len()
    }

    fn star(&mut self, at: usize, place: usize) -> bool {
        let stars = self.pattern[at..].iter().take_while(|mark| **mark == b'*').count();
        let mut rest = at + stars;
        let begins = at == 0 || self.pattern[at - 1] == b'/';
        let crosses = stars > 1 && begins && matches!(self.pattern.get(rest), None | Some(b'/'));
        if crosses && self.pattern.get(rest) == Some(&b'/') {
            // `**/` also matches zero folders.
            if self.matches(rest + 1, place) {
                return true;
            }
            rest = at + stars;
        }
        for from in place..=self.text.len() {
            if self.matches(rest, from) {
                return true;
            }
            if *self.steps == 0 || (!crosses && self.text.get(from) == Some(&b'/')) {
                return false;
            }
        }
        false
    }

    fn is_same(&self, one: u8, other: u8) -> bool {
        one == other || (self.ignores_case && one.eq_ignore_ascii_case(&other))
    }
}

/// Whether `byte` is in the class at the start of `pattern`, and the class's length; `None` if it is not closed.
fn class(pattern: &[u8], byte: u8, ignores_case: bool) -> Option<(bool, usize)> {
    let is_negated = matches!(pattern.get(1), Some(b'!' | b'^'));
    let first = if is_negated { 2 } else { 1 };
    let (mut at, mut is_in) = (first, false);
    let cases = [byte, if ignores_case { swapped(byte) } else { byte }];
    loop {
        let mut low = *pattern.get(at)?;
        match low {
            b']' if at > first => return Some((is_in != is_negated, at + 1)),
            b'[' if pattern.get(at + 1) == Some(&b':') => {
                let name = &pattern[at + 2..];
                let end = name.windows(2).position(|end| end == b":]")?;
                is_in |= cases.iter().any(|byte| is_of_kind(&name[..end], *byte));
                at += end + 4;
                continue;
            }
            b'\\' => {
                at += 1;
                low = *pattern.get(at)?;
            }
            _ => {}
        }
        at += 1;
        let mut high = low;
        if pattern.get(at) == Some(&b'-') && pattern.get(at + 1).is_some_and(|next| *next != b']') {
            at += 1;
            at += usize::from(pattern.get(at) == Some(&b'\\'));
            high = *pattern.get(at)?;
            at += 1;
        }
        is_in |= cases.iter().any(|byte| (low..=high).contains(byte));
    }
}

fn swapped(byte: u8) -> u8 {
    if byte.is_ascii_lowercase() { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() }
}

fn is_of_kind(name: &[u8], byte: u8) -> bool {
    match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte == b' ' || byte.is_ascii_graphic(),
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => byte.is_ascii_whitespace() || byte == 0x0b,
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::matches;

    #[test]
    fn patterns_match_as_git_documents_them() {
        for (pattern, text, expected) in [
            ("/a/b/**", "/a/b/c/.git", true),
            ("/a/b/**", "/a/bc/.git", false),
            ("**/a/**", "/x/a/.git", true),
            ("**/a/.git", "/a/.git", true),
            ("/a/**/c", "/a/c", true),
            ("/a/**/c", "/a/b/b/c", true),
            ("/a/*/c", "/a/b/b/c", false),
            ("/a/*", "/a/b", true),
            ("a**", "a/b", false),
            ("feature/**", "feature/one/two", true),
            ("f?o", "foo", true),
            ("f?o", "f/o", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[[:digit:]]", "7", true),
            ("[]]", "]", true),
            ("[a", "a", false),
            (r"\*", "*", true),
            (r"\*", "a", false),
            ("A", "a", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes(), false), expected, "{pattern} {text}");
        }
        assert!(matches(b"/A/[B-C]", b"/a/b", true));
    }

    #[test]
    fn slow_and_deep_patterns_terminate() {
        for deep in ["**/".repeat(1_365), "**/".repeat(2_000_000), "*a".repeat(2_000)] {
            assert!(!matches(deep.as_bytes(), "a/".repeat(2_000).as_bytes(), false) || deep.starts_with("**/"));
        }
        let pattern = "*a".repeat(40);
        assert!(!matches(format!("{pattern}b").as_bytes(), "a".repeat(4_000).as_bytes(), false));
    }

    #[test]
    fn a_class_costs_as_many_steps_as_it_is_long() {
        let pattern = format!("[{}]", "a".repeat(3_000));
        let mut steps = super::MAX_STEPS;
        let mut matcher =
            super::Matcher { pattern: pattern.as_bytes(), text: b"b", ignores_case: false, steps: &mut steps };
        assert!(!matcher.matches(0, 0));
        assert!(steps < super::MAX_STEPS - 3_000);
    }

    proptest! {
        #[test]
        fn no_pattern_makes_it_panic(pattern in any::<Vec<u8>>(), text in any::<Vec<u8>>()) {
            matches(&pattern, &text, true);
        }

        #[test]
        fn no_marks_make_it_panic(pattern in "[*?a\\[\\]!^:\\\\/-]{0,12}", text in "[a/*]{0,8}") {
            matches(pattern.as_bytes(), text.as_bytes(), false);
        }
    }
}
