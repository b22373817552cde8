//! Objects of the host that a store calls: an adapter with the functions of the specification, and a tokenizer.
//!
//! A binding supplies a [`HostObject`]; each call passes it a function and its arguments as JSON. While the host runs,
//! loopmem holds no mutex, at most the lease of a scope. Nested calls, which the host makes while it answers, are recognized:
//! on the same thread automatically, on another thread by the number that the host passes on ([`HostCall::within`]).

use std::fmt;
use std::time::Duration;

use crate::disk::Cancel;
use crate::error::Result;

macro_rules! functions {
    ($($(#[$attribute:meta])* $function:ident = $name:literal, writes: $writes:literal, optional: $optional:literal;)*) => {
        /// A function of the host.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum HostFunction { $($(#[$attribute])* $function,)* }

        impl HostFunction {
            /// All functions, those that an adapter must have first.
            pub const ALL: &'static [HostFunction] = &[$(HostFunction::$function,)*];

            /// Its name in the host's object.
            pub fn name(self) -> &'static str {
                match self { $(HostFunction::$function => $name,)* }
            }

            /// Whether it changes what is stored.
            pub fn writes(self) -> bool {
                match self { $(HostFunction::$function => $writes,)* }
            }

            /// Whether the host may omit it.
            pub fn is_optional(self) -> bool {
                match self { $(HostFunction::$function => $optional,)* }
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
    /// `countTokens(text)`, of the tokenizer: the number of tokens of a text.
    CountTokens = "countTokens", writes: false, optional: true;
}

impl HostFunction {
    /// As an error calls it, given its name in the host's language.
    pub fn in_errors(self, name: &str) -> String {
        match self {
            HostFunction::CountTokens => format!("the tokenizer's {name}"),
            _ => format!("the adapter's {name}"),
        }
    }
}

/// One call of the host.
#[derive(Debug)]
#[non_exhaustive]
pub struct HostCall<'c> {
    /// The function to call.
    pub function: HostFunction,
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

/// An adapter or a tokenizer of the host: of your program, or of a binding to another language. The
/// [recipe](crate::recipes#how-do-i-store-the-state-of-jobs-in-something-else) has an adapter.
///
/// It is called on the thread of the call that needs it, by several threads at once.
pub trait HostObject: fmt::Debug + Send + Sync {
    /// Whether the host has this function. An adapter has all those that are not optional.
    fn offers(&self, function: HostFunction) -> bool;

    /// Checks, before a call begins, that blocking this thread cannot deadlock: the host's functions may need to run
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
