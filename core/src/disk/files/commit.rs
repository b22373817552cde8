//! Group commit: writers of one process that wait for the same file are committed together.
//!
//! Whoever gets the lock is the leader. It decides its own change and those of all who stand behind it, in the order of
//! submission, each on what the changes before it left; then it writes once. A change that is refused is refused alone.
//! What the write came to is everybody's answer.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::cache::Parsed;
use crate::disk::Disk;
use crate::disk::fs::mutex::lock;
use crate::disk::locks::lock::{Entry, Guard};
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, ErrorKind, Result};

/// How many changes one write may take along, so that nobody waits for ever while more keep coming.
const MAX_CHANGES: usize = 1024;

/// How long a leader waits for calls that were submitted already and are on their way to the queue: far less than another
/// write would take them.
const GATHERED_FOR: Duration = Duration::from_millis(1);

/// What stands behind a lock, and how it is changed.
pub(in crate::disk) trait Contents: Default + Send + Sync + 'static {
    /// One change.
    type Edit: Send + 'static;

    /// What there is, under the lock of `path`.
    ///
    /// # Errors
    /// `ParseError`, `FormatTooNew`, `IOError`.
    fn load(disk: &Disk, guard: &Guard, path: &Path) -> Result<Arc<Self>>;

    /// Whether there is nothing in it.
    fn is_empty(&self) -> bool;

    /// A copy that can be edited.
    fn draft(&self) -> Self;

    /// Makes one change. What could be wrong with it was found when it was decided.
    fn apply(&mut self, edit: Self::Edit);

    /// Puts these contents, which were drafted from `before`, in its place, durably.
    ///
    /// # Errors
    /// `IOError`, `RenameError`; then the file says what it said before, or all of what it was to say.
    fn write(self, before: &Arc<Self>, disk: &Disk, guard: &Guard, path: &Path) -> Result<()>;
}

/// What a writer wants changed, decided under the lock on the contents as they are then.
type Change<C> = Box<dyn FnOnce(&C) -> Result<Vec<<C as Contents>::Edit>> + Send>;

/// A change that waits, and what became of it.
struct Job<C: Contents> {
    change: Mutex<Option<Change<C>>>,
    outcome: Mutex<Option<Result<()>>>,
    ended: Condvar,
}

impl<C: Contents> Job<C> {
    fn decide(&self, contents: &C) -> Result<Vec<C::Edit>> {
        let change = lock(&self.change).take().ok_or_else(|| defect("a change was decided twice"))?;
        // A defect in one caller's change is not the others' to die of.
        catch_unwind(AssertUnwindSafe(|| change(contents)))
            .unwrap_or_else(|_| Err(defect("a bug in loopmem aborted the call; please report it")))
    }

    fn end(&self, outcome: Result<()>) {
        *lock(&self.outcome) = Some(outcome);
        self.ended.notify_all();
    }

    /// Until whoever does the job has ended it.
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

/// The jobs that a leader has taken. It ends every one of them, even when it dies itself.
struct Batch<C: Contents> {
    waiting: VecDeque<Arc<Job<C>>>,
    /// Whose changes stand in the draft.
    decided: Vec<Arc<Job<C>>>,
}

impl<C: Contents> Batch<C> {
    /// Makes the changes that wait; those that are refused end here. Tells whether anything was changed.
    fn decide(&mut self, draft: &mut C) -> bool {
        let mut is_changed = false;
        while let Some(job) = self.waiting.pop_front() {
            match job.decide(draft) {
                Ok(edits) => {
                    is_changed |= !edits.is_empty();
                    edits.into_iter().for_each(|edit| draft.apply(edit));
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
        self.end(&Err(defect("a bug in loopmem aborted the write; please report it")));
    }
}

impl Disk {
    /// What the file at `path` says, under its lock, with what a writer before left half copied.
    pub(in crate::disk) fn settled<C: Parsed>(&self, guard: &Guard, path: &Path) -> Result<Arc<C>> {
        self.check_folders_under(guard, path)?;
        self.settle(guard, path)?;
        self.load(path, None)
    }

    /// Changes what stands behind the lock of `path` under its exclusive lock and returns the answer that came with the edits; when `Ok`
    /// returns, they are durable. Without edits nothing is written.
    ///
    /// # Errors
    /// What `change` returns, then nothing of it is written; `LockAcquisitionError`, `Cancelled`, `ParseError`,
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
        if let Entry::Leader(guard) = self.locks.acquire_with(path, wait, default_timeout, job.clone())? {
            let mut batch = Batch { waiting: VecDeque::from([Arc::clone(&job)]), decided: Vec::new() };
            let outcome = self.lead(path, &guard, &mut batch);
            batch.end(&outcome);
        }
        job.wait()?;
        let answer = lock(&answer).take();
        answer.ok_or_else(|| defect("a change ended without an answer"))
    }

    fn lead<C: Contents>(&self, path: &Path, guard: &Guard, batch: &mut Batch<C>) -> Result<()> {
        let before = C::load(self, guard, path)?;
        let mut draft = before.draft();
        let mut is_changed = batch.decide(&mut draft);
        let until = self.fs.elapsed() + GATHERED_FOR;
        while batch.decided.len() < MAX_CHANGES {
            batch.waiting.extend(guard.take_jobs());
            is_changed |= batch.decide(&mut draft);
            let left = until.saturating_sub(self.fs.elapsed());
            if left.is_zero() || !guard.wait_for_another(left) {
                break;
            }
        }
        // What a writer before left unfinished was read by now, and answers tell of it.
        if is_changed || guard.is_behind_unfinished() && !before.is_empty() {
            return draft.write(&before, self, guard, path);
        }
        Ok(())
    }
}

fn defect(message: &str) -> Error {
    Error::new(ErrorKind::Internal, message)
}
