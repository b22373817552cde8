//! Which documents belong to the same session, and in which order.
//!
//! Each session has consecutive cells, one for each document, with at least [`WINDOW`] empty ones around it. What a document
//! counts for its neighbours is thus a matter of cells beside each other.
//!
//! Each change in the middle of a session moves all cells behind it, so changes [wait](LazySessions) for the next search and
//! are made together: the time to index a long session does not depend on the order of its documents.

#![allow(clippy::cast_possible_truncation, reason = "documents and cells are numbered by u32")]

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use foldhash::HashMap;

use crate::mutex::lock;

/// How far neighbours in a session count, on each side.
pub(super) const WINDOW: usize = 4;
/// How many cells a document and its neighbours take.
pub(super) const WINDOW_CELLS: usize = 2 * WINDOW + 1;
/// No cell, no session, or no document.
const NONE: u32 = u32::MAX;
/// How many documents are inserted into a session one by one; more are sorted together.
const FEW: usize = 8;

/// A document that belongs to a session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    /// The number of the session.
    pub(super) session: u64,
    pub(super) document: u32,
    /// How many words it has.
    pub(super) words: u32,
}

/// The sessions of an index that changes.
#[derive(Debug, Default)]
pub(super) struct LazySessions {
    /// The sessions with all changes.
    current: OnceLock<Sessions>,
    /// Otherwise, the sessions and the changes that are still to be made.
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    sessions: Sessions,
    /// These documents and their words are removed first.
    removed: Vec<(u32, u32)>,
    added: Vec<Member>,
}

impl LazySessions {
    /// The sessions. `order` is what the documents of a session are sorted by.
    pub(super) fn get<K: Ord>(&self, order: impl Fn(u32) -> K) -> &Sessions {
        self.current.get_or_init(|| lock(&self.waiting).settled(order))
    }

    /// Adds a document.
    pub(super) fn insert(&mut self, member: Member) {
        self.waiting().added.push(member);
    }

    /// Removes a document with so many words.
    pub(super) fn remove<K: Ord>(&mut self, document: u32, words: u32, order: impl Fn(u32) -> K) {
        let waiting = self.waiting();
        // It may be one of those that were added.
        if !waiting.added.is_empty() {
            waiting.sessions = waiting.settled(order);
        }
        waiting.removed.push((document, words));
    }

    fn waiting(&mut self) -> &mut Waiting {
        let waiting = self.waiting.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = self.current.take() {
            waiting.sessions = current;
        }
        waiting
    }
}

impl Waiting {
    /// The sessions with all changes.
    fn settled<K: Ord>(&mut self, order: impl Fn(u32) -> K) -> Sessions {
        let mut sessions = std::mem::take(&mut self.sessions);
        sessions.remove_all(&std::mem::take(&mut self.removed));
        sessions.insert_all(std::mem::take(&mut self.added), order);
        sessions
    }
}

/// The sessions of an index.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    all: Vec<Session>,
    /// The position in `all` by the number of the session.
    by_number: HashMap<u64, u32>,
    /// The cell of each document.
    cells: Vec<u32>,
    /// The document in each cell.
    documents: Vec<u32>,
    /// The position in `all` of the session of each cell.
    owners: Vec<u32>,
    /// How many documents have a cell.
    count: usize,
    /// How many were put into a cell.
    #[cfg(test)]
    moved: usize,
}

/// A session.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Session {
    /// Its first cell.
    start: usize,
    /// The number of its documents.
    len: usize,
    /// The number of cells that it may fill.
    capacity: usize,
    /// The words of its documents.
    pub(super) words: u64,
}

impl Sessions {
    /// Whether no document belongs to one.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them, including those of which all documents were removed.
    pub(super) fn all(&self) -> &[Session] {
        &self.all
    }

    /// How many have a document.
    pub(super) fn len(&self) -> u64 {
        self.all.iter().filter(|session| session.len > 0).count() as u64
    }

    /// The number of cells.
    pub(super) fn cells(&self) -> usize {
        self.documents.len()
    }

    /// The cell of a document.
    pub(super) fn cell_of(&self, document: u32) -> Option<usize> {
        self.cells.get(document as usize).filter(|cell| **cell != NONE).map(|cell| *cell as usize)
    }

    /// The position of the session in [`all`](Self::all) whose document is in a cell.
    pub(super) fn owner(&self, cell: usize) -> usize {
        self.owners.get(cell).map_or(0, |owner| *owner as usize)
    }

    /// Each document with its cell.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        let in_cells = self.documents.iter().enumerate();
        in_cells.filter(|(_, document)| **document != NONE).map(|(cell, document)| (*document, cell))
    }

    /// The documents around a document in its session.
    pub(super) fn neighbours(&self, document: u32) -> impl Iterator<Item = u32> + '_ {
        let around = self.cell_of(document).map_or(0..0, |cell| cell - WINDOW..cell + WINDOW + 1);
        let documents = self.documents.get(around).unwrap_or_default();
        documents.iter().copied().filter(move |neighbour| *neighbour != NONE && *neighbour != document)
    }

    /// Adds documents. `order` is what the documents of a session are sorted by; of equal ones, the first comes first.
    fn insert_all<K: Ord>(&mut self, mut members: Vec<Member>, order: impl Fn(u32) -> K) {
        if let Some(last) = members.iter().map(|member| member.document as usize).max()
            && self.cells.len() <= last
        {
            self.cells.resize(last + 1, NONE);
        }
        members.sort_by_key(|member| member.session);
        for members in members.chunk_by(|one, other| one.session == other.session) {
            let Some(first) = members.first() else { continue };
            let at = *self.by_number.entry(first.session).or_insert_with(|| {
                self.all.push(Session::default());
                self.all.len() as u32 - 1
            });
            let Session { len, capacity, .. } = self.all[at as usize];
            let all = len + members.len();
            if all > capacity {
                self.grow(at, members.len());
            }
            let session = &mut self.all[at as usize];
            let start = session.start;
            session.len = all;
            session.words += members.iter().map(|member| u64::from(member.words)).sum::<u64>();
            self.count += members.len();
            let mut changed = len;
            for (before, member) in (len..all).zip(members) {
                self.documents[start + before] = member.document;
                if members.len() < FEW {
                    let there = &self.documents[start..start + before];
                    let place = there.partition_point(|other| order(*other) <= order(member.document));
                    self.documents[start + place..=start + before].rotate_right(1);
                    changed = changed.min(place);
                }
            }
            if members.len() >= FEW {
                self.documents[start..start + all].sort_by_cached_key(|document| order(*document));
                changed = 0;
            }
            self.number_cells(start + changed..start + all);
        }
    }

    /// Removes documents with so many words each.
    fn remove_all(&mut self, removed: &[(u32, u32)]) {
        // The first empty cell of each session.
        let mut changed: BTreeMap<u32, usize> = BTreeMap::new();
        for (document, words) in removed {
            let Some(cell) = self.cell_of(*document) else { continue };
            let at = self.owners[cell];
            let Some(session) = self.all.get_mut(at as usize) else { continue };
            session.words -= u64::from(*words);
            self.documents[cell] = NONE;
            self.cells[*document as usize] = NONE;
            self.count -= 1;
            changed.entry(at).and_modify(|first| *first = (*first).min(cell)).or_insert(cell);
        }
        for (at, first) in changed {
            let Session { start, len, .. } = self.all[at as usize];
            let mut end = first;
            for cell in first..start + len {
                if self.documents[cell] != NONE {
                    self.documents.swap(end, cell);
                    end += 1;
                }
            }
            self.all[at as usize].len = end - start;
            self.number_cells(first..end);
        }
    }

    /// Gives a session cells for `more` documents, at the end.
    fn grow(&mut self, at: u32, more: usize) {
        let Session { start, len, .. } = self.all[at as usize];
        let members = self.documents[start..start + len].to_vec();
        self.documents[start..start + len].fill(NONE);
        self.place(at, &members, more);
        // Cells that were given up are reclaimed when they are most of all.
        if self.documents.len() > 4 * (self.count + more + WINDOW * self.all.len()) + 1024 {
            let before = std::mem::take(&mut self.documents);
            self.owners.clear();
            for other in 0..self.all.len() {
                let Session { start, len, .. } = self.all[other];
                let more = if other == at as usize { more } else { 1 };
                self.place(other as u32, &before[start..start + len], more);
            }
        }
    }

    /// Puts the documents of a session into new cells, at the end, with room for `more` and some.
    fn place(&mut self, at: u32, members: &[u32], more: usize) {
        let (start, len) = (self.documents.len().max(WINDOW), members.len());
        let capacity = len + more + len / 4;
        let words = self.all[at as usize].words;
        self.all[at as usize] = Session { start, len, capacity, words };
        self.documents.resize(start, NONE);
        self.documents.extend_from_slice(members);
        self.documents.resize(start + capacity + WINDOW, NONE);
        self.owners.resize(self.documents.len(), at);
        self.number_cells(start..start + len);
    }

    fn number_cells(&mut self, cells: std::ops::Range<usize>) {
        #[cfg(test)]
        {
            self.moved += cells.len();
        }
        for cell in cells {
            self.cells[self.documents[cell] as usize] = cell as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The documents of each session in their order, by the sessions and by sorting.
    fn both(sessions: &LazySessions, there: &[(Member, u8)]) -> [Vec<Vec<u32>>; 2] {
        let order = |document: u32| there.iter().find(|it| it.0.document == document).map(|it| it.1);
        let sessions = sessions.get(order);
        let in_session = |session: u64| {
            let mut cells: Vec<usize> = there
                .iter()
                .filter(|it| it.0.session == session)
                .filter_map(|it| sessions.cell_of(it.0.document))
                .collect();
            cells.sort_unstable();
            assert!(cells.windows(2).all(|two| two[0] + 1 == two[1]));
            cells.into_iter().map(|cell| sessions.documents[cell]).collect()
        };
        let sorted = |session: u64| {
            let mut members: Vec<_> = there.iter().filter(|it| it.0.session == session).collect();
            members.sort_by_key(|it| it.1);
            members.into_iter().map(|it| it.0.document).collect()
        };
        let words: u64 = sessions.all().iter().map(|session| session.words).sum();
        assert_eq!(words, there.iter().map(|it| u64::from(it.0.words)).sum::<u64>());
        let numbers: std::collections::BTreeSet<u64> = there.iter().map(|it| it.0.session).collect();
        assert_eq!((sessions.len(), sessions.iter().count()), (numbers.len() as u64, there.len()));
        [(1..4).map(in_session).collect(), (1..4).map(sorted).collect()]
    }

    proptest! {
        #[test]
        fn changes_that_waited_lead_to_the_order_of_a_sort(
            changes in prop::collection::vec((1..4_u64, 0..5_u8, 0..6_u8), 0..120),
        ) {
            let mut sessions = LazySessions::default();
            let mut there: Vec<(Member, u8)> = Vec::new();
            for (document, (session, seq, what)) in (0..).zip(changes) {
                match what {
                    0 if !there.is_empty() => {
                        let all = there.clone();
                        let (member, _) = there.remove(usize::from(seq) * 7 % there.len());
                        let order = |it: u32| all.iter().find(|one| one.0.document == it).map(|one| one.1);
                        sessions.remove(member.document, member.words, order);
                    }
                    1 => {
                        let [ours, expected] = both(&sessions, &there);
                        prop_assert_eq!(ours, expected);
                    }
                    _ => {
                        let member = Member { session, document, words: u32::from(seq) };
                        sessions.insert(member);
                        there.push((member, seq));
                    }
                }
            }
            let [ours, expected] = both(&sessions, &there);
            prop_assert_eq!(ours, expected);
        }
    }

    #[test]
    fn a_long_session_costs_the_same_in_any_order() {
        const MEMBERS: u32 = 200_000;
        let newest_first = |document: u32| MEMBERS - document;
        let mixed = |document: u32| document.wrapping_mul(0x9E37_79B1);
        for order in [&newest_first as &dyn Fn(u32) -> u32, &mixed] {
            let mut sessions = LazySessions::default();
            (0..MEMBERS).for_each(|document| sessions.insert(Member { session: 7, document, words: 1 }));
            let mut cells: Vec<_> = sessions.get(order).iter().map(|(document, _)| order(document)).collect();
            assert!(cells.is_sorted());
            cells.dedup();
            assert_eq!(cells.len(), MEMBERS as usize);
            // In the order in which removing one by one would move all that remain.
            for document in sessions.get(order).iter().map(|(document, _)| document).collect::<Vec<_>>() {
                sessions.remove(document, 1, order);
            }
            assert!(sessions.get(order).is_empty());
            // One by one, it would be 20 billion.
            let moved = sessions.get(order).moved;
            assert!(moved <= 2 * MEMBERS as usize, "{moved}");
        }
    }
}
