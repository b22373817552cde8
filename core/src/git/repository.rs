//! A verified repository: its git directory, work tree and format, with all claims about other places confirmed.

use std::path::{Path, PathBuf};

use super::config::Config;
use super::discovery::{Holder, path_in};
use super::{Files, bool, path_of, refused, shell_word, trust};
use crate::disk::Kind;
use crate::error::{Error, Result};

/// The number of hex digits of an object id.
const SHA1_DIGITS: usize = 40;
const SHA256_DIGITS: usize = 64;

/// A repository whose claims have been verified.
#[derive(Debug)]
pub(crate) struct Repository {
    git_dir: PathBuf,
    common_dir: PathBuf,
    work_tree: Option<PathBuf>,
    main: Main,
    settings: Settings,
}

/// What a repository shares with its linked work trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Main {
    /// The main work tree, or the git directory of a bare repository.
    Known(PathBuf),
    /// To be determined from the common directory, which confirmed the link.
    OfCommon,
    /// The git directory is not the folder's `.git` and does not name its work tree.
    Unproven { is_bare: bool },
}

/// The format and location settings in the repository's own files. Includes do not apply to these.
#[derive(Debug)]
pub(super) struct Settings {
    own: Config,
    file: PathBuf,
    /// `config.worktree`, if enabled.
    work_tree: Option<(Config, PathBuf)>,
    has_work_tree_config: bool,
    id_length: usize,
}

impl Repository {
    /// The canonical git directory; for a linked work tree, its own.
    pub(crate) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The canonical git directory that linked work trees share.
    pub(crate) fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The canonical top of the work tree; `None` for a bare repository.
    pub(crate) fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }

    /// The number of hex digits of an object id.
    pub(super) fn id_length(&self) -> usize {
        self.settings.id_length
    }

    pub(super) fn own_config(&self) -> (&Config, &Path) {
        (&self.settings.own, &self.settings.file)
    }

    pub(super) fn work_tree_config(&self) -> Option<(&Config, &Path)> {
        self.settings.work_tree.as_ref().map(|(config, file)| (config, &**file))
    }

    /// What the repository shares with its linked work trees: the main work tree, or the git directory if the
    /// repository is bare or has a separate git directory that does not name its work tree.
    ///
    /// # Errors
    /// `GitError` if it is not confirmed; `Cancelled`.
    pub(crate) fn main_work_tree(&self, files: &Files<'_>) -> Result<PathBuf> {
        match &self.main {
            Main::Known(path) => Ok(path.clone()),
            Main::OfCommon => self.settings.main_of(files, &self.common_dir),
            Main::Unproven { is_bare: false } => {
                let what = "this git directory does not name its work tree, so branches and work trees cannot share a \
                            memory; in the main work tree, run: git config core.worktree \"$PWD\"";
                Err(refused(&self.git_dir, what))
            }
            Main::Unproven { is_bare: true } => {
                let what = "this bare repository is reached through a `.git` that it does not refer to, so its memory \
                            cannot be shared here; use one of its linked work trees as the workspace";
                Err(refused(&self.git_dir, what))
            }
        }
    }

    /// Opens the repository of a folder with a `.git`, for a `workspace` in it.
    pub(super) fn open(files: &Files<'_>, holder: Holder, workspace: &Path) -> Result<Repository> {
        let Holder { folder, git_dir, is_own } = holder;
        let entry = folder.join(".git");
        trust::check(files, &folder, &[&folder, &entry, &git_dir], workspace)?;
        if let Some(common_dir) = common_dir_of(files, &git_dir)? {
            if is_own {
                let what = "a `.git` folder is not a linked work tree and must not have a commondir; remove that file";
                return Err(refused(&git_dir.join("commondir"), what));
            }
            check_link(files, &entry, &git_dir, &common_dir)?;
            check_folders(files, &entry, &common_dir)?;
            let settings = Settings::read(files, &git_dir, &common_dir)?;
            // Without extensions.worktreeConfig, core.worktree refers to the main work tree.
            if let Some((value, file)) = settings.linked_work_tree() {
                let named = resolve(files, &git_dir, value, file)?;
                if named != folder {
                    return Err(elsewhere(file));
                }
            }
            let (work_tree, main) = (Some(folder), Main::OfCommon);
            return Ok(Repository { git_dir, common_dir, work_tree, main, settings });
        }
        check_folders(files, &entry, &git_dir)?;
        let settings = Settings::read(files, &git_dir, &git_dir)?;
        let (work_tree, main) = match (settings.is_bare()?, settings.work_tree()) {
            (true, Some((_, file))) => return Err(contradiction(file)),
            (true, None) if is_own => {
                let what = "core.bare is true, so git finds no work tree here; if there is one, run: git config core.bare \
                            false; otherwise use one of the repository's linked work trees";
                return Err(refused(&entry, what));
            }
            // A common layout: `.git` names `./.bare`. It could also name any other repository below, so the folder is
            // the identity, not the repository.
            (true, None) if git_dir.starts_with(&folder) => (Some(folder), Main::Unproven { is_bare: true }),
            (true, None) => {
                let what = "it leads to a bare repository elsewhere; use that folder as the workspace";
                return Err(refused(&entry, what));
            }
            (false, Some((value, file))) => {
                let named = resolve(files, &git_dir, value, file)?;
                let is_confirmed = named == folder || Holder::leads_to(files, &named, &git_dir)?;
                if !is_confirmed || !workspace.starts_with(&named) {
                    let what = "it leads to a repository whose core.worktree names another folder; remove it, or \
                                correct core.worktree if this folder was moved";
                    return Err(if is_own { elsewhere(file) } else { refused(&entry, what) });
                }
                (Some(named.clone()), Main::Known(named))
            }
            (false, None) if is_own => (Some(folder.clone()), Main::Known(folder)),
            (false, None) if git_dir.file_name().is_some_and(|name| name == ".git") => {
                let what = "it leads to the repository of another folder; remove it, or use that folder as the \
                            workspace";
                return Err(refused(&entry, what));
            }
            (false, None) => (Some(folder), Main::Unproven { is_bare: false }),
        };
        Ok(Repository { common_dir: git_dir.clone(), git_dir, work_tree, main, settings })
    }

    /// Opens the folder as a bare repository.
    pub(super) fn open_bare(files: &Files<'_>, folder: &Path) -> Result<Repository> {
        trust::check(files, folder, &[folder], folder)?;
        if common_dir_of(files, folder)?.is_some() {
            return Err(refused(
                &folder.join("commondir"),
                "a bare repository must not have a commondir; remove that file",
            ));
        }
        let settings = Settings::read(files, folder, folder)?;
        if let Some((_, file)) = settings.work_tree() {
            return Err(contradiction(file));
        }
        let git_dir = folder.to_owned();
        let main = Main::Known(git_dir.clone());
        Ok(Repository { common_dir: git_dir.clone(), git_dir, work_tree: None, main, settings })
    }

    /// A repository named by the environment.
    pub(super) fn explicit(
        git_dir: PathBuf,
        common_dir: PathBuf,
        work_tree: Option<PathBuf>,
        main: Main,
        settings: Settings,
    ) -> Repository {
        Repository { git_dir, common_dir, work_tree, main, settings }
    }

    /// Replaces the work tree with the one that the environment names.
    pub(super) fn with_work_tree(self, work_tree: PathBuf) -> Repository {
        Repository { work_tree: Some(work_tree), ..self }
    }
}

/// The common directory of a linked work tree; `None` if this is not a linked work tree.
pub(crate) fn common_dir_of(files: &Files<'_>, git_dir: &Path) -> Result<Option<PathBuf>> {
    let file = git_dir.join("commondir");
    let Some(path) = path_in(files, &file, git_dir)? else { return Ok(None) };
    match files.canonical(&path)? {
        Some(common_dir) => Ok(Some(common_dir)),
        None => Err(refused(&file, "the repository that it names does not exist; correct it")),
    }
}

/// Rejects a link to `git_dir` that its repository does not confirm.
fn check_link(files: &Files<'_>, entry: &Path, git_dir: &Path, common_dir: &Path) -> Result<()> {
    let is_in_place = git_dir.parent() == Some(&common_dir.join("worktrees"));
    let back = git_dir.join("gitdir");
    if !is_in_place || linked_entry(files, git_dir)?.as_deref() != Some(entry) {
        let what = "it leads to a repository that does not list it as a linked work tree; if it was moved, run \
                    `git worktree repair` in it";
        return Err(refused(entry, what).because(format_args!("see {}", back.display())));
    }
    Ok(())
}

/// The `.git` that the git directory of a linked work tree refers back to; `None` if it does not exist.
pub(super) fn linked_entry(files: &Files<'_>, git_dir: &Path) -> Result<Option<PathBuf>> {
    let Some(entry) = path_in(files, &git_dir.join("gitdir"), git_dir)? else { return Ok(None) };
    // The entry itself may be a link, but not the folder that contains it.
    let (Some(folder), Some(name)) = (entry.parent(), entry.file_name()) else { return Ok(None) };
    Ok(files.canonical(folder)?.map(|folder| folder.join(name)))
}

/// Whether it has the folders of a git directory. HEAD is read later.
pub(super) fn has_git_folders(files: &Files<'_>, common_dir: &Path) -> Result<bool> {
    for name in ["objects", "refs"] {
        if files.stat(&common_dir.join(name))?.is_none_or(|stat| stat.kind != Kind::Folder) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// As [`has_git_folders`], with an error that names the entry that leads there, since the target is untrusted.
fn check_folders(files: &Files<'_>, entry: &Path, common_dir: &Path) -> Result<()> {
    match has_git_folders(files, common_dir)? {
        true => Ok(()),
        false => Err(refused(
            entry,
            "it does not lead to a git repository: objects/ or refs/ is missing; correct or remove it",
        )),
    }
}

/// The folder that `core.worktree` of `file` names.
pub(super) fn resolve(files: &Files<'_>, git_dir: &Path, value: Option<&[u8]>, file: &Path) -> Result<PathBuf> {
    let named = value.filter(|value| !value.is_empty()).map(|value| git_dir.join(path_of(value)));
    let found = named.map_or(Ok(None), |named| files.canonical(&named))?;
    found.ok_or_else(|| refused(file, "core.worktree does not name an existing folder; correct or unset it"))
}

fn elsewhere(file: &Path) -> Error {
    let unset = format!(
        "core.worktree names a work tree that does not lead back to this repository or does not contain the workspace; \
         correct it, or run: git config --file {} --unset core.worktree",
        shell_word(file)
    );
    refused(file, &unset)
}

fn contradiction(file: &Path) -> Error {
    refused(file, "core.bare and core.worktree contradict each other; unset one of them")
}

impl Settings {
    pub(super) fn read(files: &Files<'_>, git_dir: &Path, common_dir: &Path) -> Result<Settings> {
        let file = common_dir.join("config");
        let own = Config::of_file(files, &file)?.unwrap_or_default();
        let id_length = check_format(&own, &file)?;
        let has_work_tree_config = own.flag("extensions.worktreeconfig", &file)?.unwrap_or(false);
        let mut settings = Settings { own, file, work_tree: None, has_work_tree_config, id_length };
        settings.work_tree = settings.work_tree_file(files, git_dir)?;
        Ok(settings)
    }

    /// Reads `config.worktree` of a git directory, if enabled.
    fn work_tree_file(&self, files: &Files<'_>, git_dir: &Path) -> Result<Option<(Config, PathBuf)>> {
        if !self.has_work_tree_config {
            return Ok(None);
        }
        let file = git_dir.join("config.worktree");
        Ok(Config::of_file(files, &file)?.map(|config| (config, file)))
    }

    /// `core.bare`; if unset, git guesses, and a repository with a `.git` is not bare.
    pub(super) fn is_bare(&self) -> Result<bool> {
        let of_work_tree = match &self.work_tree {
            Some((config, file)) => config.flag("core.bare", file)?,
            None => None,
        };
        let own = self.own.flag("core.bare", &self.file)?;
        Ok(of_work_tree.or(own).unwrap_or(false))
    }

    /// `core.worktree` and the file that sets it.
    pub(super) fn work_tree(&self) -> Option<(Option<&[u8]>, &Path)> {
        self.linked_work_tree().or_else(|| named_in(&self.own, &self.file))
    }

    /// As [`work_tree`](Self::work_tree), but only from the `config.worktree` of a linked work tree.
    pub(super) fn linked_work_tree(&self) -> Option<(Option<&[u8]>, &Path)> {
        self.work_tree.as_ref().and_then(|(config, file)| named_in(config, file))
    }

    /// The main work tree of the repository with this common directory, or the directory itself.
    fn main_of(&self, files: &Files<'_>, common_dir: &Path) -> Result<PathBuf> {
        // The linked work tree may have a different `config.worktree`.
        let (own, file) = (Config(self.own.0.clone()), self.file.clone());
        let mut settings = Settings { own, file, work_tree: None, ..*self };
        settings.work_tree = settings.work_tree_file(files, common_dir)?;
        if settings.is_bare()? {
            return Ok(common_dir.to_owned());
        }
        if let Some((value, file)) = settings.work_tree() {
            let named = resolve(files, common_dir, value, file)?;
            return if Holder::leads_to(files, &named, common_dir)? { Ok(named) } else { Err(elsewhere(file)) };
        }
        let is_beside = common_dir.file_name().is_some_and(|name| name == ".git");
        Ok(common_dir.parent().filter(|_| is_beside).unwrap_or(common_dir).to_owned())
    }
}

fn named_in<'c>(config: &'c Config, file: &'c Path) -> Option<(Option<&'c [u8]>, &'c Path)> {
    let is_set = config.0.iter().any(|entry| entry.key == b"core.worktree");
    is_set.then(|| (config.get(b"core.worktree"), file))
}

/// Rejects unknown formats, as git does; returns the number of hex digits of an object id.
fn check_format(own: &Config, file: &Path) -> Result<usize> {
    const ALWAYS: [&[u8]; 4] = [b"noop", b"preciousobjects", b"partialclone", b"worktreeconfig"];
    const SINCE_1: [&[u8]; 5] =
        [b"noop-v1", b"objectformat", b"compatobjectformat", b"refstorage", b"relativeworktrees"];
    let version = match own.all(b"core.repositoryformatversion").last() {
        None => 0,
        Some(version) => bool::number(version).ok_or_else(|| {
            let what = "core.repositoryFormatVersion is not a number; see `git config core.repositoryFormatVersion`";
            refused(file, what)
        })?,
    };
    if version > 1 {
        return Err(refused(file, "the repository has a newer format than loopmem supports; update loopmem"));
    }
    let mut digits = SHA1_DIGITS;
    for entry in &own.0 {
        let Some(name) = entry.key.strip_prefix(b"extensions.") else { continue };
        let is_newer = SINCE_1.contains(&name);
        if version < 1 && is_newer {
            let what = "it has an extension that core.repositoryFormatVersion = 0 does not allow; git refuses it too";
            return Err(refused(file, what));
        }
        if version >= 1 && !is_newer && !ALWAYS.contains(&name) {
            return Err(refused(file, "the repository has an extension that loopmem does not support; update loopmem"));
        }
        match (name, entry.value.as_deref()) {
            (b"objectformat", Some(b"sha256")) => digits = SHA256_DIGITS,
            (b"objectformat", Some(b"sha1")) => digits = SHA1_DIGITS,
            (b"objectformat", _) => {
                return Err(refused(
                    file,
                    "extensions.objectFormat is neither sha1 nor sha256, the formats that loopmem supports",
                ));
            }
            (b"refstorage", Some(b"files")) => {}
            (b"refstorage", _) => {
                let what = "extensions.refStorage: loopmem reads refs from files only and does not support reftable \
                            yet; convert them with `git refs migrate --ref-format=files`";
                return Err(refused(file, what));
            }
            _ => {}
        }
    }
    Ok(digits)
}
