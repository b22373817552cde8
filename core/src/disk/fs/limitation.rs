//! File systems that cannot do everything, for tests.

use std::io;

use super::observed::Call;
use super::real::RealFs;
use super::seam::Fs;

/// What a file system cannot do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FsLimitation {
    /// `flock`: it is not supported.
    NoLocks,
    /// Renaming onto a file that is there, as onto one that is mounted by itself: `EBUSY`.
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
