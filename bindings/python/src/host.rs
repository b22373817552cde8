//! Adapters, tokenizers and loggers that are Python objects of the host. `loopmem._host` knows how to call them; this file decides
//! when, and handles what they raise.
//!
//! Python runs attached to the interpreter, on the thread of the call. While an event loop computes an answer, that
//! thread waits detached, with a time-out, and stops waiting if the call is cancelled or the interpreter ends.

use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use loopmem::methods::{Event, Host, HostCall, HostFunction, HostObject, Logger};
use loopmem::{CallOptions, Cancel, Error, ErrorKind, Result};
use pyo3::exceptions::{PyBaseException, PyException};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::delivery::{deliver, has_ended};

/// How often a waiting thread checks whether the call was cancelled.
const TICK: Duration = Duration::from_millis(20);
/// How often it checks whether the event loop still runs. That takes the interpreter lock, which hundreds of waiting
/// threads would keep busy.
const LOOP_TICK: Duration = Duration::from_millis(200);
/// Only for a loop of the host's: a private one runs until it is closed.
const STOPPED: &str = "the event loop that was running when the store was opened is no longer running";

/// An `Adapter` of `loopmem._host`: the functions of the host's adapter and tokenizer.
#[derive(Debug)]
pub(crate) struct PythonObject {
    adapter: Py<PyAny>,
    offered: Vec<HostFunction>,
    /// Whether it has the functions of an adapter.
    is_adapter: bool,
    /// Whether some of its functions are known to run on an event loop.
    is_async: bool,
}

impl PythonObject {
    pub(crate) fn new(adapter: &Bound<'_, PyAny>) -> PyResult<Self> {
        let functions = adapter.getattr("functions")?;
        let mut offered = Vec::new();
        for function in HostFunction::ALL.iter().copied() {
            if functions.contains(name(function))? {
                offered.push(function);
            }
        }
        let is_async = adapter.getattr("is_async")?.is_truthy()?;
        let is_adapter = adapter.getattr("is_adapter")?.is_truthy()?;
        Ok(PythonObject { adapter: adapter.clone().unbind(), offered, is_adapter, is_async })
    }

    /// Adds the adapter and the tokenizer that it is.
    pub(crate) fn lend(self, host: Host) -> Host {
        let (is_adapter, is_tokenizer) = (self.is_adapter, self.offers(HostFunction::CountTokens));
        let object: Arc<dyn HostObject> = Arc::new(self);
        host.tokenizer(is_tokenizer.then(|| Arc::clone(&object))).adapter(is_adapter.then_some(object))
    }

    /// Waits for a result from an event loop.
    fn wait(&self, call: &HostCall<'_>, pending: &Py<PyAny>) -> Result<String> {
        let function = &in_errors(call.function);
        let signal: Py<NativeSignal> = attached(function, |py| Ok(pending.getattr(py, "signal")?.extract(py)?))?;
        let asked = |what| attached(function, |py| pending.call_method0(py, what)?.is_truthy(py));
        let mut left = call.remaining;
        let mut unseen = Duration::ZERO;
        while !signal.get().wait(TICK.min(left)) {
            left = left.saturating_sub(TICK);
            unseen += TICK;
            let is_lost = unseen >= LOOP_TICK && {
                unseen = Duration::ZERO;
                asked("is_lost")?
            };
            let error = if is_lost {
                failure(format!("the event loop was closed before {function} answered"))
            } else if call.cancel.check().is_err() {
                let message = format!("the call was cancelled while it waited for {function}");
                Error::new(ErrorKind::Cancelled, format!("{message}, whose coroutine is cancelled too"))
            } else if left.is_zero() {
                let late = format!("{function} did not answer within {} ms", call.timeout.as_millis());
                failure(if asked("is_running")? { late } else { format!("{late}: {STOPPED}") })
            } else {
                continue;
            };
            attached(function, |py| pending.call_method0(py, "cancel"))?;
            return Err(error);
        }
        attached(function, |py| match pending.getattr(py, "raised")? {
            raised if raised.is_none(py) => Ok(Ok(pending.call_method0(py, "answer")?.extract(py)?)),
            raised => Ok(Err(failed(py, function, PyErr::from_value(raised.into_bound(py))))),
        })?
    }
}

impl HostObject for PythonObject {
    fn offers(&self, function: HostFunction) -> bool {
        self.offered.contains(&function)
    }

    fn check(&self) -> Result<()> {
        match self.is_async {
            true => attached("the adapter's functions", |py| self.adapter.call_method0(py, "check").map(drop)),
            false => Ok(()),
        }
    }

    fn call(&self, call: HostCall<'_>) -> Result<String> {
        let function = name(call.function);
        let answer = attached(&in_errors(call.function), |py| {
            let answer = self.adapter.bind(py).call_method1("call", (function, &call.arguments, call.within))?;
            match answer.cast::<PyString>() {
                Ok(text) => Ok(Ok(text.extract()?)),
                Err(_) => Ok(Err(answer.unbind())),
            }
        })?;
        answer.or_else(|pending| {
            let answer = self.wait(&call, &pending);
            if has_ended() {
                // The coroutine stays pending. Releasing it now would make asyncio warn that it was destroyed.
                std::mem::forget(pending);
            }
            answer
        })
    }
}

impl Drop for PythonObject {
    fn drop(&mut self) {
        deliver(|py| {
            if let Err(raised) = self.adapter.call_method0(py, "end") {
                raised.write_unraisable(py, None);
            }
        });
    }
}

/// A `Logger` of `loopmem._host`.
#[derive(Debug)]
pub(crate) struct PythonLogger(pub(crate) Py<PyAny>);

impl Logger for PythonLogger {
    fn log(&self, event: &Event) {
        deliver(|py| {
            let arguments = (event.level.as_str(), &event.message, &event.payload);
            if let Err(raised) = self.0.call_method1(py, "log", arguments) {
                report(py, raised, &self.0);
            }
        });
    }
}

/// The options for a call that reports to `progress`. It is cancelled if that raises what ends the program.
pub(crate) fn reporting(options: CallOptions, progress: Py<PyAny>, cancel: Cancel) -> CallOptions {
    options.progress(move |done, total| {
        deliver(|py| {
            let raised = progress.call1(py, (done, total)).err();
            if raised.is_some_and(|raised| report(py, raised, &progress)) {
                cancel.cancel();
            }
            // What it cancelled ends now, and not when the call next asks.
            let _ = cancel.check();
        });
    })
}

/// Reports what the host's object raised, which does not affect the call. What is not an `Exception` is kept, to be raised
/// when the call is over; then this returns true.
fn report(py: Python<'_>, raised: PyErr, by: &Py<PyAny>) -> bool {
    let ends_program = !raised.is_instance_of::<PyException>(py);
    if ends_program {
        RAISED.with_borrow_mut(|all| all.passing = Some(raised));
    } else {
        raised.write_unraisable(py, Some(by.bind(py)));
    }
    ends_program
}

/// Set by an event loop when it has an answer.
#[pyclass(frozen, module = "loopmem._native")]
pub(crate) struct NativeSignal {
    is_set: Mutex<bool>,
    changed: Condvar,
}

#[pymethods]
impl NativeSignal {
    #[new]
    fn new() -> Self {
        NativeSignal { is_set: Mutex::new(false), changed: Condvar::new() }
    }

    /// Wakes the waiting thread.
    fn set(&self) {
        *self.is_set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

impl NativeSignal {
    /// Whether it is set within `most`.
    fn wait(&self, most: Duration) -> bool {
        let is_set = self.is_set.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(is_set, most, |is_set| !*is_set);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// What the host's objects raised during the call that runs on this thread.
#[derive(Default)]
pub(crate) struct Raised {
    /// The exceptions that an error's `thrown` is an index into.
    pub(crate) thrown: Vec<PyErr>,
    /// What is not an `Exception`, such as `KeyboardInterrupt`: to be raised unchanged when the call is over.
    pub(crate) passing: Option<PyErr>,
}

thread_local! {
    static RAISED: RefCell<Raised> = RefCell::default();
}

/// Runs `body`, and returns what was raised. A nested call has its own list.
pub(crate) fn raising<T>(body: impl FnOnce() -> T) -> (T, Raised) {
    let _outer = Outer(RAISED.take());
    let value = body();
    (value, RAISED.take())
}

/// What was raised on this thread since the last query.
pub(crate) fn raised() -> Raised {
    RAISED.take()
}

/// The list of the enclosing call, which is restored in any case.
struct Outer(Raised);

impl Drop for Outer {
    fn drop(&mut self) {
        RAISED.set(std::mem::take(&mut self.0));
    }
}

/// Runs `body` attached to the interpreter, on behalf of `function`.
fn attached<T>(function: &str, body: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T> {
    let outcome = deliver(|py| {
        body(py).map_err(|raised| {
            if !raised.is_instance_of::<PyException>(py) {
                RAISED.with_borrow_mut(|all| all.passing = Some(raised.clone_ref(py)));
            }
            failed(py, function, raised)
        })
    });
    outcome.unwrap_or_else(|| Err(failure(format!("the interpreter is ending; {function} cannot run"))))
}

/// The error of a call in which the host raised an exception, which is kept as its cause.
fn failed(py: Python<'_>, function: &str, raised: PyErr) -> Error {
    let value = raised.value(py);
    if let Some(fault) = fault(value) {
        return fault;
    }
    let kind = raised.get_type(py).name().map_or_else(|_| "something".to_owned(), |name| name.to_string());
    let mut error = failure(format!("{function} raised {kind}"));
    if let Ok(text) = value.str()
        && text.len().is_ok_and(|length| length > 0)
    {
        error = error.because(text.to_string_lossy());
    }
    let number = RAISED.with_borrow_mut(|all| {
        all.thrown.push(raised);
        all.thrown.len() - 1
    });
    error.thrown(number as u64)
}

/// The error described by a `Fault` of `loopmem._host`; `None` for anything else.
fn fault(raised: &Bound<'_, PyBaseException>) -> Option<Error> {
    let class = raised.py().import("loopmem._host").ok()?.getattr("Fault").ok()?;
    if !raised.is_instance(&class).ok()? {
        return None;
    }
    let is_misuse = raised.getattr("is_misuse").ok()?.is_truthy().ok()?;
    let kind = if is_misuse { ErrorKind::Misuse } else { ErrorKind::Adapter };
    Some(Error::new(kind, raised.str().ok()?.to_string_lossy()))
}

fn failure(message: String) -> Error {
    Error::new(ErrorKind::Adapter, message)
}

/// A function as an error calls it.
fn in_errors(function: HostFunction) -> String {
    function.in_errors(name(function))
}

/// The name of a function in Python.
fn name(function: HostFunction) -> &'static str {
    match function {
        HostFunction::Del => "delete",
        HostFunction::GetList => "get_list",
        HostFunction::CompareAndSet => "compare_and_set",
        HostFunction::GetRange => "get_range",
        HostFunction::ListKeys => "list_keys",
        HostFunction::CountTokens => "count_tokens",
        HostFunction::Get | HostFunction::Set | HostFunction::Push => function.name(),
    }
}
