//! What a storage backend must be: the specification's five functions, and what it may offer beyond them.
//!
//! Values and items are JSON. An adapter gets nothing that was not sealed; what it returns was written by loopmem or by
//! somebody else who uses the same storage, and is checked where it is read.

use std::any::Any;
use std::fmt;

use super::kept::{Read, keys_of};
use super::key::{Key, Scope};
use crate::disk::{Json, Mode, WaitOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::safety::Sealed;

/// A value or an item on its way to an adapter.
pub type SealedJson = Sealed<()>;

/// One of the writes that a change consists of.
#[derive(Debug)]
pub enum Write {
    /// Puts a value in the place of what stands under the key.
    Set(Key, SealedJson),
    /// Puts an item behind the others of a list.
    Push(Key, SealedJson),
    /// Takes away a value or a list.
    Del(Key),
}

impl Write {
    /// What it writes.
    pub fn key(&self) -> &Key {
        match self {
            Write::Set(key, _) | Write::Push(key, _) | Write::Del(key) => key,
        }
    }
}

/// Decides on the writes of a change of one scope by what stands there. It may be asked again, when somebody else has
/// written in between.
pub type Decide = Box<dyn FnMut(&mut Read<'_>) -> Result<Vec<Write>> + Send>;

/// A storage backend.
///
/// Five functions are enough. What the rest promises beyond them is told where it is declared; without it a change is
/// atomic among the calls of one store only, and after a crash or an error in the middle of one a part of it may stand.
pub trait Adapter: fmt::Debug + Send + Sync {
    /// The value under `key`.
    ///
    /// # Errors
    /// `AdapterError`, or what the storage calls for: a file that is damaged is `ParseError`.
    fn get(&self, wait: &WaitOptions, key: &Key) -> Result<Option<Json>>;

    /// Puts `value` under `key`.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    fn set(&self, wait: &WaitOptions, key: &Key, value: &SealedJson) -> Result<()>;

    /// Takes away what is under `key`, a value or a list.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    fn del(&self, wait: &WaitOptions, key: &Key) -> Result<()>;

    /// Puts `item` behind the others of the list under `key`.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    fn push(&self, wait: &WaitOptions, key: &Key, item: &SealedJson) -> Result<()>;

    /// Every item of the list under `key`, in the order in which they were pushed.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    fn get_list(&self, wait: &WaitOptions, key: &Key) -> Result<Vec<Json>>;

    /// The last `most` items of the list under `key`, in the order in which they were pushed. By default the whole list
    /// is read for them.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    fn tail(&self, wait: &WaitOptions, key: &Key, most: usize) -> Result<Vec<Json>> {
        let mut items = self.get_list(wait, key)?;
        items.drain(..items.len().saturating_sub(most));
        Ok(items)
    }

    /// Changes a scope: reads, decides and writes as one. By default one after the other: another process may write in
    /// between, and what comes after a failure is missing.
    ///
    /// # Errors
    /// What `decide` returns, then nothing was written; as [`get`](Self::get).
    fn update(&self, wait: &WaitOptions, _scope: &Scope, mut decide: Decide) -> Result<()> {
        let writes = decide(&mut |key| self.get(wait, key))?;
        writes.iter().try_for_each(|write| make(self, wait, write))
    }

    /// Every scope of which something is kept, in the order of their ids. By default this cannot be told.
    ///
    /// # Errors
    /// As [`get`](Self::get); `Unsupported`.
    fn scopes(&self, _wait: &WaitOptions) -> Result<Vec<Scope>> {
        Err(Error::new(ErrorKind::Unsupported, "this adapter cannot list its keys; give it the function listKeys"))
    }

    /// What a call on a scope holds while it lasts. By default a lease that keeps the writers of one store apart; where the
    /// storage itself does that for every process, there is no need of one.
    ///
    /// # Errors
    /// `Misuse` for a call that could never end; `LockAcquisitionError`, `Cancelled`.
    fn lease(&self, home: &Home, wait: &WaitOptions, scope: &Scope, mode: Mode) -> Result<Lease> {
        let lease = home.disk().lease(scope.as_str(), mode, wait, home.config().adapter_timeout);
        lease.map(Lease::new).map_err(|error| error.about(scope.as_str()))
    }

    /// Takes away everything of a scope, all at once; tells whether there was anything. By default one key after the other,
    /// the context last.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    fn delete(&self, wait: &WaitOptions, scope: &Scope) -> Result<bool> {
        let mut is_there = false;
        let keys = keys_of(scope, &mut |key| {
            let value = self.get(wait, key)?;
            is_there |= value.is_some();
            Ok(value)
        })?;
        is_there = is_there || self.get(wait, &Key::Context(scope.clone()))?.is_some();
        for key in [Key::Logs(scope.clone()), Key::Trail(scope.clone())] {
            is_there = is_there || !self.tail(wait, &key, 1)?.is_empty();
        }
        if is_there {
            for (index, key) in keys.iter().enumerate() {
                // What has begun is finished.
                match index {
                    0 => self.del(wait, key)?,
                    _ => self.del(&wait.to_finish(), key).map_err(Error::maybe_stored)?,
                }
            }
        }
        Ok(is_there)
    }
}

/// Makes one write.
pub(super) fn make<A: Adapter + ?Sized>(adapter: &A, wait: &WaitOptions, write: &Write) -> Result<()> {
    match write {
        Write::Set(key, value) => adapter.set(wait, key, value),
        Write::Push(key, item) => adapter.push(wait, key, item),
        Write::Del(key) => adapter.del(wait, key),
    }
}

/// What a call holds until it is dropped.
#[derive(Default)]
pub struct Lease(Option<Box<dyn Any>>);

impl Lease {
    /// A lease that lasts as long as `held`.
    pub fn new(held: impl Any) -> Self {
        Lease(Some(Box::new(held)))
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("is_held", &self.0.is_some()).finish()
    }
}
