//! The lines of a graph, and changes of them. Lines that are neither entities nor relations are passed over.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::contents::{Contents, Entity, Relation};
use crate::disk::{Disk, Json, Line, LineEdit, LineIndex, LineSnapshot, Stored, read_record};
use crate::error::Result;
use crate::home::Home;
use crate::safety::SealedObject;

pub(super) const ENTITY: &str = "entity";
pub(super) const RELATION: &str = "relation";
const OBSERVATIONS: &str = "observations";

/// A record that is ready to be stored.
pub(super) type Record = Stored<OfType>;

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum OfType {
    Entity(Entity),
    Relation(Relation),
}

impl Line for OfType {
    const VERSION: u64 = 1;
}

/// Makes a record of what a caller passes, without secrets.
///
/// # Errors
/// `ValidationError` if it is too long.
pub(super) fn record(home: &Home, kind: &'static str, record: &impl Serialize, keys: &[&str]) -> Result<Record> {
    let mut members = SealedObject::default();
    members.set("type", &kind)?;
    members.overlay(home.seal_value(record, keys)?);
    Stored::parse(members.value()?)
}

/// A line.
struct Known {
    /// Where it is in the file; `None` for one that is added.
    at: Option<LineIndex>,
    record: Record,
    is_changed: bool,
    is_removed: bool,
}

/// The entities and relations of a file.
pub(super) struct Lines(Vec<Known>);

impl Lines {
    /// Those of a snapshot.
    ///
    /// # Errors
    /// `Conflict` if another program has changed the file meanwhile; `IOError`.
    pub(super) fn of(disk: &Disk, path: &Path, snapshot: &LineSnapshot) -> Result<Self> {
        let mut known = Vec::new();
        for chunk in 0..snapshot.chunks().len() {
            for (line, text) in snapshot.texts(disk, chunk)?.iter().enumerate() {
                let record = text.as_ref().and_then(|text| read_record::<OfType>(path, line, text).ok());
                let at = Some(LineIndex { chunk, line });
                known.extend(record.map(|record| Known { at, record, is_changed: false, is_removed: false }));
            }
        }
        Ok(Lines(known))
    }

    /// What they say.
    pub(super) fn contents(&self) -> Contents {
        let mut contents = Contents::default();
        for known in self.0.iter().filter(|it| !it.is_removed) {
            match &*known.record {
                OfType::Entity(entity) => contents.entities.push(entity.clone()),
                OfType::Relation(relation) => contents.relations.push(relation.clone()),
            }
        }
        contents
    }

    /// Adds the records that are wanted, and returns them.
    pub(super) fn add<T: OfLine>(&mut self, records: &[Record], is_wanted: impl Fn(&T) -> bool) -> Vec<T> {
        let mut added = Vec::new();
        for record in records {
            let Some(value) = T::of(record).filter(|value| is_wanted(value)) else { continue };
            added.push(value.clone());
            self.0.push(Known { at: None, record: record.clone(), is_changed: false, is_removed: false });
        }
        added
    }

    /// The observations of the first entity with this name.
    pub(super) fn observations(&mut self, name: &str) -> Option<Vec<String>> {
        self.entity(name).and_then(|known| Entity::of(&known.record).map(|entity| entity.observations.clone()))
    }

    /// Sets those. Its other fields stay as they are.
    ///
    /// # Errors
    /// `ValidationError` if it becomes too long.
    pub(super) fn set_observations(&mut self, home: &Home, name: &str, observations: &[String]) -> Result<()> {
        if let Some(known) = self.entity(name) {
            let mut members = SealedObject::of(&known.record)?;
            members.overlay(home.seal_value(&json!({ OBSERVATIONS: observations }), &[OBSERVATIONS])?);
            known.record = Stored::parse(members.value()?)?;
            known.is_changed = true;
        }
        Ok(())
    }

    fn entity(&mut self, name: &str) -> Option<&mut Known> {
        self.0.iter_mut().find(|it| !it.is_removed && Entity::of(&it.record).is_some_and(|it| it.name == name))
    }

    /// Removes the entities that are meant.
    pub(super) fn remove_entities(&mut self, is_meant: impl Fn(&Entity) -> bool) {
        self.remove(|record| Entity::of(record).is_some_and(&is_meant));
    }

    /// Removes the relations that are meant.
    pub(super) fn remove_relations(&mut self, is_meant: impl Fn(&Relation) -> bool) {
        self.remove(|record| Relation::of(record).is_some_and(&is_meant));
    }

    fn remove(&mut self, is_meant: impl Fn(&Record) -> bool) {
        self.0.iter_mut().filter(|it| is_meant(&it.record)).for_each(|it| it.is_removed = true);
    }

    /// What has to be done to the file.
    pub(super) fn into_edits(self) -> Vec<LineEdit> {
        let edit = |it: Known| match (it.at, it.is_removed) {
            (Some(at), true) => Some(LineEdit::Remove(at)),
            (None, true) => None,
            (Some(at), false) => it.is_changed.then(|| LineEdit::Change(at, Json::from(&it.record))),
            (None, false) => Some(LineEdit::Append(Json::from(&it.record))),
        };
        self.0.into_iter().filter_map(edit).collect()
    }
}

/// What a line may be.
pub(super) trait OfLine: Clone {
    /// The value of a record of this type.
    fn of(record: &Record) -> Option<&Self>;
}

impl OfLine for Entity {
    fn of(record: &Record) -> Option<&Self> {
        match &**record {
            OfType::Entity(entity) => Some(entity),
            OfType::Relation(_) => None,
        }
    }
}

impl OfLine for Relation {
    fn of(record: &Record) -> Option<&Self> {
        match &**record {
            OfType::Relation(relation) => Some(relation),
            OfType::Entity(_) => None,
        }
    }
}
