//! Per-process state: a forked child starts with new state.
//!
//! A fork copies memory and one thread. A mutex that another thread of the parent held at that moment stays locked in the
//! child for ever, and locks and threads recorded in the copy belong to the parent. So a child never touches its parent's
//! state.

use std::sync::OnceLock;

use crate::lazy::lazily;

/// A value that each process creates on first use.
#[derive(Debug)]
pub struct PerProcess<T> {
    first: OnceLock<Box<Node<T>>>,
}

#[derive(Debug)]
struct Node<T> {
    pid: u32,
    value: T,
    /// The value of a child that was forked after this one was created.
    next: OnceLock<Box<Node<T>>>,
}

impl<T> PerProcess<T> {
    /// Creates a value that no process has initialized yet.
    pub const fn new() -> Self {
        PerProcess { first: OnceLock::new() }
    }
}

impl<T: Default> PerProcess<T> {
    /// The value of this process.
    pub fn get(&self) -> &T {
        let pid = std::process::id();
        let mut cell = &self.first;
        loop {
            let node = lazily(cell, || Box::new(Node { pid, value: T::default(), next: OnceLock::new() }));
            if node.pid == pid {
                return &node.value;
            }
            cell = &node.next;
        }
    }
}

impl<T: Default> Default for PerProcess<T> {
    /// Like [`new`](Self::new), but this process's value is created now, so that no fork can interrupt that.
    fn default() -> Self {
        let state = PerProcess::new();
        state.get();
        state
    }
}
