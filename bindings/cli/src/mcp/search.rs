//! The tool that searches everything that is remembered.

use loopmem::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::caller::{Answer, Caller, answer};
use super::definitions::FoundSymbol;
use super::records::{ListedItem, ListedRecord};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SearchParams {
    /// What to find, in a few words or as a question.
    query: String,
    /// The maximum number of results of each kind. Default: 8.
    limit: Option<u64>,
    /// A folder in the repository. Default: the one that the server was started for.
    workspace: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SearchResult {
    /// What was found: first records, then summaries, then definitions, in each the best matches first.
    results: Vec<Found>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct Found {
    /// What it is: `preference`, `convention`, `decision`, `fact`, `note`, `summary`, or `definition`.
    kind: String,
    /// Its id; of a definition, its file and line.
    id: String,
    /// Its text.
    text: String,
}

#[derive(Deserialize)]
struct FoundItems {
    items: Vec<FoundItem>,
}

#[derive(Deserialize)]
struct FoundItem {
    item: ListedItem,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FoundStep {
    run_id: String,
    step_id: String,
    summary: String,
}

pub(super) fn search(caller: &Caller, params: SearchParams) -> Result<Answer> {
    const LIMIT: u64 = 8;
    if params.query.trim().is_empty() {
        return Err(Error::validation("`query` is empty"));
    }
    let workspace = caller.workspace(params.workspace);
    let asked = json!({ "workspace": workspace, "query": params.query, "limit": params.limit.unwrap_or(LIMIT) });
    let records: Vec<ListedRecord> = caller.ask("memory.list", asked.clone())?;
    let recalled = json!({
        "workspace": workspace, "prompt": params.query, "limit": params.limit.unwrap_or(LIMIT), "preview": true,
    });
    let items: FoundItems = caller.ask("items.recall", recalled)?;
    let steps: Vec<FoundStep> = caller.ask("summary.list", asked.clone())?;
    let symbols: Vec<FoundSymbol> = caller.ask("index.symbols", asked)?;
    let of_step = |it: FoundStep| Found {
        kind: "summary".to_owned(),
        id: format!("{}/{}", it.run_id, it.step_id),
        text: it.summary,
    };
    let of_symbol = |it: FoundSymbol| Found {
        kind: "definition".to_owned(),
        id: format!("{}:{}", it.path, it.line),
        text: it.signature,
    };
    let results: Vec<Found> = records
        .into_iter()
        .map(|it| Found { kind: it.kind.name().to_owned(), text: it.record.text(), id: it.record.id })
        .chain(items.items.into_iter().map(|FoundItem { item }| Found {
            kind: item.kind().name().to_owned(),
            id: item.id,
            text: item.content,
        }))
        .chain(steps.into_iter().map(of_step))
        .chain(symbols.into_iter().map(of_symbol))
        .collect();
    let lines: Vec<String> = results.iter().map(|it| format!("- {} [{}] {}", it.kind, it.id, it.text)).collect();
    let text = if lines.is_empty() { "Nothing that is remembered matches.".to_owned() } else { lines.join("\n") };
    answer(text, &SearchResult { results })
}
