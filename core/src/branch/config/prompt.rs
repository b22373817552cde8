//! The section of a prompt that describes the memories to an agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{self as config, CleanUp, Memory, parse};
use crate::branch::{Branches, operation};
use crate::error::Result;

/// The section of a prompt about memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchPrompt")]
#[non_exhaustive]
pub struct Prompt {
    /// The section of a prompt, in Markdown; empty if there is no memory.
    pub text: String,
}

impl Branches {
    /// The section of a prompt that describes the memories of a configuration to an agent; empty if it has none.
    ///
    /// # Errors
    /// Those of [`parse_config`](Self::parse_config).
    pub fn prompt(&self, config: Value) -> Result<String> {
        self.home.call(operation::PROMPT, |home| Ok(section(&parse(home, config)?.memories)))
    }
}

/// The section; empty without memories.
fn section(memories: &[Memory]) -> String {
    let mut text = match memories {
        [] => return String::new(),
        [one] if one.id == "default" => {
            let path = &one.prompt_path;
            let about = one.description.as_ref().map(|it| format!("It is for: {}\n\n", line(it))).unwrap_or_default();
            let rules = rules(one).into_iter().map(|rule| format!("- {rule}\n")).collect::<String>();
            format!(
                "## Repo memory\n\nThe folder `{path}` keeps its files from run to run. Read what earlier runs left there, and write what \
                 later runs should know.\n\n{about}- **Folder**: `{path}`\n{rules}"
            )
        }
        _ => {
            "## Repo memory\n\nThese folders keep their files from run to run. Read what earlier runs left there, and \
              write what later runs should know.\n"
                .to_owned()
                + &memories.iter().map(listed).collect::<String>()
        }
    };
    text.push_str(MERGING);
    text
}

/// A memory in a list.
fn listed(memory: &Memory) -> String {
    let about = memory.description.iter().map(|it| format!("It is for: {}", line(it)));
    let rules = about.chain(rules(memory)).map(|rule| format!("  - {rule}\n")).collect::<String>();
    format!("\n- **{}**: `{}`\n{rules}", memory.id, memory.prompt_path)
}

/// The merge of changes with those of other runs.
const MERGING: &str = "\nAfter the run, changes are committed to the branch and merged with those of other runs; where both \
                       changed the same thing, yours win. Removing or renaming a file is a change too. If one file breaks a \
                       rule, none is committed.\n";

/// The rules for the files of a memory, one each.
fn rules(memory: &Memory) -> Vec<String> {
    let of = memory.target_repo.as_ref().map_or_else(|| "this repository".to_owned(), |repo| format!("`{repo}`"));
    let mut rules = vec![
        format!("**Branch**: `{}` of {of}", memory.branch),
        format!(
            "**Limits**: at most {}, each of at most {}",
            count(memory.max_file_count, "file"),
            bytes(memory.max_file_size)
        ),
    ];
    if let Some(limit) = memory.max_patch_size {
        rules.push(format!("**Growth**: one run may make the files larger by at most {} in all", bytes(limit)));
    }
    if let Some(limit) = memory.max_total_size {
        let then = match memory.clean_up {
            CleanUp::Oldest => "; then the files that were changed longest ago are removed",
            CleanUp::None => "",
        };
        rules.push(format!("**Quota**: at most {} in all files{then}", bytes(limit)));
    }
    if let Some(patterns) = &memory.file_glob {
        rules.push(format!("**Files that are kept**: {}", codes(patterns)));
    }
    if let Some(extensions) = &memory.allowed_extensions {
        rules.push(format!("**Extensions that are kept**: {}", codes(extensions)));
    }
    if let Some(campaign) = memory.campaign() {
        rules.push(format!(
            "**Campaign**: `{campaign}/cursor.json` and at least one snapshot below `{campaign}/metrics/` are required"
        ));
    }
    let check = check(memory);
    // A line break or a back quote in a pattern would end the code.
    if !check.contains(['\n', '`']) {
        rules.push(format!("**Check before you finish**: `{check}`"));
    }
    rules
}

/// The command that checks the files.
fn check(memory: &Memory) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let entry = match config::rules(memory) {
        rules if rules.is_empty() => String::new(),
        rules => format!(" --entry {}", quoted(&Value::Object(rules).to_string())),
    };
    format!("loopmem branch validate{entry} --directory {}", quoted(&memory.directory))
}

fn codes(texts: &[String]) -> String {
    match texts {
        [] => "none".to_owned(),
        texts => texts.iter().map(|text| format!("`{}`", line(text))).collect::<Vec<_>>().join(", "),
    }
}

fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn bytes(number: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match number {
        number if number >= MIB && number % MIB == 0 => format!("{} MiB ({number} bytes)", number / MIB),
        number if number >= KIB && number % KIB == 0 => format!("{} KiB ({number} bytes)", number / KIB),
        number => count(number, "byte"),
    }
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
