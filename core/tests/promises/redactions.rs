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
        ("memory.upsertNote", json!({"note": {"content": "x", "db": {"password": "hunter22"}}}), "db.password"),
        (
            "memory.upsertDecision",
            json!({"decision": {"title": format!("a\n{secret}"), "summary": "s", "rationale": "r"}}),
            "title",
        ),
        ("summary.append", json!({"runId": "r", "stepId": "s", "summary": secret}), "summary"),
        (
            "summary.endStep",
            json!({"runId": "r", "stepId": "s", "events": [{"kind": "output", "text": secret}]}),
            "events",
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
    let mut files: Vec<_> = std::fs::read_dir(home.root()).unwrap().map(|it| it.unwrap().file_name()).collect();
    files.retain(|name| !name.to_string_lossy().starts_with("redaction.key"));
    assert!(files.is_empty(), "{files:?}");
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
