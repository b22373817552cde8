//! The words of a sentence that indicate whether a password follows, in the languages whose words for a password are
//! known.

use once_cell::race::OnceBox;

use crate::lazy::lazily;

/// The longest of these words, in bytes.
const MAX_BYTES: usize = 16;

/// What a word indicates. A word may have several cues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cue {
    /// Words after which the password follows, in the languages whose words for it are known.
    Introduces,
    /// Punctuation after which it follows.
    Sign,
    /// Words that introduce a password only after a word in another language: in English they mean a place.
    IntroducesForeign,
    /// Words after which something else follows.
    Redirects,
    /// Words between the password and the word for it: "… as the password", "… is my password".
    IntroducesBackwards,
    /// Words of other languages that only do so before a foreign word: in English they mean something else.
    IntroducesBackwardsForeign,
    /// Foreign articles and pronouns before an English word for a password.
    Article,
    /// Words that join a user and a password given one after the other.
    Pairs,
    /// Verbs whose object is the password that is asked for.
    AsksToEnter,
}

/// All words, by their cues.
const WORDS: [(Cue, &str); 9] = [
    (
        Cue::Introduces,
        "adalah adesso agora ahora are as auf be became been becomes being brzmi c'est changed devient diventa equals \
        er era es est είναι ήταν foi fue heißt is ist it's je jest jetzt ke lautet lautete luidt lyder là menjadi na naar \
        now nu nun nyní olarak on ora para reads remains sarà sera será set teraz thành til till to war was \
        wordt zní zu à är è é était на тепер теперь це это هو هي है",
    ),
    (Cue::Sign, "- -> : = => – — →"),
    (Cue::IntroducesForeign, "a da di em en in"),
    (
        Cue::Redirects,
        "after against and at because before but by encrypted every expired from hashed if in invalid least \
        longer never not or required since stored than through under until using via when with",
    ),
    (Cue::IntroducesBackwards, "als as come comme como is it's jako sebagai som that's was как як ως"),
    (
        Cue::IntroducesBackwardsForeign,
        "- – — war ist est était es era é è je jest to był było była byl bylo är var er on oli це это был была \
        качестве є була είναι ήταν adalah",
    ),
    (Cue::Article, "das dein della el het je jouw la mia nuova tua una"),
    (Cue::Pairs, "and e en et i und with y"),
    (Cue::AsksToEnter, "enter paste type"),
];

/// The cues of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cues(u16);

impl Cues {
    /// The cues of `word`, ignoring case.
    pub(crate) fn of(word: &[u8]) -> Self {
        static TABLE: OnceBox<Vec<(u128, u16)>> = OnceBox::new();
        let Some(key) = key(word) else { return Cues(0) };
        let table = lazily(&TABLE, build);
        let place = table.binary_search_by_key(&key, |(key, _)| *key);
        Cues(place.ok().and_then(|place| table.get(place)).map_or(0, |(_, cues)| *cues))
    }

    pub(crate) fn has(self, cue: Cue) -> bool {
        self.0 & 1 << cue as u16 != 0
    }
}

/// A word of up to sixteen bytes as a number, since numbers compare faster than text.
fn key(word: &[u8]) -> Option<u128> {
    let mut small = [0; MAX_BYTES];
    let place = small.get_mut(..word.len()).filter(|place| !place.is_empty())?;
    place.copy_from_slice(word);
    place.make_ascii_lowercase();
    Some(u128::from_le_bytes(small))
}

fn build() -> Vec<(u128, u16)> {
    let mut table: Vec<(u128, u16)> = Vec::new();
    for (cue, words) in WORDS {
        for key in words.split(' ').filter_map(|word| key(word.as_bytes())) {
            match table.iter_mut().find(|(known, _)| *known == key) {
                Some((_, cues)) => *cues |= 1 << cue as u16,
                None => table.push((key, 1 << cue as u16)),
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
    fn every_word_fits_and_has_the_cue_it_is_listed_under() {
        for (cue, words) in WORDS {
            for word in words.split(' ') {
                assert!(word.len() <= MAX_BYTES && Cues::of(&word.as_bytes().to_ascii_uppercase()).has(cue), "{word}");
            }
        }
        assert_eq!(Cues::of(b"banana"), Cues(0));
        assert_eq!(Cues::of(&[b'a'; 40]), Cues(0));
    }
}
