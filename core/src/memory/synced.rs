//! Conventions, decisions and notes on other machines.

use chrono::DateTime;

use super::document::{Kind, MemorySchema, Record};
use super::draft::known_fields;
use super::record::{INHERITED_FROM, NoteSource};
use super::stored::{file, own};
use super::undo::discarded;
use crate::disk::{DocumentSchema, Edit, Fields, Json, Row};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::repo::Repo;
use crate::room::{Collection, Extent, LineChange, Stock};
use crate::safety::{SealedObject, Timestamp};
use crate::trash::Reason;

/// The collections, in the order of [`Kind::ALL`].
pub(super) static COLLECTIONS: &[Collection] = &[
    Collection { name: "conventions", owner: Extent::Branch, is_removed_everywhere: true },
    Collection { name: "decisions", owner: Extent::Branch, is_removed_everywhere: true },
    Collection { name: "notes", owner: Extent::Branch, is_removed_everywhere: true },
];

fn kind_of(collection: &str) -> Result<Kind> {
    let found = Kind::ALL.iter().find(|kind| kind.plural() == collection);
    found.copied().ok_or_else(|| Error::internal("memory has no such collection"))
}

/// The records of a collection, by id.
pub(super) fn lines(repo: &Repo, collection: &str) -> Result<Stock> {
    let (memory, kind) = (own(repo)?, kind_of(collection)?);
    let mut stock = Stock::default();
    for row in memory.section(kind.section()) {
        match admitted(repo.home(), kind, row.json().get()) {
            Ok((id, row)) => drop(stock.lines.insert(id, text(&row))),
            Err(_) => stock.held.push(row.record()?.id().to_owned()),
        }
    }
    Ok(stock)
}

fn text(row: &Row<Record>) -> String {
    row.json().get().to_owned()
}

/// The key and the text of a record.
///
/// # Errors
/// See [`Synced::admitted`](crate::room::Synced::admitted).
pub(super) fn line(home: &Home, collection: &str, line: &str) -> Result<(String, String)> {
    admitted(home, kind_of(collection)?, line).map(|(id, row)| (id, text(&row)))
}

/// A record that somebody has written, as it is stored here, and its id.
fn admitted(home: &Home, kind: Kind, line: &str) -> Result<(String, Row<Record>)> {
    let refused = |what: &str| Error::new(ErrorKind::Parse, format!("not a {}: {what}", kind.name()));
    let mut fields: Fields =
        serde_json::from_str(line).map_err(|_| refused("expected a JSON object without duplicate keys"))?;
    let mut string = |name: &str| {
        let value = fields.remove(name).and_then(|value| serde_json::from_str::<String>(value.get()).ok());
        value.ok_or_else(|| refused(&format!("it has no {name}")))
    };
    let (id, created, updated) = (string("id")?, string("createdAt")?, string("updatedAt")?);
    let time = |text: &str| {
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| refused("its timestamp is invalid"))?;
        Ok::<_, Error>(Timestamp::from_unix_millis(time.timestamp_millis()))
    };
    fields.remove(INHERITED_FROM);
    let mut record = SealedObject::default();
    record.set("id", &home.redactor().admit_id("id", &id)?)?;
    let known = known_fields(kind);
    let source = fields.get("source").map(|source| source.get().to_owned()).filter(|_| kind == Kind::Note);
    record.overlay(home.seal_plainly(&fields, &known)?);
    // No pattern of a user may redact a word of the format.
    if let Some(source) = source.and_then(|source| serde_json::from_str::<NoteSource>(&source).ok()) {
        record.set("source", &source.as_str())?;
    }
    record.set("createdAt", &time(&created)?)?;
    record.set("updatedAt", &time(&updated)?)?;
    let json = Json::from(record.value()?);
    let read =
        MemorySchema::reader(kind.section())(&json).map_err(|_| refused("a field is missing or of another type"))?;
    Ok((id, Row::Parsed(read)))
}

/// Makes those of the changes whose record is as expected.
pub(super) fn change(repo: &Repo, collection: &str, changes: Vec<LineChange>) -> Result<()> {
    let (kind, home, trash) = (kind_of(collection)?, repo.home().clone(), repo.trash());
    file(repo).update(repo.home().wait_options(), move |memory| {
        let (mut edits, mut replaced, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        for LineChange { key, from, to } in changes {
            let found = memory.find(&key)?;
            let now = match &found {
                Some((index, row)) if index.section == kind.section() => admitted(&home, kind, row.json().get()).ok(),
                _ => None,
            };
            // Another kind has the id, or the record was changed meanwhile: the next time.
            if now.map(|(_, row)| text(&row)) != from || found.is_some() != from.is_some() {
                continue;
            }
            let to = to.map(|to| admitted(&home, kind, &to)).transpose()?.map(|(_, row)| row);
            match (found, to) {
                (Some((index, row)), Some(to)) => {
                    replaced.push(discarded(row)?);
                    edits.push(Edit::Change(index, to));
                }
                (Some((index, row)), None) => {
                    removed.push(discarded(row)?);
                    edits.push(Edit::Remove(index));
                }
                (None, Some(to)) => edits.push(Edit::Add(kind.section(), to)),
                (None, None) => {}
            }
        }
        trash.put(Reason::Replaced, replaced)?;
        trash.put(Reason::Removed, removed)?;
        Ok((edits, ()))
    })
}
