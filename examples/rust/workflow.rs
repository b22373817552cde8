//! A workflow as agents run it: every step is a separate process, which learns about earlier steps from the
//! context pack. Its output goes into the working context of the run.
//!
//!     cargo run -p loopmem --example workflow                runs all steps
//!     cargo run -p loopmem --example workflow -- RUN STEP    runs one step: plan, build, test or review
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example")]

use std::env;
use std::error::Error;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use loopmem::summary::{Event, EventKind};
use loopmem::working::Patch;
use loopmem::{Options, Store};

const STEPS: [(&str, &str, &str); 4] = [
    ("plan", "Read the issue", "Two changes are needed"),
    ("build", "Made both changes", "src/parser.rs and its tests"),
    ("test", "Ran the tests", "214 passed"),
    ("review", "Read the diff", "Nothing to add"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.as_slice() {
        [run, step] => play_step(run, step),
        _ => play_run(&format!("run-{}", SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs())),
    }
}

fn play_run(run: &str) -> Result<(), Box<dyn Error>> {
    for (step, ..) in STEPS {
        if !Command::new(env::current_exe()?).args([run, step]).status()?.success() {
            return Err(format!("{step} failed").into());
        }
    }
    Ok(())
}

fn play_step(run: &str, step: &str) -> Result<(), Box<dyn Error>> {
    let at = STEPS.iter().position(|(id, ..)| *id == step).ok_or("the steps are plan, build, test and review")?;
    let store = Store::open(Options::default())?;
    let repo = store.repo(".")?;

    let pack = repo.context(8_000).build()?.text;
    for (earlier, ..) in &STEPS[..at] {
        if !pack.contains(&format!("{run} / {earlier}")) {
            return Err(format!("the pack does not contain {earlier}").into());
        }
    }

    // An agent would work here, with the pack in its prompt.
    let (_, did, output) = STEPS[at];
    let event = Event::new;
    let events = [event(EventKind::Action, did), event(EventKind::Output, output)];
    repo.summaries().end_step(run, step, &events, vec![])?;
    store.working().update_context(run, Patch::default().set(step, &output)?)?;
    println!("{step}: {at} earlier steps in the pack");
    Ok(())
}
