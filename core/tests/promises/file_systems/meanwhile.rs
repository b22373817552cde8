//! A file system on which others are at work too.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loopmem::testing::disk::{Fs, RealFs};

use super::observed::{Call, Observed, Watcher};

/// Does something before one call.
struct Meanwhile {
    left: AtomicUsize,
    act: Box<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Meanwhile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meanwhile").field("left", &self.left).finish_non_exhaustive()
    }
}

impl Watcher for Meanwhile {
    fn before(&self, _: &dyn Fs, _: Call<'_>) -> io::Result<Option<usize>> {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            (self.act)();
        }
        Ok(None)
    }
}

/// The real file system, on which somebody else does something before the `nth` call, counted from 1.
pub(crate) fn meanwhile(nth: usize, act: impl Fn() + Send + Sync + 'static) -> Arc<dyn Fs> {
    let watcher = Meanwhile { left: AtomicUsize::new(nth), act: Box::new(act) };
    Arc::new(Observed { fs: Arc::new(RealFs), watcher })
}
