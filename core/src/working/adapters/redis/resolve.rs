//! Resolving host names. The system's resolver has no time-out, so it runs on a separate thread, which is waited for
//! until the call's deadline.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::failure::Failure;
use super::wait::ServerWait;
use crate::disk::PerProcess;

/// The number of concurrent lookups: an abandoned lookup keeps running.
const MOST_LOOKUPS: usize = 8;
/// How often the call checks its deadline.
const TICK: Duration = Duration::from_millis(5);

/// The number of active lookups in this process.
static LOOKUPS: PerProcess<AtomicUsize> = PerProcess::new();

/// A permit for one lookup, released on drop.
struct Permit(&'static AtomicUsize);

impl Permit {
    fn take() -> Option<Self> {
        let lookups = LOOKUPS.get();
        let more = |count: usize| (count < MOST_LOOKUPS).then_some(count + 1);
        lookups.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok().then(|| Permit(lookups))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs `lookup` on a separate thread.
pub(super) fn resolve(
    wait: &ServerWait<'_>,
    lookup: impl FnOnce() -> io::Result<Vec<SocketAddr>> + Send + 'static,
) -> Result<Vec<SocketAddr>, Failure> {
    let unreachable = |cause: &dyn std::fmt::Display| Failure::Unreachable { cause: cause.to_string() };
    let permit = loop {
        match Permit::take() {
            Some(permit) => break permit,
            None => {
                wait.check()?;
                wait.deadline.pause(TICK).map_err(Failure::Final)?;
            }
        }
    };
    let (found, finding) = sync_channel(1);
    let look_up = move || {
        let _permit = permit;
        // The call may have ended.
        let _ = found.send(lookup());
    };
    thread::Builder::new().name("loopmem-lookup".to_owned()).spawn(look_up).map_err(|cause| unreachable(&cause))?;
    loop {
        match finding.recv_timeout(TICK) {
            Ok(found) => return found.map_err(|cause| unreachable(&cause)),
            Err(RecvTimeoutError::Timeout) => wait.check()?,
            Err(RecvTimeoutError::Disconnected) => return Err(unreachable(&"resolving its name failed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::wait::notice;
    use super::*;
    use crate::disk::{Cancel, WaitOptions};
    use crate::error::ErrorKind;
    use crate::home::{Home, Options};

    #[test]
    fn a_hanging_resolver_cannot_outlast_the_deadline_or_a_cancel() {
        // Opening a home creates nothing.
        let home = Home::open(Options::at("/proc/self/loopmem")).unwrap();
        let (notice, cancel) = (notice(), Cancel::new());
        let (answer, answers) = channel::<()>();
        let answers = std::sync::Arc::new(std::sync::Mutex::new(answers));
        let hanging = || {
            let answers = std::sync::Arc::clone(&answers);
            move || {
                let _ = answers.lock().unwrap().recv();
                Ok(Vec::new())
            }
        };
        // More than the number of concurrent lookups.
        for _ in 0..MOST_LOOKUPS + 2 {
            let short = WaitOptions::at_most(Duration::from_millis(20));
            let wait = ServerWait::new(&home, &short, &notice);
            assert!(matches!(resolve(&wait, hanging()), Err(Failure::TimedOut { is_sent: false })));
        }
        let long = WaitOptions::new(Some(Duration::from_secs(600)), cancel.clone());
        let wait = ServerWait::new(&home, &long, &notice);
        cancel.cancel();
        let Err(Failure::Final(cancelled)) = resolve(&wait, hanging()) else { panic!("it was cancelled") };
        assert_eq!(cancelled.kind(), ErrorKind::Cancelled);
        // Finished lookups release their permits.
        drop(answer);
        let wait = WaitOptions::at_most(Duration::from_secs(600));
        let wait = ServerWait::new(&home, &wait, &notice);
        assert_eq!(resolve(&wait, || Ok(Vec::new())).ok(), Some(Vec::new()));
    }
}
