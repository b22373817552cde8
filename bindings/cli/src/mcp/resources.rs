//! The resources that a client may show or attach: `loopmem://…`.

use std::borrow::Cow;

use loopmem::Result;
use loopmem::rollouts::{MemoryFile, MemoryFiles};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use rmcp::model::{Resource, ResourceTemplate};
use serde::Deserialize;
use serde_json::{Value, json};

use super::caller::Caller;
use super::records::beginning;
use super::work::pack;

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
/// The list of all resources, which is watched like one of them.
pub(super) const LIST: &str = "loopmem://";
/// The record with an id.
const RECORD: &str = "loopmem://memory/";
/// A file of the memory of past sessions, by its path.
const SESSIONS: &str = "loopmem://sessions/";
/// The working context with a name.
const WORKING: &str = "loopmem://working/";

/// What is encoded in a URI.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const PATH: AsciiSet = RESERVED.remove(b'/');

/// A resource that is always there.
struct Fixed {
    uri: &'static str,
    name: &'static str,
    description: &'static str,
    kind: &'static str,
    read: fn(&Caller) -> Result<String>,
}

static FIXED: [Fixed; 4] = [
    Fixed {
        uri: "loopmem://context",
        name: "context",
        description: "What is known about this repository, as it is packed for a prompt",
        kind: MARKDOWN,
        read: |caller| Ok(pack(caller, caller.workspace.clone(), None, None, None)?.text),
    },
    Fixed {
        uri: "loopmem://memory",
        name: "memory",
        description: "The conventions, decisions and notes of this repository",
        kind: JSON,
        read: |caller| caller.call("memory.get", json!({ "workspace": caller.workspace })),
    },
    Fixed {
        uri: "loopmem://items",
        name: "items",
        description: "The preferences and facts of this repository and of this user",
        kind: JSON,
        read: |caller| caller.call("items.list", json!({ "workspace": caller.workspace })),
    },
    Fixed {
        uri: "loopmem://summaries",
        name: "summaries",
        description: "What past steps did, newest first",
        kind: JSON,
        read: |caller| caller.call("summary.list", json!({ "workspace": caller.workspace, "limit": 100 })),
    },
];

/// A record of a repository's memory.
#[derive(Deserialize)]
struct Listed {
    kind: String,
    record: ListedRecord,
}

#[derive(Deserialize)]
struct ListedRecord {
    id: String,
    #[serde(alias = "summary")]
    title: Option<String>,
    content: Option<String>,
}

/// The resources that are always there, the records of the repository, and what past sessions left.
///
/// # Errors
/// Those of reading the records.
pub(super) fn all(caller: &Caller) -> Result<Vec<Resource>> {
    let fixed = |it: &Fixed| Resource::new(it.uri, it.name).with_description(it.description).with_mime_type(it.kind);
    let record = |Listed { kind, record }: Listed| {
        let uri = format!("{RECORD}{}", percent_encoding::utf8_percent_encode(&record.id, &RESERVED));
        let title = record.title.or(record.content).unwrap_or_default();
        Resource::new(uri, format!("{kind} {}", record.id)).with_title(beginning(&title)).with_mime_type(JSON)
    };
    let records: Vec<Listed> = caller.ask("memory.list", json!({ "workspace": caller.workspace }))?;
    let file = |MemoryFile { path, about, .. }: MemoryFile| {
        let uri = format!("{SESSIONS}{}", percent_encoding::utf8_percent_encode(&path, &PATH));
        Resource::new(uri, path).with_title(beginning(&about)).with_mime_type(MARKDOWN)
    };
    let records = records.into_iter().map(record);
    Ok(FIXED.iter().map(fixed).chain(records).chain(of_sessions(caller, None)?.into_iter().map(file)).collect())
}

/// The files of the memory of past sessions, or the one at this path, with its text.
fn of_sessions(caller: &Caller, path: Option<&str>) -> Result<Vec<MemoryFile>> {
    let files: MemoryFiles = caller.ask("rollouts.read", json!({ "workspace": caller.workspace, "path": path }))?;
    Ok(files.files)
}

/// Resources with a name in their URI.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    [
        (RECORD, "id", "record", "A convention, a decision or a note of this repository"),
        (WORKING, "scope", "working context", "The values that are kept while a task is under way"),
        (SESSIONS, "+path", "memory of sessions", "What past sessions left: MEMORY.md, memory_summary.md or a skill"),
    ]
    .map(|(prefix, variable, name, description)| {
        ResourceTemplate::new(format!("{prefix}{{{variable}}}"), name)
            .with_description(description)
            .with_mime_type(if prefix == SESSIONS { MARKDOWN } else { JSON })
    })
    .into()
}

/// The text of a resource, and its type; `None` if there is none with this URI.
///
/// # Errors
/// Those of reading it.
pub(super) fn read(caller: &Caller, uri: &str) -> Result<Option<(String, &'static str)>> {
    if let Some(it) = FIXED.iter().find(|it| it.uri == uri) {
        return Ok(Some(((it.read)(caller)?, it.kind)));
    }
    if uri == LIST {
        let uris: Vec<String> = all(caller)?.into_iter().map(|it| it.uri).collect();
        return Ok(Some((uris.join("\n"), "text/uri-list")));
    }
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned);
    if let Some(id) = uri.strip_prefix(RECORD).and_then(decoded) {
        let records: Vec<Value> = caller.ask("memory.list", json!({ "workspace": caller.workspace }))?;
        let record = records.into_iter().find(|it| it["record"]["id"] == id.as_str());
        return Ok(record.map(|record| (record.to_string(), JSON)));
    }
    if let Some(path) = uri.strip_prefix(SESSIONS).and_then(decoded) {
        let text = of_sessions(caller, Some(&path))?.pop().and_then(|file| file.text);
        return Ok(text.map(|text| (text, MARKDOWN)));
    }
    if let Some(scope) = uri.strip_prefix(WORKING).and_then(decoded) {
        return Ok(Some((caller.call("working.getContext", json!({ "scopeId": scope }))?, JSON)));
    }
    Ok(None)
}
