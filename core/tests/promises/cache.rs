//! A cached file is never returned after the file has changed, however similar the two look.
//!
//! A store caches what it parsed. Here the files are changed by every trick that preserves size, inode or times, and
//! each read must return the current contents. The journal and the document are tested together.

use std::fs::{File, FileTimes};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use loopmem::RepoHash;
use loopmem::Store;
use loopmem::summary::Filter;

use crate::file_systems::TestClock;
use crate::{TestHome, append, conventions, open, repo, steps, upsert};

/// More files than a store caches.
const MANY: usize = 40;

/// A document with one convention; of the same length for every word of the same length.
fn document(word: &str) -> String {
    format!(
        r#"{{"conventions": [{{"id":"a","title":"A","content":"{word}","tags":[],"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-01T00:00:00Z"}}]}}"#
    )
}

/// A journal of one line.
fn journal(word: &str) -> String {
    format!(r#"{{"runId":"r","stepId":"{word}","timestamp":"2025-01-01T00:00:00Z","summary":"S"}}"#) + "\n"
}

/// Both files of one repository, changed without loopmem.
struct Files([PathBuf; 2]);

impl Files {
    fn of(home: &TestHome) -> Self {
        Files::in_folder(&home.folder())
    }

    fn in_folder(folder: &Path) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        Files(["memory.json", "summaries.jsonl"].map(|name| folder.join(name)))
    }

    fn each(&self, word: &str, change: impl Fn(&Path, &[u8])) {
        for (path, text) in self.0.iter().zip([document(word), journal(word)]) {
            change(path, text.as_bytes());
        }
    }
}

/// Overwrites the file in place; it is never empty.
fn edit_in_place(path: &Path, bytes: &[u8]) {
    File::options().write(true).open(path).unwrap().write_all_at(bytes, 0).unwrap();
}

fn create(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

fn replace(path: &Path, bytes: &[u8]) {
    let new = path.with_extension("new");
    std::fs::write(&new, bytes).unwrap();
    std::fs::rename(&new, path).unwrap();
}

/// Handles of one home, with the clock of its file system and with two that tick slowly.
struct Handles([Store; 3]);

impl Handles {
    fn of(home: &TestHome) -> Self {
        let ticking = |ms| open(&home.root(), TestClock::ticking(Duration::from_millis(ms)));
        Handles([home.open(), ticking(10), ticking(2_000)])
    }

    /// Twice, since the first look may fill the cache that the second one trusts.
    #[track_caller]
    fn assert_say(&self, word: &str) {
        for store in self.0.iter().chain(&self.0) {
            assert_eq!(conventions(store), [("a".to_owned(), word.to_owned())]);
            assert_eq!(steps(store), [word]);
        }
    }
}

/// Waits until times alone show whether a file has changed.
fn settle(home: &TestHome) {
    let probe = home.folder().join("probe");
    let now = || {
        create(&probe, b"");
        std::fs::metadata(&probe).map(|it| it.ctime() * 1_000_000_000 + it.ctime_nsec()).unwrap()
    };
    let begun = now();
    while now() < begun + 50_000_000 {}
}

/// Words of the same length.
fn words(number: usize) -> impl Iterator<Item = String> {
    (0..number).map(|number| format!("word {number:04}"))
}

#[test]
fn an_edit_in_place_that_keeps_the_size_is_seen() {
    let home = TestHome::new();
    let (files, handles) = (Files::of(&home), Handles::of(&home));
    files.each("word ____", create);
    for word in words(300) {
        files.each(&word, edit_in_place);
        handles.assert_say(&word);
    }
}

#[test]
fn an_edit_of_a_file_that_has_long_been_known_is_seen() {
    let home = TestHome::new();
    let (files, handles) = (Files::of(&home), Handles::of(&home));
    files.each("word ____", create);
    let mut known = "word ____".to_owned();
    for word in words(5) {
        settle(&home);
        handles.assert_say(&known);
        files.each(&word, edit_in_place);
        handles.assert_say(&word);
        known = word;
    }
}

#[test]
fn a_replacement_by_rename_within_one_tick_of_the_clock_is_seen() {
    let home = TestHome::new();
    let (files, handles) = (Files::of(&home), Handles::of(&home));
    for word in words(300) {
        files.each(&word, replace);
        handles.assert_say(&word);
    }
}

/// How often a file that is deleted and created again got its old inode, with `look` before and after.
fn inodes_that_came_back(look: impl Fn(&TestHome, &str)) -> usize {
    let home = TestHome::new();
    let files = Files::of(&home);
    let inodes = || files.0.each_ref().map(|path| std::fs::metadata(path).unwrap().ino());
    files.each("word ____", create);
    let mut came_back = 0;
    for word in words(300) {
        let before = inodes();
        files.each(&word, |path, bytes| {
            std::fs::remove_file(path).unwrap();
            create(path, bytes);
        });
        came_back += inodes().iter().filter(|inode| before.contains(inode)).count();
        look(&home, &word);
    }
    came_back
}

#[test]
fn a_file_with_the_inode_of_a_deleted_one_is_not_mistaken_for_it() {
    // What is parsed stays open, so that its inode is not given away.
    let handles = std::cell::OnceCell::new();
    let read = inodes_that_came_back(|home, word| handles.get_or_init(|| Handles::of(home)).assert_say(word));
    let unread = inodes_that_came_back(|_, _| {});
    println!("of 600 inodes {read} came back to files that were read, {unread} to others");
    if unread == 0 {
        println!("this file system gives no inode away at once: it cannot show what was to be shown");
    }
}

#[test]
fn an_edit_whose_time_was_set_back_is_seen() {
    let home = TestHome::new();
    let (files, handles) = (Files::of(&home), Handles::of(&home));
    files.each("word ____", create);
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let times = FileTimes::new().set_modified(long_ago).set_accessed(long_ago);
    let mut known = "word ____".to_owned();
    for (number, word) in words(100).enumerate() {
        if number % 20 == 1 {
            settle(&home);
            handles.assert_say(&known);
        }
        files.each(&word, |path, bytes| {
            edit_in_place(path, bytes);
            File::options().write(true).open(path).unwrap().set_times(times).unwrap();
        });
        handles.assert_say(&word);
        assert_eq!(std::fs::metadata(&files.0[0]).unwrap().modified().unwrap(), long_ago);
        known = word;
    }
}

#[test]
fn a_file_that_shrank_and_grew_to_its_old_size_is_seen() {
    let home = TestHome::new();
    let (files, handles) = (Files::of(&home), Handles::of(&home));
    files.each("word ____", create);
    for (number, word) in words(100).enumerate() {
        files.each("", create);
        if number % 2 == 0 {
            handles.assert_say("");
        }
        // `create` shortens the file to nothing and writes it again.
        files.each(&word, create);
        handles.assert_say(&word);
    }
}

/// Ends the readers, even if the test fails.
struct Ends<'d>(&'d AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn an_edit_while_other_handles_read_is_seen_by_the_next_read() {
    let home = TestHome::new();
    let (files, handles) = (Files::of(&home), Handles::of(&home));
    files.each("word ____", create);
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let _ends = Ends(&done);
        for store in &handles.0 {
            // What is read in the middle of an edit in place may be either; that it is read at all fills the cache.
            threads.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _ = (
                        store.repo_at(&repo()).memory().get(),
                        store.repo_at(&repo()).summaries().list(Filter::default()),
                    );
                }
            });
        }
        for word in words(500) {
            files.each(&word, edit_in_place);
            handles.assert_say(&word);
        }
    });
}

#[test]
fn a_full_cache_returns_the_current_contents_of_every_file() {
    let home = TestHome::new();
    let (store, other) = (home.open(), home.open());
    let hashes: Vec<_> = (0..MANY).map(|number| RepoHash::parse(&format!("{number:064x}")).unwrap()).collect();
    let folders: Vec<_> =
        hashes.iter().map(|hash| Files::in_folder(&home.root().join("repos").join(hash.as_str()))).collect();
    let said = |store: &Store, hash: &RepoHash| {
        let memory = store.repo_at(hash).memory().get().unwrap();
        let summaries = store.repo_at(hash).summaries().list(Filter::default()).unwrap();
        let convention: serde_json::Value =
            serde_json::from_str(memory.conventions().unwrap()[0].json().get()).unwrap();
        (convention["content"].as_str().unwrap().to_owned(), summaries[0].step_id.clone())
    };
    for (round, word) in words(6).enumerate() {
        for (number, files) in folders.iter().enumerate() {
            let change = [create, replace, edit_in_place][(round + number) % if round == 0 { 2 } else { 3 }];
            files.each(&format!("{word} of {number:02}"), change);
            // Those that were just used, and those that were thrown out long ago.
            for seen in [number, number / 2, 0] {
                let word = format!("{word} of {seen:02}");
                assert_eq!(said(&store, &hashes[seen]), (word.clone(), word));
            }
        }
        for (number, hash) in hashes.iter().enumerate().rev() {
            let word = format!("{word} of {number:02}");
            assert_eq!(said(&store, hash), (word.clone(), word.clone()));
            assert_eq!(said(&other, hash), (word.clone(), word));
        }
    }
}

#[test]
fn a_handle_does_not_return_stale_contents_after_a_write_by_another() {
    let home = TestHome::new();
    let stores = [home.open(), home.open(), home.open()];
    for (number, word) in words(60).enumerate() {
        let writer = &stores[number % 3];
        upsert(writer, "a", &word).unwrap();
        append(writer, &word).unwrap();
        for store in &stores {
            assert_eq!(conventions(store), [("a".to_owned(), word.clone())]);
            assert_eq!(steps(store).last(), Some(&word));
        }
    }
}

/// The cache keeps its files open.
#[test]
fn many_large_files_are_not_all_kept_in_memory() {
    const FILES: usize = 12;
    const BYTES: usize = 9 << 20;
    let home = TestHome::on_tmpfs();
    let store = home.open();
    let content = "x".repeat(1_000);
    let record = |number: usize| {
        format!(r#"{{"id":"{number}","content":"{content}","source":"tool","createdAt":"","updatedAt":""}}"#)
    };
    let notes = (0..BYTES / 1_050).map(record).collect::<Vec<_>>().join(",");
    for number in 0..FILES {
        let repo = RepoHash::parse(&format!("{number:064x}")).unwrap();
        let folder = home.root().join("repos").join(repo.as_str());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("memory.json"), format!(r#"{{"notes":[{notes}]}}"#)).unwrap();
        assert_eq!(store.repo_at(&repo).memory().get().unwrap().notes().unwrap().len(), BYTES / 1_050);
    }
    let open = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(|fd| std::fs::read_link(fd.unwrap().path()).ok());
    let kept = open.filter(|path| path.starts_with(home.root()) && path.ends_with("memory.json")).count();
    assert!((1..=7).contains(&kept), "{kept} files of 9 MiB are kept, which is more than 64 MiB");
}

#[test]
fn a_cached_text_is_only_returned_while_nothing_has_changed() {
    let home = TestHome::new();
    let (store, other) = (home.open(), home.open());
    let read = |store: &Store| {
        let params = serde_json::json!({ "repoHash": repo() }).to_string();
        loopmem::methods::answer(store, "memory.get", &params).unwrap()
    };
    let long = "long ".repeat(1_000).trim_end().to_owned();
    upsert(&store, "a", &long).unwrap();
    let first = read(&store);
    assert!(first.contains(&long));
    assert_eq!((read(&store).id(), read(&store).as_str()), (first.id(), first.as_str()));
    assert!(first.id().is_some());
    // Whoever changes either file, and whichever store reads it.
    append(&other, "a-step").unwrap();
    let with_a_step = read(&store);
    assert!(with_a_step.contains("a-step") && with_a_step.id() != first.id());
    assert_eq!(read(&other).as_str(), with_a_step.as_str());
    upsert(&other, "b", "the last word").unwrap();
    assert!(read(&store).contains("the last word"));
    std::fs::remove_file(home.folder().join("memory.json")).unwrap();
    assert!(!read(&store).contains(&long));
}
