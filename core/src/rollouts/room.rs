//! The part of the room in context packs and in the doctor.

use std::collections::BTreeSet;

use super::database::{State, all};
use super::jobs::output::{IS_UNINDEXED, OutputRow, Source, read_source};
use super::known::Known;
use super::project::Project;
use super::threads::ThreadRow;
use crate::error::Result;
use crate::finding::Examination;
use crate::home::Home;
use crate::ranking::{Content, Prompt, Query, best, rank};
use crate::repo::Repo;
use crate::room::{Candidates, Checks, Findable, Fragment, Mark, Owner, PackQuery, Room, Section, SectionName, Sought};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, named_params};

impl SectionName {
    /// The memory of past sessions: the summary of all of them, and those that matter for the prompt.
    pub const ROLLOUTS: SectionName = SectionName::new("rollouts");
}

/// The number of sessions that are ranked, and the number of those that are offered.
const RANKED: u32 = 200;
const OFFERED: usize = 20;
/// The number of words of a prompt that are looked for.
const MAX_WORDS: usize = 64;

/// The room `rollouts`.
#[derive(Debug)]
pub struct RolloutsRoom;

/// The memory of sessions belongs to the user, not to a repository.
impl Room for RolloutsRoom {
    fn sections(&self) -> &'static [Section] {
        &[Section {
            name: SectionName::ROLLOUTS,
            heading: "# Past sessions",
            reserved: 10,
            noun: ["past session", "past sessions"],
            ..Section::BASIC
        }]
    }

    /// What the summary of all sessions says of this repository and the user; with a prompt, the statements of the memory and the
    /// sessions that matter for it; and the skills.
    fn candidates(
        &self,
        repo: &Repo,
        _is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        let Some(known) = Known::of(repo, false)? else { return Ok(Vec::new()) };
        let summary = known.summary(query.space)?;
        let mut fragments = Vec::new();
        if let Some(prompt) = &query.prompt {
            fragments.extend(known.statements(prompt, summary.as_ref())?);
            fragments.extend(relevant(repo.home(), known.state(), prompt, known.project())?);
        }
        fragments.extend(known.skills(query.prompt.as_ref())?);
        fragments.splice(0..0, summary);
        if fragments.is_empty() {
            return Ok(Vec::new());
        }
        let relevant = (0..fragments.len()).collect();
        Ok(vec![Candidates { fragments, relevant, ..Candidates::empty(SectionName::ROLLOUTS) }])
    }

    fn searched(&self) -> Option<&'static str> {
        Some("rollouts")
    }

    /// The sessions that match, or the newest ones for a list, and the files that a consolidation wrote.
    fn find(&self, repo: &Repo, sought: &Sought<'_>) -> Result<Vec<Findable>> {
        let Some(known) = Known::of(repo, sought.all)? else { return Ok(Vec::new()) };
        let mut found = known.findable()?;
        let sessions = if sought.prompt.terms().is_empty() {
            known.state().read(|connection| newest(connection, known.project(), sought.most))?
        } else {
            ranked(known.state(), sought.prompt, known.project(), sought.most)?
        };
        found.extend(sessions.into_iter().map(|(thread, output)| Findable {
            time: Some(super::time::text(output.source_updated_at)),
            ..Findable::new(Owner::Folder(thread.cwd.into()), "session", thread.id, output.rollout_summary)
        }));
        Ok(found)
    }

    fn examine_home(&self, home: &Home, checks: Checks) -> Result<Examination> {
        match State::of(home) {
            Ok(state) => state.examine(checks.fix),
            // Without a Codex home there are no rollouts.
            Err(_) => Ok(Examination::default()),
        }
    }
}

/// The sessions that match a prompt, the best first.
fn relevant(home: &Home, state: &State, prompt: &Prompt, project: Option<&Project>) -> Result<Vec<Fragment>> {
    let found = ranked(state, prompt, project, OFFERED)?;
    Ok(found.iter().map(|(thread, output)| fragment(home, thread, output)).collect())
}

/// The `most` sessions that match a prompt best, the best first.
fn ranked(state: &State, prompt: &Prompt, project: Option<&Project>, most: usize) -> Result<Vec<Source>> {
    let words = words(prompt);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let found = state.read(|connection| matching(connection, &words, project))?;
    let contents = found.iter().map(|(_, output)| Content { text: &output.rollout_summary, ..Content::default() });
    let scored = best(rank(&Query { prompt: Some(prompt), ..Query::default() }, contents), most);
    let mut found: Vec<Option<Source>> = found.into_iter().map(Some).collect();
    Ok(scored.iter().filter_map(|scored| found.get_mut(scored.index)?.take()).collect())
}

fn fragment(home: &Home, thread: &ThreadRow, output: &OutputRow) -> Fragment {
    let mut labels = vec![super::time::text(output.source_updated_at)];
    labels.extend((!thread.cwd.is_empty()).then(|| thread.cwd.clone()));
    labels.extend(thread.git_branch.clone());
    let text = home.redactor().scrub(&output.rollout_summary);
    Fragment::record(thread.id.as_str(), Mark { id: Some(&thread.id), from: None }, "", &text, "Session", &labels)
}

/// The words of a prompt, for the index of texts.
fn words(prompt: &Prompt) -> String {
    let words = prompt
        .parts()
        .into_iter()
        .flat_map(|part| part.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.chars().count() > 1);
    let mut seen = BTreeSet::new();
    let unique = words.map(str::to_lowercase).filter(|word| seen.insert(word.clone())).take(MAX_WORDS);
    unique.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ")
}

fn matching(connection: &Connection, words: &str, project: Option<&Project>) -> Result<Vec<Source>, Failure> {
    let found = format!(
        "SELECT rowid, rank FROM output_text WHERE output_text MATCH :words
         UNION ALL SELECT * FROM (SELECT number, -1e9 FROM output WHERE {IS_UNINDEXED} ORDER BY number DESC LIMIT :limit)"
    );
    let (hash, folders) = (project.map(Project::hash), project.map(Project::folders));
    let values = named_params! { ":words": words, ":hash": hash, ":folders": folders, ":limit": RANKED };
    all(connection, &sources(&found), values, read_source)
}

/// The `most` newest sessions.
fn newest(connection: &Connection, project: Option<&Project>, most: usize) -> Result<Vec<Source>, Failure> {
    let (hash, folders) = (project.map(Project::hash), project.map(Project::folders));
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let values = named_params! { ":hash": hash, ":folders": folders, ":limit": most };
    all(connection, &sources("SELECT number, -source_updated_at FROM output"), values, read_source)
}

/// The query for the sessions of these outputs, each with its rank.
fn sources(found: &str) -> String {
    format!(
        "WITH found (number, rank) AS ({found})
         SELECT {}, {} FROM found JOIN output ON output.number = found.number
             JOIN thread ON thread.output = output.number AND thread.number = output.thread
         WHERE thread.mode = 'enabled' AND output.rollout_summary <> ''
             AND (:hash IS NULL OR {})
         ORDER BY found.rank, thread.id LIMIT 2 * :limit",
        ThreadRow::columns(),
        OutputRow::columns(),
        Project::HAS
    )
}
