//! A store: an opened home that hands the rooms out.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::disk::{Fs, Turn, Turns};
use crate::doctor::Doctor;
use crate::error::Result;
use crate::home::{BranchScope, CallOptions, Home, Options, RepoHash};
use crate::logger::Logger;
use crate::repo::{Repo, Workspace};
use crate::repos::Repos;
use crate::safety::Redactor;
use crate::warm::WarmTexts;
use crate::working::{self, Adapter, HostAdapter, HostBacked, Working};

/// What a host lends to a store.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// Where working contexts are kept, instead of what is configured.
    pub adapter: Option<Arc<dyn HostAdapter>>,
    /// What is told of every call when it is over.
    pub logger: Option<Arc<dyn Logger>>,
}

/// What a store is to be opened with. Whatever is not set is as configured; see [`Options`].
///
/// ```
/// use std::time::Duration;
///
/// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
/// let store = loopmem::Store::builder().home(folder.path()).lock_timeout(Duration::from_secs(1)).open()?;
/// # Ok::<(), loopmem::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Builder {
    options: Options,
    host: Host,
}

impl Builder {
    /// All of these options, in the place of those that were set before.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// What the host lends, in the place of what was set before.
    pub fn host(mut self, host: Host) -> Self {
        self.host = host;
        self
    }

    /// The folder that holds everything.
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.options = self.options.home(home);
        self
    }

    /// Whose memory a branch reads and writes.
    pub fn branch_scope(mut self, scope: BranchScope) -> Self {
        self.options = self.options.branch_scope(scope);
        self
    }

    /// The longest wait for a lock, to the millisecond.
    pub fn lock_timeout(mut self, timeout: Duration) -> Self {
        self.options = self.options.lock_timeout(timeout);
        self
    }

    /// The longest wait for the lock of an append, to the millisecond.
    pub fn append_timeout(mut self, timeout: Duration) -> Self {
        self.options = self.options.append_timeout(timeout);
        self
    }

    /// Where working contexts are kept: an object of the host's own.
    pub fn adapter(mut self, adapter: Arc<dyn HostAdapter>) -> Self {
        self.host.adapter = Some(adapter);
        self
    }

    /// What is told of every call when it is over.
    pub fn logger(mut self, logger: Arc<dyn Logger>) -> Self {
        self.host.logger = Some(logger);
        self
    }

    /// Opens the store; nothing is created until the first write.
    ///
    /// # Errors
    /// `ValidationError` naming the option or configuration key that is not acceptable, or a function that the adapter
    /// lacks; `IOError` when the home is not a folder.
    pub fn open(self) -> Result<Store> {
        let opened = Home::open(self.options).and_then(|home| Store::assemble(home, self.host));
        opened.map_err(|error| error.in_operation("open"))
    }
}

/// An opened home. Cheap to clone and to share between threads; every clone is the same store.
///
/// Whatever hangs on it ([`repo`](Self::repo), [`working`](Self::working), …) is as cheap and may outlive it.
#[derive(Debug, Clone)]
pub struct Store {
    home: Home,
    adapter: Arc<dyn Adapter>,
    warm: Arc<WarmTexts>,
}

impl Store {
    /// A store that is to be opened with one thing or another.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Opens a store; nothing is created until the first write.
    ///
    /// # Errors
    /// As [`Builder::open`].
    pub fn open(options: Options) -> Result<Self> {
        Store::builder().options(options).open()
    }

    /// As [`open`](Self::open), with these system calls and this environment.
    pub(crate) fn open_on(
        options: Options,
        fs: Arc<dyn Fs>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self> {
        Store::assemble(Home::open_on(options, fs, environment)?, Host::default())
    }

    fn assemble(home: Home, host: Host) -> Result<Self> {
        let home = home.logging(host.logger);
        let adapter = match host.adapter {
            Some(adapter) => Arc::new(HostBacked::new(home.clone(), adapter)?),
            None => working::configured(&home)?,
        };
        Ok(Store { home, adapter, warm: Arc::default() })
    }

    /// The same store with another adapter for working contexts.
    #[must_use]
    pub(crate) fn with_adapter(mut self, adapter: Arc<dyn Adapter>) -> Self {
        self.adapter = adapter;
        self
    }

    /// The same store, whose calls are made with these options, as are those of all that is got from it.
    #[must_use]
    pub fn with(&self, options: CallOptions) -> Self {
        Store { home: self.home.with(options), ..self.clone() }
    }

    /// The ground that the rooms stand on.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// The repository that a folder belongs to: a path, or a [`Workspace`].
    ///
    /// # Errors
    /// `ValidationError` when there is no such folder or its branch can be no branch's name, `SecretRefused` when the path
    /// or the branch looks like a secret, `GitError` when the repository is broken, claims a place that does not confirm it,
    /// belongs to another user, or takes longer to read than the call may wait; `Cancelled`.
    pub fn repo(&self, workspace: impl Into<Workspace>) -> Result<Repo> {
        Repo::of(&self.home, &workspace.into())
    }

    /// The repository whose memory is kept under `hash`.
    pub fn repo_at(&self, hash: &RepoHash) -> Repo {
        Repo::at(&self.home, hash)
    }

    /// All the repositories that something is stored for.
    pub fn repos(&self) -> Repos {
        Repos::new(&self.home)
    }

    /// What finds secrets and takes them out, with the user's patterns and rules and the tags of this home.
    pub fn safety(&self) -> &Redactor {
        self.home.redactor()
    }

    /// The contexts, logs and checkpoints of jobs.
    pub fn working(&self) -> Working {
        Working::new(&self.home, &self.adapter)
    }

    /// What is wrong with the home.
    pub fn doctor(&self) -> Doctor {
        Doctor::new(&self.home)
    }

    /// The texts of reads that it keeps.
    pub(crate) fn warm(&self) -> &WarmTexts {
        &self.warm
    }

    /// The order in which calls were submitted.
    pub(crate) fn turns(&self) -> &Turns {
        self.home.disk().turns()
    }

    /// Runs `body` as the operation of this name, in its `turn`: whatever it does with the store it is given is a part of
    /// that call.
    pub(crate) fn call<T>(
        &self,
        operation: &str,
        turn: Option<Turn>,
        body: impl FnOnce(&Store) -> Result<T>,
    ) -> Result<T> {
        self.home.call_in_turn(operation, turn, |home| body(&Store { home: home.clone(), ..self.clone() }))
    }
}
