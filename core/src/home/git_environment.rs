//! The variables that git reads, as they were when a home was opened, and the user that the process runs as.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use super::environment::Environment;

/// What git would read of the environment.
pub(crate) struct GitEnvironment {
    variables: HashMap<OsString, OsString>,
    user: u32,
}

impl GitEnvironment {
    pub(super) fn new(environment: &Environment) -> Self {
        let is_gits = |name: &OsStr| {
            name.as_encoded_bytes().starts_with(b"GIT_")
                || ["HOME", "XDG_CONFIG_HOME", "SUDO_UID"].iter().any(|known| name == *known)
        };
        let variables = environment.iter().filter(|(name, _)| is_gits(name));
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        GitEnvironment { variables, user: effective_user() }
    }

    /// What `name` is set to, which may be empty; git distinguishes that from an unset variable in places.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// As [`get`](Self::get), with an empty value the same as none.
    pub(crate) fn get_nonempty(&self, name: &str) -> Option<&OsStr> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// The user's own folder, `~` in git's configuration.
    pub(crate) fn user_folder(&self) -> Option<PathBuf> {
        self.get_nonempty("HOME").map(PathBuf::from)
    }

    /// Whether files of the user `owner` are this user's own: the effective user's and, for root under sudo, those of
    /// the user who called it, as git has it.
    pub(crate) fn is_own(&self, owner: u32) -> bool {
        let sudo = || self.get("SUDO_UID")?.to_str()?.parse::<u32>().ok();
        owner == self.user || (self.user == 0 && sudo() == Some(owner))
    }
}

impl fmt::Debug for GitEnvironment {
    /// Without values: `GIT_CONFIG_VALUE_0` may well be a token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitEnvironment").field("user", &self.user).finish_non_exhaustive()
    }
}

#[allow(unsafe_code, reason = "std has no such call")]
fn effective_user() -> u32 {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}
