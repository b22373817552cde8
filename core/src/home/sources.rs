//! Where a setting comes from: the options of the store override the environment, which overrides the file.

use std::ops::{Bound, RangeBounds};
use std::path::Path;
use std::time::Duration;

use super::{Environment, Options};
use crate::error::{Error, Result};

/// The sources of the settings of a home. A setting is named by its key in the file, such as `recall.limit`.
pub(super) struct Sources<'s> {
    pub(super) environment: &'s Environment,
    pub(super) options: &'s Options,
    /// What the file sets.
    pub(super) file: &'s Options,
    pub(super) path: &'s Path,
}

impl Sources<'_> {
    /// A setting that may have any value.
    pub(super) fn get<T>(&self, pick: impl Fn(&Options) -> Option<T>) -> Option<T> {
        pick(self.options).or_else(|| pick(self.file))
    }

    /// A number of any size.
    pub(super) fn count(&self, pick: impl Fn(&Options) -> Option<u32>, default: u32) -> usize {
        usize::try_from(self.get(pick).unwrap_or(default)).unwrap_or(usize::MAX)
    }

    /// A number of milliseconds.
    pub(super) fn millis(&self, pick: impl Fn(&Options) -> Option<u32>, default: u32) -> Duration {
        Duration::from_millis(self.get(pick).unwrap_or(default).into())
    }

    /// The environment variable `name` as text, for [`checked`](Self::checked).
    pub(super) fn variable<'n>(&self, name: &'n str) -> Option<(&'n str, String)> {
        self.environment.get(name).map(|value| (name, value.to_str().unwrap_or_default().to_owned()))
    }

    /// What `check` makes of a setting; it gets the name of the setting in its source. `variable` is its value in the
    /// environment.
    pub(super) fn checked<T, U>(
        &self,
        key: &str,
        variable: Option<(&str, T)>,
        pick: impl Fn(&Options) -> Option<T>,
        check: impl Fn(&str, T) -> Result<U>,
    ) -> Result<Option<U>> {
        if let Some(value) = pick(self.options) {
            return check(&option_of(key), value).map(Some);
        }
        if let Some((name, value)) = variable {
            return check(name, value).map(Some);
        }
        pick(self.file).map(|value| self.in_file(key, value, check)).transpose()
    }

    fn in_file<T, U>(&self, key: &str, value: T, check: impl Fn(&str, T) -> Result<U>) -> Result<U> {
        check(&format!("{}: {key}", self.path.display()), value).map_err(|refused| refused.at(self.path))
    }

    /// A number in `range`. That of the file has to be in it even if an option overrides it.
    pub(super) fn number(
        &self,
        key: &str,
        pick: impl Fn(&Options) -> Option<u32>,
        range: impl RangeBounds<u32>,
        default: u32,
    ) -> Result<u32> {
        let check = |name: &str, value: u32| in_range(name, value, &range);
        let option = pick(self.options).map(|value| check(&option_of(key), value)).transpose()?;
        let in_file = pick(self.file).map(|value| self.in_file(key, value, check)).transpose()?;
        Ok(option.or(in_file).unwrap_or(default))
    }
}

/// The value of the setting `name`, if it is in `range`.
pub(super) fn in_range(name: &str, value: u32, range: &impl RangeBounds<u32>) -> Result<u32> {
    if range.contains(&value) {
        return Ok(value);
    }
    let most = match range.end_bound() {
        Bound::Included(most) => *most,
        _ => u32::MAX,
    };
    let must = match range.start_bound() {
        Bound::Included(least) => format!("from {least} to {most}"),
        _ => format!("at most {most}"),
    };
    Err(Error::validation(format!("{name} is {value}; it must be {must}")))
}

/// The option for a key of the file: `recallLimit` for `recall.limit`. Those of the tables `memory` and `working` have no
/// prefix.
pub(super) fn option_of(key: &str) -> String {
    match key.split_once('.') {
        Some(("memory" | "working", key)) => key.to_owned(),
        Some((table, key)) => format!("{table}{}{}", key[..1].to_uppercase(), &key[1..]),
        None => key.to_owned(),
    }
}
