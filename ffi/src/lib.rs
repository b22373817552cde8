//! The C ABI of loopmem, and nothing else: a dozen functions, append-only, and the tables of functions that a host may
//! provide. `include/loopmem.h` is generated from this file; `docs/ABI.md` documents what is stable.
//!
//! Handles are slot numbers with a generation and are never dereferenced, so using a closed store is an error and not a
//! crash. Nothing unwinds or aborts across this boundary.

#![allow(non_camel_case_types, reason = "the names are C's")]
#![allow(unsafe_code, reason = "this is the boundary; every unsafe block says what the caller promised")]

mod answer;
mod grows;
mod host;
mod progress;
mod slots;
mod tokenizer;

use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::offset_of;
use std::time::Duration;

use loopmem_core::methods::{Redactions, dispatch, guard, redactions_as_json};
use loopmem_core::{CallOptions, Cancel, Error, ErrorKind, Options, Result, Store};
use once_cell::race::OnceBox;

use answer::{deliver, text};
use grows::Grows;
use host::Lent;
use progress::CProgress;
use slots::Slots;

static STORES: Slots<Store> = Slots::new();
static CANCELS: Slots<Cancel> = Slots::new();

/// The version of this ABI. It is incremented when functions or members are added; nothing is ever removed or changed.
pub const LOOPMEM_ABI_VERSION: u32 = 5;

/// A routine operation. Levels can be compared; later versions may have others in between.
pub const LOOPMEM_LOG_DEBUG: i32 = 10;
/// A less frequent operation.
pub const LOOPMEM_LOG_INFO: i32 = 20;
/// A condition that someone should know about but that stops nothing.
pub const LOOPMEM_LOG_WARN: i32 = 30;
/// A call failed.
pub const LOOPMEM_LOG_ERROR: i32 = 40;

/// 0 is success; any other number is one of `LOOPMEM_…_ERROR`. Later versions may return numbers that this header does
/// not know.
pub type loopmem_status = i32;

/// An open store. A plain number: copy it freely, use it from any thread. All zeros is not a store.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct loopmem_store {
    /// The slot and its generation. Opaque to hosts.
    pub id: u64,
}

/// A cancel request, shared by any number of calls. A plain number, like `loopmem_store`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct loopmem_cancel {
    /// The slot and its generation. Opaque to hosts.
    pub id: u64,
}

/// Text allocated by the library: `length` bytes of UTF-8, followed by a NUL that `length` does not count.
///
/// It belongs to the host, which must free it with `loopmem_buffer_free`.
#[repr(C)]
#[derive(Debug)]
pub struct loopmem_buffer {
    /// The text; NULL if there is none.
    pub data: *mut c_char,
    /// Its length in bytes.
    pub length: usize,
}

/// A call of one of the host's functions, valid until that function returns. A plain number, like `loopmem_store`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct loopmem_host_call {
    /// The slot and its generation. Opaque to hosts.
    pub id: u64,
}

/// The host's own storage for working contexts, logs and checkpoints. Set `size` to `sizeof(loopmem_adapter)` and
/// functions that are not offered to zero; later versions append members, as for `loopmem_host`.
///
/// Each function returns `LOOPMEM_OK`, or any other number if it failed: the call of loopmem then fails with
/// `AdapterError`, whose cause is the text that the function passed to `loopmem_host_fail`. A function returns its
/// result through `loopmem_host_answer`. Keys, values and items are UTF-8 with a length and without a NUL terminator;
/// values and items are JSON. They belong to the library and are valid until the function returns. See the top of this
/// header for threads, lifetimes and calls from within.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct loopmem_adapter {
    /// `sizeof(loopmem_adapter)` as the host was compiled.
    pub size: usize,
    /// Passed as the first argument of every function. The library does not look at it.
    pub ctx: *mut c_void,
    /// Answers with the value under `key`; with nothing if there is none.
    pub get: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            call: loopmem_host_call,
            key: *const c_char,
            key_length: usize,
        ) -> loopmem_status,
    >,
    /// Stores `value` under `key`, replacing any previous value.
    pub set: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            call: loopmem_host_call,
            key: *const c_char,
            key_length: usize,
            value: *const c_char,
            value_length: usize,
        ) -> loopmem_status,
    >,
    /// Deletes the value or the list under `key`. A missing key is not a failure.
    pub del: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            call: loopmem_host_call,
            key: *const c_char,
            key_length: usize,
        ) -> loopmem_status,
    >,
    /// Appends `item` to the list under `key`, which is created if it does not exist.
    pub push: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            call: loopmem_host_call,
            key: *const c_char,
            key_length: usize,
            item: *const c_char,
            item_length: usize,
        ) -> loopmem_status,
    >,
    /// Answers once for each item of the list under `key`, in the order in which they were pushed.
    pub get_list: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            call: loopmem_host_call,
            key: *const c_char,
            key_length: usize,
        ) -> loopmem_status,
    >,
    /// Called with `ctx` exactly once, after the store was closed and the last of its calls has ended. May be NULL.
    pub destroy: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
    /// Optional: stores `value` under `key` if the current value is still `expected`, and reports in `*is_set` whether
    /// it did. `expected` is what was answered, byte for byte except for white space around it, which is dropped; NULL
    /// if there was no value. Without this function, a change that another process or another store makes between a
    /// read and a write is lost.
    pub compare_and_set: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            call: loopmem_host_call,
            key: *const c_char,
            key_length: usize,
            expected: *const c_char,
            expected_length: usize,
            value: *const c_char,
            value_length: usize,
            is_set: *mut bool,
        ) -> loopmem_status,
    >,
    /// Optional: as `get_list`, from the item `start` on, counted from the end if it is negative: -2 is the last two,
    /// or all if there are fewer. Without this function, reading the last entries of a log reads all of it.
    pub get_range: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            call: loopmem_host_call,
            key: *const c_char,
            key_length: usize,
            start: i64,
        ) -> loopmem_status,
    >,
    /// Optional: answers once for each key that begins with `prefix`, with the key itself and not as JSON. Without this
    /// function, `working.listScopes` is `Unsupported`.
    pub list_keys: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            call: loopmem_host_call,
            prefix: *const c_char,
            prefix_length: usize,
        ) -> loopmem_status,
    >,
}

/// The host's logger, which is called after each call. Set `size` to `sizeof(loopmem_logger)`; later versions append
/// members, as for `loopmem_host`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct loopmem_logger {
    /// `sizeof(loopmem_logger)` as the host was compiled.
    pub size: usize,
    /// Passed as the first argument of every function. The library does not look at it.
    pub ctx: *mut c_void,
    /// Receives a sentence for people, and a JSON object with the same information for programs; neither contains a
    /// secret. `level` is one of `LOOPMEM_LOG_…`. Called on the thread of the call that it reports, when that call is
    /// over and holds no lock: it may call loopmem. Both texts are UTF-8 with a length and without a NUL terminator,
    /// and valid until the function returns.
    pub log: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            level: i32,
            message: *const c_char,
            message_length: usize,
            payload: *const c_char,
            payload_length: usize,
        ),
    >,
    /// Called with `ctx` exactly once, after the store was closed and the last of its calls has ended. May be NULL.
    pub destroy: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
}

/// The host's tokenizer, which counts tokens for limits in tokens such as `maxTokens` of `items.recall`. Set `size` to
/// `sizeof(loopmem_tokenizer)`; later versions append members, as for `loopmem_host`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct loopmem_tokenizer {
    /// `sizeof(loopmem_tokenizer)` as the host was compiled.
    pub size: usize,
    /// Passed as the first argument of every function. The library does not look at it.
    pub ctx: *mut c_void,
    /// Sets `*tokens` to the number of tokens of `text`, which is UTF-8 with a length and without a NUL terminator, and
    /// valid until the function returns. Returns `LOOPMEM_OK`, or any other number if it failed, as the functions of an
    /// adapter do. Called on the thread of the call that needs it, while no lock is held.
    pub count: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            call: loopmem_host_call,
            text: *const c_char,
            text_length: usize,
            tokens: *mut usize,
        ) -> loopmem_status,
    >,
    /// Called with `ctx` exactly once, after the store was closed and the last of its calls has ended. May be NULL.
    pub destroy: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
}

/// What a host provides to a store. Set `size` to `sizeof(loopmem_host)` and the rest to zero; later versions append
/// members. An older library accepts them if they are zero, and otherwise returns `Unsupported`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct loopmem_host {
    /// `sizeof(loopmem_host)` as the host was compiled.
    pub size: usize,
    /// Where to store working contexts, instead of what is configured. NULL: as configured. The table is read by
    /// `loopmem_open` and not kept; its functions and its `ctx` are used until `destroy`.
    pub adapter: *const loopmem_adapter,
    /// The logger. NULL: none. Read and used like the adapter.
    pub logger: *const loopmem_logger,
    /// The tokenizer. NULL: tokens are estimated, rather too many. Read and used like the adapter.
    pub tokenizer: *const loopmem_tokenizer,
}

/// Options of a single call. Set `size` to `sizeof(loopmem_call_options)` and the rest to zero for the
/// defaults; later versions append members, as for `loopmem_host`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct loopmem_call_options {
    /// `sizeof(loopmem_call_options)` as the host was compiled.
    pub size: usize,
    /// The maximum time that the call waits in total, in milliseconds: for locks, and for a server or an adapter. 0: as
    /// configured.
    pub timeout_ms: u32,
    /// The cancel request; all zeros: none.
    pub cancel: loopmem_cancel,
    /// For a call that a function of the host's adapter makes on a different thread than it was called on: the `call`
    /// that it was passed. All zeros: none. On the same thread, the library recognizes such a call without it.
    pub within: loopmem_host_call,
    /// Receives what the call redacted, as a JSON list of `Redaction`; empty if it redacted nothing or failed. Like an
    /// answer, it belongs to the host, which frees it with `loopmem_buffer_free`, and is written by every call whose options
    /// can be read. NULL: not asked for.
    pub redactions: *mut loopmem_buffer,
    /// Called with `progress_ctx`, the number of completed steps and the total while a long call runs. Calls that bring the
    /// index of a repository up to date report the files that were read, out of those to read: at most 101 times, first 0,
    /// last all. It runs on the thread of the call, which waits for it and may hold locks: calls of loopmem that it makes
    /// are `LOOPMEM_MISUSE`, but it may trigger a cancel request. NULL: not asked for.
    pub progress: Option<unsafe extern "C" fn(progress_ctx: *mut c_void, done: u64, total: u64)>,
    /// Passed to `progress`. The library does not look at it.
    pub progress_ctx: *mut c_void,
}

// SAFETY: `repr(C)`, its size first, and every other member may be NULL.
unsafe impl Grows for loopmem_host {
    const NAME: &'static str = "loopmem_host";
    const FIRST_SIZE: usize = size_of::<usize>();
}

// SAFETY: `repr(C)`, its size first, and every other member may be NULL.
unsafe impl Grows for loopmem_adapter {
    const NAME: &'static str = "loopmem_adapter";
    const FIRST_SIZE: usize = offset_of!(Self, list_keys) + size_of::<usize>();
}

// SAFETY: `repr(C)`, its size first, and every other member may be NULL.
unsafe impl Grows for loopmem_logger {
    const NAME: &'static str = "loopmem_logger";
    const FIRST_SIZE: usize = offset_of!(Self, destroy) + size_of::<usize>();
}

// SAFETY: `repr(C)`, its size first, and every other member may be NULL.
unsafe impl Grows for loopmem_tokenizer {
    const NAME: &'static str = "loopmem_tokenizer";
    const FIRST_SIZE: usize = offset_of!(Self, destroy) + size_of::<usize>();
}

// SAFETY: `repr(C)`, its size first, and every other member may be zero or NULL.
unsafe impl Grows for loopmem_call_options {
    const NAME: &'static str = "loopmem_call_options";
    const FIRST_SIZE: usize = offset_of!(Self, within);
}

/// The version of the library, such as `0.1.0`. Static; not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// The `LOOPMEM_ABI_VERSION` of the library, to compare with the header's.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_abi_version() -> u32 {
    LOOPMEM_ABI_VERSION
}

/// The code of a status, such as `ValidationError`; `OK` for 0, `Unknown` for an unknown number. Static.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_status_code(status: loopmem_status) -> *const c_char {
    static CODES: OnceBox<Vec<(i32, CString)>> = OnceBox::new();
    if status == 0 {
        return c"OK".as_ptr();
    }
    let codes = match CODES.get() {
        Some(codes) => codes,
        None => {
            // Built in advance: no call may wait for a thread that builds it, which would not exist in a forked child.
            let code = |kind: &ErrorKind| Some((kind.status(), CString::new(kind.code()).ok()?));
            let codes = ErrorKind::ALL.iter().filter_map(code).collect();
            CODES.get_or_init(|| Box::new(codes))
        }
    };
    codes.iter().find(|(number, _)| *number == status).map_or(c"Unknown".as_ptr(), |(_, code)| code.as_ptr())
}

/// Opens a store.
///
/// `options` is a JSON object (`StoreOptions` in the method reference) of `options_length` bytes, or NULL and 0 for the
/// defaults. `host` may be NULL. On success `*store` is the store and `*answer` is empty. On failure `*answer` is the
/// error as JSON, and the host keeps ownership of what it provided: nothing of it is destroyed. `answer` may be NULL.
///
/// # Safety
/// Pointers are NULL or valid for the lengths passed with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn loopmem_open(
    options: *const c_char,
    options_length: usize,
    host: *const loopmem_host,
    store: *mut loopmem_store,
    answer: *mut loopmem_buffer,
) -> loopmem_status {
    let opened = guard(|| {
        if store.is_null() {
            return Err(misuse("store is NULL; pass a pointer to receive the store"));
        }
        // SAFETY: the caller guarantees that it is NULL or valid.
        let lent = unsafe { Lent::read(host) }?;
        // SAFETY: the caller guarantees the length.
        let options = unsafe { text(options, options_length, "options") }?;
        let id = STORES.put(Store::builder().options(Options::from_json(options)?).host(lent.host()).open()?)?;
        lent.take();
        Ok(id)
    });
    let outcome = opened.map(|id| {
        // SAFETY: checked above not to be NULL, and the caller guarantees that it is valid.
        unsafe { *store = loopmem_store { id } };
        String::new()
    });
    // SAFETY: the caller guarantees that answer is NULL or valid.
    unsafe { deliver(outcome, answer) }
}

/// Closes a store. Calls in progress finish; later ones are `Misuse`, and so is closing it again.
///
/// What the host provided is destroyed by this function, or by the last of those calls when it ends.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_close(store: loopmem_store) -> loopmem_status {
    status(guard(|| STORES.end(store.id).then_some(()).ok_or_else(closed)))
}

/// Calls `method` (NUL-terminated) with the JSON object `params` of `params_length` bytes, or NULL and 0 for none.
///
/// On success `*answer` is the result as JSON, on failure the error as JSON; in both cases, free it with
/// `loopmem_buffer_free`. `options` and `answer` may be NULL. Blocks while it waits for a lock; any number of threads
/// may call at once.
///
/// # Safety
/// Pointers are NULL or valid for the lengths passed with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn loopmem_call(
    store: loopmem_store,
    method: *const c_char,
    params: *const c_char,
    params_length: usize,
    options: *const loopmem_call_options,
    answer: *mut loopmem_buffer,
) -> loopmem_status {
    let redactions = Redactions::new();
    // SAFETY: the caller guarantees that it is NULL or valid.
    let options = unsafe { read_options(options) };
    let list = options.as_ref().map_or(std::ptr::null_mut(), |options| options.redactions);
    let outcome = guard(|| {
        let store = STORES.get(store.id).ok_or_else(closed)?;
        if method.is_null() {
            return Err(misuse("method is NULL"));
        }
        // SAFETY: not NULL, and the caller guarantees that it is NUL-terminated.
        let method =
            unsafe { CStr::from_ptr(method) }.to_str().map_err(|_| Error::validation("method is not UTF-8"))?;
        // SAFETY: the caller guarantees the length.
        let params = unsafe { text(params, params_length, "params") }?;
        let options = call_options(options?)?;
        dispatch(&store.with(options.redactions(&redactions)), method, params)
    });
    let redacted = guard(|| Ok(redactions_as_json(&redactions).unwrap_or_default()));
    // SAFETY: the caller guarantees that it is NULL or valid.
    unsafe { deliver(redacted, list) };
    // SAFETY: the caller guarantees that answer is NULL or valid.
    unsafe { deliver(outcome, answer) }
}

/// Frees a buffer and empties it. NULL and an empty buffer are fine; a buffer is never freed twice.
///
/// # Safety
/// `buffer` is NULL or valid, and its contents are as the library left them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn loopmem_buffer_free(buffer: *mut loopmem_buffer) {
    // SAFETY: the caller guarantees that it is NULL or valid, and ours.
    unsafe { answer::free(buffer) }
}

/// Answers a call of the host with a text of `length` bytes, which is copied at once: the value, or one more item or
/// key of a list.
///
/// May be called from any thread until the host's function returns; after that, or if the function has no answer to
/// give, it is `Misuse`. A text that is not a valid answer is `ValidationError`. If this function returns anything but
/// `LOOPMEM_OK`, the host's function fails, too.
///
/// # Safety
/// `data` is NULL or valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn loopmem_host_answer(
    call: loopmem_host_call,
    data: *const c_char,
    length: usize,
) -> loopmem_status {
    // SAFETY: the caller guarantees the length.
    status(guard(|| unsafe { host::answer(call, data, length) }))
}

/// Sets the reason why a call of the host fails, as text for people of `length` bytes, which is copied at once. Returns
/// `LOOPMEM_ADAPTER_ERROR`, for the function to return in turn.
///
/// May be called from any thread until the host's function returns; after that, it is `Misuse`. Of several reasons the
/// last counts.
///
/// # Safety
/// `data` is NULL or valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn loopmem_host_fail(
    call: loopmem_host_call,
    data: *const c_char,
    length: usize,
) -> loopmem_status {
    // SAFETY: the caller guarantees the length.
    match guard(|| unsafe { host::fail(call, data, length) }) {
        Ok(()) => ErrorKind::Adapter.status(),
        Err(error) => error.kind().status(),
    }
}

/// Creates a cancel request, to be passed to calls. All zeros if no more can be created.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_cancel_new() -> loopmem_cancel {
    loopmem_cancel { id: guard(|| CANCELS.put(Cancel::new())).unwrap_or(0) }
}

/// Cancels every call that was given this request and is waiting: such a call returns `Cancelled`. May be called from
/// any thread.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_cancel_request(cancel: loopmem_cancel) -> loopmem_status {
    status(guard(|| CANCELS.get(cancel.id).map(|cancel| cancel.cancel()).ok_or_else(freed)))
}

/// Frees a cancel request. Calls that were given it continue.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_cancel_free(cancel: loopmem_cancel) -> loopmem_status {
    status(guard(|| CANCELS.end(cancel.id).then_some(()).ok_or_else(freed)))
}

fn status(outcome: Result<()>) -> loopmem_status {
    outcome.map_or_else(|error| error.kind().status(), |()| 0)
}

/// Reads the host's call options; all zeros if there are none.
///
/// # Safety
/// `options` is NULL or valid for as many bytes as its `size` says.
unsafe fn read_options(options: *const loopmem_call_options) -> Result<loopmem_call_options> {
    if options.is_null() {
        return Ok(loopmem_call_options {
            size: size_of::<loopmem_call_options>(),
            timeout_ms: 0,
            cancel: loopmem_cancel { id: 0 },
            within: loopmem_host_call { id: 0 },
            redactions: std::ptr::null_mut(),
            progress: None,
            progress_ctx: std::ptr::null_mut(),
        });
    }
    // SAFETY: not NULL, and the caller guarantees as many bytes as its size says.
    unsafe { grows::read(options) }
}

fn call_options(options: loopmem_call_options) -> Result<CallOptions> {
    let cancel = match options.cancel.id {
        0 => Cancel::default(),
        id => CANCELS.get(id).ok_or_else(freed)?,
    };
    let timeout_ms = (options.timeout_ms > 0).then_some(options.timeout_ms);
    let call = CallOptions::new()
        .timeout(timeout_ms.map(|ms| Duration::from_millis(ms.into())))
        .cancel(&cancel)
        .within(host::within(options.within)?);
    Ok(match CProgress::of(&options) {
        Some(progress) => call.progress(move |done, total| progress.report(done, total)),
        None => call,
    })
}

fn misuse(message: &str) -> Error {
    Error::new(ErrorKind::Misuse, message)
}

fn closed() -> Error {
    misuse("this store is closed or was never opened; open one with loopmem_open")
}

fn freed() -> Error {
    misuse("this cancel request was freed or never created; create one with loopmem_cancel_new")
}
