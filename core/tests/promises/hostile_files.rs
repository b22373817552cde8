//! Hostile files: too large to be read; pipes, devices and folders in place of files; links in place of folders. Each
//! is refused at once, in the same way, and not changed.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use loopmem::doctor::Fault;
use loopmem::methods::dispatch;
use loopmem::testing::disk::RealFs;
use loopmem::{Error, ErrorKind, Options, Result, Store};
use serde_json::{Value, json};

use crate::file_systems::TestClock;
use crate::{TestHome, hold, repo, start, started_on};

/// Longer than any call in this file takes, unless it blocks on a pipe.
const SOON: Duration = Duration::from_secs(20);
const TERABYTE: u64 = 1 << 40;

/// A data file below the home, a call that reads it, and one that writes it.
struct File {
    path: &'static str,
    reads: (&'static str, Value),
    writes: Option<(&'static str, Value)>,
}

fn files() -> Vec<File> {
    let memory = "repos/HASH/memory.json";
    let (scope, job) = (json!({ "scopeId": "job-1" }), json!({ "jobId": "job-1" }));
    let file = |path, reads, writes| File { path, reads, writes };
    vec![
        file(
            memory,
            ("memory.list", json!({ "repoHash": repo() })),
            Some(("memory.upsertNote", json!({ "repoHash": repo(), "note": { "content": "new" } }))),
        ),
        file(
            "repos/HASH/summaries.jsonl",
            ("summary.list", json!({ "repoHash": repo() })),
            Some(("summary.append", json!({ "repoHash": repo(), "runId": "r", "stepId": "s", "summary": "new" }))),
        ),
        file(
            "working/job-1/context.json",
            ("working.getContext", scope.clone()),
            Some(("working.updateContext", json!({ "scopeId": "job-1", "patch": { "a": 2 } }))),
        ),
        file("working/job-1/trail.jsonl", ("working.history", scope.clone()), None),
        file(
            "working/job-1/logs.jsonl",
            ("working.getLogs", scope.clone()),
            Some(("working.addLog", json!({ "scopeId": "job-1", "entry": { "content": "new" } }))),
        ),
        file(
            "working/job-1/checkpoints.json",
            ("working.listCheckpoints", job.clone()),
            Some(("working.saveCheckpoint", job)),
        ),
        file(
            "working/job-1/checkpoints/1.json",
            ("working.restoreCheckpoint", json!({ "jobId": "job-1", "timestamp": 1 })),
            None,
        ),
    ]
}

/// A home with every kind of file.
fn filled() -> TestHome {
    let home = TestHome::new();
    let options = Options::at(home.root()).clock("1970-01-01T00:00:00.001Z");
    let store = Store::open(options).unwrap();
    for file in files() {
        if let Some((method, params)) = &file.writes {
            call(&store, method, params).unwrap();
        }
    }
    home
}

fn call(store: &Store, method: &str, params: &Value) -> Result<String> {
    dispatch(store, method, &params.to_string())
}

/// As [`call`], which must not wait forever.
fn soon(home: &TestHome, method: &'static str, params: &Value) -> Result<String> {
    let (store, params, (done, answer)) = (home.open(), params.clone(), mpsc::channel());
    std::thread::spawn(move || drop(done.send(call(&store, method, &params))));
    answer.recv_timeout(SOON).unwrap_or_else(|_| panic!("{method} waits for something"))
}

fn place(home: &TestHome, file: &str) -> PathBuf {
    home.root().join(file.replace("HASH", repo().as_str()))
}

/// Puts a file into the home, as another program may have left it.
fn put(home: &TestHome, file: &str, text: &str) {
    let path = place(home, file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// An editor may put one before the first byte of what it saves.
#[test]
fn a_byte_order_mark_costs_no_line_and_is_named_where_it_stands_before_a_document() {
    let home = filled();
    // The length of the trail is recorded beside it, so that it must not be edited.
    for File { path, reads: (method, params), writes } in
        files().into_iter().filter(|it| !it.path.ends_with("trail.jsonl"))
    {
        let file = place(&home, path);
        let bytes = std::fs::read(&file).unwrap();
        let before = soon(&home, method, &params).unwrap();
        std::fs::write(&file, [b"\xEF\xBB\xBF", &*bytes].concat()).unwrap();
        let after = soon(&home, method, &params);
        if path.ends_with(".jsonl") {
            assert_eq!(after.unwrap(), before, "{path}");
            if let Some((writes, params)) = writes {
                soon(&home, writes, &params).unwrap();
                let lines = std::fs::read_to_string(&file).unwrap();
                assert!(lines.contains(std::str::from_utf8(&bytes).unwrap()), "{path}");
                assert!(!PathBuf::from(format!("{}.torn", file.display())).exists(), "{path}");
            }
        } else {
            let refused = after.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Parse, "{path}: {refused}");
            assert!(refused.to_string().contains("byte order mark"), "{path}: {refused}");
        }
        std::fs::write(&file, &bytes).unwrap();
    }
}

#[test]
fn a_link_to_a_folder_that_does_not_exist_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    symlink(folder.path().join("unmounted"), &home).unwrap();
    let store = Store::open(Options::at(&home)).unwrap();
    let refused = call(&store, "memory.upsertNote", &json!({ "repoHash": repo(), "note": { "content": "new" } }));
    let refused = refused.unwrap_err();
    assert_eq!((refused.kind(), refused.path()), (ErrorKind::Io, Some(&*home)), "{refused}");
    assert!(format!("{refused:?}").contains("a link to a folder that does not exist"), "{refused:?}");
}

fn sparse(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::File::create(path).unwrap().set_len(TERABYTE).unwrap();
}

fn pipe(path: &Path) {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    #[allow(unsafe_code, reason = "std makes no pipes")]
    // SAFETY: the path is a string with an end, and is only read.
    let made = unsafe { libc::mkfifo(path.as_ptr(), 0o600) };
    assert_eq!(made, 0);
}

/// What the doctor finds about this path.
fn found(home: &TestHome, path: &Path) -> Vec<Fault> {
    let report: Value = serde_json::from_str(&soon(home, "doctor.check", &json!({})).unwrap()).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let of_path = findings.iter().filter(|finding| finding["file"] == json!(path));
    of_path.map(|finding| fault(finding["fault"].as_str().unwrap())).collect()
}

fn fault(name: &str) -> Fault {
    match name {
        "damaged" => Fault::Damaged,
        "notAFile" => Fault::NotAFile,
        "unreadable" => Fault::Unreadable,
        other => panic!("{other}"),
    }
}

#[test]
fn a_file_of_a_terabyte_is_refused_before_it_is_read_and_is_not_changed() {
    for file in files() {
        let home = filled();
        let path = place(&home, file.path);
        sparse(&path);
        let writes = file.writes.as_ref().map(|(method, params)| (*method, params.clone()));
        for (method, params) in [Some(file.reads.clone()), writes].into_iter().flatten() {
            let refused = soon(&home, method, &params).unwrap_err();
            assert_eq!((refused.kind(), refused.path()), (ErrorKind::Parse, Some(&*path)), "{method}: {refused}");
            assert!(refused.message().contains("it is 1099511627776 bytes long; at most "), "{refused}");
        }
        assert_eq!(std::fs::metadata(&path).unwrap().len(), TERABYTE);
        let is_trail = file.path.ends_with("trail.jsonl");
        assert!(is_trail || found(&home, &path) == [Fault::Damaged], "{}: {:?}", file.path, found(&home, &path));
    }
}

#[test]
fn repo_json_and_the_key_may_be_a_terabyte_and_no_call_is_refused() {
    let home = filled();
    for name in ["redaction.key", "repos/HASH/repo.json"] {
        sparse(&place(&home, name));
    }
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let note = json!({ "repoHash": repo(), "note": { "content": token } });
    assert!(soon(&home, "memory.upsertNote", &note).unwrap().contains("[REDACTED:github-pat:"));
    let listed: Value = serde_json::from_str(&soon(&home, "repo.list", &json!({})).unwrap()).unwrap();
    assert_eq!(listed[0]["path"], Value::Null);
}

#[test]
fn the_owner_file_of_a_lock_may_be_a_terabyte_and_a_call_ends_in_time() {
    let home = filled();
    sparse(&place(&home, "repos/HASH/memory.json.lock.owner"));
    let fs = crate::file_systems::Faulty::with_limitation(crate::file_systems::FsLimitation::NoLocks).fs();
    let store = loopmem::testing::open_on(Options::at(home.root()), TestClock::leaping(fs, || {}), []).unwrap();
    let refused = call(&store, "memory.upsertNote", &json!({ "repoHash": repo(), "note": { "content": "n" } }));
    assert!([ErrorKind::Io, ErrorKind::LockAcquisition].contains(&refused.unwrap_err().kind()));
}

#[test]
fn a_pipe_a_device_a_folder_or_a_link_in_place_of_a_file_is_refused_at_once() {
    for file in files() {
        for make in [
            pipe as fn(&Path),
            |path| std::fs::create_dir(path).unwrap(),
            |path| symlink("/dev/zero", path).unwrap(),
            |path| symlink("elsewhere", path).unwrap(),
        ] {
            let home = filled();
            let path = place(&home, file.path);
            if path.exists() {
                std::fs::remove_file(&path).unwrap();
            }
            make(&path);
            let before = std::fs::symlink_metadata(&path).unwrap().file_type();
            let writes = file.writes.as_ref().map(|(method, params)| (*method, params.clone()));
            for (method, params) in [Some(file.reads.clone()), writes].into_iter().flatten() {
                let refused: Error = soon(&home, method, &params).unwrap_err();
                assert_eq!((refused.kind(), refused.path()), (ErrorKind::Io, Some(&*path)), "{method}: {refused}");
            }
            assert_eq!(std::fs::symlink_metadata(&path).unwrap().file_type(), before);
            assert!(found(&home, &path).contains(&Fault::NotAFile), "{}: {:?}", file.path, found(&home, &path));
        }
    }
}

#[test]
fn a_pipe_in_place_of_a_lock_is_refused_at_once() {
    let home = filled();
    for name in ["repos/HASH/memory.json.lock", "repos/HASH/memory.json.gate"] {
        let path = place(&home, name);
        std::fs::remove_file(&path).unwrap();
        pipe(&path);
        let note = json!({ "repoHash": repo(), "note": { "content": "n" } });
        let refused = soon(&home, "memory.upsertNote", &note).unwrap_err();
        assert_eq!((refused.kind(), refused.path()), (ErrorKind::Io, Some(&*path)), "{refused}");
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_link_in_place_of_a_folder_is_not_followed_and_its_target_is_not_read_or_changed() {
    for folder in ["repos", "repos/HASH", "working", "working/job-1", "working/job-1/checkpoints"] {
        let home = filled();
        let path = place(&home, folder);
        let theirs = home.top().join("theirs");
        std::fs::rename(&path, &theirs).unwrap();
        std::fs::write(theirs.join("settings.json.1.tmp"), "theirs").unwrap();
        symlink(&theirs, &path).unwrap();
        let before = tree(&theirs);
        for file in files().iter().filter(|file| place(&home, file.path).starts_with(&path)) {
            let writes = file.writes.as_ref().map(|(method, params)| (*method, params.clone()));
            for (method, params) in [Some(file.reads.clone()), writes].into_iter().flatten() {
                let refused = soon(&home, method, &params).unwrap_err();
                assert_eq!((refused.kind(), refused.path()), (ErrorKind::Io, Some(&*path)), "{method}: {refused}");
            }
        }
        let fixed: Value =
            serde_json::from_str(&soon(&home, "doctor.check", &json!({ "fix": true })).unwrap()).unwrap();
        let matching = fixed["findings"].as_array().unwrap().iter();
        let matching: Vec<_> = matching.filter(|it| it["file"] == json!(path) && it["fault"] == "notAFile").collect();
        assert_eq!(matching.len(), 1, "{folder}: {fixed}");
        assert_eq!(tree(&theirs), before, "{folder}");
    }
}

/// Every path below a folder, with its contents.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn a_home_that_is_a_link_itself_is_the_users_choice() {
    let home = filled();
    let link = home.top().join("link");
    symlink(home.root(), &link).unwrap();
    let store = Store::open(Options::at(&link)).unwrap();
    call(&store, "memory.upsertNote", &json!({ "repoHash": repo(), "note": { "content": "n" } })).unwrap();
    assert_eq!(store.repo_at(&repo()).memory().get().unwrap().notes().unwrap().len(), 2);
}

#[test]
fn the_time_out_of_a_call_covers_all_of_its_files() {
    let home = filled();
    let holds = [hold(&home.memory()), hold(&home.summaries())];
    let pauses = AtomicUsize::new(0);
    let memory = std::sync::Mutex::new(Some(holds[0].try_clone().unwrap()));
    // The first file is released shortly before the time is over; what is left is for the second one.
    let fs = TestClock::leaping(Arc::new(RealFs), move || {
        if pauses.fetch_add(1, Ordering::Relaxed) == 6_000 {
            drop(memory.lock().unwrap().take().map(|file| fs2::FileExt::unlock(&file)));
        }
    });
    let store = loopmem::testing::open_on(Options::at(home.root()), Arc::clone(&fs), []).unwrap();
    let began = fs.elapsed();
    let refused = call(&store, "memory.get", &json!({ "repoHash": repo() })).unwrap_err();
    let waited = fs.elapsed() - began;
    assert_eq!(refused.kind(), ErrorKind::LockAcquisition, "{refused}");
    assert!(refused.message().contains("summaries.jsonl.lock"), "{refused}");
    assert!((Duration::from_secs(5)..Duration::from_millis(5_200)).contains(&waited), "{waited:?}");
    drop(holds);
}

/// The size of the large files, in bytes; beyond 16 MiB records are no longer kept as values too.
const LARGE: usize = 100 << 20;

/// A process that reads large files and prints its peak memory, in kilobytes.
#[test]
#[ignore = "the part of another process"]
fn reads_large_files() {
    let Some(root) = started_on() else { return };
    let store = Store::open(Options::at(root)).unwrap();
    for (method, params) in [
        ("memory.list", json!({ "repoHash": repo(), "tag": "none" })),
        ("memory.upsertNote", json!({ "repoHash": repo(), "note": { "content": "new" } })),
        ("memory.get", json!({ "repoHash": repo() })),
        ("doctor.check", json!({})),
    ] {
        call(&store, method, &params).unwrap();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        println!("{method} {}", most.trim().trim_end_matches(" kB"));
    }
}

/// Some seconds: files of 100 MiB, each of which a process reads four times.
#[test]
fn a_large_document_and_a_large_journal_take_less_than_four_times_their_size_in_memory() {
    let convention = |index: usize| {
        let (id, content) = (format!("c{index:08}"), "x".repeat(700));
        let time = "2026-01-31T12:00:00.000Z";
        json!({ "id": id, "title": "A title", "content": content, "tags": [], "createdAt": time, "updatedAt": time })
    };
    let records: Vec<String> = (0..LARGE / 850).map(|index| convention(index).to_string()).collect();
    let document = format!("{{\"schemaVersion\": 1, \"conventions\": [\n{}\n]}}\n", records.join(",\n"));
    let line = |step: usize| {
        format!(
            "{{\"runId\":\"run-1\",\"stepId\":\"s{step:07}\",\"timestamp\":\"2026-01-31T12:00:00.000Z\",\"summary\":\"x\",\"tags\":[]}}\n"
        )
    };
    let journal: String = (0..LARGE / 100).map(line).collect();
    for (path, bytes) in [("memory.json", document), ("summaries.jsonl", journal)] {
        let home = TestHome::new();
        home.put(&home.folder().join(path), &bytes);
        assert_memory(&home, path, 4 * bytes.len());
    }
}

#[test]
fn millions_of_damaged_lines_take_a_few_times_their_size_in_memory() {
    let damaged = "bad\n".repeat(2 << 20);
    let home = TestHome::new();
    home.put(&home.summaries(), &damaged);
    assert_memory(&home, "summaries.jsonl", 4 * damaged.len());
    let home = filled();
    let context = format!("{{\"listBytes\": {}, \"value\": {{}}}}", damaged.len());
    put(&home, "working/job-1/context.json", &context);
    put(&home, "working/job-1/trail.jsonl", &damaged);
    assert_memory(&home, "trail.jsonl", 4 * damaged.len());
}

/// Calls on this home take at most `bytes` more than those on an empty one.
#[track_caller]
fn assert_memory(home: &TestHome, path: &str, bytes: usize) {
    for ((method, most), (_, small)) in most_memory(home).into_iter().zip(most_memory(&TestHome::new())) {
        let more = most.saturating_sub(small);
        assert!(more < bytes, "{path}: {method} took {more}, at most {bytes} are fine");
    }
}

#[test]
fn a_trail_that_is_too_short_for_a_large_context_is_refused_though_there_is_no_lock() {
    let home = TestHome::new();
    // Larger than what is cached, from a clock that was ahead, and in a home that was copied without its locks.
    let context = format!("{{\"listBytes\": 5, \"value\": {{\"a\": \"{}\"}}}}", "x".repeat(17 << 20));
    put(&home, "working/job-1/context.json", &context);
    let ahead = std::time::SystemTime::now() + Duration::from_secs(1 << 20);
    let context = place(&home, "working/job-1/context.json");
    std::fs::File::options().append(true).open(context).unwrap().set_modified(ahead).unwrap();
    let refused = soon(&home, "working.history", &json!({ "scopeId": "job-1" })).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Parse, "{refused}");
    assert!(refused.message().contains("trail.jsonl"), "{refused}");
}

#[test]
fn the_doctor_checks_thousands_of_scopes_and_checkpoints_in_linear_time() {
    let home = TestHome::on_tmpfs();
    let put = |path: String, text: &str| put(&home, &path, text);
    let checkpoints: Vec<u64> = (1..=6_000).collect();
    for timestamp in &checkpoints {
        put(format!("working/job-1/checkpoints/{timestamp}.json"), r#"{"value": {}}"#);
    }
    put("working/job-1/checkpoints.json".to_owned(), &json!({ "value": checkpoints }).to_string());
    for scope in 0..6_000 {
        put(format!("working/scope-{scope}/context.json"), r#"{"value": {}}"#);
        put(format!("working/scope-{scope}.lock"), "");
    }
    let report: Value = serde_json::from_str(&soon(&home, "doctor.check", &json!({})).unwrap()).unwrap();
    assert_eq!(report["counts"]["files"], 12_001);
    assert_eq!(report["counts"]["errors"], 0);
}

/// The peak memory of a process after each call, in bytes.
fn most_memory(home: &TestHome) -> Vec<(String, usize)> {
    let (mut child, output) = start("hostile_files::reads_large_files", &home.root());
    let peaks: Vec<_> = output
        .map_while(std::result::Result::ok)
        .filter_map(|line| {
            let (method, kilobytes) = line.split_once(' ').filter(|(method, _)| method.contains('.'))?;
            Some((method.to_owned(), kilobytes.parse::<usize>().ok()? * 1024))
        })
        .collect();
    assert!(child.wait().unwrap().success());
    assert_eq!(peaks.len(), 4);
    peaks
}
