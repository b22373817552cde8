//! Performs what the browser asks for: calls of methods, whose outcome is an event.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use loopmem::repo::Identity;
use loopmem::repos::KnownRepo;
use loopmem::safety::escape_controls_on_one_line;
use loopmem::search::{Found, Hit};
use loopmem::status::{Report, RoomStatus};
use loopmem::undo::{Reason, Removal};
use loopmem::{Error, ErrorKind, Result};
use serde_json::{Value, json};

use super::event::{Effect, Event, Known, Opens, Place, Row, Step};
use super::room::{Editable, Page};
use crate::human::editor::{self, Caller, quoted};
use crate::human::screen::{counted, first_line, moment, on_one_line, sanitize, size};
use crate::human::tui::{Left, Ui, message_of};
use crate::human::views::word;
use crate::human::{browsers, form, pages};
use crate::naming::kebab;
use crate::session::{Members, Session};
use crate::wording;

/// The maximum number of records that are listed.
const MOST: u32 = 100_000;
/// How much of a hash is shown.
const HASH_LENGTH: usize = 12;
const FIND: &str = "search.find";

/// Where the browser calls methods.
pub(super) struct Backend<'b> {
    session: &'b Session<'b>,
    /// The params that select the repository in which it was started, as they were given.
    here: Members,
    /// The record that is edited.
    opened: Option<(String, Editable)>,
    /// By hashes: the params that select repositories, see [`params`](Self::params).
    selected: RefCell<HashMap<String, Members>>,
}

impl<'b> Backend<'b> {
    pub(super) fn new(session: &'b Session<'b>, here: Members) -> Self {
        Backend { session, here, opened: None, selected: RefCell::default() }
    }

    /// The places from the home to where the browser begins: in the repository, if there is one.
    ///
    /// # Errors
    /// `ValidationError` and those of `repo.identify`, for a repository that was named.
    pub(super) fn path(&self) -> Result<Vec<Place>> {
        let is_chosen = !self.here.is_empty();
        if self.here.contains_key("repoHash") {
            // It is not checked by anything else.
            self.session.ask::<Report>("status.get", &self.here)?;
        }
        let place = match self.current() {
            Ok(known) if is_chosen || crate::human::environment::is_in_repository() => Some(Place::Repo(known)),
            Err(error) if is_chosen => return Err(error),
            _ => None,
        };
        Ok(std::iter::once(Place::Home).chain(place).collect())
    }

    /// The repository in which the browser was started.
    fn current(&self) -> Result<Known> {
        if let Some(hash) = self.here.get("repoHash").and_then(Value::as_str) {
            let stored: Vec<KnownRepo> = self.session.ask("repo.list", &Members::new())?;
            let known = stored.iter().find(|it| it.repo_hash.as_str() == hash).map(known);
            return Ok(known.unwrap_or_else(|| by_hash(hash)));
        }
        let it: Identity = self.session.ask("repo.identify", &self.here)?;
        Ok(Known { name: named(&it.path, it.branch.as_deref()), params: self.here.clone(), folder: Some(it.path) })
    }

    /// The params that select a repository: its folder, if that has the branch, since some of what belongs to it is found by
    /// that alone.
    fn params(&self, known: &Known) -> Members {
        let (Some(folder), Some(Value::String(hash))) = (&known.folder, known.params.get("repoHash")) else {
            return known.params.clone();
        };
        let mut selected = self.selected.borrow_mut();
        let find = || {
            let by_folder = of_folder(folder);
            let found = self.session.ask("repo.identify", &by_folder);
            if found.is_ok_and(|it: Identity| it.repo_hash.as_str() == hash) { by_folder } else { known.params.clone() }
        };
        selected.entry(hash.clone()).or_insert_with(find).clone()
    }

    /// The hash of the repository in which the browser was started, if it is in one.
    fn current_hash(&self) -> Option<String> {
        match self.here.get("repoHash").and_then(Value::as_str) {
            Some(hash) => Some(hash.to_owned()),
            None => self.session.ask("repo.identify", &self.here).ok().map(|it: Identity| it.repo_hash.to_string()),
        }
    }

    /// Performs an effect that does not need the terminal.
    pub(super) fn perform(&mut self, effect: Effect) -> Event {
        let outcome = match effect {
            Effect::List { place, text } => self.list(place, text),
            Effect::Show { known, page, prompt } => {
                let params = match (page.is_shown_without_prompt, &known.folder) {
                    (false, Some(folder)) => of_folder(folder),
                    _ => self.params(&known),
                };
                (page.make)(self.session, &params, &prompt).map(Event::Shown)
            }
            Effect::Open(hit) => self.edit(&hit).map(|editable| {
                let (schema, members) = (editable.schema, editable.members.clone());
                self.opened = Some((hit.id.clone(), editable));
                Event::Opened { hit, schema, members }
            }),
            Effect::Edit { hit, wanted, is_forced } => self.store(&hit, wanted, is_forced),
            Effect::Remove(hit) => self.refuse_changed(&hit).and_then(|()| {
                let remove =
                    || (crate::human::room(&hit.room).browsing.remove)(self.session, &self.params_of(&hit), &hit);
                self.changing(&hit, "forgot", remove)
            }),
            Effect::BringBack(entry) => self.bring_back(&entry).map(|it| {
                let replaced = if it.reason == Reason::Replaced { "; `removed` has the version before" } else { "" };
                Event::BroughtBack(format!("restored {}{replaced}", described(&it)))
            }),
            Effect::Undo(step) => return self.undo(step),
            Effect::OpenEditor(_) | Effect::OpenRoom(..) | Effect::Leave(_) => return Event::Back,
        };
        outcome.unwrap_or_else(|error| failed(&error))
    }

    /// Opens the browser of a room's own.
    ///
    /// # Errors
    /// Those of the browser.
    pub(super) fn open(&self, known: &Known, room: &str, ui: &mut Ui) -> Result<Left> {
        let folders = of_folder(known.folder.as_deref().unwrap_or_default());
        crate::human::room(room).browsing.open.map_or(Ok(Left::Back), |open| open(self.session, &folders, ui))
    }

    /// Opens the user's editor on a record. The terminal must be as it is for other programs.
    pub(super) fn compose(&self, hit: &Hit) -> Event {
        let composed = self.edit(hit).and_then(|editable| {
            let Editable { schema, members, store } = editable;
            let comment = format!("The {} {}.\nIts text is below the second +++.", hit.kind, on_one_line(&hit.id));
            let text = form::write(schema, &members, &comment);
            let options = self.params_of(hit);
            let options = options
                .iter()
                .map(|(key, value)| format!(" --{} {}", kebab(key), quoted(value.as_str().unwrap_or_default())));
            let options: String = options.collect();
            let resume = format!("loopmem {} edit {}{options}", hit.room, quoted(&hit.id));
            let caller = Caller::Browser { resume: &resume };
            // What happened while the editor was open is not part of the change.
            let take =
                |text: &str| self.changing(hit, "changed", || store(self.session, form::read(schema, text)?, false));
            let event = editor::compose(&format!("{}.md", schema.name), &text, caller, take)?;
            Ok(event.unwrap_or(Event::Unchanged))
        });
        composed.unwrap_or_else(|error| {
            let is_left = error.kind() == ErrorKind::Cancelled && error.path().is_some();
            match failed(&error) {
                Event::Failed { message, is_secret, is_stale, .. } => {
                    Event::Failed { message, is_secret, is_stale, is_kept: is_left }
                }
                event => event,
            }
        })
    }

    fn list(&self, place: Place, text: String) -> Result<Event> {
        let mut faults = Vec::new();
        let rows = match &place {
            Place::Home | Place::Repo(_) | Place::Room(..) if !text.is_empty() => {
                self.found(&place, &text, &mut faults)?
            }
            Place::Home => self.repositories(&mut faults)?,
            Place::Repo(known) => self.rooms_of(known, &mut faults)?,
            Place::Room(..) => {
                let found = self.find(&place, "", MOST)?;
                faults.extend(found.faults);
                found.hits.into_iter().map(|hit| self.record(hit)).collect()
            }
            Place::Rest => {
                let rows = self.rest(&mut faults)?.into_iter().map(|hit| self.record(hit));
                rows.filter(|row| text.is_empty() || contains(row, &text)).collect()
            }
            Place::Trash(known) => {
                let removals: Vec<Removal> = self.session.ask("undo.list", &self.params(known))?;
                let rows = removals.iter().map(|it| self.removal(it));
                rows.filter(|row| text.is_empty() || contains(row, &text)).collect()
            }
        };
        let fault = (!faults.is_empty())
            .then(|| escape_controls_on_one_line(&wording::message(&faults.join("; "))).into_owned());
        Ok(Event::Listed { place, text, rows, fault })
    }

    fn find(&self, place: &Place, query: &str, limit: u32) -> Result<Found> {
        let mut params = place.repo().map_or_else(|| self.here.clone(), |known| self.params(known));
        let rooms = if let Place::Room(_, room) = place { vec![room.clone()] } else { Vec::new() };
        let given = json!({ "query": query, "rooms": rooms, "limit": limit, "whole": true, "recordsOnly": true,
                "all": place.repo().is_none() });
        params.extend(given.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
        self.session.ask(FIND, &params)
    }

    /// The records that match, best first, then those that only contain the text, since its last word may be unfinished.
    fn found(&self, place: &Place, text: &str, faults: &mut Vec<String>) -> Result<Vec<Row>> {
        let matching = match self.find(place, text, MOST) {
            // It is no word yet.
            Err(error) if error.kind() == ErrorKind::Validation => Found::default(),
            found => found?,
        };
        let all = self.find(place, "", MOST)?;
        faults.extend(all.faults);
        let is_home = matches!(place, Place::Home);
        let row = |hit: Hit| {
            let state = if is_home { place_of(&hit) } else { String::new() };
            Row { state, ..self.record(hit) }
        };
        let mut rows: Vec<Row> = matching.hits.into_iter().map(row).collect();
        let known: HashSet<String> = rows.iter().map(Row::key).collect();
        let others = all.hits.into_iter().map(row).filter(|row| contains(row, text) && !known.contains(&row.key()));
        rows.extend(others);
        Ok(rows)
    }

    /// The records of the home that belong to no repository.
    fn rest(&self, faults: &mut Vec<String>) -> Result<Vec<Hit>> {
        let found = self.find(&Place::Rest, "", MOST)?;
        faults.extend(found.faults);
        Ok(found.hits.into_iter().filter(|hit| hit.repo_hash.is_none() && hit.folder.is_none()).collect())
    }

    fn repositories(&self, faults: &mut Vec<String>) -> Result<Vec<Row>> {
        let stored: Vec<KnownRepo> = self.session.ask("repo.list", &Members::new())?;
        let here = self.current_hash();
        let row = |it: &KnownRepo| {
            let is_here = here.as_deref() == Some(it.repo_hash.as_str());
            let opens = if is_here { self.current().unwrap_or_else(|_| known(it)) } else { known(it) };
            let records = it.counts.as_ref().map_or_else(
                || "cannot be read; `loopmem doctor` says why".to_owned(),
                |counts| {
                    let some = counts.iter().filter(|(_, count)| *count > 0);
                    some.map(|(kind, count)| format!("{kind}: {count}")).collect::<Vec<_>>().join(", ")
                },
            );
            Row {
                kind: String::new(),
                label: opens.name.clone(),
                keeps_end: true,
                state: it.counts.as_ref().map_or_else(|| "damaged".to_owned(), |it| counted(it.total(), "record")),
                time: it.modified_at.clone(),
                id: short(it.repo_hash.as_str()),
                text: String::new(),
                details: vec![
                    ("folder", it.path.clone().unwrap_or_default()),
                    ("branch", it.branch.clone().unwrap_or_default()),
                    ("remote", it.remote_url.clone().unwrap_or_default()),
                    ("records", records),
                    ("size", size(it.bytes)),
                    ("changed", moment(&it.modified_at, self.session.now)),
                ],
                opens: Opens::Place(Place::Repo(opens)),
            }
        };
        let mut rows: Vec<Row> = stored.iter().map(row).collect();
        let is_stored = stored.iter().any(|it| here.as_deref() == Some(it.repo_hash.as_str()));
        if !is_stored && let Some(Place::Repo(known)) = self.path()?.pop() {
            let (id, state) = (known.name.clone(), "nothing stored yet".to_owned());
            let opens = Opens::Place(Place::Repo(known));
            rows.insert(0, Row { keeps_end: true, id: id.clone(), ..Row::entry("", id, state, opens) });
        }
        let rest = self.rest(faults)?.len();
        rows.extend((rest > 0).then(|| {
            let name = "outside repositories".to_owned();
            let text = "Contexts and logs of jobs, items and files of yours, and what past sessions left.".to_owned();
            let opens = Opens::Place(Place::Rest);
            Row { text, id: name.clone(), ..Row::entry("", name, counted(rest, "record"), opens) }
        }));
        Ok(rows)
    }

    /// The pages and rooms of a repository, and its trash.
    fn rooms_of(&self, known: &Known, faults: &mut Vec<String>) -> Result<Vec<Row>> {
        let params = self.params(known);
        let report: Report = self.session.ask("status.get", &params)?;
        faults.extend(report.faults.iter().cloned());
        let removed: Vec<Removal> = self.session.ask("undo.list", &params)?;
        // Those that need the folder cannot be made without it.
        let pages = pages().filter(|page| page.is_shown_without_prompt || known.folder.is_some());
        let page = |page: &'static Page| {
            Row::entry(page.name, page.about.to_owned(), String::new(), Opens::Page(known.clone(), page))
        };
        let room = |it: &RoomStatus| {
            let records: Vec<String> = it.records.iter().map(|(kind, count)| counted(*count, kind)).collect();
            let has_own = crate::human::room(&it.room).browsing.open.is_some() && known.folder.is_some();
            let opens = match has_own {
                true => Opens::Room(known.clone(), it.room.clone()),
                false => Opens::Place(Place::Room(known.clone(), it.room.clone())),
            };
            let bytes = if it.bytes > 0 { size(it.bytes) } else { String::new() };
            Row::entry(&it.room, records.join(", "), bytes, opens)
        };
        let mut rows: Vec<Row> = pages.map(page).collect();
        // Rooms with a browser of their own have more than what belongs to the repository.
        let is_stored = |name: &str| report.rooms.iter().any(|it| it.room == name);
        let others = browsers().filter(|name| known.folder.is_some() && !is_stored(name));
        rows.extend(report.rooms.iter().map(room));
        rows.extend(others.map(|name| {
            let label = "nothing of this repository".to_owned();
            Row::entry(name, label, String::new(), Opens::Room(known.clone(), name.to_owned()))
        }));
        let what = format!("{} that can be restored", counted(removed.len(), "record"));
        rows.extend(
            (!removed.is_empty())
                .then(|| Row::entry("removed", what, String::new(), Opens::Place(Place::Trash(known.clone())))),
        );
        Ok(rows)
    }

    fn record(&self, hit: Hit) -> Row {
        let title = hit.title.as_deref().unwrap_or_default();
        let head = match (title, first_line(&hit.text)) {
            ("", line) => line.to_owned(),
            (title, "") => title.to_owned(),
            (title, line) => format!("{title}: {line}"),
        };
        let has_title = !title.is_empty() && title != hit.id;
        let text = if has_title { format!("{title}\n{}", hit.text) } else { hit.text.clone() };
        Row {
            kind: on_one_line(&hit.kind),
            label: on_one_line(&head),
            keeps_end: false,
            state: String::new(),
            time: hit.time.clone().unwrap_or_default(),
            id: hit.id.clone(),
            text,
            details: vec![
                ("tags", hit.tags.join(", ")),
                ("files", hit.files.join(", ")),
                ("folder", hit.folder.clone().unwrap_or_default()),
                ("branch", hit.branch.clone().unwrap_or_default()),
                ("changed", hit.time.as_deref().map_or_else(String::new, |time| moment(time, self.session.now))),
                ("matches", hit.words.join(", ")),
            ],
            opens: Opens::Record(Box::new(hit)),
        }
    }

    fn removal(&self, it: &Removal) -> Row {
        let record: Value = serde_json::from_str(it.record.get()).unwrap_or_default();
        Row {
            kind: on_one_line(&it.kind),
            label: on_one_line(&it.preview),
            keeps_end: false,
            state: word(it.reason),
            time: it.at.clone(),
            id: it.record_id.clone(),
            text: it.preview.clone(),
            details: vec![("at", moment(&it.at, self.session.now)), ("record", record.to_string())],
            opens: Opens::Removal(it.id.clone()),
        }
    }

    /// The params that select what a record belongs to.
    fn params_of(&self, hit: &Hit) -> Members {
        match (&hit.repo_hash, &hit.folder) {
            (Some(hash), _) if self.current_hash().as_deref() != Some(hash) => param("repoHash", hash),
            (None, Some(folder)) => of_folder(folder),
            _ => self.here.clone(),
        }
    }

    fn edit(&self, hit: &Hit) -> Result<Editable> {
        (crate::human::room(&hit.room).browsing.edit)(self.session, &self.params_of(hit), hit)
    }

    fn store(&self, hit: &Hit, wanted: Members, is_forced: bool) -> Result<Event> {
        let Some((_, editable)) = self.opened.as_ref().filter(|(id, _)| *id == hit.id) else {
            return Err(Error::new(ErrorKind::NotFound, "the record is not open"));
        };
        if wanted.is_empty() {
            return Ok(Event::Unchanged);
        }
        self.changing(hit, "changed", || (editable.store)(self.session, wanted, is_forced))
    }

    /// Changes a record, and finds out what undoes it.
    fn changing(&self, hit: &Hit, what: &str, change: impl FnOnce() -> Result<bool>) -> Result<Event> {
        let (params, is_of) = (self.params_of(hit), crate::human::room(&hit.room).browsing.is_of);
        let trash = || -> Result<_> {
            let all = self.session.ask::<Vec<Removal>>("undo.list", &params)?;
            Ok(all.into_iter().filter(|it| it.room == hit.room && is_of(it, hit)).map(|it| it.id))
        };
        let before: HashSet<String> = trash()?.collect();
        if !change()? {
            return Ok(Event::Unchanged);
        }
        // It is done, even if it cannot be found out how to undo it.
        let undoing = trash().and_then(|after| {
            let entries: Vec<String> = after.filter(|id| !before.contains(id)).collect();
            Ok((entries, self.time_of(hit)?))
        });
        let (entries, changed_at) = undoing.unwrap_or_default();
        let label = first_line(hit.title.as_deref().unwrap_or(&hit.text));
        let what = format!("{what} {}: {}", on_one_line(&hit.kind), on_one_line(label));
        Ok(Event::Changed(Step { what, entries, changed_at, hit: Box::new(hit.clone()) }))
    }

    /// When a record was last changed; `None` if it is gone.
    fn time_of(&self, hit: &Hit) -> Result<Option<String>> {
        let known = Known { params: self.params_of(hit), name: String::new(), folder: None };
        let found = self.find(&Place::Room(known, hit.room.clone()), "", MOST)?;
        Ok(found.hits.into_iter().find(|it| it.id == hit.id && it.kind == hit.kind).and_then(|it| it.time))
    }

    /// Refuses a record that is not as it is shown.
    fn refuse_changed(&self, hit: &Hit) -> Result<()> {
        match self.time_of(hit)? {
            time if time == hit.time => Ok(()),
            None => Err(Error::new(ErrorKind::NotFound, "another program has removed it")),
            Some(_) => {
                Err(Error::new(ErrorKind::Conflict, "another program has changed it; it is listed as it is now"))
            }
        }
    }

    fn bring_back(&self, entry: &str) -> Result<Removal> {
        self.session.ask("undo.restore", &param("id", entry))
    }

    /// Undoes a change, unless the record was changed since.
    fn undo(&self, mut step: Step) -> Event {
        let undone = self.time_of(&step.hit).and_then(|time| {
            if time != step.changed_at {
                return Err(Error::new(ErrorKind::Conflict, "another program has changed it since"));
            }
            while let Some(entry) = step.entries.first() {
                self.bring_back(entry)?;
                step.entries.remove(0);
            }
            Ok(())
        });
        match undone {
            Ok(()) => Event::Undone(step),
            Err(error) => {
                let kinds = [ErrorKind::Conflict, ErrorKind::NotFound, ErrorKind::Validation];
                Event::UndoFailed { step, message: message_of(&error), is_final: kinds.contains(&error.kind()) }
            }
        }
    }
}

fn param(key: &str, value: &str) -> Members {
    Members::from_iter([(key.to_owned(), value.into())])
}

fn of_folder(folder: &str) -> Members {
    param("workspace", folder)
}

/// Where a record is, in a word.
fn place_of(hit: &Hit) -> String {
    let folder = hit.folder.as_deref().and_then(|folder| folder.rsplit(['/', '\\']).next());
    folder.map_or_else(|| hit.repo_hash.as_deref().map_or_else(String::new, short), on_one_line)
}

/// A repository that something is stored for.
fn known(it: &KnownRepo) -> Known {
    let hash = it.repo_hash.as_str();
    let name = it.path.as_deref().map_or_else(|| short(hash), |path| named(path, it.branch.as_deref()));
    Known { name, folder: it.path.clone(), ..by_hash(hash) }
}

fn by_hash(hash: &str) -> Known {
    Known { params: param("repoHash", hash), name: short(hash), folder: None }
}

fn named(path: &str, branch: Option<&str>) -> String {
    on_one_line(&branch.map_or_else(|| path.to_owned(), |branch| format!("{path} ({branch})")))
}

fn short(hash: &str) -> String {
    hash.get(..HASH_LENGTH).unwrap_or(hash).to_owned()
}

/// Whether a row has a text, in any case.
fn contains(row: &Row, text: &str) -> bool {
    let text = text.to_lowercase();
    [&row.label, &row.text, &row.id].iter().any(|it| it.to_lowercase().contains(&text))
}

/// What an entry of the trash was: `note: The CI box is slow`.
fn described(it: &Removal) -> String {
    format!("{}: {}", on_one_line(&it.kind), sanitize(first_line(&it.preview)))
}

/// The event of an error.
pub(super) fn failed(error: &Error) -> Event {
    let is_secret = error.kind() == ErrorKind::SecretRefused;
    let is_stale = matches!(error.kind(), ErrorKind::Conflict | ErrorKind::NotFound);
    Event::Failed { message: message_of(error), is_secret, is_stale, is_kept: false }
}
