//! Where loopmem looks for a repository and its configuration, compared with git itself: variables of the environment,
//! included files, formats, and what hooks find.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use loopmem::BranchScope::{PerBranch, SharedRepo};
use loopmem::repo::{Identity, Workspace};
use loopmem::testing::disk::RealFs;
use loopmem::{ErrorKind, Options, Result, Store};

use crate::TestHome;
use crate::identity::{Folder, git, identify, identify_in, refusal};

type Variables<'v> = [(&'v str, OsString)];

/// The result of loopmem for `workspace` with only these variables set.
fn identify_with(variables: &Variables<'_>, workspace: &Path) -> Result<Identity> {
    let home = TestHome::new();
    let environment = variables.iter().map(|(name, value)| (OsString::from(name), value.clone()));
    let store = loopmem::testing::open_on(Options::at(home.root()), Arc::new(RealFs), environment).unwrap();
    store.repos().identify(workspace)
}

/// The output of git there with only these variables set; `None` if it fails.
fn git_with(variables: &Variables<'_>, folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .args(arguments)
        .output()
        .unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned())
}

/// Without the configuration files of the system and the user.
fn nothing() -> Vec<(&'static str, OsString)> {
    vec![("GIT_CONFIG_NOSYSTEM", "1".into()), ("GIT_CONFIG_GLOBAL", "/dev/null".into())]
}

fn with(name: &'static str, value: impl Into<OsString>) -> Vec<(&'static str, OsString)> {
    [nothing(), vec![(name, value.into())]].concat()
}

#[test]
fn the_top_level_is_the_one_that_git_finds() {
    let folder = Folder::new();
    let repository = folder.repository();
    let linked = folder.path("trees").join("linked");
    git(&repository, &["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let outer = folder.path("outer");
    git(&outer, &["init", "--quiet"]);
    let add =
        ["-c", "protocol.file.allow=always", "submodule", "add", "--quiet", repository.to_str().unwrap(), "inner"];
    git(&outer, &add);
    git(&folder.path("apart"), &["init", "--quiet", "--separate-git-dir", folder.path("git-dir").to_str().unwrap()]);
    git(&folder.path("sha256"), &["init", "--quiet", "--object-format=sha256"]);
    git(&folder.path("sha256"), &["commit", "--quiet", "--allow-empty", "--message=first"]);
    for name in ["repository", "trees/linked", "outer", "outer/inner", "apart", "sha256"] {
        for within in ["", "a/b"] {
            let workspace = folder.path(&format!("{name}/{within}")).canonicalize().unwrap();
            let ours = identify_with(&nothing(), &workspace).unwrap();
            assert_eq!(Some(ours.path), git_with(&nothing(), &workspace, &["rev-parse", "--show-toplevel"]));
            assert_eq!(ours.branch, git_with(&nothing(), &workspace, &["symbolic-ref", "--short", "HEAD"]));
            assert_eq!(ours.commit, git_with(&nothing(), &workspace, &["rev-parse", "--verify", "--quiet", "HEAD"]));
        }
    }
    let commit = identify(&folder.path("sha256")).commit.unwrap();
    assert_eq!(commit.len(), 64);
}

#[test]
fn discovery_stops_at_gits_ceiling_directories() {
    let folder = Folder::new();
    let repository = folder.repository();
    let deep = folder.path("repository/sub/deep");
    std::os::unix::fs::symlink(&repository, folder.path("links").join("link")).unwrap();
    let path = |name: &str| folder.path("").join(name).to_str().unwrap().trim_end_matches('/').to_owned();
    let ceilings = [
        path(""),
        path("repository"),
        path("repository/sub"),
        path("repository/sub/deep"),
        path("repository/"),
        format!("/nowhere:{}", path("repository")),
        format!(":{}", path("repository")),
        path("links/link"),
        format!(":{}", path("links/link")),
        "repository".to_owned(),
        "/".to_owned(),
        String::new(),
    ];
    for ceiling in ceilings {
        let variables = with("GIT_CEILING_DIRECTORIES", &ceiling);
        let gits = git_with(&variables, &deep, &["rev-parse", "--show-toplevel"]);
        let ours = identify_with(&variables, &deep).unwrap();
        assert_eq!(ours.path, gits.unwrap_or_else(|| deep.to_str().unwrap().to_owned()), "{ceiling}");
    }
}

/// Needs permission to mount.
#[test]
fn discovery_stops_at_another_file_system_unless_it_may_cross_it() {
    let folder = Folder::new();
    let repository = folder.repository();
    let mounted = folder.path("repository/mounted");
    let mount = Command::new("mount").args(["-t", "tmpfs", "tmpfs"]).arg(&mounted).output();
    if !mount.is_ok_and(|mount| mount.status.success()) {
        println!("mounting is not allowed here");
        return;
    }
    let within = folder.path("repository/mounted/within");
    let answers: Vec<_> = ["0", "1", "maybe"]
        .iter()
        .map(|value| {
            let variables = with("GIT_DISCOVERY_ACROSS_FILESYSTEM", value);
            (identify_with(&variables, &within), git_with(&variables, &within, &["rev-parse", "--show-toplevel"]))
        })
        .collect();
    assert!(Command::new("umount").arg(&mounted).status().unwrap().success());
    assert_eq!(answers[0].0.as_ref().unwrap().path, within.to_str().unwrap());
    assert_eq!(answers[0].1, None);
    assert_eq!(Some(&answers[1].0.as_ref().unwrap().path), answers[1].1.as_ref());
    assert_eq!(Path::new(&answers[1].0.as_ref().unwrap().path), repository);
    assert_eq!(answers[2].0.as_ref().unwrap_err().kind(), ErrorKind::Git);
}

/// `origin` as configured by each of git's files and variables, and their precedence.
#[test]
fn the_remote_is_what_git_reads_from_all_its_files() {
    let folder = Folder::new();
    let repository = folder.repository();
    let home = folder.path("user");
    let write = |path: &Path, name: &str| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("[remote \"origin\"]\n\turl = https://example.org/{name}\n")).unwrap();
    };
    let (system, global) = (folder.path("files").join("system"), folder.path("files").join("global"));
    write(&system, "system");
    write(&global, "global");
    let home_is = |value: &Path| ("HOME", value.as_os_str().to_owned());
    let cases: Vec<(Vec<(&str, OsString)>, &str)> = vec![
        (vec![("GIT_CONFIG_NOSYSTEM", "true".into()), home_is(&home)], "nothing"),
        (vec![("GIT_CONFIG_SYSTEM", system.clone().into()), home_is(&home)], "system"),
        (
            vec![("GIT_CONFIG_SYSTEM", system.clone().into()), ("GIT_CONFIG_NOSYSTEM", "yes".into()), home_is(&home)],
            "neither",
        ),
        (vec![("GIT_CONFIG_SYSTEM", system.clone().into()), ("GIT_CONFIG_GLOBAL", global.clone().into())], "global"),
        (vec![("GIT_CONFIG_NOSYSTEM", "1".into()), ("GIT_CONFIG_GLOBAL", "".into()), home_is(&home)], "empty"),
    ];
    let check = |variables: &Variables<'_>, what: &str| {
        let ours = identify_with(variables, &repository).unwrap().remote_url;
        assert_eq!(ours, git_with(variables, &repository, &["config", "--get", "remote.origin.url"]), "{what}");
        ours
    };
    for (variables, what) in &cases {
        check(variables, what);
    }
    let of_home = vec![("GIT_CONFIG_NOSYSTEM", "1".into()), home_is(&home)];
    write(&home.join(".config/git/config"), "xdg-default");
    assert_eq!(check(&of_home, "xdg by default").as_deref(), Some("https://example.org/xdg-default"));
    write(&home.join(".gitconfig"), "home");
    assert_eq!(check(&of_home, "home").as_deref(), Some("https://example.org/home"));
    let xdg = folder.path("xdg");
    write(&xdg.join("git/config"), "xdg");
    std::fs::remove_file(home.join(".gitconfig")).unwrap();
    let moved = [of_home.clone(), vec![("XDG_CONFIG_HOME", xdg.clone().into())]].concat();
    assert_eq!(check(&moved, "xdg").as_deref(), Some("https://example.org/xdg"));
    // The repository's own, its work tree's and the environment's overrule all of them.
    git(&repository, &["remote", "add", "origin", "https://example.org/own"]);
    assert_eq!(check(&moved, "own").as_deref(), Some("https://example.org/own"));
    git(&repository, &["config", "extensions.worktreeConfig", "true"]);
    git(&repository, &["config", "--worktree", "remote.origin.url", "https://example.org/tree"]);
    assert_eq!(check(&moved, "work tree").as_deref(), Some("https://example.org/tree"));
    let counted = vec![
        ("GIT_CONFIG_COUNT", "2".into()),
        ("GIT_CONFIG_KEY_0", "a.b".into()),
        ("GIT_CONFIG_VALUE_0", "c".into()),
        ("GIT_CONFIG_KEY_1", "REMOTE.origin.URL".into()),
        ("GIT_CONFIG_VALUE_1", "https://example.org/variable".into()),
    ];
    let counted = [moved, counted].concat();
    assert_eq!(check(&counted, "variables").as_deref(), Some("https://example.org/variable"));
    for cut in [1, 2] {
        let missing = &counted[..counted.len() - cut];
        assert_eq!(identify_with(missing, &repository).unwrap_err().kind(), ErrorKind::Git);
        assert_eq!(git_with(missing, &repository, &["config", "--get", "a.b"]), None);
    }
}

#[test]
fn an_unreadable_file_of_the_user_is_named_and_not_quoted() {
    let folder = Folder::new();
    let repository = folder.repository();
    let global = folder.path("files").join("global");
    std::fs::write(&global, "[user]\n\tname = somebody\nthe secret text\n").unwrap();
    let refused = identify_with(&[("GIT_CONFIG_GLOBAL", global.clone().into())], &repository).unwrap_err();
    assert_eq!((refused.kind(), refused.path()), (ErrorKind::Git, Some(&*global)), "{refused}");
    assert!(refused.message().contains("line 3") && !refused.to_json().contains("secret text"), "{refused}");
}

/// The same file of conditions for git and for loopmem.
#[test]
fn files_are_included_where_git_includes_them() {
    let folder = Folder::new();
    let repository = folder.repository();
    git(&repository, &["checkout", "--quiet", "-b", "topic/one"]);
    let home = folder.path("user");
    let variables = vec![("GIT_CONFIG_NOSYSTEM", "1".into()), ("HOME", home.clone().into())];
    let top = repository.to_str().unwrap();
    let url = |name: &str| format!("[remote \"origin\"]\n\turl = https://example.org/{name}\n");
    std::fs::write(home.join("more"), url("more")).unwrap();
    std::fs::write(repository.join(".git/local"), url("local")).unwrap();
    std::fs::create_dir(home.join("dotfiles")).unwrap();
    let check = |what: &str| {
        let ours = identify_with(&variables, &repository).unwrap().remote_url;
        assert_eq!(ours, git_with(&variables, &repository, &["config", "--get", "remote.origin.url"]), "{what}");
        ours.is_some()
    };
    let above = Path::new(top).parent().unwrap().to_str().unwrap().to_owned();
    let conditions: Vec<(String, bool)> = vec![
        ("include".into(), true),
        (format!("includeIf \"gitdir:{top}/\""), true),
        (format!("includeIf \"gitdir:{top}/.git\""), true),
        (format!("includeIf \"gitdir:{top}\""), false),
        (format!("includeIf \"gitdir:{above}/\""), true),
        (format!("includeIf \"gitdir:{above}/*/.git\""), true),
        (format!("includeIf \"gitdir:{above}/*\""), false),
        ("includeIf \"gitdir:repository/\"".into(), true),
        ("includeIf \"gitdir:REPOSITORY/\"".into(), false),
        ("includeIf \"gitdir/i:REPOSITORY/\"".into(), true),
        ("includeIf \"gitdir:~/\"".into(), false),
        ("includeIf \"gitdir:~/../repository/\"".into(), false),
        ("includeIf \"gitdir:**/.git\"".into(), true),
        ("includeIf \"gitdir:/\"".into(), true),
        ("includeIf \"gitdir:./\"".into(), false),
        ("includeIf \"onbranch:topic/one\"".into(), true),
        ("includeIf \"onbranch:topic/\"".into(), true),
        ("includeIf \"onbranch:t*\"".into(), false),
        ("includeIf \"onbranch:t*/*\"".into(), true),
        ("includeIf \"onbranch:**\"".into(), true),
        ("includeIf \"hasconfig:remote.*.url:https://**\"".into(), false),
        ("includeIf \"nothing:known\"".into(), false),
        ("includeIf \"gitdir:\"".into(), true),
    ];
    for (section, expected) in &conditions {
        for path in ["more", "~/more", home.join("more").to_str().unwrap(), "./more", "dotfiles/../more", "missing"] {
            std::fs::write(home.join(".gitconfig"), format!("[{section}]\n\tpath = {path}\n")).unwrap();
            assert_eq!(check(&format!("{section} {path}")), *expected && path != "missing", "{section} {path}");
        }
    }
    // Relative to the place of a link to a file, and to the repository's own.
    std::fs::remove_file(home.join(".gitconfig")).unwrap();
    std::fs::write(home.join("dotfiles/gitconfig"), "[include]\n\tpath = more\n").unwrap();
    std::fs::write(home.join("dotfiles/more"), url("dotfiles")).unwrap();
    std::os::unix::fs::symlink("dotfiles/gitconfig", home.join(".gitconfig")).unwrap();
    assert!(check("by a link"));
    std::fs::remove_file(home.join(".gitconfig")).unwrap();
    for (section, expected) in
        [("include", true), ("includeIf \"gitdir:./\"", false), ("includeIf \"gitdir:../\"", false)]
    {
        let own = format!("[core]\n\trepositoryformatversion = 0\n[{section}]\n\tpath = local\n");
        std::fs::write(repository.join(".git/config"), own).unwrap();
        assert_eq!(check(section), expected, "{section}");
    }
    for (condition, expected) in [("./", true), ("./.git", true), ("./other", false), ("./../", false)] {
        std::fs::write(repository.join("above"), format!("[includeIf \"gitdir:{condition}\"]\n\tpath = .git/local\n"))
            .unwrap();
        std::fs::write(repository.join(".git/config"), "[include]\n\tpath = ../above\n").unwrap();
        assert_eq!(check(condition), expected, "{condition}");
    }
    // By the URL of a remote, in another file than that.
    let remotes = "[remote \"up\"]\n\turl = https://example.org/up\n[branch \"topic/one\"]\n\tremote = up\n";
    std::fs::write(repository.join(".git/config"), remotes).unwrap();
    std::fs::write(home.join("chosen"), "[remote \"origin\"]\n\tfetch = x\n[branch \"topic/one\"]\n\tremote = x\n")
        .unwrap();
    for (pattern, expected) in [("https://example.org/**", true), ("https://example.com/**", false)] {
        let text = format!("[includeIf \"hasconfig:remote.*.url:{pattern}\"]\n\tpath = chosen\n");
        std::fs::write(home.join(".gitconfig"), text).unwrap();
        let gits = git_with(&variables, &repository, &["config", "--get", "remote.origin.fetch"]);
        assert_eq!(gits.is_some(), expected, "{pattern}");
        identify_with(&variables, &repository).unwrap();
    }
    std::fs::write(home.join("chosen"), url("chosen")).unwrap();
    let text = "[includeIf \"hasconfig:remote.*.url:https://**\"]\n\tpath = chosen\n";
    std::fs::write(home.join(".gitconfig"), text).unwrap();
    assert_eq!(git_with(&variables, &repository, &["config", "--get", "remote.origin.url"]), None);
    assert_eq!(identify_with(&variables, &repository).unwrap_err().kind(), ErrorKind::Git);
}

#[test]
fn files_may_include_each_other_as_deep_as_git_allows() {
    let folder = Folder::new();
    let repository = folder.repository();
    let files = folder.path("files");
    for depth in 1..=12 {
        let next = format!("[include]\n\tpath = {}\n", depth + 1);
        std::fs::write(files.join(depth.to_string()), next).unwrap();
    }
    for last in 8..=12 {
        let end = files.join(last.to_string());
        let before = std::fs::read(&end).unwrap();
        std::fs::write(&end, "[remote \"origin\"]\n\turl = https://example.org/deep\n").unwrap();
        let variables = [("GIT_CONFIG_NOSYSTEM", "1".into()), ("GIT_CONFIG_GLOBAL", files.join("1").into())];
        let gits = git_with(&variables, &repository, &["config", "--get", "remote.origin.url"]);
        assert_eq!(identify_with(&variables, &repository).ok().and_then(|it| it.remote_url), gits, "{last}");
        std::fs::write(&end, before).unwrap();
    }
}

#[test]
fn a_format_is_refused_where_git_refuses_it() {
    let folder = Folder::new();
    let repository = folder.repository();
    let remote = "[remote \"origin\"]\n\turl = https://example.org/o/r\n";
    for (version, extensions) in [
        ("", ""),
        ("0", ""),
        ("1", ""),
        ("2", ""),
        ("x", ""),
        ("", "unknown = 1"),
        ("0", "unknown = 1"),
        ("1", "unknown = 1"),
        ("1", "noop = 1"),
        ("1", "noop-v1 = 1"),
        ("0", "noop-v1 = 1"),
        ("0", "partialClone = origin"),
        ("1", "partialClone = origin"),
        ("0", "objectFormat = sha1"),
        ("1", "objectFormat = sha1"),
        ("1", "objectFormat = sha512"),
        ("1", "refStorage = files"),
        ("1", "refStorage = nothing"),
        ("0", "worktreeConfig = true"),
        ("1", "worktreeConfig = maybe"),
        ("1", "preciousObjects = true"),
    ] {
        let version_line =
            if version.is_empty() { String::new() } else { format!("\trepositoryformatversion = {version}\n") };
        std::fs::write(
            repository.join(".git/config"),
            format!("[core]\n{version_line}\tbare = false\n[extensions]\n\t{extensions}\n{remote}"),
        )
        .unwrap();
        let gits = git_with(&nothing(), &repository, &["rev-parse", "HEAD"]);
        let ours = identify_with(&nothing(), &repository);
        assert_eq!(ours.is_ok(), gits.is_some(), "{version} {extensions}: {ours:?}");
    }
    let reftable = folder.path("reftable");
    git(&reftable, &["init", "--quiet", "--ref-format=reftable"]);
    let refused = refusal(&reftable);
    assert!(refused.kind() == ErrorKind::Git && refused.message().contains("reftable"), "{refused}");
}

#[test]
fn a_head_is_refused_where_git_cannot_resolve_it() {
    let folder = Folder::new();
    let repository = folder.repository();
    let commit = git(&repository, &["rev-parse", "HEAD"]);
    for head in [
        "ref: refs/heads/main",
        "ref:refs/heads/main",
        "ref: \t refs/heads/main  \n\n",
        "ref: refs/heads/a b",
        "ref: refs/../x",
        "ref: heads/main",
        "ref: refs/heads/x.lock",
        "ref: refs/heads/main\njunk",
        &commit,
        &format!("{commit} junk"),
        &format!("{commit}junk"),
        &commit.to_uppercase(),
        &commit[..39],
        "",
        "ref:",
    ] {
        std::fs::write(repository.join(".git/HEAD"), format!("{head}\n")).unwrap();
        let ours = identify_with(&nothing(), &repository);
        let branch = git_with(&nothing(), &repository, &["symbolic-ref", "--short", "HEAD"]);
        let detached = git_with(&nothing(), &repository, &["rev-parse", "--verify", "--quiet", "HEAD"]);
        assert_eq!(ours.is_ok(), branch.is_some() || detached.is_some(), "{head}: {ours:?}");
        if let Ok(ours) = ours {
            assert_eq!((ours.branch, ours.commit), (branch, detached), "{head}");
        }
    }
}

#[test]
fn packed_refs_are_found_however_many_there_are_and_however_they_are_sorted() {
    let folder = Folder::new();
    let repository = folder.repository();
    let commit = git(&repository, &["rev-parse", "HEAD"]);
    let other = commit.bytes().rev().map(char::from).collect::<String>();
    std::fs::remove_file(repository.join(".git/refs/heads/main")).unwrap();
    let names = |count: usize| {
        let mut names: Vec<String> =
            (0..count).map(|number| format!("branch-{number:05}-{}", "x".repeat(number % 90))).collect();
        names.extend(["main", "a", "zzz"].map(str::to_owned));
        names.sort();
        names
    };
    let write = |names: &[String], traits: &str| {
        let mut text = traits.to_owned();
        for name in names {
            let id = if name == "main" { &commit } else { &other };
            text += &format!("{id} refs/heads/{name}\n");
            if name.len() % 7 == 0 {
                text += &format!("^{commit}\n");
            }
        }
        std::fs::write(repository.join(".git/packed-refs"), text.trim_end_matches('\n')).unwrap();
    };
    let home = TestHome::new();
    let store = home.open();
    let commit_of = |branch: &str| store.repos().identify(Workspace::at(&repository).branch(branch)).unwrap().commit;
    for count in [0, 10, 5_000] {
        let sorted = names(count);
        let mut reversed = sorted.clone();
        reversed.reverse();
        for (names, traits) in [
            (&sorted, "# pack-refs with: peeled fully-peeled sorted \n"),
            (&sorted, ""),
            (&reversed, "# pack-refs with: peeled \n"),
        ] {
            write(names, traits);
            assert_eq!(identify(&repository).commit.as_ref(), Some(&commit), "{count} {traits}");
            for missing in ["mai", "main2", "0", "zzzz", "branch-", "n"] {
                assert_eq!(commit_of(missing), None, "{missing}");
            }
            for name in names.iter().step_by(names.len() / 20 + 1).chain([&sorted[0], &sorted[sorted.len() - 1]]) {
                assert_eq!(commit_of(name).as_ref(), Some(if name == "main" { &commit } else { &other }), "{name}");
            }
        }
    }
    // A file that git never wrote.
    std::fs::write(repository.join(".git/packed-refs"), format!("x{} refs/heads/main\n", &commit[1..])).unwrap();
    assert_eq!(refusal(&repository).kind(), ErrorKind::Git);
    std::fs::write(repository.join(".git/packed-refs"), "x".repeat(200_000)).unwrap();
    assert_eq!(refusal(&repository).kind(), ErrorKind::Git);
}

/// Identifies the folder it was started in, with the environment it was started with.
#[test]
#[ignore = "run by other tests as another process"]
fn identify_the_current_folder() {
    let Some(home) = crate::started_on() else { return };
    for scope in [PerBranch, SharedRepo] {
        match Store::open(Options::at(&home)).unwrap().repos().identify(Workspace::current().branch_scope(scope)) {
            Ok(identity) => {
                println!("{}|{}|{}", identity.repo_hash, identity.path, identity.branch.unwrap_or_default())
            }
            Err(error) => println!("{}|{error}|", error.kind().code()),
        }
    }
}

/// Hash, path and branch in both scopes, of the current folder `folder`.
fn in_folder(folder: &Path, variables: &[(&str, &str)]) -> [(String, String, String); 2] {
    let home = TestHome::new();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "git_environment::identify_the_current_folder", "--ignored", "--nocapture"])
        .current_dir(folder)
        .env_clear()
        .env(crate::HOME, home.root())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let mut answers = said.lines().filter(|line| line.matches('|').count() == 2).map(|line| {
        let mut fields = line.split('|').map(str::to_owned);
        [(); 3].map(|()| fields.next().unwrap()).into()
    });
    [(); 2].map(|()| answers.next().unwrap_or_else(|| panic!("no answer in {said}")))
}

#[test]
fn a_hook_uses_the_memory_of_its_repository() {
    let folder = Folder::new();
    let repository = folder.repository();
    let linked = folder.path("trees").join("linked");
    git(&repository, &["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let git_dir = repository.join(".git");
    let linked_dir = git_dir.join("worktrees/linked");
    let (git_dir, linked_dir) = (git_dir.to_str().unwrap(), linked_dir.to_str().unwrap());
    let at = |folder: &Path| [PerBranch, SharedRepo].map(|scope| identify_in(folder, scope).repo_hash.to_string());
    let within = folder.path("repository/sub");
    let linked_within = folder.path("trees/linked/sub");
    for (current, variables, expected) in [
        (&repository, vec![], at(&repository)),
        (&repository, vec![("GIT_DIR", ".git")], at(&repository)),
        (&within, vec![("GIT_DIR", "../.git")], at(&repository)),
        (&within, vec![("GIT_DIR", git_dir)], at(&repository)),
        (&within, vec![("GIT_DIR", git_dir), ("GIT_WORK_TREE", "..")], at(&repository)),
        (&within, vec![("GIT_WORK_TREE", "..")], at(&repository)),
        (&linked, vec![("GIT_DIR", linked_dir)], at(&linked)),
        (&linked_within, vec![("GIT_DIR", linked_dir)], at(&linked)),
        (
            &linked_within,
            vec![("GIT_DIR", linked_dir), ("GIT_COMMON_DIR", git_dir), ("GIT_WORK_TREE", "..")],
            at(&linked),
        ),
    ] {
        let [per_branch, shared] = in_folder(current, &variables);
        assert_eq!(per_branch.0, expected[0], "{current:?} {variables:?}: {per_branch:?}");
        // The work tree and the git directory together are what the user says; whose they are in common, git cannot
        // say.
        let may_be_unproven = variables.len() > 1 && shared.0 == "GitError";
        assert!(shared.0 == expected[1] || may_be_unproven, "{current:?} {variables:?}: {shared:?}");
    }
    let bare = folder.path("bare.git");
    git(&bare, &["clone", "--quiet", "--bare", repository.to_str().unwrap(), "."]);
    let hook = in_folder(&bare, &[("GIT_DIR", ".")]);
    assert_eq!(hook.map(|it| it.0), at(&bare));
}

#[test]
fn variables_that_name_a_repository_elsewhere_are_refused_and_a_named_workspace_ignores_them() {
    let folder = Folder::new();
    let repository = folder.repository();
    let bare = folder.path("bare.git");
    git(&bare, &["init", "--quiet", "--bare"]);
    let elsewhere = folder.path("elsewhere");
    let (git_dir, work_tree) = (repository.join(".git"), repository.to_str().unwrap());
    let git_dir = git_dir.to_str().unwrap();
    for variables in [
        vec![("GIT_DIR", git_dir), ("GIT_WORK_TREE", work_tree)],
        vec![("GIT_WORK_TREE", work_tree)],
        vec![("GIT_DIR", bare.to_str().unwrap())],
        vec![("GIT_DIR", "/nowhere")],
        vec![("GIT_DIR", "/dev/null")],
        vec![("GIT_DIR", work_tree)],
    ] {
        for answer in in_folder(&elsewhere, &variables) {
            assert_eq!(answer.0, "GitError", "{variables:?}: {answer:?}");
            assert!(!answer.1.contains("nowhere"), "{answer:?}");
        }
        let owned: Vec<(&str, OsString)> =
            variables.iter().map(|(name, value)| (*name, OsString::from(value))).collect();
        assert_eq!(Path::new(&identify_with(&owned, &elsewhere).unwrap().path), elsewhere);
        assert_eq!(identify_with(&owned, &repository).unwrap(), identify(&repository));
    }
    // Without a work tree the current folder is its top, as git documents it: with a memory of its own.
    let [per_branch, shared] = in_folder(&elsewhere, &[("GIT_DIR", git_dir)]);
    assert_eq!(PathBuf::from(&per_branch.1), elsewhere);
    assert_eq!(shared.0, "GitError");
    assert_ne!(per_branch.0, identify(&repository).repo_hash.to_string());
}
