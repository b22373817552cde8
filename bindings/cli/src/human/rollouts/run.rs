//! `rollouts run`: extracts every session that is due and consolidates, with commands as the model.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, Command, ValueHint};
use loopmem::rollouts::{ConsolidationRun, Run, RunConsolidation, RunOutcome, Status};
use loopmem::{Error, ErrorKind, Result};
use serde_json::json;

use crate::human::progress::Steps;
use crate::human::rollouts::{job, status};
use crate::human::screen::{ERROR, FAINT, ID, WARNING, counted, on_one_line};
use crate::output;
use crate::output::ExitCode;
use crate::session::{Members, Session, read};

const METHOD: &str = "rollouts.run";
/// The remedy for a consolidation that failed before.
const RETRY: &str = "; `loopmem rollouts status` says why it failed, and `loopmem rollouts retry` makes it due again";
/// The options for people, the params whose options they replace, and their help.
const COMMANDS: [(&str, &str, &str); 2] = [
    ("stage1", "stage1Command", "The command that extracts the memory of a session, run by `sh -c`"),
    (
        "consolidate",
        "consolidateCommand",
        "The command that consolidates, run by `sh -c` in the memory root; without it, nothing is consolidated",
    ),
];

pub(super) fn extend(verb: Command) -> Command {
    let verb = verb
        .about("Extracts every session that is due and then consolidates, with commands as the model")
        .long_about(
            "Extracts the memory of every session that is due, and then consolidates what was extracted, with commands as \
             the model. A command gets one JSON object on standard input and writes its answer to standard output; \
             docs/ROLLOUTS.md describes both. A command that fails, takes too long or gives an invalid answer fails its \
             session, which is tried again later. After three failures in a row, the other sessions are left for the next \
             run. A command that is not found spends no attempt.\n\n\
             The exit status is 1 if a session or the consolidation failed. Ctrl-C stops the command that runs: its \
             session is due again, and what was finished before is stored.",
        )
        .after_help(
            "Programs pass a command without a shell, as one option for each word: --stage1-command ask-model \
             --stage1-command --fast.",
        )
        .mut_arg("limit", |arg| arg.help("The maximum number of sessions [default: all that are due]"))
        .mut_arg("commandTimeoutSecs", |arg| {
            arg.help("How long a command may take, in seconds; at most 86,400 [default: 600]")
        })
        .mut_arg("takeOver", |arg| {
            arg.help("Renames files that another program keeps in the memory root to NAME.edited; needed once")
        });
    let verb = verb
        .override_usage("loopmem rollouts run [OPTIONS] [--with <MODEL> | --stage1 <COMMAND>]")
        .mut_arg("with", |arg| {
            arg.value_name("MODEL").display_order(0).help(
                "The model of what has no command: claude, codex, gemini or ollama:MODEL, which must be installed [default: rollouts.with]",
            )
        });
    COMMANDS.into_iter().enumerate().fold(verb, |verb, (place, (option, param, help))| {
        let command = Arg::new(option).long(option).value_name("COMMAND").value_hint(ValueHint::CommandString);
        // An unset variable is a mistake, which would fail every session.
        let command = command.value_parser(NonEmptyStringValueParser::new());
        let command = command.help(help).conflicts_with(param).display_order(place + 1);
        verb.arg(command).mut_arg(param, |arg| {
            // The words of a command may be options.
            arg.required(false).value_name("WORD").allow_hyphen_values(true).help(format!(
                "The same without a shell: the program, and its arguments, each with --{} before it",
                crate::naming::kebab(param)
            ))
        })
    })
}

/// The steps of the call: a session each, and the consolidation.
pub(super) fn steps(args: &ArgMatches) -> Steps {
    let has_command = |(option, param, _): &(&str, &str, &str)| args.contains_id(option) || args.contains_id(param);
    // A model that is named consolidates too.
    let consolidates = has_command(&COMMANDS[1]) || !has_command(&COMMANDS[0]);
    Steps { what: "extracting", noun: "session", last: consolidates.then_some("consolidating"), are_slow: true }
}

/// Runs the call; the exit status says whether a session or the consolidation failed.
pub(super) fn run(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    let mut params = session.params(METHOD, args)?;
    for (option, param, _) in COMMANDS {
        if let Some(command) = args.get_one::<String>(option) {
            params.insert(param.to_owned(), json!(["sh", "-c", command]));
        }
    }
    let json = session.call(METHOD, &params).map_err(|error| match error.kind() {
        ErrorKind::Cancelled => {
            let message = "the run was interrupted; what was finished is stored, and what was not is still due";
            Error::new(ErrorKind::Cancelled, message)
        }
        _ => error,
    })?;
    let run: Run = read(&json)?;
    if session.is_for_humans() {
        let status: Status = session.ask("rollouts.status", &Members::new())?;
        let due = status.threads.due;
        let mut out = layout(&run, due);
        let next = job::time(status.next_due.as_deref().unwrap_or_default(), session.now);
        if due > 0 && status.running >= status.cap {
            let (due, cap) = (counted(due, "session"), status.cap);
            out.push_str(&format!(
                "{WARNING}{due} due{WARNING:#}, but as many sessions as allowed ({cap}) are claimed\n"
            ));
        }
        if run.threads.is_empty() && !next.is_empty() {
            out.push_str(&format!("{FAINT}the next session is due {next}{FAINT:#}\n"));
        }
        out.push_str(&status::failures(&status).unwrap_or_default());
        output::screen(out.trim_end())?;
    } else {
        output::line(json)?;
        if let Some(failures) = failures(&run) {
            session.emit(&format!("{failures}; the result says why"));
        }
    }
    Ok(if failures(&run).is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn count(run: &Run, outcome: RunOutcome) -> usize {
    run.threads.iter().filter(|it| it.outcome == outcome).count()
}

/// The failures in words; `None` if there are none.
fn failures(run: &Run) -> Option<String> {
    let failed = count(run, RunOutcome::Failed);
    let sessions = counted(run.threads.len(), "session");
    match (failed > 0, run.consolidation.outcome == RunConsolidation::Failed) {
        (true, true) => Some(format!("{failed} of {sessions} and the consolidation failed")),
        (true, false) => Some(format!("{failed} of {sessions} failed")),
        (false, true) => Some("the consolidation failed".to_owned()),
        (false, false) => None,
    }
}

/// `due` is the number of sessions that are still due.
fn layout(run: &Run, due: u32) -> String {
    let mut out = String::new();
    for it in &run.threads {
        let (id, reason) = (on_one_line(&it.thread_id), on_one_line(it.reason.as_deref().unwrap_or_default()));
        let (style, what, why) = match it.outcome {
            RunOutcome::Failed => (ERROR, "failed", reason.as_str()),
            RunOutcome::TranscriptMissing => (WARNING, "missing", "its transcript is gone"),
            RunOutcome::LeaseLost => (WARNING, "lost", "another worker took it over"),
            _ => continue,
        };
        out.push_str(&format!("{style}{what}{style:#} {ID}{id}{ID:#}: {why}\n"));
    }
    match run.threads.len() {
        0 if due > 0 => {}
        0 => out.push_str("no session is due\n"),
        all => {
            let counts = [
                (RunOutcome::Stored, "stored"),
                (RunOutcome::Empty, "nothing to remember"),
                (RunOutcome::Failed, "failed"),
                (RunOutcome::TranscriptMissing, "missing"),
                (RunOutcome::LeaseLost, "lost"),
            ];
            let counts = counts.map(|(outcome, words)| (count(run, outcome), words)).into_iter();
            let counts: Vec<_> =
                counts.filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}")).collect();
            out.push_str(&format!("{}: {}\n", counted(all, "session"), counts.join(", ")));
        }
    }
    if run.gave_up {
        out.push_str(&format!(
            "{WARNING}stopped{WARNING:#} after three failures in a row; the remaining sessions were not tried\n"
        ));
    }
    out.push_str(&consolidated(&run.consolidation));
    out.push('\n');
    out
}

/// The result of the consolidation, on one or two lines.
fn consolidated(it: &ConsolidationRun) -> String {
    match it.outcome {
        RunConsolidation::Completed => {
            let written: Vec<String> = it.written.iter().map(|path| on_one_line(path)).collect();
            let wrote = if written.is_empty() { "no file changed".to_owned() } else { written.join(", ") };
            let again = if it.dirty == Some(true) { "; there is more to consolidate" } else { "" };
            let lines: Vec<String> = it.unsourced.iter().map(u32::to_string).collect();
            let unsourced = match lines.is_empty() {
                true => String::new(),
                false => format!("\n{FAINT}no session is named in MEMORY.md at lines: {}{FAINT:#}", lines.join(", ")),
            };
            format!("consolidated: {wrote}{again}{unsourced}")
        }
        RunConsolidation::Failed => {
            let reason = on_one_line(it.reason.as_deref().unwrap_or_default());
            format!("{ERROR}failed{ERROR:#} to consolidate: {reason}")
        }
        RunConsolidation::Skipped => format!("{FAINT}not consolidated: --consolidate was not given{FAINT:#}"),
        RunConsolidation::Clean => format!("{FAINT}nothing new to consolidate{FAINT:#}"),
        RunConsolidation::LeaseLost => {
            format!("{WARNING}lost{WARNING:#} the consolidation: another worker took it over")
        }
        RunConsolidation::Backoff => {
            format!("{WARNING}not consolidated{WARNING:#}: it failed before, and waits for its next attempt{RETRY}")
        }
        RunConsolidation::Exhausted => {
            format!("{WARNING}not consolidated{WARNING:#}: it failed too often, and waits for new input{RETRY}")
        }
        _ => format!("{FAINT}another worker is consolidating{FAINT:#}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// A result with these members, and without anything else.
    fn run_of(run: &Value) -> Run {
        let mut all = json!({"gaveUp": false}).as_object().unwrap().clone();
        all.extend(run.as_object().unwrap().clone());
        serde_json::from_value(Value::Object(all)).unwrap()
    }

    fn shown(run: &Value) -> String {
        anstream::adapter::strip_str(&layout(&run_of(run), 0)).to_string()
    }

    #[test]
    fn what_failed_is_named_with_its_reason_before_the_totals() {
        let thread =
            |id: &str, outcome: &str, reason: Value| json!({"threadId": id, "outcome": outcome, "reason": reason});
        let run = json!({
            "threads": [
                thread("a", "stored", Value::Null), thread("b", "failed", "exit\nstatus 1".into()),
                thread("c", "empty", Value::Null), thread("d", "leaseLost", Value::Null)
            ],
            "consolidation": {"outcome": "completed", "reason": null, "dirty": true, "written": ["MEMORY.md", "a"],
                "unsourced": [2, 7]}
        });
        assert_eq!(
            shown(&run),
            "failed b: exit status 1\nlost d: another worker took it over\n\
             4 sessions: 1 stored, 1 nothing to remember, 1 failed, 1 lost\n\
             consolidated: MEMORY.md, a; there is more to consolidate\n\
             no session is named in MEMORY.md at lines: 2, 7\n"
        );
        let outcome = |run: &Value| failures(&run_of(run));
        assert_eq!(outcome(&run).as_deref(), Some("1 of 4 sessions failed"));
        let run = json!({"threads": [], "consolidation": {"outcome": "failed", "reason": "no model", "written": [], "unsourced": []}});
        assert_eq!(shown(&run), "no session is due\nfailed to consolidate: no model\n");
        assert_eq!(outcome(&run).as_deref(), Some("the consolidation failed"));
        assert_eq!(
            outcome(&json!({"threads": [], "consolidation": {"outcome": "backoff", "written": [], "unsourced": []}})),
            None
        );
    }
}
