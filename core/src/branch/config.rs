//! The configuration of memories: a value, or the workflow or the file that contains it.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::home::{Layout, check_path};

/// The key of the configuration in a workflow.
const KEY: &str = "repo-memory";
/// The keys of a memory.
const KEYS: [&str; 14] = [
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
];
/// The id of the memory that a configuration without ids has.
const DEFAULT_ID: &str = "default";
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
/// The most memories of one configuration.
const MAX_MEMORIES: usize = 10;
/// The shortest and the longest prefix of a branch, in characters.
const PREFIX_LENGTH: std::ops::RangeInclusive<usize> = 4..=32;

/// What a push removes if the files of a memory would exceed their total size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum BranchCleanUp {
    /// Nothing; the push is refused.
    #[default]
    None,
    /// The files that were changed longest ago on the branch.
    Oldest,
}

/// A memory: where its files are, and the rules for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct BranchMemory {
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
    /// What a push removes to stay within the total size.
    pub clean_up: BranchCleanUp,
    /// What the memory is for; null if the configuration does not say.
    pub description: Option<String>,
    /// Whether the branch is created if it does not exist.
    pub create_orphan: bool,
    /// The campaign whose rules apply to the files; null for no campaign.
    pub campaign_id: Option<String>,
}

/// The memories of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BranchMemories {
    /// The memories, in the order of the configuration.
    pub memories: Vec<BranchMemory>,
}

/// Reads one memory: what a configuration of it says, or what [`parse`] returned for it, whose folder it keeps.
///
/// # Errors
/// `ValidationError` naming the key; also for a configuration of no or several memories.
pub(super) fn one(layout: &Layout, entry: Value) -> Result<BranchMemory> {
    if let Some(parsed) = entry.as_object().filter(|entry| entry.contains_key("promptPath")) {
        let parsed = BranchMemory::deserialize(parsed).map_err(|cause| {
            Error::validation("entry is not a memory that branch.parseConfig returned").because(cause)
        })?;
        let checked = checked(layout, &parsed)?;
        check_path("entry.directory", Path::new(&parsed.directory))?;
        let directory = parsed.directory.trim_end_matches('/').to_owned();
        return Ok(BranchMemory { prompt_path: format!("{directory}/"), directory, ..checked });
    }
    let mut memories = parse(layout, entry)?.memories;
    match (memories.pop(), memories.len()) {
        (Some(memory), 0) => Ok(memory),
        (None, _) => Err(Error::validation("entry must be one memory, but it configures none")),
        (Some(_), others) => Err(Error::validation(format!(
            "entry must be one memory, but it configures {}; pass one of those that branch.parseConfig returns",
            others + 1
        ))),
    }
}

/// A memory that somebody else read, checked again; its folder is the one that it has here.
///
/// # Errors
/// Those of [`parse`].
pub(super) fn checked(layout: &Layout, entry: &BranchMemory) -> Result<BranchMemory> {
    memory(layout, &configuration(entry), "entry")
}

/// The configuration of a memory that was read before.
fn configuration(memory: &BranchMemory) -> Map<String, Value> {
    let keys: [Value; 14] = [
        json!(memory.id),
        json!(memory.target_repo),
        json!(memory.branch),
        Value::Null,
        json!(memory.file_glob),
        json!(memory.allowed_extensions),
        json!(memory.max_file_size),
        json!(memory.max_file_count),
        json!(memory.max_patch_size),
        json!(memory.max_total_size),
        json!(memory.clean_up),
        json!(memory.description),
        json!(memory.create_orphan),
        json!(memory.campaign_id),
    ];
    KEYS.iter().map(|key| (*key).to_owned()).zip(keys).collect()
}

/// Reads a configuration: its value, an object that has it under `repo-memory` or `tools.repo-memory`, or a text in
/// YAML or JSON with one of them, such as a workflow with front matter.
///
/// # Errors
/// `ValidationError` naming the key.
pub(super) fn parse(layout: &Layout, config: Value) -> Result<BranchMemories> {
    let value = match config {
        Value::String(text) => in_text(&text)?,
        config => in_value(config, false),
    };
    let memories = match value {
        None | Some(Value::Bool(false)) => Vec::new(),
        Some(Value::Null | Value::Bool(true)) => vec![memory(layout, &Map::new(), KEY)?],
        Some(Value::Object(object)) => vec![memory(layout, &object, KEY)?],
        Some(Value::Array(list)) => several(layout, &list)?,
        Some(other) => return Err(wrong_type(KEY, "a boolean, an object or a list", &other)),
    };
    check_unique(&memories)?;
    Ok(BranchMemories { memories })
}

/// The configuration in a text; `None` if it is a workflow without one.
fn in_text(text: &str) -> Result<Option<Value>> {
    let front_matter = front_matter(text);
    let value: Value = serde_saphyr::from_str(front_matter.unwrap_or(text)).map_err(|cause| {
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

fn several(layout: &Layout, list: &[Value]) -> Result<Vec<BranchMemory>> {
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
        memory(layout, object, &place)
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

fn memory(layout: &Layout, object: &Map<String, Value>, place: &str) -> Result<BranchMemory> {
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
    let given = Given { object, place };
    let id = given.text("id")?.unwrap_or(DEFAULT_ID);
    let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !(1..=MAX_ID).contains(&id.len()) || !is_plain {
        let message = format!("{place}.id must be 1 to {MAX_ID} letters, digits and -, got {id:?}");
        return Err(Error::validation(message));
    }
    let max_file_size = given.number("max-file-size", DEFAULT_FILE_SIZE, MAX_FILE_SIZE)?;
    let max_file_count = given.number("max-file-count", DEFAULT_FILE_COUNT, MAX_FILE_COUNT)?;
    let max_patch_size = match given.get("max-patch-size") {
        Some(_) => Some(given.number("max-patch-size", DEFAULT_FILE_SIZE, MAX_FILE_SIZE)?),
        None => None,
    };
    let max_total_size = match given.get("max-total-size") {
        Some(_) => Some(given.number("max-total-size", MAX_TOTAL_SIZE, MAX_TOTAL_SIZE)?),
        None => None,
    };
    let clean_up = match given.text("clean-up")? {
        None | Some("none") => BranchCleanUp::None,
        Some("oldest") => BranchCleanUp::Oldest,
        Some(_) => return Err(given.refused("clean-up", "none or oldest")),
    };
    let directory = layout.branch_memory(id).into_os_string().into_string();
    let directory = directory.map_err(|_| Error::validation("branchMemoryRoot must be UTF-8"))?;
    Ok(BranchMemory {
        prompt_path: format!("{directory}/"),
        directory,
        artifact: format!("repo-memory-{id}"),
        branch: branch(&given, id)?,
        target_repo: target_repo(&given)?,
        file_glob: patterns(&given)?,
        allowed_extensions: extensions(&given)?,
        max_file_size,
        max_file_count,
        max_patch_size,
        max_total_size,
        clean_up,
        description: given.text("description")?.map(str::to_owned),
        create_orphan: given.boolean("create-orphan")?.unwrap_or(true),
        campaign_id: campaign(&given)?,
        id: id.to_owned(),
    })
}

/// What the configuration of one memory says.
struct Given<'g> {
    object: &'g Map<String, Value>,
    /// Where that is, for messages.
    place: &'g str,
}

impl<'g> Given<'g> {
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

    fn texts(&self, key: &str) -> Result<Option<Vec<String>>> {
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
        };
        self.read(key, "a list of texts", texts)
    }

    /// A limit of at least 1.
    fn number(&self, key: &str, default: u64, most: u64) -> Result<u64> {
        let Some(value) = self.get(key) else { return Ok(default) };
        // YAML and JSON write a whole number as 10.0 too.
        let is_whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
        if !is_whole {
            return Err(wrong_type(&format!("{}.{key}", self.place), "a whole number", value));
        }
        let number = value.as_u64().or_else(|| value.as_f64()?.to_string().parse().ok());
        match number {
            Some(number) if (1..=most).contains(&number) => Ok(number),
            _ => {
                let prefix = if self.place == KEY { String::new() } else { format!("{}.", self.place) };
                Err(Error::validation(format!("{prefix}{key} must be between 1 and {most}, got {value}")))
            }
        }
    }
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

fn branch(given: &Given<'_>, id: &str) -> Result<String> {
    let prefix = given.text("branch-prefix")?;
    if let Some(prefix) = prefix {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !PREFIX_LENGTH.contains(&prefix.len()) || !prefix.chars().all(is_plain) || prefix == "copilot" {
            return Err(given.refused("branch-prefix", "4 to 32 letters, digits, - and _, and not copilot"));
        }
    }
    let Some(name) = given.text("branch-name")? else {
        return Ok(format!("{}/{id}", prefix.unwrap_or("memory")));
    };
    if !is_branch(name) {
        let must =
            "the name of a branch with a folder, such as memory/default; main, master and gh-pages are never one";
        return Err(given.refused("branch-name", must));
    }
    Ok(name.to_owned())
}

/// Whether git takes this name for a branch, and it is in a folder.
fn is_branch(name: &str) -> bool {
    let Some((folder, rest)) = name.split_once('/') else { return false };
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock") && !part.contains("..");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_refused = |c: char| c.is_control() || " ~^:?*[\\\u{7f}".contains(c);
    !folder.is_empty()
        && folder.chars().all(is_plain)
        && !folder.starts_with('-')
        && rest.split('/').all(is_part)
        && !rest.ends_with('.')
        && !rest.contains("@{")
        && !rest.contains(is_refused)
}

fn target_repo(given: &Given<'_>) -> Result<Option<String>> {
    let Some(repo) = given.text("target-repo")? else { return Ok(None) };
    let is_name = |name: &str| {
        !name.is_empty()
            && ![".", ".."].contains(&name)
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    match repo.split_once('/') {
        Some((owner, name)) if is_name(owner) && is_name(name) => Ok(Some(repo.to_owned())),
        _ => Err(given.refused("target-repo", "owner/name")),
    }
}

fn extensions(given: &Given<'_>) -> Result<Option<Vec<String>>> {
    let Some(extensions) = given.texts("allowed-extensions")? else { return Ok(None) };
    let is_extension = |text: &String| text.len() > 1 && text.starts_with('.') && !text[1..].contains(['.', '/']);
    if !extensions.iter().all(is_extension) {
        return Err(
            given.refused("allowed-extensions", "a list of extensions, each of one part with its dot, such as .md")
        );
    }
    Ok(Some(extensions.iter().map(|extension| extension.to_lowercase()).collect()))
}

fn patterns(given: &Given<'_>) -> Result<Option<Vec<String>>> {
    let patterns = given.texts("file-glob")?;
    match patterns.iter().flatten().find(|pattern| pattern.is_empty() || pattern.starts_with('/')) {
        None => Ok(patterns),
        Some(_) => Err(given.refused("file-glob", "a list of patterns for paths in the memory, such as notes/*.md")),
    }
}

fn campaign(given: &Given<'_>) -> Result<Option<String>> {
    let Some(id) = given.text("campaign-id")? else { return Ok(None) };
    let is_folder =
        !id.is_empty() && ![".", ".."].contains(&id) && !id.contains(['/', '*']) && !id.contains(char::is_control);
    match is_folder {
        true => Ok(Some(id.to_owned())),
        false => Err(given.refused("campaign-id", "the name of a folder")),
    }
}

/// Refuses two memories with one folder or one branch.
fn check_unique(memories: &[BranchMemory]) -> Result<()> {
    let mut ids = BTreeSet::new();
    // On a file system that ignores case, their folders would be the same.
    if let Some(twice) = memories.iter().find(|memory| !ids.insert(memory.id.to_lowercase())) {
        return Err(Error::validation(format!("{KEY} has two memories with the id {}", twice.id)));
    }
    let mut branches = BTreeSet::new();
    let twice = memories.iter().find(|memory| !branches.insert((&memory.target_repo, &memory.branch)));
    twice.map_or(Ok(()), |twice| {
        Err(Error::validation(format!("{KEY} has two memories on the branch {}", twice.branch)))
    })
}
