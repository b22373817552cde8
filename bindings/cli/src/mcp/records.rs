//! The tools for records: what a model remembers and forgets.

use loopmem::{Error, ErrorKind, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::caller::{Answer, Caller, answer};
use crate::abbreviation;
use crate::session::Members;

#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) enum Kind {
    /// How the user wants things done.
    Preference,
    /// A rule that all work in this repository follows.
    Convention,
    /// A choice, with its reason.
    Decision,
    /// A fact in one or two sentences, which comes back when a prompt needs it.
    Fact,
    /// A longer text about this repository, which is always shown.
    Note,
}

impl Kind {
    /// Its name, as in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Preference => "preference",
            Kind::Convention => "convention",
            Kind::Decision => "decision",
            Kind::Fact => "fact",
            Kind::Note => "note",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) enum Reach {
    /// This repository.
    Repo,
    /// All repositories of this user.
    Global,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RememberParams {
    /// What kind of thing it is.
    kind: Kind,
    /// What to remember, so that it can be understood without this conversation. At most 240 characters for a preference or a fact.
    text: String,
    /// A short title (conventions only). Default: the beginning of the text.
    title: Option<String>,
    /// Why. Required for a decision.
    reason: Option<String>,
    /// The files or folders that it is about, relative to the repository (decisions, preferences and facts only).
    files: Option<Vec<String>>,
    /// Tags to find it by (conventions, preferences and facts only).
    tags: Option<Vec<String>>,
    /// Where it applies (preferences and facts only; fixed once stored). Default: this repository.
    scope: Option<Reach>,
    /// The id of the record to replace, or a beginning of it. Default: a new record.
    id: Option<String>,
    /// A folder in the repository. Default: the one that the server was started for.
    workspace: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RememberResult {
    /// The id of the record.
    id: String,
    /// What kind of thing it is.
    kind: Kind,
    /// The text as it was stored: without secrets.
    text: String,
}

pub(super) fn remember(caller: &Caller, params: RememberParams) -> Result<Answer> {
    let RememberParams { kind, text, title, reason, files, tags, scope, id, workspace } = params;
    let workspace = caller.workspace(workspace);
    let refuse = |what: &str, kinds: &str| Err(Error::validation(format!("{what} is only for {kinds}")));
    let is_item = matches!(kind, Kind::Preference | Kind::Fact);
    match () {
        () if title.is_some() && kind != Kind::Convention => return refuse("title", "a convention"),
        () if reason.is_some() && kind != Kind::Decision => return refuse("reason", "a decision"),
        () if scope.is_some() && !is_item => return refuse("scope", "a preference or a fact"),
        () if files.is_some() && !is_item && kind != Kind::Decision => {
            return refuse("files", "a decision, a preference or a fact");
        }
        () if scope.is_some() && id.is_some() => {
            return Err(Error::validation(
                "the scope of a stored record cannot be changed; forget it and remember it anew",
            ));
        }
        () if tags.is_some() && kind == Kind::Decision => {
            return refuse("tags", "a convention, a note, a preference or a fact");
        }
        () => {}
    }
    if text.trim().is_empty() {
        return Err(Error::validation("`text` is empty"));
    }
    let old = match id {
        Some(id) => Some(stored(caller, workspace.as_deref(), &id, |it| it.kind == kind)?),
        None => None,
    };
    let id = old.as_ref().map(|old| old.id.as_str());
    let texts = old.as_ref().and_then(|old| old.texts.as_ref());
    // All of it, since a record of another branch is stored anew for this one.
    let store = |method: &str, name: &str, draft: Value| {
        let mut params = Members::new();
        params.insert("workspace".to_owned(), json!(workspace));
        params.insert(name.to_owned(), draft);
        caller.ask::<Texts>(method, Value::Object(params))
    };
    let texts: Texts = match kind {
        Kind::Convention => {
            let is_chosen = |it: &&Texts| it.title.as_deref() != Some(&*beginning(&it.content));
            let kept = texts.filter(is_chosen).and_then(|it| it.title.clone());
            let title = title.or(kept).unwrap_or_else(|| beginning(&text));
            let tags = tags.or_else(|| texts?.tags.clone());
            let convention = json!({ "id": id, "title": title, "content": text, "tags": tags });
            store("memory.upsertConvention", "convention", convention)?
        }
        Kind::Decision => {
            let reason = reason.or_else(|| texts?.rationale.clone());
            let reason = reason
                .ok_or_else(|| Error::validation("a decision needs its reason: say in `reason` why it was made"))?;
            let files = files.or_else(|| texts?.impacted_paths.clone());
            let decision = json!({ "id": id, "summary": text, "rationale": reason, "impactedPaths": files });
            store("memory.upsertDecision", "decision", decision)?
        }
        Kind::Note => {
            let tags = tags.or_else(|| texts?.tags.clone());
            store("memory.upsertNote", "note", json!({ "id": id, "content": text, "tags": tags }))?
        }
        Kind::Preference | Kind::Fact => {
            let hints = files.map(|files| json!({ "files": files }));
            let stored = match id {
                Some(id) => {
                    let patch = json!({ "content": text, "tags": tags, "relevance_hints": hints });
                    let patch = without_nulls(patch);
                    caller.ask("items.update", json!({ "workspace": workspace, "id": id, "patch": patch }))
                }
                None => {
                    let scope = if scope == Some(Reach::Global) { "global" } else { "repo" };
                    let of_type = if kind == Kind::Preference { "pref" } else { "fact" };
                    let item = json!({
                        "workspace": workspace, "scope": scope, "type": of_type, "content": text, "tags": tags,
                        "relevance_hints": hints,
                    });
                    caller.ask("items.add", item)
                }
            };
            stored.map_err(|error| in_the_words_of_the_tool(&error))?
        }
    };
    let Texts { id, content, .. } = texts;
    let redacted = if content.contains("[REDACTED:") && !text.contains("[REDACTED:") {
        " A secret in it was redacted."
    } else {
        ""
    };
    answer(format!("Stored as {id}.{redacted}"), &RememberResult { id, kind, text: content })
}

/// An error of storing an item, with what a model can do.
fn in_the_words_of_the_tool(error: &Error) -> Error {
    let message = match error.kind() {
        ErrorKind::SecretRefused => "`text` contains a secret: remember it without the secret".to_owned(),
        ErrorKind::Validation if error.message().starts_with("content is") => {
            format!("{}: shorten `text`, or remember it as a note", error.message().replace("content is", "`text` is"))
        }
        _ => error.message().to_owned(),
    };
    Error::new(error.kind(), message)
}

/// The members of an object that have a value.
fn without_nulls(object: Value) -> Value {
    match object {
        Value::Object(members) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ForgetParams {
    /// The id of the record, or a beginning of it that no other has.
    id: String,
    /// Whether a record of the branch from which this one inherits is removed there, for all branches. Default: false.
    inherited: Option<bool>,
    /// A folder in the repository. Default: the one that the server was started for.
    workspace: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ForgetResult {
    /// The id of the record that was removed.
    id: String,
    /// What it said.
    text: String,
}

/// A record of a repository, or an item.
#[derive(Debug, Clone)]
pub(super) struct StoredRecord {
    id: String,
    kind: Kind,
    /// What it says, for people who choose among several.
    text: String,
    /// Its texts, unless it is an item.
    texts: Option<Texts>,
}

/// A record of a repository's memory in a list.
#[derive(Deserialize)]
pub(super) struct ListedRecord {
    pub(super) kind: Kind,
    pub(super) record: Texts,
}

/// An item in a list.
#[derive(Deserialize)]
pub(super) struct ListedItem {
    pub(super) id: String,
    pub(super) r#type: String,
    pub(super) content: String,
}

impl ListedItem {
    /// What a model calls it.
    pub(super) fn kind(&self) -> Kind {
        if matches!(&*self.r#type, "fact" | "note") { Kind::Fact } else { Kind::Preference }
    }
}

/// The record with an id, or the only one whose id begins so, among those that `is_meant`.
pub(super) fn stored(
    caller: &Caller,
    workspace: Option<&str>,
    id: &str,
    is_meant: impl Fn(&StoredRecord) -> bool,
) -> Result<StoredRecord> {
    // As `context` shows it.
    let id = id.trim().trim_start_matches('[').trim_end_matches(']');
    let records: Vec<ListedRecord> = caller.ask("memory.list", json!({ "workspace": workspace }))?;
    let items: Vec<ListedItem> = caller.ask("items.list", json!({ "workspace": workspace }))?;
    let records = records.into_iter().map(|it| StoredRecord {
        kind: it.kind,
        text: it.record.text(),
        id: it.record.id.clone(),
        texts: Some(it.record),
    });
    let items = items.into_iter().map(|it| StoredRecord { kind: it.kind(), text: it.content, id: it.id, texts: None });
    let all: Vec<StoredRecord> = records.chain(items).collect();
    let meant: Vec<StoredRecord> = all.iter().filter(|it| is_meant(it)).cloned().collect();
    let find = |among| -> Result<Option<StoredRecord>> {
        Ok(abbreviation::find(id, among, |it: &StoredRecord| &it.id, |it| beginning(&it.text))?.cloned())
    };
    if id.is_empty() {
        return Err(Error::validation("`id` is empty"));
    }
    if let Some(found) = find(&meant)? {
        return Ok(found);
    }
    Err(match find(&all)? {
        Some(StoredRecord { kind, .. }) => Error::validation(format!("{id} is of another kind: {}", kind.name())),
        None => {
            Error::new(ErrorKind::NotFound, format!("there is no record {id:?}; `context` and `search` show the ids"))
        }
    })
}

pub(super) fn forget(caller: &Caller, params: ForgetParams) -> Result<Answer> {
    let workspace = caller.workspace(params.workspace);
    let StoredRecord { id, kind, text, .. } = stored(caller, workspace.as_deref(), &params.id, |_| true)?;
    let is_item = matches!(kind, Kind::Preference | Kind::Fact);
    let method = if is_item { "items.remove" } else { "memory.remove" };
    let mut asked = json!({ "workspace": workspace, "id": id });
    if params.inherited == Some(true) && !is_item {
        asked["inherited"] = true.into();
    }
    caller.call(method, asked).map_err(|error| match error.kind() {
        ErrorKind::Conflict => {
            let message =
                "the record is that of the branch from which this one inherits; with `inherited` it is removed there";
            Error::new(ErrorKind::Conflict, message)
        }
        _ => error,
    })?;
    let said = format!("Removed {id}: {}. `loopmem undo {id}` brings it back.", beginning(&text));
    answer(said, &ForgetResult { id, text })
}

/// What methods return of a record.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Texts {
    pub(super) id: String,
    pub(super) title: Option<String>,
    #[serde(alias = "summary")]
    pub(super) content: String,
    pub(super) rationale: Option<String>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) impacted_paths: Option<Vec<String>>,
}

impl Texts {
    /// What it says, in one text.
    pub(super) fn text(&self) -> String {
        let parts = [self.title.as_deref(), Some(&*self.content), self.rationale.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
    }
}

/// The beginning of a text as a title.
pub(super) fn beginning(text: &str) -> String {
    const MAX_CHARS: usize = 80;
    let line = text.trim().lines().next().unwrap_or_default();
    let sentence = line.split_once(". ").map_or(line, |(first, _)| first);
    match sentence.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => {
            let short = sentence.get(..end).unwrap_or_default();
            format!("{}…", short.rsplit_once(' ').map_or(short, |(words, _)| words))
        }
        None => sentence.trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn the_beginning_of_a_text_is_a_title() {
        for (text, title) in [
            ("Use tabs. Never spaces.", "Use tabs"),
            ("  Use tabs.\nAlways", "Use tabs"),
            ("Version 1.2 is old", "Version 1.2 is old"),
            ("", ""),
        ] {
            assert_eq!(beginning(text), title);
        }
        let long = "word ".repeat(40);
        assert!(beginning(&long).ends_with("word…") && beginning(&long).chars().count() <= 81);
    }
}
