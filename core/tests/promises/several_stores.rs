//! Calls that change several stores: if one of them fails, the error says what is stored already, and repeating the call
//! changes nothing twice.

use std::path::{Path, PathBuf};

use loopmem::items::{Import, ItemDraft, ItemType, Items, Scope};
use loopmem::{Error, Store};

use crate::items_environment::Place;

impl Place {
    fn items_at(&self, time: &str) -> Items {
        Store::open(self.options().clock(time)).unwrap().items(self.path("workspace"))
    }

    fn items_now(&self) -> Items {
        self.items_at("2026-01-31T12:00:00Z")
    }

    fn add(&self, scope: Scope) -> String {
        self.items_now().add(ItemDraft::new(scope, ItemType::Note, "a note").expiry("1d")).unwrap().id.clone()
    }

    /// The file of counts of the store with the item `id`, whose use was counted.
    fn counts_of(&self, id: &str) -> PathBuf {
        let folders = std::fs::read_dir(self.path("home/items")).unwrap();
        let files = folders.map(|folder| folder.unwrap().path().join("counters.jsonl"));
        files.into_iter().find(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains(id))).unwrap()
    }
}

/// What `call` returns while there is a folder in place of `file`.
fn without<T>(file: &Path, call: impl FnOnce() -> Result<T, Error>) -> Error {
    let aside = file.with_extension("aside");
    std::fs::rename(file, &aside).unwrap();
    std::fs::create_dir(file).unwrap();
    let failed = call().err().expect("a store that cannot be written fails the call");
    std::fs::remove_dir(file).unwrap();
    std::fs::rename(&aside, file).unwrap();
    failed
}

#[test]
fn uses_that_could_not_be_counted_everywhere_are_counted_nowhere() {
    let place = Place::new();
    let (repo, global) = (place.add(Scope::Repo), place.add(Scope::Global));
    let ids = [repo.as_str(), global.as_str()];
    place.items_now().used(&ids).unwrap();
    let failed = without(&place.counts_of(&global), || place.items_now().used(&ids));
    assert!(!failed.may_be_stored(), "{failed}");
    assert_eq!(place.items_now().used(&ids).unwrap(), 2);
    for id in ids {
        assert_eq!(place.items_now().get(id).unwrap().counters.used_count, 2, "{id}");
    }
}

#[test]
fn a_sweep_that_ends_half_way_says_which_items_it_archived() {
    let place = Place::new();
    let (repo, _) = (place.add(Scope::Repo), place.add(Scope::Global));
    let later = place.items_at("2026-03-01T00:00:00Z");
    let failed = without(&place.path("codex/memory/items.jsonl"), || later.sweep());
    assert!(failed.may_be_stored());
    assert!(failed.message().contains(&repo), "{failed}");
    assert_eq!(later.sweep().unwrap().len(), 1);
}

#[test]
fn an_import_that_ends_half_way_is_completed_by_another_one() {
    let place = Place::new();
    place.add(Scope::Global);
    let lines = r#"{"content":"of the repository"}
{"content":"of the user","scope":"global"}
{"id":"an-id","content":"with counts","counters":{"seen_count":3,"used_count":2}}
"#;
    std::fs::write(place.path("lines.jsonl"), lines).unwrap();
    let import = |time| place.items_at(time).import_from(&Import::new(), &place.path("lines.jsonl"));
    let failed = without(&place.path("codex/memory/items.jsonl"), || import("2026-02-01T00:00:00Z"));
    assert!(failed.may_be_stored());
    assert!(failed.message().contains("2 items"), "{failed}");
    for added in [1, 0] {
        let imported = import("2026-02-02T00:00:00Z").unwrap();
        assert_eq!((imported.added, imported.changed, imported.unchanged), (added, 0, 3 - added));
    }
    assert_eq!(place.items_now().get("an-id").unwrap().counters.used_count, 2);
    assert_eq!(place.items_now().list(&loopmem::items::Filter::all()).unwrap().len(), 4);
}
