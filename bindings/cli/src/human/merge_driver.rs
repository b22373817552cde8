//! `merge-driver`: merges three versions of a file for git, by records.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use loopmem::branch::{MergeOutcome, MergedFile};
use loopmem::{Error, Result};
use serde_json::json;

use crate::human::arguments::argument;
use crate::human::screen::on_one_line;
use crate::human::{RoomCommand, git};
use crate::output;
use crate::output::ExitCode;
use crate::session::{Members, Session, read};

const NAME: &str = "merge-driver";
const METHOD: &str = "branch.mergeFile";

/// The command.
pub(super) const COMMANDS: RoomCommand =
    RoomCommand { room: NAME, run: |session, args| Some(run(session, args)), ..RoomCommand::GENERATED };

pub(crate) fn command() -> Command {
    let path = |name: &'static str, value: &'static str, help: &'static str| -> Arg {
        argument(name, value, help).value_hint(ValueHint::FilePath).value_parser(value_parser!(PathBuf))
    };
    Command::new(NAME)
        .about("Merges a file of records for git, which `loopmem install git` tells to call it")
        .long_about(
            "Merges what THEIRS changed since BASE into the file OURS: .jsonl and .ndjson by records, .json by keys, as \
             `branch push` does. Git calls it as `loopmem merge-driver -- %O %A %B %P`; `loopmem install git` configures that.\n\n\
             If both sides changed the same thing, that of OURS is kept, standard error names the records, and the exit \
             status is 1: then git reports a conflict. The file has no conflict markers, so that it can still be read. A \
             file with another ending is left to `git merge-file`, which merges it as git does without a driver. If anything \
             fails, OURS stays as it is. No other file is ever written.",
        )
        .arg(path("base", "BASE", "The version from which both sides started").required(true))
        .arg(path("ours", "OURS", "The version of this side, which is replaced").required(true))
        .arg(path("theirs", "THEIRS", "The version of the other side").required(true))
        .arg(path("path", "PATH", "The name of the file in the repository [default: OURS]"))
}

fn run(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    let path = |name: &str| args.get_one::<PathBuf>(name).map_or(Path::new(""), PathBuf::as_path);
    let versions = ["base", "ours", "theirs"].map(path);
    let named = if args.contains_id("path") { path("path") } else { path("ours") };
    // Its ending decides; what is not UTF-8 in the rest of it does not matter.
    let named = named.to_string_lossy();
    let mut params = Members::new();
    for (name, path) in ["base", "ours", "theirs"].into_iter().zip(versions) {
        let text = path.to_str().ok_or_else(|| Error::validation(format!("the path {name} is not UTF-8")))?;
        params.insert(name.to_owned(), json!(text));
    }
    params.insert("path".to_owned(), json!(named));
    let json = session.call(METHOD, &params)?;
    let merged: MergedFile = read(&json)?;
    if session.is_for_programs() {
        output::line(json)?;
    }
    Ok(match merged.outcome {
        MergeOutcome::Merged => ExitCode::SUCCESS,
        MergeOutcome::OtherFormat => as_git_does(&versions)?,
        _ => {
            session.emit(&conflict(&on_one_line(&named), &merged.records));
            ExitCode::FAILURE
        }
    })
}

fn conflict(path: &str, records: &[String]) -> String {
    let what = match records {
        [] => "both sides changed the same thing, or a version cannot be read".to_owned(),
        records => {
            let records: Vec<String> = records.iter().map(|id| on_one_line(id)).collect();
            format!("both sides changed {}", records.join(", "))
        }
    };
    format!("{path}: {what}; that of ours was kept, and `git show :3:PATH` prints the file of theirs")
}

/// Merges a file of lines as git does without a driver, with conflict markers.
fn as_git_does([base, ours, theirs]: &[&Path; 3]) -> Result<ExitCode> {
    let mut merge = git::command(Path::new("."));
    merge.args(["merge-file", "-q", "-L", "ours", "-L", "base", "-L", "theirs", "--"]).args([ours, base, theirs]);
    let status = merge.stdout(Stdio::null()).stderr(Stdio::inherit()).status();
    let status = status.map_err(|cause| git::not_started(&cause))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
