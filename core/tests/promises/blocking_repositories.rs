//! Repositories with files that block, never end or are slow to read: each is answered at once, and can be cancelled.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use loopmem::BranchScope::{PerBranch, SharedRepo};
use loopmem::Cancel;
use loopmem::{CallOptions, ErrorKind};

use crate::TestHome;
use crate::at_most;
use crate::hostile_repositories::{SECRET, Trap, at_once, set, write};
use crate::identity::{git, identify};

type Spoil<'s> = &'s dyn Fn(&Path);

fn fifo(path: &Path) {
    drop(std::fs::remove_file(path));
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A sparse file that would take 300 MB of memory to read.
fn huge(path: &Path) {
    drop(std::fs::remove_file(path));
    std::fs::File::create(path).unwrap().set_len(300 << 20).unwrap();
}

#[test]
fn files_that_block_or_never_end_are_refused_at_once() {
    let trap = Trap::new();
    let repository = |name: &str| {
        let path = trap.path(name);
        git(&path, &["init", "--quiet", "--initial-branch=main"]);
        git(&path, &["commit", "--quiet", "--allow-empty", "--message=first"]);
        path
    };
    let zero = |path: &Path| {
        drop(std::fs::remove_file(path));
        symlink("/dev/zero", path).unwrap();
    };
    let socket = |path: &Path| {
        drop(std::fs::remove_file(path));
        drop(std::os::unix::net::UnixListener::bind(path).unwrap());
    };
    let folder = |path: &Path| {
        drop(std::fs::remove_file(path));
        std::fs::create_dir(path).unwrap();
    };
    let spoilers: [(&str, Spoil<'_>); 5] =
        [("fifo", &fifo), ("zero", &zero), ("socket", &socket), ("huge", &huge), ("folder", &folder)];
    let files = ["", "/HEAD", "/config", "/refs/heads/main", "/commondir", "/packed-refs", "/config.worktree"];
    for (kind, spoil) in spoilers {
        for (number, file) in files.into_iter().enumerate() {
            let path = repository(&format!("{kind}-{number}"));
            match file {
                "" => std::fs::remove_dir_all(path.join(".git")).unwrap(),
                "/packed-refs" => {
                    git(&path, &["pack-refs", "--all"]);
                }
                "/config.worktree" => set(&path, "extensions.worktreeConfig", "true"),
                _ => {}
            }
            spoil(&path.join(format!(".git{file}")));
            // A folder in a ref's place holds the refs below its name.
            if (kind, file) == ("folder", "/refs/heads/main") {
                assert_eq!(identify(&path).commit, None);
                continue;
            }
            let refused = trap.assert_refused(&path);
            let named = refused.contains(path.to_str().unwrap());
            assert!(named, "{kind} {file}: {refused}");
        }
    }
}

#[test]
fn the_files_of_links_between_work_trees_that_block_are_refused_at_once() {
    let trap = Trap::new();
    for (number, file) in ["commondir", "gitdir", "HEAD"].into_iter().enumerate() {
        let source = trap.path(&format!("source-{number}"));
        git(&source, &["init", "--quiet"]);
        git(&source, &["commit", "--quiet", "--allow-empty", "--message=first"]);
        let linked = trap.path("trees").join(number.to_string());
        git(&source, &["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
        for spoil in [fifo, huge] {
            spoil(&source.join(format!(".git/worktrees/{number}/{file}")));
            trap.assert_refused(&linked);
        }
    }
}

#[test]
fn files_that_identity_does_not_need_are_not_read() {
    let trap = Trap::new();
    let path = trap.path("repository-of-pipes");
    git(&path, &["init", "--quiet", "--initial-branch=main"]);
    git(&path, &["commit", "--quiet", "--allow-empty", "--message=first"]);
    let before = identify(&path);
    let others = [
        "shallow",
        "info/grafts",
        "info/attributes",
        "objects/info/alternates",
        "objects/info/commit-graph",
        "hooks/post-checkout",
        "index",
        "FETCH_HEAD",
        "ORIG_HEAD",
        "MERGE_HEAD",
        "logs/HEAD",
        "packed-refs",
        "config.worktree",
        "gitdir",
        "description",
        "info/sparse-checkout",
    ];
    for name in others {
        let file = path.join(".git").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        fifo(&file);
    }
    for name in [".gitmodules", ".gitattributes", ".mailmap", ".gitignore"] {
        fifo(&path.join(name));
    }
    assert_eq!(at_once(&path, PerBranch).unwrap(), before);
    at_once(&path, SharedRepo).unwrap();
}

#[test]
fn the_files_of_git_that_a_map_reads_are_regular_ones_or_none() {
    let trap = Trap::new();
    let path = trap.path("mapped");
    git(&path, &["init", "--quiet", "--initial-branch=main"]);
    write(&path.join("a.rs"), "fn shown() {}\n");
    write(&path.join("secret.rs"), "fn hidden() {}\n");
    git(&path, &["add", "."]);
    git(&path, &["commit", "--quiet", "--message=first"]);
    let patterns = trap.path("files").join("patterns");
    write(&patterns, "*.rs\n");
    let device: Spoil<'_> = &|path| symlink("/dev/zero", path).unwrap();
    let link: Spoil<'_> = &|link| symlink(&patterns, link).unwrap();
    let names = [
        ".git/shallow",
        ".git/info/grafts",
        ".git/info/exclude",
        ".git/info/attributes",
        ".git/objects/info/alternates",
        ".git/objects/info/commit-graph",
        ".git/objects/pack/multi-pack-index",
        ".git/objects/pack/pack-1.idx",
        ".git/objects/pack/pack-1.pack",
        ".git/index",
        ".gitmodules",
        ".gitattributes",
        ".gitignore",
        "sub/.gitignore",
    ];
    for (kind, spoil) in [("fifo", &fifo as Spoil<'_>), ("device", device), ("huge", &huge), ("link", link)] {
        let mut spoiled = Vec::new();
        for name in names {
            // Git follows a link in its own folder.
            if kind == "link" && name == ".git/info/exclude" {
                continue;
            }
            let file = path.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            drop(std::fs::remove_file(&file));
            spoil(&file);
            spoiled.push(file);
        }
        let (home, workspace) = (TestHome::new(), path.clone());
        let (sender, receiver) = std::sync::mpsc::channel();
        let store = home.open();
        std::thread::spawn(move || drop(sender.send(store.repo(&workspace).unwrap().index().map(2_000, None, &[]))));
        let map = receiver.recv_timeout(Duration::from_secs(20)).expect("an answer").unwrap();
        assert!(map.text.contains("shown") && map.text.contains("hidden"), "{kind}: {}", map.text);
        spoiled.iter().for_each(|file| std::fs::remove_file(file).unwrap());
    }
}

#[test]
fn what_a_configuration_includes_is_bounded_and_cannot_block() {
    let trap = Trap::new();
    let evil = trap.path("evil");
    git(&evil, &["init", "--quiet", "--initial-branch=main"]);
    let config = evil.join(".git/config");
    let plain = std::fs::read_to_string(&config).unwrap();
    let pipe = trap.path("files").join("pipe");
    fifo(&pipe);
    let large = trap.path("files").join("large");
    huge(&large);
    let secret = trap.path("files").join("secret");
    write(&secret, format!("{SECRET} is no configuration\n"));
    let twice = trap.path("files").join("twice");
    write(&twice, format!("[include]\n\tpath = {0}\n\tpath = {0}\n", twice.display()));
    let wide = trap.path("files").join("wide");
    let leaf = trap.path("files").join("leaf");
    write(&leaf, "[a]\n\tb = c\n");
    write(&wide, format!("[include]\n{}", format!("\tpath = {}\n", leaf.display()).repeat(1_000)));
    let folder = trap.path("files");
    for path in
        [&pipe, &large, &secret, &twice, &wide, &folder, &config, Path::new("/dev/zero"), Path::new("~no-such-user/x")]
    {
        for section in ["include", "includeIf \"gitdir:/\"", "includeIf \"onbranch:**\"", "includeIf \"gitdir/i:**\""] {
            write(&config, format!("{plain}[{section}]\n\tpath = {}\n", path.display()));
            trap.assert_refused(&evil);
        }
    }
    // What the system keeps as files that wait is answered too, whatever it is.
    for path in ["/proc/kmsg", "/proc/self/mem", "/proc/self/environ"] {
        write(&config, format!("{plain}[include]\n\tpath = {path}\n"));
        drop(trap.ask(&evil));
    }
    for path in ["/nowhere", "nowhere", "config/within", "/dev/null"] {
        write(&config, format!("{plain}[include]\n\tpath = {path}\n"));
        at_once(&evil, PerBranch).unwrap();
    }
    write(&config, format!("{plain}[include]\n\tpath\n"));
    trap.assert_refused(&evil);
}

#[test]
fn a_configuration_uses_bounded_memory_and_stack() {
    let trap = Trap::new();
    let evil = trap.path("evil");
    git(&evil, &["init", "--quiet", "--initial-branch=main"]);
    let config = evil.join(".git/config");
    let plain = std::fs::read_to_string(&config).unwrap();
    // A section of a megabyte that is part of a million keys.
    write(&config, format!("{plain}[a \"{}\"]\n{}", "x".repeat(1 << 20), "k\n".repeat(1 << 20)));
    trap.assert_refused(&evil);
    // The same, a little in each of many files.
    let leaf = trap.path("files").join("leaf");
    write(&leaf, format!("[a]\n\tb = {}\n", "x".repeat(3 << 20)));
    write(&config, format!("{plain}[include]\n{}", format!("\tpath = {}\n", leaf.display()).repeat(100)));
    trap.assert_refused(&evil);
    let deep = format!("[includeIf \"gitdir:/{}x\"]\n\tpath = x\n", "**/".repeat(1 << 20));
    write(&config, format!("{plain}{deep}"));
    at_once(&evil, PerBranch).unwrap();
}

#[test]
fn a_pattern_made_to_be_slow_is_not_slower() {
    let trap = Trap::new();
    let evil = trap.path(&format!("evil/{}", vec!["a".repeat(200); 12].join("/")));
    git(&evil, &["init", "--quiet"]);
    let config = evil.join(".git/config");
    let plain = std::fs::read_to_string(&config).unwrap();
    let condition = format!("[includeIf \"gitdir:/{}b\"]\n\tpath = x\n", "**/*a*".repeat(30));
    write(&config, format!("{plain}{}", condition.repeat(20)));
    at_once(&evil, PerBranch).unwrap();
}

#[test]
fn identity_can_be_cancelled_and_has_a_time_out() {
    let trap = Trap::new();
    let store = TestHome::new().open();
    let cancel = Cancel::new();
    cancel.cancel();
    let ask = |options: CallOptions, workspace: &Path| store.with(options).repos().identify(workspace);
    for workspace in [&trap.victim, &trap.path("plain")] {
        let cancelled = ask(CallOptions::new().cancel(&cancel), workspace).unwrap_err();
        assert_eq!(cancelled.kind(), ErrorKind::Cancelled, "{cancelled}");
        ask(at_most(Duration::ZERO), workspace).expect("who waits for nobody gets an answer");
        let late = ask(at_most(Duration::from_nanos(1)), workspace).unwrap_err();
        assert_eq!((late.kind(), late.retryable()), (ErrorKind::Git, true), "{late}");
        // The host itself says so, at the first file.
        let after = Cancel::polling(|| true);
        let cancelled = ask(CallOptions::new().cancel(&after), workspace).unwrap_err();
        assert_eq!(cancelled.kind(), ErrorKind::Cancelled, "{cancelled}");
    }
    ask(CallOptions::new(), &trap.victim).unwrap();
}

/// One that no time may be spent on beyond the call's: whether it came in time, however busy the machine is.
#[track_caller]
fn ask_for_a_second(workspace: &Path) -> loopmem::Result<loopmem::repo::Identity> {
    let (store, workspace) = (TestHome::new().open(), workspace.to_owned());
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let store = store.with(at_most(Duration::from_secs(1)));
        drop(sender.send(store.repos().identify(&workspace)));
    });
    receiver.recv_timeout(Duration::from_secs(10)).expect("an answer")
}

#[test]
fn many_remotes_take_no_longer_than_a_file_of_their_size() {
    let trap = Trap::new();
    let evil = trap.path("evil");
    git(&evil, &["init", "--quiet", "--initial-branch=main"]);
    let config = evil.join(".git/config");
    let plain = std::fs::read_to_string(&config).unwrap();
    let without_url = |prefix: &str| -> String {
        (0..100_000).map(|number| format!("[remote \"{prefix}{number:x}\"]\nurl=\n")).collect()
    };
    let more = trap.path("files").join("more");
    write(&more, without_url("m"));
    let last = format!("[remote \"z\"]\nurl = https://example.org/z\n[include]\n\tpath = {}\n", more.display());
    write(&config, format!("{plain}{}{last}", without_url("")));
    assert_eq!(ask_for_a_second(&evil).unwrap().remote_url.as_deref(), Some("https://example.org/z"));
}

#[test]
fn a_pattern_for_many_urls_has_the_time_of_the_call() {
    let trap = Trap::new();
    let evil = trap.path("evil");
    git(&evil, &["init", "--quiet", "--initial-branch=main"]);
    let config = evil.join(".git/config");
    let plain = std::fs::read_to_string(&config).unwrap();
    let condition = format!("[includeIf \"hasconfig:remote.*.url:{}b\"]\n\tpath = x\n", "*a".repeat(30));
    let urls = format!("url={}\n", "a".repeat(60)).repeat(50_000);
    write(&config, format!("{plain}{condition}[remote \"x\"]\n{urls}"));
    let late = ask_for_a_second(&evil).unwrap_err();
    assert_eq!((late.kind(), late.retryable()), (ErrorKind::Git, true), "{late}");
}

#[test]
fn a_line_that_repeats_a_ref_takes_no_longer_than_its_length() {
    let trap = Trap::new();
    let evil = trap.path("evil");
    git(&evil, &["init", "--quiet", "--initial-branch=m"]);
    let line = format!("{} x{}\n", "0".repeat(40), " refs/heads/m".repeat(5_000));
    write(&evil.join(".git/packed-refs"), format!("# pack-refs with: peeled \n{}", line.repeat(1_000)));
    assert_eq!(ask_for_a_second(&evil).unwrap().commit, None);
}
