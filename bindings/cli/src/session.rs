//! Where a command works: the opened store, whom it answers, and what time it is.

use std::io::{self, IsTerminal};

use chrono::{DateTime, Utc};
use loopmem::methods::dispatch;
use loopmem::{Error, ErrorKind, Result, Store};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::abbreviation::{self, Match};
use crate::human::surroundings;
use crate::output::{Style, fail, noting, remark};

/// The members of an object.
pub(crate) type Members = Map<String, Value>;

/// How what stands for a secret begins (docs/FORMAT.md).
const PLACEHOLDER: &str = "[REDACTED:";

/// See the module.
pub(crate) struct Session<'s> {
    store: &'s Store,
    style: Style,
    /// The time by which ages are told.
    pub(crate) now: DateTime<Utc>,
}

impl<'s> Session<'s> {
    /// `clock` is the time at which the store's own clock stands still, if it does.
    pub(crate) fn new(store: &'s Store, style: Style, clock: Option<&str>) -> Self {
        let fixed = clock.and_then(|time| DateTime::parse_from_rfc3339(time).ok());
        let now = fixed.map_or_else(surroundings::now, |time| time.to_utc());
        Session { store, style, now }
    }

    /// Whether results are laid out for a person who looks at a terminal.
    pub(crate) fn is_for_humans(&self) -> bool {
        self.style == Style::Human && io::stdout().is_terminal()
    }

    /// Whether the whole result was asked for as JSON.
    pub(crate) fn is_for_programs(&self) -> bool {
        self.style == Style::Json
    }

    /// Whom results are printed for.
    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// Tells a person, and no program, something that is no result.
    pub(crate) fn tell(&self, what: &str) {
        if !self.is_for_programs() {
            remark(&format!("loopmem: {what}"));
        }
    }

    /// Tells a person that what is stored is not what they said.
    pub(crate) fn tell_of_redaction(&self, is_redacted: bool) {
        if is_redacted {
            self.tell("what looks like a secret was redacted");
        }
    }

    /// The store.
    pub(crate) fn store(&self) -> &Store {
        self.store
    }

    /// Tells of a failure after which the command goes on.
    pub(crate) fn fail(&self, error: &Error) {
        fail(error, self.style);
    }

    /// Calls a method with params as JSON.
    ///
    /// # Errors
    /// The method's.
    pub(crate) fn call(&self, method: &str, params: &str) -> Result<String> {
        noting(method, dispatch(self.store, method, params))
    }

    /// Calls a method and reads its result.
    ///
    /// # Errors
    /// The method's.
    pub(crate) fn ask<T: DeserializeOwned>(&self, method: &str, params: Members) -> Result<T> {
        read(&self.call(method, &Value::Object(params).to_string())?)
    }

    /// The repository's hash that begins with `typed`. What is the beginning of none is for the method to judge.
    ///
    /// # Errors
    /// `ValidationError` when several begin so.
    pub(crate) fn repo_hash(&self, typed: &str) -> Result<String> {
        let hex = typed.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !hex || !(4..64).contains(&typed.len()) {
            return Ok(typed.to_owned());
        }
        let known: Vec<Members> = self.ask("repo.list", Members::new())?;
        match abbreviation::find(typed, &known, |repo| text(repo, "repoHash")) {
            Match::One(repo) => Ok(text(repo, "repoHash").to_owned()),
            Match::None => Ok(typed.to_owned()),
            Match::Several(repos) => Err(abbreviation::ambiguous(
                typed,
                repos.into_iter().map(|repo| (text(repo, "repoHash").to_owned(), text(repo, "path").to_owned())),
            )),
        }
    }
}

/// Reads what a method returned.
///
/// # Errors
/// `Internal`: methods return what they say.
pub(crate) fn read<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json)
        .map_err(|cause| Error::new(ErrorKind::Internal, "a result is not what this command expects").because(cause))
}

/// How many secrets were taken out of a value.
pub(crate) fn placeholders(value: Option<&Value>) -> usize {
    value.map_or(0, |it| it.to_string().matches(PLACEHOLDER).count())
}

/// A member that is a text; empty when it is none.
pub(crate) fn text<'m>(members: &'m Members, key: &str) -> &'m str {
    members.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A member that is a list of texts.
pub(crate) fn texts<'m>(members: &'m Members, key: &str) -> impl Iterator<Item = &'m str> {
    members.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
