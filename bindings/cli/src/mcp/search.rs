//! The tool that searches everything that is remembered.

use loopmem::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::caller::{Answer, Caller, answer};
use crate::human::screen::on_one_line;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SearchParams {
    /// What to find, in a few words or as a question.
    query: String,
    /// The maximum number of results. Default: 12.
    limit: Option<u64>,
    /// A folder in the repository. Default: the one that the server was started for.
    workspace: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SearchResult {
    /// What was found, the best match first.
    hits: Vec<Hit>,
    /// What could not be read, and why: more may be stored than was found.
    faults: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct Hit {
    /// What it is: `preference`, `convention`, `decision`, `fact`, `note`, `summary`, `file`, `context`, `log` or `session`, among
    /// others.
    kind: String,
    /// Its id; of a file, its path.
    id: String,
    /// Its title, if it has one.
    title: Option<String>,
    /// Those of its lines that match best.
    text: String,
    /// When it was changed last, if that is known.
    time: Option<String>,
}

pub(super) fn search(caller: &Caller, params: SearchParams) -> Result<Answer> {
    const LIMIT: u64 = 12;
    let workspace = caller.workspace(params.workspace);
    let asked = json!({ "workspace": workspace, "query": params.query, "limit": params.limit.unwrap_or(LIMIT) });
    let found: SearchResult = caller.ask("search.find", asked)?;
    let lines: Vec<String> = found.hits.iter().map(line).collect();
    let faults = found.faults.iter().map(|fault| format!("Not searched: {}", on_one_line(fault)));
    let mut text = if lines.is_empty() { "Nothing that is remembered matches.".to_owned() } else { lines.join("\n") };
    faults.for_each(|fault| text.extend(["\n", &fault]));
    answer(text, &found)
}

fn line(it: &Hit) -> String {
    // Names of files may be of anyone's making, and none may look like another line.
    let title = it.title.iter().map(|title| format!("{}: ", on_one_line(title))).collect::<String>();
    let text: Vec<String> = it.text.lines().map(on_one_line).collect();
    format!("- {} [{}] {title}{}", on_one_line(&it.kind), on_one_line(&it.id), text.join("\n  "))
}
