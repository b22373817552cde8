//! An agent that remembers: the loop asks a model, runs the tools that it calls, and ends a step. Every prompt has what
//! earlier steps did; what the model remembers is also in the prompts of later runs.
//!
//!     cargo run -p loopmem --example tool_loop -- [RUN [CLOCK]]     RUN: an id; CLOCK: a fixed time, for tests
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "an example")]

use std::path::{Component, Path};
use std::process::{Command, ExitCode};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, io};

use loopmem::memory::{Convention, ConventionDraft};
use loopmem::repo::Repo;
use loopmem::summary::{Event, EventKind};
use loopmem::working::Patch;
use loopmem::{ErrorKind, Options, Store};

const TASK: &str = "Check my changes before I commit them.";
const MAX_STEPS: usize = 8;
const MAX_OUTPUT_CHARS: usize = 4_000;

enum Call {
    ReadFile(String),
    Run(String),
    Remember(ConventionDraft),
}

#[derive(Default)]
struct Reply {
    calls: Vec<Call>,
    answer: Option<String>,
    follow_ups: Vec<String>,
}

struct Outcome {
    event: Event,
    output: String,
}

/// Your model's API is called here, with the schemas of the tools. This one decides by the prompt alone.
fn ask_model(prompt: &str) -> Reply {
    let calls = |calls| Reply { calls, ..Reply::default() };
    let answer = |text: &str| Reply { answer: Some(text.to_owned()), ..Reply::default() };
    let check = Call::Run("git diff --check".to_owned());
    if prompt.contains("# Ran `git diff --check`: exit status 0") {
        answer("The changes can be committed.")
    } else if prompt.contains("# Ran `git diff --check`: exit status ") {
        let follow_ups = vec!["Fix what `git diff --check` reports".to_owned()];
        Reply { follow_ups, ..answer("The changes cannot be committed yet.") }
    } else if prompt.contains("[check-changes]") {
        calls(vec![check])
    } else if !prompt.contains("CONTRIBUTING.md`") {
        calls(vec![Call::ReadFile("CONTRIBUTING.md".to_owned())])
    } else {
        let content = "Run `git diff --check`: it finds conflict markers and trailing spaces.";
        let convention = Convention::draft("Check changes before a commit", content).id("check-changes");
        calls(vec![Call::Remember(convention), check])
    }
}

fn run_tool(repo: &Repo, call: Call) -> loopmem::Result<Outcome> {
    let done = |did: String, output: String| Outcome { event: Event::new(EventKind::Action, did), output };
    let failed = |did: String, output: String| Outcome { event: Event::new(EventKind::Error, did), output };
    Ok(match call {
        Call::ReadFile(path) => match read(Path::new(&path)) {
            Ok(text) => done(format!("Read `{path}`"), text),
            Err(error) => failed(format!("Could not read `{path}`"), error.to_string()),
        },
        // A real agent asks its user first, or runs commands in a sandbox.
        Call::Run(command) => match Command::new("sh").args(["-c", &command]).output() {
            Ok(ended) => {
                let output = String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned();
                let did = format!("Ran `{command}`: exit status {}", ended.status.code().unwrap_or(1));
                if ended.status.success() { done(did, output) } else { failed(did, output) }
            }
            Err(error) => failed(format!("Could not run `{command}`"), error.to_string()),
        },
        Call::Remember(convention) => match repo.memory().upsert(convention) {
            Ok(stored) => done(format!("Remembered `{}`", stored.id), String::new()),
            // What the model got wrong is a result for it; any other error ends the run.
            Err(error) if matches!(error.kind(), ErrorKind::Validation | ErrorKind::SecretRefused) => {
                failed("Could not remember".to_owned(), error.to_string())
            }
            Err(error) => return Err(error),
        },
    })
}

fn read(path: &Path) -> io::Result<String> {
    let is_inside = path.components().all(|it| matches!(it, Component::Normal(_) | Component::CurDir));
    if is_inside { fs::read_to_string(path) } else { Err(io::Error::other("the path leads out of the folder")) }
}

fn run_task(store: &Store, run: &str) -> loopmem::Result<bool> {
    let repo = store.repo(".")?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for step in 1..=MAX_STEPS {
        // The state of the run, for its prompts and for others to follow: `loopmem working show RUN`.
        store.working().update_context(run, Patch::default().set("step", &step)?.set("status", &"running")?)?;
        let pack = repo.context(8_000).prompt(TASK).scope(store.working().scope(run)).build()?;
        let mut prompt = format!("# Task\n\n{TASK}\n\n{}", pack.text);
        for Outcome { event, output } in &outcomes {
            let output: String = output.chars().take(MAX_OUTPUT_CHARS).collect();
            prompt.push_str(format!("\n\n# {}\n\n{output}", event.text).trim_end_matches('\n'));
        }
        println!("=== {run}, step {step}\n{prompt}");

        let Reply { calls, answer, follow_ups } = ask_model(&prompt);
        let is_done = answer.is_some();
        outcomes = calls.into_iter().map(|call| run_tool(&repo, call)).collect::<loopmem::Result<_>>()?;
        let mut events: Vec<Event> = outcomes.iter().map(|it| it.event.clone()).collect();
        events.extend(answer.map(|text| Event::new(EventKind::Output, text)));
        events.extend(follow_ups.into_iter().map(|text| Event::new(EventKind::FollowUp, text)));
        repo.summaries().end_step(run, &format!("step-{step}"), &events, &[])?;
        for event in &events {
            println!("--- {}", event.text);
        }
        if is_done {
            store.working().update_context(run, Patch::default().set("status", &"done")?)?;
            return Ok(true);
        }
    }
    Ok(false)
}

// Ctrl-C needs no care: a write that it interrupts is stored as a whole or not at all.
fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let run = arguments.next().unwrap_or_else(|| format!("run-{}", since.as_millis()));
    let options = arguments.next().map_or_else(Options::default, |clock| Options::default().clock(clock));
    let ended = Store::open(options).and_then(|store| run_task(&store, &run));
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("no answer after {MAX_STEPS} steps");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{}: {error:#}", error.kind().code());
            ExitCode::from(if error.retryable() { 75 } else { 1 }) // 75: the same command may succeed later
        }
    }
}
