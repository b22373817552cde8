//! Folders that another user of the machine made or can write to: that user could run programs as this one, and have files
//! pushed with this one's credentials.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, lchown, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loopmem::ErrorKind;
use loopmem::branch::PushOptions;
use loopmem::testing::open_on;

use super::Site;
use crate::file_systems::meanwhile;

const ANOTHER: u32 = 12_345;

/// Gives a path to another user; false if this user is not root.
fn give(path: &Path) -> bool {
    lchown(path, Some(ANOTHER), Some(ANOTHER)).is_ok()
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// What is changed, the change, which needs root if it returns false, and the command that undoes it.
type Case<'c> = (&'c str, &'c dyn Fn(&Site) -> bool, &'c str);

#[test]
fn a_folder_that_another_user_can_exchange_is_refused_with_the_way_out() {
    let cases: [Case<'_>; 11] = [
        ("a root of another user", &|site| give(&site.path("work")), "chown"),
        ("a memory of another user", &|site| give(&site.path("work/a")), "chown"),
        ("a state of another user", &|site| give(&site.path("work/.a.loopmem")), "chown"),
        ("a repository of another user", &|site| give(&site.path("work/.a.loopmem/git")), "chown"),
        ("a lock of another user", &|site| give(&site.path("work/.a.loopmem.lock")), "chown"),
        ("a gate of another user", &|site| give(&site.path("work/.a.loopmem.gate")), "chown"),
        (
            "a root that others can write to",
            &|site| {
                set_mode(&site.path("work"), 0o777);
                true
            },
            "chmod",
        ),
        (
            "a state that others can write to",
            &|site| {
                set_mode(&site.path("work/.a.loopmem"), 0o757);
                true
            },
            "chmod",
        ),
        (
            "a group that is not the user's own",
            &|site| {
                set_mode(&site.path("work"), 0o775);
                lchown(site.path("work"), None, Some(ANOTHER)).is_ok()
            },
            "chmod",
        ),
        (
            "a link of another user",
            &|site| {
                std::fs::rename(site.path("work"), site.path("moved")).unwrap();
                symlink(site.path("moved"), site.path("work")).unwrap();
                give(&site.path("work"))
            },
            "chown",
        ),
        (
            "a link of one's own through a link of another user",
            &|site| {
                std::fs::rename(site.path("work"), site.path("moved")).unwrap();
                symlink(site.path("moved"), site.path("hop")).unwrap();
                symlink(site.path("hop"), site.path("work")).unwrap();
                give(&site.path("hop"))
            },
            "chown",
        ),
    ];
    for (what, change, way_out) in cases {
        let site = Site::new();
        let agent = site.ready("a");
        agent.write("a.md", "a\n").push();
        agent.write("a.md", "b\n");
        if !change(&site) {
            println!("{what}: only root can give a folder to another user");
            continue;
        }
        let refusals = [
            agent.try_push(PushOptions::new()).err(),
            agent.checkout().err(),
            agent.store.branches().pack(&agent.memory, Some(&agent.directory), &site.path("artifact.tar"), None).err(),
        ];
        for refused in refusals {
            let refused = refused.unwrap_or_else(|| panic!("{what} is not refused"));
            assert_eq!(refused.kind(), ErrorKind::Io, "{what}: {refused}");
            assert!(format!("{refused:#}").contains(way_out), "{what}: {refused:#}");
        }
        assert_eq!(site.on_branch("a.md").as_deref(), Some("a\n"), "{what}");
    }
}

#[test]
fn a_shared_folder_whose_entries_only_their_owners_can_exchange_is_used() {
    let site = Site::new();
    set_mode(&site.path("work"), 0o1777);
    site.ready("a").write("a.md", "a\n").push();
    assert_eq!(site.on_branch("a.md").as_deref(), Some("a\n"));
    // One's own link leads where one wants.
    symlink(site.path("work"), site.path("link")).unwrap();
    let mut agent = site.agent("a");
    agent.directory = site.path("link/a");
    agent.append("a.md", "b\n").push();
    assert_eq!(site.on_branch("a.md").as_deref(), Some("a\nb\n"));
}

/// Where everybody may create entries, another user may create the folder at any time.
#[test]
fn a_folder_that_another_user_makes_first_is_neither_pushed_nor_written() {
    let site = Site::new();
    site.ready("first").write("a.md", "a\n").push();
    set_mode(&site.path("work"), 0o1777);
    std::fs::create_dir(site.path("theirs")).unwrap();
    if !give(&site.path("theirs")) {
        println!("only root can give a folder to another user");
        return;
    }
    // A checkout runs git, so it is tried at fewer calls.
    for (is_push, step) in [(true, 1), (false, 11)] {
        for nth in (1..).step_by(step) {
            let agent = site.agent(&format!("{is_push}-{nth}"));
            let is_over = Arc::new(AtomicBool::new(true));
            let (folder, over) = (agent.directory.clone(), Arc::clone(&is_over));
            let plant = move || {
                over.store(false, Ordering::SeqCst);
                if std::fs::create_dir(&folder).is_ok() {
                    std::fs::write(folder.join("planted.md"), "planted\n").unwrap();
                    give(&folder);
                }
            };
            let store = open_on(site.options(), meanwhile(nth, plant), std::env::vars_os()).unwrap();
            let done = match is_push {
                true => {
                    let options = PushOptions::new().source(agent.source());
                    store.branches().push(&agent.memory, Some(&agent.directory), &options).map(drop)
                }
                false => store.branches().checkout(&agent.memory, Some(&agent.directory), &agent.source()).map(drop),
            };
            let what = format!("push: {is_push}, call {nth}: {done:?}");
            assert_eq!(site.on_branch("planted.md"), None, "{what}");
            if agent.directory.exists() {
                let expected = if agent.read("planted.md").is_some() { "planted.md" } else { "a.md" };
                assert_eq!(agent.files(), [expected], "{what}");
                assert_eq!(done.is_ok(), expected == "a.md", "{what}");
            }
            if is_over.load(Ordering::SeqCst) {
                break;
            }
        }
    }
}

#[test]
fn a_root_that_does_not_exist_yet_is_made_for_this_user_alone() {
    let site = Site::new();
    let mut agent = site.agent("a");
    agent.directory = site.path("memories/deep/a");
    agent.checkout().unwrap();
    agent.write("a.md", "a\n").push();
    for folder in ["memories", "memories/deep", "memories/deep/.a.loopmem"] {
        let mode = std::fs::metadata(site.path(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o022, 0, "{folder}: {mode:o}");
    }
}
