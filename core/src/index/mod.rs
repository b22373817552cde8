//! The index of a repository's files: a map of what matters in it, never stale, and its symbols (spec 000, "context pack cache").
//!
//! The index is brought up to date by each use. A file that has not changed costs a `stat`. Of each content, its terms and
//! definitions are found in one pass over its bytes, and kept by its hash under the home, so that another branch or work tree
//! parses nothing again. Nothing leaves the machine. No source text is stored but signatures, which are redacted; terms are
//! stored as hashes.

mod compaction;
mod contents;
mod entry;
mod generated;
mod history;
mod map;
mod place;
mod postings;
mod rank;
mod refresh;
mod repo_map;
mod room;
mod scan;
mod segment;
mod structure;
mod symbols;
mod table;

use std::borrow::Cow;
use std::path::Path;

pub use map::{Map, MappedFile};
pub use refresh::Refreshed;
pub(crate) use room::IndexRoom;
pub use scan::Kind;
pub use symbols::{Symbol, SymbolQuery};

use history::History;
use postings::Unfinished;
use refresh::Refresh;
use table::Snapshot;

use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, Layout};
use crate::ranking::Prompt;
use crate::repo::{Location, Repo};
use crate::room::{Findable, Owner};

/// The scanner, for tests.
#[cfg(any(test, feature = "testing"))]
pub(crate) mod testing {
    use super::Kind;
    use super::scan::{self, Language};

    /// All definitions of a file, as the scanner finds them: name, kind, line and signature. The path decides the language.
    pub fn definitions(path: &str, text: &[u8]) -> Vec<(String, Kind, u32, String)> {
        let language = Language::of_path(path.as_bytes());
        let mut found = scan::definitions(language, text, &|| Ok(())).unwrap_or_default();
        found.iter_mut().for_each(super::contents::cut);
        found.into_iter().map(|it| (it.name, it.kind, it.line, it.signature)).collect()
    }
}

/// The names and signatures of the definitions of a file.
#[cfg(any(test, feature = "testing"))]
#[derive(Debug, Clone)]
pub struct FileDefinitions {
    /// The path of the file.
    pub path: String,
    /// In the order of the file: name and signature.
    pub named: Vec<(String, String)>,
}

/// The index of a repository's files.
#[derive(Debug, Clone)]
pub struct Index {
    repo: Repo,
}

impl Repo {
    /// The index of the files of this repository, for maps and symbols.
    pub fn index(&self) -> Index {
        Index { repo: self.clone() }
    }
}

impl Index {
    pub(crate) const REFRESH: &str = "index.refresh";
    pub(crate) const MAP: &str = "index.map";
    pub(crate) const SYMBOLS: &str = "index.symbols";

    /// Brings the index up to date. Every other use does so too.
    ///
    /// # Errors
    /// `Unsupported` for a repository that was opened by its hash; `Cancelled`, with the old index left as it was.
    pub fn refresh(&self) -> Result<Refreshed> {
        self.repo.call(Self::REFRESH, |repo| {
            let begun = repo.home().disk().elapsed();
            let refresh = Refresh::new(repo, location(repo)?);
            let check = repo.home().cancel_check();
            let (snapshot, mut refreshed) = refresh.run(&check)?;
            refresh.keep_map(&snapshot, &check)?;
            let elapsed = repo.home().disk().elapsed().saturating_sub(begun);
            refreshed.elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
            Ok(refreshed)
        })
    }

    /// The map of the repository in at most `max_chars` Unicode scalar values: the files that matter for the prompt and the files
    /// in focus, with the signatures of their most relevant definitions; without either, an overview. The same state of the
    /// files gives the same bytes.
    ///
    /// # Errors
    /// Those of [`refresh`](Self::refresh); `SecretRefused` for a file in focus that looks like a secret.
    pub fn map(&self, max_chars: usize, prompt: Option<&str>, focus_files: &[String]) -> Result<Map> {
        self.repo.call(Self::MAP, |repo| {
            let prompt = prompt.map(|prompt| Prompt::new(repo.home().redactor(), prompt));
            map_of(repo, max_chars, prompt.as_ref(), focus_files, true)
        })
    }

    /// The map without how often and with what files changed, to measure what that does.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn map_without_history(&self, max_chars: usize, prompt: Option<&str>) -> Result<Map> {
        self.repo.call(Self::MAP, |repo| {
            let prompt = prompt.map(|prompt| Prompt::new(repo.home().redactor(), prompt));
            map_of(repo, max_chars, prompt.as_ref(), &[], false)
        })
    }

    /// The names and signatures of the definitions of each file, as the scanner finds them.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn definitions(&self) -> Result<Vec<FileDefinitions>> {
        self.repo.call(Self::SYMBOLS, |repo| {
            let (snapshot, _) = snapshot(repo)?;
            let of_file = |file: &table::FileRow| {
                let definitions = snapshot.definitions(file.content.as_ref()?)?;
                let named = definitions.into_iter().map(|definition| (definition.name, definition.signature));
                Some(FileDefinitions { path: String::from_utf8_lossy(&file.path).into_owned(), named: named.collect() })
            };
            Ok(snapshot.table.files.iter().filter_map(of_file).collect())
        })
    }

    /// The definitions whose names match a query, or those of one file.
    ///
    /// # Errors
    /// Those of [`refresh`](Self::refresh); `ValidationError` for a limit that is too large.
    pub fn symbols(&self, query: &SymbolQuery) -> Result<Vec<Symbol>> {
        self.repo.call(Self::SYMBOLS, |repo| {
            query.check()?;
            let check = repo.home().cancel_check();
            intact(repo, |snapshot| symbols::find(repo.home(), snapshot, query, &check))
        })
    }
}

/// The most of a file of attributes that is read, in bytes.
const MAX_ATTRIBUTES: u64 = 256 << 10;

/// The map for a pack or a caller.
fn map_of(
    repo: &Repo,
    max_chars: usize,
    prompt: Option<&Prompt>,
    focus_files: &[String],
    with_history: bool,
) -> Result<Map> {
    let home = repo.home();
    for file in focus_files {
        home.admit_path("focusFiles", Path::new(file))?;
    }
    let check = home.cancel_check();
    let history = if with_history { Refresh::new(repo, location(repo)?).history(&check)? } else { History::default() };
    let text = home.disk().read_in_work_tree(&location(repo)?.top, b".gitattributes", MAX_ATTRIBUTES);
    let attributes = text.map(|text| generated::Attributes::parse(&text)).unwrap_or_default();
    intact(repo, |snapshot| {
        let rows = focus_files.iter().filter_map(|file| row_of(home, snapshot, file)).collect::<Vec<_>>();
        map::build(
            snapshot,
            &history,
            prompt.map(Prompt::terms).unwrap_or_default(),
            &rows,
            max_chars,
            &|path| attributes.mark(path),
            &check,
        )
    })
}

/// The files that match a prompt, with their texts, the best `most` of them.
fn found(repo: &Repo, prompt: &Prompt, most: usize) -> Result<Vec<Findable>> {
    /// The most of a file that is searched, in bytes.
    const MAX_TEXT: usize = 256 << 10;
    let home = repo.home();
    let (check, location) = (home.cancel_check(), location(repo)?);
    let ranked = intact(repo, |snapshot| {
        let (ranked, _) = rank::Search::new(snapshot)?.rank(prompt.terms(), &[], &History::default(), &check)?;
        let path =
            |it: &rank::Ranked| Some(String::from_utf8_lossy(&snapshot.table.files.get(it.row)?.path).into_owned());
        Ok(ranked.iter().take(most).filter_map(path).collect::<Vec<_>>())
    })?;
    // The items of a folder are found as items.
    let is_of_items = |path: &str| {
        let folder = Path::new(path).parent();
        let above = folder.and_then(Path::parent).and_then(Path::parent);
        above.map(Layout::items_in).as_deref() == folder
    };
    let mut files = Vec::new();
    for path in ranked.into_iter().filter(|path| !is_of_items(path)) {
        check()?;
        let text = home.disk().read_plain_start(&location.top, Path::new(&path), MAX_TEXT).ok().flatten();
        let Some(text) = text else { continue };
        // Whole, since a line by itself may not show that it is part of a secret.
        let text = home.redactor().scrub(&String::from_utf8_lossy(&text)).into_owned();
        let owner = Owner::Folder(location.top.clone());
        files.push(Findable { files: vec![path.clone()], ..Findable::new(owner, "file", path, text) });
    }
    Ok(files)
}

/// The row of a file, relative to the top level or absolute.
fn row_of(home: &Home, snapshot: &Snapshot, file: &str) -> Option<usize> {
    let path = Path::new(file);
    // A folder on the way may be a link.
    let canonical = || home.disk().canonical(path).ok();
    let relative = match path.strip_prefix(&snapshot.top) {
        Err(_) if path.is_absolute() => Cow::Owned(canonical()?.strip_prefix(&snapshot.top).ok()?.to_owned()),
        relative => Cow::Borrowed(relative.unwrap_or(path)),
    };
    let relative = relative.strip_prefix(".").unwrap_or(&relative);
    let relative = relative.as_os_str().as_encoded_bytes();
    snapshot.table.files.binary_search_by(|row| (*row.path).cmp(relative)).ok()
}

/// What `read` finds in the index, up to date. A damaged index is made again, once.
fn intact<T>(repo: &Repo, mut read: impl FnMut(&Snapshot) -> std::result::Result<T, Unfinished>) -> Result<T> {
    let (found, _) = snapshot(repo)?;
    match read(&found) {
        Err(Unfinished::Damaged) => {}
        Err(Unfinished::Ended(error)) => return Err(error),
        Ok(value) => return Ok(value),
    }
    Refresh::new(repo, location(repo)?).forget();
    let (found, _) = snapshot(repo)?;
    read(&found).map_err(|unfinished| match unfinished {
        Unfinished::Ended(error) => error,
        Unfinished::Damaged => {
            let path = repo.home().layout().indexes(repo.hash());
            Error::internal("the index is damaged although it was made again; please report it").at(&path)
        }
    })
}

fn snapshot(repo: &Repo) -> Result<(Snapshot, Refreshed)> {
    Refresh::new(repo, location(repo)?).run(&repo.home().cancel_check())
}

fn location(repo: &Repo) -> Result<&Location> {
    repo.location().ok_or_else(|| {
        let message = "the files of a repository are found by its folder, not by its hash; pass workspace";
        Error::new(ErrorKind::Unsupported, message)
    })
}
