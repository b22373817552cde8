//! Memories on git branches, against real git: what is checked out, validated, merged and pushed, and what nothing can make lost.

mod artifacts;
mod bombs;
mod damaged;
mod durable;
mod histories;
mod hostile;
mod interrupted;
mod merge_file;
mod merging;
mod pushing;
mod quotas;
mod refusals;
mod snapshots;
mod together;
mod users;
mod validating;

use std::path::{Path, PathBuf};
use std::process::Command;

use loopmem::branch::{Checkout, Memory, Push, PushOptions, Source, Validation};
use loopmem::{Options, Result, Store};
use serde_json::{Value, json};

use crate::TestHome;

/// A bare repository, and the folders of agents that share a branch of it.
struct Site {
    home: TestHome,
}

impl Site {
    fn new() -> Self {
        let site = Site { home: TestHome::new() };
        std::fs::create_dir_all(site.path("work")).unwrap();
        site.git(&["init", "--quiet", "--bare", "remote.git"]);
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.root().join(name)
    }

    /// Runs git in the folder of the site, and returns what it prints.
    fn git(&self, arguments: &[&str]) -> String {
        let who = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
        let output = Command::new("git").args(who).args(arguments).current_dir(self.home.root()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs git in the repository.
    fn remote(&self, arguments: &[&str]) -> String {
        self.git(&[&["--git-dir", "remote.git"], arguments].concat())
    }

    /// A file on the branch; `None` if it is not there.
    fn on_branch(&self, path: &str) -> Option<String> {
        let files = self.remote(&["ls-tree", "-r", "-z", "--name-only", "memory/default"]);
        let is_there = files.split('\0').any(|file| file == path);
        is_there.then(|| self.remote(&["show", &format!("memory/default:{path}")]))
    }

    fn commits(&self) -> Vec<String> {
        self.remote(&["log", "--format=%s", "memory/default"]).lines().map(str::to_owned).collect()
    }

    fn store(&self) -> Store {
        Store::open(self.options()).unwrap()
    }

    fn options(&self) -> Options {
        Options::at(self.path("home")).branch_memory_root(self.path("memories"))
    }

    /// The folder of an agent with this configuration.
    fn agent_with(&self, name: &str, config: Value) -> Agent<'_> {
        let store = self.store();
        let memory = store.branches().parse_entry(config).unwrap();
        Agent { site: self, store, memory, directory: self.path("work").join(name) }
    }

    fn agent(&self, name: &str) -> Agent<'_> {
        self.agent_with(name, json!(true))
    }

    /// An agent whose folder is checked out.
    fn ready(&self, name: &str) -> Agent<'_> {
        let agent = self.agent(name);
        agent.checkout().unwrap();
        agent
    }
}

/// One agent's folder.
struct Agent<'s> {
    site: &'s Site,
    store: Store,
    memory: Memory,
    directory: PathBuf,
}

impl Agent<'_> {
    fn source(&self) -> Source {
        Source::new().remote(self.site.path("remote.git").to_str().unwrap())
    }

    fn checkout(&self) -> Result<Checkout> {
        self.store.branches().checkout(&self.memory, Some(&self.directory), &self.source())
    }

    fn validate(&self) -> Validation {
        self.store.branches().validate(&self.memory, Some(&self.directory)).unwrap()
    }

    fn try_push(&self, options: PushOptions) -> Result<Push> {
        self.store.branches().push(&self.memory, Some(&self.directory), &options.source(self.source()))
    }

    fn push(&self) -> Push {
        self.try_push(PushOptions::new()).unwrap()
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.directory.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn append(&self, path: &str, text: &str) -> &Self {
        let before = self.read(path).unwrap_or_default();
        self.write(path, before + text)
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.directory.join(path)).ok()
    }

    fn remove(&self, path: &str) -> &Self {
        std::fs::remove_file(self.directory.join(path)).unwrap();
        self
    }

    /// The files in the folder, sorted.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.directory.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else {
                    files.push(path.strip_prefix(&self.directory).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        files.sort();
        files
    }
}

/// Writes an executable script.
fn script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
