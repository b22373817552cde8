//! Group commit: writers of one process that wait for the same file are committed together.
//!
//! The thread that acquires the lock leads the commit. It evaluates its own change and those of the writers queued behind
//! it, in the order of submission, each on the result of the changes before it; then it writes once. A change that is refused
//! does not affect the others. The outcome of the write is the outcome of every change in it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::cache::Parsed;
use crate::disk::Disk;
use crate::disk::locks::lock::Guard;
use crate::disk::locks::queue::Mode;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, Result};
use crate::guard::guard;
use crate::mutex::lock;

/// The maximum number of changes in one write, so that no writer waits for ever while more keep arriving.
const MAX_CHANGES: usize = 1024;

/// How long a leader waits for calls that were already submitted and are on their way to the queue: far less than a separate
/// write would take.
const GATHERED_FOR: Duration = Duration::from_millis(1);

/// The contents that a lock protects, and how they are changed.
pub trait Contents: Default + Send + Sync + 'static {
    /// One change.
    type Edit: Send + 'static;

    /// Loads the current contents. The lock of `path` must be held.
    ///
    /// # Errors
    /// `ParseError`, `FormatTooNew`, `IOError`.
    fn load(disk: &Disk, guard: &Guard, path: &Path) -> Result<Arc<Self>>;

    /// Whether the contents are empty.
    fn is_empty(&self) -> bool;

    /// A copy that can be edited.
    fn draft(&self) -> Self;

    /// Refuses edits after which the contents would be too large to be read again. No two of them may be of one record.
    ///
    /// # Errors
    /// `ValidationError`.
    fn check(&self, _path: &Path, _edits: &[Self::Edit]) -> Result<()> {
        Ok(())
    }

    /// Applies one change, which was validated when it was decided.
    fn apply(&mut self, edit: Self::Edit);

    /// Applies the changes that were decided together against these contents.
    fn apply_all(&mut self, edits: Vec<Self::Edit>) {
        edits.into_iter().for_each(|edit| self.apply(edit));
    }

    /// Replaces `before` by these contents, which were drafted from it, durably.
    ///
    /// # Errors
    /// `IOError`, `RenameError`; then the file has either its old contents or all of the new ones.
    fn write(self, before: &Arc<Self>, disk: &Disk, guard: &Guard, path: &Path) -> Result<()>;
}

/// A writer's change, evaluated under the lock against the current contents.
type Change<C> = Box<dyn FnOnce(&C) -> Result<Vec<<C as Contents>::Edit>> + Send>;

/// A queued change and its outcome.
struct Job<C: Contents> {
    change: Mutex<Option<Change<C>>>,
    outcome: Mutex<Option<Result<()>>>,
    ended: Condvar,
}

impl<C: Contents> Job<C> {
    fn decide(&self, path: &Path, contents: &C) -> Result<Vec<C::Edit>> {
        let change = lock(&self.change).take().ok_or_else(|| Error::internal("a change was decided twice"))?;
        // One caller's panic must not fail the batch, and neither must a change for which there is no space left.
        let edits = guard(|| change(contents))?;
        contents.check(path, &edits)?;
        Ok(edits)
    }

    fn end(&self, outcome: Result<()>) {
        *lock(&self.outcome) = Some(outcome);
        self.ended.notify_all();
    }

    /// Blocks until the leader has ended the job.
    fn wait(&self) -> Result<()> {
        let mut outcome = lock(&self.outcome);
        loop {
            if let Some(outcome) = outcome.take() {
                return outcome;
            }
            outcome = self.ended.wait(outcome).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The jobs that a leader has taken. All of them are ended when this is dropped, even by a panic.
struct Batch<C: Contents> {
    waiting: VecDeque<Arc<Job<C>>>,
    /// The jobs whose changes are in the draft.
    decided: Vec<Arc<Job<C>>>,
}

impl<C: Contents> Batch<C> {
    /// Applies the waiting changes and ends those that are refused. Returns whether anything was changed.
    fn decide(&mut self, path: &Path, draft: &mut C) -> bool {
        let mut is_changed = false;
        while let Some(job) = self.waiting.pop_front() {
            match job.decide(path, draft) {
                Ok(edits) => {
                    is_changed |= !edits.is_empty();
                    draft.apply_all(edits);
                    self.decided.push(job);
                }
                Err(refused) => job.end(Err(refused)),
            }
        }
        is_changed
    }

    fn end(&mut self, outcome: &Result<()>) {
        for job in self.decided.drain(..).chain(self.waiting.drain(..)) {
            job.end(outcome.clone());
        }
    }
}

impl<C: Contents> Drop for Batch<C> {
    fn drop(&mut self) {
        self.end(&Err(Error::internal("a bug in loopmem aborted the write; please report it")));
    }
}

impl Disk {
    /// Loads the file at `path` after completing an interrupted in-place copy. Its lock must be held.
    pub(in crate::disk) fn settled<C: Parsed>(&self, guard: &Guard, path: &Path) -> Result<Arc<C>> {
        self.check_folders_under(guard, path)?;
        self.settle(guard, path)?;
        self.load(path, None)
    }

    /// Applies the edits that `change` returns to the contents of `path` under the exclusive lock, and returns the answer that
    /// comes with them. The edits are durable when this returns `Ok`. Without edits nothing is written.
    ///
    /// # Errors
    /// The error of `change`, in which case nothing of it is written; `LockAcquisitionError`, `Cancelled`, `ParseError`,
    /// `FormatTooNew`, `IOError`, `RenameError`.
    pub(in crate::disk) fn commit<C: Contents, T: Send + 'static>(
        &self,
        path: &Path,
        wait: &WaitOptions,
        default_timeout: Duration,
        change: impl FnOnce(&C) -> Result<(Vec<C::Edit>, T)> + Send + 'static,
    ) -> Result<T> {
        let answer = Arc::new(Mutex::new(None));
        let answered = Arc::clone(&answer);
        let job = Arc::new(Job::<C> {
            change: Mutex::new(Some(Box::new(move |contents: &C| {
                let (edits, value) = change(contents)?;
                *lock(&answered) = Some(value);
                Ok(edits)
            }))),
            outcome: Mutex::default(),
            ended: Condvar::new(),
        });
        if let Some(guard) = self.locks.acquire_with(path, wait, default_timeout, job.clone())? {
            let mut batch = Batch { waiting: VecDeque::from([Arc::clone(&job)]), decided: Vec::new() };
            let outcome = self.lead(path, &guard, &mut batch);
            batch.end(&outcome);
        }
        job.wait()?;
        let answer = lock(&answer).take();
        answer.ok_or_else(|| Error::internal("a change ended without an answer"))
    }

    fn lead<C: Contents>(&self, path: &Path, guard: &Guard, batch: &mut Batch<C>) -> Result<()> {
        let before = C::load(self, guard, path)?;
        let mut draft = before.draft();
        let mut is_changed = batch.decide(path, &mut draft);
        let until = self.fs.elapsed() + GATHERED_FOR;
        while batch.decided.len() < MAX_CHANGES {
            batch.waiting.extend(guard.take_jobs());
            is_changed |= batch.decide(path, &mut draft);
            let left = until.saturating_sub(self.fs.elapsed());
            if left.is_zero() || !guard.wait_for_another(left) {
                break;
            }
        }
        // An earlier writer's unfinished write has been read by now, and answers depend on it.
        if is_changed || guard.is_behind_unfinished() && !before.is_empty() {
            return draft.write(&before, self, guard, path);
        }
        Ok(())
    }
}

/// A file with these contents that is parsed as a whole and changed under its lock: a document or a journal.
#[derive(Debug)]
pub struct DataFile<'d, C> {
    pub(in crate::disk) disk: &'d Disk,
    pub(in crate::disk) path: PathBuf,
    /// The longest wait for the lock, unless the call sets its own.
    pub(in crate::disk) default_timeout: Duration,
    load: fn(&Disk, &Path, Option<Guard>) -> Result<Arc<C>>,
}

impl<'d, C: Contents + Parsed> DataFile<'d, C> {
    /// Returns the file at `path`; nothing is read or created yet.
    pub fn new(disk: &'d Disk, path: PathBuf, default_timeout: Duration) -> Self {
        DataFile { disk, path, default_timeout, load: Disk::load }
    }

    /// Reads the contents; empty if there is no file. If they are cached, this takes a lock and a `stat`.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn read(&self, wait: &WaitOptions) -> Result<Arc<C>> {
        let guard = self.disk.lock(&self.path, Mode::Shared, wait, self.default_timeout)?;
        self.disk.check_folders_under(&guard, &self.path)?;
        (self.load)(self.disk, &self.path, Some(guard))
    }

    /// Reads the contents without the lock, which is consistent because the file is replaced atomically. For early
    /// refusals: these neither use up the call's ticket, which the following write needs, nor create files in an empty
    /// home. `None` if an earlier call of this process may still change the file: then it must be read under the lock.
    ///
    /// # Errors
    /// `ParseError`, `FormatTooNew`, `IOError`.
    pub fn peek(&self, wait: &WaitOptions) -> Result<Option<Arc<C>>> {
        if self.disk.locks.may_change(&self.path, wait) {
            return Ok(None);
        }
        self.disk.check_folders_of(&self.path)?;
        (self.load)(self.disk, &self.path, None).map(Some)
    }

    /// Removes the file, what was set aside of it, and what dead writers left beside it, durably and without reading it.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`.
    pub(crate) fn erase(&self, wait: &WaitOptions) -> Result<()> {
        self.disk.erase(&self.path, wait, self.default_timeout)
    }

    /// Removes the file if there is nothing in it.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(crate) fn remove_if_empty(&self, wait: &WaitOptions) -> Result<()> {
        if !self.disk.has_entry(&self.path) {
            return Ok(());
        }
        let guard = self.disk.lock(&self.path, Mode::Exclusive, wait, self.default_timeout)?;
        if !C::load(self.disk, &guard, &self.path)?.is_empty() {
            return Ok(());
        }
        self.disk.remove_data(&guard, &self.path)
    }

    /// Removes what was set aside of the file, and what dead writers left beside it: for what may leave no trace.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`.
    pub(crate) fn clear_beside(&self, wait: &WaitOptions) -> Result<()> {
        // No lock file is created where there is nothing.
        if self.disk.beside(&self.path)?.is_empty() {
            return Ok(());
        }
        let guard = self.disk.lock(&self.path, Mode::Exclusive, wait, self.default_timeout)?;
        self.disk.clear_beside(&guard, &self.path)
    }

    /// Applies the edits that `change` returns under the exclusive lock, possibly on another thread, and returns the answer
    /// that comes with them. The edits are durable when this returns `Ok`. Without edits nothing is written.
    ///
    /// # Errors
    /// The error of `change`, in which case nothing of it is written; `ValidationError` if the file would become too large;
    /// those of [`read`](Self::read); `RenameError`.
    pub fn update<T: Send + 'static>(
        &self,
        wait: &WaitOptions,
        change: impl FnOnce(&C) -> Result<(Vec<C::Edit>, T)> + Send + 'static,
    ) -> Result<T> {
        self.disk.commit(&self.path, wait, self.default_timeout, change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    /// At most ten, in all.
    #[derive(Default)]
    struct Sum(usize);

    impl Contents for Sum {
        type Edit = usize;

        fn load(_: &Disk, _: &Guard, _: &Path) -> Result<Arc<Self>> {
            Ok(Arc::default())
        }

        fn is_empty(&self) -> bool {
            self.0 == 0
        }

        fn draft(&self) -> Self {
            Sum(self.0)
        }

        fn check(&self, _: &Path, edits: &[usize]) -> Result<()> {
            let sum = self.0 + edits.iter().sum::<usize>();
            if sum > 10 { Err(Error::validation("too much")) } else { Ok(()) }
        }

        fn apply(&mut self, edit: usize) {
            self.0 += edit;
        }

        fn write(self, _: &Arc<Self>, _: &Disk, _: &Guard, _: &Path) -> Result<()> {
            Ok(())
        }
    }

    fn job(change: impl FnOnce(&Sum) -> Result<Vec<usize>> + Send + 'static) -> Arc<Job<Sum>> {
        Arc::new(Job { change: Mutex::new(Some(Box::new(change))), outcome: Mutex::default(), ended: Condvar::new() })
    }

    #[test]
    fn a_change_that_panics_or_is_too_long_is_refused_alone_and_a_panic_is_reported_with_its_location() {
        #[allow(clippy::panic, reason = "the defect that is reported")]
        let defect = job(|_| panic!("the payload of a panic is not reported"));
        let [first, too_long, last] = [7, 4, 3].map(|edit| job(move |_| Ok(vec![edit])));
        let all = [&first, &too_long, &defect, &last].map(Arc::clone);
        let mut batch = Batch { waiting: all.into(), decided: Vec::new() };
        let mut draft = Sum::default();
        assert!(batch.decide(Path::new("sum"), &mut draft));
        assert_eq!(draft.0, 10);
        batch.end(&Ok(()));
        first.wait().unwrap();
        last.wait().unwrap();
        assert_eq!(too_long.wait().unwrap_err().kind(), ErrorKind::Validation);
        let defect = defect.wait().unwrap_err();
        assert_eq!(defect.kind(), ErrorKind::Internal);
        let message = format!("{defect:#}");
        assert!(message.contains("commit.rs:") && !message.contains("payload"), "{message}");
    }
}
