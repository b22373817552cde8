//! A running program, which is ended when it is no longer wanted.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::error::{Error, Result};

/// The shell of a group, which takes the group with it when nobody can write to its input any more.
const SHELL: &str = "/bin/sh";
const WAIT_AND_END: &str = "read -r _; kill -9 0";

/// A process group that ends with this process, also if this process is killed and cannot end it.
///
/// Linux can end a child with its parent, but not what the child started: git starts others for the network. So a shell leads
/// the group, and waits for the end of a pipe that only this process holds open. The group has the shell's number, which is not
/// another's until the shell is waited for.
struct Group {
    /// `None` on a system without a shell: then the program leads the group.
    leader: Option<Child>,
}

impl Group {
    fn start() -> Self {
        let mut shell = Command::new(SHELL);
        shell.args(["-c", WAIT_AND_END]).env_clear().current_dir("/").process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Group { leader: shell.spawn().ok() }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = &mut self.leader {
            // In this order: what the program left running on purpose is not ended by the end of the pipe.
            let _ = leader.kill();
            let _ = leader.wait();
        }
    }
}

/// A program that is ended, with everything that it started, when this is dropped or this process ends.
pub(super) struct Running {
    pub(super) child: Child,
    group: Group,
}

impl Running {
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        let group = Group::start();
        command.process_group(group.leader.as_ref().and_then(number).map_or(0, Pid::as_raw_pid));
        Ok(Running { child: command.spawn()?, group })
    }

    /// Ends the program and what it started.
    fn end(&self) {
        if let Some(id) = number(self.group.leader.as_ref().unwrap_or(&self.child)) {
            let _ = kill_process_group(id, Signal::KILL);
        }
    }

    /// How it ended; `None` while it runs. With `ends_its_children`, what it started ends with it: until it is waited for, its
    /// number is not another's.
    pub(super) fn status(&mut self, ends_its_children: bool) -> Result<Option<ExitStatus>> {
        let failed = |cause: &io::Error| Error::internal("a program cannot be waited for").because_of(cause);
        if let Some(id) = number(&self.child) {
            let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let ended = waitid(WaitId::Pid(id), how).map_err(|cause| failed(&cause.into()))?;
            if ended.is_none() {
                return Ok(None);
            }
            if ends_its_children {
                self.end();
            }
        }
        self.child.try_wait().map_err(|cause| failed(&cause))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After it was waited for, there is nothing left to end.
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        self.end();
        let _ = self.child.wait();
    }
}

fn number(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}
