//! The conformance cases, in Rust: through the method table, and through the typed API that its rows call.

mod branch;
mod rollouts;
mod typed;

use std::collections::HashMap;

use loopmem::methods::dispatch;
use loopmem::{Options, Result, Store};
use loopmem_conformance::{Face, play_all};

/// Stores by what they were opened with.
#[derive(Default)]
struct Stores(HashMap<String, Store>);

impl Stores {
    fn open(&mut self, options: &str) -> Result<&Store> {
        if !self.0.contains_key(options) {
            let store = Options::from_json(options).and_then(Store::open)?;
            self.0.insert(options.to_owned(), store);
        }
        Ok(&self.0[options])
    }
}

/// The method table.
impl Face for Stores {
    fn call(&mut self, options: &str, method: &str, params: &str) -> Result<String, String> {
        let answer = self.open(options).and_then(|store| dispatch(store, method, params));
        answer.map_err(|error| error.to_json())
    }
}

#[test]
fn the_method_table_keeps_every_conformance_case() {
    play_all(&mut Stores::default());
}

#[test]
fn the_typed_api_keeps_every_conformance_case() {
    play_all(&mut typed::Typed::default());
}
