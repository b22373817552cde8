//! The home: the paths of its files, the configuration, the clock, and the redactor and the disk that all modules use.
//!
//! Only this module reads the environment or builds paths. Opening a home creates nothing; the first write does.

mod asking;
mod call;
mod caller;
mod clock;
mod cluster;
mod config;
mod environment;
mod git_environment;
mod input;
mod key;
mod layout;
mod options;
mod progress;
mod rollouts_config;
mod sealing;
mod sources;
mod spelling;

use std::collections::HashMap;
#[cfg(any(test, feature = "testing"))]
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use uuid::{ContextV7, Uuid};

pub use call::CallOptions;
pub(crate) use call::logged;
pub(crate) use caller::Caller;
pub use clock::Clock;
pub use cluster::ClusterHost;
pub(crate) use config::DEFAULT_BRANCH;
pub use config::{
    AdapterChoice, BranchScope, CheckpointLimits, Config, DetachedHead, Hidden, IndexConfig, ItemFiles, ItemsBackend,
    MAX_RECALL_LIMIT, SyncTime,
};
pub(crate) use git_environment::GitEnvironment;
pub use input::{TOO_DEEP, read_input};
pub(crate) use input::{check_path, only_object};
pub use layout::{HomeSource, Layout, RepoHash};
pub use options::Options;
pub(crate) use progress::Steps;
pub use rollouts_config::{RolloutsConfig, model_of};
pub(crate) use sealing::ForeignRecord;
pub(crate) use spelling::{check_key, check_spelling};

use call::CallContext;
use environment::Environment;
use key::HomeKey;

use crate::disk::{Disk, Fs, Introduction, Kind, PerProcess, RealFs};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Examination;
use crate::mutex::lock;
use crate::safety::{Allowance, GeneratedId, MAX_RULE_FILE_BYTES, Redactor, RuleFile, Timestamp};
use crate::warning::Warning;
use xxhash_rust::xxh3::Xxh3;

/// How many disks of other folders are kept.
const MAX_DISKS: usize = 64;
/// The maximum size of `config.toml`, in bytes.
const MAX_CONFIG_BYTES: usize = 1 << 20;

/// The file that says what a home is. Its configuration and the rules and the key of its redactor may be there before it.
const INTRODUCTION: Introduction =
    Introduction { name: "README.md", text: include_str!("introduction.md"), before: &["config.toml", "redaction."] };

/// An open home and the context of its calls. Cheap to clone; all clones refer to the same home.
#[derive(Debug, Clone)]
pub struct Home {
    shared: Arc<Shared>,
    context: Arc<CallContext>,
}

#[derive(Debug)]
struct Shared {
    layout: Layout,
    config: Config,
    clock: Clock,
    redactor: Redactor,
    own_rules: u64,
    /// Without the user's patterns; see [`Home::admit_path`].
    paths: Redactor,
    key: Arc<HomeKey>,
    disk: Disk,
    ids: PerProcess<Ids>,
    git: GitEnvironment,
    /// Disks for files outside of the home, by the folder above them.
    disks: PerProcess<Mutex<HashMap<PathBuf, Arc<Disk>>>>,
}

/// Keeps ids made within one millisecond in order.
#[derive(Debug)]
struct Ids(Mutex<ContextV7>);

impl Default for Ids {
    fn default() -> Self {
        Ids(Mutex::new(ContextV7::new()))
    }
}

impl Home {
    /// Opens the home with these options, the process's environment and the home's `config.toml`.
    ///
    /// # Errors
    /// `ValidationError` naming an invalid option or key; `SecretRefused` for a path that looks like a secret;
    /// `IOError` if the home is not a folder or the configuration cannot be read.
    pub fn open(options: Options) -> Result<Self> {
        let environment = Environment::of_the_process();
        Home::assemble(options, Arc::new(RealFs), &environment).map_err(|error| environment.scrubbed(error))
    }

    /// Like [`open`](Self::open), with the given file system and environment.
    #[cfg(any(test, feature = "testing"))]
    pub fn open_on(
        options: Options,
        fs: Arc<dyn Fs>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self> {
        let environment = environment.into_iter().collect();
        Home::assemble(options, fs, &environment).map_err(|error| environment.scrubbed(error))
    }

    fn assemble(options: Options, fs: Arc<dyn Fs>, environment: &Environment) -> Result<Self> {
        let layout = Layout::new(&options, environment, current_folder)?;
        let paths = Redactor::new(&[], environment.texts())?;
        for (name, root) in [
            ("home", Some(layout.root())),
            ("codexHome", options.codex_home.as_deref()),
            ("branchMemoryRoot", options.branch_memory_root.as_deref()),
            ("rolloutsRoot", options.rollouts_root.as_deref()),
        ] {
            root.map_or(Ok(()), |root| admit_path(&paths, name, root))?;
        }
        let disk = Disk::new(Arc::clone(&fs), layout.root()).with_introduction(INTRODUCTION);
        match disk.kind_of(layout.root())? {
            None | Some(Kind::Folder) => {}
            Some(_) => {
                return Err(Error::new(
                    ErrorKind::Io,
                    format!("the home {} is a file, not a folder; choose another home", layout.root().display()),
                )
                .at(layout.root()));
            }
        }
        let config_path = layout.config();
        let file = read_if_exists(&disk, &config_path, MAX_CONFIG_BYTES)?;
        let clock = Clock::new(options.clock.as_deref())?;
        for host in options.redis_hosts.iter().flatten() {
            paths.admit("redisHosts", host)?;
        }
        let (config, skipped) = Config::new(&config_path, file.as_deref(), environment, options)?;
        config.rollouts.root.as_deref().map_or(Ok(()), |root| admit_path(&paths, "rollouts.root", root))?;
        let layout = layout.or_rollouts_root(config.rollouts.root.as_deref());
        let redactor = Redactor::new(&config.redaction_patterns.0, environment.texts())?;
        let rule_file = read_if_exists(&disk, &layout.redaction_rules(), MAX_RULE_FILE_BYTES)?;
        let redactor = with_rules(redactor, rule_file.as_deref(), &layout.redaction_rules())?.allowing(&config.allow);
        let own_rules = own_rules(&config, rule_file.as_deref());
        let paths = paths.allowing(redactor.allowances());
        let key = Arc::new(HomeKey::new(fs, &layout, &config, &redactor));
        let redactor = redactor.with_keys(Arc::<HomeKey>::clone(&key));
        // It is part of every key on the server. As in paths, the user's patterns do not apply.
        paths.admit("redisPrefix", &config.redis_prefix)?;
        config.inherit_from.as_deref().map_or(Ok(()), |branch| paths.admit("inheritFrom", branch))?;
        paths.admit("syncBranch", &config.sync.branch)?;
        for source in &config.rollouts.interactive_sources {
            paths.admit("rolloutsInteractiveSources", source)?;
        }
        config.redis_ca_file.as_deref().map_or(Ok(()), |file| admit_path(&paths, "redisCaFile", file))?;
        for key in skipped {
            Warning::new("unknown key; ignored").at(&config_path).about(&key).emit(&redactor);
        }
        let disk = disk.with_policy(config.files).with_redactor(&redactor);
        let ids = PerProcess::default();
        let git = GitEnvironment::new(environment);
        let disks = PerProcess::default();
        let shared = Shared { layout, config, clock, redactor, own_rules, paths, key, disk, ids, git, disks };
        Ok(Home { shared: Arc::new(shared), context: Arc::default() })
    }

    /// The paths of the files.
    pub fn layout(&self) -> &Layout {
        &self.shared.layout
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.shared.config
    }

    /// The redactor.
    pub fn redactor(&self) -> &Redactor {
        self.redactor_of_dry_run().unwrap_or(&self.shared.redactor)
    }

    /// Identifies the user's rules and allowances of the redactor; 0 if there are none.
    pub(crate) fn own_rules(&self) -> u64 {
        self.shared.own_rules
    }

    /// False positives of rules. Its texts, which anyone may have written, are redacted.
    pub(crate) fn allowances(&self) -> Vec<Allowance> {
        let plain = self.redactor().allowing_nothing();
        let clean = |text: &String| plain.scrub(text).into_owned();
        let shown = |it: &Allowance| Allowance {
            name: it.name.as_ref().map(clean),
            field: it.field.as_ref().map(clean),
            reason: clean(&it.reason),
            ..it.clone()
        };
        self.redactor().allowances().iter().map(shown).collect()
    }

    /// Rejects a path that looks like a secret: records are found by their path, so it cannot be redacted. `place` is
    /// its name in the error.
    ///
    /// The user's patterns do not apply here, since one of them may well match a working folder. What they match is
    /// redacted wherever the path is stored or shown.
    ///
    /// # Errors
    /// `SecretRefused`.
    pub fn admit_path(&self, place: &str, path: &Path) -> Result<()> {
        admit_path(&self.shared.paths, place, path)
    }

    /// Access to the files.
    pub fn disk(&self) -> &Disk {
        &self.shared.disk
    }

    /// Refuses a folder outside the home that other users could exchange. Returns whether it exists: one that does not has to be
    /// checked again once it does, before anything in it is opened.
    ///
    /// # Errors
    /// `IOError` that names the folder and says what to do.
    pub(crate) fn check_owners(&self, folder: &Path) -> Result<bool> {
        self.disk().check_owners(folder, &|owner| self.git_environment().is_own(owner))
    }

    /// Access to data files below another folder, such as that of a repository.
    pub(crate) fn disk_at(&self, root: &Path) -> Arc<Disk> {
        let mut disks = lock(self.shared.disks.get());
        if disks.len() >= MAX_DISKS {
            // Those in use have other references.
            disks.retain(|_, disk| Arc::strong_count(disk) > 1);
        }
        Arc::clone(disks.entry(root.to_owned()).or_insert_with(|| Arc::new(self.disk().for_root(root))))
    }

    /// Checks the key for the tags of secrets. With `fix`, a damaged one is set aside, and the next secret creates a
    /// new one.
    pub fn examine_key(&self, fix: bool) -> Result<Examination> {
        self.shared.key.examine(self.wait_options(), fix)
    }

    /// The current time in the format of records: RFC 3339 in UTC with milliseconds.
    pub fn timestamp(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.shared.clock.now().timestamp_millis())
    }

    /// The current time in milliseconds since the Unix epoch.
    pub fn milliseconds(&self) -> u64 {
        u64::try_from(self.shared.clock.now().timestamp_millis()).unwrap_or(0)
    }

    /// A new id: a UUID version 7, so ids sort by time.
    pub fn new_id(&self) -> GeneratedId {
        let now = self.shared.clock.now();
        let seconds = u64::try_from(now.timestamp()).unwrap_or(0);
        let time = uuid::Timestamp::from_unix(&self.shared.ids.get().0, seconds, now.timestamp_subsec_nanos());
        GeneratedId::uuid(Uuid::new_v7(time).as_u128())
    }

    /// The part of the environment that git reads.
    pub(crate) fn git_environment(&self) -> &GitEnvironment {
        &self.shared.git
    }

    /// The current folder of the process.
    ///
    /// # Errors
    /// `IOError` if it no longer exists.
    pub fn current_folder(&self) -> Result<PathBuf> {
        current_folder()
    }
}

/// The redactor to use without a home: the built-in rules and the values of the process's environment.
///
/// # Errors
/// `ValidationError` if no pattern can be built from the environment's values.
pub(crate) fn process_redactor() -> Result<Redactor> {
    Ok(Redactor::new(&[], Environment::of_the_process().texts())?)
}

fn admit_path(redactor: &Redactor, place: &str, path: &Path) -> Result<()> {
    Ok(redactor.admit(place, &path.to_string_lossy())?)
}

/// Adds the rules and allowances of the user's file, if there is one.
fn with_rules(redactor: Redactor, file: Option<&[u8]>, path: &Path) -> Result<Redactor> {
    let Some(file) = file else { return Ok(redactor) };
    let rules = RuleFile::parse(&path.display().to_string(), file);
    let redactor = rules.and_then(|rules| Ok(redactor.and(rules.patterns)?.allowing(&rules.allowances)));
    redactor.map_err(|refused| Error::from(refused).at(path))
}

/// Identifies the user's rules and allowances; 0 if there are none.
fn own_rules(config: &Config, file: Option<&[u8]>) -> u64 {
    if config.redaction_patterns.0.is_empty() && config.allow.is_empty() && file.is_none() {
        return 0;
    }
    let mut hasher = Xxh3::new();
    let allowed = config.allow.iter().map(|allowance| serde_json::to_string(allowance).unwrap_or_default());
    for text in config.redaction_patterns.0.iter().cloned().chain(allowed) {
        hasher.update(text.as_bytes());
        hasher.update(&[0]);
    }
    hasher.update(file.unwrap_or_default());
    hasher.digest()
}

/// Reads a file that only the user writes. It may be a symbolic link, as managers of dotfiles create them; a dangling
/// link is an error.
fn read_if_exists(disk: &Disk, path: &Path, most: usize) -> Result<Option<Vec<u8>>> {
    match disk.canonical(path) {
        Ok(real) => match disk.read_foreign(&real, most as u64) {
            Err(cause) if cause.kind() == std::io::ErrorKind::FileTooLarge => {
                let refused = format!("{}: the file is too large; at most {most} bytes are read", path.display());
                Err(Error::validation(refused).at(path))
            }
            read => read.map_err(|cause| Error::io("read", path, &cause)),
        },
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound && !disk.has_entry(path) => Ok(None),
        Err(cause) => Err(Error::io("read", path, &cause)),
    }
}

#[allow(clippy::disallowed_methods, reason = "the only reader of the environment")]
fn current_folder() -> Result<PathBuf> {
    std::env::current_dir().map_err(|cause| {
        Error::new(ErrorKind::Io, "the current folder no longer exists; change to another folder").because_of(&cause)
    })
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests look at files from outside")]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    /// A folder with a home in it that contains this `config.toml`.
    fn configured(config: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        std::fs::create_dir(&home).unwrap();
        std::fs::write(home.join("config.toml"), config).unwrap();
        (folder, home)
    }

    fn open(options: Options, environment: &[(&str, &OsStr)]) -> Result<Home> {
        let environment = environment.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Home::open_on(options, Arc::new(RealFs), environment)
    }

    fn token() -> String {
        format!("ghp_{}", "a1B2".repeat(9))
    }

    #[track_caller]
    fn assert_scrubbed(error: &Error) {
        let (shown, path) = (format!("{error} {}", error.to_json()), error.path().unwrap_or(Path::new("")));
        assert!(!shown.contains(&token()) && !shown.contains("qW3-rT5-yU7"), "{shown}");
        assert!(!path.to_string_lossy().contains(&token()), "{path:?}");
        assert!(shown.contains("[REDACTED:"), "{shown}");
    }

    #[test]
    fn options_override_the_environment_which_overrides_the_file() {
        let scope = |home: Result<Home>| home.unwrap().config().branch_scope;
        let (_folder, home) = configured("[memory]\nbranchScope = \"sharedRepo\"\n");
        let at = || Options::at(&home);
        let per_branch: &[(&str, &OsStr)] = &[("MEMORY_BRANCH_SCOPE", OsStr::new("perBranch"))];
        assert_eq!(scope(open(at(), &[])), BranchScope::SharedRepo);
        assert_eq!(scope(open(at(), &[("MEMORY_BRANCH_SCOPE", OsStr::new(""))])), BranchScope::SharedRepo);
        assert_eq!(scope(open(at(), per_branch)), BranchScope::PerBranch);
        let shared = Options { branch_scope: Some(BranchScope::SharedRepo), ..at() };
        assert_eq!(scope(open(shared, per_branch)), BranchScope::SharedRepo);
        for value in [b"all".as_slice(), b"shared\xff"] {
            let refused = open(at(), &[("MEMORY_BRANCH_SCOPE", OsStr::from_bytes(value))]).unwrap_err();
            assert_eq!(refused.message(), "MEMORY_BRANCH_SCOPE must be perBranch or sharedRepo");
        }
    }

    #[test]
    fn the_home_comes_from_the_options_or_else_from_the_environment_even_if_not_utf8() {
        let root = |options, environment: &[_]| open(options, environment).unwrap().layout().root().to_owned();
        let strange = OsStr::from_bytes(b"/nowhere/caf\xe9");
        let set = [("CODEX_TOOLLOOP_HOME", strange), ("HOME", OsStr::new("/nowhere/user"))];
        assert_eq!(root(Options::default(), &set), Path::new(strange));
        assert_eq!(root(Options::at("/nowhere/option"), &set), Path::new("/nowhere/option"));
        assert_eq!(root(Options::default(), &[("HOME", strange)]), Path::new(strange).join(".codex-toolloop"));
    }

    #[test]
    fn a_relative_home_variable_is_rejected_and_other_relative_homes_are_resolved_from_the_current_folder() {
        let root = |options, environment: &[_]| open(options, environment).map(|home| home.layout().root().to_owned());
        for relative in ["user", "./user", "~"] {
            let refused = root(Options::default(), &[("HOME", OsStr::new(relative))]).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Validation);
            assert!(refused.message().starts_with("HOME is a relative path"), "{refused}");
        }
        let here = current_folder().unwrap();
        let set = [("CODEX_TOOLLOOP_HOME", OsStr::new("memory")), ("HOME", OsStr::new("user"))];
        assert_eq!(root(Options::default(), &set).unwrap(), here.join("memory"));
        assert_eq!(root(Options::at("memory"), &set[1..]).unwrap(), here.join("memory"));
    }

    #[test]
    fn a_configuration_link_is_followed_and_a_dangling_one_is_an_error() {
        let (_folder, home) = configured("");
        let (_dotfiles, elsewhere) = configured("[memory]\nmaxSummariesInContext = 3\n");
        std::fs::remove_file(home.join("config.toml")).unwrap();
        std::os::unix::fs::symlink(elsewhere.join("config.toml"), home.join("config.toml")).unwrap();
        assert_eq!(open(Options::at(&home), &[]).unwrap().config().max_summaries_in_context, 3);
        std::fs::remove_file(elsewhere.join("config.toml")).unwrap();
        let refused = open(Options::at(&home), &[]).unwrap_err();
        assert_eq!((refused.kind(), refused.path()), (ErrorKind::Io, Some(&*home.join("config.toml"))), "{refused}");
    }

    #[test]
    fn the_users_rule_file_is_applied_and_an_error_in_it_is_reported_without_its_text() {
        let (_folder, home) = configured("");
        let file = home.join("redaction.toml");
        let write = |rules: &str| std::fs::write(&file, rules).unwrap();
        write("[[rule]]\nid = 'corp-ticket'\npattern = 'CORP-[0-9]{4}'");
        let opened = open(Options::at(&home), &[]).unwrap();
        assert!(opened.redactor().redact("see CORP-1234").starts_with("see [REDACTED:corp-ticket:"));
        write("[[rule]]\nid = 'corp-ticket'\npattern = '(CORP'");
        let refused = open(Options::at(&home), &[]).unwrap_err();
        assert_eq!((refused.kind(), refused.path()), (ErrorKind::Validation, Some(&*file)), "{refused}");
        let message =
            format!("{}: the rule corp-ticket is not a valid regular expression; fix or remove it", file.display());
        assert_eq!(refused.message(), message);
        std::fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
        let refused = open(Options::at(&home), &[]).unwrap_err();
        assert!(refused.message().ends_with("the file is too large; at most 1048576 bytes are read"), "{refused}");
    }

    #[test]
    fn a_limit_that_is_too_large_is_rejected_by_name() {
        let options = |bytes| Options { summary_max_bytes: Some(bytes), ..Options::at("/nowhere") };
        assert_eq!(open(options(1_000_000), &[]).unwrap().config().summary_max_bytes, 1_000_000);
        let refused = open(options(1_000_001), &[]).unwrap_err();
        assert_eq!(refused.message(), "summaryMaxBytes is 1000001; it must be at most 1000000");
        let (_folder, home) = configured("[memory]\nsummaryMaxBytes = 2000000\n");
        let refused = open(Options::at(&home), &[]).unwrap_err();
        let file = home.join("config.toml");
        assert_eq!((refused.kind(), refused.path()), (ErrorKind::Validation, Some(&*file)));
        let what = "memory.summaryMaxBytes is 2000000; it must be at most 1000000";
        assert_eq!(refused.message(), format!("{}: {what}", file.display()));
    }

    #[test]
    fn no_error_of_opening_contains_a_secret() {
        let secret = token();
        let environment = [("SERVICE_TOKEN", OsStr::new("qW3-rT5-yU7"))];
        let (_folder, home) = configured("");
        let patterns = Options { redaction_patterns: Some(Hidden(vec![format!("({secret}")])), ..Options::at(&home) };
        let refused = open(patterns, &environment).unwrap_err();
        assert_eq!(
            refused.message(),
            "memory.redactionPatterns[0] is not a valid regular expression; fix or remove it"
        );
        for config in [format!("{secret} {secret}"), format!("[memory]\nlockTimeoutMs = \"{secret}\"")] {
            std::fs::write(home.join("config.toml"), config).unwrap();
            let refused = open(Options::at(&home), &environment).unwrap_err();
            assert!(!refused.to_json().contains(&secret), "{refused}");
        }
        assert_scrubbed(&Options::from_json(&format!(r#"{{"{secret}": 1}}"#)).unwrap_err());
    }

    #[test]
    fn a_root_that_looks_like_a_secret_is_rejected_unless_only_a_pattern_matches() {
        let environment = [("SERVICE_TOKEN", OsStr::new("qW3-rT5-yU7"))];
        let (folder, home) = configured("[memory]\nredactionPatterns = [\"home\"]\n");
        assert!(open(Options::at(&home), &environment).is_ok());
        for secret in [token(), "qW3-rT5-yU7".to_owned()] {
            let path = folder.path().join(&secret);
            let codex_home = Options { codex_home: Some(path.clone()), ..Options::at(&home) };
            let branches = Options { branch_memory_root: Some(path.clone()), ..Options::at(&home) };
            for (name, options) in
                [("home", Options::at(&path)), ("codexHome", codex_home), ("branchMemoryRoot", branches)]
            {
                let refused = open(options, &environment).unwrap_err();
                assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused}");
                assert!(refused.message().starts_with(&format!("{name} looks like a secret")), "{refused}");
                assert!(!refused.to_json().contains(&secret), "{refused}");
            }
            assert!(!path.exists());
        }
    }

    #[test]
    fn debug_output_does_not_contain_patterns() {
        let options = Options {
            redaction_patterns: Some(Hidden(vec!["CORP-[0-9]{4}".to_owned()])),
            ..Options::at("/nowhere/at/all")
        };
        let store = open(options.clone(), &[]).unwrap();
        let shown = format!("{options:?} {:?} {store:?}", store.config());
        assert!(!shown.contains("CORP") && shown.contains("redaction_patterns: [hidden]"), "{shown}");
    }

    #[test]
    fn a_home_that_is_not_a_valid_path_is_rejected_without_being_quoted() {
        let refused = open(Options::at("p".repeat(1 << 20)), &[]).unwrap_err();
        assert_eq!((refused.kind(), refused.path()), (ErrorKind::Validation, None));
        assert!(refused.to_json().len() < 200, "{refused}");
    }
}
