//! loopmem from Rust: remember something about the repository of the current folder, then pack it for a prompt.
//!
//!     cargo run -p loopmem --example quickstart -- [HOME]     HOME: default ~/.codex-toolloop
#![allow(clippy::print_stdout, reason = "an example")]

use loopmem::disk::Wait;
use loopmem::memory::ConventionDraft;
use loopmem::{Options, Store};

fn main() -> loopmem::Result<()> {
    let store = Store::open(std::env::args().nth(1).map(Options::at).unwrap_or_default())?;
    let repo = store.repo().identify(&Wait::default(), None, None, None)?.repo_hash;
    let wait = Wait::default();
    let draft = ConventionDraft {
        id: Some("rust".into()),
        title: Some("Errors".into()),
        content: Some("No I/O error without its path.".into()),
        ..ConventionDraft::default()
    };
    store.memory(&repo).upsert_convention(&wait, draft)?;
    store.summary(&repo).append(&wait, "quickstart", "rust", "Stored a convention from Rust.", vec![])?;
    println!("{}", store.context(&repo).build(&wait, 8_000, None, &Default::default())?.text);
    Ok(())
}
