//! The sessions that the files of a consolidation cite.
//!
//! A statement names the sessions that it is from, as `[thread:ID]`. What cites a session that was withdrawn is not shown, and
//! another consolidation is due as long as it is there.

use std::collections::HashSet;

use super::root::{self, Files};
use crate::error::Result;
use crate::home::{Home, Layout};
use crate::rollouts::database::{State, all, execute};
use crate::rollouts::threads::MAX_ID_BYTES;
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::Connection;

/// The most lines without a citation that are reported.
const MAX_UNSOURCED: usize = 100;
/// The depth of a text without indentation: below all headings.
const BELOW_HEADINGS: usize = 10;
const UUID_BYTES: usize = 36;
/// What is before an id.
const MARKS: [&str; 3] = ["thread:", "thread_id:", "thread_id="];

/// What may be the id of a session.
pub(crate) struct Name<'t> {
    pub(crate) id: &'t str,
    /// True if it can be nothing else, by its form or by what is before it.
    is_certain: bool,
}

/// A heading, a paragraph, an entry of a list, or a row of a table.
pub(crate) struct Block<'t> {
    /// The number of its first line, from 1.
    line: usize,
    /// With what is before the next one.
    pub(crate) text: &'t str,
    /// What is deeper belongs to it.
    pub(crate) depth: usize,
}

impl<'t> Block<'t> {
    /// The line of a heading; `None` if it is none.
    pub(crate) fn heading(&self) -> Option<&'t str> {
        (self.depth < BELOW_HEADINGS).then(|| self.text.lines().next().unwrap_or_default())
    }

    /// True if it says something, and does not only introduce what follows.
    fn is_statement(&self) -> bool {
        let text = self.text.trim();
        let is_mark = |it: char| it.is_whitespace() || "|-:=*_`~".contains(it);
        self.depth >= BELOW_HEADINGS && !text.ends_with(':') && !text.starts_with("<!--") && !text.chars().all(is_mark)
    }
}

fn is_list_marker(text: &str) -> bool {
    let rest = text.trim_start_matches(|it: char| it.is_ascii_digit());
    let after = match rest.len() < text.len() {
        true => rest.strip_prefix(['.', ')']),
        false => text.strip_prefix(['-', '*', '+']),
    };
    after.is_some_and(|after| after.is_empty() || after.starts_with([' ', '\t']))
}

/// The level of a heading.
fn heading(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches('#');
    let level = text.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t'])).then_some(level)
}

/// The blocks of a text in Markdown.
pub(crate) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut starts: Vec<(usize, usize, usize)> = Vec::new();
    let (mut offset, mut is_after_blank, mut is_code) = (0, true, false);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        let is_fence = content.starts_with("```") || content.starts_with("~~~");
        if !is_code && !content.is_empty() {
            let level = heading(content).filter(|_| indent < 4);
            let is_after_heading = starts.last().is_some_and(|(.., depth)| *depth < BELOW_HEADINGS);
            // An indented paragraph belongs to the entry before it.
            let is_paragraph = is_after_blank && (indent < 2 || starts.is_empty());
            let is_start = is_paragraph || is_after_heading || is_list_marker(content) || content.starts_with('|');
            if level.is_some() || is_start {
                starts.push((offset, number + 1, level.unwrap_or(BELOW_HEADINGS + indent)));
            }
        }
        is_code ^= is_fence;
        is_after_blank = content.is_empty();
        offset += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, ..)| *start).chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((from, line, depth), to)| Block { line: *line, text: &text[*from..to], depth: *depth })
        .collect()
}

fn is_uuid(text: &str) -> bool {
    text.len() == UUID_BYTES
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// What may be ids in a text: everything in brackets as a whole and in parts, what follows `thread:` or `thread_id:`, and what
/// has the form of a UUID, such as in the name of a file.
pub(crate) fn names(text: &str) -> impl Iterator<Item = Name<'_>> {
    let insides = text.split('[').skip(1).filter_map(|after| Some(after.split_once(']')?.0));
    let parts = insides.flat_map(|inside| {
        let parts = inside.split(|it: char| it.is_whitespace() || ",;".contains(it));
        std::iter::once(inside).chain(parts).map(|part| {
            let marked = part.trim().strip_prefix("thread:");
            Name { id: marked.unwrap_or(part).trim(), is_certain: marked.is_some() }
        })
    });
    let mut is_marked = false;
    let words = text.split(|it: char| it.is_whitespace() || "[](){}<>,;'\"`/".contains(it));
    let words = words.filter(|word| !word.is_empty()).filter_map(move |word| {
        let marked = MARKS.iter().find_map(|mark| word.strip_prefix(mark));
        let is_after_mark = std::mem::replace(&mut is_marked, marked == Some(""));
        let id = marked.unwrap_or(word).trim_end_matches('.');
        let id = id.strip_suffix(".md").or_else(|| id.strip_suffix(".jsonl")).unwrap_or(id);
        // The name of a rollout ends with one.
        let uuid = id.len().checked_sub(UUID_BYTES).and_then(|from| id.get(from..)).filter(|end| is_uuid(end));
        let is_certain = uuid.is_some() || marked.is_some() || is_after_mark;
        is_certain.then_some(Name { id: uuid.unwrap_or(id), is_certain })
    });
    parts.chain(words).filter(|name| !name.id.is_empty() && name.id.len() <= MAX_ID_BYTES)
}

/// The blocks of a text, each with whether `holds` for it, and whether it does for one that it belongs to.
fn outlined<'t>(text: &'t str, holds: impl Fn(&str) -> bool) -> Vec<(Block<'t>, bool, bool)> {
    let mut above: Vec<(usize, bool)> = Vec::new();
    let of = |block: Block<'t>| {
        above.truncate(above.iter().take_while(|(depth, _)| *depth < block.depth).count());
        let (own, inherited) = (holds(block.text), above.iter().any(|(_, holds)| *holds));
        above.push((block.depth, own));
        (block, own, inherited)
    };
    blocks(text).into_iter().map(of).collect()
}

/// A text without what cites one of these sessions, and without what belongs to such a part and cites no other session.
pub(crate) fn without(text: &str, hidden: &HashSet<String>) -> String {
    let cites = |text: &str| names(text).any(|name| hidden.contains(name.id));
    let is_sourced = |text: &str| names(text).any(|name| name.is_certain);
    let blocks = outlined(text, cites);
    let first = blocks.first().map_or(text.len(), |(block, ..)| block.text.as_ptr() as usize - text.as_ptr() as usize);
    let is_shown = |block: &Block<'_>, cites: bool, inherited: bool| !cites && (!inherited || is_sourced(block.text));
    let shown = blocks.iter().filter(|(block, cites, inherited)| is_shown(block, *cites, *inherited));
    text[..first].chars().chain(shown.flat_map(|(block, ..)| block.text.chars())).collect()
}

/// The numbers of the lines at which a statement begins that is not known to be from any session: neither the statement nor
/// what it belongs to names one.
fn unsourced(text: &str, sessions: &HashSet<String>) -> Vec<u32> {
    let blocks = outlined(text, |text| names(text).any(|name| name.is_certain || sessions.contains(name.id)));
    let is_introduction = |at: usize| blocks.get(at + 1).is_some_and(|(next, ..)| next.depth > blocks[at].0.depth);
    let lines = blocks
        .iter()
        .enumerate()
        .filter(|(at, (block, own, inherited))| !own && !inherited && block.is_statement() && !is_introduction(*at));
    lines.filter_map(|(_, (block, ..))| u32::try_from(block.line).ok()).take(MAX_UNSOURCED).collect()
}

/// What the files of a consolidation cite.
#[derive(Debug, Default)]
pub(crate) struct Cited {
    /// What may be the ids of sessions.
    names: HashSet<String>,
    /// The text of `MEMORY.md`; empty if there is none.
    memory: String,
}

impl Cited {
    /// Reads the files of a consolidation among these.
    ///
    /// # Errors
    /// That of the Codex home.
    pub(crate) fn by(home: &Home, state: &State, files: &Files) -> Result<Self> {
        let root = home.layout().memories()?;
        let mut cited = Cited::default();
        for path in files.keys().filter(|path| root::is_consolidated(path)) {
            // What cannot be read is not shown either.
            let Some(text) = root::text(state.disk(), &root, path) else { continue };
            cited.names.extend(names(&text).map(|name| name.id.to_owned()));
            if path == Layout::MEMORY {
                cited.memory = text;
            }
        }
        Ok(cited)
    }

    /// True if a file cites this session.
    pub(crate) fn contains(&self, id: &str) -> bool {
        self.names.contains(id)
    }

    /// Records those cited sessions that were withdrawn, for the next consolidation to remove. Returns whether there are any.
    pub(crate) fn record_withdrawn(&self, connection: &Connection) -> Result<bool, Failure> {
        let withdrawn = withdrawn(connection)?;
        let mut cited = self.names.intersection(&withdrawn).peekable();
        let is_any = cited.peek().is_some();
        cited.try_for_each(|id| record(connection, id))?;
        Ok(is_any)
    }

    /// The lines of `MEMORY.md` at which a statement begins that is not known to be from any session.
    pub(crate) fn unsourced(&self, connection: &Connection) -> Result<Vec<u32>, Failure> {
        let sessions = all(connection, "SELECT id FROM thread", [], |row| row.get(0))?;
        Ok(unsourced(&self.memory, &sessions))
    }
}

/// Records that a file cites this session, as if a consolidation had read it.
pub(crate) fn record(connection: &Connection, id: &str) -> Result<(), Failure> {
    let sql = "INSERT INTO consolidated (thread_id, is_withdrawn) VALUES (?1, 0) ON CONFLICT (thread_id) DO NOTHING";
    execute(connection, sql, [id]).map(drop)
}

/// The sessions that were forgotten, or whose mode is not `enabled`.
fn withdrawn(connection: &Connection) -> Result<HashSet<String>, Failure> {
    let sql = "SELECT thread_id FROM forgotten UNION SELECT id FROM thread WHERE mode <> 'enabled'";
    all(connection, sql, [], |row| row.get(0))
}

/// A text as it may be shown: without what cites a session that was withdrawn.
///
/// # Errors
/// Those of the database; the error of `check`.
pub(crate) fn shown(state: &State, text: String, check: &dyn Fn() -> Result<()>) -> Result<String> {
    check()?;
    let withdrawn = state.read(withdrawn)?;
    let shown = if withdrawn.is_empty() { text } else { without(&text, &withdrawn) };
    check()?;
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0199c2a4-7d10-7c11-a8a2-77ee6a0c2d3b";

    fn hidden(text: &str, ids: &[&str]) -> String {
        without(text, &ids.iter().map(|id| (*id).to_owned()).collect())
    }

    #[test]
    fn what_cites_a_session_is_hidden_as_a_whole_in_every_form_of_a_citation() {
        for cited in [
            "[thread:a]",
            "[a]",
            "[thread:b, thread:a]",
            "[b; a]",
            "[b][a]",
            "[thread: a]",
            "(thread_id: a)",
            "`thread_id=a`",
            "thread:a.",
            "[x [thread:a]",
        ] {
            assert_eq!(
                hidden(&format!("- kept\n- gone {cited}\n- kept too\n"), &["a"]),
                "- kept\n- kept too\n",
                "{cited}"
            );
            assert_eq!(hidden(&format!("gone\nand gone {cited}\nand gone\n\nkept"), &["a"]), "kept", "{cited}");
        }
        for cited in [
            format!("rollout_summaries/{ID}.md"),
            format!("see rollout-2026-01-20T10-00-00-{ID}.jsonl."),
            ID.to_owned(),
        ] {
            assert_eq!(hidden(&format!("kept\n\n* gone ({cited})\n"), &[ID]), "kept\n\n", "{cited}");
        }
        assert_eq!(hidden("a thread b [ab] [thread:ab] [A]\n", &["a", "b"]), "a thread b [ab] [thread:ab] [A]\n");
        assert_eq!(hidden("- of [thread:A b:c]\n", &["A b:c"]), "");
    }

    #[test]
    fn what_belongs_to_a_hidden_part_is_hidden_unless_it_is_from_another_session() {
        let text =
            "# All\n\n## Shop [thread:a]\n\ngone\n\n- gone\n- kept [thread:b]\n### Gone\ngone\n## Site\n\nkept\n";
        assert_eq!(hidden(text, &["a"]), "# All\n\n- kept [thread:b]\n## Site\n\nkept\n");
        let text = "1. gone [thread:a]\n   - gone\n\n   gone\n2. kept\n   - gone [thread:a]\n   - kept\n| kept |\n| gone [a] |\n";
        assert_eq!(hidden(text, &["a"]), "2. kept\n   - kept\n| kept |\n");
        let text = "- gone:\n  ```\n  - x\n\n  # y\n  ```\n  [thread:a]\n- kept";
        assert_eq!(hidden(text, &["a"]), "- kept");
        assert_eq!(hidden("\n \n- gone [a]", &["a"]), "\n \n");
    }

    #[test]
    fn statements_without_a_session_are_reported_by_their_lines() {
        let text = "# All\n\nOf all of them:\n\n- known [thread:a]\n- unknown\n  more of it\n- known [b]\n- group\n  - known [a]\n\n\
             ## Shop [thread:a]\n\nknown\n\n| a | b |\n|---|---|\n\n# Other\n\n---\n\nunknown [link](x)\n";
        assert_eq!(unsourced(text, &["b".to_owned(), "a".to_owned()].into()), [6, 23]);
        assert_eq!(unsourced("", &HashSet::new()), [0; 0]);
        assert_eq!(unsourced(&"- x\n".repeat(300), &HashSet::new()).len(), MAX_UNSOURCED);
    }

    #[test]
    fn no_text_is_changed_that_cites_no_hidden_session() {
        for text in
            ["", "\n", "x", "[", "]", "[]", "[[[[", "- \n\n\n#\n# \n```", "\u{feff}# é\n\t- é [é]\r\n", "a\n===\n> b\n"]
        {
            assert_eq!(hidden(text, &["a"]), text);
        }
    }
}
