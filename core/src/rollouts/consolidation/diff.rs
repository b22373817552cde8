//! The changes of the inputs of a consolidation since the last one, as a unified diff of limited length.

use std::collections::BTreeMap;

use git2::{DiffLineType, DiffOptions, Patch};

use crate::safety::beginning;

/// The lines around a change.
const CONTEXT: u32 = 3;

/// The inputs by thread.
pub(crate) type Inputs = BTreeMap<String, String>;

/// The difference between two sets of inputs, of at most `most` characters.
pub(crate) fn diff(before: &Inputs, after: &Inputs, most: usize) -> String {
    let mut text = String::new();
    let mut threads: Vec<&String> = before.keys().chain(after.keys()).collect();
    threads.sort_unstable();
    threads.dedup();
    for thread in threads {
        let (old, new) = (before.get(thread), after.get(thread));
        if old == new {
            continue;
        }
        let name = |side: Option<&String>| side.map_or_else(|| "/dev/null".to_owned(), |_| format!("thread {thread}"));
        text.push_str(&format!("--- {}\n+++ {}\n", name(old), name(new)));
        let (old, new) = (old.map_or("", String::as_str), new.map_or("", String::as_str));
        match changes(old, new) {
            Ok(changes) => text.push_str(&changes),
            // Too long for libgit2, and so longer than what is shown.
            Err(_) => new.lines().for_each(|line| text.push_str(&format!("+{line}\n"))),
        }
        // Anything beyond would be cut off.
        if text.len() > most.saturating_mul(4) {
            break;
        }
    }
    cut(text, most)
}

fn changes(old: &str, new: &str) -> Result<String, git2::Error> {
    let mut text = String::new();
    let mut options = DiffOptions::new();
    options.context_lines(CONTEXT).force_text(true);
    let patch = Patch::from_buffers(old.as_bytes(), None, new.as_bytes(), None, Some(&mut options))?;
    for hunk in 0..patch.num_hunks() {
        let (head, lines) = patch.hunk(hunk)?;
        // What follows the second mark is the line that libgit2 takes for the heading of the section.
        let head = String::from_utf8_lossy(head.header()).into_owned();
        let ranges = head.split("@@").nth(1).unwrap_or_default();
        text.push_str(&format!("@@{ranges}@@\n"));
        for line in 0..lines {
            let line = patch.line_in_hunk(hunk, line)?;
            if let DiffLineType::Context | DiffLineType::Addition | DiffLineType::Deletion = line.origin_value() {
                text.push(line.origin());
                text.push_str(String::from_utf8_lossy(line.content()).trim_end_matches('\n'));
                text.push('\n');
            }
        }
    }
    Ok(text)
}

/// The beginning of a text, with a last line that says so if it is cut.
fn cut(mut text: String, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text;
    }
    let note = format!("\n[cut: {count} characters]\n");
    let kept = most.saturating_sub(note.chars().count());
    let end = text.char_indices().nth(kept).map_or(text.len(), |(at, _)| at);
    text.truncate(beginning(&text, end).len());
    text.push_str(&note);
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(of: &[(&str, &str)]) -> Inputs {
        of.iter().map(|(thread, text)| ((*thread).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn added_removed_and_changed_threads_are_shown_in_order() {
        let before = inputs(&[("a", "one\ntwo\n"), ("b", "same\n"), ("c", "gone\n")]);
        let after = inputs(&[("a", "one\n2\n"), ("b", "same\n"), ("d", "new\n")]);
        let expected = "--- thread a\n+++ thread a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\
                        --- thread c\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\
                        --- /dev/null\n+++ thread d\n@@ -0,0 +1 @@\n+new\n";
        assert_eq!(diff(&before, &after, 1_000), expected);
        assert_eq!(diff(&before, &before, 1_000), "");
    }

    #[test]
    fn a_long_diff_is_cut_between_characters() {
        let after = inputs(&[("a", &"é\n".repeat(3_000))]);
        for most in [0, 1, 10, 25, 100, 1_000] {
            let text = diff(&Inputs::new(), &after, most);
            assert_eq!(text.chars().count(), most);
        }
        assert!(diff(&Inputs::new(), &after, 1_000).ends_with("characters]\n"));
        let long = inputs(&[("a", &"x\n".repeat(9_000))]);
        assert!(diff(&inputs(&[("a", "y\n")]), &long, 60_000).contains("\n-y\n+x\n+x\n"));
    }
}
