//! Records as text of a context pack: nothing in a record can look like a section, another record, or the last line.
//!
//! Markdown in a record keeps its meaning within the record. Headings are demoted below those of sections and records,
//! and what could reach beyond the record is escaped with a backslash: underlines of headings, code fences that are not
//! closed, and blocks of HTML.

use std::borrow::Cow;

use crate::safety::{escape, escape_controls_on_one_line, is_steering};

/// How far a heading in a record is demoted: below `#` for sections and `##` for records.
const DEMOTED_BY: usize = 2;
/// The deepest heading of Markdown.
const DEEPEST: usize = 6;
/// A line that is indented further is no heading and no fence.
const MAX_INDENT: usize = 3;

/// Puts a text on one line, with [control characters](is_steering) as escapes.
pub fn line(text: &str) -> Cow<'_, str> {
    match one_line(text) {
        Cow::Borrowed(text) => escape_controls_on_one_line(text),
        Cow::Owned(text) => escape_controls_on_one_line(&text).into_owned().into(),
    }
}

/// An id in a pack: as it is if it is one word, and otherwise quoted, since it may read like an instruction.
pub fn shown_id(id: &str) -> Cow<'_, str> {
    let is_usual = |c: char| !c.is_whitespace() && !"\"\\[]`<>".contains(c) && !is_steering(c);
    if id.chars().all(is_usual) { Cow::Borrowed(id) } else { quoted(id).into() }
}

/// A text in quotation marks on one line.
pub fn quoted(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 2);
    escaped.push('"');
    for character in text.trim().chars() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            _ => escaped.push(character),
        }
    }
    escaped.push('"');
    escape_controls_on_one_line(&escaped).into_owned()
}

fn one_line(text: &str) -> Cow<'_, str> {
    let is_clean = !text.contains(|c: char| (c.is_whitespace() || is_line_end(c)) && c != ' ') && !text.contains("  ");
    if is_clean && text.trim().len() == text.len() {
        return Cow::Borrowed(text);
    }
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || is_line_end(c)).filter(|it| !it.is_empty()).collect();
    words.join(" ").into()
}

/// Whether a text begins as a paragraph and not as another block, so that it may follow an id on the same line.
pub(super) fn begins_as_paragraph(text: &str) -> bool {
    !text.starts_with(['#', '-', '+', '*', '>', '|', '`', '~', '<', '=', '\\', ' ', '\t'])
        && !text.starts_with(is_line_end)
}

/// Appends a text as data.
pub(super) fn push_data(out: &mut String, text: &str) {
    let text = escape(text, |c| is_steering(c) && c != '\t' && !is_line_end(c));
    let lines = lines(&text);
    // What is known about fences without an end: by character and indent, the shortest one that was searched for, and the
    // line up to which it has none.
    let mut open = [[(usize::MAX, 0); MAX_INDENT + 1]; 2];
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some(fence) = line.opens() {
            let known = &mut open[usize::from(fence.mark == '~')][line.indent];
            let is_open = fence.length >= known.0 && at < known.1;
            match if is_open { Err(known.1) } else { fence.end(&lines, at) } {
                Ok(end) => {
                    lines[at..=end].iter().for_each(|line| line.push_code(out));
                    at = end + 1;
                    continue;
                }
                Err(reached) => {
                    if !is_open {
                        *known = (fence.length, reached);
                    }
                    line.push_escaped(out);
                }
            }
        } else {
            line.push_text(out);
        }
        at += 1;
    }
}

/// A line and what ends it.
struct Line<'t> {
    indent: usize,
    /// After the indent.
    text: &'t str,
    end: &'t str,
    /// Whether Markdown sees a line here too, and not only other readers of text.
    is_real: bool,
}

/// The beginning of a block of code.
struct Fence {
    mark: char,
    length: usize,
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut lines, mut rest, mut is_real) = (Vec::new(), text, true);
    while !rest.is_empty() {
        let length = rest.find(is_line_end).unwrap_or(rest.len());
        let (line, after) = rest.split_at(length);
        let end = if after.starts_with("\r\n") { 2 } else { after.chars().next().map_or(0, char::len_utf8) };
        let (end, after) = after.split_at(end);
        let indented = line.trim_start_matches(' ');
        lines.push(Line { indent: line.len() - indented.len(), text: indented, end, is_real });
        is_real = matches!(end, "\n" | "\r" | "\r\n");
        rest = after;
    }
    lines
}

impl Line<'_> {
    fn is_block(&self) -> bool {
        self.indent <= MAX_INDENT && !self.text.starts_with('\t')
    }

    fn opens(&self) -> Option<Fence> {
        let mark = self.text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = self.text.trim_start_matches(mark);
        let length = self.text.len() - info.len();
        let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
        (self.is_real && self.is_block() && is_fence).then_some(Fence { mark, length })
    }

    /// The level of a heading, if it is one.
    fn heading(&self) -> Option<usize> {
        let after = self.text.trim_start_matches('#');
        let level = self.text.len() - after.len();
        let is_heading = (1..=DEEPEST).contains(&level) && (after.is_empty() || after.starts_with([' ', '\t']));
        (self.is_block() && is_heading).then_some(level)
    }

    /// Whether it makes a heading of the line before it.
    fn is_underline(&self) -> bool {
        let text = self.text.trim_end();
        let is_of = |mark: char| text.chars().all(|c| c == mark);
        !text.is_empty() && (is_of('=') || is_of('-'))
    }

    /// Whether it begins a block of HTML that does not end with the paragraph.
    fn is_html(&self) -> bool {
        let Some(tag) = self.text.strip_prefix('<') else { return false };
        let is_raw = |name: &str| tag.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name));
        tag.starts_with(['!', '?']) || ["script", "pre", "style", "textarea"].iter().any(|name| is_raw(name))
    }

    /// Whether it looks like the last line of a pack that left something out.
    fn is_notice(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit()) && self.text.trim_end().ends_with("left out")
    }

    fn push(&self, out: &mut String, before: &str) {
        out.extend(std::iter::repeat_n(' ', self.indent));
        out.push_str(before);
        out.push_str(self.text);
        out.push_str(if self.end.starts_with('\r') { "\n" } else { self.end });
    }

    fn push_escaped(&self, out: &mut String) {
        self.push(out, "\\");
    }

    fn push_text(&self, out: &mut String) {
        match self.heading() {
            Some(level) => self.push(out, &"#".repeat((level + DEMOTED_BY).min(DEEPEST) - level)),
            None if self.is_block() && (self.is_underline() || self.is_html() || self.is_notice()) => {
                self.push_escaped(out);
            }
            None => self.push(out, ""),
        }
    }

    /// Code is kept, but for the indent of a line that would look like a section to a reader that ignores fences.
    fn push_code(&self, out: &mut String) {
        self.push(out, if self.heading().is_some() || self.is_notice() { "    " } else { "" });
    }
}

impl Fence {
    /// The line that ends the code which begins at `start`; or the line up to which there is none.
    ///
    /// Where a fence is indented, it may be within a list, whose end would be its end too: then it counts as closed only
    /// if everything up to its end is indented likewise.
    fn end(&self, lines: &[Line<'_>], start: usize) -> Result<usize, usize> {
        let Some(opening) = lines.get(start) else { return Err(start) };
        for (at, line) in lines.iter().enumerate().skip(start + 1).filter(|(_, line)| line.is_real) {
            if line.indent < opening.indent && !line.text.trim().is_empty() {
                return Err(at);
            }
            let after = line.text.trim_start_matches(self.mark);
            let length = line.text.len() - after.len();
            if line.is_block() && length >= self.length && after.trim_matches([' ', '\t']).is_empty() {
                return Ok(at);
            }
        }
        Err(lines.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn data(text: &str) -> String {
        let mut out = String::new();
        push_data(&mut out, text);
        out
    }

    #[test]
    fn headings_are_demoted_and_their_underlines_escaped() {
        for (text, expected) in [
            ("# Decisions", "### Decisions"),
            ("  ## x\n###### y\n####### z", "  #### x\n###### y\n####### z"),
            ("#12 is fixed\n#tag", "#12 is fixed\n#tag"),
            ("Decisions\n===\r\nNotes\r--- \n- a", "Decisions\n\\===\nNotes\n\\--- \n- a"),
            ("a\u{2028}# b\u{b}# c", "a\u{2028}### b\u{b}### c"),
            ("    # code", "    # code"),
            ("#", "###"),
            ("<!-- x\n<div>", "\\<!-- x\n<div>"),
            ("12 older notes left out", "\\12 older notes left out"),
        ] {
            assert_eq!(data(text), expected, "{text:?}");
        }
    }

    #[test]
    fn code_is_kept_and_a_fence_without_an_end_is_escaped() {
        for (text, expected) in [
            ("```sh\nls\n```\n# x", "```sh\nls\n```\n### x"),
            ("```sh\n# install\n===\n````", "```sh\n    # install\n===\n````"),
            ("```\n# Decisions", "\\```\n### Decisions"),
            ("~~~~\na\n~~~\n```\n", "\\~~~~\na\n\\~~~\n\\```\n"),
            ("- a\n  ```\ntext\n  ```", "- a\n  \\```\ntext\n  \\```"),
            ("- a\n  ```\n  code\n  ```", "- a\n  ```\n  code\n  ```"),
            ("  ```\n  a\n```", "  \\```\n  a\n\\```"),
            ("a\u{2028}```\nb\n```", "a\u{2028}```\nb\n\\```"),
            ("```a`b\nx", "```a`b\nx"),
        ] {
            assert_eq!(data(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_megabyte_of_open_fences_takes_linear_time() {
        for text in ["```a\n", " ```a\n", "~~~a\n```b\n  ```c\n"] {
            data(&text.repeat((1 << 20) / text.len()));
        }
    }

    proptest! {
        #[test]
        fn no_record_has_a_heading_of_a_section(text in "([#=~`<! a\\-]|```|~~~|# x|\n|\r|\u{2028}|  ){0,40}") {
            let data = data(&text);
            let has_code = data.contains("```") || data.contains("~~~");
            for line in data.split(is_line_end).filter(|line| !line.starts_with("    ")) {
                let line = line.trim_start_matches(' ');
                prop_assert!(!line.starts_with("# ") && !line.starts_with("## "), "{:?}", data);
                prop_assert!(has_code || !line.starts_with("<!"), "{:?}", data);
            }
        }
    }
}
