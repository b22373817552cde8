//! What recency and use add, measured through the API: the sets have no times and no counts, so their documents are given some.

use std::fmt::Write as _;

use chrono::{DateTime, Days, Utc};
use loopmem::items::{Items, RecallQuery};
use loopmem::{Options, Store};

use super::sets::{Question, Ranks, Set};

/// How many days lie between a document and the next one: as many as between the changes of the history, on average.
const DAYS: u64 = 15;
/// The weights that are not switched off.
const WEIGHT: f64 = 0.05;

/// The parts of a score that depend on when and how often an item was used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aging {
    pub(crate) recency: bool,
    pub(crate) frequency: bool,
}

impl Aging {
    pub(crate) const BOTH: Aging = Aging { recency: true, frequency: true };
}

/// The ranks in a recall at the time of each question. What answered a question before was used then.
pub(crate) fn ranks(set: &Set, aging: Aging) -> Vec<Ranks> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let workspace = folder.path().join("workspace");
    let memory = workspace.join(".codex/memory");
    std::fs::create_dir_all(&memory).unwrap();
    std::process::Command::new("git").args(["init", "-q"]).current_dir(&workspace).status().unwrap();
    std::fs::write(memory.join("items.jsonl"), lines(set)).unwrap();
    let rank = |question: &Question| {
        let now = time(set.asked(question).unwrap_or(set.docs.len()));
        let options = Options::at(folder.path().join("home"))
            .codex_home(folder.path().join("codex"))
            .clock(now.to_rfc3339())
            .recall_recency_weight(if aging.recency { WEIGHT } else { 0.0 })
            .recall_frequency_weight(if aging.frequency { WEIGHT } else { 0.0 });
        let items: Items = Store::open(options).unwrap().items(workspace.as_path());
        let query = RecallQuery::new(&question.query).files(question.files.clone()).limit(1_000).preview(true);
        let recalled = items.recall(&query).unwrap().items;
        let ids = recalled.iter().filter_map(|it| set.docs.iter().position(|doc| doc.id == it.item.id));
        let ranks = set.ranks_in(question, ids);
        items.used(&question.relevant.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        ranks
    };
    set.questions.iter().map(rank).collect()
}

/// The time of the document at `position`.
fn time(position: usize) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Days::new(DAYS * position as u64)
}

fn lines(set: &Set) -> String {
    let mut lines = String::new();
    for (position, doc) in set.docs.iter().enumerate() {
        let time = time(position).to_rfc3339();
        let item = serde_json::json!({
            "id": doc.id, "created_at": time, "updated_at": time, "scope": "repo", "status": "active", "type": "note",
            "content": doc.content, "relevance_hints": { "files": doc.files },
        });
        writeln!(lines, "{item}").unwrap();
    }
    lines
}
