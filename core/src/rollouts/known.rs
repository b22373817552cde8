//! What the files of a consolidation say to one repository: without what sessions left that were withdrawn since, and without what
//! is about other projects.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Rollouts;
use super::consolidation::citations;
use super::consolidation::root;
use super::database::State;
use super::project::Project;
use crate::error::Result;
use crate::home::{Home, Layout};
use crate::ranking::{Prompt, best, lexical};
use crate::repo::Repo;
use crate::room::{Findable, Fragment, Mark, Owner, line};
use crate::safety::beginning;

/// The most of the summary that a pack shows, in bytes: 5,000 tokens of three bytes.
const MAX_SUMMARY_BYTES: usize = 15_000;
/// The number of statements of `MEMORY.md` that are offered for a prompt.
const STATEMENTS: usize = 20;
/// The number of skills that are looked at, and of those that are offered.
const MAX_SKILLS: usize = 200;
const SKILLS: usize = 20;
/// The longest description of a skill that is shown, in bytes.
const MAX_ABOUT_BYTES: usize = 300;

/// A file of the memory root that agents may read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MemoryFile {
    /// Its path below the memory root: `MEMORY.md`, `memory_summary.md` or `skills/NAME/SKILL.md`.
    pub path: String,
    /// What it is for. Of a skill, its own description.
    pub about: String,
    /// Its text as far as it is about this repository or the user; absent unless it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The files that agents may read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MemoryFiles {
    /// The memory root.
    pub root: String,
    /// The summary and the memory first, then the skills by name.
    pub files: Vec<MemoryFile>,
}

impl Rollouts {
    pub(crate) const READ: &str = "rollouts.read";

    /// Returns the files that a consolidation wrote and that say something to this repository, or one of them with its text. None if
    /// there is no such file, or if nothing of it is about this repository or the user.
    ///
    /// # Errors
    /// `IOError`, `ParseError`, `FormatTooNew`.
    pub fn read(&self, repo: &Repo, path: Option<&str>) -> Result<MemoryFiles> {
        repo.call(Self::READ, |repo| {
            let known = Known::of(repo, false)?;
            let root = repo.home().layout().memories()?.to_string_lossy().into_owned();
            let files = match (known, path) {
                (None, _) => Vec::new(),
                (Some(known), None) => known.files()?,
                (Some(known), Some(path)) => known.file(path)?.into_iter().collect(),
            };
            Ok(MemoryFiles { root, files })
        })
    }
}

/// The files, for one repository.
pub(super) struct Known<'r> {
    home: &'r Home,
    state: State,
    /// `None` if a pack has what is about every project.
    project: Option<Project>,
}

impl<'r> Known<'r> {
    /// Those for a repository, or with `all` for every one; `None` if there is no memory root, or it is a link: then it is not read, as it is not written.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) fn of(repo: &'r Repo, all: bool) -> Result<Option<Self>> {
        let home = repo.home();
        // Without a Codex home there are no rollouts.
        let Ok(state) = State::of(home) else { return Ok(None) };
        let is_one = home.config().rollouts.same_repo && !all;
        let project = is_one.then(|| Project::of(repo, &state)).transpose()?;
        Ok(Some(Known { home, state, project }))
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    pub(super) fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// The text of a file as far as it is about the repository or the user, without secrets; `None` if nothing is.
    fn text(&self, path: &str) -> Result<Option<String>> {
        if !root::is_folder(self.home, &self.state)? {
            return Ok(None);
        }
        let folder = self.home.layout().memories()?;
        let Some(text) = root::text(self.state.disk(), &folder, path) else { return Ok(None) };
        let check = self.home.cancel_check();
        let text = citations::shown(&self.state, text, &check)?;
        let text = match &self.project {
            Some(project) => project.part_of(self.home, &self.state, &text, &check)?,
            None => text,
        };
        let text = self.home.redactor().scrub(text.trim()).into_owned();
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// What the summary of all sessions says, as far as it fits.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) fn summary(&self, space: usize) -> Result<Option<Fragment>> {
        let most = (space / 3 * 2).min(MAX_SUMMARY_BYTES);
        let text = self.text(Layout::MEMORY_SUMMARY)?;
        Ok(text.map(|text| Fragment::data(Layout::MEMORY_SUMMARY, &shortened(&text, most))))
    }

    /// The statements of the memory that matter for a prompt and are not in the summary, below their headings.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) fn statements(&self, prompt: &Prompt, summary: Option<&Fragment>) -> Result<Vec<Fragment>> {
        let Some(text) = self.text(Layout::MEMORY)? else { return Ok(Vec::new()) };
        let mut statements: Vec<(&str, &str)> = Vec::new();
        let mut heading = "";
        for block in citations::blocks(&text) {
            match block.heading() {
                Some(title) => heading = title.trim_start_matches('#').trim(),
                None => statements.push((heading, block.text.trim_end())),
            }
        }
        let is_new = |text: &str| summary.is_none_or(|summary| !summary.text.contains(text.trim()));
        let scored = lexical(prompt, statements.iter().map(|(_, text)| *text));
        let chosen = best(scored, STATEMENTS).into_iter().map(|it| it.index);
        // In the order of the file, each heading once.
        let mut of_headings: BTreeMap<usize, (&str, Vec<usize>)> = BTreeMap::new();
        for at in chosen {
            let Some((heading, _)) = statements.get(at).filter(|(_, text)| is_new(text)) else { continue };
            let first = statements.iter().position(|(it, _)| std::ptr::eq(*it, *heading)).unwrap_or(at);
            of_headings.entry(first).or_insert((heading, Vec::new())).1.push(at);
        }
        let fragment = |(heading, mut chosen): (&str, Vec<usize>)| {
            chosen.sort_unstable();
            let texts: Vec<&str> = chosen.iter().filter_map(|at| statements.get(*at)).map(|(_, text)| *text).collect();
            Fragment::record(Layout::MEMORY, Mark::default(), heading, &texts.join("\n"), "", &[])
        };
        Ok(of_headings.into_values().map(fragment).collect())
    }

    /// The skills, each on a line with where to read it: those that matter for the prompt first.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) fn skills(&self, prompt: Option<&Prompt>) -> Result<Vec<Fragment>> {
        let folder = self.home.layout().memories()?;
        let skills = self.skill_texts()?;
        let lines: Vec<String> = skills
            .iter()
            .map(|(it, _)| format!("- Skill: {} ({})", line(&it.about), line(&folder.join(&it.path).to_string_lossy())))
            .collect();
        let relevant = prompt.map_or_else(Vec::new, |prompt| {
            best(lexical(prompt, lines.iter().map(String::as_str)), SKILLS).into_iter().map(|it| it.index).collect()
        });
        let others = (0..lines.len()).filter(|at| !relevant.contains(at));
        let chosen = relevant.iter().copied().chain(others).take(SKILLS);
        let fragment = |at: usize| Some(Fragment::verbatim(skills.get(at)?.0.path.clone(), lines.get(at)?.clone()));
        Ok(chosen.filter_map(fragment).collect())
    }

    /// The files as a search ranks them.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) fn findable(&self) -> Result<Vec<Findable>> {
        let found = |(file, text): (MemoryFile, String)| Findable {
            title: file.about,
            ..Findable::new(Owner::Home, "memory", file.path, text)
        };
        Ok(self.texts()?.into_iter().map(found).collect())
    }

    fn files(&self) -> Result<Vec<MemoryFile>> {
        Ok(self.texts()?.into_iter().map(|(file, _)| file).collect())
    }

    fn file(&self, path: &str) -> Result<Option<MemoryFile>> {
        let found = self.texts()?.into_iter().find(|(file, _)| file.path == path);
        Ok(found.map(|(file, text)| MemoryFile { text: Some(text), ..file }))
    }

    /// The files, each with its text.
    fn texts(&self) -> Result<Vec<(MemoryFile, String)>> {
        let mut texts = Vec::new();
        for (path, about) in [
            (Layout::MEMORY_SUMMARY, "What every session should know"),
            (Layout::MEMORY, "Everything that is known from past sessions, by topic"),
        ] {
            let file = || MemoryFile { path: path.to_owned(), about: about.to_owned(), text: None };
            texts.extend(self.text(path)?.map(|text| (file(), text)));
        }
        texts.extend(self.skill_texts()?);
        Ok(texts)
    }

    fn skill_texts(&self) -> Result<Vec<(MemoryFile, String)>> {
        let folder = self.home.layout().memories()?.join(Layout::SKILLS);
        let names = self.state.disk().list_foreign(&folder).ok().flatten().unwrap_or_default();
        let mut texts = Vec::new();
        for name in names.iter().filter_map(|name| name.to_str()).take(MAX_SKILLS) {
            let path = format!("{}/{name}/SKILL.md", Layout::SKILLS);
            if let Some(text) = self.text(&path)?.filter(|text| self.is_skill(text)) {
                texts.push((MemoryFile { about: described(name, &text), path, text: None }, text));
            }
        }
        Ok(texts)
    }

    /// Whether there is more left of it than what introduces it.
    fn is_skill(&self, text: &str) -> bool {
        self.project.is_none() || !body(text).trim().is_empty()
    }
}

/// What is below the lines at the beginning that are between `---`.
fn body(text: &str) -> &str {
    text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")).map_or(text, |(_, body)| body)
}

/// A skill's own description, with its name.
fn described(name: &str, text: &str) -> String {
    let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")).map_or("", |(head, _)| head);
    let about = head.lines().find_map(|line| line.strip_prefix("description:")).unwrap_or_default();
    let about = about.trim().trim_matches(['"', '\'']);
    let about = beginning(about, MAX_ABOUT_BYTES);
    if about.is_empty() { name.to_owned() } else { format!("{name}: {about}") }
}

/// The lines of a text that fit, with a last one that says so if some do not.
fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let text = beginning(text, most);
    let end = text.rfind('\n').unwrap_or(text.len());
    format!("{}\n[the rest is in {}]", &text[..end], Layout::MEMORY_SUMMARY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_says_itself_what_it_is_for() {
        let text = "---\nname: release\ndescription: \"When a version is published\"\n---\n\n1. Tag it.\n";
        assert_eq!(described("release", text), "release: When a version is published");
        assert_eq!(body(text).trim(), "1. Tag it.");
        assert_eq!(described("plain", "1. Tag it.\n"), "plain");
    }
}
