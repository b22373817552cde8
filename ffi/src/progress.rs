//! The host's callback for the progress of a call.

use std::ffi::c_void;

use crate::loopmem_call_options;

/// The function, and what it is passed.
pub(crate) struct CProgress {
    function: unsafe extern "C" fn(*mut c_void, u64, u64),
    ctx: *mut c_void,
}

// SAFETY: the function is only called on the thread of the call that it was passed to, while that call runs.
unsafe impl Send for CProgress {}
// SAFETY: as above.
unsafe impl Sync for CProgress {}

impl CProgress {
    /// The callback of these options, if they have one.
    pub(crate) fn of(options: &loopmem_call_options) -> Option<Self> {
        options.progress.map(|function| CProgress { function, ctx: options.progress_ctx })
    }

    /// Calls the function.
    pub(crate) fn report(&self, done: u64, total: u64) {
        // SAFETY: the header requires that the function and its context are valid during the call.
        unsafe { (self.function)(self.ctx, done, total) }
    }
}
