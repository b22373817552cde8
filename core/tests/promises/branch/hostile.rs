//! What somebody planted changes nothing outside of the folder and runs nothing.

use std::process::{Command, Stdio};

use loopmem::ErrorKind;
use loopmem::branch::PushOptions;

use super::{Site, script};

#[test]
fn a_repository_planted_in_the_folder_runs_nothing_and_is_refused() {
    let site = Site::new();
    let agent = site.ready("a");
    let evidence = site.path("evidence");
    script(&site.path("run"), &format!("#!/bin/sh\ntouch {}\n", evidence.display()));
    let program = site.path("run");
    let program = program.display();
    agent
        .write(".git/config", format!("[core]\n\tfsmonitor = {program}\n\tsshCommand = {program}\n\thooksPath = ..\n"));
    agent.write(".git/HEAD", "ref: refs/heads/main\n").write("a.md", "a\n");
    let refused = agent.try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation, "{refused:?}");
    agent.checkout().unwrap();
    assert!(!evidence.exists());
    assert_eq!(site.remote(&["for-each-ref"]), "");
}

#[test]
fn hooks_and_settings_planted_beside_the_folder_run_nothing() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    let evidence = site.path("evidence");
    let program = format!("#!/bin/sh\ntouch {}\n", evidence.display());
    let state = site.path("work/.a.loopmem/git");
    std::fs::create_dir_all(state.join("hooks")).unwrap();
    for hook in ["pre-push", "reference-transaction", "post-checkout"] {
        script(&state.join("hooks").join(hook), &program);
    }
    script(&site.path("run"), &program);
    let run = site.path("run");
    // Settings of another folder, by a file that leads there.
    let elsewhere = site.path("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("config"), format!("[remote \"loopmem\"]\n\tuploadpack = {}\n", run.display()))
        .unwrap();
    std::fs::write(state.join("commondir"), elsewhere.to_str().unwrap()).unwrap();
    let settings = format!(
        "[core]\n\tbare = true\n\tfsmonitor = {0}\n\tsshCommand = {0}\n[remote \"loopmem\"]\n\tuploadpack = {0}\n\treceivepack = {0}\n",
        run.display()
    );
    std::fs::write(state.join("config"), settings).unwrap();
    agent.write("b.md", "b\n").push();
    site.ready("b").write("c.md", "c\n").push();
    agent.push();
    assert_eq!(agent.files(), ["a.md", "b.md", "c.md"]);
    assert!(!evidence.exists());
}

#[test]
fn links_on_the_way_of_a_file_of_the_branch_are_not_followed() {
    let site = Site::new();
    site.ready("a").write("sub/x.md", "x\n").write("y.md", "y\n").push();
    let outside = site.path("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("y.md"), "mine\n").unwrap();
    let victim = site.agent("victim");
    std::fs::create_dir_all(&victim.directory).unwrap();
    std::os::unix::fs::symlink(&outside, victim.directory.join("sub")).unwrap();
    victim.checkout().unwrap_err();
    std::fs::remove_file(victim.directory.join("sub")).unwrap();
    std::os::unix::fs::symlink(outside.join("y.md"), victim.directory.join("y.md")).unwrap();
    victim.checkout().unwrap_err();
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(std::fs::read_to_string(outside.join("y.md")).unwrap(), "mine\n");
}

/// Writes a tree with an entry that git itself would not make, and puts the branch on a commit of it.
fn plant(site: &Site, entries: &[(&str, &str, &str)]) {
    let mut tree = Vec::new();
    for (mode, name, id) in entries {
        tree.extend(format!("{mode} {name}\0").into_bytes());
        tree.extend((0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap()));
    }
    let mut hash = Command::new("git")
        .args(["--git-dir", "remote.git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"])
        .current_dir(site.home.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut hash.stdin.take().unwrap(), &tree).unwrap();
    let id = String::from_utf8(hash.wait_with_output().unwrap().stdout).unwrap();
    let commit = site.remote(&["commit-tree", "-m", "planted", id.trim()]);
    site.remote(&["update-ref", "refs/heads/memory/default", commit.trim()]);
}

#[test]
fn a_branch_with_paths_that_lead_out_of_a_folder_is_refused() {
    let site = Site::new();
    std::fs::write(site.path("blob"), "x\n").unwrap();
    let blob = site.remote(&["hash-object", "-w", "blob"]);
    let blob = blob.trim();
    for name in ["..", ".git", ".GIT", "."] {
        plant(&site, &[("100644", name, blob)]);
        let agent = site.agent("a");
        let refused = agent.checkout().unwrap_err();
        assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Git, false), "{name}: {refused:?}");
        assert!(!agent.directory.exists() || agent.files().is_empty(), "{name}");
    }
}

#[test]
fn a_link_or_a_repository_on_the_branch_is_left_there_and_not_written() {
    let site = Site::new();
    std::fs::write(site.path("blob"), "/etc/passwd").unwrap();
    let blob = site.remote(&["hash-object", "-w", "blob"]);
    let blob = blob.trim();
    plant(&site, &[("120000", "link", blob), ("100755", "run.sh", blob)]);
    let agent = site.ready("a");
    assert_eq!(agent.files(), ["run.sh"]);
    agent.write("a.md", "a\n").write("run.sh", "echo\n").push();
    let listed = site.remote(&["ls-tree", "memory/default"]);
    assert!(listed.contains("120000 blob") && listed.contains("100755 blob"), "{listed}");
}

#[test]
fn a_password_in_the_address_is_in_no_file_and_no_error() {
    let site = Site::new();
    let agent = site.agent("a");
    std::fs::create_dir_all(&agent.directory).unwrap();
    agent.write("a.md", "a\n");
    let password = "s3cr3tPassw0rd4711";
    let source = loopmem::branch::Source::new().remote(format!("http://me:{password}@127.0.0.1:9/r.git"));
    let store = loopmem::Store::open(site.options().branch_attempts(1)).unwrap();
    let options = PushOptions::new().source(source);
    let refused = store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Git);
    assert!(!format!("{refused:?} {}", refused.to_json()).contains(password), "{refused:?}");
    let config = std::fs::read_to_string(site.path("work/.a.loopmem/git/config")).unwrap();
    assert!(!config.contains(password) && !config.contains("remote"), "{config}");
}

/// The process that is killed while its git waits for a server.
#[test]
#[ignore = "the part of another process"]
fn pushes_to_a_server_that_does_not_answer() {
    let Some(root) = crate::started_on() else { return };
    let options = loopmem::Options::at(root.join("home")).branch_memory_root(root.join("memories"));
    let store = loopmem::Store::open(options).unwrap();
    let memory = store.branches().parse_entry(serde_json::json!(true)).unwrap();
    println!("begins");
    let _ = store.branches().checkout(&memory, None, &loopmem::branch::Source::new().repo_dir(root.join("clone")));
}

/// The number of processes that were started on the home, apart from those of `but`.
#[cfg(target_os = "linux")]
fn running(root: &std::path::Path, but: u32) -> usize {
    let mark = format!("{}={}", crate::HOME, root.display());
    let is_marked = |path: std::path::PathBuf| {
        let environ = std::fs::read(path.join("environ")).unwrap_or_default();
        !path.ends_with(but.to_string()) && environ.split(|byte| *byte == 0).any(|it| it == mark.as_bytes())
    };
    std::fs::read_dir("/proc").unwrap().filter(|entry| is_marked(entry.as_ref().unwrap().path())).count()
}

#[cfg(target_os = "linux")]
fn wait_until(is_so: &dyn Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(20));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_git_that_hangs_ends_with_the_process_that_started_it_and_so_do_those_that_it_started() {
    let site = Site::new();
    let pid = site.path("pid");
    // The last one does not even get a signal for its output.
    let ssh =
        format!("#!/bin/sh\n(trap '' HUP PIPE; sleep 100 >/dev/null) &\necho > {}\nexec sleep 100\n", pid.display());
    script(&site.path("ssh"), &ssh);
    site.git(&["init", "--quiet", "clone"]);
    site.git(&["-C", "clone", "remote", "add", "origin", "ssh://localhost/nowhere"]);
    site.git(&["-C", "clone", "config", "core.sshCommand", site.path("ssh").to_str().unwrap()]);
    let root = site.home.root();
    let (mut child, _said) = crate::start("branch::hostile::pushes_to_a_server_that_does_not_answer", &root);
    let own = child.0.id();
    wait_until(&|| pid.exists());
    wait_until(&|| running(&root, own) >= 3);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until(&|| running(&root, own) == 0);
}

#[test]
fn what_git_starts_can_take_a_bounded_amount_of_memory_only() {
    let site = Site::new();
    let limit = site.path("limit");
    script(&site.path("ssh"), &format!("#!/bin/sh\nulimit -d > {}\nexit 1\n", limit.display()));
    site.git(&["init", "--quiet", "clone"]);
    site.git(&["-C", "clone", "remote", "add", "origin", "ssh://localhost/nowhere"]);
    site.git(&["-C", "clone", "config", "core.sshCommand", site.path("ssh").to_str().unwrap()]);
    let agent = site.agent("a");
    let source = loopmem::branch::Source::new().repo_dir(site.path("clone"));
    agent.store.branches().checkout(&agent.memory, Some(&agent.directory), &source).unwrap_err();
    let kilobytes: u64 = std::fs::read_to_string(limit).unwrap().trim().parse().unwrap();
    assert!(kilobytes <= 4 << 20, "{kilobytes}");
}
