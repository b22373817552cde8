//! What working memory provides to context packs and to the doctor.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::adapter::{Adapter, damaged};
use super::context::Context;
use super::entry::MemoryEntry;
use super::key::{Key, Scope};
use super::log::{by_vector, readable};
use super::{FileAdapter, Working, archive, undo};
#[cfg(not(feature = "sqlite"))]
use crate::disk::Kind;
use crate::disk::{Fields, Mode, Stored};
use crate::error::Result;
use crate::finding::Examination;
#[cfg(not(feature = "sqlite"))]
use crate::finding::{Fault, Finding};
use crate::home::Home;
use crate::ranking::{best, lexical};
use crate::repo::Repo;
use crate::room::{
    Archived, Arrival, Brought, Candidates, Checks, Export, Findable, Fragment, KeepsJobs, KeepsTrash, Mark, Need,
    Owner, PackQuery, PackScope, Portable, Room, Section, SectionName, Source, TrashOf, short_ids,
};
use crate::safety::{Timestamp, escape_controls_on_one_line};
use crate::trash::{Entry, Trash, record_of};

/// How many of the latest entries a pack reads.
const LATEST: usize = 1_000;
/// How many entries are included before others because they are relevant.
const RELEVANT: usize = 20;

impl SectionName {
    /// The context of a working scope, one value on each line.
    pub const CONTEXT: SectionName = SectionName::new("context");
    /// The latest entries of a working scope's log, newest first.
    pub const LOG: SectionName = SectionName::new("log");
}

/// The room `working`.
#[derive(Debug)]
pub struct WorkingRoom;

/// Working contexts belong to the home, so a repository has no part in them.
impl Room for WorkingRoom {
    fn sections(&self) -> &'static [Section] {
        &[
            Section {
                name: SectionName::CONTEXT,
                heading: "# Working context",
                reserved: 10,
                noun: ["context value", "context values"],
                gap: "\n",
                is_dated: false,
                need: Need::Scope,
                ..Section::BASIC
            },
            Section {
                name: SectionName::LOG,
                heading: "# Log",
                reserved: 10,
                noun: ["log entry", "log entries"],
                has_vectors: true,
                need: Need::Scope,
                ..Section::BASIC
            },
        ]
    }

    fn candidates(
        &self,
        repo: &Repo,
        is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        query.scope.as_ref().map_or_else(|| Ok(Vec::new()), |scope| scope.candidates(repo.home(), is_wanted, query))
    }

    fn trash(&self) -> Option<&dyn KeepsTrash> {
        Some(self)
    }

    fn archived(&self) -> Option<&dyn Archived> {
        Some(self)
    }

    /// Checks the folders and the database of all scopes, whichever adapter is configured.
    fn examine_home(&self, home: &Home, checks: Checks) -> Result<Examination> {
        let mut found = Examination::default();
        let within = checks.within(home, &home.layout().working(), "nothing can be stored in this folder", &mut found);
        found.absorb(FileAdapter::new(home.clone()).examine(home.wait_options(), within)?);
        found.absorb(database(home, checks)?);
        found.absorb(undo::trash(home).examine(checks.fix)?);
        Ok(found)
    }
}

impl Archived for WorkingRoom {
    fn name(&self) -> &'static str {
        undo::ROOM
    }

    fn export(&self, from: &Source<'_>) -> Result<Export> {
        match from.is_whole || from.scopes.is_some() {
            true => from.jobs.export(from),
            false => Ok(Export::default()),
        }
    }

    fn findable(&self, _: &Home, record: &Portable) -> Option<Findable> {
        archive::findable(record)
    }

    fn import(&self, owner: &Owner, records: &[Portable], into: &Arrival<'_>) -> Result<Brought> {
        match owner {
            Owner::Home => into.jobs.import(records, into),
            _ => Ok(Brought { skipped: records.len(), ..Brought::default() }),
        }
    }
}

impl KeepsTrash for WorkingRoom {
    fn name(&self) -> &'static str {
        undo::ROOM
    }

    fn trashes(&self, home: &Home, _: Option<&Repo>) -> Result<Vec<Trash>> {
        Ok(vec![undo::trash(home)])
    }

    fn restore(&self, place: &TrashOf, entry: &Stored<Entry>, jobs: &dyn KeepsJobs) -> Result<()> {
        if entry.kind != undo::KIND {
            return Err(place.trash().unreadable(entry));
        }
        jobs.restore(place.trash().home(), &entry.record_id, record_of(entry)?)
    }
}

#[cfg(feature = "sqlite")]
fn database(home: &Home, checks: Checks) -> Result<Examination> {
    super::SqliteAdapter::new(home.clone()).examine(home.wait_options(), checks.fix)
}

/// Without SQLite the database cannot be checked, only reported.
#[cfg(not(feature = "sqlite"))]
fn database(home: &Home, _checks: Checks) -> Result<Examination> {
    let path = home.layout().working_database();
    let detail = "it was not checked: this build of loopmem does not include SQLite (cargo feature `sqlite`)";
    let is_there = matches!(home.disk().kind_of(&path), Ok(Some(Kind::File)));
    let findings = is_there.then(|| Finding::new(&path, Fault::Unsupported, detail)).into_iter().collect();
    Ok(Examination { files: 0, findings })
}

/// One scope of working memory, for a [context pack](crate::context::PackBuilder::scope).
#[derive(Debug, Clone)]
pub struct WorkingScope {
    adapter: Arc<dyn Adapter>,
    id: String,
}

impl Working {
    /// The scope with this id. Nothing is read yet.
    pub fn scope(&self, scope_id: impl Into<String>) -> WorkingScope {
        WorkingScope { adapter: Arc::clone(&self.adapter), id: scope_id.into() }
    }
}

impl PackScope for WorkingScope {
    fn check(&self, home: &Home) -> Result<()> {
        self.admitted(home).map(drop)
    }

    fn candidates(
        &self,
        home: &Home,
        is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        let scope = self.admitted(home)?;
        let _lease = self.adapter.lease(home, home.wait_options(), &scope, Mode::Shared)?;
        let mut sections = Vec::new();
        if is_wanted(SectionName::CONTEXT) {
            sections.push(self.context(home, scope.clone(), query)?);
        }
        if is_wanted(SectionName::LOG) {
            sections.push(self.log(home, scope, query)?);
        }
        Ok(sections)
    }
}

impl WorkingScope {
    fn admitted(&self, home: &Home) -> Result<Scope> {
        Scope::admit(home.redactor(), "scopeId", &self.id)
    }

    /// The values of the context in their order. Those that were added last are included before others.
    fn context(&self, home: &Home, scope: Scope, query: &PackQuery) -> Result<Candidates> {
        let key = Key::Context(scope);
        let context = Context::read(&key, self.adapter.get(home.wait_options(), &key)?)?;
        let values: Fields = serde_json::from_str(context.json().get())
            .map_err(|_| damaged(&key, "is not an object with unique keys"))?;
        let named: Vec<(&str, String)> = values.iter().map(|(name, json)| (name, value(name, json))).collect();
        let relevant = relevant(query, named.iter().map(|(_, text)| text.as_str()));
        let fragments: Vec<_> = named.iter().map(|(name, text)| Fragment::verbatim(*name, text.as_str())).collect();
        let newest = (0..fragments.len()).rev().collect();
        Ok(Candidates { section: SectionName::CONTEXT, fragments, relevant, newest, skipped: 0 })
    }

    fn log(&self, home: &Home, scope: Scope, query: &PackQuery) -> Result<Candidates> {
        let listed = self.adapter.list(home.wait_options(), &Key::Logs(scope), Some(LATEST))?;
        let (_, mut entries, skipped) = readable(listed);
        entries.reverse();
        let scores = query.embedding.as_deref().map(|it| by_vector(it, &entries)).unwrap_or_default();
        let relevant = if scores.is_empty() {
            relevant(query, entries.iter().map(|entry| entry.content.as_str()))
        } else {
            best(scores, RELEVANT).into_iter().map(|it| it.index).collect()
        };
        let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        let fragments: Vec<_> = entries.iter().zip(short_ids(&ids)).map(|(entry, id)| fragment(entry, id)).collect();
        let newest = (0..fragments.len()).collect();
        Ok(Candidates { section: SectionName::LOG, fragments, relevant, newest, skipped })
    }
}

/// The indexes of the texts that are relevant for the prompt, if there is one.
fn relevant<'t>(query: &PackQuery, texts: impl Iterator<Item = &'t str>) -> Vec<usize> {
    let Some(prompt) = &query.prompt else { return Vec::new() };
    best(lexical(prompt, texts), RELEVANT).into_iter().map(|it| it.index).collect()
}

/// `name: value` on one line, the value as compact JSON.
fn value(name: &str, json: &RawValue) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    let name = match name.chars().all(is_plain) && !name.is_empty() {
        true => name.to_owned(),
        false => serde_json::Value::from(name).to_string(),
    };
    escape_controls_on_one_line(&format!("- {name}: {}", compact(json.get()))).into_owned()
}

/// JSON without the whitespace between its values; numbers stay as they were written.
fn compact(json: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    let is_kept = |c: &char| {
        let is_kept = is_text || !c.is_ascii_whitespace();
        match c {
            '"' if !is_escaped => is_text = !is_text,
            _ => {}
        }
        is_escaped = is_text && *c == '\\' && !is_escaped;
        is_kept
    };
    json.chars().filter(is_kept).collect()
}

fn fragment(entry: &MemoryEntry, id: &str) -> Fragment {
    #[allow(clippy::cast_possible_truncation, reason = "a time needs no fraction of a millisecond")]
    let time = Timestamp::from_unix_millis(entry.metadata.timestamp as i64);
    let heading = format!("{} ({time})", entry.metadata.source);
    Fragment::record(&*entry.id, Mark { id: Some(id), from: None }, &heading, &entry.content, "", &[])
}
