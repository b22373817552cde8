//! Checkpoints: copies of a job's context that can be restored.
//!
//! A checkpoint is named by the time at which it was saved, in milliseconds, or the last timestamp plus one if that is
//! later. The key `checkpoints:JOB` lists them.

use super::adapter::{Write, damaged, stored};
use super::context::Context;
use super::key::{Key, Scope};
use super::trail::{Change, Operation};
use super::{Working, members, names};
use crate::disk::{Json, Mode};
use crate::error::{Error, ErrorKind, Result};
use crate::home::CheckpointLimits;
use crate::logger::Level;
use crate::safety::Sealed;

impl Working {
    /// Saves a job's context and returns the checkpoint's timestamp. Checkpoints beyond the configured limits of number
    /// and age are deleted.
    ///
    /// # Errors
    /// As [`get_context`](Working::get_context).
    pub fn save_checkpoint(&self, job_id: &str) -> Result<u64> {
        self.call_on(names::SAVE_CHECKPOINT, ("jobId", job_id), Mode::Exclusive, |working, job| {
            let (home, of) = (working.home.clone(), job.clone());
            let (timestamp, pruned) = working.update(&job, move |read| {
                let key = Key::Context(of.clone());
                let context = Context::read(&key, read(&key)?)?;
                // It was sealed when it was stored, and must be restored unchanged.
                let context = Sealed::whole(context.stored())?;
                let mut timestamps = stored(&of, read)?;
                let now = home.milliseconds();
                let timestamp = timestamps.last().map_or(Some(now), |last| Some(now.max(last.checked_add(1)?)));
                let timestamp = timestamp
                    .ok_or_else(|| damaged(&Key::Checkpoints(of.clone()), "contains the largest possible timestamp"))?;
                timestamps.push(timestamp);
                let pruned = prune(home.config().checkpoints, &mut timestamps, now);
                let mut writes = vec![
                    Write::Set(Key::Checkpoint(of.clone(), timestamp), context),
                    Write::Set(Key::Checkpoints(of.clone()), list(&timestamps)?),
                ];
                writes.extend(pruned.iter().map(|timestamp| Write::Del(Key::Checkpoint(of.clone(), *timestamp))));
                Ok((writes, (timestamp, pruned)))
            })?;
            working.log(Level::Info, "Checkpoint saved for", &job, Some(timestamp));
            pruned.iter().for_each(|timestamp| {
                working.log(Level::Info, "Checkpoint beyond the limits deleted for", &job, Some(*timestamp))
            });
            Ok(timestamp)
        })
    }

    /// Replaces the job's context with the one saved at `timestamp`, and returns it. The replaced context is kept in
    /// the trail.
    ///
    /// # Errors
    /// `NotFound` naming the job and the timestamp; as [`get_context`](Working::get_context).
    pub fn restore_checkpoint(&self, job_id: &str, timestamp: u64) -> Result<Context> {
        self.call_on(names::RESTORE_CHECKPOINT, ("jobId", job_id), Mode::Exclusive, |working, job| {
            let (home, of) = (working.home.clone(), job.clone());
            let context = working.update(&job, move |read| {
                let from = Key::Checkpoint(of.clone(), timestamp);
                let saved = read(&from)?.ok_or_else(|| missing(home.redactor().quote(of.as_str()), timestamp))?;
                let key = Key::Context(of.clone());
                let before = members(&key, read(&key)?)?;
                let patch = members(&from, Some(saved.clone()))?;
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
            working.log(Level::Info, "Checkpoint restored for", &job, Some(timestamp));
            Context::read(&Key::Context(job), Some(context))
        })
    }

    /// Returns the timestamps of a job's checkpoints, oldest first.
    ///
    /// # Errors
    /// As [`get_context`](Working::get_context).
    pub fn list_checkpoints(&self, job_id: &str) -> Result<Vec<u64>> {
        self.call_on(names::LIST_CHECKPOINTS, ("jobId", job_id), Mode::Shared, |working, job| {
            stored(&job, &mut |key| working.adapter.get(working.home.wait_options(), key))
        })
    }

    /// Deletes a checkpoint; returns whether it existed.
    ///
    /// # Errors
    /// As [`get_context`](Working::get_context).
    pub fn delete_checkpoint(&self, job_id: &str, timestamp: u64) -> Result<bool> {
        self.call_on(names::DELETE_CHECKPOINT, ("jobId", job_id), Mode::Exclusive, |working, job| {
            working.remove_checkpoint(&job, timestamp)
        })
    }

    /// Deletes a checkpoint; returns whether it existed. The job's lease must be held.
    pub(super) fn remove_checkpoint(&self, job: &Scope, timestamp: u64) -> Result<bool> {
        let of = job.clone();
        let is_deleted = self.update(job, move |read| {
            let mut timestamps = stored(&of, read)?;
            let count = timestamps.len();
            timestamps.retain(|it| *it != timestamp);
            let key = Key::Checkpoint(of.clone(), timestamp);
            if timestamps.len() == count && read(&key)?.is_none() {
                return Ok((Vec::new(), false));
            }
            let list_key = Key::Checkpoints(of.clone());
            let list = match timestamps.is_empty() {
                true => Write::Del(list_key),
                false => Write::Set(list_key, list(&timestamps)?),
            };
            Ok((vec![list, Write::Del(key)], true))
        })?;
        if is_deleted {
            self.log(Level::Info, "Checkpoint deleted for", job, Some(timestamp));
        }
        Ok(is_deleted)
    }
}

/// Removes the timestamps beyond the limits at `now` from the ascending `timestamps`, and returns them. The newest one
/// is always kept.
fn prune(limits: CheckpointLimits, timestamps: &mut Vec<u64>, now: u64) -> Vec<u64> {
    let too_many = timestamps.len().saturating_sub(limits.entries.unwrap_or(usize::MAX));
    let is_too_old = |timestamp: &u64| limits.age_ms.is_some_and(|age| timestamp.saturating_add(age) < now);
    let too_old = timestamps.iter().take_while(|timestamp| is_too_old(timestamp)).count();
    let count = too_many.max(too_old).min(timestamps.len().saturating_sub(1));
    timestamps.drain(..count).collect()
}

/// Timestamps are generated by loopmem, so they need no redaction.
pub(super) fn list(timestamps: &[u64]) -> Result<Sealed<()>> {
    Ok(Sealed::whole(timestamps)?)
}

fn missing(job: String, timestamp: u64) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!("the job {job} has no checkpoint {timestamp}; working.listCheckpoints lists them"),
    )
    .about(timestamp.to_string())
}
