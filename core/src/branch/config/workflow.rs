//! The steps of a workflow that keep its memories: checked out before the agent runs, uploaded after it, and pushed by
//! a job of their own (spec 002, "Data Flow").

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Memory, configuration, parse};
use crate::branch::{Branches, operation};
use crate::error::Result;

/// The steps of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchWorkflow")]
#[non_exhaustive]
pub struct Workflow {
    /// The jobs, as YAML; empty if there is no memory.
    pub yaml: String,
}

impl Branches {
    /// The steps of a workflow that check the memories of a configuration out, upload them, and push them, as YAML;
    /// empty if it has none.
    ///
    /// # Errors
    /// Those of [`parse_config`](Self::parse_config).
    pub fn workflow(&self, config: Value) -> Result<String> {
        self.home.call(operation::WORKFLOW, |home| Ok(jobs(&parse(home, config)?.memories)))
    }
}

/// The jobs, as YAML; empty without memories.
fn jobs(memories: &[Memory]) -> String {
    if memories.is_empty() {
        return String::new();
    }
    let outputs: String = memories.iter().map(output).collect();
    let before: String = memories.iter().map(checkout).collect();
    let after: String = memories.iter().map(upload).collect();
    let push: String = memories.iter().map(push).collect();
    format!(
        "# Written by `loopmem branch workflow`. The command `loopmem` has to be installed in both jobs.
jobs:
  agent:
    runs-on: ubuntu-latest
    outputs:
{outputs}    steps:
{before}      # The steps of the agent come here.
{after}  push_repo_memory:
    needs: agent
    if: always()
    runs-on: ubuntu-latest
    permissions:
      contents: write
    steps:
{push}"
    )
}

/// The id of a memory as it is in the names of steps and outputs.
fn name(memory: &Memory) -> String {
    memory.id.replace('-', "_")
}

fn output(memory: &Memory) -> String {
    let name = name(memory);
    format!(
        "      repo_memory_{name}_base: ${{{{ steps.repo_memory_{name}.outputs.base }}}}
      repo_memory_{name}_files: ${{{{ steps.files_{name}.outputs.files }}}}
"
    )
}

fn checkout(memory: &Memory) -> String {
    let (id, name) = (&memory.id, name(memory));
    let variables = variables(memory, "MEMORY_DIR", &[]);
    format!(
        "      - name: Check out repo memory ({id})
        id: repo_memory_{name}
        env:
{variables}        run: |
          base=$(loopmem branch checkout --print-base)
          echo \"base=$base\" >> \"$GITHUB_OUTPUT\"
"
    )
}

/// An artifact follows links, and cannot be empty: files are validated before, and counted.
fn upload(memory: &Memory) -> String {
    let Memory { id, artifact, directory, .. } = memory;
    let (name, directory) = (name(memory), scalar(directory));
    let (variable, arguments) = entry_of(memory, "MEMORY_DIR");
    let variables = variables(memory, "MEMORY_DIR", &variable);
    format!(
        "      - name: Validate repo memory ({id})
        id: files_{name}
        if: always()
        env:
{variables}        run: |
          loopmem branch validate{arguments}
          echo \"files=$(find \"$MEMORY_DIR\" -type f | wc -l)\" >> \"$GITHUB_OUTPUT\"
      - name: Upload repo memory ({id})
        if: always() && steps.files_{name}.outcome == 'success'
        uses: actions/upload-artifact@v4
        with:
          name: {artifact}
          path: {directory}
          include-hidden-files: true
          if-no-files-found: ignore
          retention-days: 1
"
    )
}

fn push(memory: &Memory) -> String {
    let Memory { id, artifact, directory, .. } = memory;
    let (name, directory) = (name(memory), scalar(directory));
    let (variable, arguments) = entry_of(memory, "ARTIFACT_DIR");
    let files = format!("needs.agent.outputs.repo_memory_{name}_files");
    // Without a count, the files are not valid.
    let is_uploaded = format!("{files} != '' && {files} != '0'");
    let is_here = format!("(steps.download_{name}.outcome == 'success' || {files} == '0')");
    let validated = variables(memory, "ARTIFACT_DIR", &variable);
    let base = format!("${{{{ needs.agent.outputs.repo_memory_{name}_base }}}}");
    // With an entry, the command reads no other variable.
    let remote = match (variable.is_empty(), &memory.target_repo) {
        (false, None) => " --remote \"$GITHUB_SERVER_URL/$TARGET_REPO.git\"",
        _ => "",
    };
    let more: Vec<(&str, String)> = variable.into_iter().chain([("MEMORY_BASE", base)]).collect();
    let pushed = variables(memory, "ARTIFACT_DIR", &more);
    format!(
        "      - name: Download repo memory ({id})
        id: download_{name}
        if: always() && {is_uploaded}
        uses: actions/download-artifact@v4
        with:
          name: {artifact}
          path: {directory}
      - name: Validate repo memory ({id})
        id: validate_{name}
        if: always() && {is_here}
        env:
{validated}        run: |
          mkdir -p \"$ARTIFACT_DIR\"
          loopmem branch validate{arguments}
      - name: Push repo memory ({id})
        if: always() && steps.validate_{name}.outcome == 'success'
        env:
{pushed}        run: loopmem branch push --base \"$MEMORY_BASE\"{arguments}{remote}
"
    )
}

/// The variable for a configuration that the other variables cannot express, if it needs one, and the arguments of the
/// command, with a space before them.
fn entry_of(memory: &Memory, directory: &str) -> (Vec<(&'static str, String)>, String) {
    match entry(memory) {
        None => (Vec::new(), String::new()),
        Some(entry) => {
            (vec![("MEMORY_ENTRY", scalar(&entry))], format!(" --entry \"$MEMORY_ENTRY\" --directory \"${directory}\""))
        }
    }
}

/// The variables of a step, by which the command knows the memory.
fn variables(memory: &Memory, directory: &str, more: &[(&str, String)]) -> String {
    let repo = memory.target_repo.as_deref().map_or_else(|| "${{ github.repository }}".to_owned(), scalar);
    let token = match memory.target_repo {
        None => "${{ github.token }}".to_owned(),
        Some(_) => "${{ github.token }} # A secret with access to the other repository goes here.".to_owned(),
    };
    let mut variables = vec![
        ("GH_TOKEN", token),
        ("MEMORY_ID", scalar(&memory.id)),
        ("BRANCH_NAME", scalar(&memory.branch)),
        ("TARGET_REPO", repo),
        (directory, scalar(&memory.directory)),
        ("CREATE_ORPHAN", format!("\"{}\"", memory.create_orphan)),
        ("MAX_FILE_SIZE", format!("\"{}\"", memory.max_file_size)),
        ("MAX_FILE_COUNT", format!("\"{}\"", memory.max_file_count)),
    ];
    variables.extend(memory.file_glob.as_ref().map(|patterns| ("FILE_GLOB_FILTER", scalar(&patterns.join(" ")))));
    variables.extend(memory.campaign_id.as_deref().map(|campaign| ("GH_AW_CAMPAIGN_ID", scalar(campaign))));
    let line = |(name, value): &(&str, String)| format!("          {name}: {value}\n");
    variables.iter().chain(more).map(line).collect()
}

/// The configuration of a memory if the variables cannot express it.
fn entry(memory: &Memory) -> Option<String> {
    let patterns = memory.file_glob.iter().flatten();
    let has_spaces = patterns.clone().any(|pattern| pattern.is_empty() || pattern.contains(char::is_whitespace));
    let is_empty = memory.file_glob.as_ref().is_some_and(Vec::is_empty);
    if !has_spaces
        && !is_empty
        && memory.allowed_extensions.is_none()
        && memory.max_patch_size.is_none()
        && memory.max_total_size.is_none()
    {
        return None;
    }
    let mut configuration = configuration(memory);
    configuration.retain(|key, _| key != "description");
    Some(Value::Object(configuration).to_string())
}

/// A text as YAML: plain where that is unmistakable, or else as in JSON, whose strings YAML reads too. An expression of
/// workflows is escaped.
fn scalar(text: &str) -> String {
    let text = &*text.replace("${{", "${{ '${{' }}");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let begins_plainly = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let is_word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&&*text.to_lowercase());
    if begins_plainly && text.chars().all(is_plain) && !is_word { text.to_owned() } else { json!(text).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_yaml_could_mistake_are_quoted() {
        for plain in ["default", "/tmp/gh-aw/repo-memory/x", "memory/x", "a.b_c-d"] {
            assert_eq!(scalar(plain), plain);
        }
        for (text, quoted) in
            [("true", "\"true\""), ("1", "\"1\""), ("*.md x/**", "\"*.md x/**\""), ("a\"b", "\"a\\\"b\"")]
        {
            assert_eq!(scalar(text), quoted);
        }
    }
}
