//! Finds records by kind, tag, path and text.

use regex::Regex;

use super::{Decision, Kind, Memory, Record, inherit};
use crate::error::{Error, Result};
use crate::ranking::{Content, Prompt, Query, Scored, best, path_steps, rank};

optional_fields! {
    /// Filters of records. A record has to match all of them.
    #[derive(Debug, Clone, Copy, Default)]
    #[non_exhaustive]
    pub struct Filter<'a> {
        /// Only records of this kind.
        pub kind: Kind,
        /// Only conventions with this tag.
        pub tag: &'a str,
        /// Only decisions whose `impactedPaths` contain this path or a folder above it.
        pub path: &'a str,
        /// Only records with this text in any of their fields, ignoring case.
        pub text: &'a str,
        /// Only records that share words with this text, the most relevant first.
        pub query: &'a str,
        /// The maximum number of records.
        pub limit: usize,
    }
}

impl<'a> Filter<'a> {
    /// Every record.
    pub fn all() -> Self {
        Filter::default()
    }
}

impl Memory {
    /// Returns the records that match `filter`: conventions, decisions, then notes, oldest first within each kind; or the most
    /// relevant first if there is a query.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub fn list(&self, filter: Filter<'_>) -> Result<Vec<Record>> {
        self.repo.call(Self::LIST, |repo| {
            // A redacted secret is found by its placeholder.
            let redacted = |text| repo.home().redactor().scrub(text);
            let [tag, path, text] = [filter.tag, filter.path, filter.text].map(|text| text.map(redacted));
            let text = text.as_deref().map(case_insensitive).transpose()?;
            let path = path.as_deref().map(path_steps);
            let is_wanted = |record: &Record| {
                tag.as_deref().is_none_or(|tag| record.tags().iter().any(|own| own == tag))
                    && path.as_deref().is_none_or(|path| matches!(record, Record::Decision(it) if covers(it, path)))
                    && text.as_ref().is_none_or(|text| record.texts().any(|own| text.is_match(own)))
            };
            let memory = inherit::read(repo)?;
            let of_kind = memory.rows().filter(|(kind, _)| filter.kind.is_none_or(|wanted| *kind == wanted));
            let mut wanted = Vec::new();
            for (_, row) in of_kind {
                let record = row.record()?;
                if is_wanted(&record) {
                    wanted.push(record.into_owned());
                }
            }
            if let Some(query) = filter.query {
                let query = Prompt::new(repo.home().redactor(), query);
                wanted = ranked(&query, wanted);
            }
            wanted.truncate(filter.limit.unwrap_or(usize::MAX));
            Ok(wanted)
        })
    }
}

/// The records that share words with `query`, the most relevant first.
pub(super) fn ranked(query: &Prompt, records: Vec<Record>) -> Vec<Record> {
    let scored = scores(Some(query), &[], &records);
    best(scored, usize::MAX).into_iter().filter_map(|it| records.get(it.index).cloned()).collect()
}

/// How relevant records are for a prompt and the files in use.
pub(super) fn scores(prompt: Option<&Prompt>, files: &[String], records: &[Record]) -> Vec<Scored> {
    let texts: Vec<String> = records.iter().map(|record| record.words().collect::<Vec<_>>().join("\n")).collect();
    let contents = records.iter().zip(&texts).map(|(record, text)| {
        let files = if let Record::Decision(it) = record { it.impacted_paths.as_slice() } else { &[] };
        Content { text, tags: record.tags(), files, ..Content::default() }
    });
    rank(&Query { prompt, files, ..Query::default() }, contents)
}

impl Record {
    /// What says the same in another branch: its title or, for a note, its text.
    pub(super) fn title(&self) -> &str {
        match self {
            Record::Convention(it) => &it.title,
            Record::Decision(it) => &it.summary,
            Record::Note(it) => &it.content,
        }
    }

    /// Its texts without tags and paths, which are fields of their own.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let fields: [&str; 2] = match self {
            Record::Convention(it) => [&it.title, &it.content],
            Record::Decision(it) => [&it.summary, &it.rationale],
            Record::Note(it) => [&it.content, ""],
        };
        fields.into_iter()
    }

    fn tags(&self) -> &[String] {
        match self {
            Record::Convention(it) => &it.tags,
            Record::Decision(_) => &[],
            Record::Note(it) => &it.tags,
        }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let (fields, list): ([&str; 2], &[String]) = match self {
            Record::Convention(it) => ([&it.title, &it.content], &it.tags),
            Record::Decision(it) => ([&it.summary, &it.rationale], &it.impacted_paths),
            Record::Note(it) => ([&it.content, ""], &it.tags),
        };
        fields.into_iter().chain(list.iter().map(String::as_str))
    }
}

fn case_insensitive(text: &str) -> Result<Regex> {
    regex::RegexBuilder::new(&regex::escape(text))
        .case_insensitive(true)
        .build()
        .map_err(|_| Error::validation("text is too long to search for; search for a part of it"))
}

fn covers(decision: &Decision, path: &[&str]) -> bool {
    let named = decision.impacted_paths.iter().filter(|impacted| !impacted.trim().is_empty());
    named.into_iter().any(|impacted| path.starts_with(&path_steps(impacted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_covered(impacted: &str, path: &str) -> bool {
        let decision = Decision {
            id: "d".into(),
            summary: "s".into(),
            rationale: "r".into(),
            impacted_paths: vec![impacted.into()],
            created_at: String::new(),
            updated_at: String::new(),
            inherited_from: None,
        };
        covers(&decision, &path_steps(path))
    }

    #[test]
    fn a_folder_covers_its_contents_and_a_file_itself() {
        for (impacted, path) in [
            ("src/", "src/a/b.rs"),
            ("src", "src"),
            ("./src//a/", "src/a/b.rs"),
            ("src/a.rs", "./src/a.rs"),
            ("src\\a", "src/a/b.rs"),
            (".", "anything"),
            ("src/a", "src/b/../a/c.rs"),
        ] {
            assert!(is_covered(impacted, path), "{impacted} {path}");
        }
        for (impacted, path) in
            [("src/a", "src/ab"), ("src/a.rs", "src"), ("docs", "src/docs"), ("src/A", "src/a"), ("", "src")]
        {
            assert!(!is_covered(impacted, path), "{impacted} {path}");
        }
    }
}
