//! What a host provides: tables of C functions that serve as the adapter and the logger of a store, and as its
//! [tokenizer](crate::tokenizer).
//!
//! A function is called on the thread of the call that needs it, and answers through a handle ([`loopmem_host_call`]),
//! under which its answer is collected as a copy: nothing of the host's is read after the function has returned, and
//! the host never has to free anything of the library's.

use std::ffi::c_char;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use loopmem_core::methods::{Event, Host, HostCall, HostFunction, HostObject, Level, Logger};
use loopmem_core::{Error, ErrorKind, Result};
use serde_json::value::RawValue;

use crate::answer::text;
use crate::grows;
use crate::slots::Slots;
use crate::tokenizer::CTokenizer;
use crate::{
    LOOPMEM_LOG_DEBUG, LOOPMEM_LOG_ERROR, LOOPMEM_LOG_INFO, LOOPMEM_LOG_WARN, loopmem_adapter, loopmem_host,
    loopmem_host_call, loopmem_logger, misuse,
};

static CALLS: Slots<Arc<Gathered>> = Slots::new();

/// What the host's tables are converted into.
#[derive(Debug, Default)]
pub(crate) struct Lent {
    adapter: Option<Arc<CAdapter>>,
    logger: Option<Arc<CLogger>>,
    tokenizer: Option<Arc<CTokenizer>>,
}

impl Lent {
    /// Copies the host's tables. They still belong to the host.
    ///
    /// # Safety
    /// `host` is NULL or valid for as many bytes as its size says, and so are the tables that it refers to. The header
    /// documents what their functions must guarantee.
    pub(crate) unsafe fn read(host: *const loopmem_host) -> Result<Self> {
        if host.is_null() {
            return Ok(Lent::default());
        }
        // SAFETY: not NULL, and the caller guarantees as many bytes as its size says.
        let host = unsafe { grows::read(host) }?;
        let mut lent = Lent::default();
        if !host.adapter.is_null() {
            // SAFETY: as above.
            let table = unsafe { grows::read(host.adapter) }?;
            if let Some(missing) = HostFunction::ALL.iter().find(|it| !it.is_optional() && !has(&table, **it)) {
                let name = name(*missing);
                return Err(Error::validation(format!("the adapter has no function {name}, which is required")));
            }
            lent.adapter = Some(Arc::new(CAdapter { table, is_taken: AtomicBool::new(false) }));
        }
        if !host.logger.is_null() {
            // SAFETY: as above.
            let table = unsafe { grows::read(host.logger) }?;
            if table.log.is_none() {
                return Err(Error::validation("the logger has no function log, which is required"));
            }
            lent.logger = Some(Arc::new(CLogger { table, is_taken: AtomicBool::new(false) }));
        }
        if !host.tokenizer.is_null() {
            // SAFETY: as above.
            let table = unsafe { grows::read(host.tokenizer) }?;
            lent.tokenizer = Some(Arc::new(CTokenizer::new(table)?));
        }
        Ok(lent)
    }

    /// For the core.
    pub(crate) fn host(&self) -> Host {
        Host::default()
            .adapter(self.adapter.clone().map(|it| it as Arc<dyn HostObject>))
            .logger(self.logger.clone().map(|it| it as Arc<dyn Logger>))
            .tokenizer(self.tokenizer.clone().map(|it| it as Arc<dyn HostObject>))
    }

    /// From here on the tables belong to the store and are destroyed with it.
    pub(crate) fn take(self) {
        if let Some(adapter) = self.adapter {
            adapter.is_taken.store(true, Ordering::Release);
        }
        if let Some(logger) = self.logger {
            logger.is_taken.store(true, Ordering::Release);
        }
        if let Some(tokenizer) = self.tokenizer {
            tokenizer.take();
        }
    }
}

struct CAdapter {
    table: loopmem_adapter,
    is_taken: AtomicBool,
}

// SAFETY: the header requires that the host's functions can be called from any thread, concurrently.
unsafe impl Send for CAdapter {}
// SAFETY: as above.
unsafe impl Sync for CAdapter {}

impl fmt::Debug for CAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CAdapter")
    }
}

impl Drop for CAdapter {
    fn drop(&mut self) {
        if let Some(destroy) = self.table.destroy.filter(|_| *self.is_taken.get_mut()) {
            // SAFETY: the store and its calls are gone, and this runs once.
            unsafe { destroy(self.table.ctx) }
        }
    }
}

impl HostObject for CAdapter {
    fn offers(&self, function: HostFunction) -> bool {
        has(&self.table, function)
    }

    fn call(&self, call: HostCall<'_>) -> Result<String> {
        let arguments: Vec<&RawValue> = serde_json::from_str(&call.arguments)
            .map_err(|cause| failed(call.function, "could not be called").because(cause))?;
        let mut arguments = arguments.into_iter().map(RawValue::get);
        let mut next = || arguments.next().unwrap_or_default();
        let key: String = serde_json::from_str(next())
            .map_err(|cause| failed(call.function, "could not be called").because(cause))?;

        let gathered = Gathered::of(&call);
        let under_way = gathered.begin()?;
        let number = under_way.number();
        let (table, ctx, key) = (&self.table, self.table.ctx, Text::of(&key));
        let mut is_set = false;
        // SAFETY: the arguments are valid while the function runs; the header documents what it may do with them.
        let status = unsafe {
            match call.function {
                HostFunction::Get => table.get.map(|get| get(ctx, number, key.data, key.length)),
                HostFunction::Del => table.del.map(|del| del(ctx, number, key.data, key.length)),
                HostFunction::GetList => table.get_list.map(|get_list| get_list(ctx, number, key.data, key.length)),
                HostFunction::Set => {
                    let value = Text::of(next());
                    table.set.map(|set| set(ctx, number, key.data, key.length, value.data, value.length))
                }
                HostFunction::Push => {
                    let item = Text::of(next());
                    table.push.map(|push| push(ctx, number, key.data, key.length, item.data, item.length))
                }
                HostFunction::CompareAndSet => {
                    let (old, new) = (Text::unless_null(next()), Text::unless_null(next()));
                    table.compare_and_set.map(|compare_and_set| {
                        let is_set = &raw mut is_set;
                        compare_and_set(
                            ctx, number, key.data, key.length, old.data, old.length, new.data, new.length, is_set,
                        )
                    })
                }
                HostFunction::GetRange => {
                    let start = next().parse().unwrap_or_default();
                    table.get_range.map(|get_range| get_range(ctx, number, key.data, key.length, start))
                }
                HostFunction::ListKeys => table.list_keys.map(|list_keys| list_keys(ctx, number, key.data, key.length)),
                // Of a tokenizer.
                HostFunction::CountTokens => None,
            }
        };
        drop(under_way);
        match status {
            Some(0) => gathered.answer().map(|json| match call.function {
                HostFunction::CompareAndSet => is_set.to_string(),
                _ => json,
            }),
            Some(status) => Err(gathered.failure(status)),
            None => Err(failed(call.function, "is missing")),
        }
    }
}

struct CLogger {
    table: loopmem_logger,
    is_taken: AtomicBool,
}

// SAFETY: the header requires that the host's functions can be called from any thread, concurrently.
unsafe impl Send for CLogger {}
// SAFETY: as above.
unsafe impl Sync for CLogger {}

impl fmt::Debug for CLogger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CLogger")
    }
}

impl Drop for CLogger {
    fn drop(&mut self) {
        if let Some(destroy) = self.table.destroy.filter(|_| *self.is_taken.get_mut()) {
            // SAFETY: the store and its calls are gone, and this runs once.
            unsafe { destroy(self.table.ctx) }
        }
    }
}

impl Logger for CLogger {
    fn log(&self, event: &Event) {
        let Some(log) = self.table.log else { return };
        let level = match event.level {
            Level::Debug => LOOPMEM_LOG_DEBUG,
            Level::Info => LOOPMEM_LOG_INFO,
            Level::Warn => LOOPMEM_LOG_WARN,
            Level::Error => LOOPMEM_LOG_ERROR,
        };
        let (message, payload) = (Text::of(&event.message), Text::of(&event.payload));
        // SAFETY: both are valid while the function runs.
        unsafe { log(self.table.ctx, level, message.data, message.length, payload.data, payload.length) }
    }
}

/// Text as C takes it; NULL if it is empty.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    pub(crate) data: *const c_char,
    pub(crate) length: usize,
}

impl Text {
    pub(crate) fn of(text: &str) -> Self {
        let data = if text.is_empty() { std::ptr::null() } else { text.as_ptr().cast() };
        Text { data, length: text.len() }
    }

    fn unless_null(json: &str) -> Self {
        Text::of(if json == "null" { "" } else { json })
    }
}

/// The handle of a call, valid until the host's function has returned.
pub(crate) struct UnderWay(u64);

impl UnderWay {
    /// As the host's function is passed it.
    pub(crate) fn number(&self) -> loopmem_host_call {
        loopmem_host_call { id: self.0 }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        CALLS.end(self.0);
    }
}

/// What a function of the host has answered so far.
#[derive(Debug)]
pub(crate) struct Gathered {
    function: HostFunction,
    within: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// JSON; for a list, without the brackets around it.
    json: String,
    failure: Option<String>,
}

/// What kind of answer a function gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Value,
    Items,
    Keys,
}

impl Gathered {
    /// Nothing yet.
    pub(crate) fn of(call: &HostCall<'_>) -> Arc<Self> {
        Arc::new(Gathered { function: call.function, within: call.within, state: Mutex::default() })
    }

    /// From here on the host can answer.
    pub(crate) fn begin(self: &Arc<Self>) -> Result<UnderWay> {
        CALLS.put(Arc::clone(self)).map(UnderWay)
    }

    fn kind(&self) -> Kind {
        match self.function {
            HostFunction::Get => Kind::Value,
            HostFunction::GetList | HostFunction::GetRange => Kind::Items,
            HostFunction::ListKeys => Kind::Keys,
            HostFunction::Set
            | HostFunction::Del
            | HostFunction::Push
            | HostFunction::CompareAndSet
            | HostFunction::CountTokens => Kind::Nothing,
        }
    }

    fn add(&self, text: &str) -> Result<()> {
        let kind = self.kind();
        let is_json = || serde_json::from_str::<&RawValue>(text).is_ok();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match kind {
            Kind::Nothing if self.function == HostFunction::CountTokens => {
                return Err(misuse("count reports its result through tokens, not through loopmem_host_answer"));
            }
            Kind::Nothing => return Err(misuse(&format!("{} has no answer but its status", name(self.function)))),
            Kind::Value if !state.json.is_empty() => {
                return Err(misuse("get has only one value and was already answered"));
            }
            Kind::Value | Kind::Items if !is_json() => return Err(Error::validation("the answer is not valid JSON")),
            Kind::Value => {}
            Kind::Items | Kind::Keys if !state.json.is_empty() => state.json.push(','),
            Kind::Items | Kind::Keys => {}
        }
        match kind {
            Kind::Keys => state.json.push_str(&serde_json::to_string(text).unwrap_or_default()),
            _ => state.json.push_str(text),
        }
        Ok(())
    }

    /// The answer of a function that has succeeded.
    pub(crate) fn answer(&self) -> Result<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(why) = state.failure.take() {
            return Err(failed(self.function, "failed").because(why));
        }
        let json = std::mem::take(&mut state.json);
        Ok(match self.kind() {
            Kind::Items | Kind::Keys => format!("[{json}]"),
            Kind::Nothing | Kind::Value => json,
        })
    }

    pub(crate) fn failure(&self, status: i32) -> Error {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let why = state.failure.take().unwrap_or_else(|| format!("status {status}"));
        failed(self.function, "failed").because(why)
    }
}

/// Adds to the answer of a call. An invalid addition makes the call fail, whatever the host does about it.
///
/// # Safety
/// `data` is NULL or valid for `length` bytes.
pub(crate) unsafe fn answer(call: loopmem_host_call, data: *const c_char, length: usize) -> Result<()> {
    let gathered = CALLS.get(call.id).ok_or_else(over)?;
    // SAFETY: the caller guarantees the length.
    let added = unsafe { text(data, length, "the answer") }.and_then(|text| gathered.add(text));
    if let Err(error) = &added {
        let mut state = gathered.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.failure.get_or_insert_with(|| error.message().to_owned());
    }
    added
}

/// Stores the host's reason for the failure of a call.
///
/// # Safety
/// `data` is NULL or valid for `length` bytes.
pub(crate) unsafe fn fail(call: loopmem_host_call, data: *const c_char, length: usize) -> Result<()> {
    let gathered = CALLS.get(call.id).ok_or_else(over)?;
    let why = if data.is_null() || isize::try_from(length).is_err() {
        String::new()
    } else {
        // SAFETY: not NULL, not longer than a slice may be, and the caller guarantees the length.
        String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) }).into_owned()
    };
    let why = if why.is_empty() { "the host gave no reason".to_owned() } else { why };
    gathered.state.lock().unwrap_or_else(PoisonError::into_inner).failure = Some(why);
    Ok(())
}

/// The call of loopmem that led to a call of the host.
pub(crate) fn within(call: loopmem_host_call) -> Result<Option<u64>> {
    match call.id {
        0 => Ok(None),
        id => CALLS.get(id).map(|gathered| Some(gathered.within)).ok_or_else(over),
    }
}

fn has(table: &loopmem_adapter, function: HostFunction) -> bool {
    match function {
        HostFunction::Get => table.get.is_some(),
        HostFunction::Set => table.set.is_some(),
        HostFunction::Del => table.del.is_some(),
        HostFunction::Push => table.push.is_some(),
        HostFunction::GetList => table.get_list.is_some(),
        HostFunction::CompareAndSet => table.compare_and_set.is_some(),
        HostFunction::GetRange => table.get_range.is_some(),
        HostFunction::ListKeys => table.list_keys.is_some(),
        HostFunction::CountTokens => false,
    }
}

/// Its name in C.
fn name(function: HostFunction) -> &'static str {
    match function {
        HostFunction::GetList => "get_list",
        HostFunction::CompareAndSet => "compare_and_set",
        HostFunction::GetRange => "get_range",
        HostFunction::ListKeys => "list_keys",
        HostFunction::CountTokens => "count",
        HostFunction::Get | HostFunction::Set | HostFunction::Del | HostFunction::Push => function.name(),
    }
}

pub(crate) fn failed(function: HostFunction, how: &str) -> Error {
    Error::new(ErrorKind::Adapter, format!("{} {how}", function.in_errors(name(function))))
}

fn over() -> Error {
    misuse("this host call has ended or never existed; answer before its function returns")
}
