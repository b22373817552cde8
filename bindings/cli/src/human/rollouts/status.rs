//! `rollouts status`: how far all sessions are.

use chrono::{DateTime, Utc};
use loopmem::Result;
use serde_json::Value;

use crate::human::rollouts::job;
use crate::human::screen::{BOLD, FAINT, WARNING, counted, on_one_line};
use crate::human::views::pairs;
use crate::session::{Members, number, read, text};

pub(super) fn layout(json: &str, now: DateTime<Utc>) -> Result<String> {
    let status: Members = read(json)?;
    let none = Members::new();
    let object = |key: &str| status.get(key).and_then(Value::as_object).unwrap_or(&none);
    let (threads, jobs, consolidation) = (object("threads"), object("jobs"), object("consolidation"));
    let count = |key| number(threads, key);
    let mut lines = vec![
        (
            "sessions",
            format!("{} registered, {} due, {} extracted", count("registered"), count("due"), count("extracted")),
        ),
        ("left out", listed(threads, &["disabled", "polluted", "archived", "missing", "forgotten"])),
        ("running", format!("{} of at most {}", number(&status, "running"), number(&status, "cap"))),
        ("jobs", listed(jobs, &["done", "failed", "exhausted", "stale"])),
        ("next due", job::time(text(&status, "nextDue"), now)),
        ("memory root", text(&status, "root").to_owned()),
    ];
    let mut out = pairs(&lines);
    lines = vec![
        ("state", outcome(text(consolidation, "outcome")).to_owned()),
        ("reads", counted(number(consolidation, "inputs"), "session")),
    ];
    let of_job = consolidation.get("job").and_then(Value::as_object).map(|it| job::lines(it, now));
    lines.extend(of_job.into_iter().flatten().filter(|(name, _)| *name != "job"));
    out.push_str(&format!("\n{BOLD}consolidation{BOLD:#}\n{}", pairs(&lines)));
    if let Some(failures) = failures(&status) {
        out.push_str(&format!("\n{failures}"));
    }
    if count("registered") == 0 {
        out.push_str(&format!("\n{FAINT}no sessions are registered; `loopmem rollouts scan` finds them{FAINT:#}\n"));
    }
    if status.get("legacyRoot") == Some(&true.into()) {
        let root = on_one_line(text(&status, "root"));
        out.push_str(&format!(
            "\n{WARNING}An older program left its memory in {root}/user/memory.{WARNING:#} \
             `loopmem rollouts migrate-legacy-root` moves it to the memory root.\n"
        ));
    }
    Ok(out)
}

/// How many sessions failed, and what to do about them; `None` if none did.
pub(super) fn failures(status: &Members) -> Option<String> {
    let jobs = status.get("jobs").and_then(Value::as_object)?;
    let (waiting, exhausted) = (number(jobs, "failed"), number(jobs, "exhausted"));
    let counts = [(waiting, "waiting for another attempt"), (exhausted, "without attempts left")];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    (!counts.is_empty()).then(|| {
        format!(
            "{WARNING}{} failed{WARNING:#}: {}; `loopmem rollouts list --reasons backoff,exhausted` says why, and `loopmem \
             rollouts retry` makes them due again\n",
            counted(waiting + exhausted, "session"),
            counts.join(", ")
        )
    })
}

/// The counts that are not 0, with their names.
fn listed(counts: &Members, names: &[&str]) -> String {
    let shown = names.iter().filter(|name| number(counts, name) > 0);
    shown.map(|name| format!("{} {name}", number(counts, name))).collect::<Vec<_>>().join(", ")
}

/// What a claim of the consolidation would come to now.
fn outcome(outcome: &str) -> &str {
    match outcome {
        "claimed" => "due",
        "clean" => "up to date",
        "backoff" => "failed; waits for the next attempt",
        "exhausted" => "failed too often; waits for new input",
        other => other,
    }
}
