//! `search.*`

use super::{MethodGroup, count, method, methods, of_repo};
use crate::search::{Filter, Found, Search};

pub(super) const GROUP: MethodGroup =
    MethodGroup { name: "search", about: "Finds anything that is remembered", entries: methods! { Find } };

of_repo! {
    /// Finds what is remembered of a repository and of the user: conventions, decisions, notes, step summaries, items, files that
    /// a model keeps, the repository's own working context and log, what past sessions left, and files of the repository. All of
    /// it is ranked together, by words and words near them.
    struct Find {
        /// What to find, in a few words or as a question. If it is empty, everything is found but files of the repository, the
        /// newest first.
        query: String,
        /// Whether everything in the home is searched: every repository and branch, and every job. Default: `false`.
        all: Option<bool>,
        /// Only these rooms: `memory`, `summary`, `items`, `files`, `working`, `rollouts`, `index`. Default: all.
        rooms: Option<Vec<String>>,
        /// Only these kinds, such as `note`, `decision`, `fact` or `summary`. Default: all.
        kinds: Option<Vec<String>>,
        /// Only what was changed at this time or later, RFC 3339. Default: all.
        since: Option<String>,
        /// The maximum number of hits. Default: 20.
        limit: Option<u32>,
        /// Whether hits have their whole texts instead of the lines that match. Default: `false`.
        whole: Option<bool>,
        /// Whether files of the repository are left out, so that it is not indexed. Default: `false`.
        records_only: Option<bool>,
    }
}

method! {
    Find = Search::FIND => Found |self, store| {
        let filter = Filter::default().all(self.all == Some(true)).whole(self.whole == Some(true));
        let filter = filter.records_only(self.records_only == Some(true));
        let filter = filter.since(self.since.clone()).limit(count(self.limit));
        let filter = filter.rooms(self.rooms.iter().flatten()).kinds(self.kinds.iter().flatten());
        store.search().find(&self.repo(store)?, &self.query, &filter)
    }
}
