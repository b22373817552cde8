//! Runs every detector on the text as it is, on the text without the noise of logs, on pieces put together, and on what
//! was encoded.

pub(crate) mod announced;
pub(crate) mod answered;
pub(crate) mod api_keys;
pub(crate) mod code;
pub(crate) mod collections;
pub(crate) mod columns;
pub(crate) mod commands;
pub(crate) mod connections;
pub(crate) mod cuts;
pub(crate) mod elision;
pub(crate) mod encoded;
pub(crate) mod environment;
pub(crate) mod headers;
pub(crate) mod inputs;
pub(crate) mod key_bodies;
pub(crate) mod keyed;
pub(crate) mod keys_in_context;
pub(crate) mod last_pair;
pub(crate) mod line_hints;
pub(crate) mod line_wrap;
pub(crate) mod name;
pub(crate) mod normalize;
pub(crate) mod options;
pub(crate) mod other_uses;
pub(crate) mod otp_seeds;
pub(crate) mod pairs;
pub(crate) mod preceding;
pub(crate) mod prose;
pub(crate) mod rows;
pub(crate) mod seed_phrases;
pub(crate) mod separators;
pub(crate) mod spelled;
pub(crate) mod sql;
pub(crate) mod stated;
pub(crate) mod structures;
pub(crate) mod terminals;
pub(crate) mod tokens;
pub(crate) mod triggers;
pub(crate) mod urls;
pub(crate) mod user_rules;
pub(crate) mod value;
pub(crate) mod wifi;

use std::sync::Arc;

use crate::mark::found::Found;
use crate::rules;
use crate::text::bytes::slice;
use crate::text::invisible;
use crate::text::invisible::Presence;
use line_hints::LineHints;
use normalize::NormalizedText;
use user_rules::UserRules;

/// How many levels of base64 or hexadecimal digits inside each other are decoded.
const MAX_DEPTH: usize = 2;

/// How a text is normalized, and which rules are applied to the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Normalization {
    /// For JSON: only invisible characters are removed, which may be written as escapes.
    InvisibleOnly,
    /// All noise is removed; the built-in rules and the values of the environment are applied.
    BuiltInRules,
    /// As `BuiltInRules`, and the user's patterns too.
    AllRules,
}

/// Adds everything found in `text`, in no particular order, except for matches of the user's patterns in the text as it
/// is.
pub(crate) fn detect<'r>(
    user_rules: &'r [Arc<UserRules>],
    text: &[u8],
    normalization: Normalization,
    found: &mut Vec<Found<'r>>,
) {
    let (presence, visible) = if normalization == Normalization::InvisibleOnly {
        (Presence::None, normalize::json_without_invisible(text))
    } else {
        let presence = invisible::presence_in(text);
        (presence, normalize::without_invisible(text, presence))
    };
    detect_lines(user_rules, text, normalization, presence, found);
    if let Some(visible) = visible {
        let mut hits = Vec::new();
        detect_lines(user_rules, visible.text(), normalization, Presence::None, &mut hits);
        if normalization == Normalization::AllRules {
            user_rules.iter().for_each(|set| set.find_patterns(visible.text(), &mut hits));
        }
        found.extend(to_original(&visible, hits));
    }
}

/// As [`detect`], for a text whose invisible characters were classified; those that may hide a secret are not removed.
fn detect_lines<'r>(
    user_rules: &'r [Arc<UserRules>],
    text: &[u8],
    normalization: Normalization,
    presence: Presence,
    found: &mut Vec<Found<'r>>,
) {
    if normalization == Normalization::InvisibleOnly {
        detect_plain(user_rules, text, 0, found);
        return;
    }
    let mut plain = Vec::new();
    detect_plain(user_rules, text, 0, &mut plain);
    let mut hints = LineHints::default();
    let parts = normalize::noisy_parts(text, presence, &mut hints);
    detect_respelled(user_rules, text, &hints, &mut plain);
    found.append(&mut plain);
    for part in parts {
        let mut hits = Vec::new();
        detect_plain(user_rules, part.text(), 0, &mut hits);
        detect_respelled(user_rules, part.text(), &LineHints::of(part.text()), &mut hits);
        if normalization == Normalization::AllRules {
            user_rules.iter().for_each(|set| set.find_patterns(part.text(), &mut hits));
        }
        found.extend(to_original(&part, hits));
    }
}

/// `hits` in a normalized text, at their places in the original.
pub(crate) fn to_original<'r>(normalized: &NormalizedText, hits: Vec<Found<'r>>) -> impl Iterator<Item = Found<'r>> {
    hits.into_iter().filter_map(|Found { rule, place, secret }| {
        let origin = normalized.origin(&place)?;
        let is_respelled = origin.len() != place.len();
        let secret = secret.or_else(|| is_respelled.then(|| slice(normalized.text(), place).to_vec()));
        Some(Found { rule, place: origin, secret })
    })
}

/// Adds what only appears when the pieces of `text` are put together or its encodings are read.
fn detect_respelled<'r>(user_rules: &'r [Arc<UserRules>], text: &[u8], hints: &LineHints, found: &mut Vec<Found<'r>>) {
    for view in cuts::views(text, &hints.cuts, found) {
        let mut hits = Vec::new();
        detect_plain(user_rules, view.text().text(), 0, &mut hits);
        found.extend(to_original(view.text(), hits).filter(|found| view.is_new(&found.place)));
    }
    let mut done = 0;
    hints.spaced.iter().for_each(|start| spelled::find_spaced(text, *start, &mut done, found));
    let plain = hints.has_soft_break.then(|| encoded::quoted_printable(text)).flatten();
    for decoded in encoded::hexdumps(text, &hints.dumps).into_iter().chain(plain).chain(encoded::header_words(text)) {
        let mut hits = Vec::new();
        detect_plain(user_rules, decoded.text(), 0, &mut hits);
        found.extend(to_original(&decoded, hits).filter(|found| found.secret.is_some()));
    }
}

/// As [`detect`], without any normalization.
fn detect_plain<'r>(user_rules: &'r [Arc<UserRules>], text: &[u8], depth: usize, found: &mut Vec<Found<'r>>) {
    let find_hidden = |decoded: &[u8]| -> Option<(&'r str, Vec<u8>)> {
        let mut inner = Vec::new();
        if depth < MAX_DEPTH {
            detect_plain(user_rules, decoded, depth + 1, &mut inner);
            if let Some(visible) = invisible::stripped(decoded) {
                let known = inner.len();
                detect_plain(user_rules, &visible, depth + 1, &mut inner);
                for found in inner.iter_mut().skip(known) {
                    found.secret.get_or_insert_with(|| slice(&visible, found.place.clone()).to_vec());
                }
            }
        }
        let most_specific = inner.into_iter().min_by_key(|found: &Found<'r>| rules::precedence(found.rule))?;
        let secret = most_specific.written_plainly(decoded).to_vec();
        Some((most_specific.rule, secret))
    };
    tokens::find(text, &find_hidden, found);
    triggers::find(text, found);
    for set in user_rules {
        set.find_values(text, found);
    }
}
