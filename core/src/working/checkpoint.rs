//! Checkpoints: copies of a job's context to which it can be taken back.
//!
//! A checkpoint's name is the time at which it was saved, in milliseconds, and one more than the last when that is taken.
//! The list under `checkpoints:JOB` says which there are.

use super::adapter::Write;
use super::context::Context;
use super::kept::{damaged, stored};
use super::key::Key;
use super::trail::{Change, Operation};
use super::{Working, members};
use crate::disk::{Json, Mode};
use crate::error::{Error, ErrorKind, Result};
use crate::home::CheckpointLimits;
use crate::logger::Level;
use crate::safety::{Sealed, SealedObject};

impl Working {
    /// Saves a job's context as it is, and returns the checkpoint's timestamp. What is too many or too old by the
    /// configuration goes.
    ///
    /// # Errors
    /// As [`get_context`](Working::get_context).
    pub fn save_checkpoint(&self, job_id: &str) -> Result<u64> {
        self.call_on("working.saveCheckpoint", ("jobId", job_id), Mode::Exclusive, |working, job| {
            let (home, of) = (working.home.clone(), job.clone());
            let (timestamp, gone) = working.update(&job, move |read| {
                let key = Key::Context(of.clone());
                let context = Context::read(&key, read(&key)?)?;
                // It was sealed when it was stored, and is to be restored as it is.
                let context = Sealed::whole(context.stored())?;
                let mut timestamps = stored(&of, read)?;
                let now = home.milliseconds();
                let timestamp = timestamps.last().map_or(Some(now), |last| Some(now.max(last.checked_add(1)?)));
                let timestamp =
                    timestamp.ok_or_else(|| damaged(&Key::Checkpoints(of.clone()), "holds a time without end"))?;
                timestamps.push(timestamp);
                let gone = prune(home.config().checkpoints, &mut timestamps, now);
                let mut writes = vec![
                    Write::Set(Key::Checkpoint(of.clone(), timestamp), context),
                    Write::Set(Key::Checkpoints(of.clone()), list(&timestamps)?),
                ];
                writes.extend(gone.iter().map(|gone| Write::Del(Key::Checkpoint(of.clone(), *gone))));
                Ok((writes, (timestamp, gone)))
            })?;
            working.tell(Level::Info, "Checkpoint saved for", &job, Some(timestamp));
            gone.iter().for_each(|gone| {
                working.tell(Level::Info, "Checkpoint beyond the limits deleted for", &job, Some(*gone))
            });
            Ok(timestamp)
        })
    }

    /// Puts the context that was saved at `timestamp` in the place of the job's, and returns it. The trail keeps what it
    /// replaced.
    ///
    /// # Errors
    /// `NotFound` naming the job and the timestamp; as [`get_context`](Working::get_context).
    pub fn restore_checkpoint(&self, job_id: &str, timestamp: u64) -> Result<Context> {
        self.call_on("working.restoreCheckpoint", ("jobId", job_id), Mode::Exclusive, |working, job| {
            let (home, of) = (working.home.clone(), job.clone());
            let context = working.update(&job, move |read| {
                let from = Key::Checkpoint(of.clone(), timestamp);
                let saved = read(&from)?.ok_or_else(|| missing(home.redactor().quote(of.as_str()), timestamp))?;
                let key = Key::Context(of.clone());
                let before = match read(&key)? {
                    Some(json) => members(&key, &json)?,
                    None => SealedObject::default(),
                };
                let patch = members(&from, &saved)?;
                let change =
                    Change { operation: Operation::RestoreCheckpoint, patch: &patch, remove: None, source: None };
                let mut entry = change.entry(&home)?;
                entry.set("timestamp", &timestamp)?;
                entry.set("replaced", &before)?;
                let (entry, saved) = (Sealed::whole(&entry)?, Sealed::whole(&saved)?);
                let json = Json::from(&saved);
                let writes = vec![Write::Set(key, saved), Write::Push(Key::Trail(of.clone()), entry)];
                Ok((writes, json))
            })?;
            working.tell(Level::Info, "Checkpoint restored for", &job, Some(timestamp));
            Context::read(&Key::Context(job), Some(context))
        })
    }

    /// The timestamps of a job's checkpoints, oldest first.
    ///
    /// # Errors
    /// As [`get_context`](Working::get_context).
    pub fn list_checkpoints(&self, job_id: &str) -> Result<Vec<u64>> {
        self.call_on("working.listCheckpoints", ("jobId", job_id), Mode::Shared, |working, job| {
            stored(&job, &mut |key| working.adapter.get(working.home.wait(), key))
        })
    }

    /// Deletes a checkpoint; tells whether there was one.
    ///
    /// # Errors
    /// As [`get_context`](Working::get_context).
    pub fn delete_checkpoint(&self, job_id: &str, timestamp: u64) -> Result<bool> {
        self.call_on("working.deleteCheckpoint", ("jobId", job_id), Mode::Exclusive, |working, job| {
            let of = job.clone();
            let is_deleted = working.update(&job, move |read| {
                let mut timestamps = stored(&of, read)?;
                let count = timestamps.len();
                timestamps.retain(|there| *there != timestamp);
                let key = Key::Checkpoint(of.clone(), timestamp);
                if timestamps.len() == count && read(&key)?.is_none() {
                    return Ok((Vec::new(), false));
                }
                let left = Key::Checkpoints(of.clone());
                let left = if timestamps.is_empty() { Write::Del(left) } else { Write::Set(left, list(&timestamps)?) };
                Ok((vec![left, Write::Del(key)], true))
            })?;
            if is_deleted {
                working.tell(Level::Info, "Checkpoint deleted for", &job, Some(timestamp));
            }
            Ok(is_deleted)
        })
    }
}

/// Takes out of `timestamps`, oldest first, those that are too many or too old at `now`, and returns them. The newest one
/// stays.
fn prune(limits: CheckpointLimits, timestamps: &mut Vec<u64>, now: u64) -> Vec<u64> {
    let too_many = timestamps.len().saturating_sub(limits.entries.unwrap_or(usize::MAX));
    let is_too_old = |timestamp: &u64| limits.age_ms.is_some_and(|age| timestamp.saturating_add(age) < now);
    let too_old = timestamps.iter().take_while(|timestamp| is_too_old(timestamp)).count();
    let gone = too_many.max(too_old).min(timestamps.len().saturating_sub(1));
    timestamps.drain(..gone).collect()
}

/// What is loopmem's own from end to end.
fn list(timestamps: &[u64]) -> Result<Sealed<()>> {
    Ok(Sealed::whole(timestamps)?)
}

fn missing(job: String, timestamp: u64) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!("the job {job} has no checkpoint {timestamp}; working.listCheckpoints tells which there are"),
    )
    .about(timestamp.to_string())
}
