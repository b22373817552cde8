//! The tool that finds definitions.

use std::path::Path;

use loopmem::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::caller::{Answer, Caller, answer};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SymbolsParams {
    /// A name, or words of one. Default: all definitions.
    query: Option<String>,
    /// Only those of this file, or of the files below this folder.
    path: Option<String>,
    /// Only definitions of this kind, such as `function`, `method`, `class`, `struct` or `interface`.
    kind: Option<String>,
    /// The maximum number. Default: 50.
    limit: Option<u64>,
    /// A folder in the repository. Default: the one that the server was started for.
    workspace: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SymbolsResult {
    /// The definitions, the best matches first.
    symbols: Vec<FoundSymbol>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct FoundSymbol {
    pub(super) name: String,
    pub(super) kind: String,
    /// Its file, relative to the repository.
    pub(super) path: String,
    /// The number of its line, from 1.
    pub(super) line: u64,
    /// Its declaration on one line.
    pub(super) signature: String,
}

pub(super) fn symbols(caller: &Caller, params: SymbolsParams) -> Result<Answer> {
    let workspace = caller.workspace(params.workspace);
    let SymbolsParams { query, path, kind, limit, .. } = params;
    let path = match path {
        Some(path) if Path::new(&path).is_absolute() => {
            let top = caller.identity(workspace.as_deref())?.path;
            Some(Path::new(&path).strip_prefix(&top).map_or(path.clone(), |below| below.to_string_lossy().into_owned()))
        }
        path => path,
    };
    let asked = json!({ "workspace": workspace, "query": query, "path": path, "kind": kind, "limit": limit });
    let symbols: Vec<FoundSymbol> = caller.ask("index.symbols", asked)?;
    let line = |it: &FoundSymbol| format!("{}:{}  {}", it.path, it.line, it.signature);
    let lines: Vec<String> = symbols.iter().map(line).collect();
    let text = if lines.is_empty() { "No definition matches.".to_owned() } else { lines.join("\n") };
    answer(text, &SymbolsResult { symbols })
}
