//! The host's own object as an adapter, with the serialization of its calls.
//!
//! Every call on a scope holds the scope's lease, so the calls of this process run in the order of submission. A nested
//! call, made by the host while it answers a call on the same scope, would deadlock and is rejected before any work
//! starts. Each call of the host has a time-out, so a lease is never held forever.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use serde::Serialize;
use serde_json::value::RawValue;

use super::super::adapter::{Adapter, Decide, Lease, SealedJson, Write, damaged};
use super::super::key::{Key, Scope};
use super::back_off;
use crate::disk::{self, Cancel, Json, Mode, PerProcess, WaitOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Caller, Home};
use crate::host::{HostFunction, HostObject};
use crate::mutex::lock;

/// An adapter backed by the host's object.
#[derive(Debug)]
pub struct HostBacked {
    home: Home,
    host: Arc<dyn HostObject>,
    /// Unique among the adapters of this process.
    number: u64,
}

/// The active calls of all adapters: a call of one may be nested in a call of another.
static CALLS: PerProcess<Mutex<Calls>> = PerProcess::new();
/// The last number given to a call or an adapter. Numbers are never reused, so calls of different adapters cannot be
/// confused.
static LAST: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Default)]
struct Calls {
    active: HashMap<u64, ActiveCall>,
}

#[derive(Debug)]
struct ActiveCall {
    adapter: u64,
    scope: Scope,
    /// The call in which it is nested.
    outer: Option<u64>,
}

impl Calls {
    /// Whether `call` or a call in which it is nested is on this `scope` of this `adapter`.
    fn is_within(&self, mut call: Option<u64>, adapter: u64, scope: &Scope) -> bool {
        while let Some(it) = call.and_then(|number| self.active.get(&number)) {
            if it.adapter == adapter && it.scope == *scope {
                return true;
            }
            call = it.outer;
        }
        false
    }
}

/// Registers an active call until dropped.
struct CallGuard {
    number: u64,
    /// The thread's previous call.
    outer: Option<u64>,
    _lease: Option<disk::Lease>,
}

impl HostBacked {
    /// An adapter over the host's functions.
    ///
    /// # Errors
    /// `ValidationError` naming a missing function.
    pub fn new(home: Home, host: Arc<dyn HostObject>) -> Result<Self> {
        let missing = HostFunction::ALL.iter().find(|function| !function.is_optional() && !host.offers(**function));
        match missing {
            Some(function) => {
                Err(Error::validation(format!("the adapter has no function {}, which is required", function.name())))
            }
            None => Ok(HostBacked { home, host, number: next() }),
        }
    }

    /// Rejects a call that would block the thread on which the host must answer; errors name `of`.
    fn check(&self, of: &str) -> Result<()> {
        if Caller::current().blocks_host_thread {
            let message = "this call would block the thread on which the adapter runs; use an asynchronous call there";
            return Err(Error::new(ErrorKind::Misuse, message).about(of));
        }
        self.host.check()
    }

    /// Calls the host and parses its answer.
    fn call(
        &self,
        wait: &WaitOptions,
        function: HostFunction,
        key: &Key,
        arguments: &impl Serialize,
    ) -> Result<Box<RawValue>> {
        // If a function that writes fails, it may have written.
        let unconfirmed = |error: Error| {
            if function.writes() { error.and("; it may have been stored").maybe_stored() } else { error }
        };
        wait.cancel.check()?;
        // A write is always waited for; otherwise it could take effect after later calls.
        let (never, requested) = (Cancel::new(), &wait.cancel);
        let cancel = if function.writes() { &never } else { requested };
        let answer = self.home.ask(&*self.host, function, arguments, wait, cancel);
        let answer = answer.map_err(|error| unconfirmed(error.about(key.to_string())))?;
        let answer = if answer.is_empty() { "null".to_owned() } else { answer };
        RawValue::from_string(answer).map_err(|_| unconfirmed(damaged(key, "is not JSON")))
    }

    fn send(&self, wait: &WaitOptions, write: &Write) -> Result<()> {
        let answer = match write {
            Write::Set(key, value) => self.call(wait, HostFunction::Set, key, &(key, value.json())),
            Write::Push(key, item) => self.call(wait, HostFunction::Push, key, &(key, item.json())),
            Write::Del(key) => self.call(wait, HostFunction::Del, key, &(key,)),
        };
        answer.map(drop)
    }

    /// Performs the writes of a change one after the other. Returns `false`, with nothing written, if a value that was
    /// read has changed. If the host has `compareAndSet`, values are compared first; a checkpoint is written only if
    /// there is none, since another process may be saving one with the same timestamp.
    fn write_all(&self, wait: &WaitOptions, writes: &[Write], seen: &HashMap<Key, Option<Json>>) -> Result<bool> {
        let can_compare = self.host.offers(HostFunction::CompareAndSet);
        let was_read = |write: &&Write| match write {
            Write::Set(key, _) => can_compare && (seen.contains_key(key) || matches!(key, Key::Checkpoint(..))),
            _ => false,
        };
        let mut made = Vec::new();
        for write in writes.iter().filter(was_read) {
            let Write::Set(key, value) = write else { continue };
            let expected = seen.get(key).and_then(Option::as_deref);
            if self.one_of(wait, !made.is_empty(), |wait| self.compare_and_set(wait, key, expected, value))? {
                made.push((key, expected));
                continue;
            }
            // Keys that were created can be deleted again: no other writer has replaced them.
            if made.iter().any(|(_, before)| before.is_some()) {
                let message = "the scope was changed concurrently while this call was writing; try again";
                let error = Error::new(ErrorKind::Conflict, message).about(key.to_string()).mark_retryable();
                // The earlier writes remain.
                return Err(error.maybe_stored());
            }
            made.iter().try_for_each(|(key, _)| {
                self.one_of(wait, true, |wait| self.call(wait, HostFunction::Del, key, &(key,)).map(drop))
            })?;
            return Ok(false);
        }
        let mut is_begun = !made.is_empty();
        for write in writes.iter().filter(|write| !was_read(write)) {
            self.one_of(wait, is_begun, |wait| self.send(wait, write))?;
            is_begun = true;
        }
        Ok(true)
    }

    /// Performs one of several writes. Once begun, a change is completed; if that fails, it may be partly stored.
    fn one_of<T>(
        &self,
        wait: &WaitOptions,
        is_begun: bool,
        write: impl FnOnce(&WaitOptions) -> Result<T>,
    ) -> Result<T> {
        match is_begun {
            true => write(&wait.to_finish()).map_err(Error::maybe_stored),
            false => write(wait),
        }
    }

    fn compare_and_set(
        &self,
        wait: &WaitOptions,
        key: &Key,
        expected: Option<&RawValue>,
        value: &SealedJson,
    ) -> Result<bool> {
        let answer = self.call(wait, HostFunction::CompareAndSet, key, &(key, expected, value.json()))?;
        match answer.get() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => {
                let message = "compareAndSet must return true or false; it may have been stored";
                Err(Error::new(ErrorKind::Adapter, message).about(key.to_string()).maybe_stored())
            }
        }
    }

    /// Checks a new call on a scope, or on all of them, and returns the call in which it is nested.
    ///
    /// # Errors
    /// `Misuse` for a call that would wait for itself or for its own thread.
    fn begin(&self, scope: &Scope, of: &str) -> Result<Option<u64>> {
        let outer = Caller::current().within;
        if calls().is_within(outer, self.number, scope) {
            let message = "the adapter called loopmem for the scope that it is being called for, which would deadlock";
            return Err(Error::new(ErrorKind::Misuse, message).about(of));
        }
        self.check(of)?;
        Ok(outer)
    }

    fn register(&self, scope: &Scope, outer: Option<u64>, lease: Option<disk::Lease>) -> CallGuard {
        let number = next();
        calls().active.insert(number, ActiveCall { adapter: self.number, scope: scope.clone(), outer });
        Caller::enter(Some(number));
        CallGuard { number, outer, _lease: lease }
    }
}

impl Adapter for HostBacked {
    fn get(&self, wait: &WaitOptions, key: &Key) -> Result<Option<Json>> {
        let answer = self.call(wait, HostFunction::Get, key, &(key,))?;
        Ok((answer.get() != "null").then(|| Json::stored(answer)))
    }

    fn write(&self, wait: &WaitOptions, write: Write) -> Result<()> {
        self.send(wait, &write)
    }

    fn list(&self, wait: &WaitOptions, key: &Key, limit: Option<usize>) -> Result<Vec<Json>> {
        let answer = match limit.map(i64::try_from) {
            Some(Ok(0)) => return Ok(Vec::new()),
            Some(Ok(limit)) if self.host.offers(HostFunction::GetRange) => {
                self.call(wait, HostFunction::GetRange, key, &(key, -limit))?
            }
            _ => self.call(wait, HostFunction::GetList, key, &(key,))?,
        };
        // Null is an empty list.
        let items: Option<Vec<Box<RawValue>>> =
            serde_json::from_str(answer.get()).map_err(|_| damaged(key, "is not a list"))?;
        let items = items.unwrap_or_default();
        let left_out = items.len().saturating_sub(limit.unwrap_or(usize::MAX));
        Ok(items.into_iter().skip(left_out).map(Json::stored).collect())
    }

    fn update(&self, wait: &WaitOptions, scope: &Scope, mut decide: Decide) -> Result<()> {
        let deadline = self.home.disk().deadline(wait, self.home.config().adapter_timeout);
        let mut back_off = back_off();
        loop {
            let mut seen = HashMap::new();
            let writes = decide(&mut |key| {
                let value = self.get(wait, key)?;
                seen.insert(key.clone(), value.clone());
                Ok(value)
            })?;
            if self.write_all(wait, &writes, &seen)? {
                return Ok(());
            }
            if back_off.pause(&deadline)? {
                let message = "the scope was changed concurrently on every attempt; try again with back-off";
                return Err(Error::new(ErrorKind::Conflict, message).about(scope.as_str()).mark_retryable());
            }
        }
    }

    fn has_own_keys(&self) -> bool {
        false
    }

    fn scopes(&self, wait: &WaitOptions) -> Result<BTreeSet<Scope>> {
        if !self.host.offers(HostFunction::ListKeys) {
            let message = "this adapter cannot list its keys; implement its function listKeys(prefix)";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        // The empty id, which no scope has, represents all of them.
        let all = Scope::stored("");
        let outer = self.begin(&all, HostFunction::ListKeys.name())?;
        let _call = self.register(&all, outer, None);
        let mut scopes = BTreeSet::new();
        for prefix in ["context:", "logs:", "trail:", "checkpoints:"] {
            let answer = self.call(wait, HostFunction::ListKeys, &Key::Context(all.clone()), &(prefix,))?;
            let keys: Vec<String> = serde_json::from_str(answer.get())
                .map_err(|_| Error::new(ErrorKind::Adapter, "listKeys must return a list of strings"))?;
            let keys = keys.iter().filter(|key| key.starts_with(prefix)).filter_map(|key| Key::parse(key));
            scopes.extend(keys.map(|key| key.scope().clone()));
        }
        Ok(scopes)
    }

    fn lease(&self, home: &Home, wait: &WaitOptions, scope: &Scope, mode: Mode) -> Result<Lease> {
        let outer = self.begin(scope, scope.as_str())?;
        let lease = home.disk().lease(scope.as_str(), mode, wait, home.config().adapter_timeout);
        let lease = lease.map_err(|error| error.about(scope.as_str()))?;
        Ok(Lease::new(self.register(scope, outer, Some(lease))))
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        Caller::enter(self.outer);
        calls().active.remove(&self.number);
    }
}

fn calls() -> MutexGuard<'static, Calls> {
    // The map is changed in single steps, so it is consistent after a panic.
    lock(CALLS.get())
}

fn next() -> u64 {
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}
