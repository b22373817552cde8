//! Redis servers for tests, started by `tests/redis/start`; with `LOOPMEM_WITHOUT_REDIS`, the tests that need one are
//! skipped with a message.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use loopmem::testing::disk::RealFs;
use loopmem::testing::home::Home;
use loopmem::testing::working::RedisAdapter;
use loopmem::working::Patch;
use loopmem::{Options, Store};
use serde_json::Value;

use crate::TestHome;

/// The configuration that keeps every acknowledged write.
pub(crate) const DURABLE: &[&str] = &["--appendonly", "yes", "--appendfsync", "always"];

/// A server, which is stopped on drop.
pub(crate) struct RedisServer {
    pub(crate) port: u16,
    pub(crate) folder: tempfile::TempDir,
    options: Vec<String>,
    pid: i32,
    script: Child,
}

impl RedisServer {
    /// A server; `None` where the tests that need one are to be skipped.
    pub(crate) fn start(options: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let options: Vec<_> = options.iter().map(ToString::to_string).collect();
        let (script, port, pid) = start(folder.path(), 0, &options)?;
        Some(RedisServer { port, folder, options, pid, script })
    }

    /// Sends a signal to it.
    #[allow(unsafe_code, reason = "std sends no signals")]
    pub(crate) fn signal(&self, signal: libc::c_int) {
        // SAFETY: the pid is that of a server of ours, which the script has not waited for while it runs.
        assert_eq!(unsafe { libc::kill(self.pid, signal) }, 0);
    }

    /// Ends it by a signal, and waits until it is gone.
    pub(crate) fn end(&mut self, signal: libc::c_int) {
        self.signal(signal);
        self.script.wait().unwrap();
    }

    /// Starts it again, where it was and on what it has left.
    pub(crate) fn start_again(&mut self) {
        let (script, _, pid) = start(self.folder.path(), self.port, &self.options).unwrap();
        (self.script, self.pid) = (script, pid);
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// A client that knows nothing of loopmem.
    pub(crate) fn bare(&self) -> ::redis::Connection {
        ::redis::Client::open(self.url()).unwrap().get_connection().unwrap()
    }

    /// How many keys it has.
    pub(crate) fn size(&self) -> usize {
        ::redis::cmd("DBSIZE").query(&mut self.bare()).unwrap()
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        let _ = self.script.wait();
    }
}

fn start(folder: &Path, port: u16, options: &[String]) -> Option<(Child, u16, i32)> {
    let mut script = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/redis/start"))
        .arg(folder)
        .arg(port.to_string())
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(script.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let Some((port, pid)) = said.trim().split_once(' ') else {
        let ended = script.wait().unwrap();
        assert_eq!(ended.code(), Some(4), "no Redis server was started; the lines above tell why");
        return None;
    };
    Some((script, port.parse().unwrap(), pid.parse().unwrap()))
}

/// A store over the server of `url`, as another process would open it.
pub(crate) fn open(home: &TestHome, url: &str) -> Store {
    open_with(home, url, |options| options)
}

pub(crate) fn open_with(home: &TestHome, url: &str, with: impl FnOnce(Options) -> Options) -> Store {
    let options = Options::at(home.root()).adapter(url.to_owned());
    loopmem::testing::open_on(with(options), std::sync::Arc::new(RealFs), []).unwrap()
}

/// The adapter alone.
pub(crate) fn adapter(home: &TestHome, url: &str) -> (Home, RedisAdapter) {
    let home = loopmem::testing::home(&open(home, url)).clone();
    let adapter = RedisAdapter::new(home.clone(), url).unwrap();
    (home, adapter)
}

/// Sets one value of a context.
pub(crate) fn put(store: &Store, scope: &str, name: &str, value: Value) -> loopmem::Result<()> {
    store.working().update_context(scope, Patch::default().set(name, &value)?).map(drop)
}

pub(crate) fn context(store: &Store, scope: &str) -> Value {
    store.working().get_context(scope).unwrap().to().unwrap()
}

/// Adds an entry to a log.
pub(crate) fn log(store: &Store, scope: &str, content: &str) -> loopmem::Result<()> {
    let draft = serde_json::from_value(serde_json::json!({"content": content})).unwrap();
    store.working().add_log(scope, draft).map(drop)
}

/// The contents of the entries of a log.
pub(crate) fn logs(store: &Store, scope: &str) -> Vec<String> {
    let entries = store.working().get_logs(scope, loopmem::working::Range::default()).unwrap();
    let content = |json: &str| serde_json::from_str::<Value>(json).unwrap()["content"].as_str().unwrap().to_owned();
    entries.iter().map(|entry| content(entry.json().get())).collect()
}

/// The names that each change of a scope has set, after the context that they lead to was compared with the stored one.
pub(crate) fn changes(store: &Store, scope: &str) -> Vec<String> {
    let trail = store.working().history(scope, None).unwrap();
    let mut rebuilt = serde_json::Map::new();
    let mut names = Vec::new();
    for entry in &trail {
        let entry: Value = serde_json::from_str(entry.json().get()).unwrap();
        let patch = entry["patch"].as_object().unwrap().clone();
        names.extend(patch.keys().cloned());
        rebuilt.extend(patch);
    }
    assert_eq!(context(store, scope), Value::Object(rebuilt), "the context is not what its trail tells");
    names
}
