//! `rollouts explain`: why a session is or is not extracted.

use chrono::{DateTime, Utc};
use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::rollouts::{Explanation, Reason, StoredOutput};

use crate::human::arguments::instead_of;
use crate::human::rollouts::job;
use crate::human::rollouts::session_id::{self, EXPLAIN, ID_PARAM, of_session};
use crate::human::screen::{BOLD, FAINT, ID, counted, on_one_line, sanitize};
use crate::human::views::pairs;
use crate::output::ExitCode;
use crate::session::{Session, read};

/// The reasons with the words for the state of a session.
pub(super) const REASONS: [(Reason, &str); 16] = [
    (Reason::Due, "is due"),
    (Reason::CapReached, "is due, but has to wait for others"),
    (Reason::Running, "is being extracted"),
    (Reason::UpToDate, "is extracted"),
    (Reason::NotIdle, "is not due yet"),
    (Reason::TooOld, "is too old"),
    (Reason::Archived, "is archived"),
    (Reason::TranscriptMissing, "has no transcript anymore"),
    (Reason::NotInteractive, "is not interactive"),
    (Reason::Disabled, "is disabled"),
    (Reason::Polluted, "is polluted"),
    (Reason::Backoff, "waits for its next attempt"),
    (Reason::Exhausted, "failed too often"),
    (Reason::Reset, "waits for a change"),
    (Reason::Forgotten, "is forgotten"),
    (Reason::NotRegistered, "is not known"),
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
    let id = session_id::find(session, args)?;
    let json = session.call(EXPLAIN, &of_session(&id))?;
    let explained: Explanation = read(&json)?;
    session.show(json, || Ok(layout(&id, &explained, session.now).trim_end().to_owned()))?;
    Ok(if explained.reason == Reason::NotRegistered { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The words for the state of a session.
pub(super) fn state(reason: Reason) -> &'static str {
    REASONS.iter().find(|(it, _)| *it == reason).map_or("", |(_, words)| words)
}

fn layout(id: &str, explained: &Explanation, now: DateTime<Utc>) -> String {
    let (id, state) = (on_one_line(id), state(explained.reason));
    let detail = with_commands(on_one_line(&explained.detail));
    let mut out = format!("{ID}{id}{ID:#} {BOLD}{state}{BOLD:#}: {detail}\n");
    if let Some(job) = &explained.job {
        out.push_str(&format!("\n{}", pairs(&job::lines(job, now))));
    }
    if let Some(output) = &explained.output {
        out.push_str(&stored(output, now));
    }
    out
}

/// A sentence with the commands for the methods that it names.
pub(super) fn with_commands(sentence: String) -> String {
    COMMANDS.iter().fold(sentence, |sentence, (method, command)| sentence.replace(method, command))
}

/// The memory of the session.
fn stored(output: &StoredOutput, now: DateTime<Utc>) -> String {
    let used = match output.usage_count {
        0 => "never".to_owned(),
        count => {
            let last = output.last_usage.as_deref().unwrap_or_default();
            format!("{}, last {}", counted(count, "time"), job::time(last, now))
        }
    };
    let lines = [
        ("extracted", job::time(&output.generated_at, now)),
        ("as of", job::time(&output.source_updated_at, now)),
        ("name", output.rollout_slug.clone().unwrap_or_default()),
        ("used", used),
        ("consolidated", if output.selected_for_phase2 { "yes" } else { "no" }.to_owned()),
    ];
    let mut out = format!("\n{}", pairs(&lines));
    for (title, text) in [("Summary", &output.rollout_summary), ("Memory", &output.raw_memory)] {
        match sanitize(text).trim_end() {
            "" => out.push_str(&format!("\n{FAINT}{title}: empty{FAINT:#}\n")),
            text => out.push_str(&format!("\n{BOLD}{title}{BOLD:#}\n{text}\n")),
        }
    }
    out
}
