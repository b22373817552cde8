//! The host's callback for the progress of a call, and a call on the JavaScript thread.
//!
//! A call on one of the core's threads passes its reports through a threadsafe function and does not wait for it. The last of
//! them also travels with the answer, since that may overtake it. A call on the JavaScript thread calls back directly.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

use loopmem::{CallOptions, Cancel, Error, ErrorKind, Result};
use napi::Status;
use napi::bindgen_prelude::{Env, FnArgs, Function as JsFunction, JsObjectValue, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};

/// How many steps are done, and of how many.
type Arguments = FnArgs<(i64, i64)>;
/// The callback. It never throws.
pub(crate) type Report<'env> = JsFunction<'env, Arguments, ()>;
type Channel = ThreadsafeFunction<Arguments, (), Arguments, Status, false, true>;

/// The last report of a call.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastReport(Arc<Mutex<Option<(i64, i64)>>>);

impl LastReport {
    fn set(&self, report: (i64, i64)) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
    }

    pub(crate) fn get(&self) -> Option<(i64, i64)> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The options for a call on another thread, which reports to `callback` if there is one.
///
/// # Errors
/// `Misuse` if the environment is closing.
pub(crate) fn sending(options: CallOptions, callback: Option<&Report<'_>>, last: &LastReport) -> Result<CallOptions> {
    let Some(callback) = callback else { return Ok(options) };
    let builder = callback.build_threadsafe_function::<Arguments>().callee_handled::<false>().weak::<true>();
    let channel: Channel = builder.build().map_err(|cause| unusable(&cause))?;
    let last = last.clone();
    Ok(options.progress(move |done, total| {
        let report = numbers(done, total);
        last.set(report);
        // If the environment is closing, the report has no receiver.
        let _ = channel.call(report.into(), ThreadsafeFunctionCallMode::NonBlocking);
    }))
}

thread_local! {
    /// The environment of the call that blocks this thread.
    static BLOCKED: Cell<Option<Env>> = const { Cell::new(None) };
}

/// The options for a call that blocks this thread, in which [`blocking`] runs it.
///
/// # Errors
/// `Misuse` if the environment is closing.
pub(crate) fn calling(options: CallOptions, callback: Option<&Report<'_>>) -> Result<CallOptions> {
    let Some(callback) = callback else { return Ok(options) };
    let callback = callback.create_ref().map_err(|cause| unusable(&cause))?;
    Ok(options.progress(move |done, total| {
        if let Some(env) = BLOCKED.get() {
            // A report that cannot be made does not affect the call.
            let _ = callback.borrow_back(&env).and_then(|callback| callback.call(numbers(done, total).into()));
        }
    }))
}

/// Runs `body`, which blocks the thread of this environment.
pub(crate) fn blocking<T>(env: Env, body: impl FnOnce() -> T) -> T {
    let _outer = Outer(BLOCKED.replace(Some(env)));
    body()
}

/// A request that is made when the environment of the call that blocks this thread is ending: its worker was terminated, or the
/// process exits, which waits for its workers.
pub(crate) fn ending() -> Cancel {
    Cancel::polling(|| {
        // What can run JavaScript, such as a getter, is refused then.
        BLOCKED.get().is_some_and(|env| {
            env.get_global().and_then(|global| global.get_named_property::<Unknown<'_>>("undefined")).is_err()
        })
    })
}

/// What [`BLOCKED`] was before, restored on drop.
struct Outer(Option<Env>);

impl Drop for Outer {
    fn drop(&mut self) {
        BLOCKED.set(self.0);
    }
}

fn numbers(done: u64, total: u64) -> (i64, i64) {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    (number(done), number(total))
}

fn unusable(cause: &napi::Error) -> Error {
    Error::new(ErrorKind::Misuse, "this environment can no longer call back").because(cause)
}
