//! Searches one piece of text with all rules, and its rests again once the secrets between them are gone.

use std::sync::Arc;

use crate::detect::user_rules::UserRules;
use crate::detect::{Normalization, detect, elision, to_original};
use crate::mark::found::{Found, edges, gaps, is_disjoint, merge, sorted_ranges};
use crate::mark::tag::{self, KeySource};
use crate::redact::allowance::{Allowances, Field};
use crate::text::bytes::slice;

/// The budget for searching the surroundings of findings again, as a multiple of the text's length: once a secret is
/// gone, what was glued to it starts a word.
const RESCAN_FACTOR: usize = 16;
/// No shorter run of characters is a token by itself.
const SHORTEST_TOKEN: usize = 16;
/// A shorter piece between two findings hides nothing.
const MIN_PIECE: usize = 8;

/// What a redactor searches with.
#[derive(Clone, Copy)]
pub(super) struct Search<'s> {
    pub(super) user_rules: &'s [Arc<UserRules>],
    pub(super) allowances: &'s Allowances,
    pub(super) keys: &'s dyn KeySource,
}

impl<'s> Search<'s> {
    /// What rules find in a record's JSON without the middles of long strings.
    pub(super) fn detect_in_json(&self, json: &[u8]) -> Vec<Found<'s>> {
        let mut found = Vec::new();
        if let Some(elided) = elision::without_middles(json) {
            detect(self.user_rules, elided.text(), Normalization::InvisibleOnly, &mut found);
            if !found.iter().any(|found| elision::reaches_middle(elided.text(), &found.place)) {
                return to_original(&elided, found).collect();
            }
            found.clear();
        }
        detect(self.user_rules, json, Normalization::InvisibleOnly, &mut found);
        found
    }

    /// The findings in `text`, which is the value of `field` if it is in a record, merged and without what is allowed. An
    /// allowance of a value is for what was merged, and any other for what one rule found.
    pub(super) fn merged(&self, text: &[u8], mut found: Vec<Found<'s>>, field: Option<&Field<'_>>) -> Vec<Found<'s>> {
        self.allowances.drop_from(&mut found, text, field);
        if found.is_empty() {
            return found;
        }
        let mut found = merge(text, found);
        self.allowances.drop_values_from(&mut found, text, field, self.keys);
        found
    }

    /// The secrets of a text that is searched in one piece, in order and without overlaps. The text between them is
    /// searched again by itself, until nothing more is found. So redacting a redacted text changes nothing.
    pub(super) fn find_in_window(&self, text: &[u8], field: Option<&Field<'_>>) -> Vec<Found<'s>> {
        let holes = tag::placeholders(text);
        let mut all = Vec::new();
        // The user's patterns see the whole text, since they may be anchored to its start; matches inside placeholders
        // are dropped.
        self.user_rules.iter().for_each(|set| set.find_patterns(text, &mut all));
        all.retain(|found| is_disjoint(&found.place, &holes));
        if is_short_word(text) {
            self.user_rules.iter().for_each(|set| set.find_values(text, &mut all));
        }
        for gap in gaps(0..text.len(), holes.iter().cloned()).into_iter().filter(|_| !is_short_word(text)) {
            let mut found = Vec::new();
            detect(self.user_rules, slice(text, gap.clone()), Normalization::AllRules, &mut found);
            all.extend(found.into_iter().map(|found| found.shifted_by(gap.start)));
        }
        if all.is_empty() {
            return all;
        }
        let mut all = self.merged(text, all, field);
        if all.is_empty() {
            return all;
        }
        let taken = sorted_ranges(all.iter().map(|found| found.place.clone()).chain(holes));
        let mut open: Vec<_> =
            gaps(0..text.len(), taken.into_iter()).into_iter().flat_map(|gap| edges(text, gap)).collect();
        let mut budget = text.len().saturating_mul(RESCAN_FACTOR);
        while let Some(gap) = open.pop() {
            let piece = slice(text, gap.clone());
            if piece.len() < MIN_PIECE || budget < piece.len() {
                continue;
            }
            budget -= piece.len();
            let mut found = Vec::new();
            detect(self.user_rules, piece, Normalization::BuiltInRules, &mut found);
            if found.is_empty() {
                continue;
            }
            let found = self.merged(piece, found, field);
            if found.is_empty() {
                continue;
            }
            let rests = gaps(0..piece.len(), found.iter().map(|found| found.place.clone()));
            let edges = rests.into_iter().flat_map(|rest| edges(piece, rest));
            open.extend(edges.map(|rest| rest.start + gap.start..rest.end + gap.start));
            all.extend(found.into_iter().map(|found| found.shifted_by(gap.start)));
        }
        // Adjacent pieces may both have found the same secret.
        merge(text, all)
    }
}

/// Whether `text` is a word that is too short for a token and has nothing in it that follows a name: most values of a
/// record are.
fn is_short_word(text: &[u8]) -> bool {
    text.len() < SHORTEST_TOKEN
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/'))
}
