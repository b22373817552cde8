//! A snapshot of the environment variables that git reads and that tell its server, taken when a home is opened, and the
//! effective user.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use super::environment::Environment;

/// The variables in which CI systems name the branch of a job, those of a pull request first.
const BRANCH_VARIABLES: [&str; 13] = [
    "GITHUB_HEAD_REF",
    "GITHUB_REF_NAME",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_COMMIT_BRANCH",
    "CI_COMMIT_REF_NAME",
    "SYSTEM_PULLREQUEST_SOURCEBRANCH",
    "BUILD_SOURCEBRANCH",
    "BUILDKITE_BRANCH",
    "CIRCLE_BRANCH",
    "BITBUCKET_BRANCH",
    "TRAVIS_PULL_REQUEST_BRANCH",
    "CHANGE_BRANCH",
    "BRANCH_NAME",
];
/// Those that say that the job is for a tag.
const TAG_VARIABLES: [&str; 2] = ["CI_COMMIT_TAG", "GITHUB_REF_TYPE"];

/// The part of the environment that git reads, and what it says of GitHub.
pub(crate) struct GitEnvironment {
    variables: HashMap<OsString, OsString>,
    user: u32,
}

impl GitEnvironment {
    pub(super) fn new(environment: &Environment) -> Self {
        let is_read_by_git = |name: &OsStr| {
            name.as_encoded_bytes().starts_with(b"GIT_")
                || ["HOME", "XDG_CONFIG_HOME", "SUDO_UID", "GH_TOKEN", "GITHUB_SERVER_URL"]
                    .iter()
                    .chain(&BRANCH_VARIABLES)
                    .chain(&TAG_VARIABLES)
                    .any(|it| name == *it)
        };
        let variables = environment.iter().filter(|(name, _)| is_read_by_git(name));
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        GitEnvironment { variables, user: effective_user() }
    }

    /// The value of `name`, which may be empty; git sometimes distinguishes an empty variable from an unset one.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Like [`get`](Self::get), but an empty value counts as unset.
    pub(crate) fn get_nonempty(&self, name: &str) -> Option<&OsStr> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// The user's home folder, `~` in git's configuration.
    pub(crate) fn user_folder(&self) -> Option<PathBuf> {
        self.get_nonempty("HOME").map(PathBuf::from)
    }

    /// The names of the variables that git reads for itself.
    pub(crate) fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.variables.keys().map(OsString::as_os_str).filter(|name| name.as_encoded_bytes().starts_with(b"GIT_"))
    }

    /// The branch of a CI job; `None` outside of one, or if it is for a tag.
    pub(crate) fn branch_of_job(&self) -> Option<&str> {
        let is_of_tag = self.get_nonempty("CI_COMMIT_TAG").is_some()
            || self.get_nonempty("GITHUB_REF_TYPE").is_some_and(|kind| kind == "tag");
        let named =
            BRANCH_VARIABLES.iter().find_map(|name| self.get_nonempty(name)).filter(|_| !is_of_tag)?.to_str()?;
        match named.strip_prefix("refs/heads/") {
            Some(branch) => Some(branch),
            None => Some(named).filter(|name| !name.starts_with("refs/")),
        }
    }

    /// The token for the server of GitHub, `GH_TOKEN`.
    pub(crate) fn github_token(&self) -> Option<&OsStr> {
        self.get_nonempty("GH_TOKEN")
    }

    /// The URL of the server of GitHub, without a `/` at its end: `GITHUB_SERVER_URL`, or else that of github.com.
    pub(crate) fn github_server(&self) -> &str {
        let server = self.get_nonempty("GITHUB_SERVER_URL").and_then(OsStr::to_str);
        server.map_or("https://github.com", |server| server.trim_end_matches('/'))
    }

    /// Whether files of the user `owner` count as the current user's: those of the effective user and, for root under
    /// sudo, those of the user who ran sudo, as in git.
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
