//! Sequential upserts from Rust: `upserts loopmem FOLDER NAME IDS COUNT TEXT`.
//!
//! The ids cycle from NAME-00000 to IDS. At the end, it prints the ids of acknowledged upserts. With `bare` instead of
//! `loopmem`, it only replaces the document durably with the same contents, which is the minimum for any upsert.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a program that is measured"
)]

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use loopmem::RepoHash;
use loopmem::memory::Convention;
use loopmem::{Options, Store};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [how, folder, name, ids, count, text] = arguments.as_slice() else {
        return Err("usage: upserts loopmem|bare FOLDER NAME IDS COUNT TEXT".into());
    };
    let (ids, count) = (ids.parse::<u32>()?, count.parse::<u32>()?);
    let repo = RepoHash::parse(&"b".repeat(64))?;
    if how == "bare" {
        return replace(&Path::new(folder).join("repos").join(repo.as_str()).join("memory.json"), count);
    }
    let store = Store::open(Options::at(folder).lock_timeout(std::time::Duration::from_millis(60_000)))?;
    let mut acknowledged = String::new();
    for number in 0..count {
        let id = format!("{name}-{:05}", number % ids);
        let content = format!("{number:05} {text}");
        let draft = Convention::draft("Use pnpm workspaces", content).id(&id).tags(["tooling", "packages"]);
        store.repo_at(&repo).memory().upsert(draft)?;
        acknowledged.push_str(&id);
        acknowledged.push('\n');
    }
    print!("{acknowledged}");
    Ok(())
}

/// Creates a temporary file, writes, syncs and renames it, and syncs the folder.
fn replace(document: &Path, count: u32) -> Result<(), Box<dyn Error>> {
    let (bytes, temp) = (fs::read(document)?, document.with_extension("new"));
    let folder = document.parent().ok_or("the document has no folder")?;
    for _ in 0..count {
        let mut file = File::create_new(&temp)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(&temp, document)?;
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
