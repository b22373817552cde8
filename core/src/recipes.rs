//! Short answers to common tasks: each is a complete program, which the tests run.
//!
//! Besides `loopmem`, some need `serde`, `serde_json`, `tracing` with `tracing-subscriber`, or `tempfile`. Their `main` returns
//! `Box<dyn Error>`, which takes the errors of all of them; a library returns [`loopmem::Result`](crate::Result). They open the
//! default store; the tests run them in a temporary folder.
//!
//! This page is part of the documentation only; there is nothing to import from it.
//!
//! # How do I remember something and read it back?
//!
//! A repository has conventions (how things are done), decisions (why) and notes (anything else). `upsert` stores one and
//! returns it as stored; with the id of a stored record, it changes the fields that are set and keeps the others.
//!
//! ```
//! use loopmem::Store;
//! use loopmem::memory::{Convention, Decision, Filter};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().open()?;
//!     let memory = store.repo(".")?.memory();
//!     memory.upsert(Convention::draft("Use pnpm", "Packages live under packages/.").id("pnpm").tags(["tooling"]))?;
//!     memory.upsert(Decision::draft("Prices are integers", "Cents do not round.").id("prices"))?;
//!     memory.upsert(Convention::change("pnpm").content("Packages live under packages/ and apps/."))?;
//!
//!     for convention in memory.get()?.conventions()? {
//!         println!("{}: {}", convention.title, convention.content);
//!     }
//!     for record in memory.list(Filter::all().query("how are prices stored"))? {
//!         println!("{} was found", record.id());
//!     }
//! #     assert!(memory.get()?.conventions()?[0].content.ends_with("apps/."));
//! #     assert_eq!(memory.list(Filter::all().query("how are prices stored"))?[0].id(), "prices");
//!     Ok(())
//! }
//! ```
//!
//! The folder may be anywhere in a git repository, or outside one; see [`Workspace`](crate::repo::Workspace) for another
//! branch.
//!
//! # How do I put memory into a prompt?
//!
//! [`Repo::context`](crate::repo::Repo::context) takes the length that the pack may have, in Unicode scalar values
//! ([`char`]s). With what the agent is about to do, relevant records come before others, and items and files join them.
//!
//! ```
//! use loopmem::Store;
//! # use loopmem::memory::Note;
//!
//! const TASK: &str = "Add a discount to the total";
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().open()?;
//!     let repo = store.repo(".")?;
//! #     repo.memory().upsert(Note::draft("The total includes the tax, and a discount does not."))?;
//!     let pack = repo.context(4_000).prompt(TASK).focus_files(["src/total.rs".to_owned()]).build()?;
//!     assert!(pack.text.chars().count() <= 4_000);
//!     let system = format!("# Task\n\n{TASK}\n\n{}", pack.text);
//!     println!("{system}");
//!     if let Some(notice) = pack.notice {
//!         eprintln!("{notice}"); // for the user, such as memory of a branch that was merged
//!     }
//! #     assert!(system.contains("a discount does not"));
//!     Ok(())
//! }
//! ```
//!
//! The same state gives the same pack, byte for byte, so that prompt caches keep hitting.
//!
//! # How do I end a step so that the next one can go on?
//!
//! Say what was done, what came out, what failed and what remains. These events become one paragraph, without a model. The
//! ids of runs and steps are yours to choose; packs have the newest summaries.
//!
//! ```
//! use loopmem::Store;
//! use loopmem::summary::{Event, EventKind, Filter};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().open()?;
//!     let summaries = store.repo(".")?.summaries();
//!     let events = [
//!         Event::new(EventKind::Action, "moved the prices to integers"),
//!         Event::new(EventKind::Output, "214 tests pass"),
//!         Event::new(EventKind::Error, "the linter is not installed"),
//!         Event::new(EventKind::FollowUp, "update the docs"),
//!     ];
//!     let stored = summaries.end_step("run-1", "build", &events, &["prices"])?;
//!     println!("{}", stored.summary);
//!
//!     for summary in summaries.list(Filter::all().run("run-1").limit(5))? {
//!         println!("{} {}: {}", summary.timestamp, summary.step_id, summary.summary);
//!     }
//! #     assert!(stored.summary.starts_with("Moved the prices to integers."), "{}", stored.summary);
//! #     assert_eq!(summaries.list(Filter::all().run("run-1"))?.len(), 1);
//!     Ok(())
//! }
//! ```
//!
//! # How do threads and processes share a store?
//!
//! A [`Store`](crate::Store) and the handles from it are [`Send`] and [`Sync`], and cheap to clone. Other processes, in any
//! language, open the same home. No change is lost, and locks are granted in order.
//!
//! ```
//! use std::{panic, thread};
//!
//! use loopmem::Store;
//! use loopmem::working::Patch;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().open()?;
//!     let spend = || store.working().update_context("job-1", Patch::default().increment("spent", &3)?);
//!     thread::scope(|scope| {
//!         let workers: Vec<_> = (0..4).map(|_| scope.spawn(spend)).collect();
//!         workers.into_iter().try_for_each(|worker| match worker.join() {
//!             Ok(ended) => ended.map(drop),
//!             Err(panicked) => panic::resume_unwind(panicked),
//!         })
//!     })?;
//!     assert_eq!(store.working().get_context("job-1")?.json().get(), r#"{"spent":12}"#);
//!     Ok(())
//! }
//! ```
//!
//! To take something only once, make a change that depends on the present value:
//! [`Patch::only_if`](crate::working::Patch::only_if). Of several that try, one succeeds; the others get a `Conflict`.
//!
//! # How do I limit how long a call waits, or cancel it?
//!
//! [`Store::with`](crate::Store::with) returns the same store with other options for its calls. The time-out is for all waits of
//! a call together: for locks, servers and git. A write that has begun is completed.
//!
//! ```
//! use std::thread;
//! use std::time::Duration;
//!
//! use loopmem::memory::Note;
//! use loopmem::{CallOptions, Cancel, ErrorKind, Store};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().open()?;
//!     let cancel = Cancel::new();
//!     let options = CallOptions::new().timeout(Duration::from_secs(2)).cancel(&cancel);
//!     let memory = store.with(options).repo(".")?.memory();
//!     memory.upsert(Note::draft("The CI machine is slow."))?;
//!
//!     // From any thread, such as one that waits for Ctrl-C. `Cancel::polling` asks a function instead.
//!     let stop = cancel.clone();
//!     thread::spawn(move || stop.cancel()).join().ok();
//!     match memory.upsert(Note::draft("The CI machine is fast.")) {
//!         Err(error) if error.kind() == ErrorKind::Cancelled => println!("cancelled: nothing was stored"),
//!         Err(error) if error.kind() == ErrorKind::LockAcquisition => println!("{error}"), // names the holder
//!         stored => println!("stored {}", stored?.id),
//!     }
//! #     assert_eq!(store.repo(".")?.memory().get()?.notes()?.len(), 1);
//!     Ok(())
//! }
//! ```
//!
//! A token cancels every call that uses it, so make one for each.
//!
//! # Which errors should I retry?
//!
//! Those that say so, with a pause that grows, and unless the write may have been stored all the same: then read first. An error
//! that you caused by cancelling is retryable too.
//!
//! ```
//! use std::thread;
//! use std::time::Duration;
//!
//! use loopmem::memory::Note;
//! use loopmem::{ErrorKind, Result, Store};
//!
//! fn with_retries<T>(mut call: impl FnMut() -> Result<T>) -> Result<T> {
//!     for pause in [50, 100, 200, 400] {
//!         match call() {
//!             Err(error)
//!                 if error.retryable() && !error.may_be_stored() && error.kind() != ErrorKind::Cancelled =>
//!             {
//!                 thread::sleep(Duration::from_millis(pause));
//!             }
//!             ended => return ended,
//!         }
//!     }
//!     call()
//! }
//!
//! fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().open()?;
//!     let memory = store.repo(".")?.memory();
//!     match with_retries(|| memory.upsert(Note::draft("Deploys need a tag.").id("deploys"))) {
//!         Ok(note) => println!("stored {}", note.id),
//!         // Input that a model can correct.
//!         Err(error) if matches!(error.kind(), ErrorKind::Validation | ErrorKind::SecretRefused) => {
//!             println!("tell the model: {error}");
//!         }
//!         Err(error) => {
//!             eprintln!("{}: {error:#}", error.kind());
//!             return Err(error.into());
//!         }
//!     }
//! #     let mut calls = 0;
//! #     let failed = with_retries(|| {
//! #         calls += 1;
//! #         Err::<(), _>(loopmem::Error::new(ErrorKind::LockAcquisition, "the file is locked"))
//! #     });
//! #     assert_eq!((failed.map_err(|error| error.kind()), calls), (Err(ErrorKind::LockAcquisition), 5));
//!     Ok(())
//! }
//! ```
//!
//! With an id of your own, a write can be repeated without storing a second record.
//!
//! # How do I learn what was redacted?
//!
//! Secrets are replaced by placeholders before anything is stored. A list of
//! [`Redactions`](crate::Redactions) says what calls redacted and in which field.
//!
//! ```
//! use loopmem::memory::Note;
//! use loopmem::{CallOptions, Redactions, Store};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().open()?;
//!     let redactions = Redactions::new();
//!     let memory = store.with(CallOptions::new().redactions(&redactions)).repo(".")?.memory();
//!     let note = memory.upsert(Note::draft("Staging has DB_PASSWORD=hunter22"))?;
//!     assert!(note.content.starts_with("Staging has DB_PASSWORD=[REDACTED:keyed-value:"));
//!
//!     let redacted = redactions.take();
//!     for it in &redacted {
//!         println!("{}: {} of the kind {} in {}", it.method, it.count, it.rule, it.field);
//!     }
//! #     assert_eq!(redacted.len(), 1);
//!
//!     // A text that is not stored, such as a log for a prompt.
//!     println!("{}", store.redactor().redact("API_KEY=s3cr3t-0123456789"));
//! #     assert!(store.redactor().redact("API_KEY=s3cr3t-0123456789").contains("REDACTED"));
//!     Ok(())
//! }
//! ```
//!
//! [`safety`](crate::safety) is a crate that you can use alone: `loopmem-safety`.
//!
//! # How do I keep the state of a job, and go back?
//!
//! The context of a job is a JSON object that patches change. A checkpoint keeps it as it is; restoring one returns it, and the
//! context that it replaced stays in the trail.
//!
//! ```
//! use loopmem::Store;
//! use loopmem::working::{MemoryEntry, Patch, Range};
//! use serde::Deserialize;
//!
//! #[derive(Debug, Deserialize, PartialEq)]
//! struct State {
//!     step: String,
//!     tries: u32,
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().open()?;
//!     let working = store.working();
//!     working.update_context("job-1", Patch::default().set("step", &"build")?.set("tries", &1)?)?;
//!     let checkpoint = working.save_checkpoint("job-1")?; // milliseconds since 1970
//!
//!     let patch = Patch::default().set("step", &"test")?.increment("tries", &1)?.source("agent-x");
//!     working.update_context("job-1", patch)?;
//!     working.add_log("job-1", MemoryEntry::draft("Two tests failed.").source("agent-x"))?;
//!
//!     let state: State = working.restore_checkpoint("job-1", checkpoint)?.to()?;
//!     assert_eq!(state, State { step: "build".to_owned(), tries: 1 });
//!     for entry in working.get_logs("job-1", Range::all().limit(10))? {
//!         println!("{}", entry.read()?.content);
//!     }
//! #     assert_eq!(working.history("job-1", None)?.len(), 3);
//!     Ok(())
//! }
//! ```
//!
//! # How do I keep the state of jobs in SQLite, or on a Redis server?
//!
//! With the cargo features `sqlite` and `redis`. Only working contexts are there; conventions, summaries and so on stay in files.
//! The environment variable `WORKING_ADAPTER` and the configuration file set it too.
//!
//! ```
//! use loopmem::working::Patch;
//! use loopmem::{Options, Store};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().adapter("sqlite").open()?;
//!     store.working().update_context("job-1", Patch::default().set("step", &"build")?)?;
//!     assert_eq!(store.working().list_scopes()?, ["job-1"]);
//!
//!     // Connects when it is used. Keep a password in the environment variable, not in your sources.
//!     let options = Options::default().adapter("rediss://cache.internal:6379").redis_prefix("{shop}:");
//!     let shared = Store::open(options)?;
//!     println!("{shared:?}");
//!     Ok(())
//! }
//! ```
//!
//! # How do I store the state of jobs in something else?
//!
//! Implement [`HostObject`](crate::host::HostObject): five functions over values and lists, whose arguments and answers are JSON.
//! What arrives is redacted. This one keeps everything in memory.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::{Arc, Mutex, PoisonError};
//!
//! use loopmem::host::{HostCall, HostFunction, HostObject};
//! use loopmem::working::Patch;
//! use loopmem::{Error, ErrorKind, Store};
//! use serde_json::Value;
//!
//! #[derive(Debug, Default)]
//! struct Table(Mutex<BTreeMap<String, Value>>);
//!
//! impl HostObject for Table {
//!     fn offers(&self, function: HostFunction) -> bool {
//!         !function.is_optional()
//!     }
//!
//!     fn call(&self, call: HostCall<'_>) -> loopmem::Result<String> {
//!         // A server's errors are `AdapterError` as well, with `mark_retryable` if it may be back soon.
//!         let failed = |what: &str| Error::new(ErrorKind::Adapter, format!("the table: {what}"));
//!         let arguments: Vec<Value> =
//!             serde_json::from_str(&call.arguments).map_err(|cause| failed("bad arguments").because(cause))?;
//!         let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
//!         let answer = match (call.function, arguments.as_slice()) {
//!             (HostFunction::Get | HostFunction::GetList, [Value::String(key)]) => {
//!                 table.get(key).cloned().unwrap_or_default()
//!             }
//!             (HostFunction::Set, [Value::String(key), value]) => {
//!                 table.insert(key.clone(), value.clone());
//!                 Value::Null
//!             }
//!             (HostFunction::Del, [Value::String(key)]) => {
//!                 table.remove(key);
//!                 Value::Null
//!             }
//!             (HostFunction::Push, [Value::String(key), item]) => {
//!                 match table.entry(key.clone()).or_insert_with(|| Value::Array(Vec::new())) {
//!                     Value::Array(list) => list.push(item.clone()),
//!                     _ => return Err(failed("a value is stored under the key of a list")),
//!                 }
//!                 Value::Null
//!             }
//!             (function, _) => return Err(failed(function.name())),
//!         };
//!         Ok(answer.to_string())
//!     }
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().host_adapter(Arc::new(Table::default())).open()?;
//!     let context = store.working().update_context("job-1", Patch::default().set("step", &"build")?)?;
//!     assert_eq!(context.json().get(), r#"{"step":"build"}"#);
//! #     store.adapter().push("queue", &"src/parser.rs")?;
//! #     assert_eq!(store.adapter().get_list("queue")?.len(), 1);
//!     Ok(())
//! }
//! ```
//!
//! Changes of one scope come one after another, as long as only one process uses the storage. With several, offer
//! [`CompareAndSet`](crate::host::HostFunction::CompareAndSet).
//!
//! # How do I bring back a memory only when it matters?
//!
//! As an item. A recall compares items with the prompt and returns those that matter, with a preamble of a limited length to put
//! into it. Preferences are in every preamble.
//!
//! ```
//! use loopmem::Store;
//! use loopmem::items::{ItemDraft, ItemType, RecallQuery, Scope};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().open()?;
//!     let items = store.items(".");
//!     items.add(ItemDraft::new(Scope::Global, ItemType::Pref, "Answer in British English."))?;
//!     let port = ItemDraft::new(Scope::Repo, ItemType::Fact, "The proxy listens on port 8443.");
//!     items.add(port.tags(["network"]).expiry("30d"))?;
//!
//!     let recall = items.recall(&RecallQuery::new("Which port has the proxy?").max_chars(1_200))?;
//!     println!("{}", recall.preamble);
//!     // What the answer made use of ranks higher next time.
//!     let used: Vec<&str> = recall.items.iter().map(|it| it.item.id.as_str()).collect();
//!     items.used(&used)?;
//! #     assert!(recall.preamble.contains("8443") && recall.preamble.contains("British"), "{}", recall.preamble);
//! #     assert_eq!(used.len(), 1);
//!     Ok(())
//! }
//! ```
//!
//! Items of a repository are in its folder `.codex/memory`, which you may commit. Context packs with a prompt have them too.
//!
//! # How do I search everything?
//!
//! One ranked answer over all that is remembered, and the files of the repository.
//!
//! ```
//! use loopmem::Store;
//! use loopmem::memory::Note;
//! use loopmem::search::Filter;
//! use loopmem::summary::Summary;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::builder().open()?;
//!     let repo = store.repo(".")?;
//!     repo.memory().upsert(Note::draft("The proxy retries three times."))?;
//!     repo.summaries().append(Summary::draft("run-1", "build", "Raised the retries of the proxy."))?;
//!
//!     let found = store.search().find(&repo, "retries of the proxy", &Filter::default().limit(10))?;
//!     for hit in &found.hits {
//!         println!("{} {}: {}", hit.kind, hit.id, hit.text);
//!     }
//!     // A part that could not be read does not fail the search.
//!     found.faults.iter().for_each(|fault| eprintln!("{fault}"));
//! #     assert_eq!(found.hits.len(), 2);
//!     Ok(())
//! }
//! ```
//!
//! `Filter::default().all(true)` searches every repository, branch and job of the home.
//!
//! # How do I undo a change?
//!
//! What is removed goes to the trash for 30 days, and with [`keep_replaced`](crate::Options::keep_replaced) what is replaced as
//! well. `purge` removes a record for good, with its versions there.
//!
//! ```
//! use loopmem::memory::Note;
//! use loopmem::{Options, Store};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     let store = Store::open(Options::default().keep_replaced(true))?;
//!     let repo = store.repo(".")?;
//!     repo.memory().upsert(Note::draft("Deploys need a tag.").id("deploys"))?;
//!     repo.memory().upsert(Note::change("deploys").content("Deploys need nothing."))?;
//!     repo.memory().remove("deploys")?;
//!
//!     // Newest first.
//!     if let Some(removal) = store.undo().list(&repo)?.first() {
//!         store.undo().restore(&removal.id)?;
//!         println!("{} is back: {}", removal.record_id, removal.preview);
//!     }
//! #     assert_eq!(repo.memory().get()?.notes()?[0].content, "Deploys need nothing.");
//! #     assert_eq!(store.undo().list(&repo)?.len(), 1);
//!     Ok(())
//! }
//! ```
//!
//! # How do I log what loopmem does?
//!
//! Install a subscriber of `tracing`. Each call is a span named `call`, with the operation; warnings, such as about a damaged
//! line that was skipped, have the level `WARN`, and everything else `DEBUG` or `INFO`. Nothing that is logged contains a secret.
//!
//! ```
//! use loopmem::Store;
//! use loopmem::memory::Note;
//! use tracing::Level;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//!     tracing_subscriber::fmt().with_max_level(Level::DEBUG).with_writer(std::io::stderr).init();
//!     let store = Store::builder().open()?;
//!     store.repo(".")?.memory().upsert(Note::draft("The CI machine is slow."))?;
//!     Ok(())
//! }
//! ```
//!
//! A host without `tracing` passes a [`Logger`](crate::logger::Logger) to
//! [`Builder::logger`](crate::store::Builder::logger); it receives the events of a call when that has ended.
//!
//! # How do I test code that uses loopmem?
//!
//! Give the store a temporary home and a fixed clock. Tests then neither see your memory nor each other, and the times of records
//! are known. The Codex home has the global items.
//!
//! ```
//! use loopmem::memory::Note;
//! use loopmem::{Options, Store};
//!
//! fn remember(store: &Store, folder: &std::path::Path) -> loopmem::Result<String> {
//!     let note = store.repo(folder)?.memory().upsert(Note::draft("The CI machine is slow."))?;
//!     Ok(note.created_at.clone())
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let folder = tempfile::tempdir()?;
//!     let options = Options::at(folder.path().join("home")).codex_home(folder.path().join("codex"));
//!     let store = Store::open(options.clock("2026-01-31T12:00:00Z"))?;
//!     assert_eq!(remember(&store, folder.path())?, "2026-01-31T12:00:00.000Z");
//!     Ok(())
//! }
//! ```
//!
//! The environment still counts for what you do not set, such as `WORKING_ADAPTER`. For contexts that no other process needs,
//! `adapter("memory")` writes no files.
//!
//! # How do I work with two repositories?
//!
//! Open both: a store has the memory of all. Each branch has a separate memory unless you say otherwise, and a repository that
//! was stored before can be opened by its hash, without its folder.
//!
//! ```
//! use loopmem::memory::Convention;
//! use loopmem::repo::Workspace;
//! use loopmem::{BranchScope, Store};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     let folder = tempfile::tempdir()?;
//! #     std::env::set_current_dir(&folder)?;
//! #     // SAFETY: there is no other thread yet.
//! #     unsafe { std::env::set_var("CODEX_TOOLLOOP_HOME", folder.path().join("home")) };
//! #     unsafe { std::env::set_var("CODEX_HOME", folder.path().join("codex")) };
//! #     std::fs::create_dir("shop")?;
//! #     std::fs::create_dir("billing")?;
//!     let store = Store::builder().open()?;
//!     let shop = store.repo("shop")?;
//!     let billing = store.repo(Workspace::at("billing").branch_scope(BranchScope::SharedRepo))?;
//!
//!     shop.memory().upsert(Convention::draft("Prices", "Prices are integers, in cents.").id("prices"))?;
//!     for convention in shop.memory().get()?.conventions()? {
//!         let draft = Convention::draft(&*convention.title, &*convention.content).id(&*convention.id);
//!         billing.memory().upsert(draft.tags(convention.tags.iter().cloned()))?;
//!     }
//!     let by_hash = store.repo_at(billing.hash());
//!     assert_eq!(by_hash.memory().get()?.conventions()?.len(), 1);
//! #     assert_ne!(shop.hash(), billing.hash());
//!     Ok(())
//! }
//! ```
//!
//! [`Store::repos`](crate::Store::repos) lists those with memory. After a repository was moved or got another remote, see
//! [`Repos`](crate::repos::Repos).
