//! The Python module: text of JSON in, text of JSON out. The package beside it is what people use.
//!
//! Nothing waits under the interpreter's lock. A wait on the main thread answers Ctrl-C: the call is cancelled and
//! `KeyboardInterrupt` raised. Every export is guarded, since a panic would surface as a `BaseException`.

mod options;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loopmem::disk::Cancel;
use loopmem::methods::{CallOptions, dispatch, guard, submit};
use loopmem::{Error, ErrorKind, Options, Result, Store};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Whether the call succeeded, and its result or its error as JSON.
type Answer = (bool, String);

/// An open store.
#[pyclass(frozen, module = "loopmem._native")]
struct NativeStore {
    /// `None` once it is closed.
    store: Mutex<Option<Store>>,
}

/// A request to stop waiting.
#[pyclass(frozen, module = "loopmem._native")]
struct NativeCancel {
    cancel: Cancel,
}

#[pymethods]
impl NativeStore {
    /// The store that `options` describes, or the error as JSON.
    #[staticmethod]
    fn open(py: Python<'_>, options: &Bound<'_, PyDict>) -> (Option<Self>, String) {
        let opened = options::as_json(options)
            .and_then(|options| py.detach(|| guard(|| Store::open(Options::from_json(&options)?))));
        match opened {
            Ok(store) => (Some(NativeStore { store: Mutex::new(Some(store)) }), String::new()),
            Err(error) => (None, error.to_json()),
        }
    }

    /// Calls a method and waits for it without the interpreter's lock.
    fn call(
        &self,
        py: Python<'_>,
        method: &str,
        params: &str,
        timeout_ms: Option<u32>,
        cancel: Option<&NativeCancel>,
    ) -> PyResult<Answer> {
        let interrupt = Interrupt::default();
        let options = CallOptions { timeout_ms, cancel: interrupt.or(cancel) };
        let outcome = py.detach(|| guard(|| dispatch(&self.open_store()?, method, params, options)));
        match interrupt.raised() {
            Some(raised) if outcome.is_err() => Err(raised),
            _ => Ok(answer(outcome)),
        }
    }

    /// Calls a method on a thread of the core's; `done(succeeded, text)` is called there.
    fn submit(
        &self,
        method: String,
        params: String,
        timeout_ms: Option<u32>,
        cancel: Option<&NativeCancel>,
        done: Py<PyAny>,
    ) {
        let options =
            CallOptions { timeout_ms, cancel: cancel.map(|cancel| cancel.cancel.clone()).unwrap_or_default() };
        let done = move |outcome: Result<String>| {
            // An interpreter that is shutting down has nobody left to tell.
            Python::try_attach(|py| {
                if let Err(raised) = done.call1(py, answer(outcome)) {
                    raised.write_unraisable(py, None);
                }
            });
        };
        match guard(|| self.open_store()) {
            Ok(store) => submit(&store, method, params, options, done),
            Err(closed) => done(Err(closed)),
        }
    }

    /// Closes the store. Calls that are under way finish; later ones are `Misuse`. Closing again does nothing.
    fn close(&self) {
        drop(self.lock().take());
    }
}

impl NativeStore {
    fn open_store(&self) -> Result<Store> {
        self.lock().clone().ok_or_else(|| Error::new(ErrorKind::Misuse, "this store is closed; open another one"))
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

    /// Asks the calls that were given this request to stop waiting.
    fn request(&self) {
        self.cancel.cancel();
    }
}

/// A signal's exception, raised by its handler while the main thread waited.
#[derive(Default)]
struct Interrupt(Arc<Mutex<Option<PyErr>>>);

impl Interrupt {
    /// A request that is made by a signal, or by `cancel`.
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

fn answer(outcome: Result<String>) -> Answer {
    match outcome {
        Ok(result) => (true, result),
        Err(error) => (false, error.to_json()),
    }
}

/// The native half of `loopmem`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{NativeCancel, NativeStore};
}
