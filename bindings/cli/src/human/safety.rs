//! The commands of the room `safety`: `allow`, which declares that a finding is no secret, and results for a terminal.

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::safety::{Allowance, Rule};

use crate::human::RoomCommand;
use crate::human::arguments::argument;
use crate::human::screen::{ID, KIND, Keep, PLAIN, counted, is_tsv, on_one_line};
use crate::human::table::Table;
use crate::human::views::{faint, word};
use crate::human::{call_and_show, scan};
use crate::output::{ExitCode, usage_error};
use crate::session::{Members, Session, read};

/// The length of a tag.
const TAG_DIGITS: usize = 10;

/// The commands of the room `safety`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "safety",
    // `scan` also takes files, and `allow` a finding.
    extend: |room, _| room.mut_subcommand("scan", scan::extend).mut_subcommand("allow", extend_allow),
    run,
    layout,
    wants_json: |args| args.subcommand().is_some_and(|(verb, args)| verb == "scan" && scan::wants_json(args)),
    status_of_failure: |args| match args.subcommand_name() {
        Some("scan") => Some(ExitCode::from(scan::FAILED)),
        _ => None,
    },
    ..RoomCommand::GENERATED
};

fn run(session: &Session<'_>, args: &ArgMatches) -> Option<Result<ExitCode>> {
    match args.subcommand()? {
        ("scan", args) => scan::run(session, args),
        ("allow", args) => allow(session, args),
        _ => None,
    }
}

fn layout(_: &Session<'_>, verb: &str, _: &Members, json: &str) -> Result<Option<String>> {
    Ok(match verb {
        "rules" => Some(rules(&read::<Vec<_>>(json)?)),
        "allowances" => Some(allowances(&read::<Vec<_>>(json)?)),
        _ => None,
    })
}

/// The rules as a table.
fn rules(rules: &[Rule]) -> String {
    let table = Table::of(rules).fixed("RULE", ID, |it| &*it.id).fixed("KIND", KIND, |it| word(it.kind)).flexible(
        "WHAT IT FINDS",
        PLAIN,
        Keep::Start,
        |it| &*it.description,
    );
    match is_tsv() {
        true => table.text(),
        false => format!("{}\n{}", table.text(), faint(&counted(rules.len(), "rule"))),
    }
}

/// Adds the argument `FINDING`.
fn extend_allow(allow: Command) -> Command {
    allow
        .about("Declares that something is no secret, although a rule finds it")
        .long_about(
            "Adds an [[allow]] to redaction.toml in the home, with the reason. A finding must match all that is given: \
             FINDING is a placeholder such as [REDACTED:keyed-value:9f3ac2d1b0], a line of `loopmem safety scan`, or a \
             tag alone, and allows this one value; --name, --field and --rule allow more. `loopmem safety allowances` \
             lists what is allowed.",
        )
        .arg(
            argument("finding", "FINDING", "A placeholder, a line of `safety scan`, or a tag")
                .conflicts_with_all(["rule", "tag"]),
        )
}

/// Allows a finding; `None` if none was given.
fn allow(session: &Session<'_>, args: &ArgMatches) -> Option<Result<ExitCode>> {
    let finding = args.get_one::<String>("finding")?;
    if finding.trim().lines().count() > 1 {
        usage_error("FINDING has several lines; pass one finding at a time")
    }
    let Some((rule, tag)) = parse(finding) else {
        usage_error("FINDING is not valid; pass a placeholder, a line of `safety scan`, or a tag of ten hex digits")
    };
    let mut params = Members::new();
    params.extend(rule.map(|rule| ("rule".to_owned(), rule.into())));
    params.insert("tag".to_owned(), tag.into());
    for key in ["name", "field", "reason"] {
        params.extend(args.get_one::<String>(key).map(|given| (key.to_owned(), given.as_str().into())));
    }
    Some(call_and_show(session, "safety.allow", &params).map(|()| ExitCode::SUCCESS))
}

/// The rule, if it is given, and the tag of a finding.
fn parse(finding: &str) -> Option<(Option<&str>, &str)> {
    let finding = finding.trim();
    let is_tag = |tag: &&str| tag.len() == TAG_DIGITS && tag.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    if let Some(inner) = finding.strip_prefix("[REDACTED:").and_then(|rest| rest.strip_suffix(']')) {
        let (rule, tag) = inner.split_once(':')?;
        return Some((Some(rule), tag)).filter(|(_, tag)| is_tag(tag));
    }
    let mut words = finding.split_whitespace().rev();
    let tag = words.next().filter(is_tag)?;
    // `path:line:column rule tag`
    Some((words.next(), tag))
}

/// `rule keyed-value and tag 9f3ac2d1b0: the password of the demo`
pub(crate) fn sentence(Allowance { name, rule, field, tag, reason }: &Allowance) -> String {
    let what = [("name", name), ("rule", rule), ("field", field), ("tag", tag)];
    let what = what.into_iter().filter_map(|(key, value)| Some(format!("{key} {}", value.as_ref()?)));
    format!("{}: {}", what.collect::<Vec<_>>().join(" and "), on_one_line(reason))
}

/// The layout of `safety allowances`.
fn allowances(allowances: &[Allowance]) -> String {
    let lines: String = allowances.iter().map(|it| format!("{}\n", sentence(it))).collect();
    lines + &faint(&counted(allowances.len(), "allowance"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_a_placeholder_a_line_of_a_scan_or_a_tag() {
        for (finding, expected) in [
            ("[REDACTED:keyed-value:9f3ac2d1b0]", Some((Some("keyed-value"), "9f3ac2d1b0"))),
            ("src/a b.rs:3:14 jwt 9f3ac2d1b0", Some((Some("jwt"), "9f3ac2d1b0"))),
            ("9f3ac2d1b0", Some((None, "9f3ac2d1b0"))),
            ("hunter22", None),
            ("[REDACTED:keyed-value]", None),
            ("", None),
        ] {
            assert_eq!(parse(finding), expected, "{finding}");
        }
    }
}
