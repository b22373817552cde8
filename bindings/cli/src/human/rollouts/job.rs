//! The state of a job as names and values, and times that may be in the future.

use chrono::{DateTime, Utc};

use crate::human::screen::{age, moment};
use crate::session::{Members, number, text};

/// The lines of a job. Those that say nothing are empty.
pub(super) fn lines(job: &Members, now: DateTime<Utc>) -> Vec<(&'static str, String)> {
    let status = text(job, "status");
    let lease = text(job, "leaseUntil");
    let is_stale = status == "running" && DateTime::parse_from_rfc3339(lease).is_ok_and(|until| until <= now);
    let attempts = match status {
        // The next change brings new attempts.
        "done" => String::new(),
        _ => number(job, "retriesLeft").to_string(),
    };
    vec![
        ("job", if is_stale { "abandoned by its worker".to_owned() } else { status.to_owned() }),
        ("worker", text(job, "workerId").to_owned()),
        ("claimed", time(text(job, "startedAt"), now)),
        (if is_stale { "lease ended" } else { "lease ends" }, time(lease, now)),
        ("finished", time(text(job, "finishedAt"), now)),
        ("next attempt", time(text(job, "retryAt"), now)),
        ("attempts left", attempts),
        ("last error", text(job, "lastError").to_owned()),
    ]
}

/// Formats a time to the minute with its distance from now; empty for an empty text.
pub(super) fn time(time: &str, now: DateTime<Utc>) -> String {
    let Some(then) = DateTime::parse_from_rfc3339(time).ok().map(|then| then.to_utc()) else { return String::new() };
    if then <= now {
        return moment(time, now);
    }
    let wait = match age(&now.to_rfc3339(), then).as_str() {
        "now" => "in less than a minute".to_owned(),
        wait => format!("in {wait}"),
    };
    format!("{} UTC ({wait})", then.format("%Y-%m-%d %H:%M"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::human::views::pairs;

    fn shown(job: &Value) -> String {
        let now = DateTime::parse_from_rfc3339("2026-01-31T12:00:00Z").unwrap().to_utc();
        anstream::adapter::strip_str(&pairs(&lines(job.as_object().unwrap(), now))).to_string()
    }

    #[test]
    fn a_job_says_who_has_it_and_when_it_goes_on() {
        let running = json!({"status": "running", "workerId": "w", "startedAt": "2026-01-31T11:30:00.000Z",
            "leaseUntil": "2026-01-31T12:30:00.000Z", "finishedAt": null, "retryAt": null, "retriesLeft": 2,
            "lastError": null});
        assert_eq!(
            shown(&running),
            "job            running\nworker         w\nclaimed        2026-01-31 11:30 UTC (30m ago)\n\
             lease ends     2026-01-31 12:30 UTC (in 30m)\nattempts left  2\n"
        );
        let stale = json!({"status": "running", "workerId": "w", "leaseUntil": "2026-01-31T12:00:00.000Z"});
        assert!(shown(&stale).contains("abandoned by its worker") && shown(&stale).contains("lease ended"));
        let failed = json!({"status": "failed", "retryAt": "2026-01-31T12:00:20.000Z", "retriesLeft": 0,
            "lastError": "no\nmodel"});
        assert!(shown(&failed).contains("next attempt   2026-01-31 12:00 UTC (in less than a minute)\n"));
        assert!(shown(&failed).ends_with("attempts left  0\nlast error     no model\n"));
        assert!(!shown(&json!({"status": "done", "retriesLeft": 3})).contains("attempts"));
    }
}
