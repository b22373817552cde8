//! The typed API of memories on branches, called as a Rust program calls it.

use loopmem::{Result, Store};
use serde_json::{Value, json};

use super::typed::{Params, encoded};

/// `None` for what the types of the API cannot say.
pub(super) fn call(store: &Store, method: &str, mut params: Params) -> Option<Result<String>> {
    let branches = store.branches();
    match method {
        "branch.parseConfig" => {
            let config = params.maybe::<Value>("config")?.unwrap_or_default();
            params.end()?;
            Some(branches.parse_config(config).and_then(encoded))
        }
        "branch.prompt" => {
            let config = params.maybe::<Value>("config")?.unwrap_or_default();
            params.end()?;
            Some(branches.prompt(config).and_then(|text| encoded(json!({ "text": text }))))
        }
        "branch.match" => {
            let (pattern, path) = (params.take::<String>("pattern")?, params.take::<String>("path")?);
            params.end()?;
            Some(branches.matches(&pattern, &path).and_then(|it| encoded(json!({ "match": it }))))
        }
        _ => None,
    }
}
