//! Every detector asked: on the text as it is, on what is left of it without the noise of logs, and on what base64 hides.

pub(crate) mod anchors;
pub(crate) mod columns;
pub(crate) mod environment;
pub(crate) mod headers;
pub(crate) mod keyed;
pub(crate) mod own;
pub(crate) mod prose;
pub(crate) mod structures;
pub(crate) mod tokens;
pub(crate) mod urls;
pub(crate) mod views;
pub(crate) mod wraps;

use std::sync::Arc;

use crate::mark::found::Found;
use crate::rules;
use crate::text::invisible;
use crate::text::invisible::Seen;
use own::Own;
use views::View;

/// How deep a text may be hidden in another: base64 in base64.
const MAX_DEPTH: usize = 2;

/// What is looked for where noise was taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Views {
    /// Nothing but invisible characters is taken out of it, which JSON may have as escapes.
    None,
    /// What is built in, and the values of the environment.
    Plain,
    /// The user's patterns too.
    WithPatterns,
}

/// Adds what is found in `text`, in no order: all but what the user's patterns find in it as it is.
pub(crate) fn detect<'r>(own: &'r [Arc<Own>], text: &[u8], views: Views, found: &mut Vec<Found<'r>>) {
    let seen = if views == Views::None { Seen::No } else { invisible::seen_in(text) };
    let bare = if views == Views::None { views::bare_json(text) } else { views::bare(text, seen) };
    in_lines(own, text, views, seen, found);
    if let Some(bare) = bare {
        let mut seen = Vec::new();
        in_lines(own, bare.text(), views, Seen::No, &mut seen);
        if views == Views::WithPatterns {
            own.iter().for_each(|own| own.find_patterns(bare.text(), &mut seen));
        }
        found.extend(in_text(&bare, seen));
    }
}

/// As [`detect`], of a text whose invisible characters were seen; those that hide something stay in it.
fn in_lines<'r>(own: &'r [Arc<Own>], text: &[u8], views: Views, seen: Seen, found: &mut Vec<Found<'r>>) {
    plainly(own, text, 0, found);
    if views == Views::None {
        return;
    }
    for view in views::of(text, seen) {
        let mut seen = Vec::new();
        plainly(own, view.text(), 0, &mut seen);
        if views == Views::WithPatterns {
            own.iter().for_each(|own| own.find_patterns(view.text(), &mut seen));
        }
        found.extend(in_text(&view, seen));
    }
}

/// What was `seen` in a view of a text, where it stands in the text.
fn in_text<'r>(view: &View, seen: Vec<Found<'r>>) -> impl Iterator<Item = Found<'r>> {
    seen.into_iter().filter_map(|Found { rule, place }| Some(Found::new(rule, view.origin(&place)?)))
}

/// As [`detect`], of a text without noise.
fn plainly<'r>(own: &'r [Arc<Own>], text: &[u8], depth: usize, found: &mut Vec<Found<'r>>) {
    let hidden = |plain: &[u8]| {
        let mut within = Vec::new();
        if depth < MAX_DEPTH {
            plainly(own, plain, depth + 1, &mut within);
            if let Some(bare) = invisible::stripped(plain) {
                plainly(own, &bare, depth + 1, &mut within);
            }
        }
        within.iter().map(|found: &Found<'r>| found.rule).min_by_key(|rule| rules::precedence(rule))
    };
    tokens::find(text, &hidden, found);
    anchors::find(text, found);
    for own in own {
        own.find_values(text, found);
    }
}
