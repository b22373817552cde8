//! Files of an agent are durable before anything says that they are on the branch. Otherwise a file that a power failure
//! emptied would look like a change of the agent, and the next push would remove its lines from the branch.

use std::path::PathBuf;

use loopmem::branch::PushOptions;
use loopmem::testing::open_on;

use super::{Agent, Site, script};
use crate::file_systems::{Recording, Step};

impl Agent<'_> {
    /// The positions at which the state beside the folder is replaced.
    fn states(&self, steps: &[Step]) -> Vec<usize> {
        let is_state = |step: &Step| matches!(step, Step::Rename(_, to) if to.ends_with(".a.loopmem/state.json"));
        (0..steps.len()).filter(|at| is_state(&steps[*at])).collect()
    }

    /// The files of the folder, and the folders of their names, that these steps do not sync.
    fn unsynced(&self, steps: &[Step]) -> Vec<PathBuf> {
        let files = self.files().into_iter().map(|path| self.directory.join(path));
        let names = |path: &PathBuf| {
            let folders = path.ancestors().skip(1).take_while(|it| it.starts_with(&self.directory));
            folders.map(|folder| Step::SyncFolder(folder.to_owned())).collect::<Vec<_>>()
        };
        let is_synced = |path: &PathBuf| {
            let is_file_synced = steps.iter().any(|step| matches!(step, Step::Sync(synced, _) if synced == path));
            is_file_synced && names(path).iter().all(|folder| steps.contains(folder))
        };
        files.filter(|path| !is_synced(path)).collect()
    }
}

/// A site with an agent that has written files, of which one is on the branch already.
fn with_files(work: impl FnOnce(&Agent<'_>)) {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("log.jsonl", "{\"n\":1}\n").write("sub/deep/note.md", "note\n").push();
    agent.append("log.jsonl", "{\"n\":2}\n").write("new/file.md", "new\n");
    // The same content, written again in place.
    agent.write("sub/deep/note.md", "note\n");
    work(&agent);
}

#[test]
fn a_push_syncs_the_files_before_it_records_their_commit() {
    with_files(|agent| {
        let recording = Recording::default();
        let store = open_on(agent.site.options(), recording.fs(), std::env::vars_os()).unwrap();
        let options = PushOptions::new().source(agent.source());
        store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap();
        let steps = recording.take();
        let states = agent.states(&steps);
        assert_eq!(states.len(), 2, "one before git pushes, and one after it");
        assert_eq!(agent.unsynced(&steps[..states[0]]), Vec::<PathBuf>::new());
    });
}

#[test]
fn a_push_of_nothing_new_and_a_checkout_sync_what_they_find() {
    with_files(|agent| {
        agent.push();
        for is_push in [true, false] {
            // Not durable anymore.
            agent.write("sub/deep/note.md", "note\n");
            let recording = Recording::default();
            let store = open_on(agent.site.options(), recording.fs(), std::env::vars_os()).unwrap();
            let options = PushOptions::new().source(agent.source());
            match is_push {
                true => drop(store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap()),
                false => {
                    store
                        .branches()
                        .checkout(&agent.memory, Some(&agent.directory), &agent.source())
                        .map(drop)
                        .unwrap();
                }
            }
            let steps = recording.take();
            let last = *agent.states(&steps).last().unwrap();
            assert_eq!(agent.unsynced(&steps[..last]), Vec::<PathBuf>::new(), "push: {is_push}");
        }
    });
}

#[test]
fn a_commit_that_waits_is_recorded_after_its_files_are_durable() {
    with_files(|agent| {
        // Nothing is known about an earlier push, so that the branch is looked up first, which fails.
        std::fs::rename(agent.site.path("remote.git"), agent.site.path("gone.git")).unwrap();
        let recording = Recording::default();
        let store = open_on(agent.site.options().branch_attempts(1), recording.fs(), std::env::vars_os()).unwrap();
        let options = PushOptions::new().source(agent.source());
        store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
        let steps = recording.take();
        let states = agent.states(&steps);
        assert_eq!(agent.unsynced(&steps[..states[0]]), Vec::<PathBuf>::new());
    });
}

#[test]
fn git_syncs_all_that_it_writes_for_a_push_into_a_folder() {
    with_files(|agent| {
        let answer = agent.site.path("answer");
        let hook = format!("#!/bin/sh\ngit config core.fsync > {}\n", answer.display());
        script(&agent.site.path("remote.git/hooks/post-receive"), &hook);
        agent.push();
        assert_eq!(std::fs::read_to_string(answer).unwrap(), "all\n");
        let config = std::fs::read_to_string(agent.directory.with_file_name(".a.loopmem").join("git/config")).unwrap();
        assert!(config.contains("fsync = all"), "{config}");
    });
}

#[test]
fn refs_and_lists_of_commits_that_a_power_failure_damaged_are_fetched_again() {
    for (name, damage) in [
        ("shallow", ""),
        ("shallow", "0123456789"),
        ("shallow", "\0\0\0\0\0\0\0\0"),
        ("refs/loopmem/fetched", ""),
        ("refs/loopmem/fetched", "0123456789"),
        ("refs/loopmem/fetched", "0000000000000000000000000000000000000000\n"),
        ("refs/loopmem/fetched", "\0\0\0\0\0\0\0\0"),
    ] {
        with_files(|agent| {
            agent.push();
            agent.checkout().unwrap();
            let git = agent.directory.with_file_name(".a.loopmem").join("git");
            assert!(git.join(name).exists(), "{name}");
            std::fs::write(git.join(name), damage).unwrap();
            agent.append("log.jsonl", "{\"n\":3}\n");
            let push = agent.push();
            assert_eq!(push.changed, ["log.jsonl"], "{name}: {damage:?}");
            agent.checkout().unwrap();
            assert_eq!(agent.read("log.jsonl").unwrap().lines().count(), 3, "{name}: {damage:?}");
        });
    }
}
