//! `rollouts explain`: why a session is or is not extracted.

use std::process::ExitCode;

use chrono::{DateTime, Utc};
use clap::{ArgMatches, Command};
use loopmem::Result;
use serde_json::Value;

use crate::human::positional::instead_of;
use crate::human::rollouts::job;
use crate::human::rollouts::session_id::{self, ID_PARAM};
use crate::human::screen::{BOLD, FAINT, ID, counted, on_one_line, sanitize};
use crate::human::views::pairs;
use crate::output;
use crate::session::{Members, Session, number, read, text};

/// What a reason says of the session.
pub(super) const REASONS: [(&str, &str); 16] = [
    ("due", "is due"),
    ("capReached", "is due, but has to wait for others"),
    ("running", "is being extracted"),
    ("upToDate", "is extracted"),
    ("notIdle", "is not due yet"),
    ("tooOld", "is too old"),
    ("archived", "is archived"),
    ("transcriptMissing", "has no transcript anymore"),
    ("notInteractive", "is not interactive"),
    ("disabled", "is disabled"),
    ("polluted", "is polluted"),
    ("backoff", "waits for its next attempt"),
    ("exhausted", "failed too often"),
    ("reset", "waits for a change"),
    ("forgotten", "is forgotten"),
    ("notRegistered", "is not known"),
];
/// Methods that details name, and the commands that call them.
const COMMANDS: [(&str, &str); 3] = [
    ("rollouts.scan", "`loopmem rollouts scan`"),
    ("rollouts.setMode", "`loopmem rollouts set-mode`"),
    ("rollouts.retry", "`loopmem rollouts retry`"),
];

pub(super) fn extend(verb: Command) -> Command {
    let verb = verb.about("Says why a session is or is not extracted, and shows what was extracted");
    instead_of(verb, ID_PARAM, "THREAD_ID", "The session's id or a unique prefix of it")
        .after_help("The exit status is 1 if the session is not registered.")
}

/// Shows the explanation; the exit status says whether the session is registered.
pub(super) fn run(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    let params = of_session(session_id::find(session, args)?);
    let json = session.call("rollouts.explain", &Value::Object(params.clone()).to_string())?;
    let explained: Members = read(&json)?;
    if session.is_for_humans() {
        output::screen(layout(&params, &json, session.now)?.trim_end())?;
    } else {
        output::result(json, session.style())?;
    }
    let is_known = text(&explained, "reason") != "notRegistered";
    Ok(if is_known { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The params of a method on one session.
pub(super) fn of_session(id: String) -> Members {
    Members::from_iter([(ID_PARAM.to_owned(), id.into())])
}

/// What a reason says of a session.
pub(super) fn said_of(reason: &str) -> &str {
    REASONS.iter().find(|(name, _)| *name == reason).map_or(reason, |(_, says)| says)
}

pub(super) fn layout(params: &Members, json: &str, now: DateTime<Utc>) -> Result<String> {
    let explained: Members = read(json)?;
    let mut out = format!("{}\n", sentence(text(params, ID_PARAM), &explained));
    if let Some(job) = explained.get("job").and_then(Value::as_object) {
        out.push_str(&format!("\n{}", pairs(&job::lines(job, now))));
    }
    if let Some(output) = explained.get("output").and_then(Value::as_object) {
        out.push_str(&stored(output, now));
    }
    Ok(out)
}

/// Why the session is or is not extracted.
fn sentence(id: &str, explained: &Members) -> String {
    let says = said_of(text(explained, "reason"));
    let detail = with_commands(on_one_line(text(explained, "detail")));
    format!("{ID}{}{ID:#} {BOLD}{}{BOLD:#}: {detail}", on_one_line(id), on_one_line(says))
}

/// A sentence with the commands for the methods that it names.
pub(super) fn with_commands(sentence: String) -> String {
    COMMANDS.iter().fold(sentence, |sentence, (method, command)| sentence.replace(method, command))
}

/// What was extracted of the session.
fn stored(output: &Members, now: DateTime<Utc>) -> String {
    let used = match number(output, "usage_count") {
        0 => "never".to_owned(),
        count => format!("{}, last {}", counted(count, "time"), job::time(text(output, "last_usage"), now)),
    };
    let is_consolidated = output.get("selected_for_phase2") == Some(&true.into());
    let lines = [
        ("extracted", job::time(text(output, "generated_at"), now)),
        ("as of", job::time(text(output, "source_updated_at"), now)),
        ("name", text(output, "rollout_slug").to_owned()),
        ("used", used),
        ("consolidated", if is_consolidated { "yes" } else { "no" }.to_owned()),
    ];
    let mut out = format!("\n{}", pairs(&lines));
    for (title, key) in [("Summary", "rollout_summary"), ("Memory", "raw_memory")] {
        let text = sanitize(text(output, key));
        match text.trim_end() {
            "" => out.push_str(&format!("\n{FAINT}{title}: empty{FAINT:#}\n")),
            text => out.push_str(&format!("\n{BOLD}{title}{BOLD:#}\n{text}\n")),
        }
    }
    out
}
