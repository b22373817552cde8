//! Whose memory is it: which sessions belong to a repository, and which parts of the summary of all sessions.
//!
//! A session belongs to a repository if it was held in it, whatever the branch. A part of the summary says itself what it is
//! about: by the folder in a heading, by a heading about the user, or by the sessions that it cites.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::consolidation::citations::{self, Block};
use super::database::{State, all};
use super::jobs::due::json_list;
use super::threads::{RepoHashes, repo_hash};
use crate::error::Result;
use crate::home::Home;
use crate::repo::{self, Repo};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, named_params};

/// The headings below which everything is about the user.
const ABOUT_THE_USER: [&str; 5] = ["user", "the user", "about the user", "user profile", "user preferences"];

/// A repository, or a folder outside of one.
#[derive(Debug)]
pub(crate) struct Project {
    /// The hash that its sessions have; empty if it is unknown.
    hash: String,
    /// The folders of its sessions that have another hash, such as that from before it had a remote, as a JSON array.
    folders: String,
    /// The top levels of its work tree and of the main one.
    tops: Vec<String>,
}

impl Project {
    /// The project whose pack is built.
    ///
    /// # Errors
    /// Those of the database.
    pub(crate) fn of(repo: &Repo, state: &State) -> Result<Self> {
        let home = repo.home();
        let (folders, is_repository): (Vec<PathBuf>, _) = match repo.location() {
            Some(location) => {
                (std::iter::once(&location.top).chain(&location.main).cloned().collect(), location.git_dir.is_some())
            }
            // Opened by hash: where it is was recorded when something was stored for it.
            None => (repo::names(home, repo.hash()).path.map(PathBuf::from).into_iter().collect(), true),
        };
        let hash = folders.first().and_then(|folder| repo_hash(home, folder)).unwrap_or_default();
        let tops: Vec<String> = folders.iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
        let below = if is_repository { tops.as_slice() } else { &[] };
        let folders = state.read(|connection| with_another_hash(connection, &hash, below))?;
        // One that is a repository itself is another project; one that is gone was part of this one.
        let mut hashes = RepoHashes::default();
        let mut is_own = |folder: &String| hashes.of(home, folder).is_none_or(|found| found == hash);
        let folders: Vec<String> = folders.into_iter().filter(|folder| is_own(folder)).collect();
        Ok(Project { folders: json_list(&folders)?, hash, tops })
    }

    /// SQL that is true for a session of the project, with the parameters `:hash` and `:folders`.
    pub(crate) const HAS: &str = "(thread.repo_hash = :hash OR thread.cwd IN (SELECT value FROM json_each(:folders)))";

    pub(crate) fn hash(&self) -> &str {
        &self.hash
    }

    pub(crate) fn folders(&self) -> &str {
        &self.folders
    }

    /// The parts of a summary that are about this project or about the user; empty if there is no statement among them.
    ///
    /// # Errors
    /// Those of the database; the error of `check`.
    pub(crate) fn part_of(
        &self,
        home: &Home,
        state: &State,
        text: &str,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<String> {
        let blocks = citations::blocks(text);
        let cited: BTreeSet<&str> = citations::names(text).map(|name| name.id).collect();
        let paths: BTreeSet<&str> = paths(text).collect();
        let [cited, paths] = [cited, paths].map(|names| json_list(&Vec::from_iter(names)));
        let (cited, paths) = (cited?, paths?);
        check()?;
        let known = state.read(|connection| self.known(connection, &cited, &paths))?;
        check()?;
        let user = home.layout().user_home().map(|folder| folder.to_string_lossy().into_owned());
        let shown = self.shown(&blocks, &known, user.as_deref());
        let is_any = blocks.iter().zip(&shown).any(|(block, is_shown)| *is_shown && block.heading().is_none());
        if !is_any && !blocks.is_empty() {
            return Ok(String::new());
        }
        let first = blocks.first().map_or(text.len(), |block| block.text.as_ptr() as usize - text.as_ptr() as usize);
        let shown = blocks.iter().zip(shown).filter_map(|(block, is_shown)| is_shown.then_some(block.text));
        Ok(std::iter::once(&text[..first]).chain(shown).collect())
    }

    /// Which of these sessions and folders are the project's, and which are another's. Those that are not known are neither.
    fn known(&self, connection: &Connection, ids: &str, paths: &str) -> Result<Known, Failure> {
        let sql = |column: &str| {
            format!(
                "SELECT DISTINCT {column}, {} FROM thread
                 WHERE cwd <> '' AND {column} IN (SELECT value FROM json_each(:names))",
                Project::HAS
            )
        };
        let find = |column: &str, names: &str| {
            let values = named_params! { ":hash": self.hash, ":folders": self.folders, ":names": names };
            all(connection, &sql(column), values, |row| Ok((row.get(0)?, row.get::<_, Option<bool>>(1)? == Some(true))))
        };
        Ok(Known { sessions: find("id", ids)?, folders: find("cwd", paths)? })
    }

    /// Whether each part is shown.
    fn shown(&self, blocks: &[Block<'_>], known: &Known, user: Option<&str>) -> Vec<bool> {
        struct Above {
            depth: usize,
            /// Whether what is said to be about is shown.
            scope: Option<bool>,
            /// Whether a cited session is of the project; `None` if none is known.
            cited: Option<bool>,
        }
        let mut above: Vec<Above> = Vec::new();
        let of = |block: &Block<'_>| {
            above.truncate(above.iter().take_while(|it| it.depth < block.depth).count());
            let (scope, cited) = above.last().map_or((None, None), |it| (it.scope, it.cited));
            let own_scope = self.scope(block, known, user);
            let own_cited = known.cites_own(block.text);
            let is_shown = match (own_scope, own_cited) {
                (_, Some(true)) => true,
                (Some(is_own), _) => is_own,
                _ => scope.or(own_cited).or(cited).unwrap_or(true),
            };
            // What belongs to the statement of an own session is shown with it, wherever it is.
            let scope = if own_cited == Some(true) { own_scope.filter(|it| *it) } else { own_scope.or(scope) };
            above.push(Above { depth: block.depth, scope, cited: own_cited.or(cited) });
            is_shown
        };
        blocks.iter().map(of).collect()
    }

    /// Whether a part says that it is about this project or the user (true), or about another project (false).
    fn scope(&self, block: &Block<'_>, known: &Known, user: Option<&str>) -> Option<bool> {
        let heading = block.heading();
        let text = heading.unwrap_or(block.text);
        let named: Vec<String> = paths(text)
            .filter(|path| known.folders.contains_key(*path) || (heading.is_some() && is_folder(path)))
            .map(|path| match (path.strip_prefix("~/"), user) {
                (Some(rest), Some(user)) => format!("{user}/{rest}"),
                _ => path.to_owned(),
            })
            .collect();
        let is_own = |path: &String| {
            let is_below = self.tops.iter().any(|top| Path::new(path).starts_with(top));
            known.folders.get(path).copied().unwrap_or(is_below)
        };
        // A path with spaces is found as a whole.
        let is_named = heading.is_some_and(|heading| self.tops.iter().any(|top| mentions(heading, top)));
        if is_named || named.iter().any(is_own) {
            return Some(true);
        }
        if !named.is_empty() {
            return Some(false);
        }
        let title = heading?.trim_matches(|it: char| !it.is_alphanumeric()).to_lowercase();
        ABOUT_THE_USER.contains(&title.as_str()).then_some(true)
    }
}

/// What is known of the sessions and folders that a text names: whether they are the project's.
#[derive(Debug, Default)]
struct Known {
    sessions: HashMap<String, bool>,
    folders: HashMap<String, bool>,
}

impl Known {
    /// Whether one of the sessions that a text cites is the project's; `None` if it cites none that is known.
    fn cites_own(&self, text: &str) -> Option<bool> {
        if self.sessions.is_empty() {
            return None;
        }
        citations::names(text).filter_map(|name| self.sessions.get(name.id).copied()).reduce(|one, other| one || other)
    }
}

/// The folders of sessions at or below `tops` whose repository was another one when they were registered.
fn with_another_hash(connection: &Connection, hash: &str, tops: &[String]) -> Result<Vec<String>, Failure> {
    let mut found = BTreeSet::new();
    for top in tops {
        let sql = "SELECT DISTINCT cwd FROM thread
             WHERE repo_hash IS NOT :hash AND (cwd = :top OR substr(cwd, 1, length(:below)) = :below)";
        let values = named_params! { ":hash": hash, ":top": top, ":below": format!("{}/", top.trim_end_matches('/')) };
        let folders: HashSet<String> = all(connection, sql, values, |row| row.get(0))?;
        found.extend(folders);
    }
    Ok(found.into_iter().collect())
}

/// What may be paths of folders in a text.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|it: char| it.is_whitespace() || "[](){}<>,;:='\"`*|".contains(it));
    let paths = words.map(|word| word.trim_end_matches(['/', '.', '!', '?']));
    paths.filter(|path| (path.starts_with('/') && !path.starts_with("//")) || path.starts_with("~/"))
}

/// True if a path in a heading is that of a folder, and not a command such as `/review`.
fn is_folder(path: &str) -> bool {
    path.split('/').filter(|name| !name.is_empty()).count() > 1
}

/// True if a text has this path, or one below it.
fn mentions(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let is_name = |it: char| it.is_alphanumeric() || "_-./".contains(it);
        let (before, after) = (&text[..at], &text[at + path.len()..]);
        let is_start = !before.ends_with(is_name);
        is_start && (after.starts_with('/') || !after.starts_with(is_name) || after.trim_start_matches('.').is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let project = Project { hash: String::new(), folders: String::new(), tops: vec!["/work/shop".to_owned()] };
        let of = |list: &[(&str, bool)]| list.iter().map(|(name, is_own)| ((*name).to_owned(), *is_own)).collect();
        let known = Known {
            sessions: of(&[("own", true), ("other", false)]),
            folders: of(&[("/work/site", false), ("/srv", false), ("/elsewhere/shop", true)]),
        };
        let blocks = citations::blocks(text);
        let shown = project.shown(&blocks, &known, Some("/work"));
        blocks.iter().zip(shown).filter(|(_, is_shown)| *is_shown).map(|(block, _)| block.text).collect()
    }

    #[test]
    fn a_heading_with_a_folder_says_what_is_below_it_is_about() {
        for own in [
            "/work/shop",
            "`/work/shop/`",
            "Shop (/work/shop/api)",
            "cwd=/work/shop; main",
            "~/shop",
            "/work/site, /work/shop",
        ] {
            let text = format!("## {own}\n\n- kept\n  - kept\n");
            assert_eq!(shown(&text), text, "{own}");
        }
        for other in ["/work/site", "`/work/shopping`", "/work/shop-2", "/old/work/shop", "~/site", "/srv"] {
            assert_eq!(
                shown(&format!("## {other}\n\n- gone\n  - gone\n\n## More\n\nkept\n")),
                "## More\n\nkept\n",
                "{other}"
            );
        }
        assert_eq!(shown("## /work/site\n\ngone\n\n### /work/shop\n\nkept\n"), "### /work/shop\n\nkept\n");
        // A command is no folder.
        assert_eq!(shown("## /review\n\nkept\n"), "## /review\n\nkept\n");
    }

    #[test]
    fn a_statement_is_about_the_folder_of_a_session_that_it_names() {
        let text = "- kept /etc/hosts\n- gone /work/site\n  - gone\n- kept /elsewhere/shop\n- gone in `/srv`.\n";
        assert_eq!(shown(text), "- kept /etc/hosts\n- kept /elsewhere/shop\n");
    }

    #[test]
    fn a_statement_without_a_folder_is_about_the_projects_of_the_sessions_that_it_cites() {
        let text = "- kept\n- kept [thread:own]\n- kept [own, other]\n- gone [thread:other]\n  - gone\n  - kept [own]\n\
             - kept [thread:unknown]\n";
        let kept = "- kept\n- kept [thread:own]\n- kept [own, other]\n  - kept [own]\n- kept [thread:unknown]\n";
        assert_eq!(shown(text), kept);
        let text = "## /work/site\n\n- gone\n- kept [own]\n  - kept\n  - gone [other]\n";
        assert_eq!(shown(text), "- kept [own]\n  - kept\n");
    }

    #[test]
    fn what_is_about_the_user_is_kept_wherever_it_was_learned() {
        for heading in ["# User", "## About the user", "### **User preferences:**"] {
            let text = format!("{heading}\n\n- kept [thread:other]\n  - kept\n\n");
            assert_eq!(
                shown(&format!("{text}{heading} of the site\n\n- gone [other]\n")),
                format!("{text}{heading} of the site\n\n")
            );
        }
        assert_eq!(shown("# User\n\nkept [other]\n\n## /work/site\n\ngone\n"), "# User\n\nkept [other]\n\n");
    }
}
