//! State that a process has for itself: a forked child begins with its own.
//!
//! A fork copies memory and one thread. A mutex that another thread of the parent held at that instant stays locked in
//! the child for ever, and a lock or a thread that the copy tells of is the parent's. So nothing of the parent's state
//! is as much as looked at in a child.

use std::sync::OnceLock;

use crate::lazy::lazily;

/// A value that each process makes for itself when it first asks.
#[derive(Debug)]
pub struct PerProcess<T> {
    first: OnceLock<Box<Node<T>>>,
}

#[derive(Debug)]
struct Node<T> {
    pid: u32,
    value: T,
    /// That of a child, which was forked after this one was made.
    next: OnceLock<Box<Node<T>>>,
}

impl<T> PerProcess<T> {
    /// A value that no process has made yet.
    pub const fn new() -> Self {
        PerProcess { first: OnceLock::new() }
    }
}

impl<T: Default> PerProcess<T> {
    /// This process's own.
    pub fn get(&self) -> &T {
        let pid = std::process::id();
        let mut place = &self.first;
        loop {
            let node = lazily(place, || Box::new(Node { pid, value: T::default(), next: OnceLock::new() }));
            if node.pid == pid {
                return &node.value;
            }
            place = &node.next;
        }
    }
}

impl<T: Default> Default for PerProcess<T> {
    /// As [`new`](Self::new), but this process's own is made now, so that no fork can fall into its making.
    fn default() -> Self {
        let state = PerProcess::new();
        state.get();
        state
    }
}
