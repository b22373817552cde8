//! Items on other machines: the global ones, and those of the repository that git does not track.

use super::backend::Change;
use super::place::{Place, Places};
use super::store::ItemStore;
use super::transfer::read_line;
use crate::disk::Stored;
use crate::error::{Error, ErrorKind, Result};
use crate::finding::{Fault, Finding};
use crate::home::Home;
use crate::repo::{Repo, Workspace};
use crate::room::{Collection, Extent, LineChange, Stock};
use crate::trash::Reason;

const PRIVATE: &str = "items";
const GLOBAL: &str = "globalItems";

pub(super) static COLLECTIONS: &[Collection] = &[
    Collection { name: PRIVATE, owner: Extent::Repository, is_removed_everywhere: true },
    Collection { name: GLOBAL, owner: Extent::User, is_removed_everywhere: true },
];

/// The store of a collection; `None` if git brings its file along, or there is no such place.
fn store(repo: &Repo, collection: &str) -> Result<Option<ItemStore>> {
    let home = repo.home();
    let Some(location) = repo.location() else { return Ok(None) };
    let places = Places::of(home, &Workspace::at(&location.top), None)?;
    let place: Option<Place> = match collection {
        PRIVATE => Some(places.repo.clone()).filter(|place| !place.is_tracked(home, location)),
        _ => places.global.clone(),
    };
    place.filter(|place| place.refused.is_none()).map(|place| ItemStore::at(home, &place)).transpose()
}

/// The items of a collection, by id, without their counts; `None` if git brings its file along. What could not be stored today stays here.
pub(super) fn lines(repo: &Repo, collection: &str) -> Result<Option<Stock>> {
    let Some(store) = store(repo, collection)? else { return Ok(None) };
    let is_damage = |finding: &Finding| matches!(finding.fault, Fault::Damaged | Fault::TornTail);
    let is_damaged = store.backend.examine(false)?.findings.iter().any(is_damage);
    let mut stock = Stock { is_damaged, ..Stock::default() };
    for item in store.items()? {
        match line(repo.home(), item.json().get()) {
            Ok((id, line)) => drop(stock.lines.insert(id, line)),
            Err(_) => stock.held.push(item.id.clone()),
        }
    }
    Ok(Some(stock))
}

/// Whether its file exists.
pub(super) fn is_there(repo: &Repo, collection: &str) -> Result<bool> {
    let Some(store) = store(repo, collection)? else { return Ok(false) };
    let size = repo.home().disk().stat(&store.place().file)?.map(|stat| stat.size);
    // Removing the last item leaves an empty file; it is in the trash then.
    Ok(size.is_some_and(|size| size > 0 || store.trash().entries().is_ok_and(|entries| !entries.is_empty())))
}

/// An item that somebody has written, as it is stored here, and its id.
pub(super) fn line(home: &Home, line: &str) -> Result<(String, String)> {
    let item = read_line(home, line)?;
    Ok((item.id.clone(), item.json().get().to_owned()))
}

/// Makes those of the changes whose item is as expected.
pub(super) fn change(repo: &Repo, collection: &str, changes: Vec<LineChange>) -> Result<()> {
    let Some(store) = store(repo, collection)? else {
        let message = "git tracks the items of this repository, and brings them along itself";
        return Err(Error::new(ErrorKind::Conflict, message));
    };
    let (home, of_change) = (repo.home().clone(), store.clone());
    store.edit(move |records| {
        let (mut edits, mut gone) = (Vec::new(), [Vec::new(), Vec::new()]);
        for LineChange { key, from, to } in changes {
            let found = records.find(&key)?;
            let now = found.as_ref().and_then(|item| line(&home, item.json().get()).ok()).map(|(_, text)| text);
            // It was changed meanwhile: the next time.
            if now != from || found.is_some() != from.is_some() {
                continue;
            }
            let to = to.map(|to| read_line(&home, &to)).transpose()?;
            match (found, to) {
                (found, Some(to)) => {
                    let discarded = found.map(|item: Stored<_>| of_change.discarded(&item)).transpose()?;
                    gone[0].extend(discarded);
                    edits.push(Change::Set(to));
                }
                (Some(item), None) => {
                    gone[1].push(of_change.discarded(&item)?);
                    edits.push(Change::Remove(key));
                }
                (None, None) => {}
            }
        }
        let [replaced, removed] = gone;
        of_change.trash().put(Reason::Replaced, replaced)?;
        of_change.trash().put(Reason::Removed, removed)?;
        Ok((edits, ()))
    })
}
