//! The seam over the system calls, its implementation, and what is built directly on it.

pub(in crate::disk) mod copying;
pub(in crate::disk) mod per_process;
pub(in crate::disk) mod real;
pub(in crate::disk) mod seam;
pub(in crate::disk) mod writing;
