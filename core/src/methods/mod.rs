//! The method table: the only interface between the core and the bindings.
//!
//! An operation is one `Method`, one [`MethodEntry`] in its room's group, and its conformance cases; the typed API of
//! every language is generated from the table. Params and results are JSON in UTF-8. Unknown keys are rejected; null
//! and absent mean the same.

mod adapter;
#[cfg(feature = "archive")]
mod archive;
#[cfg(feature = "branch")]
mod branch;
mod context;
mod describe;
mod doctor;
mod files;
mod index;
mod items;
mod lend;
mod memory;
mod refusal;
mod repo;
#[cfg(feature = "rollouts")]
mod rollouts;
mod safety;
mod search;
mod status;
mod submit;
mod summary;
#[cfg(feature = "branch")]
mod sync;
mod undo;
mod working;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use crate::guard::guard;
pub use crate::host::{HostCall, HostFunction, HostObject};
pub use crate::logger::{Event, Level, Logger};
pub use adapter::StoredValue;
pub use describe::{Description, Field, MethodDescription, RoomDescription, Struct, Type, Union, describe};
pub use files::FileAnswer;
pub use items::UsedItems;
pub use lend::lend;
pub use refusal::{refusal, refused, scrub};
#[cfg(feature = "rollouts")]
pub use rollouts::RecordedUsage;
pub use submit::{spawn, submit};
pub use working::Checkpoint;

use crate::disk::Ticket;
use crate::error::{Error, Result};
use crate::home::{BranchScope, RepoHash};
pub use crate::home::{TOO_DEEP, read_input};
use crate::redactions::Redaction;
pub use crate::redactions::Redactions;
use crate::repo::{Repo, Workspace};
use crate::safety::Redactor;
pub use crate::store::Host;
use crate::store::Store;
pub use crate::warm::JsonText;

/// One operation, implemented by its params, whose doc comment documents the operation in every language.
trait Method: DeserializeOwned + JsonSchema {
    /// Its name in every language: `room.verb`.
    const NAME: &'static str;
    /// Its result.
    type Output: Serialize + JsonSchema;
    /// Whether it takes no lock. Calls that take locks do so in the order in which they were submitted; others do not
    /// wait, but for the first secret of a home, which creates its key for the tags of secrets.
    const LOCK_FREE: bool = false;
    /// Whether it changes what is stored.
    const WRITES: bool = false;
    /// Whether it stores what the caller passes, which is redacted first.
    const REDACTS: bool = false;

    /// Runs it.
    fn run(self, store: &Store) -> Result<Self::Output>;

    /// Runs it and returns the result as JSON. A method whose result is often read unchanged overrides this to keep the
    /// text.
    fn answer(self, store: &Store) -> Result<JsonText> {
        self.run(store).and_then(|output| to_json(&output)).map(JsonText::from)
    }
}

fn to_json(output: &impl Serialize) -> Result<String> {
    serde_json::to_string(output)
        .map_err(|cause| Error::internal("the result cannot be written as JSON").because(cause))
}

/// Whether something was removed.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Removed {
    /// False if there was nothing to remove.
    pub removed: bool,
}

/// How many records were removed.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RemovedRecords {
    /// False if there was nothing to remove, and in a dry run.
    pub removed: bool,
    /// How many records were removed or, in a dry run, would be.
    pub count: usize,
}

impl RemovedRecords {
    fn of(count: usize, is_dry_run: bool) -> Self {
        RemovedRecords { removed: count > 0 && !is_dry_run, count }
    }
}

/// Every group of methods, in the order of the documentation. A new group is one line here.
pub static TABLE: &[MethodGroup] = &[
    repo::GROUP,
    memory::GROUP,
    summary::GROUP,
    context::GROUP,
    search::GROUP,
    status::GROUP,
    working::GROUP,
    adapter::GROUP,
    items::GROUP,
    files::GROUP,
    #[cfg(feature = "rollouts")]
    rollouts::GROUP,
    #[cfg(feature = "branch")]
    branch::GROUP,
    undo::GROUP,
    #[cfg(feature = "branch")]
    sync::GROUP,
    #[cfg(feature = "archive")]
    archive::GROUP,
    index::GROUP,
    safety::GROUP,
    doctor::GROUP,
];

/// The methods of one room.
#[derive(Debug, Clone, Copy)]
pub struct MethodGroup {
    /// The name of the room: `memory`.
    pub name: &'static str,
    /// A short description for the help of the command line.
    pub about: &'static str,
    /// Its methods, in the order of the documentation.
    pub entries: &'static [MethodEntry],
}

/// Every method, in the order of the documentation.
pub fn entries() -> impl Iterator<Item = &'static MethodEntry> {
    TABLE.iter().flat_map(|group| group.entries)
}

/// A method with its types erased.
#[derive(Debug, Clone, Copy)]
pub struct MethodEntry {
    /// `room.verb`.
    pub name: &'static str,
    params: fn(&mut SchemaGenerator) -> Schema,
    output: fn(&mut SchemaGenerator) -> Schema,
    locks: bool,
    writes: bool,
    redacts: bool,
    run: fn(&Store, &str) -> Result<JsonText>,
}

impl MethodEntry {
    const fn of<M: Method>() -> Self {
        MethodEntry {
            name: M::NAME,
            // Inlined at the top level: params belong to one method only.
            params: |generator| M::json_schema(generator),
            output: |generator| generator.subschema_for::<M::Output>(),
            locks: !M::LOCK_FREE,
            writes: M::WRITES,
            redacts: M::REDACTS,
            run: |store, params| read_input::<M>(params)?.answer(store),
        }
    }
}

/// The entries of these methods, in the order of the documentation.
macro_rules! methods {
    ($($method:ident),*) => { &[$(super::MethodEntry::of::<$method>()),*] };
}
use methods;

/// Calls `method` with `params` (a JSON object; the empty string means `{}`) and returns its result as JSON.
///
/// A panic is returned as an error of kind `Internal`, and no text of an error contains a secret.
///
/// ```
/// use loopmem::methods::dispatch;
/// use loopmem::{Options, Store};
///
/// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
/// let store = Store::open(Options::at(folder.path()))?;
/// let url = dispatch(&store, "repo.sanitizeRemoteUrl", r#"{"url": "git@github.com:o/r.git"}"#)?;
/// assert_eq!(url, r#"{"url":"ssh://github.com/o/r"}"#);
/// # Ok::<(), loopmem::Error>(())
/// ```
///
/// # Errors
/// `ValidationError` for an unknown method or invalid params; the method's own errors; `Internal`.
pub fn dispatch(store: &Store, method: &str, params: &str) -> Result<String> {
    answer(store, method, params).map(JsonText::into_string)
}

/// As [`dispatch`]; a text that is kept for others is shared with them.
///
/// # Errors
/// As [`dispatch`].
pub fn answer(store: &Store, method: &str, params: &str) -> Result<JsonText> {
    run(store, method, params, None)
}

/// Runs a call, with the `ticket` that it took when it was submitted, if any.
fn run(store: &Store, method: &str, params: &str, ticket: Option<Ticket>) -> Result<JsonText> {
    let entry = entry(method);
    store.call(entry.map_or("call", |entry| entry.name), ticket, |store| {
        let Some(entry) = entry else { return Err(unknown(store.redactor(), method)) };
        let params = if params.trim_start().is_empty() { "{}" } else { params };
        (entry.run)(store, params)
    })
}

/// What was collected in `list`, which is emptied, as a JSON list; `None` if it is empty.
pub fn redactions_as_json(list: &Redactions) -> Option<String> {
    let redactions = list.take();
    if redactions.is_empty() { None } else { to_json(&redactions).ok() }
}

/// What a call of `method` would redact; nothing is stored.
fn preview(store: &Store, method: &str, params: &str) -> Result<Vec<Redaction>> {
    let entry = entry(method).ok_or_else(|| unknown(store.redactor(), method))?;
    if !entry.redacts {
        let known: Vec<_> = entries().filter(|entry| entry.redacts).map(|entry| entry.name).collect();
        let message = format!("{} stores nothing that is redacted; these do: {}", entry.name, known.join(", "));
        return Err(Error::validation(message));
    }
    store.home().dry_run(entry.name, |home| (entry.run)(&store.on(home), params))
}

/// Whether a method stores what the caller passes, so that `safety.preview` tells what it redacts.
pub fn redacts(method: &str) -> bool {
    entry(method).is_some_and(|entry| entry.redacts)
}

/// Whether a method changes what is stored. If its response is lost, the change is stored nevertheless.
pub fn writes(method: &str) -> bool {
    entry(method).is_some_and(|entry| entry.writes)
}

fn entry(method: &str) -> Option<&'static MethodEntry> {
    entries().find(|entry| entry.name == method)
}

fn unknown(redactor: &Redactor, method: &str) -> Error {
    // The tests of every binding call this to check that a panic stops at the boundary and that its payload does not
    // leak.
    #[allow(clippy::panic, reason = "debug builds only")]
    if cfg!(debug_assertions) && method == "debug.panic" {
        panic!("the payload of a panic must not leak");
    }
    let names = entries().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    let method = redactor.quote(method);
    Error::validation(format!("unknown method {method}; known methods: {names}")).in_operation(method.trim_matches('"'))
}

/// Implements [`Method`] for its params: the name of the operation, its result, the flags that are true, and its body.
macro_rules! method {
    ($method:ident = $name:expr => $output:ty $(, $flag:ident)* |$this:ident, $store:pat_param| $body:expr) => {
        impl super::Method for $method {
            const NAME: &'static str = $name;
            type Output = $output;
            $(const $flag: bool = true;)*

            fn run($this, $store: &crate::store::Store) -> crate::error::Result<$output> {
                $body
            }
        }
    };
}
use method;

/// The struct of a method's params.
macro_rules! params {
    ($(#[$doc:meta])* struct $params:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        struct $params {
            $($(#[$field_doc])* $field: $type,)*
        }
    };
}
use params;

/// As [`params!`], with the keys that identify a repository, and the method that resolves them.
macro_rules! of_repo {
    ($(#[$doc:meta])* struct $params:ident { $($fields:tt)* }) => {
        super::params! {
            $(#[$doc])*
            struct $params {
                /// The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
                repo_hash: Option<crate::home::RepoHash>,
                /// A folder in the repository. Default: the current folder.
                #[schemars(extend("format" = "path"))]
                workspace: Option<String>,
                /// Whether each branch has a separate memory or all branches share one. Not with `repoHash`, which names one
                /// memory. Default: as configured.
                branch_scope: Option<crate::home::BranchScope>,
                $($fields)*
            }
        }

        impl $params {
            fn repo(&self, store: &crate::store::Store) -> crate::error::Result<crate::repo::Repo> {
                super::repo_of(store, self.repo_hash.as_ref(), self.workspace.as_deref(), self.branch_scope)
            }
        }
    };
}
use of_repo;

/// A limit as rooms take it.
fn count(limit: Option<u32>) -> Option<usize> {
    limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// The repository identified by a call's params.
fn repo_of(
    store: &Store,
    hash: Option<&RepoHash>,
    workspace: Option<&str>,
    branch_scope: Option<BranchScope>,
) -> Result<Repo> {
    match (hash, workspace) {
        (Some(_), Some(_)) => {
            Err(Error::validation("repoHash and workspace both identify the repository; pass only one of them"))
        }
        (Some(_), None) if branch_scope.is_some() => Err(Error::validation(
            "branchScope has no effect on a repoHash, which names one branch's memory; pass only one of them",
        )),
        (Some(hash), None) => Ok(store.repo_at(hash)),
        (None, workspace) => store.repo(workspace_of(workspace).branch_scope(branch_scope)),
    }
}

/// The folder given in a call's params.
fn workspace_of(workspace: Option<&str>) -> Workspace {
    workspace.map_or_else(Workspace::current, Workspace::at)
}
