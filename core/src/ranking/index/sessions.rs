//! The documents of each session, in their order.
//!
//! Each session has consecutive cells, one for each document, with [`WINDOW`] empty ones around it. What a document counts for
//! its neighbours is thus a matter of cells beside each other. The cells are made anew for the first search after a change.

#![allow(clippy::cast_possible_truncation, reason = "documents and cells are numbered by u32")]

/// How far neighbours in a session count, on each side.
pub(super) const WINDOW: usize = 4;
/// How many cells a document and its neighbours take.
pub(super) const WINDOW_CELLS: usize = 2 * WINDOW + 1;
/// No cell, or no document.
const NONE: u32 = u32::MAX;

/// A document that belongs to a session. It sorts by its session and its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    /// The number of the session.
    pub(super) session: u64,
    /// Its position there, and what decides between documents in the same position.
    pub(super) order: (u64, u64),
    pub(super) document: u32,
    /// How many words it has.
    pub(super) words: u32,
}

/// The sessions of an index.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    /// How many words each session has.
    words: Vec<u64>,
    /// The cell of each document.
    cells: Vec<u32>,
    /// The document in each cell.
    documents: Vec<u32>,
    /// The session of each cell.
    owners: Vec<u32>,
}

impl Sessions {
    /// The sessions of these documents, which are mostly in their order.
    pub(super) fn of(mut members: Vec<Member>) -> Self {
        // Fast where the members are sorted already.
        members.sort();
        let mut sessions = Sessions::default();
        let documents = members.iter().map(|member| member.document as usize + 1).max();
        sessions.cells.resize(documents.unwrap_or(0), NONE);
        for members in members.chunk_by(|one, other| one.session == other.session) {
            let start = sessions.documents.len() + WINDOW;
            sessions.documents.resize(start, NONE);
            for (cell, member) in (start..).zip(members) {
                sessions.documents.push(member.document);
                sessions.cells[member.document as usize] = cell as u32;
            }
            sessions.owners.resize(sessions.documents.len(), sessions.words.len() as u32);
            sessions.words.push(members.iter().map(|member| u64::from(member.words)).sum());
        }
        sessions.documents.resize(sessions.documents.len() + WINDOW, NONE);
        sessions
    }

    /// True if no document belongs to one.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many words each has.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The number of cells.
    pub(super) fn cells(&self) -> usize {
        self.documents.len()
    }

    /// The cell of a document.
    pub(super) fn cell_of(&self, document: u32) -> Option<usize> {
        self.cells.get(document as usize).filter(|cell| **cell != NONE).map(|cell| *cell as usize)
    }

    /// The number of the session whose document is in a cell.
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
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_cells_of_a_session_have_the_order_of_a_sort_and_empty_ones_around_them(
            members in prop::collection::vec((1..4_u64, 0..5_u64), 0..60),
        ) {
            let members: Vec<Member> = (0..)
                .zip(members)
                .map(|(document, (session, seq))| Member { session, order: (seq, 0), document, words: seq as u32 })
                .collect();
            let sessions = Sessions::of(members.clone());
            let mut sorted = members.clone();
            sorted.sort();
            let in_cells: Vec<u32> = sessions.iter().map(|(document, _)| document).collect();
            prop_assert_eq!(in_cells, sorted.iter().map(|member| member.document).collect::<Vec<_>>());
            let words: u64 = members.iter().map(|member| u64::from(member.words)).sum();
            prop_assert_eq!(sessions.words().iter().sum::<u64>(), words);
            for (at, member) in sorted.iter().enumerate() {
                let around = at.saturating_sub(WINDOW)..(at + WINDOW + 1).min(sorted.len());
                let is_near = |other: &&Member| other.session == member.session && other.document != member.document;
                let expected: Vec<u32> = sorted[around].iter().filter(is_near).map(|other| other.document).collect();
                prop_assert_eq!(sessions.neighbours(member.document).collect::<Vec<_>>(), expected);
                let of_session = sorted.chunk_by(|one, other| one.session == other.session);
                let owner = of_session.take_while(|members| members[0].session != member.session).count();
                prop_assert_eq!(sessions.cell_of(member.document).map(|cell| sessions.owner(cell)), Some(owner));
            }
        }
    }
}
