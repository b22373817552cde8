//! `safety scan`: which files are read, what is reported, and the exit status.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod place;

use std::fs;

use serde_json::{Value, json};

use place::{PATTERN, Place, keyed, text};

#[test]
fn a_scan_reports_positions_and_never_secrets() {
    let place = Place::new();
    let first = place.write("tree/b/log", format!("one\n日本 {}\nCORP-1234\n", keyed()));
    place.write("tree/a/clean", "nothing");
    place.write("tree/.hidden", "CORP-1234");
    place.write("tree/image", b"\x89PNG\0 CORP-1234");
    std::os::unix::fs::symlink(&first, place.path("tree/link")).unwrap();
    std::os::unix::fs::symlink(place.path("tree"), place.path("tree/b/loop")).unwrap();
    let tree = place.path("tree").to_str().unwrap().to_owned();
    let scanned = place.run(&[&["safety", "scan", tree.as_str()], PATTERN.as_slice()].concat(), "");
    let (shown, notice) = (text(&scanned.stdout), text(&scanned.stderr));
    assert_eq!((scanned.status.code(), notice.as_str()), (Some(1), "loopmem: skipped 1 binary file\n"));
    let lines: Vec<_> = shown.lines().map(|line| line.rsplit_once(' ').unwrap()).collect();
    let places: Vec<_> = lines.iter().map(|(place, _)| *place).collect();
    let expected = [
        format!("{tree}/.hidden:1:1 custom-pattern"),
        format!("{tree}/b/log:2:16 keyed-value"),
        format!("{tree}/b/log:3:1 custom-pattern"),
    ];
    assert_eq!(places, expected);
    assert!(lines.iter().all(|(_, tag)| tag.len() == 10), "{shown}");
    assert_eq!(lines[0].1, lines[2].1, "equal secrets have equal tags: {shown}");
    assert!(!shown.contains("qW3") && !shown.contains("CORP"), "{shown}");
}

#[test]
fn a_scan_exits_like_other_search_tools() {
    let place = Place::new();
    let (clean, secret) = (place.write("clean", "nothing"), place.write("secret", keyed()));
    for (arguments, input, status) in [
        (vec![clean.as_str()], "", 0),
        (vec![&secret, &clean], "", 1),
        (vec!["-"], "nothing", 0),
        (vec!["-"], &keyed(), 1),
        (vec![&secret, "/nowhere"], "", 2),
        (vec!["--pattern", "(", &clean], "", 2),
        (vec![], "", 2),
        (vec!["--text", "x", &clean], "", 2),
        (vec!["--text", &keyed()], "", 0),
    ] {
        let scanned = place.run(&[&["safety", "scan"], arguments.as_slice()].concat(), input);
        assert_eq!(scanned.status.code(), Some(status), "{arguments:?}: {}", text(&scanned.stderr));
        assert_eq!(status == 2, !scanned.stderr.is_empty(), "{arguments:?}");
        assert!(!text(&scanned.stdout).contains("qW3"), "{arguments:?}");
    }
    // Readable files were scanned, and the unreadable one was reported.
    let scanned = place.run(&["safety", "scan", "/nowhere", &secret], "");
    assert!(text(&scanned.stdout).starts_with(&format!("{secret}:1:13 keyed-value ")), "{}", text(&scanned.stdout));
    assert!(text(&scanned.stderr).contains("could not read /nowhere"), "{}", text(&scanned.stderr));
    place.write("home/redaction.toml", "what");
    assert_eq!(place.run(&["safety", "scan", &clean], "").status.code(), Some(2), "the store cannot be opened");
}

#[test]
fn a_scan_for_programs_is_one_object() {
    let place = Place::new();
    let file = place.write("log", "é CORP-1234");
    place.write("image", "\0");
    let image = place.path("image").to_str().unwrap().to_owned();
    let scanned = place.run(&[&["--json", "safety", "scan", file.as_str(), &image], PATTERN.as_slice()].concat(), "");
    assert_eq!((scanned.status.code(), scanned.stderr.len()), (Some(1), 0));
    let mut report: Value = serde_json::from_slice(&scanned.stdout).unwrap();
    assert_eq!(report["findings"][0]["tag"].take().as_str().map(str::len), Some(10));
    let finding =
        json!({ "path": file, "line": 1, "column": 3, "start": 3, "end": 12, "rule": "custom-pattern", "tag": null });
    assert_eq!(report, json!({ "findings": [finding], "files": 1, "binary": 1 }));
}

/// The places that a scan reports, without tags, and its exit status.
#[track_caller]
fn places(place: &Place, folder: &str, arguments: &[&str]) -> (Vec<String>, Option<i32>) {
    let scanned = place.run_in(folder, &[&["safety", "scan"], arguments].concat());
    let shown = text(&scanned.stdout);
    let places = shown.lines().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect();
    (places, scanned.status.code())
}

/// A repository with a branch and no commit.
fn repository(place: &Place, folder: &str) {
    fs::create_dir_all(place.path(folder)).unwrap();
    place.git_succeeds(folder, &["init", "-q", "-b", "main"]);
}

#[test]
fn a_scan_leaves_out_what_git_ignores_and_nothing_else() {
    let place = Place::new();
    repository(&place, "repo");
    place.write("repo/.gitignore", "*.log\n/target/\n!kept.log\n");
    place.write("repo/sub/.gitignore", "local\n");
    place.write("repo/.git/info/exclude", "excluded\n");
    let all = [
        ".env",
        ".git/config-copy",
        ".github/workflow.yml",
        "a.log",
        "excluded",
        "kept.log",
        "node_modules/x/index.js",
        "source",
        "sub/local",
        "sub/node_modules/y",
        "target/debug/out",
        "tracked.log",
    ];
    for file in all {
        place.write(&format!("repo/{file}"), keyed());
    }
    // Git does not ignore what it tracks.
    place.git_succeeds("repo", &["add", "-f", "tracked.log"]);
    let at = |files: &[&str]| files.iter().map(|file| format!("./{file}:1:13 keyed-value")).collect::<Vec<_>>();
    let own = at(&[".env", ".github/workflow.yml", "kept.log", "source", "tracked.log"]);
    assert_eq!(places(&place, "repo", &["."]), (own, Some(1)));
    assert_eq!(places(&place, "repo", &["--no-ignore", "."]), (at(&all), Some(1)));
    // What is named is scanned, and ignore files above a folder count.
    let named = |files: &[&str]| files.iter().map(|file| format!("{file}:1:13 keyed-value")).collect::<Vec<_>>();
    assert_eq!(places(&place, "repo", &["a.log", "sub/local"]), (named(&["a.log", "sub/local"]), Some(1)));
    assert_eq!(places(&place, "repo", &["target"]), (named(&["target/debug/out"]), Some(1)));
    assert_eq!(places(&place, "repo/sub", &["."]), (vec![], Some(0)));
    place.write("repo/sub/b.log", keyed());
    assert_eq!(places(&place, "repo/sub", &["."]), (vec![], Some(0)));
    // Without a repository git ignores nothing.
    place.write("plain/.gitignore", "*.log\n");
    place.write("plain/a.log", keyed());
    assert_eq!(places(&place, "plain", &["."]), (vec!["./a.log:1:13 keyed-value".to_owned()], Some(1)));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_an_error_and_the_others_are_scanned() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("tree/a/secret", "x");
    let secret = place.write("tree/b", keyed());
    let locked = place.path("tree/a");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read_dir(&locked).is_ok() {
        // Root may read everything.
        return;
    }
    let scanned = place.run(&["safety", "scan", place.path("tree").to_str().unwrap()], "");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(scanned.status.code(), Some(2));
    assert!(text(&scanned.stdout).starts_with(&format!("{secret}:1:13 ")), "{}", text(&scanned.stdout));
    let error = text(&scanned.stderr);
    assert!(error.contains(&format!("could not list {}", locked.display())), "{error}");
}

#[test]
fn the_format_is_text_json_or_sarif() {
    let place = Place::new();
    let file = place.write("tree/a b", format!("é {}\n日 CORP-1234", keyed()));
    let scan = |format: &[&str], file: &str| {
        let scanned = place.run_in("tree", &[&["safety", "scan"], format, &PATTERN, &[file]].concat());
        assert_eq!(scanned.status.code(), Some(1), "{}", text(&scanned.stderr));
        text(&scanned.stdout)
    };
    assert_eq!(scan(&["--format", "text"], "a b"), scan(&[], "a b"));
    assert_eq!(scan(&["--format", "json"], "a b"), scan(&["--json"], "a b"));
    let log = scan(&["--format", "sarif"], "./a b");
    assert!(!log.contains("qW3") && !log.contains("CORP-1"), "{log}");
    let log: Value = serde_json::from_str(&log).unwrap();
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!((&driver["name"], &run["columnKind"]), (&json!("loopmem"), &json!("unicodeCodePoints")));
    let rules: Vec<_> = driver["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(rules, ["keyed-value", "custom-pattern"]);
    assert!(driver["rules"][0]["shortDescription"]["text"].as_str().unwrap().starts_with("Value of a name"));
    let [first, second] = run["results"].as_array().unwrap().as_slice() else { panic!("{run}") };
    assert_eq!(
        (&first["ruleId"], &first["ruleIndex"], &first["level"]),
        (&json!("keyed-value"), &json!(0), &json!("warning"))
    );
    assert_eq!(
        (&second["ruleId"], &second["ruleIndex"], &second["level"]),
        (&json!("custom-pattern"), &json!(1), &json!("error"))
    );
    let at = |result: &Value| result["locations"][0]["physicalLocation"].clone();
    assert_eq!(at(first)["artifactLocation"], json!({ "uri": "a%20b", "uriBaseId": "%SRCROOT%" }));
    assert_eq!(at(first)["region"], json!({ "startLine": 1, "startColumn": 15, "endLine": 1, "endColumn": 26 }));
    assert_eq!(at(second)["region"], json!({ "startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 12 }));
    assert_eq!(first["partialFingerprints"]["loopmemTag/v1"].as_str().unwrap().len(), 10);
    let log: Value = serde_json::from_str(&scan(&["--format", "sarif"], &file)).unwrap();
    let uri = at(&log["runs"][0]["results"][0])["artifactLocation"]["uri"].clone();
    assert_eq!(uri, format!("file://{}", file.replace(' ', "%20")));
    // An empty log is a log too.
    let clean = place.run(&["safety", "scan", "--format", "sarif", "-"], "nothing");
    let log: Value = serde_json::from_slice(&clean.stdout).unwrap();
    assert_eq!((clean.status.code(), &log["runs"][0]["results"]), (Some(0), &json!([])));
    for wrong in [["--json", "--format", "sarif"].as_slice(), &["--format", "xml"]] {
        assert_eq!(place.run(&[&["safety", "scan", &file], wrong].concat(), "").status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn findings_of_a_baseline_are_not_reported_and_new_ones_are() {
    let place = Place::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    place.write("repo/src/a", format!("{}\n{}\n{token}\n", keyed(), keyed()));
    place.write("repo/src/b", keyed());
    let written = place.run_in("repo", &["safety", "scan", "--write-baseline", "known.json", "."]);
    assert_eq!((written.status.code(), text(&written.stdout)), (Some(0), String::new()));
    assert_eq!(text(&written.stderr), "loopmem: recorded 4 findings in 2 scanned files\n");
    let known = fs::read_to_string(place.path("repo/known.json")).unwrap();
    let entry = |path: &str, rule: &str, count: u64| json!({ "path": path, "rule": rule, "count": count });
    let entries = [entry("src/a", "github-pat", 1), entry("src/a", "keyed-value", 2), entry("src/b", "keyed-value", 1)];
    assert_eq!(serde_json::from_str::<Value>(&known).unwrap(), json!({ "version": 1, "findings": entries }));

    // From anywhere, with any home and so with other tags, whatever moves.
    fs::remove_dir_all(place.path("home")).unwrap();
    let scan = |folder: &str, baseline: &str, path: &str| {
        let scanned = place.run_in(folder, &["safety", "scan", "--baseline", baseline, path]);
        (text(&scanned.stdout), text(&scanned.stderr), scanned.status.code())
    };
    let nothing = (String::new(), String::new(), Some(0));
    assert_eq!(scan("repo", "known.json", "."), nothing);
    assert_eq!(scan("repo/src", "../known.json", "b"), nothing);
    place.write("repo/src/a", format!("\n\n{}\n{token}\n# new\n{}\n", keyed(), keyed()));
    assert_eq!(scan("repo", "known.json", place.path("repo").to_str().unwrap()), nothing);
    // The same findings give the same bytes.
    place.run_in("repo", &["safety", "scan", "--write-baseline", "again.json", "src"]);
    assert_eq!(fs::read_to_string(place.path("repo/again.json")).unwrap(), known);
    fs::remove_file(place.path("repo/again.json")).unwrap();

    // One more than is known: all of that rule in that file, since none of them is known to be the new one.
    place.write("repo/src/b", format!("{}\n{}\n{token}", keyed(), keyed()));
    let (shown, _, status) = scan("repo", "known.json", "src");
    let places: Vec<_> = shown.lines().map(|line| line.rsplit_once(' ').unwrap().0).collect();
    assert_eq!(
        (places, status),
        (vec!["src/b:1:13 keyed-value", "src/b:2:13 keyed-value", "src/b:3:1 github-pat"], Some(1))
    );

    // What no longer occurs is reported, if it was looked for.
    place.write("repo/src/a", &token);
    fs::remove_file(place.path("repo/src/b")).unwrap();
    let (shown, notice, status) = scan("repo", "known.json", ".");
    assert_eq!((shown.as_str(), status), ("", Some(0)));
    assert_eq!(
        notice,
        "loopmem: src/a: the baseline allows 2 findings of keyed-value, but 0 were found; update it with --write-baseline\n\
         loopmem: src/b: the baseline allows 1 finding of keyed-value, but 0 were found; update it with --write-baseline\n"
    );
    let scanned = place.run_in("repo", &["--json", "safety", "scan", "--baseline", "known.json", "src"]);
    let report: Value = serde_json::from_slice(&scanned.stdout).unwrap();
    assert_eq!((&report["known"], report["stale"].as_array().unwrap().len(), scanned.stderr.len()), (&json!(1), 2, 0));
}

#[test]
fn a_baseline_that_is_damaged_or_missing_is_an_error() {
    let place = Place::new();
    let secret = place.write("secret", keyed());
    let entry = r#"{"path": "a", "rule": "jwt", "count": 1}"#;
    for (damaged, what) in [
        (String::new(), "is damaged"),
        ("<<<<<<< HEAD".to_owned(), "is damaged"),
        (r#"{"version": 1}"#.to_owned(), "is damaged"),
        (r#"{"version": 2, "findings": []}"#.to_owned(), "has the format 2"),
        (format!(r#"{{"version": 1, "findings": [{entry}, {entry}]}}"#), "occurs twice"),
        (r#"{"version": 1, "findings": [], "more": 1}"#.to_owned(), "is damaged"),
    ] {
        let known = place.write("known.json", &damaged);
        let scanned = place.run(&["safety", "scan", "--baseline", &known, &secret], "");
        let error = text(&scanned.stderr);
        assert_eq!((scanned.status.code(), scanned.stdout.len()), (Some(2), 0), "{damaged}");
        assert!(error.contains(what) && error.contains(&known), "{damaged}: {error}");
        assert_eq!(fs::read_to_string(&known).unwrap(), damaged, "only --write-baseline writes it");
    }
    assert_eq!(place.run(&["safety", "scan", "--baseline", "/nowhere", &secret], "").status.code(), Some(2));
    // A baseline is not written if something could not be scanned.
    let known = place.write("known.json", "kept");
    let failed = place.run(&["safety", "scan", "--write-baseline", &known, &secret, "/nowhere"], "");
    assert_eq!((failed.status.code(), fs::read_to_string(&known).unwrap().as_str()), (Some(2), "kept"));
    assert!(text(&failed.stderr).contains("the baseline was not written"), "{}", text(&failed.stderr));
    let failed = place.run(&["safety", "scan", "--write-baseline", "/nowhere/known.json", &secret], "");
    assert_eq!(failed.status.code(), Some(2));
}

#[test]
fn staged_contents_are_scanned_and_not_the_files() {
    let place = Place::new();
    repository(&place, "repo");
    let nothing = || (Vec::<String>::new(), Some(0));
    assert_eq!(places(&place, "repo", &["--staged"]), nothing());
    place.write("repo/sub/staged", format!("one\n  {}\n", keyed()));
    place.write("repo/image", b"\0 CORP-1234");
    place.write("repo/renamed", "nothing\n".repeat(20));
    place.write("repo/deleted", keyed());
    place.git_succeeds("repo", &["add", "."]);
    // Before the first commit too.
    let found = |files: &[&str]| (files.iter().map(|file| format!("{file} keyed-value")).collect::<Vec<_>>(), Some(1));
    assert_eq!(places(&place, "repo", &["--staged"]), found(&["deleted:1:13", "sub/staged:2:15"]));
    place.write("repo/sub/staged", "clean by now");
    place.write("repo/unstaged", keyed());
    assert_eq!(places(&place, "repo", &["--staged"]), found(&["deleted:1:13", "sub/staged:2:15"]));
    assert_eq!(places(&place, "repo/sub", &["--staged"]), found(&["../deleted:1:13", "staged:2:15"]));
    let said = text(&place.run_in("repo", &["safety", "scan", "--staged"]).stderr);
    assert!(said.contains("the commit would contain 2 secrets"), "{said}");
    place.git_succeeds("repo", &["commit", "-qm", "one"]);
    assert_eq!(places(&place, "repo", &["--staged"]), nothing());
    // A deleted file, a link, and a renamed file with a new line.
    place.git_succeeds("repo", &["rm", "-q", "deleted"]);
    place.git_succeeds("repo", &["mv", "renamed", "new name"]);
    place.write("repo/new name", "nothing\n".repeat(20) + &keyed());
    std::os::unix::fs::symlink(keyed(), place.path("repo/link")).unwrap();
    place.git_succeeds("repo", &["add", "new name", "link"]);
    assert_eq!(places(&place, "repo", &["--staged"]), found(&["new name:21:13"]));
    // Baselines name files in the same way.
    place.run_in("repo", &["safety", "scan", "--write-baseline", "known.json", "new name"]);
    assert_eq!(places(&place, "repo/sub", &["--staged", "--baseline", "../known.json"]), nothing());

    let outside = place.run_in(".", &["safety", "scan", "--staged"]);
    assert_eq!(outside.status.code(), Some(2));
    assert!(text(&outside.stderr).contains("git failed: fatal: not a git repository"), "{}", text(&outside.stderr));
}

#[test]
fn a_staged_file_whose_folder_is_gone_is_compared_with_the_baseline() {
    let place = Place::new();
    repository(&place, "repo");
    place.write("repo/a/b/staged", keyed());
    place.write("repo/c/staged", keyed());
    place.git_succeeds("repo", &["add", "."]);
    let written = place.run_in("repo", &["safety", "scan", "--write-baseline", "known.json", "."]);
    assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
    fs::remove_dir_all(place.path("repo/a")).unwrap();
    fs::remove_dir_all(place.path("repo/c")).unwrap();
    // A file in place of the folder.
    place.write("repo/c", "now a file");
    fs::create_dir(place.path("repo/other")).unwrap();
    for (folder, baseline) in [("repo", "known.json"), ("repo/other", "../known.json")] {
        let scanned = place.run_in(folder, &["safety", "scan", "--staged", "--baseline", baseline]);
        let seen = (text(&scanned.stdout), text(&scanned.stderr), scanned.status.code());
        assert_eq!(seen, (String::new(), String::new(), Some(0)), "{folder}");
    }
    // The same names as in the work tree.
    let known = fs::read_to_string(place.path("repo/known.json")).unwrap();
    let written = place.run_in("repo", &["safety", "scan", "--staged", "--write-baseline", "known.json"]);
    assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
    assert_eq!(fs::read_to_string(place.path("repo/known.json")).unwrap(), known);
}

#[test]
fn a_baseline_contains_nothing_that_is_computed_from_a_secret_in_a_path() {
    let place = Place::new();
    let token = |end: &str| format!("ghp_{}{end}", "a1B2".repeat(8));
    let [one, other] = ["c3D4", "e5F6"].map(|end| format!("logs/{}.txt", token(end)));
    place.write(&format!("repo/{one}"), keyed());
    place.write(&format!("repo/{other}"), format!("{}\n{}", keyed(), keyed()));
    let write = |name: &str, path: &str| {
        let written = place.run_in("repo", &["safety", "scan", "--write-baseline", name, path]);
        assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
        fs::read_to_string(place.path(&format!("repo/{name}"))).unwrap()
    };
    let known = write("known.json", ".");
    let entry = json!({ "path": "logs/[REDACTED:github-pat].txt", "rule": "keyed-value", "count": 3 });
    assert_eq!(serde_json::from_str::<Value>(&known).unwrap(), json!({ "version": 1, "findings": [entry] }));
    // Another home has other tags, and a path can be given in another way.
    fs::remove_dir_all(place.path("home")).unwrap();
    let absolute = place.path("repo").to_str().unwrap().to_owned();
    assert_eq!(write("again.json", &absolute), known);
    let scan = |arguments: &[&str]| {
        let scanned = place.run_in("repo", &[&["safety", "scan", "--baseline", "known.json"], arguments].concat());
        (text(&scanned.stdout).lines().count(), text(&scanned.stderr), scanned.status.code())
    };
    for path in [".", "logs", &absolute] {
        assert_eq!(scan(&[path]), (0, String::new(), Some(0)), "{path}");
    }
    // A file that is reached in two ways counts once.
    assert_eq!(scan(&[".", "logs", &absolute]), (0, String::new(), Some(0)));
    // An entry for files that were not scanned is not stale.
    place.write("repo/clean", "nothing");
    assert_eq!(scan(&["clean"]), (0, String::new(), Some(0)));
    place.write(&format!("repo/{one}"), format!("{}\n{}", keyed(), keyed()));
    let (lines, _, status) = scan(&["."]);
    assert!(lines >= 2 && status == Some(1), "one more than is known: {lines}");
    place.write(&format!("repo/{one}"), "clean by now");
    let (_, notice, status) = scan(&["."]);
    assert_eq!(status, Some(0));
    assert!(notice.contains("allows 3 findings of keyed-value, but 2 were found"), "{notice}");
}

/// The block of docs/SAFETY.md that contains `mark`.
fn documented(mark: &str) -> String {
    let page = include_str!("../../../docs/SAFETY.md");
    let block = page.split("```").skip(1).step_by(2).find(|block| block.contains(mark));
    block.unwrap().split_once('\n').unwrap().1.to_owned()
}

/// Commits a file with a secret, which the hook must refuse, and one without.
#[track_caller]
fn assert_guards(place: &Place, hook: &str) {
    use std::os::unix::fs::PermissionsExt;
    repository(place, "repo");
    place.write("repo/.git/hooks/pre-commit", hook);
    fs::set_permissions(place.path("repo/.git/hooks/pre-commit"), fs::Permissions::from_mode(0o755)).unwrap();
    place.write("repo/secret", keyed());
    place.git_succeeds("repo", &["add", "."]);
    place.write("repo/secret", "removed from the file, but not from what is staged");
    let (succeeds, error) = place.git("repo", &["commit", "-m", "a secret"]);
    assert!(!succeeds && error.contains("secret:1:13 keyed-value") && !error.contains("qW3"), "{error}");
    place.git_succeeds("repo", &["add", "."]);
    place.git_succeeds("repo", &["commit", "-qm", "clean"]);
    // `git commit FILE` uses a temporary index.
    place.write("repo/secret", keyed());
    let (succeeds, error) = place.git("repo", &["commit", "-m", "a secret", "secret"]);
    assert!(!succeeds && error.contains("secret:1:13 keyed-value"), "{error}");
}

#[test]
fn the_documented_hook_refuses_a_commit_with_a_secret() {
    let hook = documented("#!/bin/sh");
    assert!(hook.starts_with("#!/bin/sh\n"), "{hook}");
    assert_guards(&Place::new(), &hook);
}

/// `pre-commit` itself is not needed: it runs the entry without file names, in the top folder.
#[test]
fn the_documented_entry_for_pre_commit_refuses_a_commit_with_a_secret() {
    let config = documented("repo: local");
    let value = |key: &str| config.lines().find_map(|line| line.trim().strip_prefix(key)).unwrap().trim().to_owned();
    assert_eq!((value("language:"), value("pass_filenames:")), ("system".to_owned(), "false".to_owned()));
    assert_guards(&Place::new(), &format!("#!/bin/sh\n{} 1>&2\n", value("entry:")));
}
