//! The merge of text by lines.

use std::borrow::Cow;

use git2::{FileFavor, MergeFileInput, MergeFileOptions};

use super::merged::Merged;

/// Merges text; `None` if the versions cannot be merged.
///
/// If both sides only appended to base, both tails are kept, theirs first. Other changes are merged as git does, with
/// ours for conflicting hunks.
pub(super) fn merge(base: Option<&str>, ours: &str, theirs: &str) -> Option<Merged> {
    match base {
        Some(base) => merge_appended(base, ours, theirs).or_else(|| merge_lines(base, ours, theirs)),
        None => longer(ours, theirs).map(Merged::clean),
    }
}

/// The side that begins with all lines of the other; `None` if neither does.
fn longer<'t>(ours: &'t str, theirs: &'t str) -> Option<&'t str> {
    if terminated(ours).starts_with(&*terminated(theirs)) {
        return Some(ours);
    }
    terminated(theirs).starts_with(&*terminated(ours)).then_some(theirs)
}

/// Merges versions to which both sides only appended; `None` if a side did anything else. If one tail begins or ends
/// with the other, it contains both.
fn merge_appended(base: &str, ours: &str, theirs: &str) -> Option<Merged> {
    let (our_text, their_text) = (terminated(ours), terminated(theirs));
    let (our_tail, their_tail) = (tail(base, &our_text)?, tail(base, &their_text)?);
    if includes(our_tail, their_tail) {
        return Some(Merged::clean(ours));
    }
    if includes(their_tail, our_tail) {
        return Some(Merged::clean(theirs));
    }
    Some(Merged::clean([&*their_text, our_tail].concat()))
}

/// A text with a line break after its last line, of the kind that follows its first line.
fn terminated(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') {
        return Cow::Borrowed(text);
    }
    let has_return = text.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r'));
    Cow::Owned([text, if has_return { "\r\n" } else { "\n" }].concat())
}

/// The lines of a text after those of base; `None` if it does not begin with them. The last line of base may lack its
/// line break.
fn tail<'t>(base: &str, text: &'t str) -> Option<&'t str> {
    let tail = text.strip_prefix(base)?;
    if base.is_empty() || base.ends_with('\n') {
        return Some(tail);
    }
    tail.strip_prefix("\r\n").or_else(|| tail.strip_prefix('\n'))
}

/// Returns whether lines begin or end with other lines. The tail of an earlier merge's result ends with the tail of ours.
fn includes(lines: &str, others: &str) -> bool {
    lines.starts_with(others) || lines.strip_suffix(others).is_some_and(|rest| rest.is_empty() || rest.ends_with('\n'))
}

/// Merges lines as git does, with ours for conflicting hunks; `None` if that fails.
fn merge_lines(base: &str, ours: &str, theirs: &str) -> Option<Merged> {
    // libgit2 cannot allocate before it is initialized, which `git2::merge_file` does not do, but creating a buffer
    // does.
    drop(git2::Buf::new());
    let [base, ours, theirs] = [base, ours, theirs].map(|text| {
        let mut input = MergeFileInput::new();
        input.content(text.as_bytes());
        input
    });
    let merged = git2::merge_file(&base, &ours, &theirs, None).ok()?;
    if merged.is_automergeable() {
        return Some(Merged::clean(merged.content()));
    }
    let mut options = MergeFileOptions::new();
    options.favor(FileFavor::Ours);
    let merged = git2::merge_file(&base, &ours, &theirs, Some(&mut options)).ok()?;
    Some(Merged::conflict(merged.content()))
}
