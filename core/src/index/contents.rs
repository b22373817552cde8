//! What is known of the contents of files: looked up by their hashes, or found in one pass over their bytes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use super::entry::{self, Entry};
use super::place::Place;
use super::scan::{Definition, Language, Scanner, Split, term_hash};
use super::segment::{ContentKey, Extent, Segment, SegmentWriter, content_key};
use super::table::ContentRow;
use crate::disk::Stamp;
use crate::ranking::Analyzer;
use crate::safety::Redactor;

/// How many bytes are searched for a NUL, which text does not have.
const BINARY_CHECK: usize = 8 << 10;

/// How many contents were looked up.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) parsed: usize,
    pub(super) reused: usize,
}

/// Splits identifiers into the terms that prompts are searched by.
struct Terms(Analyzer);

impl Split for Terms {
    fn split(&mut self, identifier: &str, emit: &mut dyn FnMut(&str)) {
        self.0.each_term(identifier, emit);
    }
}

/// Looks contents up, and parses those that are new.
pub(super) struct Contents<'p> {
    place: &'p Place<'p>,
    names: Vec<String>,
    segments: Vec<Segment>,
    /// Whether the segments are all that the home has, and not only those that the index uses.
    is_complete: bool,
    /// The contents that were parsed now.
    parsed: HashMap<ContentKey, Extent>,
    writer: SegmentWriter,
    scanner: Scanner<Terms>,
    analyzer: Analyzer,
    redactor: Redactor,
    /// How many contents were looked up.
    pub(super) counts: Counts,
}

impl<'p> Contents<'p> {
    pub(super) fn new(place: &'p Place<'p>, names: Vec<String>, segments: Vec<Segment>) -> Self {
        Contents {
            place,
            names,
            segments,
            is_complete: false,
            parsed: HashMap::new(),
            writer: SegmentWriter::new(),
            scanner: Scanner::new(Terms(Analyzer::default())),
            analyzer: Analyzer::default(),
            redactor: place.home.redactor().clone(),
            counts: Counts::default(),
        }
    }

    /// The content of a file, parsed if it is not known.
    pub(super) fn of_file(&mut self, top: &Path, path: &[u8], stamp: Stamp) -> Option<ContentRow> {
        let limit = u64::from(self.place.home.config().index.max_file_bytes);
        if stamp.size > limit {
            return None;
        }
        let text = self.place.home.disk().read_in_work_tree(top, path, limit)?;
        if memchr::memchr(0, &text[..text.len().min(BINARY_CHECK)]).is_some() {
            return None;
        }
        let language = Language::of_path(path);
        let key = content_key(language.name(), &text);
        if let Some(known) = self.find(key) {
            self.counts.reused += 1;
            return Some(known);
        }
        self.counts.parsed += 1;
        let mut scanned = self.scanner.scan(language, &text);
        self.redact(&mut scanned.definitions);
        let mut names: Vec<u32> = Vec::new();
        for definition in &scanned.definitions {
            self.analyzer.each_term(&definition.name, |term| names.push(term_hash(term)));
        }
        names.sort_unstable();
        let bytes = entry::written(&scanned, |hash| names.binary_search(&hash).is_ok());
        let place = self.writer.add(key, &bytes)?;
        let segment = u32::try_from(self.segments.len()).ok()?;
        self.parsed.insert(key, place);
        Some(ContentRow { key, segment, place, words: scanned.words, ordinal: None })
    }

    /// Replaces secrets in what is stored as text.
    fn redact(&self, definitions: &mut [Definition]) {
        let texts: Vec<&str> = definitions.iter().flat_map(|it| [it.name.as_str(), it.signature.as_str()]).collect();
        if matches!(self.redactor.scrub(&texts.join("\n")), Cow::Borrowed(_)) {
            return;
        }
        for definition in definitions {
            definition.name = self.redactor.scrub(&definition.name).into_owned();
            definition.signature = self.redactor.scrub(&definition.signature).into_owned();
        }
    }

    /// A content that was parsed before.
    fn find(&mut self, key: ContentKey) -> Option<ContentRow> {
        if let Some(place) = self.parsed.get(&key).copied() {
            let words = Entry::read(self.writer.entry(place)?)?.words();
            let segment = u32::try_from(self.segments.len()).ok()?;
            return Some(ContentRow { key, segment, place, words, ordinal: None });
        }
        if !self.is_complete {
            self.is_complete = true;
            for name in self.place.segment_names() {
                if self.names.contains(&name) {
                    continue;
                }
                if let Some(segment) = self.place.segment(&name) {
                    self.names.push(name);
                    self.segments.push(segment);
                }
            }
        }
        (0_u32..).zip(&self.segments).find_map(|(number, segment)| {
            let place = segment.find(key)?;
            let words = Entry::read(segment.entry(place)?)?.words();
            Some(ContentRow { key, segment: number, place, words, ordinal: None })
        })
    }

    /// Writes the new contents, and returns the segments with their names.
    pub(super) fn finish(mut self) -> (Vec<String>, Vec<Segment>) {
        if !self.writer.is_empty() {
            let (name, bytes) = self.writer.finish();
            if let Some(segment) = self.place.keep_segment(&name, bytes) {
                self.names.push(name);
                self.segments.push(segment);
            }
        }
        (self.names, self.segments)
    }
}
