//! `summary.*`

use super::{MethodGroup, RemovedRecords, count, method, methods, of_repo};
use crate::disk::Stored;
use crate::summary::{Event, Filter, Summaries, Summary, Which};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "summary",
    about: "Summaries of workflow steps",
    entries: methods! { Append, EndStep, List, Remove },
};

of_repo! {
    /// Appends the summary of a workflow step and returns it as stored. Secrets are redacted.
    ///
    /// A repository keeps at most `memory.summariesMaxEntries` summaries in at most `memory.summariesMaxBytes` bytes;
    /// beyond either limit the oldest are removed, but never the newest.
    struct Append {
        /// The id of the workflow run.
        run_id: String,
        /// The id of the step within the run.
        step_id: String,
        /// One paragraph: what happened, important outputs, and what remains to be done. A line break becomes a space.
        /// At most `memory.summaryMaxBytes` (65,536) bytes.
        summary: String,
        /// Tags to find the summary by. Default: none.
        tags: Option<Vec<String>>,
    }
}

method! {
    Append = Summaries::APPEND => Stored<Summary>, WRITES, REDACTS |self, store| {
        let draft = Summary::draft(&self.run_id, &self.step_id, &self.summary);
        self.repo(store)?.summaries().append(draft.tags(self.tags.unwrap_or_default()))
    }
}

of_repo! {
    /// Ends a workflow step: condenses its events into one paragraph, without a model, and appends it as
    /// `summary.append` does.
    ///
    /// The paragraph has actions, outputs, errors and follow-ups as sentences, each event once, in at most 4,000 bytes on one
    /// line. Code in backticks stays as it is; each line of a fenced block is code in backticks. It says how many events were
    /// left out for lack of space. The same events always produce the same paragraph.
    struct EndStep {
        /// The id of the workflow run.
        run_id: String,
        /// The id of the step within the run.
        step_id: String,
        /// What happened, in order. At least one event.
        events: Vec<Event>,
        /// Tags to find the summary by. Default: none.
        tags: Option<Vec<String>>,
    }
}

method! {
    EndStep = Summaries::END_STEP => Stored<Summary>, WRITES, REDACTS |self, store| {
        let summaries = self.repo(store)?.summaries();
        let tags: Vec<&str> = self.tags.iter().flatten().map(String::as_str).collect();
        summaries.end_step(&self.run_id, &self.step_id, &self.events, &tags)
    }
}

of_repo! {
    /// Returns a repository's step summaries, newest first, or with a query the most relevant first.
    struct List {
        /// Only summaries of this run.
        run_id: Option<String>,
        /// Only summaries with this tag.
        tag: Option<String>,
        /// The maximum number of summaries. Default: all.
        limit: Option<u32>,
        /// Only summaries that share words with this text, the most relevant first, ranked as in `items.recall`.
        query: Option<String>,
    }
}

method! {
    List = Summaries::LIST => Vec<Stored<Summary>> |self, store| {
        let repo = self.repo(store)?;
        let filter = Filter::all().run(self.run_id.as_deref()).tag(self.tag.as_deref());
        let filter = filter.query(self.query.as_deref()).limit(count(self.limit));
        repo.summaries().list(filter)
    }
}

of_repo! {
    /// Removes the step summaries that match every given filter. `undo.restore` brings each of them back.
    ///
    /// At least one filter is required.
    struct Remove {
        /// Those of this run.
        run_id: Option<String>,
        /// Those of this step.
        step_id: Option<String>,
        /// Those before this time, RFC 3339.
        before: Option<String>,
        /// Whether they are removed for good: also those in the trash that match, and everything damaged that was set aside of
        /// the file. Default: `false`.
        purge: Option<bool>,
        /// The one with this id, as `search.find` returns it: `RUN/STEP@TIME`.
        id: Option<String>,
    }
}

method! {
    Remove = Summaries::REMOVE => RemovedRecords, WRITES |self, store| {
        let summaries = self.repo(store)?.summaries();
        let which = Which::default().run(self.run_id.as_deref()).step(self.step_id.as_deref());
        let which = which.id(self.id.as_deref()).before(self.before.as_deref());
        let count = if self.purge == Some(true) { summaries.purge(which) } else { summaries.remove(which) };
        Ok(RemovedRecords::of(count?, false))
    }
}
