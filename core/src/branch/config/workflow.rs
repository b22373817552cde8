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
    /// them, as YAML; empty if it has none. Its trigger is the `on` of the text that has the configuration, or else
    /// `workflow_dispatch`.
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
    let all: Vec<Steps<'_>> = memories.iter().map(Steps::of).collect();
    let outputs: String = all.iter().map(Steps::outputs).collect();
    let before: String = all.iter().map(Steps::checkout).collect();
    let describe = describe(memories);
    let after: String = all.iter().map(Steps::upload).collect();
    let push: String = all.iter().map(Steps::push).collect();
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

/// The steps of a memory.
struct Steps<'m> {
    memory: &'m Memory,
    /// Its id, as in the names of steps and outputs.
    name: String,
    /// The name of the file that is uploaded instead of the folder, if there is one.
    archive: Option<String>,
    /// Its configuration, if the variables cannot express it.
    entry: Option<String>,
    /// The arguments for its configuration and its repository, which the variables name if there is no entry; each with a
    /// space before it.
    with_entry: &'static str,
    with_remote: &'static str,
}

impl<'m> Steps<'m> {
    fn of(memory: &'m Memory) -> Self {
        let ending = match memory.compression {
            Compression::Zstd => Some("tar.zst"),
            Compression::Gzip => Some("tar.gz"),
            Compression::None => memory.incremental.then_some("tar"),
        };
        let entry = entry(memory);
        let (with_entry, with_remote) = match (&entry, &memory.target_repo) {
            (None, _) => ("", ""),
            (Some(_), None) => (" --entry \"$MEMORY_ENTRY\"", " --remote \"$GITHUB_SERVER_URL/$TARGET_REPO.git\""),
            (Some(_), Some(_)) => (" --entry \"$MEMORY_ENTRY\"", ""),
        };
        Steps {
            memory,
            name: memory.id.replace('-', "_"),
            archive: ending.map(|ending| format!("{}.{ending}", memory.artifact)),
            entry,
            with_entry,
            with_remote,
        }
    }

    /// The arguments for the configuration and the folder, which is in the variable `directory`.
    fn arguments(&self, directory: &str) -> String {
        match self.with_entry {
            "" => String::new(),
            entry => format!("{entry} --directory \"${directory}\""),
        }
    }

    /// The variables of a step, by which the command knows the memory, and others.
    fn variables(&self, directory: &str, more: &[(&str, String)]) -> String {
        let Memory { id, branch, target_repo, create_orphan, max_file_size, max_file_count, .. } = self.memory;
        let repo = target_repo.as_deref().map_or_else(|| "${{ github.repository }}".to_owned(), scalar);
        let token = match target_repo {
            None => "${{ github.token }}".to_owned(),
            Some(_) => "${{ github.token }} # A secret with access to the other repository goes here.".to_owned(),
        };
        let mut variables = vec![
            ("GH_TOKEN", token),
            ("MEMORY_ID", scalar(id)),
            ("BRANCH_NAME", scalar(branch)),
            ("TARGET_REPO", repo),
            (directory, scalar(&self.memory.directory)),
            ("CREATE_ORPHAN", format!("\"{create_orphan}\"")),
            ("MAX_FILE_SIZE", format!("\"{max_file_size}\"")),
            ("MAX_FILE_COUNT", format!("\"{max_file_count}\"")),
        ];
        let patterns = self.memory.file_glob.as_ref();
        variables.extend(patterns.map(|patterns| ("FILE_GLOB_FILTER", scalar(&patterns.join(" ")))));
        let campaign = self.memory.campaign_id.as_deref();
        variables.extend(campaign.map(|campaign| ("GH_AW_CAMPAIGN_ID", scalar(campaign))));
        variables.extend(self.entry.as_deref().map(|entry| ("MEMORY_ENTRY", scalar(entry))));
        let line = |(name, value): &(&str, String)| format!("          {name}: {value}\n");
        variables.iter().chain(more).map(line).collect()
    }

    /// The outputs of the job of the agent.
    fn outputs(&self) -> String {
        let name = &self.name;
        format!(
            "      repo_memory_{name}_base: ${{{{ steps.repo_memory_{name}.outputs.base }}}}
      repo_memory_{name}_files: ${{{{ steps.files_{name}.outputs.files }}}}
"
        )
    }

    fn checkout(&self) -> String {
        let Steps { memory, name, archive, .. } = self;
        let (id, arguments, variables) = (&memory.id, self.arguments("MEMORY_DIR"), self.variables("MEMORY_DIR", &[]));
        let before = archive
            .as_ref()
            .filter(|_| memory.incremental)
            .map(|archive| format!("          loopmem branch pack \"$RUNNER_TEMP/before-{archive}\"{arguments}\n"));
        format!(
            "      - name: Check out repo memory ({id})
        id: repo_memory_{name}
        env:
{variables}        run: |
          base=$(loopmem branch checkout --print-base)
          echo \"base=$base\" >> \"$GITHUB_OUTPUT\"
{}",
            before.unwrap_or_default()
        )
    }

    /// An artifact follows links, and cannot be empty: files are validated before, and counted. If the branch cannot be
    /// reached, they are uploaded nevertheless.
    fn upload(&self) -> String {
        let Steps { memory: Memory { id, artifact, directory, incremental, .. }, name, archive, with_remote, .. } =
            self;
        let (arguments, variables) = (self.arguments("MEMORY_DIR"), self.variables("MEMORY_DIR", &[]));
        let pack = archive.as_ref().map(|archive| {
            let since = match incremental {
                true => format!(" --since \"$RUNNER_TEMP/before-{archive}\""),
                false => String::new(),
            };
            format!("          loopmem branch pack \"$RUNNER_TEMP/{archive}\"{since}{arguments}\n")
        });
        let pack = pack.unwrap_or_default();
        let path =
            archive.as_ref().map_or_else(|| scalar(directory), |archive| format!("${{{{ runner.temp }}}}/{archive}"));
        format!(
            "      - name: Validate repo memory ({id})
        id: files_{name}
        if: always()
        env:
{variables}        run: |
          loopmem branch validate{arguments}
          merged=$(loopmem branch validate --merged{arguments}{with_remote}) ||
            case \"$merged\" in *'\"ok\":false'*) echo \"$merged\"; exit 1 ;; esac
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

    fn push(&self) -> String {
        let Steps { memory: Memory { id, artifact, directory, .. }, name, with_remote: remote, .. } = self;
        let arguments = self.arguments("ARTIFACT_DIR");
        let files = format!("needs.agent.outputs.repo_memory_{name}_files");
        // Without a count, the files are not valid. An archive is uploaded also if it has no files.
        let (is_uploaded, is_here) = match self.archive {
            Some(_) => (format!("{files} != ''"), format!("steps.download_{name}.outcome == 'success'")),
            None => (
                format!("{files} != '' && {files} != '0'"),
                format!("(steps.download_{name}.outcome == 'success' || {files} == '0')"),
            ),
        };
        let (path, unpack, base) = match &self.archive {
            None => (scalar(directory), String::new(), " --base \"$MEMORY_BASE\""),
            Some(archive) => {
                let checkout = match self.memory.incremental {
                    true => format!(
                        "          if [ \"$MEMORY_BASE\" != none ]; then loopmem branch checkout --at \"$MEMORY_BASE\"{arguments}{remote}; fi\n"
                    ),
                    false => String::new(),
                };
                let unpack = format!(
                    "          loopmem branch unpack \"$RUNNER_TEMP/{archive}\" --directory \"$ARTIFACT_DIR\"\n"
                );
                // The archive says what its files come from.
                ("${{ runner.temp }}".to_owned(), checkout + &unpack, "")
            }
        };
        let base_variable = ("MEMORY_BASE", format!("${{{{ needs.agent.outputs.repo_memory_{name}_base }}}}"));
        let variables = self.variables("ARTIFACT_DIR", &[base_variable]);
        let push = format!("loopmem branch push{base}{arguments}{remote}");
        let run = match self.memory.snapshots {
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
            self.snapshot()
        )
    }

    /// The step that takes a snapshot after a push that changed the branch, and removes old ones.
    fn snapshot(&self) -> String {
        let Steps { memory, name, with_entry, with_remote, .. } = self;
        let Some(policy) = memory.snapshots else { return String::new() };
        let (id, variables) = (&memory.id, self.variables("ARTIFACT_DIR", &[]));
        let arguments = format!("{with_entry}{with_remote}");
        let at_most_once = |format: &str| {
            format!(
                "          tag=$(date -u +{format})
          loopmem branch snapshots --json{arguments} | grep -q \"\\\"$tag\\\"\" || loopmem branch snapshot \"$tag\"{arguments}\n"
            )
        };
        let take = match policy.on {
            SnapshotTime::Push => format!("          loopmem branch snapshot{arguments}\n"),
            SnapshotTime::Day => at_most_once("%Y-%m-%d"),
            SnapshotTime::Week => at_most_once("%G-W%V"),
        };
        let prune = policy.keep.map(|keep| format!("          loopmem branch prune --keep {keep}{arguments}\n"));
        format!(
            "      - name: Take a snapshot of repo memory ({id})
        if: always() && steps.push_{name}.outputs.pushed == 'true'
        env:
{variables}        run: |
{take}{}",
            prune.unwrap_or_default()
        )
    }
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
