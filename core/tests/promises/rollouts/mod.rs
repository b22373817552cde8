//! Rollouts: which sessions are due, who may work on them, what is kept of them, and which files result.

mod claims;
mod consolidation;
mod files;
mod forgetting;
mod hostile;
mod interrupted;
mod migration;
mod outputs;
mod processes;
mod reading;
mod retrying;
mod running;
mod scanning;
mod transcripts;

use std::path::PathBuf;

use loopmem::rollouts::{Rollouts, Stage1Claim, Thread, ThreadDraft};
use loopmem::{Error, Options, Result, Store};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::TestHome;

/// Noon of the day on which the tests take place.
const NOON: &str = "2026-01-31T12:00:00.000Z";

/// A Codex home, and how its stores are opened.
struct Codex {
    home: TestHome,
    options: fn(Options) -> Options,
}

impl Codex {
    fn new() -> Self {
        Codex { home: TestHome::new(), options: |options| options }
    }

    fn with(options: fn(Options) -> Options) -> Self {
        Codex { options, ..Codex::new() }
    }

    /// The Codex home.
    fn root(&self) -> PathBuf {
        self.home.root().join("codex")
    }

    /// A file under the memory root.
    fn memory(&self, path: &str) -> PathBuf {
        self.root().join("memories").join(path)
    }

    /// Every file below both homes.
    fn files(&self) -> Vec<PathBuf> {
        self.home.entries().into_iter().filter(|path| path.is_file()).collect()
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.memory(path)).ok()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.memory(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn store_at(&self, time: &str) -> Store {
        let options = Options::at(self.home.root().join("home")).codex_home(self.root()).clock(time);
        Store::open((self.options)(options)).unwrap()
    }

    /// The rollouts at this time.
    fn at(&self, time: &str) -> Rollouts {
        self.store_at(time).rollouts()
    }

    /// The rollouts at noon.
    fn noon(&self) -> Rollouts {
        self.at(NOON)
    }

    /// Registers a session that changed at this time.
    fn thread(&self, id: &str, updated_at: &str) -> Thread {
        self.noon().upsert_thread(self.draft(id, updated_at)).unwrap()
    }

    fn draft(&self, id: &str, updated_at: &str) -> ThreadDraft {
        let path = self.root().join(format!("sessions/rollout-{id}.jsonl"));
        ThreadDraft::new(id, path.to_str().unwrap(), updated_at, "/work/shop", "cli")
    }

    /// Registers a session of yesterday, claims it and stores an output.
    fn extracted(&self, id: &str, updated_at: &str) {
        self.thread(id, updated_at);
        let claim = only(self.noon().claim_stage1("w", Some(1), None).unwrap().claims);
        assert_eq!(claim.thread_id, id);
        complete(&self.noon(), &claim, &format!("summary of {id}"), &format!("- memory of {id}")).unwrap();
    }
}

/// Stores an output of a claimed session; returns whether it was.
fn complete(rollouts: &Rollouts, claim: &Stage1Claim, summary: &str, memory: &str) -> Result<bool> {
    let output = raw(&json!({ "rollout_slug": null, "rollout_summary": summary, "raw_memory": memory }));
    let done = rollouts.complete_stage1(&claim.thread_id, &claim.ownership_token, &output)?;
    Ok(done.stored)
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

#[track_caller]
fn only<T: std::fmt::Debug>(list: Vec<T>) -> T {
    let [one] = <[T; 1]>::try_from(list).unwrap();
    one
}

/// The ids of claimed sessions.
fn ids(claims: &[Stage1Claim]) -> Vec<&str> {
    claims.iter().map(|claim| claim.thread_id.as_str()).collect()
}

/// Claims everything that is due, and returns the ids.
fn claimed(rollouts: &Rollouts) -> Vec<String> {
    let claims = rollouts.claim_stage1("w", None, None).unwrap().claims;
    claims.into_iter().map(|claim| claim.thread_id).collect()
}

#[track_caller]
fn assert_lost<T: std::fmt::Debug>(outcome: Result<T>) -> Error {
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), loopmem::ErrorKind::LeaseLost, "{error}");
    error
}
