//! Which documents belong to the same session, and in which order.
//!
//! Each session has consecutive cells, one for each document, with at least [`WINDOW`] empty ones around it. What a document
//! counts for its neighbours is thus a matter of cells beside each other.

#![allow(clippy::cast_possible_truncation, reason = "documents and cells are numbered by u32")]

use foldhash::HashMap;

/// How far neighbours in a session count, on each side.
pub(super) const WINDOW: usize = 4;
/// How many cells a document and its neighbours take.
pub(super) const WINDOW_CELLS: usize = 2 * WINDOW + 1;
/// No cell, no session, or no document.
const NONE: u32 = u32::MAX;

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

    /// Adds a document with so many words. `order` is what the documents of a session are sorted by.
    pub(super) fn insert<K: Ord>(&mut self, number: u64, document: u32, words: u32, order: impl Fn(u32) -> K) {
        let at = *self.by_number.entry(number).or_insert_with(|| {
            self.all.push(Session::default());
            self.all.len() as u32 - 1
        });
        let Session { start, len, capacity, .. } = self.all[at as usize];
        let place = self.documents[start..start + len].partition_point(|member| order(*member) <= order(document));
        if self.cells.len() <= document as usize {
            self.cells.resize(document as usize + 1, NONE);
        }
        if len == capacity {
            self.grow(at);
        }
        let session = &mut self.all[at as usize];
        (session.len, session.words) = (len + 1, session.words + u64::from(words));
        let members = session.start..session.start + session.len;
        self.count += 1;
        self.documents[members.clone()][place..].rotate_right(1);
        self.documents[members.start + place] = document;
        self.number_cells(members.start + place..members.end);
    }

    /// Removes a document with so many words.
    pub(super) fn remove(&mut self, document: u32, words: u32) {
        let Some(cell) = self.cell_of(document) else { return };
        let Some(session) = self.all.get_mut(self.owners[cell] as usize) else { return };
        session.len -= 1;
        session.words -= u64::from(words);
        let end = session.start + session.len;
        self.count -= 1;
        self.documents[cell..=end].rotate_left(1);
        self.documents[end] = NONE;
        self.cells[document as usize] = NONE;
        self.number_cells(cell..end);
    }

    /// Gives a session more cells, at the end.
    fn grow(&mut self, at: u32) {
        let Session { start, len, .. } = self.all[at as usize];
        let members = self.documents[start..start + len].to_vec();
        self.documents[start..start + len].fill(NONE);
        self.place(at, &members);
        // Cells that were given up are reclaimed when they are most of all.
        if self.documents.len() > 4 * (self.count + WINDOW * self.all.len()) + 1024 {
            let before = std::mem::take(&mut self.documents);
            self.owners.clear();
            for at in 0..self.all.len() {
                let Session { start, len, .. } = self.all[at];
                self.place(at as u32, &before[start..start + len]);
            }
        }
    }

    /// Puts the documents of a session into new cells, at the end.
    fn place(&mut self, at: u32, members: &[u32]) {
        let (start, len) = (self.documents.len().max(WINDOW), members.len());
        let capacity = len + len / 4 + 1;
        let words = self.all[at as usize].words;
        self.all[at as usize] = Session { start, len, capacity, words };
        self.documents.resize(start, NONE);
        self.documents.extend_from_slice(members);
        self.documents.resize(start + capacity + WINDOW, NONE);
        self.owners.resize(self.documents.len(), at);
        self.number_cells(start..start + len);
    }

    fn number_cells(&mut self, cells: std::ops::Range<usize>) {
        for cell in cells {
            self.cells[self.documents[cell] as usize] = cell as u32;
        }
    }
}
