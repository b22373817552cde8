//! The native Python module: JSON text in, JSON text out. The package on top of it is the public API.
//!
//! Nothing blocks under the interpreter's lock. A wait on the main thread reacts to Ctrl-C: the call is cancelled and
//! `KeyboardInterrupt` is raised. Every export is guarded, since a panic would surface as a `BaseException`.

mod delivery;
mod host;
mod options;

use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use loopmem::methods::{
    Host, JsonText, Logger, Redactions, answer, guard, lend, redactions_as_json, refused, submit, writes,
};
use loopmem::safety::Redactor;
use loopmem::{CallOptions, Cancel, Error, ErrorKind, Options, Result, Store};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use host::{NativeSignal, PythonLogger, PythonObject, Raised, raised, raising, reporting};

/// Whether the call succeeded, its result or its error as JSON, the exceptions that the error's `thrown` is an index
/// into, and what the call redacted as a JSON list.
type Answer = (bool, Py<PyString>, Vec<Py<PyAny>>, Option<String>);

/// The last text that the core keeps as well, and its number: while nothing changes, Python gets the same string. Only
/// locked under the interpreter's lock.
type KeptText = Arc<Mutex<Option<(u64, Py<PyString>)>>>;

/// An open store.
#[pyclass(frozen, module = "loopmem._native")]
struct NativeStore {
    /// `None` once it is closed. Only locked under the interpreter's lock, so that a fork in Python never finds it
    /// locked.
    store: Mutex<Option<Store>>,
    /// Its redactor, for messages of the package itself, also after the store is closed.
    redactor: Redactor,
    /// The context variable with the call of the host's own adapter that Python is running in.
    within: Option<Py<PyAny>>,
    kept: KeptText,
}

/// A cancel request.
#[pyclass(frozen, module = "loopmem._native")]
struct NativeCancel {
    cancel: Cancel,
}

impl NativeStore {
    fn of(store: Store, within: Option<Py<PyAny>>) -> Self {
        NativeStore {
            redactor: store.redactor().clone(),
            store: Mutex::new(Some(store)),
            within,
            kept: KeptText::default(),
        }
    }
}

/// What the host provides to a store: an `Adapter` and a `Logger` of `loopmem._host`.
fn host(adapter: Option<&Bound<'_, PyAny>>, logger: Option<Py<PyAny>>) -> PyResult<Host> {
    let host = Host::default().logger(logger.map(|logger| Arc::new(PythonLogger(logger)) as Arc<dyn Logger>));
    Ok(match adapter {
        Some(adapter) => PythonObject::new(adapter)?.lend(host),
        None => host,
    })
}

#[pymethods]
impl NativeStore {
    /// The store that `options` describes, or the error as JSON. `adapter` and `logger` are those of `loopmem._host`.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        options: &Bound<'_, PyDict>,
        adapter: Option<&Bound<'_, PyAny>>,
        logger: Option<Py<PyAny>>,
    ) -> PyResult<(Option<Self>, String)> {
        let within = adapter.map(|adapter| adapter.getattr("within")).transpose()?.map(Bound::unbind);
        let host = host(adapter, logger)?;
        Ok(or_error(guard(|| {
            let options = options::as_json(options).map_err(|error| refused(None, error, None))?;
            let store = py.detach(|| Store::builder().options(Options::from_json(&options)?).host(host).open())?;
            Ok(NativeStore::of(store, within))
        })))
    }

    /// A store on the adapter of this one, or the error as JSON. `adapter` has the tokenizer.
    fn lend(
        &self,
        py: Python<'_>,
        options: &Bound<'_, PyDict>,
        adapter: Option<&Bound<'_, PyAny>>,
        logger: Option<Py<PyAny>>,
    ) -> PyResult<(Option<Self>, String)> {
        let within = adapter.map(|adapter| adapter.getattr("within")).transpose()?.map(Bound::unbind);
        let within = within.or_else(|| self.within.as_ref().map(|within| within.clone_ref(py)));
        let host = host(adapter, logger)?;
        Ok(or_error(guard(|| {
            let options = options::as_json(options).map_err(|error| refused(None, error, None))?;
            let store = self.open_store("open")?;
            Ok(NativeStore::of(py.detach(|| lend(&store, &options, host))?, within))
        })))
    }

    /// Calls a method and waits for it without the interpreter's lock. `progress(done, total)` is called on this thread.
    fn call(
        &self,
        py: Python<'_>,
        method: &str,
        params: &str,
        timeout_ms: Option<u32>,
        cancel: Option<&NativeCancel>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Answer> {
        let interrupt = Interrupt::default();
        let redactions = Redactions::new();
        let cancel = interrupt.or(cancel);
        let options = self
            .within(py)?
            .timeout(timeout_ms.map(|ms| Duration::from_millis(ms.into())))
            .redactions(&redactions)
            .cancel(&cancel);
        let options = match progress {
            Some(progress) => reporting(options, progress, cancel),
            None => options,
        };
        let store = self.open_store(method);
        let (outcome, mut raised) = raising(|| py.detach(|| guard(|| answer(&store?.with(options), method, params))));
        if let Some(passing) = raised.passing.take() {
            return Err(passing);
        }
        match interrupt.raised() {
            Some(raised) if outcome.is_err() => Err(raised),
            _ => Ok(to_answer(py, &self.kept, outcome, raised, &redactions)),
        }
    }

    /// Calls a method on one of the core's threads; `progress(done, total)` and `done(succeeded, text, thrown)` are called
    /// there, unless the interpreter ends first. Returns the cancel request of this call, or the error as JSON.
    #[allow(
        clippy::too_many_arguments,
        reason = "Python passes them by position; an object would be read member by member"
    )]
    fn submit(
        &self,
        py: Python<'_>,
        method: String,
        params: String,
        timeout_ms: Option<u32>,
        cancel: Option<&NativeCancel>,
        progress: Option<Py<PyAny>>,
        done: Py<PyAny>,
    ) -> PyResult<(Option<NativeCancel>, String)> {
        let shared = cancel.map(|cancel| cancel.cancel.clone()).unwrap_or_default();
        let cancel = Cancel::polling(move || shared.is_cancelled() || delivery::has_ended());
        let redactions = Redactions::new();
        let options = self
            .within(py)?
            .timeout(timeout_ms.map(|ms| Duration::from_millis(ms.into())))
            .redactions(&redactions)
            .cancel(&cancel);
        let options = match progress {
            Some(progress) => reporting(options, progress, cancel.clone()),
            None => options,
        };
        let kept = Arc::clone(&self.kept);
        let done = move |outcome: Result<JsonText>| {
            let mut raised = raised();
            delivery::deliver(|py| {
                // An exception that ends the program is only raised on its own thread.
                if let Some(passing) = raised.passing.take() {
                    passing.write_unraisable(py, None);
                }
                if let Err(raised) = done.call1(py, to_answer(py, &kept, outcome, raised, &redactions)) {
                    raised.write_unraisable(py, None);
                }
            });
        };
        let store = self.open_store(&method);
        // This locks a queue of the core, which no thread may wait for under the interpreter's lock.
        Ok(or_error(py.detach(|| {
            guard(|| {
                if delivery::has_ended() {
                    return Err(Error::new(ErrorKind::Misuse, "the interpreter is ending; call a blocking Store now"));
                }
                submit(&store?.with(options), method, params, done);
                Ok(NativeCancel { cancel })
            })
        })))
    }

    /// As the function `refusal`, by the rules of this store.
    #[pyo3(signature = (code, message, operation=None))]
    fn refusal(&self, code: &str, message: &str, operation: Option<&str>) -> String {
        refusal_json(Some(&self.redactor), code, message, operation)
    }

    /// The error for a result that Python cannot read; the call itself has been made.
    fn unreadable(&self, message: &str, operation: &str) -> String {
        let error = Error::new(ErrorKind::Parse, message);
        let error = if writes(operation) { error.maybe_stored() } else { error };
        guard(|| Ok(refused(Some(&self.redactor), error, Some(operation)))).unwrap_or_else(|error| error).to_json()
    }

    /// Closes the store. Calls in progress finish; later ones are `Misuse`. Closing again does nothing. Returns the
    /// error as JSON, if any.
    fn close(&self, py: Python<'_>) -> Option<String> {
        let store = self.lock().take();
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        let close = || {
            drop(store);
            Ok(())
        };
        py.detach(|| guard(close)).err().map(|error| error.to_json())
    }
}

impl NativeStore {
    /// Tells the core which call of the host's own adapter a new call comes from.
    fn within(&self, py: Python<'_>) -> PyResult<CallOptions> {
        let within = match &self.within {
            Some(within) => within.call_method0(py, "get")?.extract(py)?,
            None => None,
        };
        Ok(CallOptions::new().within(within))
    }

    fn open_store(&self, method: &str) -> Result<Store> {
        self.lock().clone().ok_or_else(|| {
            let error = Error::new(ErrorKind::Misuse, "this store is closed; open another one");
            refused(Some(&self.redactor), error, Some(method))
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Store>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl NativeCancel {
    #[new]
    fn new() -> Self {
        NativeCancel { cancel: Cancel::new() }
    }

    /// Cancels the waiting calls that were given this request.
    fn request(&self) {
        self.cancel.cancel();
    }
}

/// The exception raised by a signal handler while the main thread waited.
#[derive(Default)]
struct Interrupt(Arc<Mutex<Option<PyErr>>>);

impl Interrupt {
    /// A request triggered by a signal, or by `cancel`.
    fn or(&self, cancel: Option<&NativeCancel>) -> Cancel {
        let raised = Arc::clone(&self.0);
        let cancel = cancel.map(|cancel| cancel.cancel.clone());
        Cancel::polling(move || {
            if cancel.as_ref().is_some_and(Cancel::is_cancelled) {
                return true;
            }
            let signal = Python::try_attach(|py| py.check_signals().err()).flatten();
            let interrupted = signal.is_some();
            if interrupted {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = signal;
            }
            interrupted
        })
    }

    fn raised(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn or_error<T>(outcome: Result<T>) -> (Option<T>, String) {
    match outcome {
        Ok(made) => (Some(made), String::new()),
        Err(error) => (None, error.to_json()),
    }
}

fn to_answer(
    py: Python<'_>,
    kept: &KeptText,
    outcome: Result<JsonText>,
    raised: Raised,
    redactions: &Redactions,
) -> Answer {
    let redactions = guard(|| Ok(redactions_as_json(redactions))).unwrap_or_default();
    match outcome {
        Ok(result) => (true, string(py, kept, &result), Vec::new(), redactions),
        Err(error) => {
            let thrown = raised.thrown.iter().map(|raised| raised.value(py).clone().into_any().unbind()).collect();
            (false, PyString::new(py, &error.to_json()).unbind(), thrown, redactions)
        }
    }
}

/// The text as a string: the one that was made of it before, if the core keeps it.
fn string(py: Python<'_>, kept: &KeptText, text: &JsonText) -> Py<PyString> {
    let new = || PyString::new(py, text.as_str()).unbind();
    let Some(number) = text.id() else { return new() };
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    match &*kept {
        Some((known, string)) if *known == number => string.clone_ref(py),
        _ => {
            let string = new();
            *kept = Some((number, string.clone_ref(py)));
            string
        }
    }
}

/// The error, as JSON, for input that the package refuses itself: with this code, and without a secret that the caller
/// passed.
#[pyfunction]
#[pyo3(signature = (code, message, operation=None))]
fn refusal(code: &str, message: &str, operation: Option<&str>) -> String {
    refusal_json(None, code, message, operation)
}

fn refusal_json(redactor: Option<&Redactor>, code: &str, message: &str, operation: Option<&str>) -> String {
    let made = guard(|| Ok(loopmem::methods::refusal(redactor, code, message, operation, None)));
    made.unwrap_or_else(|error| error).to_json()
}

/// Called before the interpreter is finalized: from then on, no thread of the core runs Python, and unanswered calls
/// stop waiting.
#[pyfunction]
fn end_deliveries(py: Python<'_>) {
    delivery::end(py);
}

/// Runs the command `loopmem`, once in a process, and returns its exit status. `program` are the words that start it.
#[pyfunction]
fn run_command(py: Python<'_>, program: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| loopmem_cli::run(program, arguments))
}

/// Reports an exception that cannot be raised, as Python does for those of finalizers. The default of
/// `sys.unraisablehook` takes an argument that only the interpreter can create.
#[pyfunction]
fn write_unraisable(py: Python<'_>, raised: Bound<'_, PyAny>, function: &Bound<'_, PyAny>) {
    PyErr::from_value(raised).write_unraisable(py, Some(function));
}

/// The native half of `loopmem`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{NativeCancel, NativeSignal, NativeStore, end_deliveries, refusal, run_command, write_unraisable};

    /// The message for input that is nested too deeply, the same in every language.
    #[pymodule_export]
    const TOO_DEEP: &str = loopmem::methods::TOO_DEEP;

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "a name of Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
