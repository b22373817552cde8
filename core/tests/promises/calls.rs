//! A call from Rust provides the same as a call from any other host.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use loopmem::memory::Note;
use loopmem::methods::{Event, Level, Logger, dispatch, submit};
use loopmem::{CallOptions, Cancel, ErrorKind, Store};
use serde_json::json;

use crate::credentials::Log;
use crate::{TestHome, at_most, hold, repo, upsert};

/// Records the events that it receives.
#[derive(Debug, Default)]
struct EventLog(Mutex<Vec<Event>>);

impl Logger for EventLog {
    fn log(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

#[test]
fn a_subscriber_of_tracing_receives_what_is_logged_and_in_which_call() {
    let (home, log) = (TestHome::new(), Log::default());
    tracing::subscriber::with_default(log.clone(), || {
        let store = home.open();
        let context = json!({ "scopeId": "job-1", "patch": { "a": 1 } });
        dispatch(&store, "working.updateContext", &context.to_string()).unwrap();
        store.working().restore_checkpoint("job-1", 7).unwrap_err();
    });
    let logged = log.0.lock().unwrap();
    let expected = [
        "operation = \"working.updateContext\"",
        "message = Context updated for job-1",
        "payload = \"{\\\"scopeId\\\":\\\"job-1\\\"}\"",
        "operation = \"working.restoreCheckpoint\"",
        "message = the call failed: working.restoreCheckpoint",
    ];
    let mut rest = logged.as_str();
    for line in expected {
        let Some((_, after)) = rest.split_once(line) else { panic!("{line} is missing or too early: {logged}") };
        rest = after;
    }
}

#[test]
fn a_subscriber_that_wants_no_details_receives_the_rest_with_its_call() {
    let (home, written) = (TestHome::new(), tempfile::NamedTempFile::new().unwrap());
    let file = Mutex::new(written.reopen().unwrap());
    let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::INFO).with_ansi(false).with_writer(file);
    tracing::subscriber::with_default(subscriber.finish(), || {
        let (store, context) = (home.open(), json!({ "scopeId": "job-1", "patch": { "a": 1 } }));
        dispatch(&store, "working.updateContext", &context.to_string()).unwrap();
        store.working().save_checkpoint("job-1").unwrap();
    });
    let logged = std::fs::read_to_string(written.path()).unwrap();
    assert!(logged.contains("call{operation=\"working.saveCheckpoint\"}"), "{logged}");
    assert!(logged.contains("Checkpoint saved for job-1") && !logged.contains("Context updated"), "{logged}");
}

#[test]
fn an_error_names_its_operation_and_is_logged_without_secrets() {
    let (home, events) = (TestHome::new(), Arc::new(EventLog::default()));
    let logger: Arc<dyn Logger> = Arc::<EventLog>::clone(&events);
    let store = Store::builder().home(home.root()).logger(logger).open().unwrap();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let refused = [
        ("memory.remove", store.repo_at(&repo()).memory().remove(&secret).unwrap_err()),
        ("working.getContext", store.working().get_context(&secret).map(drop).unwrap_err()),
        ("repo.identify", store.repo(home.root().join(&secret)).map(drop).unwrap_err()),
    ];
    let events = events.0.lock().unwrap();
    assert_eq!(events.len(), refused.len(), "{events:?}");
    for ((operation, refused), event) in refused.iter().zip(&*events) {
        assert_eq!((refused.kind(), refused.operation()), (ErrorKind::SecretRefused, Some(*operation)), "{refused}");
        assert!(event.level == Level::Error && event.message.starts_with(operation), "{event:?}");
        assert!(!format!("{refused:?}{event:?}").contains(&secret), "{event:?}");
    }
}

#[test]
fn a_warning_about_the_configuration_reaches_the_logger_while_the_store_is_opened() {
    let (home, told) = (TestHome::new(), Arc::new(EventLog::default()));
    std::fs::create_dir_all(home.root()).unwrap();
    let open = |config: &str| {
        std::fs::write(home.root().join("config.toml"), config).unwrap();
        let logger: Arc<dyn Logger> = Arc::<EventLog>::clone(&told);
        let opened = Store::builder().home(home.root()).logger(logger).open();
        (opened.map(drop), std::mem::take(&mut *told.0.lock().unwrap()))
    };
    let (opened, events) = open("[memory]\nlockTimeout = 7\n");
    opened.unwrap();
    let [event] = &*events else { panic!("{events:?}") };
    assert_eq!((event.level, &*event.message), (Level::Warn, "unknown key; ignored"));
    assert!(event.payload.contains("memory.lockTimeout"), "{event:?}");
    let (refused, events) = open("[memory]\nlockTimeoutMs = \"7\"\n");
    assert_eq!(refused.unwrap_err().operation(), Some("open"));
    let [event] = &*events else { panic!("{events:?}") };
    assert!(event.level == Level::Error && event.message.starts_with("open: "), "{event:?}");
}

#[test]
fn a_repository_with_stored_data_is_listed_with_its_folder() {
    let (home, folder) = (TestHome::new(), tempfile::tempdir().unwrap());
    let store = home.open();
    let repo = store.repo(folder.path()).unwrap();
    assert!(store.repos().list().unwrap().is_empty(), "to identify a folder stores nothing");
    repo.memory().upsert(Note::draft("Where it was written.")).unwrap();
    let path = repo.identity().unwrap().path.clone();
    let [known] = &*store.repos().list().unwrap() else { panic!("one is known") };
    assert_eq!((&known.repo_hash, known.path.as_ref()), (repo.hash(), Some(&path)));
}

#[test]
fn everything_obtained_from_a_store_inherits_its_time_out() {
    let home = TestHome::new();
    let (store, cancel) = (home.open(), Cancel::new());
    upsert(&store, "a", "First.").unwrap();
    let held = hold(&home.memory());
    let hasty = store.with(at_most(Duration::from_millis(10)));
    let memory = hasty.repo_at(&repo()).memory();
    for refused in [memory.get().map(drop), memory.upsert(Note::draft("Late.")).map(drop)] {
        let late = refused.unwrap_err();
        assert_eq!((late.kind(), late.retryable()), (ErrorKind::LockAcquisition, true), "{late}");
        assert!(late.message().contains("10 ms"), "{late}");
    }
    cancel.cancel();
    let cancelled = hasty.with(CallOptions::new().cancel(&cancel)).repo_at(&repo()).memory();
    assert_eq!(cancelled.get().unwrap_err().kind(), ErrorKind::Cancelled);
    drop(held);
    // Each call has the whole time again, and the store itself waits as it was opened to.
    memory.upsert(Note::draft("In time.")).unwrap();
    store.repo_at(&repo()).memory().get().unwrap();
}

#[test]
fn a_panic_in_a_call_is_an_error_of_that_call() {
    let home = TestHome::new();
    upsert(&home.open(), "a", "First.").unwrap();
    let _held = hold(&home.memory());
    let defect = Cancel::polling(|| panic!("the payload of a panic is never shown"));
    let call = home.open().with(at_most(Duration::from_secs(60)).cancel(&defect));
    let stopped = call.repo_at(&repo()).memory().get().unwrap_err();
    assert_eq!((stopped.kind(), stopped.operation()), (ErrorKind::Internal, Some("memory.get")));
    assert!(!stopped.to_json().contains("payload"), "{stopped}");
}

/// Calls loopmem at the first error that it receives.
#[derive(Debug)]
struct CallsBack {
    store: OnceLock<Store>,
    answers: Mutex<Sender<loopmem::Result<String>>>,
}

impl Logger for CallsBack {
    fn log(&self, event: &Event) {
        if event.level == Level::Error && event.message.starts_with("summary.append") {
            let params = format!(r#"{{"repoHash":"{}"}}"#, repo());
            let hasty = self.store.get().unwrap().with(at_most(Duration::from_secs(5)));
            self.answers.lock().unwrap().send(dispatch(&hasty, "memory.get", &params)).unwrap();
        }
    }
}

#[test]
fn a_logger_that_calls_loopmem_does_not_wait_for_its_own_call() {
    let home = TestHome::new();
    upsert(&home.open(), "a", "First.").unwrap();
    let (answers, answer) = channel();
    let logger = Arc::new(CallsBack { store: OnceLock::new(), answers: Mutex::new(answers) });
    let as_logger: Arc<dyn Logger> = Arc::<CallsBack>::clone(&logger);
    let store = Store::builder().home(home.root()).logger(as_logger).open().unwrap();
    logger.store.set(store.clone()).unwrap();
    let params = format!(r#"{{"repoHash":"{}","runId":"r","stepId":"s","summary":""}}"#, repo());
    submit(&store, "summary.append".to_owned(), params, drop);
    answer.recv().unwrap().unwrap();
}
