//! Search: one ranked answer over everything that is remembered of a repository, or in the whole home.
//!
//! Rooms say what they have; what is found is ranked together, so that the best comes first whatever it is.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::DateTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::home::{BranchScope, Home, RepoHash};
use crate::ranking::{Analyzer, Content, Prompt, Query, Scored, best, lexical, rank};
use crate::repo::{self, Names, Repo, Workspace};
use crate::room::{Archived, Findable, KeepsJobs, Owner, Sought, Source, or_fault};
use crate::rooms;

/// The number of hits that are returned by default.
const LIMIT: usize = 20;
/// The number of files, and of sessions, that are ranked with everything else.
const RANKED: usize = 30;
/// The number of lines of a hit that are shown, and the maximum length of one, in characters.
const LINES: usize = 3;
const MAX_LINE: usize = 300;

/// A record that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SearchHit")]
#[non_exhaustive]
pub struct Hit {
    /// The room that it is from: `memory`.
    pub room: String,
    /// Its kind: `note`.
    pub kind: String,
    /// Its id. That of a file is its path.
    pub id: String,
    /// The hash that it is stored for; null if it belongs to no repository, or is an item or a file of a folder.
    pub repo_hash: Option<String>,
    /// The branch of that hash, if it is known.
    pub branch: Option<String>,
    /// The folder of the repository, or the one that an item is about, if it is known.
    pub folder: Option<String>,
    /// When it was changed last, RFC 3339, if that is known.
    pub time: Option<String>,
    /// Its title; null if it has none.
    pub title: Option<String>,
    /// Up to three of its lines, those that match best; all of them if that was asked for.
    pub text: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The files that it is about.
    pub files: Vec<String>,
    /// How well it matches; higher is better. Comparable within one answer.
    pub score: f64,
    /// The words of the query that it has.
    pub words: Vec<String>,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SearchResult")]
#[non_exhaustive]
pub struct Found {
    /// The hits, the best first.
    pub hits: Vec<Hit>,
    /// The number of records that were compared.
    pub considered: usize,
    /// What could not be read, and why.
    pub faults: Vec<String>,
}

/// Limits the records that are searched.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Filter {
    all: bool,
    rooms: Vec<String>,
    kinds: Vec<String>,
    since: Option<String>,
    limit: Option<usize>,
    whole: bool,
    records_only: bool,
}

impl Filter {
    setters! {
        /// Includes the records of every repository, branch and job of the home. Default: those of one repository, and of the user.
        all(all: bool) => all = all;
        /// Only those of these rooms. Default: all.
        rooms(rooms: impl IntoIterator<Item: Into<String>>) => rooms = rooms.into_iter().map(Into::into).collect();
        /// Only those of these kinds. Default: all.
        kinds(kinds: impl IntoIterator<Item: Into<String>>) => kinds = kinds.into_iter().map(Into::into).collect();
        /// Only those that were changed at this time or later, RFC 3339. Those without a time are left out then.
        since(since: impl Into<Option<String>>) => since = since.into();
        /// The maximum number of hits. Default: 20.
        limit(limit: impl Into<Option<usize>>) => limit = limit.into();
        /// Returns the whole texts instead of the lines that match. Default: the lines.
        whole(whole: bool) => whole = whole;
        /// Leaves out files of the repository, so that it is not indexed. Default: they are searched.
        records_only(records_only: bool) => records_only = records_only;
    }
}

/// Searches a home. Returned by [`Store::search`](crate::Store::search).
#[derive(Debug, Clone)]
pub struct Search {
    home: Home,
    jobs: Arc<dyn KeepsJobs>,
}

/// A record, and the room that it is from.
type OfRoom = (&'static str, Findable);

impl Search {
    pub(crate) const FIND: &str = "search.find";

    pub(crate) fn new(home: &Home, jobs: Arc<dyn KeepsJobs>) -> Self {
        Search { home: home.clone(), jobs }
    }

    /// Finds what matches `query`: conventions, decisions, notes, summaries, items, files of a model, working contexts and logs, what
    /// past sessions left, and files of the repository. Records of other repositories are only found if that is asked for, and so
    /// are the working contexts of jobs that are not the repository's own.
    ///
    /// If `query` is empty, lists all records except files of the repository, newest first.
    ///
    /// # Errors
    /// `ValidationError` for a query without words that is not empty, an unknown room or a time that is not RFC 3339; `IOError`
    /// for a home that cannot be listed. A room that fails is a fault.
    pub fn find(&self, repo: &Repo, query: &str, filter: &Filter) -> Result<Found> {
        self.home.call(Self::FIND, |home| {
            let prompt = Prompt::new(home.redactor(), query);
            let is_listing = query.trim().is_empty();
            if prompt.terms().is_empty() && !is_listing {
                return Err(Error::validation("query has no words to look for"));
            }
            let since = filter.since.as_deref().map(|since| {
                let message = "since is not an RFC 3339 time such as 2026-12-31T00:00:00Z";
                DateTime::parse_from_rfc3339(since).map_err(|_| Error::validation(message))
            });
            let since = since.transpose()?;
            refuse_unknown(&filter.rooms)?;
            let mut found = Found::default();
            let mut records = self.records(home, repo, &prompt, filter, &mut found.faults)?;
            records.retain(|(_, it)| {
                let time = it.time.as_deref().and_then(|time| DateTime::parse_from_rfc3339(time).ok());
                (filter.kinds.is_empty() || filter.kinds.iter().any(|kind| *kind == it.kind))
                    && since.is_none_or(|since| time.is_some_and(|time| time >= since))
            });
            found.considered = records.len();
            let texts: Vec<String> = records.iter().map(|(_, it)| format!("{}\n{}", it.title, it.text)).collect();
            let contents = records.iter().zip(&texts).map(|((_, it), text)| Content {
                text,
                tags: &it.tags,
                files: &it.files,
                ..Content::default()
            });
            let with_near_words = home.config().with_near_words();
            let query = Query { prompt: Some(&prompt), with_near_words, ..Query::default() };
            let most = filter.limit.unwrap_or(LIMIT);
            let scored = if is_listing { newest(&records, most) } else { best(rank(&query, contents), most) };
            let mut names = BTreeMap::new();
            let mut analyzer = Analyzer::default();
            let check = home.cancel_check();
            for scored in scored {
                check()?;
                let Some((room, it)) = records.get(scored.index) else { continue };
                let text = texts.get(scored.index).map_or("", String::as_str);
                let words = match is_listing {
                    true => Vec::new(),
                    false => analyzer.distinct(&format!("{text}\n{}", it.tags.join(" "))),
                };
                let has = |(term, _): &(&str, &str)| words.binary_search_by(|it| it.as_str().cmp(term)).is_ok();
                let words = prompt.words().filter(has).map(|(_, word)| word.to_owned()).collect();
                let prompt = Some(&prompt).filter(|_| !filter.whole);
                found.hits.push(hit(home, room, it, (scored.score, words), prompt, &mut names));
            }
            Ok(found)
        })
    }

    /// Everything that is compared.
    fn records(
        &self,
        home: &Home,
        repo: &Repo,
        prompt: &Prompt,
        filter: &Filter,
        faults: &mut Vec<String>,
    ) -> Result<Vec<OfRoom>> {
        let check = home.cancel_check();
        let hashes = if filter.all { repo::stored(home)? } else { own(repo) };
        let repos: Vec<Repo> = hashes.iter().map(|hash| Repo::at(home, hash)).collect();
        let mut folders = repo::folders(home, &hashes);
        folders.extend(repo.location().map(|location| location.top.clone()));
        folders.sort();
        folders.dedup();
        let scopes = scopes(home, repo);
        let scopes = Some(scopes.as_slice()).filter(|_| !filter.all);
        let (jobs, is_whole) = (&*self.jobs, true);
        let source = Source { home, repos: &repos, folders: &folders, is_whole, jobs, scopes, with_trash: false };
        let is_wanted = |room: &str| filter.rooms.is_empty() || filter.rooms.iter().any(|it| it == room);
        let mut records = Vec::new();
        for room in rooms::archived().filter(|room| is_wanted(room.name())) {
            let Some(export) = or_fault(room.export(&source), faults)? else { continue };
            faults.extend(export.faults);
            for portable in &export.records {
                check()?;
                records.extend(room.findable(home, portable).map(|it| (room.name(), it)));
            }
        }
        // A list has as many as are asked for.
        let most = if prompt.terms().is_empty() { filter.limit.unwrap_or(LIMIT) } else { RANKED };
        let sought = Sought { prompt, all: filter.all, most, records_only: filter.records_only };
        for room in rooms::ROOMS {
            let Some(name) = room.searched() else { continue };
            if is_wanted(name) {
                let found = or_fault(room.find(repo, &sought), faults)?.unwrap_or_default();
                records.extend(found.into_iter().map(|it| (name, it)));
            }
        }
        Ok(records)
    }
}

/// Refuses a room in which nothing is searched.
fn refuse_unknown(named: &[String]) -> Result<()> {
    let known = || rooms::archived().map(Archived::name).chain(rooms::ROOMS.iter().filter_map(|it| it.searched()));
    match named.iter().find(|name| !known().any(|known| known == *name)) {
        None => Ok(()),
        Some(_) => {
            let known: Vec<&str> = known().collect();
            Err(Error::validation(format!("unknown room; choose from: {}", known.join(", "))))
        }
    }
}

/// The repository, and the ones that it inherits from.
fn own(repo: &Repo) -> Vec<RepoHash> {
    let inherited = repo.parent().into_iter().flat_map(|parent| &parent.hashes);
    std::iter::once(repo.hash()).chain(inherited).cloned().collect()
}

/// The scopes that are the repository's own: those named after its hash, of the branch or of all.
fn scopes(home: &Home, repo: &Repo) -> Vec<String> {
    let shared = repo.location().map(|location| {
        let workspace = Workspace::at(&location.folder).branch_scope(BranchScope::SharedRepo);
        repo::identify(home, &workspace).map(|identity| identity.repo_hash)
    });
    let shared = shared.and_then(Result::ok);
    std::iter::once(repo.hash()).chain(&shared).map(ToString::to_string).collect()
}

fn hit(
    home: &Home,
    room: &str,
    it: &Findable,
    (score, words): (f64, Vec<String>),
    prompt: Option<&Prompt>,
    names: &mut BTreeMap<String, Names>,
) -> Hit {
    let shown = |text: &str| home.redactor().scrub(text).into_owned();
    let (hash, folder) = match &it.owner {
        Owner::Home => (None, None),
        Owner::Folder(folder) => (None, Some(folder.to_string_lossy().into_owned())),
        Owner::Repo(hash) => (Some(hash), None),
    };
    let of_repo = hash.map(|hash| names.entry(hash.to_string()).or_insert_with(|| repo::names(home, hash)));
    let (branch, path) = of_repo.map_or((None, None), |names| (names.branch.clone(), names.path.clone()));
    Hit {
        room: room.to_owned(),
        kind: it.kind.clone().into_owned(),
        id: it.id.clone(),
        repo_hash: hash.map(ToString::to_string),
        branch,
        folder: folder.or(path),
        time: it.time.clone(),
        title: Some(shown(&it.title)).filter(|title| !title.is_empty()),
        // Others may have written it. It is redacted whole: a line, or a part of one, may not show what it is.
        text: prompt.map_or_else(|| shown(&it.text), |prompt| matching(&shown(&it.text), prompt)),
        tags: it.tags.iter().map(|tag| shown(tag)).collect(),
        files: it.files.iter().map(|file| shown(file)).collect(),
        score,
        words,
    }
}

/// The `most` newest records; those without a time come last.
fn newest(records: &[OfRoom], most: usize) -> Vec<Scored> {
    let mut found: Vec<usize> = (0..records.len()).collect();
    let time = |at: &usize| {
        let time = records.get(*at).and_then(|(_, it)| it.time.as_deref());
        time.and_then(|time| DateTime::parse_from_rfc3339(time).ok())
    };
    // Of equal times, what was added last comes first.
    found.sort_by_cached_key(|at| Reverse((time(at), *at)));
    found.into_iter().take(most).map(|index| Scored { index, score: 0.0 }).collect()
}

/// The lines that match best, in their order; the first one if none does.
fn matching(text: &str, prompt: &Prompt) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut chosen: Vec<usize> =
        best(lexical(prompt, lines.iter().copied()), LINES).into_iter().map(|it| it.index).collect();
    if chosen.is_empty() {
        chosen.push(0);
    }
    chosen.sort_unstable();
    let shortened = |line: &&str| line.chars().take(MAX_LINE).collect::<String>();
    chosen.into_iter().filter_map(|at| lines.get(at)).map(shortened).collect::<Vec<_>>().join("\n")
}
