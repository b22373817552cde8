//! The tokenizer of a host: a C function that counts the tokens of a text.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use loopmem_core::methods::{HostCall, HostFunction, HostObject};
use loopmem_core::{Error, Result};

use crate::host::{Gathered, Text, failed};
use crate::loopmem_tokenizer;

/// The host's table.
pub(crate) struct CTokenizer {
    table: loopmem_tokenizer,
    is_taken: AtomicBool,
}

// SAFETY: the header requires that the host's functions can be called from any thread, concurrently.
unsafe impl Send for CTokenizer {}
// SAFETY: as above.
unsafe impl Sync for CTokenizer {}

impl CTokenizer {
    /// A copy of the table, which still belongs to the host.
    ///
    /// # Errors
    /// `ValidationError` if it has no function.
    pub(crate) fn new(table: loopmem_tokenizer) -> Result<Self> {
        if table.count.is_none() {
            return Err(Error::validation("the tokenizer has no function count, which is required"));
        }
        Ok(CTokenizer { table, is_taken: AtomicBool::new(false) })
    }

    /// From here on the table belongs to the store and is destroyed with it.
    pub(crate) fn take(&self) {
        self.is_taken.store(true, Ordering::Release);
    }
}

impl fmt::Debug for CTokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CTokenizer")
    }
}

impl Drop for CTokenizer {
    fn drop(&mut self) {
        if let Some(destroy) = self.table.destroy.filter(|_| *self.is_taken.get_mut()) {
            // SAFETY: the store and its calls are gone, and this runs once.
            unsafe { destroy(self.table.ctx) }
        }
    }
}

impl HostObject for CTokenizer {
    fn offers(&self, function: HostFunction) -> bool {
        function == HostFunction::CountTokens
    }

    fn call(&self, call: HostCall<'_>) -> Result<String> {
        let Some(count) = self.table.count else { return Err(failed(call.function, "is missing")) };
        let (text,): (String,) = serde_json::from_str(&call.arguments)
            .map_err(|cause| failed(call.function, "could not be called").because(cause))?;
        let gathered = Gathered::of(&call);
        let under_way = gathered.begin()?;
        let (text, mut tokens) = (Text::of(&text), 0_usize);
        // SAFETY: the arguments are valid while the function runs; the header documents what it may do with them.
        let status = unsafe { count(self.table.ctx, under_way.number(), text.data, text.length, &raw mut tokens) };
        drop(under_way);
        if status != 0 {
            return Err(gathered.failure(status));
        }
        gathered.answer().map(|_| tokens.to_string())
    }
}
