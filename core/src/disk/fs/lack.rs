//! File systems that cannot do everything, for tests.

use std::io;

use super::observed::Call;
use super::real::RealFs;
use super::seam::Fs;

/// What a file system cannot do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// `flock`: it is not supported.
    Locks,
    /// Renaming onto a file that is there, as onto one that is mounted by itself: `EBUSY`.
    Replacing,
}

impl Lack {
    pub(in crate::disk) fn check(self, call: Call<'_>) -> io::Result<()> {
        match (self, call) {
            (Lack::Locks, Call::Lock) => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
            (Lack::Replacing, Call::Rename(_, to)) if RealFs.stat_path(to).is_ok() => {
                Err(io::Error::from_raw_os_error(libc::EBUSY))
            }
            _ => Ok(()),
        }
    }
}
