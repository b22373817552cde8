//! Memories of older programs: nothing is lost or announced twice, and copying them twice is the same as once.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use loopmem::items::{Filter, Import, ItemPatch, Items, MigratedLegacy, Scope};
use loopmem::testing::disk::RealFs;
use loopmem::{CallOptions, Options, Redactions, Store};
use proptest::prelude::*;
use serde_json::{Value, json};

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let place = Place { folder };
        std::fs::create_dir_all(place.repo().parent().unwrap()).unwrap();
        std::fs::create_dir_all(place.codex().join("memory")).unwrap();
        place
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("workspace")
    }

    fn codex(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("codex")
    }

    /// The older file of the repository.
    fn repo(&self) -> PathBuf {
        self.workspace().join(".codex/memory/memory.jsonl")
    }

    /// An older file in the Codex home.
    fn global(&self, name: &str) -> PathBuf {
        self.codex().join("memory").join(name)
    }

    fn store(&self, clock: &str) -> Store {
        let options = Options::at(self.folder.path().join("home")).codex_home(self.codex()).clock(clock);
        loopmem::testing::open_on(options, Arc::new(RealFs), []).unwrap()
    }

    fn items(&self) -> Items {
        self.store("2026-01-31T12:00:00Z").items(self.workspace())
    }

    fn migrate(&self) -> MigratedLegacy {
        self.items().migrate_legacy().unwrap()
    }

    /// The bytes of both stores.
    fn stored(&self) -> [Vec<u8>; 2] {
        [self.repo(), self.global("x")].map(|it| std::fs::read(it.with_file_name("items.jsonl")).unwrap_or_default())
    }

    /// The contents of all items, sorted.
    fn contents(&self) -> Vec<String> {
        let items = self.items().list(&Filter::all()).unwrap();
        let mut contents: Vec<String> = items.iter().map(|item| item.content.clone()).collect();
        contents.sort();
        contents
    }

    /// Copies them again, which must change nothing.
    #[track_caller]
    fn assert_complete(&self) {
        let before = self.stored();
        let again = self.migrate();
        assert_eq!((again.copied, again.history), (0, 0), "{again:?}");
        assert_eq!(self.stored(), before);
    }
}

fn put(path: PathBuf, lines: &[Value]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, text).unwrap();
    // The dates of files must not make a difference between runs.
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
}

fn counts(migrated: &MigratedLegacy) -> (usize, usize, usize, usize) {
    (migrated.copied, migrated.history, migrated.unchanged, migrated.skipped.len())
}

#[test]
fn of_several_versions_in_a_file_the_one_that_was_changed_last_is_copied() {
    let place = Place::new();
    put(
        place.repo(),
        &[
            json!({"id": "a", "content": "second", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-02-01T00:00:00Z"}),
            json!({"id": "a", "content": "third", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-03-01T00:00:00Z"}),
            json!({"id": "a", "content": "first", "created_at": "2025-01-01T00:00:00Z"}),
            json!({"id": "b", "content": "undated"}),
            json!({"id": "b", "content": "the same but later"}),
            json!({"id": "b", "content": "the same but later"}),
        ],
    );
    let migrated = place.migrate();
    assert_eq!(counts(&migrated), (2, 0, 1, 3));
    let skipped: Vec<_> = migrated.skipped.iter().map(|it| (it.line.line, &*it.line.code)).collect();
    assert_eq!(skipped, [(1, "Conflict"), (3, "Conflict"), (4, "Conflict")]);
    assert_eq!(place.contents(), ["the same but later", "third"]);
    assert_eq!(place.items().get("a").unwrap().updated_at, "2025-03-01T00:00:00.000Z");
    place.assert_complete();
    assert_eq!(counts(&place.migrate()), (0, 0, 3, 3));
}

#[test]
fn memories_of_several_files_with_one_id_are_all_kept() {
    let place = Place::new();
    let of = |content: &str| json!({"id": "1", "content": content, "ts": 1_735_689_600});
    put(place.global("b.jsonl"), &[of("of b")]);
    assert_eq!(counts(&place.migrate()), (1, 0, 0, 0));
    put(place.global("a.jsonl"), &[json!({"id": "1", "content": "of a", "ts": "2024-05-05T00:00:00Z"})]);
    put(place.global("c.jsonl"), &[of("of c"), of("of c")]);
    put(place.global("d.jsonl"), &[of("of b")]);
    // In another store, there is no conflict.
    put(place.repo(), &[of("of the repository")]);
    assert_eq!(counts(&place.migrate()), (3, 0, 3, 0));
    assert_eq!(place.contents(), ["of a", "of b", "of c", "of the repository"]);
    place.assert_complete();
    // Though the item with the id is edited, the line is the same, and so are the others.
    let items = place.store("2026-03-01T00:00:00Z").items(place.workspace());
    let of_b = items.list(&Filter::all().text("of b".to_owned())).unwrap();
    assert_eq!(of_b[0].id, "1");
    items.update(&of_b[0].id, ItemPatch::new().content("edited")).unwrap();
    place.assert_complete();
    std::fs::remove_file(place.global("b.jsonl")).unwrap();
    std::fs::remove_file(place.global("d.jsonl")).unwrap();
    place.assert_complete();
}

#[test]
fn a_memory_and_an_event_with_one_id_are_both_kept() {
    let place = Place::new();
    put(
        place.repo(),
        &[
            json!({"id": "1", "type": "exec", "command": ["cargo", "test"], "ts": 1_735_689_600}),
            json!({"id": "1", "type": "fact", "content": "Tests run in parallel.", "ts": 1_735_689_600}),
            json!({"id": "1", "type": "exec", "command": ["cargo", "test"], "ts": 1_735_689_600}),
        ],
    );
    assert_eq!(counts(&place.migrate()), (1, 1, 1, 0));
    assert_eq!(place.contents(), ["Tests run in parallel.", "cargo test"]);
    place.assert_complete();
}

#[test]
fn an_item_that_was_changed_since_it_was_copied_stays_as_it_is() {
    let place = Place::new();
    put(
        place.repo(),
        &[
            json!({"id": "a", "content": "as it was", "created_at": "2025-01-01T00:00:00Z"}),
            json!({"id": "b", "content": "to be archived"}),
            json!({"id": "c", "content": "undated"}),
            json!({"content": "without an id"}),
        ],
    );
    assert_eq!(place.migrate().copied, 4);
    let items = place.items();
    items.update("a", ItemPatch::new().content("as it is")).unwrap();
    items.archive("b").unwrap();
    items.update("c", ItemPatch::new().content("edited")).unwrap();
    let unnamed = items.list(&Filter::all().text("without".to_owned())).unwrap()[0].id.clone();
    items.update(&unnamed, ItemPatch::new().content("edited too")).unwrap();
    // The file is younger now, and there is a later version of what was edited.
    let lines = std::fs::read_to_string(place.repo()).unwrap();
    let later = json!({"id": "a", "content": "of the older program", "created_at": "2025-01-01T00:00:00Z",
        "updated_at": "2025-02-01T00:00:00Z"});
    std::fs::write(place.repo(), format!("{lines}{later}\n")).unwrap();
    place.assert_complete();
    assert_eq!(place.contents(), ["as it is", "edited", "edited too", "to be archived"]);
}

#[test]
fn a_later_version_that_the_older_program_adds_replaces_the_one_that_was_copied() {
    let place = Place::new();
    let first = json!({"id": "a", "content": "first", "created_at": "2025-01-01T00:00:00Z"});
    let second = json!({"id": "a", "content": "second", "created_at": "2025-01-01T00:00:00Z",
        "updated_at": "2025-02-01T00:00:00Z"});
    put(place.repo(), std::slice::from_ref(&first));
    place.migrate();
    put(place.repo(), &[first, second]);
    assert_eq!(counts(&place.migrate()), (1, 0, 0, 1));
    assert_eq!(place.contents(), ["second"]);
    place.assert_complete();
}

#[test]
fn an_item_of_another_origin_with_the_id_of_a_line_is_kept_beside_it() {
    let place = Place::new();
    let other = json!({"id": "1", "content": "imported", "created_at": "2024-01-01T00:00:00Z"}).to_string();
    place.items().import(&Import::new().scope(Scope::Repo), &[serde_json::from_str(&other).unwrap()]).unwrap();
    put(place.repo(), &[json!({"id": "1", "content": "of the file", "created_at": "2025-01-01T00:00:00Z"})]);
    assert_eq!(counts(&place.migrate()), (1, 0, 0, 0));
    assert_eq!(place.contents(), ["imported", "of the file"]);
    place.assert_complete();
}

#[test]
fn times_are_understood_in_every_unit_and_none_becomes_1970() {
    const OF_THE_FILE: &str = "2023-11-14T22:13:20.000Z";
    let place = Place::new();
    let times = [
        (json!(1_735_689_600), "2025-01-01T00:00:00.000Z"),
        (json!(1_735_689_600.75), "2025-01-01T00:00:00.000Z"),
        (json!(1_735_689_600_250_u64), "2025-01-01T00:00:00.250Z"),
        (json!(1_735_689_600_250_000_u64), "2025-01-01T00:00:00.250Z"),
        (json!(1_735_689_600_250_000_000_u64), "2025-01-01T00:00:00.250Z"),
        (json!(u64::MAX), "2554-07-21T23:34:33.709Z"),
        (json!("1735689600"), "2025-01-01T00:00:00.000Z"),
        (json!("2025-01-01"), "2025-01-01T00:00:00.000Z"),
        (json!("1969-12-31T23:00:00Z"), "1969-12-31T23:00:00.000Z"),
        (json!(0), OF_THE_FILE),
        (json!(2024), OF_THE_FILE),
        (json!("2024"), OF_THE_FILE),
        (json!("yesterday"), OF_THE_FILE),
        (json!(null), OF_THE_FILE),
        (json!(1e21), ""),
        (json!(-1e300), ""),
        (json!("9999-12-31T23:59:59-01:00"), ""),
        (json!("+10000-01-01T00:00:00Z"), ""),
        (json!("12025-01-01T00:00:00Z"), ""),
    ];
    let line = |(at, (time, _)): (usize, &(Value, &str))| json!({"id": at, "content": format!("at {at}"), "ts": time});
    put(place.repo(), &times.iter().enumerate().map(line).collect::<Vec<_>>());
    let migrated = place.migrate();
    for (at, (time, expected)) in times.iter().enumerate() {
        match place.items().get(&at.to_string()) {
            Ok(item) => assert_eq!((&*item.created_at, &*item.updated_at), (*expected, *expected), "{time}"),
            Err(_) => assert_eq!(*expected, "", "{time}"),
        }
    }
    let refused: Vec<usize> = migrated.skipped.iter().map(|skipped| skipped.line.line).collect();
    assert_eq!(refused, [15, 16, 17, 18, 19]);
    let clear =
        |skipped: &loopmem::items::SkippedLegacy| skipped.line.message.contains("its ts is not between the years");
    assert!(migrated.skipped.iter().all(clear), "{:?}", migrated.skipped);
    place.assert_complete();
}

#[test]
fn odd_members_are_kept_or_left_out_but_do_not_lose_the_line() {
    let place = Place::new();
    put(
        place.repo(),
        &[
            json!({"id": "a", "content": "the text", "summary": "and a second one", "tags": ["db", 2026, true, null, " "],
            "timestamp": 1_735_689_600, "date": "a Tuesday", "seq": "seventh", "session": {"n": 1}}),
            json!({"id": "b", "type": "exec", "command": "cargo test", "seq": 1.5, "session": "", "tags": "ci"}),
            json!({"id": "c", "content": "whole", "seq": 7.0, "session": 12}),
        ],
    );
    assert_eq!(counts(&place.migrate()), (2, 1, 0, 0));
    let items = place.items();
    let a = items.get("a").unwrap();
    assert_eq!((&*a.content, &*a.tags), ("the text", &["db", "2026", "true"].map(str::to_owned)[..]));
    let json: Value = serde_json::from_str(a.json().get()).unwrap();
    assert_eq!((&json["summary"], &json["date"]), (&json!("and a second one"), &json!("a Tuesday")));
    assert_eq!((a.seq, &a.session), (None, &None));
    let b = items.get("b").unwrap();
    assert_eq!((&*b.content, b.seq), ("cargo test", None));
    assert_eq!(b.tags, ["ci", "exec", "history"]);
    let c = items.get("c").unwrap();
    assert_eq!((c.seq, c.session.as_deref()), (Some(7), Some("12")));
    place.assert_complete();
}

/// The program of spec 004 capitalizes words, has hints and an expiry of its own, and writes a stub after each task.
#[test]
fn lines_of_the_program_of_the_specification_become_items_and_its_stubs_history() {
    let place = Place::new();
    let durable = |id: &str, status: &str, kind: &str, content: &str| {
        json!({"id": id, "created_at": "2025-09-02T03:12:33.353882193+00:00", "updated_at":
            "2025-09-02T03:12:33.353882193+00:00", "schema_version": 1, "source": "gui", "scope": "Repo", "status": status,
            "kind": kind, "content": content, "tags": [], "relevance_hints": {"files": ["web/"], "crates": [],
            "languages": ["sql"], "commands": ["just fmt"]}, "counters": {"seen_count": 1, "used_count": 0,
            "last_used_at": null}, "expiry": {"ttl_secs": 60, "review_after": null}})
    };
    let event = |id: &str, kind: &str, content: &str, tags: &[&str]| {
        json!({"id": id, "ts": "2025-09-02T12:31:08.948Z", "repo": "/w", "type": kind, "content": content, "tags": tags,
            "files": [], "session_id": "s", "source": "tui", "metadata": {}})
    };
    let lines = [
        durable("a", "Active", "Pref", "small commits"),
        durable("b", "Archived", "Instruction", "never push to main"),
        json!({"id": "c", "kind": "Fact", "content": "never expires", "expiry": {"ttl_secs": u64::MAX},
            "relevance_hints": {"files": "one.rs", "moods": {"is": "good"}}}),
        event("d", "summary", "Task completed. Record key outcomes and next steps.", &["summary"]),
        event("e", "decision", "Decision: approval requested for exec: just fmt", &[]),
        event("f", "tool", "files.read({})", &["tool"]),
        event("g", "change", "apply_patch(auto_approved=true)", &["apply_patch"]),
        event("h", "summary", "The build needs clang 18.", &["summary"]),
        event("i", "pref", "Task completed. Record key outcomes is what I want to read.", &["pref"]),
    ];
    put(place.repo(), &lines);
    assert_eq!(counts(&place.migrate()), (5, 4, 0, 0));
    let items = place.items();
    let is = |id: &str| {
        let item = items.get(id).unwrap();
        (item.item_type.as_str(), item.status.as_str(), item.is_recallable())
    };
    assert_eq!(is("a"), ("pref", "active", true));
    assert_eq!(is("b"), ("instruction", "archived", false));
    assert_eq!(is("c"), ("fact", "active", true));
    assert_eq!(is("h"), ("note", "active", true));
    assert_eq!(is("i"), ("pref", "active", true));
    for id in ["d", "e", "f", "g"] {
        assert_eq!(is(id), ("note", "archived", false), "{id}");
    }
    let a = items.get("a").unwrap();
    assert_eq!(
        (&*a.relevance_hints.files, &*a.relevance_hints.langs),
        (&["web/".to_owned()][..], &["sql".to_owned()][..])
    );
    assert_eq!(a.expiry.as_deref(), Some("2025-09-02T03:13:33.353Z"));
    let json: Value = serde_json::from_str(a.json().get()).unwrap();
    assert_eq!((&json["other_hints"], json.get("kind")), (&json!({"commands": ["just fmt"]}), None));
    let c = items.get("c").unwrap();
    assert_eq!((c.relevance_hints.files.len(), c.expiry.as_deref()), (1, None));
    place.assert_complete();

    // A file that is imported is read alike.
    let source = place.workspace().join("in.jsonl");
    put(source.clone(), &lines[..3]);
    let into = place.store("2026-01-31T12:00:00Z").items(place.codex());
    let imported = into.import_from(&Import::new().scope(Scope::Global), &source).unwrap();
    assert_eq!((imported.added, imported.skipped), (3, vec![]));
    assert_eq!(into.get("b").unwrap().status.as_str(), "archived");
}

#[test]
fn no_odd_hint_or_expiry_costs_a_memory() {
    let place = Place::new();
    let odd = |id: &str, hints: Value, expiry: Value| {
        json!({"id": id, "created_at": "2025-01-01T00:00:00Z", "kind": "Fact", "content": format!("fact {id}"),
            "relevance_hints": hints, "expiry": expiry})
    };
    put(
        place.repo(),
        &[
            odd("a", json!([1]), json!({"ttl_secs": "60"})),
            odd("b", json!("web/"), json!({"ttl_secs": -5})),
            odd("c", json!(null), json!({"ttl_secs": 1e30})),
            odd("d", json!({"files": [1, "x"], "langs": {"a": 1}}), json!({})),
        ],
    );
    assert_eq!(counts(&place.migrate()), (4, 0, 0, 0));
    let items = place.items();
    let expiry = |id: &str| items.get(id).unwrap().expiry.clone();
    assert_eq!((expiry("a").as_deref(), expiry("b"), expiry("c")), (Some("2025-01-01T00:01:00.000Z"), None, None));
    let json: Value = serde_json::from_str(items.get("d").unwrap().json().get()).unwrap();
    assert_eq!(json["other_hints"], json!({"files": [1, "x"], "langs": {"a": 1}}));
    let json: Value = serde_json::from_str(items.get("b").unwrap().json().get()).unwrap();
    assert_eq!(json["other_expiry"], json!({"ttl_secs": -5}), "what is not understood is kept");
    place.assert_complete();
}

#[test]
fn a_stored_item_with_an_unknown_hint_is_an_item() {
    let place = Place::new();
    let line = json!({"id": "a", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z", "scope": "repo",
        "status": "active", "type": "fact", "content": "The proxy listens on port 8443.",
        "relevance_hints": {"languages": ["go"], "commands": ["curl"]}});
    put(place.repo().with_file_name("items.jsonl"), &[line]);
    let items = place.items();
    assert_eq!(items.get("a").unwrap().relevance_hints.langs, ["go"]);
    items.update("a", ItemPatch::new().tags(["net"])).unwrap();
    let stored = String::from_utf8(place.stored()[0].clone()).unwrap();
    assert!(stored.contains(r#""relevance_hints":{"languages":["go"],"commands":["curl"]}"#), "{stored}");
}

#[test]
fn what_is_redacted_is_announced_when_it_is_stored_and_not_again() {
    let place = Place::new();
    put(
        place.repo(),
        &[
            json!({"id": "a", "type": "exec", "command": format!("{} DB_PASSWORD=hunter22", "x".repeat(220))}),
            json!({"id": "b", "content": "DB_PASSWORD=hunter22"}),
            json!({"id": "b", "content": "DB_PASSWORD=hunter23"}),
            json!({"no text": "DB_PASSWORD=hunter22"}),
        ],
    );
    let redacted = || {
        let redactions = Redactions::new();
        let store = place.store("2026-01-31T12:00:00Z").with(CallOptions::new().redactions(&redactions));
        store.items(place.workspace()).migrate_legacy().unwrap();
        redactions.take().into_iter().map(|it| (it.field, it.rule, it.count)).collect::<Vec<_>>()
    };
    assert_eq!(redacted(), [("content".to_owned(), "keyed-value".to_owned(), 2)]);
    assert_eq!(redacted(), []);
    assert!(!String::from_utf8(place.stored().concat()).unwrap().contains("hunter"));
}

/// A line: its file, its id, its content, whether it is an event, and its date.
type Sample = (usize, Option<u8>, u8, bool, Option<u8>);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn copying_twice_is_the_same_as_once_and_no_content_vanishes(
        samples in prop::collection::vec(
            (0..3_usize, prop::option::of(0..3_u8), 0..4_u8, any::<bool>(), prop::option::of(1..4_u8)),
            0..12,
        ),
    ) {
        let place = Place::new();
        let line = |(_, id, content, is_event, day): &Sample| {
            let mut line = json!({"content": format!("content {content}")});
            id.iter().for_each(|id| line["id"] = json!(id));
            day.iter().for_each(|day| line["ts"] = json!(format!("2025-01-0{day}")));
            if *is_event {
                line["type"] = json!("exec");
            }
            line
        };
        let files = [place.repo(), place.global("a.jsonl"), place.global("b.jsonl")];
        for (file, path) in files.into_iter().enumerate() {
            let of_file = samples.iter().filter(|sample| sample.0 == file).map(line);
            put(path, &of_file.collect::<Vec<_>>());
        }
        let migrated = place.migrate();
        prop_assert_eq!(migrated.copied + migrated.history + migrated.unchanged + migrated.skipped.len(), samples.len());
        let (contents, skipped) = (place.contents(), migrated.skipped.len());
        for sample in &samples {
            let content = format!("content {}", sample.2);
            prop_assert!(contents.contains(&content) || skipped > 0, "{content}");
        }
        place.assert_complete();
        let again = place.migrate();
        prop_assert_eq!((again.unchanged, again.skipped), (samples.len() - skipped, migrated.skipped));
    }
}

#[test]
fn a_repository_cannot_choose_a_file_of_the_user_to_be_copied() {
    let line = "{\"content\":\"of the user\"}\n";
    let place = Place::new();
    let outside = place.folder.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("memory.jsonl"), line).unwrap();
    std::os::unix::fs::symlink(outside.join("memory.jsonl"), place.repo()).unwrap();
    place.items().migrate_legacy().unwrap_err();
    std::fs::remove_dir_all(place.repo().parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&outside, place.repo().parent().unwrap()).unwrap();
    place.items().migrate_legacy().unwrap_err();
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    // The user's own files may be links.
    std::fs::remove_file(place.repo().parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(outside.join("memory.jsonl"), place.global("older.jsonl")).unwrap();
    assert_eq!(place.migrate().copied, 1);
}
