//! Items in the trash of their store: where it is, and how they get back.

use super::place::{Place, Places};
use super::record::Item;
use super::store::{ItemStore, KIND};
use crate::disk::{Kind, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, ItemsBackend, Layout};
use crate::repo::{Repo, Workspace};
use crate::trash::{Entry, Reason, Trash, folder_of, record_of};

const BACKENDS: &[ItemsBackend] = &[
    ItemsBackend::Jsonl,
    #[cfg(feature = "sqlite")]
    ItemsBackend::Sqlite,
];

/// The trashes of the stores that apply in the folder of `repo`, or of all stores that the home knows.
///
/// # Errors
/// `GitError` for a broken repository; `IOError`.
pub(super) fn trashes(home: &Home, repo: Option<&Repo>) -> Result<Vec<Trash>> {
    let trash = |state: &std::path::Path| Trash::at(home, Layout::items_trash(state));
    let Some(repo) = repo else {
        let all = home.disk().entries(&home.layout().all_items_state())?;
        let folders = all.iter().filter(|(_, stat)| stat.kind == Kind::Folder);
        return Ok(folders.filter_map(|(name, _)| Some(trash(&home.layout().items_state(name.to_str()?)))).collect());
    };
    let Some(location) = repo.location() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for backend in BACKENDS {
        let places = Places::in_backend(home, &Workspace::at(&location.folder), None, *backend)?;
        found.extend(places.all().map(|place| trash(&place.state)));
    }
    Ok(found)
}

/// Puts the item of `entry` back.
///
/// # Errors
/// See [`KeepsTrash::restore`](crate::room::KeepsTrash::restore); `NotFound` if its store is no longer where it was.
pub(super) fn restore(trash: &Trash, entry: &Stored<Entry>) -> Result<()> {
    let (home, unreadable) = (trash.home(), || trash.unreadable(entry));
    if entry.kind != KIND {
        return Err(unreadable());
    }
    let item = Stored::<Item>::parse(record_of(entry)?).map_err(|_| unreadable())?;
    let place = place_of(trash, entry)?;
    let (store, reason) = (ItemStore::at(home, &place)?, entry.reason);
    let of_change = store.clone();
    store.edit(move |records| {
        if let Some(present) = records.find(&item.id)? {
            if present.json().get() == item.json().get() {
                return Ok((Vec::new(), ()));
            }
            if reason == Reason::Removed {
                let id = &item.id;
                let message = format!(
                    "there is an item with the id {id} again; remove it first (loopmem items rm {id}), and then bring this \
                     one back"
                );
                return Err(Error::new(ErrorKind::Conflict, message).about(id));
            }
            of_change.trash().put(Reason::Replaced, vec![of_change.discarded(&present)?])?;
        }
        Ok((vec![super::backend::Change::Set(item)], ()))
    })
}

/// The store whose trash it is. It is looked for as a call in its folder would find it, with all checks of who owns it.
fn place_of(trash: &Trash, entry: &Stored<Entry>) -> Result<Place> {
    let home = trash.home();
    for backend in BACKENDS {
        let places = match folder_of(entry) {
            Some(folder) => {
                Places::in_backend(home, &Workspace::at(folder), None, *backend)?.all().cloned().collect::<Vec<_>>()
            }
            None => vec![Place::global(home, *backend)?],
        };
        let is_its = |place: &Place| Layout::items_trash(&place.state) == trash.path();
        if let Some(place) = places.into_iter().find(is_its) {
            return Ok(place);
        }
    }
    let message =
        "the store that this item was in is not found any more; undo.list shows its content, to add it elsewhere";
    Err(Error::new(ErrorKind::NotFound, message).about(&entry.id))
}
