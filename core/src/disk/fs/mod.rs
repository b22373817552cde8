//! The seam over the system calls, its implementations, and what is built directly on it.

#[cfg(any(test, feature = "testing"))]
pub(in crate::disk) mod faulty;
pub(in crate::disk) mod folders;
#[cfg(any(test, feature = "testing"))]
pub(in crate::disk) mod limitation;
pub(in crate::disk) mod names;
#[cfg(any(test, feature = "testing"))]
pub(in crate::disk) mod observed;
pub(in crate::disk) mod per_process;
pub(in crate::disk) mod real;
pub(in crate::disk) mod recent;
#[cfg(any(test, feature = "testing"))]
pub(in crate::disk) mod recording;
pub(in crate::disk) mod seam;
pub(in crate::disk) mod writing;
