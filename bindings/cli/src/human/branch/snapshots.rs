//! `branch snapshot`, `snapshots`, `rollback` and `prune`: states of a branch under a name.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use serde_json::{Value, json};

use super::checkout::short;
use super::entry;
use crate::human::positional;
use crate::human::screen::{FAINT, ID, Keep, PLAIN, counted, moment, on_one_line, width};
use crate::human::table::{Column, table};
use crate::output;
use crate::session::{Members, Session, read, text, texts};

pub(super) fn extend_snapshot(verb: Command) -> Command {
    let tag = Arg::new(positional::POSITIONAL).value_name("TAG").conflicts_with("tag");
    entry::extend(verb, "")
        .about("Makes a snapshot of the branch as it is in its repository: the tag BRANCH/TAG")
        .mut_arg("tag", |arg| arg.hide(true))
        .arg(tag.help("The name: letters, digits, -, _ and . [default: the time]"))
        .mut_arg("id", |arg| arg.index(2))
}

pub(super) fn extend_list(verb: Command) -> Command {
    entry::extend(verb, "").about("Lists the snapshots of the branch, the newest first")
}

pub(super) fn extend_rollback(verb: Command) -> Command {
    let verb = positional::instead_of(verb, "tag", "TAG", "The name of the snapshot");
    entry::extend(verb, "")
        .about("Sets the files of the branch back to a snapshot, by a commit on top of what it has")
        .mut_arg("tag", |arg| arg.hide(true))
        .mut_arg("id", |arg| arg.index(2))
}

pub(super) fn extend_prune(verb: Command) -> Command {
    entry::extend(verb, "")
        .about("Removes snapshots: all but the newest ones, or old ones; without a limit, none")
        .mut_arg("keep", |arg| arg.help("How many are kept at most, the newest ones"))
        .mut_arg("maxAgeDays", |arg| arg.help("How old those that are kept may be, in days"))
}

pub(super) fn run(session: &Session<'_>, description: &Description, verb: &str, args: &ArgMatches) -> Result<ExitCode> {
    let method = format!("branch.{verb}");
    let mut params = entry::params(session, description, &method, args)?;
    if matches!(verb, "snapshot" | "rollback")
        && let Some(tag) = args.get_one::<String>(positional::POSITIONAL)
    {
        params.insert("tag".to_owned(), json!(tag));
    }
    let tag = params.get("tag").and_then(Value::as_str).map(on_one_line).unwrap_or_default();
    let json = session.call(&method, &Value::Object(params).to_string())?;
    if !session.is_for_humans() {
        output::result(json, session.style())?;
        return Ok(ExitCode::SUCCESS);
    }
    let done: Members = read(&json)?;
    let shown = match verb {
        "snapshot" => format!("{ID}{}{ID:#} is at {}", on_one_line(text(&done, "tag")), short(text(&done, "commit"))),
        "snapshots" => listed(session, &done),
        "rollback" => match text(&done, "commit") {
            "" => format!("the branch has the files of {ID}{tag}{ID:#} already"),
            commit => format!(
                "the branch has the files of {ID}{tag}{ID:#} again, at {}; the next checkout brings them to the folder",
                short(commit)
            ),
        },
        _ => {
            let removed: Vec<String> = texts(&done, "removed").map(on_one_line).collect();
            match removed.len() {
                0 => "nothing to remove".to_owned(),
                count => format!("removed {}: {}", counted(count as u64, "snapshot"), removed.join(", ")),
            }
        }
    };
    output::screen(&shown)?;
    Ok(ExitCode::SUCCESS)
}

fn listed(session: &Session<'_>, done: &Members) -> String {
    let all: Vec<&Members> =
        done.get("snapshots").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect();
    if all.is_empty() {
        return format!("{FAINT}no snapshots; `loopmem branch snapshot` makes one{FAINT:#}");
    }
    let heads =
        vec![Column::flexible("TAG", ID, Keep::Start), Column::fixed("COMMIT", PLAIN), Column::fixed("MADE", FAINT)];
    let row = |it: &&Members| {
        let time = moment(text(it, "time"), session.now);
        vec![text(it, "tag").to_owned(), short(text(it, "commit")).to_owned(), time]
    };
    table(heads, all.iter().map(row).collect(), width())
}
