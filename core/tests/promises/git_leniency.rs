//! loopmem accepts whatever git accepts in a user's configuration; and unusual folder names stay out of messages.

use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use loopmem::repo::Identity;
use loopmem::testing::disk::{Fs, RealFs};
use loopmem::{ErrorKind, Options, Result, Store};

use crate::TestHome;
use crate::file_systems::{Fault, Faulty};
use crate::hostile_repositories::set;
use crate::identity::{Folder, git, identify, refusal};

fn open_as(fs: Arc<dyn Fs>, user: &Path) -> Store {
    let home = TestHome::new();
    let environment: [(OsString, OsString); 2] =
        [("HOME".into(), user.into()), ("GIT_CONFIG_NOSYSTEM".into(), "1".into())];
    loopmem::testing::open_on(Options::at(home.root()), fs, environment).unwrap()
}

fn identify_as(user: &Path, workspace: &Path) -> Result<Identity> {
    identify_with(&open_as(Arc::new(RealFs), user), workspace)
}

fn identify_with(store: &Store, workspace: &Path) -> Result<Identity> {
    store.repos().identify(workspace)
}

/// As after `su` or in a container, where `HOME` is still root's.
#[test]
fn a_configuration_of_the_user_without_read_permission_is_skipped() {
    let folder = Folder::new();
    let (repository, user) = (folder.repository(), folder.path("user"));
    let plain = identify(&repository);
    let remote = |name: &str| format!("[remote \"origin\"]\n\turl = https://example.org/{name}\n");
    std::fs::write(user.join(".gitconfig"), remote("user")).unwrap();
    let whole = identify_as(&user, &repository).unwrap();
    assert_eq!(whole.remote_url.as_deref(), Some("https://example.org/user"));
    let (mut without, mut refused) = (0, 0);
    for nth in 1.. {
        let faulty = Faulty::default();
        let store = open_as(faulty.fs(), &user);
        faulty.arm(nth, Fault::Errno(libc::EACCES));
        let answer = identify_with(&store, &repository);
        if !faulty.disarm() {
            break;
        }
        match answer {
            Ok(identity) if identity == plain => without += 1,
            Ok(identity) => assert_eq!(identity, whole),
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Git | ErrorKind::Validation | ErrorKind::Io), "{error}");
                refused += 1;
            }
        }
    }
    // Looking at the file, and opening it; what the repository has to say is never skipped.
    assert!(without == 2 && refused > 10, "{without} {refused}");
}

#[test]
fn a_configuration_that_is_the_null_device_by_another_name_is_empty() {
    let folder = Folder::new();
    let (repository, user) = (folder.repository(), folder.path("user"));
    let plain = identify(&repository);
    let file = user.join(".gitconfig");
    symlink("/dev/null", &file).unwrap();
    assert_eq!(identify_as(&user, &repository).unwrap(), plain);
    std::fs::write(user.join("main"), "[include]\n\tpath = .gitconfig\n").unwrap();
    set(&repository, "include.path", user.join("main").to_str().unwrap());
    assert_eq!(identify_as(&user, &repository).unwrap(), plain);
    // No other device is.
    std::fs::remove_file(&file).unwrap();
    symlink("/dev/zero", &file).unwrap();
    let refused = identify_as(&user, &repository).unwrap_err();
    assert_eq!((refused.kind(), refused.path()), (ErrorKind::Git, Some(&*file)));
}

#[test]
fn the_users_folder_in_a_condition_may_be_a_link() {
    let folder = Folder::new();
    let real = folder.path("real");
    let repository = folder.path("real/work/project");
    git(&repository, &["init", "--quiet", "--initial-branch=main"]);
    let user = folder.path("links").join("user");
    symlink(&real, &user).unwrap();
    std::fs::write(real.join("more"), "[remote \"origin\"]\n\turl = https://example.org/work\n").unwrap();
    for (condition, expected) in [("~/work/", true), ("~/work", false), ("~/other/", false), ("~/", true), ("~", false)]
    {
        std::fs::write(real.join(".gitconfig"), format!("[includeIf \"gitdir:{condition}\"]\n\tpath = more\n"))
            .unwrap();
        let gits = std::process::Command::new("git")
            .current_dir(&repository)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .envs([("HOME", user.as_os_str()), ("GIT_CONFIG_NOSYSTEM", "1".as_ref())])
            .args(["config", "--get", "remote.origin.url"])
            .output()
            .unwrap();
        assert_eq!(gits.status.success(), expected, "{condition}");
        let ours = identify_as(&user, &repository).unwrap();
        assert_eq!(ours.remote_url.is_some(), expected, "{condition}");
    }
}

#[test]
fn numbers_are_written_as_git_allows_them() {
    let folder = Folder::new();
    let repository = folder.repository();
    let plain = identify(&repository);
    let text = std::fs::read_to_string(repository.join(".git/config")).unwrap();
    for (lines, is_allowed) in [
        ("bare = 0x0", true),
        ("bare = 00", true),
        ("repositoryformatversion = 0x0", true),
        ("repositoryformatversion = +1", true),
        ("repositoryformatversion = 1k", false),
        ("repositoryformatversion =", false),
        ("repositoryformatversion", false),
    ] {
        std::fs::write(repository.join(".git/config"), format!("{text}[core]\n\t{lines}\n")).unwrap();
        let gits = std::process::Command::new("git").current_dir(&repository).arg("rev-parse").output().unwrap();
        assert_eq!(gits.status.success(), is_allowed, "{lines}");
        match is_allowed {
            true => assert_eq!(identify(&repository), plain, "{lines}"),
            false => assert_eq!(refusal(&repository).kind(), ErrorKind::Git, "{lines}"),
        }
    }
}

#[test]
fn the_name_of_a_folder_cannot_add_lines_to_an_error() {
    let folder = Folder::new();
    let odd = folder.path("odd\nloopmem: all is well\u{1b}[2J\u{202e}");
    git(&odd, &["init", "--quiet"]);
    std::fs::write(odd.join(".git/HEAD"), "broken\n").unwrap();
    let refused = refusal(&odd);
    // Programs get the path as it is.
    assert_eq!(refused.path(), Some(&*odd.join(".git/HEAD")));
    let missing = refusal(&odd.join("missing"));
    set(&odd, "core.worktree", "/nowhere");
    std::fs::write(odd.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    for error in [refused, missing, refusal(&odd)] {
        let shown = format!("{error:#}");
        assert!(!shown.contains(['\n', '\u{1b}', '\u{202e}']), "{shown:?}");
        assert!(shown.contains("all is well"), "{shown}");
    }
}
