//! The host's own adapter: errors of its functions, and how long they may take.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use loopmem::methods::{HostCall, HostFunction, HostObject, dispatch};
use loopmem::{CallOptions, Error, ErrorKind, Result};
use serde_json::{Value, json};

use crate::working::{Place, Plain, call};

/// A host whose function named here fails, or answers with what is no JSON.
#[derive(Debug)]
struct Failing {
    function: HostFunction,
    answer: Option<&'static str>,
    kept: Plain,
}

impl HostObject for Failing {
    fn offers(&self, function: HostFunction) -> bool {
        self.kept.offers(function) || function == self.function
    }

    fn call(&self, call: HostCall<'_>) -> Result<String> {
        match self.answer {
            _ if call.function != self.function => self.kept.call(call),
            Some(answer) => Ok(answer.to_owned()),
            None => Err(Error::new(ErrorKind::Adapter, "the disk of the host is full")),
        }
    }
}

/// Records the time that each of its writes may take.
#[derive(Debug, Default)]
struct Hurried {
    kept: Plain,
    given: Mutex<Vec<Duration>>,
}

impl HostObject for Hurried {
    fn offers(&self, function: HostFunction) -> bool {
        self.kept.offers(function)
    }

    fn call(&self, call: HostCall<'_>) -> Result<String> {
        if call.function.writes() {
            self.given.lock().unwrap().push(call.remaining);
        }
        self.kept.call(call)
    }
}

#[test]
fn a_host_that_has_begun_to_write_gets_the_whole_time_for_each_of_the_other_writes() {
    let host = Arc::new(Hurried::default());
    let kept: Arc<dyn HostObject> = Arc::<Hurried>::clone(&host);
    let store = Place { name: "host", home: tempfile::tempdir().unwrap(), host: Some(kept) }.open();
    let hurried = |method: &str, params: Value| {
        let options = CallOptions::new().timeout(Duration::from_millis(60_000));
        dispatch(&store.with(options), method, &params.to_string()).unwrap();
        let given = std::mem::take(&mut *host.given.lock().unwrap());
        assert!(given.len() > 1 && given[1..].iter().all(|it| *it == Duration::from_secs(60)), "{method}: {given:?}");
    };
    hurried("working.updateContext", json!({ "scopeId": "job", "patch": { "a": 1 } }));
    hurried("working.saveCheckpoint", json!({ "jobId": "job" }));
    hurried("working.deleteScope", json!({ "scopeId": "job" }));
}

#[test]
fn a_write_of_a_host_that_fails_may_be_stored_and_says_so_and_a_read_does_not() {
    for (function, answer) in [
        (HostFunction::Set, None),
        (HostFunction::Set, Some("no JSON")),
        (HostFunction::Push, None),
        (HostFunction::CompareAndSet, None),
        (HostFunction::CompareAndSet, Some("7")),
        (HostFunction::Get, None),
        (HostFunction::Get, Some("no JSON")),
    ] {
        let host: Arc<dyn HostObject> = Arc::new(Failing { function, answer, kept: Plain::default() });
        let place = Place { name: "host", home: tempfile::tempdir().unwrap(), host: Some(host) };
        let params = json!({ "scopeId": "job", "patch": { "a": 1 } });
        let failed = call(&place.open(), "working.updateContext", params).unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Adapter, "{failed}");
        let writes = function != HostFunction::Get;
        assert_eq!(failed.may_be_stored(), writes, "{function:?}: {failed}");
        assert_eq!(failed.message().contains("it may have been stored"), writes, "{failed}");
        assert_eq!(failed.to_json().contains(r#""mayBeStored":true"#), writes, "{}", failed.to_json());
    }
}
