//! Memories on a branch, by the commands for people and for the steps of a workflow.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::{Sandbox, Terminal, text};

/// A bare repository beside the folder of the commands.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run("git init --quiet --bare ../remote.git", "");
    sandbox
}

impl Sandbox {
    fn beside(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn memory(&self, path: &str, contents: &str) {
        let path = self.beside("memory").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    /// Replaces `git` for the commands by a script that may run the real one as `$GIT`.
    fn git_is(&self, script: &str) -> String {
        let folder = self.beside("bin");
        fs::create_dir_all(&folder).unwrap();
        let git = self.run("command -v git", "");
        fs::write(folder.join("git"), format!("#!/bin/sh\nGIT={}\n{script}\n", git.trim())).unwrap();
        fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
        format!("PATH={}:$PATH", folder.display())
    }
}

const HERE: &str = "MEMORY_DIR=$PWD/../memory";

#[test]
fn the_steps_of_a_workflow_say_by_variables_which_memory_is_meant() {
    let sandbox = repository();
    let clone = "TARGET_REPO=o/r BRANCH_NAME=memory/logs CREATE_ORPHAN=true";
    let base = sandbox.run(&format!("{HERE} {clone} loopmem branch checkout --remote ../remote.git --print-base"), "");
    assert_eq!(base, "none\n", "there is no branch yet");
    sandbox.memory("a.md", "a\n");
    sandbox.memory("metrics/2026/01.json", "{}\n");
    sandbox.memory("left/out.txt", "x\n");
    let push = format!(
        "ARTIFACT_DIR=$PWD/../memory MEMORY_ID=logs {clone} MAX_FILE_SIZE=10 MAX_FILE_COUNT=2 \
         FILE_GLOB_FILTER=' *.md  metrics/** ' GITHUB_RUN_ID=4711"
    );
    sandbox.run(&format!("{push} loopmem branch validate"), "");
    let pushed = sandbox.run(&format!("{push} loopmem branch push --base '' --remote ../remote.git"), "");
    let pushed: Value = serde_json::from_str(&pushed).unwrap();
    assert_eq!(pushed["added"], serde_json::json!(["a.md", "metrics/2026/01.json"]));
    assert_eq!(pushed["skipped"], serde_json::json!(["left/out.txt"]));
    let subject = sandbox.run("git --git-dir ../remote.git log --format=%s memory/logs", "");
    assert_eq!(subject, "Update repo memory from workflow run 4711\n");
    let base = sandbox.run(&format!("{HERE} {clone} loopmem branch checkout --remote ../remote.git --print-base"), "");
    assert_eq!(base.trim(), pushed["commit"].as_str().unwrap());
    // A list that is set but blank keeps no file; an empty variable counts as unset.
    for (list, kept) in [(" ", 0), ("", 3)] {
        let blank = format!("{push} MAX_FILE_COUNT=3 FILE_GLOB_FILTER='{list}' loopmem branch validate --json");
        let valid: Value = serde_json::from_str(&sandbox.run(&blank, "")).unwrap();
        assert_eq!(valid["files"].as_array().unwrap().len(), kept, "{list:?}");
    }
    // A limit that cannot be read is not the end of the check.
    let output = sandbox.start(&format!("{push} MAX_FILE_SIZE=10k loopmem branch validate"), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("the variable MAX_FILE_SIZE must be a whole number"));
    let output = sandbox.start(&format!("{push} MAX_FILE_COUNT=1 loopmem branch validate"), "");
    assert_eq!(output.status.code(), Some(1));
    let strict = clone.replace("true", "false").replace("logs", "none");
    let elsewhere = "MEMORY_DIR=$PWD/../none";
    let output = sandbox.start(&format!("{elsewhere} {strict} loopmem branch checkout --remote ../remote.git"), "");
    assert_eq!(output.status.code(), Some(1));
    let another = sandbox.start(&format!("{HERE} {strict} loopmem branch checkout --remote ../remote.git"), "");
    assert!(text(&another.stderr).contains("belong to another branch"), "{}", text(&another.stderr));
    assert!(text(&output.stderr).contains("create-orphan is false"), "{}", text(&output.stderr));
}

#[test]
fn a_memory_is_named_by_the_workflow_that_configures_it() {
    let sandbox = repository();
    sandbox.memory(
        "../work.md",
        "---\ntools:\n  repo-memory:\n    - id: one\n    - id: two\n      max-file-size: 3\n---\nDo it.\n",
    );
    let validate = "loopmem branch validate --config-file ../work.md";
    sandbox.memory("a.md", "12345");
    sandbox.run(&format!("{validate} one --directory ../memory"), "");
    let output = sandbox.start(&format!("{validate} two --directory ../memory"), "");
    assert_eq!(output.status.code(), Some(1));
    for (id, says) in
        [("", "name one of the memories of ../work.md; it has one, two"), ("three", "has no memory three")]
    {
        let output = sandbox.start(&format!("{validate} {id}"), "");
        assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    }
    let prompt = sandbox.run("loopmem branch prompt --config-file ../work.md", "");
    assert!(prompt.starts_with("## Repo memory\n") && prompt.contains("**two**"), "{prompt}");
    let yaml = sandbox.run("loopmem branch workflow --config-file ../work.md", "");
    assert!(yaml.starts_with("# Written by") && yaml.contains("name: repo-memory-two\n"), "{yaml}");
    assert!(sandbox.run("loopmem --json branch workflow", "").starts_with("{\"yaml\":"));
    // A configuration is YAML or JSON, in a file or on the command line.
    let ids = |command: &str| {
        let parsed: Value =
            serde_json::from_str(&sandbox.run(&format!("loopmem branch parse-config {command}"), "")).unwrap();
        parsed["memories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("--config-file ../work.md"), ids("--config-file ../work.md --json"));
    assert!(ids("--config-file ../work.md").contains(&"two".to_owned()));
    assert_eq!(ids("--config 'repo-memory: {id: x}'"), ["x"]);
    assert_eq!(ids("--config '{\"id\": \"x\"}'"), ["x"]);
    assert_eq!(ids("--config '\"repo-memory: {id: x}\"'"), ["x"]);
    assert_eq!(ids("--config false"), [""; 0]);
}

#[test]
fn the_last_step_of_a_workflow_pushes_from_any_folder() {
    let sandbox = repository();
    fs::create_dir_all(sandbox.beside("server/o")).unwrap();
    sandbox.run("git init --quiet --bare ../server/o/r.git", "");
    for (config, path) in [("{\"file-glob\": [\"my notes/*\", \"a.md\"]}", "my notes/a.md"), ("true", "a.md")] {
        let yaml = sandbox.run(&format!("loopmem branch workflow --config '{config}'"), "");
        let step = yaml.lines().rfind(|line| line.trim_start().starts_with("run: ")).unwrap();
        sandbox.memory(path, "a\n");
        let variables = "GITHUB_SERVER_URL=file://$PWD/../server TARGET_REPO=o/r MEMORY_ID=default MEMORY_BASE=none \
                         ARTIFACT_DIR=$PWD/../memory";
        let entry = yaml.lines().rev().find_map(|line| line.trim_start().strip_prefix("MEMORY_ENTRY: "));
        let entry: String = entry.map(|json| serde_json::from_str(json).unwrap()).unwrap_or_default();
        let command = step.trim_start().strip_prefix("run: ").unwrap();
        // A folder in no repository.
        let pushed = sandbox.run(&format!("{variables} MEMORY_ENTRY='{entry}'; export GITHUB_SERVER_URL TARGET_REPO MEMORY_ID MEMORY_BASE ARTIFACT_DIR MEMORY_ENTRY; cd / && {command}"), "");
        let pushed: Value = serde_json::from_str(&pushed).unwrap();
        assert_eq!(pushed["added"], serde_json::json!([path]), "{command}");
        fs::remove_dir_all(sandbox.beside("memory")).unwrap();
        for state in [".memory.loopmem", ".memory.loopmem.gate", ".memory.loopmem.lock"] {
            let _ = fs::remove_dir_all(sandbox.beside(state)).or_else(|_| fs::remove_file(sandbox.beside(state)));
        }
    }
}

#[test]
fn a_dry_run_pushes_and_packs_nothing() {
    let sandbox = repository();
    sandbox.run(&format!("{HERE} loopmem branch checkout --remote ../remote.git"), "");
    let secret = format!("token = ghp_{}\n", "A1b2C3d4".repeat(5));
    sandbox.memory("a.md", &secret);
    for command in ["push --remote ../remote.git", "pack ../a.tar"] {
        let shown = sandbox.run(&format!("{HERE} loopmem branch {command} --dry-run"), "");
        assert!(shown.contains("a.md"), "{shown}");
    }
    assert_eq!(sandbox.run("git --git-dir ../remote.git for-each-ref", ""), "");
    assert!(!sandbox.beside("a.tar").exists());
    let base = sandbox.run(&format!("{HERE} loopmem branch checkout --remote ../remote.git --print-base --json"), "");
    assert!(base.starts_with("{\"directory\":"), "{base}");
    // A name may hold anything; an error is one line.
    sandbox.memory("a\nloopmem: all is well", "");
    let output = sandbox.start(&format!("{HERE} loopmem branch push --remote ../remote.git"), "");
    assert_eq!(text(&output.stderr).trim_end().lines().count(), 1, "{}", text(&output.stderr));
}

#[test]
fn results_are_shown_in_sentences_on_a_terminal() {
    let Some(terminal) = Terminal::of(repository()) else { return };
    let sandbox = &terminal.sandbox;
    let run = |command: &str| {
        terminal.run(&format!("NO_COLOR=1 {HERE} loopmem branch {command} --remote ../remote.git 2>/dev/null"), "")
    };
    assert!(run("checkout").starts_with("memory/default does not exist yet; the first push creates it\n"));
    sandbox.memory("a.md", "one\n");
    assert!(run("push").contains(": 1 added, 0 changed, 0 removed\n"));
    assert_eq!(run("push"), "nothing to push\n");
    assert!(run("snapshot first").starts_with("first is at "));
    sandbox.run("MEMORY_DIR=$PWD/../other loopmem branch checkout --remote ../remote.git", "");
    fs::write(sandbox.beside("other/a.md"), "theirs\n").unwrap();
    sandbox.run("MEMORY_DIR=$PWD/../other loopmem branch push --remote ../remote.git", "");
    sandbox.memory("a.md", "ours\n");
    let shown = run("push");
    assert!(
        shown.contains("merged with what others pushed, which the folder has now too\nboth changed a.md: yours stays"),
        "{shown}"
    );
    assert!(run("snapshots").contains("first "));
    assert!(run("rollback first").starts_with("the branch has the files of first again"));
    assert_eq!(run("rollback first"), "the branch has the files of first already\n");
    assert_eq!(run("prune --keep 0"), "removed 1 snapshot: first\n");
    let packed = terminal.run(&format!("NO_COLOR=1 {HERE} loopmem branch pack ../all.tar.zst"), "");
    assert!(packed.starts_with("../all.tar.zst: 1 file, ") || packed.contains("/all.tar.zst: 1 file, "), "{packed}");
    let unpacked = terminal.run("NO_COLOR=1 loopmem branch unpack ../all.tar.zst --directory ../unpacked", "");
    assert!(unpacked.contains("/unpacked, 1 changed\nthey come from "), "{unpacked}");
    sandbox.memory("b:c", "");
    let validate = format!("NO_COLOR=1 {HERE} loopmem branch validate");
    let (shown, status) = terminal.start(&validate, "");
    assert!(shown.starts_with("file-name b:c: cannot be kept by every system") && status == 1, "{shown}");
    assert!(shown.contains("1 fault in 2 files; nothing is pushed until they are fixed\n"), "{shown}");
}

#[test]
fn a_token_of_the_environment_is_in_no_argument_no_file_and_no_error() {
    let sandbox = repository();
    let token = "t0k3n-Of-The-Env1ronment";
    // Every process that git starts is listed with its arguments; the helper is asked for what it would send.
    let path = sandbox.git_is(
        "printf '%s\\n' \"$@\" >> ../arguments\n\
         printf 'protocol=https\\nhost=example.org\\n\\n' | \"$GIT\" credential fill > ../asked 2>&1\n\
         printf 'protocol=https\\nhost=elsewhere.org\\n\\n' | GIT_ASKPASS=true \"$GIT\" credential fill > ../other 2>&1\n\
         echo \"fatal: $GH_TOKEN\" >&2\nexit 128",
    );
    sandbox.memory("a.md", "a\n");
    let variables = format!("{path} {HERE} GH_TOKEN={token} GITHUB_SERVER_URL=https://example.org TARGET_REPO=o/r");
    let output = sandbox.start(&format!("{variables} loopmem --options '{{\"branchAttempts\":1}}' branch push"), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(!text(&output.stderr).contains(token), "{}", text(&output.stderr));
    let read = |name: &str| fs::read_to_string(sandbox.beside(name)).unwrap();
    assert!(read("asked").contains(&format!("password={token}")), "{}", read("asked"));
    assert!(!read("other").contains(token), "{}", read("other"));
    assert!(!read("arguments").contains(token) && !read("arguments").contains("example.org"), "{}", read("arguments"));
    for file in ["asked", "bin/git"] {
        fs::remove_file(sandbox.beside(file)).unwrap();
    }
    let found = sandbox.start(&format!("grep -rl {token} .."), "");
    assert_eq!(text(&found.stdout), "");
}

#[test]
fn a_push_with_nothing_to_say_costs_one_look_at_the_ref() {
    let sandbox = repository();
    sandbox.memory("a.md", "a\n");
    let path = sandbox.git_is("echo \"$1\" >> ../commands\nexec \"$GIT\" \"$@\"");
    let push = format!("{path} {HERE} loopmem branch push --remote ../remote.git");
    let commands = || {
        let commands = fs::read_to_string(sandbox.beside("commands")).unwrap_or_default();
        let _ = fs::remove_file(sandbox.beside("commands"));
        commands
    };
    sandbox.run(&push, "");
    assert_eq!(commands(), "push\n");
    sandbox.run(&push, "");
    assert_eq!(commands(), "ls-remote\n");
    sandbox.run(&format!("{path} {HERE} loopmem branch checkout --remote ../remote.git"), "");
    assert_eq!(commands(), "fetch\n");
}

/// Before and after each of its network requests.
#[test]
fn a_push_that_is_killed_either_happened_or_can_be_repeated() {
    for (number, script) in ["kill -9 $PPID", "\"$GIT\" \"$@\"; kill -9 $PPID"].into_iter().enumerate() {
        let sandbox = repository();
        let push = format!("{HERE} loopmem branch push --remote ../remote.git");
        sandbox.memory("log.jsonl", "{\"n\":1}\n");
        sandbox.run(&push, "");
        sandbox.memory("log.jsonl", "{\"n\":1}\n{\"n\":2}\n");
        let path = sandbox.git_is(script);
        let output = sandbox.start(&format!("exec env {path} {push}"), "");
        assert_eq!(output.status.code(), None, "it was killed");
        let log = || sandbox.run("git --git-dir ../remote.git show memory/default:log.jsonl", "");
        assert_eq!(log().lines().count(), 1 + number);
        sandbox.run(&push, "");
        assert_eq!(log(), "{\"n\":1}\n{\"n\":2}\n");
        assert_eq!(sandbox.run("git --git-dir ../remote.git rev-list --count memory/default", ""), "2\n");
    }
}

#[test]
fn a_checkout_at_the_moment_when_another_agent_creates_the_branch_has_its_files() {
    let sandbox = repository();
    let path = sandbox.git_is(
        r#"[ "$1" != fetch ] || [ -e ../created ] && exec "$GIT" "$@"
"$GIT" "$@"; status=$?
unset GIT_DIR GIT_COMMON_DIR
git() { "$GIT" -c user.name=t -c user.email=t@localhost --git-dir ../remote.git "$@"; }
tree=$(printf '100644 blob %s\ta.md\n' "$(echo a | git hash-object -w --stdin)" | git mktree)
git update-ref refs/heads/memory/default "$(git commit-tree -m first "$tree")"
touch ../created
exit $status"#,
    );
    sandbox.run(&format!("{path} {HERE} loopmem branch checkout --remote ../remote.git"), "");
    assert!(sandbox.beside("created").exists());
    assert_eq!(fs::read_to_string(sandbox.beside("memory/a.md")).unwrap(), "a\n");
}

#[test]
fn an_interrupted_push_ends_gits_processes_and_can_be_repeated() {
    let sandbox = repository();
    sandbox.memory("a.md", "a\n");
    let path = sandbox.git_is("kill -TERM $PPID; sleep 600");
    let output = sandbox.start(&format!("exec env {path} {HERE} loopmem branch push --remote ../remote.git"), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cancelled"), "{}", text(&output.stderr));
    sandbox.run(&format!("{HERE} loopmem branch push --remote ../remote.git"), "");
}
