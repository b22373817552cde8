//! The variables with which the steps of a workflow name a memory (spec 002, "Implementation Layers").

use loopmem::{Error, Result};
use serde_json::{Value, json};

use crate::human::environment::variable;
use crate::session::Members;

/// The variables, and the keys of a memory's configuration that they set.
const KEYS: [(&str, &str, Kind); 8] = [
    ("MEMORY_ID", "id", Kind::Text),
    ("BRANCH_NAME", "branch-name", Kind::Text),
    ("TARGET_REPO", "target-repo", Kind::Text),
    ("CREATE_ORPHAN", "create-orphan", Kind::Boolean),
    ("MAX_FILE_SIZE", "max-file-size", Kind::Number),
    ("MAX_FILE_COUNT", "max-file-count", Kind::Number),
    ("FILE_GLOB_FILTER", "file-glob", Kind::Patterns),
    ("GH_AW_CAMPAIGN_ID", "campaign-id", Kind::Text),
];
/// The variables that name the folder of a memory.
const ARTIFACT: &str = "ARTIFACT_DIR";
const DIRECTORY: &str = "MEMORY_DIR";

/// The type of a variable.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Boolean,
    Number,
    /// Separated by spaces.
    Patterns,
}

/// The configuration that the variables give; `None` if none is set. An empty one counts as not set.
///
/// # Errors
/// `ValidationError` naming a variable that is neither a number nor a boolean where one is expected: a limit that cannot be read
/// must not be none.
pub(super) fn configuration() -> Result<Option<Value>> {
    let mut configuration = Members::new();
    // Other programs set BRANCH_NAME too, to the branch that they build.
    if !is_a_step()? {
        return Ok(None);
    }
    for (name, key, kind) in KEYS {
        let Some(text) = variable(name)? else { continue };
        let refused = |what: &str| Error::validation(format!("the variable {name} must be {what}"));
        let value = match kind {
            Kind::Text => json!(text),
            Kind::Boolean => json!(text.parse::<bool>().map_err(|_| refused("true or false"))?),
            Kind::Number => json!(text.parse::<u64>().map_err(|_| refused("a whole number"))?),
            // A blank list keeps no file.
            Kind::Patterns => json!(text.split_ascii_whitespace().collect::<Vec<_>>()),
        };
        configuration.insert(key.to_owned(), value);
    }
    Ok((!configuration.is_empty()).then_some(Value::Object(configuration)))
}

/// Whether the variables are those of a step of a workflow: one of them names the memory, its repository or its folder.
fn is_a_step() -> Result<bool> {
    for name in ["MEMORY_ID", "TARGET_REPO", DIRECTORY, ARTIFACT] {
        if variable(name)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The folder of the memory: of the artifact, or else that in which the agent works.
///
/// # Errors
/// `ValidationError` for a variable that is not UTF-8.
pub(super) fn directory() -> Result<Option<String>> {
    Ok(variable(ARTIFACT)?.or(variable(DIRECTORY)?))
}

/// The help about the variables.
pub(super) fn help(more: &str) -> String {
    let names: Vec<&str> = KEYS.iter().map(|(name, ..)| *name).collect();
    format!(
        "Without --entry and --config-file, the memory is that of the variables {}, and its folder {ARTIFACT} or {DIRECTORY}; BRANCH_NAME alone is not enough.{more} \
         GH_TOKEN is given to git for the server GITHUB_SERVER_URL only.",
        names.join(", ")
    )
}
