//! A cache file that somebody truncates while it is in use does not end the process.

use std::sync::atomic::{AtomicBool, Ordering};

use loopmem::items::RecallQuery;
use loopmem::testing::open_on;

use super::*;
use crate::file_systems::meanwhile;

/// Truncates files in place.
fn truncate(files: &[PathBuf], kept: u64) {
    for file in files.iter().filter(|file| file.is_file()) {
        let file = std::fs::OpenOptions::new().write(true).open(file).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(length.min(kept)).unwrap();
    }
}

#[test]
fn files_of_an_index_may_be_truncated_at_any_time() {
    let place = Place::new();
    for number in 0..20 {
        place.write(&format!("src/part{number}.rs"), format!("fn part{number}() {{ common(); }}\n"));
    }
    let look = |fs| {
        let store = open_on(Options::at(place.path().join("home")), fs, []).unwrap();
        let index = store.repo(place.top()).unwrap().index();
        let symbols = index.symbols(&SymbolQuery::new().query("part7".to_owned())).unwrap();
        (map_of(&store, &place.top(), "common part7"), symbols)
    };
    let expected = look(Arc::new(RealFs));
    assert_eq!(expected.1[0].name, "part7");
    let files = place.files();
    for nth in (1..).step_by(13) {
        let has_happened = Arc::new(AtomicBool::default());
        let (files, happens) = (files.clone(), Arc::clone(&has_happened));
        let found = look(meanwhile(nth, move || {
            truncate(&files, [0, 64, 5_000][nth % 3]);
            happens.store(true, Ordering::SeqCst);
        }));
        assert_eq!(found, expected, "call {nth}");
        if !has_happened.load(Ordering::SeqCst) {
            assert!(nth > 100, "there was something to truncate");
            return;
        }
    }
}

#[test]
fn the_index_of_items_may_be_truncated_at_any_time() {
    let place = Place::new();
    let item = |number: usize| {
        let time = "2026-01-31T12:00:00.000Z";
        format!(
            "{{\"id\":\"{number}\",\"created_at\":\"{time}\",\"updated_at\":\"{time}\",\"scope\":\"repo\",\"status\":\"active\",\
             \"type\":\"fact\",\"content\":\"Common to all is part{number}.\"}}\n"
        )
    };
    place.write(".codex/memory/items.jsonl", (0..2_000).map(item).collect::<String>());
    let store = place.store();
    let recall = || -> Vec<String> {
        let recalled = store.items(place.top()).recall(&RecallQuery::new("part77 and part88")).unwrap();
        recalled.items.into_iter().map(|recalled| recalled.item.content.clone()).collect()
    };
    let expected = recall();
    let stores = std::fs::read_dir(place.path().join("home/items")).unwrap();
    let files: Vec<PathBuf> = stores.map(|store| store.unwrap().path().join("index")).collect();
    assert!(!expected.is_empty() && files.iter().any(|file| file.is_file()));
    truncate(&files, 0);
    assert_eq!(recall(), expected);
}
