//! `loopmem install CLIENT` and `loopmem uninstall CLIENT`: connect an agent, and take out again what was put in.
//!
//! Of a client's own configuration, only loopmem's entries change. What cannot be read, or is somebody else's, stays as it is.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use loopmem::{Error, ErrorKind, Result};
use serde_json::{Value, json};

pub(crate) use super::client::NAME;
use super::client::{CLIENTS, Client, File, Part, Start, of_user};
use super::diff::unified;
use super::jsonc::{self, There};
use super::{config_toml, jsonc::Document as Json};
use crate::human::arguments::flag;
use crate::human::{environment, git, input, local_files};
use crate::output::ExitCode;
use crate::session::Session;

/// The largest configuration that is changed, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// How often a configuration is read again that its client has changed meanwhile.
const ATTEMPTS: usize = 5;
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
    let home = args.get_one::<PathBuf>("home").map(|home| std::path::absolute(home).unwrap_or_else(|_| home.clone()));
    let wanted = Wanted {
        installs,
        is_of_project: args.get_flag("project"),
        is_dry_run: args.get_flag("dryRun"),
        home: home.map(|home| home.to_string_lossy().into_owned()),
    };
    connect(session, client, &wanted)
}

/// Says which clients there are, and on a terminal asks which to connect.
///
/// # Errors
/// As [`run`].
pub(crate) fn ask(session: &Session<'_>) -> Result<ExitCode> {
    let home = home()?;
    let mut found = Vec::new();
    for client in &CLIENTS {
        if local_files::is_folder(&client.folder(&home)?) {
            found.push(client);
        }
    }
    if found.is_empty() {
        session.emit("no client was found; `loopmem install --help` lists those that can be connected");
    }
    if !session.is_for_humans() || !input::stdin_is_terminal() {
        let names: Vec<&str> = found.iter().map(|client| client.name).collect();
        if session.is_for_programs() || !names.is_empty() {
            session.print(json!({ "clients": names }).to_string(), &names.join("\n"), &names.join("\n"))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    for client in found {
        if input::confirm(&format!("Connect {}? [Y/n] ", client.title), true) {
            connect(session, client, &Wanted { installs: true, ..Wanted::default() })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What to do with the configuration of a client.
#[derive(Debug, Default)]
struct Wanted {
    installs: bool,
    is_of_project: bool,
    is_dry_run: bool,
    /// The home that the client is to use, if that is not the usual one.
    home: Option<String>,
}

fn connect(session: &Session<'_>, client: &Client, wanted: &Wanted) -> Result<ExitCode> {
    let program = if wanted.is_of_project { vec![NAME.to_owned()] } else { environment::program()? };
    let words: Vec<&str> = program.iter().map(String::as_str).collect();
    let start = Start { program: &words, home: wanted.home.as_deref() };
    let mut changes = changes(client, wanted, start)?;
    for attempt in 1.. {
        if wanted.is_dry_run || make(&changes)? {
            break;
        }
        // The client has changed a file meanwhile, as Claude Code often does.
        if attempt == ATTEMPTS {
            let message = format!("{} keeps changing its configuration; close it, and try again", client.title);
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        changes = self::changes(client, wanted, start)?;
    }
    // Only the place of a server can be taken: hooks are in lists.
    let is_blocked = wanted.installs && changes.iter().any(|change| !change.notes.is_empty());
    let mut notes: Vec<&str> = changes.iter().flat_map(|change| &change.notes).map(String::as_str).collect();
    if wanted.is_of_project && wanted.installs && found(NAME)?.is_none() {
        notes.push("`loopmem` is not on your PATH: put it there, so that the client finds it");
    }
    if !wanted.is_dry_run && !is_blocked {
        let files: Vec<PathBuf> = changes.iter().map(|change| change.path.clone()).collect();
        // The client is connected all the same.
        if let Err(error) = session.store.status().record_client(client.name, &files, wanted.installs) {
            session.emit(&format!("`loopmem status` will not list this: {error}"));
        }
    }
    let mut shown = String::new();
    let mut listed = Vec::new();
    for change in changes.iter().filter(|change| change.is_needed()) {
        let diff = session.store.redactor().scrub(&change.diff()).into_owned();
        shown.push_str(&diff);
        listed.push(json!({ "file": change.path.to_string_lossy(), "diff": diff }));
    }
    if wanted.installs && !listed.is_empty() {
        notes.extend(client.next_step);
    }
    let json = json!({ "client": client.name, "changes": listed, "notes": notes, "dryRun": wanted.is_dry_run });
    let done = match (wanted.is_dry_run, wanted.installs, shown.is_empty()) {
        (_, _, _) if is_blocked => format!("{} is not connected", client.title),
        (_, _, true) => "nothing to change".to_owned(),
        (false, true, false) => format!("{} is connected; it uses loopmem when it is started again", client.title),
        (false, false, false) => format!("{} is no longer connected", client.title),
        (true, _, false) => String::new(),
    };
    let text = format!("{shown}{done}");
    session.print(json.to_string(), text.trim_end(), text.trim_end())?;
    notes.iter().for_each(|note| session.emit(note));
    Ok(if is_blocked { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The program that a client starts as a server of loopmem, by one of its files; `None` if that file names none.
///
/// # Errors
/// `ValidationError` if the file cannot be read; `IOError`.
pub(crate) fn program_in(name: &str, path: &Path) -> Result<Option<String>> {
    let of_client = CLIENTS.iter().filter(|client| client.name == name);
    let files = of_client.flat_map(|client| client.project.iter().chain(client.user));
    let home = home()?;
    let is_this = |of: &&str| path.ends_with(of) || of_user(&home, of).is_ok_and(|of| of == path);
    let parts = files.filter(|file| file.paths.iter().any(is_this)).flat_map(|file| file.parts);
    let Some(text) = contents(path)? else { return Ok(None) };
    let document = Document::read(path, text.trim_start_matches(MARK))?;
    for part in parts {
        if let There::Ours(value) = document.there(*part)?
            && let Some(program) = part.program(&value)
        {
            return Ok(Some(program));
        }
    }
    Ok(None)
}

/// The changes of all files of a client, of which some may change nothing. All are read before one is written.
fn changes(client: &Client, wanted: &Wanted, start: Start<'_>) -> Result<Vec<Change>> {
    let listed = if wanted.is_of_project { client.project } else { client.user };
    let top = if wanted.is_of_project { project()? } else { home()? };
    let mut changes = Vec::new();
    for file in listed {
        let mut paths = Vec::new();
        for path in file.paths {
            paths.push(if wanted.is_of_project { top.join(path) } else { of_user(&top, path)? });
        }
        let path = paths.iter().find(|path| local_files::exists(path)).or(paths.first()).cloned().unwrap_or_default();
        let own = if wanted.is_of_project { path.parent().map(Path::to_owned) } else { Some(client.folder(&top)?) };
        let folder = own.filter(|folder| *folder != top && path.starts_with(folder));
        let change = Change::of(path.clone(), file, start, wanted.installs).map_err(|error| named(&path, &error))?;
        changes.push(Change { folder, ..change });
    }
    Ok(changes)
}

/// Makes changes. Returns whether all could be made; not if a file has changed meanwhile.
fn make(changes: &[Change]) -> Result<bool> {
    let mut done: Vec<String> = Vec::new();
    for change in changes.iter().filter(|change| change.is_needed()) {
        if contents(&change.path)? != change.old {
            return Ok(false);
        }
        change.make().map_err(|error| match done.is_empty() {
            true => error,
            false => {
                let message = format!("{}; {} was already changed: try again", error.message(), done.join(", "));
                Error::new(error.kind(), message).at(&change.path)
            }
        })?;
        done.push(change.path.display().to_string());
    }
    Ok(true)
}

/// An error of a file, which it names.
fn named(path: &Path, error: &Error) -> Error {
    let message = format!("{} was left unchanged: {}", path.display(), error.message());
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
    git::top(here).or_else(|_| local_files::resolved(here))
}

/// Where the `PATH` has a program, or what its path leads to.
///
/// # Errors
/// `ValidationError` if `PATH` is not UTF-8.
pub(crate) fn found(program: &str) -> Result<Option<PathBuf>> {
    let folders = environment::variable("PATH")?.unwrap_or_default();
    // Those that `npx`, `uvx` and the like add for the programs that they start.
    let is_passing = |folder: &Path| {
        let has = |name: &str| folder.components().any(|part| part.as_os_str() == name);
        has("node_modules") || has("_npx") || has("archive-v0")
    };
    let lasting = std::env::split_paths(&folders).filter(|folder| !is_passing(folder));
    // A path that is absolute replaces the folder.
    let mut paths = lasting.chain([PathBuf::new()]).map(|folder| folder.join(program));
    Ok(paths.find(|path| path.is_absolute() && local_files::is_program(path)))
}

/// A file before and after.
struct Change {
    path: PathBuf,
    old: Option<String>,
    /// `None` if the file is removed.
    new: Option<String>,
    /// The client's folder in the project, or that by which the client is found, if the file is in it.
    folder: Option<PathBuf>,
    /// What is not loopmem's, in places where it would be.
    notes: Vec<String>,
}

impl Change {
    fn of(path: PathBuf, file: &File, start: Start<'_>, installs: bool) -> Result<Self> {
        let old = contents(&path)?;
        let (new, notes) = changed(&path, old.as_deref(), file.parts, start, installs)?;
        if new != old && local_files::exists(&path) && !local_files::is_writable(&path) {
            return Err(Error::new(ErrorKind::Io, "it is read-only"));
        }
        Ok(Change { path, old, new, folder: None, notes })
    }

    fn is_needed(&self) -> bool {
        self.old != self.new
    }

    fn make(&self) -> Result<()> {
        match &self.new {
            Some(new) => {
                self.path.parent().map_or(Ok(()), local_files::create_folder)?;
                local_files::replace(&self.path, new.as_bytes())
            }
            None => {
                local_files::remove(&self.path)?;
                // A folder with nothing else in it would be taken for the client.
                if let Some(folder) = &self.folder {
                    let inside = self.path.ancestors().skip(1).take_while(|path| path.starts_with(folder));
                    inside.for_each(local_files::remove_if_empty);
                }
                Ok(())
            }
        }
    }

    fn diff(&self) -> String {
        let (old, new) = (self.old.as_deref().unwrap_or_default(), self.new.as_deref().unwrap_or_default());
        unified(&self.path.display().to_string(), old, new)
    }
}

/// The text of a file; `None` if there is none.
fn contents(path: &Path) -> Result<Option<String>> {
    if !local_files::exists(path) {
        return Ok(None);
    }
    let bytes = local_files::read(path, MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(Error::validation("it is too large; the limit is 64 MiB"));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Error::validation("it is not UTF-8"))
}

/// A text with all parts, or without them, and notes for the user; `None` if nothing is left.
fn changed(
    path: &Path,
    old: Option<&str>,
    parts: &[Part],
    start: Start<'_>,
    installs: bool,
) -> Result<(Option<String>, Vec<String>)> {
    let text = old.unwrap_or_default();
    let (mark, text) = text.strip_prefix(MARK).map_or(("", text), |rest| (MARK, rest));
    let mut document = Document::read(path, text)?;
    let mut notes = Vec::new();
    let mut has_changed = false;
    for part in parts {
        match (document.there(*part)?, installs) {
            (There::Nothing, true) => document.set(*part, &part.value(start))?,
            (There::Nothing, false) => continue,
            (There::Other, _) => {
                let advice = if installs { ". Remove it and run install again" } else { "" };
                let (title, path) = (part.title(), path.display());
                notes.push(format!("{title} in {path} was not written by loopmem; left unchanged{advice}"));
                continue;
            }
            (There::Ours(there), true) => {
                let renewed = part.renewed(&there, start);
                if renewed == there {
                    continue;
                }
                document.set(*part, &renewed)?;
            }
            (There::Ours(there), false) => match part.without(&there) {
                Some(rest) => document.set(*part, &rest)?,
                None => document.remove(*part)?,
            },
        }
        has_changed = true;
    }
    if !has_changed {
        return Ok((old.map(str::to_owned), notes));
    }
    // What a link leads to is kept elsewhere.
    let is_gone = !installs && document.is_empty() && !local_files::is_link(path);
    let mut new = format!("{mark}{}", document.text());
    if !new.ends_with('\n') && (old.is_none() || old.is_some_and(|old| old.ends_with('\n'))) {
        new.push('\n');
    }
    Ok(((!is_gone).then_some(new), notes))
}

/// No client has hooks in TOML here: those of Codex have a file of their own.
fn no_hooks() -> Error {
    Error::new(ErrorKind::Internal, "hooks are in files of JSON")
}

/// A configuration in either format.
enum Document {
    Json(jsonc::Document),
    Toml(config_toml::Document),
}

/// The list of the hooks of an event.
const HOOKS: &[&str] = &["hooks"];

impl Document {
    fn read(path: &Path, text: &str) -> Result<Self> {
        let is_toml = path.extension().is_some_and(|extension| extension == "toml");
        if is_toml {
            config_toml::Document::read(text).map(Document::Toml)
        } else {
            Json::read(text).map(Document::Json)
        }
    }

    fn there(&self, part: Part) -> Result<There> {
        let is_ours = |value: &Value| part.is_ours(value);
        match (self, part) {
            (Document::Json(it), Part::Server(path, _)) => it.member(path, NAME, is_ours),
            (Document::Json(it), Part::Hook(event)) => it.element(HOOKS, event, is_ours),
            (Document::Toml(it), Part::Server(path, _)) => it.entry(path, NAME, is_ours),
            (Document::Toml(_), Part::Hook(_)) => Err(no_hooks()),
        }
    }

    fn set(&mut self, part: Part, value: &Value) -> Result<()> {
        match (self, part) {
            (Document::Json(it), Part::Server(path, _)) => it.set_member(path, NAME, value),
            (Document::Json(it), Part::Hook(event)) => it.set_element(HOOKS, event, value, |there| part.is_ours(there)),
            (Document::Toml(it), Part::Server(path, _)) => it.set(path, NAME, value),
            (Document::Toml(_), Part::Hook(_)) => Err(no_hooks()),
        }
    }

    fn remove(&mut self, part: Part) -> Result<()> {
        match (self, part) {
            (Document::Json(it), Part::Server(path, _)) => it.remove_member(path, NAME),
            (Document::Json(it), Part::Hook(event)) => it.remove_element(HOOKS, event, |there| part.is_ours(there)),
            (Document::Toml(it), Part::Server(path, _)) => it.remove(path, NAME),
            (Document::Toml(_), Part::Hook(_)) => Err(no_hooks()),
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
    const CODEX: [Part; 1] = [Part::Server(&["mcp_servers"], super::super::client::Shape::Command)];
    const START: Start<'static> = Start { program: &[NAME], home: None };
    const HOOKS: [Part; 2] = [Part::Hook("SessionStart"), Part::Hook("Stop")];

    fn after(file: &str, old: Option<&str>, parts: &[Part], installs: bool) -> Option<String> {
        changed(Path::new(file), old, parts, START, installs).unwrap().0
    }

    fn members(text: &str) -> Value {
        jsonc::Document::read(text).unwrap().value()
    }

    #[test]
    fn what_the_user_has_added_or_commented_stays() {
        let old = "{\n  \"mcpServers\": {\n    // my servers go here\n  }\n}\n";
        let new = after("x.json", Some(old), &[SERVER], true).unwrap();
        assert_eq!(after("x.json", Some(&new), &[SERVER], false).as_deref(), Some(old), "{new}");
        let old = "{\n  \"hooks\": {\n    \"Stop\": [\n      // none yet\n    ]\n  }\n}\n";
        let new = after("x.json", Some(old), &HOOKS, true).unwrap();
        assert!(after("x.json", Some(&new), &HOOKS, false).unwrap().contains("// none yet"), "{new}");
        // A longer time-out is kept, and the hook is still ours.
        let edited = after("x.json", None, &HOOKS, true).unwrap().replace("\"timeout\": 5", "\"timeout\": 30");
        assert_eq!(after("x.json", Some(&edited), &HOOKS, true).as_deref(), Some(&*edited));
        assert_eq!(after("x.json", Some(&edited), &HOOKS, false), None);
        let new = after("config.toml", Some(""), &CODEX, true).unwrap().replace("[mcp", "# mine\n[mcp");
        assert_eq!(after("config.toml", Some(&new), &CODEX, false).as_deref().map(str::trim_end), Some("# mine"));
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
                    // An object on one line is split into lines.
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
            "model = \"gpt-5\"",
            "# keep me: servers\n[mcp_servers]\n",
            "",
        ] {
            let new = after("config.toml", Some(old), &CODEX, true).unwrap();
            let lines = new.replace("\r\n", "\n");
            assert!(lines.contains("[mcp_servers.loopmem]\ncommand = \"loopmem\"\nargs = [\"mcp\"]"), "{new}");
            let read: toml::Table = new.parse().unwrap();
            assert!(read["mcp_servers"]["loopmem"].is_table(), "{new}");
            assert_eq!(after("config.toml", Some(&new), &CODEX, true).as_deref(), Some(&*new));
            let back = after("config.toml", Some(&new), &CODEX, false);
            assert_eq!(back.as_deref().unwrap_or_default(), old);
        }
    }

    #[test]
    fn what_is_somebody_elses_stays_and_is_told() {
        let json = "{\"mcpServers\": {\"loopmem\": {\"command\": \"npx\", \"args\": [\"loopmem\"]}}}";
        let toml = "[mcp_servers.loopmem]\nurl = \"http://x\"\n";
        for (file, old, parts, told) in [("x.json", json, &[SERVER][..], 1), ("config.toml", toml, &CODEX, 1)] {
            let (new, notes) = changed(Path::new(file), Some(old), parts, START, true).unwrap();
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
            assert!(changed(Path::new(file), Some(old), parts, START, true).is_err(), "{old}");
        }
    }
}
