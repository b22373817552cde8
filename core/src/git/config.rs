//! git's configuration: its files, and the values of its variables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::include::Loader;
use super::repository::Repository;
use super::syntax::{self, Entry, SyntaxError};
use super::{Files, MAX_CONFIG_BYTES, bool, refused};
use crate::error::{Error, ErrorKind, Result};

/// git's default system-wide file.
const SYSTEM_FILE: &str = "/etc/gitconfig";

/// Variables in the order in which git reads them; the last one of a name wins.
#[derive(Debug, Default)]
pub(crate) struct Config(pub(super) Vec<Entry>);

impl Config {
    /// The value of `key`; `None` if it is not set or has no value. Section and name must be in lower case.
    pub(crate) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.entry(key)?.value.as_deref()
    }

    fn entry(&self, key: &[u8]) -> Option<&Entry> {
        self.0.iter().rev().find(|entry| entry.key == key)
    }

    /// All values of `key`, in order; empty for a variable without a value.
    pub(super) fn all<'c>(&'c self, key: &'c [u8]) -> impl Iterator<Item = &'c [u8]> {
        self.0.iter().filter(move |entry| entry.key == key).map(|entry| entry.value.as_deref().unwrap_or_default())
    }

    /// The values of `name` in the subsections of `section`, by subsection.
    pub(crate) fn by_subsection(&self, section: &str, name: &str) -> BTreeMap<&[u8], &[u8]> {
        let (before, behind) = (format!("{section}."), format!(".{name}"));
        let subsection = |key: &'_ [u8]| {
            let length = key.strip_prefix(before.as_bytes())?.strip_suffix(behind.as_bytes())?.len();
            Some(before.len()..before.len() + length)
        };
        let mut found = BTreeMap::new();
        for entry in &self.0 {
            let Some(subsection) = subsection(&entry.key).and_then(|range| entry.key.get(range)) else { continue };
            match entry.value.as_deref() {
                Some(value) => found.insert(subsection, value),
                None => found.remove(subsection),
            };
        }
        found
    }

    /// The value of `key` as a boolean; `None` if it is not set. Errors name `file`.
    pub(super) fn flag(&self, key: &str, file: &Path) -> Result<Option<bool>> {
        let Some(entry) = self.entry(key.as_bytes()) else { return Ok(None) };
        match bool::parse(entry.value.as_deref()) {
            Some(flag) => Ok(Some(flag)),
            None => Err(refused(file, &format!("{key} is neither true nor false; set it to one of them"))),
        }
    }

    /// The variables of one file, without its includes; `None` if it does not exist.
    pub(super) fn of_file(files: &Files<'_>, file: &Path) -> Result<Option<Config>> {
        // The usual way to disable the configuration of the system or the user.
        if files.is_null_device(file)? {
            return Ok(None);
        }
        let Some(text) = files.read(file, MAX_CONFIG_BYTES)? else { return Ok(None) };
        match syntax::parse(&text) {
            Ok(entries) => Ok(Some(Config(entries))),
            Err(SyntaxError::Line(line)) => {
                Err(refused(file, &format!("line {line} is not valid git configuration; correct it")))
            }
            Err(SyntaxError::TooMany) => Err(refused(file, "it sets too many variables; remove some")),
        }
    }

    /// The configuration of `repository` on `branch`: the files of the system, the user, the repository and the work
    /// tree with their includes, and the environment's variables.
    ///
    /// # Errors
    /// `GitError` naming the file that cannot be read or is invalid; `Cancelled`.
    pub(crate) fn of_repository(files: &Files<'_>, repository: &Repository, branch: Option<&[u8]>) -> Result<Config> {
        let loader = Loader::new(files, Some(repository.git_dir()), branch);
        let (own, own_file) = repository.own_config();
        let load = |loader: &mut Loader<'_, '_>| {
            load_trusted_files(loader)?;
            loader.include(own, own_file)?;
            if let Some((work_tree, file)) = repository.work_tree_config() {
                loader.include(work_tree, file)?;
            }
            load_environment(loader)
        };
        loader.load(load)
    }

    /// The configuration of `repository` alone: its files with their includes, without those of the system and the user.
    ///
    /// # Errors
    /// `GitError` naming the file that cannot be read or is invalid; `Cancelled`.
    pub(crate) fn of_repository_alone(files: &Files<'_>, repository: &Repository) -> Result<Config> {
        let (own, own_file) = repository.own_config();
        Loader::new(files, Some(repository.git_dir()), None).load(|loader| {
            loader.include(own, own_file)?;
            match repository.work_tree_config() {
                Some((work_tree, file)) => loader.include(work_tree, file),
                None => Ok(()),
            }
        })
    }

    /// Every variable with its value, in order; empty for one without a value.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.0.iter().map(|entry| (&*entry.key, entry.value.as_deref().unwrap_or_default()))
    }

    /// The configuration that a repository cannot influence: the files of the system and the user, and the
    /// environment's variables.
    pub(crate) fn trusted(files: &Files<'_>) -> Result<Config> {
        Loader::new(files, None, None).load(|loader| {
            load_trusted_files(loader)?;
            load_environment(loader)
        })
    }
}

fn load_trusted_files(loader: &mut Loader<'_, '_>) -> Result<()> {
    for file in trusted_files(loader.files())? {
        loader.file(&file)?;
    }
    Ok(())
}

/// The files of the system and the user, in git's order. Files of the user that may not be read are skipped: a process
/// that changed its user often still has the previous user's `HOME`.
fn trusted_files(files: &Files<'_>) -> Result<Vec<PathBuf>> {
    let environment = files.environment;
    let mut found = Vec::new();
    if !is_set(files, "GIT_CONFIG_NOSYSTEM")? {
        found.push(environment.get("GIT_CONFIG_SYSTEM").map_or_else(|| PathBuf::from(SYSTEM_FILE), PathBuf::from));
    }
    let mut of_user = Vec::new();
    if let Some(global) = environment.get("GIT_CONFIG_GLOBAL") {
        of_user.push(PathBuf::from(global));
    } else {
        let home = environment.user_folder();
        let xdg = environment.get_nonempty("XDG_CONFIG_HOME").map(PathBuf::from);
        of_user.extend(xdg.or_else(|| Some(home.as_ref()?.join(".config"))).map(|config| config.join("git/config")));
        of_user.extend(home.map(|home| home.join(".gitconfig")));
    }
    for file in of_user {
        if !files.is_denied(&file)? {
            found.push(file);
        }
    }
    found.retain(|file| !file.as_os_str().is_empty());
    Ok(found)
}

/// `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_<n>` and `GIT_CONFIG_VALUE_<n>`.
fn load_environment(loader: &mut Loader<'_, '_>) -> Result<()> {
    let environment = loader.files().environment;
    let Some(count) = environment.get_nonempty("GIT_CONFIG_COUNT") else { return Ok(()) };
    let count = count.to_str().and_then(|count| count.parse::<u32>().ok());
    let count =
        count.ok_or_else(|| variable("GIT_CONFIG_COUNT", "is not a number of variables; correct or unset it"))?;
    let mut entries = Vec::new();
    for number in 0..count {
        let get = |kind: &str| {
            let name = format!("GIT_CONFIG_{kind}_{number}");
            environment
                .get(&name)
                .ok_or_else(|| variable(&name, "is missing though GIT_CONFIG_COUNT counts it; set it"))
        };
        let (key, value) = (get("KEY")?.as_encoded_bytes(), get("VALUE")?.as_encoded_bytes());
        let dots = key.iter().position(|byte| *byte == b'.').zip(key.iter().rposition(|byte| *byte == b'.'));
        let Some((first, last)) = dots else {
            return Err(variable(&format!("GIT_CONFIG_KEY_{number}"), "has no section; name it as section.key"));
        };
        let mut key = key.to_vec();
        key[..first].make_ascii_lowercase();
        key[last..].make_ascii_lowercase();
        entries.push(Entry { key, value: Some(value.to_vec()) });
    }
    loader.include_of_environment(&Config(entries))
}

/// Whether the environment variable `name` is true; false if it is unset.
pub(super) fn is_set(files: &Files<'_>, name: &str) -> Result<bool> {
    let Some(value) = files.environment.get(name) else { return Ok(false) };
    bool::parse(Some(value.as_encoded_bytes()))
        .ok_or_else(|| variable(name, "is neither true nor false; set it to one of them"))
}

fn variable(name: &str, what: &str) -> Error {
    Error::new(ErrorKind::Git, format!("the environment variable {name} {what}"))
}
