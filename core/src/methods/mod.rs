//! The method table: the only door that bindings use.
//!
//! An operation is one [`Method`], one row of [`TABLE`], and its conformance cases; every language's typed face is
//! generated from here. Params and results are JSON in UTF-8. Unknown keys are refused; null and absent mean the same.

mod context;
mod describe;
mod doctor;
mod guard;
mod memory;
mod refusal;
mod repo;
mod safety;
mod submit;
mod summary;
mod working;

use std::borrow::Cow;
use std::marker::PhantomData;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::logger::{Event, Level, Logger};
pub use crate::working::{Function, HostAdapter, HostCall};
pub use describe::{Description, Field, MethodDescription, Struct, Type, Union, describe};
pub use guard::guard;
pub use refusal::{refusal, refused, scrub};
pub use submit::{spawn, submit};

use crate::disk::{Cancel, Stored, Turn, Wait};
use crate::error::{Error, Result};
use crate::home::{BranchScope, RepoHash};
pub use crate::home::{TOO_DEEP, read_input};
use crate::logger::{self, noting};
use crate::memory::Record;
use crate::repo::Identity;
use crate::safety::{Redactor, escape_controls};
pub use crate::store::Host;
use crate::store::Store;
use crate::warning::Warning;
use crate::working::{Caller, calling, within};

/// One operation.
pub trait Method {
    /// Its name in every language: `room.verb`.
    const NAME: &'static str;
    /// What it takes. The doc comment is the method's documentation in every language.
    type Params: DeserializeOwned + JsonSchema;
    /// What it returns.
    type Output: Serialize + JsonSchema;
    /// Whether it takes locks. Calls that do take them in the order in which they were submitted; others wait for none.
    const LOCKS: bool = true;
    /// Whether it changes what is stored.
    const WRITES: bool = false;

    /// Does it.
    ///
    /// # Errors
    /// As the room's own function.
    fn run(call: &Call<'_>, params: Self::Params) -> Result<Self::Output>;
}

/// Every method, in the order of the documentation.
pub static TABLE: &[Row] = &[
    Row::of::<repo::Identify>(),
    Row::of::<repo::SanitizeRemoteUrl>(),
    Row::of::<repo::List>(),
    Row::of::<repo::Migrate>(),
    Row::of::<memory::Get>(),
    Row::of::<memory::UpsertConvention>(),
    Row::of::<memory::UpsertDecision>(),
    Row::of::<memory::UpsertNote>(),
    Row::of::<memory::List>(),
    Row::of::<memory::Remove>(),
    Row::of::<summary::Append>(),
    Row::of::<summary::EndStep>(),
    Row::of::<summary::List>(),
    Row::of::<context::Build>(),
    Row::of::<working::GetContext>(),
    Row::of::<working::UpdateContext>(),
    Row::of::<working::AddLog>(),
    Row::of::<working::GetLogs>(),
    Row::of::<working::SearchLogs>(),
    Row::of::<working::SaveCheckpoint>(),
    Row::of::<working::RestoreCheckpoint>(),
    Row::of::<working::ListCheckpoints>(),
    Row::of::<working::DeleteCheckpoint>(),
    Row::of::<working::History>(),
    Row::of::<working::ListScopes>(),
    Row::of::<working::DeleteScope>(),
    Row::of::<safety::Redact>(),
    Row::of::<safety::Scan>(),
    Row::of::<safety::Rules>(),
    Row::of::<doctor::Check>(),
];

/// A method behind its name.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// `room.verb`.
    pub name: &'static str,
    params: fn(&mut SchemaGenerator) -> Schema,
    output: fn(&mut SchemaGenerator) -> Schema,
    locks: bool,
    writes: bool,
    run: fn(&Call<'_>, &str) -> Result<String>,
}

impl Row {
    const fn of<M: Method>() -> Self {
        Row {
            name: M::NAME,
            // Inlined at the top: a method's params are its own.
            params: |generator| M::Params::json_schema(generator),
            output: |generator| generator.subschema_for::<M::Output>(),
            locks: M::LOCKS,
            writes: M::WRITES,
            run: |call, params| {
                let output = M::run(call, read_input(params)?)?;
                serde_json::to_string(&output).map_err(|cause| {
                    Error::new(crate::ErrorKind::Panic, "the result cannot be written as JSON").because(cause)
                })
            },
        }
    }
}

/// A call under way: its store, and what travels beside the params.
#[derive(Debug)]
pub struct Call<'s> {
    store: &'s Store,
    wait: Wait,
}

impl Call<'_> {
    /// The store.
    pub(crate) fn store(&self) -> &Store {
        self.store
    }

    /// How long to wait for locks.
    pub(crate) fn wait(&self) -> &Wait {
        &self.wait
    }
}

/// What travels beside the params of a call.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// The longest that the call waits, for locks and for answers of a server or of the host's own adapter, all of them
    /// together, in milliseconds, instead of the configured ones. Zero waits for nobody.
    pub timeout_ms: Option<u32>,
    /// The request to stop waiting.
    pub cancel: Cancel,
    /// The call that this one comes out of, where the host's own adapter makes it on another thread than it was called on:
    /// [`HostCall::within`].
    pub within: Option<u64>,
    /// Whether the calling thread is one that the host's own adapter needs, and is held until the call has ended.
    pub holds_the_host: bool,
}

impl CallOptions {
    fn into_wait(self, turn: Option<Turn>) -> Wait {
        let timeout = self.timeout_ms.map(|ms| std::time::Duration::from_millis(ms.into()));
        Wait::new(timeout, self.cancel, turn)
    }
}

/// Calls `method` with `params` (a JSON object; the empty text is `{}`) and returns its result as JSON.
///
/// Nothing unwinds out of here, and no text of an error holds a secret.
///
/// ```
/// use loopmem::methods::{CallOptions, dispatch};
/// use loopmem::{Options, Store};
///
/// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
/// let store = Store::open(Options::at(folder.path()))?;
/// let url = dispatch(&store, "repo.sanitizeRemoteUrl", r#"{"url": "git@github.com:o/r.git"}"#, CallOptions::default())?;
/// assert_eq!(url, r#"{"url":"ssh://github.com/o/r"}"#);
/// # Ok::<(), loopmem::Error>(())
/// ```
///
/// # Errors
/// `ValidationError` for an unknown method or params that are not what it takes; the method's own; `Panic`.
pub fn dispatch(store: &Store, method: &str, params: &str, options: CallOptions) -> Result<String> {
    // Whoever comes out of a call under way waits behind nobody who may wait for that one.
    let turn = options.within.or_else(within).and_then(|_| turn(store, method, true));
    run(store, method, params, options, turn)
}

/// The place of a call in the order of submission; none for one that takes no locks.
fn turn(store: &Store, method: &str, is_ahead: bool) -> Option<Turn> {
    let turns = store.home().disk().turns();
    row(method).filter(|row| row.locks).map(|_| if is_ahead { turns.ahead() } else { turns.next() })
}

/// Runs a call, and tells the host's logger of it when it is over.
fn run(store: &Store, method: &str, params: &str, options: CallOptions, turn: Option<Turn>) -> Result<String> {
    let caller = Caller { within: options.within, holds_the_host: options.holds_the_host };
    let wait = options.into_wait(turn);
    let Some(logger) = store.logger() else { return calling(caller, || answer(store, method, params, wait)) };
    let (answer, events) = noting(|| {
        let answer = calling(caller, || answer(store, method, params, wait));
        if let Err(error) = &answer {
            logger::note(Level::Error, escape_controls(&error.to_string()), error);
        }
        answer
    });
    for event in events {
        // Whatever goes wrong in there is the host's own affair.
        let _ = guard(|| {
            logger.log(&event);
            Ok(())
        });
    }
    answer
}

fn answer(store: &Store, method: &str, params: &str, wait: Wait) -> Result<String> {
    let redactor = store.home().redactor();
    let row = row(method);
    guard(|| {
        let Some(row) = row else { return Err(unknown(redactor, method)) };
        let params = if params.trim_start().is_empty() { "{}" } else { params };
        (row.run)(&Call { store, wait }, params)
    })
    .map_err(|error| match row {
        Some(row) => error.in_operation(row.name),
        None => error,
    })
    .map_err(|error| error.scrubbed(|text| redactor.scrub(text).into_owned()))
}

/// Whether a method changes what is stored. What answers it then may be lost, and the change stands.
pub fn writes(method: &str) -> bool {
    row(method).is_some_and(|row| row.writes)
}

fn row(method: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == method)
}

fn unknown(redactor: &Redactor, method: &str) -> Error {
    // Tests of every binding call this to see that a panic stops at the boundary, with a text that must not get out.
    #[allow(clippy::panic, reason = "debug builds only")]
    if cfg!(debug_assertions) && method == "debug.panic" {
        panic!("the payload of a panic is never told");
    }
    let names = TABLE.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    let method = redactor.quote(method);
    Error::validation(format!("there is no method {method}; there are {names}")).in_operation(method.trim_matches('"'))
}

/// A struct of params with the keys that say which repository is meant, and the method that reads them.
macro_rules! of_repo {
    ($(#[$doc:meta])* pub(super) struct $params:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(super) struct $params {
            /// The repository, as `repo.identify` returns it. Default: that of `workspace`.
            repo_hash: Option<crate::home::RepoHash>,
            /// A folder in the repository. Default: the current folder.
            #[schemars(extend("format" = "path"))]
            workspace: Option<String>,
            /// Whose memory a branch reads and writes, for this call. Default: as configured.
            branch_scope: Option<crate::home::BranchScope>,
            $($(#[$field_doc])* $field: $type,)*
        }

        impl $params {
            fn repo(&self, call: &crate::methods::Call<'_>) -> crate::error::Result<crate::methods::Target> {
                crate::methods::Target::of(call, self.repo_hash.as_ref(), self.workspace.as_deref(), self.branch_scope)
            }
        }
    };
}
pub(crate) use of_repo;

/// How many are wanted, as a room counts.
fn count(limit: Option<u32>) -> Option<usize> {
    limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// The repository that a call's params name.
pub(super) struct Target {
    hash: RepoHash,
    /// Known when the params named a folder.
    identity: Option<Identity>,
}

impl Target {
    fn of(
        call: &Call<'_>,
        hash: Option<&RepoHash>,
        workspace: Option<&str>,
        branch_scope: Option<BranchScope>,
    ) -> Result<Self> {
        match (hash, workspace) {
            (Some(_), Some(_)) => {
                Err(Error::validation("repoHash and workspace both name the repository; pass one of them"))
            }
            (Some(hash), None) => Ok(Target { hash: hash.clone(), identity: None }),
            (None, workspace) => {
                let identity =
                    call.store().repo().identify(call.wait(), workspace.map(Path::new), branch_scope, None)?;
                Ok(Target { hash: identity.repo_hash.clone(), identity: Some(identity) })
            }
        }
    }

    /// Passes the outcome of a write on; after a successful one notes what the hash stands for.
    fn written<T>(&self, call: &Call<'_>, outcome: Result<T>) -> Result<T> {
        if outcome.is_ok()
            && let Some(identity) = &self.identity
            && let Err(unnoted) = call.store().repo().remember(call.wait(), identity)
        {
            // The write itself is durable, and the next one tries again.
            Warning::new("repo.json could not be written").because(&unnoted).tell(call.store().home().redactor());
        }
        outcome
    }
}

/// What is stored, as the bytes of which it is there; `K` says what it is made of.
#[derive(Debug)]
pub(super) struct AsStored<K, J = Stored<Record>> {
    stored: J,
    kind: PhantomData<K>,
}

impl<K, J: Clone> AsStored<K, J> {
    fn new(stored: J) -> Self {
        AsStored { stored, kind: PhantomData }
    }

    fn list(stored: impl IntoIterator<Item = J>) -> Vec<Self> {
        stored.into_iter().map(AsStored::new).collect()
    }
}

impl<K, J: Serialize> Serialize for AsStored<K, J> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.stored.serialize(serializer)
    }
}

impl<K: JsonSchema, J> JsonSchema for AsStored<K, J> {
    fn schema_name() -> Cow<'static, str> {
        K::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        K::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        K::json_schema(generator)
    }
}
