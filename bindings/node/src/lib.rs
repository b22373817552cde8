//! The native Node module: strings of JSON in, strings of JSON out. The TypeScript package on top of it is the public
//! API.
//!
//! Calls that return a Promise run on the core's own threads, never on libuv's pool. Every export is guarded: a panic
//! in a plain napi function would abort Node. An answer is an object with `result` or `error`, since a rejected Promise
//! would lose the error's kind on the way. It also carries the events for the host's logger.

mod host;
mod progress;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loopmem::methods::{
    Event, Host, HostObject, JsonText, Redactions, answer, guard, lend, redactions_as_json, refusal, refused, spawn,
    submit,
};
use loopmem::safety::Redactor;
use loopmem::{CallOptions, Cancel, Error, ErrorKind, Options, Result, Store};
use napi::bindgen_prelude::{Env, JsObjectValue, JsValue, Object, ToNapiValue};
use napi_derive::napi;

use host::{Dispatch, Listener, NodeObject, events};
use progress::{LastReport, Report, blocking};

/// The version of this module.
#[napi]
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Whether this is a development build.
#[napi]
pub const DEBUG: bool = cfg!(debug_assertions);

/// The message for input that is nested too deeply, the same in every language.
#[napi]
pub const TOO_DEEP: &str = loopmem::methods::TOO_DEEP;

/// Runs the command `loopmem`, once in a process, and returns its exit status. `program` are the words that start it.
#[napi]
#[must_use]
pub fn run_command(program: Vec<String>, arguments: Vec<String>) -> u32 {
    let words = |words: Vec<String>| words.into_iter().map(Into::into).collect();
    loopmem_cli::run(words(program), words(arguments)).into()
}

/// An open store.
#[napi]
#[derive(Debug)]
pub struct NativeStore {
    /// `None` once it is closed.
    store: Mutex<Option<Store>>,
    /// Its redactor, for messages of the package itself, also after the store is closed.
    redactor: Redactor,
}

/// A cancel request.
#[napi]
#[derive(Debug)]
pub struct NativeCancel {
    cancel: Cancel,
}

/// The outcome of a call: a result or an error, followed by the events for the host's logger.
#[derive(Debug)]
pub struct Answer<T>(Result<T>, Vec<Event>);

/// The outcome of a call of a method. A text that the core keeps has a number (`kept`), and is left out when the caller
/// says that it has the text of this number.
#[derive(Debug)]
pub struct TextAnswer {
    outcome: Result<JsonText>,
    events: Vec<Event>,
    known: Option<u64>,
    /// What the call redacted, as a JSON list.
    redactions: Option<String>,
    /// The last report of its progress.
    progress: Option<(i64, i64)>,
}

/// JSON text. Most of it is ASCII, which V8 accepts without decoding.
#[derive(Debug)]
struct Text(JsonText);

#[napi]
impl NativeStore {
    /// The store that `options` describes, or the error. `functions` are those of the host's own adapter, if
    /// it has one; `listens` says whether there is a logger, and `counts` whether there is a tokenizer. `dispatch` calls
    /// the adapter and the tokenizer.
    #[napi(ts_return_type = "{ result?: NativeStore, error?: string }")]
    pub fn open_sync(
        options: String,
        functions: Option<Vec<String>>,
        dispatch: Option<Dispatch<'_>>,
        listens: Option<bool>,
        counts: Option<bool>,
    ) -> Answer<NativeStore> {
        Answer::of(guard(|| open(&options, lent(functions, dispatch, listens, counts)?)))
    }

    /// As `openSync`, without blocking the event loop.
    #[napi(ts_return_type = "{ result?: Promise<{ result?: NativeStore, error?: string }>, error?: string }")]
    pub fn open<'env>(
        env: &'env Env,
        options: String,
        functions: Option<Vec<String>>,
        dispatch: Option<Dispatch<'env>>,
        listens: Option<bool>,
        counts: Option<bool>,
    ) -> Answer<Object<'env>> {
        Answer::of(guard(|| {
            let host = lent(functions, dispatch, listens, counts)?;
            let (deferred, promise) = env.create_deferred().map_err(|cause| no_promise(&cause))?;
            spawn(move || {
                let opened = guard(|| open(&options, host));
                deferred.resolve(move |_| Ok(Answer::of(opened)));
            });
            Ok(promise)
        }))
    }

    /// Calls a method and waits for it. `within` is the adapter call that makes this call, if any, and `kept` the
    /// number of the text that the caller has. `progress` is called on this thread.
    #[napi(
        ts_return_type = "{ result?: string, kept?: number, error?: string, redactions?: string, events?: string[] }"
    )]
    #[allow(
        clippy::too_many_arguments,
        reason = "JavaScript passes them by position; an object would be read member by member"
    )]
    pub fn call_sync(
        &self,
        env: &Env,
        method: String,
        params: String,
        timeout_ms: Option<u32>,
        within: Option<i64>,
        kept: Option<i64>,
        progress: Option<Report<'_>>,
    ) -> TextAnswer {
        let redactions = Redactions::new();
        let options = CallOptions::new()
            .timeout(timeout_ms.map(|ms| Duration::from_millis(ms.into())))
            .within(number(within))
            .redactions(&redactions)
            .cancel(&progress::ending())
            .blocks_host_thread();
        let outcome = guard(|| {
            let store = self.open_store(&method)?.with(progress::calling(options, progress.as_ref())?);
            blocking(*env, || answer(&store, &method, &params))
        });
        TextAnswer::new(outcome, number(kept), &redactions)
    }

    /// Calls a method on one of the core's threads.
    #[napi(
        ts_return_type = "{ result?: Promise<{ result?: string, kept?: number, error?: string, redactions?: string, progress?: number[], events?: string[] }>, error?: string }"
    )]
    #[allow(
        clippy::too_many_arguments,
        reason = "JavaScript passes them by position; an object would be read member by member"
    )]
    pub fn call<'env>(
        &self,
        env: &'env Env,
        method: String,
        params: String,
        timeout_ms: Option<u32>,
        cancel: Option<&NativeCancel>,
        within: Option<i64>,
        kept: Option<i64>,
        progress: Option<Report<'env>>,
    ) -> Answer<Object<'env>> {
        let known = number(kept);
        let cancel = cancel.map(|cancel| cancel.cancel.clone()).unwrap_or_default();
        let redactions = Redactions::new();
        let options = CallOptions::new()
            .timeout(timeout_ms.map(|ms| Duration::from_millis(ms.into())))
            .cancel(&cancel)
            .redactions(&redactions)
            .within(number(within));
        let last = LastReport::default();
        Answer::of(guard(|| {
            let store = self.open_store(&method)?.with(progress::sending(options, progress.as_ref(), &last)?);
            let (deferred, promise) = env.create_deferred().map_err(|cause| no_promise(&cause))?;
            submit(&store, method, params, move |outcome| {
                let answer = TextAnswer { progress: last.get(), ..TextAnswer::new(outcome, known, &redactions) };
                deferred.resolve(move |_| Ok(answer));
            });
            Ok(promise)
        }))
    }

    /// A store on the adapter of this one, with the host's logger and tokenizer. `options` are those of a store.
    #[napi(ts_return_type = "{ result?: NativeStore, error?: string }")]
    pub fn lend(
        &self,
        options: String,
        dispatch: Option<Dispatch<'_>>,
        listens: Option<bool>,
        counts: Option<bool>,
    ) -> Answer<NativeStore> {
        Answer::of(guard(|| {
            let store = self.open_store("open")?;
            Ok(NativeStore::of(lend(&store, &options, lent(None, dispatch, listens, counts)?)?))
        }))
    }

    /// As the function `refusal`, by the rules of this store.
    #[napi]
    pub fn refusal(&self, code: String, message: String, operation: Option<String>, cause: Option<String>) -> String {
        refusal_json(Some(&self.redactor), &code, &message, operation.as_deref(), cause.as_deref())
    }

    /// Closes the store. Calls in progress finish; later ones are `Misuse`. Closing again does nothing.
    #[napi(ts_return_type = "{ result?: undefined, error?: string }")]
    pub fn close(&self) -> Answer<()> {
        Answer::of(guard(|| {
            drop(self.lock().take());
            Ok(())
        }))
    }

    fn open_store(&self, method: &str) -> Result<Store> {
        self.lock().clone().ok_or_else(|| {
            let error = Error::new(ErrorKind::Misuse, "this store is closed; open another one");
            refused(Some(&self.redactor), error, Some(method))
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Store>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[napi]
impl NativeCancel {
    /// Creates a request that has not been triggered.
    #[napi(constructor)]
    #[allow(clippy::new_without_default, reason = "a constructor of JavaScript's")]
    pub fn new() -> Self {
        NativeCancel { cancel: guard(|| Ok(Cancel::new())).unwrap_or_default() }
    }

    /// Cancels the waiting calls that were given this request.
    #[napi(ts_return_type = "{ result?: undefined, error?: string }")]
    pub fn request(&self) -> Answer<()> {
        Answer::of(guard(|| {
            self.cancel.cancel();
            Ok(())
        }))
    }
}

/// The error, as JSON, for input that the package refuses itself: with this code, and without a secret that the caller
/// passed.
#[napi(js_name = "refusal")]
pub fn refusal_outside(code: String, message: String, operation: Option<String>, cause: Option<String>) -> String {
    refusal_json(None, &code, &message, operation.as_deref(), cause.as_deref())
}

fn refusal_json(
    redactor: Option<&Redactor>,
    code: &str,
    message: &str,
    operation: Option<&str>,
    cause: Option<&str>,
) -> String {
    guard(|| Ok(refusal(redactor, code, message, operation, cause))).unwrap_or_else(|error| error).to_json()
}

fn open(options: &str, host: Host) -> Result<NativeStore> {
    Ok(NativeStore::of(Store::builder().options(Options::from_json(options)?).host(host).open()?))
}

impl NativeStore {
    fn of(store: Store) -> Self {
        NativeStore { redactor: store.redactor().clone(), store: Mutex::new(Some(store)) }
    }
}

/// What the host provides to a store.
fn lent(
    functions: Option<Vec<String>>,
    dispatch: Option<Dispatch<'_>>,
    listens: Option<bool>,
    counts: Option<bool>,
) -> Result<Host> {
    let mut host = Host::default();
    if let Some(dispatch) = dispatch {
        let is_adapter = functions.is_some();
        let object: Arc<dyn HostObject> = Arc::new(NodeObject::new(functions.unwrap_or_default(), &dispatch)?);
        host.tokenizer = (counts == Some(true)).then(|| Arc::clone(&object));
        host.adapter = is_adapter.then_some(object);
    }
    if listens == Some(true) {
        host.logger = Some(Arc::new(Listener));
    }
    Ok(host)
}

fn number(within: Option<i64>) -> Option<u64> {
    within.and_then(|within| u64::try_from(within).ok())
}

fn no_promise(cause: &napi::Error) -> Error {
    Error::new(ErrorKind::Misuse, "this environment can no longer create promises").because(cause)
}

impl<T> Answer<T> {
    /// An outcome without log events.
    fn of(outcome: Result<T>) -> Self {
        Answer(outcome, Vec::new())
    }
}

impl<T: ToNapiValue> ToNapiValue for Answer<T> {
    #[allow(unsafe_code, reason = "the trait is how napi converts a value")]
    unsafe fn to_napi_value(env: napi::sys::napi_env, answer: Self) -> napi::Result<napi::sys::napi_value> {
        let Answer(outcome, events) = answer;
        let mut object = Object::new(&Env::from_raw(env))?;
        match outcome {
            Ok(result) => object.set_named_property("result", result)?,
            Err(error) => object.set_named_property("error", error.to_json())?,
        }
        set_events(&mut object, events)?;
        Ok(object.raw())
    }
}

impl TextAnswer {
    /// The outcome of a call on this thread, whose events have been collected.
    fn new(outcome: Result<JsonText>, known: Option<u64>, redactions: &Redactions) -> Self {
        let redactions = guard(|| Ok(redactions_as_json(redactions))).unwrap_or_default();
        TextAnswer { outcome, events: events(), known, redactions, progress: None }
    }
}

impl ToNapiValue for TextAnswer {
    #[allow(unsafe_code, reason = "the trait is how napi converts a value")]
    unsafe fn to_napi_value(env: napi::sys::napi_env, answer: Self) -> napi::Result<napi::sys::napi_value> {
        let mut object = Object::new(&Env::from_raw(env))?;
        match answer.outcome {
            Ok(text) => {
                let number = text.id().filter(|number| i64::try_from(*number).is_ok());
                if let Some(number) = number {
                    object.set_named_property("kept", number.cast_signed())?;
                }
                if number.is_none() || number != answer.known {
                    object.set_named_property("result", Text(text))?;
                }
            }
            Err(error) => object.set_named_property("error", error.to_json())?,
        }
        if let Some(redactions) = answer.redactions {
            object.set_named_property("redactions", redactions)?;
        }
        if let Some((done, total)) = answer.progress {
            object.set_named_property("progress", vec![done, total])?;
        }
        set_events(&mut object, answer.events)?;
        Ok(object.raw())
    }
}

fn set_events(object: &mut Object<'_>, events: Vec<Event>) -> napi::Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    // Three texts each: a list of texts is faster to create than objects.
    let texts = events.into_iter().flat_map(|event| [event.level.as_str().to_owned(), event.message, event.payload]);
    object.set_named_property("events", texts.collect::<Vec<_>>())
}

impl ToNapiValue for Text {
    #[allow(unsafe_code, reason = "napi has no safe function that creates a Latin-1 string")]
    unsafe fn to_napi_value(env: napi::sys::napi_env, text: Self) -> napi::Result<napi::sys::napi_value> {
        let Text(json) = text;
        let text = json.as_str();
        if !text.is_ascii() {
            // SAFETY: the caller guarantees the environment.
            return unsafe { <&str>::to_napi_value(env, text) };
        }
        let length =
            isize::try_from(text.len()).map_err(|_| napi::Error::from_reason("the answer is too long for a string"))?;
        let mut value = std::ptr::null_mut();
        // SAFETY: the caller guarantees the environment, the text has this length, and V8 copies it.
        let status = unsafe { napi::sys::napi_create_string_latin1(env, text.as_ptr().cast(), length, &raw mut value) };
        napi::check_status!(status, "could not create a string for the answer").map(|()| value)
    }
}
