//! Adapters implemented by the host: an object of its language with the functions of the specification.
//!
//! A binding supplies a [`HostAdapter`]; each call passes it a function and its arguments as JSON. While the host runs,
//! loopmem holds no mutex, only the scope's lease. Nested calls, which the host makes while it answers, are recognized:
//! on the same thread automatically, on another thread by the number that the host passes on ([`HostCall::within`]).

use std::fmt;
use std::time::Duration;

use crate::disk::Cancel;
use crate::error::Result;

/// A function of an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// `get(key)`: the value, or null.
    Get,
    /// `set(key, value)`.
    Set,
    /// `del(key)`.
    Del,
    /// `push(key, item)`.
    Push,
    /// `getList(key)`: the items.
    GetList,
    /// `compareAndSet(key, expected, value)`, optional: sets the value, or deletes it if `value` is null, provided the
    /// current value equals `expected` (null: no value); returns whether it did.
    CompareAndSet,
    /// `getRange(key, start)`, optional: the items from index `start`, which counts from the end if negative.
    GetRange,
    /// `listKeys(prefix)`, optional: the keys with this prefix.
    ListKeys,
}

impl Function {
    /// All functions, required ones first.
    pub const ALL: [Function; 8] = [
        Function::Get,
        Function::Set,
        Function::Del,
        Function::Push,
        Function::GetList,
        Function::CompareAndSet,
        Function::GetRange,
        Function::ListKeys,
    ];

    /// Its name in the host's object.
    pub fn name(self) -> &'static str {
        match self {
            Function::Get => "get",
            Function::Set => "set",
            Function::Del => "del",
            Function::Push => "push",
            Function::GetList => "getList",
            Function::CompareAndSet => "compareAndSet",
            Function::GetRange => "getRange",
            Function::ListKeys => "listKeys",
        }
    }

    /// Whether it changes what is stored.
    pub fn writes(self) -> bool {
        matches!(self, Function::Set | Function::Del | Function::Push | Function::CompareAndSet)
    }

    /// Whether an adapter may omit it.
    pub fn is_optional(self) -> bool {
        matches!(self, Function::CompareAndSet | Function::GetRange | Function::ListKeys)
    }
}

/// One call of the host.
#[derive(Debug)]
#[non_exhaustive]
pub struct HostCall<'c> {
    /// The function to call.
    pub function: Function,
    /// Its arguments, as a JSON array.
    pub arguments: String,
    /// The number of the loopmem call that makes this call, to be passed with any nested call.
    pub within: u64,
    /// How long the host may take: the time remaining for the call.
    pub remaining: Duration,
    /// The call's total time-out, for error messages.
    pub timeout: Duration,
    /// Requests to stop waiting.
    pub cancel: &'c Cancel,
}

/// An adapter implemented by the host, supplied by its binding.
pub trait HostAdapter: fmt::Debug + Send + Sync {
    /// Whether the host has this function. Functions that are not optional are required.
    fn offers(&self, function: Function) -> bool;

    /// Checks, before a call begins, that blocking this thread cannot deadlock: the adapter's functions may need to run
    /// on it.
    ///
    /// # Errors
    /// `Misuse`.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Calls the host and returns its answer as JSON; an empty string means null.
    ///
    /// # Errors
    /// `AdapterError` with the host's own error as its cause; `Cancelled`.
    fn call(&self, call: HostCall<'_>) -> Result<String>;
}
