//! Runs the conformance cases (`tests/conformance/*.json`) against one of loopmem's APIs; the README beside them
//! describes the format.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::expect_used,
    reason = "a test tool: it writes fixtures and fails loudly"
)]

mod matching;
mod process;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::{Map, Value};

use matching::{Names, expand, mismatch, replaced};
pub use process::LineProcess;

/// A language's way to call loopmem.
pub trait Face {
    /// Calls `method` with `params` (text, as a host would pass it) on a store opened with `options` (JSON, including
    /// `home`); returns the result or the error as JSON text. A store that cannot be opened is the call's error.
    ///
    /// # Errors
    /// The error as JSON text.
    fn call(&mut self, options: &str, method: &str, params: &str) -> Result<String, String>;
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    room: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    git: Vec<Vec<String>>,
    /// A frozen home.
    home: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, Value>,
    #[serde(default)]
    open: Map<String, Value>,
    steps: Vec<Step>,
    #[serde(default)]
    leaves: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    call: String,
    params: Option<Value>,
    raw: Option<String>,
    returns: Option<Value>,
    /// A code, or an error to match.
    fails: Option<Value>,
    #[serde(default)]
    keep: BTreeMap<String, String>,
}

/// Runs every case and panics with all failures.
///
/// # Panics
/// If a case fails, or a file of cases cannot be read.
pub fn play_all(face: &mut dyn Face) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("tests/conformance can be read")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    let mut played = 0;
    let mut failures = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a file of cases can be read");
        let file: File = serde_json::from_str(&text).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
        for case in &file.cases {
            played += 1;
            if let Err(failure) = play(face, case) {
                failures.push(format!("{}: {}: {failure}", file.room, case.name));
            }
        }
    }
    assert!(played > 0, "there are no cases");
    assert!(failures.is_empty(), "{} of {played} cases failed:\n{}", failures.len(), failures.join("\n"));
}

fn play(face: &mut dyn Face, case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|cause| cause.to_string())?;
    // The temporary folder may be behind a link, and loopmem reports paths without links.
    let folder = folder.path().canonicalize().map_err(|cause| cause.to_string())?;
    let (home, workspace) = (folder.join("home"), folder.join("workspace"));
    std::fs::create_dir_all(&workspace).map_err(|cause| cause.to_string())?;
    let mut names: Names = [
        ("home".to_owned(), home.display().to_string()),
        ("workspace".to_owned(), workspace.display().to_string()),
        ("hash".to_owned(), "a".repeat(64)),
    ]
    .into();
    for arguments in &case.git {
        git(&workspace, arguments, &names)?;
    }
    if let Some(frozen) = &case.home {
        let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats");
        thaw(&formats.join(frozen), &home).map_err(|cause| format!("{frozen}: {cause}"))?;
    }
    for (name, contents) in &case.files {
        let path = home.join(replaced(name, &names));
        let text = contents.as_str().map_or_else(|| contents.to_string(), |text| replaced(text, &names));
        std::fs::create_dir_all(path.parent().unwrap_or(&home)).map_err(|cause| cause.to_string())?;
        std::fs::write(&path, text).map_err(|cause| cause.to_string())?;
    }
    let mut options = case.open.clone();
    options.entry("home").or_insert_with(|| Value::from("${home}"));
    let options = expand(&Value::Object(options), &names).to_string();
    for (index, step) in case.steps.iter().enumerate() {
        let at = |failure: String| format!("step {} ({}): {failure}", index + 1, step.call);
        let params = match (&step.raw, &step.params) {
            (Some(raw), _) => replaced(raw, &names),
            (None, Some(params)) => expand(params, &names).to_string(),
            (None, None) => String::new(),
        };
        let outcome = face.call(&options, &step.call, &params);
        check(step, outcome, &mut names).map_err(at)?;
    }
    for (name, expected) in &case.leaves {
        left(&home.join(replaced(name, &names)), expected, &names).map_err(|failure| format!("{name}: {failure}"))?;
    }
    Ok(())
}

/// Copies a frozen home with private modes, which git does not store.
fn thaw(frozen: &Path, home: &Path) -> std::io::Result<()> {
    std::fs::create_dir(home)?;
    std::fs::set_permissions(home, std::fs::Permissions::from_mode(0o700))?;
    for entry in std::fs::read_dir(frozen)? {
        let entry = entry?;
        let (from, to) = (entry.path(), home.join(entry.file_name()));
        if from.is_dir() {
            thaw(&from, &to)?;
        } else {
            std::fs::copy(&from, &to)?;
            std::fs::set_permissions(&to, std::fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}

fn check(step: &Step, outcome: Result<String, String>, names: &mut Names) -> Result<(), String> {
    let json =
        |text: &str| serde_json::from_str::<Value>(text).map_err(|fault| format!("{text:.200} is no JSON: {fault}"));
    match (outcome, &step.returns, &step.fails) {
        (Err(error), _, Some(expected)) => {
            let found = json(&error)?;
            let found = if expected.is_string() { &found["code"] } else { &found };
            mismatch(expected, found, names).map_or(Ok(()), |fault| Err(format!("error{fault}: {error:.300}")))
        }
        (Err(error), _, None) => Err(format!("failed with {error:.300}")),
        (Ok(result), _, Some(expected)) => Err(format!("expected {expected}, got the result {result:.300}")),
        (Ok(result), returns, None) => {
            let result = json(&result)?;
            for (name, key) in &step.keep {
                let step = |value: &Value, name: &str| match name.parse::<usize>() {
                    Ok(index) if value.is_array() => value[index].clone(),
                    _ => value[name].clone(),
                };
                let kept = key.split('.').fold(result.clone(), |value, name| step(&value, name));
                let kept = kept.as_str().ok_or_else(|| format!("{key} is no string to keep"))?;
                names.insert(name.clone(), kept.to_owned());
            }
            returns.as_ref().map_or(Ok(()), |expected| mismatch(expected, &result, names).map_or(Ok(()), Err))
        }
    }
}

fn left(path: &Path, expected: &Value, names: &Names) -> Result<(), String> {
    let text = std::fs::read_to_string(path);
    match (text, expected) {
        (Err(_), Value::Null) => Ok(()),
        (Ok(_), Value::Null) => Err("it is there and should not be".to_owned()),
        (Err(cause), _) => Err(cause.to_string()),
        (Ok(text), Value::String(exact)) if text == replaced(exact, names) => Ok(()),
        (Ok(text), Value::String(_)) => Err(format!("it holds {text:?}")),
        (Ok(text), pattern) => {
            let found = serde_json::from_str(&text).map_err(|fault| fault.to_string())?;
            mismatch(pattern, &found, names).map_or(Ok(()), Err)
        }
    }
}

fn git(workspace: &Path, arguments: &[String], names: &Names) -> Result<(), String> {
    let output = Command::new("git")
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments.iter().map(|argument| replaced(argument, names)))
        .current_dir(workspace)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .map_err(|cause| format!("git: {cause}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}
