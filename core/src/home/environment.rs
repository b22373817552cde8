//! The environment as it was when a home was opened. Values stay what the system says they are: a path need not be text.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

use crate::error::Error;
use crate::safety::Redactor;

/// Names and values.
#[derive(Debug, Default)]
pub(super) struct Environment(HashMap<OsString, OsString>);

impl Environment {
    #[allow(clippy::disallowed_methods, reason = "this is the room of the environment")]
    pub(super) fn of_the_process() -> Self {
        std::env::vars_os().collect()
    }

    /// What `name` is set to; the empty value is as good as none.
    pub(super) fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Every variable, the empty ones too.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The variables that are text: a value that is none cannot stand in a record either.
    pub(super) fn texts(&self) -> impl Iterator<Item = (String, String)> {
        let text = |text: &OsString| text.to_str().map(str::to_owned);
        self.0.iter().filter_map(move |(name, value)| Some((text(name)?, text(value)?)))
    }

    /// `error` without secrets, by the rules that hold before anything is configured: what went wrong on the way to a
    /// store may tell of its options, and there is no store yet that would scrub it.
    pub(super) fn scrubbed(&self, error: Error) -> Error {
        match Redactor::new(&[], self.texts()) {
            Ok(redactor) => error.scrubbed(|text| redactor.scrub(text).into_owned()),
            Err(failed) => failed.into(),
        }
    }
}

impl FromIterator<(OsString, OsString)> for Environment {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(variables: I) -> Self {
        Environment(variables.into_iter().collect())
    }
}
