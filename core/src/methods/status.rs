//! `status.*`

use super::{MethodGroup, method, methods, of_repo};
use crate::status::{Report, Status};

pub(super) const GROUP: MethodGroup =
    MethodGroup { name: "status", about: "Where memory is kept, and what is there", entries: methods! { Get } };

of_repo! {
    /// Returns where memory is kept and why there, what is stored for a repository, memory that is not read here, and what the
    /// hooks of agents did last.
    struct Get {}
}

method! { Get = Status::GET => Report |self, store| store.status().get(&self.repo(store)?) }
