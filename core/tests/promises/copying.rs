//! A file that cannot be replaced is overwritten in place: it has the old contents or the new ones, whatever happens.

use loopmem::{ErrorKind, Options, Store};

use crate::file_systems::{Faulty, FsLimitation, Recording};
use crate::locks::home;
use crate::{TestHome, append, conventions, open, steps, upsert};

fn on_its_own_mount(home: &TestHome) -> Store {
    let options = Options::at(home.root()).summaries_max_entries(2);
    loopmem::testing::open_on(options, Faulty::with_limitation(FsLimitation::NoReplace).fs(), []).unwrap()
}

#[test]
fn a_file_that_cannot_be_replaced_is_overwritten_in_place() {
    let home = home();
    let store = on_its_own_mount(&home);
    let inode = || std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(home.memory()).unwrap());
    let before = inode();
    upsert(&store, "a", "new").unwrap();
    for step in ["second", "third"] {
        append(&store, step).unwrap();
    }
    assert_eq!(inode(), before);
    for store in [&store, &home.open()] {
        assert_eq!(conventions(store), [("a".to_owned(), "new".to_owned())]);
        assert_eq!(steps(store), ["second", "third"]);
    }
    assert!(home.entries().iter().all(|path| path.extension().is_none_or(|it| it != "copying")));
    home.assert_no_litter();
}

#[test]
fn with_strong_atomicity_a_file_that_cannot_be_replaced_is_a_rename_error() {
    let home = home();
    let old = std::fs::read(home.memory()).unwrap();
    let options = Options::at(home.root()).strong_atomicity(true);
    let store = loopmem::testing::open_on(options, Faulty::with_limitation(FsLimitation::NoReplace).fs(), []).unwrap();
    let refused = upsert(&store, "a", "new").unwrap_err();
    assert_eq!((refused.kind(), refused.path()), (ErrorKind::Rename, Some(&*home.memory())));
    assert_eq!(std::fs::read(home.memory()).unwrap(), old);
    home.assert_no_litter();
}

/// What a process leaves behind that dies while it overwrites a file: the complete copy beside a partial target.
#[test]
fn an_unfinished_copy_is_what_is_read_and_the_next_write_finishes_it() {
    for (left, of) in [(0, 3), (1, 3), (3, 3)] {
        let home = home();
        upsert(&home.open(), "a", "new").unwrap();
        append(&home.open(), "second").unwrap();
        for file in [home.memory(), home.summaries()] {
            let finished = std::fs::read(&file).unwrap();
            std::fs::write(format!("{}.copying", file.display()), &finished).unwrap();
            std::fs::write(&file, &finished[..finished.len() * left / of]).unwrap();
        }
        let recording = Recording::default();
        let reader = open(&home.root(), recording.fs());
        assert_eq!(conventions(&reader), [("a".to_owned(), "new".to_owned())]);
        assert_eq!(steps(&reader), ["first", "second"]);
        assert_eq!(recording.take(), [], "reading changes nothing");
        // The mount may be gone by then.
        for store in [on_its_own_mount(&home), home.open()] {
            append(&store, "third").unwrap();
            upsert(&store, "b", "newer").unwrap();
            assert_eq!(conventions(&reader).len(), 2);
            assert_eq!(steps(&reader).last().unwrap(), "third");
            assert!(home.entries().iter().all(|path| path.extension().is_none_or(|it| it != "copying")));
        }
    }
}
