//! File systems with limitations, for tests.

use std::io;

use super::observed::Call;
use super::real::RealFs;
use super::seam::Fs;

/// An operation that a file system does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FsLimitation {
    /// `flock` is not supported.
    NoLocks,
    /// Renaming onto an existing file fails with `EBUSY`, as for one that is a mount point itself.
    NoReplace,
}

impl FsLimitation {
    pub(in crate::disk) fn check(self, call: Call<'_>) -> io::Result<()> {
        match (self, call) {
            (FsLimitation::NoLocks, Call::Lock) => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
            (FsLimitation::NoReplace, Call::Rename(_, to)) if RealFs.stat_path(to).is_ok() => {
                Err(io::Error::from_raw_os_error(libc::EBUSY))
            }
            _ => Ok(()),
        }
    }
}
