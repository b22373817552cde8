//! The state of a job as names and values, and times that may be in the future.

use chrono::{DateTime, Utc};
use loopmem::rollouts::JobState;

use crate::human::screen::{age, moment};

/// The lines of a job; the value of a line without information is empty.
pub(super) fn lines(job: &JobState, now: DateTime<Utc>) -> Vec<(&'static str, String)> {
    let at = |time: &Option<String>| self::time(time.as_deref().unwrap_or_default(), now);
    let lease = job.lease_until.as_deref().and_then(|until| DateTime::parse_from_rfc3339(until).ok());
    let is_stale = job.status == "running" && lease.is_some_and(|until| until <= now);
    let attempts = match job.status.as_str() {
        // The next change brings new attempts.
        "done" => String::new(),
        _ => job.retries_left.to_string(),
    };
    vec![
        ("job", if is_stale { "abandoned by its worker".to_owned() } else { job.status.clone() }),
        ("worker", job.worker_id.clone().unwrap_or_default()),
        ("claimed", at(&job.started_at)),
        (if is_stale { "lease ended" } else { "lease ends" }, at(&job.lease_until)),
        ("finished", at(&job.finished_at)),
        ("next attempt", at(&job.retry_at)),
        ("attempts left", attempts),
        ("last error", job.last_error.clone().unwrap_or_default()),
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
        let empty = json!({"status": "", "retriesLeft": 0});
        let mut all = empty.as_object().unwrap().clone();
        all.extend(job.as_object().unwrap().clone());
        let job: JobState = serde_json::from_value(Value::Object(all)).unwrap();
        anstream::adapter::strip_str(&pairs(&lines(&job, now))).to_string()
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
