//! Every detector asked: on the text as it is, on what is left of it without the noise of logs, and on what base64 hides.

use std::sync::Arc;

use super::own::Own;
use super::redactor::Found;
use super::{anchors, rules, tokens, views};

/// How deep a text may be hidden in another: base64 in base64.
const MAX_DEPTH: usize = 2;

/// Adds what is found in `text`, in no order.
pub(super) fn detect<'r>(own: &'r [Arc<Own>], text: &[u8], found: &mut Vec<Found<'r>>) {
    plainly(own, text, 0, found);
    for view in views::of(text) {
        let mut seen = Vec::new();
        plainly(own, view.text(), 0, &mut seen);
        found.extend(seen.into_iter().filter_map(|Found { rule, place }| Some(Found::new(rule, view.origin(&place)?))));
    }
}

/// As [`detect`], of a text without noise.
fn plainly<'r>(own: &'r [Arc<Own>], text: &[u8], depth: usize, found: &mut Vec<Found<'r>>) {
    let hidden = |plain: &[u8]| {
        let mut within = Vec::new();
        if depth < MAX_DEPTH {
            plainly(own, plain, depth + 1, &mut within);
        }
        within.iter().map(|found: &Found<'r>| found.rule).min_by_key(|rule| rules::precedence(rule))
    };
    tokens::find(text, &hidden, found);
    anchors::find(text, found);
    for own in own {
        own.find(text, found);
    }
}
