//! What was redacted in a record, so that no write is silent about it.

use std::collections::HashMap;

/// What was redacted in a record: how often each rule in each field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redactions {
    /// In the order in which they were found first.
    list: Vec<Redaction>,
    /// The place in the list, by field and rule.
    places: HashMap<(String, String), usize>,
}

/// The secrets that one rule found in one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// The path of the field in the record, such as `metadata.headers`; elements of a list have that of the list. It
    /// contains no secret.
    pub field: String,
    /// The id of the rule.
    pub rule: String,
    /// How many secrets were redacted.
    pub count: usize,
}

impl Redactions {
    /// Counts one more.
    pub(super) fn add(&mut self, field: &str, rule: &str) {
        let key = (field.to_owned(), rule.to_owned());
        let place = *self.places.entry(key).or_insert(self.list.len());
        match self.list.get_mut(place) {
            Some(redaction) => redaction.count += 1,
            None => self.list.push(Redaction { field: field.to_owned(), rule: rule.to_owned(), count: 1 }),
        }
    }

    /// Adds others.
    pub(super) fn absorb(&mut self, others: Redactions) {
        others.list.into_iter().for_each(|it| (0..it.count).for_each(|_| self.add(&it.field, &it.rule)));
    }

    /// They, in the order in which they were found first.
    pub fn into_list(self) -> Vec<Redaction> {
        self.list
    }
}
