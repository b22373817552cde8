//! The handle of a store's memories on branches: every operation, as one call.

use serde_json::Value;

use super::config::{self, BranchMemories};
use super::{glob, prompt};
use crate::error::Result;
use crate::home::Home;

/// The memories on git branches.
#[derive(Debug, Clone)]
pub struct Branches {
    home: Home,
}

impl Branches {
    pub(crate) fn new(home: &Home) -> Self {
        Branches { home: home.clone() }
    }

    /// Reads the configuration of memories: its value, an object that has it under `repo-memory` or `tools.repo-memory`, or a
    /// text in YAML or JSON with one of them, such as a workflow with front matter.
    ///
    /// # Errors
    /// `ValidationError` naming the key.
    pub fn parse_config(&self, config: Value) -> Result<BranchMemories> {
        self.home.call("branch.parseConfig", |home| config::parse(home.layout(), config))
    }

    /// What an agent is told about the memories of a configuration; empty if it has none.
    ///
    /// # Errors
    /// Those of [`parse_config`](Self::parse_config).
    pub fn prompt(&self, config: Value) -> Result<String> {
        self.home.call("branch.prompt", |home| Ok(prompt::prompt(&config::parse(home.layout(), config)?)))
    }

    /// Whether a pattern matches the path of a file, which is relative to the folder of the memory. It has to match the whole
    /// path. `*` is any text without `/`, `**` any text at all, and every other character stands for itself.
    ///
    /// # Errors
    /// `ValidationError` for a pattern that is too long.
    pub fn matches(&self, pattern: &str, path: &str) -> Result<bool> {
        self.home.call("branch.match", |_| glob::matches(pattern, path))
    }
}
