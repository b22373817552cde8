//! The state of one invocation: the opened store, the output format and the current time.

use std::io::{self, IsTerminal};

use chrono::{DateTime, Utc};
use loopmem::methods::{dispatch, redacts};
use loopmem::{Error, ErrorKind, Result, Store};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::abbreviation::{self, Match};
use crate::human::environment;
use crate::human::progress;
use crate::human::screen::redacted;
use crate::output::{self, Style, fail, notice, track_write};

/// The members of an object.
pub(crate) type Members = Map<String, Value>;

/// See the [module](self).
pub(crate) struct Session<'s> {
    store: &'s Store,
    style: Style,
    /// Whether calls that store something only show what they would redact.
    is_dry_run: bool,
    is_bypassed: bool,
    /// The time relative to which ages are shown.
    pub(crate) now: DateTime<Utc>,
    has_fixed_clock: bool,
}

impl<'s> Session<'s> {
    /// `clock` is the fixed time of the store's clock, if it is fixed; `is_bypassed` says whether the store was opened as
    /// temporary.
    pub(crate) fn new(
        store: &'s Store,
        style: Style,
        clock: Option<&str>,
        is_dry_run: bool,
        is_bypassed: bool,
    ) -> Self {
        let fixed = clock.and_then(|time| DateTime::parse_from_rfc3339(time).ok());
        let now = fixed.map_or_else(environment::now, |time| time.to_utc());
        Session { store, style, is_dry_run, is_bypassed, now, has_fixed_clock: fixed.is_some() }
    }

    /// Whether items are bypassed, so that none is read.
    pub(crate) fn is_bypassed(&self) -> bool {
        self.is_bypassed
    }

    /// The time at this moment, for a command that runs for long.
    pub(crate) fn current_time(&self) -> DateTime<Utc> {
        if self.has_fixed_clock { self.now } else { environment::now() }
    }

    /// Whether results are formatted for a terminal.
    pub(crate) fn is_for_humans(&self) -> bool {
        self.style == Style::Human && io::stdout().is_terminal()
    }

    /// Whether complete results are printed as JSON.
    pub(crate) fn is_for_programs(&self) -> bool {
        self.style == Style::Json
    }

    /// The format of output.
    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// Prints a notice to standard error, unless the output is for programs.
    pub(crate) fn emit(&self, what: &str) {
        if !self.is_for_programs() {
            notice(&format!("loopmem: {what}"));
        }
    }

    /// The store.
    pub(crate) fn store(&self) -> &Store {
        self.store
    }

    /// Reports an error after which the command continues.
    pub(crate) fn fail(&self, error: &Error) {
        fail(error, self.style);
    }

    /// Calls a method with params as JSON. In a dry run, a method that stores something is not called, and the process
    /// ends.
    ///
    /// # Errors
    /// The method's.
    pub(crate) fn call(&self, method: &str, params: &str) -> Result<String> {
        if self.is_dry_run && redacts(method) {
            self.show_preview(&self.preview(method, params)?)?;
            std::process::exit(0);
        }
        let result = track_write(method, dispatch(self.store, method, params));
        progress::clear();
        result.map_err(|error| match error.kind() {
            ErrorKind::SecretRefused => error.scrubbed(with_option),
            _ => error,
        })
    }

    /// What a call would redact.
    ///
    /// # Errors
    /// The method's, but for those of storing.
    pub(crate) fn preview(&self, method: &str, params: &str) -> Result<Vec<Members>> {
        // As typed: parsing it into values would round numbers.
        let asked = format!("{{\"method\":\"{method}\",\"params\":{params}}}");
        read(&dispatch(self.store, "safety.preview", &asked)?)
    }

    /// Shows what calls would redact.
    ///
    /// # Errors
    /// `IOError` if standard output cannot be written to.
    pub(crate) fn show_preview(&self, redactions: &[Members]) -> Result<()> {
        if self.is_for_programs() {
            return output::line(redactions.iter().cloned().map(Value::Object).collect::<Value>().to_string());
        }
        let lines: Vec<String> = redactions.iter().map(|it| format!("would redact {}", redacted(it))).collect();
        output::text(&if lines.is_empty() { "would redact nothing".to_owned() } else { lines.join("\n") })
    }

    /// Calls a method and reads its result.
    ///
    /// # Errors
    /// The method's.
    pub(crate) fn ask<T: DeserializeOwned>(&self, method: &str, params: Members) -> Result<T> {
        read(&self.call(method, &Value::Object(params).to_string())?)
    }

    /// Expands a prefix of a repository's hash. Text that is not a prefix of any is returned unchanged, for the method
    /// to validate.
    ///
    /// # Errors
    /// `ValidationError` if it is ambiguous.
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

/// The message of a secret that was refused, which says what to pass, as it is on the command line.
pub(crate) fn with_option(message: &str) -> String {
    message.replace("or pass force to store it", "or add --force to store it")
}

/// Parses what a method returned.
///
/// # Errors
/// `Internal`, since methods return what they document.
pub(crate) fn read<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json)
        .map_err(|cause| Error::new(ErrorKind::Internal, "a method returned an unexpected result").because(cause))
}

/// A string member; empty if it is missing or not a string.
pub(crate) fn text<'m>(members: &'m Members, key: &str) -> &'m str {
    members.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A member that counts something; 0 if it is missing.
pub(crate) fn number(members: &Members, key: &str) -> u64 {
    members.get(key).and_then(Value::as_u64).unwrap_or_default()
}

/// The strings in a list member.
pub(crate) fn texts<'m>(members: &'m Members, key: &str) -> impl Iterator<Item = &'m str> {
    members.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
