//! A running program, which is ended when it is no longer wanted.

use std::io;
use std::process::{Child, ExitStatus};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::error::{Error, Result};

/// A program that is ended, with everything that it started, when this is dropped. It leads a process group.
pub(super) struct Running(pub(super) Child);

impl Running {
    fn id(&self) -> Option<Pid> {
        i32::try_from(self.0.id()).ok().and_then(Pid::from_raw)
    }

    /// How it ended; `None` while it runs. With `ends_its_children`, what it started ends with it: until it is waited for, its
    /// number is not another's.
    pub(super) fn status(&mut self, ends_its_children: bool) -> Result<Option<ExitStatus>> {
        let failed = |cause: &io::Error| Error::internal("a program cannot be waited for").because_of(cause);
        if let Some(id) = self.id() {
            let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let ended = waitid(WaitId::Pid(id), how).map_err(|cause| failed(&cause.into()))?;
            if ended.is_none() {
                return Ok(None);
            }
            if ends_its_children {
                let _ = kill_process_group(id, Signal::KILL);
            }
        }
        self.0.try_wait().map_err(|cause| failed(&cause))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After it was waited for, there is nothing left to end.
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        if let Some(id) = self.id() {
            let _ = kill_process_group(id, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}
