//! What the host provides to a store: its adapter, its tokenizer, and its logger.
//!
//! A call runs on one of the core's threads, and the host's functions run on the JavaScript thread. The core's
//! thread sends the function's name through a threadsafe function and waits for [`answer`] or [`refuse`] with the
//! call's number. It holds no mutex meanwhile, polls whether the call was cancelled or the environment is closing, and
//! gives up at its deadline. Log events travel with the answer of their call, so none of them is queued anywhere.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use loopmem::methods::{Event, HostCall, HostFunction, HostObject, Logger, guard};
use loopmem::{Error, ErrorKind, Result};
use napi::Status;
use napi::bindgen_prelude::{FnArgs, Function as JsFunction};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;

/// How often a thread that waits for JavaScript checks whether to stop waiting.
const POLL: Duration = Duration::from_millis(5);

/// The arguments of the dispatch function in JavaScript: the call's number, the function's name, its arguments as JSON,
/// and the call of loopmem that led to it.
type Arguments = FnArgs<(i64, &'static str, String, i64)>;

/// Calls the host. The answer arrives later, by number.
pub(crate) type Dispatch<'env> = JsFunction<'env, Arguments, ()>;

/// It does not keep the process alive: the promise of the call in progress does.
type Channel = ThreadsafeFunction<Arguments, (), Arguments, Status, false, true>;

/// The pending calls of JavaScript, of all environments.
static CALLS: Mutex<Calls> = Mutex::new(Calls { last: 0, waiting: BTreeMap::new() });

struct Calls {
    last: i64,
    waiting: BTreeMap<i64, SyncSender<Result<String>>>,
}

/// The host's own adapter and tokenizer.
pub(crate) struct NodeObject {
    /// Those of the adapter.
    functions: Vec<String>,
    channel: Channel,
    /// The thread that runs JavaScript.
    thread: ThreadId,
}

impl NodeObject {
    /// An adapter with these functions, and a tokenizer. `dispatch` calls both.
    ///
    /// # Errors
    /// `AdapterError` if the environment is closing.
    pub(crate) fn new(functions: Vec<String>, dispatch: &Dispatch<'_>) -> Result<Self> {
        let builder = dispatch.build_threadsafe_function::<Arguments>().callee_handled::<false>().weak::<true>();
        let channel = builder.build().map_err(|cause| closing().because(cause))?;
        Ok(NodeObject { functions, channel, thread: thread::current().id() })
    }

    fn wait(&self, call: &HostCall<'_>, answer: &Receiver<Result<String>>) -> Result<String> {
        let mut left = call.remaining;
        loop {
            let poll = left.min(POLL);
            match answer.recv_timeout(poll) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return Err(closing()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            call.cancel.check()?;
            if self.channel.aborted() {
                return Err(closing());
            }
            left = left.saturating_sub(poll);
            if left.is_zero() {
                let name = call.function.in_errors(call.function.name());
                return Err(failed(format!("{name} did not answer within {} ms", call.timeout.as_millis())));
            }
        }
    }
}

impl HostObject for NodeObject {
    fn offers(&self, function: HostFunction) -> bool {
        function == HostFunction::CountTokens || self.functions.iter().any(|name| name == function.name())
    }

    fn check(&self) -> Result<()> {
        if thread::current().id() == self.thread {
            let message = "this call would block the JavaScript thread, which must run the adapter or the tokenizer; \
                           await the asynchronous call instead";
            return Err(Error::new(ErrorKind::Misuse, message));
        }
        Ok(())
    }

    fn call(&self, mut call: HostCall<'_>) -> Result<String> {
        let (sender, answer) = sync_channel(1);
        let number = {
            let mut calls = lock();
            calls.last += 1;
            let number = calls.last;
            calls.waiting.insert(number, sender);
            number
        };
        let within = i64::try_from(call.within).unwrap_or_default();
        let arguments = (number, call.function.name(), std::mem::take(&mut call.arguments), within);
        let outcome = match self.channel.call(arguments.into(), ThreadsafeFunctionCallMode::NonBlocking) {
            Status::Ok => self.wait(&call, &answer),
            _ => Err(closing()),
        };
        // An answer that arrived at the last moment is still used: `answer` returned true for it.
        match lock().waiting.remove(&number) {
            Some(_) => outcome,
            None => answer.try_recv().unwrap_or(outcome),
        }
    }
}

impl fmt::Debug for NodeObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeObject").field("functions", &self.functions).finish_non_exhaustive()
    }
}

/// Takes the answer of a function of the host, as JSON; returns whether a call was still waiting for it.
#[napi]
pub(crate) fn answer(number: i64, json: String) -> bool {
    settle(number, Ok(json))
}

/// Takes the reason why a function of the host has no answer: the message, and for a thrown value its text and the
/// number under which JavaScript keeps it. Returns whether a call was still waiting.
#[napi]
pub(crate) fn refuse(number: i64, message: String, cause: Option<String>, thrown: Option<i64>) -> bool {
    let mut error = failed(message);
    if let Some(cause) = cause {
        error = error.because(cause);
    }
    if let Some(thrown) = thrown.and_then(|thrown| u64::try_from(thrown).ok()) {
        error = error.thrown(thrown);
    }
    settle(number, Err(error))
}

fn settle(number: i64, outcome: Result<String>) -> bool {
    let settled = guard(|| {
        let mut calls = lock();
        // Sent before any other thread can look: there is room for one message.
        Ok(calls.waiting.remove(&number).is_some_and(|sender| sender.send(outcome).is_ok()))
    });
    settled.unwrap_or(false)
}

fn lock() -> MutexGuard<'static, Calls> {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Adapter, message)
}

fn closing() -> Error {
    failed("the environment that the functions of the host run in is closing")
}

thread_local! {
    /// The log events of the call that ends on this thread.
    static EVENTS: RefCell<Vec<Event>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the events of a call for its answer.
#[derive(Debug)]
pub(crate) struct Listener;

impl Logger for Listener {
    fn log(&self, event: &Event) {
        EVENTS.with_borrow_mut(|events| events.push(event.clone()));
    }
}

/// The events of the call that has just ended on this thread.
pub(crate) fn events() -> Vec<Event> {
    EVENTS.take()
}
