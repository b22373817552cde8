//! No secret reaches a file or an error, whatever field of whatever method contains it.

use std::time::{Duration, Instant};

use loopmem::memory::Convention;
use loopmem::methods::dispatch;
use loopmem::summary::Summary;
use loopmem::testing::disk::Fields;
use loopmem::{ErrorKind, Options, Result, Store};
use serde_json::{Value, json};

use crate::{TestHome, append, conventions, repo, steps, upsert};

/// Put together at run time, so that no scanner trips over this file.
pub(crate) struct Secrets {
    pub(crate) token: String,
    pub(crate) password: String,
    /// The value of an environment variable whose name says what it is.
    pub(crate) environment: String,
    /// What the user's own pattern matches.
    pub(crate) custom: String,
}

impl Secrets {
    pub(crate) fn new() -> Self {
        Secrets {
            token: format!("ghp_{}", "a1B2".repeat(9)),
            password: ["hunter", "22", "!x"].concat(),
            environment: ["qW3", "rT5", "yU7"].join("-"),
            custom: format!("CORP-{}", 1234),
        }
    }

    pub(crate) fn open(&self, home: &TestHome) -> Store {
        self.open_at(home, None)
    }

    /// As [`open`](Self::open), with a fixed clock.
    pub(crate) fn open_at(&self, home: &TestHome, clock: Option<&str>) -> Store {
        let options = Options::at(home.root()).codex_home(home.codex()).redaction_patterns(["CORP-[0-9]{4}"]);
        let options = clock.into_iter().fold(options, Options::clock);
        let environment = [("SERVICE_TOKEN".into(), self.environment.clone().into())];
        loopmem::testing::open_on(options, std::sync::Arc::new(loopmem::testing::disk::RealFs), environment).unwrap()
    }

    /// All secrets in one text.
    pub(crate) fn text(&self) -> String {
        let Secrets { token, password, environment, custom } = self;
        format!("push with {token}, DB_PASSWORD={password} or {environment} ({custom})")
    }

    #[track_caller]
    pub(crate) fn assert_absent(&self, from: &[u8], place: &str) {
        let shown = String::from_utf8_lossy(from);
        for secret in [&self.token, &self.password, &self.environment, &self.custom] {
            assert!(!shown.contains(secret), "{secret} is in {place}: {shown}");
        }
    }

    #[track_caller]
    pub(crate) fn assert_absent_from_files(&self, home: &TestHome) {
        for path in home.entries() {
            self.assert_absent(path.to_str().unwrap().as_bytes(), "a path");
            if path.is_file() {
                self.assert_absent(&std::fs::read(&path).unwrap(), path.to_str().unwrap());
            }
        }
    }
}

#[test]
fn a_secret_that_its_key_reveals_or_that_escapes_hide_is_not_stored() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let store = secrets.open(&home);
    let escaped: String = secrets.token.chars().map(|letter| format!("\\u{:04x}", u32::from(letter))).collect();
    let fields = format!(
        r#""title": "T", "content": "{escaped}", "extra": {{"db": {{"passwor\u0064": "{}"}}, "later": ["{escaped}"]}}"#,
        secrets.password
    );
    let params = format!(r#"{{"repoHash": "{}", "convention": {{{fields}}}}}"#, repo());
    let stored = dispatch(&store, "memory.upsertConvention", &params).unwrap();
    assert_eq!(stored.matches("[REDACTED:").count(), 3, "{stored}");
    let file = std::fs::read_to_string(home.memory()).unwrap();
    for text in [&stored, &file] {
        secrets.assert_absent(text.as_bytes(), "what is stored");
        assert!(!text.contains(&escaped), "{text}");
    }
}

#[test]
fn two_secrets_as_keys_of_one_object_remain_two_keys() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let store = secrets.open(&home);
    let (one, other) = (&secrets.token, secrets.token.replace("a1", "c3"));
    let upsert = || {
        let extra = json!({ one: 1, &other: 2, "in": { one: 3, &other: 4 } });
        let fields = json!({ "id": "a", "title": "T", "content": "C", "extra": extra });
        let params = json!({ "repoHash": repo(), "convention": fields });
        dispatch(&store, "memory.upsertConvention", &params.to_string()).unwrap()
    };
    let stored: Value = serde_json::from_str(&upsert()).unwrap();
    // Each has its own tag.
    let keys: Vec<&String> = stored.as_object().unwrap().keys().filter(|key| key.starts_with("[REDACTED:")).collect();
    let [first, second] = keys[..] else { panic!("{stored}") };
    assert_ne!(first, second);
    let members = [&stored[first], &stored[second], &stored["in"][first], &stored["in"][second]];
    assert!(members == [1, 2, 3, 4] || members == [2, 1, 4, 3], "{stored}");
    // The same draft makes the same record.
    for _ in 0..2 {
        let mut again: Value = serde_json::from_str(&upsert()).unwrap();
        again["updatedAt"] = stored["updatedAt"].clone();
        assert_eq!(again, stored);
    }
}

/// A store with `pattern` among its redaction patterns.
fn open_with(home: &TestHome, pattern: &str) -> Store {
    let options = Options::at(home.root()).codex_home(home.codex()).redaction_patterns([pattern.to_owned()]);
    loopmem::testing::open_on(options, std::sync::Arc::new(loopmem::testing::disk::RealFs), []).unwrap()
}

fn upsert_json(store: &Store, convention: &Value) -> Result<Value> {
    let params = json!({ "repoHash": repo(), "convention": convention });
    let stored = dispatch(store, "memory.upsertConvention", &params.to_string())?;
    Ok(serde_json::from_str(&stored).unwrap())
}

#[test]
fn a_users_pattern_redacts_the_hosts_text_and_nothing_of_loopmem() {
    for (pattern, match_of_it) in [
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", "0192f3a4-7b1c-7def-8123-456789abcdef"),
        (r"\d{4}-\d{2}-\d{2}", "2026-01-31"),
        ("id|title|content|tags|createdAt|updatedAt|summary|runId|stepId|timestamp", "tags"),
        (".+", "anything"),
    ] {
        let home = TestHome::new();
        let store = open_with(&home, pattern);
        let text = format!("see {match_of_it}.");
        let key = format!("my {match_of_it}");
        let draft = json!({ "title": text, "content": text, "tags": [text], "extra": { "more": text, key: 1 } });
        let (first, second) = (upsert_json(&store, &draft).unwrap(), upsert_json(&store, &draft).unwrap());
        assert_ne!(first["id"], second["id"], "{pattern}");
        assert_eq!(conventions(&store).len(), 2, "{pattern}");
        let summary = dispatch(
            &store,
            "summary.append",
            &json!({ "repoHash": repo(), "runId": "-", "stepId": "-", "summary": text, "tags": [text] }).to_string(),
        );
        // Ids of the caller's own are refused as ever.
        assert_eq!(summary.is_err(), pattern == ".+", "{summary:?}");
        let stored = summary.map_or_else(|_| first.to_string(), |summary| format!("{first}{summary}"));
        assert!(!stored.contains(&text), "{stored}");
        for time in [&first["createdAt"], &first["updatedAt"]] {
            assert!(!time.as_str().unwrap().contains("REDACTED"), "{stored}");
        }
        let refused = upsert(&store, match_of_it, "x").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused}");
    }
}

#[test]
fn the_debug_output_of_a_store_contains_no_secret_of_the_environment() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let store = secrets.open(&home);
    append(&store, "s").unwrap();
    assert!(!format!("{store:?}").contains(&secrets.environment));
}

/// Well under a second on an idle machine, and minutes if the time grew with the square of the text.
#[track_caller]
fn soon<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    assert!(begun.elapsed() < Duration::from_secs(10), "{what:?} took {:?}", begun.elapsed());
    done
}

#[test]
fn no_text_however_odd_keeps_the_redactor_busy_for_long() {
    let redactor = loopmem::safety::Redactor::new(&[], []).unwrap();
    for unit in [
        ":",
        "=",
        " ",
        "token=",
        "token:",
        "token =,",
        "://a",
        "Bearer ",
        "-eyJ",
        "-----BEGIN ",
        "[REDACTED:",
        "a,",
        "\\n",
    ] {
        let text = format!("token{}", unit.repeat(400_000 / unit.len()));
        soon(unit, || redactor.redact(&text).len());
    }
}

#[test]
fn no_draft_however_odd_keeps_an_upsert_busy_for_long() {
    let home = TestHome::new();
    let store = home.open();
    let upsert = |what: &str, fields: &str| {
        let start = format!(
            r#"{{"repoHash":"{}","convention":{{"id":"{what}","title":"T","content":"C","extra":{{"first":1"#,
            repo()
        );
        let params = format!("{start}{fields}}}}}}}");
        soon(what, || dispatch(&store, "memory.upsertConvention", &params)).map(drop)
    };
    let members = |key: &dyn Fn(usize) -> String, count| -> String {
        (0..count).map(|number| format!(r#","{}":1"#, key(number))).collect()
    };
    let many = members(&|number| number.to_string(), 80_000);
    let secret = members(&|number| format!("ghp_{number:036}"), 8_000);
    for _ in 0..2 {
        upsert("many keys", &many).unwrap();
        upsert("secret keys", &secret).unwrap();
    }
    let deep = format!(r#","{}":{}1{}"#, "k".repeat(70_000), "[".repeat(40_000), "]".repeat(40_000));
    // Members that no record can hold are not even gathered.
    let flood = members(&|number| number.to_string(), 1_000_000);
    for (what, fields) in [("deep", deep), ("flood", flood)] {
        assert_eq!(upsert(what, &fields).unwrap_err().kind(), ErrorKind::Validation);
    }
}

#[test]
fn an_invalid_record_is_refused_before_anything_is_created() {
    let home = TestHome::new();
    let store = home.open();
    let hash = repo();
    let summaries = store.repo_at(&hash).summaries();
    for tags in
        [vec!["x".repeat(2 << 20)], vec!["a\0b".to_owned()], vec![["password", "=q8w9 "].concat().repeat(100_000)]]
    {
        let refused = summaries.append(Summary::draft("r", "s", "S").tags(tags)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Validation, "{refused}");
    }
    // At whatever length it begins: what loopmem adds does not make a draft too long that was let in.
    for length in ((1 << 20) - 5000..(1 << 20) - 3000).step_by(97) {
        if upsert(&store, &"\\".repeat(256), &"x".repeat(length)).is_ok() {
            std::fs::remove_dir_all(home.root()).unwrap();
        }
    }
    assert_eq!(home.entries(), [""; 0].map(std::path::PathBuf::from));
}

#[test]
fn fields_of_the_host_cannot_have_the_name_of_a_known_one() {
    let home = TestHome::new();
    let store = home.open();
    for key in ["id", "createdAt", "updatedAt", "title", "content", "tags"] {
        let mut extra = Fields::default();
        extra.set(key, serde_json::value::to_raw_value("ghp").unwrap());
        let draft = Convention::draft("T", "C").extra(extra);
        let refused = store.repo_at(&repo()).memory().upsert(draft).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Validation, "{refused}");
    }
    assert_eq!(home.entries(), [""; 0].map(std::path::PathBuf::from));
}

#[test]
fn an_invalid_stored_record_is_a_parse_error_of_its_file() {
    let home = TestHome::new();
    let long = "x".repeat(1 << 20);
    for field in [r#""x":"\ud800""#, r#""x":["a\u0000"]"#, &format!(r#""x":"{long}""#)] {
        let times = r#""createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-01T00:00:00Z""#;
        let file = format!(r#"{{"conventions":[{{"id":"a","title":"A","content":"x","tags":[],{times},{field}}}]}}"#);
        home.put(&home.memory(), &file);
        let refused = upsert(&home.open(), "a", "new").unwrap_err();
        assert_eq!((refused.kind(), refused.path()), (ErrorKind::Parse, Some(&*home.memory())), "{refused}");
        assert_eq!(std::fs::read_to_string(home.memory()).unwrap(), file);
        // Others may be changed beside it.
        upsert(&home.open(), "b", "new").unwrap();
    }
}

#[test]
fn summaries_are_ordered_by_time_and_not_by_text() {
    let home = TestHome::new();
    let line = |step: &str, timestamp: &str| {
        format!("{}\n", json!({ "runId": "r", "stepId": step, "timestamp": timestamp, "summary": "S", "tags": [] }))
    };
    let file = [
        ("2", "2026-01-01T01:00:00.500Z"),
        ("1", "2026-01-01T01:00:00Z"),
        ("0", "2026-01-01T02:00:00+02:00"),
        ("3", "2026-01-01T02:00:00Z"),
        ("4", "yesterday"),
        ("5", "2026-01-01T03:00:00+01:00"),
    ];
    home.put(&home.summaries(), file.map(|(step, timestamp)| line(step, timestamp)).concat());
    assert_eq!(steps(&home.open()), ["0", "1", "2", "3", "4", "5"]);
}

#[test]
fn an_id_that_is_a_secret_is_refused_and_nothing_is_written() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let store = secrets.open(&home);
    let hash = repo();
    for secret in [&secrets.token, &secrets.environment, &secrets.custom] {
        for (method, params) in [
            (
                "memory.upsertConvention",
                json!({ "repoHash": hash, "convention": { "id": secret, "title": "T", "content": "C" } }),
            ),
            ("summary.append", json!({ "repoHash": hash, "runId": secret, "stepId": "s", "summary": "S" })),
            ("summary.append", json!({ "repoHash": hash, "runId": "r", "stepId": secret, "summary": "S" })),
        ] {
            let refused = dispatch(&store, method, &params.to_string()).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused}");
            secrets.assert_absent(refused.to_json().as_bytes(), "the refusal");
        }
    }
    assert_eq!(home.entries(), [""; 0].map(std::path::PathBuf::from));
}

#[test]
fn a_panic_becomes_an_error_without_its_payload() {
    let home = TestHome::new();
    let store = home.open();
    let error = dispatch(&store, "debug.panic", "{}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
    assert!(!error.to_json().contains("payload"), "{error}");
    assert!(error.to_json().contains("methods/mod.rs:"), "the location is reported: {error}");
    // The store goes on.
    dispatch(&store, "memory.get", &json!({ "repoHash": repo() }).to_string()).unwrap();
}
