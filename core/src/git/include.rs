//! Includes of configuration files: `include.path` and `includeIf.<condition>.path`, as documented by `git config`.

use std::path::{Path, PathBuf};

use super::config::Config;
use super::syntax::Entry;
use super::{Files, bytes_of, path_of, pattern, refused};
use crate::error::{Error, ErrorKind, Result};

/// The limit on nested includes, which is git's.
const MAX_DEPTH: usize = 10;
/// The limits on included files and on the size of all variables in memory, in bytes. Within git's limit, files that
/// include each other twice would be read 2¹⁰ times.
const MAX_FILES: usize = 200;
const MAX_BYTES: usize = 32 << 20;
/// The file with the users' home folders.
const PASSWD: &str = "/etc/passwd";
const MAX_PASSWD_BYTES: u64 = 4 << 20;

/// Loads a configuration.
pub(super) struct Loader<'l, 'f> {
    files: &'l Files<'f>,
    /// The git directory for `gitdir:` conditions; `None` for configuration that a repository cannot influence.
    git_dir: Option<&'l Path>,
    branch: Option<&'l [u8]>,
    /// The remotes' URLs for `hasconfig:` conditions; unknown in the first pass.
    remote_urls: Option<Vec<Vec<u8>>>,
    /// Whether a condition needs the URLs.
    wants_urls: bool,
    depth: usize,
    included: usize,
    bytes: usize,
    entries: Vec<Entry>,
}

impl<'l, 'f> Loader<'l, 'f> {
    pub(super) fn new(files: &'l Files<'f>, git_dir: Option<&'l Path>, branch: Option<&'l [u8]>) -> Self {
        Loader {
            files,
            git_dir,
            branch,
            remote_urls: None,
            wants_urls: false,
            depth: 0,
            included: 0,
            bytes: 0,
            entries: Vec::new(),
        }
    }

    pub(super) fn files(&self) -> &'l Files<'f> {
        self.files
    }

    /// Returns the variables that `load` adds. It is called a second time if a `hasconfig:` condition needs the URLs of
    /// remotes.
    pub(super) fn load(mut self, load: impl Fn(&mut Self) -> Result<()>) -> Result<Config> {
        load(&mut self)?;
        if self.wants_urls {
            let urls = self.entries.iter().filter(|entry| is_remote_url(entry)).filter_map(|entry| entry.value.clone());
            self.remote_urls = Some(urls.collect());
            self.entries.clear();
            self.included = 0;
            self.bytes = 0;
            load(&mut self)?;
        }
        Ok(Config(self.entries))
    }

    /// Adds the variables of a file, if it exists, with its includes.
    pub(super) fn file(&mut self, file: &Path) -> Result<()> {
        match Config::of_file(self.files, file)? {
            Some(config) => self.include(&config, file),
            None => Ok(()),
        }
    }

    /// Adds the variables of a parsed file, with its includes.
    pub(super) fn include(&mut self, config: &Config, file: &Path) -> Result<()> {
        self.entries_of(config, Some(file))
    }

    /// As [`include`](Self::include), for variables of the environment.
    pub(super) fn include_of_environment(&mut self, config: &Config) -> Result<()> {
        self.entries_of(config, None)
    }

    fn entries_of(&mut self, config: &Config, file: Option<&Path>) -> Result<()> {
        for entry in &config.0 {
            self.bytes += entry.bytes();
            if self.bytes > MAX_BYTES {
                return Err(too_much(file));
            }
            self.entries.push(entry.clone());
            let condition = match &*entry.key {
                b"include.path" => None,
                key => match key.strip_prefix(b"includeif.").and_then(|rest| rest.strip_suffix(b".path")) {
                    Some(condition) => Some(condition),
                    None => continue,
                },
            };
            let asks_for_urls = condition.is_some_and(|condition| condition.starts_with(b"hasconfig:"));
            if condition.map_or(Ok(true), |condition| self.holds(condition, file))? {
                let before = self.entries.len();
                self.path(entry.value.as_deref(), file)?;
                if asks_for_urls && self.entries[before..].iter().any(is_remote_url) {
                    let what = "a file that is included with hasconfig:remote.*.url configures the URL of a remote, \
                                which git forbids; move it";
                    return Err(fault(file, what));
                }
            }
        }
        Ok(())
    }

    /// Includes the file that `include.path` of `file` names.
    fn path(&mut self, value: Option<&[u8]>, file: Option<&Path>) -> Result<()> {
        let Some(value) = value else {
            return Err(fault(file, "include.path has no value; set it to a file or remove it"));
        };
        let mut path = expanded(self.files, value)?.ok_or_else(|| {
            fault(file, "include.path begins with the folder of an unknown user; use an absolute path")
        })?;
        if path.is_relative() {
            let Some(file) = file else {
                return Err(fault(None, "include.path in the environment must not be relative; use an absolute path"));
            };
            // Relative to the link, not to its target; unlike in conditions, as in git.
            path = file.parent().unwrap_or(Path::new("/")).join(path);
        }
        if self.depth >= MAX_DEPTH {
            return Err(fault(
                file,
                "includes are nested more than 10 levels deep; check whether files include each other",
            ));
        }
        if self.included >= MAX_FILES {
            return Err(too_much(file));
        }
        self.depth += 1;
        self.included += 1;
        let included = self.file(&path);
        self.depth -= 1;
        included
    }

    /// Whether a condition of `includeIf` holds. As in git, an unknown condition does not.
    fn holds(&mut self, condition: &[u8], file: Option<&Path>) -> Result<bool> {
        // There may be many conditions with slow patterns.
        self.files.check_time(file.unwrap_or(Path::new("")))?;
        if let Some(wanted) = condition.strip_prefix(b"gitdir:") {
            return self.is_in(wanted, file, false);
        }
        if let Some(wanted) = condition.strip_prefix(b"gitdir/i:") {
            return self.is_in(wanted, file, true);
        }
        if let Some(wanted) = condition.strip_prefix(b"onbranch:") {
            return Ok(self.branch.is_some_and(|branch| pattern::matches(&as_prefix(wanted.to_vec()), branch, false)));
        }
        if let Some(wanted) = condition.strip_prefix(b"hasconfig:remote.*.url:") {
            self.wants_urls = true;
            for url in self.remote_urls.iter().flatten() {
                self.files.check_time(file.unwrap_or(Path::new("")))?;
                if pattern::matches(wanted, url, false) {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        Ok(false)
    }

    fn is_in(&self, wanted: &[u8], file: Option<&Path>, ignores_case: bool) -> Result<bool> {
        let Some(git_dir) = self.git_dir else { return Ok(false) };
        // The git directory is canonical, so the home folder must be too.
        let home = match self.files.environment.user_folder() {
            Some(home) if wanted.starts_with(b"~") => Some(self.files.canonical(&home)?.unwrap_or(home)),
            home => home,
        };
        let Some(wanted) = expanded_from(self.files, wanted, home)? else { return Ok(false) };
        let mut wanted = bytes_of(&wanted).to_vec();
        let mut git_dir = bytes_of(git_dir);
        if wanted.starts_with(b"./") {
            let Some(file) = file else { return Ok(false) };
            let real = self.files.canonical(file)?.unwrap_or_else(|| file.to_owned());
            // The folder is compared literally, not as a pattern.
            let folder = bytes_of(real.parent().unwrap_or(Path::new("/"))).to_vec();
            let is_same = |one: &[u8], other: &[u8]| one == other || (ignores_case && one.eq_ignore_ascii_case(other));
            match git_dir.split_at_checked(folder.len()) {
                Some((before, rest)) if is_same(before, &folder) => git_dir = rest,
                _ => return Ok(false),
            }
            wanted.remove(0);
        } else if !wanted.starts_with(b"/") {
            wanted.splice(0..0, *b"**/");
        }
        Ok(pattern::matches(&as_prefix(wanted), git_dir, ignores_case))
    }
}

/// A pattern with a trailing slash matches everything below.
fn as_prefix(mut pattern: Vec<u8>) -> Vec<u8> {
    if pattern.ends_with(b"/") {
        pattern.extend(b"**");
    }
    pattern
}

/// Expands `~/` and `~user/`; `None` if there is no such user, or if the path begins with `%(prefix)/`, git's
/// installation.
pub(super) fn expanded(files: &Files<'_>, path: &[u8]) -> Result<Option<PathBuf>> {
    expanded_from(files, path, files.environment.user_folder())
}

/// As [`expanded`], with `home` for `~`.
fn expanded_from(files: &Files<'_>, path: &[u8], home: Option<PathBuf>) -> Result<Option<PathBuf>> {
    if path.starts_with(b"%(prefix)/") {
        return Ok(None);
    }
    let Some(rest) = path.strip_prefix(b"~") else { return Ok(Some(path_of(path))) };
    let (user, rest) = rest.split_at(rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len()));
    let folder = if user.is_empty() { home } else { folder_of(files, user)? };
    Ok(folder.map(|folder| match rest.strip_prefix(b"/") {
        Some(rest) => folder.join(path_of(rest)),
        None => folder,
    }))
}

/// The home folder of a local user. Users of a directory service are not known.
fn folder_of(files: &Files<'_>, user: &[u8]) -> Result<Option<PathBuf>> {
    let users = files.read(Path::new(PASSWD), MAX_PASSWD_BYTES)?.unwrap_or_default();
    let fields = users.split(|byte| *byte == b'\n').map(|line| line.split(|byte| *byte == b':').collect::<Vec<_>>());
    let found = fields.into_iter().find(|fields| fields.first() == Some(&user));
    Ok(found.and_then(|fields| fields.get(5).map(|folder| path_of(folder))))
}

fn is_remote_url(entry: &Entry) -> bool {
    entry.key.strip_prefix(b"remote.").is_some_and(|rest| rest.ends_with(b".url"))
}

fn too_much(file: Option<&Path>) -> Error {
    fault(
        file,
        &format!("git's configuration includes more than {MAX_FILES} files or sets too many variables; use fewer"),
    )
}

fn fault(file: Option<&Path>, what: &str) -> Error {
    match file {
        Some(file) => refused(file, what),
        None => Error::new(ErrorKind::Git, format!("the environment (GIT_CONFIG_COUNT): {what}")),
    }
}
