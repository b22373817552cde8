//! Performs the effects of the browser: calls of methods, whose outcome is an event.

use std::path::PathBuf;

use loopmem::methods::Removed;
use loopmem::repo::Workspace;
use loopmem::undo::{Reason, Removal};
use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;

use super::event::{Effect, Event, Failure, Filter};
use super::history::{Change, Inverse, Step};
use crate::human::editor::{Caller, quoted};
use crate::human::identified::Identified;
use crate::human::items::add::{compose as compose_new, store};
use crate::human::items::change::{change, compose, of_item};
use crate::human::items::item::Item;
use crate::human::tui::message_of;
use crate::session::{Members, Session};

/// Where the browser calls methods.
pub(super) struct Backend<'b> {
    pub(super) session: &'b Session<'b>,
    /// The params that say which stores apply.
    pub(super) folders: Members,
}

impl Backend<'_> {
    /// Where a new item applies if it is not said.
    ///
    /// # Errors
    /// Those of [`loopmem::items::Items::default_scope`].
    pub(super) fn default_scope(&self) -> Result<&'static str> {
        let folder = |name: &str| self.folders.get(name).and_then(Value::as_str);
        let workspace = folder("workspace").map_or_else(Workspace::current, Workspace::at);
        let items = self.session.store.items(workspace).in_dir(folder("dir").map(PathBuf::from));
        Ok(items.default_scope()?.as_str())
    }

    /// Performs an effect; `None` for those that are not calls.
    pub(super) fn perform(&self, effect: Effect) -> Option<Event> {
        Some(match effect {
            Effect::List(filter) => self.list(filter).unwrap_or_else(|error| {
                // Listing again would not help.
                Event::Failed(Failure { is_stale: false, ..failure(&error) })
            }),
            Effect::Add { draft, is_forced } => or_failed(self.add(draft, is_forced)),
            Effect::Edit { item, wanted, is_forced } => {
                let changed = change(self.session, &item, &self.folders, wanted, is_forced);
                or_failed(changed.map(|changed| edited(item, changed)))
            }
            Effect::Archive(item) => or_failed(self.set_status("items.archive", Change::Archived, &item)),
            Effect::Restore(item) => or_failed(self.set_status("items.restore", Change::Restored, &item)),
            Effect::Remove(item) => or_failed(self.remove(item)),
            Effect::Undo(step) => match self.undo(&step) {
                Ok(item) => Event::Undone { step, item },
                Err(error) => Event::UndoFailed { step, failure: failure(&error) },
            },
            Effect::Recall(prompt) => {
                let mut params = self.folders.clone();
                params.insert("prompt".to_owned(), prompt.into());
                params.insert("preview".to_owned(), true.into());
                or_failed(self.session.ask("items.recall", &params).map(Event::Recalled))
            }
            Effect::OpenEditor(_) | Effect::Leave(_) => return None,
        })
    }

    /// Opens the user's editor. The terminal must be as it is for other programs.
    pub(super) fn edit(&self, item: Option<Item>) -> Event {
        let resume = self.resume(item.as_ref());
        let caller = Caller::Browser { resume: &resume };
        let outcome = match item {
            Some(item) => {
                let changed = compose(self.session, &item, &self.folders, caller);
                changed.map(|changed| edited(item, changed))
            }
            None => {
                let written = compose_new(self.session, &self.folders, caller);
                written.map(|written| written.map_or(Event::Unchanged, added))
            }
        };
        outcome.unwrap_or_else(|error| {
            let is_kept = error.kind() == ErrorKind::Cancelled && error.path().is_some();
            Event::Failed(Failure { is_kept, ..failure(&error) })
        })
    }

    /// The command that continues an edit, or the addition of an item.
    fn resume(&self, item: Option<&Item>) -> String {
        let verb = item.map_or_else(|| "add".to_owned(), |item| format!("edit {}", quoted(item.id())));
        let mut command = format!("loopmem items {verb}");
        for (key, folder) in &self.folders {
            command.push_str(&format!(" --{key} {}", quoted(folder.as_str().unwrap_or_default())));
        }
        command
    }

    fn list(&self, filter: Filter) -> Result<Event> {
        let items = self.matching(&filter)?;
        let has_others = items.is_empty()
            && filter.status.is_some()
            && !self.matching(&Filter { status: None, ..filter })?.is_empty();
        Ok(Event::Listed { items, has_others })
    }

    fn matching(&self, filter: &Filter) -> Result<Vec<Item>> {
        let mut params = self.folders.clone();
        let text = Some(filter.text.as_str()).filter(|text| !text.is_empty());
        let given = [("scope", filter.scope), ("status", filter.status), ("type", filter.kind), ("text", text)];
        params.extend(given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into()))));
        self.session.ask("items.list", &params)
    }

    fn add(&self, mut draft: Members, is_forced: bool) -> Result<Event> {
        draft.extend(self.folders.clone());
        if is_forced {
            draft.insert("force".to_owned(), true.into());
        }
        store(self.session, draft).map(added)
    }

    fn set_status(&self, method: &str, change: Change, item: &Item) -> Result<Event> {
        let before = self.call_on("items.get", item.id())?;
        // Undoing it would undo what another program did.
        if before.is_archived() == (change == Change::Archived) {
            return Ok(Event::Unchanged);
        }
        let now = self.call_on(method, item.id())?;
        Ok(Event::Stored { change, before: Some(before), item: now })
    }

    fn remove(&self, item: Item) -> Result<Event> {
        let Removed { removed, .. } = self.session.ask("items.remove", &of_item(item.id(), &self.folders))?;
        if !removed {
            return Err(Error::new(ErrorKind::NotFound, "another program has removed the item"));
        }
        // In the folder of the items, their trash is listed with that of the repository.
        let mut place = self.folders.clone();
        place.remove("dir");
        let trash: Vec<Removal> = self.session.ask("undo.list", &place)?;
        let entry = trash.into_iter().find(|it| it.record_id == item.id() && it.reason == Reason::Removed);
        Ok(Event::Removed { item, entry: entry.map(|entry| entry.id) })
    }

    /// Undoes a change, unless the item was changed since.
    fn undo(&self, step: &Step) -> Result<Option<Item>> {
        if let Inverse::BringBack(entry) = &step.inverse {
            let params = Members::from_iter([("id".to_owned(), entry.as_str().into())]);
            self.session.call("undo.restore", &params)?;
            return self.call_on("items.get", &step.id).map(Some);
        }
        let now = self.call_on("items.get", &step.id)?;
        if now.updated_at != step.after {
            return Err(Error::new(ErrorKind::Conflict, "the item was changed by another program since"));
        }
        match &step.inverse {
            Inverse::Archive => self.call_on("items.archive", &step.id).map(Some),
            Inverse::Restore => self.call_on("items.restore", &step.id).map(Some),
            Inverse::BringBack(_) => Ok(Some(now)),
            Inverse::Edit(before) => {
                let changed = change(self.session, &now, &self.folders, before.clone(), false)?;
                Ok(Some(changed.unwrap_or(now)))
            }
            Inverse::Remove => {
                let Removed { removed, .. } = self.session.ask("items.remove", &of_item(&step.id, &self.folders))?;
                match removed {
                    true => Ok(None),
                    false => Err(Error::new(ErrorKind::NotFound, "another program has removed the item")),
                }
            }
        }
    }

    fn call_on(&self, method: &str, id: &str) -> Result<Item> {
        self.session.ask(method, &of_item(id, &self.folders))
    }
}

fn added(item: Item) -> Event {
    Event::Stored { change: Change::Added, before: None, item }
}

/// The outcome of an edit, which may have changed nothing.
fn edited(before: Item, changed: Option<Item>) -> Event {
    let stored = |item| Event::Stored { change: Change::Edited, before: Some(before), item };
    changed.map_or(Event::Unchanged, stored)
}

fn or_failed(outcome: Result<Event>) -> Event {
    outcome.unwrap_or_else(|error| Event::Failed(failure(&error)))
}

fn failure(error: &Error) -> Failure {
    let kind = error.kind();
    let is_secret = kind == ErrorKind::SecretRefused;
    let message = match kind {
        ErrorKind::NotFound => "the item was removed by another program".to_owned(),
        _ => message_of(error),
    };
    Failure {
        message,
        is_secret,
        is_final: matches!(kind, ErrorKind::Conflict | ErrorKind::NotFound | ErrorKind::Validation),
        is_stale: matches!(kind, ErrorKind::Conflict | ErrorKind::NotFound),
        is_kept: false,
    }
}
