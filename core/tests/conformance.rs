//! The conformance cases, in Rust.

use std::collections::HashMap;

use loopmem::methods::{CallOptions, dispatch};
use loopmem::{Options, Store};
use loopmem_conformance::{Face, play_all};

/// Stores by what they were opened with.
#[derive(Default)]
struct Rust(HashMap<String, Store>);

impl Face for Rust {
    fn call(&mut self, options: &str, method: &str, params: &str) -> Result<String, String> {
        let json = |error: loopmem::Error| error.to_json();
        if !self.0.contains_key(options) {
            let store = Options::from_json(options).and_then(Store::open).map_err(json)?;
            self.0.insert(options.to_owned(), store);
        }
        dispatch(&self.0[options], method, params, CallOptions::default()).map_err(json)
    }
}

#[test]
fn rust_keeps_every_conformance_case() {
    play_all(&mut Rust::default());
}
