//! `working show`, `set`, `log`, `search`, `history`, `scopes`, `delete`, and the checkpoints of a job.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use loopmem::methods::{Checkpoint, Description, Removed};
use loopmem::working::MemoryEntry;
use loopmem::{Error, ErrorKind, Result};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::human::RoomCommand;
use crate::human::arguments::{argument, option, purge, text, text_words, yes};
use crate::human::browse::{self, Browsing};
use crate::human::input::confirm_to;
use crate::human::screen::on_one_line;
use crate::human::verbs::verb;
use crate::human::{call_and_show, input, scopes, show_result, views};
use crate::listing::{self, OF_METHOD};
use crate::output::{ExitCode, notice, usage_error};
use crate::session::{Members, Session, read};

/// The default source of changes and log entries.
const PERSON: &str = "user";

/// The commands of the room `working`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "working",
    extend,
    verbs: &[
        verb("show").calls(&["getContext"]),
        verb("set").calls(&["updateContext"]),
        verb("log").calls(&["addLog", "getLogs"]),
        verb("search").calls(&["searchLogs"]),
        verb("history"),
        verb("checkpoints").calls(&["listCheckpoints"]),
        verb("save").calls(&["saveCheckpoint"]),
        verb("restore").calls(&["restoreCheckpoint"]),
        verb("scopes").calls(&["listScopes"]),
        verb("delete").calls(&["deleteScope"]),
    ],
    storing_verbs: &["set", "log"],
    run,
    layout,
    browsing: Browsing {
        remove: |_, _, hit| {
            // Its history, log and checkpoints could not be restored.
            Err(browse::unsupported(hit, "is deleted with its scope: `loopmem working delete SCOPE`"))
        },
        ..Browsing::READ_ONLY
    },
    ..RoomCommand::GENERATED
};

fn extend(room: Command, _: &Description) -> Command {
    // `history` also takes the scope as a positional argument.
    room.subcommands(verbs()).mut_subcommand("history", |history| {
        history
            .about("Shows the changes of a scope's context, oldest first")
            .mut_arg("scopeId", |option| option.required(false))
            .arg(scope().required(false).required_unless_present("scopeId").conflicts_with("scopeId"))
    })
}

fn layout(session: &Session<'_>, verb: &str, _: &Members, json: &str) -> Result<Option<String>> {
    Ok(Some(match verb {
        "getContext" | "updateContext" | "restoreCheckpoint" => scopes::context(&read(json)?),
        "getLogs" => scopes::log(session, &read::<Vec<_>>(json)?),
        "searchLogs" => scopes::found(session, &read::<Vec<_>>(json)?),
        "history" => scopes::history(session, &read::<Vec<_>>(json)?),
        "listCheckpoints" => scopes::checkpoints(session, &read::<Vec<_>>(json)?),
        "listScopes" => scopes::scopes(&read::<Vec<_>>(json)?),
        _ => return Ok(None),
    }))
}

/// The option for the values that must be there.
const EXPECT: &str = "expect";

fn verbs() -> Vec<Command> {
    let source = option("source", "TEXT", "Who makes the change or entry [default: user]");
    let show = Command::new("show").about("Shows the context of a scope").arg(scope());
    let set = Command::new("set")
        .about("Changes the context of a scope and shows the new one")
        .after_help(
            "A VALUE that is valid JSON, such as 3, true or '[\"a\"]', is stored as JSON, anything else as text; '\"3\"' stores the text 3.\n\n\
             KEY+=NUMBER adds to a number, KEY+=LIST and KEY+=TEXT append to a list, whatever others do at the same time.",
        )
        .arg(scope())
        .arg(
            argument("change", "KEY=VALUE", "A value to set; replaces the previous value entirely. KEY+=VALUE adds to it")
                .action(ArgAction::Append),
        )
        .arg(
            option(EXPECT, "KEY=VALUE", "Changes nothing unless the value is this one; may be repeated")
                .action(ArgAction::Append),
        )
        .arg(option("remove", "KEY", "A key to remove; may be repeated").action(ArgAction::Append))
        .arg(source.clone());
    let log = Command::new("log")
        .about("Shows the log of a scope, oldest entry first, or adds an entry")
        .arg(scope())
        .arg(limit("Only the last N entries").conflicts_with("text"))
        .arg(listing::since().conflicts_with("text"))
        .arg(option("text", "TEXT", "The text of the entry; - reads standard input").long("add").num_args(1..))
        .arg(source.requires("text"));
    let search = Command::new("search")
        .about("Searches the log of a scope by words, best match first")
        .arg(scope())
        .arg(text_words("The words to search for").required(true))
        .arg(limit("At most N entries [default: 10]"));
    let checkpoints = Command::new("checkpoints")
        .about("Lists the checkpoints of a job, oldest first")
        .arg(job())
        .arg(listing::limit())
        .arg(listing::since());
    let save =
        Command::new("save").about("Saves the context of a job and prints the checkpoint's timestamp").arg(job());
    let restore = Command::new("restore")
        .about("Replaces the context of a job with a saved one")
        .after_help("The replaced context is kept in the history, as `replaced`.")
        .arg(job())
        .arg(
            argument("timestamp", "TIMESTAMP", "The checkpoint, as `working checkpoints` lists it")
                .required(true)
                .value_parser(value_parser!(u64)),
        );
    let scopes = Command::new("scopes").about("Lists the scopes that have data").arg(listing::limit());
    let delete = Command::new("delete")
        .about("Deletes everything in a scope; on a terminal, asks for confirmation")
        .arg(scope())
        .arg(purge())
        .arg(yes());
    vec![show, set, log, search, checkpoints, save, restore, scopes, delete]
}

fn scope() -> Arg {
    argument("scope", "SCOPE", "A job's id, `global`, or any other text").required(true)
}

fn job() -> Arg {
    scope().value_name("JOB").help("The job's id, which is also its scope")
}

fn limit(help: &'static str) -> Arg {
    option(OF_METHOD, "N", help).value_parser(value_parser!(i64))
}

fn run(session: &Session<'_>, args: &ArgMatches) -> Option<Result<ExitCode>> {
    let (verb, args) = args.subcommand()?;
    let done = match verb {
        "show" => show(session, args),
        "set" => set(session, args),
        "log" if args.contains_id("text") => add(session, args),
        "log" => call_and_show(session, "working.getLogs", &limited(session, args)),
        "search" => search(session, args),
        "history" if args.contains_id("scope") => call_and_show(session, "working.history", &limited(session, args)),
        "checkpoints" => call_and_show(session, "working.listCheckpoints", &of(args, "jobId")),
        "save" => save(session, args),
        "restore" => restore(session, args),
        "scopes" => call_and_show(session, "working.listScopes", &Members::new()),
        "delete" => delete(session, args),
        _ => return None,
    };
    Some(done.map(|()| ExitCode::SUCCESS))
}

/// Params with the scope under `key`.
fn of(args: &ArgMatches, key: &str) -> Members {
    Members::from_iter([(key.to_owned(), text(args, "scope").into())])
}

fn limited(session: &Session<'_>, args: &ArgMatches) -> Members {
    let mut params = of(args, "scopeId");
    let limit = args.get_one::<i64>(OF_METHOD).filter(|_| !session.listing.takes(OF_METHOD));
    params.extend(limit.map(|limit| (OF_METHOD.to_owned(), (*limit).into())));
    params
}

fn source(args: &ArgMatches) -> &str {
    args.get_one::<String>("source").map_or(PERSON, String::as_str)
}

fn show(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let params = of(args, "scopeId");
    let context = session.call("working.getContext", &params)?;
    if context == "{}" && !session.is_for_programs() {
        let scope = on_one_line(text(args, "scope"));
        notice(&format!(
            "loopmem: the context of {scope} is empty; `loopmem working scopes` lists those that have data"
        ));
        if session.is_for_humans() {
            return Ok(());
        }
    }
    show_result(session, "working.getContext", &json!(params).to_string(), context)
}

fn set(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let [mut patch, mut increment, mut append] = [const { Vec::new() }; 3];
    for change in args.get_many::<String>("change").into_iter().flatten() {
        let (key, value) = key_and_value(change);
        let json = as_json(value);
        match key.strip_suffix('+').filter(|key| !key.is_empty()) {
            None => patch.push(member(key, &json)),
            Some(key) => match json.chars().next() {
                Some('-' | '0'..='9') => increment.push(member(key, &json)),
                Some('[') => append.push(member(key, &json)),
                _ => append.push(member(key, &format!("[{json}]"))),
            },
        }
    }
    let remove: Vec<&String> = args.get_many("remove").into_iter().flatten().collect();
    if patch.is_empty() && increment.is_empty() && append.is_empty() && remove.is_empty() {
        usage_error("nothing to change was given; pass KEY=VALUE or --remove KEY");
    }
    let expected = args.get_many::<String>(EXPECT).into_iter().flatten().map(|expected| key_and_value(expected));
    let expect: Vec<String> = expected.map(|(key, value)| member(key, &as_json(value))).collect();
    // As typed: parsing it into values would round numbers.
    let [patch, increment, append, expect] = [patch, increment, append, expect].map(|members| members.join(","));
    let (scope, remove, source) = (json!(text(args, "scope")), json!(remove), json!(source(args)));
    let params = format!(
        "{{\"scopeId\":{scope},\"patch\":{{{patch}}},\"increment\":{{{increment}}},\"append\":{{{append}}},\
         \"expect\":{{{expect}}},\"remove\":{remove},\"source\":{source}}}"
    );
    let next = session.call_json("working.updateContext", &params)?;
    show_result(session, "working.updateContext", &params, next)
}

fn key_and_value(change: &str) -> (&str, &str) {
    let pair = change.split_once('=').filter(|(key, _)| !key.is_empty());
    pair.unwrap_or_else(|| usage_error("a change must have the form KEY=VALUE"))
}

fn member(key: &str, json: &str) -> String {
    format!("{}:{json}", Value::from(key))
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
    let json = session.call("working.addLog", &params)?;
    let MemoryEntry { id, content, .. } = read(&json)?;
    session.print(json, &id, &views::named("Logged", &id, &content))
}

fn search(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let Some(words) = input::text_argument(args)? else {
        usage_error("the words to search for are missing; pass them as TEXT or through a pipe")
    };
    let mut params = limited(session, args);
    params.insert("text".to_owned(), words.into());
    call_and_show(session, "working.searchLogs", &params)
}

fn save(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let json = session.call("working.saveCheckpoint", &of(args, "jobId"))?;
    let timestamp = read::<Checkpoint>(&json)?.timestamp.to_string();
    let shown = views::named(&format!("Saved {} as checkpoint", on_one_line(text(args, "scope"))), &timestamp, "");
    session.print(json, &timestamp, &shown)
}

fn restore(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let mut params = of(args, "jobId");
    params.extend(args.get_one::<u64>("timestamp").map(|it| ("timestamp".to_owned(), (*it).into())));
    call_and_show(session, "working.restoreCheckpoint", &params)
}

fn delete(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let scope = text(args, "scope");
    confirm_to("delete", args, "nothing was deleted", || {
        let shown = on_one_line(scope);
        Ok(format!("Delete everything in {shown}: its context, history, log and checkpoints? [y/N] "))
    })?;
    let mut params = of(args, "scopeId");
    if args.get_flag("purge") {
        params.insert("purge".to_owned(), true.into());
    }
    let json = session.call("working.deleteScope", &params)?;
    if !read::<Removed>(&json)?.removed {
        let message = "the scope has no data; `loopmem working scopes` lists the scopes that have";
        return Err(Error::new(ErrorKind::NotFound, message));
    }
    session.print(json, scope, &views::named("Deleted", scope, ""))
}
