//! The redactor: runs every rule, merges overlapping findings, and replaces each by its placeholder.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::detect::keyed;
use crate::detect::user_rules::{Pattern, UserRules};
use crate::detect::{Normalization, detect, elision, to_original};
use crate::error::Result;
use crate::mark::found::{Finding, Found, edges, gaps, is_disjoint, merge, replace, sorted_ranges, tagged};
use crate::mark::tag::{self, Key, KeySource, ProcessKey};
use crate::redact::allowance::{Allowance, Allowances, Field};
use crate::rules::general;
use crate::rules::{self, Rule, RuleKind};
use crate::text::blocks::{BLOCK, Walk, block};
use crate::text::bytes::{is_of_run, run_end, slice};
use crate::text::invisible;

/// The budget for searching the surroundings of findings again, as a multiple of the text's length: once a secret is
/// gone, what was glued to it starts a word.
const RESCAN_FACTOR: usize = 16;
/// No shorter run of characters is a token by itself.
const SHORTEST_TOKEN: usize = 16;
/// A shorter piece between two findings hides nothing.
const MIN_PIECE: usize = 8;

/// Finds and redacts secrets. Cheap to clone. Its `Debug` shows how many patterns and values it has, and none of them.
#[derive(Clone)]
pub struct Redactor {
    user_rules: Vec<Arc<UserRules>>,
    keys: Arc<dyn KeySource>,
    /// What is no secret, although a rule finds it.
    allowances: Allowances,
}

impl Redactor {
    /// A redactor with the user's `patterns` (regular expressions) and the process's `environment`, of which only the
    /// values of variables with matching names are kept. Its tags use a key private to this process.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) if a pattern does not compile or is too large. The error gives the
    /// pattern's place and not its text, which may itself be a secret.
    pub fn new(patterns: &[String], environment: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let patterns = Pattern::unnamed("memory.redactionPatterns", patterns);
        Redactor::with(patterns, environment, Arc::new(ProcessKey))
    }

    /// A redactor with these patterns, this environment, and tags made with these keys.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(
        patterns: Vec<Pattern>,
        environment: impl IntoIterator<Item = (String, String)>,
        keys: Arc<dyn KeySource>,
    ) -> Result<Self> {
        Ok(Redactor {
            user_rules: vec![UserRules::new(patterns, environment)?],
            keys,
            allowances: Allowances::default(),
        })
    }

    /// This redactor with more patterns.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn and(&self, patterns: Vec<Pattern>) -> Result<Self> {
        let mut more = self.clone();
        if !patterns.is_empty() {
            more.user_rules.push(UserRules::new(patterns, [])?);
        }
        Ok(more)
    }

    /// This redactor with other keys for tags.
    pub fn with_keys(&self, keys: Arc<dyn KeySource>) -> Self {
        Redactor { keys, ..self.clone() }
    }

    /// This redactor with more of what is no secret. [Check](Allowance::check) them first.
    #[must_use]
    pub fn allowing(&self, allowances: &[Allowance]) -> Self {
        Redactor { allowances: self.allowances.and(allowances), ..self.clone() }
    }

    /// This redactor without what is no secret.
    #[must_use]
    pub fn allowing_nothing(&self) -> Self {
        Redactor { allowances: Allowances::default(), ..self.clone() }
    }

    /// What is no secret, although a rule finds it.
    pub fn allowances(&self) -> &[Allowance] {
        self.allowances.list()
    }

    /// All rules: the built-in ones, then the user's own.
    pub fn rules(&self) -> Vec<Rule> {
        let user_rules = self.user_rules.iter().flat_map(|set| set.patterns()).map(|pattern| Rule {
            id: pattern.id.clone().into(),
            description: pattern.description.clone().into(),
            kind: RuleKind::Custom,
        });
        rules::built_in().chain(user_rules).collect()
    }

    /// `text` with every secret replaced by `[REDACTED:rule:tag]`; borrowed if there is none.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.replaced(text, self.find_bytes(text.as_bytes()), |keys| keys.persistent()).0
    }

    /// As [`redact`](Self::redact), together with the secrets, whose places are those in `text`.
    pub fn redact_found<'t>(&self, text: &'t str) -> (Cow<'t, str>, Vec<Finding<'_>>) {
        self.replaced(text, self.find_bytes(text.as_bytes()), |keys| keys.persistent())
    }

    /// As [`redact_found`](Self::redact_found), for the value of the field with this path.
    pub fn redact_field<'t>(&self, path: &str, text: &'t str) -> (Cow<'t, str>, Vec<Finding<'_>>) {
        let field = Field { key: None, path: &|| path.to_owned() };
        self.replaced(text, self.find_allowing(text.as_bytes(), Some(&field)), |keys| keys.persistent())
    }

    /// As [`redact`](Self::redact), for text that is reported and not stored: an error or a line of a log. The tags use
    /// the home's key only if it already exists.
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.replaced(text, self.find_bytes(text.as_bytes()), |keys| keys.ephemeral()).0
    }

    /// The secrets in the value of a field of a record.
    pub(crate) fn find_under(&self, field: &Field<'_>, text: &str) -> Vec<Found<'_>> {
        let is_secret =
            field.key.is_some_and(|key| keyed::is_secret_under(key, text)) && !tag::is_placeholder(text.as_bytes());
        if is_secret {
            let whole =
                self.merged(text.as_bytes(), vec![Found::new(general::KEYED_VALUE, 0..text.len())], Some(field));
            if !whole.is_empty() {
                return whole;
            }
        }
        self.find_allowing(text.as_bytes(), Some(field))
    }

    /// The findings of one pass over a record's JSON without the middles of long strings, in order. Its strings are also
    /// searched one by one.
    pub(crate) fn find_in_json(&self, json: &str) -> Vec<Found<'_>> {
        let found = self.detect_in_json(json.as_bytes());
        let found = self.merged(json.as_bytes(), found, None);
        let holes = tag::placeholders(json.as_bytes());
        found.into_iter().filter(|found| is_disjoint(&found.place, &holes)).collect()
    }

    fn detect_in_json(&self, json: &[u8]) -> Vec<Found<'_>> {
        let mut found = Vec::new();
        if let Some(elided) = elision::without_middles(json) {
            detect(&self.user_rules, elided.text(), Normalization::InvisibleOnly, &mut found);
            if !found.iter().any(|found| elision::reaches_middle(elided.text(), &found.place)) {
                return to_original(&elided, found).collect();
            }
            found.clear();
        }
        detect(&self.user_rules, json, Normalization::InvisibleOnly, &mut found);
        found
    }

    /// The findings in `text`, which is the value of `field` if it is in a record, merged and without what is allowed. An
    /// allowance of a value is for what was merged, and any other for what one rule found.
    fn merged<'r>(&self, text: &[u8], mut found: Vec<Found<'r>>, field: Option<&Field<'_>>) -> Vec<Found<'r>> {
        self.allowances.drop_from(&mut found, text, field);
        if found.is_empty() {
            return found;
        }
        let mut found = merge(text, found);
        self.allowances.drop_values_from(&mut found, text, field, &*self.keys);
        found
    }

    /// As [`find_under`](Self::find_under), together with what `in_context` returns: findings in the whole record that
    /// overlap this text. Its argument says whether the text itself has any findings.
    pub(crate) fn find_in_field<'r>(
        &'r self,
        field: &Field<'_>,
        text: &str,
        in_context: impl FnOnce(bool) -> Vec<Found<'r>>,
    ) -> Vec<Found<'r>> {
        let mut found = self.find_under(field, text);
        let mut in_context = in_context(!found.is_empty());
        self.allowances.drop_from(&mut in_context, text.as_bytes(), Some(field));
        self.allowances.drop_values_from(&mut in_context, text.as_bytes(), Some(field), &*self.keys);
        if in_context.is_empty() || tag::is_placeholder(text.as_bytes()) {
            return found;
        }
        found.extend(in_context);
        merge(text.as_bytes(), found)
    }

    /// `text` with what was found in it replaced by placeholders, and the findings with their tags.
    pub(crate) fn replaced<'t, 'r>(
        &self,
        text: &'t str,
        found: Vec<Found<'r>>,
        key: fn(&dyn KeySource) -> Key,
    ) -> (Cow<'t, str>, Vec<Finding<'r>>) {
        if found.is_empty() {
            return (Cow::Borrowed(text), Vec::new());
        }
        let found = tagged(text.as_bytes(), found, &key(&*self.keys));
        let mut out = Vec::with_capacity(text.len());
        replace(text.as_bytes(), &found, &mut out);
        // Findings start and end at character boundaries, so this is valid UTF-8.
        let out = String::from_utf8(out).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned());
        (Cow::Owned(out), found)
    }

    /// All secrets in `text`, which need not be UTF-8, in order and without overlaps.
    pub fn find<T: AsRef<[u8]> + ?Sized>(&self, text: &T) -> Vec<Finding<'_>> {
        let text = text.as_ref();
        let found = self.find_bytes(text);
        if found.is_empty() { Vec::new() } else { tagged(text, found, &self.keys.persistent()) }
    }

    pub(crate) fn find_bytes(&self, text: &[u8]) -> Vec<Found<'_>> {
        self.find_allowing(text, None)
    }

    /// As [`find_bytes`](Self::find_bytes), for the value of `field` if it is in a record.
    fn find_allowing(&self, text: &[u8], field: Option<&Field<'_>>) -> Vec<Found<'_>> {
        let mut all = Vec::new();
        let mut walk = Walk::default();
        while let Some(found) = self.step(text, &mut walk, true, field) {
            all.extend(found);
        }
        all
    }

    /// Redacts the next block of a stream, of which `text` is known so far; `false` if more is needed.
    pub(crate) fn write_step<'r>(
        &'r self,
        text: &[u8],
        walk: &mut Walk<'r>,
        is_whole: bool,
        out: &mut Vec<u8>,
    ) -> bool {
        let start = walk.at;
        let Some(found) = self.step(text, walk, is_whole, None) else { return false };
        self.write(text, start..walk.at, found, out);
        true
    }

    /// Appends a part of `text` to `out`, with what was found in it replaced.
    pub(super) fn write(&self, text: &[u8], part: Range<usize>, found: Vec<Found<'_>>, out: &mut Vec<u8>) {
        let start = part.start;
        let part = slice(text, part);
        if found.is_empty() {
            out.extend_from_slice(part);
        } else {
            let found = found.into_iter().map(|found| found.shifted_back_by(start)).collect();
            replace(part, &tagged(part, found, &self.keys.persistent()), out);
        }
    }

    /// How many bytes at the end of `text` are the beginning of an environment value.
    pub(super) fn begun_value(&self, text: &[u8]) -> usize {
        self.user_rules.iter().map(|set| set.begun_value(text)).max().unwrap_or_default()
    }

    /// The secrets that start in the next block of `text`, in order and without overlaps; `None` if the text is done,
    /// or more of it is needed.
    fn step<'r>(
        &'r self,
        text: &[u8],
        walk: &mut Walk<'r>,
        is_whole: bool,
        field: Option<&Field<'_>>,
    ) -> Option<Vec<Found<'r>>> {
        let block = match block(text, walk.at, is_whole) {
            Ok(block) => block,
            Err(needed) => {
                walk.needed = needed;
                return None;
            }
        };
        let start = walk.at;
        if let Some(found) = continued(text, walk) {
            return Some(vec![found]);
        }
        let mut found = self.find_from(text, start, block.window.clone(), field);
        found.retain(|found| found.place.start < block.end);
        let last = found.last();
        walk.at = last.map_or(block.end, |last| last.place.end.max(block.end));
        let reaches = |found: &Found<'_>| invisible::run_end(text, found.place.end) >= block.window.end;
        walk.open = last.filter(|last| !block.is_last && reaches(last)).map(|last| last.rule);
        Some(found)
    }

    /// The secrets of a window, in order and without overlaps; only what is at or after `start`.
    pub(super) fn find_from(
        &self,
        text: &[u8],
        start: usize,
        window: Range<usize>,
        field: Option<&Field<'_>>,
    ) -> Vec<Found<'_>> {
        let seen = self.find_in_window(slice(text, window.clone()), field).into_iter();
        let mut found: Vec<_> = seen.map(|found| found.shifted_by(window.start)).collect();
        for found in &mut found {
            found.place.start = found.place.start.max(start);
        }
        found.retain(|found| !found.place.is_empty());
        found
    }

    /// The secrets of a text that is searched in one piece, in order and without overlaps. The text between them is
    /// searched again by itself, until nothing more is found. So redacting a redacted text changes nothing.
    pub(super) fn find_in_window(&self, text: &[u8], field: Option<&Field<'_>>) -> Vec<Found<'_>> {
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
            detect(&self.user_rules, slice(text, gap.clone()), Normalization::AllRules, &mut found);
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
            detect(&self.user_rules, piece, Normalization::BuiltInRules, &mut found);
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

/// The next part of the secret that reached the end of the last window, if it continues. An unbounded secret becomes
/// several findings, so that it need not be held as a whole.
pub(super) fn continued<'r>(text: &[u8], walk: &mut Walk<'r>) -> Option<Found<'r>> {
    let rule = walk.open.take()?;
    let start = walk.at;
    let end = unbounded_end(text, start);
    if end == start {
        return None;
    }
    walk.at = end;
    walk.open = (end >= start + BLOCK).then_some(rule);
    Some(Found::new(rule, start..end))
}

/// Whether `text` is a word that is too short for a token and has nothing in it that follows a name: most values of a
/// record are.
fn is_short_word(text: &[u8]) -> bool {
    text.len() < SHORTEST_TOKEN
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/'))
}

/// The end of the part of an unbounded secret that starts at `start`, at most a block long.
fn unbounded_end(text: &[u8], start: usize) -> usize {
    let (mut end, most) = (start, start + BLOCK);
    loop {
        let visible = invisible::run_end(text, end);
        let next = run_end(text, visible, most.saturating_sub(visible), is_of_run);
        if next == visible {
            return end;
        }
        end = next;
    }
}

impl Default for Redactor {
    /// The built-in rules alone, with tags private to this process.
    fn default() -> Self {
        Redactor { user_rules: Vec::new(), keys: Arc::new(ProcessKey), allowances: Allowances::default() }
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("patterns", &self.user_rules.iter().map(|set| set.patterns().count()).sum::<usize>())
            .field("environment", &self.user_rules.iter().map(|set| set.value_count()).sum::<usize>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
