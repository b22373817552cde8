//! `install` and `uninstall`: tell other programs to use loopmem.
//!
//! Agents are [connected](crate::agents::connect), and `merge-driver` is made known to git. Only here does loopmem write something inside of a `.git`, because
//! its user says so: two settings of the repository, by `git config`, and a line of `info/attributes`.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use loopmem::{Error, ErrorKind, Result};
use serde_json::{Value, json};

use crate::agents::connect;
use crate::human::arguments::flag;
use crate::human::{RoomCommand, environment, git, local_files};
use crate::output::ExitCode;
use crate::session::Session;

/// The line of attributes: files of items, in the repository and its folders.
const LINE: &str = "**/.codex/memory/*.jsonl merge=loopmem";
/// A file to which the line applies.
const EXAMPLE: &str = ".codex/memory/items.jsonl";
const NAME: (&str, &str) = ("merge.loopmem.name", "loopmem: records are merged one by one");
const DRIVER: &str = "merge.loopmem.driver";
/// What follows the path of the program in the setting.
const CALL: &str = " merge-driver -- %O %A %B %P";
/// The largest file of attributes that is changed, in bytes.
const MAX_BYTES: usize = 1 << 20;
const HERE: &str = ".";
const GIT: &str = "git";

/// The command `install`.
pub(super) const INSTALL: RoomCommand = RoomCommand {
    room: "install",
    run: |session, args| match args.subcommand() {
        Some((GIT, args)) => Some(run(session, args, true)),
        Some((client, args)) => Some(connect::run(session, client, args, true)),
        None => Some(connect::ask(session)),
    },
    ..RoomCommand::GENERATED
};
/// The command `uninstall`.
pub(super) const UNINSTALL: RoomCommand = RoomCommand {
    room: "uninstall",
    run: |session, args| match args.subcommand() {
        Some((GIT, args)) => Some(run(session, args, false)),
        Some((client, args)) => Some(connect::run(session, client, args, false)),
        None => None,
    },
    ..RoomCommand::GENERATED
};

/// Both commands.
pub(crate) fn commands() -> [Command; 2] {
    let options = |git: Command, shared: &'static str| {
        git.arg(flag("shared", shared))
            .arg(flag("dryRun", "Prints what would change, and changes nothing").long("dry-run"))
    };
    let install = Command::new(GIT).about("Has git merge files of items record by record in this repository").long_about(
        "Has git merge files of items (.codex/memory/*.jsonl) record by record in the repository of the current folder, so \
         that two branches that each add items merge without a conflict: sets merge.loopmem.name and merge.loopmem.driver in \
         its configuration, and adds a line to its info/attributes. To have other files merged so, add lines such as \
         `data/*.jsonl merge=loopmem` yourself. Doing it again changes nothing, unless the program has moved.",
    );
    let uninstall = Command::new(GIT).about("Removes what `loopmem install git` wrote, and nothing else");
    let of = |name: &'static str, about: &'static str, git: Command, installs: bool| {
        let command = Command::new(name).about(about).subcommands(connect::commands(installs)).subcommand(git);
        // Without one, `install` looks which clients there are.
        if installs { command } else { command.subcommand_required(true).arg_required_else_help(true) }
    };
    [
        of(
            "install",
            "Tells other programs to use loopmem: agents, and git; without one, lists the agents found",
            options(
                install,
                "Adds the line to .gitattributes at the top of the work tree instead, for everybody who installs it",
            ),
            true,
        ),
        of(
            "uninstall",
            "Removes what `install` wrote",
            options(uninstall, "Removes the line from .gitattributes too"),
            false,
        ),
    ]
}

/// A change of the repository.
enum Change {
    Set(&'static str, String),
    Unset(&'static str),
    /// The line is added or removed.
    Attributes {
        file: PathBuf,
        contents: Vec<u8>,
        is_added: bool,
    },
}

fn run(session: &Session<'_>, args: &ArgMatches, installs: bool) -> Result<ExitCode> {
    let (is_shared, is_dry_run) = (args.get_flag("shared"), args.get_flag("dryRun"));
    let changes = if installs { to_install(is_shared)? } else { to_uninstall(is_shared)? };
    if !is_dry_run {
        changes.iter().try_for_each(Change::make)?;
    }
    let json = json!({ "changes": changes.iter().map(Change::json).collect::<Vec<_>>(), "dryRun": is_dry_run });
    let lines: Vec<String> = changes.iter().map(|change| change.text(is_dry_run)).collect();
    let text = if lines.is_empty() { "nothing to change".to_owned() } else { lines.join("\n") };
    session.print(json.to_string(), &text, &text)?;
    if installs && !is_dry_run {
        warn_if_overridden(session);
    }
    Ok(ExitCode::SUCCESS)
}

/// The changes that are left to make.
fn to_install(is_shared: bool) -> Result<Vec<Change>> {
    let file = attributes(is_shared)?;
    let driver = format!("{}{CALL}", quoted(&environment::program()?));
    let mut changes = Vec::new();
    let drivers = values(DRIVER)?;
    if let Some(other) = drivers.iter().find(|value| !value.ends_with(CALL)) {
        let message =
            format!("{DRIVER} is set to {other:?} in this repository; remove that with git config, and try again");
        return Err(Error::new(ErrorKind::Conflict, message));
    }
    if values(NAME.0)?.is_empty() {
        changes.push(Change::Set(NAME.0, NAME.1.to_owned()));
    }
    if drivers != [driver.as_str()] {
        changes.push(Change::Set(DRIVER, driver));
    }
    let old = contents(&file)?;
    let (mark, lines) = without_mark(&old);
    if !lines.split_inclusive(|byte| *byte == b'\n').any(is_ours) {
        // At the beginning, so that it can be removed without a trace, and other lines override it.
        let contents = [mark, LINE.as_bytes(), b"\n", lines].concat();
        changes.push(Change::Attributes { file, contents, is_added: true });
    }
    Ok(changes)
}

fn to_uninstall(is_shared: bool) -> Result<Vec<Change>> {
    let files = [Some(false), is_shared.then_some(true)].into_iter().flatten().map(attributes);
    let files = files.collect::<Result<Vec<_>>>()?;
    let mut changes = Vec::new();
    let drivers = values(DRIVER)?;
    // One that somebody else set stays, with its name.
    if drivers.iter().all(|value| value.ends_with(CALL)) {
        if values(NAME.0)? == [NAME.1] {
            changes.push(Change::Unset(NAME.0));
        }
        if !drivers.is_empty() {
            changes.push(Change::Unset(DRIVER));
        }
    }
    for file in files {
        let old = contents(&file)?;
        let (mark, lines) = without_mark(&old);
        let lines = lines.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_ours(line));
        let kept = std::iter::once(mark).chain(lines).collect::<Vec<_>>().concat();
        if kept != old {
            changes.push(Change::Attributes { file, contents: kept, is_added: false });
        }
    }
    Ok(changes)
}

/// The byte order mark at the start of a file, and what follows it.
fn without_mark(contents: &[u8]) -> (&[u8], &[u8]) {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    contents.split_at(if contents.starts_with(MARK) { MARK.len() } else { 0 })
}

/// Whether a line of attributes is that of loopmem, also if an editor changed its line break.
fn is_ours(line: &[u8]) -> bool {
    line.trim_ascii_end() == LINE.as_bytes()
}

/// The values of a setting in the configuration of the repository.
fn values(key: &str) -> Result<Vec<String>> {
    let found = git::found(Path::new(HERE), &["config", "--local", "--null", "--get-all", key])?.unwrap_or_default();
    let values = found.split(|byte| *byte == 0).map(|value| String::from_utf8_lossy(value).into_owned());
    let mut values: Vec<String> = values.collect();
    // Each ends with one.
    values.pop();
    Ok(values)
}

/// The file of attributes: that of the work tree, which is shared, or that of the repository.
fn attributes(is_shared: bool) -> Result<PathBuf> {
    if !is_shared {
        let path = git::output(Path::new(HERE), &["rev-parse", "--git-path", "info/attributes"])?;
        let path = PathBuf::from(git::os_string(git::line(&path)));
        path.parent().filter(|folder| local_files::is_link(folder)).map_or(Ok(()), |folder| Err(link(folder)))?;
        return local_files::resolved(&path);
    }
    Ok(git::top(Path::new(HERE))?.join(".gitattributes"))
}

/// The contents of a file of attributes; empty if there is none.
fn contents(file: &Path) -> Result<Vec<u8>> {
    if local_files::is_link(file) {
        return Err(link(file));
    }
    if !local_files::exists(file) {
        return Ok(Vec::new());
    }
    let contents = local_files::read(file, MAX_BYTES)?;
    if contents.len() > MAX_BYTES {
        return Err(Error::validation(format!("{} is too large; the limit is 1 MiB", file.display())).at(file));
    }
    Ok(contents)
}

/// The error for a link, through which the file of another program may be written.
fn link(path: &Path) -> Error {
    Error::validation(format!("{} is a symbolic link; replace it by what it leads to", path.display())).at(path)
}

/// Words for a shell, in a setting in which `%` has a meaning.
fn quoted(words: &[String]) -> String {
    let quoted = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''").replace('%', "%%")));
    quoted.collect::<Vec<_>>().join(" ")
}

impl Change {
    fn make(&self) -> Result<()> {
        let config =
            |arguments: &[&str]| git::output(Path::new(HERE), &[&["config", "--local"], arguments].concat()).map(drop);
        match self {
            Change::Set(key, value) => config(&["--replace-all", key, value]),
            Change::Unset(key) => config(&["--unset-all", key]),
            Change::Attributes { file, contents, is_added: false } if contents.is_empty() => local_files::remove(file),
            Change::Attributes { file, contents, .. } => {
                file.parent().map_or(Ok(()), local_files::create_folder)?;
                local_files::replace(file, contents)
            }
        }
    }

    fn text(&self, is_dry_run: bool) -> String {
        let done = |would: &'static str, done: &'static str| if is_dry_run { would } else { done };
        match self {
            Change::Set(key, value) => format!("{} {key} to {value}", done("would set", "set")),
            Change::Unset(key) => format!("{} {key}", done("would remove", "removed")),
            Change::Attributes { file, is_added: true, .. } => {
                format!("{} `{LINE}` to {}", done("would add", "added"), file.display())
            }
            Change::Attributes { file, .. } => {
                format!("{} `{LINE}` from {}", done("would remove", "removed"), file.display())
            }
        }
    }

    fn json(&self) -> Value {
        match self {
            Change::Set(key, value) => json!({ "setting": key, "value": value }),
            Change::Unset(key) => json!({ "setting": key, "value": null }),
            Change::Attributes { file, is_added, .. } => {
                json!({ "file": file.to_string_lossy(), "line": LINE, "added": is_added })
            }
        }
    }
}

/// Says so if git uses another driver for items all the same.
fn warn_if_overridden(session: &Session<'_>) {
    let asked =
        git::top(Path::new(HERE)).and_then(|top| git::output(&top, &["check-attr", "-z", "merge", "--", EXAMPLE]));
    let Ok(answer) = asked else { return };
    let driver = answer.split(|byte| *byte == 0).nth(2).unwrap_or_default();
    if driver != b"loopmem" {
        let driver = String::from_utf8_lossy(driver);
        session.emit(&format!(
            "another line of git's attributes says merge={driver} for {EXAMPLE}, and overrides that of loopmem; remove it"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_for_the_shell_and_for_git() {
        for (path, expected) in
            [("/a/loopmem", "'/a/loopmem'"), ("/a b/$(x)", "'/a b/$(x)'"), ("/it's 5%", r"'/it'\''s 5%%'")]
        {
            assert_eq!(quoted(&[path.to_owned()]), expected);
        }
    }
}
