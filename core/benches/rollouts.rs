//! The speed of rollouts in Rust, measured in one run with the minimal SQL and system calls for the same work.
//!
//! `cargo bench -p loopmem --bench rollouts` prints a table and fails nothing. Rounds of loopmem and of its floor take turns,
//! and medians are compared.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench measures with its own clock and files, stops at any surprise and prints what it saw"
)]

mod measure;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use loopmem::rollouts::{Rollouts, ThreadDraft, TranscriptKind};
use loopmem::testing::sqlite::rusqlite::{Connection, TransactionBehavior, params};
use loopmem::{Options, Store};
use serde_json::value::to_raw_value;

use measure::{Times, ms, ratio, row, verdict};

const THREADS: usize = 10_000;
const CLAIMED: u32 = 64;
const ROUNDS: usize = 20;
/// Claims with completion, of which each is two durable transactions.
const COMPLETED: usize = 1_000;
const TRANSCRIPTS: usize = 1_000;
const MEGABYTES: usize = 200;
const OUTPUTS: usize = 256;
const SUMMARY: &str = "Fixed the rounding of the cart: the price was rounded before it was multiplied. All tests pass.";
const MEMORY: &str = "- `cargo test cart` runs the tests of the cart\n- money is always integer cents\n";

fn main() {
    // Below the build's folder: what `tempfile` takes by default is memory on many machines, which syncs for nothing.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    row("what (Rust, medians)", "measured", "target", "");
    claims(&folder.path().join("claims"));
    completions(&folder.path().join("completions"));
    scan(&folder.path().join("scan"));
    parse(&folder.path().join("parse"));
    materialize(&folder.path().join("materialize"));
}

fn open(folder: &Path) -> Rollouts {
    let options = Options::at(folder.join("home")).codex_home(folder.join("codex")).clock("2026-01-31T12:00:00Z");
    Store::open(options.rollouts_max_running(10_000)).unwrap().rollouts()
}

/// Registers many threads at once: as transcripts that are found.
fn register(folder: &Path, threads: usize) {
    let sessions = folder.join("codex/sessions/2026/01/20");
    fs::create_dir_all(&sessions).unwrap();
    for number in 0..threads {
        fs::write(sessions.join(format!("rollout-t{number:05}.jsonl")), transcript(&format!("t{number:05}"))).unwrap();
    }
    let found = open(folder).scan(Some(&[TranscriptKind::Codex]), None).unwrap();
    assert_eq!(found.new, threads);
}

fn transcript(id: &str) -> String {
    format!(
        "{{\"timestamp\":\"2026-01-20T09:00:00Z\",\"type\":\"session_meta\",\"payload\":{{\"id\":\"{id}\",\"cwd\":\"/work/shop\",\
         \"source\":\"cli\"}}}}\n{{\"timestamp\":\"2026-01-20T09:01:00Z\",\"type\":\"response_item\",\"payload\":\
         {{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}}}}\n"
    )
}

/// The same tables in a database without loopmem.
struct Bare(Connection);

impl Bare {
    fn new(folder: &Path, threads: usize) -> Self {
        fs::create_dir_all(folder).unwrap();
        let connection = Connection::open(folder.join("bare.sqlite3")).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = EXTRA;
                 CREATE TABLE thread (id TEXT PRIMARY KEY, path TEXT, updated_at INTEGER);
                 CREATE INDEX thread_updated_at ON thread (updated_at, id);
                 CREATE TABLE job (key TEXT PRIMARY KEY, status TEXT, token TEXT, lease_until INTEGER, watermark INTEGER);
                 CREATE TABLE output (thread_id TEXT PRIMARY KEY, source INTEGER, summary TEXT, memory TEXT);",
            )
            .unwrap();
        let mut bare = Bare(connection);
        let transaction = bare.0.transaction().unwrap();
        for number in 0..threads {
            let id = format!("t{number:05}");
            transaction.execute("INSERT INTO thread VALUES (?1, '/r', 1000)", params![id]).unwrap();
        }
        transaction.commit().unwrap();
        bare
    }

    /// Claims the threads that are due, and returns their ids.
    fn claim(&mut self, limit: u32) -> Vec<String> {
        let transaction = self.0.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        let ids: Vec<String> = transaction
            .prepare_cached(
                "SELECT thread.id FROM thread LEFT JOIN job ON job.key = thread.id
                 LEFT JOIN output ON output.thread_id = thread.id
                 WHERE thread.updated_at BETWEEN 0 AND 2000 AND job.key IS NULL AND output.source IS NULL
                 ORDER BY thread.updated_at DESC, thread.id DESC LIMIT ?1",
            )
            .unwrap()
            .query_map([limit], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        {
            let mut insert =
                transaction.prepare_cached("INSERT INTO job VALUES (?1, 'running', ?2, 9000, 1000)").unwrap();
            for id in &ids {
                insert.execute(params![id, "0199a213-81c0-7800-8aa1-bbab2a035a53"]).unwrap();
            }
        }
        transaction.commit().unwrap();
        ids
    }

    fn complete(&mut self, id: &str) {
        let transaction = self.0.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        let run = |sql: &str, values: &[&dyn loopmem::testing::sqlite::rusqlite::ToSql]| {
            transaction.prepare_cached(sql).unwrap().execute(values).unwrap();
        };
        run("UPDATE job SET status = 'done', token = NULL WHERE key = ?1", &[&id]);
        run("INSERT INTO output VALUES (?1, 1000, ?2, ?3)", &[&id, &SUMMARY, &MEMORY]);
        run(
            "INSERT INTO job VALUES ('global', 'pending', NULL, 0, 1) ON CONFLICT (key) DO UPDATE SET watermark = watermark + 1",
            &[],
        );
        transaction.commit().unwrap();
    }
}

fn claims(folder: &Path) {
    register(folder, THREADS);
    let (rollouts, mut bare) = (open(folder), Bare::new(folder, THREADS));
    let (mut cpu, mut floor_cpu) = (Times::default(), Times::default());
    let (mut wall, mut floor_wall) = (Times::default(), Times::default());
    for _ in 0..ROUNDS {
        wall.wall(|| cpu.cpu(|| drop(rollouts.claim_stage1("w", Some(CLAIMED), None).unwrap())));
        floor_wall.wall(|| floor_cpu.cpu(|| drop(bare.claim(CLAIMED))));
    }
    for (what, ours, floor) in [("wall time", wall, floor_wall), ("CPU", cpu, floor_cpu)] {
        let (ours, floor) = (ours.median(), floor.median());
        row(
            &format!("claim 64 of 10,000, {what}"),
            &format!("{} ({} bare SQL of {})", ms(ours), ratio(ours, floor), ms(floor)),
            "3×",
            verdict(ours.as_secs_f64() <= 3.0 * floor.as_secs_f64()),
        );
    }
}

fn completions(folder: &Path) {
    register(folder, COMPLETED);
    let (rollouts, mut bare) = (open(folder), Bare::new(folder, COMPLETED));
    let output = serde_json::json!({ "rollout_slug": null, "rollout_summary": SUMMARY, "raw_memory": MEMORY });
    let output = to_raw_value(&output).unwrap();
    let (mut cpu, mut floor_cpu) = (Times::default(), Times::default());
    let (mut wall, mut floor_wall) = (Times::default(), Times::default());
    for _ in 0..COMPLETED {
        let one = || {
            let claim = rollouts.claim_stage1("w", Some(1), None).unwrap().claims.remove(0);
            rollouts.complete_stage1(&claim.thread_id, &claim.ownership_token, &output).unwrap();
        };
        wall.wall(|| cpu.cpu(one));
        let one = || {
            let id = bare.claim(1).remove(0);
            bare.complete(&id);
        };
        floor_wall.wall(|| floor_cpu.cpu(one));
    }
    for (what, ours, floor) in [("wall time", wall, floor_wall), ("CPU", cpu, floor_cpu)] {
        let (ours, floor) = (ours.median(), floor.median());
        row(
            &format!("claim and complete, {what}"),
            &format!("{} ({} prepared statements of {})", ms(ours), ratio(ours, floor), ms(floor)),
            "1.25×",
            verdict(ours.as_secs_f64() <= 1.25 * floor.as_secs_f64()),
        );
    }
}

fn scan(folder: &Path) {
    register(folder, TRANSCRIPTS);
    // Files younger than 20 ms are read again: this is the warm path only afterwards.
    std::thread::sleep(Duration::from_millis(50));
    let rollouts = open(folder);
    let scan = || rollouts.scan(Some(&[TranscriptKind::Codex]), None).unwrap();
    scan();
    let sessions = folder.join("codex/sessions/2026/01/20");
    let paths: Vec<PathBuf> = (0..TRANSCRIPTS).map(|it| sessions.join(format!("rollout-t{it:05}.jsonl"))).collect();
    let (mut cpu, mut floor_cpu) = (Times::default(), Times::default());
    for _ in 0..ROUNDS {
        cpu.cpu(|| assert_eq!(scan().unchanged, TRANSCRIPTS));
        floor_cpu.cpu(|| paths.iter().for_each(|path| assert!(fs::symlink_metadata(path).unwrap().is_file())));
    }
    let (ours, floor) = (cpu.median(), floor_cpu.median());
    row(
        "scan of 1,000 unchanged, CPU",
        &format!("{} ({} their lstat of {})", ms(ours), ratio(ours, floor), ms(floor)),
        "2×",
        verdict(ours.as_secs_f64() <= 2.0 * floor.as_secs_f64()),
    );
}

/// A long transcript as real ones are: most of it is what tools print, and its copies.
fn parse(folder: &Path) {
    register(folder, 1);
    let path = folder.join("codex/sessions/2026/01/20/rollout-t00000.jsonl");
    let mut file = std::io::BufWriter::new(fs::File::create(&path).unwrap());
    let line = |kind: &str, payload: serde_json::Value| {
        serde_json::json!({ "timestamp": "2026-01-20T09:00:00Z", "type": kind, "payload": payload }).to_string() + "\n"
    };
    let said = |role: &str, text: &str| {
        line(
            "response_item",
            serde_json::json!({ "type": "message", "role": role, "content": [{ "type": "text", "text": text }] }),
        )
    };
    let printed =
        "test cart::rounding::thirds_round_once ... ok\n    let cents = (price * \"100\").round();\n".repeat(60);
    let turn = [
        said("user", "Why is the total a cent off?"),
        said("assistant", "I look at the cart."),
        line("response_item", serde_json::json!({ "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"cargo\",\"test\"]}" })),
        line("response_item", serde_json::json!({ "type": "function_call_output", "output": printed })),
        line("event_msg", serde_json::json!({ "type": "exec_command_end", "stdout": printed })),
        line("event_msg", serde_json::json!({ "type": "token_count", "info": { "total": 123_456 } })),
        said("assistant", &SUMMARY.repeat(3)),
    ]
    .concat();
    let mut bytes = 0;
    while bytes < MEGABYTES << 20 {
        file.write_all(turn.as_bytes()).unwrap();
        bytes += turn.len();
    }
    file.flush().unwrap();
    let rollouts = open(folder);
    let mut cpu = Times::default();
    for _ in 0..3 {
        cpu.cpu(|| drop(rollouts.input("t00000", None).unwrap()));
    }
    let median = cpu.median();
    let speed = bytes as f64 / 1e6 / median.as_secs_f64();
    let measured = format!("{speed:.0} MB/s ({} of {} MB)", ms(median), bytes / 1_000_000);
    row("input of a long transcript, CPU", &measured, "300 MB/s", verdict(speed >= 300.0));
}

fn materialize(folder: &Path) {
    register(folder, OUTPUTS);
    let rollouts = open(folder);
    let output = serde_json::json!({ "rollout_slug": null, "rollout_summary": SUMMARY, "raw_memory": MEMORY });
    let output = to_raw_value(&output).unwrap();
    for claim in rollouts.claim_stage1("w", None, None).unwrap().claims {
        rollouts.complete_stage1(&claim.thread_id, &claim.ownership_token, &output).unwrap();
    }
    let (mut first, mut again, mut changed) = (Times::default(), Times::default(), Times::default());
    first.wall(|| assert_eq!(rollouts.materialize().unwrap().written.len(), OUTPUTS + 1));
    for _ in 0..ROUNDS {
        again.wall(|| assert!(rollouts.materialize().unwrap().written.is_empty()));
    }
    let path = folder.join("codex/sessions/x.jsonl");
    let thread = ThreadDraft::new("t00000", path.to_str().unwrap(), "2026-01-21T00:00:00Z", "/work/shop", "cli");
    rollouts.upsert_thread(thread).unwrap();
    let claim = rollouts.claim_stage1("w", None, None).unwrap().claims.remove(0);
    rollouts.complete_stage1(&claim.thread_id, &claim.ownership_token, &output).unwrap();
    changed.wall(|| assert_eq!(rollouts.materialize().unwrap().written.len(), 2));
    row("materialize 256 outputs, first", &ms(first.median()), "", "");
    row("materialize 256 outputs, unchanged", &ms(again.median()), "", "");
    row("materialize 256 outputs, one changed", &ms(changed.median()), "", "");
}
