//! The addresses of a host's name. The system's resolver takes as long as it likes, so it is asked on a thread of its own
//! and waited for no longer than the call has time.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::refusal::Trouble;
use super::wait::ServerWait;
use crate::disk::PerProcess;

/// How many names are looked up at a time: a lookup goes on when its call has given it up.
const MOST_LOOKUPS: usize = 8;
/// How long a lookup is waited for before the call looks at its time.
const TICK: Duration = Duration::from_millis(5);

/// The lookups that are under way in this process.
static LOOKUPS: PerProcess<AtomicUsize> = PerProcess::new();

/// A place among the lookups, until it is dropped.
struct Place(&'static AtomicUsize);

impl Place {
    fn take() -> Option<Self> {
        let lookups = LOOKUPS.get();
        let more = |count: usize| (count < MOST_LOOKUPS).then_some(count + 1);
        lookups.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok().then(|| Place(lookups))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What `lookup` finds, on a thread of its own.
pub(super) fn resolved(
    wait: &ServerWait<'_>,
    lookup: impl FnOnce() -> io::Result<Vec<SocketAddr>> + Send + 'static,
) -> Result<Vec<SocketAddr>, Trouble> {
    let unreachable = |cause: &dyn std::fmt::Display| Trouble::Unreachable { cause: cause.to_string() };
    let place = loop {
        match Place::take() {
            Some(place) => break place,
            None => {
                wait.check()?;
                wait.patience.pause(TICK).map_err(Trouble::Ended)?;
            }
        }
    };
    let (found, finding) = sync_channel(1);
    let look_up = move || {
        let _place = place;
        // The call may have ended meanwhile.
        let _ = found.send(lookup());
    };
    thread::Builder::new().name("loopmem-lookup".to_owned()).spawn(look_up).map_err(|cause| unreachable(&cause))?;
    loop {
        match finding.recv_timeout(TICK) {
            Ok(found) => return found.map_err(|cause| unreachable(&cause)),
            Err(RecvTimeoutError::Timeout) => wait.check()?,
            Err(RecvTimeoutError::Disconnected) => return Err(unreachable(&"the lookup of its name failed")),
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
    fn a_resolver_that_never_answers_ends_a_call_by_its_time_and_by_its_cancel() {
        // Nothing is made when a home is opened.
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
        // More often than there may be lookups.
        for _ in 0..MOST_LOOKUPS + 2 {
            let short = WaitOptions::at_most(Duration::from_millis(20));
            let wait = ServerWait::new(&home, &short, &notice);
            assert!(matches!(resolved(&wait, hanging()), Err(Trouble::Late { is_sent: false })));
        }
        let long = WaitOptions::new(Some(Duration::from_secs(600)), cancel.clone());
        let wait = ServerWait::new(&home, &long, &notice);
        cancel.cancel();
        let Err(Trouble::Ended(cancelled)) = resolved(&wait, hanging()) else { panic!("it was cancelled") };
        assert_eq!(cancelled.kind(), ErrorKind::Cancelled);
        // A lookup that ends makes room.
        drop(answer);
        let wait = WaitOptions::at_most(Duration::from_secs(600));
        let wait = ServerWait::new(&home, &wait, &notice);
        assert_eq!(resolved(&wait, || Ok(Vec::new())).ok(), Some(Vec::new()));
    }
}
