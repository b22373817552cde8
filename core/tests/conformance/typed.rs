//! The typed API, called as a Rust program calls it. What cannot be said in its types, such as an unknown key, goes to the
//! method table, which must refuse it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use loopmem::archive::Importing;
use loopmem::context::{PackBuilder, Sections};
use loopmem::files::{Files, Sdk};
use loopmem::index::{Kind as SymbolKind, SymbolQuery};
use loopmem::items::{Filter, Import, ItemDraft, ItemPatch, ItemType, OnConflict, RecallQuery, Scope, Status, Trust};
use loopmem::memory::{self, ConventionDraft, DecisionDraft, Kind, Memory, NoteDraft};
use loopmem::methods::{dispatch, read_input};
use loopmem::repo::{Repo, Workspace, sanitize_remote_url};
use loopmem::repos::{Adoption, Forgetting};
use loopmem::safety::Allowance;

use loopmem::summary::{self, Event, Summary};
use loopmem::sync::RunOptions;
use loopmem::testing::disk::Fields;
use loopmem::working::{MemoryEntryDraft, Patch, Query, Range};
use loopmem::{BranchScope, ItemsBackend, RepoHash};
use loopmem::{Error, ErrorKind, Result, Store};
use loopmem_conformance::Face;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use super::Stores;

#[derive(Default)]
pub(super) struct Typed(Stores);

impl Face for Typed {
    fn call(&mut self, options: &str, method: &str, params: &str) -> Result<String, String> {
        let json = |error: Error| error.to_json();
        let store = self.0.open(options).map_err(json)?;
        match call(store, method, params) {
            Some(outcome) => outcome.map_err(json),
            None => match dispatch(store, method, params) {
                Ok(answer) => Err(format!("the typed API cannot say {method} of {params}, which returns {answer}")),
                Err(refused) => Err(refused.to_json()),
            },
        }
    }
}

/// Which repository is meant.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    repo_hash: Option<RepoHash>,
    workspace: Option<String>,
    branch_scope: Option<BranchScope>,
}

impl Target {
    fn workspace(&self) -> Workspace {
        let workspace = self.workspace.as_deref().map_or_else(Workspace::current, Workspace::at);
        workspace.branch_scope(self.branch_scope)
    }
}

/// What of a call's params is left, when everything that was asked for has been taken out.
pub(super) struct Params(Fields);

impl Params {
    fn new(json: &str) -> Option<Self> {
        let json = if json.trim().is_empty() { "{}" } else { json };
        let params: Fields = read_input(json).ok()?;
        let nulls: Vec<_> =
            params.iter().filter(|(_, value)| value.get() == "null").map(|it| it.0.to_owned()).collect();
        let mut params = Params(params);
        params.0.remove_all(&nulls);
        Some(params)
    }

    /// `None` when it is missing or of another type.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        serde_json::from_str(self.0.remove(name)?.get()).ok()
    }

    /// `None` when it is of another type; `Some(None)` when it is missing.
    pub(super) fn maybe<T: DeserializeOwned>(&mut self, name: &str) -> Option<Option<T>> {
        self.0.remove(name).map(|value| serde_json::from_str(value.get())).transpose().ok()
    }

    fn target(&mut self) -> Option<Target> {
        let (repo_hash, workspace) = (self.maybe("repoHash")?, self.maybe("workspace")?);
        let branch_scope = self.maybe("branchScope")?;
        let both = repo_hash.is_some() && (workspace.is_some() || branch_scope.is_some());
        let target = Target { repo_hash, workspace, branch_scope };
        (!both).then_some(target)
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Option<()> {
        self.0.iter().next().is_none().then_some(())
    }
}

/// The repository that is meant, or the end of the call.
fn repo(store: &Store, target: &Target, method: &str) -> Result<Repo> {
    match &target.repo_hash {
        Some(hash) => Ok(store.repo_at(hash)),
        // A step of its own, which fails by a name of its own.
        None => store.repo(target.workspace()).map_err(|error| renamed(error, method)),
    }
}

fn renamed(error: Error, method: &str) -> Error {
    assert_eq!(error.operation(), Some("repo.identify"), "{error}");
    let named = Error::new(error.kind(), error.message()).in_operation(method);
    error.path().into_iter().fold(named, Error::at)
}

pub(super) fn encoded(result: impl Serialize) -> Result<String> {
    serde_json::to_string(&result).map_err(|fault| Error::validation(fault.to_string()))
}

/// `None` for what the types of the API cannot say.
fn call(store: &Store, method: &str, params: &str) -> Option<Result<String>> {
    // It is about calls of the table.
    if method == "safety.preview" {
        return Some(dispatch(store, method, params));
    }
    let (room, _) = method.split_once('.')?;
    // A value may be null, which is not a missing one.
    if room == "adapter" {
        return adapter(store, method, Params(read_input(params).ok()?));
    }
    let mut params = Params::new(params)?;
    match room {
        "working" => working(store, method, params),
        "repo" | "sync" => repos(store, method, params),
        "items" => items(store, method, params),
        "files" => files(store, method, params),
        "undo" => {
            let undo = store.undo();
            if method == "undo.restore" {
                let id: String = params.take("id")?;
                params.end()?;
                return Some(undo.restore(&id).and_then(encoded));
            }
            let target = params.target()?;
            params.end()?;
            Some(repo(store, &target, method).and_then(|repo| undo.list(&repo)).and_then(encoded))
        }
        "archive" => archive(store, method, params),
        "status" => {
            let target = params.target()?;
            params.end()?;
            Some(repo(store, &target, method).and_then(|repo| store.status().get(&repo)).and_then(encoded))
        }
        "search" => {
            let target = params.target()?;
            let query: String = params.take("query")?;
            let filter = loopmem::search::Filter::default()
                .all(params.maybe("all")? == Some(true))
                .whole(params.maybe("whole")? == Some(true))
                .records_only(params.maybe("recordsOnly")? == Some(true))
                .rooms(params.maybe::<Vec<String>>("rooms")?.unwrap_or_default())
                .kinds(params.maybe::<Vec<String>>("kinds")?.unwrap_or_default())
                .since(params.maybe::<String>("since")?)
                .limit(params.maybe::<usize>("limit")?);
            params.end()?;
            Some(
                repo(store, &target, method)
                    .and_then(|repo| store.search().find(&repo, &query, &filter))
                    .and_then(encoded),
            )
        }
        "index" => index(store, method, params),
        "branch" => super::branch::call(store, method, params),
        "rollouts" => super::rollouts::call(store, method, params),
        "safety" => {
            if method == "safety.rules" {
                return params.end().map(|()| store.safety().rules().and_then(encoded));
            }
            if method == "safety.allowances" {
                return params.end().map(|()| store.safety().allowances().and_then(encoded));
            }
            if method == "safety.allow" {
                let mut maybe = |key| params.maybe::<String>(key);
                let (name, rule, field, tag) = (maybe("name")?, maybe("rule")?, maybe("field")?, maybe("tag")?);
                let reason = params.take("reason")?;
                params.end()?;
                let allowance = Allowance { name, rule, field, tag, reason };
                return Some(store.safety().allow(&allowance).and_then(encoded));
            }
            let (text, patterns) = (params.take::<String>("text")?, params.maybe::<Vec<String>>("patterns")?);
            params.end()?;
            let safety = store.safety().patterns(patterns.unwrap_or_default());
            Some(match method {
                "safety.scan" => safety.scan(&text).and_then(encoded),
                _ => safety.redact(&text).and_then(encoded),
            })
        }
        "doctor" => {
            let fix = params.maybe("fix")?.unwrap_or(false);
            params.end()?;
            let doctor = store.doctor();
            Some(if fix { doctor.fix() } else { doctor.check() }.and_then(encoded))
        }
        _ => of_repo(store, method, params),
    }
}

fn archive(store: &Store, method: &str, mut params: Params) -> Option<Result<String>> {
    let (archives, path) = (store.archives(), PathBuf::from(params.take::<String>("path")?));
    match method {
        "archive.export" => {
            let (all, hashes) = (params.maybe::<bool>("all")?, params.maybe::<Vec<RepoHash>>("repoHashes")?);
            let target = params.target()?;
            params.end()?;
            Some(match (all.unwrap_or_default(), hashes, &target.workspace) {
                (true, None, None) => archives.export(&path).and_then(encoded),
                (false, Some(hashes), None) => archives.export_repos(&path, &hashes).and_then(encoded),
                (false, None, _) => {
                    let repo = repo(store, &target, method);
                    repo.and_then(|repo| archives.export_repo(&path, &repo)).and_then(encoded)
                }
                _ => return None,
            })
        }
        "archive.import" => {
            let map = params.maybe::<BTreeMap<String, String>>("pathMap")?.unwrap_or_default();
            let dry_run = params.maybe("dryRun")?.unwrap_or(false);
            params.end()?;
            let importing = Importing::default().dry_run(dry_run);
            let importing = map.into_iter().fold(importing, |importing, (old, new)| importing.map(old, new));
            Some(archives.import(&path, &importing).and_then(encoded))
        }
        _ => None,
    }
}

fn index(store: &Store, method: &str, mut params: Params) -> Option<Result<String>> {
    let workspace = params.maybe::<String>("workspace")?;
    let target = Target { repo_hash: None, workspace, branch_scope: None };
    let of = |body: &dyn Fn(&Repo) -> Result<String>| Some(repo(store, &target, method).and_then(|repo| body(&repo)));
    match method {
        "index.refresh" => {
            params.end()?;
            of(&|repo| repo.index().refresh().and_then(encoded))
        }
        "index.map" => {
            let (max_chars, prompt) = (params.take::<u32>("maxChars")? as usize, params.maybe::<String>("prompt")?);
            let focus = params.maybe::<Vec<String>>("focusFiles")?.unwrap_or_default();
            params.end()?;
            of(&|repo| repo.index().map(max_chars, prompt.as_deref(), &focus).and_then(encoded))
        }
        "index.symbols" => {
            let query = SymbolQuery::new().query(params.maybe::<String>("query")?);
            let query = query.path(params.maybe::<String>("path")?).kind(params.maybe::<SymbolKind>("kind")?);
            let query = query.limit(params.maybe::<u32>("limit")?.map(|limit| limit as usize));
            params.end()?;
            of(&|repo| repo.index().symbols(&query).and_then(encoded))
        }
        _ => None,
    }
}

fn of_repo(store: &Store, method: &str, mut params: Params) -> Option<Result<String>> {
    let target = params.target()?;
    let of = |body: &dyn Fn(&Repo) -> Result<String>| Some(repo(store, &target, method).and_then(|repo| body(&repo)));
    match method {
        "memory.get" => {
            params.end()?;
            of(&|repo| {
                let memory = repo.memory().get()?;
                let (summaries, skipped) = repo.summaries().list_counting(summary::Filter::default())?;
                let mut all = json!({
                    "conventions": memory.conventions()?, "decisions": memory.decisions()?, "notes": memory.notes()?,
                    "summaries": summaries,
                });
                if skipped > 0 {
                    all["skippedSummaries"] = skipped.into();
                }
                encoded(all)
            })
        }
        "memory.upsertConvention" => {
            let (draft, is_inherited): (ConventionDraft, _) = (params.take("convention")?, params.maybe("inherited")?);
            params.end()?;
            of(&|repo| memory_of(repo, is_inherited)?.upsert(draft.clone()).and_then(encoded))
        }
        "memory.upsertDecision" => {
            let (draft, is_inherited): (DecisionDraft, _) = (params.take("decision")?, params.maybe("inherited")?);
            params.end()?;
            of(&|repo| memory_of(repo, is_inherited)?.upsert(draft.clone()).and_then(encoded))
        }
        "memory.upsertNote" => {
            let (draft, is_inherited): (NoteDraft, _) = (params.take("note")?, params.maybe("inherited")?);
            params.end()?;
            of(&|repo| memory_of(repo, is_inherited)?.upsert(draft.clone()).and_then(encoded))
        }
        "memory.list" => {
            let kind: Option<Kind> = params.maybe("kind")?;
            let (tag, path): (Option<String>, Option<String>) = (params.maybe("tag")?, params.maybe("path")?);
            let (text, query): (Option<String>, Option<String>) = (params.maybe("text")?, params.maybe("query")?);
            let limit = params.maybe::<u32>("limit")?.map(|limit| limit as usize);
            params.end()?;
            let filter = memory::Filter::all().kind(kind).tag(tag.as_deref()).path(path.as_deref());
            let filter = filter.text(text.as_deref()).query(query.as_deref()).limit(limit);
            of(&|repo| encoded(repo.memory().list(filter)?))
        }
        "memory.remove" => {
            let (id, is_inherited): (String, _) = (params.take("id")?, params.maybe("inherited")?);
            let is_purge = params.maybe("purge")?.unwrap_or(false);
            params.end()?;
            of(&|repo| match memory_of(repo, is_inherited) {
                Err(error) if error.kind() == ErrorKind::NotFound => encoded(json!({"removed": false})),
                memory if is_purge => encoded(json!({"removed": memory?.purge(&id)?})),
                memory => encoded(json!({"removed": memory?.remove(&id)?})),
            })
        }
        "summary.append" => {
            let (run, step): (String, String) = (params.take("runId")?, params.take("stepId")?);
            let (text, tags): (String, Option<Vec<String>>) = (params.take("summary")?, params.maybe("tags")?);
            params.end()?;
            let tags = tags.unwrap_or_default();
            of(&|repo| repo.summaries().append(Summary::draft(&run, &step, &text).tags(tags.clone())).and_then(encoded))
        }
        "summary.endStep" => {
            let (run, step): (String, String) = (params.take("runId")?, params.take("stepId")?);
            let (events, tags): (Vec<Event>, Option<Vec<String>>) = (params.take("events")?, params.maybe("tags")?);
            params.end()?;
            let tags: Vec<&str> = tags.iter().flatten().map(String::as_str).collect();
            of(&|repo| repo.summaries().end_step(&run, &step, &events, &tags).and_then(encoded))
        }
        "summary.list" => {
            let (run, tag): (Option<String>, Option<String>) = (params.maybe("runId")?, params.maybe("tag")?);
            let query: Option<String> = params.maybe("query")?;
            let limit = params.maybe::<u32>("limit")?.map(|limit| limit as usize);
            params.end()?;
            let filter = summary::Filter::all().run(run.as_deref()).tag(tag.as_deref());
            let filter = filter.query(query.as_deref()).limit(limit);
            of(&|repo| repo.summaries().list(filter).and_then(encoded))
        }
        "summary.remove" => {
            let (run, step): (Option<String>, Option<String>) = (params.maybe("runId")?, params.maybe("stepId")?);
            let (before, is_purge): (Option<String>, _) = (params.maybe("before")?, params.maybe("purge")?);
            let id: Option<String> = params.maybe("id")?;
            params.end()?;
            let which = summary::Which::default()
                .id(id.as_deref())
                .run(run.as_deref())
                .step(step.as_deref())
                .before(before.as_deref());
            of(&|repo| {
                let (summaries, is_purge) = (repo.summaries(), is_purge.unwrap_or(false));
                let count = if is_purge { summaries.purge(which) } else { summaries.remove(which) }?;
                encoded(json!({"removed": count > 0, "count": count}))
            })
        }
        "context.build" => {
            let most = params.take::<u32>("maxChars")? as usize;
            let (prompt, scope): (Option<String>, Option<String>) = (params.maybe("prompt")?, params.maybe("scopeId")?);
            let sections: Option<Sections> = params.maybe("sections")?;
            let files: Vec<String> = params.maybe("focusFiles")?.unwrap_or_default();
            let is_temporary = params.maybe("temporary")?.unwrap_or(false);
            let embedding: Option<Vec<f32>> = params.maybe("embedding")?;
            params.end()?;
            of(&|repo| {
                let mut context = repo.context(most).focus_files(files.clone());
                if let Some(sections) = &sections {
                    context = context.sections(sections.clone());
                }
                context = prompt.iter().fold(context, PackBuilder::prompt);
                context = scope.iter().fold(context, |context, id| context.scope(store.working().scope(id)));
                context = embedding.iter().cloned().fold(context, PackBuilder::embedding);
                context.temporary(is_temporary).build().and_then(encoded)
            })
        }
        _ => None,
    }
}

fn memory_of(repo: &Repo, is_inherited: Option<bool>) -> Result<Memory> {
    if is_inherited == Some(true) { repo.memory().inherited() } else { Ok(repo.memory()) }
}

fn files(store: &Store, method: &str, mut params: Params) -> Option<Result<String>> {
    let (is_global, sdk) = (params.maybe("global")? == Some(true), params.maybe::<Sdk>("sdk")?.unwrap_or_default());
    let target = params.target()?;
    if is_global && (target.repo_hash.is_some() || target.workspace.is_some() || target.branch_scope.is_some()) {
        return None;
    }
    let of = |body: &dyn Fn(&Files) -> Result<String>| {
        let files = if is_global { Ok(store.files()) } else { repo(store, &target, method).map(|repo| repo.files()) };
        Some(files.and_then(|files| body(&files.sdk(sdk))))
    };
    let said = |text: String| encoded(json!({ "text": text }));
    match method {
        "files.view" => {
            let (path, range) = (params.take::<String>("path")?, params.maybe::<Vec<i64>>("viewRange")?);
            params.end()?;
            let range = range.map(<[i64; 2]>::try_from).transpose().ok()?;
            of(&|files| files.view(&path, range).and_then(said))
        }
        "files.create" => {
            let (path, text) = (params.take::<String>("path")?, params.take::<String>("fileText")?);
            params.end()?;
            of(&|files| files.create(&path, &text).and_then(said))
        }
        "files.replace" => {
            let (path, old) = (params.take::<String>("path")?, params.take::<String>("oldStr")?);
            let new = params.maybe::<String>("newStr")?.unwrap_or_default();
            params.end()?;
            of(&|files| files.replace(&path, &old, &new).and_then(said))
        }
        "files.insert" => {
            let (path, line) = (params.take::<String>("path")?, params.take::<i64>("insertLine")?);
            let text = params.take::<String>("insertText")?;
            params.end()?;
            of(&|files| files.insert(&path, line, &text).and_then(said))
        }
        "files.remove" => {
            let (path, is_purge) = (params.take::<String>("path")?, params.maybe("purge")?.unwrap_or(false));
            params.end()?;
            of(&|files| if is_purge { files.purge(&path) } else { files.remove(&path) }.and_then(said))
        }
        "files.rename" => {
            let (old, new) = (params.take::<String>("oldPath")?, params.take::<String>("newPath")?);
            params.end()?;
            of(&|files| files.rename(&old, &new).and_then(said))
        }
        "files.list" => {
            let path = params.maybe::<String>("path")?;
            params.end()?;
            of(&|files| files.list(path.as_deref()).and_then(encoded))
        }
        _ => None,
    }
}

fn items(store: &Store, method: &str, mut params: Params) -> Option<Result<String>> {
    let (workspace, dir) = (params.maybe::<String>("workspace")?, params.maybe::<PathBuf>("dir")?);
    let items = store.items(workspace.map_or_else(Workspace::current, Workspace::at)).in_dir(dir);
    let id = params.take::<String>("id");
    let answer = match (method, id) {
        ("items.add", None) => {
            let scope = params.maybe("scope")?.or_else(|| items.default_scope().ok())?;
            let item_type = params.maybe("type")?.unwrap_or(ItemType::Note);
            let content: String = params.take("content")?;
            let mut draft = ItemDraft::new(scope, item_type, content).force(params.maybe("force")?.unwrap_or(false));
            draft = params.maybe::<Vec<String>>("tags")?.into_iter().fold(draft, ItemDraft::tags);
            draft = params.maybe("relevance_hints")?.into_iter().fold(draft, ItemDraft::relevance_hints);
            draft = params.maybe::<String>("expiry")?.into_iter().fold(draft, ItemDraft::expiry);
            draft = params.maybe::<Vec<f32>>("embedding")?.into_iter().fold(draft, ItemDraft::embedding);
            params.end()?;
            items.add(draft).and_then(encoded)
        }
        ("items.list", None) => {
            let filter = Filter::all().scope(params.maybe::<Scope>("scope")?).status(params.maybe::<Status>("status")?);
            let filter = filter.item_type(params.maybe::<ItemType>("type")?).tag(params.maybe::<String>("tag")?);
            let filter = filter.text(params.maybe::<String>("text")?);
            params.end()?;
            items.list(&filter).and_then(encoded)
        }
        ("items.remove", id) => {
            let filter = Filter::all().scope(params.maybe::<Scope>("scope")?).status(params.maybe::<Status>("status")?);
            let filter = filter.item_type(params.maybe::<ItemType>("type")?).tag(params.maybe::<String>("tag")?);
            let filter = filter.text(params.maybe::<String>("text")?);
            let (is_dry_run, is_purge) =
                (params.maybe("dryRun")?.unwrap_or(false), params.maybe("purge")?.unwrap_or(false));
            params.end()?;
            let is_filter = filter.scope.is_some() || filter.item_type.is_some() || filter.tag.is_some();
            let one = |done: Result<bool>| done.map(usize::from);
            let count = match &id {
                Some(_) if is_filter => return None,
                Some(id) if is_dry_run => items.get(id).map(|_| 1),
                Some(id) => one(if is_purge { items.purge(id) } else { items.remove(id) }),
                None if is_dry_run => items.count_matching(&filter),
                None if is_purge => items.purge_matching(&filter),
                None => items.remove_matching(&filter),
            };
            count.and_then(|count| encoded(json!({"removed": count > 0 && !is_dry_run, "count": count})))
        }
        ("items.update", Some(id)) => {
            let patch: ItemPatch = params.take("patch")?;
            let is_forced = params.maybe("force")?.unwrap_or(false);
            params.end()?;
            items.update(&id, patch.force(is_forced)).and_then(encoded)
        }
        ("items.recall", None) => {
            let prompt: String = params.take("prompt")?;
            let limit = params.maybe::<u32>("limit")?.map(|limit| limit as usize);
            let max_chars = params.maybe::<u32>("maxChars")?.map(|most| most as usize);
            let query = RecallQuery::new(prompt).files(params.maybe::<Vec<String>>("files")?.unwrap_or_default());
            let query = query.limit(limit).max_chars(max_chars).temporary(params.maybe("temporary")?.unwrap_or(false));
            let query = query.embedding(params.maybe::<Vec<f32>>("embedding")?).min_score(params.maybe("minScore")?);
            let query = query.preview(params.maybe("preview")?.unwrap_or(false));
            params.end()?;
            items.recall(&query).and_then(encoded)
        }
        ("items.export", None) => {
            let (scope, path) = (params.maybe::<Scope>("scope")?, params.maybe::<PathBuf>("path")?);
            params.end()?;
            let filter = Filter::all().scope(scope);
            match path {
                Some(path) => items.export_to(&filter, &path).and_then(|count| encoded(json!({"count": count}))),
                None => items.export(&filter).and_then(|items| encoded(json!({"count": items.len(), "items": items}))),
            }
        }
        ("items.import", None) => {
            let (path, sources) = (params.maybe::<PathBuf>("path")?, params.maybe::<Vec<Fields>>("items")?);
            let import =
                Import::new().scope(params.maybe::<Scope>("scope")?).force(params.maybe("force")?.unwrap_or(false));
            let import = import.on_conflict(params.maybe::<OnConflict>("onConflict")?.unwrap_or_default());
            params.end()?;
            match (path, sources) {
                (Some(path), None) => items.import_from(&import, &path).and_then(encoded),
                (None, Some(sources)) => items.import(&import, &sources).and_then(encoded),
                _ => return None,
            }
        }
        ("items.migrate", None) => {
            let to: ItemsBackend = params.take("to")?;
            params.end()?;
            items.migrate(to).and_then(encoded)
        }
        ("items.migrateLegacy", None) => {
            params.end()?;
            items.migrate_legacy().and_then(encoded)
        }
        ("items.used", None) => {
            let ids: Vec<String> = params.take("ids")?;
            params.end()?;
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            items.used(&ids).and_then(|counted| encoded(json!({"counted": counted})))
        }
        ("items.trust", None) => {
            let how = match (params.maybe("dryRun")?, params.maybe("revoke")?) {
                (Some(true), _) => Trust::Preview,
                (_, Some(true)) => Trust::AddedHere,
                _ => Trust::Folder,
            };
            params.end()?;
            items.trust(how).and_then(encoded)
        }
        (_, Some(id)) => {
            params.end()?;
            match method {
                "items.get" => items.get(&id).and_then(encoded),
                "items.archive" => items.archive(&id).and_then(encoded),
                "items.restore" => items.restore(&id).and_then(encoded),
                _ => return None,
            }
        }
        (_, None) => {
            params.end()?;
            match method {
                "items.sweep" => items.sweep().and_then(encoded),
                "items.stats" => items.stats().and_then(encoded),
                _ => return None,
            }
        }
    };
    Some(answer)
}

fn working(store: &Store, method: &str, mut params: Params) -> Option<Result<String>> {
    let working = store.working();
    if method == "working.listScopes" {
        return params.end().map(|()| working.list_scopes().and_then(encoded));
    }
    if let Some(job) = params.take::<String>("jobId") {
        let timestamp: Option<u64> = params.maybe("timestamp")?;
        params.end()?;
        return Some(match (method, timestamp) {
            ("working.saveCheckpoint", None) => {
                working.save_checkpoint(&job).and_then(|timestamp| encoded(json!({"timestamp": timestamp})))
            }
            ("working.listCheckpoints", None) => working.list_checkpoints(&job).and_then(encoded),
            ("working.restoreCheckpoint", Some(timestamp)) => {
                working.restore_checkpoint(&job, timestamp).and_then(encoded)
            }
            ("working.deleteCheckpoint", Some(timestamp)) => {
                working.delete_checkpoint(&job, timestamp).and_then(|removed| encoded(json!({"removed": removed})))
            }
            _ => return None,
        });
    }
    let scope: String = params.take("scopeId")?;
    match method {
        "working.getContext" => params.end().map(|()| working.get_context(&scope).and_then(encoded)),
        "working.updateContext" => {
            let (set, remove): (Option<Fields>, Option<Vec<String>>) =
                (params.maybe("patch")?, params.maybe("remove")?);
            let (increment, append): (Option<Fields>, Option<Fields>) =
                (params.maybe("increment")?, params.maybe("append")?);
            let expected: Option<Fields> = params.maybe("expect")?;
            // Nothing is no change.
            let is_change = set.is_some() || remove.is_some() || increment.is_some() || append.is_some();
            let patch = is_change.then(|| Patch::from(set.unwrap_or_default()))?.remove(remove.unwrap_or_default());
            let mut patch = patch.depending_on(
                increment.unwrap_or_default(),
                append.unwrap_or_default(),
                expected.unwrap_or_default(),
            );
            patch = params.maybe::<String>("source")?.into_iter().fold(patch, Patch::source);
            params.end()?;
            Some(working.update_context(&scope, patch).and_then(encoded))
        }
        "working.addLog" => {
            let draft: MemoryEntryDraft = params.take("entry")?;
            params.end()?;
            Some(working.add_log(&scope, draft).and_then(encoded))
        }
        "working.getLogs" => {
            let limit = params.maybe::<u32>("limit")?.map(|limit| limit as usize);
            let after: Option<String> = params.maybe("after")?;
            params.end()?;
            Some(working.get_logs(&scope, Range::all().limit(limit).after(after.as_deref())).and_then(encoded))
        }
        "working.searchLogs" => {
            let (vector, text): (Option<Vec<f32>>, Option<String>) =
                (params.maybe("embedding")?, params.maybe("text")?);
            let limit = params.maybe::<u32>("limit")?.map(|limit| limit as usize);
            params.end()?;
            let query = match (&vector, &text) {
                (Some(vector), None) => Query::Embedding(vector),
                (None, Some(text)) => Query::Text(text),
                _ => return None,
            };
            Some(working.search_logs(&scope, query, limit).and_then(|found| {
                encoded(found.iter().map(|it| json!({"entry": it.entry, "score": it.score})).collect::<Vec<_>>())
            }))
        }
        "working.history" => {
            let limit = params.maybe::<u32>("limit")?.map(|limit| limit as usize);
            params.end()?;
            Some(working.history(&scope, limit).and_then(encoded))
        }
        "working.deleteScope" => {
            let is_purge = params.maybe("purge")?.unwrap_or(false);
            params.end()?;
            let removed = if is_purge { working.purge_scope(&scope) } else { working.delete_scope(&scope) };
            Some(removed.and_then(|removed| encoded(json!({"removed": removed}))))
        }
        _ => None,
    }
}

fn adapter(store: &Store, method: &str, mut params: Params) -> Option<Result<String>> {
    let adapter = store.adapter();
    let key: String = params.take("key")?;
    let (value, item): (Option<Box<RawValue>>, Option<Box<RawValue>>) = (params.maybe("value")?, params.maybe("item")?);
    params.end()?;
    Some(match (method, value, item) {
        ("adapter.get", None, None) => adapter.get(&key).and_then(|value| encoded(json!({ "value": value }))),
        ("adapter.set", Some(value), None) => {
            adapter.set(&key, &value).and_then(|value| encoded(json!({ "value": value })))
        }
        ("adapter.del", None, None) => adapter.del(&key).and_then(|removed| encoded(json!({ "removed": removed }))),
        ("adapter.push", None, Some(item)) => {
            adapter.push(&key, &item).and_then(|value| encoded(json!({ "value": value })))
        }
        ("adapter.getList", None, None) => adapter.get_list(&key).and_then(encoded),
        _ => return None,
    })
}

fn repos(store: &Store, method: &str, mut params: Params) -> Option<Result<String>> {
    match method {
        "repo.identify" => {
            let (target, branch) = (params.target()?, params.maybe::<String>("branch")?);
            params.end()?;
            let workspace = branch.into_iter().fold(target.workspace(), Workspace::branch);
            Some(store.repos().identify(workspace).and_then(encoded))
        }
        "repo.sanitizeRemoteUrl" => {
            let url = params.take::<String>("url")?;
            params.end()?;
            Some(sanitize_remote_url(&url).and_then(|url| encoded(json!({"url": url}))))
        }
        "repo.forget" => {
            let target = params.target()?;
            let mut is = |key| Some(params.maybe::<bool>(key)?.unwrap_or(false));
            let forgetting = Forgetting::default().all(is("all")?).purge(is("purge")?).dry_run(is("dryRun")?);
            params.end()?;
            let forget = |repo: Repo| store.repos().forget(&repo, forgetting).and_then(encoded);
            Some(repo(store, &target, method).and_then(forget))
        }
        "repo.list" => params.end().map(|()| store.repos().list().and_then(encoded)),
        "repo.adopt" => {
            let (target, from) = (params.target()?, params.maybe::<String>("from")?);
            let (dry_run, ignore) = (params.maybe("dryRun")?.unwrap_or(false), params.maybe::<bool>("ignore")?);
            params.end()?;
            let target_is_folder = target.repo_hash.is_none();
            let adopted = store.repo(target.workspace()).and_then(|repo| match (&from, ignore.unwrap_or(false)) {
                (None, _) => repo.relatives().map(Adoption::listing),
                (Some(from), true) => repo.decline(from),
                (Some(from), false) => repo.adopt(from, dry_run),
            });
            let is_typed = target_is_folder && (from.is_some() || ignore.is_none());
            is_typed.then(|| adopted.and_then(encoded))
        }
        "sync.run" => {
            let (target, on) = (params.target()?, params.maybe::<bool>("on")?);
            let options = RunOptions::default().on(on).global_items(params.maybe::<bool>("globalItems")?);
            let options = options.dry_run(params.maybe("dryRun")?.unwrap_or(false));
            params.end()?;
            let run = |repo: Repo| repo.sync().run(options).and_then(encoded);
            target.repo_hash.is_none().then(|| store.repo(target.workspace()).and_then(run))
        }
        "sync.status" => {
            let target = params.target()?;
            params.end()?;
            let status = |repo: Repo| repo.sync().status().and_then(encoded);
            target.repo_hash.is_none().then(|| store.repo(target.workspace()).and_then(status))
        }
        "repo.move" => {
            let (old, new) = (params.take::<String>("oldPath")?, params.maybe::<String>("newPath")?);
            let dry_run = params.maybe("dryRun")?.unwrap_or(false);
            params.end()?;
            let new = new.as_deref().map(std::path::Path::new);
            Some(store.repos().move_folder(std::path::Path::new(&old), new, dry_run).and_then(encoded))
        }
        "repo.migrate" => {
            let (from, to): (RepoHash, RepoHash) = (params.take("fromRepoHash")?, params.take("toRepoHash")?);
            let dry_run = params.maybe("dryRun")?.unwrap_or(false);
            params.end()?;
            let repos = store.repos();
            Some(
                if dry_run { repos.preview_migration(&from, &to) } else { repos.migrate(&from, &to) }.and_then(encoded),
            )
        }
        _ => None,
    }
}
