//! Recall: the items that matter for a prompt (spec 004, "Recall Algorithm").

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::backend::retrying;
use super::collection::{State, attribute, sortable};
use super::place::Places;
use super::preamble::{Budget, preamble};
use super::record::Item;
use super::store::{ItemStore, join};
use super::tokens::CountTokens;
use super::usage::Sums;
use crate::disk::Stored;
use crate::error::{Error, Result};
use crate::home::{Home, MAX_RECALL_LIMIT};
use crate::ranking::{Field, Hit, Index, Matched, Query, matched, search};
use crate::setters::strings;
use crate::warning::Warning;

/// In how many milliseconds the recency of an item halves: thirty days.
const HALF_LIFE: f32 = 30.0 * 24.0 * 60.0 * 60.0 * 1_000.0;

/// What to recall items for.
#[derive(Clone, Default)]
pub struct RecallQuery {
    prompt: String,
    files: Vec<String>,
    crates: Vec<String>,
    langs: Vec<String>,
    limit: Option<usize>,
    max_chars: Option<usize>,
    max_tokens: Option<usize>,
    is_temporary: bool,
    count_tokens: Option<Arc<CountTokens>>,
}

impl fmt::Debug for RecallQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecallQuery").field("prompt", &self.prompt).field("files", &self.files).finish_non_exhaustive()
    }
}

impl RecallQuery {
    /// A recall for this prompt.
    pub fn new(prompt: impl Into<String>) -> Self {
        RecallQuery { prompt: prompt.into(), ..RecallQuery::default() }
    }

    setters! {
        /// The files at hand, relative to the repository or absolute.
        files(files: impl IntoIterator<Item: Into<String>>) => files = strings(files).unwrap_or_default();
        /// The packages at hand.
        crates(crates: impl IntoIterator<Item: Into<String>>) => crates = strings(crates).unwrap_or_default();
        /// The programming languages at hand.
        langs(langs: impl IntoIterator<Item: Into<String>>) => langs = strings(langs).unwrap_or_default();
        /// The maximum number of items, at most 1,000. Default: as configured.
        limit(limit: impl Into<Option<usize>>) => limit = limit.into();
        /// The maximum length of the preamble, in Unicode scalar values. Default: as configured.
        max_chars(characters: impl Into<Option<usize>>) => max_chars = characters.into();
        /// The maximum length of the preamble, in tokens, which are estimated unless
        /// [`count_tokens`](Self::count_tokens) is set. Default: no limit.
        max_tokens(tokens: impl Into<Option<usize>>) => max_tokens = tokens.into();
        /// Whether memory is bypassed: nothing is read or written.
        temporary(is_temporary: bool) => is_temporary = is_temporary;
        /// Counts the tokens of a text, for [`max_tokens`](Self::max_tokens).
        count_tokens(count: Arc<CountTokens>) => count_tokens = Some(count);
    }
}

/// What a recall returns.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Recall")]
#[non_exhaustive]
pub struct Recall {
    /// The items as text for a prompt, as far as they fit; empty if nothing matches.
    pub preamble: String,
    /// The items that match, the most relevant first.
    pub items: Vec<Recalled>,
    /// How many items could have been recalled. If it is 0, nothing is stored.
    pub considered: u64,
    /// How many items match but are beyond the limit.
    pub dropped: usize,
}

/// A recalled item.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RecalledItem")]
#[non_exhaustive]
pub struct Recalled {
    /// The item.
    pub item: Stored<Item>,
    /// How well it matches; higher is better. Scores of different recalls cannot be compared.
    pub score: f64,
    /// Why it was recalled.
    pub reasons: Vec<String>,
    /// Whether the preamble includes it.
    pub in_preamble: bool,
}

/// A store that is searched.
struct Searched<'s> {
    store: &'s ItemStore,
    state: std::sync::RwLockReadGuard<'s, State>,
    sums: Arc<Sums>,
}

/// An item that matches, before it is read.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    hit: Hit,
    score: f32,
    /// The first bytes of its id.
    id: u64,
}

/// Recalls the items that matter for `query` from the stores at `places`.
pub(super) fn recall(home: &Home, places: &Places, query: &RecallQuery) -> Result<Recall> {
    retrying(|| recall_once(home, places, query))
}

fn recall_once(home: &Home, places: &Places, query: &RecallQuery) -> Result<Recall> {
    let config = &home.config().items;
    let limit = query.limit.unwrap_or(config.recall_limit);
    if u32::try_from(limit).is_ok_and(|limit| limit > MAX_RECALL_LIMIT) || u32::try_from(limit).is_err() {
        return Err(Error::validation(format!("limit must be at most {MAX_RECALL_LIMIT}")));
    }
    if query.is_temporary || config.is_temporary {
        return Ok(Recall::default());
    }
    let stores = |places: &mut dyn Iterator<Item = &super::place::Place>| {
        places.map(|place| ItemStore::at(home, place)).collect::<Result<Vec<_>>>()
    };
    let local = stores(&mut places.local())?;
    let global = stores(&mut places.global.iter())?;
    // Stored secrets were replaced by placeholders, so those of the prompt are as well.
    let prompt = home.redactor().scrub(&query.prompt);
    let files: Vec<String> = query.files.iter().map(|file| relative(&places.top, file)).collect();
    let terms = Query { text: &prompt, files: &files, crates: &query.crates, langs: &query.langs };
    let now = i64::try_from(home.milliseconds()).unwrap_or(i64::MAX);
    let mut searched = open(&local)?;
    let mut candidates = search_in(&searched, &terms, now);
    if candidates.len() < config.min_repo_candidates {
        searched.extend(open(&global)?);
        candidates = search_in(&searched, &terms, now);
    }
    let considered = searched.iter().map(|it| it.state.recallable(now)).sum();
    let matching = candidates.len();
    let chosen = best(home, &searched, candidates, limit, now)?;
    let items: Vec<&Item> = chosen.iter().map(|(_, item)| &**item).collect();
    let budget = Budget {
        max_chars: query.max_chars.unwrap_or(config.recall_max_chars),
        max_tokens: query.max_tokens,
        count_tokens: query.count_tokens.as_deref(),
    };
    let (preamble, included) = preamble(&items, &budget);
    let mut recalled = Vec::with_capacity(chosen.len());
    for ((candidate, item), in_preamble) in chosen.iter().zip(included) {
        let Some(from) = searched.get(candidate.hit.index) else { continue };
        let why = matched(&from.state.index, candidate.hit.document, &terms);
        let reasons = reasons(&why, from.sums.of(&item.id).map_or(0, |sum| sum.used));
        let item = join(item.clone(), &from.sums)?;
        recalled.push(Recalled { item, score: f64::from(candidate.score), reasons, in_preamble });
    }
    count(home, searched, &chosen);
    let dropped = matching - recalled.len();
    Ok(Recall { preamble, items: recalled, considered, dropped })
}

fn open(stores: &[ItemStore]) -> Result<Vec<Searched<'_>>> {
    stores
        .iter()
        .map(|store| {
            let state = store.backend.state()?;
            // Without items there are no counts either.
            let sums = if state.index.is_empty() { Arc::default() } else { store.sums()? };
            Ok(Searched { store, state, sums })
        })
        .collect()
}

/// The items that match and may be recalled.
fn search_in(searched: &[Searched<'_>], query: &Query<'_>, now: i64) -> Vec<Candidate> {
    let indexes: Vec<&Index> = searched.iter().map(|it| &it.state.index).collect();
    let candidate = |hit: Hit| {
        let state = &searched.get(hit.index)?.state;
        let id = state.index.attribute(hit.document, attribute::ID);
        state.may_be_recalled(hit.document, now).then_some(Candidate { hit, score: hit.score, id })
    };
    search(&indexes, query).into_iter().filter_map(candidate).collect()
}

/// The best `limit` candidates with their items, ties by id.
fn best(
    home: &Home,
    searched: &[Searched<'_>],
    mut candidates: Vec<Candidate>,
    limit: usize,
    now: i64,
) -> Result<Vec<(Candidate, Stored<Item>)>> {
    let config = &home.config().items;
    if limit == 0 || candidates.is_empty() {
        return Ok(Vec::new());
    }
    // Only those that recency and frequency could lift among the best are looked at.
    let most = 1.0 + config.recency_weight + config.frequency_weight;
    if candidates.len() > limit {
        let (_, last, _) = candidates.select_nth_unstable_by(limit - 1, |one, other| other.score.total_cmp(&one.score));
        let least = last.score / most;
        candidates.retain(|candidate| candidate.score >= least);
    }
    for candidate in &mut candidates {
        let Some(from) = searched.get(candidate.hit.index) else { continue };
        let used = if from.sums.is_empty() { None } else { from.used(candidate.hit.document) };
        let changed = from.state.index.attribute(candidate.hit.document, attribute::CHANGED);
        let latest = changed.max(used.map_or(0, |(_, at)| sortable(at)));
        let age = sortable(now).saturating_sub(latest) as f32;
        let recency = (-age / HALF_LIFE).exp2();
        let frequency = used.map_or(0.0, |(used, _)| 1.0 - 1.0 / (1.0 + used as f32).sqrt());
        candidate.score *= 1.0 + config.recency_weight * recency + config.frequency_weight * frequency;
    }
    let order = |one: &Candidate, other: &Candidate| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id));
    candidates.sort_unstable_by(order);
    // Those whose ids begin alike are told apart when they have been read.
    let last = candidates[limit.min(candidates.len()) - 1];
    let end = candidates.partition_point(|candidate| order(candidate, &last) != std::cmp::Ordering::Greater);
    candidates.truncate(end);
    let mut items = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let Some(from) = searched.get(candidate.hit.index) else { continue };
        items.push((candidate, from.state.item(&from.store.backend.place().file, candidate.hit.document)?));
    }
    items.sort_by(|(one, a), (other, b)| other.score.total_cmp(&one.score).then_with(|| a.id.cmp(&b.id)));
    items.truncate(limit);
    Ok(items)
}

impl Searched<'_> {
    /// How often the item of a document was used, and when last, in milliseconds since 1970.
    fn used(&self, document: u32) -> Option<(u64, i64)> {
        let sum = self.sums.of_hash(self.state.index.id(document)).filter(|sum| sum.used > 0)?;
        Some((sum.used, sum.at.and_then(|at| i64::try_from(at).ok()).unwrap_or(0)))
    }
}

/// Counts that items were recalled. A recall does not fail because that cannot be written.
fn count(home: &Home, searched: Vec<Searched<'_>>, chosen: &[(Candidate, Stored<Item>)]) {
    for (index, Searched { store, state, .. }) in searched.into_iter().enumerate() {
        drop(state);
        let of_store = chosen.iter().filter(|(candidate, _)| candidate.hit.index == index);
        let ids: Vec<&str> = of_store.map(|(_, item)| item.id.as_str()).collect();
        if let Err(error) = store.usage().seen(home, &ids) {
            Warning::new("it could not be counted that items were recalled").because(&error).emit(home.redactor());
        }
    }
}

/// A file relative to the repository, if it is in there.
fn relative(top: &Path, file: &str) -> String {
    let inside = Path::new(file).strip_prefix(top).ok().and_then(Path::to_str);
    inside.unwrap_or(file).to_owned()
}

fn reasons(matched: &Matched, used: u64) -> Vec<String> {
    let mut reasons = Vec::new();
    if !matched.terms.is_empty() {
        reasons.push(format!("words: {}", matched.terms.join(", ")));
    }
    // The nearest folder says it all.
    let mut folder = None;
    for (field, name) in &matched.fields {
        match field {
            Field::File => reasons.push(format!("file: {name}")),
            Field::Folder => folder = folder.or(Some(name)),
            Field::Crate => reasons.push(format!("crate: {name}")),
            Field::Lang => reasons.push(format!("language: {name}")),
        }
    }
    if let Some(folder) = folder.filter(|_| !matched.fields.iter().any(|(field, _)| *field == Field::File)) {
        reasons.push(format!("folder: {folder}"));
    }
    if !matched.neighbouring.is_empty() {
        reasons.push(format!("said nearby in the session: {}", matched.neighbouring.join(", ")));
    }
    if used > 0 {
        reasons.push(format!("used {used} {}", if used == 1 { "time" } else { "times" }));
    }
    reasons
}
