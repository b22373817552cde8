//! Where the branch of a memory is: the URL of its repository, and what git has to be told to reach it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::config::BranchMemory;
use crate::error::{Error, ErrorKind, Result};
use crate::git::{Config, Files, Repository};
use crate::home::{Home, check_path};
use crate::repo::sanitize_remote_url;

/// The remote that is used unless another one is named.
const ORIGIN: &str = "origin";
/// The variables of a repository's configuration that say how its remotes are reached: sections, and single keys.
const SECTIONS: [&str; 5] = ["http.", "credential.", "url.", "ssh.", "protocol."];
const KEYS: [&str; 2] = ["core.sshcommand", "core.gitproxy"];
/// The helper that gives git the token of the environment. The token is in no argument and in no file.
const TOKEN_HELPER: &str =
    "!f() { test \"$1\" = get && printf 'username=x-access-token\\npassword=%s\\n' \"$GH_TOKEN\"; }; f";

/// Where a branch is kept: a repository, or a remote of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BranchSource {
    pub(super) repo_dir: Option<PathBuf>,
    pub(super) remote: Option<String>,
}

impl BranchSource {
    /// The repository that the memory names, or else the remote `origin` of the repository of the current folder.
    pub fn new() -> Self {
        BranchSource::default()
    }

    setters! {
        /// The folder of a repository with the remote. Default: the current folder.
        repo_dir(folder: impl Into<PathBuf>) => repo_dir = Some(folder.into());
        /// The URL or the path of the repository with the branch, or the name of a remote.
        remote(remote: impl Into<String>) => remote = Some(remote.into());
    }
}

/// A repository with branches.
#[derive(Debug)]
pub(super) struct Address {
    /// Its URL or path, which may contain a password.
    pub(super) url: OsString,
    /// The variables of git's configuration for it, in order.
    pub(super) variables: Vec<(OsString, OsString)>,
}

impl Address {
    /// Finds the repository of a memory.
    ///
    /// # Errors
    /// `ValidationError` for what is no remote; `NotFound` if there is none; `GitError` for a broken repository.
    pub(super) fn find(home: &Home, memory: &BranchMemory, source: &BranchSource) -> Result<Address> {
        if let Some(folder) = &source.repo_dir {
            check_path("repoDir", folder)?;
            home.admit_path("repoDir", folder)?;
        }
        let address = match (&source.remote, &memory.target_repo) {
            (Some(remote), _) if is_url(remote) => Address::of_url(remote.into()),
            (Some(remote), _) if is_path(remote) => Address::of_url(home.current_folder()?.join(remote).into()),
            (Some(remote), _) => Address::of_remote(home, source.repo_dir.as_deref(), Some(remote))?,
            (None, Some(repo)) if source.repo_dir.is_none() => {
                let server = home.git_environment().github_server();
                Address::of_url(format!("{server}/{repo}.git").into())
            }
            (None, _) => Address::of_remote(home, source.repo_dir.as_deref(), None)?,
        };
        let is_text = !address.url.is_empty() && !address.url.as_bytes().iter().any(u8::is_ascii_control);
        if !is_text || address.url.as_bytes().starts_with(b"-") {
            return Err(Error::validation(
                "remote must be a URL, a path or the name of a remote, without control characters",
            ));
        }
        Ok(address.with_token(home))
    }

    fn of_url(url: OsString) -> Address {
        Address { url, variables: Vec::new() }
    }

    /// The remote of this name, or the usual one, of the repository of a folder.
    fn of_remote(home: &Home, folder: Option<&Path>, name: Option<&str>) -> Result<Address> {
        let deadline = home.disk().work_deadline(home.wait_options(), home.config().lock_timeout);
        let files = Files::new(home.disk(), deadline, home.git_environment());
        let (folder, repository) = match folder {
            Some(folder) => {
                let folder = canonical(home, &home.current_folder()?.join(folder))?;
                let repository = Repository::discover(&files, &folder)?;
                (folder, repository)
            }
            None => {
                let folder = canonical(home, &home.current_folder()?)?;
                let repository = Repository::of_current_folder(&files, &folder)?;
                (folder, repository)
            }
        };
        let Some(repository) = repository else {
            let message = format!("{} is in no git repository; pass remote, the URL of one", folder.display());
            return Err(Error::new(ErrorKind::NotFound, message).at(&folder));
        };
        let all = Config::of_repository(&files, &repository, None)?;
        let remotes = all.by_subsection("remote", "url");
        let found = match name.map(str::as_bytes) {
            Some(name) => remotes.get(name),
            None if remotes.len() == 1 => remotes.values().next(),
            None => remotes.get(ORIGIN.as_bytes()),
        };
        let Some(url) = found else {
            let message =
                |name| format!("the repository of {} has no remote {name}; pass the URL of one", folder.display());
            return Err(match name {
                Some(name) => Error::validation(message(name)),
                None => Error::new(ErrorKind::NotFound, message(ORIGIN)),
            }
            .at(&folder));
        };
        let mut url = OsStr::from_bytes(url).to_owned();
        let text = url.to_string_lossy();
        if !is_url(&text) {
            let top = repository.work_tree().unwrap_or_else(|| repository.git_dir());
            url = top.join(&url).into();
        }
        // Those of the system and the user are read by git itself.
        let own = Config::of_repository_alone(&files, &repository)?;
        let variables = own.variables().filter(|(key, _)| is_wanted(key));
        let variables =
            variables.map(|(key, value)| (OsString::from_vec(key.to_vec()), OsString::from_vec(value.to_vec())));
        Ok(Address { variables: variables.collect(), url })
    }

    /// Has git ask for the token of the environment, for its server only.
    fn with_token(mut self, home: &Home) -> Address {
        let environment = home.git_environment();
        let server = environment.github_server();
        if environment.github_token().is_some() && is_url(server) {
            self.variables.push((format!("credential.{server}.helper").into(), OsString::new()));
            self.variables.push((format!("credential.{server}.helper").into(), TOKEN_HELPER.into()));
        }
        self
    }

    /// The URL without a password, for messages.
    pub(super) fn shown(&self) -> String {
        sanitize_remote_url(&self.url.to_string_lossy()).unwrap_or_else(|_| "the remote".to_owned())
    }
}

fn canonical(home: &Home, folder: &Path) -> Result<PathBuf> {
    home.disk().canonical(folder).map_err(|cause| {
        Error::validation(format!("repoDir {} is no folder that can be opened", folder.display()))
            .at(folder)
            .because_of(&cause)
    })
}

/// Whether git takes it for a URL: with a scheme, or as `host:path`.
fn is_url(remote: &str) -> bool {
    if remote.contains("://") || remote.contains("::") {
        return true;
    }
    let host = remote.split_once(':').map(|(host, _)| host);
    host.is_some_and(|host| !host.is_empty() && !host.contains('/'))
}

/// Whether it is a path rather than the name of a remote.
fn is_path(remote: &str) -> bool {
    remote.starts_with(['/', '.']) || remote.ends_with(".git")
}

fn is_wanted(key: &[u8]) -> bool {
    let key = String::from_utf8_lossy(key);
    SECTIONS.iter().any(|section| key.starts_with(section)) || KEYS.contains(&&*key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_paths_and_names_are_told_apart() {
        for url in ["https://h/o/r.git", "ssh://git@h/r", "git@h:o/r.git", "file:///r", "h:r"] {
            assert!(is_url(url), "{url}");
        }
        for path in ["/srv/r.git", "./r", "../r", ".", "r.git", "/a:b"] {
            assert!(!is_url(path) && is_path(path), "{path}");
        }
        for name in ["origin", "up-stream", "a/b"] {
            assert!(!is_url(name) && !is_path(name), "{name}");
        }
    }
}
