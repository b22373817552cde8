//! The name that was judged last, and its value: a word that ends a name and the sign after it both ask for them.

use std::ops::Range;

use crate::classify::names::Strength;
use crate::detect::keyed;
use crate::detect::name::{self, Name};

/// The last answers about one text.
#[derive(Default)]
pub(crate) struct LastPair {
    /// A place, the name there, and where its phrase starts.
    name: Option<(Range<usize>, Name, usize)>,
    /// The place and strength of a name, and its value.
    value: Option<(Range<usize>, Strength, Option<Range<usize>>)>,
}

impl LastPair {
    /// As [`name::name_in`].
    pub(crate) fn name_in(&mut self, text: &[u8], place: Range<usize>) -> (Name, usize) {
        match &self.name {
            Some((known, name, phrase)) if *known == place => (name.clone(), *phrase),
            _ => {
                let (name, phrase) = name::name_in(text, place.clone());
                self.name = Some((place, name.clone(), phrase));
                (name, phrase)
            }
        }
    }

    /// As [`name::name_before`].
    pub(crate) fn name_before(&mut self, text: &[u8], at: usize) -> Option<Name> {
        name::name_before(text, at, |place| self.name_in(text, place))
    }

    /// As [`keyed::assigned`].
    pub(crate) fn value_of(&mut self, text: &[u8], name: &Name) -> Option<Range<usize>> {
        match &self.value {
            Some((place, strength, value)) if *place == name.place && *strength == name.strength => value.clone(),
            _ => {
                let value = keyed::assigned(text, name);
                self.value = Some((name.place.clone(), name.strength, value.clone()));
                value
            }
        }
    }

    /// The value of the name before the separator at `at`.
    #[inline(never)]
    pub(crate) fn value_before(&mut self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let name = self.name_before(text, at)?;
        self.value_of(text, &name)
    }
}
