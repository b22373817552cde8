//! The part of an agent's Markdown file that loopmem writes, and the sections of the rest. No I/O.

use loopmem::{Error, Result};

const BEGIN: &str = "<!-- loopmem: what follows is written by `loopmem agents export`; changes are overwritten -->";
const END: &str = "<!-- loopmem: end -->";
/// What the first marker begins with: other versions may say more or less after it.
const BEGINS_WITH: &str = "<!-- loopmem: what follows";

/// A section of a file: a heading and what is below it, up to the next heading.
#[derive(Debug, PartialEq)]
pub(super) struct Section {
    /// The headings that lead to it, from the outermost.
    pub(super) titles: Vec<String>,
    pub(super) body: String,
}

/// A file with `part` between the markers, instead of what was there; at its end if they are not in it, and without them if
/// `part` is empty.
///
/// # Errors
/// `ValidationError` if the markers are not a pair.
pub(super) fn with_part(text: &str, part: &str) -> Result<String> {
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = match part.is_empty() {
        true => String::new(),
        // What is stored cannot end the part.
        false => format!("{BEGIN}\n\n{}\n\n{END}\n", part.trim().replace("<!--", "&lt;!--")).replace('\n', line_break),
    };
    match place(text)? {
        Some((start, end)) => {
            let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
            // The blank line before it came with it.
            let before = if block.is_empty() { before.strip_suffix(line_break).unwrap_or(before) } else { before };
            Ok(format!("{before}{block}{after}"))
        }
        None if block.is_empty() => Ok(text.to_owned()),
        None if text.trim().is_empty() => Ok(block),
        None if text.ends_with('\n') => Ok(format!("{text}{line_break}{block}")),
        None => Ok(format!("{text}{line_break}{line_break}{block}")),
    }
}

/// Where the part begins and ends, with its markers.
fn place(text: &str) -> Result<Option<(usize, usize)>> {
    let (mut begins, mut ends, mut at) = (Vec::new(), Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with(BEGINS_WITH) {
            begins.push(at);
        } else if line.trim_end() == END {
            ends.push(at + line.len());
        }
        at += line.len();
    }
    match (&*begins, &*ends) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin < end => Ok(Some((*begin, *end))),
        _ => Err(Error::validation(format!(
            "its markers are not a pair: one line must begin with `{BEGINS_WITH}`, and one after it be `{END}`"
        ))),
    }
}

/// The sections of a file that have a text, without the part that loopmem wrote.
///
/// # Errors
/// As [`with_part`].
pub(super) fn sections(text: &str) -> Result<Vec<Section>> {
    let text = with_part(text, "")?;
    let (mut sections, mut titles): (Vec<Section>, Vec<(usize, String)>) = (Vec::new(), Vec::new());
    let mut body = String::new();
    let mut fence: Option<&str> = None;
    let end = |titles: &[(usize, String)], body: &mut String, sections: &mut Vec<Section>| {
        let text = std::mem::take(body);
        // A line that only names another file says nothing here.
        let says_something = text.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with('@'));
        if says_something {
            let titles = titles.iter().map(|(_, title)| title.clone()).collect();
            sections.push(Section { titles, body: text.trim().to_owned() });
        }
    };
    for line in text.lines() {
        let marker = ["```", "~~~"].into_iter().find(|marker| line.trim_start().starts_with(marker));
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(open), Some(marker)) if open == marker => fence = None,
            _ => {}
        }
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = fence.is_none() && marker.is_none() && (1..=6).contains(&level);
        match line.get(level..).and_then(|rest| rest.strip_prefix(' ')).filter(|_| is_heading) {
            Some(title) => {
                end(&titles, &mut body, &mut sections);
                titles.retain(|(other, _)| *other < level);
                titles.push((level, title.trim().trim_end_matches('#').trim_end().to_owned()));
            }
            None => {
                body.push_str(line);
                body.push('\n');
            }
        }
    }
    end(&titles, &mut body, &mut sections);
    Ok(sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        for text in ["", "# Mine\n", "# Mine", "# Mine\r\n\r\ntext\r\n", "a\n\n\n"] {
            let one = with_part(text, "## Conventions\n\n- a").unwrap();
            assert!(one.starts_with(text) && one.contains("- a"), "{one:?}");
            assert_eq!(with_part(&one, "## Conventions\n\n- a").unwrap(), one);
            let other = with_part(&one, "- b <!-- loopmem: end -->").unwrap();
            assert!(other.starts_with(text) && other.contains("- b") && !other.contains("- a"), "{other:?}");
            let after = format!("{other}\nmore\n");
            assert_eq!(with_part(&after, "## Conventions\n\n- a").unwrap(), format!("{one}\nmore\n"));
            let gone = with_part(&one, "").unwrap();
            assert!(gone == text || gone == format!("{text}\n"), "{gone:?}");
        }
    }

    #[test]
    fn markers_that_are_no_pair_are_an_error() {
        let whole = with_part("", "- a").unwrap();
        let (begin, end) = (format!("{BEGIN}\n"), format!("{END}\n"));
        for text in [begin.clone(), end.clone(), format!("{end}{begin}"), format!("{whole}{whole}")] {
            assert!(with_part(&text, "- b").is_err() && sections(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_section_is_what_is_below_a_heading() {
        let text = "intro\n# Project\n## Build ##\nmake\n\n```sh\n# not a heading\n```\n### Tests\n@other.md\n## Style\n#tag\n";
        let text = with_part(text, "## Conventions\n\n- ours").unwrap();
        let found = sections(&text).unwrap();
        let found: Vec<(String, &str)> = found.iter().map(|it| (it.titles.join("/"), &*it.body)).collect();
        let build = "make\n\n```sh\n# not a heading\n```";
        assert_eq!(
            found,
            [(String::new(), "intro"), ("Project/Build".to_owned(), build), ("Project/Style".to_owned(), "#tag")]
        );
    }
}
