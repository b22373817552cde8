//! Who calls a tool, and what it answers.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use loopmem::methods::dispatch;
use loopmem::repo::Identity;
use loopmem::{Error, ErrorKind, Result, Store};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::session::read;

/// What a tool returns: a text for the model, and the same for programs.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) structured: Value,
}

/// Who calls a tool.
pub(super) struct Caller {
    /// With the limits of the call.
    pub(super) store: Store,
    /// The folder that a call without `workspace` is about.
    pub(super) workspace: Option<String>,
    /// Its connection, which is the run of its steps.
    pub(super) connection: Arc<Connection>,
}

/// A connection of a client.
pub(super) struct Connection {
    pub(super) run: String,
    steps: AtomicU64,
}

impl Connection {
    pub(super) fn new(run: String) -> Self {
        Connection { run, steps: AtomicU64::new(1) }
    }

    pub(super) fn next_step(&self) -> String {
        format!("step-{}", self.steps.fetch_add(1, Ordering::Relaxed))
    }
}

impl Caller {
    /// Calls a method and reads its result.
    pub(super) fn ask<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T> {
        read(&self.call(method, params)?)
    }

    pub(super) fn call(&self, method: &str, params: Value) -> Result<String> {
        dispatch(&self.store, method, &params.to_string())
    }

    /// The folder of a call: one that is relative is below the usual one.
    pub(super) fn workspace(&self, given: Option<String>) -> Option<String> {
        match (given, &self.workspace) {
            (Some(given), Some(usual)) => Some(Path::new(usual).join(given).to_string_lossy().into_owned()),
            (given, usual) => given.or_else(|| usual.clone()),
        }
    }

    pub(super) fn identity(&self, workspace: Option<&str>) -> Result<Identity> {
        self.ask("repo.identify", json!({ "workspace": workspace }))
    }

    /// The working scope of a call: that of the repository, unless it has another one.
    pub(super) fn scope(&self, given: Option<String>, workspace: Option<&str>) -> Result<String> {
        match given {
            Some(scope) => Ok(scope),
            // Of all branches: a task is often planned before its branch is made.
            None => {
                let asked = json!({ "workspace": workspace, "branchScope": "sharedRepo" });
                Ok(self.ask::<Identity>("repo.identify", asked)?.repo_hash.to_string())
            }
        }
    }
}

/// The result of a tool, with a text for the model.
pub(super) fn answer(text: String, result: &impl Serialize) -> Result<Answer> {
    let structured = serde_json::to_value(result)
        .map_err(|cause| Error::new(ErrorKind::Internal, "could not serialize a result").because(cause))?;
    Ok(Answer { text, structured })
}
