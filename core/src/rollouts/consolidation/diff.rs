//! The changes of the inputs of a consolidation since the last one, as a unified diff of limited length.

use std::collections::BTreeMap;

use similar::TextDiff;

/// The lines around a change.
const CONTEXT: usize = 3;
/// The most lines of two versions that are compared; longer ones are shown one after the other.
const MAX_LINES: usize = 4_000;

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
        push_changes(&mut text, old, new);
        // Anything beyond would be cut off.
        if text.len() > most.saturating_mul(4) {
            break;
        }
    }
    cut(text, most)
}

fn push_changes(text: &mut String, old: &str, new: &str) {
    if old.lines().count() + new.lines().count() > MAX_LINES {
        for (sign, lines) in [('-', old.lines()), ('+', new.lines())] {
            for line in lines {
                text.push(sign);
                text.push_str(line);
                text.push('\n');
            }
        }
        return;
    }
    let diff = TextDiff::from_lines(old, new);
    text.push_str(&diff.unified_diff().context_radius(CONTEXT).missing_newline_hint(false).to_string());
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
    text.truncate(end);
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
