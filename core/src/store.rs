//! A store: an opened home that hands the rooms out.

use std::ffi::OsString;
use std::sync::Arc;

use crate::context::Context;
use crate::disk::Fs;
use crate::doctor::Doctor;
use crate::error::Result;
use crate::home::{Home, Options, RepoHash};
use crate::logger::Logger;
use crate::memory::Memory;
use crate::repo::Repo;
use crate::safety::Redactor;
use crate::summary::Summaries;
use crate::working::{self, Adapter, HostAdapter, HostBacked, Working};

/// What a host lends to a store.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// Where working contexts are kept, instead of what is configured.
    pub adapter: Option<Arc<dyn HostAdapter>>,
    /// What is told of calls through [`methods`](crate::methods).
    pub logger: Option<Arc<dyn Logger>>,
}

/// An opened home. Cheap to clone and to share between threads; every clone is the same store.
#[derive(Debug, Clone)]
pub struct Store {
    home: Home,
    adapter: Arc<dyn Adapter>,
    logger: Option<Arc<dyn Logger>>,
}

impl Store {
    /// Opens a store; nothing is created until the first write.
    ///
    /// # Errors
    /// `ValidationError` naming the option or configuration key that is not acceptable; `IOError` when the home is not a
    /// folder.
    pub fn open(options: Options) -> Result<Self> {
        Store::open_with(options, Host::default())
    }

    /// As [`open`](Self::open), with what the host lends.
    ///
    /// # Errors
    /// As [`open`](Self::open); `ValidationError` when a function of the adapter is missing.
    pub fn open_with(options: Options, host: Host) -> Result<Self> {
        Store::assemble(Home::open(options)?, host)
    }

    /// As [`open`](Self::open), with these system calls and this environment: the seam for tests.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_on(
        options: Options,
        fs: Arc<dyn Fs>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self> {
        Store::assemble(Home::open_on(options, fs, environment)?, Host::default())
    }

    fn assemble(home: Home, host: Host) -> Result<Self> {
        let adapter = match host.adapter {
            Some(adapter) => Arc::new(HostBacked::new(home.clone(), adapter)?),
            None => working::configured(&home)?,
        };
        Ok(Store { home, adapter, logger: host.logger })
    }

    /// The same store with another adapter for working contexts.
    #[must_use]
    pub fn with_adapter(mut self, adapter: Arc<dyn Adapter>) -> Self {
        self.adapter = adapter;
        self
    }

    /// The ground that the rooms stand on.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Workspaces and their identity.
    pub fn repo(&self) -> Repo<'_> {
        Repo::new(&self.home)
    }

    /// A repository's conventions, decisions and notes.
    pub fn memory<'s>(&'s self, repo: &'s RepoHash) -> Memory<'s> {
        Memory::new(&self.home, repo)
    }

    /// A repository's step summaries.
    pub fn summary<'s>(&'s self, repo: &'s RepoHash) -> Summaries<'s> {
        Summaries::new(&self.home, repo)
    }

    /// A repository's context packs.
    pub fn context<'s>(&'s self, repo: &'s RepoHash) -> Context<'s> {
        Context::new(&self.home, repo)
    }

    /// What finds secrets and takes them out, with the user's patterns and rules and the tags of this home.
    pub fn safety(&self) -> &Redactor {
        self.home.redactor()
    }

    /// The contexts, logs and checkpoints of jobs.
    pub fn working(&self) -> Working<'_> {
        Working::new(&self.home, &*self.adapter)
    }

    pub(crate) fn logger(&self) -> Option<&dyn Logger> {
        self.logger.as_deref()
    }

    /// What is wrong with the home.
    pub fn doctor(&self) -> Doctor<'_> {
        Doctor::new(&self.home)
    }
}
