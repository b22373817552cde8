//! The configuration of memories: a value, or the workflow or the file that contains it.

pub(crate) mod glob;
pub(crate) mod prompt;
pub(crate) mod workflow;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::glob::Patterns;
use crate::branch::{Branches, named_folder, operation};
use crate::error::{Error, Result};
use crate::home::{Home, check_path};

/// The key of the configuration in a workflow.
const KEY: &str = "repo-memory";
/// The keys of a memory.
const KEYS: [&str; 17] = [
    "id",
    "target-repo",
    "branch-name",
    "branch-prefix",
    "file-glob",
    "allowed-extensions",
    "max-file-size",
    "max-file-count",
    "max-patch-size",
    "max-total-size",
    "clean-up",
    "description",
    "create-orphan",
    "campaign-id",
    "compression",
    "incremental",
    "snapshots",
];
/// The keys of `snapshots`.
const SNAPSHOT_KEYS: [&str; 2] = ["keep", "on"];
/// The id of the memory that a configuration without ids has.
const DEFAULT_ID: &str = "default";
/// The memory whose first pattern may name the campaign.
const CAMPAIGNS: &str = "campaigns";
/// The largest limit on the size of a file, in bytes, and the default.
const MAX_FILE_SIZE: u64 = 100 << 20;
const DEFAULT_FILE_SIZE: u64 = 10_240;
/// The longest id, which is in the names of the folder, the branch and the artifact.
const MAX_ID: usize = 100;
/// The largest limit on the number of files, and the default.
const MAX_FILE_COUNT: u64 = 1_000;
const DEFAULT_FILE_COUNT: u64 = 100;
/// The largest limit on the size of all files together, in bytes.
const MAX_TOTAL_SIZE: u64 = 1 << 30;
/// The most snapshots that a workflow keeps.
const MAX_SNAPSHOTS: u64 = 10_000;
/// The most memories of one configuration.
const MAX_MEMORIES: usize = 10;
/// The shortest and the longest prefix of a branch, in characters.
const PREFIX_LENGTH: std::ops::RangeInclusive<usize> = 4..=32;

/// The files that a push removes if the total size would exceed its maximum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum CleanUp {
    /// Nothing; the push is refused.
    #[default]
    None,
    /// The files that were changed longest ago on the branch.
    Oldest,
}

/// How the artifact of a memory is compressed, which passes its files on to another job of a workflow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all: the service of the workflow packs the files.
    #[default]
    None,
    /// As `.tar.gz`.
    Gzip,
    /// As `.tar.zst`.
    Zstd,
}

/// When a workflow takes snapshots of the branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum SnapshotTime {
    /// After every push.
    #[default]
    Push,
    /// After the first push of a day (UTC).
    Day,
    /// After the first push of a week (ISO 8601).
    Week,
}

/// The snapshots that a workflow takes of the branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "BranchSnapshotPolicy")]
#[non_exhaustive]
pub struct SnapshotPolicy {
    /// How many are kept, the newest ones; null for all.
    pub keep: Option<u64>,
    /// When one is taken.
    pub on: SnapshotTime,
}

/// A memory: where its files are, and the rules for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "BranchMemory")]
#[non_exhaustive]
pub struct Memory {
    /// Its id: 1 to 100 letters, digits and `-`.
    pub id: String,
    /// The folder in which the agent works.
    pub directory: String,
    /// The folder as prompts show it, with a `/` at the end.
    pub prompt_path: String,
    /// The name of the artifact that passes the folder on to the job that pushes it.
    pub artifact: String,
    /// The branch on which the files are kept.
    pub branch: String,
    /// The repository of the branch, as `owner/name`; null for the current one.
    pub target_repo: Option<String>,
    /// The patterns of the files that are kept; null for every file, and an empty list for none.
    pub file_glob: Option<Vec<String>>,
    /// The extensions that files may have, in lower case with their dot; null for any.
    pub allowed_extensions: Option<Vec<String>>,
    /// The maximum size of a file, in bytes.
    pub max_file_size: u64,
    /// The maximum number of files.
    pub max_file_count: u64,
    /// The maximum number of bytes that one push may add to the files in total; null for no limit.
    pub max_patch_size: Option<u64>,
    /// The maximum total size of all files, in bytes; null for no limit.
    pub max_total_size: Option<u64>,
    /// The files that a push removes to stay within the total size.
    pub clean_up: CleanUp,
    /// The purpose of the memory; null if the configuration has none.
    pub description: Option<String>,
    /// Whether the branch is created if it does not exist.
    pub create_orphan: bool,
    /// The campaign whose rules apply to the files; null for no campaign.
    pub campaign_id: Option<String>,
    /// How a workflow compresses the artifact.
    #[serde(default)]
    #[schemars(required)]
    pub compression: Compression,
    /// Whether the artifact of a workflow has only what changed since the checkout.
    #[serde(default)]
    #[schemars(required)]
    pub incremental: bool,
    /// The snapshots that a workflow takes of the branch; null for none.
    #[serde(default)]
    pub snapshots: Option<SnapshotPolicy>,
}

/// The memories of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchMemories")]
#[non_exhaustive]
pub struct Memories {
    /// The memories, in the order of the configuration.
    pub memories: Vec<Memory>,
}

impl Memory {
    /// The campaign whose rules apply: as configured, or for the memory `campaigns` that of its first pattern `NAME/**`.
    pub(crate) fn campaign(&self) -> Option<&str> {
        let of_pattern = || {
            let first = self.file_glob.as_ref().filter(|_| self.id == CAMPAIGNS)?.first()?;
            let (name, _) = first.split_once("/**")?;
            (!name.is_empty() && !name.contains(['/', '*'])).then_some(name)
        };
        self.campaign_id.as_deref().or_else(of_pattern)
    }

    /// Its folder, unless a call names another one.
    pub(crate) fn folder(&self, home: &Home, named: Option<&Path>) -> Result<PathBuf> {
        named_folder(home, named.unwrap_or(Path::new(&self.directory)))
    }

    /// The patterns of the files that are kept.
    pub(crate) fn patterns(&self) -> Result<Patterns> {
        Patterns::new(self.file_glob.as_deref())
    }
}

impl Branches {
    /// Reads the configuration of memories: its value, an object that has it under `repo-memory` or
    /// `tools.repo-memory`, or a text in YAML or JSON with one of them, such as a workflow with front matter.
    ///
    /// # Errors
    /// `ValidationError` naming the key.
    pub fn parse_config(&self, config: Value) -> Result<Memories> {
        self.home.call(operation::PARSE_CONFIG, |home| parse(home, config))
    }

    /// Reads one memory: its configuration, or what [`parse_config`](Self::parse_config) returned for it, whose folder
    /// it keeps.
    ///
    /// # Errors
    /// Those of [`parse_config`](Self::parse_config); `ValidationError` for none or several memories.
    pub fn parse_entry(&self, entry: Value) -> Result<Memory> {
        self.home.call(operation::PARSE_CONFIG, |home| one(home, entry))
    }
}

fn one(home: &Home, entry: Value) -> Result<Memory> {
    if let Some(parsed) = entry.as_object().filter(|entry| entry.contains_key("promptPath")) {
        let parsed = Memory::deserialize(parsed).map_err(|cause| {
            Error::validation("entry is not a memory that branch.parseConfig returned").because(cause)
        })?;
        let checked = checked(home, &parsed)?;
        check_path("entry.directory", Path::new(&parsed.directory))?;
        let directory = parsed.directory.trim_end_matches('/').to_owned();
        return Ok(Memory { prompt_path: format!("{directory}/"), directory, ..checked });
    }
    let mut memories = parse(home, entry)?.memories;
    match (memories.pop(), memories.len()) {
        (Some(memory), 0) => Ok(memory),
        (None, _) => Err(Error::validation("entry must be one memory, but it configures none")),
        (Some(_), others) => Err(Error::validation(format!(
            "entry must be one memory, but it configures {}; pass one of those that branch.parseConfig returns",
            others + 1
        ))),
    }
}

/// Validates a memory that was parsed elsewhere; its folder is the one that it has here.
pub(crate) fn checked(home: &Home, entry: &Memory) -> Result<Memory> {
    memory(home, &configuration(entry), "entry")
}

/// The configuration of a memory that was parsed before: the keys that it has, in their order.
pub(crate) fn configuration(memory: &Memory) -> Map<String, Value> {
    let keys = [
        ("id", json!(memory.id)),
        ("branch-name", json!(memory.branch)),
        ("target-repo", json!(memory.target_repo)),
        ("file-glob", json!(memory.file_glob)),
        ("allowed-extensions", json!(memory.allowed_extensions)),
        ("max-file-size", json!(memory.max_file_size)),
        ("max-file-count", json!(memory.max_file_count)),
        ("max-patch-size", json!(memory.max_patch_size)),
        ("max-total-size", json!(memory.max_total_size)),
        ("clean-up", json!(memory.clean_up)),
        ("description", json!(memory.description)),
        ("create-orphan", json!(memory.create_orphan)),
        ("campaign-id", json!(memory.campaign_id)),
        ("compression", json!(memory.compression)),
        ("incremental", json!(memory.incremental)),
        ("snapshots", json!(memory.snapshots)),
    ];
    let set = keys.into_iter().filter(|(_, value)| !value.is_null());
    set.map(|(key, value)| (key.to_owned(), value)).collect()
}

/// As [`configuration`], without what is the default, what only describes the memory, and what only a workflow uses.
pub(crate) fn rules(memory: &Memory) -> Map<String, Value> {
    let defaults = [
        ("id", json!(DEFAULT_ID)),
        ("branch-name", json!(format!("memory/{}", memory.id))),
        ("max-file-size", json!(DEFAULT_FILE_SIZE)),
        ("max-file-count", json!(DEFAULT_FILE_COUNT)),
        ("clean-up", json!(CleanUp::None)),
        ("create-orphan", json!(true)),
    ];
    let mut rules = configuration(memory);
    rules.retain(|key, value| {
        let is_default = defaults.iter().any(|(name, default)| name == key && default == value);
        !is_default && !["description", "compression", "incremental", "snapshots"].contains(&key.as_str())
    });
    rules
}

pub(crate) fn parse(home: &Home, config: Value) -> Result<Memories> {
    let value = match config {
        Value::String(text) => in_text(&text)?,
        config => in_value(config, false),
    };
    let memories = match value {
        None | Some(Value::Bool(false)) => Vec::new(),
        Some(Value::Null | Value::Bool(true)) => vec![memory(home, &Map::new(), KEY)?],
        Some(Value::Object(object)) => vec![memory(home, &object, KEY)?],
        Some(Value::Array(list)) => several(home, &list)?,
        Some(other) => return Err(wrong_type(KEY, "a boolean, an object or a list", &other)),
    };
    check_unique(&memories)?;
    Ok(Memories { memories })
}

/// The configuration in a text; `None` if it is a workflow without one.
fn in_text(text: &str) -> Result<Option<Value>> {
    let front_matter = front_matter(text);
    // An error that quotes the text would show a part of a secret, which nothing finds.
    let options = serde_saphyr::options! { with_snippet: false };
    let value = serde_saphyr::from_str_with_options(front_matter.unwrap_or(text), options);
    let value: Value = value.map_err(|cause| {
        let what = if front_matter.is_some() { "front matter" } else { "configuration" };
        Error::validation(format!("the {what} is neither YAML nor JSON")).because(cause)
    })?;
    Ok(in_value(value, front_matter.is_some()))
}

/// The YAML between the lines `---` with which a text begins; `None` if there are no such lines.
fn front_matter(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_fence = |line: &str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_fence(line))?;
    let mut end = first.len();
    for line in lines {
        if is_fence(line) {
            return Some(&text[first.len()..end]);
        }
        end += line.len();
    }
    None
}

/// The configuration in a value that may contain other keys too, as a workflow does; `None` if it is one without it.
fn in_value(mut value: Value, is_workflow: bool) -> Option<Value> {
    let Some(object) = value.as_object_mut() else { return (!is_workflow).then_some(value) };
    if let Some(tools) = object.get_mut("tools").and_then(Value::as_object_mut) {
        return tools.remove(KEY);
    }
    let is_bare = !is_workflow && !object.contains_key("tools");
    object.remove(KEY).or_else(|| is_bare.then_some(value))
}

fn several(home: &Home, list: &[Value]) -> Result<Vec<Memory>> {
    if !(1..=MAX_MEMORIES).contains(&list.len()) {
        return Err(Error::validation(format!(
            "{KEY} must have from 1 to {MAX_MEMORIES} memories, got {}",
            list.len()
        )));
    }
    let memories = list.iter().enumerate().map(|(number, value)| {
        let place = format!("{KEY}[{number}]");
        let object = value.as_object().ok_or_else(|| wrong_type(&place, "an object", value))?;
        if !object.contains_key("id") {
            return Err(Error::validation(format!("{place}.id is missing; each memory of a list needs one")));
        }
        memory(home, object, &place)
    });
    memories.collect()
}

/// The name of a key with `-`, which may be written in camelCase too.
fn kebab(key: &str) -> String {
    let mut kebab = String::new();
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            kebab.push('-');
        }
        kebab.push(c.to_ascii_lowercase());
    }
    kebab
}

fn memory(home: &Home, object: &Map<String, Value>, place: &str) -> Result<Memory> {
    if let Some(key) = object.keys().find(|key| !KEYS.contains(&&*kebab(key))) {
        return Err(Error::validation(format!(
            "{place}.{key} is not a known key; the known keys are {}",
            KEYS.join(", ")
        )));
    }
    let named: Map<String, Value> = object.iter().map(|(key, value)| (kebab(key), value.clone())).collect();
    if named.len() != object.len() {
        return Err(Error::validation(format!("{place} has a key twice, with - and in camelCase")));
    }
    let object = &named;
    let keys = Keys { object, place };
    let id = keys.text("id")?.unwrap_or(DEFAULT_ID);
    let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !(1..=MAX_ID).contains(&id.len()) || !is_plain {
        let message = format!("{place}.id must be 1 to {MAX_ID} letters, digits and -, got {id:?}");
        return Err(Error::validation(message));
    }
    let directory = home.layout().branch_memory(id).into_os_string().into_string();
    let directory = directory.map_err(|_| Error::validation("branchMemoryRoot must be UTF-8"))?;
    let memory = Memory {
        max_file_size: keys.limit("max-file-size", MAX_FILE_SIZE)?.unwrap_or(DEFAULT_FILE_SIZE),
        max_file_count: keys.limit("max-file-count", MAX_FILE_COUNT)?.unwrap_or(DEFAULT_FILE_COUNT),
        max_patch_size: keys.limit("max-patch-size", MAX_FILE_SIZE)?,
        max_total_size: keys.limit("max-total-size", MAX_TOTAL_SIZE)?,
        clean_up: keys.one_of("clean-up", "none or oldest")?.unwrap_or_default(),
        prompt_path: format!("{directory}/"),
        directory,
        artifact: format!("repo-memory-{id}"),
        branch: branch(&keys, id)?,
        target_repo: keys.valid("target-repo", "owner/name", is_repo)?,
        file_glob: patterns(&keys)?,
        allowed_extensions: extensions(&keys)?,
        description: keys.text("description")?.map(str::to_owned),
        create_orphan: keys.boolean("create-orphan")?.unwrap_or(true),
        campaign_id: keys.valid("campaign-id", "the name of a folder", is_folder)?,
        compression: keys.one_of("compression", "none, gzip or zstd")?.unwrap_or_default(),
        incremental: keys.boolean("incremental")?.unwrap_or(false),
        snapshots: snapshots(&keys)?,
        id: id.to_owned(),
    };
    admit(home, place, &memory)?;
    Ok(memory)
}

/// Refuses names that look like secrets: they are in refs, paths, messages and artifacts.
fn admit(home: &Home, place: &str, memory: &Memory) -> Result<()> {
    let names = [
        ("id", Some(&memory.id)),
        ("branch-name", Some(&memory.branch)),
        ("target-repo", memory.target_repo.as_ref()),
        ("campaign-id", memory.campaign_id.as_ref()),
    ];
    let names = names.into_iter().filter_map(|(key, name)| Some((key, name?)));
    let patterns = memory.file_glob.iter().flatten().map(|pattern| ("file-glob", pattern));
    let extensions = memory.allowed_extensions.iter().flatten().map(|extension| ("allowed-extensions", extension));
    let mut all = names.chain(patterns).chain(extensions);
    all.try_for_each(|(key, name)| Ok(home.redactor().admit(&format!("{place}.{key}"), name)?))
}

/// The configuration of one memory.
struct Keys<'g> {
    object: &'g Map<String, Value>,
    /// Its place in the configuration, for messages.
    place: &'g str,
}

impl<'g> Keys<'g> {
    /// The value of a key; null is none.
    fn get(&self, key: &str) -> Option<&'g Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    fn refused(&self, key: &str, must: &str) -> Error {
        Error::validation(format!("{}.{key} must be {must}", self.place))
    }

    fn read<T>(&self, key: &str, what: &str, read: impl Fn(&'g Value) -> Option<T>) -> Result<Option<T>> {
        let wrong = |value| wrong_type(&format!("{}.{key}", self.place), what, value);
        self.get(key).map(|value| read(value).ok_or_else(|| wrong(value))).transpose()
    }

    fn text(&self, key: &str) -> Result<Option<&'g str>> {
        self.read(key, "a text", Value::as_str)
    }

    fn boolean(&self, key: &str) -> Result<Option<bool>> {
        self.read(key, "true or false", Value::as_bool)
    }

    /// One of the words of `T`.
    fn one_of<T: DeserializeOwned>(&self, key: &str, must: &str) -> Result<Option<T>> {
        let Some(word) = self.text(key)? else { return Ok(None) };
        serde_json::from_value(json!(word)).map(Some).map_err(|_| self.refused(key, must))
    }

    /// A text that is valid.
    fn valid(&self, key: &str, must: &str, is_valid: impl Fn(&str) -> bool) -> Result<Option<String>> {
        match self.text(key)? {
            Some(text) if !is_valid(text) => Err(self.refused(key, must)),
            text => Ok(text.map(str::to_owned)),
        }
    }

    /// A list of valid texts.
    fn valid_list(&self, key: &str, must: &str, is_valid: impl Fn(&str) -> bool) -> Result<Option<Vec<String>>> {
        // A text is a list of one.
        let texts = |value: &Value| -> Option<Vec<String>> {
            let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            list.iter().map(|text| text.as_str().map(str::to_owned)).collect()
        };
        let list = self.read(key, "a list of texts", texts)?;
        if list.iter().flatten().all(|text| is_valid(text)) { Ok(list) } else { Err(self.refused(key, must)) }
    }

    /// A limit from 1 to `most`.
    fn limit(&self, key: &str, most: u64) -> Result<Option<u64>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        // YAML and JSON write a whole number as 10.0 too.
        let is_whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
        if !is_whole {
            return Err(wrong_type(&format!("{}.{key}", self.place), "a whole number", value));
        }
        let number = value.as_u64().or_else(|| value.as_f64()?.to_string().parse().ok());
        match number {
            Some(number) if (1..=most).contains(&number) => Ok(Some(number)),
            _ => {
                let prefix = if self.place == KEY { String::new() } else { format!("{}.", self.place) };
                Err(Error::validation(format!("{prefix}{key} must be between 1 and {most}, got {value}")))
            }
        }
    }
}

fn snapshots(keys: &Keys<'_>) -> Result<Option<SnapshotPolicy>> {
    let object = keys.read("snapshots", "an object with keep and on", Value::as_object)?;
    let Some(object) = object else { return Ok(None) };
    let place = format!("{}.snapshots", keys.place);
    if let Some(key) = object.keys().find(|key| !SNAPSHOT_KEYS.contains(&key.as_str())) {
        return Err(Error::validation(format!("{place}.{key} is not a known key; the known keys are keep and on")));
    }
    let keys = Keys { object, place: &place };
    let on = keys.one_of("on", "push, day or week")?.unwrap_or_default();
    Ok(Some(SnapshotPolicy { keep: keys.limit("keep", MAX_SNAPSHOTS)?, on }))
}

fn wrong_type(place: &str, what: &str, value: &Value) -> Error {
    let got = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(_) => "a text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    };
    Error::validation(format!("{place} must be {what}, got {got}"))
}

fn branch(keys: &Keys<'_>, id: &str) -> Result<String> {
    let must = "4 to 32 letters, digits, - and _, and not copilot";
    let is_prefix = |text: &str| PREFIX_LENGTH.contains(&text.len()) && text.chars().all(is_plain) && text != "copilot";
    let prefix = keys.valid("branch-prefix", must, is_prefix)?;
    let must = "the name of a branch with a folder, such as memory/default; main, master and gh-pages are never one";
    let name = keys.valid("branch-name", must, is_branch)?;
    Ok(name.unwrap_or_else(|| format!("{}/{id}", prefix.as_deref().unwrap_or("memory"))))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// Returns whether git takes this name for a branch, and it is in a folder.
fn is_branch(name: &str) -> bool {
    let Some((folder, rest)) = name.split_once('/') else { return false };
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock") && !part.contains("..");
    let is_refused = |c: char| c.is_control() || " ~^:?*[\\\u{7f}".contains(c);
    !folder.is_empty()
        && folder.chars().all(is_plain)
        && rest.split('/').all(is_part)
        && !rest.ends_with('.')
        && !rest.contains("@{")
        && !rest.contains(is_refused)
}

fn is_repo(name: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && ![".", ".."].contains(&name) && name.chars().all(|c| is_plain(c) || c == '.');
    name.split_once('/').is_some_and(|(owner, name)| is_name(owner) && is_name(name))
}

fn is_folder(name: &str) -> bool {
    !name.is_empty() && ![".", ".."].contains(&name) && !name.contains(['/', '*']) && !name.contains(char::is_control)
}

fn extensions(keys: &Keys<'_>) -> Result<Option<Vec<String>>> {
    let must = "a list of extensions, each of one part with its dot, such as .md";
    let is_extension = |text: &str| text.len() > 1 && text.starts_with('.') && !text[1..].contains(['.', '/']);
    let extensions = keys.valid_list("allowed-extensions", must, is_extension)?;
    Ok(extensions.map(|all| all.iter().map(|extension| extension.to_lowercase()).collect()))
}

fn patterns(keys: &Keys<'_>) -> Result<Option<Vec<String>>> {
    let must = "a list of patterns for paths in the memory, such as notes/*.md";
    keys.valid_list("file-glob", must, |pattern| !pattern.is_empty() && !pattern.starts_with('/'))
}

/// Refuses two memories with one folder or one branch.
fn check_unique(memories: &[Memory]) -> Result<()> {
    let mut ids = BTreeSet::new();
    // On a file system that ignores case, their folders would be the same.
    if let Some(twice) = memories.iter().find(|memory| !ids.insert(memory.id.to_lowercase())) {
        return Err(Error::validation(format!("{KEY} has the duplicate id {}; each memory needs its own", twice.id)));
    }
    let mut branches = BTreeSet::new();
    let twice = memories.iter().find(|memory| !branches.insert((&memory.target_repo, &memory.branch)));
    twice.map_or(Ok(()), |twice| {
        Err(Error::validation(format!("{KEY} has two memories on the branch {}", twice.branch)))
    })
}
