//! Words that say nothing about what a text is about: the most frequent English ones, and those that questions begin with.

use std::collections::HashSet;

use once_cell::race::OnceBox;

use crate::lazy::lazily;

/// The stop words, lower-cased and without apostrophes.
const STOP_WORDS: &str = "\
    a about above after again against all also am an and any are aren arent as at be because been before being \
    below between both but by can cannot cant could couldn couldnt d did didn didnt do does doesn doesnt doing \
    don done dont down during each else few for from further get gets got had hadn hadnt has hasn hasnt have \
    haven havent having he her here hers herself him himself his how however i id if ill im in into is isn isnt \
    it its itself ive just let lets like ll m me might more most much must my myself no nor not now o of off on \
    once one only or other our ours ourselves out over own per please re s same shall she should shouldn \
    shouldnt so some such t than that thats the their theirs them themselves then there these they theyre this \
    those through to too under until up upon us use used using ve very was wasn wasnt we were werent what whats \
    when where whether which while who whom whose why will with within without won wont would wouldn wouldnt yes \
    you your youre yours yourself yourselves";

/// True if a lower-case word is one of them.
pub fn is_stop_word(word: &str) -> bool {
    static SET: OnceBox<HashSet<&'static str>> = OnceBox::new();
    lazily(&SET, || STOP_WORDS.split(' ').collect()).contains(word)
}
