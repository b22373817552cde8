//! No write redacts in silence, and what is no secret can be declared to be none.

use std::sync::{Arc, Mutex};

use loopmem::methods::{Event, Level, Logger, dispatch};
use loopmem::safety::Allowance;
use loopmem::{CallOptions, ErrorKind, Options, Redactions, Store};
use serde_json::{Value, json};

use crate::{TestHome, repo};

/// Records the events that it receives.
#[derive(Debug, Default)]
struct EventLog(Mutex<Vec<Event>>);

impl Logger for EventLog {
    fn log(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

/// Calls of every method that redacts, each with a secret.
fn calls() -> Vec<(&'static str, Value, &'static str)> {
    let (repo, secret) = (repo(), "DB_PASSWORD=hunter22");
    vec![
        ("memory.upsertConvention", json!({"convention": {"title": "t", "content": secret}}), "content"),
        (
            "memory.upsertNote",
            json!({"note": {"content": "x", "extra": {"db": {"password": "hunter22"}}}}),
            "db.password",
        ),
        (
            "memory.upsertDecision",
            json!({"decision": {"summary": "s", "rationale": "r", "extra": {"title": format!("a\n{secret}")}}}),
            "title",
        ),
        ("summary.append", json!({"runId": "r", "stepId": "s", "summary": secret}), "summary"),
        (
            "summary.endStep",
            json!({"runId": "r", "stepId": "s", "events": [{"kind": "output", "text": secret}]}),
            "summary",
        ),
        (
            "working.updateContext",
            json!({"scopeId": "j", "patch": {"db": {"password": "hunter22"}}}),
            "patch.db.password",
        ),
        ("working.addLog", json!({"scopeId": "j", "entry": {"content": secret}}), "content"),
    ]
    .into_iter()
    .map(|(method, mut params, field)| {
        if !method.starts_with("working.") {
            params["repoHash"] = json!(repo);
        }
        (method, params, field)
    })
    .collect()
}

#[test]
fn every_write_says_what_it_redacted() {
    let (home, told) = (TestHome::new(), Arc::new(EventLog::default()));
    let logger: Arc<dyn Logger> = Arc::<EventLog>::clone(&told);
    let store = Store::builder().home(home.root()).logger(logger).open().unwrap();
    let redactions = Redactions::new();
    let asking = store.with(CallOptions::new().redactions(&redactions));
    for (method, params, field) in calls() {
        dispatch(&asking, method, &params.to_string()).unwrap();
        let listed = redactions.take();
        let [one] = &*listed else { panic!("{method}: {listed:?}") };
        assert_eq!((&*one.method, &*one.field, &*one.rule, one.count), (method, field, "keyed-value", 1));
        let events = std::mem::take(&mut *told.0.lock().unwrap());
        let warnings: Vec<_> = events.iter().filter(|event| event.level == Level::Warn).collect();
        let [warning] = &*warnings else { panic!("{method}: {events:?}") };
        assert_eq!(warning.message, "redacted a secret before it was stored");
        let payload: Value = serde_json::from_str(&warning.payload).unwrap();
        assert_eq!(payload, json!({"method": method, "field": field, "rule": "keyed-value", "count": 1}));
    }
    dispatch(&asking, "working.addLog", r#"{"scopeId": "j", "entry": {"content": "nothing"}}"#).unwrap();
    assert!(redactions.take().is_empty() && told.0.lock().unwrap().iter().all(|event| event.level < Level::Warn));
}

#[test]
fn a_preview_tells_the_same_and_stores_nothing() {
    let home = TestHome::new();
    let store = home.open();
    for (method, params, field) in calls() {
        let answer = dispatch(&store, "safety.preview", &json!({"method": method, "params": params}).to_string());
        let listed: Value = serde_json::from_str(&answer.unwrap()).unwrap();
        assert_eq!(listed, json!([{"method": method, "field": field, "rule": "keyed-value", "count": 1}]));
    }
    assert!(!home.root().exists(), "not even the key for tags is created");
    let refused = dispatch(&store, "safety.preview", r#"{"method": "memory.remove"}"#).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
    assert!(
        refused.message().starts_with("memory.remove stores nothing that is redacted; these do: memory."),
        "{refused}"
    );
    let params = json!({"method": "working.addLog", "params": {"scopeId": "j", "entry": {"content": 1}}});
    let refused = dispatch(&store, "safety.preview", &params.to_string()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation, "{refused}");
}

#[test]
fn a_preview_writes_nothing_with_any_adapter_and_leaves_an_existing_key() {
    let home = TestHome::new();
    let key = || std::fs::read(home.root().join("redaction.key")).ok();
    let preview = |store: &Store| {
        for (method, params, _) in calls() {
            dispatch(store, "safety.preview", &json!({"method": method, "params": params}).to_string()).unwrap();
        }
        let allow = r#"{"method": "safety.allow", "params": {"rule": "jwt", "reason": "DB_PASSWORD=hunter22"}}"#;
        let listed = dispatch(store, "safety.preview", allow).unwrap();
        assert!(listed.contains(r#""field":"reason""#), "{listed}");
    };
    for adapter in ["file", "sqlite", "memory"] {
        preview(&Store::open(Options::at(home.root()).adapter(adapter)).unwrap());
        assert!(!home.root().exists(), "{adapter}");
    }
    // The call itself then creates the key.
    let store = home.open();
    preview(&store);
    let add = |store: &Store| {
        let entry = r#"{"scopeId": "j", "entry": {"id": "a", "content": "DB_PASSWORD=hunter22"}}"#;
        let stored: Value = serde_json::from_str(&dispatch(store, "working.addLog", entry).unwrap()).unwrap();
        stored["content"].as_str().unwrap().to_owned()
    };
    let (stored, created) = (add(&store), key());
    assert!(created.is_some());
    preview(&home.open());
    assert_eq!((key(), add(&home.open())), (created, stored));
}

#[test]
fn a_logger_that_panics_changes_nothing() {
    #[derive(Debug)]
    struct Failing;
    impl Logger for Failing {
        fn log(&self, _: &Event) {
            panic!("the disk is full");
        }
    }
    let home = TestHome::new();
    let logger: Arc<dyn Logger> = Arc::new(Failing);
    let store = Store::builder().home(home.root()).logger(logger).open().unwrap();
    let redactions = Redactions::new();
    let asking = store.with(CallOptions::new().redactions(&redactions));
    for (method, params, _) in calls() {
        dispatch(&asking, method, &params.to_string()).unwrap();
        assert_eq!(redactions.take().len(), 1, "{method}");
    }
}

fn allowance() -> Allowance {
    Allowance { name: None, rule: None, field: None, tag: None, reason: "a test".to_owned() }
}

#[test]
fn an_allowance_by_field_applies_to_every_field_that_is_redacted() {
    for (method, params, field) in calls() {
        let redacted = |allowed: &str| {
            let home = TestHome::new();
            let allowed = Allowance { field: Some(allowed.to_owned()), ..allowance() };
            let store = Store::open(Options::at(home.root()).allow([allowed])).unwrap();
            let redactions = Redactions::new();
            let asking = store.with(CallOptions::new().redactions(&redactions));
            let stored = dispatch(&asking, method, &params.to_string()).unwrap();
            assert_ne!(stored.contains("hunter22"), stored.contains("[REDACTED:"), "{stored}");
            redactions.take().len()
        };
        assert_eq!((redacted(field), redacted("tags")), (0, 1), "{method}");
    }
}

#[test]
fn no_allowance_keeps_a_home_from_being_opened() {
    let home = TestHome::new();
    let rules = home.root().join("redaction.toml");
    std::fs::create_dir_all(home.root()).unwrap();
    // A pattern that matches texts of allowances.
    std::fs::write(&rules, "[[rule]]\nid = 'ours'\npattern = 'demo|[0-9]{5}'").unwrap();
    let texts = [
        "the demo".to_owned(),
        "DB_PASSWORD=hunter22".to_owned(),
        "password=q8w ".repeat(38),
        "a \"quote\", \\ and\n\r\n\tlines\n[[allow]]\n".to_owned(),
        "\u{7f}\u{1}\u{85}\u{2028}\u{feff}\"\"\"'''# 日本".to_owned(),
        "x".repeat(500),
        "x".repeat(501),
        " ".to_owned(),
        "0123456789".to_owned(),
    ];
    let [mut stored, mut refused] = [0, 0];
    // Each twice: an allowance may be there already.
    for text in texts.iter().chain(&texts) {
        for key in ["name", "rule", "field", "tag", "reason"] {
            let given = |it: &str| (it == key).then(|| text.clone());
            let allowance = Allowance {
                name: given("name"),
                rule: given("rule").or_else(|| (key == "reason").then(|| "jwt".to_owned())),
                field: given("field"),
                tag: given("tag"),
                reason: given("reason").unwrap_or_else(|| "a test".to_owned()),
            };
            match home.open().safety().allow(&allowance) {
                Ok(_) => stored += 1,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Validation, "{error}");
                    refused += 1;
                }
            }
            let listed = home.open().safety().allowances().unwrap();
            assert_eq!(listed.len(), stored, "{key} {text:?}");
            assert!(listed.iter().all(|it| !it.reason.contains("hunter22")), "{listed:?}");
        }
    }
    assert!(stored >= 30 && refused >= 30, "{stored} {refused}");
    // A full file, one that would become too large, and one to which no table can be appended.
    let entry = "[[allow]]\nrule = 'jwt'\nreason = 'x'\n";
    for full in [entry.repeat(1_000), format!("# {}", "x".repeat((1 << 20) - 10)), "allow = []".to_owned()] {
        std::fs::write(&rules, &full).unwrap();
        let more = Allowance { rule: Some("jwt".to_owned()), ..allowance() };
        let error = home.open().safety().allow(&more).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Validation, Some(&*rules)), "{error}");
        assert_eq!(std::fs::read_to_string(&rules).unwrap(), full);
        home.open();
    }
}

#[test]
fn what_is_allowed_is_stored_and_the_doctor_lists_it() {
    let home = TestHome::new();
    let update = |store: &Store| {
        let params = r#"{"scopeId": "j", "patch": {"password": "hunter22", "token": "q8Zt4kXwP2vL9sRb7nYd"}}"#;
        dispatch(store, "working.updateContext", params).unwrap()
    };
    let stored = update(&home.open());
    assert_eq!(stored.matches("[REDACTED:").count(), 2, "{stored}");
    let tag = stored.split("token\":\"[REDACTED:keyed-value:").nth(1).unwrap().get(..10).unwrap().to_owned();
    let allowance = |name: Option<&str>, tag: Option<&str>| Allowance {
        name: name.map(str::to_owned),
        rule: None,
        field: None,
        tag: tag.map(str::to_owned),
        reason: "a \"test\"\nof two lines".to_owned(),
    };
    let rules = home.root().join("redaction.toml");
    std::fs::write(&rules, "# ours\n[[rule]]\nid = 'corp'\npattern = 'CORP-[0-9]+'").unwrap();
    let (by_name, by_tag) = (allowance(Some("password"), None), allowance(None, Some(&tag)));
    home.open().safety().allow(&by_name).unwrap();
    home.open().safety().allow(&by_tag).unwrap();
    let text = std::fs::read_to_string(&rules).unwrap();
    assert!(
        text.starts_with("# ours\n[[rule]]\nid = 'corp'\npattern = 'CORP-[0-9]+'\n\n[[allow]]\nname = \"password\"\n"),
        "{text}"
    );
    let store = home.open();
    assert!(!update(&store).contains("[REDACTED:"), "{}", update(&store));
    assert_eq!(store.doctor().check().unwrap().allowances, [by_name.clone(), by_tag.clone()]);
    assert_eq!(store.safety().allowances().unwrap(), [by_name.clone(), by_tag]);
    // The same, by an option.
    let other = TestHome::new();
    let store = Store::open(Options::at(other.root()).allow([by_name])).unwrap();
    assert_eq!(update(&store).matches("[REDACTED:").count(), 1);
}

#[test]
fn an_allowance_that_allows_everything_is_refused_and_a_link_is_not_replaced() {
    let home = TestHome::new();
    let store = home.open();
    let nothing = Allowance { name: None, rule: None, field: None, tag: None, reason: "x".to_owned() };
    assert_eq!(store.safety().allow(&nothing).unwrap_err().kind(), ErrorKind::Validation);
    let refused = Store::open(Options::at(home.root()).allow([nothing.clone()])).unwrap_err();
    assert!(refused.message().starts_with("allow[0] allows everything"), "{refused}");
    let target = home.root().with_extension("target.toml");
    std::fs::create_dir_all(home.root()).unwrap();
    std::fs::write(&target, "").unwrap();
    std::os::unix::fs::symlink(&target, home.root().join("redaction.toml")).unwrap();
    let allowance = Allowance { rule: Some("jwt".to_owned()), ..nothing };
    let refused = home.open().safety().allow(&allowance).unwrap_err();
    assert!(refused.message().contains("is not a regular file"), "{refused}");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "");
}
