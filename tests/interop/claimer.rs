//! Claims one session again and again from Rust, as claimer.py does: `claimer HOME CODEX_HOME CLOCK LAST`.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "the part of a test that is another process")]

use std::env;
use std::error::Error;
use std::io::stdin;
use std::time::Duration;

use loopmem::rollouts::{Reason, ThreadDraft};
use loopmem::{Options, Store};
use serde_json::json;
use serde_json::value::to_raw_value;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [home, codex_home, clock, last] = arguments.as_slice() else {
        return Err("usage: claimer HOME CODEX_HOME CLOCK LAST".into());
    };
    let last: u32 = last.parse()?;
    let options = Options::at(home).codex_home(codex_home).clock(clock).lock_timeout(Duration::from_secs(60));
    let rollouts = Store::open(options)?.rollouts();
    println!("ready");
    stdin().read_line(&mut String::new())?;
    loop {
        let claims = rollouts.claim_stage1("rust", Some(1), None)?.claims;
        let Some(claim) = claims.first() else {
            if rollouts.explain("done")?.reason == Reason::NotInteractive {
                return Ok(());
            }
            continue;
        };
        let number = number_of(&claim.source_updated_at).ok_or("a time of another day")?;
        println!("claimed {number}");
        let output = to_raw_value(&json!({ "rollout_summary": number.to_string(), "raw_memory": "m" }))?;
        rollouts.complete_stage1(&claim.thread_id, &claim.ownership_token, &output)?;
        let (id, source) = if number < last { ("t", "cli") } else { ("done", "done") };
        rollouts.upsert_thread(ThreadDraft::new(id, "/r.jsonl", time_of(number + 1), "", source))?;
    }
}

/// When the session changed for the nth time.
fn time_of(number: u32) -> String {
    format!("2026-01-20T{:02}:{:02}:{:02}Z", number / 3600, number / 60 % 60, number % 60)
}

fn number_of(time: &str) -> Option<u32> {
    let part = |range: std::ops::Range<usize>| time.get(range)?.parse::<u32>().ok();
    Some(part(11..13)? * 3600 + part(14..16)? * 60 + part(17..19)?)
}
