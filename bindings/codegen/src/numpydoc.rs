//! Docstrings in NumPy style: a one-line summary, more text, and sections for parameters, results and errors.

use std::fmt::Write as _;

use crate::names::wrapped_at;

/// The maximum line length of `ruff format` and `ruff check`.
pub(crate) const WIDTH: usize = 120;

/// A docstring.
pub(crate) struct Docstring {
    doc: String,
    sections: Vec<(&'static str, Vec<Entry>)>,
}

/// A parameter, the type of the result, or an error; each with a description.
pub(crate) struct Entry {
    pub(crate) head: String,
    pub(crate) doc: String,
    /// Whether the description is on the line of the head, in the place of a parameter's type, which the signature has.
    pub(crate) inline: bool,
}

impl Docstring {
    /// A docstring with the text `doc`, whose paragraphs are separated by blank lines.
    pub(crate) fn new(doc: impl Into<String>) -> Self {
        Docstring { doc: doc.into(), sections: Vec::new() }
    }

    /// Adds a section, unless it has no entries.
    pub(crate) fn section(mut self, name: &'static str, entries: Vec<Entry>) -> Self {
        if !entries.is_empty() {
            self.sections.push((name, entries));
        }
        self
    }

    /// Writes the docstring with this indentation.
    pub(crate) fn write(&self, out: &mut String, indent: &str) {
        let quotes = indent.len() + "\"\"\"".len();
        let fits = !self.doc.contains("\n\n") && quotes + self.doc.chars().count() + "\"\"\"".len() <= WIDTH;
        if fits && self.sections.is_empty() {
            let _ = writeln!(out, "{indent}\"\"\"{}\"\"\"", self.doc);
            return;
        }
        let (summary, rest) = summary(&self.doc, WIDTH - quotes);
        let _ = writeln!(out, "{indent}\"\"\"{summary}");
        if !rest.is_empty() {
            let _ = write!(out, "\n{}", wrapped_at(WIDTH, &rest, indent));
        }
        for (name, entries) in &self.sections {
            let _ = writeln!(out, "\n{indent}{name}\n{indent}{}", "-".repeat(name.len()));
            for Entry { head, doc, inline } in entries {
                let further = format!("{indent}    ");
                if *inline {
                    let text = wrapped_at(WIDTH, &format!("{head} : {doc}"), &further);
                    let _ = write!(out, "{indent}{}", text.trim_start());
                } else {
                    let _ = write!(out, "{indent}{head}\n{}", wrapped_at(WIDTH, doc, &further));
                }
            }
        }
        let _ = writeln!(out, "{indent}\"\"\"");
    }
}

/// The first sentence, and the rest. A sentence too long for a line is split at a colon, semicolon or comma.
fn summary(doc: &str, room: usize) -> (String, String) {
    let (paragraph, more) = doc.split_once("\n\n").unwrap_or((doc, ""));
    let (sentence, following) = match paragraph.split_once(". ") {
        Some((sentence, following)) => (format!("{sentence}."), following),
        None => (paragraph.to_owned(), ""),
    };
    let (sentence, explanation) = if sentence.chars().count() <= room { None } else { halves(&sentence, room) }
        .unwrap_or_else(|| (sentence.clone(), String::new()));
    (sentence, joined(&[&joined(&[&explanation, following], " "), more], "\n\n"))
}

/// Splits a sentence at the last colon, semicolon or comma at which the first part fits into `room`.
fn halves(sentence: &str, room: usize) -> Option<(String, String)> {
    [": ", "; ", ", "].iter().find_map(|mark| {
        let fits = |at: &usize| sentence[..*at].chars().count() < room;
        let at = sentence.rmatch_indices(mark).map(|(at, _)| at).find(fits)?;
        Some((format!("{}.", &sentence[..at]), capital(&sentence[at + mark.len()..])))
    })
}

/// Joins the texts that are not empty.
fn joined(texts: &[&str], by: &str) -> String {
    texts.iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>().join(by)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(docstring: &Docstring) -> String {
        let mut out = String::new();
        docstring.write(&mut out, "    ");
        out
    }

    #[test]
    fn a_text_that_fits_stays_on_one_line() {
        assert_eq!(written(&Docstring::new("Lists. Nothing else.")), "    \"\"\"Lists. Nothing else.\"\"\"\n");
    }

    #[test]
    fn the_first_sentence_is_the_summary_and_the_sections_follow() {
        let entry = |head: &str, doc: &str, inline: bool| Entry { head: head.to_owned(), doc: doc.to_owned(), inline };
        let docstring = Docstring::new("Lists. One by one.\n\nMore.")
            .section("Parameters", vec![entry("name", "The name.", true)])
            .section("Raises", Vec::new())
            .section("Returns", vec![entry("list of str", "The names.", false)]);
        let expected = "    \"\"\"Lists.\n\n    One by one.\n\n    More.\n\n    Parameters\n    ----------\n    \
                        name : The name.\n\n    Returns\n    -------\n    list of str\n        The names.\n    \"\"\"\n";
        assert_eq!(written(&docstring), expected);
    }

    #[test]
    fn a_sentence_too_long_for_a_line_is_split() {
        assert_eq!(summary("Copies it: after a move.", 20), ("Copies it.".into(), "After a move.".into()));
        assert_eq!(
            summary("Copies it, all of it. Then ends.", 20),
            ("Copies it.".into(), "All of it. Then ends.".into())
        );
        assert_eq!(summary("Copies it: after.", 20), ("Copies it: after.".into(), String::new()));
        assert_eq!(summary("Copies all of what is there.", 20), ("Copies all of what is there.".into(), String::new()));
    }
}
