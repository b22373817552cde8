//! An inverted index of short documents: a segment, which may be in a file, and what was added since, in memory.
//!
//! Removed documents stay until the index is [compacted](Index::compacted), but do not count: scores depend only on the documents
//! that are in the index, not on how they came there.

mod bm25;
mod confidence;
mod delta;
mod document;
mod fields;
mod fusion;
mod hints;
mod matches;
mod neighbours;
mod search;
mod segment;
mod sessions;
mod spread;
mod vectors;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use bm25::{Bm25, rarity};
pub use confidence::{JUDGED, Scale};
pub use document::{ATTRIBUTES, Content, Document, Query, sortable};
pub use fields::{Field, crate_term, lang_term, path_steps};
pub use hints::with_hints;
pub use matches::{Hit, Matches};
pub use search::{Matched, matched, search};
pub use segment::Segment;

use delta::{Delta, Entry, Posting, UNSEARCHABLE, term_hash};
use once_cell::race::OnceBox;
use sessions::{Member, Sessions};
use vectors::{Rows, Vectors};

use crate::lazy::lazily;
use crate::segments::ListsWriter;

/// An index. Documents have numbers, which stay the same until it is compacted.
#[derive(Debug, Default)]
pub struct Index {
    segment: Option<Arc<Segment>>,
    /// The number of documents of the segment; those of the delta follow.
    first: u32,
    delta: Delta,
    /// The entries of all documents.
    entries: Vec<Entry>,
    /// How many words each document has.
    lengths: Vec<u32>,
    /// One bit for each document that was removed.
    removed: Vec<u64>,
    /// How many were removed.
    removals: usize,
    /// How many documents can be found.
    searchable: u64,
    /// The words of all of them.
    words: u64,
    /// The documents with a session, including removed ones.
    members: Vec<Member>,
    /// Their sessions, once a search needs them.
    sessions: OnceBox<Sessions>,
    /// True if a segment of it would be too large.
    is_too_large: AtomicBool,
}

impl Index {
    /// An index of the documents of `segment`.
    pub fn of(segment: Segment) -> Self {
        let (entries, by_session) = (segment.entries(), segment.by_session());
        let first = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        let mut index = Index { segment: Some(Arc::new(segment)), first, ..Index::default() };
        entries.iter().for_each(|entry| index.count(entry.words));
        index.entries = entries;
        by_session.into_iter().for_each(|number| index.join_session(number));
        index
    }

    /// The numbers of all documents, including removed ones.
    pub fn numbers(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.lengths.len()).unwrap_or(u32::MAX)
    }

    /// How many documents there are that are not removed.
    pub fn len(&self) -> usize {
        self.lengths.len() - self.removals
    }

    /// True if there is no document.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many documents can be found.
    pub fn searchable(&self) -> u64 {
        self.searchable
    }

    /// True if so much has changed since the segment was made that it should be made again.
    pub fn is_outgrown(&self) -> bool {
        const FEW: usize = 256;
        !self.is_too_large.load(Ordering::Relaxed)
            && self.entries.len() - self.first as usize + self.removals > FEW + self.first as usize / 8
    }

    /// Adds a document and returns its number.
    pub fn insert(&mut self, document: &Document<'_>) -> u32 {
        let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let entry = self.delta.insert(number - self.first, document);
        self.count(entry.words);
        self.entries.push(entry);
        self.join_session(number);
        number
    }

    /// Counts the next document, with so many words; `None` if it cannot be found.
    fn count(&mut self, words: Option<u32>) {
        self.lengths.push(words.unwrap_or(UNSEARCHABLE));
        self.searchable += u64::from(words.is_some());
        self.words += u64::from(words.unwrap_or(0));
    }

    fn join_session(&mut self, document: u32) {
        let Entry { session, seq, key, words, .. } = self.entry(document);
        if let Some(words) = words.filter(|_| session != 0) {
            self.members.push(Member { session, order: (seq, key), document, words });
            self.sessions = OnceBox::new();
        }
    }

    fn sessions(&self) -> &Sessions {
        lazily(&self.sessions, || {
            let members = self.members.iter().filter(|member| !self.is_removed(member.document));
            Sessions::of(members.copied().collect())
        })
    }

    fn entry(&self, number: u32) -> Entry {
        self.entries.get(number as usize).copied().unwrap_or_default()
    }

    /// The key of a document.
    pub fn key(&self, number: u32) -> u64 {
        self.entry(number).key
    }

    /// The id of a document.
    pub fn id(&self, number: u32) -> u64 {
        self.entry(number).id
    }

    /// An attribute of a document.
    pub fn attribute(&self, number: u32, index: usize) -> u64 {
        self.entry(number).attributes[index]
    }

    /// The number of words of a document; `None` if it cannot be found by them.
    fn words_of(&self, number: u32) -> Option<u32> {
        self.lengths.get(number as usize).copied().filter(|words| *words != UNSEARCHABLE)
    }

    /// True if a document can be found.
    pub fn is_searchable(&self, number: u32) -> bool {
        self.words_of(number).is_some()
    }

    /// The vectors, including those of removed documents, each with the number of its first document.
    fn all_vectors(&self) -> impl Iterator<Item = (u32, Rows<'_>)> {
        let first = self.first;
        let in_segment = self.segment.iter().filter_map(|segment| segment.vectors()).flatten().map(|rows| (0, rows));
        in_segment.chain(self.delta.vectors.all().map(move |rows| (first, rows)))
    }

    /// Those of a dimension.
    fn vectors(&self, dimension: usize) -> impl Iterator<Item = (u32, Rows<'_>)> {
        self.all_vectors().filter(move |(_, rows)| rows.dimension == dimension)
    }

    /// How many documents have a vector of this dimension.
    fn count_vectors(&self, dimension: usize) -> usize {
        let rows: usize = self.vectors(dimension).map(|(_, rows)| rows.len()).sum();
        if self.removals == 0 {
            return rows;
        }
        let is_there = |first: u32, document: u32| !self.is_removed(first + document);
        let count = |(first, rows): (u32, Rows<'_>)| rows.iter().filter(|(it, ..)| is_there(first, *it)).count();
        self.vectors(dimension).map(count).sum()
    }

    /// The vector of a document, if it has this dimension.
    fn vector_of(&self, number: u32, dimension: usize) -> Option<&[u8]> {
        self.vectors(dimension).find_map(|(first, rows)| rows.find(number.checked_sub(first)?))
    }

    /// True if the vectors that were read from a file are intact.
    pub fn has_intact_vectors(&self) -> bool {
        self.segment.as_ref().is_none_or(|segment| segment.vectors().is_some())
    }

    /// Removes the document with this number.
    pub fn remove(&mut self, number: u32) {
        if self.is_removed(number) || !self.numbers().contains(&number) {
            return;
        }
        if let Some(words) = self.words_of(number) {
            self.searchable -= 1;
            self.words -= u64::from(words);
            self.sessions = OnceBox::new();
        }
        let (word, bit) = (number as usize / 64, number % 64);
        if self.removed.len() <= word {
            self.removed.resize(word + 1, 0);
        }
        self.removed[word] |= 1 << bit;
        self.removals += 1;
    }

    /// True if the document with this number was removed.
    pub fn is_removed(&self, number: u32) -> bool {
        self.removed.get(number as usize / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
    }

    /// The documents with this id that are not removed.
    pub fn with_id(&self, id: u64) -> Vec<u32> {
        let first = self.first;
        let in_segment = self.segment.iter().flat_map(|segment| segment.with_id(&self.entries, id));
        let in_delta = self.delta.ids.get(&id).into_iter().flatten().map(|number| number + first);
        in_segment.chain(in_delta).filter(|number| !self.is_removed(*number)).collect()
    }

    /// The ids that several documents of the segment have.
    pub fn repeated_ids(&self) -> Vec<u64> {
        self.segment.as_ref().map_or_else(Vec::new, |segment| segment.repeated_ids(&self.entries))
    }

    /// Puts the postings of a term into `postings`, of documents that are not removed, in the order of the documents.
    fn postings(&self, term: &str, postings: &mut Vec<Posting>) {
        self.postings_of(term_hash(term), postings);
    }

    fn postings_of(&self, term: u64, postings: &mut Vec<Posting>) {
        postings.clear();
        let first = self.first;
        if let Some(lists) = self.segment.as_ref().and_then(|segment| segment.lists()) {
            lists.read_into(term.to_be_bytes(), postings);
        }
        let added = self.delta.terms.get(&term).into_iter().flatten();
        postings.extend(added.map(|posting| Posting { document: posting.document + first, ..*posting }));
        if self.removals > 0 {
            postings.retain(|posting| !self.is_removed(posting.document));
        }
    }

    /// The documents with a mark that are not removed.
    pub fn marked(&self, mark: &str) -> Vec<u32> {
        let mut postings = Vec::new();
        self.postings(&fields::mark_term(mark), &mut postings);
        postings.iter().map(|posting| posting.document).collect()
    }

    /// The bytes of a segment of all documents that are not removed, and for each document its number there. `None` if there are
    /// more postings than a segment can hold, some 4 GB; the index is then [outgrown](Self::is_outgrown) no more.
    pub fn compacted(&self) -> Option<(Vec<u8>, Vec<Option<u32>>)> {
        let compacted = self.compacted_within(u32::MAX);
        self.is_too_large.store(compacted.is_none(), Ordering::Relaxed);
        compacted
    }

    /// As [`compacted`](Self::compacted), with at most so many bytes of postings.
    fn compacted_within(&self, most: u32) -> Option<(Vec<u8>, Vec<Option<u32>>)> {
        let mut numbers = Vec::with_capacity(self.numbers().len());
        let mut entries = Vec::with_capacity(self.len());
        for number in self.numbers() {
            let is_kept = !self.is_removed(number);
            let new = is_kept.then(|| u32::try_from(entries.len()));
            numbers.push(new.transpose().ok()?);
            if is_kept {
                entries.push(self.entry(number));
            }
        }
        let added = self.delta.terms.keys().copied();
        let lists = self.segment.iter().filter_map(|segment| segment.lists());
        let mut terms: Vec<u64> = lists.flat_map(|it| it.hashes()).map(u64::from_be_bytes).chain(added).collect();
        terms.sort_unstable();
        terms.dedup();
        let (mut lists, mut postings) = (ListsWriter::within(most), Vec::new());
        let renumbered =
            |it: &Posting| Some(Posting { document: (*numbers.get(it.document as usize)?)?, value: it.value });
        for term in terms {
            self.postings_of(term, &mut postings);
            lists.add(term.to_be_bytes(), postings.iter().filter_map(renumbered))?;
        }
        let mut vectors = Vectors::default();
        for (first, rows) in self.all_vectors() {
            for (document, signs, values) in rows.iter() {
                if let Some(Some(document)) = numbers.get((document + first) as usize) {
                    vectors.insert_row(rows.dimension, *document, signs, values);
                }
            }
        }
        Some((segment::written(&entries, lists, &vectors)?, numbers))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::ranking::Prompt;

    /// A document with a text, a file, and a position in one of two sessions.
    type Sample = (String, Option<String>, Option<(bool, u8)>);

    fn insert(index: &mut Index, key: u64, (text, file, session): &Sample) -> u32 {
        let files: Vec<String> = file.iter().cloned().collect();
        let session = session.map(|(is_first, seq)| (if is_first { "one" } else { "other" }, i64::from(seq)));
        let content = Content { text, files: &files, session, ..Content::default() };
        index.insert(&Document { key, id: key, content: Some(content), attributes: [key; ATTRIBUTES] })
    }

    fn scores(index: &Index, query: &Query<'_>) -> BTreeMap<u64, u32> {
        search(&[index], query)
            .at_least(0.0)
            .into_iter()
            .map(|hit| (index.key(hit.document), hit.score.to_bits()))
            .collect()
    }

    fn hits(index: &Index, query: &Query<'_>) -> Vec<Hit> {
        search(&[index], query).at_least(0.0)
    }

    fn samples(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Sample>> {
        let file = prop::option::of("(src/)?(a|b)/[ab].rs");
        let session = prop::option::of((any::<bool>(), 0..6_u8));
        prop::collection::vec(("([a-f]{2} ?){0,8}", file, session), count)
    }

    proptest! {
        #[test]
        fn scores_depend_on_the_documents_alone_and_not_on_how_they_came_into_the_index(
            before in samples(0..12),
            after in samples(0..12),
            gone in prop::collection::vec(any::<bool>(), 24),
            query in "([a-f]{2} ?){1,4}",
            file in "(src/)?(a|b)/[ab].rs",
        ) {
            let mut index = Index::default();
            let mut rest = Index::default();
            for (key, sample) in (1..).zip(&before) {
                insert(&mut index, key, sample);
            }
            let (bytes, _) = index.compacted().unwrap();
            let mut index = Index::of(Segment::read(Box::new(bytes)).unwrap());
            let mut key = before.len() as u64;
            for sample in &after {
                key += 1;
                insert(&mut index, key, sample);
            }
            for (key, (sample, is_gone)) in (1..).zip(before.iter().chain(&after).zip(&gone)) {
                if *is_gone {
                    index.with_id(key).into_iter().for_each(|number| index.remove(number));
                } else {
                    insert(&mut rest, key, sample);
                }
            }
            let files = [file];
            let query = Query { prompt: Some(&Prompt::from(&*query)), files: &files, ..Query::default() };
            let expected = scores(&rest, &query);
            prop_assert_eq!(&scores(&index, &query), &expected);
            prop_assert_eq!((index.len(), index.searchable()), (rest.len(), rest.searchable()));
            let (bytes, numbers) = index.compacted().unwrap();
            let compacted = Index::of(Segment::read(Box::new(bytes)).unwrap());
            prop_assert_eq!(&scores(&compacted, &query), &expected);
            for (old, new) in (0..).zip(numbers) {
                if let Some(new) = new {
                    prop_assert_eq!(index.key(old), compacted.key(new));
                }
            }
            // Together they score as one.
            let both = search(&[&index, &Index::default()], &query);
            prop_assert_eq!(both.count(0.0), expected.len());
        }
    }

    fn index_of(texts: &[&str]) -> Index {
        let mut index = Index::default();
        for (key, text) in (1..).zip(texts) {
            insert(&mut index, key, &((*text).to_owned(), None, None));
        }
        index
    }

    fn order(query: &str, texts: &[&str]) -> Vec<u32> {
        let index = index_of(texts);
        let mut hits = hits(&index, &Query { prompt: Some(&query.into()), ..Query::default() });
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        hits.iter().map(|hit| hit.document).collect()
    }

    #[test]
    fn a_text_without_a_term_of_the_query_is_not_found() {
        assert_eq!(order("locking", &["the locks", "blocks", "", "Lock, held by nobody at all"]), [0, 3]);
        for nothing in ["", " …, ", "unheard", "what is the"] {
            assert_eq!(order(nothing, &["the lock", "what is the"]), [0; 0]);
        }
    }

    #[test]
    fn rare_terms_repetitions_and_short_texts_count_more() {
        assert_eq!(order("red journal", &["red end", "journal", "red start", "red rest"])[0], 1);
        assert_eq!(order("lock", &["lock wait grab", "lock lock grab", "wait grab free"]), [1, 0]);
        assert_eq!(order("lock", &["lock", "lock many words behind", "wait"]), [0, 1]);
    }

    #[test]
    fn what_somebody_said_counts_more_than_what_was_said_about_them() {
        assert_eq!(order("did Maya move", &["Jonas: Maya moved", "Maya: Jonas moved", "Jonas: we did"])[0], 1);
    }

    #[test]
    fn scores_are_those_of_bm25_by_the_best_one_above_the_mean() {
        // idf = ln(1 + (3 - n + 0.5) / (n + 0.5)); 2 words on average, for which k1 is 0.6 and b is 0.3.
        let index = index_of(&["lock lock free", "lock", "red blue"]);
        let weigh = |count: f64, words: f64| count * 1.6 / (count + 0.6 * (0.7 + 0.3 * words / 2.0));
        let expected = weigh(2.0, 3.0) / weigh(1.0, 1.0);
        let hits = hits(&index, &Query { prompt: Some(&"lock".into()), ..Query::default() });
        assert_eq!(hits.iter().map(|hit| hit.document).collect::<Vec<_>>(), [0, 1]);
        assert!((f64::from(hits[0].score / hits[1].score) - expected).abs() < 1e-5, "{hits:?}");
    }

    #[test]
    fn what_a_neighbour_of_the_same_session_says_counts_less_than_what_the_text_says() {
        let mut index = Index::default();
        let say = |index: &mut Index, text: &str, session: &str, seq: i64| {
            let content = Content { text, session: Some((session, seq)), ..Content::default() };
            let key = index.len() as u64;
            index.insert(&Document { key, content: Some(content), ..Document::default() })
        };
        let question = say(&mut index, "which port does the proxy use", "one", 1);
        let answer = say(&mut index, "8443", "one", 2);
        say(&mut index, "8080", "other", 2);
        let query = Query { prompt: Some(&"proxy port".into()), ..Query::default() };
        let matches = search(&[&index], &query);
        let hits = matches.at_least(0.0);
        let score = |document| hits.iter().find(|hit| hit.document == document).map(|hit| hit.score);
        assert_eq!(hits.len(), 2);
        assert!(score(question) > score(answer) && score(answer) > Some(0.0));
        let hit = *hits.iter().find(|hit| hit.document == answer).unwrap();
        let why = &matched(&[&index], &matches, &[hit], &query)[0];
        assert_eq!((why.words.len(), &*why.neighbouring), (0, &["port".to_owned(), "proxy".to_owned()][..]));
    }

    #[test]
    fn a_document_that_is_only_looked_up_is_neither_found_nor_counted() {
        let mut index = index_of(&["lock"]);
        let before = scores(&index, &Query { prompt: Some(&"lock".into()), ..Query::default() });
        index.insert(&Document { key: 9, id: 9, ..Document::default() });
        assert_eq!(scores(&index, &Query { prompt: Some(&"lock".into()), ..Query::default() }), before);
        assert_eq!((index.len(), index.searchable(), index.with_id(9)), (2, 1, vec![1]));
    }

    #[test]
    fn a_damaged_segment_is_not_read() {
        let (bytes, _) = index_of(&["lock", "the journal"]).compacted().unwrap();
        assert!(Segment::read(Box::new(bytes.clone())).is_some());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            // That of the vectors is compared with them when they are needed.
            let is_used = Segment::read(Box::new(damaged)).is_some_and(|it| it.vectors().is_some());
            assert!(!is_used, "byte {at}");
        }
        for length in 0..bytes.len() {
            assert!(Segment::read(Box::new(bytes[..length].to_vec())).is_none(), "{length} bytes");
        }
    }

    #[test]
    fn a_segment_that_would_be_too_large_is_not_written_and_the_index_goes_on() {
        let index = index_of(&["lock", "the journal"]);
        let (bytes, _) = index.compacted().unwrap();
        assert_eq!(index.compacted_within(4).map(|it| it.0), Some(bytes));
        // Two postings of two bytes each.
        assert!(index.compacted_within(3).is_none() && index.compacted_within(1).is_none());
        assert_eq!(hits(&index, &Query { prompt: Some(&"journal".into()), ..Query::default() }).len(), 1);
    }

    #[test]
    fn a_path_of_a_million_folders_costs_no_more_than_its_length() {
        let mut index = Index::default();
        let files = [format!("{}x.rs", "a/".repeat(1_000_000))];
        for files in [&files[..], &(0..100_000).map(|number| format!("{number}.rs")).collect::<Vec<_>>()] {
            let content = Content { text: "lock", files, ..Content::default() };
            index.insert(&Document { content: Some(content), ..Document::default() });
        }
        let (bytes, _) = index.compacted().unwrap();
        assert!(bytes.len() < 10_000, "{} bytes", bytes.len());
        let query = Query { files: &files, ..Query::default() };
        assert_eq!(hits(&index, &query).iter().map(|hit| hit.document).collect::<Vec<_>>(), [0]);
    }

    fn insert_vector(index: &mut Index, text: &str, vector: &[f32]) -> u32 {
        let content = Content { text, embedding: Some(vector), ..Content::default() };
        let key = index.len() as u64 + 1;
        index.insert(&Document { key, id: key, content: Some(content), ..Document::default() })
    }

    #[test]
    fn vectors_find_what_words_do_not_and_those_of_another_dimension_or_direction_do_not_count() {
        let mut index = Index::default();
        let near = insert_vector(&mut index, "cars", &[1.0, 0.1, 0.0]);
        insert_vector(&mut index, "birds", &[-1.0, 0.0, 0.2]);
        insert_vector(&mut index, "fish", &[0.0, -1.0, 0.0]);
        let word = insert_vector(&mut index, "automobile", &[1.0, 0.0]);
        insert_vector(&mut index, "nothing", &[0.0, 0.0, 0.0]);
        let ask = |index: &Index, vector: &[f32]| {
            let query = Query { prompt: Some(&"automobile".into()), embedding: Some(vector), ..Query::default() };
            hits(index, &query).iter().map(|hit| hit.document).collect::<Vec<_>>()
        };
        assert_eq!(ask(&index, &[2.0, 0.0, 0.0]), [near, word]);
        assert_eq!(ask(&index, &[0.0, 0.0, 0.0]), [word]);
        assert_eq!(ask(&index, &[0.0; 5]), [word]);
        let (bytes, _) = index.compacted().unwrap();
        let read = Index::of(Segment::read(Box::new(bytes)).unwrap());
        assert_eq!(ask(&read, &[2.0, 0.0, 0.0]), [near, word]);
        index.remove(near);
        assert_eq!(ask(&index, &[2.0, 0.0, 0.0]), [word]);
    }

    #[test]
    fn among_many_vectors_the_best_are_those_of_an_exact_comparison() {
        const DIMENSION: usize = 384;
        let mut state = 1_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let center: Vec<f32> = (0..DIMENSION).map(|_| random()).collect();
        let vectors: Vec<Vec<f32>> = (0..21_000)
            .map(|number| {
                let nearness = if number % 500 == 77 { 1.0 } else { 0.0 };
                center.iter().map(|at| nearness * at + random()).collect()
            })
            .collect();
        let mut index = Index::default();
        for vector in &vectors {
            insert_vector(&mut index, "", vector);
        }
        let query: Vec<f32> = center.iter().map(|at| at + 0.5 * random()).collect();
        let mut exact: Vec<_> =
            (0_u32..).zip(&vectors).map(|(at, vector)| (at, super::super::cosine(vector, &query).unwrap())).collect();
        exact.sort_by(|one, other| other.1.total_cmp(&one.1));
        let mut found = hits(&index, &Query { embedding: Some(&query), ..Query::default() });
        found.sort_by(|one, other| other.score.total_cmp(&one.score));
        let documents = |count: usize| found.iter().take(count).map(|hit| hit.document).collect::<Vec<_>>();
        assert_eq!(documents(20), exact.iter().take(20).map(|it| it.0).collect::<Vec<_>>());
        assert!(found.len() <= 1_000);
    }

    /// As in a store to which vectors were added later, whether cosines are computed or estimated.
    #[test]
    fn a_document_without_a_vector_is_ranked_by_its_words() {
        for dimension in [4, 16_384] {
            let vector = |nearness: usize| -> Vec<f32> {
                (0..dimension).map(|at| if at % 4 == 0 { nearness as f32 } else { 10.0 }).collect()
            };
            let mut index = Index::default();
            for number in 0..500 {
                let text = if number % 20 == 0 { "the proxy of the build" } else { "something else" };
                insert_vector(&mut index, text, &vector(number % 40));
            }
            insert(&mut index, 1_000, &("the proxy listens on port 8443".to_owned(), None, None));
            let query = vector(40);
            let prompt = Prompt::from("on which port does the proxy listen?");
            let query = Query { prompt: Some(&prompt), embedding: Some(&query), ..Query::default() };
            let mut found = hits(&index, &query);
            found.sort_by(|one, other| other.score.total_cmp(&one.score));
            assert_eq!(found[0].document, 500, "{dimension} dimensions");
        }
    }

    #[test]
    fn without_a_weight_vectors_change_nothing() {
        let mut index = Index::default();
        for (text, vector) in [("cars", [1.0, 0.1]), ("the proxy", [0.0, 1.0]), ("a proxy in the car", [-1.0, 0.0])] {
            insert_vector(&mut index, text, &vector);
        }
        let (prompt, vector) = (Prompt::from("proxy car"), [1.0, 0.0]);
        let by_words = Query { prompt: Some(&prompt), ..Query::default() };
        let without = Query { embedding: Some(&vector), vector_weight: Some(0.0), ..by_words };
        assert_eq!(scores(&index, &without), scores(&index, &by_words));
        let with = Query { embedding: Some(&vector), ..by_words };
        assert_ne!(scores(&index, &with), scores(&index, &by_words));
    }

    #[test]
    fn damaged_vectors_are_noticed_and_do_not_count() {
        let mut index = index_of(&["lock"]);
        insert_vector(&mut index, "cars", &[1.0, 0.1]);
        let (mut bytes, _) = index.compacted().unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let index = Index::of(Segment::read(Box::new(bytes)).unwrap());
        assert!(!index.has_intact_vectors());
        let query = Query { prompt: Some(&"lock".into()), embedding: Some(&[1.0, 0.0]), ..Query::default() };
        assert_eq!(hits(&index, &query).len(), 1);
    }
}
