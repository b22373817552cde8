//! Calls of the host's objects during a call of loopmem: how long they may take, and the tokenizer.

use serde::Serialize;

use super::Home;
use super::caller::Caller;
use crate::disk::{Cancel, WaitOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{HostCall, HostFunction, HostObject};

/// The tokenizer of the host, for the running call.
pub(crate) struct Tokenizer<'h> {
    home: &'h Home,
    host: &'h dyn HostObject,
}

impl Home {
    /// Calls a function of the host, and returns its answer as JSON.
    ///
    /// # Errors
    /// Those of the host; a retryable `AdapterError` if no time is left.
    pub(crate) fn ask(
        &self,
        host: &dyn HostObject,
        function: HostFunction,
        arguments: &impl Serialize,
        wait: &WaitOptions,
        cancel: &Cancel,
    ) -> Result<String> {
        let arguments = serde_json::to_string(arguments)
            .map_err(|cause| Error::validation("the argument cannot be serialized as JSON").because(cause))?;
        // A call with a lock time-out of zero still waits for the host's answer.
        let deadline = self.disk().work_deadline(wait, self.config().adapter_timeout);
        let (remaining, timeout) = (deadline.left(), deadline.timeout);
        if remaining.is_zero() {
            let message =
                format!("the call timed out before {} was called; try again", function.in_errors(function.name()));
            return Err(Error::new(ErrorKind::Adapter, message).mark_retryable());
        }
        // While it holds a lease, this thread is within that call.
        let within = Caller::current().within.unwrap_or_default();
        host.call(HostCall { function, arguments, within, remaining, timeout, cancel })
    }

    /// The tokenizer of the host, if it has one.
    ///
    /// # Errors
    /// `Misuse` if the running call blocks the thread that the tokenizer needs.
    pub(crate) fn tokenizer(&self) -> Result<Option<Tokenizer<'_>>> {
        let Some(host) = self.lent_tokenizer() else { return Ok(None) };
        if Caller::current().blocks_host_thread {
            let message =
                "this call would block the thread on which the tokenizer runs; use an asynchronous call there";
            return Err(Error::new(ErrorKind::Misuse, message));
        }
        host.check()?;
        Ok(Some(Tokenizer { home: self, host }))
    }
}

impl Tokenizer<'_> {
    /// How many tokens `text` has. The host may call loopmem meanwhile, so no lock may be held.
    ///
    /// # Errors
    /// `AdapterError` with the host's own error as its cause, or for an answer that is no number; `Cancelled`.
    pub(crate) fn count(&self, text: &str) -> Result<usize> {
        let wait = self.home.wait_options();
        let answer = self.home.ask(self.host, HostFunction::CountTokens, &(text,), wait, &wait.cancel)?;
        answer.parse().map_err(|_| {
            Error::new(ErrorKind::Adapter, "the tokenizer must return a whole number of tokens, 0 or more")
        })
    }
}
