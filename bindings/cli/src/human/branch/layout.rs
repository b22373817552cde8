//! The results of the room's methods, as a terminal shows them.

use std::fmt::Write as _;

use loopmem::Result;
use loopmem::branch::{
    Checkout, Conflict, Packed, PrunedSnapshots, Push, Rollback, Snapshot, SnapshotList, Unpacked, Validation,
};

use crate::human::screen::{ERROR, FAINT, ID, Keep, PLAIN, WARNING, counted, moment, on_one_line};
use crate::human::table::Table;
use crate::human::views::faint;
use crate::session::{Session, read};

/// Formats the result of the method `verb`, of which `tag` is a param.
pub(super) fn layout(session: &Session<'_>, verb: &str, tag: &str, json: &str) -> Result<String> {
    Ok(match verb {
        "checkout" => checkout(&read(json)?),
        "validate" => validation(&read(json)?),
        "push" => push(&read(json)?),
        "pack" => packed(&read(json)?),
        "unpack" => unpacked(&read(json)?),
        "snapshot" => {
            let Snapshot { tag, commit, .. } = read(json)?;
            format!("{ID}{}{ID:#} is at {}", on_one_line(&tag), short(&commit))
        }
        "snapshots" => snapshots(session, &read(json)?),
        "rollback" => rollback(tag, &read(json)?),
        _ => pruned(&read(json)?),
    })
}

fn checkout(done: &Checkout) -> String {
    let branch = on_one_line(&done.branch);
    let mut out = match &done.base {
        Some(base) if !done.created => format!("{ID}{branch}{ID:#} is checked out, at {}\n", short(base)),
        _ => format!("{ID}{branch}{ID:#} does not exist yet; the first push creates it\n"),
    };
    _ = writeln!(out, "{FAINT}{}{FAINT:#}", on_one_line(&done.directory));
    if done.merged && !done.created {
        out.push_str("the folder has unpushed changes\n");
    }
    out + &conflicts(&done.conflicts)
}

fn push(done: &Push) -> String {
    let mut out = match &done.commit {
        None => "nothing to push\n".to_owned(),
        Some(commit) => format!(
            "pushed {ID}{}{ID:#}: {} added, {} changed, {} removed\n",
            short(commit),
            done.added.len(),
            done.changed.len(),
            done.removed.len()
        ),
    };
    if done.merged {
        out.push_str("merged with what others pushed, which the folder has now too\n");
    }
    out + &conflicts(&done.conflicts) + &skipped(&done.skipped)
}

/// The files that both sides changed, with the places of the other versions.
fn conflicts(all: &[Conflict]) -> String {
    let one = |it: &Conflict| {
        let (path, theirs) = (on_one_line(&it.path), short(&it.theirs));
        format!("{WARNING}both changed{WARNING:#} {path}: yours stays, the other version is {theirs}:{path}\n")
    };
    all.iter().map(one).collect()
}

fn validation(done: &Validation) -> String {
    let mut out = String::new();
    for fault in &done.rejected {
        let (rule, message) = (fault.rule, on_one_line(&fault.message));
        let path = fault.path.as_ref().map(|path| format!("{ID}{}{ID:#}: ", on_one_line(path))).unwrap_or_default();
        _ = writeln!(out, "{ERROR}{rule}{ERROR:#} {path}{message}");
    }
    let (files, faults) = (done.files.len(), done.rejected.len());
    _ = match (faults, files) {
        (0, 1) => writeln!(out, "1 file is valid"),
        (0, files) => writeln!(out, "{files} files are valid"),
        _ => writeln!(
            out,
            "{} in {}; nothing is pushed until they are fixed",
            counted(faults, "fault"),
            counted(files, "file")
        ),
    };
    for path in &done.conflicts {
        _ = writeln!(out, "{ID}{}{ID:#}: your change would replace one of theirs", on_one_line(path));
    }
    out + &skipped(&done.skipped)
}

/// The files that are not pushed, since they match no pattern.
fn skipped(paths: &[String]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let paths: Vec<String> = paths.iter().map(|path| on_one_line(path)).collect();
    format!("{FAINT}not pushed, since they match no pattern: {}{FAINT:#}\n", paths.join(", "))
}

fn packed(done: &Packed) -> String {
    let path = on_one_line(&done.artifact_path);
    if !done.written {
        return format!("{ID}{path}{ID:#} is up to date");
    }
    let unchanged = done.files.saturating_sub(done.packed);
    let left_out = if unchanged > 0 { format!(", {unchanged} of them as they were") } else { String::new() };
    format!("{ID}{path}{ID:#}: {}{left_out}, {} bytes", counted(done.files, "file"), done.bytes)
}

fn unpacked(done: &Unpacked) -> String {
    let base = match &done.base {
        None => "the commit that they come from is not known".to_owned(),
        Some(base) => format!("they come from {}", short(base)),
    };
    let (files, changed, folder) = (counted(done.files, "file"), done.changed.len(), on_one_line(&done.directory));
    format!("{files} in {ID}{folder}{ID:#}, {changed} changed\n{FAINT}{base}{FAINT:#}")
}

fn snapshots(session: &Session<'_>, list: &SnapshotList) -> String {
    if list.snapshots.is_empty() {
        return faint("no snapshots; `loopmem branch snapshot` makes one");
    }
    Table::of(&list.snapshots)
        .flexible("TAG", ID, Keep::Start, |it| &it.tag)
        .fixed("COMMIT", PLAIN, |it| short(&it.commit))
        .fixed("MADE", FAINT, |it| moment(&it.time, session.now))
        .text()
}

fn rollback(tag: &str, done: &Rollback) -> String {
    match &done.commit {
        None => format!("the branch has the files of {ID}{tag}{ID:#} already"),
        Some(commit) => format!(
            "the branch has the files of {ID}{tag}{ID:#} again, at {}; the next checkout brings them to the folder",
            short(commit)
        ),
    }
}

fn pruned(done: &PrunedSnapshots) -> String {
    let removed: Vec<String> = done.removed.iter().map(|tag| on_one_line(tag)).collect();
    match removed.len() {
        0 => "nothing to remove".to_owned(),
        count => format!("removed {}: {}", counted(count, "snapshot"), removed.join(", ")),
    }
}

/// The first digits of a commit.
fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}
