//! The typed API of rollouts, called as a Rust program calls it.

use std::path::PathBuf;
use std::time::Duration;

use loopmem::repo::Workspace;
use loopmem::rollouts::{Mode, Reason, Runner, ThreadDraft, TranscriptKind, Work};
use loopmem::{RepoHash, Result, Store};
use serde_json::json;
use serde_json::value::RawValue;

use super::typed::{Params, encoded};

/// `None` for what the types of the API cannot say.
pub(super) fn call(store: &Store, method: &str, mut params: Params) -> Option<Result<String>> {
    let rollouts = store.rollouts();
    match method {
        "rollouts.upsertThread" => {
            let (id, path): (String, String) = (params.take("id")?, params.take("rolloutPath")?);
            let (updated_at, cwd): (String, String) = (params.take("updatedAt")?, params.take("cwd")?);
            let draft = ThreadDraft::new(id, path, updated_at, cwd, params.take::<String>("source")?);
            let draft = draft.git_branch(params.maybe::<String>("gitBranch")?).mode(params.maybe::<Mode>("mode")?);
            let draft = draft.archived(params.maybe::<bool>("archived")?);
            params.end()?;
            Some(rollouts.upsert_thread(draft).and_then(encoded))
        }
        "rollouts.scan" => {
            let kinds = params.maybe::<Vec<TranscriptKind>>("kinds")?;
            let roots = params.maybe::<Vec<PathBuf>>("roots")?;
            params.end()?;
            Some(rollouts.scan(kinds.as_deref(), roots.as_deref()).and_then(encoded))
        }
        "rollouts.input" => {
            let (id, tokens) = (params.take::<String>("threadId")?, params.maybe::<u32>("maxTokens")?);
            params.end()?;
            Some(rollouts.input(&id, tokens).and_then(encoded))
        }
        "rollouts.claimStage1" => {
            let (worker, limit) = (params.take::<String>("workerId")?, params.maybe::<u32>("limit")?);
            let current = params.maybe::<String>("currentThreadId")?;
            params.end()?;
            Some(rollouts.claim_stage1(&worker, limit, current.as_deref()).and_then(encoded))
        }
        "rollouts.heartbeat" => {
            let (kind, id) = (params.take::<String>("kind")?, params.maybe::<String>("threadId")?);
            let token = params.take::<String>("ownershipToken")?;
            params.end()?;
            let work = match (kind.as_str(), &id) {
                ("stage1", Some(id)) => Work::Stage1(id),
                ("consolidation", None) => Work::Consolidation,
                _ => return None,
            };
            let renewed = rollouts.heartbeat(work, &token);
            Some(renewed.and_then(|until| encoded(json!({ "leaseUntil": until }))))
        }
        "rollouts.completeStage1" => {
            let (id, token) = (params.take::<String>("threadId")?, params.take::<String>("ownershipToken")?);
            let output = params.take::<Box<RawValue>>("output")?;
            params.end()?;
            Some(rollouts.complete_stage1(&id, &token, &output).and_then(encoded))
        }
        "rollouts.failStage1" | "rollouts.failConsolidation" => {
            let (id, token) = (params.maybe::<String>("threadId")?, params.take::<String>("ownershipToken")?);
            let (reason, after) = (params.take::<String>("reason")?, params.maybe::<u32>("retryAfterSecs")?);
            params.end()?;
            let failed = match (method, &id) {
                ("rollouts.failStage1", Some(id)) => rollouts.fail_stage1(id, &token, &reason, after),
                ("rollouts.failConsolidation", None) => rollouts.fail_consolidation(&token, &reason, after),
                _ => return None,
            };
            Some(failed.and_then(encoded))
        }
        "rollouts.claimConsolidation" => {
            let worker = params.take::<String>("workerId")?;
            params.end()?;
            Some(rollouts.claim_consolidation(&worker).and_then(encoded))
        }
        "rollouts.completeConsolidation" => {
            let token = params.take::<String>("ownershipToken")?;
            let written = params.maybe::<Vec<String>>("written")?;
            params.end()?;
            Some(rollouts.complete_consolidation(&token, written.as_deref()).and_then(encoded))
        }
        "rollouts.run" => {
            let stage1 = params.maybe::<Vec<String>>("stage1Command")?;
            let word = params.maybe::<String>("with")?;
            let runner = Runner::with(word.as_deref()).stage1(stage1);
            let runner = runner.consolidate(params.maybe::<Vec<String>>("consolidateCommand")?);
            let runner = runner.limit(params.maybe::<u32>("limit")?);
            let seconds = params.maybe::<u32>("commandTimeoutSecs")?;
            let runner = runner.take_over(params.maybe::<bool>("takeOver")?.unwrap_or(false));
            params.end()?;
            let runner = runner.timeout(seconds.map(|seconds| Duration::from_secs(seconds.into())));
            Some(rollouts.run(&runner).and_then(encoded))
        }
        "rollouts.list" => {
            let (reasons, limit) = (params.maybe::<Vec<Reason>>("reasons")?, params.maybe::<u32>("limit")?);
            params.end()?;
            Some(rollouts.list(reasons.as_deref(), limit).and_then(encoded))
        }
        "rollouts.retry" => {
            let ids = params.maybe::<Vec<String>>("threadIds")?;
            params.end()?;
            let ids = ids.as_ref().map(|ids| ids.iter().map(String::as_str).collect::<Vec<_>>());
            Some(rollouts.retry(ids.as_deref()).and_then(encoded))
        }
        "rollouts.recordUsage" => {
            let ids = params.take::<Vec<String>>("threadIds")?;
            params.end()?;
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            Some(rollouts.record_usage(&ids).and_then(|updated| encoded(json!({ "updated": updated }))))
        }
        "rollouts.setMode" => {
            let (id, mode) = (params.take::<String>("threadId")?, params.take::<Mode>("mode")?);
            params.end()?;
            Some(rollouts.set_mode(&id, mode).and_then(encoded))
        }
        "rollouts.read" => {
            let (hash, folder) = (params.maybe::<RepoHash>("repoHash")?, params.maybe::<String>("workspace")?);
            let path = params.maybe::<String>("path")?;
            params.end()?;
            let repo = match (hash, folder) {
                (Some(hash), None) => Ok(store.repo_at(&hash)),
                (None, folder) => store.repo(folder.map_or_else(Workspace::current, Workspace::at)),
                _ => return None,
            };
            Some(repo.and_then(|repo| rollouts.read(&repo, path.as_deref())).and_then(encoded))
        }
        "rollouts.explain" | "rollouts.forget" => {
            let id = params.take::<String>("threadId")?;
            params.end()?;
            Some(match method {
                "rollouts.explain" => rollouts.explain(&id).and_then(encoded),
                _ => rollouts.forget(&id).and_then(encoded),
            })
        }
        "rollouts.reset" => {
            let reextract = params.maybe::<bool>("reextract")?.unwrap_or(false);
            params.end()?;
            Some(rollouts.reset(reextract).and_then(encoded))
        }
        "rollouts.materialize" => {
            let takes_over = params.maybe::<bool>("takeOver")?.unwrap_or(false);
            params.end()?;
            let done = if takes_over { rollouts.take_over() } else { rollouts.materialize() };
            Some(done.and_then(encoded))
        }
        _ => {
            params.end()?;
            match method {
                "rollouts.status" => Some(rollouts.status().and_then(encoded)),
                "rollouts.migrateLegacyRoot" => Some(rollouts.migrate_legacy_root().and_then(encoded)),
                _ => None,
            }
        }
    }
}
