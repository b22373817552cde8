//! loopmem from Rust: remember something about the repository of the current folder, then pack it for a prompt.
//!
//!     cargo run -p loopmem --example quickstart -- [HOME]     HOME: default ~/.codex-toolloop
#![allow(clippy::print_stdout, reason = "an example")]

use loopmem::memory::Convention;
use loopmem::summary::Summary;
use loopmem::{Options, Store};

fn main() -> loopmem::Result<()> {
    let store = Store::open(std::env::args().nth(1).map(Options::at).unwrap_or_default())?;
    let repo = store.repo(".")?;
    repo.memory().upsert(Convention::draft("Errors", "No I/O error without its path.").id("rust"))?;
    repo.summaries().append(Summary::draft("quickstart", "rust", "Stored a convention from Rust."))?;
    println!("{}", repo.context(8_000).build()?.text);
    Ok(())
}
