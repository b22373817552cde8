//! The typed API of memories on branches, called as a Rust program calls it.

use std::path::PathBuf;

use loopmem::branch::{Memory, PushOptions, Retention, Source};
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
        "branch.checkout" => {
            let (memory, directory) = (memory(store, &mut params)?, params.maybe::<PathBuf>("directory")?);
            let (source, at) = (source(&mut params)?, params.maybe::<String>("at")?);
            params.end()?;
            let checkout = |memory| match &at {
                Some(commit) => branches.checkout_at(&memory, directory.as_deref(), &source, commit),
                None => branches.checkout(&memory, directory.as_deref(), &source),
            };
            Some(memory.and_then(checkout).and_then(encoded))
        }
        "branch.validate" => {
            let (memory, directory) = (memory(store, &mut params)?, params.maybe::<PathBuf>("directory")?);
            let (source, is_merged) = (source(&mut params)?, params.maybe::<bool>("merged")?.unwrap_or(false));
            params.end()?;
            let validate = |memory| match is_merged {
                true => branches.validate_merged(&memory, directory.as_deref(), &source),
                false => branches.validate(&memory, directory.as_deref()),
            };
            Some(memory.and_then(validate).and_then(encoded))
        }
        "branch.push" => {
            let (memory, directory) = (memory(store, &mut params)?, params.maybe::<PathBuf>("directory")?);
            let mut options = PushOptions::new().source(source(&mut params)?);
            if let Some(base) = params.maybe::<String>("base")? {
                options = options.base(base);
            }
            if let Some(run) = params.maybe::<String>("runId")? {
                options = options.run_id(run);
            }
            if let Some(message) = params.maybe::<String>("message")? {
                options = options.message(message);
            }
            params.end()?;
            Some(memory.and_then(|it| branches.push(&it, directory.as_deref(), &options)).and_then(encoded))
        }
        "branch.prompt" => {
            let config = params.maybe::<Value>("config")?.unwrap_or_default();
            params.end()?;
            Some(branches.prompt(config).and_then(|text| encoded(json!({ "text": text }))))
        }
        "branch.pack" => {
            let (memory, directory) = (memory(store, &mut params)?, params.maybe::<PathBuf>("directory")?);
            let (artifact, since) = (params.take::<PathBuf>("artifactPath")?, params.maybe::<PathBuf>("since")?);
            params.end()?;
            let packed = memory.and_then(|it| branches.pack(&it, directory.as_deref(), &artifact, since.as_deref()));
            Some(packed.and_then(encoded))
        }
        "branch.unpack" => {
            let artifact = params.take::<PathBuf>("artifactPath")?;
            let directory = params.maybe::<PathBuf>("directory")?;
            params.end()?;
            Some(branches.unpack(&artifact, directory.as_deref()).and_then(encoded))
        }
        "branch.snapshot" => {
            let (memory, tag) = (memory(store, &mut params)?, params.maybe::<String>("tag")?);
            let source = source(&mut params)?;
            params.end()?;
            Some(memory.and_then(|it| branches.snapshot(&it, tag.as_deref(), &source)).and_then(encoded))
        }
        "branch.snapshots" => {
            let (memory, source) = (memory(store, &mut params)?, source(&mut params)?);
            params.end()?;
            let listed = memory.and_then(|it| branches.snapshots(&it, &source));
            Some(listed.and_then(|all| encoded(json!({ "snapshots": all }))))
        }
        "branch.rollback" => {
            let (memory, tag) = (memory(store, &mut params)?, params.take::<String>("tag")?);
            let source = source(&mut params)?;
            params.end()?;
            let commit = memory.and_then(|it| branches.rollback(&it, &tag, &source));
            Some(commit.and_then(|commit| encoded(json!({ "commit": commit }))))
        }
        "branch.prune" => {
            let (memory, source) = (memory(store, &mut params)?, source(&mut params)?);
            let mut retention = Retention::new();
            if let Some(count) = params.maybe::<u32>("keep")? {
                retention = retention.keep(count);
            }
            if let Some(days) = params.maybe::<u32>("maxAgeDays")? {
                retention = retention.max_age_days(days);
            }
            params.end()?;
            let removed = memory.and_then(|it| branches.prune(&it, retention, &source));
            Some(removed.and_then(|removed| encoded(json!({ "removed": removed }))))
        }
        "branch.workflow" => {
            let config = params.maybe::<Value>("config")?.unwrap_or_default();
            params.end()?;
            Some(branches.workflow(config).and_then(|yaml| encoded(json!({ "yaml": yaml }))))
        }
        "branch.match" => {
            let (pattern, path) = (params.take::<String>("pattern")?, params.take::<String>("path")?);
            params.end()?;
            Some(branches.matches(&pattern, &path).and_then(|it| encoded(json!({ "match": it }))))
        }
        "branch.mergeFile" => {
            let [base, ours, theirs] = ["base", "ours", "theirs"].map(|name| params.take::<PathBuf>(name));
            let (base, ours, theirs, path) = (base?, ours?, theirs?, params.maybe::<String>("path")?);
            params.end()?;
            Some(branches.merge_file(&base, &ours, &theirs, path.as_deref()).and_then(encoded))
        }
        _ => None,
    }
}

fn memory(store: &Store, params: &mut Params) -> Option<Result<Memory>> {
    let entry = params.maybe::<Value>("entry")?.unwrap_or_default();
    Some(store.branches().parse_entry(entry))
}

fn source(params: &mut Params) -> Option<Source> {
    let mut source = Source::new();
    if let Some(folder) = params.maybe::<PathBuf>("repoDir")? {
        source = source.repo_dir(folder);
    }
    if let Some(remote) = params.maybe::<String>("remote")? {
        source = source.remote(remote);
    }
    Some(source)
}
