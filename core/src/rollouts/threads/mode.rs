//! The mode of a session, as its user sets it.

use super::{Mode, Thread, ThreadRow, admit_thread_id, store_mode};
use crate::error::Result;
use crate::rollouts::Rollouts;
use crate::rollouts::consolidation::{self, citations};
use crate::rollouts::database::State;

impl Rollouts {
    pub(crate) const SET_MODE: &str = "rollouts.setMode";

    /// Sets whether the memory of a session may be extracted and shown.
    ///
    /// # Errors
    /// `NotFound`; those of [`status`](Self::status).
    pub fn set_mode(&self, thread_id: &str, mode: Mode) -> Result<Thread> {
        self.home.call(Self::SET_MODE, |home| {
            let id = admit_thread_id(home, "threadId", thread_id)?;
            let state = State::of(home)?;
            let id = ThreadRow::whole_id(&state, id.as_str())?;
            // Nothing is created to find that there is no such thread.
            ThreadRow::registered(&state, &id)?;
            let is_cited = mode != Mode::Enabled && consolidation::cited(home, &state)?.contains(&id);
            state.write(|transaction| {
                let thread = ThreadRow::named(transaction, &id)?;
                if is_cited {
                    citations::record(transaction, &id)?;
                }
                store_mode(transaction, &thread, mode)?;
                Ok(ThreadRow { mode, ..thread }.into_thread())
            })
        })
    }
}
