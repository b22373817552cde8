//! What changes in a text, for people. No I/O.

/// How many lines that stay are shown around those that change.
const CONTEXT: usize = 3;

/// A unified diff of two texts of the file `name`, with one hunk from the first change to the last; empty if they are the same.
pub(super) fn unified(name: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let (before, after): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let same = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let rest = |lines: &[&str]| lines.len() - same;
    let most = rest(&before).min(rest(&after));
    let same_at_end =
        before.iter().rev().zip(after.iter().rev()).take(most).take_while(|(one, other)| one == other).count();
    let (start, end) = (same.saturating_sub(CONTEXT), same_at_end.saturating_sub(CONTEXT));
    let shown = |lines: &[&str]| (if lines.is_empty() { 0 } else { start + 1 }, lines.len() - end - start);
    let ((old_line, old_count), (new_line, new_count)) = (shown(&before), shown(&after));
    let mut diff = format!("--- {name}\n+++ {name}\n@@ -{old_line},{old_count} +{new_line},{new_count} @@\n");
    let mut add = |sign: char, lines: &[&str]| {
        for line in lines {
            diff.push(sign);
            diff.push_str(line);
            if !line.ends_with('\n') {
                diff.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    let (old_end, new_end) = (before.len() - same_at_end, after.len() - same_at_end);
    add(' ', before.get(start..same).unwrap_or_default());
    add('-', before.get(same..old_end).unwrap_or_default());
    add('+', after.get(same..new_end).unwrap_or_default());
    add(' ', before.get(old_end..before.len() - end).unwrap_or_default());
    diff
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn lines_that_change_are_shown_with_some_around_them() {
        assert_eq!(unified("f", "a\n", "a\n"), "");
        assert_eq!(unified("f", "", "a\nb\n"), "--- f\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert_eq!(unified("f", "a", ""), "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n\\ No newline at end of file\n");
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let expected = "--- f\n+++ f\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+five\n 6\n 7\n 8\n";
        assert_eq!(unified("f", old, &old.replace("5\n", "five\nfive\n")), expected);
        assert_eq!(unified("f", "a\na\n", "a\na\na\n"), "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n a\n+a\n");
    }
}
