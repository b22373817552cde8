//! Whatever a crash leaves of an operation, at any point between its system calls, is the old state or the new one.
//!
//! An operation is recorded once. Its steps are played on a disk that keeps only what was synced (`simulated_disk`), and
//! every state that a crash may leave after each step is put into a folder, opened and judged (`crash_trial`).

use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock};

use loopmem::RepoHash;
use loopmem::Result;
use loopmem::Store;
use loopmem::summary::Summary;
use loopmem::testing::disk::{Cancel, FsLimitation, RealFs, Recording, Step};
use serde_json::json;

use crate::at_most;
use crate::crash_trial::{Prepare, TORN, Trial, Write, call, is_caught_without, open};
use crate::locks::FOREVER;
use crate::{TestHome, append, hold, repo, upsert};

/// The folder whose memory is written by its name, so that `repo.json` is too.
static WORKSPACE: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

fn other() -> RepoHash {
    RepoHash::parse(&"0a".repeat(32)).unwrap()
}

pub(crate) fn upsert_new(store: &Store, word: &str) -> Result<()> {
    upsert(store, word, "What is new.")
}

pub(crate) fn upsert_changing(store: &Store, word: &str) -> Result<()> {
    upsert(store, "kept", &format!("As it is {word}."))
}

pub(crate) fn remove(store: &Store, word: &str) -> Result<()> {
    store.repo_at(&repo()).memory().remove(word).map(drop)
}

pub(crate) fn append_step(store: &Store, word: &str) -> Result<()> {
    append(store, word)
}

/// Writes that wait for the lock of `file` and so are committed together.
pub(crate) fn together(
    store: &Store,
    file: PathBuf,
    writers: usize,
    write: impl Fn(&Store, usize) -> Result<()> + Sync,
) -> Result<()> {
    // What was read once is not read again behind the lock.
    store.repo_at(&repo()).memory().get()?;
    let held = hold(&file);
    std::thread::scope(|threads| {
        let mut started = Vec::new();
        for number in 0..writers {
            let (asked, asks) = channel();
            let cancel = Cancel::polling(move || {
                let _ = asked.send(());
                false
            });
            let write = &write;
            started.push(threads.spawn(move || write(&store.with(at_most(FOREVER).cancel(&cancel)), number)));
            // One after the other, so that they stand in this order.
            asks.recv().unwrap();
        }
        drop(held);
        started.into_iter().try_for_each(|writer| writer.join().unwrap())
    })
}

fn upsert_three(store: &Store, word: &str) -> Result<()> {
    let file = loopmem::testing::home(store).layout().memory(&repo());
    together(store, file, 3, |store, number| upsert(store, &format!("{word} {number}"), "One of three."))
}

/// As many as there is room for without pruning. Each is longer than a page, which a power cut may leave full of zeros.
fn append_two(store: &Store, word: &str) -> Result<()> {
    let file = loopmem::testing::home(store).layout().summaries(&repo());
    together(store, file, 2, |store, number| {
        let (step, text) = (format!("{word} {number}"), "What it did. ".repeat(400));
        store.repo_at(&repo()).summaries().append(Summary::draft("run", &step, &text)).map(drop)
    })
}

pub(crate) fn upsert_other(store: &Store, word: &str) -> Result<()> {
    let note = json!({ "repoHash": other(), "note": { "id": format!("note {word}"), "content": "Of the other." } });
    call(store, "memory.upsertNote", &note).map(drop)
}

pub(crate) fn append_to_other(store: &Store, word: &str) -> Result<()> {
    store.repo_at(&other()).summaries().append(Summary::draft("run", word, "It did.")).map(drop)
}

pub(crate) fn migrate(store: &Store, _: &str) -> Result<()> {
    let params = json!({ "fromRepoHash": repo(), "toRepoHash": other() });
    call(store, "repo.migrate", &params).map(drop)
}

pub(crate) fn write_by_workspace(store: &Store, word: &str) -> Result<()> {
    let params = json!({ "workspace": WORKSPACE.path(), "note": { "id": word, "content": "A note." } });
    call(store, "memory.upsertNote", &params).map(drop)
}

/// Not even the folder above the home is there.
fn nothing(_: &TestHome) {}

/// Nothing is stored, but the folder above the home is there.
pub(crate) fn empty(home: &TestHome) {
    std::fs::create_dir(home.root().parent().unwrap()).unwrap();
}

/// Records of each kind that the operations change or leave alone.
pub(crate) fn filled(home: &TestHome) {
    let store = open(&home.root(), Arc::new(RealFs));
    for id in ["kept", "in flight", "next"] {
        upsert(&store, id, "As it was.").unwrap();
    }
    append(&store, "first").unwrap();
}

/// As many summaries as are kept.
pub(crate) fn full(home: &TestHome) {
    filled(home);
    let store = open(&home.root(), Arc::new(RealFs));
    for step in ["second", "third"] {
        append(&store, step).unwrap();
    }
}

pub(crate) fn torn(home: &TestHome) {
    filled(home);
    let whole = std::fs::read_to_string(home.summaries()).unwrap();
    home.put(&home.summaries(), whole + TORN);
}

/// Something of the other repository that a migration must leave alone.
pub(crate) fn filled_twice(home: &TestHome) {
    filled(home);
    let store = open(&home.root(), Arc::new(RealFs));
    upsert_other(&store, "note").unwrap();
    append_to_other(&store, "of the other").unwrap();
}

pub(crate) fn noted(home: &TestHome) {
    filled(home);
    write_by_workspace(&open(&home.root(), Arc::new(RealFs)), "noted").unwrap();
}

#[track_caller]
fn survives(prepare: Prepare, write: Write) {
    survives_on(Recording::default(), prepare, write);
}

#[track_caller]
fn survives_on(recording: Recording, prepare: Prepare, write: Write) {
    let states = Trial::on(recording, prepare, write).run().unwrap_or_else(|fault| panic!("{fault}"));
    println!("{states} states");
    assert!(states > 8, "{states} states are too few to be all");
}

#[test]
fn a_crash_in_an_upsert_leaves_the_old_document_or_the_new_one() {
    survives(filled, upsert_changing);
    survives(nothing, upsert_new);
}

#[test]
fn a_crash_in_a_removal_leaves_the_old_document_or_the_new_one() {
    survives(filled, remove);
}

#[test]
fn a_crash_in_an_append_leaves_the_line_or_no_trace_of_it() {
    survives(filled, append_step);
    survives(nothing, append_step);
}

#[test]
fn a_crash_in_an_append_at_the_limit_leaves_all_old_lines_or_the_pruned_ones() {
    survives(full, append_step);
}

#[test]
fn a_crash_in_an_append_behind_a_torn_line_never_loses_the_torn_bytes() {
    survives(torn, append_step);
}

#[test]
fn a_crash_in_a_migration_leaves_each_of_its_files_old_or_new() {
    survives(filled, migrate);
    survives(filled_twice, migrate);
}

#[test]
fn a_crash_in_a_first_write_by_workspace_leaves_the_record_and_its_repo_json_or_less_but_nothing_torn() {
    survives(nothing, write_by_workspace);
    survives(filled, write_by_workspace);
    survives(noted, write_by_workspace);
}

#[test]
fn a_crash_in_a_write_of_several_at_once_leaves_all_of_them_or_none() {
    survives(filled, upsert_three);
    survives(filled, append_two);
    survives(torn, append_two);
}

#[test]
fn a_crash_while_a_file_is_copied_over_leaves_the_old_contents_or_the_new_ones() {
    let mounted = || Recording::with_limitation(FsLimitation::NoReplace);
    survives_on(mounted(), filled, upsert_changing);
    survives_on(mounted(), filled, remove);
    survives_on(mounted(), full, append_step);
    survives_on(mounted(), torn, append_step);
    survives_on(mounted(), filled_twice, migrate);
}

#[test]
fn a_program_that_does_not_sync_a_file_is_caught() {
    let file_sync = |step: &Step| matches!(step, Step::Sync(..));
    is_caught_without(filled, upsert_changing, file_sync);
    is_caught_without(filled, remove, file_sync);
    is_caught_without(filled, append_step, file_sync);
    is_caught_without(full, append_step, file_sync);
    is_caught_without(filled, migrate, file_sync);
    // Of the torn bytes alone.
    is_caught_without(
        torn,
        append_step,
        |step| matches!(step, Step::Sync(path, _) if path.to_string_lossy().contains(".torn.")),
    );
    // Of repo.json alone.
    is_caught_without(
        filled,
        write_by_workspace,
        |step| matches!(step, Step::Sync(path, _) if path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b"repo.json"))),
    );
}

#[test]
fn a_program_that_does_not_sync_the_folder_of_a_new_name_is_caught() {
    let last_folder_sync = |step: &Step| matches!(step, Step::SyncFolder(path) if path.ends_with(repo().as_str()));
    is_caught_without(filled, upsert_changing, last_folder_sync);
    is_caught_without(filled, remove, last_folder_sync);
    is_caught_without(nothing, append_step, last_folder_sync);
    is_caught_without(full, append_step, last_folder_sync);
    is_caught_without(torn, append_step, last_folder_sync);
}

#[test]
fn a_program_that_does_not_sync_the_parent_of_a_new_folder_is_caught() {
    for parent in ["", "user", "user/home", "user/home/repos"] {
        for write in [upsert_new as Write, append_step] {
            is_caught_without(
                nothing,
                write,
                |step| matches!(step, Step::SyncFolder(path) if path.as_os_str() == parent),
            );
        }
    }
}

#[test]
fn a_program_that_renames_before_it_writes_is_caught() {
    let mut trial = Trial::new(filled, upsert_changing);
    let rename = trial.steps.iter().position(|step| matches!(step, Step::Rename(..))).unwrap();
    let write = trial.steps.iter().position(|step| matches!(step, Step::Write(..))).unwrap();
    let rename = trial.steps.remove(rename);
    trial.steps.insert(write, rename);
    trial.run().expect_err("a crash may leave an empty document");
}
