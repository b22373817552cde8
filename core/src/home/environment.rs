//! A snapshot of the environment, taken when a home is opened. Values are kept as raw bytes: a path need not be UTF-8.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

use crate::error::Error;
use crate::safety::Redactor;

/// The names and values of the variables.
#[derive(Debug, Default)]
pub(super) struct Environment(HashMap<OsString, OsString>);

impl Environment {
    #[allow(clippy::disallowed_methods, reason = "the only reader of the environment")]
    pub(super) fn of_the_process() -> Self {
        std::env::vars_os().collect()
    }

    /// The value of `name`; an empty value counts as unset.
    pub(super) fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Every variable, including empty ones.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The variables whose values are UTF-8. Records are UTF-8, so no other value can occur in them.
    pub(super) fn texts(&self) -> impl Iterator<Item = (String, String)> {
        let text = |text: &OsString| text.to_str().map(str::to_owned);
        self.0.iter().filter_map(move |(name, value)| Some((text(name)?, text(value)?)))
    }

    /// `error` without secrets, by the rules that apply without configuration: an error of opening a store may quote
    /// its options, and there is no store yet to scrub it.
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
