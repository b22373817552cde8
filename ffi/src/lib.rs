//! The C ABI of loopmem, and nothing else: a dozen functions, append-only. `include/loopmem.h` is generated from this
//! file; `docs/ABI.md` says what stays.
//!
//! Handles are numbers of slots with a generation and are never dereferenced, so a closed store is an error and not a
//! crash. Nothing unwinds or aborts across this boundary.

#![allow(non_camel_case_types, reason = "the names are C's")]
#![allow(unsafe_code, reason = "this is the boundary; every unsafe block says what the caller promised")]

mod answer;
mod grows;
mod slots;

use std::ffi::{CStr, c_char};
use std::mem::offset_of;

use loopmem_core::disk::Cancel;
use loopmem_core::methods::{CallOptions, dispatch, guard};
use loopmem_core::{Error, ErrorKind, Options, Result, Store};

use answer::{deliver, text};
use grows::Grows;
use slots::Slots;

static STORES: Slots<Store> = Slots::new();
static CANCELS: Slots<Cancel> = Slots::new();

/// The version of this ABI. It grows when functions or members are added; nothing is ever removed or changed.
pub const LOOPMEM_ABI_VERSION: u32 = 1;

/// 0 is success; any other number is one of `LOOPMEM_…_ERROR`. Later versions may return numbers that this header does
/// not know.
pub type loopmem_status = i32;

/// An open store. A plain number: copy it freely, use it from any thread. All zeros is no store.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct loopmem_store {
    /// The slot and its generation. Not for hosts to read.
    pub id: u64,
}

/// A request to stop waiting, shared by any number of calls. A plain number, as `loopmem_store`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct loopmem_cancel {
    /// The slot and its generation. Not for hosts to read.
    pub id: u64,
}

/// Text that the library made: `length` bytes of UTF-8, and a NUL behind them that `length` does not count.
///
/// It is the host's from then on and is given back with `loopmem_buffer_free`.
#[repr(C)]
#[derive(Debug)]
pub struct loopmem_buffer {
    /// The text; NULL when there is none.
    pub data: *mut c_char,
    /// Its length in bytes.
    pub length: usize,
}

/// What a host lends to a store. Set `size` to `sizeof(loopmem_host)` and the rest to zero; later versions append
/// members. A library that is older than they are takes them as long as they are zero, and else is `Unsupported`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct loopmem_host {
    /// `sizeof(loopmem_host)` as the host was compiled.
    pub size: usize,
}

/// What travels beside the params of a call. Set `size` to `sizeof(loopmem_call_options)` and the rest to zero for the
/// defaults; later versions append members, as to `loopmem_host`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct loopmem_call_options {
    /// `sizeof(loopmem_call_options)` as the host was compiled.
    pub size: usize,
    /// The longest wait for a lock, in milliseconds; 0: as configured.
    pub timeout_ms: u32,
    /// The request to stop waiting; all zeros: none.
    pub cancel: loopmem_cancel,
}

// SAFETY: `repr(C)`, its size first, and numbers only.
unsafe impl Grows for loopmem_host {
    const NAME: &'static str = "loopmem_host";
    const FIRST_SIZE: usize = size_of::<usize>();
}

// SAFETY: `repr(C)`, its size first, and numbers only.
unsafe impl Grows for loopmem_call_options {
    const NAME: &'static str = "loopmem_call_options";
    const FIRST_SIZE: usize = offset_of!(Self, cancel) + size_of::<loopmem_cancel>();
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

/// The code of a status, such as `ValidationError`; `OK` of 0, `Unknown` of a number that is none. Static.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_status_code(status: loopmem_status) -> *const c_char {
    static CODES: std::sync::LazyLock<Vec<(i32, std::ffi::CString)>> = std::sync::LazyLock::new(|| {
        let codes = ErrorKind::ALL.iter();
        codes.filter_map(|kind| Some((kind.status(), std::ffi::CString::new(kind.code()).ok()?))).collect()
    });
    if status == 0 {
        return c"OK".as_ptr();
    }
    CODES.iter().find(|(number, _)| *number == status).map_or(c"Unknown".as_ptr(), |(_, code)| code.as_ptr())
}

/// Opens a store.
///
/// `options` is a JSON object (`StoreOptions` in the method reference) of `options_length` bytes, or NULL and 0 for the
/// defaults. `host` may be NULL. On success `*store` is the store and `*answer` is empty; on failure `*answer` is the
/// error as JSON. `answer` may be NULL.
///
/// # Safety
/// Pointers are NULL or valid for the lengths told with them.
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
            return Err(misuse("store is NULL; there is nowhere to put the store"));
        }
        if !host.is_null() {
            // SAFETY: not NULL, and the caller promises as many bytes as its size tells.
            unsafe { grows::read(host) }?;
        }
        // SAFETY: the caller promises the length.
        let options = unsafe { text(options, options_length, "options") }?;
        STORES.put(Store::open(Options::from_json(options)?)?)
    });
    let outcome = opened.map(|id| {
        // SAFETY: checked above not to be NULL, and the caller promises that it is valid.
        unsafe { *store = loopmem_store { id } };
        String::new()
    });
    // SAFETY: the caller promises that answer is NULL or valid.
    unsafe { deliver(outcome, answer) }
}

/// Closes a store. Calls that are under way finish; later ones are `Misuse`, and so is closing it again.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_close(store: loopmem_store) -> loopmem_status {
    match guard(|| STORES.take(store.id).map(drop).ok_or_else(closed)) {
        Ok(()) => 0,
        Err(error) => error.kind().status(),
    }
}

/// Calls `method` (NUL-terminated) with the JSON object `params` of `params_length` bytes, or NULL and 0 for none.
///
/// On success `*answer` is the result as JSON, on failure the error as JSON; either way it is given back with
/// `loopmem_buffer_free`. `options` and `answer` may be NULL. Blocks while it waits for a lock; any number of threads
/// may call at once.
///
/// # Safety
/// Pointers are NULL or valid for the lengths told with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn loopmem_call(
    store: loopmem_store,
    method: *const c_char,
    params: *const c_char,
    params_length: usize,
    options: *const loopmem_call_options,
    answer: *mut loopmem_buffer,
) -> loopmem_status {
    let outcome = guard(|| {
        let store = STORES.get(store.id).ok_or_else(closed)?;
        if method.is_null() {
            return Err(misuse("method is NULL"));
        }
        // SAFETY: not NULL, and the caller promises that it ends in NUL.
        let method =
            unsafe { CStr::from_ptr(method) }.to_str().map_err(|_| Error::validation("method is not UTF-8"))?;
        // SAFETY: the caller promises the length.
        let params = unsafe { text(params, params_length, "params") }?;
        // SAFETY: the caller promises that it is NULL or valid.
        let options = unsafe { call_options(options) }?;
        dispatch(&store, method, params, options)
    });
    // SAFETY: the caller promises that answer is NULL or valid.
    unsafe { deliver(outcome, answer) }
}

/// Gives a buffer back and empties it. NULL and an empty buffer are fine; a buffer is never freed twice.
///
/// # Safety
/// `buffer` is NULL or valid, and its contents are as the library left them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn loopmem_buffer_free(buffer: *mut loopmem_buffer) {
    // SAFETY: the caller promises that it is NULL or valid, and ours.
    unsafe { answer::free(buffer) }
}

/// Makes a request to stop, to be passed to calls. All zeros when no more can be made.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_cancel_new() -> loopmem_cancel {
    loopmem_cancel { id: guard(|| CANCELS.put(Cancel::new())).unwrap_or(0) }
}

/// Asks every call that was given this request to stop waiting: they return `Cancelled`. From any thread.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_cancel_request(cancel: loopmem_cancel) -> loopmem_status {
    match guard(|| CANCELS.get(cancel.id).map(|cancel| cancel.cancel()).ok_or_else(freed)) {
        Ok(()) => 0,
        Err(error) => error.kind().status(),
    }
}

/// Frees a request to stop. Calls that were given it go on.
#[unsafe(no_mangle)]
pub extern "C" fn loopmem_cancel_free(cancel: loopmem_cancel) -> loopmem_status {
    match guard(|| CANCELS.take(cancel.id).map(drop).ok_or_else(freed)) {
        Ok(()) => 0,
        Err(error) => error.kind().status(),
    }
}

/// # Safety
/// `options` is NULL or valid for as many bytes as its `size` tells.
unsafe fn call_options(options: *const loopmem_call_options) -> Result<CallOptions> {
    if options.is_null() {
        return Ok(CallOptions::default());
    }
    // SAFETY: not NULL, and the caller promises as many bytes as its size tells.
    let options = unsafe { grows::read(options) }?;
    let cancel = match options.cancel.id {
        0 => Cancel::default(),
        id => CANCELS.get(id).ok_or_else(freed)?,
    };
    Ok(CallOptions { timeout_ms: (options.timeout_ms > 0).then_some(options.timeout_ms), cancel })
}

fn misuse(message: &str) -> Error {
    Error::new(ErrorKind::Misuse, message)
}

fn closed() -> Error {
    misuse("this store is closed or was never opened; open one with loopmem_open")
}

fn freed() -> Error {
    misuse("this cancel request was freed or never made; make one with loopmem_cancel_new")
}
