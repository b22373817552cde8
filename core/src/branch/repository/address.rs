//! The repository of a branch: its URL, and the configuration with which git reaches it.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode;

use crate::branch::config::Memory;
use crate::error::{Error, ErrorKind, Result};
use crate::git::{Config, Repository};
use crate::home::{Home, check_path};
use crate::repo::{git_files, sanitize_remote_url};
use crate::safety::Redactor;

/// The remote that is used unless another one is named.
const ORIGIN: &str = "origin";
/// The variables of a repository's configuration with which its remotes are reached: sections, and single keys.
const SECTIONS: [&str; 5] = ["http.", "credential.", "url.", "ssh.", "protocol."];
const KEYS: [&str; 2] = ["core.sshcommand", "core.gitproxy"];
/// The variables in which a helper finds the user and the password of the URL, and those of the URL for pushes.
const USER: &str = "LOOPMEM_GIT_USER";
const PASSWORD: &str = "LOOPMEM_GIT_PASSWORD";
const PUSH_USER: &str = "LOOPMEM_GIT_PUSH_USER";
const PUSH_PASSWORD: &str = "LOOPMEM_GIT_PUSH_PASSWORD";
/// The URL for pushes, in git's configuration.
const PUSH_URL: &str = "remote.loopmem.pushurl";
/// The ends of the keys of rules that rewrite URLs.
const INSTEAD_OF: &[u8] = b".insteadof";
const PUSH_INSTEAD_OF: &[u8] = b".pushinsteadof";
/// The variables with which a remote is reached.
const OF_REMOTE: [&str; 5] = ["pushurl", "proxy", "proxyauthmethod", "uploadpack", "receivepack"];

/// The repository of a branch, or a remote of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    pub(crate) repo_dir: Option<PathBuf>,
    pub(crate) remote: Option<String>,
    /// The sanitized URL of the remote, if its repository is known by it.
    pub(crate) known_as: Option<String>,
}

impl Source {
    /// The repository that the memory names, or else the remote `origin` of the repository of the current folder.
    pub fn new() -> Self {
        Source::default()
    }

    setters! {
        /// The folder of a repository with the remote. Default: the current folder.
        repo_dir(folder: impl Into<PathBuf>) => repo_dir = Some(folder.into());
        /// The URL or the path of the repository with the branch, or the name of a remote.
        remote(remote: impl Into<String>) => remote = Some(remote.into());
    }

    /// The remote with this sanitized URL, by which a repository is identified.
    pub(crate) fn known_as(self, url: &str) -> Self {
        Source { known_as: Some(url.to_owned()), ..self }
    }
}

/// A repository with branches.
#[derive(Debug)]
pub(crate) struct Address {
    /// Its URL or path, as it was named.
    pub(crate) url: OsString,
    /// The URL or path that git is given: that, or what the user's configuration makes of it if that has a password.
    pub(crate) given: OsString,
    /// The variables of git's configuration for it, in order.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// Variables of git's environment by which a helper finds the user and the password of the URL.
    pub(crate) secrets: Vec<(&'static str, OsString)>,
    /// True if git runs ssh without options of the user, so that loopmem may pass one that it asks nothing.
    pub(crate) asks_ssh_nothing: bool,
}

impl Address {
    /// Finds the repository of a memory.
    ///
    /// # Errors
    /// `ValidationError` for what is no remote; `NotFound` if there is none; `GitError` for a broken repository.
    pub(crate) fn find(home: &Home, memory: &Memory, source: &Source) -> Result<Address> {
        if let Some(folder) = &source.repo_dir {
            check_path("repoDir", folder)?;
            home.admit_path("repoDir", folder)?;
        }
        let address = match (&source.remote, &memory.target_repo) {
            (Some(remote), _) if is_url(remote) => Address::of_url(remote.into()),
            (Some(remote), _) if is_path(remote) => {
                let path: PathBuf = home.current_folder()?.join(remote).components().collect();
                Address::of_url(path.into())
            }
            (Some(remote), _) => Address::of_remote(home, source, Some(remote))?,
            (None, Some(repo)) => {
                let server = home.git_environment().github_server();
                if !server.contains("://") {
                    let message = "GITHUB_SERVER_URL must be a URL with its scheme, such as https://github.com";
                    return Err(Error::validation(message));
                }
                Address::of_url(format!("{server}/{repo}.git").into())
            }
            (None, None) => Address::of_remote(home, source, None)?,
        };
        let is_text = !address.url.is_empty() && !address.url.as_bytes().iter().any(u8::is_ascii_control);
        if !is_text || address.url.as_bytes().starts_with(b"-") {
            return Err(Error::validation(
                "remote must be a URL, a path or the name of a remote, without control characters",
            ));
        }
        let config = Config::trusted(&git_files(home));
        let mut address = address.with_token(home);
        address.rewrite(home.redactor(), config.as_ref().unwrap_or(&Config::default()))?;
        let mut address = address.without_password()?;
        address.asks_ssh_nothing = !address.variables.iter().any(|(key, _)| key == KEYS[0])
            && config.is_ok_and(|config| config.get(KEYS[0].as_bytes()).is_none());
        Ok(address)
    }

    fn of_url(url: OsString) -> Address {
        Address { given: url.clone(), url, variables: Vec::new(), secrets: Vec::new(), asks_ssh_nothing: false }
    }

    /// Rewrites the URLs as git would by `insteadOf`, if that gives one with a password: git would pass it on as an argument.
    ///
    /// # Errors
    /// `SecretRefused` if one has a secret outside its user and password.
    fn rewrite(&mut self, redactor: &Redactor, config: &Config) -> Result<()> {
        let own = self.variables.iter().map(|(key, value)| (key.as_bytes(), value.as_bytes()));
        let rules: Vec<(&[u8], &[u8])> = config.variables().chain(own).collect();
        let rewritten = |url: &OsStr, kind: &[u8]| {
            let rule = |(key, prefix): &(&[u8], &[u8])| {
                let base = key.strip_prefix(b"url.")?.strip_suffix(kind)?.to_vec();
                Some((prefix.len(), [&*base, url.as_bytes().strip_prefix(*prefix)?].concat()))
            };
            let longest = rules.iter().filter_map(rule).reduce(|best, next| if next.0 > best.0 { next } else { best });
            longest.map(|(_, url)| OsString::from_vec(url))
        };
        let fetched = rewritten(&self.url, INSTEAD_OF).unwrap_or_else(|| self.url.clone());
        let place = self.variables.iter().position(|(key, _)| key == PUSH_URL);
        let push_url = place.and_then(|place| self.variables.get(place)).map(|(_, url)| url.clone());
        let pushed = match &push_url {
            Some(url) => rewritten(url, INSTEAD_OF).unwrap_or_else(|| url.clone()),
            None => rewritten(&self.url, PUSH_INSTEAD_OF).unwrap_or_else(|| fetched.clone()),
        };
        refuse_secret(redactor, &fetched)?;
        refuse_secret(redactor, &pushed)?;
        if without_credentials(&fetched).or_else(|| without_credentials(&pushed)).is_none() {
            return Ok(());
        }
        // A rule for the whole URL comes before all others.
        for url in [&fetched, &pushed] {
            let clean = without_credentials(url).map_or_else(|| url.clone(), |it| it.url);
            let mut key = OsString::from("url.");
            key.push(&clean);
            key.push(".insteadOf");
            self.variables.push((key, clean));
        }
        self.variables.retain(|(key, _)| key != PUSH_URL);
        self.variables.push((PUSH_URL.into(), pushed));
        self.given = fetched;
        Ok(())
    }

    /// The remote of this name, or the usual one, of the repository of a folder.
    fn of_remote(home: &Home, source: &Source, name: Option<&str>) -> Result<Address> {
        let folder = source.repo_dir.as_deref();
        let files = git_files(home);
        let current = home.current_folder()?;
        let is_current = folder.is_none();
        let folder = canonical(home, &folder.map_or(current.clone(), |folder| current.join(folder)))?;
        let found = match is_current {
            true => Repository::of_current_folder(&files, &folder)?,
            false => Repository::discover(&files, &folder)?,
        };
        let Some(repository) = found else {
            let folder_name = folder.display();
            let message = match name {
                Some(_) => format!(
                    "remote is neither a URL nor a path, and {folder_name} is not in a git repository that could have a remote of that name"
                ),
                None => format!("{folder_name} is not in a git repository; pass the URL or the path of one as remote"),
            };
            return Err(Error::new(ErrorKind::NotFound, message).at(&folder));
        };
        let all = Config::of_repository(&files, &repository, None)?;
        let remotes = all.by_subsection("remote", "url");
        let is_known_as = |url: &[u8], known: &str| {
            std::str::from_utf8(url).is_ok_and(|url| sanitize_remote_url(url).is_ok_and(|url| url == known))
        };
        let known = source.known_as.as_deref();
        let found = match name.map(str::as_bytes) {
            Some(name) => remotes.get_key_value(name),
            None if known.is_some() => remotes.iter().find(|(_, url)| known.is_some_and(|it| is_known_as(url, it))),
            None if remotes.len() == 1 => remotes.iter().next(),
            None => remotes.get_key_value(ORIGIN.as_bytes()),
        };
        let Some((found, url)) = found else {
            let message = |name| {
                format!(
                    "the repository of {} has no remote {name}; pass the URL or the path of one as remote",
                    folder.display()
                )
            };
            return Err(match name {
                Some(name) => Error::validation(message(name)),
                None => Error::new(ErrorKind::NotFound, message(ORIGIN)),
            }
            .at(&folder));
        };
        let top = repository.work_tree().unwrap_or_else(|| repository.git_dir());
        let resolved = |url: &[u8]| {
            let url = OsStr::from_bytes(url);
            if is_url(&url.to_string_lossy()) { url.to_owned() } else { top.join(url).into_os_string() }
        };
        let url = resolved(url);
        let prefix = [b"remote.", *found, b"."].concat();
        // Those of the system and the user are read by git itself.
        let own = Config::of_repository_alone(&files, &repository)?;
        let of_remote = |key: &[u8], value: &[u8]| {
            let name = key.strip_prefix(&*prefix).filter(|name| OF_REMOTE.iter().any(|it| it.as_bytes() == *name))?;
            let value = if name == b"pushurl" { resolved(value) } else { OsString::from_vec(value.to_vec()) };
            Some((OsString::from_vec([b"remote.loopmem.", name].concat()), value))
        };
        let variables = own.variables().filter_map(|(key, value)| match is_wanted(key) {
            true => Some((OsString::from_vec(key.to_vec()), OsString::from_vec(value.to_vec()))),
            false => of_remote(key, value),
        });
        Ok(Address { variables: variables.collect(), ..Address::of_url(url) })
    }

    /// Has git ask for the token of the environment, for its server only.
    fn with_token(mut self, home: &Home) -> Address {
        let environment = home.git_environment();
        let server = environment.github_server();
        if environment.github_token().is_some() && is_url(server) {
            self.variables.extend(helper(OsStr::new(server), "x-access-token", "GH_TOKEN"));
        }
        self
    }

    /// Takes user and password out of a URL: git would pass them on as an argument, which other users see. For HTTP, a helper
    /// finds them in the environment; ssh and git take no password.
    ///
    /// # Errors
    /// `ValidationError` for a user or a password that git cannot be given.
    fn without_password(mut self) -> Result<Address> {
        if let Some(clean) = without_credentials(&self.url) {
            self.url = clean.url;
        }
        let push_url = self.variables.iter().position(|(key, _)| key == PUSH_URL);
        let push_url = push_url.and_then(|place| self.variables.get_mut(place)).map(|(_, url)| url);
        let urls = [Some((&mut self.given, USER, PASSWORD)), push_url.map(|url| (url, PUSH_USER, PUSH_PASSWORD))];
        let mut more = Vec::new();
        for (url, user_variable, password_variable) in urls.into_iter().flatten() {
            let Some(Clean { url: clean, user, password }) = without_credentials(url) else { continue };
            if user.iter().chain(&password).any(|text| text.as_bytes().iter().any(u8::is_ascii_control)) {
                let message =
                    "the URL of the remote has a user or a password with control characters, which git does not take";
                return Err(Error::validation(message));
            }
            let host: Vec<&[u8]> = clean.as_bytes().split(|byte| *byte == b'/').take(3).collect();
            let host = OsString::from_vec(host.join(&b'/'));
            *url = clean;
            let Some(user) = user else { continue };
            let Some(password) = password else {
                more.push((joined(["credential.".as_ref(), &host, ".username".as_ref()]), user));
                continue;
            };
            more.extend(helper(&host, &format!("${user_variable}"), password_variable));
            self.secrets.extend([(user_variable, user), (password_variable, password)]);
        }
        self.variables.extend(more);
        Ok(self)
    }

    /// The identity of the repository, which does not depend on the protocol or the user. Beside the folder
    /// `r` there may be another one, `r.git`; servers take both names for the same repository.
    pub(crate) fn identity(&self) -> String {
        let raw = self.url.to_string_lossy();
        if self.is_local() {
            // By its name alone: it may be out of reach for a while, with the links on the way to it.
            let path = raw.strip_prefix("file://").unwrap_or(&raw);
            return without_dots(
                path.strip_prefix("localhost/").map_or(path, |_| path.trim_start_matches("localhost")),
            );
        }
        let shown = self.shown();
        let place = shown.split_once("://").map_or(&*shown, |(_, rest)| rest).trim_end_matches(".git");
        // Messages leave the port of ssh out.
        let port = raw.strip_prefix("ssh://").and_then(|rest| rest.split('/').next()?.rsplit_once(':'));
        let port =
            port.map(|(_, port)| port).filter(|port| *port != "22" && port.bytes().all(|it| it.is_ascii_digit()));
        format!("{place}{}", port.map(|port| format!(":{port}")).unwrap_or_default())
    }

    /// Returns whether pushes go to another repository than the one that is read.
    pub(crate) fn pushes_elsewhere(&self) -> bool {
        let push_url = self.variables.iter().rfind(|(key, _)| key == PUSH_URL);
        push_url.is_some_and(|(_, url)| Address::of_url(url.clone()).identity() != self.identity())
    }

    /// Returns whether the repository is a folder.
    pub(crate) fn is_local(&self) -> bool {
        let raw = self.url.to_string_lossy();
        !is_url(&raw) || raw.starts_with("file://")
    }

    /// Returns whether the repository is reached by HTTP.
    pub(crate) fn is_http(&self) -> bool {
        self.url.as_bytes().starts_with(b"http")
    }

    /// Returns whether the repository is on the server that gets the token of the environment.
    pub(crate) fn takes_token(&self, home: &Home) -> bool {
        let server = home.git_environment().github_server().trim_end_matches('/');
        let rest = self.url.to_str().and_then(|url| url.strip_prefix(server));
        rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// The URL without a password, for messages.
    pub(crate) fn shown(&self) -> String {
        sanitize_remote_url(&self.url.to_string_lossy()).unwrap_or_else(|_| "the remote".to_owned())
    }
}

/// Has git ask only this helper for the user and the password on a server. The password is in a variable of
/// the environment, in no argument and in no file.
fn helper(server: &OsStr, user: &str, password_variable: &str) -> [(OsString, OsString); 2] {
    let key = joined(["credential.".as_ref(), server, ".helper".as_ref()]);
    let answer = format!("printf 'username=%s\\npassword=%s\\n' \"{user}\" \"${password_variable}\"");
    [(key.clone(), OsString::new()), (key, format!("!f() {{ test \"$1\" = get && {answer}; }}; f").into())]
}

/// Parts of a text as one.
fn joined(parts: [&OsStr; 3]) -> OsString {
    OsString::from_vec(parts.map(OsStr::as_bytes).concat())
}

/// A URL without its credentials.
struct Clean {
    url: OsString,
    /// The user of HTTP, and the password if it has one. Neither need be UTF-8.
    user: Option<OsString>,
    password: Option<OsString>,
}

/// A URL of HTTP without its user and password, or another one without its password; `None` if it has none.
fn without_credentials(url: &OsStr) -> Option<Clean> {
    let url = url.as_bytes();
    let (scheme, rest) = split_at(url, url.windows(3).position(|it| it == b"://")?, 3)?;
    // What follows is the host, however many slashes there are before it. Only a file may have none.
    let slashes = rest.iter().take_while(|byte| **byte == b'/' && scheme != b"file").count();
    let rest = rest.get(slashes..)?;
    let authority = rest.split(|byte| b"/?#".contains(byte)).next()?;
    let (credentials, _) = split_at(authority, authority.iter().rposition(|byte| *byte == b'@')?, 1)?;
    let (user, password) = match credentials.iter().position(|byte| *byte == b':') {
        Some(colon) => split_at(credentials, colon, 1).map(|(user, password)| (user, Some(password)))?,
        None => (credentials, None),
    };
    let rest = rest.get(credentials.len() + 1..)?;
    if ![&b"http"[..], b"https"].contains(&scheme) {
        let url = OsString::from_vec([scheme, b"://", user, b"@", rest].concat());
        return password.map(|_| Clean { url, user: None, password: None });
    }
    let decoded = |text: &[u8]| OsString::from_vec(percent_decode(text).collect());
    let url = OsString::from_vec([scheme, b"://", rest].concat());
    Some(Clean { url, user: Some(decoded(user)), password: password.map(decoded) })
}

/// Refuses a secret in a URL that is not its user and password: git would pass it on as an argument.
fn refuse_secret(redactor: &Redactor, url: &OsStr) -> Result<()> {
    let clean = without_credentials(url).map_or_else(|| url.to_owned(), |it| it.url);
    let clean = clean.to_string_lossy();
    // `user:password@host:path`, which is no URL of ssh.
    let is_short = is_url(&clean) && !clean.contains("://");
    let has_password =
        is_short && clean.split_once('@').is_some_and(|(user, rest)| user.contains(':') && rest.contains(':'));
    if !has_password && matches!(redactor.scrub(&clean), Cow::Borrowed(_)) {
        return Ok(());
    }
    let message = "the URL of the remote has a secret in a place where git passes it on as an argument, which other users see; \
                   put it where the password is (https://user:password@host/path), or in a credential helper of git";
    Err(Error::new(ErrorKind::SecretRefused, message))
}

/// The text before and after a separator of this length.
fn split_at(text: &[u8], at: usize, length: usize) -> Option<(&[u8], &[u8])> {
    Some((text.get(..at)?, text.get(at + length..)?))
}

/// A path without `.` and `..`, and without a slash at its end.
fn without_dots(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => parts.truncate(parts.len().saturating_sub(1)),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

fn canonical(home: &Home, folder: &Path) -> Result<PathBuf> {
    home.disk().canonical(folder).map_err(|cause| {
        Error::validation(format!("repoDir {} cannot be opened as a folder", folder.display()))
            .at(folder)
            .because_of(&cause)
    })
}

/// Returns whether git takes it for a URL: with a scheme, or as `host:path`.
fn is_url(remote: &str) -> bool {
    if remote.contains("://") || remote.contains("::") {
        return true;
    }
    let host = remote.split_once(':').map(|(host, _)| host);
    host.is_some_and(|host| !host.is_empty() && !host.contains('/'))
}

/// Returns whether it is a path rather than the name of a remote.
fn is_path(remote: &str) -> bool {
    remote.starts_with(['/', '.']) || remote.ends_with(".git")
}

fn is_wanted(key: &[u8]) -> bool {
    let key = String::from_utf8_lossy(key);
    SECTIONS.iter().any(|section| key.starts_with(section)) || KEYS.contains(&&*key)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the tests run git in a folder of their own")]
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
        let split = |url: &str| {
            let shown = |text: &OsStr| text.to_str().unwrap().to_owned();
            without_credentials(OsStr::new(url))
                .map(|it| format!("{} {} {:?}", shown(&it.url), shown(&it.user.unwrap_or_default()), it.password))
        };
        assert_eq!(split("https://me:a%40b@h:8/r?x").unwrap(), "https://h:8/r?x me Some(\"a@b\")");
        assert_eq!(split("https://token@h/r").unwrap(), "https://h/r token None");
        assert_eq!(split("ssh://me:pw@h:22/r").unwrap(), "ssh://me@h:22/r  None");
        assert_eq!(split("git://me:pw@h/r").unwrap(), "git://me@h/r  None");
        assert_eq!(split("http:///me:pw@h/r").unwrap(), "http://h/r me Some(\"pw\")");
        assert_eq!(split("ssh:////me:pw@h/r").unwrap(), "ssh://me@h/r  None");
        for url in ["https://h/r", "ssh://me@h/r", "https://h/a:b@c", "me@h:r", "file:///srv/a:b@c", "https:///h/a:b@c"]
        {
            assert_eq!(split(url), None, "{url}");
        }
        for name in ["origin", "up-stream", "a/b"] {
            assert!(!is_url(name) && !is_path(name), "{name}");
        }
    }

    #[test]
    fn a_secret_that_git_would_pass_on_as_an_argument_is_refused() {
        let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
        let address = |url: &str, rule: Option<&str>| {
            let key = |url: &str| OsString::from(format!("url.{url}.insteadof"));
            let variables = rule.map(|url| (key(url), OsString::from("short:")));
            Address { variables: variables.into_iter().collect(), ..Address::of_url(url.into()) }
        };
        for url in [
            format!("https://h/r?token={token}"),
            "https://h/r?token=Vx83kqz0Tm2nQ".to_owned(),
            format!("https://h/me:{token}@r"),
            format!("https://me:pw@h/{token}/r"),
            format!("ssh://git@h/{token}/r"),
            format!("git@h:{token}/r"),
            "me:hunter2@h:r".to_owned(),
        ] {
            for address in [address(&url, None), address("short:", Some(&url))] {
                let refused = { address }.rewrite(&Redactor::default(), &Config::default()).expect_err(&url);
                assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused}");
                assert!(!refused.message().contains(&token) && !refused.message().contains("hunter2"), "{refused}");
            }
        }
        for url in ["https://me:pw@h/r?depth=1", "git@h:o/r.git", "h:a@b", "ext::sh -c 'git %s'", "/srv/a:b@c.git"] {
            address(url, None).rewrite(&Redactor::default(), &Config::default()).unwrap();
        }
    }

    /// What git would be given, with these variables of a repository: the URLs to fetch from and to push to.
    fn given(url: &str, variables: &[(&str, &str)]) -> (String, String, Address) {
        let variables = variables.iter().map(|(key, value)| (OsString::from(key), OsString::from(value))).collect();
        let mut address = Address { variables, ..Address::of_url(url.into()) };
        address.rewrite(&Redactor::default(), &Config::default()).unwrap();
        let address = address.without_password().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&OsStr]| {
            let mut git = std::process::Command::new("git");
            let git = git.args(arguments).current_dir(folder.path()).env("GIT_CONFIG_GLOBAL", "/dev/null");
            let output = git.output().unwrap();
            assert!(output.status.success(), "{arguments:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        git(&["init", "-q"].map(OsStr::new));
        let named = (OsString::from("remote.loopmem.url"), address.given.clone());
        for (key, value) in address.variables.iter().chain([&named]) {
            git(&[OsStr::new("config"), OsStr::new("--add"), key, value]);
        }
        let ask = |push: &[&str]| {
            let all = ["remote", "get-url"].iter().chain(push).chain(&["loopmem"]).map(OsStr::new);
            git(&all.collect::<Vec<_>>())
        };
        (ask(&[]), ask(&["--push"]), address)
    }

    #[test]
    fn git_is_given_no_password_also_where_its_configuration_rewrites_the_url() {
        let rule = |base: &str, kind: &str| format!("url.{base}.{kind}");
        let with = rule("https://me:pw@h/", "insteadof");
        type Variables<'v> = Vec<(&'v str, &'v str)>;
        let cases: [(&str, Variables<'_>, &str, &str); 6] = [
            ("https://h/r", vec![(&with, "https://h/")], "https://h/r", "https://h/r"),
            ("x:r", vec![(&with, "x:")], "https://h/r", "https://h/r"),
            ("x:r", vec![(&with, "x:"), ("remote.loopmem.pushurl", "x:p")], "https://h/r", "https://h/p"),
            ("ssh://me:pw@h/r", vec![], "ssh://me@h/r", "ssh://me@h/r"),
            ("git://me:pw@h/r", vec![], "git://me@h/r", "git://me@h/r"),
            ("ssh://me@h/r", vec![("url.git@other:.insteadof", "ssh://me@h/")], "git@other:r", "git@other:r"),
        ];
        for (url, variables, fetched, pushed) in cases {
            let (fetches, pushes, address) = given(url, &variables);
            assert_eq!((&*fetches, &*pushes), (fetched, pushed), "{url}");
            assert!(!address.url.to_string_lossy().contains("pw"), "{url}");
        }
        let push = rule("https://me:pw@h/", "pushinsteadof");
        let (fetches, pushes, address) = given("https://g/r", &[(&push, "https://g/")]);
        assert_eq!((&*fetches, &*pushes), ("https://g/r", "https://h/r"));
        assert!(address.secrets.contains(&(PUSH_PASSWORD, "pw".into())));
    }

    #[test]
    fn passwords_and_urls_that_are_no_utf8_are_kept_from_git_as_well() {
        for (url, clean, password) in [
            (&b"https://me:p%e9w@h/r"[..], &b"https://h/r"[..], &b"p\xe9w"[..]),
            (b"https://me:p\xe9w@h/r", b"https://h/r", b"p\xe9w"),
            (b"https://me:pw@h/caf\xe9", b"https://h/caf\xe9", b"pw"),
            (b"http:///me:pw@h/r", b"http://h/r", b"pw"),
            (b"https://%e9:pw@h:8/r", b"https://h:8/r", b"pw"),
        ] {
            for is_rewritten in [false, true] {
                let url = OsString::from_vec(url.to_vec());
                // The configuration of the repository may have it in a rule.
                let (named, variables) = match is_rewritten {
                    true => (
                        "short:".into(),
                        vec![(joined(["url.".as_ref(), &url, ".insteadof".as_ref()]), "short:".into())],
                    ),
                    false => (url, Vec::new()),
                };
                let mut address = Address { variables, ..Address::of_url(named) };
                address.rewrite(&Redactor::default(), &Config::default()).unwrap();
                let shown = address.shown();
                let address = address.without_password().unwrap();
                assert_eq!(address.given.as_bytes(), clean, "{shown}");
                assert!(address.secrets.contains(&(PASSWORD, OsString::from_vec(password.to_vec()))), "{shown}");
                assert!(!shown.contains("pw") && !shown.contains('@'), "{shown}");
                let values = address.variables.iter().filter(|(key, _)| key.as_bytes().starts_with(b"credential."));
                assert!(values.count() >= 2 && !address.url.as_bytes().contains(&b'@'), "{shown}");
            }
        }
        for url in ["https://me:p%0aw@h/r", "https://m%00e:pw@h/r", "https://m%0de@h/r"] {
            let refused = Address::of_url(url.into()).without_password().unwrap_err();
            assert!(refused.message().contains("control characters") && !refused.message().contains("pw"), "{refused}");
        }
    }
}
