//! `rollouts scan`: finds transcripts, and lists those that were skipped.

use std::collections::BTreeMap;

use clap::{ArgAction, ArgMatches, Command, ValueHint};
use loopmem::Result;
use loopmem::rollouts::Scanned;

use crate::human::arguments::{flag, params_with_list};
use crate::human::screen::{FAINT, KIND, counted, on_one_line};
use crate::human::views::faint;
use crate::session::{Session, read};

const METHOD: &str = "rollouts.scan";
/// The option whose values may be separated by commas.
const KINDS: &str = "kinds";
const SKIPPED: &str = "skipped";
/// So many paths of skipped transcripts are listed without being asked for.
const FEW: usize = 5;
/// Why transcripts are skipped.
const REASONS: [(&str, &str); 7] = [
    ("subagent", "belongs to a subagent"),
    ("noSession", "contains no session"),
    ("extraction", "was left by an extraction"),
    ("forgotten", "its session was forgotten"),
    ("secret", "its path or what it says of its session looks like a secret"),
    ("invalid", "its path or what it says of its session is invalid"),
    ("unreadable", "could not be read; the next scan tries again"),
];

pub(super) fn extend(verb: Command) -> Command {
    verb.about("Finds the transcripts of Codex and Claude Code, and registers their sessions")
        .mut_arg(KINDS, |arg| {
            arg.value_name("KIND")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(["codex", "claude"])
                .help("The kinds of transcripts, separated by commas [default: all]")
        })
        .mut_arg("roots", |arg| {
            arg.value_name("DIR")
                .num_args(1..)
                .value_hint(ValueHint::DirPath)
                .help("The folders to search instead of those of Codex and Claude Code")
        })
        .arg(flag(SKIPPED, "Lists the transcripts that were skipped, however many there are"))
}

pub(super) fn run(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let json = session.call(METHOD, &params_with_list(session, METHOD, KINDS, args)?)?;
    let scanned: Scanned = read(&json)?;
    session.show(json, || Ok(layout(&scanned, args.get_flag(SKIPPED))))
}

fn layout(scanned: &Scanned, lists_all: bool) -> String {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for it in &scanned.skipped {
        reasons.entry(&it.reason).or_default().push(&it.path);
    }
    let Scanned { found, new, changed, unchanged, .. } = scanned;
    let skipped = scanned.skipped.len();
    if *found == 0 {
        return faint("no transcripts were found; --roots names other folders to search");
    }
    let mut out = format!(
        "found {}: {new} new, {changed} changed, {unchanged} unchanged, {skipped} skipped\n",
        counted(*found, "transcript"),
    );
    let lists = lists_all || skipped <= FEW;
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, paths)| std::cmp::Reverse(paths.len()));
    let digits = reasons.first().map_or(0, |(_, paths)| paths.len().to_string().len());
    let longest = reasons.iter().map(|(reason, _)| reason.len()).max().unwrap_or(0);
    for (reason, paths) in reasons {
        let meaning = REASONS.iter().find(|(name, _)| *name == reason).map_or("", |(_, meaning)| meaning);
        let meaning = match meaning {
            "" => String::new(),
            meaning => format!("{:1$}{FAINT}{meaning}{FAINT:#}", "", longest - reason.len() + 2),
        };
        let (count, reason) = (paths.len(), on_one_line(reason));
        out.push_str(&format!("  {count:>digits$} {KIND}{reason}{KIND:#}{meaning}\n"));
        for path in paths.iter().filter(|_| lists) {
            out.push_str(&format!("{:1$}{2}\n", "", digits + 3, on_one_line(path)));
        }
    }
    if !lists {
        out.push_str(&format!("{FAINT}--skipped lists them{FAINT:#}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(skipped: &[(&str, &str)], lists_all: bool) -> String {
        let list: Vec<Value> = skipped.iter().map(|(path, reason)| json!({"path": path, "reason": reason})).collect();
        let scanned = json!({"found": 120, "new": 12, "changed": 3, "unchanged": 104, "skipped": list});
        anstream::adapter::strip_str(&layout(&serde_json::from_value(scanned).unwrap(), lists_all)).to_string()
    }

    #[test]
    fn skipped_transcripts_are_grouped_by_reason_and_listed_if_they_are_few() {
        let few = [("/a", "unreadable"), ("/b", "subagent"), ("/c", "subagent")];
        assert_eq!(
            shown(&few, false),
            "found 120 transcripts: 12 new, 3 changed, 104 unchanged, 3 skipped\n\
             \x20 2 subagent    belongs to a subagent\n    /b\n    /c\n\
             \x20 1 unreadable  could not be read; the next scan tries again\n    /a\n"
        );
        let many = [few.as_slice(), &[("/d", "later"); 9]].concat();
        let grouped = shown(&many, false);
        assert!(grouped.contains("12 skipped\n  9 later\n  2 subagent") && !grouped.contains("/a"), "{grouped}");
        assert!(grouped.ends_with("--skipped lists them\n"));
        assert!(shown(&many, true).contains("\n    /a\n") && !shown(&many, true).contains("--skipped"));
    }
}
