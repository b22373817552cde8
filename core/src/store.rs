//! [`Store`]: an open home, and the entry point to everything that is stored in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "archive")]
use crate::archive::Archives;
#[cfg(feature = "branch")]
use crate::branch::Branches;
use crate::disk::{Ticket, TicketQueue};
use crate::doctor::Doctor;
use crate::error::Result;
use crate::files::Files;
use crate::graph::Graph;
use crate::home::{BranchScope, CallOptions, Hidden, Home, Options, RepoHash, logged};
use crate::host::HostObject;
use crate::items::Items;
use crate::logger::Logger;
use crate::redaction::Safety;
use crate::repo::{Repo, Workspace};
use crate::repos::Repos;
#[cfg(feature = "rollouts")]
use crate::rollouts::Rollouts;
use crate::safety::Redactor;
use crate::search::Search;
use crate::setters::milliseconds;
use crate::status::Status;
use crate::undo::Undo;
use crate::warm::TextCache;
use crate::working::{self, Adapter, AdapterHandle, HostBacked, Working};

optional_fields! {
    /// Objects of the host that a store calls.
    #[derive(Debug, Clone, Default)]
    #[non_exhaustive]
    pub struct Host {
        /// The adapter that stores working contexts, instead of the configured one.
        pub adapter: Arc<dyn HostObject>,
        /// The logger, which receives the events of every call when it ends.
        pub logger: Arc<dyn Logger>,
        /// The tokenizer, which counts the tokens of texts whose length is limited in tokens.
        pub tokenizer: Arc<dyn HostObject>,
    }
}

/// Opens a store with the options that are set here, and the configured or default values of all others; see
/// [`Options`].
///
/// ```
/// use std::time::Duration;
///
/// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
/// let store = loopmem::Store::builder().home(folder.path()).lock_timeout(Duration::from_secs(1)).open()?;
/// # Ok::<(), loopmem::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Builder {
    options: Options,
    host: Host,
}

impl Builder {
    setters! {
        /// Sets all options, replacing those set before.
        options(options: Options) => options = options;
        /// Sets the adapter, the logger and the tokenizer, replacing those set before.
        host(host: Host) => host = host;
        /// The folder in which everything is stored.
        home(home: impl Into<PathBuf>) => options.home = Some(home.into());
        /// Whether each branch has a separate memory or all branches share one.
        branch_scope(scope: BranchScope) => options.branch_scope = Some(scope);
        /// The longest wait for a lock, to the millisecond.
        lock_timeout(timeout: Duration) => options.lock_timeout_ms = Some(milliseconds(timeout));
        /// The longest wait for the lock of an append, to the millisecond.
        append_timeout(timeout: Duration) => options.append_timeout_ms = Some(milliseconds(timeout));
        /// Where working contexts are stored: `file`, `memory`, `sqlite`, or the URL of a Redis server.
        adapter(name: impl Into<String>) => options.adapter = Some(Hidden(name.into()));
        /// For tests: a fixed RFC 3339 time for this store's clock.
        clock(instant: impl Into<String>) => options.clock = Some(instant.into());
        /// The adapter that stores working contexts, implemented by you: see
        /// [`HostObject`].
        host_adapter(adapter: Arc<dyn HostObject>) => host.adapter = Some(adapter);
        /// The logger, which receives the events of every call when it ends.
        logger(logger: Arc<dyn Logger>) => host.logger = Some(logger);
    }

    /// Opens the store. Nothing is created until the first write.
    ///
    /// # Errors
    /// `ValidationError` naming the option or configuration key that is invalid, or a function that the adapter does
    /// not have; `SecretRefused` if a path or the prefix of keys looks like a secret; `Unsupported` if this build does
    /// not include the adapter; `IOError` if the home is not a folder or its configuration cannot be read.
    pub fn open(self) -> Result<Store> {
        let Builder { options, host } = self;
        logged(host.logger.clone().as_deref(), "open", || Store::assemble(Home::open(options)?, host))
    }
}

/// An open store. Cheap to clone and to share between threads; all clones refer to the same store.
///
/// The handles that it returns ([`repo`](Self::repo), [`working`](Self::working), …) are as cheap and may outlive it. Nothing has
/// to be closed: each call is complete when it returns. Any number of processes may have a store of the same home open.
///
/// See the [recipes](crate::recipes).
#[derive(Debug, Clone)]
pub struct Store {
    home: Home,
    pub(crate) adapter: Arc<dyn Adapter>,
    texts: Arc<TextCache>,
}

impl Store {
    /// Returns a builder to open a store with.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Opens a store. Nothing is created until the first write.
    ///
    /// # Errors
    /// See [`Builder::open`].
    pub fn open(options: Options) -> Result<Self> {
        Store::builder().options(options).open()
    }

    /// The store of `home`.
    pub(crate) fn assemble(home: Home, host: Host) -> Result<Self> {
        let home = home.lent(host.logger, host.tokenizer);
        let adapter = match host.adapter {
            Some(adapter) => Arc::new(HostBacked::new(home.clone(), adapter)?),
            None => working::configured(&home)?,
        };
        Ok(Store { home, adapter, texts: Arc::default() })
    }

    /// Returns the same store with these options for its calls. Handles created from it inherit them.
    #[must_use]
    pub fn with(&self, options: CallOptions) -> Self {
        Store { home: self.home.with(options), ..self.clone() }
    }

    /// The same store on `home`, which is its own in another context.
    pub(crate) fn on(&self, home: &Home) -> Self {
        Store { home: home.clone(), ..self.clone() }
    }

    /// The home that all modules work on.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// The repository that a folder belongs to: a path, or a [`Workspace`].
    ///
    /// # Errors
    /// `ValidationError` if the folder does not exist or the branch name is invalid; `SecretRefused` if the path or the
    /// branch looks like a secret; `GitError` if the repository is broken, refers to a location that does not refer
    /// back, belongs to another user, or takes longer to read than the call may wait; `Cancelled`.
    pub fn repo(&self, workspace: impl Into<Workspace>) -> Result<Repo> {
        Repo::of(&self.home, &workspace.into())
    }

    /// The repository whose memory is stored under `hash`.
    pub fn repo_at(&self, hash: &RepoHash) -> Repo {
        Repo::at(&self.home, hash)
    }

    /// The repositories that have stored data.
    pub fn repos(&self) -> Repos {
        Repos::new(&self.home)
    }

    /// Finds and redacts the secrets in texts.
    pub fn safety(&self) -> Safety {
        Safety::new(&self.home)
    }

    /// The redactor of this store, with the user's patterns and rules and the key of this home, for streams and for
    /// texts that are redacted outside of a call.
    pub fn redactor(&self) -> &Redactor {
        self.home.redactor()
    }

    /// The contexts, logs and checkpoints of jobs.
    pub fn working(&self) -> Working {
        Working::new(&self.home, &self.adapter)
    }

    /// The adapter that stores working contexts, to read and write it by key.
    pub fn adapter(&self) -> AdapterHandle {
        AdapterHandle::new(self.working())
    }

    /// Returns the same store with another logger and tokenizer. Working contexts are in the same adapter, also if that is the
    /// memory of this process.
    #[must_use]
    pub(crate) fn lent(&self, logger: Option<Arc<dyn Logger>>, tokenizer: Option<Arc<dyn HostObject>>) -> Self {
        Store { home: self.home.lent(logger, tokenizer), ..self.clone() }
    }

    /// The recallable items that apply to a workspace: a path, or a [`Workspace`].
    pub fn items(&self, workspace: impl Into<Workspace>) -> Items {
        Items::new(&self.home, workspace.into())
    }

    /// The files that a model keeps for no repository in particular; those of one are [`Repo::files`].
    pub fn files(&self) -> Files {
        Files::global(&self.home)
    }

    /// The knowledge graph in the file at `path`, which the reference server for memory may use too; by default, one of the user's
    /// in the home.
    ///
    /// # Errors
    /// `ValidationError` if the path is not one of a file in an existing folder; `SecretRefused`.
    pub fn graph(&self, path: Option<&Path>) -> Result<Graph> {
        Graph::at(&self.home, path)
    }

    /// The sessions of the Codex home, and the memory that is extracted from them.
    #[cfg(feature = "rollouts")]
    pub fn rollouts(&self) -> Rollouts {
        Rollouts::new(&self.home)
    }

    /// The files of an agent that are kept on git branches.
    #[cfg(feature = "branch")]
    pub fn branches(&self) -> Branches {
        Branches::new(&self.home)
    }

    /// Archives, to keep what is stored or to move it to another machine.
    #[cfg(feature = "archive")]
    pub fn archives(&self) -> Archives {
        Archives::new(&self.home, Arc::new(self.working()))
    }

    /// Searches everything that is remembered.
    pub fn search(&self) -> Search {
        Search::new(&self.home, Arc::new(self.working()))
    }

    /// Reports where memory is kept, what is stored, and what hooks did last.
    pub fn status(&self) -> Status {
        Status::new(&self.home, Arc::new(self.working()))
    }

    /// Lists what was removed or replaced, and brings it back.
    pub fn undo(&self) -> Undo {
        Undo::new(&self.home, Arc::new(self.working()))
    }

    /// Checks and repairs the files of the home.
    pub fn doctor(&self) -> Doctor {
        Doctor::new(&self.home)
    }

    /// Its cache of results as JSON.
    pub(crate) fn texts(&self) -> &TextCache {
        &self.texts
    }

    /// The queue that keeps calls in the order of their submission.
    pub(crate) fn tickets(&self) -> &TicketQueue {
        self.home.disk().tickets()
    }

    /// Runs `body` as the operation of this name, with its `ticket`. Calls that `body` makes on the store passed to it
    /// are part of this call.
    pub(crate) fn call<T>(
        &self,
        operation: &str,
        ticket: Option<Ticket>,
        body: impl FnOnce(&Store) -> Result<T>,
    ) -> Result<T> {
        self.home.call_with_ticket(operation, ticket, |home| body(&Store { home: home.clone(), ..self.clone() }))
    }
}
