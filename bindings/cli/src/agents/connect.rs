//! `loopmem install CLIENT` and `loopmem uninstall CLIENT`: connect an agent, and take out again what was put in.
//!
//! Of a client's own configuration, only loopmem's entries change. What cannot be read, or is somebody else's, stays as it is.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::{Error, ErrorKind, Result};
use serde_json::{Value, json};
use similar::TextDiff;

use super::client::{CLIENTS, Client, File, NAME, Part};
use super::jsonc::{self, There};
use super::{config_toml, jsonc::Document as Json};
use crate::human::arguments::flag;
use crate::human::{environment, files, git, input};
use crate::session::Session;

/// The largest configuration that is changed, in bytes.
const MAX_BYTES: usize = 64 << 20;
const MARK: &str = "\u{feff}";

/// The subcommands of `install` or `uninstall`, one for each client.
pub(crate) fn commands(installs: bool) -> impl Iterator<Item = Command> {
    CLIENTS.iter().map(move |client| {
        let about = match installs {
            true => format!("Connects {}: its server and, where it has them, its hooks", client.title),
            false => format!("Takes out of {}'s configuration what `install` put in", client.title),
        };
        Command::new(client.name)
            .about(about)
            .arg(flag("project", "In the files of this project, which may be shared"))
            .arg(flag("user", "In the files of this user, for all projects (the default)").conflicts_with("project"))
            .arg(flag("dryRun", "Prints what would change, and changes nothing").long("dry-run"))
    })
}

/// Connects or disconnects a client.
///
/// # Errors
/// `ValidationError` that names a file that cannot be read; `Conflict` if an entry is somebody else's; `IOError`.
pub(crate) fn run(session: &Session<'_>, name: &str, args: &ArgMatches, installs: bool) -> Result<ExitCode> {
    let client = CLIENTS.iter().find(|client| client.name == name);
    let client = client.ok_or_else(|| Error::validation(format!("there is no client {name:?}")))?;
    connect(session, client, args.get_flag("project"), args.get_flag("dryRun"), installs)
}

/// Says which clients there are, and on a terminal asks which to connect.
///
/// # Errors
/// As [`run`].
pub(crate) fn ask(session: &Session<'_>) -> Result<ExitCode> {
    let home = home()?;
    let found: Vec<&Client> = CLIENTS.iter().filter(|client| files::is_folder(&client.folder(&home))).collect();
    if session.is_for_programs() || !session.is_for_humans() || input::stdin_is_terminal() == session.is_for_programs()
    {
        let names: Vec<&str> = found.iter().map(|client| client.name).collect();
        session.print(json!({ "clients": names }).to_string(), &names.join("\n"), &names.join("\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        session.emit("no client was found; `loopmem install --help` lists those that can be connected");
    }
    for client in found {
        if input::confirm(&format!("Connect {}?", client.title), true) {
            connect(session, client, false, false, true)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn connect(
    session: &Session<'_>,
    client: &Client,
    is_of_project: bool,
    is_dry_run: bool,
    installs: bool,
) -> Result<ExitCode> {
    let (top, listed) = match is_of_project {
        true => (project()?, client.project),
        false => (home()?, client.user),
    };
    let program = program()?;
    // All are read before one is written.
    let mut changes = Vec::new();
    let mut notes = Vec::new();
    for file in listed {
        let change = Change::of(&top, file, &program, installs).map_err(|(path, error)| named(&path, &error))?;
        notes.extend(change.notes.iter().cloned());
        changes.push(change);
    }
    let changes: Vec<Change> = changes.into_iter().filter(|change| change.old != change.new).collect();
    let scrub = |text: &str| session.store.redactor().scrub(text).into_owned();
    let shown: Vec<String> = changes.iter().map(|change| scrub(&change.diff())).collect();
    if !is_dry_run {
        changes.iter().try_for_each(Change::make)?;
    }
    let listed =
        changes.iter().zip(&shown).map(|(change, diff)| json!({ "file": change.path.to_string_lossy(), "diff": diff }));
    let json = json!({
        "client": client.name, "changes": listed.collect::<Value>(), "notes": notes, "dryRun": is_dry_run,
    });
    let mut text = if shown.is_empty() { "nothing to change\n".to_owned() } else { shown.concat() };
    let done = match (is_dry_run, installs, shown.is_empty()) {
        (false, true, false) => format!("{} is connected; it uses loopmem when it is started again\n", client.title),
        (false, false, false) => format!("{} is no longer connected\n", client.title),
        _ => String::new(),
    };
    text.push_str(&done);
    session.print(json.to_string(), text.trim_end(), text.trim_end())?;
    notes.iter().for_each(|note| session.emit(note));
    Ok(ExitCode::SUCCESS)
}

/// An error of a file, which it names.
fn named(path: &Path, error: &Error) -> Error {
    let message = format!("{} was left as it is: {}", path.display(), error.message());
    Error::new(error.kind(), message).at(path)
}

/// The user's folder.
fn home() -> Result<PathBuf> {
    let home = environment::variable("HOME")?.or(environment::variable("USERPROFILE")?);
    home.map(PathBuf::from).ok_or_else(|| Error::new(ErrorKind::Io, "the variable HOME is not set"))
}

/// The top of the project: of the repository, if the current folder is in one.
fn project() -> Result<PathBuf> {
    let here = Path::new(".");
    let top = git::found(here, &["rev-parse", "--show-toplevel"]).ok().flatten();
    match top.map(|top| PathBuf::from(git::os_string(git::line(&top)))).filter(|top| !top.as_os_str().is_empty()) {
        Some(top) => Ok(top),
        None => files::resolved(here),
    }
}

/// What a client calls: this program, by its name if that finds it.
fn program() -> Result<String> {
    let program = environment::program()?;
    let folders = environment::variable("PATH")?.unwrap_or_default();
    let first = std::env::split_paths(&folders).map(|folder| folder.join(NAME)).find(|path| files::exists(path));
    let is_this = |path: PathBuf| files::same(&path, Path::new(&program));
    Ok(if first.is_some_and(is_this) { NAME.to_owned() } else { program })
}

/// A file before and after.
struct Change {
    path: PathBuf,
    old: Option<String>,
    /// `None` if the file is removed.
    new: Option<String>,
    notes: Vec<String>,
}

impl Change {
    /// The change of a file that is left to make; an error with its path.
    fn of(top: &Path, file: &File, program: &str, installs: bool) -> std::result::Result<Self, (PathBuf, Error)> {
        let paths: Vec<PathBuf> = file.paths.iter().map(|path| top.join(path)).collect();
        let path = paths.iter().find(|path| files::exists(path)).or(paths.first()).cloned().unwrap_or_default();
        let failed = |error: Error| (path.clone(), error);
        let old = contents(&path).map_err(failed)?;
        let (new, notes) = changed(&path, old.as_deref(), file.parts, program, installs).map_err(failed)?;
        if new != old && files::exists(&path) && !files::is_writable(&path) {
            return Err(failed(Error::new(ErrorKind::Io, "it is read-only")));
        }
        Ok(Change { path, old, new, notes })
    }

    fn make(&self) -> Result<()> {
        match &self.new {
            Some(new) => {
                self.path.parent().map_or(Ok(()), files::create_folder)?;
                files::replace(&self.path, new.as_bytes())
            }
            None => files::remove(&self.path),
        }
    }

    fn diff(&self) -> String {
        let (old, new) = (self.old.as_deref().unwrap_or_default(), self.new.as_deref().unwrap_or_default());
        let path = self.path.display().to_string();
        TextDiff::from_lines(old, new).unified_diff().header(&path, &path).to_string()
    }
}

/// The text of a file; `None` if there is none.
fn contents(path: &Path) -> Result<Option<String>> {
    if !files::exists(path) {
        return Ok(None);
    }
    let bytes = files::read(path, MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(Error::validation("it is too large; the limit is 64 MiB"));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Error::validation("it is not UTF-8"))
}

/// A text with all parts, or without them, and what to tell; `None` if nothing is left.
fn changed(
    path: &Path,
    old: Option<&str>,
    parts: &[Part],
    program: &str,
    installs: bool,
) -> Result<(Option<String>, Vec<String>)> {
    let text = old.unwrap_or_default();
    let (mark, text) = text.strip_prefix(MARK).map_or(("", text), |rest| (MARK, rest));
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    let mut document =
        if is_toml { Document::Toml(config_toml::Document::read(text)?) } else { Document::Json(Json::read(text)?) };
    let mut notes = Vec::new();
    let mut has_changed = false;
    for part in parts {
        let value = part.value(program);
        match (document.there(*part)?, installs) {
            (There::Other, true) => notes.push(format!(
                "{} in {} is not by loopmem and was left as it is; remove it, and try again",
                part.title(),
                path.display()
            )),
            (There::Ours(there), true) if there == value => {}
            (There::Nothing | There::Other, false) => {}
            (_, true) => {
                document.set(*part, &value)?;
                has_changed = true;
            }
            (There::Ours(_), false) => {
                document.remove(*part)?;
                has_changed = true;
            }
        }
    }
    if !has_changed {
        return Ok((old.map(str::to_owned), notes));
    }
    // What a link leads to is kept elsewhere.
    let is_gone = !installs && document.is_empty() && !files::is_link(path);
    let mut new = format!("{mark}{}", document.text());
    if !new.ends_with('\n') && (old.is_none() || old.is_some_and(|old| old.ends_with('\n'))) {
        new.push('\n');
    }
    Ok(((!is_gone).then_some(new), notes))
}

/// A configuration in either format.
enum Document {
    Json(jsonc::Document),
    Toml(config_toml::Document),
}

/// The list of the hooks of an event.
const HOOKS: &[&str] = &["hooks"];

impl Document {
    fn there(&self, part: Part) -> Result<There> {
        let is_ours = |value: &Value| part.is_ours(value);
        match (self, part) {
            (Document::Json(it), Part::Server(path, _)) => it.member(path, NAME, is_ours),
            (Document::Json(it), Part::Hook(event)) => it.element(HOOKS, event, is_ours),
            (Document::Json(it), Part::Notify) => it.member(&[], "notify", is_ours),
            (Document::Toml(it), Part::Server(path, _)) => it.entry(path, NAME, is_ours),
            (Document::Toml(it), Part::Hook(event)) => it.entry(HOOKS, event, is_ours),
            (Document::Toml(it), Part::Notify) => it.entry(&[], "notify", is_ours),
        }
    }

    fn set(&mut self, part: Part, value: &Value) -> Result<()> {
        let is_ours = |value: &Value| part.is_ours(value);
        match (self, part) {
            (Document::Json(it), Part::Server(path, _)) => it.set_member(path, NAME, value),
            (Document::Json(it), Part::Hook(event)) => it.set_element(HOOKS, event, value, is_ours),
            (Document::Json(it), Part::Notify) => it.set_member(&[], "notify", value),
            (Document::Toml(it), Part::Server(path, _)) => it.set(path, NAME, value),
            (Document::Toml(it), Part::Hook(event)) => it.set(HOOKS, event, value),
            (Document::Toml(it), Part::Notify) => it.set(&[], "notify", value),
        }
    }

    fn remove(&mut self, part: Part) -> Result<()> {
        let is_ours = |value: &Value| part.is_ours(value);
        match (self, part) {
            (Document::Json(it), Part::Server(path, _)) => it.remove_member(path, NAME),
            (Document::Json(it), Part::Hook(event)) => it.remove_element(HOOKS, event, is_ours),
            (Document::Json(it), Part::Notify) => it.remove_member(&[], "notify"),
            (Document::Toml(it), Part::Server(path, _)) => it.remove(path, NAME),
            (Document::Toml(it), Part::Hook(event)) => it.remove(HOOKS, event),
            (Document::Toml(it), Part::Notify) => it.remove(&[], "notify"),
        }
    }

    fn text(&self) -> String {
        match self {
            Document::Json(it) => it.text(),
            Document::Toml(it) => it.text(),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Document::Json(it) => it.is_empty(),
            Document::Toml(it) => it.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: Part = Part::Server(&["mcpServers"], super::super::client::Shape::Command);
    const CODEX: [Part; 2] = [Part::Server(&["mcp_servers"], super::super::client::Shape::Command), Part::Notify];
    const HOOKS: [Part; 2] = [Part::Hook("SessionStart"), Part::Hook("Stop")];

    fn after(file: &str, old: Option<&str>, parts: &[Part], installs: bool) -> Option<String> {
        changed(Path::new(file), old, parts, NAME, installs).unwrap().0
    }

    fn members(text: &str) -> Value {
        jsonc::Document::read(text).unwrap().value()
    }

    /// Configurations as people have them.
    const JSON: [&str; 9] = [
        "{\n  // Servers\n  \"mcpServers\": {\n    \"other\": {\"command\": \"npx\", \"args\": [\"x\"]}, // the other one\n  },\n}\n",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"other\": {}\r\n\t},\r\n\t\"theme\": \"dark\"\r\n}\r\n",
        "{\"theme\":\"dark\"}",
        "\u{feff}{\n    \"theme\": \"dark\"\n}\n",
        "{\n  \"a\": 1.50, \"b\": [1,2 , 3], /* kept */ \"c\": null\n}\n",
        "{ \"numProjects\": 12345678901234567890, \"projects\": { \"/a\": { \"mcpServers\": {} } } }\n",
        "// only a comment\n{}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n    ]\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": []}]\n  },\n  \"env\": {\"A\": \"b\"}\n}",
    ];

    #[test]
    fn everything_else_stays_as_it_is_and_twice_is_once() {
        for old in JSON {
            for parts in [&[SERVER][..], &HOOKS] {
                let new = after("x.json", Some(old), parts, true).unwrap();
                assert_ne!(new, old);
                assert_eq!(after("x.json", Some(&new), parts, true).as_deref(), Some(&*new));
                let back = after("x.json", Some(&new), parts, false).unwrap();
                match old.trim_end().contains('\n') {
                    true => assert_eq!(back, old, "{new}"),
                    // An object on one line gets lines of its own.
                    false => assert_eq!(members(&back), members(old), "{new}"),
                }
            }
        }
    }

    #[test]
    fn a_file_that_was_made_for_it_is_removed_again() {
        for (file, parts) in [("x.json", &[SERVER][..]), ("x.json", &HOOKS), ("config.toml", &CODEX)] {
            let new = after(file, None, parts, true).unwrap();
            assert!(new.ends_with('\n') && new.contains(NAME), "{new}");
            assert_eq!(after(file, Some(&new), parts, false), None);
        }
    }

    #[test]
    fn toml_keeps_its_order_and_its_comments() {
        for old in [
            "# mine\nmodel = \"o5\"   # the best\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[profiles.a]\nmodel = \"b\"\n",
            "model = 'x'\r\n[tui]\r\ntheme = \"dark\"\r\n",
            "",
        ] {
            let new = after("config.toml", Some(old), &CODEX, true).unwrap();
            let lines = new.replace("\r\n", "\n");
            assert!(lines.contains("[mcp_servers.loopmem]\ncommand = \"loopmem\"\nargs = [\"mcp\"]\n"), "{new}");
            let read: toml::Table = new.parse().unwrap();
            assert_eq!(read["notify"][1].as_str(), Some("hook"), "{new}");
            assert_eq!(after("config.toml", Some(&new), &CODEX, true).as_deref(), Some(&*new));
            let back = after("config.toml", Some(&new), &CODEX, false);
            assert_eq!(back.as_deref().unwrap_or_default(), old);
        }
    }

    #[test]
    fn what_is_somebody_elses_stays_and_is_told() {
        let json = "{\"mcpServers\": {\"loopmem\": {\"command\": \"loopmem\", \"args\": [\"mcp\"], \"env\": {}}}}";
        let toml = "notify = [\"say\"]\n[mcp_servers.loopmem]\nurl = \"http://x\"\n";
        for (file, old, parts, told) in [("x.json", json, &[SERVER][..], 1), ("config.toml", toml, &CODEX, 2)] {
            let (new, notes) = changed(Path::new(file), Some(old), parts, NAME, true).unwrap();
            assert_eq!((new.as_deref(), notes.len()), (Some(old), told), "{notes:?}");
            assert_eq!(after(file, Some(old), parts, false).as_deref(), Some(old));
        }
    }

    #[test]
    fn a_program_that_has_moved_is_found_again() {
        let old = after("x.json", None, &[SERVER], true).unwrap().replace("\"loopmem\",", "\"/old/loopmem\",");
        assert!(old.contains("/old/loopmem"), "{old}");
        assert!(!after("x.json", Some(&old), &[SERVER], true).unwrap().contains("/old/"));
        assert_eq!(after("x.json", Some(&old), &[SERVER], false), None);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        for (file, old) in [
            ("x.json", "{"),
            ("x.json", "[]"),
            ("x.json", "{\"mcpServers\": []}"),
            ("x.json", "{\"mcpServers\": {'a': 1}}"),
            ("x.json", "{a: 1}"),
            ("config.toml", "a ="),
            ("config.toml", "mcp_servers = 7"),
        ] {
            let parts: &[Part] = if file == "x.json" { &[SERVER] } else { &CODEX };
            assert!(changed(Path::new(file), Some(old), parts, NAME, true).is_err(), "{old}");
        }
    }
}
