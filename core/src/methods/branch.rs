//! `branch.*`

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Method, MethodEntry, MethodGroup, params};
use crate::branch::BranchMemories;
use crate::error::Result;
use crate::store::Store;

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "branch",
    about: "Files of an agent, kept on a git branch",
    entries: &[MethodEntry::of::<ParseConfig>(), MethodEntry::of::<ReadPrompt>(), MethodEntry::of::<MatchPath>()],
};

params! {
    /// Reads the configuration of memories and returns each with its folder, its branch and its limits.
    ///
    /// Without an `id`, a memory is called `default`. Its branch is `memory/ID`, unless `branch-name` says otherwise.
    struct ParseConfig {
        /// The configuration: its value (a boolean, an object or a list), an object that has it under `repo-memory` or
        /// `tools.repo-memory`, or a text in YAML or JSON with one of them, such as a workflow with front matter. Default:
        /// `true`.
        config: Option<Value>,
    }
}

impl Method for ParseConfig {
    const NAME: &'static str = "branch.parseConfig";
    type Output = BranchMemories;
    const LOCKS: bool = false;

    fn run(self, store: &Store) -> Result<BranchMemories> {
        store.branches().parse_config(self.config.unwrap_or_default())
    }
}

/// What an agent is told about its memories.
#[derive(Debug, Serialize, JsonSchema)]
struct BranchPrompt {
    /// The section of a prompt, in Markdown; empty if there is no memory.
    text: String,
}

params! {
    /// Returns what an agent should be told about its memories: folders, branches, limits and patterns.
    struct ReadPrompt {
        /// The configuration, as for `branch.parseConfig`. Default: `true`.
        config: Option<Value>,
    }
}

impl Method for ReadPrompt {
    const NAME: &'static str = "branch.prompt";
    type Output = BranchPrompt;
    const LOCKS: bool = false;

    fn run(self, store: &Store) -> Result<BranchPrompt> {
        Ok(BranchPrompt { text: store.branches().prompt(self.config.unwrap_or_default())? })
    }
}

/// Whether a pattern matches a path.
#[derive(Debug, Serialize, JsonSchema)]
struct PatternMatch {
    /// Whether it does.
    #[serde(rename = "match")]
    is_match: bool,
}

params! {
    /// Returns whether a pattern matches the path of a file, which is relative to the folder of the memory.
    ///
    /// The pattern has to match the whole path, case-sensitively. `*` is any text without `/`, `**` any text at all, and every
    /// other character stands for itself.
    struct MatchPath {
        /// The pattern, at most 4,096 bytes.
        pattern: String,
        /// The path, with `/` between its parts.
        path: String,
    }
}

impl Method for MatchPath {
    const NAME: &'static str = "branch.match";
    type Output = PatternMatch;
    const LOCKS: bool = false;

    fn run(self, store: &Store) -> Result<PatternMatch> {
        Ok(PatternMatch { is_match: store.branches().matches(&self.pattern, &self.path)? })
    }
}
