//! The words of a sentence that say whether a password comes, in the languages whose words for a password are known.

use std::sync::OnceLock;

use crate::lazy::lazily;

/// The longest of the words, in bytes.
const MAX: usize = 16;

/// What a word says. One may say several things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Words behind which the password follows, in the languages whose words for it are known.
    Tells,
    /// Signs that tell it.
    Sign,
    /// Words that tell only behind a word of another language: in English they say where.
    TellsAbroad,
    /// Words that say that something else follows.
    Turns,
    /// Words that stand between "as" or "is" and the word for a password.
    TellsBack,
    /// Words of other languages before a word for a password that is English.
    Article,
    /// Words behind which user and password are told one after the other.
    Joins,
    /// Verbs whose object is the password that somebody asks for.
    Enters,
}

/// Every word, by what it says.
const WORDS: [(Role, &str); 8] = [
    (
        Role::Tells,
        "adalah adesso agora ahora are as auf be became becomes being brzmi c'est changed devient diventa equals \
        er era es est foi fue heißt is ist it's je jest jetzt ke lautet lautete luidt lyder là menjadi na naar \
        now nu nun nyní olarak on ora para reads remains sarà sera será set teraz thành til till to war was \
        wordt zní zu à är è é était на тепер теперь це это هو هي है",
    ),
    (Role::Sign, "- -> : = => – — →"),
    (Role::TellsAbroad, "a da di em en in"),
    (
        Role::Turns,
        "after against and at because before but by encrypted every expired from hashed if in invalid least \
        longer never not or required since stored than through under until using via when with",
    ),
    (Role::TellsBack, "als as come comme como is jako sebagai som was как як"),
    (Role::Article, "das dein della el het je jouw la mia nuova tua una"),
    (Role::Joins, "and e en et i und with y"),
    (Role::Enters, "enter paste type"),
];

/// What a word says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Roles(u16);

impl Roles {
    /// What `word` says, whatever the case of its letters.
    pub(crate) fn of(word: &[u8]) -> Self {
        static TABLE: OnceLock<Vec<(u128, u16)>> = OnceLock::new();
        let Some(key) = key(word) else { return Roles(0) };
        let table = lazily(&TABLE, build);
        let place = table.binary_search_by_key(&key, |(key, _)| *key);
        Roles(place.ok().and_then(|place| table.get(place)).map_or(0, |(_, roles)| *roles))
    }

    pub(crate) fn has(self, role: Role) -> bool {
        self.0 & 1 << role as u16 != 0
    }
}

/// A word of up to sixteen bytes as a number: comparing two numbers is cheaper than comparing two texts.
fn key(word: &[u8]) -> Option<u128> {
    let mut small = [0; MAX];
    let place = small.get_mut(..word.len()).filter(|place| !place.is_empty())?;
    place.copy_from_slice(word);
    place.make_ascii_lowercase();
    Some(u128::from_le_bytes(small))
}

fn build() -> Vec<(u128, u16)> {
    let mut table: Vec<(u128, u16)> = Vec::new();
    for (role, words) in WORDS {
        for key in words.split(' ').filter_map(|word| key(word.as_bytes())) {
            match table.iter_mut().find(|(known, _)| *known == key) {
                Some((_, roles)) => *roles |= 1 << role as u16,
                None => table.push((key, 1 << role as u16)),
            }
        }
    }
    table.sort_unstable();
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_fits_and_says_what_it_was_listed_for() {
        for (role, words) in WORDS {
            for word in words.split(' ') {
                assert!(word.len() <= MAX && Roles::of(&word.as_bytes().to_ascii_uppercase()).has(role), "{word}");
            }
        }
        assert_eq!(Roles::of(b"banana"), Roles(0));
        assert_eq!(Roles::of(&[b'a'; 40]), Roles(0));
    }
}
