//! The workflow that keeps memories: they are checked out before the agent runs, uploaded after it, and pushed by a job of
//! their own (spec 002, "Data Flow").

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Compression, Memory, SnapshotTime, front_matter, parse, rules};
use crate::branch::{Branches, operation};
use crate::error::Result;

/// The workflow that keeps memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchWorkflow")]
#[non_exhaustive]
pub struct Workflow {
    /// The workflow, as YAML; empty if there is no memory.
    pub yaml: String,
}

impl Branches {
    /// A workflow that checks the memories of a configuration out, describes them to the agent, uploads them, and pushes
    /// them, as YAML; empty if it has none. It starts when the workflow starts whose text has the configuration, or else by
    /// hand.
    ///
    /// # Errors
    /// Those of [`parse_config`](Self::parse_config).
    pub fn workflow(&self, config: Value) -> Result<String> {
        self.home.call(operation::WORKFLOW, |home| {
            let start = config.as_str().and_then(trigger);
            Ok(workflow(&parse(home, config)?.memories, start.as_deref()))
        })
    }
}

/// What starts the workflow of this text, as JSON, which is YAML too; `None` if the text does not say.
fn trigger(text: &str) -> Option<String> {
    let value: Value = serde_saphyr::from_str(front_matter(text).unwrap_or(text)).ok()?;
    value.get("on").filter(|on| !on.is_null()).map(Value::to_string)
}

/// The workflow, as YAML; empty without memories.
fn workflow(memories: &[Memory], start: Option<&str>) -> String {
    if memories.is_empty() {
        return String::new();
    }
    let outputs: String = memories.iter().map(output).collect();
    let before: String = memories.iter().map(checkout).collect();
    let describe = describe(memories);
    let after: String = memories.iter().map(upload).collect();
    let push: String = memories.iter().map(push).collect();
    let start = start.unwrap_or("workflow_dispatch");
    format!(
        "# Written by `loopmem branch workflow`.
name: Agent with repo memory
on: {start}
permissions:
  contents: read
jobs:
  agent:
    runs-on: ubuntu-latest
    outputs:
{outputs}    steps:
      - uses: actions/checkout@v4
{INSTALL}{before}{describe}      # The steps of the agent come here. Its prompt includes the file ${{{{ runner.temp }}}}/repo-memory.md.
{after}  push_repo_memory:
    needs: agent
    if: always()
    runs-on: ubuntu-latest
    permissions:
      contents: write
    steps:
{INSTALL}{push}"
    )
}

/// The step that installs the command.
const INSTALL: &str = "      - name: Install loopmem
        run: cargo install --locked loopmem-cli
";

/// The step that writes the section of the agent's prompt.
fn describe(memories: &[Memory]) -> String {
    let all: Vec<Value> = memories.iter().map(described).collect();
    let config = scalar(&Value::Array(all).to_string());
    format!(
        "      - name: Describe repo memory to the agent
        env:
          MEMORY_CONFIG: {config}
        run: loopmem branch prompt --config \"$MEMORY_CONFIG\" > \"$RUNNER_TEMP/repo-memory.md\"
"
    )
}

/// What a prompt says about a memory.
fn described(memory: &Memory) -> Value {
    let mut described = rules(memory);
    described.insert("id".to_owned(), json!(memory.id));
    described.extend(memory.description.iter().map(|text| ("description".to_owned(), json!(text))));
    Value::Object(described)
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
    let (variable, arguments) = entry_of(memory, "MEMORY_DIR");
    let variables = variables(memory, "MEMORY_DIR", if memory.incremental { &variable } else { &[] });
    format!(
        "      - name: Check out repo memory ({id})
        id: repo_memory_{name}
        env:
{variables}        run: |
          base=$(loopmem branch checkout --print-base)
          echo \"base=$base\" >> \"$GITHUB_OUTPUT\"
{}",
        match archive(memory).filter(|_| memory.incremental) {
            Some(archive) => format!("          loopmem branch pack \"$RUNNER_TEMP/before-{archive}\"{arguments}\n"),
            None => String::new(),
        }
    )
}

/// The name of the file that is uploaded instead of the folder, if there is one.
fn archive(memory: &Memory) -> Option<String> {
    let ending = match memory.compression {
        Compression::Zstd => "tar.zst",
        Compression::Gzip => "tar.gz",
        Compression::None if memory.incremental => "tar",
        Compression::None => return None,
    };
    Some(format!("{}.{ending}", memory.artifact))
}

/// An artifact follows links, and cannot be empty: files are validated before, and counted.
fn upload(memory: &Memory) -> String {
    let Memory { id, artifact, directory, .. } = memory;
    let (name, archive) = (name(memory), archive(memory));
    let (variable, arguments) = entry_of(memory, "MEMORY_DIR");
    let variables = variables(memory, "MEMORY_DIR", &variable);
    let pack = archive.as_ref().map(|archive| {
        let since = match memory.incremental {
            true => format!(" --since \"$RUNNER_TEMP/before-{archive}\""),
            false => String::new(),
        };
        format!("          loopmem branch pack \"$RUNNER_TEMP/{archive}\"{since}{arguments}\n")
    });
    let pack = pack.unwrap_or_default();
    let path = archive.map_or_else(|| scalar(directory), |archive| format!("${{{{ runner.temp }}}}/{archive}"));
    format!(
        "      - name: Validate repo memory ({id})
        id: files_{name}
        if: always()
        env:
{variables}        run: |
          loopmem branch validate{arguments}
{pack}          echo \"files=$(find \"$MEMORY_DIR\" -type f | wc -l)\" >> \"$GITHUB_OUTPUT\"
      - name: Upload repo memory ({id})
        if: always() && steps.files_{name}.outcome == 'success'
        uses: actions/upload-artifact@v4
        with:
          name: {artifact}
          path: {path}
          include-hidden-files: true
          if-no-files-found: ignore
          retention-days: 1
"
    )
}

fn push(memory: &Memory) -> String {
    let Memory { id, artifact, directory, .. } = memory;
    let (name, archive) = (name(memory), archive(memory));
    let (variable, arguments) = entry_of(memory, "ARTIFACT_DIR");
    let files = format!("needs.agent.outputs.repo_memory_{name}_files");
    // Without a count, the files are not valid. An archive is uploaded also if it has no files.
    let (is_uploaded, is_here) = match archive {
        Some(_) => (format!("{files} != ''"), format!("steps.download_{name}.outcome == 'success'")),
        None => (
            format!("{files} != '' && {files} != '0'"),
            format!("(steps.download_{name}.outcome == 'success' || {files} == '0')"),
        ),
    };
    let remote = remote(memory);
    let (path, unpack, base) = match &archive {
        None => (scalar(directory), String::new(), " --base \"$MEMORY_BASE\""),
        Some(archive) => {
            let checkout = match memory.incremental {
                true => format!(
                    "          if [ \"$MEMORY_BASE\" != none ]; then loopmem branch checkout --at \"$MEMORY_BASE\"{arguments}{remote}; fi\n"
                ),
                false => String::new(),
            };
            let unpack =
                format!("          loopmem branch unpack \"$RUNNER_TEMP/{archive}\" --directory \"$ARTIFACT_DIR\"\n");
            // The archive says what its files come from.
            ("${{ runner.temp }}".to_owned(), checkout + &unpack, "")
        }
    };
    let base_variable = ("MEMORY_BASE", format!("${{{{ needs.agent.outputs.repo_memory_{name}_base }}}}"));
    let more: Vec<(&str, String)> = variable.into_iter().chain([base_variable]).collect();
    let variables = variables(memory, "ARTIFACT_DIR", &more);
    let push = format!("loopmem branch push{base}{arguments}{remote}");
    let run = match memory.snapshots {
        None => format!(" {push}"),
        Some(_) => format!(
            " |
          pushed=$({push})
          echo \"$pushed\"
          case \"$pushed\" in *'\"commit\":null'*) ;; *) echo \"pushed=true\" >> \"$GITHUB_OUTPUT\" ;; esac"
        ),
    };
    format!(
        "      - name: Download repo memory ({id})
        id: download_{name}
        if: always() && {is_uploaded}
        uses: actions/download-artifact@v4
        with:
          name: {artifact}
          path: {path}
      - name: Validate repo memory ({id})
        id: validate_{name}
        if: always() && {is_here}
        env:
{variables}        run: |
          mkdir -p \"$ARTIFACT_DIR\"
{unpack}          loopmem branch validate{arguments}
      - name: Push repo memory ({id})
        id: push_{name}
        if: always() && steps.validate_{name}.outcome == 'success'
        env:
{variables}        run:{run}
{}",
        snapshot(memory)
    )
}

/// The step that takes a snapshot after a push that changed the branch, and removes old ones.
fn snapshot(memory: &Memory) -> String {
    let Some(policy) = memory.snapshots else { return String::new() };
    let (id, name, remote) = (&memory.id, name(memory), remote(memory));
    let entry = entry(memory);
    let arguments = if entry.is_some() { " --entry \"$MEMORY_ENTRY\"" } else { "" };
    let more: Vec<_> = entry.map(|entry| ("MEMORY_ENTRY", scalar(&entry))).into_iter().collect();
    let variables = variables(memory, "ARTIFACT_DIR", &more);
    let at_most_once = |format: &str| {
        format!(
            "          tag=$(date -u +{format})
          loopmem branch snapshots --json{arguments}{remote} | grep -q \"\\\"$tag\\\"\" || loopmem branch snapshot \"$tag\"{arguments}{remote}\n"
        )
    };
    let take = match policy.on {
        SnapshotTime::Push => format!("          loopmem branch snapshot{arguments}{remote}\n"),
        SnapshotTime::Day => at_most_once("%Y-%m-%d"),
        SnapshotTime::Week => at_most_once("%G-W%V"),
    };
    let prune = policy.keep.map(|keep| format!("          loopmem branch prune --keep {keep}{arguments}{remote}\n"));
    format!(
        "      - name: Take a snapshot of repo memory ({id})
        if: always() && steps.push_{name}.outputs.pushed == 'true'
        env:
{variables}        run: |
{take}{}",
        prune.unwrap_or_default()
    )
}

/// The argument for the repository, if the command does not read the variables: with an entry.
fn remote(memory: &Memory) -> &'static str {
    match (entry(memory), &memory.target_repo) {
        (Some(_), None) => " --remote \"$GITHUB_SERVER_URL/$TARGET_REPO.git\"",
        _ => "",
    }
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
    Some(Value::Object(rules(memory)).to_string())
}

/// A text as YAML: plain where that is unmistakable, or else as in JSON, whose strings YAML reads too. An expression of
/// workflows is escaped.
fn scalar(text: &str) -> String {
    let text = &*text.replace("${{", "${{ '${{' }}");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let begins_plainly = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let is_word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&&*text.to_lowercase());
    if begins_plainly && text.chars().all(is_plain) && !is_word {
        return text.to_owned();
    }
    // JSON escapes fewer of the characters that YAML cannot have.
    let escaped = |c: char| match c {
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    json!(text).to_string().chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_yaml_could_mistake_are_quoted() {
        for plain in ["default", "/tmp/gh-aw/repo-memory/x", "memory/x", "a.b_c-d"] {
            assert_eq!(scalar(plain), plain);
        }
        for (text, quoted) in [
            ("a\u{7f}\u{85}", "\"a\\u007f\\u0085\""),
            ("true", "\"true\""),
            ("1", "\"1\""),
            ("*.md x/**", "\"*.md x/**\""),
            ("a\"b", "\"a\\\"b\""),
        ] {
            assert_eq!(scalar(text), quoted);
        }
    }
}
