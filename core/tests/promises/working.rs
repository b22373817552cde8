//! The promises of working contexts, tested with every adapter.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use loopmem::methods::{Host, HostCall, HostFunction, HostObject, dispatch};
use loopmem::testing::disk::{Fields, WaitOptions};
use loopmem::testing::sqlite::rusqlite;
use loopmem::testing::working::{Adapter, Json, Key, MemoryAdapter, Scope, Write, rebuild};
use loopmem::working::{Patch, Range};
use loopmem::{Error, ErrorKind, Options, Result, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A home and a way to open it repeatedly.
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) home: TempDir,
    pub(crate) host: Option<Arc<dyn HostObject>>,
}

impl Place {
    pub(crate) fn open(&self) -> Store {
        self.open_with(Options::default())
    }

    fn open_with(&self, options: Options) -> Store {
        let options = options.home(self.home.path().join("home"));
        let options = if self.name == "host" { options } else { options.adapter(self.name) };
        Store::builder().options(options).host(Host::default().adapter(self.host.clone())).open().unwrap()
    }

    /// Whether what it keeps outlives a store.
    fn persists(&self) -> bool {
        self.name != "memory"
    }
}

/// Every adapter that needs no server, including the simplest host adapter.
fn places() -> Vec<Place> {
    ["memory", "file", "sqlite", "host"]
        .into_iter()
        .map(|name| {
            let host = (name == "host").then(|| Arc::new(Plain::default()) as Arc<dyn HostObject>);
            Place { name, home: tempfile::tempdir().unwrap(), host }
        })
        .collect()
}

/// The five required functions over a map, as a host would write them.
#[derive(Debug, Default)]
pub(crate) struct Plain(Mutex<BTreeMap<String, Value>>);

impl HostObject for Plain {
    fn offers(&self, function: HostFunction) -> bool {
        !function.is_optional() || function == HostFunction::ListKeys
    }

    fn call(&self, call: HostCall<'_>) -> Result<String> {
        let arguments: Vec<Value> = serde_json::from_str(&call.arguments).unwrap();
        let key = arguments[0].as_str().unwrap().to_owned();
        let mut kept = self.0.lock().unwrap();
        let answer = match call.function {
            HostFunction::Get | HostFunction::GetList => kept.get(&key).cloned().unwrap_or_default(),
            HostFunction::Set => {
                kept.insert(key, arguments[1].clone());
                Value::Null
            }
            HostFunction::Del => kept.remove(&key).map_or(Value::Null, |_| Value::Null),
            HostFunction::Push => {
                kept.entry(key).or_insert(json!([])).as_array_mut().unwrap().push(arguments[1].clone());
                Value::Null
            }
            HostFunction::ListKeys => kept.keys().filter(|it| it.starts_with(&key)).cloned().collect::<Vec<_>>().into(),
            _ => return Err(Error::new(ErrorKind::Internal, "it has none")),
        };
        Ok(answer.to_string())
    }
}

pub(crate) fn call(store: &Store, method: &str, params: Value) -> Result<Value> {
    let answer = dispatch(store, method, &params.to_string())?;
    Ok(serde_json::from_str(&answer).unwrap())
}

fn update(store: &Store, scope: &str, patch: Value) -> Value {
    call(store, "working.updateContext", json!({ "scopeId": scope, "patch": patch })).unwrap()
}

fn context(store: &Store, scope: &str) -> Value {
    call(store, "working.getContext", json!({ "scopeId": scope })).unwrap()
}

#[test]
fn a_patch_sets_whole_values_by_name_and_remove_removes_names() {
    for place in places() {
        let store = place.open();
        assert_eq!(context(&store, "job-1"), json!({}), "{}", place.name);
        update(&store, "job-1", json!({ "a": { "x": 1 }, "b": [1], "c": 3 }));
        let next = update(&store, "job-1", json!({ "a": { "y": 2 }, "b": null }));
        assert_eq!(next, json!({ "a": { "y": 2 }, "b": null, "c": 3 }));
        let params = json!({ "scopeId": "job-1", "patch": { "d": 1, "c": 4 }, "remove": ["c", "b", "unknown"] });
        assert_eq!(call(&store, "working.updateContext", params).unwrap(), json!({ "a": { "y": 2 }, "c": 4, "d": 1 }));
        assert_eq!(context(&store, "job-1"), json!({ "a": { "y": 2 }, "c": 4, "d": 1 }), "{}", place.name);
    }
}

#[test]
fn scopes_never_overlap_and_may_have_any_name() {
    for place in places() {
        let store = place.open();
        let strange =
            ["global", "job-1", "Job-1", "JOB-1", "a/../../b", "..", ".", "a:b", "a", "b:1", "é\n\t", "x.lock"];
        let long = "long ".repeat(200);
        let scopes: Vec<&str> = strange.into_iter().chain([long.as_str()]).collect();
        for scope in &scopes {
            update(&store, scope, json!({ "its": scope }));
        }
        for scope in &scopes {
            assert_eq!(context(&store, scope), json!({ "its": scope }), "{}", place.name);
        }
        let mut sorted = scopes.clone();
        sorted.sort_unstable();
        assert_eq!(call(&store, "working.listScopes", json!({})).unwrap(), json!(sorted), "{}", place.name);
        for entry in place.home.path().read_dir().unwrap() {
            assert_eq!(entry.unwrap().file_name(), "home", "nothing is outside of the home");
        }
        let scope = scopes[0];
        assert_eq!(
            call(&store, "working.deleteScope", json!({ "scopeId": scope })).unwrap(),
            json!({ "removed": true })
        );
        assert_eq!(
            call(&store, "working.deleteScope", json!({ "scopeId": scope })).unwrap(),
            json!({ "removed": false })
        );
        assert_eq!(context(&store, scope), json!({}));
        assert_eq!(context(&store, "job-1"), json!({ "its": "job-1" }));
    }
}

#[test]
fn a_context_is_what_its_trail_leads_to() {
    for place in places() {
        let store = place.open();
        update(&store, "job-1", json!({ "a": 1, "b": { "c": [1.50, "é"] } }));
        let saved = call(&store, "working.saveCheckpoint", json!({ "jobId": "job-1" })).unwrap();
        let params = json!({ "scopeId": "job-1", "patch": { "d": null }, "remove": ["a"], "source": "agent-x" });
        call(&store, "working.updateContext", params).unwrap();
        let timestamp = &saved["timestamp"];
        call(&store, "working.restoreCheckpoint", json!({ "jobId": "job-1", "timestamp": timestamp })).unwrap();
        update(&store, "job-1", json!({ "e": "after" }));
        let trail = store.working().history("job-1", None).unwrap();
        let scope = Scope::admit(store.redactor(), "scopeId", "job-1").unwrap();
        let rebuilt = rebuild(&scope, &trail).unwrap();
        assert_eq!(serde_json::to_value(&rebuilt).unwrap(), context(&store, "job-1"), "{}", place.name);
        let entries: Vec<Value> = trail.iter().map(|entry| serde_json::from_str(entry.json().get()).unwrap()).collect();
        let operations: Vec<_> = entries.iter().map(|entry| entry["operation"].as_str().unwrap()).collect();
        assert_eq!(operations, ["updateContext", "updateContext", "restoreCheckpoint", "updateContext"]);
        assert_eq!(entries[1]["source"], "agent-x");
        assert_eq!(entries[1]["remove"], json!(["a"]));
        let last = store.working().history("job-1", Some(1)).unwrap();
        assert_eq!(last.len(), 1);
        assert_eq!(last[0].json().get(), trail[3].json().get());
    }
}

#[test]
fn a_restore_can_be_undone_with_replaced_of_its_trail_entry() {
    for place in places() {
        let store = place.open();
        update(&store, "job-1", json!({ "a": 1 }));
        let timestamp =
            call(&store, "working.saveCheckpoint", json!({ "jobId": "job-1" })).unwrap()["timestamp"].clone();
        let before = update(&store, "job-1", json!({ "a": 2, "b": 3 }));
        let restored =
            call(&store, "working.restoreCheckpoint", json!({ "jobId": "job-1", "timestamp": timestamp })).unwrap();
        assert_eq!(restored, json!({ "a": 1 }), "{}", place.name);
        let trail = call(&store, "working.history", json!({ "scopeId": "job-1", "limit": 1 })).unwrap();
        assert_eq!(trail[0]["timestamp"], timestamp);
        update(&store, "job-1", trail[0]["replaced"].clone());
        assert_eq!(context(&store, "job-1"), before);
    }
}

#[test]
fn checkpoints_of_one_millisecond_differ_and_a_missing_one_is_named() {
    for place in places() {
        let store = place.open_with(Options::default().clock("2026-01-31T12:00:00Z"));
        let save = || call(&store, "working.saveCheckpoint", json!({ "jobId": "job-1" })).unwrap()["timestamp"].clone();
        let list = || call(&store, "working.listCheckpoints", json!({ "jobId": "job-1" })).unwrap();
        assert_eq!(list(), json!([]));
        let now = 1_769_860_800_000_u64;
        assert_eq!([save(), save(), save()], [now, now + 1, now + 2].map(Value::from), "{}", place.name);
        let delete = |timestamp: u64| {
            call(&store, "working.deleteCheckpoint", json!({ "jobId": "job-1", "timestamp": timestamp })).unwrap()
        };
        assert_eq!(delete(now + 1), json!({ "removed": true }));
        assert_eq!(delete(now + 1), json!({ "removed": false }));
        assert_eq!(list(), json!([now, now + 2]));
        let params = json!({ "jobId": "job-1", "timestamp": now + 1 });
        let missing = call(&store, "working.restoreCheckpoint", params).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        assert!(missing.message().contains("job-1") && missing.message().contains(&(now + 1).to_string()), "{missing}");
    }
}

#[test]
fn checkpoints_beyond_the_limits_are_removed_when_the_next_is_saved() {
    for place in places() {
        let at = |second: u32, most: Option<u32>, age: Option<u64>| {
            let options = Options::default().clock(format!("2026-01-31T12:00:{second:02}Z"));
            let options = most.into_iter().fold(options, Options::checkpoints_max_entries);
            let age = age.map(std::time::Duration::from_millis);
            place.open_with(age.into_iter().fold(options, Options::checkpoints_max_age))
        };
        if !place.persists() {
            continue;
        }
        let save = |store: &Store| store.working().save_checkpoint("job-1").unwrap();
        let list = |store: &Store| store.working().list_checkpoints("job-1").unwrap();
        let (first, second) = (save(&at(0, None, None)), save(&at(1, None, None)));
        let third = save(&at(2, Some(2), None));
        assert_eq!(list(&at(2, None, None)), [second, third], "{}", place.name);
        let old = at(9, None, Some(5_000));
        let missing = old.working().restore_checkpoint("job-1", first).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        let fourth = save(&old);
        assert_eq!(list(&old), [fourth], "the newest stays");
    }
}

#[test]
fn a_log_keeps_its_entries_in_order_and_pages_through_them() {
    for place in places() {
        let store = place.open();
        let add = |number: usize| {
            let entry = json!({
                "id": format!("e{number}"),
                "content": format!("line {number}"),
                "metadata": { "source": "user", "timestamp": 1.5, "embedding": [0.5, 0.25], "own": [1] },
            });
            call(&store, "working.addLog", json!({ "scopeId": "job-1", "entry": entry })).unwrap()
        };
        let entries: Vec<Value> = (0..600).map(add).collect();
        let get = |params: Value| {
            let mut params = params;
            params["scopeId"] = "job-1".into();
            call(&store, "working.getLogs", params)
        };
        assert_eq!(get(json!({})).unwrap(), json!(entries), "{}", place.name);
        assert_eq!(get(json!({ "limit": 3 })).unwrap(), json!(entries[597..]));
        assert_eq!(get(json!({ "limit": 0 })).unwrap(), json!([]));
        assert_eq!(get(json!({ "after": "e597" })).unwrap(), json!(entries[598..]));
        assert_eq!(get(json!({ "after": "e10", "limit": 2 })).unwrap(), json!(entries[11..13]));
        assert_eq!(get(json!({ "after": "nowhere" })).unwrap_err().kind(), ErrorKind::NotFound);
        let made = call(&store, "working.addLog", json!({ "scopeId": "job-2", "entry": { "content": "x" } })).unwrap();
        assert!(made["id"].is_string() && made["metadata"]["timestamp"].is_u64(), "{made}");
        assert_eq!(made["metadata"]["source"], "unknown");
    }
}

#[test]
fn numbers_stay_as_they_were_written() {
    // The host of these tests reads and writes them itself.
    for place in places().into_iter().filter(|place| place.name != "host") {
        let store = place.open();
        let numbers = r#"{"timestamp":1.50,"embedding":[0.123456789012345678,1e-3],"own":-0.0}"#;
        let params = format!(r#"{{"scopeId":"job-1","entry":{{"content":"x","metadata":{numbers}}}}}"#);
        dispatch(&store, "working.addLog", &params).unwrap();
        let kept = dispatch(&store, "working.getLogs", r#"{"scopeId":"job-1"}"#).unwrap();
        for number in ["1.50", "0.123456789012345678,1e-3", "-0.0"] {
            assert!(kept.contains(number), "{}: {kept}", place.name);
        }
        let params = r#"{"scopeId":"job-1","patch":{"a":1.50,"b":12345678901234567890123}}"#;
        let context = dispatch(&store, "working.updateContext", params).unwrap();
        assert_eq!(context, r#"{"a":1.50,"b":12345678901234567890123}"#, "{}", place.name);
    }
}

#[test]
fn an_invalid_entry_is_refused_with_its_position() {
    let place = &places()[1];
    let store = place.open();
    for (entry, place) in [
        (json!({}), "entry.content must be a string"),
        (json!({ "content": 1 }), "entry.content must be a string"),
        (json!({ "content": "x", "id": 1 }), "entry.id must be a string"),
        (json!({ "content": "x", "metadata": [] }), "entry.metadata must be an object"),
        (json!({ "content": "x", "metadata": { "source": 1 } }), "entry.metadata.source must be a string"),
        (json!({ "content": "x", "metadata": { "timestamp": "now" } }), "entry.metadata.timestamp must be a number"),
        (
            json!({ "content": "x", "metadata": { "embedding": [1, "a"] } }),
            "entry.metadata.embedding must be a list of numbers",
        ),
    ] {
        let refused = call(&store, "working.addLog", json!({ "scopeId": "job-1", "entry": entry })).unwrap_err();
        assert_eq!((refused.kind(), refused.message()), (ErrorKind::Validation, place), "{entry}");
    }
    assert!(!place.home.path().join("home").exists(), "nothing was made for what was refused");
}

#[test]
fn entries_are_found_by_words_and_by_embeddings() {
    for place in places() {
        let store = place.open();
        for (id, content, embedding) in [
            ("a", "The cache is cold after a restart", json!([1, 0, 0])),
            ("b", "Deploys happen on Monday", json!([0.6, 0.8, 0])),
            ("c", "A cold restart clears the cache twice: cache, cache", json!([0, 1])),
            ("d", "Nothing of note", json!(null)),
        ] {
            let entry =
                json!({ "id": id, "content": content, "metadata": { "source": "user", "embedding": embedding } });
            call(&store, "working.addLog", json!({ "scopeId": "job-1", "entry": entry })).unwrap();
        }
        let search = |params: Value| {
            let mut params = params;
            params["scopeId"] = "job-1".into();
            call(&store, "working.searchLogs", params)
        };
        let ids = |found: &Value| -> Vec<String> {
            found.as_array().unwrap().iter().map(|it| it["entry"]["id"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(ids(&search(json!({ "text": "CACHE" })).unwrap()), ["c", "a"], "{}", place.name);
        assert_eq!(ids(&search(json!({ "text": "cache", "limit": 1 })).unwrap()), ["c"]);
        let found = search(json!({ "embedding": [2, 0, 0] })).unwrap();
        assert_eq!(ids(&found), ["a", "b"]);
        assert!((found[1]["score"].as_f64().unwrap() - 0.6).abs() < 1e-6);
        assert_eq!(search(json!({})).unwrap_err().kind(), ErrorKind::Validation);
        assert_eq!(search(json!({ "text": "a", "embedding": [1] })).unwrap_err().kind(), ErrorKind::Validation);
    }
}

#[test]
fn persistent_contexts_survive_a_restart() {
    for place in places().into_iter().filter(Place::persists) {
        let timestamp = {
            let store = place.open();
            update(&store, "job-1", json!({ "a": 1 }));
            call(&store, "working.addLog", json!({ "scopeId": "job-1", "entry": { "content": "x" } })).unwrap();
            store.working().save_checkpoint("job-1").unwrap()
        };
        let store = place.open();
        assert_eq!(context(&store, "job-1"), json!({ "a": 1 }), "{}", place.name);
        assert_eq!(store.working().list_checkpoints("job-1").unwrap(), [timestamp]);
        assert_eq!(store.working().history("job-1", None).unwrap().len(), 1);
        let logs = call(&store, "working.getLogs", json!({ "scopeId": "job-1" })).unwrap();
        assert_eq!(logs[0]["content"], "x");
    }
}

#[test]
fn threads_that_add_different_names_lose_none() {
    for place in places() {
        let store = place.open();
        std::thread::scope(|threads| {
            for thread in 0..8 {
                let store = &store;
                threads.spawn(move || {
                    for number in 0..25 {
                        let mut set = Fields::default();
                        set.set(&format!("{thread}-{number}"), serde_json::value::to_raw_value(&number).unwrap());
                        let patch = Patch::from(set);
                        store.working().update_context("job-1", patch).unwrap();
                    }
                });
            }
        });
        assert_eq!(context(&store, "job-1").as_object().unwrap().len(), 200, "{}", place.name);
        assert_eq!(store.working().history("job-1", None).unwrap().len(), 200);
    }
}

#[test]
fn threads_that_add_to_one_number_and_one_list_lose_none_and_one_of_them_takes_a_step() {
    for place in places() {
        let store = place.open();
        let taken = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|threads| {
            for thread in 0..2 {
                let (store, taken) = (&store, &taken);
                threads.spawn(move || {
                    for number in 0..40 {
                        let patch = Patch::default().increment("count", &1).unwrap();
                        let patch = patch.append("who", &[format!("{thread}-{number}")]).unwrap();
                        store.working().update_context("job-1", patch).unwrap();
                        let patch = Patch::default().set(&format!("step-{number}"), &thread).unwrap();
                        let patch = patch.only_if(&format!("step-{number}"), &Value::Null).unwrap();
                        match store.working().update_context("job-1", patch) {
                            Ok(_) => drop(taken.fetch_add(1, std::sync::atomic::Ordering::SeqCst)),
                            Err(refused) => assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused}"),
                        }
                    }
                });
            }
        });
        let context = context(&store, "job-1");
        assert_eq!(context["count"], 80, "{}", place.name);
        let who: std::collections::BTreeSet<_> = context["who"].as_array().unwrap().iter().map(Value::as_str).collect();
        assert_eq!((who.len(), taken.into_inner()), (80, 40), "{}", place.name);
        let trail = store.working().history("job-1", None).unwrap();
        let scope = Scope::admit(store.redactor(), "scopeId", "job-1").unwrap();
        let rebuilt = rebuild(&scope, &trail).unwrap().value().unwrap();
        assert_eq!(serde_json::from_str::<Value>(rebuilt.json().get()).unwrap(), context, "{}", place.name);
    }
}

#[test]
fn a_value_of_ten_megabytes_is_kept() {
    for place in places() {
        let store = place.open();
        let text = "all work and no play ".repeat(500_000);
        update(&store, "job-1", json!({ "large": text }));
        assert_eq!(context(&store, "job-1")["large"], text, "{}", place.name);
    }
}

#[test]
fn spaces_and_line_breaks_between_tokens_change_nothing() {
    for place in places() {
        let store = place.open();
        let call = |method, params| dispatch(&store, method, params).unwrap();
        let pretty = "{\n \"scopeId\": \"job-1\",\n \"patch\": {\"a\": [1,\n 2], \"b\": {\t\"c d\" : \"e  f\" }}}";
        assert_eq!(call("working.updateContext", pretty), r#"{"a":[1,2],"b":{"c d":"e  f"}}"#, "{}", place.name);
        let entry = "{\"scopeId\":\"job-1\",\"entry\":{\"content\":\"x\", \"metadata\":{\"embedding\":[1,\r\n 2], \"o\": [\n]}}}";
        (0..2).for_each(|_| drop(call("working.addLog", entry)));
        let logs = call("working.getLogs", r#"{"scopeId":"job-1"}"#);
        assert_eq!(logs.matches(r#""o":[],"embedding":[1,2]"#).count(), 2, "{}: {logs}", place.name);
        let trail = call("working.history", r#"{"scopeId":"job-1"}"#);
        assert!(trail.contains(r#""patch":{"a":[1,2],"b":{"c d":"e  f"}}"#), "{}: {trail}", place.name);
    }
}

#[test]
fn an_entry_may_have_additional_members() {
    for place in places() {
        let store = place.open();
        let entry = json!({ "content": "one", "v": 2, "schemaVersion": "x", "tags": ["a"] });
        call(&store, "working.addLog", json!({ "scopeId": "job-1", "entry": entry })).unwrap();
        let logs = call(&store, "working.getLogs", json!({ "scopeId": "job-1" })).unwrap();
        assert_eq!((&logs[0]["v"], &logs[0]["tags"]), (&json!(2), &json!(["a"])), "{}", place.name);
    }
}

/// Some seconds: a context of 36 MB is redacted and stored several times in each place.
#[test]
fn a_large_checkpoint_is_restored_and_deleting_the_last_one_leaves_nothing() {
    for place in places() {
        let store = place.open();
        // Not a secret by itself, but beside what another patch said it looks like one.
        update(&store, "job-1", json!({ "name": "API_KEY" }));
        let beside = ["9fK2", "xQ7b", "Lm3Z", "pR8t"].concat();
        let saved =
            update(&store, "job-1", json!({ "value": beside, "large": "all work and no play ".repeat(1_700_000) }));
        let timestamp = store.working().save_checkpoint("job-1").unwrap();
        update(&store, "job-1", json!({ "name": "other" }));
        let restored = store.working().restore_checkpoint("job-1", timestamp).unwrap();
        assert!(restored.to::<Value>().unwrap() == saved, "{}", place.name);
        store.working().delete_scope("job-1").unwrap();
        let timestamp = store.working().save_checkpoint("job-2").unwrap();
        assert!(store.working().delete_checkpoint("job-2", timestamp).unwrap());
        assert_eq!(store.working().list_scopes().unwrap(), [""; 0], "{}", place.name);
    }
}

/// The required functions in Rust.
#[derive(Debug, Default)]
struct FiveFunctions(MemoryAdapter);

impl Adapter for FiveFunctions {
    fn get(&self, wait: &WaitOptions, key: &Key) -> Result<Option<Json>> {
        self.0.get(wait, key)
    }

    fn write(&self, wait: &WaitOptions, write: Write) -> Result<()> {
        std::thread::yield_now();
        self.0.write(wait, write)
    }

    fn list(&self, wait: &WaitOptions, key: &Key, limit: Option<usize>) -> Result<Vec<Json>> {
        self.0.list(wait, key, limit)
    }
}

#[test]
fn five_functions_are_enough_for_the_threads_of_one_store() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(Options::at(home.path())).unwrap();
    let store = loopmem::testing::with_adapter(store, Arc::new(FiveFunctions::default()));
    std::thread::scope(|threads| {
        for thread in 0..8 {
            let store = &store;
            threads.spawn(move || {
                (0..50).for_each(|number| drop(update(store, "job-1", json!({ format!("{thread}-{number}"): 1 }))));
            });
        }
    });
    assert_eq!(context(&store, "job-1").as_object().unwrap().len(), 400);
    store.working().save_checkpoint("job-1").unwrap();
    let unlisted = store.working().list_scopes().unwrap_err();
    assert_eq!(unlisted.kind(), ErrorKind::Unsupported);
    assert!(store.working().delete_scope("job-1").unwrap());
    assert_eq!(context(&store, "job-1"), json!({}));
    assert!(!store.working().delete_scope("job-1").unwrap());
}

#[test]
fn damaged_files_are_parse_errors_with_their_paths() {
    let place = &places()[1];
    let store = place.open();
    store.working().save_checkpoint("job-1").unwrap();
    let folder = loopmem::testing::home(&store).layout().scope("job-1");
    let damage = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    for (method, params, path) in [
        ("working.listCheckpoints", json!({ "jobId": "job-1" }), damage("checkpoints.json", r#"{"value":["x"]}"#)),
        ("working.getContext", json!({ "scopeId": "job-1" }), damage("context.json", r#"{"value":[]}"#)),
    ] {
        let before = std::fs::read(&path).unwrap();
        let damaged = call(&store, method, params).unwrap_err();
        assert_eq!((damaged.kind(), damaged.path()), (ErrorKind::Parse, Some(&*path)), "{damaged}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn the_end_of_a_log_of_a_hundred_thousand_entries_is_read_and_grows() {
    for name in ["memory", "file", "sqlite"] {
        let place = places().into_iter().find(|place| place.name == name).unwrap();
        let store = place.open();
        let add = |number: usize| {
            let entry = json!({ "id": format!("e{number}"), "content": format!("line {number}") });
            call(&store, "working.addLog", json!({ "scopeId": "job-1", "entry": entry })).unwrap()
        };
        add(0);
        match name {
            // A hundred thousand syncs would measure the disk alone.
            "file" => {
                let path = loopmem::testing::home(&store).layout().scope("job-1").join("logs.jsonl");
                let line = std::fs::read_to_string(&path).unwrap();
                std::fs::write(&path, line.repeat(100_000)).unwrap();
            }
            "sqlite" => {
                let database =
                    rusqlite::Connection::open(loopmem::testing::home(&store).layout().working_database()).unwrap();
                let copy = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
                            INSERT INTO list (key, json) SELECT list.key, list.json FROM n, list WHERE list.id = 1";
                database.execute_batch(copy).unwrap();
            }
            _ => (1..100_000).for_each(|number| drop(add(number))),
        }
        let last = add(100_000);
        let tail = call(&store, "working.getLogs", json!({ "scopeId": "job-1", "limit": 100 })).unwrap();
        assert_eq!((tail.as_array().unwrap().len(), &tail[99]), (100, &last), "{name}");
        let all = store.working().get_logs("job-1", Range::default()).unwrap();
        assert_eq!(all.len(), 100_001, "{name}");
        let found = call(&store, "working.searchLogs", json!({ "scopeId": "job-1", "text": "100000" })).unwrap();
        assert_eq!(found[0]["entry"], last, "{name}");
    }
}
