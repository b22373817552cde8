//! An adapter that the host itself is: an object of its language with the specification's functions.
//!
//! A binding brings a [`HostAdapter`]; calls reach it as the name of a function and its arguments in JSON. While the host
//! runs, loopmem holds no mutex, only the lease of the scope. A call that comes out of the host is known by the call that
//! it came out of: on the same thread by itself, from another one by the number that travels with it
//! ([`HostCall::within`]).

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
    /// `compareAndSet(key, expected, value)`, optional: sets the value, or takes it away for null, if what stands there
    /// still is what is expected (null: nothing); tells whether it did.
    CompareAndSet,
    /// `getRange(key, start)`, optional: the items from `start` on, counted from the end when it is negative.
    GetRange,
    /// `listKeys(prefix)`, optional: the keys that begin so.
    ListKeys,
}

impl Function {
    /// Every function, with those first that an adapter must have.
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

    /// What the host calls it.
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

    /// Whether an adapter may do without it.
    pub fn is_optional(self) -> bool {
        matches!(self, Function::CompareAndSet | Function::GetRange | Function::ListKeys)
    }
}

/// One call of the host.
#[derive(Debug)]
#[non_exhaustive]
pub struct HostCall<'c> {
    /// What is called.
    pub function: Function,
    /// Its arguments: a JSON array.
    pub arguments: String,
    /// The call of loopmem that it comes out of, to be passed with whatever the host calls in turn.
    pub within: u64,
    /// How long the host may take: what is left of the call's time.
    pub patience: Duration,
    /// The whole time of the call, to be named when it is over.
    pub timeout: Duration,
    /// The request to stop waiting for it.
    pub cancel: &'c Cancel,
}

/// The host's own adapter, as its binding passes it.
pub trait HostAdapter: fmt::Debug + Send + Sync {
    /// Whether the host has this function. Those that are not optional it must have.
    fn offers(&self, function: Function) -> bool;

    /// Whether a call that begins on this thread and waits could ever end, asked before it begins: the thread may be the
    /// one that the adapter's functions need.
    ///
    /// # Errors
    /// `Misuse`.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Calls the host and returns what it answered, as JSON; the empty text is null.
    ///
    /// # Errors
    /// `AdapterError` with the host's own error as its cause; `Cancelled`.
    fn call(&self, call: HostCall<'_>) -> Result<String>;
}
