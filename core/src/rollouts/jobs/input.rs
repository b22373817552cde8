//! The input of a model: the transcript of one thread, redacted and within a budget, with the prompt and the schema of
//! the answer.

use std::borrow::Cow;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Job;
use crate::disk::Fields;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::rollouts::database::State;
use crate::rollouts::threads::{ThreadRow, admit_thread_id, parts_of};
use crate::rollouts::transcript::{self, Excerpt, Selection};
use crate::rollouts::{Rollouts, time};

/// The instructions for the model.
const PROMPT: &str = include_str!("../prompts/stage1.md");
/// The schema of the answer.
const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "rollout_slug": { "type": ["string", "null"] },
        "rollout_summary": { "type": "string" },
        "raw_memory": { "type": "string" }
    },
    "required": ["rollout_slug", "rollout_summary", "raw_memory"],
    "additionalProperties": false
}"#;
/// How many bytes count as a token: few enough that no text has more tokens than estimated.
const TOKEN_BYTES: usize = 3;
/// The shortest budget, in tokens.
const MIN_TOKENS: u32 = 100;
/// The longest, which is what the configuration allows too.
const MAX_TOKENS: u32 = 10_000_000;

/// The input of a model about one thread.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Stage1Input")]
#[non_exhaustive]
pub struct Input {
    /// The instructions.
    pub prompt: String,
    /// The transcript: redacted, without the texts of the system and the developer, in the order of the session.
    pub transcript: String,
    /// The JSON Schema of the answer.
    pub schema: Fields,
    /// The length of the transcript in tokens, estimated at three bytes each.
    pub tokens: u32,
    /// The number of entries of the transcript that were left out, of damaged parts of it that could not be read, and of
    /// records that were shortened. Those have more than 8 MiB: the middle of their long texts is left out, and if they still
    /// have more than 4 MiB, everything behind that.
    pub omitted: u64,
}

impl Rollouts {
    pub(crate) const INPUT: &str = "rollouts.input";

    /// The input of a model about a session. `max_tokens` limits the transcript, at three bytes a token; by default it is as
    /// configured, and half of it after each failed attempt.
    ///
    /// # Errors
    /// `NotFound`; `IOError` if the transcript cannot be read; `ValidationError`, `Cancelled`.
    pub fn input(&self, thread_id: &str, max_tokens: Option<u32>) -> Result<Input> {
        self.home.call(Self::INPUT, |home| input(home, thread_id, max_tokens))
    }
}

/// The input for a thread.
pub(crate) fn input(home: &Home, id: &str, max_tokens: Option<u32>) -> Result<Input> {
    if max_tokens.is_some_and(|tokens| !(MIN_TOKENS..=MAX_TOKENS).contains(&tokens)) {
        return Err(Error::validation(format!("maxTokens must be from {MIN_TOKENS} to {MAX_TOKENS}")));
    }
    let id = admit_thread_id(home, "threadId", id)?;
    let state = State::of(home)?;
    let now = time::now(home);
    let thread = ThreadRow::registered(&state, &ThreadRow::whole_id(&state, id.as_str())?)?;
    let job = state.read(|connection| Job::find(connection, thread.subject(), now))?;
    // What a model could not read is not sent to it again: the next attempt reads less.
    let failures = job.filter(|job| job.claimed_watermark == Some(thread.updated_at));
    let failures = failures.map_or(0, |job| job.attempts.saturating_sub(u32::from(job.is_claimed)));
    let configured = home.config().rollouts.input_max_tokens;
    let halved = configured.checked_shr(failures).unwrap_or(0).max(MIN_TOKENS);
    let tokens = max_tokens.unwrap_or(halved);
    let budget = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(TOKEN_BYTES);
    let paths = state.read(|connection| parts_of(connection, &thread))?;
    let Excerpt { text, omitted, is_fork } = excerpt(home, &state, &paths, budget)?;
    let schema = serde_json::from_str(SCHEMA);
    Ok(Input {
        prompt: prompt(&thread, is_fork),
        tokens: u32::try_from(text.len().div_ceil(TOKEN_BYTES)).unwrap_or(u32::MAX),
        transcript: text,
        schema: schema.map_err(|cause| Error::internal("the schema is not JSON").because(cause))?,
        omitted,
    })
}

/// The instructions, and what session it is.
fn prompt(thread: &ThreadRow, is_fork: bool) -> String {
    let line = crate::room::line;
    let mut prompt = format!("{PROMPT}\nThe session:\n\n- thread: {}\n", thread.id);
    prompt.push_str(&format!("- last change: {}\n", time::text(thread.updated_at)));
    if !thread.cwd.is_empty() {
        prompt.push_str(&format!("- working folder: {}\n", line(&thread.cwd)));
    }
    if let Some(branch) = &thread.git_branch {
        prompt.push_str(&format!("- branch: {}\n", line(branch)));
    }
    if is_fork {
        prompt.push_str(
            "- forked from another session, which is read by itself: what was said before that is left out\n",
        );
    }
    prompt
}

/// The excerpt of a transcript, of at most `budget` bytes.
fn excerpt(home: &Home, state: &State, paths: &[PathBuf], budget: usize) -> Result<Excerpt> {
    let check = home.cancel_check();
    // A redacted text may be longer than before: then less is shown.
    let mut shown = budget;
    loop {
        let mut selection = Selection::new(shown);
        transcript::read(state.disk(), paths, &mut selection, &check)?;
        let found = selection.excerpt(&|text, part| home.redactor().redact_part(text, part));
        // Once more as a whole: what is next to each other now may give a secret away.
        let text = home.redactor().redact(&found.text);
        if text.len() <= budget {
            return Ok(Excerpt { text: Cow::into_owned(text), ..found });
        }
        shown = shown.saturating_sub(text.len() - budget).min(shown / 8 * 7);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_strict() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        let names = |value: &serde_json::Value| value.as_object().unwrap().len();
        assert_eq!(schema["required"].as_array().unwrap().len(), names(&schema["properties"]));
        assert_eq!(schema["additionalProperties"], false);
    }
}
