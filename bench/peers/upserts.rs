//! Upserts one after the other from Rust: `upserts FOLDER NAME IDS COUNT TEXT`.
//!
//! The ids go round: NAME-00000 to IDS. It prints those that were acknowledged, when all is done.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program that is measured")]

use std::env;
use std::error::Error;

use loopmem::disk::Wait;
use loopmem::home::RepoHash;
use loopmem::memory::ConventionDraft;
use loopmem::{Options, Store};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, name, ids, count, text] = arguments.as_slice() else {
        return Err("usage: upserts FOLDER NAME IDS COUNT TEXT".into());
    };
    let (ids, count) = (ids.parse::<u32>()?, count.parse::<u32>()?);
    let repo = RepoHash::parse(&"b".repeat(64))?;
    let store = Store::open(Options { lock_timeout_ms: Some(60_000), ..Options::at(folder) })?;
    let mut acknowledged = String::new();
    for number in 0..count {
        let id = format!("{name}-{:05}", number % ids);
        let draft = ConventionDraft {
            id: Some(id.clone()),
            title: Some("Use pnpm workspaces".into()),
            content: Some(format!("{number:05} {text}")),
            tags: Some(vec!["tooling".into(), "packages".into()]),
            ..ConventionDraft::default()
        };
        store.memory(&repo).upsert_convention(&Wait::default(), draft)?;
        acknowledged.push_str(&id);
        acknowledged.push('\n');
    }
    print!("{acknowledged}");
    Ok(())
}
