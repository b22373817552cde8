//! Every path of a home, in one place.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::input::check_path;
use super::{Environment, Options};
use crate::error::{Error, Result};

/// Where the files of a home lie. See `docs/FORMAT.md`.
#[derive(Debug, Clone)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    #[allow(clippy::disallowed_methods, reason = "the user's own folder, where the environment does not tell it")]
    pub(super) fn new(
        options: &Options,
        environment: &Environment,
        current_folder: impl Fn() -> Result<PathBuf>,
    ) -> Result<Self> {
        let set = |name: &str| environment.get(name).map(PathBuf::from);
        let root = match options.home.clone().or_else(|| set("CODEX_TOOLLOOP_HOME")) {
            Some(root) => root,
            None => {
                set("HOME").or_else(std::env::home_dir).map(|user| user.join(".codex-toolloop")).ok_or_else(|| {
                    Error::validation(
                        "no home: set HOME or CODEX_TOOLLOOP_HOME, or open the store with the option home",
                    )
                })?
            }
        };
        check_path("home", &root)?;
        let root = if root.is_absolute() { root } else { current_folder()?.join(root) };
        Ok(Layout { root })
    }

    /// The first root: `~/.codex-toolloop`, `CODEX_TOOLLOOP_HOME` or the option `home` (spec 000).
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `config.toml`.
    pub fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// The key for the tags of secrets.
    pub fn redaction_key(&self) -> PathBuf {
        self.root.join("redaction.key")
    }

    /// The user's rules for secrets, `redaction.toml`.
    pub fn redaction_rules(&self) -> PathBuf {
        self.root.join("redaction.toml")
    }

    /// A repository's conventions, decisions and notes.
    pub fn memory(&self, repo: &RepoHash) -> PathBuf {
        self.repo(repo).join("memory.json")
    }

    /// A repository's step summaries.
    pub fn summaries(&self, repo: &RepoHash) -> PathBuf {
        self.repo(repo).join("summaries.jsonl")
    }

    /// What a repository's hash stands for.
    pub fn repo_file(&self, repo: &RepoHash) -> PathBuf {
        self.repo(repo).join("repo.json")
    }

    /// Everything of one repository.
    pub fn repo(&self, repo: &RepoHash) -> PathBuf {
        self.repos().join(repo.as_str())
    }

    /// The folders of all repositories.
    pub fn repos(&self) -> PathBuf {
        self.root.join("repos")
    }
}

/// Which repository (and branch) a memory belongs to: a SHA-256 as 64 lower-case hex digits. `repo.identify` makes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct RepoHash(String);

impl RepoHash {
    /// Takes 64 hex digits; upper case is folded.
    ///
    /// # Errors
    /// `ValidationError` for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(RepoHash(text.to_ascii_lowercase()))
        } else {
            Err(Error::validation("repoHash must be 64 hex digits, as repo.identify returns them"))
        }
    }

    /// The hash of these 32 bytes.
    pub(crate) fn from_digest(digest: &[u8]) -> Self {
        RepoHash(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The 64 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RepoHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RepoHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        // The place is told by whoever reads: it need not stand in the message twice.
        RepoHash::parse(&text)
            .map_err(|_| serde::de::Error::custom("expected 64 hex digits, as repo.identify returns them"))
    }
}

impl JsonSchema for RepoHash {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RepoHash".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9a-fA-F]{64}$" })
    }
}
