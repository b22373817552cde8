//! The tools for the work itself: what is known at its beginning, its plan, and what was done.

use loopmem::context::Pack;
use loopmem::{Error, ErrorKind, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::caller::{Answer, Caller, answer};
use crate::session::Members;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ContextParams {
    /// What you are about to do, in the user's words. Default: what is known is shown whatever the task.
    prompt: Option<String>,
    /// Files that you are working on, relative to the repository.
    files: Option<Vec<String>>,
    /// The maximum length of the text, in characters. Default: 8000.
    max_chars: Option<u64>,
    /// A folder in the repository. Default: the one that the server was started for.
    workspace: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextResult {
    /// What is known, as Markdown; empty if nothing is.
    text: String,
    /// What did not fit, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
    /// What to tell the user about memory of this repository that is elsewhere, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

pub(super) fn context(caller: &Caller, params: ContextParams) -> Result<Answer> {
    let workspace = caller.workspace(params.workspace);
    let pack = pack(caller, workspace, params.prompt, params.files, params.max_chars)?;
    let dropped: usize = pack.sections.iter().map(|section| section.dropped.len()).sum();
    let mut text = match (pack.text.is_empty(), dropped) {
        (true, 0) => "Nothing is stored for this repository yet.".to_owned(),
        (true, _) => format!("Nothing fits into maxChars; {dropped} records are left out."),
        (false, _) => pack.text.clone(),
    };
    if let Some(notice) = &pack.notice {
        text.push_str(&format!("\n\nTell the user: {notice}"));
    }
    answer(text, &ContextResult { text: pack.text, left_out: pack.left_out, notice: pack.notice })
}

/// The pack for a prompt, with the working context of the repository.
pub(super) fn pack(
    caller: &Caller,
    workspace: Option<String>,
    prompt: Option<String>,
    files: Option<Vec<String>>,
    max_chars: Option<u64>,
) -> Result<Pack> {
    let scope = caller.scope(None, workspace.as_deref())?;
    caller.ask(
        "context.build",
        json!({ "workspace": workspace, "prompt": prompt, "focusFiles": files, "maxChars": max_chars, "scopeId": scope }),
    )
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EndStepParams {
    /// One paragraph: what was done, what came out of it, and what remains to be done.
    summary: String,
    /// The run that the step belongs to. Default: this session.
    run: Option<String>,
    /// The step within the run. Default: the next one.
    step: Option<String>,
    /// Tags to find it by.
    tags: Option<Vec<String>>,
    /// A folder in the repository. Default: the one that the server was started for.
    workspace: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EndStepResult {
    /// The run that the step belongs to.
    run_id: String,
    /// The step within the run.
    step_id: String,
    /// When it was stored.
    timestamp: String,
    /// The summary as it was stored: without secrets.
    summary: String,
}

pub(super) fn end_step(caller: &Caller, params: EndStepParams) -> Result<Answer> {
    let workspace = caller.workspace(params.workspace);
    let run = params.run.unwrap_or_else(|| caller.connection.run.clone());
    let step = params.step.unwrap_or_else(|| caller.connection.next_step());
    let stored: EndStepResult = caller.ask(
        "summary.append",
        json!({
            "workspace": workspace, "runId": run, "stepId": step, "summary": params.summary, "tags": params.tags,
        }),
    )?;
    answer(format!("Stored as {} of {}.", stored.step_id, stored.run_id), &stored)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WorkingGetParams {
    /// The name of the working context, such as that of a job. Default: the one of the repository.
    scope: Option<String>,
    /// A folder in the repository. Default: the one that the server was started for.
    workspace: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorkingResult {
    /// The values by their names.
    context: Members,
}

pub(super) fn working_get(caller: &Caller, params: WorkingGetParams) -> Result<Answer> {
    let scope = caller.scope(params.scope, caller.workspace(params.workspace).as_deref())?;
    let context: Members = caller.ask("working.getContext", json!({ "scopeId": scope }))?;
    answer(shown(&context), &WorkingResult { context })
}

pub(super) fn shown(context: &Members) -> String {
    if context.is_empty() {
        return "The working context is empty.".to_owned();
    }
    serde_json::to_string_pretty(context).unwrap_or_default()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WorkingUpdateParams {
    /// The values to set, by their names. Each replaces the whole previous value of its name.
    set: Option<Members>,
    /// The names of the values to remove.
    remove: Option<Vec<String>>,
    /// Numbers to add to the values of these names, such as a count that other agents change too.
    increment: Option<Members>,
    /// Lists whose elements are appended to the lists of these names.
    append: Option<Members>,
    /// The values that these names must have, or nothing is changed; null for a name that must be missing.
    expect: Option<Members>,
    /// The name of the working context, such as that of a job. Default: the one of the repository.
    scope: Option<String>,
    /// A folder in the repository. Default: the one that the server was started for.
    workspace: Option<String>,
}

pub(super) fn working_update(caller: &Caller, params: WorkingUpdateParams) -> Result<Answer> {
    let WorkingUpdateParams { set, remove, increment, append, expect, scope, workspace } = params;
    if set.is_none() && remove.is_none() && increment.is_none() && append.is_none() {
        return Err(Error::validation("there is nothing to update: give `set`, `remove`, `increment` or `append`"));
    }
    let scope = caller.scope(scope, caller.workspace(workspace).as_deref())?;
    let context: Members = caller.ask(
        "working.updateContext",
        json!({
            "scopeId": scope, "patch": set, "remove": remove, "increment": increment, "append": append, "expect": expect,
            "source": caller.connection.run,
        }),
    )?;
    answer(shown(&context), &WorkingResult { context })
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CheckpointParams {
    /// Whether the latest checkpoint is brought back, instead of saving one. Default: false.
    restore: Option<bool>,
    /// The name of the working context, such as that of a job. Default: the one of the repository.
    scope: Option<String>,
    /// A folder in the repository. Default: the one that the server was started for.
    workspace: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CheckpointResult {
    /// When the checkpoint was saved, in milliseconds since 1970.
    timestamp: u64,
    /// The values by their names, as they were brought back.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Members>,
}

/// What a method returned of a checkpoint.
#[derive(Deserialize)]
pub(super) struct SavedCheckpoint {
    timestamp: u64,
}

pub(super) fn checkpoint(caller: &Caller, params: CheckpointParams) -> Result<Answer> {
    let scope = caller.scope(params.scope, caller.workspace(params.workspace).as_deref())?;
    if params.restore == Some(true) {
        let saved: Vec<u64> = caller.ask("working.listCheckpoints", json!({ "jobId": scope }))?;
        let Some(latest) = saved.iter().max() else {
            return Err(Error::new(ErrorKind::NotFound, "there is no checkpoint to restore"));
        };
        let context: Members =
            caller.ask("working.restoreCheckpoint", json!({ "jobId": scope, "timestamp": latest }))?;
        return answer(shown(&context), &CheckpointResult { timestamp: *latest, context: Some(context) });
    }
    let SavedCheckpoint { timestamp } = caller.ask("working.saveCheckpoint", json!({ "jobId": scope }))?;
    answer(format!("Saved as checkpoint {timestamp}."), &CheckpointResult { timestamp, context: None })
}
