//! `working show`, `set`, `log`, `search`, `history`, `scopes`, `delete`, and the checkpoints of a job.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use loopmem::methods::Description;
use loopmem::{Error, ErrorKind, Result};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::human::face::Face;
use crate::human::screen::on_one_line;
use crate::human::{answer, answered, input, scopes, views, with_verbs};
use crate::output::{self, misused};
use crate::session::{Members, Session, placeholders, read, text};

/// Who is named as the source of what is changed here, unless told otherwise.
const PERSON: &str = "user";

/// Where `history` is in the help.
const BEHIND_SEARCH: usize = 7;

/// The face of the room `working`.
pub(crate) struct WorkingFace;

impl Face for WorkingFace {
    fn room(&self) -> &'static str {
        "working"
    }

    fn extend(&self, command: Command, _description: &Description) -> Command {
        // People name the scope of `history` as everywhere else.
        let command = with_verbs(command, verbs());
        command.mut_subcommand("history", |history| {
            history
                .about("Shows what changed the context of a scope, oldest first")
                .mut_arg("scopeId", |option| option.required(false))
                .arg(scope().required(false).required_unless_present("scopeId").conflicts_with("scopeId"))
                .display_order(BEHIND_SEARCH)
        })
    }

    fn run(&self, session: &Session<'_>, _description: &Description, asked: &ArgMatches) -> Option<Result<ExitCode>> {
        let (verb, asked) = asked.subcommand()?;
        Some(run(session, verb, asked)?.map(|()| ExitCode::SUCCESS))
    }

    fn layout(&self, session: &Session<'_>, verb: &str, _params: &Members, json: &str) -> Option<Result<String>> {
        Some(match verb {
            "getContext" | "updateContext" | "restoreCheckpoint" => scopes::context(json),
            "getLogs" => scopes::log(session, json),
            "searchLogs" => scopes::found(session, json),
            "history" => scopes::history(session, json),
            "listCheckpoints" => scopes::checkpoints(session, json),
            "listScopes" => scopes::scopes(json),
            _ => return None,
        })
    }
}

fn verbs() -> Vec<Command> {
    let source = Arg::new("source").long("source").value_name("TEXT").help("Who says so [default: user]");
    let show = Command::new("show").about("Shows the context of a scope").arg(scope());
    let set = Command::new("set")
        .about("Changes the context of a scope, and shows the new one")
        .after_help(
            "A VALUE that is JSON is stored as what it is, such as 3, true or '[\"a\"]', and any other as text; '\"3\"' is the text 3.",
        )
        .arg(scope())
        .arg(
            Arg::new("change")
                .value_name("KEY=VALUE")
                .action(ArgAction::Append)
                .help("A value to set, in the place of the whole one before"),
        )
        .arg(
            Arg::new("remove")
                .long("remove")
                .value_name("KEY")
                .action(ArgAction::Append)
                .help("A name to take away; may be given several times"),
        )
        .arg(source.clone());
    let log = Command::new("log")
        .about("Shows the log of a scope, oldest entry first, or adds to it")
        .arg(scope())
        .arg(limit("Only the last N entries").conflicts_with("text"))
        .arg(
            Arg::new("text")
                .long("add")
                .value_name("TEXT")
                .num_args(1..)
                .help("What happened, as words; - is what comes through a pipe"),
        )
        .arg(source.requires("text"));
    let search = Command::new("search")
        .about("Finds entries in the log of a scope by their words, the best first")
        .arg(scope())
        .arg(input::words("The words to be found").required(true))
        .arg(limit("At most N entries [default: 10]"));
    let checkpoints = Command::new("checkpoints").about("Lists the checkpoints of a job, oldest first").arg(job());
    let save =
        Command::new("save").about("Saves the context of a job, and prints the checkpoint's timestamp").arg(job());
    let restore = Command::new("restore")
        .about("Puts the context that was saved in the place of the job's")
        .after_help("What it replaces stays in the history, as `replaced`.")
        .arg(job())
        .arg(
            Arg::new("timestamp")
                .value_name("TIMESTAMP")
                .required(true)
                .value_parser(value_parser!(u64))
                .help("The checkpoint, as `working checkpoints` lists it"),
        );
    let scopes = Command::new("scopes").about("Lists the scopes of which something is kept");
    let delete = Command::new("delete")
        .about("Deletes everything of a scope, and asks first on a terminal")
        .arg(scope())
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Does not ask"));
    vec![show, set, log, search, checkpoints, save, restore, scopes, delete]
}

fn scope() -> Arg {
    Arg::new("scope").value_name("SCOPE").required(true).help("A job's id, `global`, or any other text")
}

fn job() -> Arg {
    scope().value_name("JOB").help("The job, whose scope has the same id")
}

fn limit(help: &'static str) -> Arg {
    Arg::new("limit").long("limit").value_name("N").value_parser(value_parser!(i64)).help(help)
}

fn run(session: &Session<'_>, verb: &str, asked: &ArgMatches) -> Option<Result<()>> {
    Some(match verb {
        "show" => answer(session, "working.getContext", &of(asked, "scopeId")),
        "set" => set(session, asked),
        "log" if asked.contains_id("text") => add(session, asked),
        "log" => answer(session, "working.getLogs", &limited(asked)),
        "search" => search(session, asked),
        "history" if asked.contains_id("scope") => answer(session, "working.history", &limited(asked)),
        "checkpoints" => answer(session, "working.listCheckpoints", &of(asked, "jobId")),
        "save" => save(session, asked),
        "restore" => restore(session, asked),
        "scopes" => answer(session, "working.listScopes", &Members::new()),
        "delete" => delete(session, asked),
        _ => return None,
    })
}

fn name(asked: &ArgMatches) -> &str {
    asked.get_one::<String>("scope").map(String::as_str).unwrap_or_default()
}

/// Params that name the scope by `key`.
fn of(asked: &ArgMatches, key: &str) -> Members {
    Members::from_iter([(key.to_owned(), name(asked).into())])
}

fn limited(asked: &ArgMatches) -> Members {
    let mut params = of(asked, "scopeId");
    params.extend(asked.get_one::<i64>("limit").map(|limit| ("limit".to_owned(), (*limit).into())));
    params
}

fn source(asked: &ArgMatches) -> &str {
    asked.get_one::<String>("source").map_or(PERSON, String::as_str)
}

fn set(session: &Session<'_>, asked: &ArgMatches) -> Result<()> {
    let mut patch = Vec::new();
    for change in asked.get_many::<String>("change").into_iter().flatten() {
        let pair = change.split_once('=').filter(|(key, _)| !key.is_empty());
        let Some((key, value)) = pair else { misused("what is to be set is told as KEY=VALUE") };
        patch.push(format!("{}:{}", Value::from(key), as_json(value)));
    }
    let remove: Vec<&String> = asked.get_many("remove").into_iter().flatten().collect();
    if patch.is_empty() && remove.is_empty() {
        misused("say what is to change: as KEY=VALUE, or by --remove");
    }
    // As it was typed: reading it into values would round numbers.
    let patch = format!("{{{}}}", patch.join(","));
    let (scope, remove, source) = (json!(name(asked)), json!(remove), json!(source(asked)));
    let params = format!("{{\"scopeId\":{scope},\"patch\":{patch},\"remove\":{remove},\"source\":{source}}}");
    let next = session.call("working.updateContext", &params)?;
    if let (Ok(given), Ok(kept)) = (read::<Members>(&patch), read::<Members>(&next)) {
        // A name that is a secret is not found again.
        let is_redacted = |(key, value): (&String, &Value)| {
            kept.get(key).is_none_or(|kept| placeholders(Some(kept)) > placeholders(Some(value)))
        };
        session.tell_of_redaction(given.iter().any(is_redacted));
    }
    answered(session, "working.updateContext", &params, next)
}

/// What a person who typed `value` means.
fn as_json(value: &str) -> String {
    match serde_json::from_str::<&RawValue>(value) {
        Ok(json) => json.get().to_owned(),
        Err(_) => Value::from(value).to_string(),
    }
}

fn add(session: &Session<'_>, asked: &ArgMatches) -> Result<()> {
    let Some(content) = input::spoken(asked)? else { misused("say what happened: as TEXT, or through a pipe") };
    let mut params = of(asked, "scopeId");
    let content = Value::from(content.trim_end());
    params.insert("entry".to_owned(), json!({ "content": content, "metadata": { "source": source(asked) } }));
    let json = session.call("working.addLog", &Value::Object(params).to_string())?;
    let entry: Members = read(&json)?;
    session.tell_of_redaction(placeholders(entry.get("content")) > placeholders(Some(&content)));
    done(session, json, text(&entry, "id"), &views::named("Logged", text(&entry, "id"), text(&entry, "content")))
}

fn search(session: &Session<'_>, asked: &ArgMatches) -> Result<()> {
    let Some(words) = input::spoken(asked)? else { misused("say what is to be found: as TEXT, or through a pipe") };
    let mut params = limited(asked);
    params.insert("text".to_owned(), words.into());
    answer(session, "working.searchLogs", &params)
}

fn save(session: &Session<'_>, asked: &ArgMatches) -> Result<()> {
    let json = session.call("working.saveCheckpoint", &Value::Object(of(asked, "jobId")).to_string())?;
    let saved: Members = read(&json)?;
    let timestamp = saved.get("timestamp").map(Value::to_string).unwrap_or_default();
    let shown = views::named(&format!("Saved {} as checkpoint", on_one_line(name(asked))), &timestamp, "");
    done(session, json, &timestamp, &shown)
}

fn restore(session: &Session<'_>, asked: &ArgMatches) -> Result<()> {
    let mut params = of(asked, "jobId");
    params.extend(asked.get_one::<u64>("timestamp").map(|it| ("timestamp".to_owned(), (*it).into())));
    answer(session, "working.restoreCheckpoint", &params)
}

fn delete(session: &Session<'_>, asked: &ArgMatches) -> Result<()> {
    let scope = name(asked);
    if !asked.get_flag("yes") && input::is_typed() {
        if !input::can_ask() {
            misused("nobody can be asked here: add --yes to delete without a question");
        }
        let shown = on_one_line(scope);
        let question = format!("Delete everything of {shown}: its context, history, log and checkpoints? [y/N] ");
        if !input::agreed(&question, false) {
            return Err(Error::new(ErrorKind::Cancelled, "nothing was deleted"));
        }
    }
    let json = session.call("working.deleteScope", &Value::Object(of(asked, "scopeId")).to_string())?;
    if read::<Members>(&json)?.get("removed") != Some(&true.into()) {
        let message = "nothing is kept of this scope; `loopmem working scopes` lists those of which something is";
        return Err(Error::new(ErrorKind::NotFound, message));
    }
    done(session, json, scope, &views::named("Deleted", scope, ""))
}

/// Says what was done: all of it to programs, `shown` on a terminal, and elsewhere `plain`.
fn done(session: &Session<'_>, json: String, plain: &str, shown: &str) -> Result<()> {
    if session.is_for_programs() {
        output::line(json)
    } else if session.is_for_humans() {
        output::screen(shown)
    } else {
        output::text(plain)
    }
}
