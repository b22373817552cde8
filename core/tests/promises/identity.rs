//! The identity of workspaces in repositories that git itself created.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use loopmem::BranchScope::{self, PerBranch, SharedRepo};
use loopmem::methods::dispatch;
use loopmem::repo::Workspace;
use loopmem::repo::{Identity, MAX_URL_BYTES};
use loopmem::testing::disk::RealFs;
use loopmem::{Error, ErrorKind, Options};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::TestHome;

/// A folder of repositories and plain folders.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let path = self.0.path().canonicalize().unwrap().join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// A repository with one commit on `main` and no remote.
    pub(crate) fn repository(&self) -> PathBuf {
        let path = self.path("repository");
        git(&path, &["init", "--initial-branch=main"]);
        git(&path, &["commit", "--allow-empty", "--message=first"]);
        path
    }
}

/// Runs git without any configuration and returns its output.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GIT_DIR")
        .args(["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub(crate) fn identify(folder: &Path) -> Identity {
    identify_in(folder, PerBranch)
}

pub(crate) fn identify_in(folder: &Path, scope: BranchScope) -> Identity {
    TestHome::new().open().repos().identify(Workspace::at(folder).branch_scope(scope)).unwrap()
}

pub(crate) fn refusal(folder: &Path) -> Error {
    TestHome::new().open().repos().identify(folder).unwrap_err()
}

/// The hash as defined in `docs/FORMAT.md`.
fn hash(fields: &[(u8, &str)]) -> String {
    let mut bytes = b"loopmem repo 1".to_vec();
    for (letter, text) in fields {
        bytes.push(*letter);
        bytes.extend(u64::try_from(text.len()).unwrap().to_be_bytes());
        bytes.extend(text.as_bytes());
    }
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_hash_is_the_documented_one() {
    let folder = Folder::new();
    let repository = folder.repository();
    let path = repository.to_str().unwrap();
    let on_main = identify(&repository);
    assert_eq!(on_main.repo_hash.as_str(), hash(&[(b'p', path), (b'b', "main")]));
    git(&repository, &["remote", "add", "origin", "git@example.org:o/r.git"]);
    let remote = (b'r', "ssh://example.org/o/r");
    assert_eq!(identify(&repository).repo_hash.as_str(), hash(&[(b'p', path), remote, (b'b', "main")]));
    assert_eq!(identify_in(&repository, SharedRepo).repo_hash.as_str(), hash(&[(b'p', path), remote]));
    git(&repository, &["checkout", "--detach"]);
    let commit = on_main.commit.unwrap();
    assert_eq!(identify(&repository).repo_hash.as_str(), hash(&[(b'p', path), remote, (b'c', &commit)]));
    let plain = folder.path("plain");
    assert_eq!(identify(&plain).repo_hash.as_str(), hash(&[(b'p', plain.to_str().unwrap())]));
}

/// The letter, the length in eight bytes, the value: literals, independent of any code.
const VECTORS: &[(&[u8], &str)] = &[
    (
        b"loopmem repo 1p\0\0\0\0\0\0\0\x10/tmp/loopmem-app",
        "974756daca31bd30a9b29b4e894f27db463b50b868a0f752d9a8f7874dc61a73",
    ),
    (
        b"loopmem repo 1p\0\0\0\0\0\0\0\x11/tmp/loopmem-\xc3\xa4pp",
        "d637555230bbeb737024db35eb810ebfa8765140b01bcd162475be3f506a0e73",
    ),
    (
        b"loopmem repo 1p\0\0\0\0\0\0\0\x10/tmp/loopmem-appb\0\0\0\0\0\0\0\x04main",
        "5886f47e05792d58fa83b3dd2e6a36c9d25b959a655a1c4c52b6259edde1bebb",
    ),
    (
        b"loopmem repo 1p\0\0\0\0\0\0\0\x10/tmp/loopmem-appr\0\0\0\0\0\0\0\x1cssh://example.org/owner/repo\
          b\0\0\0\0\0\0\0\x04main",
        "f923c8c4562dfa2ac5563c667f70870d2f7eb85ef99d60bdc0379fd657199fb5",
    ),
    (
        b"loopmem repo 1p\0\0\0\0\0\0\0\x10/tmp/loopmem-appr\0\0\0\0\0\0\0\x1cssh://example.org/owner/repo",
        "bc2c7c05bd411d1e298cc4cf8ef7b060fc216061a0fe9fe332c64f04d150d81b",
    ),
    (
        b"loopmem repo 1p\0\0\0\0\0\0\0\x10/tmp/loopmem-appr\0\0\0\0\0\0\0\x1cssh://example.org/owner/repo\
          c\0\0\0\0\0\0\0\x28789185271971ef425b7fde9e00f86895812bb22c",
        "1dd38436369b6e6a927c11920ede682bd582049e1813cf311603f5be50706431",
    ),
];

/// Together with `the_hash_is_the_documented_one`, which compares the core with `hash`, this fixes the hashes.
#[test]
fn the_documented_hashes_never_change() {
    let digest = |bytes: &[u8]| Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let page = include_str!("../../../docs/FORMAT.md");
    for (bytes, expected) in VECTORS {
        assert_eq!(digest(bytes), *expected, "{}", bytes.escape_ascii());
        assert!(page.contains(expected), "docs/FORMAT.md does not contain {expected}");
    }
    let (path, remote) = ((b'p', "/tmp/loopmem-app"), (b'r', "ssh://example.org/owner/repo"));
    let commit = (b'c', "789185271971ef425b7fde9e00f86895812bb22c");
    let fields: [&[(u8, &str)]; 6] = [
        &[path],
        &[(b'p', "/tmp/loopmem-äpp")],
        &[path, (b'b', "main")],
        &[path, remote, (b'b', "main")],
        &[path, remote],
        &[path, remote, commit],
    ];
    for (fields, (_, expected)) in fields.iter().zip(VECTORS) {
        assert_eq!(hash(fields), *expected, "{fields:?}");
    }
}

#[test]
fn a_branch_a_detached_head_and_a_repository_without_commits_differ() {
    let folder = Folder::new();
    let unborn = folder.path("unborn");
    git(&unborn, &["init", "--initial-branch=trunk"]);
    let identity = identify(&unborn);
    assert_eq!((identity.branch.as_deref(), identity.commit, identity.detached), (Some("trunk"), None, false));

    let repository = folder.repository();
    let commit = git(&repository, &["rev-parse", "HEAD"]);
    git(&repository, &["checkout", "-b", "topic/one"]);
    let on_topic = identify(&repository);
    assert_eq!(on_topic.branch.as_deref(), Some("topic/one"));
    assert_eq!((on_topic.commit.as_ref(), on_topic.detached), (Some(&commit), false));

    git(&repository, &["checkout", "--detach"]);
    let detached = identify(&repository);
    assert_eq!((detached.branch, detached.commit, detached.detached), (None, Some(commit), true));

    let home = TestHome::new();
    let asked_for = |branch| home.open().repos().identify(Workspace::at(&repository).branch(branch)).unwrap();
    assert_eq!(asked_for("topic/one"), on_topic);
    assert_ne!(asked_for("main").repo_hash, on_topic.repo_hash);
}

#[test]
fn the_remote_is_origin_else_the_upstream_else_the_first_by_name() {
    let folder = Folder::new();
    let repository = folder.repository();
    let remote = || identify(&repository).remote_url;
    assert_eq!(remote(), None);
    git(&repository, &["remote", "add", "zeta", "https://example.org/zeta"]);
    git(&repository, &["remote", "add", "beta", "https://user:pass@example.org:443/beta/"]);
    assert_eq!(remote().as_deref(), Some("https://example.org/beta"));
    git(&repository, &["config", "branch.main.remote", "zeta"]);
    assert_eq!(remote().as_deref(), Some("https://example.org/zeta"));
    git(&repository, &["remote", "add", "origin", "https://example.org/origin"]);
    assert_eq!(remote().as_deref(), Some("https://example.org/origin"));
}

#[test]
fn a_remote_without_a_url_is_ignored_and_another_branch_has_its_own_upstream() {
    let folder = Folder::new();
    let repository = folder.repository();
    git(&repository, &["config", "remote.origin.prune", "true"]);
    git(&repository, &["config", "remote.alpha.url", ""]);
    assert_eq!(identify(&repository).remote_url, None);
    git(&repository, &["remote", "add", "beta", "https://example.org/beta"]);
    git(&repository, &["remote", "add", "zeta", "https://example.org/zeta"]);
    git(&repository, &["config", "branch.topic.remote", "zeta"]);
    assert_eq!(identify(&repository).remote_url.as_deref(), Some("https://example.org/beta"));
    let topic = TestHome::new().open().repos().identify(Workspace::at(&repository).branch("topic")).unwrap();
    git(&repository, &["checkout", "-b", "topic"]);
    assert_eq!(topic.remote_url.as_deref(), Some("https://example.org/zeta"));
    assert_eq!(identify(&repository).repo_hash, topic.repo_hash);
}

#[test]
fn a_url_is_taken_as_configured_without_instead_of() {
    let folder = Folder::new();
    let repository = folder.repository();
    git(&repository, &["remote", "add", "origin", "https://example.org/o/r"]);
    git(&repository, &["config", "url.https://mirror.example.net/.insteadOf", "https://example.org/"]);
    assert_eq!(git(&repository, &["remote", "get-url", "origin"]), "https://mirror.example.net/o/r");
    assert_eq!(identify(&repository).remote_url.as_deref(), Some("https://example.org/o/r"));
}

#[test]
fn branches_and_linked_work_trees_share_only_on_request() {
    let folder = Folder::new();
    let repository = folder.repository();
    let linked = folder.path("elsewhere").join("linked");
    git(&repository, &["worktree", "add", "-b", "side", linked.to_str().unwrap()]);
    let (main, side) = (identify(&repository), identify(&linked));
    assert_eq!((side.branch.as_deref(), Path::new(&side.path)), (Some("side"), &*linked));
    assert_ne!(main.repo_hash, side.repo_hash);

    let shared = identify_in(&repository, SharedRepo);
    assert_eq!(Path::new(&shared.path), repository);
    assert_ne!(shared.repo_hash, main.repo_hash);
    assert_eq!(identify_in(&linked, SharedRepo).repo_hash, shared.repo_hash);
    git(&repository, &["checkout", "-b", "another"]);
    assert_eq!(identify_in(&repository, SharedRepo).repo_hash, shared.repo_hash);
    assert_ne!(identify(&repository).repo_hash, main.repo_hash);
}

#[test]
fn work_trees_share_wherever_their_git_directory_is() {
    let folder = Folder::new();
    let shared = |work_tree: &Path| identify_in(work_tree, SharedRepo);
    let linked_to = |repository: &Path| {
        let linked = folder.path("linked").join(repository.file_name().unwrap());
        git(repository, &["worktree", "add", "--detach", linked.to_str().unwrap()]);
        linked
    };

    let source = folder.repository();
    let source = source.to_str().unwrap();
    let outer = folder.path("outer");
    git(&outer, &["init"]);
    let submodule = outer.join("libs/inner");
    git(&outer, &["-c", "protocol.file.allow=always", "submodule", "add", source, "libs/inner"]);
    let whole = shared(&submodule);
    assert_eq!(Path::new(&whole.path), submodule);
    assert_eq!(shared(&linked_to(&submodule)).repo_hash, whole.repo_hash);
    assert_ne!(shared(&outer).repo_hash, whole.repo_hash);

    let git_folders = folder.path("git-folders");
    let apart = |name: &str| {
        let (work_tree, git_folder) = (folder.path(name), git_folders.join(name));
        git(&work_tree, &["init", "--separate-git-dir", git_folder.to_str().unwrap()]);
        git(&work_tree, &["commit", "--allow-empty", "--message=first"]);
        (work_tree, git_folder)
    };
    let (one, git_folder) = apart("one");
    // Any folder could name this git directory as its own, and have the memory of it.
    let refused = TestHome::new().open().repos().identify(Workspace::at(&one).branch_scope(SharedRepo)).unwrap_err();
    assert_eq!((refused.kind(), refused.path()), (ErrorKind::Git, Some(&*git_folder)), "{refused}");
    assert_eq!(Path::new(&identify(&one).path), one);
    assert_eq!(Path::new(&shared(&linked_to(&one)).path), git_folder);
    git(&one, &["config", "core.worktree", one.to_str().unwrap()]);
    assert_eq!(Path::new(&shared(&one).path), one);
    assert_eq!(shared(&folder.path("linked/one")).repo_hash, shared(&one).repo_hash);

    let bare = folder.path("bare.git");
    git(&bare, &["clone", "--bare", source, "."]);
    let whole = shared(&bare);
    assert_eq!(Path::new(&whole.path), bare);
    assert_eq!(shared(&linked_to(&bare)).repo_hash, whole.repo_hash);
}

#[test]
fn a_work_tree_whose_repository_is_bare_by_mistake_is_refused_and_nothing_is_written_inside_a_git_directory() {
    let folder = Folder::new();
    let one = folder.repository();
    let home = TestHome::new();
    let store = home.open();
    let before = identify(&one);
    let add = |workspace: &Path, scope: &str| {
        let item = json!({ "workspace": workspace, "scope": scope, "type": "note", "content": "the proxy listens" });
        dispatch(&store, "items.add", &item.to_string())
    };
    // In the git directory, the items of the repository are beside it, and those of a folder nowhere.
    add(&one.join(".git"), "repo").unwrap();
    let refused = add(&one.join(".git/refs"), "dir").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Git, "{refused}");
    assert!(one.join(".codex/memory/items.jsonl").exists() && !one.join(".git/.codex").exists());
    assert!(!one.join(".git/refs/.codex").exists());

    git(&one, &["config", "core.bare", "true"]);
    for workspace in [&one, &one.join(".git")] {
        let refused = store.repos().identify(Workspace::at(workspace)).unwrap_err();
        assert_eq!((refused.kind(), refused.path()), (ErrorKind::Git, Some(&*one.join(".git"))), "{refused}");
        assert!(refused.message().contains("git config core.bare false"), "{refused}");
        assert_eq!(add(workspace, "repo").unwrap_err().kind(), ErrorKind::Git);
    }
    // Its linked work trees are as before.
    git(&one, &["config", "core.bare", "false"]);
    assert_eq!(identify(&one).repo_hash, before.repo_hash);

    let bare = folder.path("bare.git");
    git(&bare, &["clone", "--bare", one.to_str().unwrap(), "."]);
    for scope in ["repo", "dir"] {
        assert_eq!(add(&bare, scope).unwrap_err().kind(), ErrorKind::Git);
    }
    assert_eq!(dispatch(&store, "items.list", &json!({ "workspace": bare }).to_string()).unwrap(), "[]");
    assert!(!bare.join(".codex").exists());
}

#[test]
fn items_in_a_linked_work_tree_survive_it_unless_git_tracks_their_file() {
    let folder = Folder::new();
    let (one, linked) = (folder.repository(), folder.path("linked").join("tree"));
    git(&one, &["worktree", "add", linked.to_str().unwrap()]);
    for tree in [&one, &linked] {
        std::fs::create_dir(tree.join("web")).unwrap();
    }
    let home = TestHome::new();
    let store = home.open();
    let ask = |method: &str, params: &serde_json::Value| dispatch(&store, method, &params.to_string()).unwrap();
    let add = |workspace: &Path, scope: &str, content: &str| {
        let item = json!({ "workspace": workspace, "scope": scope, "type": "note", "content": content });
        ask("items.add", &item)
    };
    let listed = |workspace: &Path| {
        let list = ask("items.list", &json!({ "workspace": workspace }));
        let items: Vec<serde_json::Value> = serde_json::from_str(&list).unwrap();
        let mut contents: Vec<_> = items.iter().map(|item| item["content"].as_str().unwrap().to_owned()).collect();
        contents.sort();
        contents
    };
    add(&linked, "repo", "of the repository");
    add(&linked.join("web"), "dir", "of the web");
    assert!(one.join(".codex/memory/items.jsonl").exists() && one.join("web/.codex/memory/items.jsonl").exists());
    assert!(!linked.join(".codex").exists() && !linked.join("web/.codex").exists());
    assert_eq!(listed(&linked.join("web")), listed(&one.join("web")));
    assert_eq!(listed(&linked.join("web")), ["of the repository", "of the web"]);
    // What an earlier version left there is read and changed where it is.
    let left = std::fs::read_to_string(one.join(".codex/memory/items.jsonl"))
        .unwrap()
        .replace("of the rep", "left in the rep");
    let left = left.replacen("\"id\":\"0", "\"id\":\"1", 1);
    std::fs::create_dir_all(linked.join(".codex/memory")).unwrap();
    std::fs::write(linked.join(".codex/memory/items.jsonl"), left).unwrap();
    assert_eq!(listed(&linked), ["left in the repository", "of the repository"]);
    assert_eq!(listed(&one), ["of the repository"]);
    add(&linked, "repo", "another");
    assert_eq!(listed(&one), ["another", "of the repository"]);
    // A file that git tracks belongs to its work tree.
    git(&linked, &["add", "--force", ".codex/memory/items.jsonl"]);
    add(&linked, "repo", "of the branch");
    assert_eq!(listed(&linked), ["left in the repository", "of the branch"]);
    assert_eq!(listed(&one), ["another", "of the repository"]);
    git(&linked, &["rm", "--quiet", "--force", "--cached", ".codex/memory/items.jsonl"]);
    // So does one that git tracks in the main work tree, on another branch.
    git(&one, &["add", "--force", ".codex/memory/items.jsonl"]);
    add(&linked, "repo", "of the branch, too");
    assert_eq!(listed(&one), ["another", "of the repository"]);
    git(&one, &["rm", "--quiet", "--force", "--cached", ".codex/memory/items.jsonl"]);
    std::fs::remove_dir_all(linked.join(".codex")).unwrap();
    std::fs::remove_dir(linked.join("web")).unwrap();
    git(&one, &["worktree", "remove", linked.to_str().unwrap()]);
    assert_eq!(listed(&one), ["another", "of the repository"]);
}

#[test]
fn repairing_a_work_tree_is_advised_only_where_git_can_do_it() {
    let folder = Folder::new();
    let (one, linked) = (folder.repository(), folder.path("linked"));
    git(&one, &["worktree", "add", linked.join("tree").to_str().unwrap()]);
    let tree = linked.join("tree");
    let moved = folder.path("").join("moved");
    std::fs::rename(&one, &moved).unwrap();
    assert!(refusal(&tree).message().contains("run `git worktree repair` there"));
    git(&moved, &["worktree", "repair"]);
    identify(&tree);
    // What was pruned, and what is no linked work tree, git does not repair.
    std::fs::remove_dir_all(moved.join(".git/worktrees")).unwrap();
    assert!(!refusal(&tree).message().contains("repair"), "{}", refusal(&tree));
    std::fs::write(tree.join(".git"), "gitdir: ../../repository/.git/modules/tree\n").unwrap();
    assert!(!refusal(&tree).message().contains("repair"), "{}", refusal(&tree));
}

#[test]
fn submodules_linked_work_trees_and_bare_repositories_are_themselves() {
    let folder = Folder::new();
    let source = folder.repository();
    let bare = folder.path("bare.git");
    git(&bare, &["clone", "--bare", source.to_str().unwrap(), "."]);
    let in_bare = identify(&bare);
    assert_eq!((Path::new(&in_bare.path), in_bare.branch.as_deref()), (&*bare, Some("main")));
    // It is named as such or not at all: a clone can contain a folder that looks like one.
    let within = identify(&bare.join("refs"));
    assert_eq!((Path::new(&within.path), within.branch), (&*bare.join("refs"), None));

    let outer = folder.path("outer");
    git(&outer, &["init", "--initial-branch=main"]);
    let url = source.to_str().unwrap();
    git(&outer, &["-c", "protocol.file.allow=always", "submodule", "add", url, "libs/inner"]);
    let inner = identify(&outer.join("libs/inner"));
    assert_eq!((Path::new(&inner.path), inner.remote_url.as_deref()), (&*outer.join("libs/inner"), Some(url)));
    // The folder above it is the outer one's.
    assert_eq!(identify(&outer.join("libs")), identify(&outer));

    let linked = folder.path("linked").join("detached");
    git(&source, &["worktree", "add", "--detach", linked.to_str().unwrap()]);
    let detached = identify(&linked);
    assert_eq!((Path::new(&detached.path), detached.detached), (&*linked, true));
    assert_ne!(detached.repo_hash, identify(&source).repo_hash);
}

#[test]
fn paths_that_are_not_utf_8_differ() {
    let folder = Folder::new();
    let named = |name: &[u8]| {
        let path = folder.path("names").join(OsStr::from_bytes(name));
        std::fs::create_dir(&path).unwrap();
        path
    };
    let (one, other) = (named(b"caf\xe9"), named(b"caf\xe8"));
    git(&one, &["init", "--quiet", "--initial-branch=main"]);
    for place in [&one, &other] {
        let identity = identify(place);
        assert!(identity.path.ends_with("names/caf\u{fffd}"), "{}", identity.path);
    }
    assert_ne!(identify(&one).repo_hash, identify(&other).repo_hash);
    assert_ne!(identify_in(&one, SharedRepo).repo_hash, identify_in(&other, SharedRepo).repo_hash);
    assert_ne!(identify(&other).repo_hash, identify(&named("caf\u{fffd}".as_bytes())).repo_hash);
}

#[test]
fn extensions_that_do_not_affect_identity_are_accepted() {
    let folder = Folder::new();
    let repository = folder.repository();
    git(&repository, &["remote", "add", "origin", "https://example.org/o/r"]);
    let plain = identify(&repository);
    git(&repository, &["config", "core.repositoryFormatVersion", "1"]);
    // What `git clone --filter` and `git sparse-checkout` set, among others.
    for (name, value) in [
        ("partialClone", "origin"),
        ("worktreeConfig", "true"),
        ("preciousObjects", "true"),
        ("relativeWorktrees", "true"),
    ] {
        git(&repository, &["config", &format!("extensions.{name}"), value]);
        assert_eq!(identify(&repository), plain, "{name}");
    }
    // Without knowing the extension, HEAD cannot be interpreted.
    std::fs::write(
        repository.join(".git/config"),
        "[core]\nrepositoryFormatVersion = 1\n[extensions]\nrefStorage = x\n",
    )
    .unwrap();
    assert_eq!(refusal(&repository).kind(), ErrorKind::Git);
}

#[test]
fn a_secret_in_the_name_of_a_branch_or_in_a_remote_is_not_shown() {
    let folder = Folder::new();
    let repository = folder.repository();
    let hashes = ["a1B2", "c3D4"].map(|part| {
        let token = format!("ghp_{}", part.repeat(9));
        git(&repository, &["checkout", "--quiet", "-B", &format!("fix/{token}")]);
        git(&repository, &["config", "remote.origin.url", &format!("https://example.org/{token}/r")]);
        let identity = identify(&repository);
        assert!(!format!("{identity:?}").contains(&token), "{identity:?}");
        assert!(identity.branch.as_deref().unwrap().starts_with("fix/[REDACTED:"), "{identity:?}");
        identity.repo_hash
    });
    assert_ne!(hashes[0], hashes[1], "the hash is computed from the names themselves");
}

#[test]
fn branches_whose_names_are_not_utf_8_differ() {
    let folder = Folder::new();
    let repository = folder.repository();
    let on = |branch: &[u8]| {
        std::fs::write(repository.join(".git/HEAD"), [b"ref: refs/heads/", branch, b"\n"].concat()).unwrap();
        identify(&repository)
    };
    let (one, other) = (on(b"caf\xe9"), on(b"caf\xe8"));
    assert_eq!([one.branch.as_deref(), other.branch.as_deref()], [Some("caf\u{fffd}"); 2]);
    assert_ne!(one.repo_hash, other.repo_hash);
    assert_ne!(one.repo_hash, on("caf\u{fffd}".as_bytes()).repo_hash);
}

#[test]
fn an_invalid_branch_name_is_refused() {
    let folder = Folder::new();
    for place in [folder.path("plain"), folder.repository()] {
        let ask = |branch: &str| TestHome::new().open().repos().identify(Workspace::at(&place).branch(branch));
        for branch in ["", "a\nb", "a\0b", "a\u{7f}", &"b".repeat(1025)] {
            let refused = ask(branch).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Validation, "{refused}");
            assert!(refused.to_json().len() < 200, "{refused}");
        }
        ask(&"b".repeat(1024)).unwrap();
    }
}

#[test]
fn every_way_to_a_repository_is_the_same_repository() {
    let folder = Folder::new();
    let repository = folder.repository();
    let within = repository.join("src/deep");
    std::fs::create_dir_all(&within).unwrap();
    let link = folder.path("links").join("link");
    std::os::unix::fs::symlink(&repository, &link).unwrap();
    let top = identify(&repository);
    for way in [within.clone(), link.clone(), link.join("src/deep"), within.join("..")] {
        assert_eq!(identify(&way), top, "{way:?}");
    }
}

#[test]
fn a_folder_outside_of_repositories_is_identified_by_its_path() {
    let folder = Folder::new();
    let (one, other) = (identify(&folder.path("one")), identify(&folder.path("other")));
    assert_eq!((&one.remote_url, &one.branch, &one.commit, one.detached), (&None, &None, &None, false));
    assert_ne!(one.repo_hash, other.repo_hash);
    assert_eq!(identify_in(&folder.path("one"), SharedRepo).repo_hash, one.repo_hash);
    // No repository: a folder within is another one.
    assert_ne!(identify(&folder.path("one/within")).repo_hash, one.repo_hash);
}

#[test]
fn a_broken_repository_is_an_error_and_never_a_plain_folder() {
    let folder = Folder::new();
    let leads_nowhere = folder.path("leads-nowhere");
    std::fs::write(leads_nowhere.join(".git"), "gitdir: /nowhere/at/all\n").unwrap();
    let empty = folder.path("empty");
    std::fs::create_dir(empty.join(".git")).unwrap();
    let no_head = folder.repository();
    std::fs::write(no_head.join(".git/HEAD"), "no reference\n").unwrap();
    let bad_config = folder.path("bad-config");
    git(&bad_config, &["init"]);
    std::fs::write(bad_config.join(".git/config"), "[remote \"origin\"\n").unwrap();
    let no_git_file = folder.path("no-git-file");
    std::fs::write(no_git_file.join(".git"), b"\xff\0").unwrap();
    let dangling = folder.path("dangling");
    std::os::unix::fs::symlink("nowhere", dangling.join(".git")).unwrap();
    let (empty_head, missing_head, no_objects) = (folder.path("a"), folder.path("b"), folder.path("c"));
    let heads_nowhere = folder.path("d");
    for repository in [&empty_head, &missing_head, &no_objects, &heads_nowhere] {
        git(repository, &["init"]);
    }
    std::fs::write(empty_head.join(".git/HEAD"), "").unwrap();
    std::fs::remove_file(missing_head.join(".git/HEAD")).unwrap();
    std::fs::remove_dir_all(no_objects.join(".git/objects")).unwrap();
    std::fs::write(heads_nowhere.join(".git/HEAD"), "ref: \n").unwrap();
    let orphan = folder.path("orphans").join("orphan");
    let source = folder.path("source");
    git(&source, &["init"]);
    git(&source, &["commit", "--allow-empty", "--message=first"]);
    git(&source, &["worktree", "add", "--detach", orphan.to_str().unwrap()]);
    std::fs::remove_dir_all(source.join(".git")).unwrap();
    let in_git = [no_git_file, dangling, empty_head, missing_head, no_objects, heads_nowhere, orphan];
    for broken in [leads_nowhere, empty, no_head, bad_config].into_iter().chain(in_git) {
        for within in [broken.clone(), broken.join("within")] {
            std::fs::create_dir_all(&within).unwrap();
            let refused = refusal(&within);
            assert_eq!(refused.kind(), ErrorKind::Git, "{within:?}: {refused}");
        }
    }
}

#[test]
fn the_scope_of_a_call_overrides_the_stores_the_environments_and_the_files() {
    let (folder, home) = (Folder::new(), TestHome::new());
    let repository = folder.repository();
    let scopes = ["perBranch", "sharedRepo"];
    let [per_branch, shared] =
        [PerBranch, SharedRepo].map(|scope| identify_in(&repository, scope).repo_hash.to_string());
    let hash_of = |scope: &str| if scope == "sharedRepo" { &shared } else { &per_branch };
    let stored_under =
        |file: Option<&str>, environment: Option<&str>, opened: Option<BranchScope>, call: Option<&str>| {
            std::fs::create_dir_all(home.root()).unwrap();
            let line = file.map(|scope| format!("[memory]\nbranchScope = \"{scope}\"\n"));
            std::fs::write(home.root().join("config.toml"), line.unwrap_or_default()).unwrap();
            let environment = environment.map(|scope| ("MEMORY_BRANCH_SCOPE".into(), scope.into()));
            let options = opened.into_iter().fold(Options::at(home.root()), Options::branch_scope);
            let store = loopmem::testing::open_on(options, Arc::new(RealFs), environment).unwrap();
            let params = json!({ "workspace": repository, "branchScope": call, "note": { "content": "a note" } });
            dispatch(&store, "memory.upsertNote", &params.to_string()).unwrap();
            let known = store.repos().list().unwrap();
            std::fs::remove_dir_all(home.root()).unwrap();
            known.into_iter().map(|repo| repo.repo_hash.to_string()).collect::<Vec<_>>()
        };
    assert_eq!(stored_under(None, None, None, None), [hash_of("perBranch").as_str()]);
    for (scope, opened) in scopes.into_iter().zip([PerBranch, SharedRepo]) {
        let other = scopes[usize::from(scope == scopes[0])];
        let opened_other = if opened == PerBranch { SharedRepo } else { PerBranch };
        let expected = [hash_of(scope).as_str()];
        assert_eq!(stored_under(Some(scope), None, None, None), expected);
        assert_eq!(stored_under(Some(other), Some(scope), None, None), expected);
        assert_eq!(stored_under(Some(other), Some(""), None, Some(scope)), expected);
        assert_eq!(stored_under(Some(other), Some(other), Some(opened), None), expected);
        assert_eq!(stored_under(Some(other), Some(other), Some(opened_other), Some(scope)), expected);
    }
    let environment = [("MEMORY_BRANCH_SCOPE".into(), "perRepo".into())];
    let refused = loopmem::testing::open_on(Options::at(home.root()), Arc::new(RealFs), environment).unwrap_err();
    assert_eq!(refused.message(), "MEMORY_BRANCH_SCOPE must be perBranch or sharedRepo");
}

#[test]
fn a_workspace_that_is_not_a_folder_is_refused() {
    let folder = Folder::new();
    let missing = folder.path("plain").join("missing");
    let refused = refusal(&missing);
    assert_eq!((refused.kind(), refused.path()), (ErrorKind::Validation, Some(&*missing)), "{refused}");
    for place in [folder.path("plain"), folder.repository()] {
        let file = place.join("file");
        std::fs::write(&file, "").unwrap();
        for workspace in [&file, &file.join("within")] {
            assert_eq!(refusal(workspace).kind(), ErrorKind::Validation, "{workspace:?}");
        }
    }
}

#[test]
fn a_workspace_that_cannot_be_a_path_is_refused_and_not_shown() {
    for (path, shown) in [("p".repeat(1 << 20), false), ("p".repeat(300), true), (String::new(), false)] {
        let refused = refusal(Path::new(&path));
        assert_eq!((refused.kind(), refused.path().is_some()), (ErrorKind::Validation, shown), "{refused}");
        assert!(refused.to_json().len() < 1000, "{refused}");
    }
}

#[test]
fn a_remote_of_a_megabyte_costs_no_more_than_its_length() {
    let folder = Folder::new();
    let repository = folder.repository();
    let url = format!("https://h{}/r", ":443".repeat(1 << 18));
    std::fs::write(repository.join(".git/config"), format!("[remote \"origin\"]\n\turl = {url}\n")).unwrap();
    // Quadratic work on it would take minutes.
    assert_eq!(identify(&repository).remote_url.as_deref(), Some("https://h/r"));
}

#[test]
fn an_invalid_url_is_refused_and_not_shown() {
    let store = TestHome::new().open();
    let sanitize = |bytes: usize| {
        let url = format!("https://h/{}", "r".repeat(bytes - "https://h/".len()));
        dispatch(&store, "repo.sanitizeRemoteUrl", &format!(r#"{{"url":"{url}"}}"#))
    };
    sanitize(MAX_URL_BYTES).unwrap();
    let refused = sanitize(MAX_URL_BYTES + 1).unwrap_err();
    assert_eq!((refused.kind(), refused.message()), (ErrorKind::Validation, "url must be at most 16384 bytes long"));
}
