//! Malicious repositories: none gives a workspace another folder's memory.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use loopmem::BranchScope::{self, PerBranch, SharedRepo};
use loopmem::methods::dispatch;
use loopmem::repo::{Identity, Workspace};
use loopmem::{ErrorKind, Result, Store};
use serde_json::json;

use crate::TestHome;
use crate::identity::{Folder, git, identify, identify_in};

/// A secret that no answer may show, as a URL and as the text of a file.
pub(crate) const SECRET: &str = "victims-own-remote";

/// A folder with a victim's repository, and what belongs to the attacker.
pub(crate) struct Trap {
    folder: Folder,
    pub(crate) victim: PathBuf,
    hashes: Vec<String>,
}

impl Trap {
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        let victim = folder.repository();
        git(&victim, &["remote", "add", "origin", &format!("https://example.org/{SECRET}")]);
        let hashes = [PerBranch, SharedRepo].map(|scope| identify_in(&victim, scope).repo_hash.to_string()).to_vec();
        Trap { folder, victim, hashes }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    /// Both scopes. Whatever is answered, it is not the victim's.
    #[track_caller]
    pub(crate) fn ask(&self, workspace: &Path) -> [Result<Identity>; 2] {
        [PerBranch, SharedRepo].map(|scope| {
            let answer = at_once(workspace, scope);
            if let Ok(identity) = &answer {
                assert!(
                    !self.hashes.contains(&identity.repo_hash.to_string()),
                    "{workspace:?} {scope:?}: {identity:?}"
                );
                assert_ne!(Path::new(&identity.path), self.victim, "{workspace:?} {scope:?}");
                assert!(!Path::new(&identity.path).starts_with(&self.victim), "{workspace:?} {scope:?}: {identity:?}");
            }
            answer
        })
    }

    /// Refused in both scopes.
    #[track_caller]
    pub(crate) fn assert_refused(&self, workspace: &Path) -> String {
        let refusals = self.ask(workspace).map(|answer| answer.unwrap_err());
        for refusal in &refusals {
            assert_eq!(refusal.kind(), ErrorKind::Git, "{workspace:?}: {refusal}");
            assert!(!refusal.to_json().contains(SECRET), "{refusal}");
        }
        refusals[0].to_string()
    }

    /// A plain folder: identified by its own path in both scopes.
    #[track_caller]
    fn assert_plain(&self, workspace: &Path) {
        for answer in self.ask(workspace) {
            let identity = answer.unwrap();
            assert_eq!((Path::new(&identity.path), identity.remote_url), (workspace, None));
        }
    }
}

/// The answer. If a file blocked, there would be none; a busy machine gets some seconds.
#[track_caller]
pub(crate) fn at_once(workspace: &Path, scope: BranchScope) -> Result<Identity> {
    let (home, workspace) = (TestHome::new(), workspace.to_owned());
    let (sender, receiver) = mpsc::channel();
    let store = home.open();
    std::thread::spawn(move || {
        drop(sender.send(store.repos().identify(Workspace::at(&workspace).branch_scope(scope))));
    });
    receiver.recv_timeout(Duration::from_secs(20)).expect("an answer")
}

fn call(store: &Store, method: &str, params: &serde_json::Value) -> Result<String> {
    dispatch(store, method, &params.to_string()).map(|answer| answer.to_string())
}

pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) fn set(repository: &Path, key: &str, value: &str) {
    let file = repository.join(if repository.join(".git").is_dir() { ".git/config" } else { "config" });
    let file =
        if file.exists() { file } else { PathBuf::from(git(repository, &["rev-parse", "--git-path", "config"])) };
    git(Path::new("/"), &["config", "--file", file.to_str().unwrap(), key, value]);
}

/// What a clone can contain: a folder that looks like a git directory and names another one.
fn decoy(folder: &Path, common: &Path, config: &str) {
    for name in ["objects", "refs"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    write(&folder.join("HEAD"), "ref: refs/heads/main\n");
    write(&folder.join("commondir"), format!("{}\n", common.display()));
    write(&folder.join("gitdir"), format!("{}\n", common.display()));
    write(&folder.join("config"), config);
}

#[test]
fn a_folder_in_a_clone_gives_no_access_to_another_memory() {
    let trap = Trap::new();
    let home = TestHome::new();
    let store = home.open();
    let secret_note = json!({ "workspace": trap.victim, "note": { "id": "theirs", "content": "the-victims-note" } });
    call(&store, "memory.upsertNote", &secret_note).unwrap();
    let read = || call(&store, "memory.get", &json!({ "workspace": trap.victim })).unwrap();
    let before = read();
    assert!(before.contains("the-victims-note"));

    for (name, config) in [
        ("plain", String::new()),
        ("bare", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n".to_owned()),
        ("named", format!("[core]\n\tworktree = {}\n", trap.victim.display())),
        ("both", format!("[core]\n\tbare = true\n\tworktree = {}\n", trap.victim.display())),
    ] {
        let evil = trap.path("clone").join(name);
        decoy(&evil, Path::new("../../repository/.git"), &config);
        let within = trap.path(&format!("clone/{name}/src"));
        for workspace in [&evil, &within] {
            drop(trap.ask(workspace));
            let pack = call(&store, "context.build", &json!({ "workspace": workspace, "maxChars": 5_000 }));
            assert!(!format!("{pack:?}").contains("the-victims-note"), "{workspace:?}: {pack:?}");
            let note = json!({ "workspace": workspace, "note": { "id": "evil", "content": "poison" } });
            drop(call(&store, "memory.upsertNote", &note));
            let note = json!({ "workspace": workspace, "branchScope": "sharedRepo", "note": { "content": "poison" } });
            drop(call(&store, "memory.upsertNote", &note));
        }
        // It lies in a clone, which is what counts.
        trap.assert_plain(&within);
    }
    assert_eq!(read(), before);
    let shared = json!({ "workspace": trap.victim, "branchScope": "sharedRepo" });
    assert!(!call(&store, "memory.get", &shared).unwrap().contains("poison"));
}

#[test]
fn a_bare_repository_within_a_work_tree_belongs_to_that_work_tree() {
    let trap = Trap::new();
    let clone = trap.path("clone");
    git(&clone, &["init", "--initial-branch=main"]);
    let bare = trap.path("clone/embedded.git");
    git(&bare, &["init", "--bare"]);
    assert_eq!(identify(&bare), identify(&clone));
    assert_eq!(identify(&bare.join("refs")), identify(&clone));
    // By itself it is one, and only at its top.
    let alone = trap.path("alone.git");
    git(&alone, &["init", "--bare", "--initial-branch=main"]);
    assert_eq!((Path::new(&identify(&alone).path), identify(&alone).branch.as_deref()), (&*alone, Some("main")));
    trap.assert_plain(&alone.join("refs"));
    // Not without saying so, and not as the git directory of something else.
    git(&alone, &["config", "--unset", "core.bare"]);
    trap.assert_plain(&alone);
    set(&alone, "core.bare", "true");
    set(&alone, "core.worktree", trap.victim.to_str().unwrap());
    trap.assert_refused(&alone);
}

#[test]
fn a_git_file_that_names_another_repository_is_refused() {
    let trap = Trap::new();
    let linked = trap.path("trees").join("linked");
    git(&trap.victim, &["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let source = trap.victim.to_str().unwrap();
    let outer = trap.path("outer");
    git(&outer, &["init", "--quiet"]);
    git(&outer, &["-c", "protocol.file.allow=always", "submodule", "add", "--quiet", source, "libs/inner"]);
    let bare = trap.path("bare.git");
    git(&bare, &["clone", "--quiet", "--bare", source, "."]);
    let theirs = [&linked, &outer.join("libs/inner"), &bare].map(|it| identify(it).repo_hash);

    let claims = [
        trap.victim.join(".git"),
        trap.victim.join(".git/worktrees/linked"),
        trap.victim.clone(),
        trap.victim.join(".git/refs"),
        outer.join(".git/modules/libs/inner"),
        bare.clone(),
        PathBuf::from("../repository/.git"),
        PathBuf::from("/dev/null"),
        PathBuf::from("/proc/self"),
        linked.join(".git"),
    ];
    for (number, claim) in claims.iter().enumerate() {
        let evil = trap.path(&format!("evil-{number}"));
        let within = trap.path(&format!("evil-{number}/src"));
        write(&evil.join(".git"), format!("gitdir: {}\n", claim.display()));
        for workspace in [&evil, &within] {
            let refused = trap.assert_refused(workspace);
            assert!(
                refused.contains(evil.join(".git").to_str().unwrap()) || refused.contains("git directory"),
                "{refused}"
            );
        }
        // The same as a link.
        std::fs::remove_file(evil.join(".git")).unwrap();
        symlink(claim, evil.join(".git")).unwrap();
        trap.assert_refused(&within);
    }
    assert_eq!([&linked, &outer.join("libs/inner"), &bare].map(|it| identify(it).repo_hash), theirs);
}

#[test]
fn a_separate_git_directory_gives_its_memory_to_no_folder_that_only_names_it() {
    let trap = Trap::new();
    let (apart, git_dir) = (trap.path("apart"), trap.path("git-dirs").join("apart"));
    git(&apart, &["init", "--quiet", "--initial-branch=main", "--separate-git-dir", git_dir.to_str().unwrap()]);
    let theirs = identify(&apart);
    let evil = trap.path("evil");
    write(&evil.join(".git"), format!("gitdir: {}\n", git_dir.display()));
    let [per_branch, shared] = trap.ask(&evil);
    // As for git, it is a work tree of that repository, with a memory of its own.
    let per_branch = per_branch.unwrap();
    assert_eq!(Path::new(&per_branch.path), evil);
    assert_ne!(per_branch.repo_hash, theirs.repo_hash);
    assert_eq!(shared.unwrap_err().kind(), ErrorKind::Git);
    // Once it names its work tree, no other folder can claim it.
    set(&apart, "core.worktree", apart.to_str().unwrap());
    assert_eq!(identify(&apart), theirs);
    assert_eq!(Path::new(&identify_in(&apart, SharedRepo).path), apart);
    trap.assert_refused(&evil);
}

#[test]
fn a_folder_whose_git_file_names_a_repository_within_it_is_not_that_repository() {
    let trap = Trap::new();
    // `git clone --bare … .bare`, with work trees beside it: a usual layout.
    let project = trap.path("project");
    git(&project, &["clone", "--quiet", "--bare", trap.victim.to_str().unwrap(), ".bare"]);
    write(&project.join(".git"), "gitdir: ./.bare\n");
    git(&project, &["worktree", "add", "--quiet", "-b", "one", "one"]);
    git(&project, &["worktree", "add", "--quiet", "-b", "two", "two"]);
    assert_eq!(Path::new(&identify(&project).path), project);
    assert_eq!(Path::new(&identify(&project.join("one")).path), project.join("one"));
    let shared = ["one", "two"].map(|name| identify_in(&project.join(name), SharedRepo).repo_hash);
    assert_eq!(shared[0], shared[1]);
    assert_eq!(at_once(&project, SharedRepo).unwrap_err().kind(), ErrorKind::Git);

    // An archive that is unpacked beside other people's repositories can contain such a file too.
    let beside = trap.path("beside");
    let victims = [trap.path("beside/bare.git"), trap.path("beside/apart")];
    git(&victims[0], &["init", "--quiet", "--bare", "--initial-branch=main"]);
    let git_dir = trap.path("beside/git-dirs").join("apart");
    git(&victims[1], &["init", "--quiet", "--initial-branch=main", "--separate-git-dir", git_dir.to_str().unwrap()]);
    let theirs = [identify(&victims[0]), identify_in(&victims[0], SharedRepo), identify(&victims[1])];
    let plain = trap.path("beside/plain");
    for claim in ["bare.git", "git-dirs/apart", "repository/.git"] {
        write(&beside.join(".git"), format!("gitdir: {claim}\n"));
        for identity in trap.ask(&plain).into_iter().flatten() {
            assert_eq!(Path::new(&identity.path), beside, "{claim}");
            assert!(theirs.iter().all(|it| it.repo_hash != identity.repo_hash), "{claim}");
        }
    }
}

#[test]
fn commondir_counts_only_if_the_repository_points_back() {
    let trap = Trap::new();
    // In a `.git` folder, as an archive can contain one.
    let evil = trap.path("evil");
    decoy(&evil.join(".git"), &trap.victim.join(".git"), "");
    let refused = trap.assert_refused(&trap.path("evil/src"));
    assert!(refused.contains("commondir"), "{refused}");
    // Without anything else that is a git directory.
    let bare_minimum = trap.path("minimum");
    write(&bare_minimum.join(".git/HEAD"), "ref: refs/heads/main\n");
    write(&bare_minimum.join(".git/commondir"), trap.victim.join(".git").to_str().unwrap());
    trap.assert_refused(&bare_minimum);
    // By way of a `.git` file, with a folder that claims to be that of a linked work tree.
    let linked = trap.path("linked");
    let claimed = trap.path("store/worktrees/linked");
    decoy(&claimed, &trap.victim.join(".git"), "");
    write(&claimed.join("gitdir"), linked.join(".git").to_str().unwrap());
    write(&linked.join(".git"), format!("gitdir: {}\n", claimed.display()));
    trap.assert_refused(&linked);
    // Named `worktrees` in the victim's own place by a link.
    symlink(trap.path("store/worktrees"), trap.victim.join(".git/worktrees")).unwrap();
    trap.assert_refused(&linked);
    for lie in ["", "\n", "/nowhere", "\0"] {
        write(&claimed.join("commondir"), lie);
        trap.assert_refused(&linked);
    }
}

#[test]
fn a_linked_work_tree_whose_repository_names_another_folder_is_refused() {
    let trap = Trap::new();
    let linked = trap.path("trees").join("linked");
    git(&trap.victim, &["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let honest = identify(&linked);
    let back = trap.victim.join(".git/worktrees/linked/gitdir");
    let original = std::fs::read_to_string(&back).unwrap();
    for lie in ["", "/nowhere/.git\n", "../../../.git\n", &format!("{}\n", trap.victim.join(".git").display()), "\0"] {
        write(&back, lie);
        let refused = at_once(&linked, PerBranch).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Git, "{lie:?}: {refused}");
    }
    std::fs::remove_file(&back).unwrap();
    assert_eq!(at_once(&linked, PerBranch).unwrap_err().kind(), ErrorKind::Git);
    // Newer versions of git may name it by a relative path.
    write(&back, "../../../../trees/linked/.git\n");
    assert_eq!(identify(&linked), honest);
    write(&back, original);
    assert_eq!(identify(&linked), honest);
    // A copy of it elsewhere is not the work tree that the repository knows.
    let copy = trap.path("copy");
    std::fs::copy(linked.join(".git"), copy.join(".git")).unwrap();
    assert_eq!(at_once(&copy, PerBranch).unwrap_err().kind(), ErrorKind::Git);
}

#[test]
fn core_worktree_counts_only_if_that_work_tree_leads_back() {
    let trap = Trap::new();
    let evil = trap.path("shared/evil");
    git(&evil, &["init", "--quiet", "--initial-branch=main"]);
    let honest = identify(&evil);
    for named in [trap.victim.to_str().unwrap(), "../../../repository", "../..", "../../..", "/", "/nowhere", "", "src"]
    {
        std::fs::create_dir_all(evil.join(".git/src")).unwrap();
        set(&evil, "core.worktree", named);
        for workspace in [&evil, &trap.path("shared/evil/src")] {
            let refused = trap.assert_refused(workspace);
            assert!(refused.contains("core.worktree") && refused.contains(".git/config"), "{refused}");
        }
    }
    // What names the folder itself changes nothing.
    for named in ["..", evil.to_str().unwrap()] {
        set(&evil, "core.worktree", named);
        assert_eq!(identify(&evil), honest);
    }
    // A folder above whose `.git` leads here, which contains the workspace.
    set(&evil, "core.worktree", "../..");
    let above = trap.path("shared");
    write(&above.join(".git"), "gitdir: evil/.git\n");
    assert_eq!(Path::new(&identify(&evil).path), above);
    assert_eq!(identify(&above), identify(&evil));
    // One that leads here and does not contain it.
    let aside = trap.path("aside");
    write(&aside.join(".git"), format!("gitdir: {}\n", evil.join(".git").display()));
    set(&evil, "core.worktree", aside.to_str().unwrap());
    trap.assert_refused(&evil);
    // The configuration of the work tree names one too.
    git(Path::new("/"), &["config", "--file", evil.join(".git/config").to_str().unwrap(), "--unset", "core.worktree"]);
    std::fs::remove_file(above.join(".git")).unwrap();
    set(&evil, "extensions.worktreeConfig", "true");
    write(&evil.join(".git/config.worktree"), format!("[core]\n\tworktree = {}\n", trap.victim.display()));
    trap.assert_refused(&evil);
    // What is included does not count for it: git does not ask there either.
    std::fs::rename(evil.join(".git/config.worktree"), evil.join(".git/more")).unwrap();
    set(&evil, "include.path", "more");
    assert_eq!(git(&evil, &["rev-parse", "--show-toplevel"]), evil.to_str().unwrap());
    assert_eq!(identify(&evil).repo_hash, honest.repo_hash);
}

#[test]
fn a_shared_memory_is_not_that_of_the_work_tree_that_a_linked_ones_repository_names() {
    let trap = Trap::new();
    let evil = trap.path("evil");
    git(&evil, &["init", "--quiet", "--initial-branch=main"]);
    git(&evil, &["commit", "--quiet", "--allow-empty", "--message=first"]);
    let linked = trap.path("trees").join("linked");
    git(&evil, &["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    set(&evil, "core.worktree", trap.victim.to_str().unwrap());
    let [per_branch, shared] = trap.ask(&linked);
    assert_eq!(Path::new(&per_branch.unwrap().path), linked);
    assert_eq!(shared.unwrap_err().kind(), ErrorKind::Git);
}

#[test]
fn a_ref_that_is_a_link_out_of_the_repository_is_not_read() {
    let trap = Trap::new();
    let secret = trap.path("files").join("secret");
    let hex = "5ec3e7".repeat(7)[..40].to_owned();
    let fresh = |name: &str| {
        let path = trap.path(name);
        git(&path, &["init", "--quiet", "--initial-branch=main"]);
        git(&path, &["commit", "--quiet", "--allow-empty", "--message=first"]);
        path
    };
    for (number, text) in [SECRET, &hex, "ref: refs/heads/main"].into_iter().enumerate() {
        write(&secret, format!("{text}\n"));
        for (kind, target) in [("file", &*secret), ("zero", Path::new("/dev/zero")), ("gone", Path::new("/nowhere"))] {
            for name in ["HEAD", "refs/heads/main"] {
                let path = fresh(&format!("{kind}-{number}-{}", name.len()));
                std::fs::remove_file(path.join(".git").join(name)).unwrap();
                symlink(target, path.join(".git").join(name)).unwrap();
                let refused = trap.assert_refused(&path);
                assert!(!refused.contains(&hex), "{refused}");
            }
        }
    }
    // A text that is no ref is not quoted either.
    let quoted = fresh("quoted");
    for text in [format!("{SECRET}\n"), format!("ref: {SECRET}\n"), format!("ref: refs/../{SECRET}\n")] {
        write(&quoted.join(".git/HEAD"), &text);
        trap.assert_refused(&quoted);
        write(&quoted.join(".git/HEAD"), "ref: refs/heads/main\n");
        write(&quoted.join(".git/refs/heads/main"), &text);
        trap.assert_refused(&quoted);
    }
    // Old versions of git made HEAD a link to a ref.
    let old = fresh("old");
    let before = identify(&old);
    std::fs::remove_file(old.join(".git/HEAD")).unwrap();
    symlink("refs/heads/main", old.join(".git/HEAD")).unwrap();
    assert_eq!(git(&old, &["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(identify(&old), before);
}

#[test]
fn a_cycle_of_refs_ends() {
    let trap = Trap::new();
    let path = trap.path("circle");
    git(&path, &["init", "--quiet", "--initial-branch=main"]);
    write(&path.join(".git/refs/heads/main"), "ref: refs/heads/other\n");
    write(&path.join(".git/refs/heads/other"), "ref: refs/heads/main\n");
    trap.assert_refused(&path);
    // A chain that git follows is followed.
    std::fs::remove_file(path.join(".git/refs/heads/other")).unwrap();
    git(&path, &["commit", "--quiet", "--allow-empty", "--message=first"]);
    assert_eq!(identify(&path).commit, Some(git(&path, &["rev-parse", "HEAD"])));
}

#[test]
fn a_link_to_a_workspace_is_the_workspace() {
    let trap = Trap::new();
    let link = trap.path("links").join("link");
    symlink(&trap.victim, &link).unwrap();
    assert_eq!(identify(&link), identify(&trap.victim));
    assert_eq!(identify(&link.join(".git/refs")), identify(&trap.victim));
}

#[test]
fn a_git_folder_whose_parts_are_links_keeps_the_identity_of_its_own_place() {
    let trap = Trap::new();
    // As the script git-new-workdir makes them.
    let workdir = trap.path("workdir");
    std::fs::create_dir(workdir.join(".git")).unwrap();
    for name in ["config", "refs", "objects", "packed-refs"] {
        symlink(trap.victim.join(".git").join(name), workdir.join(".git").join(name)).unwrap();
    }
    write(&workdir.join(".git/HEAD"), "ref: refs/heads/main\n");
    for answer in trap.ask(&workdir) {
        assert_eq!(Path::new(&answer.unwrap().path), workdir);
    }
}
