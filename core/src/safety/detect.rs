//! Every detector asked: on the text as it is, on what is left of it without the noise of logs, and on what base64 hides.

use std::sync::Arc;

use super::found::Found;
use super::own::Own;
use super::{anchors, rules, tokens, views};

/// How deep a text may be hidden in another: base64 in base64.
const MAX_DEPTH: usize = 2;

/// What is looked for where noise was taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Views {
    /// They are not looked at.
    None,
    /// What is built in, and the values of the environment.
    Plain,
    /// The user's patterns too.
    WithPatterns,
}

/// Adds what is found in `text`, in no order: all but what the user's patterns find in it as it is.
pub(super) fn detect<'r>(own: &'r [Arc<Own>], text: &[u8], views: Views, found: &mut Vec<Found<'r>>) {
    plainly(own, text, 0, found);
    if views == Views::None {
        return;
    }
    for view in views::of(text) {
        let mut seen = Vec::new();
        plainly(own, view.text(), 0, &mut seen);
        if views == Views::WithPatterns {
            own.iter().for_each(|own| own.find_patterns(view.text(), &mut seen));
        }
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
        own.find_values(text, found);
    }
}
