//! Writes from Rust when signalled, and reports each write once it is acknowledged: `writer HOME REPO
//! NAME COUNT`.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "the part of a test that is another process")]

use std::env;
use std::error::Error;
use std::io::stdin;
use std::time::Instant;

use loopmem::RepoHash;
use loopmem::memory::ConventionDraft;
use loopmem::summary::Summary;
use loopmem::{Options, Store};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [home, repo, name, count] = arguments.as_slice() else {
        return Err("usage: writer HOME REPO NAME COUNT".into());
    };
    let (repo, count) = (RepoHash::parse(repo)?, count.parse::<u32>()?);
    let options = Options::at(home)
        .lock_timeout(std::time::Duration::from_millis(60_000))
        .append_timeout(std::time::Duration::from_millis(60_000));
    let store = Store::open(options)?;
    println!("ready");
    stdin().read_line(&mut String::new())?;
    let begun = Instant::now();
    for number in 0..count {
        let text = format!("{name}-{number}.").repeat(20);
        let mine = serde_json::json!({"id": format!("{name}-{number}"), "title": name, "content": text});
        // A field that no type knows: it must be preserved.
        let shared =
            serde_json::json!({"id": "shared", "title": "shared", "content": "shared", "extra": {name: number}});
        for (kind, draft) in [("upsert", mine), ("shared", shared)] {
            let draft: ConventionDraft = serde_json::from_value(draft)?;
            let before = Instant::now();
            store.repo_at(&repo).memory().upsert(draft)?;
            report(kind, number, before);
        }
        let before = Instant::now();
        store.repo_at(&repo).summaries().append(Summary::draft(name, number.to_string(), &text))?;
        report("append", number, before);
    }
    println!("done {:.3}", begun.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

/// Standard output takes a whole line at once: a process that is killed has reported it completely or not at all.
fn report(kind: &str, number: u32, before: Instant) {
    println!("{kind} {number} {:.3}", before.elapsed().as_secs_f64() * 1e3);
}
