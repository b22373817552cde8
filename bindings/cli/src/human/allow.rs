//! `safety allow`: declares that a finding is no secret.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use loopmem::Result;
use serde_json::Value;

use crate::human::call_and_show;
use crate::human::screen::{FAINT, counted, on_one_line};
use crate::output::usage_error;
use crate::session::{Members, Session, read, text};

/// What a finding must match, in the order in which it is shown.
const KEYS: [&str; 4] = ["name", "rule", "field", "tag"];
/// The length of a tag.
const TAG_DIGITS: usize = 10;

/// Adds the argument `FINDING`.
pub(crate) fn extend(allow: Command) -> Command {
    allow
        .about("Declares that something is no secret, although a rule finds it")
        .long_about(
            "Adds an [[allow]] to redaction.toml in the home, with the reason. A finding must match all that is given: \
             FINDING is a placeholder such as [REDACTED:keyed-value:9f3ac2d1b0], a line of `loopmem safety scan`, or a \
             tag alone, and allows this one value; --name, --field and --rule allow more. `loopmem safety allowances` \
             lists what is allowed.",
        )
        .arg(
            Arg::new("finding")
                .value_name("FINDING")
                .conflicts_with_all(["rule", "tag"])
                .help("A placeholder, a line of `safety scan`, or a tag"),
        )
}

/// Allows a finding; `None` if none was given.
pub(crate) fn run(session: &Session<'_>, args: &ArgMatches) -> Option<Result<ExitCode>> {
    let finding = args.get_one::<String>("finding")?;
    if finding.trim().lines().count() > 1 {
        usage_error("FINDING has several lines; pass one finding at a time")
    }
    let Some((rule, tag)) = parse(finding) else {
        usage_error("this is no finding; pass a placeholder, a line of `safety scan`, or a tag of ten hex digits")
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

/// `tag 9f3ac2d1b0 and rule keyed-value: the password of the demo`
pub(crate) fn sentence(allowance: &Members) -> String {
    let of = |key: &&str| allowance.get(*key).and_then(Value::as_str).map(|value| format!("{key} {value}"));
    let what: Vec<String> = KEYS.iter().filter_map(of).collect();
    format!("{}: {}", what.join(" and "), on_one_line(text(allowance, "reason")))
}

/// The layout of `safety allowances`.
pub(crate) fn layout(json: &str) -> Result<String> {
    let allowances: Vec<Members> = read(json)?;
    let lines: String = allowances.iter().map(|it| format!("{}\n", sentence(it))).collect();
    let count = counted(allowances.len() as u64, "allowance");
    Ok(format!("{lines}{FAINT}{count}{FAINT:#}"))
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
