//! The command's options, streams and exit status.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The hash of a repository without a workspace.
const REPO: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const DRAFT: &str = r#"{"id":"1","title":"Tests","content":"Read like promises."}"#;

#[test]
fn a_room_and_a_verb_are_a_call_with_every_kind_of_option() {
    let home = Home::new();
    let stored = home.run(&["memory", "upsert-convention", "--create", "--repo-hash", REPO, "--convention", DRAFT]);
    assert_eq!(json_of(&stored.stdout)["title"], "Tests");
    for step in ["first", "second"] {
        let append = ["summary", "append", "--repo-hash", REPO, "--run-id", "r", "--step-id", step, "--summary", "-"];
        let appended = home.run(&[append.as_slice(), &["--tags", "a", "--tags", "b \"c\""]].concat());
        assert_eq!(json_of(&appended.stdout)["tags"], json!(["a", "b \"c\""]));
    }
    let newest = home.run(&["summary", "list", "--json", "--repo-hash", REPO, "--limit", "1"]);
    assert!(text(&newest.stdout).contains("second") && !text(&newest.stdout).contains("first"));
    let pack = home.run(&["context", "build", "--repo-hash", REPO, "--max-chars", "900", "--sections", "conventions"]);
    assert_eq!(json_of(&pack.stdout)["text"], "# Conventions\n\n## Tests [1]\nRead like promises.");
    assert!(home.memory().is_file(), "--home says where");
}

#[test]
fn json_options_reach_the_method_as_they_were_typed() {
    let home = Home::new();
    let upsert = |draft| {
        home.start(&["memory", "upsert-convention", "--create", "--repo-hash", REPO, "--convention", draft], "")
    };
    let stored = upsert(r#" {"title":"t","content":"c","extra":{"n":12345678901234567890123}} "#);
    assert!(text(&stored.stdout).contains(r#""n":12345678901234567890123"#), "{}", text(&stored.stdout));
    let twice = upsert(r#"{"title":"t","content":"c","extra":{"n":1,"n":2}}"#);
    assert_eq!((twice.status.code(), text(&twice.stderr).contains("duplicate key")), (Some(2), true));
    let broken = upsert("{");
    let why = "error: --convention is not valid JSON: EOF while parsing an object at line 1 column 1; pass an object";
    assert!(text(&broken.stderr).starts_with(why), "{}", text(&broken.stderr));
    assert_eq!(broken.status.code(), Some(2));
}

#[test]
fn every_answer_is_one_line_however_a_person_wrapped_the_record() {
    let home = Home::new();
    home.run(&["memory", "upsert-convention", "--create", "--repo-hash", REPO, "--convention", DRAFT]);
    let file = home.memory();
    let stored = fs::read_to_string(&file).unwrap();
    fs::write(&file, stored.replace(r#""content":"#, "\r\n  \"content\":\n")).unwrap();
    let params = json!({ "repoHash": REPO }).to_string();
    let request = format!("{{\"id\":1\r,\"method\":\"memory.get\",\"params\":{params}}}\n");
    for (arguments, input) in [
        (["--json", "memory", "get", "--repo-hash", REPO].as_slice(), ""),
        (&["memory", "get", "--repo-hash", REPO], ""),
        (&["call", "memory.get"], params.as_str()),
        (&["call", "--lines"], request.as_str()),
    ] {
        let output = home.start(arguments, input);
        let printed = text(&output.stdout);
        assert_eq!(printed.find(['\n', '\r']), Some(printed.len() - 1), "{arguments:?}: {printed:?}");
        let answer = json_of(&output.stdout);
        let memory = answer.get("result").unwrap_or(&answer);
        assert_eq!(memory["conventions"][0]["content"], "Read like promises.");
    }
}

#[test]
fn an_invalid_request_is_answered_under_its_own_id() {
    let home = Home::new();
    let sanitize = |rest: &str| format!("{{{rest},\"method\":\"repo.sanitizeRemoteUrl\"}}");
    let cases: Vec<(Vec<u8>, Value, &str)> = vec![
        (sanitize(r#""id":1,"params":{"url":"a"}"#).into(), json!(1), ""),
        (sanitize(r#""id":"2","params":{"url":"a\u0000"}"#).into(), json!("2"), "NUL"),
        (sanitize(r#""params":{"url":"a"},"id":3,"more":1"#).into(), json!(3), "unknown key"),
        (sanitize(r#""id":{"n":4},"params":[]"#).into(), json!({"n": 4}), "object, not an array"),
        (br#"{"id":5,"method":5}"#.into(), json!(5), "method: expected a string"),
        (br#"{"id":6}"#.into(), json!(6), "method"),
        (br#"{"id":7,"method":"memory.nothing"}"#.into(), json!(7), "unknown method"),
        (b"{\"id\":8,\"method\":\"\xff\"}".into(), json!(8), "not UTF-8"),
        (br#"{"method":"repo.sanitizeRemoteUrl","params":{"url":"a"}}"#.into(), Value::Null, ""),
        (br#"[9,"repo.sanitizeRemoteUrl",{"url":"a"}]"#.into(), Value::Null, "object, not an array"),
        (b"nonsense".into(), Value::Null, "not valid JSON"),
    ];
    let mut input = b"\n \r\n".to_vec();
    for (line, ..) in &cases {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    let output = home.start(&["call", "--lines"], input);
    assert_eq!(output.status.code(), Some(0));
    let answers: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), cases.len());
    for (answer, (line, id, fault)) in answers.iter().zip(&cases) {
        let line = String::from_utf8_lossy(line);
        assert_eq!(answer["id"], *id, "{line}");
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(fault) && (fault.is_empty() == answer["error"].is_null()), "{line}: {answer}");
    }
    // The method itself rejected it.
    assert_eq!(answers[1]["error"]["operation"], "repo.sanitizeRemoteUrl");
}

#[test]
fn the_exit_status_says_whether_what_was_passed_is_wrong() {
    let home = Home::new();
    for (arguments, input, status, expected) in [
        (["call", "memory.get"].as_slice(), b"{\"repoHash\":\"\xff\"}".as_slice(), 2, "standard input is not UTF-8"),
        (&["call", "memory.get"], b"{", 2, "not valid JSON"),
        (&["call", "memory.nothing"], b"", 2, "unknown method"),
        (&["call", "items.get"], b"{\"id\":\"none\"}", 1, "NotFound"),
        (&["working", "restore", "j", "2026"], b"", 1, "`loopmem working checkpoints` lists them"),
        (&["memory", "get", "--repo-hash", "abc"], b"", 2, "loopmem: --repo-hash: "),
        (&["--options", "[]", "memory", "get"], b"", 2, "loopmem: open: "),
        (
            &["--options", "{\"a\":1 2", "memory", "get"],
            b"",
            2,
            "error: --options is not valid JSON: expected `,` or `}` at line 1 column 8; pass an object such as '{\"lockTimeoutMs\": 100}'",
        ),
        (&["call"], b"", 2, "<method>"),
        (&["call", "memory.get", "--lines"], b"", 2, "cannot be used"),
        (&["memory"], b"", 2, "Usage"),
        (&["memory", "forget"], b"", 2, "forget"),
        (&["memory", "get", "--limit", "5"], b"", 2, "--limit"),
        (&["summary", "list", "--limit", "many"], b"", 2, "many"),
        (&["--timeout-ms", "-1", "memory", "get"], b"", 2, "-1"),
    ] {
        let output = home.start(arguments, input);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn programs_read_nothing_but_json_on_standard_error() {
    let home = Home::new();
    fs::create_dir_all(home.path()).unwrap();
    fs::write(home.path().join("config.toml"), "[memory]\nnothing = 1\n").unwrap();
    for (arguments, input) in [
        (["--json", "memory", "get", "--repo-hash", "abc"].as_slice(), ""),
        (&["call", "memory.get"], r#"{"repoHash":"abc"}"#),
    ] {
        let output = home.start(arguments, input);
        let lines: Vec<Value> = text(&output.stderr).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [warning, error] = lines.as_slice() else { panic!("{arguments:?}: {lines:?}") };
        let path = home.path().join("config.toml").display().to_string();
        let expected = json!({ "message": "unknown key; ignored", "path": path, "key": "memory.nothing" });
        assert_eq!(*warning, json!({ "warning": expected }));
        assert_eq!((&error["code"], &error["operation"]), (&json!("ValidationError"), &json!("memory.get")));
    }
    let output = home.start(&["memory", "get", "--repo-hash", REPO], "");
    assert!(text(&output.stderr).contains("loopmem: warning: unknown key; ignored"), "{}", text(&output.stderr));
}

#[test]
fn a_lock_is_waited_for_no_longer_than_the_timeout() {
    let home = Home::new();
    home.run(&["memory", "upsert-convention", "--create", "--repo-hash", REPO, "--convention", DRAFT]);
    let lock = File::open(home.memory().with_extension("json.lock")).unwrap();
    lock.lock().unwrap();
    let arguments = ["--options", r#"{"lockTimeoutMs":3600000}"#, "--timeout-ms", "20", "--json"];
    let output = home.start(&[&arguments, ["memory", "get", "--repo-hash", REPO].as_slice()].concat(), "");
    let error = json_of(&output.stderr);
    assert_eq!((&error["code"], &error["retryable"]), (&json!("LockAcquisitionError"), &json!(true)));
}

#[test]
fn a_closed_pipe_ends_the_command_silently_with_failure() {
    let home = Home::new();
    let mut child = home.command(&["call", "--lines"]).spawn().unwrap();
    let (mut requests, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let request = "{\"method\":\"repo.sanitizeRemoteUrl\",\"params\":{\"url\":\"a\"}}\n";
    requests.write_all(request.as_bytes()).unwrap();
    let mut answers = BufReader::new(answers);
    assert!(answers.read_line(&mut String::new()).unwrap() > 0);
    drop(answers);
    requests.write_all(request.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), String::new()));
}

#[test]
fn a_panic_is_an_error_without_its_payload() {
    let output = Home::new().start(&["call", "debug.panic"], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(json_of(&output.stderr)["code"], if cfg!(debug_assertions) { "Internal" } else { "ValidationError" });
    assert!(!text(&output.stderr).contains("payload"));
}

/// `script` provides a terminal.
#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_the_call_says_that_it_reads_input() {
    let home = Home::new();
    let command = format!("{} call repo.sanitizeRemoteUrl", env!("CARGO_BIN_EXE_loopmem"));
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = script.env("HOME", home.folder.path()).spawn() else {
        eprintln!("script is not on PATH: the command was not tested on a terminal");
        return;
    };
    let mut shown = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    // The input is typed after the notice, with the terminal kept open.
    assert!(shown.any(|line| line.contains("loopmem: reading params as JSON; end with Ctrl-D")));
    child.stdin.as_mut().unwrap().write_all(b"{\"url\":\"https://u:p@h/r\"}\n\x04").unwrap();
    assert!(shown.any(|line| line.contains(r#"{"url":"https://h/r"}"#)));
    assert!(child.wait().unwrap().success());
}

/// The server accepts the connection and never answers; the command is killed once it has said what it waits for.
#[test]
fn a_call_says_which_server_it_waits_for_while_it_waits() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("{}/0", server.local_addr().unwrap());
    let url = format!("redis://{}", server.local_addr().unwrap());
    for (style, expected) in [
        (&[][..], "loopmem: warning: waiting for the Redis server"),
        (&["--json"], r#"{"warning":{"message":"waiting"#),
    ] {
        let home = Home::new();
        let arguments = [style, &["--adapter", &url, "--timeout-ms", "600000", "working", "list-scopes"]].concat();
        let mut child = home.command(&arguments).spawn().unwrap();
        let mut shown = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let line = shown.next().unwrap_or_default();
        assert!(child.try_wait().unwrap().is_none(), "{line}");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(line.contains(expected) && line.contains(&at), "{line}");
        assert_eq!(shown.count(), 0);
    }
}

/// Sends the signal that `kill` sends by default.
fn terminate(child: &std::process::Child) {
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
}

/// The server accepts the connection of git and never answers.
#[test]
fn a_signal_cancels_a_call_and_ends_a_command_that_waits_for_input() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/r.git", server.local_addr().unwrap());
    for arguments in [["call", "branch.checkout"], ["call", "--lines"]] {
        let home = Home::new();
        let params = json!({"remote": url, "directory": home.folder.path().join("agent")});
        let line = json!({"id": 1, "method": "branch.checkout", "params": params});
        let input = if arguments[1] == "--lines" { line } else { params };
        let mut child = home.command(&arguments).env("no_proxy", "*").spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        writeln!(stdin, "{input}").unwrap();
        // Only `call METHOD` reads to the end.
        let open = (arguments[1] == "--lines").then_some(stdin);
        let _connection = server.accept().unwrap();
        terminate(&child);
        let output = child.wait_with_output().unwrap();
        drop(open);
        let (answer, error) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{answer}{error}");
        assert!(error.contains(r#""code":"Cancelled""#), "{error}");
        assert_eq!(answer.contains(r#""code":"Cancelled""#), arguments[1] == "--lines", "{answer}");
    }
    for arguments in [["call", "branch.checkout"], ["call", "--lines"]] {
        let mut child = Home::new().command(&arguments).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        terminate(&child);
        assert_eq!(child.wait().unwrap().code(), None, "it was ended");
        drop(stdin);
    }
}

#[test]
fn the_help_describes_the_streams_and_every_room() {
    let help = text(&Home::new().run(&["--help"]).stdout);
    for expected in ["exit status", "{\"warning\":", "call", "repo", "memory", "summary", "context"] {
        assert!(help.contains(expected), "{expected}: {help}");
    }
}

#[test]
fn the_packages_have_the_version_of_the_crates() {
    let node = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node");
    let read = |name| serde_json::from_str::<Value>(&fs::read_to_string(node.join(name)).unwrap()).unwrap();
    assert_eq!(read("package.json")["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(read("package-lock.json")["packages"][""]["version"], env!("CARGO_PKG_VERSION"));
}

/// A home that does not exist yet, in a temporary folder.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Home { folder: TempDir::new().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn memory(&self) -> PathBuf {
        self.path().join("repos").join(REPO).join("memory.json")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopmem"));
        command.arg("--home").arg(self.path()).args(arguments).env("HOME", self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn start(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
        fed(self.command(arguments).spawn().unwrap(), input.as_ref())
    }

    /// As `start`, but must succeed.
    fn run(&self, arguments: &[&str]) -> Output {
        let output = self.start(arguments, "");
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        output
    }
}

fn fed(mut child: std::process::Child, input: &[u8]) -> Output {
    // A command that rejects its options does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json_of(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}
