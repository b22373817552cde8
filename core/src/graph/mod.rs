//! The file of another program: the knowledge graph of the reference server for memory, `@modelcontextprotocol/server-memory`.
//!
//! Each line is an entity or a relation, as JSON. That server writes the whole file on each call, without a lock, and fails if one
//! line is damaged. Here each change takes the lock beside the file and is durable when it returns, secrets are redacted, and
//! lines and fields of others stay as they are. What the operations do is what that server's tools do.

mod contents;
mod lines;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::{Disk, LineFile};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
pub use contents::{Contents, Entity, Relation};
use lines::Lines;

/// Observations that are added to an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Additions {
    /// Its name.
    pub entity_name: String,
    /// The observations.
    pub contents: Vec<String>,
}

/// Observations that were added to an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Added {
    /// Its name.
    pub entity_name: String,
    /// Those that it did not have.
    pub added_observations: Vec<String>,
}

/// Observations that are removed from an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deletions {
    /// Its name.
    pub entity_name: String,
    /// The observations.
    pub observations: Vec<String>,
}

/// The graph in one file.
#[derive(Debug, Clone)]
pub struct Graph {
    home: Home,
    disk: Arc<Disk>,
    path: PathBuf,
}

impl Graph {
    /// The graph in the file at `path`; by default, one of the user's in the home. A link is followed, so that it stays one. Nothing
    /// is read or created yet.
    ///
    /// # Errors
    /// `ValidationError` if the path is not one of a file in an existing folder; `SecretRefused`.
    pub(crate) fn at(home: &Home, path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            let path = home.layout().global_graph();
            return Ok(Graph { home: home.clone(), disk: home.disk_at(home.layout().root()), path });
        };
        home.admit_path("path", path)?;
        let path = if path.is_absolute() { path.to_owned() } else { home.current_folder()?.join(path) };
        let none =
            || Error::validation(format!("{} is not a path of a file in an existing folder", path.display())).at(&path);
        let (folder, name) = path.parent().zip(path.file_name()).ok_or_else(none)?;
        let target = home.disk().canonical(&path).or_else(|_| home.disk().canonical(folder).map(|it| it.join(name)));
        let target = target.map_err(|_| none())?;
        let root = target.parent().unwrap_or(&target).to_owned();
        Ok(Graph { home: home.clone(), disk: home.disk_at(&root), path: target })
    }

    /// Everything.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`.
    pub fn read(&self) -> Result<Contents> {
        self.look("graph.read", Lines::contents)
    }

    /// The entities in whose name, type or observations the text is, whatever its case, and the relations of which one end is
    /// among them.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn search(&self, query: &str) -> Result<Contents> {
        let query = self.scrubbed(query).to_lowercase();
        self.look("graph.search", |lines| {
            let has = |text: &String| text.to_lowercase().contains(&query);
            let is_found = |it: &Entity| has(&it.name) || has(&it.entity_type) || it.observations.iter().any(has);
            around(lines.contents(), is_found)
        })
    }

    /// The entities with these names, and the relations of which one end is among them.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn open(&self, names: &[String]) -> Result<Contents> {
        let names = self.all_scrubbed(names);
        self.look("graph.open", |lines| around(lines.contents(), |it| names.contains(&it.name)))
    }

    /// Adds those entities whose names are not in the file, and returns them.
    ///
    /// # Errors
    /// `ValidationError` if the file would become too large; `RenameError`, and those of [`read`](Self::read).
    pub fn create_entities(&self, entities: &[Entity]) -> Result<Vec<Entity>> {
        let sealed = self.all_sealed(lines::ENTITY, entities, &["name", "entityType", "observations"])?;
        self.change("graph.createEntities", move |lines| {
            let known: Vec<String> = lines.contents().entities.into_iter().map(|it| it.name).collect();
            Ok(lines.add(&sealed, |it: &Entity| !known.contains(&it.name)))
        })
    }

    /// Adds those relations that are not in the file, and returns them.
    ///
    /// # Errors
    /// As [`create_entities`](Self::create_entities).
    pub fn create_relations(&self, relations: &[Relation]) -> Result<Vec<Relation>> {
        let sealed = self.all_sealed(lines::RELATION, relations, &["from", "to", "relationType"])?;
        self.change("graph.createRelations", move |lines| {
            let known = lines.contents().relations;
            Ok(lines.add(&sealed, |it: &Relation| !known.contains(it)))
        })
    }

    /// Adds observations to entities, of which the first with each name has them. Those that it has already are left out.
    ///
    /// # Errors
    /// `NotFound` for a name that no entity has: then nothing is added; those of [`create_entities`](Self::create_entities).
    pub fn add_observations(&self, additions: &[Additions]) -> Result<Vec<Added>> {
        let additions = additions.iter().map(|it| Additions {
            entity_name: self.scrubbed(&it.entity_name).into_owned(),
            contents: self.all_scrubbed(&it.contents),
        });
        let (additions, home): (Vec<_>, _) = (additions.collect(), self.home.clone());
        self.change("graph.addObservations", move |lines| {
            let mut added = Vec::new();
            for Additions { entity_name, contents } in &additions {
                let mut observations = lines.observations(entity_name).ok_or_else(|| {
                    Error::new(ErrorKind::NotFound, format!("Entity with name {entity_name} not found"))
                })?;
                let new: Vec<_> = contents.iter().filter(|it| !observations.contains(it)).cloned().collect();
                observations.extend(new.iter().cloned());
                if !new.is_empty() {
                    lines.set_observations(&home, entity_name, &observations)?;
                }
                added.push(Added { entity_name: entity_name.clone(), added_observations: new });
            }
            Ok(added)
        })
    }

    /// Removes the entities with these names, and the relations of which one end has such a name.
    ///
    /// # Errors
    /// As [`create_entities`](Self::create_entities).
    pub fn delete_entities(&self, names: &[String]) -> Result<()> {
        let names = self.all_scrubbed(names);
        self.change("graph.deleteEntities", move |lines| {
            lines.remove_entities(|it| names.contains(&it.name));
            lines.remove_relations(|it| names.contains(&it.from) || names.contains(&it.to));
            Ok(())
        })
    }

    /// Removes observations from entities: from the first with each name.
    ///
    /// # Errors
    /// As [`create_entities`](Self::create_entities).
    pub fn delete_observations(&self, deletions: &[Deletions]) -> Result<()> {
        let deletions = deletions
            .iter()
            .map(|it| (self.scrubbed(&it.entity_name).into_owned(), self.all_scrubbed(&it.observations)));
        let (deletions, home): (Vec<_>, _) = (deletions.collect(), self.home.clone());
        self.change("graph.deleteObservations", move |lines| {
            for (name, observations) in &deletions {
                let Some(mut kept) = lines.observations(name) else { continue };
                let before = kept.len();
                kept.retain(|it| !observations.contains(it));
                if kept.len() < before {
                    lines.set_observations(&home, name, &kept)?;
                }
            }
            Ok(())
        })
    }

    /// Removes relations.
    ///
    /// # Errors
    /// As [`create_entities`](Self::create_entities).
    pub fn delete_relations(&self, relations: &[Relation]) -> Result<()> {
        let relations: Vec<_> = relations
            .iter()
            .map(|it| Relation {
                from: self.scrubbed(&it.from).into_owned(),
                to: self.scrubbed(&it.to).into_owned(),
                relation_type: self.scrubbed(&it.relation_type).into_owned(),
            })
            .collect();
        self.change("graph.deleteRelations", move |lines| {
            lines.remove_relations(|it| relations.contains(it));
            Ok(())
        })
    }

    fn look<T>(&self, operation: &str, body: impl FnOnce(&Lines) -> T) -> Result<T> {
        self.home.call(operation, |home| {
            let snapshot = self.file(home).read(home.wait_options())?;
            Ok(body(&Lines::of(&self.disk, &self.path, &snapshot)?))
        })
    }

    fn change<T: Send + 'static>(
        &self,
        operation: &str,
        body: impl FnOnce(&mut Lines) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.home.call(operation, |home| {
            let (disk, path) = (Arc::clone(&self.disk), self.path.clone());
            self.file(home).update(home.wait_options(), move |draft| {
                let mut lines = Lines::of(&disk, &path, draft)?;
                let done = body(&mut lines)?;
                Ok((lines.into_edits(), done))
            })
        })
    }

    fn file(&self, home: &Home) -> LineFile<'_> {
        LineFile::new(&self.disk, self.path.clone(), home.config().lock_timeout)
    }

    /// A text as it is in the file: a secret is found under the placeholder that replaced it.
    fn scrubbed<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.home.redactor().scrub(text)
    }

    fn all_scrubbed(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.scrubbed(text).into_owned()).collect()
    }

    fn all_sealed(&self, kind: &'static str, records: &[impl Serialize], keys: &[&str]) -> Result<Vec<lines::Record>> {
        let home = self.home.clone();
        records.iter().map(|record| lines::record(&home, kind, record, keys)).collect()
    }
}

/// The entities that are found, and the relations of which one end is among them.
fn around(all: Contents, is_found: impl Fn(&Entity) -> bool) -> Contents {
    let entities: Vec<_> = all.entities.into_iter().filter(is_found).collect();
    let has = |name: &String| entities.iter().any(|it| it.name == *name);
    let relations = all.relations.into_iter().filter(|it| has(&it.from) || has(&it.to)).collect();
    Contents { entities, relations }
}
