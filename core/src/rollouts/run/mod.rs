//! Working on everything that is due, with external commands as the model.

mod command;
mod preset;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::{Kind, Mode};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, Steps};
use crate::rollouts::Rollouts;
use crate::rollouts::consolidation::artifacts::{self, Purpose};
use crate::rollouts::consolidation::{self, ClaimOutcome, ConsolidationClaim, root, uncancelled};
use crate::rollouts::database::State;
use crate::rollouts::jobs::output::Stage1Output;
use crate::rollouts::jobs::stage1::{self, Stage1Claim};
use crate::rollouts::jobs::{self, Failed, answer, input};
use command::Model;

/// The default time limit of a command.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The longest time that a command may be given.
const MAX_TIMEOUT: Duration = Duration::from_secs(86_400);
/// The maximum number of files that a consolidation may write, and the maximum length of one, in bytes.
const MAX_FILES: usize = 1_000;
const MAX_FILE_BYTES: usize = 4 << 20;
/// The longest name of a file or folder, in bytes.
const MAX_NAME_BYTES: usize = 200;
/// After how many failures in a row a run ends: their cause may not be the sessions.
const MAX_FAILURES_IN_A_ROW: usize = 3;

/// The commands that act as the model, and their limits.
#[derive(Debug, Clone, Default)]
pub struct Runner {
    stage1: Option<Vec<String>>,
    consolidate: Option<Vec<String>>,
    with: Option<String>,
    limit: Option<u32>,
    timeout: Option<Duration>,
    takes_over: bool,
}

impl Runner {
    /// Extracts with this program and its arguments.
    pub fn new(stage1: impl IntoIterator<Item: Into<String>>) -> Self {
        Runner { stage1: Some(stage1.into_iter().map(Into::into).collect()), ..Runner::default() }
    }

    /// Extracts and consolidates with a program that brings a model along: `claude`, `codex`, `gemini` or `ollama:MODEL`. Without a
    /// word, with the one that is configured (`rollouts.with`).
    pub fn with<'w>(word: impl Into<Option<&'w str>>) -> Self {
        Runner { with: word.into().map(str::to_owned), ..Runner::default() }
    }

    setters! {
        /// Extracts with this program and its arguments.
        stage1(command: impl Into<Option<Vec<String>>>) => stage1 = command.into();
        /// Consolidates with this program and its arguments. Default: nothing is consolidated.
        consolidate(command: impl Into<Option<Vec<String>>>) => consolidate = command.into();
        /// The maximum number of sessions. Default: all that are due.
        limit(sessions: impl Into<Option<u32>>) => limit = sessions.into();
        /// The time limit of a command. Default: 10 minutes.
        timeout(timeout: impl Into<Option<Duration>>) => timeout = timeout.into();
        /// Whether files of another program in the memory root are set aside. Default: they are a `Conflict`.
        take_over(takes_over: bool) => takes_over = takes_over;
    }
}

/// The outcome for one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
#[schemars(inline)]
pub enum RunOutcome {
    /// Its memory was stored.
    Stored,
    /// There is nothing to remember.
    Empty,
    /// It failed, and is tried again later.
    Failed,
    /// Its transcript is gone. It is due again if a scan finds it.
    TranscriptMissing,
    /// Another worker took it over.
    LeaseLost,
}

/// One session that was worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RunThread {
    /// The thread.
    pub thread_id: String,
    /// The outcome.
    pub outcome: RunOutcome,
    /// The reason for which it failed; null if it did not.
    pub reason: Option<String>,
}

/// The outcome of the consolidation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
#[schemars(inline)]
pub enum RunConsolidation {
    /// There is no command for it.
    Skipped,
    /// It succeeded.
    Completed,
    /// It failed, and is tried again later.
    Failed,
    /// Another worker took it over.
    LeaseLost,
    /// There is nothing new to consolidate.
    Clean,
    /// Another worker has it.
    Running,
    /// It failed before, and waits for the next attempt.
    Backoff,
    /// It failed too often, and waits for new input.
    Exhausted,
}

/// The outcome of the consolidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConsolidationRun {
    /// The outcome.
    pub outcome: RunConsolidation,
    /// The reason for which it failed; null if it did not.
    pub reason: Option<String>,
    /// True if there is something to consolidate again; null unless it succeeded.
    pub dirty: Option<bool>,
    /// The files that were written or removed and have changed, relative to the memory root.
    pub written: Vec<String>,
    /// The lines of `MEMORY.md`, counted from 1, at which a statement begins that names no session that it is from; at most 100.
    pub unsourced: Vec<u32>,
}

impl ConsolidationRun {
    fn of(outcome: RunConsolidation) -> Self {
        ConsolidationRun { outcome, reason: None, dirty: None, written: Vec::new(), unsourced: Vec::new() }
    }
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RolloutsRun")]
#[non_exhaustive]
pub struct Run {
    /// The sessions that were worked on, the newest first.
    pub threads: Vec<RunThread>,
    /// True if the run gave up after three failures without a success between them. The remaining sessions were not tried.
    pub gave_up: bool,
    /// The consolidation.
    pub consolidation: ConsolidationRun,
}

impl Rollouts {
    pub(crate) const RUN: &str = "rollouts.run";

    /// Works on everything that is due, with external commands as the model.
    ///
    /// # Errors
    /// `ValidationError` for a command that cannot be started, or that ends with exit status 127: no attempt is spent.
    /// Those of the other calls. Any other failure of a command is no error of this call: its thread is tried again later.
    /// After three failures in a row, the others are left for the next run.
    pub fn run(&self, runner: &Runner) -> Result<Run> {
        self.home.call(Self::RUN, |home| run(home, runner))
    }
}

/// A run may take hours: each of its parts waits for locks as long as a call of its own may.
fn run(home: &Home, runner: &Runner) -> Result<Run> {
    let timeout = runner.timeout.unwrap_or(TIMEOUT);
    if timeout.is_zero() || timeout > MAX_TIMEOUT {
        let most = MAX_TIMEOUT.as_secs();
        return Err(Error::validation(format!("commandTimeoutSecs must be from 1 to {most}")));
    }
    for (name, command) in
        [("stage1Command", runner.stage1.as_ref()), ("consolidateCommand", runner.consolidate.as_ref())]
    {
        if command.is_some_and(|command| command.first().is_none_or(String::is_empty)) {
            return Err(Error::validation(format!("{name} must be a program, and may have arguments")));
        }
    }
    // The configured one stands for both phases or none.
    let configured = home.config().rollouts.with.as_deref().filter(|_| runner.stage1.is_none());
    let word = runner.with.as_deref().or(configured);
    let preset = word.map(preset::command).transpose()?;
    let stage1 = runner.stage1.as_ref().or(preset.as_ref()).ok_or_else(|| {
        Error::validation(
            "no model was chosen; pass stage1Command (a command) or with (a known name), or set rollouts.with",
        )
    })?;
    let consolidate_with = runner.consolidate.as_ref().or(preset.as_ref());
    let worker = format!("run-{}", home.new_id().as_str());
    let state = State::of(home)?;
    // A root that cannot be written to, or that another program uses, is found before a model is asked.
    materialize(home, Purpose::refresh(runner.takes_over))?;
    let due = stage1::count_due(home)?.min(runner.limit.unwrap_or(u32::MAX));
    let due = usize::try_from(due).unwrap_or(usize::MAX);
    let consolidates = usize::from(consolidate_with.is_some());
    let mut steps = Steps::new(home, due.saturating_add(consolidates));
    let mut threads: Vec<RunThread> = Vec::new();
    let mut failures = 0;
    // One by one, so that nothing is claimed that has to wait for the others, and each of them once.
    while threads.len() < due && failures < MAX_FAILURES_IN_A_ROW {
        let tried: Vec<&str> = threads.iter().map(|thread| thread.thread_id.as_str()).collect();
        let claims = persistently(|| stage1::claim(&home.renewed(), &worker, Some(1), &tried))?.claims;
        let Some(claim) = claims.into_iter().next() else { break };
        let reads_text = runner.stage1.is_none();
        let model = Model { arguments: stage1, timeout, folder: None, reads_text };
        let extracted = extract(home, &state, &model, claim);
        // What the others came to is in the files, whatever ends the run.
        let thread = extracted.inspect_err(|_| drop(materialize(&uncancelled(home), Purpose::Refresh)))?;
        match thread.outcome {
            RunOutcome::Failed => failures += 1,
            RunOutcome::Stored | RunOutcome::Empty => failures = 0,
            RunOutcome::TranscriptMissing | RunOutcome::LeaseLost => {}
        }
        threads.push(thread);
        steps.advance();
    }
    let gave_up = failures == MAX_FAILURES_IN_A_ROW && threads.len() < due;
    // Another worker may have got the others.
    (threads.len()..due).for_each(|_| steps.advance());
    materialize(home, Purpose::Refresh)?;
    let consolidation = match consolidate_with {
        None => ConsolidationRun::of(RunConsolidation::Skipped),
        Some(command) => {
            let root = home.layout().memories()?;
            let reads_text = runner.consolidate.is_none();
            let model = Model { arguments: command, timeout, folder: Some(&root), reads_text };
            consolidate(home, &state, &model, &worker)?
        }
    };
    if consolidate_with.is_some() {
        steps.advance();
    }
    Ok(Run { threads, gave_up, consolidation })
}

/// Checks whether the call was cancelled, and renews a claim now and then.
fn poll<'h>(home: &'h Home, state: &'h State, beat: impl Fn() -> Result<()> + 'h) -> impl FnMut() -> Result<()> + 'h {
    let check = home.cancel_check();
    let lease = u64::try_from(home.config().rollouts.lease).unwrap_or(u64::MAX);
    let every = Duration::from_millis(lease / 4);
    let mut last = state.disk().elapsed();
    move || {
        check()?;
        let now = state.disk().elapsed();
        if now.saturating_sub(last) >= every {
            last = now;
            // Anything else may work the next time, before the lease is over.
            match beat() {
                Err(error) if error.kind() == ErrorKind::LeaseLost => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Extracts the memory of a claimed session.
fn extract(home: &Home, state: &State, model: &Model<'_>, claim: Stage1Claim) -> Result<RunThread> {
    let Stage1Claim { thread_id, ownership_token: token, rollout_path: path, .. } = claim;
    // What a model has answered is stored, even if the call is cancelled meanwhile.
    let storing = uncancelled(home);
    let done = ask_stage1(home, state, model, &thread_id, &token).and_then(|asked| match asked {
        Ok(output) => persistently(|| stage1::complete(&storing.renewed(), &thread_id, &token, &output)).map(|done| {
            let outcome = if done.stored { RunOutcome::Stored } else { RunOutcome::Empty };
            (outcome, None)
        }),
        Err(reason) if matches!(state.disk().stat_foreign(Path::new(&path)), Ok(None)) => {
            let released = persistently(|| stage1::release_missing(&storing.renewed(), &thread_id, &token, &path));
            released.map(|()| (RunOutcome::TranscriptMissing, Some(shown(home, &reason))))
        }
        Err(reason) => persistently(|| failed(&storing.renewed(), &thread_id, &token, &reason)),
    });
    let (outcome, reason) = match done {
        Ok(done) => done,
        Err(error) if error.kind() == ErrorKind::LeaseLost => (RunOutcome::LeaseLost, None),
        Err(error) => {
            // The worker gives up: another one may try at once.
            let given_back = persistently(|| stage1::release(&storing.renewed(), &thread_id, &token));
            return Err(given_back.err().filter(|it| it.kind() != ErrorKind::LeaseLost).unwrap_or(error));
        }
    };
    Ok(RunThread { thread_id, outcome, reason })
}

/// Brings the files up to date.
fn materialize(home: &Home, purpose: Purpose) -> Result<artifacts::Materialized> {
    let home = home.renewed();
    artifacts::materialize(&home, &State::of(&home)?, purpose)
}

/// The number of attempts at a write that another process's lock prevents.
const WRITE_ATTEMPTS: usize = 5;

/// Repeats a call that may succeed later.
fn persistently<T>(mut call: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..WRITE_ATTEMPTS {
        match call() {
            Err(error) if error.retryable() => {}
            done => return done,
        }
    }
    call()
}

fn failed(home: &Home, id: &str, token: &str, reason: &str) -> Result<(RunOutcome, Option<String>)> {
    stage1::fail(home, id, token, &Failed::now(home, reason, None))?;
    Ok((RunOutcome::Failed, Some(shown(home, reason))))
}

/// A reason as it is reported: redacted before it is cut.
fn shown(home: &Home, reason: &str) -> String {
    jobs::short(&home.redactor().scrub(reason)).to_owned()
}

/// A model's answer about a session; a reason if there is none.
fn ask_stage1(
    home: &Home,
    state: &State,
    model: &Model<'_>,
    id: &str,
    token: &str,
) -> Result<Result<crate::disk::Stored<Stage1Output>, String>> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Question<'q> {
        thread_id: &'q str,
        #[serde(flatten)]
        input: &'q input::Input,
    }
    let input = match input::input(&home.renewed(), id, None) {
        Ok(input) => input,
        // A transcript that cannot be read fails like a model that cannot read it.
        Err(error) if error.kind() == ErrorKind::Io => return Ok(Err(error.message().to_owned())),
        // It was forgotten meanwhile.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Error::new(ErrorKind::LeaseLost, error.message()).about(id));
        }
        Err(error) => return Err(error),
    };
    let question = question(model, &input.prompt, &Question { thread_id: id, input: &input })?;
    let mut poll = poll(home, state, || stage1::heartbeat(&home.renewed(), id, token).map(drop));
    let answer = match model.ask(home, &question, &mut poll)? {
        Ok(answer) => answer,
        Err(reason) => return Ok(Err(reason)),
    };
    match Stage1Output::in_text(home, &answer) {
        Ok(output) => Ok(Ok(output)),
        Err(error) if error.kind() == ErrorKind::Validation => Ok(Err(error.message().to_owned())),
        Err(error) => Err(error),
    }
}

/// What a command reads: an object, or for a program that reads a text, the instructions and then the object.
fn question(model: &Model<'_>, prompt: &str, value: &impl Serialize) -> Result<String> {
    let json = serde_json::to_string(value).map_err(|cause| Error::internal("the input is not JSON").because(cause))?;
    Ok(match model.reads_text {
        true => format!(
            "{prompt}\n\nThe input follows, as JSON. Its member `prompt` repeats these instructions.\n\n{json}\n"
        ),
        false => json,
    })
}

/// Instructions added to the prompt for `consolidateCommand`.
const ANSWER: &str = r#"Answer with one JSON object and nothing else: {"files": {"MEMORY.md": "its new contents", "skills/old/SKILL.md": null}}, with the whole new contents of each file that changes, or null for one to remove. If you write files yourself, answer {"written": ["MEMORY.md"]}, with the paths of all that you wrote or removed.
"#;

/// The answer of a command that consolidates.
#[derive(Debug, Default, Deserialize)]
struct Consolidated {
    /// The new contents of files; null removes one.
    files: Option<BTreeMap<String, Option<String>>>,
    /// The files that the command itself wrote or removed.
    written: Option<Vec<String>>,
}

/// Consolidates, if that is due.
fn consolidate(home: &Home, state: &State, model: &Model<'_>, worker: &str) -> Result<ConsolidationRun> {
    let claim = persistently(|| consolidation::claim(&home.renewed(), worker))?;
    let token = match (claim.outcome, &claim.ownership_token) {
        (ClaimOutcome::Claimed, Some(token)) => token.clone(),
        (ClaimOutcome::Running, _) => return Ok(ConsolidationRun::of(RunConsolidation::Running)),
        (ClaimOutcome::Backoff, _) => return Ok(ConsolidationRun::of(RunConsolidation::Backoff)),
        (ClaimOutcome::Exhausted, _) => return Ok(ConsolidationRun::of(RunConsolidation::Exhausted)),
        _ => return Ok(ConsolidationRun::of(RunConsolidation::Clean)),
    };
    let failed = |reason: &str| ConsolidationRun {
        reason: Some(shown(home, reason)),
        ..ConsolidationRun::of(RunConsolidation::Failed)
    };
    state.disk().make_folder(&home.layout().memories()?)?;
    let done = ask_consolidation(home, state, model, &claim, &token).and_then(|asked| match asked {
        Ok(answer) => match finish(&home.renewed(), &token, answer) {
            // A file that cannot be written is the fault of its name, or of the root.
            Err(error) if matches!(error.kind(), ErrorKind::Io | ErrorKind::Rename) => {
                consolidation::fail(&home.renewed(), &token, &Failed::now(home, error.message(), None))?;
                Ok(failed(error.message()))
            }
            done => done,
        },
        Err(reason) => {
            consolidation::fail(&home.renewed(), &token, &Failed::now(home, &reason, None))?;
            Ok(failed(&reason))
        }
    });
    match done {
        Err(error) if error.kind() == ErrorKind::LeaseLost => Ok(ConsolidationRun::of(RunConsolidation::LeaseLost)),
        Err(error) => {
            let given_back = consolidation::give_back(&uncancelled(home), &token);
            match given_back.err().filter(|it| it.kind() != ErrorKind::LeaseLost) {
                Some(error) => Err(error),
                // The command cannot be started. What the sessions came to is known all the same.
                None if error.kind() == ErrorKind::Validation => Ok(failed(error.message())),
                None => Err(error),
            }
        }
        done => done,
    }
}

/// A command's answer about the inputs; a reason if there is none.
fn ask_consolidation(
    home: &Home,
    state: &State,
    model: &Model<'_>,
    claim: &ConsolidationClaim,
    token: &str,
) -> Result<Result<Consolidated, String>> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Question<'q> {
        root: &'q str,
        /// The files as they are, for a model that cannot read them.
        #[serde(skip_serializing_if = "Option::is_none")]
        files: Option<BTreeMap<String, String>>,
        #[serde(flatten)]
        claim: &'q ConsolidationClaim,
    }
    let root = home.layout().memories()?;
    let files = match model.reads_text {
        true => Some(texts(home, state, &root)?),
        false => None,
    };
    let root = root.to_string_lossy();
    let prompt = claim.prompt.as_ref().map(|prompt| format!("{prompt}\n{ANSWER}"));
    let claim = ConsolidationClaim { prompt, ..claim.clone() };
    let prompt = claim.prompt.as_deref().unwrap_or_default();
    let question = question(model, prompt, &Question { root: &root, files, claim: &claim })?;
    let mut poll = poll(home, state, || consolidation::heartbeat(&home.renewed(), token).map(drop));
    let answer = match model.ask(home, &question, &mut poll)? {
        Ok(answer) => answer,
        Err(reason) => return Ok(Err(reason)),
    };
    Ok(read_answer(&answer).and_then(|answer| check_answer(home, &answer).map(|()| answer)))
}

/// The files that a consolidation maintains, without secrets that somebody has written into them.
fn texts(home: &Home, state: &State, root: &Path) -> Result<BTreeMap<String, String>> {
    let names = root::files(home, state)?.into_keys().filter(|path| is_writable(path));
    let text = |path: String| root::text(state.disk(), root, &path).map(|text| (path, text));
    let scrubbed = |(path, text): (String, String)| (path, home.redactor().scrub(&text).into_owned());
    Ok(names.filter_map(text).map(scrubbed).collect())
}

fn read_answer(text: &str) -> Result<Consolidated, String> {
    let read = |json: &str| serde_json::from_str::<Consolidated>(json).ok();
    let says_something = |answer: &Consolidated| answer.files.is_some() || answer.written.is_some();
    let found = answer::find(text, |json| read(json).filter(says_something));
    // A command that writes its files itself need not say more than an object.
    found.or_else(|| read(text.trim())).ok_or_else(|| {
        let problem = answer::problem::<Consolidated>(text, |_| None);
        format!(
            "the answer must be a JSON object with `files`, the contents by path, or `written`, the paths that were \
             written{problem}"
        )
    })
}

fn check_answer(home: &Home, answer: &Consolidated) -> Result<(), String> {
    let files = answer.files.iter().flatten();
    let paths: Vec<&String> = files.clone().map(|(path, _)| path).chain(answer.written.iter().flatten()).collect();
    if paths.len() > MAX_FILES {
        return Err(format!("the answer names more than {MAX_FILES} files"));
    }
    let is_refused = |path: &String| !is_writable(path) || home.redactor().admit("path", path).is_err();
    if let Some(path) = paths.iter().find(|path| is_refused(path)) {
        return Err(format!(
            "the answer names the file {path}; a consolidation writes MEMORY.md, memory_summary.md and files below skills/"
        ));
    }
    if let Some(path) = paths.iter().find(|path| paths.iter().any(|other| other.starts_with(&format!("{path}/")))) {
        return Err(format!("the answer names {path} as a file and as a folder"));
    }
    for (path, text) in files {
        if text.as_ref().is_some_and(|text| text.len() > MAX_FILE_BYTES) {
            return Err(format!("the contents of {path} are longer than {MAX_FILE_BYTES} bytes"));
        }
    }
    Ok(())
}

/// True if a consolidation may write this path: one of its own files, or one in its folder that is not hidden.
fn is_writable(path: &str) -> bool {
    // Each file has one path, by which it is compared with what was there.
    let is_plain = |part: &str| (1..=MAX_NAME_BYTES).contains(&part.len()) && !part.starts_with('.');
    let depth = path.split('/').count();
    root::is_consolidated(path)
        && !path.contains(char::is_control)
        && path.split('/').all(is_plain)
        && depth <= root::MAX_DEPTH
}

/// Writes the files of an answer, and ends the consolidation. A file that was edited meanwhile stays as it is.
fn finish(home: &Home, token: &str, answer: Consolidated) -> Result<ConsolidationRun> {
    let state = &State::of(home)?;
    consolidation::heartbeat(home, token)?;
    let folder = home.layout().memories()?;
    let before = consolidation::files_when_claimed(state)?;
    // Without either, what was written is not known.
    let is_known = answer.files.is_some() || answer.written.is_some();
    let mut written = answer.written.unwrap_or_default();
    // Whether one of these was written is found out here.
    written.retain(|path| !answer.files.as_ref().is_some_and(|files| files.contains_key(path)));
    {
        let timeout = home.config().lock_timeout;
        let guard = state.disk().lock(&folder, Mode::Exclusive, home.wait_options(), timeout)?;
        let now = root::files(home, state)?;
        for (path, text) in answer.files.into_iter().flatten() {
            // Nor is anything replaced that is no file, such as a link.
            let stat = state.disk().stat(&folder.join(&path))?;
            let text = text.map(|text| home.redactor().seal_text(&answer::plain(&text)));
            let wanted = text.as_ref().map(|text| artifacts::digest(text.as_str().as_bytes()));
            // The command may have written it itself.
            let is_done = now.get(&path) == wanted.as_ref();
            let is_changed = before.get(&path) != now.get(&path);
            if !is_done && (is_changed || stat.is_some_and(|stat| stat.kind != Kind::File)) {
                continue;
            }
            match text {
                _ if is_done => {}
                Some(text) => state.disk().put_text(&guard, &folder.join(&path), &text)?,
                None => state.disk().remove_text(&guard, &folder.join(&path))?,
            }
            written.push(path);
        }
    }
    let done = consolidation::complete(home, token, is_known.then_some(&written))?;
    let changed = root::difference(&before, &root::files(home, state)?);
    let written: BTreeSet<String> = written.into_iter().filter(|path| changed.contains(path)).collect();
    let written = written.iter().map(|path| home.redactor().scrub(path).into_owned()).collect();
    let (dirty, unsourced) = (Some(done.dirty), done.unsourced);
    Ok(ConsolidationRun { dirty, written, unsourced, ..ConsolidationRun::of(RunConsolidation::Completed) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_a_consolidation_are_written() {
        for path in ["MEMORY.md", "memory_summary.md", "skills/release/SKILL.md", "skills/a b.md"] {
            assert!(is_writable(path), "{path}");
        }
        for path in [
            "",
            "notes/mine.md",
            "skills",
            "skills//x",
            "skills/./x",
            ".",
            "..",
            "../x",
            "/etc/passwd",
            "a/../../x",
            ".git/config",
            "skills/.hidden",
            "raw_memories.md",
            "rollout_summaries/x.md",
            "user/memory/MEMORY.md",
            "skills/",
            "./MEMORY.md",
            "a\nb",
            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef/x",
            "0123456789abcdef/x",
        ] {
            assert!(!is_writable(path), "{path}");
        }
    }

    #[test]
    fn an_answer_is_found_alone_and_between_other_words() {
        let braces = format!(r#"So: {{"files":{{"MEMORY.md":"{}"}}}}."#, "{".repeat(3_000));
        assert!(read_answer(&braces).is_ok());
        for text in [
            r#"{"files":{"MEMORY.md":"x"}}"#,
            "Sure:\n```json\n{\"files\":{\"MEMORY.md\":\"x\"}}\n```",
            r#"{} {"written":[]}"#,
            r#"{"files":{"MEMORY.md":"x"},"meta":{"written":[]}}"#,
            "{}",
            r#" {"ok":true} "#,
        ] {
            let answer = read_answer(text).unwrap();
            assert_eq!(answer.files.is_some(), text.contains("files"), "{text}");
        }
        for text in ["", "done", "[]", "null", "{} {}", r#"{"files":"x"}"#] {
            assert!(read_answer(text).is_err(), "{text}");
        }
    }
}
