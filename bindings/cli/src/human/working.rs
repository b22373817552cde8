//! `working show`, `set`, `log`, `search`, `history`, `scopes`, `delete`, and the checkpoints of a job.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use loopmem::methods::Description;
use loopmem::{Error, ErrorKind, Result};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::human::room_command::RoomCommand;
use crate::human::screen::on_one_line;
use crate::human::{call_and_show, input, scopes, show_result, views, with_verbs};
use crate::output::{self, usage_error};
use crate::session::{Members, Session, read, text};

/// The default source of changes and log entries.
const PERSON: &str = "user";

/// The position of `history` in the help.
const BEHIND_SEARCH: usize = 7;

/// The commands of the room `working`.
pub(crate) struct WorkingCommand;

impl RoomCommand for WorkingCommand {
    fn room(&self) -> &'static str {
        "working"
    }

    fn extend(&self, command: Command, _description: &Description) -> Command {
        // `history` also takes the scope as a positional argument.
        let command = with_verbs(command, verbs());
        command.mut_subcommand("history", |history| {
            history
                .about("Shows the changes of a scope's context, oldest first")
                .mut_arg("scopeId", |option| option.required(false))
                .arg(scope().required(false).required_unless_present("scopeId").conflicts_with("scopeId"))
                .display_order(BEHIND_SEARCH)
        })
    }

    fn storing_verbs(&self) -> &'static [&'static str] {
        &["set", "log"]
    }

    fn run(&self, session: &Session<'_>, _description: &Description, args: &ArgMatches) -> Option<Result<ExitCode>> {
        let (verb, args) = args.subcommand()?;
        Some(run(session, verb, args)?.map(|()| ExitCode::SUCCESS))
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
    let source =
        Arg::new("source").long("source").value_name("TEXT").help("Who makes the change or entry [default: user]");
    let show = Command::new("show").about("Shows the context of a scope").arg(scope());
    let set = Command::new("set")
        .about("Changes the context of a scope and shows the new one")
        .after_help(
            "A VALUE that is valid JSON, such as 3, true or '[\"a\"]', is stored as JSON, anything else as text; '\"3\"' stores the text 3.",
        )
        .arg(scope())
        .arg(
            Arg::new("change")
                .value_name("KEY=VALUE")
                .action(ArgAction::Append)
                .help("A value to set; replaces the previous value entirely"),
        )
        .arg(
            Arg::new("remove")
                .long("remove")
                .value_name("KEY")
                .action(ArgAction::Append)
                .help("A key to remove; may be repeated"),
        )
        .arg(source.clone());
    let log = Command::new("log")
        .about("Shows the log of a scope, oldest entry first, or adds an entry")
        .arg(scope())
        .arg(limit("Only the last N entries").conflicts_with("text"))
        .arg(
            Arg::new("text")
                .long("add")
                .value_name("TEXT")
                .num_args(1..)
                .help("The text of the entry; - reads standard input"),
        )
        .arg(source.requires("text"));
    let search = Command::new("search")
        .about("Searches the log of a scope by words, best match first")
        .arg(scope())
        .arg(input::text_words("The words to search for").required(true))
        .arg(limit("At most N entries [default: 10]"));
    let checkpoints = Command::new("checkpoints").about("Lists the checkpoints of a job, oldest first").arg(job());
    let save =
        Command::new("save").about("Saves the context of a job and prints the checkpoint's timestamp").arg(job());
    let restore = Command::new("restore")
        .about("Replaces the context of a job with a saved one")
        .after_help("The replaced context is kept in the history, as `replaced`.")
        .arg(job())
        .arg(
            Arg::new("timestamp")
                .value_name("TIMESTAMP")
                .required(true)
                .value_parser(value_parser!(u64))
                .help("The checkpoint, as `working checkpoints` lists it"),
        );
    let scopes = Command::new("scopes").about("Lists the scopes that have data");
    let delete = Command::new("delete")
        .about("Deletes everything in a scope; on a terminal, asks for confirmation")
        .arg(scope())
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Skips the confirmation"));
    vec![show, set, log, search, checkpoints, save, restore, scopes, delete]
}

fn scope() -> Arg {
    Arg::new("scope").value_name("SCOPE").required(true).help("A job's id, `global`, or any other text")
}

fn job() -> Arg {
    scope().value_name("JOB").help("The job's id, which is also its scope")
}

fn limit(help: &'static str) -> Arg {
    Arg::new("limit").long("limit").value_name("N").value_parser(value_parser!(i64)).help(help)
}

fn run(session: &Session<'_>, verb: &str, args: &ArgMatches) -> Option<Result<()>> {
    Some(match verb {
        "show" => call_and_show(session, "working.getContext", &of(args, "scopeId")),
        "set" => set(session, args),
        "log" if args.contains_id("text") => add(session, args),
        "log" => call_and_show(session, "working.getLogs", &limited(args)),
        "search" => search(session, args),
        "history" if args.contains_id("scope") => call_and_show(session, "working.history", &limited(args)),
        "checkpoints" => call_and_show(session, "working.listCheckpoints", &of(args, "jobId")),
        "save" => save(session, args),
        "restore" => restore(session, args),
        "scopes" => call_and_show(session, "working.listScopes", &Members::new()),
        "delete" => delete(session, args),
        _ => return None,
    })
}

fn name(args: &ArgMatches) -> &str {
    args.get_one::<String>("scope").map(String::as_str).unwrap_or_default()
}

/// Params with the scope under `key`.
fn of(args: &ArgMatches, key: &str) -> Members {
    Members::from_iter([(key.to_owned(), name(args).into())])
}

fn limited(args: &ArgMatches) -> Members {
    let mut params = of(args, "scopeId");
    params.extend(args.get_one::<i64>("limit").map(|limit| ("limit".to_owned(), (*limit).into())));
    params
}

fn source(args: &ArgMatches) -> &str {
    args.get_one::<String>("source").map_or(PERSON, String::as_str)
}

fn set(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let mut patch = Vec::new();
    for change in args.get_many::<String>("change").into_iter().flatten() {
        let pair = change.split_once('=').filter(|(key, _)| !key.is_empty());
        let Some((key, value)) = pair else { usage_error("a change must have the form KEY=VALUE") };
        patch.push(format!("{}:{}", Value::from(key), as_json(value)));
    }
    let remove: Vec<&String> = args.get_many("remove").into_iter().flatten().collect();
    if patch.is_empty() && remove.is_empty() {
        usage_error("nothing to change was given; pass KEY=VALUE or --remove KEY");
    }
    // As typed: parsing it into values would round numbers.
    let patch = format!("{{{}}}", patch.join(","));
    let (scope, remove, source) = (json!(name(args)), json!(remove), json!(source(args)));
    let params = format!("{{\"scopeId\":{scope},\"patch\":{patch},\"remove\":{remove},\"source\":{source}}}");
    let next = session.call("working.updateContext", &params)?;
    show_result(session, "working.updateContext", &params, next)
}

/// `value` if it is JSON, else as a JSON string.
fn as_json(value: &str) -> String {
    match serde_json::from_str::<&RawValue>(value) {
        Ok(json) => json.get().to_owned(),
        Err(_) => Value::from(value).to_string(),
    }
}

fn add(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let Some(content) = input::text_argument(args)? else {
        usage_error("the entry is missing; pass it as TEXT or through a pipe")
    };
    let mut params = of(args, "scopeId");
    let content = Value::from(content.trim_end());
    params.insert("entry".to_owned(), json!({ "content": content, "metadata": { "source": source(args) } }));
    let json = session.call("working.addLog", &Value::Object(params).to_string())?;
    let entry: Members = read(&json)?;
    done(session, json, text(&entry, "id"), &views::named("Logged", text(&entry, "id"), text(&entry, "content")))
}

fn search(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let Some(words) = input::text_argument(args)? else {
        usage_error("the words to search for are missing; pass them as TEXT or through a pipe")
    };
    let mut params = limited(args);
    params.insert("text".to_owned(), words.into());
    call_and_show(session, "working.searchLogs", &params)
}

fn save(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let json = session.call("working.saveCheckpoint", &Value::Object(of(args, "jobId")).to_string())?;
    let saved: Members = read(&json)?;
    let timestamp = saved.get("timestamp").map(Value::to_string).unwrap_or_default();
    let shown = views::named(&format!("Saved {} as checkpoint", on_one_line(name(args))), &timestamp, "");
    done(session, json, &timestamp, &shown)
}

fn restore(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let mut params = of(args, "jobId");
    params.extend(args.get_one::<u64>("timestamp").map(|it| ("timestamp".to_owned(), (*it).into())));
    call_and_show(session, "working.restoreCheckpoint", &params)
}

fn delete(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let scope = name(args);
    if !args.get_flag("yes") && input::stdin_is_terminal() {
        if !input::can_prompt() {
            usage_error("cannot ask for confirmation here; add --yes to delete without asking");
        }
        let shown = on_one_line(scope);
        let question = format!("Delete everything in {shown}: its context, history, log and checkpoints? [y/N] ");
        if !input::confirm(&question, false) {
            return Err(Error::new(ErrorKind::Cancelled, "nothing was deleted"));
        }
    }
    let json = session.call("working.deleteScope", &Value::Object(of(args, "scopeId")).to_string())?;
    if read::<Members>(&json)?.get("removed") != Some(&true.into()) {
        let message = "the scope has no data; `loopmem working scopes` lists the scopes that have";
        return Err(Error::new(ErrorKind::NotFound, message));
    }
    done(session, json, scope, &views::named("Deleted", scope, ""))
}

/// Prints the outcome: the complete JSON for programs, `shown` on a terminal, `plain` otherwise.
fn done(session: &Session<'_>, json: String, plain: &str, shown: &str) -> Result<()> {
    if session.is_for_programs() {
        output::line(json)
    } else if session.is_for_humans() {
        output::screen(shown)
    } else {
        output::text(plain)
    }
}
