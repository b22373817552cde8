//! The interface of storage backends: reading a value, writing, reading a list, and optional functions; and the stored
//! form of a scope, which they share.
//!
//! Values and items are JSON. Adapters receive only sealed data. What they return was written by loopmem or by another
//! program that uses the same storage, and is validated where it is read.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;

use super::key::{Key, Scope};
use crate::disk::{Json, Mode, WaitOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::safety::Sealed;

/// A value or an item to be stored.
pub type SealedJson = Sealed<()>;

/// One write of a change.
#[derive(Debug, Clone)]
pub enum Write {
    /// Replaces the value under the key.
    Set(Key, SealedJson),
    /// Appends an item to the list under the key.
    Push(Key, SealedJson),
    /// Deletes a value or a list.
    Del(Key),
}

impl Write {
    /// The key that it writes.
    pub fn key(&self) -> &Key {
        match self {
            Write::Set(key, _) | Write::Push(key, _) | Write::Del(key) => key,
        }
    }
}

/// Reads a value for the decision on a change.
pub type Read<'r> = dyn FnMut(&Key) -> Result<Option<Json>> + 'r;

/// Reads the current state of a scope and returns the writes of a change. It may be called again if the scope was
/// changed concurrently.
pub type Decide = Box<dyn FnMut(&mut Read<'_>) -> Result<Vec<Write>> + Send>;

/// Keeps the context of a scope that is to be deleted. It may be called again if the scope was changed concurrently.
pub type Keep<'k> = dyn FnMut(&Json) -> Result<()> + 'k;

/// Calls `keep` with a context. One that is damaged cannot be brought back, and does not prevent the deletion.
pub(super) fn keep_if_readable(context: Result<Option<Json>>, keep: &mut Keep<'_>) -> Result<()> {
    match context {
        Ok(context) => context.as_ref().map_or(Ok(()), keep),
        Err(error) if [ErrorKind::Parse, ErrorKind::FormatTooNew, ErrorKind::Adapter].contains(&error.kind()) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A storage backend.
///
/// Three functions are required: the specification's five, with its three kinds of writes as one. The others have
/// defaults, under which a change is atomic only among the calls of one store, and a crash or an error in the middle of a
/// change may leave it partly written.
pub trait Adapter: fmt::Debug + Send + Sync {
    /// The name of the option that chooses it. The default is that of the host's own.
    fn name(&self) -> &'static str {
        "host"
    }

    /// The value under `key`.
    ///
    /// # Errors
    /// `AdapterError`, or an error specific to the storage, such as `ParseError` for a damaged file.
    fn get(&self, wait: &WaitOptions, key: &Key) -> Result<Option<Json>>;

    /// Performs one write.
    fn write(&self, wait: &WaitOptions, write: Write) -> Result<()>;

    /// The last `limit` items of the list under `key`, or all, in insertion order.
    fn list(&self, wait: &WaitOptions, key: &Key, limit: Option<usize>) -> Result<Vec<Json>>;

    /// Changes a scope: reads, decides and writes atomically. The default is not atomic: another process may write in
    /// between, and after a failure the remaining writes are missing.
    ///
    /// # Errors
    /// Those of `decide`, in which case nothing was written; as [`get`](Self::get).
    fn update(&self, wait: &WaitOptions, _scope: &Scope, mut decide: Decide) -> Result<()> {
        let writes = decide(&mut |key| self.get(wait, key))?;
        writes.into_iter().try_for_each(|write| self.write(wait, write))
    }

    /// All scopes with stored data. The default is unsupported.
    ///
    /// # Errors
    /// As [`get`](Self::get); `Unsupported`.
    fn scopes(&self, _wait: &WaitOptions) -> Result<BTreeSet<Scope>> {
        Err(Error::new(ErrorKind::Unsupported, "this adapter cannot list its keys; implement its function listKeys"))
    }

    /// Acquires the lease that a call on a scope holds while it runs. The default excludes other writers of the same
    /// store; storage with its own locking between processes needs none.
    ///
    /// # Errors
    /// `Misuse` for a call that would deadlock; `LockAcquisitionError`, `Cancelled`.
    fn lease(&self, home: &Home, wait: &WaitOptions, scope: &Scope, mode: Mode) -> Result<Lease> {
        let lease = home.disk().lease(scope.as_str(), mode, wait, home.config().adapter_timeout);
        lease.map(Lease::new).map_err(|error| error.about(scope.as_str()))
    }

    /// Whether keys of the host's own are part of a scope, which is deleted and listed with them. In storage of the host's, they
    /// may be anything.
    fn has_own_keys(&self) -> bool {
        true
    }

    /// Whether what it stores outlives the process.
    fn is_lasting(&self) -> bool {
        true
    }

    /// Removes what is left of deleted scopes in its files. The default has none.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    fn clear(&self, _wait: &WaitOptions) -> Result<()> {
        Ok(())
    }

    /// Deletes everything in a scope atomically; returns whether there was anything. Before that, `keep` is called with the
    /// context, if there is one that can be read. The default deletes one key after the other, the context last.
    ///
    /// # Errors
    /// Those of `keep`, in which case nothing was deleted; as [`get`](Self::get).
    fn delete(&self, wait: &WaitOptions, scope: &Scope, keep: &mut Keep<'_>) -> Result<bool> {
        keep_if_readable(self.get(wait, &Key::Context(scope.clone())), keep)?;
        let mut is_there = false;
        let mut keys = keys_of(scope, &mut |key| {
            let value = self.get(wait, key)?;
            is_there |= value.is_some();
            Ok(value)
        })?;
        if !self.has_own_keys() {
            keys.retain(|key| !matches!(key, Key::Value(_) | Key::List(_)));
        }
        for key in &keys {
            is_there = is_there
                || match key {
                    Key::Context(_) | Key::Value(_) => self.get(wait, key)?.is_some(),
                    Key::Logs(_) | Key::Trail(_) | Key::List(_) => !self.list(wait, key, Some(1))?.is_empty(),
                    Key::Checkpoints(_) | Key::Checkpoint(..) => false,
                };
        }
        if is_there {
            for (index, key) in keys.into_iter().enumerate() {
                // Once begun, the deletion is completed.
                match index {
                    0 => self.write(wait, Write::Del(key))?,
                    _ => self.write(&wait.to_finish(), Write::Del(key)).map_err(Error::maybe_stored)?,
                }
            }
        }
        Ok(is_there)
    }
}

/// Released when dropped.
#[derive(Default)]
pub struct Lease(Option<Box<dyn Any>>);

impl Lease {
    /// A lease that holds `held`.
    pub fn new(held: impl Any) -> Self {
        Lease(Some(Box::new(held)))
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("is_held", &self.0.is_some()).finish()
    }
}

/// All keys that a scope may have, the context last.
pub(super) fn keys_of(scope: &Scope, read: &mut Read<'_>) -> Result<Vec<Key>> {
    let timestamps = stored(scope, read)?;
    let checkpoints = timestamps.into_iter().map(|timestamp| Key::Checkpoint(scope.clone(), timestamp));
    let others = [
        Key::Checkpoints(scope.clone()),
        Key::Value(scope.clone()),
        Key::List(scope.clone()),
        Key::Logs(scope.clone()),
        Key::Trail(scope.clone()),
        Key::Context(scope.clone()),
    ];
    Ok(checkpoints.chain(others).collect())
}

/// The error for invalid data under `key`; `what` completes the sentence.
pub(super) fn damaged(key: &Key, what: &str) -> Error {
    Error::new(ErrorKind::Adapter, format!("the adapter's value under `{}` {what}", key.kind())).about(key.to_string())
}

/// The stored timestamps of a job's checkpoints.
pub(super) fn stored(job: &Scope, read: &mut Read<'_>) -> Result<Vec<u64>> {
    let key = Key::Checkpoints(job.clone());
    let Some(json) = read(&key)? else { return Ok(Vec::new()) };
    timestamps(&json).map_err(|what| damaged(&key, what))
}

/// Parses a list of timestamps; the error says what is wrong with it.
pub(super) fn timestamps(json: &Json) -> std::result::Result<Vec<u64>, &'static str> {
    let timestamps: Vec<u64> = serde_json::from_str(json.get()).map_err(|_| "is not a list of timestamps")?;
    if timestamps.is_sorted() { Ok(timestamps) } else { Err("is not a sorted list of timestamps") }
}
