//! No secret reaches a file or an error, whatever field of whatever method it came in by.

use loopmem::methods::{CallOptions, Field, Struct, Type, describe, dispatch};
use loopmem::{ErrorKind, Options, Store};
use serde_json::{Value, json};

use crate::{TestHome, repo};

/// Put together at run time, so that no scanner trips over this file.
struct Secrets {
    token: String,
    password: String,
    /// The value of an environment variable whose name says what it is.
    environment: String,
    /// What the user's own pattern matches.
    custom: String,
}

impl Secrets {
    fn new() -> Self {
        Secrets {
            token: format!("ghp_{}", "a1B2".repeat(9)),
            password: ["hunter", "22", "!x"].concat(),
            environment: ["qW3", "rT5", "yU7"].join("-"),
            custom: format!("CORP-{}", 1234),
        }
    }

    fn open(&self, home: &TestHome) -> Store {
        let options =
            Options { redaction_patterns: Some(vec!["CORP-[0-9]{4}".to_owned()]), ..Options::at(home.root()) };
        let environment = [("SERVICE_TOKEN".into(), self.environment.clone().into())];
        Store::open_on(options, std::sync::Arc::new(loopmem::disk::RealFs), environment).unwrap()
    }

    /// Every secret, as they may stand in one text.
    fn text(&self) -> String {
        let Secrets { token, password, environment, custom } = self;
        format!("push with {token}, DB_PASSWORD={password} or {environment} ({custom})")
    }

    #[track_caller]
    fn assert_absent(&self, from: &[u8], place: &str) {
        let shown = String::from_utf8_lossy(from);
        for secret in [&self.token, &self.password, &self.environment, &self.custom] {
            assert!(!shown.contains(secret), "{secret} stands in {place}: {shown}");
        }
    }

    #[track_caller]
    fn assert_absent_from_files(&self, home: &TestHome) {
        for path in home.entries() {
            self.assert_absent(path.to_str().unwrap().as_bytes(), "a path");
            if path.is_file() {
                self.assert_absent(&std::fs::read(&path).unwrap(), path.to_str().unwrap());
            }
        }
    }
}

/// A params object that the method takes; a method that needs more than this must be given it here.
fn sample(it: &Struct, structs: &[Struct]) -> Value {
    let value = |field: &Field| match field.name.as_str() {
        "repoHash" => Some(json!(repo().as_str())),
        // The other way to name the repository.
        "workspace" if it.fields.iter().any(|field| field.name == "repoHash") => None,
        "workspace" => Some(json!(".")),
        // Always a new record.
        "id" => None,
        _ => Some(sample_of(&field.ty, structs)),
    };
    it.fields.iter().filter_map(|field| Some((field.name.clone(), value(field)?))).collect()
}

fn sample_of(ty: &Type, structs: &[Struct]) -> Value {
    match ty {
        Type::Text | Type::Json => json!("plain"),
        Type::Integer => json!(1000),
        Type::Boolean => json!(true),
        Type::OneOf(names) => json!(names[0]),
        Type::List(inner) => json!([sample_of(inner, structs)]),
        Type::Struct(name) => sample(named(name, structs), structs),
    }
}

fn named<'s>(name: &str, structs: &'s [Struct]) -> &'s Struct {
    structs.iter().find(|it| it.name == name).unwrap()
}

/// `params` once for each place that a secret can come in by: every value of whatever type, keys that are not known,
/// and values under those.
fn tainted(it: &Struct, structs: &[Struct], params: &Value, secret: &str) -> Vec<Value> {
    let with = |key: &str, value: Value| {
        let mut params = params.clone();
        params[key] = value;
        params
    };
    let mut all = vec![
        with(secret, json!(1)),
        with("unknown", json!([{ "deep": secret }])),
        with("unknown", json!({ secret: { secret: true } })),
    ];
    for field in &it.fields {
        all.push(with(&field.name, json!(secret)));
        all.push(with(&field.name, json!([secret])));
        all.push(with(&field.name, json!({ secret: secret })));
        if let Type::Struct(name) = &field.ty {
            let inner = tainted(named(name, structs), structs, &params[&field.name], secret);
            all.extend(inner.into_iter().map(|value| with(&field.name, value)));
        }
    }
    all
}

#[test]
fn no_secret_in_any_field_of_any_method_reaches_a_file_or_an_error() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let store = secrets.open(&home);
    let description = describe();
    let mut errors = 0;
    for method in &description.methods {
        let call = |params: &Value| dispatch(&store, method.name, &params.to_string(), CallOptions::default());
        let params = sample(&method.params, &description.structs);
        call(&params).unwrap_or_else(|failed| panic!("{} with {params}: {failed}", method.name));
        let texts = [secrets.text(), secrets.token.clone(), secrets.environment.clone(), secrets.custom.clone()];
        for params in texts.iter().flat_map(|text| tainted(&method.params, &description.structs, &params, text)) {
            // A result of a method that stores nothing may say what was asked.
            if let Err(failed) = call(&params) {
                errors += 1;
                secrets
                    .assert_absent(failed.to_json().as_bytes(), &format!("an error of {} with {params}", method.name));
                secrets.assert_absent(format!("{failed:?}").as_bytes(), method.name);
            }
        }
        secrets.assert_absent_from_files(&home);
    }
    assert!(errors > 100, "{errors}");
    // The secrets did get that far, by each rule.
    for file in [home.memory(), home.summaries()] {
        let stored = std::fs::read_to_string(&file).unwrap();
        for rule in ["github-token", "keyed-value", "environment-value", "custom-pattern"] {
            assert!(stored.contains(&format!("[REDACTED:{rule}]")), "{rule} in {}: {stored}", file.display());
        }
    }
}

#[test]
fn a_secret_that_is_told_by_its_key_or_hidden_in_escapes_is_not_stored() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let store = secrets.open(&home);
    let escaped: String = secrets.token.chars().map(|letter| format!("\\u{:04x}", u32::from(letter))).collect();
    let fields = format!(
        r#""title": "T", "content": "{escaped}", "db": {{"passwor\u0064": "{}"}}, "later": ["{escaped}"]"#,
        secrets.password
    );
    let params = format!(r#"{{"repoHash": "{}", "convention": {{{fields}}}}}"#, repo());
    let stored = dispatch(&store, "memory.upsertConvention", &params, CallOptions::default()).unwrap();
    assert_eq!(stored.matches("[REDACTED:").count(), 3, "{stored}");
    let file = std::fs::read_to_string(home.memory()).unwrap();
    for text in [&stored, &file] {
        secrets.assert_absent(text.as_bytes(), "what is stored");
        assert!(!text.contains(&escaped), "{text}");
    }
}

#[test]
fn secrets_that_are_keys_of_one_object_stay_two_keys() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let store = secrets.open(&home);
    let (one, other) = (&secrets.token, secrets.token.replace("a1", "c3"));
    let upsert = || {
        let fields = json!({ "id": "a", "title": "T", "content": "C", one: 1, &other: 2, "in": { one: 3, &other: 4 } });
        let params = json!({ "repoHash": repo(), "convention": fields });
        dispatch(&store, "memory.upsertConvention", &params.to_string(), CallOptions::default()).unwrap()
    };
    let stored: Value = serde_json::from_str(&upsert()).unwrap();
    let (first, second) = ("[REDACTED:github-token]", "[REDACTED:github-token] 2");
    assert_eq!([&stored[first], &stored[second], &stored["in"][first], &stored["in"][second]], [1, 2, 3, 4]);
    // Such a record is as good as any other.
    upsert();
    upsert();
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
            let refused = dispatch(&store, method, &params.to_string(), CallOptions::default()).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused}");
            secrets.assert_absent(refused.to_json().as_bytes(), "the refusal");
        }
    }
    assert_eq!(home.entries(), [""; 0].map(std::path::PathBuf::from));
}

#[test]
fn a_panic_becomes_an_error_that_does_not_tell_its_payload() {
    let home = TestHome::new();
    let store = home.open();
    let error = dispatch(&store, "debug.panic", "{}", CallOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Panic);
    assert!(!error.to_json().contains("payload"), "{error}");
    assert!(error.to_json().contains("methods/mod.rs:"), "the place is told: {error}");
    // The store goes on.
    dispatch(&store, "memory.get", &json!({ "repoHash": repo() }).to_string(), CallOptions::default()).unwrap();
}
