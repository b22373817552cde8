//! The paths of all files of a home.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::input::check_path;
use super::{Environment, Options};
use crate::error::{Error, Result};
use crate::safety::GeneratedId;

/// What names the home folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum HomeSource {
    /// The option `home`.
    Option,
    /// The variable `CODEX_TOOLLOOP_HOME`.
    Variable,
    /// Nothing: it is in the user's home folder.
    Default,
}

/// The paths of the files of a home. See `docs/FORMAT.md`.
#[derive(Debug, Clone)]
pub struct Layout {
    root: PathBuf,
    source: HomeSource,
    /// `None` if the user's home folder is unknown.
    codex_home: Option<PathBuf>,
    /// `None` if neither `CLAUDE_CONFIG_DIR` nor `HOME` is set.
    claude_home: Option<PathBuf>,
    /// `None` if it is unknown.
    user_home: Option<PathBuf>,
    branch_memory_root: PathBuf,
    /// The memory root, if it is not in the Codex home.
    rollouts_root: Option<PathBuf>,
}

impl Layout {
    #[allow(clippy::disallowed_methods, reason = "the user's home folder, if HOME is not set")]
    pub(super) fn new(
        options: &Options,
        environment: &Environment,
        current_folder: impl Fn() -> Result<PathBuf>,
    ) -> Result<Self> {
        let set = |name: &str| environment.get(name).map(PathBuf::from);
        let of_variable = set("CODEX_TOOLLOOP_HOME");
        let source = match (&options.home, &of_variable) {
            (Some(_), _) => HomeSource::Option,
            (None, Some(_)) => HomeSource::Variable,
            (None, None) => HomeSource::Default,
        };
        let root = match options.home.clone().or(of_variable) {
            Some(root) => root,
            None => {
                let user = set("HOME").or_else(std::env::home_dir).ok_or_else(|| {
                    Error::validation(
                        "the home folder is unknown; set HOME or CODEX_TOOLLOOP_HOME, or open the store with the option home",
                    )
                })?;
                // A relative path would refer to a different folder, and so to a different memory, in every working
                // directory.
                if !user.is_absolute() {
                    return Err(Error::validation(
                        "HOME is a relative path; set HOME or CODEX_TOOLLOOP_HOME to an absolute path, or open the store with the \
                         option home",
                    ));
                }
                user.join(".codex-toolloop")
            }
        };
        check_path("home", &root)?;
        // The option and CODEX_TOOLLOOP_HOME may be relative to the current folder.
        let root = if root.is_absolute() { root } else { current_folder()?.join(root) };
        let user_home = set("HOME").or_else(std::env::home_dir).filter(|user| user.is_absolute());
        let codex_home = match options.codex_home.clone().or_else(|| set("CODEX_HOME")) {
            Some(folder) => {
                check_path("codexHome", &folder)?;
                Some(if folder.is_absolute() { folder } else { current_folder()?.join(folder) })
            }
            None => user_home.as_ref().map(|user| user.join(".codex")),
        };
        let claude_home = match set("CLAUDE_CONFIG_DIR") {
            Some(folder) if folder.is_absolute() => Some(folder),
            Some(folder) => Some(current_folder()?.join(folder)),
            None => set("HOME").filter(|user| user.is_absolute()).map(|user| user.join(".claude")),
        };
        let chosen = |name: &str, folder: &Option<PathBuf>| -> Result<Option<PathBuf>> {
            let Some(folder) = folder else { return Ok(None) };
            check_path(name, folder)?;
            Ok(Some(if folder.is_absolute() { folder.clone() } else { current_folder()?.join(folder) }))
        };
        let branch_memory_root = chosen("branchMemoryRoot", &options.branch_memory_root)?;
        let branch_memory_root = branch_memory_root.unwrap_or_else(|| PathBuf::from(Layout::BRANCH_MEMORY_ROOT));
        let rollouts_root = chosen("rolloutsRoot", &options.rollouts_root)?;
        Ok(Layout { root, source, codex_home, claude_home, user_home, branch_memory_root, rollouts_root })
    }

    /// With the memory root that `config.toml` names, unless an option names one.
    pub(super) fn or_rollouts_root(self, folder: Option<&Path>) -> Self {
        let rollouts_root = self.rollouts_root.or_else(|| folder.map(Path::to_owned));
        Layout { rollouts_root, ..self }
    }

    /// The user's home folder; `None` if it is unknown.
    pub(crate) fn user_home(&self) -> Option<&Path> {
        self.user_home.as_deref()
    }

    /// The home folder: the option `home`, `CODEX_TOOLLOOP_HOME` or `~/.codex-toolloop` (spec 000).
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The Codex home: the option `codexHome`, `CODEX_HOME` or `~/.codex` (specs 001 and 004).
    ///
    /// # Errors
    /// `ValidationError` if the user's home folder is unknown.
    pub fn codex_home(&self) -> Result<&Path> {
        self.codex_home.as_deref().ok_or_else(|| {
            Error::validation(
                "the Codex home is unknown; set HOME or CODEX_HOME, or open the store with the option codexHome",
            )
        })
    }

    /// The folder of recallable items below a folder that has its own.
    pub fn items_in(folder: &Path) -> PathBuf {
        folder.join(".codex").join("memory")
    }

    /// The folder of the global items.
    ///
    /// # Errors
    /// Those of [`codex_home`](Self::codex_home).
    pub fn global_items(&self) -> Result<PathBuf> {
        Ok(self.codex_home()?.join("memory"))
    }

    /// The database of sessions, of what was extracted from them and of who works on them (spec 001).
    ///
    /// # Errors
    /// Those of [`codex_home`](Self::codex_home).
    pub fn rollouts_database(&self) -> Result<PathBuf> {
        Ok(self.codex_home()?.join("rollouts.sqlite3"))
    }

    /// The memory root: what sessions left, as files (spec 001). The option `rolloutsRoot`, `rollouts.root` in `config.toml`,
    /// or a folder in the Codex home.
    ///
    /// # Errors
    /// Those of [`codex_home`](Self::codex_home).
    pub fn memories(&self) -> Result<PathBuf> {
        match &self.rollouts_root {
            Some(root) => Ok(root.clone()),
            None => Ok(self.codex_home()?.join("memories")),
        }
    }

    /// The memory root, if it is not that in the Codex home.
    pub(crate) fn other_memories(&self) -> Option<&Path> {
        let root = self.rollouts_root.as_deref()?;
        let is_default = self.codex_home.as_ref().is_some_and(|home| home.join("memories") == root);
        (!is_default).then_some(root)
    }

    /// The folder of the summaries of sessions, below the memory root.
    pub const ROLLOUT_SUMMARIES: &str = "rollout_summaries";
    /// The file with what all sessions left, below the memory root.
    pub const RAW_MEMORIES: &str = "raw_memories.md";
    /// The file with everything that is known, below the memory root.
    pub const MEMORY: &str = "MEMORY.md";
    /// The file that every session should read, below the memory root.
    pub const MEMORY_SUMMARY: &str = "memory_summary.md";
    /// The folder with a folder for each procedure, below the memory root.
    pub const SKILLS: &str = "skills";

    /// The file with the summary of a session, below the memory root. Its name is the percent-encoded id; letters, digits,
    /// `_`, `-` and `.` are not encoded, but for a `.` at the beginning.
    pub fn rollout_summary(thread_id: &str) -> String {
        let mut name = utf8_percent_encode(thread_id, ENCODED_IN_THREAD).to_string();
        if name.starts_with('.') {
            name.replace_range(..1, "%2E");
        }
        format!("{}/{name}.md", Layout::ROLLOUT_SUMMARIES)
    }

    /// True if this path below the memory root is one of the files that are rebuilt from the database. A damaged database may
    /// name others.
    pub(crate) fn is_of_rollouts(path: &str) -> bool {
        let summary = path.strip_prefix(Layout::ROLLOUT_SUMMARIES).and_then(|rest| rest.strip_prefix('/'));
        let is_summary = |name: &str| name.ends_with(".md") && !name.starts_with('.') && !name.contains('/');
        path == Layout::RAW_MEMORIES || summary.is_some_and(is_summary)
    }

    /// The folders of Codex's transcripts: of sessions, and of archived ones.
    ///
    /// # Errors
    /// Those of [`codex_home`](Self::codex_home).
    pub fn codex_sessions(&self) -> Result<[PathBuf; 2]> {
        let home = self.codex_home()?;
        Ok([home.join("sessions"), home.join("archived_sessions")])
    }

    /// The folder of Claude Code's transcripts: `projects` in `CLAUDE_CONFIG_DIR` or in `~/.claude`; `None` if the user's home
    /// folder is unknown.
    pub fn claude_projects(&self) -> Option<PathBuf> {
        self.claude_home.as_ref().map(|home| home.join("projects"))
    }

    /// The folder with the folders of memories on branches, unless an option says otherwise (spec 002).
    const BRANCH_MEMORY_ROOT: &str = "/tmp/gh-aw/repo-memory";

    /// The folder of a memory that is kept on a branch.
    pub fn branch_memory(&self, id: &str) -> PathBuf {
        self.branch_memory_root.join(id)
    }

    /// The file whose lock orders the processes that push to a branch of a repository.
    pub fn branch_turn(&self, branch: &GeneratedId) -> PathBuf {
        self.root.join("branch").join(branch.as_str())
    }

    /// The folder of what this home knows about a store of items: how often each was used, and the index.
    pub fn items_state(&self, store: &str) -> PathBuf {
        self.all_items_state().join(store)
    }

    /// What was removed or replaced of a store of items, in its folder.
    pub fn items_trash(state: &Path) -> PathBuf {
        state.join("trash.jsonl")
    }

    /// The folder with the folders of all stores of items.
    pub fn all_items_state(&self) -> PathBuf {
        self.root.join("items")
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

    /// The step summaries of a repository that newer ones have pushed out.
    pub fn old_summaries(&self, repo: &RepoHash) -> PathBuf {
        self.repo(repo).join("summaries.archive.jsonl")
    }

    /// What was removed or replaced of a repository.
    pub fn trash(&self, repo: &RepoHash) -> PathBuf {
        self.repo(repo).join("trash.jsonl")
    }

    /// The files that a model keeps for a repository.
    pub fn files(&self, repo: &RepoHash) -> PathBuf {
        self.repo(repo).join("files")
    }

    /// The files that a model keeps for no repository in particular.
    pub fn global_files(&self) -> PathBuf {
        self.global().join("files")
    }

    /// What was removed of what belongs to no repository.
    pub fn global_trash(&self) -> PathBuf {
        self.global().join("trash.jsonl")
    }

    /// What names the home folder.
    pub fn source(&self) -> HomeSource {
        self.source
    }

    /// The folder of what hooks of agents did last.
    pub fn hooks(&self) -> PathBuf {
        self.root.join("hooks")
    }

    /// When the hook of an event ran last.
    pub fn hook_run(&self, event: &str) -> PathBuf {
        self.hooks().join(format!("{event}.json"))
    }

    /// When it failed last, and why.
    pub fn hook_failure(&self, event: &str) -> PathBuf {
        self.hooks().join(format!("{event}.failed.json"))
    }

    /// The folder of what is known of connected clients.
    pub fn clients(&self) -> PathBuf {
        self.root.join("clients")
    }

    /// Where a client was connected.
    pub fn client(&self, name: &str) -> PathBuf {
        self.clients().join(format!("{name}.json"))
    }

    /// The user's knowledge graph.
    pub fn global_graph(&self) -> PathBuf {
        self.global().join("memory.jsonl")
    }

    /// The folder of what is stored as for a repository, and belongs to none.
    pub fn global(&self) -> PathBuf {
        self.root.join("global")
    }

    /// The file that describes a repository: its path, remote URL and branch.
    pub fn repo_file(&self, repo: &RepoHash) -> PathBuf {
        self.repo(repo).join("repo.json")
    }

    /// What a repository has adopted from other identities.
    pub fn adopted(&self, repo: &RepoHash) -> PathBuf {
        self.repo(repo).join("adopted.json")
    }

    /// The folder of what is synchronized of a repository, by its hash on all branches.
    pub fn sync(&self, repo: &RepoHash) -> PathBuf {
        self.all_synced().join(repo.as_str())
    }

    /// The folder with those of all repositories.
    pub fn all_synced(&self) -> PathBuf {
        self.root.join("sync")
    }

    /// The name of the folder of what is synchronized on this branch of the remote.
    pub fn sync_state(branch: &str) -> String {
        let name = utf8_percent_encode(branch, ENCODED).to_string();
        name.get(..MAX_NAME_BYTES).unwrap_or(&name).to_owned()
    }

    /// The folder of a branch of a repository in what is synchronized, or of all branches together; `None` if its name is too
    /// long.
    pub fn sync_folder(branch: Option<&str>) -> Option<String> {
        match branch.map(|branch| utf8_percent_encode(branch, ENCODED).to_string()) {
            Some(name) => Some(format!("branches/{name}")).filter(|_| name.len() <= MAX_NAME_BYTES),
            None => Some("shared".to_owned()),
        }
    }

    /// The branch of such a folder; `None` if it is none.
    pub fn branch_of_sync_folder(folder: &str) -> Option<Option<String>> {
        if folder == "shared" {
            return Some(None);
        }
        let branch = percent_decode_str(folder.strip_prefix("branches/")?).decode_utf8().ok()?.into_owned();
        let is_own = Layout::sync_folder(Some(&branch)).as_deref() == Some(folder);
        (is_own && !branch.is_empty()).then_some(Some(branch))
    }

    /// The folder of one repository.
    pub fn repo(&self, repo: &RepoHash) -> PathBuf {
        self.repos().join(repo.as_str())
    }

    /// The folder of the index of a repository's files.
    pub fn indexes(&self, repo: &RepoHash) -> PathBuf {
        self.repo(repo).join("indexes")
    }

    /// The folder of what indexes know of contents, which all repositories share.
    pub fn segments(&self) -> PathBuf {
        self.root.join("indexes")
    }

    /// The folder with the folders of all repositories.
    pub fn repos(&self) -> PathBuf {
        self.root.join("repos")
    }

    /// The folder with the folders of all working scopes.
    pub fn working(&self) -> PathBuf {
        self.root.join("working")
    }

    /// The contexts of scopes that were deleted.
    pub fn working_trash(&self) -> PathBuf {
        self.working().join("trash.jsonl")
    }

    /// The SQLite database of all working scopes.
    pub fn working_database(&self) -> PathBuf {
        self.working().join("working.sqlite3")
    }

    /// The folder of one working scope. Its name is the percent-encoded id; only `a-z`, `0-9`, `_` and `-` are not
    /// encoded, so that different ids have different folders on every file system, including case-insensitive ones. A
    /// long name is split into nested folders, of which each but the last ends in `+`.
    pub fn scope(&self, id: &str) -> PathBuf {
        let name = utf8_percent_encode(id, ENCODED).to_string();
        let mut path = self.working();
        let mut rest = name.as_str();
        while rest.len() > MAX_NAME_BYTES {
            let (part, behind) = rest.split_at(MAX_NAME_BYTES);
            path.push(format!("{part}{CONTINUED}"));
            rest = behind;
        }
        path.push(rest);
        path
    }

    /// Whether the folder at this path contains the rest of a scope's split name.
    pub fn is_continued(path: &Path) -> bool {
        path.to_str().is_some_and(|path| path.ends_with(CONTINUED))
    }

    /// The id of the scope that this folder belongs to; `None` if it belongs to none.
    pub fn scope_of(&self, folder: &Path) -> Option<String> {
        let mut name = String::new();
        let mut parts = folder.strip_prefix(self.working()).ok()?.iter().peekable();
        while let Some(part) = parts.next() {
            let part = part.to_str()?;
            match parts.peek() {
                Some(_) => name.push_str(part.strip_suffix(CONTINUED)?),
                None => name.push_str(part),
            }
        }
        let id = percent_decode_str(&name).decode_utf8().ok()?.into_owned();
        // Reject a folder with a name that `scope` would encode differently: it was not created by loopmem.
        (utf8_percent_encode(&id, ENCODED).to_string() == name).then_some(id)
    }
}

/// The characters of a session's id that are percent-encoded in the name of its file.
const ENCODED_IN_THREAD: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.');

/// The characters of a scope's id that are percent-encoded in the name of its folder.
const ENCODED: &AsciiSet = &upper_case(NON_ALPHANUMERIC.remove(b'_').remove(b'-'));

const fn upper_case(mut set: AsciiSet) -> AsciiSet {
    let mut letter = b'A';
    while letter <= b'Z' {
        set = set.add(letter);
        letter += 1;
    }
    set
}

/// The longest name of a folder, in bytes. Leaves room for suffixes.
const MAX_NAME_BYTES: usize = 180;
/// The suffix of a folder that contains the rest of a split name.
const CONTINUED: &str = "+";

/// Identifies a repository (and branch): a SHA-256 as 64 lower-case hex digits. `repo.identify` computes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct RepoHash(GeneratedId);

impl RepoHash {
    /// A hash that no repository has.
    pub(crate) fn nowhere() -> Self {
        RepoHash::from_digest(&[0; 32])
    }

    /// Parses 64 hex digits of either case.
    ///
    /// # Errors
    /// `ValidationError` for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        let digit = |digit: &u8| char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let bytes = text.as_bytes().chunks_exact(2).map(|pair| Some(digit(&pair[0])? * 16 + digit(&pair[1])?));
        let bytes = bytes.collect::<Option<Vec<u8>>>().filter(|_| text.len() == 64);
        match bytes.and_then(|bytes| bytes.try_into().ok()) {
            Some(digest) => Ok(RepoHash::from_digest(&digest)),
            None => Err(Error::validation("repoHash must be 64 hex digits, as repo.identify returns them")),
        }
    }

    /// The hash of these 32 bytes.
    pub(crate) fn from_digest(digest: &[u8; 32]) -> Self {
        RepoHash(GeneratedId::digest(digest))
    }

    /// The 64 digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The hash as an id that can be stored.
    pub(crate) fn id(&self) -> &GeneratedId {
        &self.0
    }
}

impl fmt::Display for RepoHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for RepoHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        // The deserializer adds the position, so the message does not repeat it.
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn layout() -> Layout {
        Layout {
            source: HomeSource::Option,
            root: "/home".into(),
            codex_home: None,
            claude_home: None,
            user_home: None,
            branch_memory_root: "/branches".into(),
            rollouts_root: None,
        }
    }

    fn folder_of(id: &str) -> PathBuf {
        layout().scope(id).strip_prefix("/home/working").unwrap().to_owned()
    }

    #[test]
    fn an_ordinary_scope_has_a_folder_of_its_name_and_no_scope_escapes_the_working_folder() {
        assert_eq!(folder_of("job-1_a"), Path::new("job-1_a"));
        assert_eq!(folder_of("../../etc"), Path::new("%2E%2E%2F%2E%2E%2Fetc"));
        assert_eq!(folder_of("Job A.lock"), Path::new("%4Aob%20%41%2Elock"));
        let long = folder_of(&"é".repeat(500));
        assert!(long.iter().count() > 1 && long.iter().all(|name| name.len() <= 200), "{long:?}");
    }

    proptest! {
        #[test]
        fn a_folder_identifies_its_scope_and_no_two_scopes_share_one(ids in prop::collection::vec(".{1,300}", 1..8)) {
            let mut folders = HashMap::new();
            for id in ids {
                let folder = folder_of(&id);
                prop_assert_eq!(layout().scope_of(&layout().working().join(&folder)), Some(id.clone()));
                // Even on a case-insensitive file system.
                let other = folders.insert(folder.to_str().unwrap().to_ascii_lowercase(), id.clone());
                prop_assert!(other.is_none_or(|other| other == id));
            }
        }
    }
}
