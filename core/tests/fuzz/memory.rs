//! Any bytes as `memory.json`: what parses keeps every record and every unknown member through every write, what does
//! not parse is never touched.

use loopmem::ErrorKind::{self, FormatTooNew, Parse, SecretRefused, Validation};
use loopmem::Store;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::engine::Target;
use crate::mutation::Rng;
use crate::reference::{Document, Members, SECTIONS, document, parsed};
use crate::{Home, REPO, Verdict, call, is_set_aside, must};

pub(crate) const TARGET: Target = Target { name: "memory", run, words, begin };

const FILE: &str = "memory.json";
const OTHER_REPO: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn run(input: &[u8]) -> Verdict {
    let home = Home::new();
    home.put(FILE, input);
    let open = || home.open(home.options().clock("2026-01-31T12:00:00Z"));
    let store = open().map_err(|error| error.to_json())?;
    match document(input) {
        Err(kind) => is_refused(&home, &store, input, kind),
        Ok(stored) => {
            is_read(&store, &stored)?;
            must(home.read(FILE) == input, || "reading changed the file".to_owned())?;
            is_changed(&home, input, &stored, &store)?;
            // Another process reads what this one wrote.
            let written = document(&home.read(FILE)).map_err(|kind| format!("what was written is {kind:?}"))?;
            is_read(&open().map_err(|error| error.to_json())?, &written)?;
            is_read(&store, &written)
        }
    }
}

/// Every method that needs the file is refused with `kind`, and the file stays.
fn is_refused(home: &Home, store: &Store, input: &[u8], kind: ErrorKind) -> Verdict {
    let note = json!({ "repoHash": REPO, "note": { "content": "new" } });
    let elsewhere = json!({ "repoHash": OTHER_REPO, "note": { "content": "to migrate" } });
    call(store, "memory.upsertNote", &elsewhere, &[])?.map_err(|kind| format!("{kind:?}"))?;
    for (method, params) in [
        ("memory.get", json!({ "repoHash": REPO })),
        ("memory.list", json!({ "repoHash": REPO, "text": "a" })),
        ("context.build", json!({ "repoHash": REPO, "maxChars": 100 })),
        ("memory.upsertNote", note),
        ("memory.remove", json!({ "repoHash": REPO, "id": "a" })),
        ("repo.migrate", json!({ "fromRepoHash": REPO, "toRepoHash": OTHER_REPO })),
        ("repo.migrate", json!({ "fromRepoHash": OTHER_REPO, "toRepoHash": REPO })),
    ] {
        let answer = call(store, method, &params, &[Parse, FormatTooNew])?;
        must(answer == Err(kind), || format!("{method} gives {answer:?}, not {kind:?}"))?;
        must(home.read(FILE) == input, || format!("{method} was refused and changed the file"))?;
    }
    is_mended(home, store, input)
}

/// The doctor makes a damaged document one again and keeps what it was, and leaves one alone that is too new.
fn is_mended(home: &Home, store: &Store, input: &[u8]) -> Verdict {
    if !is_set_aside(home, store, FILE, input)? {
        return Ok(());
    }
    match home.file(FILE).exists() {
        true => is_read(store, &read_again(&home.read(FILE))?),
        false => is_read(store, &Document::default()),
    }
}

fn is_read(store: &Store, stored: &Document) -> Verdict {
    let ask = |method: &str, params: Value| call(store, method, &params, &[])?.map_err(|kind| format!("{kind:?}"));
    let memory: Members = parsed(&ask("memory.get", json!({ "repoHash": REPO }))?)?;
    for ((name, _), records) in SECTIONS.iter().zip(&stored.sections) {
        let shown: Vec<Box<RawValue>> = parsed(memory.get(name).unwrap_or_default())?;
        let same = shown.iter().map(|it| it.get()).eq(records.iter().map(String::as_str));
        must(same, || format!("memory.get tells {name} as {shown:?}"))?;
    }
    let listed: Vec<Box<RawValue>> = parsed(&ask("memory.list", json!({ "repoHash": REPO }))?)?;
    let count = stored.sections.iter().map(Vec::len).sum::<usize>();
    must(listed.len() == count, || format!("memory.list tells {} of {count}", listed.len()))?;
    for most in [0, 200, 8000] {
        let pack: Value = parsed(&ask("context.build", json!({ "repoHash": REPO, "maxChars": most }))?)?;
        let chars = pack["text"].as_str().map_or(usize::MAX, |text| text.chars().count());
        must(chars <= most, || format!("a pack of {most} has {chars} characters"))?;
    }
    Ok(())
}

/// A new record, a changed one, a removed one, and all of them taken over by another repository.
fn is_changed(home: &Home, input: &[u8], stored: &Document, store: &Store) -> Verdict {
    let first = stored.sections.iter().enumerate().find_map(|(place, records)| Some((place, records.first()?)));
    let Some((place, record)) = first else { return is_added(home, store) };
    let members: Members = parsed(record)?;
    let id = members.text("id").unwrap_or_default();
    let (kind, field) = [("convention", "content"), ("decision", "rationale"), ("note", "content")][place];
    let method = ["memory.upsertConvention", "memory.upsertDecision", "memory.upsertNote"][place];
    let change = json!({ "repoHash": REPO, kind: { "id": id, field: "Another text." } });
    match call(store, method, &change, &[Validation, SecretRefused, Parse])? {
        Err(kind) => must(home.read(FILE) == input, || format!("{kind:?} changed the file"))?,
        Ok(changed) => {
            let mut expected = read_again(input)?;
            expected.sections[place][0] = changed.clone();
            is_now(home, &expected, "a change")?;
            let changed: Members = parsed(&changed)?;
            for (key, value) in members.0.iter().filter(|(key, _)| key != field && key != "updatedAt") {
                must(changed.get(key) == Some(value.get()), || format!("a change lost {key:?}"))?;
            }
        }
    }
    is_added(home, store)?;
    let before = read_again(&home.read(FILE))?;
    is_adopted(home, store, &before)?;
    let removed = call(store, "memory.remove", &json!({ "repoHash": REPO, "id": id }), &[])?;
    must(removed.as_deref() == Ok(r#"{"removed":true}"#), || format!("{id:?} is not removed: {removed:?}"))?;
    let mut expected = before;
    expected.sections[place].remove(0);
    is_now(home, &expected, "a removal")
}

fn is_added(home: &Home, store: &Store) -> Verdict {
    let mut expected = read_again(&home.read(FILE))?;
    let new = json!({ "repoHash": REPO, "note": { "content": "new", "source": "tool", "extra": { "beyond": 1e40 } } });
    let added = call(store, "memory.upsertNote", &new, &[])?.map_err(|kind| format!("{kind:?}"))?;
    expected.sections[2].push(added);
    is_now(home, &expected, "a new record")
}

fn is_adopted(home: &Home, store: &Store, source: &Document) -> Verdict {
    let params = json!({ "fromRepoHash": REPO, "toRepoHash": OTHER_REPO });
    call(store, "repo.migrate", &params, &[])?.map_err(|kind| format!("{kind:?}"))?;
    let target = home.file(FILE).to_string_lossy().replace(REPO, OTHER_REPO);
    let target = read_again(&std::fs::read(target).unwrap_or_default())?;
    must(target.sections == source.sections, || "repo.migrate lost a record".to_owned())
}

fn is_now(home: &Home, expected: &Document, after: &str) -> Verdict {
    let bytes = home.read(FILE);
    let same = document(&bytes).is_ok_and(|now| now == *expected);
    must(same, || format!("after {after} the file holds {}", bytes.escape_ascii()))
}

fn read_again(bytes: &[u8]) -> Verdict<Document> {
    document(bytes).map_err(|kind| format!("{kind:?}: {}", bytes.escape_ascii()))
}

fn words() -> Vec<String> {
    let mut words = vec![
        r#""schemaVersion":1"#.to_owned(),
        r#""schemaVersion": 2"#.to_owned(),
        r#""conventions":[]"#.to_owned(),
        r#","x":{"y":[1e400,"\ud800"]}"#.to_owned(),
        r#""content":"DB_PASSWORD=hunter22!x""#.to_owned(),
        r#""source":"agent""#.to_owned(),
        ",\n".to_owned(),
        "[".repeat(200),
    ];
    for (section, keys) in SECTIONS {
        words.push(format!("\"{section}\":["));
        words.extend(keys.iter().map(|key| format!("\"{key}\":")));
        words.push(record(keys, "a"));
    }
    words
}

fn record(keys: &[&str], id: &str) -> String {
    let field = |key: &&str| match *key {
        "id" => format!(r#""id":"{id}""#),
        "tags" | "impactedPaths" => format!(r#""{key}":["src/"]"#),
        "source" => r#""source":"manual""#.to_owned(),
        "createdAt" | "updatedAt" => format!(r#""{key}":"2025-01-01T00:00:00Z""#),
        _ => format!(r#""{key}":"some {key}""#),
    };
    format!("{{{}}}", keys.iter().map(field).collect::<Vec<_>>().join(","))
}

/// A well-formed document of a few records, with members of its own.
fn begin(rng: &mut Rng) -> Vec<u8> {
    let ids = ["a", "b", "é\\n", "c", "\\ud83d\\ude00", "00"];
    let mut next = 0;
    let mut members = vec![r#""other": {"kept":[1e400]}"#.to_owned()];
    for (section, keys) in SECTIONS {
        let records: Vec<_> = (0..rng.below(3))
            .map(|_| {
                record(
                    keys,
                    ids[{
                        next += 1;
                        next - 1
                    }],
                )
            })
            .collect();
        members.insert(rng.below(members.len() + 1), format!("\"{section}\": [{}]", records.join(",\n")));
    }
    format!("{{\n{}\n}}\n", members.join(",\n")).into_bytes()
}
