//! The part of this room in what looks over all rooms: nothing yet, since it stores nothing in a home.

use crate::room::Room;

/// The files of an agent on git branches, which belong to a folder of their own.
#[derive(Debug)]
pub(crate) struct BranchRoom;

impl Room for BranchRoom {}
