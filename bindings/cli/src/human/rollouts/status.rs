//! `rollouts status`: the state of all sessions.

use chrono::{DateTime, Utc};
use loopmem::rollouts::{ClaimOutcome, Status};

use crate::human::rollouts::job;
use crate::human::screen::{BOLD, FAINT, WARNING, counted, on_one_line};
use crate::human::views::pairs;

pub(super) fn layout(status: &Status, now: DateTime<Utc>) -> String {
    let Status { threads, jobs, consolidation, .. } = status;
    let sessions = format!("{} registered, {} due, {} extracted", threads.registered, threads.due, threads.extracted);
    let left_out = [
        (threads.disabled, "disabled"),
        (threads.polluted, "polluted"),
        (threads.archived, "archived"),
        (threads.missing, "missing"),
        (threads.forgotten, "forgotten"),
    ];
    let by_state = [(jobs.done, "done"), (jobs.failed, "failed"), (jobs.exhausted, "exhausted"), (jobs.stale, "stale")];
    let mut lines = vec![
        ("sessions", sessions),
        ("left out", listed(&left_out)),
        ("running", format!("{} of at most {}", status.running, status.cap)),
        ("jobs", listed(&by_state)),
        ("next due", job::time(status.next_due.as_deref().unwrap_or_default(), now)),
        ("memory root", status.root.clone()),
    ];
    let mut out = pairs(&lines);
    lines =
        vec![("state", outcome(consolidation.outcome).to_owned()), ("reads", counted(consolidation.inputs, "session"))];
    let of_job = consolidation.job.as_ref().map(|it| job::lines(it, now));
    lines.extend(of_job.into_iter().flatten().filter(|(name, _)| *name != "job"));
    out.push_str(&format!("\n{BOLD}consolidation{BOLD:#}\n{}", pairs(&lines)));
    if let Some(failures) = failures(status) {
        out.push_str(&format!("\n{failures}"));
    }
    if threads.registered == 0 {
        out.push_str(&format!("\n{FAINT}no sessions are registered; `loopmem rollouts scan` finds them{FAINT:#}\n"));
    }
    if status.legacy_root {
        let root = on_one_line(&status.root);
        out.push_str(&format!(
            "\n{WARNING}An older program left its memory in {root}/user/memory.{WARNING:#} \
             `loopmem rollouts migrate-legacy-root` moves it to the memory root.\n"
        ));
    }
    out
}

/// How many sessions failed, and what to do about them; `None` if none did.
pub(super) fn failures(status: &Status) -> Option<String> {
    let (waiting, exhausted) = (status.jobs.failed, status.jobs.exhausted);
    let counts = listed(&[(waiting, "waiting for another attempt"), (exhausted, "without attempts left")]);
    (!counts.is_empty()).then(|| {
        format!(
            "{WARNING}{} failed{WARNING:#}: {counts}; `loopmem rollouts list --reasons backoff,exhausted` says why, and \
             `loopmem rollouts retry` makes them due again\n",
            counted(waiting + exhausted, "session"),
        )
    })
}

/// The counts that are not 0, with their names.
fn listed(counts: &[(u32, &str)]) -> String {
    let shown = counts.iter().filter(|(count, _)| *count > 0);
    shown.map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

/// The outcome of a claim of the consolidation at this time.
fn outcome(outcome: ClaimOutcome) -> &'static str {
    match outcome {
        ClaimOutcome::Claimed => "due",
        ClaimOutcome::Clean => "up to date",
        ClaimOutcome::Backoff => "failed; waits for the next attempt",
        ClaimOutcome::Exhausted => "failed too often; waits for new input",
        _ => "running",
    }
}
