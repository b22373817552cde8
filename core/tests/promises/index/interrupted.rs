//! A refresh that ends, or fails, at any call of the file system leaves an index from which the same map is made.

use loopmem::testing::open_on;

use super::*;
use crate::file_systems::{Fault, Faulty};

const PROMPT: &str = "common part3";

/// The first index of these files, and that of a change of some.
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
    let undisturbed = Place::new();
    work(&undisturbed, &undisturbed.store()).unwrap();
    let expected = undisturbed.map(PROMPT);
    for fault in [Fault::Stop, Fault::Errno(libc::EIO), Fault::DiskFull] {
        let mut struck = 0;
        for nth in 1.. {
            let place = Place::new();
            let faulty = Faulty::default();
            let store = open_on(Options::at(place.path().join("home")), faulty.fs(), []).unwrap();
            faulty.arm(nth, fault);
            // A map is made without an index that cannot be written, so that most of these calls succeed.
            let _ = work(&place, &store);
            drop(store);
            if !faulty.disarm() {
                break;
            }
            struck += 1;
            work(&place, &place.store()).unwrap_or_else(|error| panic!("{fault:?}, call {nth}: {error}"));
            assert_eq!(place.map(PROMPT), expected, "{fault:?}, call {nth}");
        }
        assert!(struck > 20, "{fault:?}: {struck}");
    }
}
