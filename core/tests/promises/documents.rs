//! Files that others wrote are read and preserved byte for byte, or not changed at all.

use std::path::Path;

use loopmem::memory::Convention;
use loopmem::methods::dispatch;
use loopmem::summary::{Filter, Summary};
use loopmem::{ErrorKind, Options, Store};

use crate::{TestHome, append, conventions, open, repo, steps, upsert};

/// A convention as a person might write it, with fields of a later version.
const A: &str = r#"{ "id":"a" , "title" : "A","content":"by hand",
    "tags":[ ],"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-01T00:00:00Z",
  "weight": 123456789012345678901234567890, "limits" : [ 1e400, -0.0,  {"z":1,"a":2} ], "caf\u00e9":"\/" }"#;
const B: &str = r#"{"id":"b","title":"B","content":"x","tags":["t"],"createdAt":"2025-01-01T00:00:00.000Z","updatedAt":"2025-01-01T00:00:00.000Z","v2":true}"#;
const LATER: &str = r#"{"numbers" : [123456789012345678901234567890,1e400 , 1.0],  "k":null}"#;
const LINE: &str =
    r#"{"runId":"r","stepId":"by hand","timestamp":"2025-01-01T00:00:00Z","summary":"Done.","later":1e400}"#;

fn document() -> String {
    format!("\n{{\"later\":{LATER} , \"conventions\" :[ {A},\n\n{B} ],\"schemaVersion\":1}} ")
}

/// Reads and writes are refused, and the file is not changed.
#[track_caller]
fn assert_refused(home: &TestHome, file: &Path, bytes: &[u8], kind: ErrorKind) {
    home.put(file, bytes);
    let store = home.open();
    let (read, write) = match file == home.memory() {
        true => (store.repo_at(&repo()).memory().get().map(drop), upsert(&store, "a", "new")),
        false => (store.repo_at(&repo()).summaries().list(Filter::default()).map(drop), append(&store, "second")),
    };
    for outcome in [read, write] {
        let shown = String::from_utf8_lossy(bytes);
        let refused = outcome.expect_err(&shown);
        assert_eq!(refused.kind(), kind, "{shown}: {refused}");
        assert_eq!(refused.path(), Some(file), "{refused}");
    }
    assert_eq!(std::fs::read(file).unwrap(), bytes);
    home.assert_no_litter();
}

#[test]
fn a_damaged_document_is_an_error_and_is_not_changed() {
    let home = TestHome::new();
    for damaged in [
        "",
        "{",
        "[]",
        "null",
        "{} {}",
        "\0\0\0\0",
        r#"{"conventions": {}}"#,
        r#"{"conventions": [{"id": "a"}]}"#,
        r#"{"conventions": [], "conventions": []}"#,
        r#"{"x": 1, "x": 1}"#,
        r#"{"schemaVersion": "1"}"#,
        &document().replace("\"title\":\"B\"", "\"title\":7"),
        &document().replace("\"id\":\"b\"", "\"id\":\"b\",\"id\":\"c\""),
        &document()[..document().len() - 3],
    ] {
        assert_refused(&home, &home.memory(), damaged.as_bytes(), ErrorKind::Parse);
    }
    assert_refused(&home, &home.memory(), b"{\"conventions\": [\"\xff\"]}", ErrorKind::Parse);
}

#[test]
fn a_duplicate_id_is_damage_reported_with_its_position() {
    let home = TestHome::new();
    let note = r#"{"id":"\u0062","content":"n","source":"tool","createdAt":"","updatedAt":""}"#;
    for (document, place) in [
        (document().replace("\"id\":\"a\"", "\"id\":\"b\""), "conventions[1]"),
        (document().replace("\"schemaVersion\"", &format!("\"notes\":[{note}],\"schemaVersion\"")), "notes[0]"),
        (format!("{{\"conventions\":[{B},{A},{B}]}}"), "conventions[2]"),
    ] {
        assert_refused(&home, &home.memory(), document.as_bytes(), ErrorKind::Parse);
        let refused = home.open().repo_at(&repo()).memory().get().unwrap_err();
        assert!(refused.message().contains(&format!("{place} has the same id as an earlier record;")), "{refused}");
    }
}

#[test]
fn a_last_line_that_a_power_cut_left_is_set_aside_and_the_others_are_read() {
    for torn in ["{\"runId\":\"r\",\"st", "\0\0\0\0\"}\n", "\0\0\0\0"] {
        let home = TestHome::new();
        home.put(&home.summaries(), format!("{LINE}\n{torn}"));
        let store = home.open();
        assert_eq!(steps(&store), ["by hand"]);
        append(&store, "second").unwrap();
        assert_eq!(steps(&home.open()), ["by hand", "second"]);
        let aside = std::fs::read_to_string(home.folder().join("summaries.jsonl.torn")).unwrap();
        assert_eq!(aside.trim_end_matches('\n'), torn.trim_end_matches('\n'));
    }
}

#[test]
fn a_pipe_in_place_of_a_file_is_refused_and_not_waited_for() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.folder()).unwrap();
    for file in [home.memory(), home.summaries(), home.root().join("config.toml")] {
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    }
    let refused = loopmem::testing::open_on(
        loopmem::Options::at(home.root()),
        std::sync::Arc::new(loopmem::testing::disk::RealFs),
        [],
    );
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Io);
    std::fs::remove_file(home.root().join("config.toml")).unwrap();
    let store = home.open();
    assert_eq!(store.repo_at(&repo()).memory().get().unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(append(&store, "first").unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn a_record_with_a_duplicate_key_is_not_changed() {
    let home = TestHome::new();
    let twice = document().replace("\"v2\":true", "\"v2\":true,\"v2\":false");
    home.put(&home.memory(), &twice);
    let store = home.open();
    let refused = upsert(&store, "b", "new").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Parse, "{refused}");
    assert_eq!(std::fs::read_to_string(home.memory()).unwrap(), twice);
    upsert(&store, "c", "new").unwrap();
    assert!(std::fs::read_to_string(home.memory()).unwrap().contains("\"v2\":true,\"v2\":false"));
}

#[test]
fn a_newer_document_is_too_new_and_is_not_changed() {
    let home = TestHome::new();
    let newer = document().replace("\"schemaVersion\":1", "\"schemaVersion\":2");
    assert_refused(&home, &home.memory(), newer.as_bytes(), ErrorKind::FormatTooNew);
    // Even when this version could not read the rest.
    assert_refused(&home, &home.memory(), br#"{"conventions": 7, "schemaVersion": 2}"#, ErrorKind::FormatTooNew);
}

#[test]
fn an_upsert_keeps_the_bytes_of_everything_else() {
    let home = TestHome::new();
    home.put(&home.memory(), document());
    upsert(&home.open(), "c", "new").unwrap();
    let stored = std::fs::read_to_string(home.memory()).unwrap();
    for kept in [A, B, &format!("\"later\": {LATER}")] {
        assert!(stored.contains(kept), "{kept} in {stored}");
    }
    let ids: Vec<_> = conventions(&home.open()).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["a", "b", "c"]);
}

#[test]
fn an_upsert_preserves_unknown_fields_of_its_record() {
    let home = TestHome::new();
    home.put(&home.memory(), document());
    let draft = Convention::change("a").content("new");
    let stored = home.open().repo_at(&repo()).memory().upsert(draft).unwrap();
    let json = stored.json().get();
    for kept in [
        r#""title":"A","content":"new""#,
        r#""createdAt":"2025-01-01T00:00:00Z""#,
        r#""weight":123456789012345678901234567890,"limits":[ 1e400, -0.0,  {"z":1,"a":2} ]"#,
        r#":"\/"}"#,
    ] {
        assert!(json.contains(kept), "{kept} in {json}");
    }
    let file = std::fs::read_to_string(home.memory()).unwrap();
    assert!(file.contains(json) && file.contains(B), "{file}");
}

#[test]
fn an_edit_in_place_of_the_same_length_is_seen_at_once() {
    let home = TestHome::new();
    let store = home.open();
    for round in 0..100 {
        let content = format!("round {:03}", round);
        // Into the same inode, within one tick of its clock.
        home.put(&home.memory(), document().replace("by hand", &content));
        home.put(&home.summaries(), LINE.replace("by hand", &content) + "\n");
        assert_eq!(conventions(&store)[0].1, content);
        assert_eq!(steps(&store), [content]);
    }
}

#[test]
fn what_another_process_wrote_is_seen_at_once() {
    let home = TestHome::new();
    let (ours, theirs): (Store, Store) = (home.open(), home.open());
    for round in 0..20 {
        let (writer, reader) = if round % 2 == 0 { (&ours, &theirs) } else { (&theirs, &ours) };
        let content = format!("round {round:03}");
        upsert(writer, "a", &content).unwrap();
        append(writer, &content).unwrap();
        assert_eq!(conventions(reader), [("a".to_owned(), content.clone())]);
        assert_eq!(steps(reader).last(), Some(&content));
    }
    std::fs::remove_file(home.memory()).unwrap();
    assert_eq!(conventions(&ours), []);
}

#[test]
fn an_unfinished_last_line_is_skipped_and_set_aside_by_the_next_append() {
    // Cut off, whole but for its newline, and zeros that a file system puts where a write was lost.
    for torn in [&LINE.as_bytes()[..40], LINE.as_bytes(), &[0; 64]] {
        let home = TestHome::new();
        home.put(&home.summaries(), [LINE.as_bytes(), b"\n", torn].concat());
        let store = home.open();
        assert_eq!(steps(&store), ["by hand"]);
        append(&store, "second").unwrap();
        assert_eq!(steps(&store), ["by hand", "second"]);
        assert_eq!(steps(&home.open()), ["by hand", "second"]);
        let aside = std::fs::read(format!("{}.torn", home.summaries().display())).unwrap();
        assert_eq!(aside, [torn, b"\n"].concat());
        let whole = std::fs::read(home.summaries()).unwrap();
        assert!(whole.starts_with(&[LINE.as_bytes(), b"\n{"].concat()) && whole.ends_with(b"}\n"));
    }
}

const DAMAGED: [&str; 5] = ["{", "7", "\0\0\0", r#"{"runId": "r"}"#, r#"{"runId": "r", "v": "1"}"#];

#[test]
fn a_damaged_line_in_the_middle_is_skipped_counted_and_kept_by_appends() {
    for damaged in DAMAGED {
        let home = TestHome::new();
        let bytes = format!("{LINE}\n{damaged}\n\n{LINE}\n");
        home.put(&home.summaries(), &bytes);
        let store = home.open();
        let skipped = || {
            let params = serde_json::json!({ "repoHash": repo() }).to_string();
            let memory = dispatch(&store, "memory.get", &params).unwrap();
            memory.contains(r#""skippedSummaries":1"#)
        };
        assert!(steps(&store).len() == 2 && skipped(), "{damaged}");
        append(&store, "next").unwrap();
        assert!(steps(&store).len() == 3 && skipped(), "{damaged}");
        assert!(std::fs::read_to_string(home.summaries()).unwrap().starts_with(&bytes));
        let pack = store.repo_at(&repo()).context(4_000).build().unwrap();
        assert_eq!(pack.sections.last().unwrap().skipped, Some(1));
        let report = store.doctor().check().unwrap();
        assert!(report.findings.iter().any(|finding| finding.detail.contains("line 2")), "{report:?}");
    }
}

#[test]
fn pruning_sets_a_damaged_line_aside() {
    for damaged in DAMAGED {
        let home = TestHome::new();
        home.put(&home.summaries(), format!("{LINE}\n{damaged}\n{LINE}\n"));
        let options = Options::at(home.root()).summaries_max_entries(2);
        let store = Store::open(options).unwrap();
        append(&store, "next").unwrap();
        assert_eq!(steps(&store), ["by hand", "next"]);
        let aside = std::fs::read_to_string(format!("{}.torn", home.summaries().display())).unwrap();
        assert_eq!(aside, format!("{damaged}\n"));
        assert!(!std::fs::read_to_string(home.summaries()).unwrap().contains(&format!("\n{damaged}\n")));
    }
}

#[test]
fn a_file_of_damaged_and_blank_lines_does_not_grow_beyond_its_limit() {
    let home = TestHome::new();
    home.put(&home.summaries(), "7\n\n".repeat(1_000));
    let options = Options::at(home.root()).summaries_max_bytes(2_000);
    append(&Store::open(options).unwrap(), "next").unwrap();
    assert!(std::fs::metadata(home.summaries()).unwrap().len() < 2_000);
    assert_eq!(steps(&home.open()), ["next"]);
    let aside = std::fs::read_to_string(format!("{}.torn", home.summaries().display())).unwrap();
    assert_eq!(aside, "7\n".repeat(1_000));
}

#[test]
fn an_object_without_any_member_of_a_document_is_damage_and_not_an_empty_memory() {
    let home = TestHome::new();
    for bytes in ["{}", " { } \n", r#"{"later": 1}"#] {
        assert_refused(&home, &home.memory(), bytes.as_bytes(), ErrorKind::Parse);
    }
}

#[test]
fn a_newer_line_is_too_new_and_is_not_changed() {
    let home = TestHome::new();
    let bytes = format!("{LINE}\n{}\n", r#"{"v": 2, "another": "shape"}"#);
    assert_refused(&home, &home.summaries(), bytes.as_bytes(), ErrorKind::FormatTooNew);
}

#[test]
fn an_append_keeps_the_bytes_of_all_other_lines() {
    let home = TestHome::new();
    let others = format!("{LINE}\n  {}\n\n", LINE.replace(',', " ,  "));
    home.put(&home.summaries(), &others);
    append(&open(&home.root(), std::sync::Arc::new(loopmem::testing::disk::RealFs)), "last").unwrap();
    assert!(std::fs::read_to_string(home.summaries()).unwrap().starts_with(&others));
    assert_eq!(steps(&home.open()), ["by hand", "by hand", "last"]);
}

#[test]
fn a_migration_keeps_bytes_and_sorts_summaries_by_time() {
    let home = TestHome::new();
    let other = loopmem::RepoHash::parse(&"0a".repeat(32)).unwrap();
    home.put(&home.memory(), document());
    home.put(&home.summaries(), format!("{LINE}\n"));
    let store = home.open();
    let append = |step: &str| store.repo_at(&other).summaries().append(Summary::draft("r", step, "Now.")).unwrap();
    append("now");
    let copied = store.repos().migrate(&repo(), &other).unwrap().copied;
    assert_eq!((copied.of("conventions"), copied.of("summaries")), (2, 1));
    let folder = home.root().join("repos").join(other.as_str());
    let copied = std::fs::read_to_string(folder.join("memory.json")).unwrap();
    assert!(copied.contains(A) && copied.contains(B), "{copied}");
    let lines = std::fs::read_to_string(folder.join("summaries.jsonl")).unwrap();
    assert!(lines.starts_with(&format!("{LINE}\n")) && lines.lines().count() == 2, "{lines}");
    assert_eq!(std::fs::read_to_string(home.memory()).unwrap(), document(), "the source stays as it was");
}
