//! Repositories of other users, which git refuses unless `safe.directory` allows them.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use loopmem::testing::disk::RealFs;
use loopmem::{ErrorKind, Options};

use crate::TestHome;
use crate::identity::{Folder, git, identify};

/// Changes the owner of a folder and its contents, which requires root.
fn give(path: &Path, user: u32) -> std::io::Result<()> {
    for entry in path.read_dir().into_iter().flatten() {
        give(&entry?.path(), user)?;
    }
    std::os::unix::fs::lchown(path, Some(user), Some(user))
}

#[test]
fn a_repository_of_another_user_is_refused_until_safe_directory_allows_it() {
    let folder = Folder::new();
    let repository = folder.repository();
    git(&repository, &["remote", "add", "origin", "https://example.org/o/r"]);
    let within = folder.path("repository/within");
    let ours = identify(&repository);
    if give(&repository, 12_345).is_err() {
        println!("only root can give a repository to another user");
        return;
    }
    // Only the configuration of the test counts.
    let home = TestHome::new();
    let global = folder.path("user").join("gitconfig");
    let ask = |values: &[&str], sudo: &str| {
        let lines: String = values.iter().map(|value| format!("\tdirectory = {value}\n")).collect();
        std::fs::write(&global, format!("[safe]\n{lines}")).unwrap();
        let environment = [
            ("GIT_CONFIG_GLOBAL".into(), global.clone().into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
            ("HOME".into(), folder.path("").into()),
            ("SUDO_UID".into(), sudo.into()),
        ];
        let git = Command::new("git")
            .current_dir(&within)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .envs(environment.clone().map(|(name, value): (std::ffi::OsString, std::ffi::OsString)| (name, value)))
            .args(["rev-parse", "--show-toplevel"])
            .output()
            .unwrap();
        let store = loopmem::testing::open_on(Options::at(home.root()), Arc::new(RealFs), environment).unwrap();
        let asked = store.repos().identify(&within);
        assert_eq!(asked.is_ok(), git.status.success(), "{values:?}: {asked:?}, {git:?}");
        asked
    };
    let path = repository.to_str().unwrap();
    let refused = ask(&[], "").unwrap_err();
    let advice = format!("if you trust it, run: git config --global --add safe.directory {path}");
    assert_eq!((refused.kind(), refused.path()), (ErrorKind::Git, Some(&*repository)));
    assert!(refused.message().ends_with(&advice), "{refused}");
    let above = format!("{}/*", folder.path("").display()).replace("//", "/");
    let tail = format!("{path}/");
    let dots = format!("{path}/../repository");
    let below = format!("{path}/*");
    let git_folder = format!("{path}/.git");
    for allowed in [path, "*", &above, "/*", &tail, &dots, "~/repository"] {
        assert_eq!(ask(&[allowed], "").unwrap(), ours, "{allowed}");
    }
    for other in ["/nowhere", &below, &git_folder, "repository", "~/other", "~nobody-at-all/x"] {
        assert_eq!(ask(&[other], "").unwrap_err().kind(), ErrorKind::Git, "{other}");
    }
    // The empty value takes back what was allowed before it.
    ask(&[path, ""], "").unwrap_err();
    ask(&["", path], "").unwrap();
    // Root under sudo is still the user who called it.
    assert_eq!(ask(&[], "12345").unwrap(), ours);
    // The repository itself has no say.
    let own = repository.join(".git/config");
    let text = std::fs::read_to_string(&own).unwrap();
    std::fs::write(&own, format!("{text}[safe]\n\tdirectory = *\n")).unwrap();
    ask(&[], "").unwrap_err();
    // Nor does it help to own a part of it only.
    give(&repository, 0).unwrap();
    std::os::unix::fs::lchown(repository.join(".git"), Some(12_345), None).unwrap();
    ask(&[], "").unwrap_err();
    std::os::unix::fs::lchown(repository.join(".git"), Some(0), None).unwrap();
    ask(&[], "").unwrap();
}

/// A `/tmp` in which another user created a `.git`, to block everything below it.
#[test]
fn a_repository_of_another_user_in_a_shared_folder_is_ignored() {
    let folder = Folder::new();
    let open = folder.path("open");
    let plain = folder.path("open/plain");
    let bare = folder.path("open/bare.git");
    git(&bare, &["init", "--quiet", "--bare", "--initial-branch=main"]);
    let ours = [identify(&plain), identify(&bare)];
    let victim = folder.repository();
    std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o1777)).unwrap();
    let entry = open.join(".git");
    let plants: [(&str, &dyn Fn()); 5] = [
        ("an empty folder", &|| std::fs::create_dir(&entry).unwrap()),
        ("a repository", &|| drop(git(&open, &["init", "--quiet"]))),
        ("a text", &|| std::fs::write(&entry, "text").unwrap()),
        ("a file", &|| std::fs::write(&entry, format!("gitdir: {}\n", victim.join(".git").display())).unwrap()),
        ("a link", &|| std::os::unix::fs::symlink(victim.join(".git"), &entry).unwrap()),
    ];
    for (what, plant) in plants {
        plant();
        if give(&entry, 12_345).is_err() {
            println!("only root can give a repository to another user");
            return;
        }
        assert_eq!([identify(&plain), identify(&bare)], ours, "{what}");
        // Where not everybody may make files, and where safe.directory allows it, it counts.
        std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        assert_eq!(crate::identity::refusal(&plain).kind(), ErrorKind::Git, "{what}");
        std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o1777)).unwrap();
        if what == "a repository" {
            let allowed = [
                ("GIT_CONFIG_COUNT".into(), "1".into()),
                ("GIT_CONFIG_KEY_0".into(), "safe.directory".into()),
                ("GIT_CONFIG_VALUE_0".into(), open.clone().into()),
            ];
            let home = TestHome::new();
            let store = loopmem::testing::open_on(Options::at(home.root()), Arc::new(RealFs), allowed).unwrap();
            let identity = store.repos().identify(&plain).unwrap();
            assert_eq!(Path::new(&identity.path), open);
        }
        // One's own is never passed over.
        if entry.is_symlink() || entry.is_file() {
            std::os::unix::fs::lchown(&entry, Some(0), None).unwrap();
            assert_eq!(crate::identity::refusal(&plain).kind(), ErrorKind::Git, "{what}");
            std::fs::remove_file(&entry).unwrap();
        } else {
            std::fs::remove_dir_all(&entry).unwrap();
        }
    }
}

/// In a folder where everybody may create entries, another user may create `.codex` at any time.
#[test]
fn items_that_another_user_puts_there_first_are_neither_read_nor_written() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};

    use loopmem::items::{Filter, ItemDraft, ItemType, RecallQuery, Scope};

    const PLANTED: &str = "{\"id\":\"planted\",\"created_at\":\"2026-01-01T00:00:00Z\",\
        \"updated_at\":\"2026-01-01T00:00:00Z\",\"scope\":\"repo\",\"status\":\"active\",\"type\":\"note\",\
        \"content\":\"The proxy listens on 6666.\"}\n";
    let folder = Folder::new();
    // Another user's link may lead to what this one owns.
    let (plain, victim) = (folder.path("outside"), folder.path("victim"));
    let clear = |path: &Path| {
        let _ = std::fs::remove_dir_all(path);
        std::fs::create_dir_all(path).unwrap();
    };
    if give(&plain, 12_345).is_err() {
        println!("only root can give a folder to another user");
        return;
    }
    for (is_link, is_read) in [(false, true), (false, false), (true, true), (true, false)] {
        for nth in 1.. {
            clear(&plain);
            clear(&victim);
            std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o1777)).unwrap();
            let at = plain.join(".codex");
            let planted = if is_link { &victim } else { &at }.join("memory/items.jsonl");
            let is_over = Arc::new(AtomicBool::new(true));
            let plant = {
                let (at, planted, victim, is_over) =
                    (at.clone(), planted.clone(), victim.clone(), Arc::clone(&is_over));
                move || {
                    is_over.store(false, Ordering::SeqCst);
                    if at.exists() {
                        return;
                    }
                    std::fs::create_dir_all(planted.parent().unwrap()).unwrap();
                    std::fs::write(&planted, PLANTED).unwrap();
                    if is_link {
                        symlink(&victim, &at).unwrap();
                        std::os::unix::fs::lchown(&at, Some(12_345), None).unwrap();
                    } else {
                        give(&at, 12_345).unwrap();
                    }
                }
            };
            let home = TestHome::new();
            let options = Options::at(home.root()).codex_home(folder.path("codex"));
            let fs = crate::file_systems::meanwhile(nth, plant);
            let items = loopmem::testing::open_on(options, fs, []).unwrap().items(&plain);
            let context = format!("call {nth}, link: {is_link}");
            if is_read {
                assert!(items.list(&Filter::all()).unwrap().is_empty(), "{context}");
                assert!(items.recall(&RecallQuery::new("the proxy")).unwrap().items.is_empty(), "{context}");
            } else if items.add(ItemDraft::new(Scope::Repo, ItemType::Note, "one's own")).is_ok() {
                let own = std::fs::read_to_string(at.join("memory/items.jsonl")).unwrap();
                assert!(own.contains("one's own") && !own.contains("planted"), "{context}: {own}");
            }
            if std::fs::read(&planted).is_ok_and(|text| text == PLANTED.as_bytes()) {
                assert_eq!(planted.parent().unwrap().read_dir().unwrap().count(), 1, "{context}");
            } else {
                assert!(!at.is_symlink(), "{context}");
            }
            if is_over.load(Ordering::SeqCst) {
                break;
            }
        }
    }
}

/// The items of a folder outside of repositories, which git has no say in.
#[test]
fn items_that_another_user_could_exchange_are_neither_read_nor_written() {
    use loopmem::items::{Filter, ItemDraft, ItemType, RecallQuery, Scope};

    let folder = Folder::new();
    let home = TestHome::new();
    let items = |place: &Path| {
        let options = Options::at(home.root()).codex_home(folder.path("codex"));
        loopmem::testing::open_on(options, Arc::new(RealFs), []).unwrap().items(place)
    };
    for part in ["", ".codex", ".codex/memory"] {
        let plain = folder.path("outside");
        std::fs::create_dir_all(&plain).unwrap();
        let place = items(&plain);
        place.add(ItemDraft::new(Scope::Repo, ItemType::Note, "The proxy listens on 8443.")).unwrap();
        if std::os::unix::fs::lchown(plain.join(part), Some(12_345), Some(12_345)).is_err() {
            println!("only root can give a folder to another user");
            return;
        }
        assert!(place.list(&Filter::all().scope(Scope::Repo)).unwrap().is_empty(), "{part:?}");
        assert!(place.recall(&RecallQuery::new("the proxy")).unwrap().items.is_empty(), "{part:?}");
        let refused = place.add(ItemDraft::new(Scope::Repo, ItemType::Note, "another")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Io, "{part:?}");
        assert!(format!("{refused:#}").contains("chown"), "{refused:#}");
        // What is the user's own is still there.
        place.add(ItemDraft::new(Scope::Global, ItemType::Note, "of the user")).unwrap();
        std::fs::remove_dir_all(&plain).unwrap();
    }
}
