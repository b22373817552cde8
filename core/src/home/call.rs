//! Calls: how long they may wait, what cancels them, in which order they run, and what is logged of them.
//!
//! Every operation goes through [`Home::call`], from every language: nothing unwinds out of it, its errors name the
//! operation and contain no secret, and its events are passed to the host's logger when it has ended.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Home;
use super::caller::Caller;
use super::progress::{ProgressCallback, refuse_calls_within};
use crate::disk::{Cancel, Ticket, WaitOptions};
use crate::error::{Error, Result};
use crate::guard::guard;
use crate::host::HostObject;
use crate::logger::{self, Level, Logger, collect_events};
use crate::redactions::{self, Redaction, Redactions};
use crate::safety::{Redactor, escape_controls};
use crate::warning::Warning;

/// How often a call that works asks the host whether it was cancelled.
const ASKS_HOST: Duration = Duration::from_millis(20);

/// How long the calls of a store may wait, and what cancels them. By default, calls wait as long as configured.
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
    redactions: Option<Redactions>,
    progress: ProgressCallback,
}

impl CallOptions {
    /// Options that change nothing: the configured timeouts, and no cancel request.
    pub fn new() -> Self {
        CallOptions::default()
    }

    setters! {
        /// The maximum time that a call waits in total, for locks and for responses of a server, of the host's adapter or
        /// of git; replaces the configured timeouts. With zero, calls do not wait for locks.
        ///
        /// One wait is neither shortened nor cancelled: the first secret that is redacted in a home creates its key for
        /// the tags of secrets, for which it waits at most as long as is configured for an append.
        timeout(timeout: impl Into<Option<Duration>>) => timeout = timeout.into();
        /// The token that cancels the calls. It cancels every call that uses it, so create one for each.
        cancel(cancel: &Cancel) => cancel = cancel.clone();
        /// The outer call of a nested call that the host's adapter makes on a different thread than it was called on:
        /// [`HostCall::within`](crate::host::HostCall::within).
        within(call: Option<u64>) => within = call;
        /// The list that gets what the calls redact, in addition to the warnings of the logger. Default: none.
        redactions(list: &Redactions) => redactions = Some(list.clone());
        /// Called with the number of completed steps and the total while a long call runs. Calls that bring the index of a
        /// repository up to date report the files that were read, out of those to read: at most 101 times, first 0, last all;
        /// once more from 0 if the index is found to be damaged. `rollouts.scan` reports the transcripts that were read, and
        /// `rollouts.run` the sessions that were worked on. Other calls report nothing. Default: none.
        ///
        /// The callback runs on the thread of the call, which waits for it and may hold locks: calls of loopmem that it makes
        /// are `Misuse`. It may cancel the call. A panic in it does not affect the call.
        progress(callback: impl Fn(u64, u64) + Send + Sync + 'static) => progress = ProgressCallback::new(callback);
    }

    /// Declares that the host's adapter needs the calling thread, which is blocked until the call has ended.
    #[must_use]
    pub fn blocks_host_thread(mut self) -> Self {
        self.blocks_host_thread = true;
        self
    }

    /// Whether the call is nested, according to these options or to its thread.
    pub(crate) fn is_nested(&self) -> bool {
        self.outer().is_some()
    }

    /// The same options for a call that continues on another thread.
    pub(crate) fn on_another_thread(&self) -> Self {
        self.clone().within(self.outer())
    }

    /// The callback for the progress of the calls.
    pub(super) fn progress_callback(&self) -> &ProgressCallback {
        &self.progress
    }

    fn outer(&self) -> Option<u64> {
        self.within.or_else(|| Caller::current().within)
    }

    fn wait(&self) -> WaitOptions {
        WaitOptions::new(self.timeout, self.cancel.clone())
    }
}

/// What a handle passes on to its calls; for a running call, its wait options.
#[derive(Debug, Default)]
pub(super) struct CallContext {
    options: CallOptions,
    logger: Option<Arc<dyn Logger>>,
    tokenizer: Option<Arc<dyn HostObject>>,
    wait: WaitOptions,
    is_running: bool,
    dry_run: Option<DryRun>,
}

/// A call that ends when what it would store has been redacted.
#[derive(Debug, Clone)]
struct DryRun {
    /// Creates no key for tags: a dry run writes nothing.
    redactor: Redactor,
    /// Whether it has come that far.
    is_done: Arc<AtomicBool>,
}

impl Home {
    /// Returns the same home with these options for its calls.
    #[must_use]
    pub fn with(&self, options: CallOptions) -> Self {
        let (logger, tokenizer) = (self.context.logger.clone(), self.context.tokenizer.clone());
        let wait = options.wait();
        self.in_context(CallContext { options, logger, tokenizer, wait, ..CallContext::default() })
    }

    /// Returns the same home with this logger and this tokenizer for its calls.
    #[must_use]
    pub(crate) fn lent(&self, logger: Option<Arc<dyn Logger>>, tokenizer: Option<Arc<dyn HostObject>>) -> Self {
        let options = self.context.options.clone();
        let wait = options.wait();
        self.in_context(CallContext { options, logger, tokenizer, wait, ..CallContext::default() })
    }

    /// The host's object with the tokenizer, if it has one.
    pub(super) fn lent_tokenizer(&self) -> Option<&dyn HostObject> {
        self.context.tokenizer.as_deref()
    }

    /// The options of its calls.
    pub(crate) fn options(&self) -> &CallOptions {
        &self.context.options
    }

    /// How long the running call waits, and what cancels it.
    pub fn wait_options(&self) -> &WaitOptions {
        &self.context.wait
    }

    /// The same home for a part of a long call, which has the full time for its waits again: see [`WaitOptions::renewed`].
    #[must_use]
    pub(crate) fn renewed(&self) -> Self {
        let context = &self.context;
        self.in_context(CallContext {
            options: context.options.clone(),
            logger: context.logger.clone(),
            tokenizer: context.tokenizer.clone(),
            wait: context.wait.renewed(),
            is_running: context.is_running,
            dry_run: context.dry_run.clone(),
        })
    }

    /// A check whether the running call was cancelled, for each step of work that does not wait. The host itself is asked
    /// only now and then: it may have to wait for an interpreter.
    pub(crate) fn cancel_check(&self) -> impl Fn() -> Result<()> {
        let (cancel, asked) = (&self.context.wait.cancel, Cell::new(Duration::ZERO));
        move || {
            let now = self.disk().elapsed();
            if !cancel.is_cancelled() && now.saturating_sub(asked.get()) < ASKS_HOST {
                return Ok(());
            }
            asked.set(now);
            cancel.check()
        }
    }

    /// Runs `body` as the operation of this name, or as part of the running call if there is one.
    ///
    /// # Errors
    /// The errors of `body`, scrubbed and with the name of the operation; `Internal`.
    pub(crate) fn call<T>(&self, operation: &str, body: impl FnOnce(&Home) -> Result<T>) -> Result<T> {
        if self.context.is_running { body(self) } else { self.call_with_ticket(operation, None, body) }
    }

    /// Like [`call`](Self::call), for a call that took its `ticket` when it was submitted.
    pub(crate) fn call_with_ticket<T>(
        &self,
        operation: &str,
        ticket: Option<Ticket>,
        body: impl FnOnce(&Home) -> Result<T>,
    ) -> Result<T> {
        let (mut body, mut value) = (Some(body), None);
        self.run(operation, ticket, &mut |home| {
            value = body.take().map(|body| body(home)).transpose()?;
            Ok(())
        })?;
        value.ok_or_else(|| Error::internal("the call ended without an answer"))
    }

    /// Runs `body`, which is called at most once. Not generic, so that this code is compiled once instead of for each operation.
    fn run(&self, operation: &str, ticket: Option<Ticket>, body: &mut dyn FnMut(&Home) -> Result<()>) -> Result<()> {
        let options = &self.context.options;
        let caller = Caller { within: options.within, blocks_host_thread: options.blocks_host_thread };
        let wait = options.wait().with_ticket(ticket).with_priority(options.is_nested());
        let home = self.in_context(CallContext {
            options: options.clone(),
            logger: self.context.logger.clone(),
            tokenizer: self.context.tokenizer.clone(),
            wait,
            is_running: true,
            dry_run: None,
        });
        logged(self.context.logger.as_deref(), operation, move || {
            refuse_calls_within()?;
            let (answer, redacted) = redactions::collect(operation, || caller.calling(|| body(&home)));
            let may_be_stored = answer.as_ref().map_or_else(Error::may_be_stored, |()| true);
            if may_be_stored && !redacted.is_empty() {
                home.options().redactions.iter().for_each(|list| list.extend(&redacted));
                redacted.into_iter().for_each(|one| Warning::of_redaction(one).emit(home.redactor()));
            }
            answer.map_err(|error| error.scrubbed(|text| home.redactor().scrub(text).into_owned()))
        })
    }

    /// Ends the running call if it is a dry run. Called when what it would store has been redacted.
    ///
    /// # Errors
    /// The error that ends a dry run.
    pub(crate) fn end_dry_run(&self) -> Result<()> {
        let Some(dry_run) = &self.context.dry_run else { return Ok(()) };
        dry_run.is_done.store(true, Ordering::Relaxed);
        Err(Error::internal("this call was made to see what it redacts"))
    }

    /// Whether the running call is a dry run.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.context.dry_run.is_some()
    }

    /// The redactor of the running call, if that is a dry run.
    pub(super) fn redactor_of_dry_run(&self) -> Option<&Redactor> {
        self.context.dry_run.as_ref().map(|dry_run| &dry_run.redactor)
    }

    /// Runs `body`, the call `method` which stores something, up to where it has been redacted, and returns what was.
    /// Nothing is written, not even the key for tags.
    ///
    /// # Errors
    /// The errors of `body` before that.
    pub(crate) fn dry_run<T>(&self, method: &str, body: impl FnOnce(&Home) -> Result<T>) -> Result<Vec<Redaction>> {
        let context = &self.context;
        let dry_run = DryRun { redactor: self.redactor().for_dry_run(), is_done: Arc::default() };
        let home = self.in_context(CallContext {
            options: context.options.clone(),
            logger: context.logger.clone(),
            tokenizer: context.tokenizer.clone(),
            wait: context.options.wait(),
            is_running: true,
            dry_run: Some(dry_run.clone()),
        });
        let (outcome, redacted) = redactions::collect(method, || body(&home));
        match outcome {
            Err(error) if !dry_run.is_done.load(Ordering::Relaxed) => Err(error),
            _ => Ok(redacted),
        }
    }

    fn in_context(&self, context: CallContext) -> Self {
        Home { shared: Arc::clone(&self.shared), context: Arc::new(context) }
    }
}

/// Runs `body` as the operation of this name, in a span of `tracing`, and then passes its events to the logger. `body`
/// releases everything that it holds before that.
///
/// # Errors
/// The errors of `body`, with the name of the operation; `Internal`.
pub(crate) fn logged<T>(logger: Option<&dyn Logger>, operation: &str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    let answer = || {
        let _span = logger::span(operation);
        let answer = guard(body).map_err(|error| error.in_operation(operation));
        if let Err(error) = &answer
            && logger::is_listened_to(Level::Error)
        {
            logger::record(Level::Error, escape_controls(&format!("{error:#}")), error);
        }
        answer
    };
    let Some(logger) = logger else { return answer() };
    let (answer, events) = collect_events(answer);
    for event in events {
        // A failure of the host's logger does not affect the call.
        let _ = guard(|| {
            logger.log(&event);
            Ok(())
        });
    }
    answer
}
