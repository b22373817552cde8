//! Adapters implemented by the host: an object of its language with the functions of the specification.
//!
//! A binding supplies a [`HostAdapter`]; each call passes it a function and its arguments as JSON. While the host runs,
//! loopmem holds no mutex, only the scope's lease. Nested calls, which the host makes while it answers, are recognized:
//! on the same thread automatically, on another thread by the number that the host passes on ([`HostCall::within`]).

use std::fmt;
use std::time::Duration;

use crate::disk::Cancel;
use crate::error::Result;

macro_rules! functions {
    ($($(#[$attribute:meta])* $function:ident = $name:literal, writes: $writes:literal, optional: $optional:literal;)*) => {
        /// A function of an adapter.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum AdapterFunction { $($(#[$attribute])* $function,)* }

        impl AdapterFunction {
            /// All functions, required ones first.
            pub const ALL: &'static [AdapterFunction] = &[$(AdapterFunction::$function,)*];

            /// Its name in the host's object.
            pub fn name(self) -> &'static str {
                match self { $(AdapterFunction::$function => $name,)* }
            }

            /// Whether it changes what is stored.
            pub fn writes(self) -> bool {
                match self { $(AdapterFunction::$function => $writes,)* }
            }

            /// Whether an adapter may omit it.
            pub fn is_optional(self) -> bool {
                match self { $(AdapterFunction::$function => $optional,)* }
            }
        }
    };
}

functions! {
    /// `get(key)`: the value, or null.
    Get = "get", writes: false, optional: false;
    /// `set(key, value)`.
    Set = "set", writes: true, optional: false;
    /// `del(key)`.
    Del = "del", writes: true, optional: false;
    /// `push(key, item)`.
    Push = "push", writes: true, optional: false;
    /// `getList(key)`: the items.
    GetList = "getList", writes: false, optional: false;
    /// `compareAndSet(key, expected, value)`, optional: sets the value, or deletes it if `value` is null, provided the
    /// current value equals `expected` (null: no value); returns whether it did.
    CompareAndSet = "compareAndSet", writes: true, optional: true;
    /// `getRange(key, start)`, optional: the items from index `start`, which counts from the end if negative.
    GetRange = "getRange", writes: false, optional: true;
    /// `listKeys(prefix)`, optional: the keys with this prefix.
    ListKeys = "listKeys", writes: false, optional: true;
}

/// One call of the host.
#[derive(Debug)]
#[non_exhaustive]
pub struct HostCall<'c> {
    /// The function to call.
    pub function: AdapterFunction,
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
    fn offers(&self, function: AdapterFunction) -> bool;

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
