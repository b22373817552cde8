//! Recall: the items that matter for a prompt (spec 004, "Recall Algorithm").

use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::backend::retrying;
use super::collection::{BOUND, STANDING, State, attribute};
use super::draft::check_embedding;
use super::expiry;
use super::place::Places;
use super::preamble::{AROUND, Budget, CountTokens, estimate, preamble};
use super::record::Item;
use super::standing::{Group, MAX_TAKEN, fits, fitting, standing_line};
use super::store::{ItemStore, join};
use super::trust::StatedItems;
use super::usage::Sums;
use crate::disk::Stored;
use crate::error::{Error, Result};
use crate::home::{Home, MAX_RECALL_LIMIT};
use crate::ranking::{
    Field, Hit, Index, JUDGED, Matched, Matches, Prompt, Query, Scale, matched, search, sortable, with_hints,
};
use crate::setters::strings;
use crate::warning::Warning;

/// The half-life of the recency of an item, in milliseconds: thirty days.
const HALF_LIFE: f32 = 30.0 * 24.0 * 60.0 * 60.0 * 1_000.0;

/// A query for items.
#[derive(Clone, Default)]
pub struct RecallQuery {
    prompt: String,
    /// The prompt, if it is redacted already.
    redacted: Option<Prompt>,
    files: Vec<String>,
    crates: Vec<String>,
    langs: Vec<String>,
    limit: Option<usize>,
    max_chars: Option<usize>,
    max_tokens: Option<usize>,
    min_score: Option<f64>,
    is_temporary: bool,
    is_preview: bool,
    count_tokens: Option<Arc<CountTokens>>,
    embedding: Option<Vec<f32>>,
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

    /// A recall for the prompt of a pack.
    pub(super) fn of_pack(prompt: Option<&Prompt>) -> Self {
        RecallQuery { redacted: prompt.cloned(), ..RecallQuery::default() }
    }

    setters! {
        /// What the agent is about to do.
        prompt(prompt: impl Into<String>) => prompt = prompt.into();
        /// The files that the agent is working on, relative to the repository or absolute.
        files(files: impl IntoIterator<Item: Into<String>>) => files = strings(files).unwrap_or_default();
        /// The packages that the agent is working on.
        crates(crates: impl IntoIterator<Item: Into<String>>) => crates = strings(crates).unwrap_or_default();
        /// The programming languages in use.
        langs(langs: impl IntoIterator<Item: Into<String>>) => langs = strings(langs).unwrap_or_default();
        /// The maximum number of items, at most 1,000. Default: as configured.
        limit(limit: impl Into<Option<usize>>) => limit = limit.into();
        /// The maximum length of the preamble, in Unicode scalar values. Default: as configured; no limit if there is one in
        /// tokens.
        max_chars(characters: impl Into<Option<usize>>) => max_chars = characters.into();
        /// The maximum length of the preamble, in tokens, which are counted by
        /// [`count_tokens`](Self::count_tokens), else by the [tokenizer](crate::store::Host::tokenizer) of the store, and
        /// estimated without either. Default: no limit.
        max_tokens(tokens: impl Into<Option<usize>>) => max_tokens = tokens.into();
        /// The score that an item must at least have, from 0 to 1. Default: as configured.
        min_score(score: impl Into<Option<f64>>) => min_score = score.into();
        /// Whether memory is bypassed: nothing is read or written.
        temporary(is_temporary: bool) => is_temporary = is_temporary;
        /// Whether the result is only looked at: the returned items are not counted as seen.
        preview(is_preview: bool) => is_preview = is_preview;
        /// Counts the tokens of a text, for [`max_tokens`](Self::max_tokens).
        count_tokens(count: Arc<CountTokens>) => count_tokens = Some(count);
        /// The embedding vector of the prompt, which is compared with those of the items; made by the same model. Default:
        /// items are compared by their words.
        embedding(embedding: impl Into<Option<Vec<f32>>>) => embedding = embedding.into();
    }
}

/// What a recall returns.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Recall")]
#[non_exhaustive]
pub struct Recall {
    /// The standing items and those that match as text for a prompt, as far as they fit; empty if there are none.
    pub preamble: String,
    /// The user's preferences: first those that apply to every prompt, then those whose hints fit, each of the nearest scope first.
    /// The preamble begins with them.
    pub standing: Vec<Stored<Item>>,
    /// How many preferences apply, but do not fit.
    pub standing_dropped: usize,
    /// How many preferences were not added from this home. They are data until `items.trust` trusts their folder.
    pub untrusted: u64,
    /// The items that match, the most relevant first.
    pub items: Vec<Recalled>,
    /// How many items could have been recalled. 0 means that no stored item can be recalled here.
    pub considered: u64,
    /// How many items match well enough but are beyond the limit.
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
    /// How well it matches, from 0 to 1: how sure it is that an item answers the prompt, for the best one, and less for those that
    /// match less. It means the same for all prompts and all items.
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
    id: [u64; 2],
}

/// Recalls the standing items, and those that matter for `query`, from the stores at `places`, which are found only if something
/// is read.
pub(super) fn recall(home: &Home, places: impl FnOnce() -> Result<Places>, query: &RecallQuery) -> Result<Recall> {
    let limit = query.limit.unwrap_or(home.config().items.recall_limit);
    if limit > MAX_RECALL_LIMIT as usize {
        return Err(Error::validation(format!("limit must be at most {MAX_RECALL_LIMIT}")));
    }
    query.embedding.as_deref().map(check_embedding).transpose()?;
    if query.min_score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
        return Err(Error::validation("minScore must be a number from 0 to 1"));
    }
    if query.is_temporary || home.config().items.is_temporary {
        return Ok(Recall::default());
    }
    let places = places()?;
    let prompt = query.redacted.clone().unwrap_or_else(|| Prompt::new(home.redactor(), &query.prompt));
    retrying(|| recall_once(home, &places, query, &prompt, limit))
}

fn recall_once(home: &Home, places: &Places, query: &RecallQuery, prompt: &Prompt, limit: usize) -> Result<Recall> {
    let config = &home.config().items;
    let local = ItemStore::all_at(home, places.local())?;
    let global = ItemStore::all_at(home, places.global.iter())?;
    let files: Vec<String> = query.files.iter().map(|file| relative(home, &places.top, file)).collect();
    let embedding = query.embedding.as_deref();
    let prompt = Some(prompt);
    let (with_near_words, vector_weight) = (config.with_near_words, config.vector_weight);
    let (crates, langs) = (&query.crates, &query.langs);
    let terms = Query { prompt, files: &files, crates, langs, embedding, with_near_words, vector_weight };
    let now = expiry::now(home);
    // Before the stores are locked.
    let stated = local.iter().chain(&global).map(|store| (store.place().file.clone(), stated(home, store))).collect();
    let mut searched = open(local.iter().chain(&global).collect(), embedding.is_some())?;
    let Standing { items: standing, dropped: standing_dropped, untrusted } =
        standing(home, places, &searched, &stated, &terms, now)?;
    // The global ones come last, and are left out if there are enough others. What is only near is no reason for that.
    searched.sort_by_key(|it| it.store.place().folder.is_none());
    let of_folders = searched.iter().filter(|it| it.store.place().folder.is_some()).count();
    let mut matches = search_in(&searched[..of_folders], &terms, now);
    if matches.has_strict(config.min_repo_candidates) {
        searched.truncate(of_folders);
    } else if searched.len() > of_folders {
        matches = search_in(&searched, &terms, now);
    }
    let considered = searched.iter().map(|it| it.state.recallable(now)).sum();
    let indexes: Vec<&Index> = searched.iter().map(|it| &it.state.index).collect();
    let chosen = best(home, &searched, &matches, limit.max(JUDGED) + 1, now)?;
    let hits: Vec<Hit> = chosen.iter().map(|(candidate, _)| candidate.hit).collect();
    let why = matched(&indexes, &matches, &hits, &terms);
    let confidences = why.iter().take(JUDGED).map(|it| it.confidence);
    let scale = Scale::of(chosen.first().map_or(0.0, |(candidate, _)| candidate.score), confidences);
    let least = query.min_score.unwrap_or(config.recall_min_score);
    let is_enough = |candidate: &Candidate, why: &Matched| why.is_reason() && scale.reported(candidate.score) >= least;
    let (mut chosen, why): (Vec<_>, Vec<_>) =
        chosen.into_iter().zip(why).filter(|((candidate, _), why)| is_enough(candidate, why)).unzip();
    let has_more = chosen.len() > limit;
    chosen.truncate(limit);
    let mut recalled = Vec::with_capacity(chosen.len());
    for ((candidate, item), why) in chosen.iter().zip(why) {
        let Some(from) = searched.get(candidate.hit.index) else { continue };
        let item = join(item.clone(), from.store.place(), &from.sums)?;
        let reasons = reasons(&why, item.counters.used_count);
        recalled.push(Recalled { item, score: scale.reported(candidate.score), reasons, in_preamble: false });
    }
    let dropped = if has_more { matches.count(scale.score(least)).saturating_sub(limit).max(1) } else { 0 };
    // No store is locked while the host counts tokens, and while one waits to be written.
    let stores: Vec<&ItemStore> = searched.into_iter().map(|it| it.store).collect();
    let preamble = preamble_of(home, query, &standing, &mut recalled)?;
    if !query.is_preview {
        count(home, &stores, &chosen);
    }
    Ok(Recall { preamble, standing, standing_dropped, untrusted, items: recalled, considered, dropped })
}

/// The preferences that apply.
struct Standing {
    items: Vec<Stored<Item>>,
    dropped: usize,
    untrusted: u64,
}

/// What the user stated in a store; nothing if that is not known.
fn stated(home: &Home, store: &ItemStore) -> StatedItems {
    store.stated().unwrap_or_else(|error| {
        Warning::new("which items the user stated could not be read, so none applies unasked")
            .because(&error)
            .at(&store.place().file)
            .emit(home.redactor());
        StatedItems::default()
    })
}

/// The preferences that apply to `query`.
fn standing(
    home: &Home,
    places: &Places,
    searched: &[Searched<'_>],
    stated: &HashMap<PathBuf, StatedItems>,
    query: &Query<'_>,
    now: i64,
) -> Result<Standing> {
    let (mut groups, mut untrusted, mut has_bound) = (Vec::new(), 0, false);
    for place in places.nearest_first() {
        let Some(from) = searched.iter().find(|it| it.store.place().file == place.file) else { continue };
        let (index, bound) = (&from.state.index, from.state.index.marked(BOUND));
        has_bound |= !bound.is_empty();
        let mut documents = index.marked(STANDING);
        documents.extend(with_hints(index, bound, query));
        if documents.is_empty() {
            continue;
        }
        let unavailable: HashSet<u32> = from.state.unavailable(now).collect();
        documents.retain(|document| !unavailable.contains(document));
        let newest = |document: &u32| {
            let [changed, first, rest] =
                [attribute::CHANGED, attribute::ID, attribute::ID_REST].map(|at| index.attribute(*document, at));
            (Reverse(changed), first, rest)
        };
        documents.sort_by_key(newest);
        let mut group = Group::default();
        for document in documents {
            let item = from.state.item(&place.file, document)?;
            let is_bound = !item.relevance_hints.is_empty();
            if !item.is_standing() || (is_bound && !fits(&item, query.files, query.crates, query.langs)) {
                continue;
            }
            if !stated.get(&place.file).is_some_and(|stated| stated.has(&item)) {
                untrusted += 1;
                continue;
            }
            let item = join(item, from.store.place(), &from.sums)?;
            if is_bound {
                group.fitting.push(item)
            } else {
                group.always.push(item)
            }
            if group.fitting.len() + group.always.len() == MAX_TAKEN {
                break;
            }
        }
        groups.push(group);
    }
    let (items, dropped) = fitting(groups, has_bound, home.config().items.standing_chars);
    Ok(Standing { items, dropped, untrusted })
}

/// The preamble of the recalled items; marks those that it includes.
fn preamble_of(
    home: &Home,
    query: &RecallQuery,
    standing: &[Stored<Item>],
    recalled: &mut [Recalled],
) -> Result<String> {
    let tokenizer = match (query.max_tokens, &query.count_tokens) {
        (Some(_), None) => home.tokenizer()?,
        _ => None,
    };
    let count_tokens = |text: &str| match (&query.count_tokens, &tokenizer) {
        (Some(count), _) => Ok(count(text)),
        (None, Some(tokenizer)) => tokenizer.count(text),
        (None, None) => Ok(estimate(text)),
    };
    let max_chars = match query.max_tokens {
        // A limit in tokens replaces the configured one in characters.
        Some(_) => query.max_chars.unwrap_or(usize::MAX),
        // The preferences have a space of their own.
        None => query.max_chars.unwrap_or_else(|| {
            let of_standing: usize = standing.iter().map(|item| standing_line(item).chars().count() + 1).sum();
            home.config().items.recall_max_chars + if of_standing > 0 { of_standing + AROUND } else { 0 }
        }),
    };
    let budget = Budget { max_chars, max_tokens: query.max_tokens, count_tokens: &count_tokens };
    let items: Vec<&Item> = recalled.iter().map(|it| &*it.item).collect();
    let standing: Vec<&Item> = standing.iter().map(|it| &**it).collect();
    let (preamble, included) = preamble(&standing, &items, &budget)?;
    recalled.iter_mut().zip(included).for_each(|(it, is_included)| it.in_preamble = is_included);
    Ok(preamble)
}

/// Opens stores in the order of their files, so that calls that open the same ones do not wait for each other.
fn open(mut stores: Vec<&ItemStore>, has_vector: bool) -> Result<Vec<Searched<'_>>> {
    stores.sort_by(|one, other| one.backend.place().file.cmp(&other.backend.place().file));
    stores
        .into_iter()
        .map(|store| {
            let mut state = store.backend.state()?;
            if has_vector && !state.index.has_intact_vectors() {
                drop(state);
                store.backend.reindex();
                state = store.backend.state()?;
            }
            // Without items there are no counts either.
            let sums = if state.index.is_empty() { Arc::default() } else { store.sums()? };
            Ok(Searched { store, state, sums })
        })
        .collect()
}

/// The items that match and may be recalled.
fn search_in(searched: &[Searched<'_>], query: &Query<'_>, now: i64) -> Matches {
    let indexes: Vec<&Index> = searched.iter().map(|it| &it.state.index).collect();
    let mut matches = search(&indexes, query);
    for (index, from) in searched.iter().enumerate() {
        from.state.unavailable(now).for_each(|document| matches.exclude(index, document));
    }
    matches
}

/// The best `limit` matches with their items, ties by id.
fn best(
    home: &Home,
    searched: &[Searched<'_>],
    matches: &Matches,
    limit: usize,
    now: i64,
) -> Result<Vec<(Candidate, Stored<Item>)>> {
    let config = &home.config().items;
    if limit == 0 {
        return Ok(Vec::new());
    }
    let candidate = |hit: Hit| {
        let from = searched.get(hit.index)?;
        let used = if from.sums.is_empty() { None } else { from.used(hit.document) };
        let changed = from.state.index.attribute(hit.document, attribute::CHANGED);
        let latest = changed.max(used.map_or(0, |(_, at)| sortable(at)));
        let age = sortable(now).saturating_sub(latest) as f32;
        let recency = (-age / HALF_LIFE).exp2();
        let frequency = used.map_or(0.0, |(used, _)| 1.0 - 1.0 / (1.0 + used as f32).sqrt());
        let score = hit.score * (1.0 + config.recency_weight * recency + config.frequency_weight * frequency);
        let id = [attribute::ID, attribute::ID_REST].map(|at| from.state.index.attribute(hit.document, at));
        Some(Candidate { hit, score, id })
    };
    // The best without recency and frequency; others must be lifted above the last of them by these.
    let nearest = matches.at_least(matches.nth_best(limit)).into_iter().filter_map(candidate);
    let least = nearest.map(|it| it.score).reduce(f32::min).unwrap_or(0.0);
    let most = 1.0 + config.recency_weight + config.frequency_weight;
    let lifted = matches.at_least(least / most).into_iter().filter_map(candidate);
    let mut candidates: Vec<Candidate> = lifted.filter(|it| it.score >= least).collect();
    let order = |one: &Candidate, other: &Candidate| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id));
    candidates.sort_unstable_by(order);
    // Those whose ids begin alike are sorted when they have been read.
    let Some(last) = candidates.get(limit.min(candidates.len()).wrapping_sub(1)).copied() else {
        return Ok(Vec::new());
    };
    let end = candidates.partition_point(|candidate| order(candidate, &last) != Ordering::Greater);
    candidates.truncate(end);
    let mut items = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let Some(from) = searched.get(candidate.hit.index) else { continue };
        items.push((candidate, from.state.item(&from.store.place().file, candidate.hit.document)?));
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
fn count(home: &Home, stores: &[&ItemStore], chosen: &[(Candidate, Stored<Item>)]) {
    for (index, store) in stores.iter().enumerate() {
        let of_store = chosen.iter().filter(|(candidate, _)| candidate.hit.index == index);
        let ids: Vec<&str> = of_store.map(|(_, item)| item.id.as_str()).collect();
        if let Err(error) = store.usage().seen(home, &ids) {
            Warning::new("the counts of recalled items could not be updated").because(&error).emit(home.redactor());
        }
    }
}

/// A file relative to the repository, if it is in there.
fn relative(home: &Home, top: &Path, file: &str) -> String {
    let path = Path::new(file);
    let inside = |path: &Path| path.strip_prefix(top).ok().and_then(Path::to_str).map(str::to_owned);
    // The file itself may not exist yet.
    let canonical =
        || home.disk().canonical(path.parent()?).ok().map(|folder| folder.join(path.file_name().unwrap_or_default()));
    let found = inside(path).or_else(|| inside(&canonical().filter(|_| path.is_absolute())?));
    found.unwrap_or_else(|| file.to_owned())
}

fn reasons(matched: &Matched, used: u64) -> Vec<String> {
    let mut reasons = Vec::new();
    if !matched.words.is_empty() {
        reasons.push(format!("words: {}", matched.words.join(", ")));
    }
    if !matched.date.is_empty() {
        reasons.push(format!("date: {}", matched.date.join(", ")));
    }
    if !matched.near.is_empty() {
        let pairs: Vec<String> = matched.near.iter().map(|(asked, there)| format!("{asked} ~ {there}")).collect();
        reasons.push(format!("near words: {}", pairs.join(", ")));
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
    if let Some(cosine) = matched.cosine {
        reasons.push(format!("vectors: cosine {cosine:.2}"));
    }
    if used > 0 {
        reasons.push(format!("used {used} {}", if used == 1 { "time" } else { "times" }));
    }
    reasons
}
