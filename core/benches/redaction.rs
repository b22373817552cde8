//! How fast secrets are taken out of text: beside bare reads of the same bytes and beside sets of regular expressions, on
//! ordinary text, on text that is full of the names of secrets, and on what programs write at their worst.
//!
//! `cargo bench -p loopmem --bench redaction` prints a table and fails nothing: a slow machine is no defect. Words behind
//! `--` choose rows by what they are called. Texts are made by a seed, and one thread looks at them; its CPU time counts,
//! the least of some rounds, since whatever else the machine does can only add to it.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench measures with its own clock and process, stops at any surprise and prints what it saw"
)]

mod corpus;
mod measure;
#[allow(dead_code, reason = "a bench makes fewer kinds of text than the tests do")]
#[path = "../safety/tests/quality/random.rs"]
mod random;
#[allow(dead_code, reason = "a bench makes fewer kinds of text than the tests do")]
#[path = "../safety/tests/quality/words.rs"]
mod words;

use std::borrow::Cow;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use loopmem::safety::Redactor;
use regex::{Regex, RegexSet};
use serde_json::{Value, json};

use measure::{Times, row, us, verdict};

const BYTES: usize = 16 << 20;
const ROUNDS: usize = 5;
/// After this long a row is measured no further.
const LONG: Duration = Duration::from_secs(3);
/// The length of texts that are nothing but bait: of more a redactor that goes back and forth would never come to an end.
const BAIT: usize = 64 << 10;
const RECORD: usize = 10_000;
const RECORDS: usize = 200;
const RECORD_ROUNDS: usize = 25;
const PIECE: usize = 64 << 10;
const MANY: usize = 1_000_000;
const PROCESSES: usize = 41;
/// Tells the process that [`first_answer`] starts what it is there for.
const FRESH: &str = "LOOPMEM_BENCH_FRESH";

/// What rows are measured: those that hold one of the words that were told, and without any all.
struct Rows(Vec<String>);

impl Rows {
    fn hold(&self, what: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|word| what.contains(word.as_str()))
    }
}

fn main() {
    if std::env::var_os(FRESH).is_some() {
        return answer();
    }
    let rows = Rows(std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect());
    let redactor = Redactor::new(&[], []).unwrap();
    row("redaction (Rust, CPU, the least)", "measured", "target", "");
    floors(&rows);
    texts(&rows, &redactor);
    peers(&rows);
    pieces(&rows, &redactor);
    records(&rows, &redactor);
    first_answer(&rows);
}

/// Megabytes a second, as the least of some rounds has it; of what is slow there are fewer.
fn speed<T>(bytes: usize, mut call: impl FnMut() -> T) -> f64 {
    let mut times = Times::default();
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        times.cpu(&mut call);
        if begun.elapsed() > LONG {
            break;
        }
    }
    bytes as f64 / 1e6 / times.least().as_secs_f64()
}

fn rate(speed: f64) -> String {
    if speed < 10.0 { format!("{speed:.2} MB/s") } else { format!("{speed:.0} MB/s") }
}

/// Bare reads of the keyword-dense text: no redactor can be faster.
fn floors(rows: &Rows) {
    if !rows.hold("floors") {
        return;
    }
    let text = corpus::dense(BYTES);
    let mut copy = vec![0; text.len()];
    let copied = speed(text.len(), || copy.copy_from_slice(text.as_bytes()));
    row("floor: memcpy", &rate(copied), "", "");
    let found = speed(text.len(), || memchr::memchr3_iter(b'=', b':', b'@', text.as_bytes()).count());
    row("floor: memchr3 of = : @", &rate(found), "", "");
}

/// A text, by what it is called, and the megabytes a second that it is to be read with.
type Text = (&'static str, fn() -> String, Option<f64>);
/// A text of so many bytes, by what it is called.
type Kind = (&'static str, fn(usize) -> String);

fn texts(rows: &Rows, redactor: &Redactor) {
    let texts: [Text; 11] = [
        ("dense, no secret", || corpus::dense(BYTES), Some(250.0)),
        ("dense, a secret every 2 KB", || corpus::with_secrets(BYTES), Some(250.0)),
        ("ordinary", || corpus::ordinary(BYTES), Some(500.0)),
        ("half Chinese and Russian", || corpus::half_foreign(BYTES), Some(500.0)),
        ("JSON log with escapes", || corpus::json_log(BYTES), None),
        ("coloured log", || corpus::coloured_log(BYTES), None),
        ("one line of 16 MB", || corpus::one_line(BYTES), None),
        ("names alone", || corpus::names(BAIT, " "), None),
        ("names and colons alone", || corpus::names(BAIT, ": "), None),
        ("names and = alone", || corpus::names(BAIT, "="), None),
        ("a million secrets", || corpus::secrets(MANY), None),
    ];
    for (what, make, least) in texts.into_iter().filter(|(what, ..)| rows.hold(what)) {
        let text = make();
        let mut clean = Cow::Borrowed("");
        let speed = speed(text.len(), || clean = redactor.redact(&text));
        let found = clean.matches("[REDACTED:").count();
        let target = least.map(rate).unwrap_or_default();
        let verdict = least.map_or("", |least| verdict(speed >= least));
        row(what, &format!("{}, {found} found", rate(speed)), &target, verdict);
    }
}

/// What people use in a redactor's place.
fn peers(rows: &Rows) {
    if !rows.hold("peers") {
        return;
    }
    let four = [
        r"\bsk-[0-9A-Za-z_-]{20,}",
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        r"(?i)\bbearer\s+[0-9a-z._~+/-]{16,}",
        r#"(?i)\b(?:api[-_]?key|token|secret|password)\b\s*[:=]\s*["']?[^\s"']{8,}"#,
    ];
    let more = [
        r"\bgh[pousr]_[0-9A-Za-z]{36,}",
        r"\bgithub_pat_[0-9A-Za-z_]{60,}",
        r"\bglpat-[0-9A-Za-z_-]{20,}",
        r"\bxox[abprs]-[0-9A-Za-z-]{10,}",
        r"\bAIza[0-9A-Za-z_-]{35}",
        r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]+",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
        r"[a-z][a-z0-9+]*://[^\s:/@]+:[^\s:/@]+@",
    ];
    let each: Vec<Regex> = four.iter().map(|one| Regex::new(one).unwrap()).collect();
    let set = RegexSet::new(four.iter().chain(&more)).unwrap();
    for (what, text) in [("dense", corpus::dense(BYTES)), ("ordinary", corpus::ordinary(BYTES))] {
        let replaced = speed(text.len(), || {
            let mut clean = Cow::Borrowed(text.as_str());
            for one in &each {
                if let Cow::Owned(cleaner) = one.replace_all(&clean, "[REDACTED]") {
                    clean = Cow::Owned(cleaner);
                }
            }
            clean.len()
        });
        row(&format!("peer: 4 regexes, {what}"), &rate(replaced), "", "");
        let matched = speed(text.len(), || text.lines().filter(|line| set.matches(line).matched_any()).count());
        row(&format!("peer: 12 in a RegexSet, {what}"), &rate(matched), "", "");
    }
}

/// A text that comes in pieces, beside the same in one.
fn pieces(rows: &Rows, redactor: &Redactor) {
    if !rows.hold("pieces") {
        return;
    }
    let text = corpus::with_secrets(BYTES);
    let streamed = || {
        let mut stream = redactor.stream();
        let mut out = Vec::with_capacity(text.len());
        for piece in text.as_bytes().chunks(PIECE) {
            out.extend(stream.push(piece));
        }
        out.extend(stream.finish());
        out
    };
    assert_eq!(streamed(), redactor.redact(&text).as_bytes());
    let (pieces, whole) = (speed(text.len(), streamed), speed(text.len(), || redactor.redact(&text).into_owned()));
    row("dense, in pieces of 64 KB", &format!("{}, {} in one piece", rate(pieces), rate(whole)), "", "");
}

/// Texts and records of 10 KB, each another one.
fn records(rows: &Rows, redactor: &Redactor) {
    const TARGET: Duration = Duration::from_micros(100);
    let kinds: [Kind; 3] =
        [("ordinary", corpus::ordinary), ("dense, no secret", corpus::dense), ("with secrets", corpus::with_secrets)];
    let told = |what: &str, mut times: Times| {
        let (usual, slowest) = (times.percentile(50), times.percentile(99));
        let measured = format!("p50 {}, p99 {}", us(usual), us(slowest));
        row(what, &measured, "p99 100 µs", verdict(slowest <= TARGET));
    };
    for (kind, make) in kinds.into_iter().filter(|_| rows.hold("10 KB")) {
        let text = make(RECORD * RECORDS);
        let texts = cut(&text);
        let drafts: Vec<Value> = texts.iter().map(|text| draft(text)).collect();
        let (mut redacted, mut sealed) = (Times::default(), Times::default());
        let begun = Instant::now();
        for _ in (0..RECORD_ROUNDS).take_while(|round| *round == 0 || begun.elapsed() < LONG) {
            for (text, draft) in texts.iter().zip(&drafts) {
                redacted.cpu(|| redactor.redact(text).len());
                sealed.cpu(|| redactor.seal(draft, &["title", "content", "tags"]).unwrap());
            }
        }
        told(&format!("10 KB redacted, {kind}"), redacted);
        told(&format!("10 KB sealed, {kind}"), sealed);
    }
}

fn cut(text: &str) -> Vec<&str> {
    let boundary = |at: usize| (at..).find(|at| text.is_char_boundary(*at)).unwrap();
    (0..RECORDS).map(|index| &text[boundary(index * RECORD)..boundary((index + 1) * RECORD)]).collect()
}

/// A record as a host tells it, with the text as its content.
fn draft(text: &str) -> Value {
    json!({ "title": "What the build needs", "content": text, "tags": ["tooling", "build"], "source": "agent" })
}

/// How soon a fresh process has its first answer.
fn first_answer(rows: &Rows) {
    if !rows.hold("first answer") {
        return;
    }
    let (mut first, mut later, mut process) = (Times::default(), Times::default(), Times::default());
    let text = corpus::with_secrets(1000);
    for _ in 0..PROCESSES {
        let before = Instant::now();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .env(FRESH, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let told = child.wait_with_output().unwrap();
        process.add(before.elapsed());
        let told = String::from_utf8(told.stdout).unwrap();
        let mut times = told.split_whitespace().map(|nanos| Duration::from_nanos(nanos.parse().unwrap()));
        first.add(times.next().unwrap());
        later.add(times.next().unwrap());
    }
    let (usual, slowest) = (first.percentile(50), first.percentile(99));
    let measured = format!("p50 {}, p99 {}; later {}", us(usual), us(slowest), us(later.median()));
    row("first answer in a process, 1 KB", &measured, "p50 5 ms", verdict(usual <= Duration::from_millis(5)));
    row("the process, start to end", &us(process.median()), "", "");
}

/// Prints how long the first answer took from the making of the redactor on, and a later one.
fn answer() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let before = Instant::now();
    let redactor = Redactor::new(&[], std::env::vars()).unwrap();
    let is_clean = redactor.redact(&text) == text;
    let first = before.elapsed();
    let mut later = Times::default();
    // Few, so that the process ends soon.
    for _ in 0..9 {
        later.wall(|| redactor.redact(&text).len());
    }
    assert!(!is_clean);
    println!("{} {}", first.as_nanos(), later.median().as_nanos());
}
