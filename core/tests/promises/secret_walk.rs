//! Every text that a caller can pass, with a secret in it: the expected result is listed for each parameter of each
//! method, and no secret is found afterwards in the home, in a log, in an error or in the output of a panic.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, LazyLock};

use loopmem::methods::{Field, Struct, Type, describe, dispatch};
use loopmem::testing::disk::RealFs;
use loopmem::{Error, ErrorKind, Options, Store};
use serde_json::{Value, json};

use crate::credentials::Log;
use crate::secret_fates::Fate::{self, Asked, Invalid, Lost, Path, Redacted, Refused, Unequal};
use crate::secret_fates::{METHODS, OPTIONS};
use crate::secrets::Secrets;
use crate::{HOME, TestHome, repo, started_on};

/// A folder with a bare repository and the folder of a memory.
static MEMORY_ON_A_BRANCH: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap().keep();
    let git = Command::new("git").args(["init", "--quiet", "--bare", "remote.git"]).current_dir(&folder).status();
    assert!(git.unwrap().success());
    let git = |arguments: &[&str]| {
        let who = ["-c", "user.name=t", "-c", "user.email=t@localhost", "--git-dir", "remote.git"];
        let output = Command::new("git").args(who).args(arguments).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let tree = git(&["hash-object", "-w", "-t", "tree", "/dev/null"]);
    let commit = git(&["commit-tree", "-m", "first", &tree]);
    // A branch, and a snapshot of it.
    git(&["update-ref", "refs/heads/memory/default", &commit]);
    git(&["update-ref", "refs/tags/memory/default/plain", &commit]);
    // A repository with it as its remote.
    for arguments in [&["init", "--quiet", "clone"][..], &["-C", "clone", "remote", "add", "origin", "../remote.git"]] {
        assert!(Command::new("git").args(arguments).current_dir(&folder).status().unwrap().success());
    }
    std::fs::create_dir(folder.join("memory")).unwrap();
    std::fs::write(folder.join("version.txt"), "plain").unwrap();
    folder
});

/// Removes what calls made for paths that only the user's own pattern matches.
fn clean_up(secrets: &Secrets) {
    // An export to a file of this name is allowed, and a memory in a folder of this name.
    let _ = std::fs::remove_file(&secrets.custom);
    let _ = std::fs::remove_dir_all(&secrets.custom);
    let _ = std::fs::remove_dir_all(format!(".{}.loopmem", secrets.custom));
    for lock in ["lock", "gate"] {
        let _ = std::fs::remove_file(format!(".{}.loopmem.{lock}", secrets.custom));
    }
}

/// Secrets of each kind, each in a text that reveals it, and whether only the user's pattern finds it.
fn kinds(secrets: &Secrets) -> [(String, bool); 4] {
    let keyed = format!("DB_PASSWORD={}", secrets.password);
    [
        (secrets.token.clone(), false),
        (keyed, false),
        (secrets.environment.clone(), false),
        (secrets.custom.clone(), true),
    ]
}

/// Valid params for the method; a method with further requirements must be handled here.
fn sample(it: &Struct, structs: &[Struct]) -> Value {
    let has = |name: &str| it.fields.iter().any(|field| field.name == name);
    let value = |field: &Field| match field.name.as_str() {
        "repoHash" => Some(json!(repo().as_str())),
        // Files: one that is there, and one that is not.
        "global" => Some(json!(false)),
        "newPath" if has("global") => Some(json!("/memories/new.md")),
        "path" if has("fileText") => Some(json!("/memories/new.md")),
        "path" | "oldPath" if has("global") => Some(json!("/memories/plain.md")),
        "viewRange" => Some(json!([1, -1])),
        "insertLine" => Some(json!(0)),
        // The other way to name the repository.
        "workspace" | "branchScope" if has("repoHash") => None,
        // Not beside the patch.
        "increment" | "append" | "expect" => None,
        "workspace" if it.fields.iter().any(|field| field.name == "on") => {
            Some(json!(MEMORY_ON_A_BRANCH.join("clone")))
        }
        // What is in an archive.
        "all" | "workspace" if has("repoHashes") => None,
        "repoHashes" => Some(json!([repo().as_str()])),
        "path" if has("repoHashes") || has("pathMap") => Some(json!(MEMORY_ON_A_BRANCH.join("home.jsonl"))),
        "pathMap" => Some(json!({ "/plain": "/other" })),
        "workspace" => Some(json!(".")),
        "fromRepoHash" => Some(json!(repo().as_str())),
        "toRepoHash" => Some(json!("aa".repeat(32))),
        // Nothing that could be adopted, and a folder that was moved.
        "from" | "ignore" => None,
        "oldPath" => Some(json!("/plain")),
        "newPath" => Some(json!(".")),
        // Always a new record.
        "id" if !field.required => None,
        // A call to preview.
        "method" => Some(json!("working.addLog")),
        "params" => Some(json!({ "scopeId": "plain", "entry": { "content": "plain" } })),
        "tag" if it.fields.iter().any(|field| field.name == "reason") => Some(json!("0123456789")),
        "rule" if it.fields.iter().any(|field| field.name == "reason") => Some(json!("jwt")),
        // The first entry is followed by all others.
        "after" => None,
        // The other way to search.
        "embedding" => None,
        // Nothing is stored in the folder of these tests.
        "scope" => Some(json!("global")),
        "path" if it.fields.iter().any(|field| field.name == "dir") => None,
        "dir" => Some(json!(".")),
        "expiry" => Some(json!("30d")),
        // Nothing is inherited in these tests.
        "temporary" | "inherited" => Some(json!(false)),
        // The first one needs the folder of a repository.
        "sections" => Some(json!(["notes"])),
        "before" => Some(json!("2026-01-01T00:00:00Z")),
        // A session without anything said in it.
        "rolloutPath" => Some(json!(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))),
        "updatedAt" => Some(json!("2026-01-01T00:00:00Z")),
        "cwd" => Some(json!("/plain")),
        "entry" if !field.required => None,
        "base" | "ours" | "theirs" if it.fields.iter().any(|field| field.name == "theirs") => {
            Some(json!(MEMORY_ON_A_BRANCH.join("version.txt")))
        }
        "roots" | "config" | "base" | "since" | "at" | "rooms" | "kinds" => None,
        "artifactPath" => Some(json!(MEMORY_ON_A_BRANCH.join("memory.tar.zst"))),
        "tag" if !field.required && it.fields.iter().any(|field| field.name == "repoDir") => None,
        "repoDir" => Some(json!(".")),
        "remote" => Some(json!(MEMORY_ON_A_BRANCH.join("remote.git"))),
        // No session is due.
        "with" => Some(json!("claude")),
        "directory" => Some(json!(MEMORY_ON_A_BRANCH.join("memory"))),
        _ => Some(sample_of(&field.ty, structs)),
    };
    it.fields.iter().filter_map(|field| Some((field.name.clone(), value(field)?))).collect()
}

fn sample_of(ty: &Type, structs: &[Struct]) -> Value {
    match ty {
        Type::Text | Type::Json => json!("plain"),
        Type::Integer => json!(1000),
        Type::Number => json!(0.5),
        Type::Object => json!({ "name": "plain" }),
        Type::Boolean => json!(true),
        Type::OneOf(names) => json!(names[0]),
        Type::List(inner) | Type::ListOrStruct(inner, _) => json!([sample_of(inner, structs)]),
        Type::Struct(name) | Type::TextOrStruct(name) => sample(named(name, structs), structs),
    }
}

fn named<'s>(name: &str, structs: &'s [Struct]) -> &'s Struct {
    structs.iter().find(|it| it.name == name).unwrap()
}

/// Every place of a text in params like these, at whatever depth, each with the params that have `secret` there.
fn with_texts(it: &Struct, structs: &[Struct], params: &Value, secret: &str) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for field in &it.fields {
        for (place, value) in texts_of(&field.ty, structs, &params[&field.name], secret) {
            let mut params = params.clone();
            params[&field.name] = value;
            if field.name == "workspace" {
                for other in ["repoHash", "repoHashes"] {
                    params.as_object_mut().unwrap().remove(other);
                }
            }
            all.push((format!("{}{place}", field.name), params));
        }
    }
    all
}

fn texts_of(ty: &Type, structs: &[Struct], value: &Value, secret: &str) -> Vec<(String, Value)> {
    match ty {
        Type::Text => vec![(String::new(), json!(secret))],
        Type::Integer | Type::Number | Type::Boolean | Type::OneOf(_) | Type::ListOrStruct(..) => Vec::new(),
        Type::Object => vec![(String::new(), json!({ "name": secret })), (String::new(), json!({ secret: "plain" }))],
        Type::List(item) => {
            let inner = texts_of(item, structs, &value[0], secret);
            inner.into_iter().map(|(place, value)| (format!("[]{place}"), json!([value]))).collect()
        }
        Type::Struct(name) | Type::TextOrStruct(name) => {
            let inner = with_texts(named(name, structs), structs, value, secret);
            inner.into_iter().map(|(place, value)| (format!(".{place}"), value)).collect()
        }
        // Any JSON, of which a method reads a text too.
        Type::Json => vec![(String::new(), json!(secret)), (String::new(), json!([{ secret: secret }]))],
    }
}

/// `params` once for each place with an unexpected secret: values of any type, unknown keys, and values under those.
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
        if let Type::List(item) = &field.ty
            && let Type::Struct(name) = &**item
        {
            let inner = tainted(named(name, structs), structs, &params[&field.name][0], secret);
            all.extend(inner.into_iter().map(|value| with(&field.name, json!([value]))));
        }
    }
    all
}

#[track_caller]
fn assert_untold(secrets: &Secrets, error: &Error, place: &str) {
    let shown = format!("{error} {error:?} {error:#?} {} {:?}", error.to_json(), error.path());
    secrets.assert_absent(shown.as_bytes(), &format!("an error of {place}"));
}

/// Runs `walk` and checks that nothing logged meanwhile contains a secret.
#[track_caller]
fn logged(secrets: &Secrets, walk: impl FnOnce()) -> String {
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), walk);
    let logged = log.0.lock().unwrap().clone();
    secrets.assert_absent(logged.as_bytes(), "the log");
    logged
}

/// An item with the id that the calls name.
fn put_item(home: &TestHome) {
    let folder = home.codex().join("memory");
    std::fs::create_dir_all(&folder).unwrap();
    let item = json!({
        "id": "plain", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z", "scope": "global",
        "status": "active", "type": "note", "content": "plain",
    });
    std::fs::write(folder.join("items.jsonl"), format!("{item}\n")).unwrap();
}

/// A repository in a folder that can be moved.
fn put_repository(home: &TestHome) {
    let folder = home.root().join("repos").join("cc".repeat(32));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("memory.json"), "{\"schemaVersion\": 1}").unwrap();
    let names = json!({ "schemaVersion": 1, "repoHash": "cc".repeat(32), "path": "/plain" });
    std::fs::write(folder.join("repo.json"), names.to_string()).unwrap();
}

/// The files that calls name.
fn put_files(home: &TestHome) {
    let folder = home.folder().join("files");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("plain.md"), "plain").unwrap();
    let _ = std::fs::remove_file(folder.join("new.md"));
}

/// Puts an entry to restore into the trash.
fn put_removal(home: &TestHome) {
    let record = json!({
        "id": "restored", "content": "plain", "source": "agent", "createdAt": "2025-01-01T00:00:00Z",
        "updatedAt": "2025-01-01T00:00:00Z",
    });
    let entry = json!({
        "id": "plain", "room": "memory", "kind": "note", "recordId": "restored", "reason": "removed",
        "at": "2025-01-01T00:00:00Z", "record": record,
    });
    std::fs::write(home.folder().join("trash.jsonl"), format!("{entry}\n")).unwrap();
}

#[test]
fn a_secret_in_any_text_of_any_method_is_redacted_or_refused_as_listed_here() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    // The checkpoint that is saved is the one that is restored.
    let store = secrets.open_at(&home, Some("1970-01-01T00:00:01Z"));
    // Something to migrate, an item to change, and a record to bring back.
    crate::append(&store, "first").unwrap();
    put_item(&home);
    put_removal(&home);
    put_repository(&home);
    let description = describe();
    let listed: Vec<_> = METHODS.iter().map(|(name, _)| *name).collect();
    assert_eq!(description.methods.iter().map(|method| method.name).collect::<Vec<_>>(), listed, "update METHODS");
    logged(&secrets, || {
        for (method, (name, fates)) in description.methods.iter().zip(METHODS) {
            let call = |params: &Value| {
                put_files(&home);
                dispatch(&store, name, &params.to_string())
            };
            let params = sample(&method.params, &description.structs);
            let is_of_claim = fates.iter().any(|(_, fate)| *fate == Lost);
            match call(&params) {
                Err(error) if is_of_claim => assert_eq!(error.kind(), ErrorKind::LeaseLost, "{name}: {error}"),
                called => drop(called.unwrap_or_else(|failed| panic!("{name} with {params}: {failed}"))),
            }
            let mut expected: BTreeMap<&str, Fate> = fates.iter().copied().collect();
            for (text, is_custom) in kinds(&secrets) {
                let tried = with_texts(&method.params, &description.structs, &params, &text);
                expected.retain(|place, _| tried.iter().any(|(tried, _)| tried == place));
                assert_eq!(expected.len(), fates.len(), "METHODS lists texts of {name} that do not exist");
                for (place, params) in tried {
                    let fate = expected.get(&*place).unwrap_or_else(|| panic!("METHODS does not list {name} {place}"));
                    let at = format!("{name} {place}: {params}");
                    match (call(&params), fate) {
                        (Ok(answer), Redacted) => secrets.assert_absent(answer.as_bytes(), &at),
                        (Ok(_), Asked) => {}
                        (Ok(_), Path) if is_custom => {}
                        (Ok(_), _) => panic!("{at} was taken"),
                        (Err(error), fate) => {
                            assert_untold(&secrets, &error, &at);
                            // Nothing is stored for such a folder.
                            if is_custom && *fate == Path && error.kind() == ErrorKind::NotFound {
                                continue;
                            }
                            let kind = match fate {
                                Redacted => panic!("{at} failed: {error}"),
                                Path if is_custom => ErrorKind::Validation,
                                Refused | Path => ErrorKind::SecretRefused,
                                Asked | Invalid => ErrorKind::Validation,
                                Lost => ErrorKind::LeaseLost,
                                Unequal => ErrorKind::Conflict,
                            };
                            assert_eq!(error.kind(), kind, "{at}: {error}");
                        }
                    }
                }
            }
            secrets.assert_absent_from_files(&home);
        }
    });
    clean_up(&secrets);
}

#[test]
fn no_secret_in_any_value_or_key_of_any_method_reaches_a_file_a_log_or_an_error() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let store = secrets.open(&home);
    crate::append(&store, "first").unwrap();
    put_item(&home);
    let description = describe();
    let mut errors = 0;
    logged(&secrets, || {
        for method in &description.methods {
            let call = |params: &Value| {
                put_files(&home);
                dispatch(&store, method.name, &params.to_string())
            };
            let params = sample(&method.params, &description.structs);
            let texts = kinds(&secrets).map(|(text, _)| text).into_iter().chain([secrets.text()]);
            for params in texts.flat_map(|text| tainted(&method.params, &description.structs, &params, &text)) {
                // A result of a method that stores nothing may say what was asked.
                if let Err(failed) = call(&params) {
                    errors += 1;
                    assert_untold(&secrets, &failed, &format!("{} with {params}", method.name));
                }
            }
            secrets.assert_absent_from_files(&home);
        }
        for text in kinds(&secrets).map(|(text, _)| text).into_iter().chain([secrets.text()]) {
            for (method, params) in [(&*text, "{}"), ("memory.get", &*text), ("memory.get", &format!("{{\"{text}"))] {
                let failed = dispatch(&store, method, params).unwrap_err();
                assert_untold(&secrets, &failed, method);
            }
        }
    });
    clean_up(&secrets);
    assert!(errors > 100, "{errors}");
    assert!(!format!("{store:?} {:?}", loopmem::testing::home(&store).config()).contains(&secrets.environment));
    // The secrets did get that far, by rules of each kind.
    for file in [home.memory(), home.summaries()] {
        let stored = std::fs::read_to_string(&file).unwrap();
        for rule in ["github-", "keyed-value:", "environment-value:", "custom-pattern:"] {
            assert!(stored.contains(&format!("[REDACTED:{rule}")), "{rule} in {}: {stored}", file.display());
        }
    }
}

#[test]
fn a_secret_in_any_option_of_a_store_is_refused_or_not_shown() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let (options, structs) = (describe().options, describe().structs);
    let open = |options: &Value| {
        let environment = [("SERVICE_TOKEN".into(), secrets.environment.clone().into())];
        Options::from_json(&options.to_string())
            .and_then(|it| loopmem::testing::open_on(it, Arc::new(RealFs), environment))
    };
    let plain = json!({ "home": home.root() });
    let logged = logged(&secrets, || {
        // Patterns are an option themselves.
        for (text, _) in kinds(&secrets).into_iter().filter(|(_, is_custom)| !is_custom) {
            let tried = with_texts(&options, &structs, &plain, &text);
            let places: Vec<_> = tried.iter().map(|(place, _)| place.as_str()).collect();
            let listed: Vec<_> = OPTIONS.iter().map(|(place, _)| *place).collect();
            assert_eq!(places, listed, "update OPTIONS");
            for ((place, params), (_, fate)) in tried.iter().zip(OPTIONS) {
                match (open(params), fate) {
                    (Ok(store), Asked) => {
                        let shown = format!("{store:?} {:?}", loopmem::testing::home(&store).config());
                        secrets.assert_absent(shown.as_bytes(), place);
                    }
                    (Ok(_), fate) => panic!("{place} is {fate:?} and was taken"),
                    (Err(error), fate) => {
                        assert_untold(&secrets, &error, place);
                        let kind = if *fate == Path { ErrorKind::SecretRefused } else { ErrorKind::Validation };
                        assert_eq!(error.kind(), kind, "{place}: {error}");
                    }
                }
            }
            // While options are read, only the environment of the process itself is known.
            for params in tainted(&options, &structs, &plain, &text).iter().filter(|_| text != secrets.environment) {
                if let Err(error) = open(params) {
                    assert_untold(&secrets, &error, &params.to_string());
                }
            }
        }
    });
    assert_eq!(logged, "");
    assert!(!home.root().exists());
}

#[test]
fn warnings_contain_no_secret() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let workspace = home.top().join(&secrets.custom);
    std::fs::create_dir_all(&workspace).unwrap();
    let torn = format!(r#"{{"runId":"{}"#, secrets.token);
    home.put(&home.summaries(), torn);
    home.put(&home.folder().join("repo.json"), format!(r#"{{"schemaVersion":1,"{}":"#, secrets.token));
    let keys =
        format!("[{0}]\n[memory]\n\"{1}\" = 1\n\"{2}\" = 2\n", secrets.token, secrets.environment, secrets.custom);
    std::fs::write(home.root().join("config.toml"), keys).unwrap();
    std::fs::write(home.root().join("redaction.key"), &secrets.token).unwrap();
    let logged = logged(&secrets, || {
        let store = secrets.open(&home);
        let params = json!({ "workspace": workspace, "note": { "content": secrets.text() } });
        for (method, params) in [
            ("memory.upsertNote", &params),
            ("summary.list", &json!({ "repoHash": repo() })),
            ("repo.list", &json!({})),
            ("doctor.check", &json!({})),
        ] {
            let answer = dispatch(&store, method, &params.to_string()).unwrap();
            secrets.assert_absent(answer.as_bytes(), method);
        }
        crate::append(&store, "next").unwrap();
    });
    for warning in [
        "unknown key; ignored",
        "the key for the tags of secrets is not available",
        "the last line is incomplete",
        "incomplete or damaged lines were moved",
        "could not read a repository's name",
    ] {
        assert!(logged.contains(warning), "{warning}: {logged}");
    }
    for rule in ["github-", "environment-value:", "custom-pattern:"] {
        assert!(logged.contains(&format!("[REDACTED:{rule}")), "{rule}: {logged}");
    }
}

/// A process that panics with a secret in the payload.
#[test]
#[ignore = "the part of another process"]
fn panics_with_a_secret() {
    let Some(root) = started_on() else { return };
    let store = Store::open(Options::at(root)).unwrap();
    let params = json!({ "note": Secrets::new().text() }).to_string();
    let error = dispatch(&store, "debug.panic", &params).unwrap_err();
    println!("{error:?} {}", error.to_json());
    let (done, outcome) = std::sync::mpsc::channel();
    loopmem::methods::submit(&store, "debug.panic".to_owned(), params, move |it| {
        drop(done.send(it));
    });
    println!("{:?}", outcome.recv().unwrap().unwrap_err());
}

#[test]
fn a_panic_prints_neither_its_payload_nor_a_secret() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let ended = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "secret_walk::panics_with_a_secret", "--ignored", "--nocapture"])
        .env(HOME, home.root())
        .output()
        .unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success() && said.matches("a bug in loopmem aborted the call").count() == 3, "{said}");
    secrets.assert_absent(said.as_bytes(), "what a panic prints");
    assert!(!said.contains("payload of a panic"), "{said}");
}

#[test]
fn a_workspace_that_looks_like_a_secret_is_refused_and_a_match_of_a_pattern_is_redacted() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let store = secrets.open(&home);
    let upsert = |workspace: &std::path::Path| {
        std::fs::create_dir_all(workspace).unwrap();
        let params = json!({ "workspace": workspace, "note": { "content": "a note" } });
        dispatch(&store, "memory.upsertNote", &params.to_string())
    };
    for secret in [&secrets.token, &secrets.environment] {
        let folder = home.top().join(secret);
        // By a link too: what counts is where it leads to.
        let link = home.top().join("link");
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        for workspace in [folder.join("inner"), link.clone()] {
            let refused = upsert(&workspace).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused}");
            assert!(refused.message().starts_with("workspace looks like a secret"), "{refused}");
            assert_untold(&secrets, &refused, "a workspace");
        }
        std::fs::remove_file(link).unwrap();
    }
    assert!(!home.root().exists());
    upsert(&home.top().join(&secrets.custom)).unwrap();
    secrets.assert_absent_from_files(&home);
}

#[test]
fn a_branch_of_the_repository_that_looks_like_a_secret_works_and_is_never_stored() {
    let (home, secrets) = (TestHome::new(), Secrets::new());
    let store = secrets.open(&home);
    let workspace = tempfile::tempdir().unwrap();
    for name in [".git/objects", ".git/refs"] {
        std::fs::create_dir_all(workspace.path().join(name)).unwrap();
    }
    std::fs::write(workspace.path().join(".git/HEAD"), format!("ref: refs/heads/{}\n", secrets.token)).unwrap();
    let remote = format!("[remote \"origin\"]\n\turl = https://host/{}/r\n", secrets.token);
    std::fs::write(workspace.path().join(".git/config"), remote).unwrap();
    logged(&secrets, || {
        let params = json!({ "workspace": workspace.path(), "note": { "content": "a note" } });
        dispatch(&store, "memory.upsertNote", &params.to_string()).unwrap();
    });
    secrets.assert_absent_from_files(&home);
    let known = dispatch(&store, "repo.list", "{}").unwrap();
    assert_eq!(known.matches("[REDACTED:").count(), 2, "{known}");
    let asked = json!({ "workspace": workspace.path(), "branch": secrets.token }).to_string();
    let refused = dispatch(&store, "repo.identify", &asked).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused}");
}
