//! A call: what it may wait for, what ends it early, whose turn it is, and who is told of it.
//!
//! Every operation of every room goes through [`Home::call`], whichever language asked for it: nothing unwinds out of it,
//! no text of its error holds a secret, its error names it, and the host's logger is told when it is over.

use std::sync::Arc;
use std::time::Duration;

use super::Home;
use super::caller::Caller;
use crate::disk::{Cancel, Ticket, WaitOptions};
use crate::error::Result;
use crate::guard::guard;
use crate::logger::{self, Level, Logger, collect_events};
use crate::safety::escape_controls;

/// How the calls of a store may wait. The default waits as long as is configured.
///
/// ```
/// use std::time::Duration;
///
/// use loopmem::{CallOptions, Cancel, Options, Store};
///
/// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
/// let store = Store::open(Options::at(folder.path()))?;
/// let cancel = Cancel::new();
/// let hasty = store.with(CallOptions::new().timeout(Duration::from_secs(1)).cancel(&cancel));
/// cancel.cancel();
/// let refused = hasty.working().get_context("job-1").unwrap_err();
/// assert_eq!(refused.kind(), loopmem::ErrorKind::Cancelled);
/// assert_eq!(refused.operation(), Some("working.getContext"));
/// # Ok::<(), loopmem::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    timeout: Option<Duration>,
    cancel: Cancel,
    within: Option<u64>,
    blocks_host_thread: bool,
}

impl CallOptions {
    /// The default.
    pub fn new() -> Self {
        CallOptions::default()
    }

    /// The longest that a call waits, for locks and for answers of a server or of the host's own adapter, all of them
    /// together, instead of the configured times. Zero waits for nobody.
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout = timeout.into();
        self
    }

    /// The request to stop waiting. It ends every call that was given it, so make a new one for each.
    #[must_use]
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// As [`timeout`](Self::timeout), in milliseconds; as configured where there are none.
    #[must_use]
    pub fn timeout_ms(self, timeout_ms: Option<u32>) -> Self {
        self.timeout(timeout_ms.map(|ms| Duration::from_millis(ms.into())))
    }

    /// The call that this one comes out of, where the host's own adapter makes it on another thread than it was called on:
    /// [`HostCall::within`](crate::working::HostCall::within).
    #[must_use]
    pub fn within(mut self, call: Option<u64>) -> Self {
        self.within = call;
        self
    }

    /// Says that the calling thread is one that the host's own adapter needs, and is held until the call has ended.
    #[must_use]
    pub fn blocks_host_thread(mut self) -> Self {
        self.blocks_host_thread = true;
        self
    }

    /// Whether it comes out of another one: by what it says itself, or by its thread.
    pub(crate) fn is_nested(&self) -> bool {
        self.outer().is_some()
    }

    /// As these, for another thread to go on with.
    pub(crate) fn on_another_thread(&self) -> Self {
        self.clone().within(self.outer())
    }

    fn outer(&self) -> Option<u64> {
        self.within.or_else(|| Caller::current().within)
    }
}

/// What a handle passes on to the calls that are made through it; of a call under way, what it waits by.
#[derive(Debug, Default)]
pub(super) struct CallContext {
    options: CallOptions,
    logger: Option<Arc<dyn Logger>>,
    wait: WaitOptions,
    is_under_way: bool,
}

impl CallContext {
    fn new(options: CallOptions, logger: Option<Arc<dyn Logger>>) -> Self {
        let wait = WaitOptions::new(options.timeout, options.cancel.clone());
        CallContext { options, logger, wait, is_under_way: false }
    }

    /// One call of these, with `ticket`.
    fn begin(&self, ticket: Option<Ticket>) -> Self {
        let options = self.options.clone();
        let wait = WaitOptions::new(options.timeout, options.cancel.clone()).with_ticket(ticket);
        let wait = wait.with_priority(options.is_nested());
        CallContext { options, logger: self.logger.clone(), wait, is_under_way: true }
    }
}

impl Home {
    /// The same home, whose calls are made with these options.
    #[must_use]
    pub fn with(&self, options: CallOptions) -> Self {
        self.with_context(CallContext::new(options, self.context.logger.clone()))
    }

    /// The same home, whose calls are told to `logger`.
    #[must_use]
    pub fn logging(&self, logger: Option<Arc<dyn Logger>>) -> Self {
        self.with_context(CallContext::new(self.context.options.clone(), logger))
    }

    /// The options of its calls.
    pub(crate) fn options(&self) -> &CallOptions {
        &self.context.options
    }

    /// How long the call under way waits, and what ends it.
    pub fn wait(&self) -> &WaitOptions {
        &self.context.wait
    }

    /// Runs `body` as the operation of this name. Within a call that is under way it is a part of that one.
    ///
    /// # Errors
    /// What `body` returns, named and scrubbed; `Internal`.
    pub(crate) fn call<T>(&self, operation: &str, body: impl FnOnce(&Home) -> Result<T>) -> Result<T> {
        if self.context.is_under_way { body(self) } else { self.call_with_ticket(operation, None, body) }
    }

    /// As [`call`](Self::call), for a call that took its `ticket` when it was submitted.
    pub(crate) fn call_with_ticket<T>(
        &self,
        operation: &str,
        ticket: Option<Ticket>,
        body: impl FnOnce(&Home) -> Result<T>,
    ) -> Result<T> {
        let options = &self.context.options;
        let caller = Caller { within: options.within, blocks_host_thread: options.blocks_host_thread };
        let home = self.with_context(self.context.begin(ticket));
        // Whatever the call holds, its turn too, is given back before anybody is told of it.
        let answer = move || {
            let answer = caller.calling(|| guard(|| body(&home)));
            answer.map_err(|error| {
                error.in_operation(operation).scrubbed(|text| home.redactor().scrub(text).into_owned())
            })
        };
        let Some(logger) = &self.context.logger else { return answer() };
        let (answer, events) = collect_events(|| {
            let answer = answer();
            if let Err(error) = &answer {
                logger::record(Level::Error, escape_controls(&format!("{error:#}")), error);
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

    fn with_context(&self, context: CallContext) -> Self {
        Home { shared: Arc::clone(&self.shared), context: Arc::new(context) }
    }
}
