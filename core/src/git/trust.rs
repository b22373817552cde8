//! Ownership: repositories of other users are rejected, as by git, unless `safe.directory` allows them.

use std::path::Path;

use super::config::Config;
use super::include::expanded;
use super::{Files, bytes_of, shell_word, shown};
use crate::error::{Error, ErrorKind, Result};

/// Rejects a repository unless all existing `places` belong to this user, or `safe.directory` allows `named`, which is
/// the work tree or the folder of a bare repository. `safe.directory = .` means `workspace`.
///
/// # Errors
/// `GitError` that says how to allow the repository.
pub(super) fn check(files: &Files<'_>, named: &Path, places: &[&Path], workspace: &Path) -> Result<()> {
    let mut are_own = true;
    for place in places {
        // For a link, the owner of the link itself counts, as in git.
        are_own &= files.stat_entry(place)?.is_none_or(|stat| files.environment.is_own(stat.owner));
    }
    if are_own || is_safe(files, named, workspace)? {
        return Ok(());
    }
    let shown = shown(named);
    let what = format!(
        "the repository at {shown} belongs to another user; if you trust it, run: git config --global --add \
         safe.directory {}",
        shell_word(named)
    );
    Err(Error::new(ErrorKind::Git, what).at(named))
}

/// Whether `safe.directory` allows `folder`; an empty entry resets the list. The repository's own configuration is
/// ignored.
pub(super) fn is_safe(files: &Files<'_>, folder: &Path, workspace: &Path) -> Result<bool> {
    let config = Config::trusted(files)?;
    let mut is_safe = false;
    for value in config.all(b"safe.directory") {
        match value {
            b"" => is_safe = false,
            b"*" => is_safe = true,
            b"." => is_safe |= folder == workspace,
            value => is_safe |= names(files, value, folder)?,
        }
    }
    Ok(is_safe)
}

fn names(files: &Files<'_>, value: &[u8], folder: &Path) -> Result<bool> {
    // An entry that cannot be resolved allows nothing.
    let Some(allowed) = expanded(files, value)?.filter(|path| path.is_absolute()) else { return Ok(false) };
    if let Some(above) = bytes_of(&allowed).strip_suffix(b"/*") {
        let above = if above.is_empty() { Path::new("/").to_owned() } else { super::path_of(above) };
        let Some(above) = files.canonical(&above)? else { return Ok(false) };
        return Ok(folder != above && folder.starts_with(&above));
    }
    Ok(files.canonical(&allowed)?.is_some_and(|allowed| allowed == folder))
}
