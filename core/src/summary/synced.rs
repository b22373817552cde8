//! Summaries on other machines.

use std::collections::HashSet;

use chrono::DateTime;

use super::{Summary, dated, file, read, within_limits};
use crate::disk::{Fields, JournalEdit, Row, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::repo::Repo;
use crate::room::{Collection, Extent, LineChange, Stock};
use crate::safety::{SealedObject, Timestamp};

pub(super) static COLLECTIONS: &[Collection] =
    &[Collection { name: "summaries", owner: Extent::Branch, is_removed_everywhere: false }];

/// The summaries, by run, step and time. What could not be stored today stays here.
pub(super) fn lines(repo: &Repo) -> Result<Stock> {
    let journal = read(repo)?;
    // None is removed elsewhere because it is not among them.
    let all = journal.lines().iter().filter_map(|row| admitted(repo.home(), row.json().get()).ok());
    let lines = all.map(|(key, row)| (key, row.json().get().to_owned())).collect();
    Ok(Stock { lines, ..Stock::default() })
}

/// A summary that somebody has written, as it is stored here, and its key.
pub(super) fn admitted(home: &Home, line: &str) -> Result<(String, Row<Stored<Summary>>)> {
    let refused = |what: &str| Error::new(ErrorKind::Parse, format!("not a summary: {what}"));
    let mut fields: Fields =
        serde_json::from_str(line).map_err(|_| refused("expected a JSON object without duplicate keys"))?;
    let mut string = |name: &str| {
        let value = fields.remove(name).and_then(|value| serde_json::from_str::<String>(value.get()).ok());
        value.ok_or_else(|| refused(&format!("it has no {name}")))
    };
    let (run_id, step_id, timestamp) = (string("runId")?, string("stepId")?, string("timestamp")?);
    let time = DateTime::parse_from_rfc3339(&timestamp).map_err(|_| refused("its timestamp is invalid"))?;
    let time = Timestamp::from_unix_millis(time.timestamp_millis());
    let mut record = SealedObject::default();
    record.set("runId", &home.redactor().admit_id("runId", &run_id)?)?;
    record.set("stepId", &home.redactor().admit_id("stepId", &step_id)?)?;
    record.set("timestamp", &time)?;
    record.overlay(home.seal_plainly(&fields, &["summary", "tags"])?);
    let read = Stored::parse(record.value()?).map_err(|_| refused("a field is missing or of another type"))?;
    Ok((format!("{run_id}\n{step_id}\n{time}"), Row::Parsed(read)))
}

/// Adds the summaries that are not here, in the order of their times, within the limits. None is changed or removed.
pub(super) fn change(repo: &Repo, changes: Vec<LineChange>) -> Result<()> {
    let (home, owned) = (repo.home().clone(), repo.clone());
    file(repo, home.config().lock_timeout).update(repo.home().wait_options(), move |here| {
        let known: HashSet<String> =
            here.lines().iter().filter_map(|row| Some(admitted(&home, row.json().get()).ok()?.0)).collect();
        let mut all = here.lines().to_vec();
        for change in changes {
            if let Some(to) = change.to.filter(|_| !known.contains(&change.key)) {
                all.push(admitted(&home, &to)?.1);
            }
        }
        if all.len() == here.lines().len() {
            return Ok((Vec::new(), ()));
        }
        let mut sorted = dated(&all, |_| true)?;
        sorted.sort_by_key(|(time, _)| *time);
        let lines = sorted.into_iter().map(|(_, row)| row.clone()).collect();
        Ok((vec![JournalEdit::Replace(within_limits(&owned, lines)?)], ()))
    })
}
