//! The memory of a command, from an option, a file with a configuration, or variables of the environment.

use std::path::Path;

use clap::{Arg, ArgMatches, Command, ValueHint};
use loopmem::branch::Memories;
use loopmem::{Error, Result};
use serde_json::{Value, json};

use super::variables;
use crate::human::arguments::{argument, option};
use crate::human::local_files;
use crate::session::{Members, Session};

/// The options for a configuration, for a file with one, and for the id of one of its memories.
const CONFIG: &str = "config";
const FILE: &str = "configFile";
const ID: &str = "id";
/// The largest configuration, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Adds the ways to name a memory.
pub(super) fn extend(verb: Command, more: &str) -> Command {
    let id = argument(ID, "ID", "The memory of the configuration, if it has several").requires(FILE);
    verb.arg(id)
        .arg(config_file().conflicts_with("entry"))
        .mut_arg("entry", |arg| {
            arg.value_name("JSON")
                .help("The configuration of the memory, or what parse-config printed for it [default: true]")
        })
        .mut_args(|arg| match arg.get_id().as_str() {
            "directory" => {
                arg.value_name("DIR").value_hint(ValueHint::DirPath).help("The folder [default: that of the memory]")
            }
            "repoDir" => arg.value_name("DIR").value_hint(ValueHint::DirPath).help(
                "The folder of a repository with the remote [default: the current folder, unless the memory names a \
                 repository]",
            ),
            "remote" => arg.value_name("REMOTE").help(
                "The URL or the path of the repository with the branch, or the name of a remote [default: the repository \
                 that the memory names, or else the only remote, or origin]",
            ),
            _ => arg,
        })
        .after_help(variables::help(more))
}

fn config_file() -> Arg {
    let help = "A file with the configuration: a workflow, YAML or JSON";
    option(FILE, "FILE", help).long("config-file").value_hint(ValueHint::FilePath)
}

/// Adds the file with a configuration to a command about all of its memories.
pub(super) fn extend_config(verb: Command) -> Command {
    verb.mut_arg(CONFIG, |arg| arg.help("The configuration, as YAML or JSON [default: true]"))
        .arg(config_file().conflicts_with(CONFIG))
}

/// The params of a method that takes a `config`.
///
/// # Errors
/// `IOError` and `ValidationError` for the file.
pub(super) fn config_params(args: &ArgMatches) -> Result<Members> {
    let config = if let Some(path) = args.get_one::<String>(FILE) {
        Some(json!(configuration(path)?))
    } else if let Some(text) = args.get_one::<String>(CONFIG) {
        // A text in JSON has a configuration in it. All others are read as YAML, which includes JSON.
        Some(json!(serde_json::from_str::<String>(text).unwrap_or_else(|_| text.clone())))
    } else {
        variables::configuration()?
    };
    Ok(config.map(|config| (CONFIG.to_owned(), config)).into_iter().collect())
}

/// The params of a method that takes an `entry` and a `directory`.
///
/// # Errors
/// `IOError` and `ValidationError` for the file with the configuration, and for variables of the environment.
pub(super) fn params(session: &Session<'_>, method: &str, args: &ArgMatches) -> Result<Members> {
    let mut params = session.params(method, args)?;
    let has_directory = args.try_contains_id("directory").is_ok();
    if let Some(path) = args.get_one::<String>(FILE) {
        params.insert("entry".to_owned(), one_of(session, path, args.get_one::<String>(ID))?);
    } else if !params.contains_key("entry") {
        params.extend(variables::configuration()?.map(|entry| ("entry".to_owned(), entry)));
        if has_directory && !params.contains_key("directory") {
            params.extend(variables::directory()?.map(|folder| ("directory".to_owned(), json!(folder))));
        }
    }
    Ok(params)
}

fn configuration(path: &str) -> Result<String> {
    let bytes = local_files::read(Path::new(path), MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(Error::validation(format!("{path} is too large; at most {MAX_BYTES} bytes are read")));
    }
    String::from_utf8(bytes).map_err(|_| Error::validation(format!("{path} is not UTF-8")))
}

/// The memory of a file with this id, or its only one.
fn one_of(session: &Session<'_>, path: &str, id: Option<&String>) -> Result<Value> {
    let config = Members::from_iter([(CONFIG.to_owned(), json!(configuration(path)?))]);
    let Memories { memories, .. } = session.ask("branch.parseConfig", &config)?;
    let found = match id {
        Some(id) => memories.iter().find(|memory| memory.id == *id),
        None => memories.first().filter(|_| memories.len() == 1),
    };
    if let Some(memory) = found {
        return Ok(json!(memory));
    }
    let ids: Vec<&str> = memories.iter().map(|memory| &*memory.id).collect();
    let known = if ids.is_empty() { "it has none".to_owned() } else { format!("it has {}", ids.join(", ")) };
    Err(Error::validation(match id {
        Some(id) => format!("{path} has no memory {id}; {known}"),
        None => format!("name one of the memories of {path}; {known}"),
    }))
}
