//! Where items are: in the repository, in a folder and those above it, and in the Codex home.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::record::Scope;
use crate::disk::{Disk, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::git::tracked_files;
use crate::home::{Home, ItemFiles, ItemsBackend, Layout};
use crate::repo::{Location, Workspace};
use crate::safety::GeneratedId;
use crate::warning::Warning;

/// The scopes of items in each kind of store. Those of the top-level folder are beside those of its repository.
const OF_REPO: &[Scope] = &[Scope::Repo, Scope::Dir];
const OF_FOLDER: &[Scope] = &[Scope::Dir];
const OF_USER: &[Scope] = &[Scope::Global];
const OF_ANY: &[Scope] = &[Scope::Repo, Scope::Dir, Scope::Global];

/// Identifies how the name of a store's folder under the home is computed.
const RECIPE: &[u8] = b"loopmem items 1";

/// The `.gitignore` of the folder of a store.
const IGNORED: &[u8] = b"# Locks and temporary files of loopmem; items.jsonl may be committed.\n\
    /*.lock*\n/*.gate\n/*.tmp\n/*.torn\n/*.copying\n/*.damaged*\n/items.sqlite*\n/.gitignore\n";

/// The file of a store, and what belongs to it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) backend: ItemsBackend,
    /// Below this folder, loopmem creates folders and follows no links.
    pub(super) disk: Arc<Disk>,
    /// The file of items.
    pub(super) file: PathBuf,
    /// The folder that the items are about; `None` for the global ones.
    pub(super) folder: Option<PathBuf>,
    /// The scopes that its items can have. The first one is that of an item which says another one.
    scopes: &'static [Scope],
    /// True if it is at its default place, in a folder that only loopmem uses.
    pub(super) is_default: bool,
    /// True if its items are the user's own, wherever they came from: they are in the Codex home.
    pub(super) is_own: bool,
    /// The folder of the store under the home.
    pub(super) state: PathBuf,
    /// Why it is not used: other users could exchange its file, or it is git's.
    pub(super) refused: Option<Error>,
    /// True if its folder did not exist when its owners were checked: another user may create it first.
    is_unchecked: bool,
}

/// The stores that apply to a workspace.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// The top level of the repository.
    pub(super) top: PathBuf,
    pub(super) repo: Place,
    /// The folder itself, then those above it, below the top level of the repository. The top level is `repo`.
    pub(super) dirs: Vec<Place>,
    /// Files in a linked work tree whose place is in the main one: nothing is added to them.
    left: Vec<Place>,
    /// `None` if the Codex home is unknown.
    pub(super) global: Option<Place>,
}

impl Places {
    /// The stores that apply to the repository of `workspace`, and to `dir`, by default the folder of the workspace.
    ///
    /// # Errors
    /// `ValidationError` if a folder does not exist; `GitError`; `SecretRefused`.
    pub(super) fn of(home: &Home, workspace: &Workspace, dir: Option<&Path>) -> Result<Self> {
        Places::in_backend(home, workspace, dir, home.config().items.backend)
    }

    /// As [`of`](Self::of), in this backend.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub(super) fn in_backend(
        home: &Home,
        workspace: &Workspace,
        dir: Option<&Path>,
        backend: ItemsBackend,
    ) -> Result<Self> {
        let location = Location::of(home, workspace)?;
        let Location { top, mut folder, git_dir, .. } = location.clone();
        if let Some(dir) = dir {
            home.admit_path("dir", dir)?;
            let joined = folder.join(dir);
            let is_named_inside = without_dots(&joined).starts_with(&top);
            let found = home.disk().canonical(&joined).ok();
            let is_folder = |path: &PathBuf| matches!(home.disk().kind_of(path), Ok(Some(Kind::Folder)));
            folder = found.filter(is_folder).ok_or_else(|| {
                Error::validation(format!("dir {} is not a folder; use an existing one", dir.display())).at(dir)
            })?;
            // The repository may come from anyone, and must not choose a folder of another one.
            if is_named_inside && !folder.starts_with(&top) {
                let message = format!(
                    "dir {} leads out of the repository by a link, to {}; name that folder instead if it is meant",
                    dir.display(),
                    folder.display()
                );
                return Err(Error::validation(message).at(dir));
            }
        }
        let config = &home.config().items;
        let mut left = Vec::new();
        let of_top = |top: &Path| Place::of_top(home, top, &config.repo_files, backend);
        let mut repo = in_main_tree(home, &location, of_top(&top)?, of_top, &mut left)?;
        let above = folder.ancestors().take_while(|above| above.starts_with(&top) && *above != top);
        let no_files = ItemFiles::default();
        let of_folder = |folder: &Path| Place::in_folder(home, folder, &no_files, OF_FOLDER, backend);
        let mut dirs = Vec::new();
        for folder in above {
            dirs.push(in_main_tree(home, &location, of_folder(folder)?, of_folder, &mut left)?);
        }
        // The items of a folder outside the repository are in that folder.
        if dirs.is_empty() && folder != top {
            let mut place = Place::in_folder(home, &folder, &no_files, OF_FOLDER, backend)?;
            place.check(home);
            dirs.push(place);
        }
        let global = home.layout().codex_home().is_ok().then(|| Place::global(home, backend)).transpose()?;
        // In the home folder of a user, or if the environment says so, two of them may be one file. It is read once.
        dirs.retain(|place| place.file != repo.file);
        for place in std::iter::once(&mut repo).chain(&mut dirs) {
            let is_gits = |file: &Path| {
                git_dir.as_ref().is_some_and(|git_dir| file.starts_with(git_dir))
                    || file.iter().any(|part| part == ".git")
            };
            if place.is_default && is_gits(&place.file) {
                place.refuse(home, "items inside a git directory are not read", of_git(&place.file));
            }
            if global.as_ref().is_some_and(|global| global.file == place.file) {
                (place.scopes, place.is_own) = (OF_ANY, true);
            }
        }
        let is_another = |place: &Place| place.file != repo.file && dirs.iter().all(|dir| dir.file != place.file);
        let global = global.filter(is_another);
        Ok(Places { repo, dirs, left, global, top })
    }

    /// The store that a new item of this scope is added to.
    ///
    /// # Errors
    /// `ValidationError` if the Codex home is unknown, and for an item of a folder whose items are the global ones.
    pub(super) fn of_scope(&self, home: &Home, scope: Scope) -> Result<Place> {
        Ok(match scope {
            Scope::Repo => self.repo.clone(),
            // Items of the top-level folder are beside those of the repository.
            Scope::Dir => {
                let place = self.dirs.first().unwrap_or(&self.repo);
                let is_global = |global: Place| global.file == place.file && place.file != self.repo.file;
                if Place::global(home, place.backend).is_ok_and(is_global) {
                    let message = "the items of this folder are the global ones; add it with the scope global";
                    return Err(Error::validation(message).at(&place.file));
                }
                place.clone()
            }
            Scope::Global => match &self.global {
                Some(global) => global.clone(),
                None => Place::global(home, self.repo.backend)?,
            },
        })
    }

    /// The repository's, and those of folders, the nearest first, without those that are not used.
    pub(super) fn local(&self) -> impl Iterator<Item = &Place> {
        std::iter::once(&self.repo).chain(&self.dirs).chain(&self.left).filter(|place| place.refused.is_none())
    }

    /// All of them, the nearest to the workspace first: those of folders, the repository's and the global one.
    pub(super) fn nearest_first(&self) -> impl Iterator<Item = &Place> {
        let of_folders = self.dirs.iter().chain([&self.repo]).chain(&self.left);
        of_folders.filter(|place| place.refused.is_none()).chain(&self.global)
    }

    /// All of them: the repository's, those of folders, the nearest first, and the global one.
    pub(super) fn all(&self) -> impl Iterator<Item = &Place> {
        self.local().chain(&self.global)
    }
}

/// A path without `.` and `..`, by its names alone.
fn without_dots(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
        path
    })
}

/// The place of the same folder in the main work tree, for one in a linked work tree whose file git does not track: it would
/// block the removal of that work tree, and be lost with it. A file that is there already goes to `left`.
fn in_main_tree(
    home: &Home,
    location: &Location,
    place: Place,
    in_folder: impl Fn(&Path) -> Result<Place>,
    left: &mut Vec<Place>,
) -> Result<Place> {
    let Some(main) = location.main.as_ref().filter(|_| place.is_default) else { return Ok(place) };
    let below = place.folder.as_ref().and_then(|folder| folder.strip_prefix(&location.top).ok());
    let Some(folder) = below.map(|below| main.join(below)) else { return Ok(place) };
    if !matches!(home.disk().kind_of(&folder), Ok(Some(Kind::Folder))) || is_tracked(home, location, &place.file) {
        return Ok(place);
    }
    let in_main = in_folder(&folder)?;
    // Git may track the one there on another branch: what is added here would be among the changes of that branch.
    if is_tracked_in(home, &location.common_dir, main, &in_main.file) {
        return Ok(place);
    }
    if home.disk().has_entry(&place.file) {
        left.push(place);
    }
    Ok(in_main)
}

/// Whether git tracks `file`, which is in its work tree. If git's index cannot be read, it may.
fn is_tracked(home: &Home, location: &Location, file: &Path) -> bool {
    is_tracked_in(home, &location.git_dir, &location.top, file)
}

/// As [`is_tracked`], of the work tree at `top`.
fn is_tracked_in(home: &Home, git_dir: &Option<PathBuf>, top: &Path, file: &Path) -> bool {
    let (Some(git_dir), Ok(path)) = (git_dir, file.strip_prefix(top)) else { return false };
    let path = path.as_os_str().as_encoded_bytes();
    home.disk().has_entry(file)
        && tracked_files(home.disk(), git_dir).is_none_or(|files| files.iter().any(|file| file == path))
}

/// Nothing of loopmem is inside a git directory.
fn of_git(file: &Path) -> Error {
    let what = "it would be inside a git directory; use a work tree as the workspace";
    Error::new(ErrorKind::Git, format!("no items are stored at {}: {what}", file.display())).at(file)
}

impl Place {
    /// The global store.
    pub(super) fn global(home: &Home, backend: ItemsBackend) -> Result<Self> {
        let folder = home.layout().global_items()?;
        let root = home.layout().codex_home()?.to_owned();
        let place = Place::at(home, &root, &folder, &home.config().items.home_files, None, backend)?;
        Ok(Place { scopes: OF_USER, is_own: true, ..place })
    }

    /// The store in `folder`, whose items can have these scopes.
    fn in_folder(
        home: &Home,
        folder: &Path,
        files: &ItemFiles,
        scopes: &'static [Scope],
        backend: ItemsBackend,
    ) -> Result<Self> {
        let place = Place::at(home, folder, &Layout::items_in(folder), files, Some(folder.to_owned()), backend)?;
        Ok(Place { scopes, ..place })
    }

    /// The store of the repository, or other folder, whose top level is `top`.
    pub(super) fn of_top(home: &Home, top: &Path, files: &ItemFiles, backend: ItemsBackend) -> Result<Self> {
        let mut place = Place::in_folder(home, top, files, OF_REPO, backend)?;
        // Git has been asked whose repository it is.
        if !home.disk().has_entry(&top.join(".git")) {
            place.check(home);
        }
        Ok(place)
    }

    /// Whether git tracks its file.
    pub(super) fn is_tracked(&self, home: &Home, location: &Location) -> bool {
        is_tracked(home, location, &self.file)
    }

    /// Checks whether other users could exchange its file.
    fn check(&mut self, home: &Home) {
        // Whatever leads to a file that the environment names is its owner's choice.
        let Some(folder) = self.file.parent().filter(|_| self.is_default) else { return };
        match home.check_owners(folder) {
            Ok(is_there) => self.is_unchecked = !is_there,
            Err(refused) => self.refuse(home, "items that other users can change are not read", refused),
        }
    }

    /// Does not use it, and says so if there is a file.
    fn refuse(&mut self, home: &Home, message: &'static str, why: Error) {
        if home.disk().has_entry(&self.file) {
            Warning::new(message).because(&why).at(&self.file).emit(home.redactor());
        }
        self.refused = Some(why);
    }

    /// Returns whether its file may be opened to read it. If not, there are no items: another user may have created its folder.
    pub(super) fn may_be_opened(&self, home: &Home) -> bool {
        let unchecked = self.file.parent().filter(|_| self.is_unchecked);
        unchecked.is_none_or(|folder| home.check_owners(folder).unwrap_or(false))
    }

    /// Creates its folder before the first write, if another user may create it first.
    ///
    /// # Errors
    /// `IOError` if another user has.
    pub(super) fn claim(&self, home: &Home) -> Result<()> {
        let Some(folder) = self.file.parent().filter(|_| self.is_unchecked) else { return Ok(()) };
        for folder in [folder.parent().unwrap_or(folder), folder] {
            self.disk.make_folder(folder)?;
            home.check_owners(folder)?;
        }
        Ok(())
    }

    /// The scope of an item here that says `said`. A repository may come from anyone, and must not choose what
    /// applies elsewhere.
    pub(super) fn scope_of(&self, said: Scope) -> Scope {
        match self.scopes {
            [first, ..] if !self.scopes.contains(&said) => *first,
            _ => said,
        }
    }

    fn at(
        home: &Home,
        root: &Path,
        folder: &Path,
        files: &ItemFiles,
        of: Option<PathBuf>,
        backend: ItemsBackend,
    ) -> Result<Self> {
        let named = match backend {
            ItemsBackend::Jsonl => &files.jsonl,
            ItemsBackend::Sqlite => &files.sqlite,
        };
        match named {
            // Whatever leads to a file that the environment names is its owner's choice.
            Some(file) => {
                let file = if file.is_absolute() { file.clone() } else { home.current_folder()?.join(file) };
                let root = file.parent().unwrap_or(root).to_owned();
                Ok(Place::of_file(home, &root, file, of, backend))
            }
            None => {
                let name = match backend {
                    ItemsBackend::Jsonl => "items.jsonl",
                    ItemsBackend::Sqlite => "items.sqlite",
                };
                Ok(Place { is_default: true, ..Place::of_file(home, root, folder.join(name), of, backend) })
            }
        }
    }

    /// The store in `file`, with the folders below `root` as loopmem's own.
    pub(super) fn of_file(
        home: &Home,
        root: &Path,
        file: PathBuf,
        folder: Option<PathBuf>,
        backend: ItemsBackend,
    ) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(RECIPE);
        hasher.update(file.as_os_str().as_encoded_bytes());
        let name = GeneratedId::digest(&hasher.finalize().into());
        let state = home.layout().items_state(name.as_str());
        Place {
            backend,
            disk: home.disk_at(root),
            file,
            folder,
            scopes: OF_ANY,
            is_default: false,
            is_own: false,
            state,
            refused: None,
            is_unchecked: false,
        }
    }

    /// Creates the file that says what git should ignore here, before the first item of a repository or folder is stored.
    pub(super) fn hide_from_git(&self) {
        let Some(folder) = self.file.parent().filter(|_| self.is_default && self.folder.is_some()) else { return };
        let ignored = folder.join(".gitignore");
        if !self.disk.has_entry(&ignored) {
            // The items are stored in any case.
            let _ = self.disk.write_derived(&ignored, IGNORED);
        }
    }

    /// Where the index is kept.
    pub(super) fn index_file(&self) -> PathBuf {
        self.state.join("index")
    }
}
