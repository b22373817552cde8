//! A refresh that ends, or fails, at any call of the file system leaves an index from which the same map is made.

use loopmem::testing::open_on;

use super::*;
use crate::file_systems::{Fault, Faulty, stop_at_every_call};

const PROMPT: &str = "common part3";

/// The index of some files, and that of others.
fn work(place: &Place, store: &Store) -> loopmem::Result<()> {
    for version in 0..2 {
        for number in 0..4 + version {
            place.write(&format!("src/part{number}.rs"), format!("fn part{number}() {{ common({version}); }}\n"));
        }
        store.repo(place.top())?.index().refresh()?;
    }
    Ok(())
}

#[test]
fn a_refresh_that_is_interrupted_anywhere_leaves_nothing_that_changes_a_map() {
    let place = Place::new();
    work(&place, &place.store()).unwrap();
    let expected = place.map(PROMPT);
    // Some seconds: for each call, a new index is built twice, the second time on what the first one left.
    stop_at_every_call(|fs, nth| {
        let home = format!("home-{nth}");
        // A map is made without an index that cannot be written, so that most of these calls succeed.
        if let Ok(store) = open_on(Options::at(place.path().join(&home)), fs, []) {
            let _ = work(&place, &store);
        }
        let store = place.store_in(&home);
        work(&place, &store).unwrap_or_else(|error| panic!("call {nth}: {error}"));
        assert_eq!(map_of(&store, &place.top(), PROMPT), expected, "call {nth}");
    });
}

#[test]
fn a_call_that_fails_once_hides_no_file_later() {
    let place = Place::new();
    for name in ["a/one.rs", "b/two.rs"] {
        place.write(name, "fn common() {}\n");
    }
    let expected = place.map(PROMPT);
    for nth in 1.. {
        let (faulty, home) = (Faulty::default(), format!("home-{nth}"));
        let refresh = |fs| open_on(Options::at(place.path().join(&home)), fs, [])?.repo(place.top())?.index().refresh();
        faulty.arm(nth, Fault::Errno(libc::EIO));
        let _ = refresh(faulty.fs());
        if !faulty.disarm() {
            assert!(nth > 20, "there was something to fail");
            return;
        }
        assert_eq!(map_of(&place.store_in(&home), &place.top(), PROMPT), expected, "call {nth}");
    }
}
