//! The ground that every room stands on: where files lie, what is configured, what time it is, and the redactor and
//! the disk through which everything goes.
//!
//! This is the only room that reads the environment or makes a path. Opening a home creates nothing; the first write
//! does.

mod clock;
mod config;
mod input;
mod layout;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use chrono::SecondsFormat;
use uuid::{ContextV7, Timestamp, Uuid};

pub use clock::Clock;
pub use config::{BranchScope, Config, Options};
pub use input::{MAX_INPUT_BYTES, read_input};
pub use layout::{Layout, RepoHash};

use crate::disk::{Disk, Fs, Kind, RealFs};
use crate::error::{Error, ErrorKind, Result};
use crate::safety::Redactor;

/// An opened home. Rooms are views over it.
#[derive(Debug)]
pub struct Home {
    layout: Layout,
    config: Config,
    clock: Clock,
    redactor: Redactor,
    disk: Disk,
    /// Keeps ids made within one millisecond in order.
    ids: Mutex<ContextV7>,
}

impl Home {
    /// Opens the home that `options`, the process's environment and the home's `config.toml` describe.
    ///
    /// # Errors
    /// `ValidationError` for an option or key that is not acceptable, naming it; `IOError` when the home is not a
    /// folder or the configuration cannot be read.
    #[allow(clippy::disallowed_methods, reason = "this is the room of the environment")]
    pub fn open(options: Options) -> Result<Self> {
        Home::open_on(
            options,
            Arc::new(RealFs),
            std::env::vars_os().filter_map(|(name, value)| {
                // A value that is no text cannot stand in a record either.
                Some((name.into_string().ok()?, value.into_string().ok()?))
            }),
        )
    }

    /// As [`open`](Self::open), with these system calls and this environment: the seam for tests.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_on(
        options: Options,
        fs: Arc<dyn Fs>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self> {
        let environment: HashMap<String, String> = environment.into_iter().collect();
        let layout = Layout::new(&options, &environment, current_folder)?;
        let disk = Disk::new(fs, layout.root());
        match disk.kind_of(layout.root())? {
            None | Some(Kind::Folder) => {}
            Some(_) => {
                return Err(Error::new(
                    ErrorKind::Io,
                    format!("the home {} is a file, not a folder; choose another home", layout.root().display()),
                )
                .at(layout.root()));
            }
        }
        let config_path = layout.config();
        let file = disk.read_if_there(&config_path)?;
        let clock = Clock::new(options.clock.as_deref())?;
        let config = Config::new(&config_path, file.as_deref(), &environment, options)?;
        let redactor = Redactor::new(&config.redaction_patterns, environment)?;
        Ok(Home { layout, config, clock, redactor, disk, ids: Mutex::new(ContextV7::new()) })
    }

    /// Where every file lies.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What is configured.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The one redactor.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The files.
    pub fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Now, as records tell it: RFC 3339 in UTC with milliseconds.
    pub fn timestamp(&self) -> String {
        self.clock.now().to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// A new id: UUID version 7, so ids sort by time.
    pub fn new_id(&self) -> String {
        let now = self.clock.now();
        let seconds = u64::try_from(now.timestamp()).unwrap_or(0);
        Uuid::new_v7(Timestamp::from_unix(&self.ids, seconds, now.timestamp_subsec_nanos())).to_string()
    }

    /// The folder the process works in.
    ///
    /// # Errors
    /// `IOError` when it is gone.
    pub fn current_folder(&self) -> Result<PathBuf> {
        current_folder()
    }
}

fn current_folder() -> Result<PathBuf> {
    std::env::current_dir().map_err(|cause| {
        Error::new(ErrorKind::Io, "the current folder cannot be found; change into one that exists").because(cause)
    })
}
