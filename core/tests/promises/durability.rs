//! What is synced, how often and in which order; and what is never created.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use loopmem::testing::disk::{Open, Sync};

use crate::file_systems::{Recording, Step};
use crate::{TestHome, append, conventions, open, steps, upsert};

/// The system calls of `write` in a new process, without those on lock files and on the README of the home, on which nothing
/// depends.
fn steps_of(home: &TestHome, write: impl Fn(&loopmem::Store)) -> Vec<Step> {
    let recording = Recording::default();
    write(&open(&home.root(), recording.fs()));
    let mut steps = recording.take();
    let readme = home.root().join("README.md");
    steps.retain(|step| match step {
        Step::Create(_, Open::CreateLock) => false,
        Step::Create(path, _) | Step::Write(path, _) => *path != readme,
        _ => true,
    });
    steps
}

#[test]
fn an_upsert_syncs_the_file_once_before_the_rename_and_the_folder_once_after() {
    let home = TestHome::new();
    upsert(&home.open(), "a", "old").unwrap();
    let steps = steps_of(&home, |store| upsert(store, "a", "new").unwrap());
    let [Step::Create(temp, Open::CreateNew), Step::Write(written, bytes), rest @ ..] = &steps[..] else {
        panic!("{steps:?}");
    };
    assert_eq!(
        rest,
        [
            Step::Sync(temp.clone(), Sync::All),
            Step::Rename(temp.clone(), home.memory()),
            Step::SyncFolder(home.folder()),
        ]
    );
    assert_eq!(written, temp);
    assert_eq!(bytes, &std::fs::read(home.memory()).unwrap());
    assert_eq!(temp.parent(), Some(&*home.folder()));
    assert!(temp.extension().is_some_and(|extension| extension == "tmp"), "{temp:?}");
}

#[test]
fn an_append_is_one_write_of_one_line_and_one_sync_of_the_data() {
    let home = TestHome::new();
    append(&home.open(), "first").unwrap();
    let steps = steps_of(&home, |store| append(store, "second").unwrap());
    let [Step::Create(opened, Open::Append), Step::Write(written, line), Step::Sync(synced, Sync::Data)] = &steps[..]
    else {
        panic!("{steps:?}");
    };
    assert_eq!([opened, written, synced], [&home.summaries(); 3]);
    assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
    assert_eq!(line.last(), Some(&b'\n'));
}

#[test]
fn at_the_limit_an_append_is_one_replacement_without_an_append() {
    let home = TestHome::new();
    let options = || loopmem::Options::at(home.root()).summaries_max_entries(2);
    let store = loopmem::Store::open(options()).unwrap();
    for step in ["first", "second"] {
        append(&store, step).unwrap();
    }
    let recording = Recording::default();
    let store = loopmem::testing::open_on(options(), recording.fs(), []).unwrap();
    append(&store, "third").unwrap();
    let mut done = recording.take();
    done.retain(|step| !matches!(step, Step::Create(_, Open::CreateLock)));
    let [Step::Create(temp, Open::CreateNew), Step::Write(written, lines), rest @ ..] = &done[..] else {
        panic!("{done:?}");
    };
    assert_eq!(written, temp);
    assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count(), 2);
    assert_eq!(
        rest,
        [
            Step::Sync(temp.clone(), Sync::All),
            Step::Rename(temp.clone(), home.summaries()),
            Step::SyncFolder(home.folder()),
        ]
    );
    assert_eq!(steps(&home.open()), ["second", "third"]);
}

#[test]
fn a_first_write_syncs_the_parent_of_every_folder_it_creates() {
    type Write = fn(&loopmem::Store);
    let writes: [Write; 2] = [|store| upsert(store, "a", "first").unwrap(), |store| append(store, "first").unwrap()];
    for write in writes {
        let home = TestHome::new();
        let steps = steps_of(&home, write);
        let mut made = vec![home.folder()];
        made.extend(home.folder().ancestors().skip(1).take(3).map(Path::to_owned));
        for folder in made {
            let at = steps.iter().rposition(|step| *step == Step::CreateFolder(folder.clone()));
            let parent_synced = Step::SyncFolder(folder.parent().unwrap().to_owned());
            let first_write = steps.iter().position(|step| matches!(step, Step::Write(..))).unwrap();
            assert!(steps[at.unwrap()..first_write].contains(&parent_synced), "{folder:?} in {steps:?}");
        }
        let is_named = |step: &Step| match step {
            Step::Rename(_, name) | Step::Create(name, Open::Append) => name.parent() == Some(&*home.folder()),
            _ => false,
        };
        let named = steps.iter().position(is_named).unwrap();
        assert!(steps[named..].contains(&Step::SyncFolder(home.folder())), "the new file's name is durable: {steps:?}");
    }
}

#[test]
fn folders_that_another_process_just_created_are_made_durable_too() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.folder()).unwrap();
    let steps = steps_of(&home, |store| append(store, "first").unwrap());
    let first_write = steps.iter().position(|step| matches!(step, Step::Write(..))).unwrap();
    for folder in [home.folder(), home.root().join("repos"), home.root()] {
        let synced = Step::SyncFolder(folder.parent().unwrap().to_owned());
        assert!(steps[..first_write].contains(&synced), "{synced:?} in {steps:?}");
    }
}

#[test]
fn the_name_of_a_journal_is_durable_before_its_first_line() {
    let home = TestHome::new();
    let steps = steps_of(&home, |store| append(store, "first").unwrap());
    let created = steps.iter().position(|step| matches!(step, Step::Create(_, Open::Append))).unwrap();
    assert_eq!(steps[created + 1], Step::SyncFolder(home.folder()));
    assert!(matches!(&steps[created + 2], Step::Write(file, _) if *file == home.summaries()), "{steps:?}");
}

#[test]
fn opening_and_reading_create_nothing() {
    let home = TestHome::new();
    let recording = Recording::default();
    let store = open(&home.root(), recording.fs());
    assert_eq!(conventions(&store), []);
    assert_eq!(steps(&store), [""; 0]);
    store.repo_at(&crate::repo()).context(1000).build().unwrap();
    assert_eq!(recording.take(), []);
    assert_eq!(std::fs::read_dir(home.top()).unwrap().count(), 0);
}

#[test]
fn a_document_without_lock_files_is_read_without_creating_them() {
    let home = TestHome::new();
    home.put(&home.memory(), r#"{"schemaVersion": 1}"#);
    assert_eq!(conventions(&home.open()), []);
    assert_eq!(home.entries().iter().filter(|path| path.is_file()).collect::<Vec<_>>(), [&home.memory()]);
}

#[test]
fn files_are_private_and_a_changed_mode_is_kept() {
    let home = TestHome::new();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    upsert(&home.open(), "a", "old").unwrap();
    append(&home.open(), "first").unwrap();
    let entries = home.entries();
    assert!(entries.contains(&home.summaries()), "{entries:?}");
    for path in entries.iter().chain([&home.root()]) {
        assert_eq!(mode(path), if path.is_dir() { 0o700 } else { 0o600 }, "{path:?}");
    }
    for kept in [0o640, 0o444] {
        std::fs::set_permissions(home.memory(), std::fs::Permissions::from_mode(kept)).unwrap();
        upsert(&home.open(), "a", &format!("{kept}")).unwrap();
        assert_eq!(mode(&home.memory()), kept);
    }
}
