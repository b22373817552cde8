//! Any text as params of every method of the table: a line is a method, a blank and its params, and the lines of an
//! input are calls on one store.
//!
//! The method refuses them with a code that is the caller's fault, or takes them; then they and the result have the shape
//! that the table tells. What was acknowledged is there at the end, for another process too.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use loopmem::ErrorKind::{Conflict, Git, LeaseLost, NotFound, SecretRefused, Unsupported, Validation};
use loopmem::Store;
use loopmem::methods::{Description, MethodDescription, Struct, Type, describe, dispatch};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::engine::Target;
use crate::mutation::Rng;
use crate::reference::{Members, parsed};
use crate::{Home, REPO, Verdict, call, must};

pub(crate) const TARGET: Target = Target { name: "params", run, words, begin };

static TABLE: LazyLock<Description> = LazyLock::new(describe);

fn run(input: &[u8]) -> Verdict {
    let home = Home::new();
    let store = home.open(home.options()).map_err(|error| error.to_json())?;
    let text = String::from_utf8_lossy(input);
    // What is there without a word about it: the ids by repository.
    let mut stored: HashSet<(String, String)> = HashSet::new();
    // And the contexts by scope.
    let mut contexts: HashMap<String, String> = HashMap::new();
    for line in text.lines().take(20) {
        let (method, params) = line.split_once(' ').unwrap_or((line, ""));
        // It panics on purpose.
        if method == "debug.panic" {
            continue;
        }
        match dispatch(&store, method, params) {
            Err(error) => {
                // No other process is running and all files are loopmem's own, so the error is due to the params.
                let known = [Validation, SecretRefused, Conflict, NotFound, Git, LeaseLost, Unsupported]
                    .contains(&error.kind());
                let json = error.to_json();
                must(known && json.len() < 40_000, || format!("{method} fails with {json:.1000}"))?;
                must(serde_json::from_str::<Value>(&json).is_ok(), || format!("{json} is not JSON"))?;
            }
            Ok(result) => {
                let row = TABLE.methods.iter().find(|row| row.name == method);
                let row = row.ok_or_else(|| format!("{method} is no method and has a result"))?;
                let params = if params.trim().is_empty() { "{}" } else { params };
                has_fields(params, &row.params).map_err(|fault| format!("{method} takes {fault}"))?;
                fits(&result, &row.output).map_err(|fault| format!("{method} returns {fault}"))?;
                keep_count(&mut stored, method, params, &result);
                keep_context(&mut contexts, method, params, &result);
            }
        }
    }
    let another = home.open(home.options()).map_err(|error| error.to_json())?;
    is_there(&store, &another, &stored)?;
    contexts_are_there(&store, &another, &contexts)
}

fn keep_context(contexts: &mut HashMap<String, String>, method: &str, params: &str, result: &str) {
    let params: Members = serde_json::from_str(params).unwrap_or(Members(Vec::new()));
    let Some(scope) = params.text("scopeId").or_else(|| params.text("jobId")) else { return };
    match method {
        "working.updateContext" | "working.restoreCheckpoint" => contexts.insert(scope, result.to_owned()),
        "working.deleteScope" => contexts.remove(&scope),
        _ => None,
    };
}

/// One process and another read the contexts as they were last answered, and know their scopes.
fn contexts_are_there(store: &Store, another: &Store, contexts: &HashMap<String, String>) -> Verdict {
    for store in [store, another] {
        let scopes = call(store, "working.listScopes", &json!({}), &[])?.unwrap_or_default();
        let scopes: Vec<String> = parsed(&scopes)?;
        for (scope, context) in contexts {
            let read = call(store, "working.getContext", &json!({ "scopeId": scope }), &[])?.unwrap_or_default();
            must(read == *context, || format!("{context} was acknowledged in {scope:?}, and {read} is there"))?;
            must(scopes.contains(scope), || format!("{scope:?} is not among {scopes:?}"))?;
        }
    }
    Ok(())
}

fn keep_count(stored: &mut HashSet<(String, String)>, method: &str, params: &str, result: &str) {
    let read = |json: &str| serde_json::from_str(json).unwrap_or(Members(Vec::new()));
    let (params, result) = (read(params), read(result));
    let Some(repo) = params.text("repoHash").map(|repo| repo.to_ascii_lowercase()) else { return };
    if method.starts_with("memory.upsert") {
        stored.insert((repo, result.text("id").unwrap_or_default()));
    } else if method == "memory.remove" {
        stored.remove(&(repo, params.text("id").unwrap_or_default()));
    } else if method == "repo.forget" && params.get("dryRun") != Some("true") {
        let is_all = params.get("all") == Some("true");
        stored.retain(|(other, _)| !is_all && *other != repo);
    }
}

/// One process and another read the same, and everything that was acknowledged.
fn is_there(store: &Store, another: &Store, stored: &HashSet<(String, String)>) -> Verdict {
    let repos: HashSet<&str> = stored.iter().map(|(repo, _)| repo.as_str()).chain([REPO]).collect();
    for repo in repos {
        let read = |store| call(store, "memory.get", &json!({ "repoHash": repo }), &[]);
        let (here, there) = (read(store)?.unwrap_or_default(), read(another)?.unwrap_or_default());
        must(here == there, || format!("one process reads {here} and another {there}"))?;
        let memory: Members = parsed(&here)?;
        let mut ids = HashSet::new();
        for kind in ["conventions", "decisions", "notes"] {
            let records: Vec<Members> = parsed(memory.get(kind).unwrap_or_default())?;
            ids.extend(records.iter().filter_map(|it| it.text("id")));
        }
        let lost = stored.iter().find(|(in_repo, id)| in_repo == repo && !ids.contains(id));
        must(lost.is_none(), || format!("{lost:?} was acknowledged and is not in {here}"))?;
    }
    Ok(())
}

/// Whether `json` is what the table tells.
fn fits(json: &str, ty: &Type) -> Verdict {
    let word = || serde_json::from_str::<String>(json).ok();
    let holds = match ty {
        Type::Text => word().is_some(),
        Type::Integer => serde_json::from_str::<i128>(json).is_ok(),
        Type::Number => serde_json::from_str::<f64>(json).is_ok(),
        Type::Object => parsed::<Members>(json).is_ok(),
        Type::Boolean => ["true", "false"].contains(&json),
        Type::OneOf(words) => word().is_some_and(|it| words.contains(&it)),
        Type::Json => true,
        Type::List(item) => {
            let items: Vec<Box<RawValue>> = parsed(json)?;
            return items.iter().try_for_each(|it| fits(it.get(), item));
        }
        Type::ListOrStruct(item, _) if json.starts_with('[') => return fits(json, &Type::List(item.clone())),
        Type::ListOrStruct(_, values) => return fits(json, &Type::Struct(values.clone())),
        Type::TextOrStruct(_) if json.starts_with('"') => return fits(json, &Type::Text),
        Type::TextOrStruct(said) => return fits(json, &Type::Struct(said.clone())),
        Type::Struct(name) => match TABLE.unions.iter().find(|it| it.name == *name) {
            Some(union) => union.structs.iter().any(|it| fits(json, &Type::Struct(it.clone())).is_ok()),
            None => return has_fields(json, named(name)),
        },
    };
    must(holds, || format!("{json:.200} for {ty:?}"))
}

fn has_fields(json: &str, it: &Struct) -> Verdict {
    let members: Members = parsed(json)?;
    let unknown = members.0.iter().find(|(key, _)| !it.open && it.fields.iter().all(|field| field.name != *key));
    must(unknown.is_none(), || format!("a {} with {unknown:?}", it.name))?;
    it.fields.iter().try_for_each(|field| match members.get(&field.name) {
        None => must(!field.required, || format!("a {} without {}", it.name, field.name)),
        Some("null") if field.nullable => Ok(()),
        Some(value) => fits(value, &field.ty).map_err(|fault| format!("{}.{}: {fault}", it.name, field.name)),
    })
}

fn named(name: &str) -> &'static Struct {
    TABLE.structs.iter().find(|it| it.name == name).unwrap()
}

const TEXTS: &[&str] = &[
    "",
    " ",
    "a",
    "b",
    "plain text",
    "id-1",
    "é\u{301}漢😀",
    "\u{202e}x",
    "\u{7f}",
    "a\nb",
    "\0",
    "src/",
    "../..",
    "/",
    ".",
    "/dev/null",
    "/nowhere/at/all",
    REPO,
    "00",
    "DB_PASSWORD=hunter22!x",
    "https://u:p@h/r",
    "\"}",
    "[REDACTED:jwt]",
];

fn words() -> Vec<String> {
    let mut words: Vec<String> = TABLE.methods.iter().map(|method| format!("\n{} {{", method.name)).collect();
    let structs = TABLE.structs.iter().chain(TABLE.methods.iter().map(|method| &method.params));
    for field in structs.flat_map(|it| &it.fields) {
        words.push(format!("\"{}\":", field.name));
        if let Type::OneOf(choices) = &field.ty {
            words.extend(choices.iter().map(|it| format!("\"{it}\"")));
        }
    }
    words.extend(TEXTS.iter().map(|text| Value::from(*text).to_string()));
    words.push(format!("\"repoHash\":\"{REPO}\","));
    words.push("[".repeat(200));
    words.push("{\"a\":".repeat(200));
    words
}

/// A few calls of any methods, with params as the table tells them and sometimes not quite.
fn begin(rng: &mut Rng) -> Vec<u8> {
    let lines: Vec<String> = (0..=rng.below(6)).map(|_| made(rng.pick(&TABLE.methods), rng)).collect();
    lines.join("\n").into_bytes()
}

fn made(method: &MethodDescription, rng: &mut Rng) -> String {
    let mut params = object(&method.params, rng);
    // The current folder would do, but most calls should meet in one repository.
    if method.params.fields.iter().any(|field| field.name == "repoHash") && !rng.once_in(20) {
        params.remove("workspace");
        params.insert("repoHash".to_owned(), REPO.into());
    }
    format!("{} {}", method.name, Value::Object(params))
}

fn object(it: &Struct, rng: &mut Rng) -> Map<String, Value> {
    let mut members = Map::new();
    for field in &it.fields {
        if field.required && !rng.once_in(30) || rng.once_in(3) {
            members.insert(field.name.clone(), value(&field.name, &field.ty, rng));
        }
    }
    if rng.once_in(if it.open { 3 } else { 30 }) {
        members.insert((*rng.pick(TEXTS)).to_owned(), (*rng.pick(TEXTS)).into());
    }
    members
}

fn value(name: &str, ty: &Type, rng: &mut Rng) -> Value {
    if rng.once_in(30) {
        let odd = [Value::Null, json!(1.5), json!(-1), json!([]), json!({}), json!(true), json!("x"), json!(u64::MAX)];
        return rng.pick(&odd).clone();
    }
    match ty {
        _ if name.ends_with("epoHash") => {
            if rng.once_in(2) {
                REPO.into()
            } else {
                "aa".repeat(32).into()
            }
        }
        // Few, so that calls meet.
        _ if ["id", "after"].contains(&name) => ["a", "b", "c"][rng.below(3)].into(),
        _ if ["scopeId", "jobId"].contains(&name) && !rng.once_in(4) => ["job", "global"][rng.below(2)].into(),
        Type::Text | Type::Json => (*rng.pick(TEXTS)).into(),
        Type::Integer => [json!(0), json!(1), json!(100), json!(8000), json!(u32::MAX)][rng.below(5)].clone(),
        Type::Number => [json!(0), json!(-1.5), json!(1e300), json!(1_700_000_000_000_u64)][rng.below(4)].clone(),
        Type::Object => {
            (0..rng.below(4)).map(|_| ((*rng.pick(TEXTS)).to_owned(), value("", &Type::Text, rng))).collect()
        }
        Type::Boolean => rng.once_in(2).into(),
        Type::OneOf(choices) => rng.pick(choices).as_str().into(),
        Type::List(item) => (0..rng.below(4)).map(|_| value("", item, rng)).collect(),
        Type::ListOrStruct(item, _) if rng.once_in(2) => value("", &Type::List(item.clone()), rng),
        Type::TextOrStruct(_) if rng.once_in(2) => value("", &Type::Text, rng),
        Type::Struct(name) | Type::ListOrStruct(_, name) | Type::TextOrStruct(name) => object(named(name), rng).into(),
    }
}
