//! Step summaries in an archive.

use super::import::{merge_into, with_old};
use super::{Summary, old_file, read};
use crate::disk::{Journal, Line, Row, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{ForeignRecord, Home};
use crate::repo::Repo;
use crate::room::{Arrival, Brought, Export, Findable, Owner, Portable, Source};

const KIND: &str = "summary";
const RECORD: ForeignRecord = ForeignRecord {
    keys: &["v", "runId", "stepId", "timestamp", "summary", "tags"],
    ids: &["runId", "stepId"],
    generated: &["timestamp"],
};

/// The summaries of these repositories.
///
/// # Errors
/// Those of [`list`](super::Summaries::list).
pub(super) fn export(from: &Source<'_>) -> Result<Export> {
    let mut export = Export::default();
    for repo in from.repos {
        let Some(journal) = export.readable(read(repo))? else { continue };
        let old = export.readable(old_file(repo).read(repo.home().wait_options()))?.unwrap_or_default();
        export.skipped += journal.skipped() + old.skipped();
        for row in with_old(&old, &journal) {
            export.records.push(Portable::of(Owner::Repo(repo.hash().clone()), KIND, row)?);
        }
    }
    Ok(export)
}

/// Brings the summaries of a repository.
///
/// # Errors
/// See [`Archived::import`](crate::room::Archived::import).
pub(super) fn import(repo: &Repo, records: &[Portable], into: &Arrival<'_>) -> Result<Brought> {
    let (check, mut lines, mut damaged) = (into.home.cancel_check(), Vec::new(), Brought::default());
    for portable in records {
        check()?;
        match line(portable, into) {
            Ok(summary) => lines.push(Row::Parsed(summary)),
            Err(error) => damaged.skip(error)?,
        }
    }
    let mut brought = Brought::from(merge_into(Journal::of(lines).into(), repo, &into.merge())?);
    brought.absorb(damaged);
    Ok(brought)
}

fn line(portable: &Portable, into: &Arrival<'_>) -> Result<Stored<Summary>> {
    if portable.kind != KIND {
        return Err(Error::new(ErrorKind::Parse, "a record of an archive is of no known kind"));
    }
    into.refuse_newer(&portable.record, Summary::VERSION)?;
    Ok(Stored::from(into.home.seal_foreign(&portable.record, &RECORD)?.record::<Summary>()?))
}

/// What a search finds of a summary.
pub(super) fn findable(_: &Home, portable: &Portable) -> Option<Findable> {
    let it: Summary = portable.read()?;
    let found = Findable::new(portable.owner.clone(), KIND, name(&it), it.summary);
    Some(Findable { tags: it.tags, time: Some(it.timestamp), ..found })
}

/// The name of a summary in a pack and a search.
pub(super) fn name(it: &Summary) -> String {
    format!("{}/{}@{}", it.run_id, it.step_id, it.timestamp)
}
