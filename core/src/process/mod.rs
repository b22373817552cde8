//! External programs: started with their input and environment, and ended by a time limit, a size or the call's cancel request.
//!
//! What a program writes to its output is read on a thread of its own, so that it never waits for loopmem.

mod child;
mod input;
mod program;
mod reader;

pub(crate) use program::{Ended, Program, Stopped};
