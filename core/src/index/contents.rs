//! The entries of the contents of files: looked up by their hashes, or found in one pass over their bytes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::Path;

use super::entry::{self, Entry};
use super::generated;
use super::place::Place;
use super::scan::{Definition, Language, Scanner, Split};
use super::segment::{ContentKey, Segment, SegmentWriter, content_key};
use super::table::ContentRow;
use crate::disk::Stamp;
use crate::error::Result;
use crate::home::Home;
use crate::ranking::Analyzer;
use crate::safety::{beginning, placeholders};

/// How many bytes are searched for a NUL, which text does not have.
const BINARY_CHECK: usize = 8 << 10;

/// A file could not be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unread;

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
    segments: Vec<Segment>,
    /// True if the segments are all of the home, and not only those that the index uses.
    is_complete: bool,
    /// The contents that were parsed now.
    parsed: HashMap<ContentKey, ContentRow>,
    writer: SegmentWriter,
    scanner: Scanner<Terms>,
    /// How many contents were looked up.
    pub(super) counts: Counts,
}

impl<'p> Contents<'p> {
    pub(super) fn new(place: &'p Place<'p>, segments: Vec<Segment>) -> Self {
        Contents {
            place,
            segments,
            is_complete: false,
            parsed: HashMap::new(),
            writer: SegmentWriter::new(),
            scanner: Scanner::new(Terms(Analyzer::default())),
            counts: Counts::default(),
        }
    }

    /// The content of a file, parsed if it is not known; `None` if it is binary or too large.
    ///
    /// [`Unread`] if it could not be read, which may be otherwise the next time.
    ///
    /// # Errors
    /// Those of `check`.
    pub(super) fn of_file(
        &mut self,
        top: &Path,
        path: &[u8],
        stamp: Stamp,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<std::result::Result<Option<ContentRow>, Unread>> {
        let home = self.place.home;
        let limit = u64::from(home.config().index.max_file_bytes);
        if stamp.size > limit {
            return Ok(Ok(None));
        }
        let text = match home.disk().read_in_work_tree(top, path, limit) {
            Ok(text) => text,
            // Allowing it changes the stamp.
            Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => return Ok(Ok(None)),
            Err(_) => return Ok(Err(Unread)),
        };
        if memchr::memchr(0, &text[..text.len().min(BINARY_CHECK)]).is_some() {
            return Ok(Ok(None));
        }
        let language = Language::of_path(path);
        let key = content_key(language.name(), home.own_rules(), &text);
        if let Some(known) = self.find(key) {
            self.counts.reused += 1;
            return Ok(Ok(Some(known)));
        }
        let mut scanned = self.scanner.scan(language, &text, check)?;
        scanned.is_generated = generated::is_generated(&text);
        self.counts.parsed += 1;
        redact_and_cut(home, &mut scanned.definitions, check)?;
        let mut names: Vec<u32> = Vec::new();
        for definition in &scanned.definitions {
            // A placeholder for a secret is no part of the name.
            let mut rest = 0;
            for placeholder in placeholders(definition.name.as_bytes()) {
                self.scanner.terms_of(definition.name.get(rest..placeholder.start).unwrap_or_default(), &mut names);
                rest = placeholder.end;
            }
            self.scanner.terms_of(definition.name.get(rest..).unwrap_or_default(), &mut names);
        }
        names.sort_unstable();
        let bytes = entry::written(&scanned, |hash| names.binary_search(&hash).is_ok());
        Ok(Ok(self.add(key, &bytes, scanned.words)))
    }

    /// Adds a new content, to another segment if this one is full.
    fn add(&mut self, key: ContentKey, bytes: &[u8], words: u32) -> Option<ContentRow> {
        let place = match self.writer.add(key, bytes) {
            Some(place) => place,
            None => {
                self.flush();
                self.writer.add(key, bytes)?
            }
        };
        let segment = u32::try_from(self.segments.len()).ok()?;
        let row = ContentRow { key, segment, place, words, ordinal: None };
        self.parsed.insert(key, row);
        Some(row)
    }

    /// A content that was parsed before.
    fn find(&mut self, key: ContentKey) -> Option<ContentRow> {
        if let Some(parsed) = self.parsed.get(&key) {
            return Some(*parsed);
        }
        if !self.is_complete {
            self.is_complete = true;
            let mut names = self.place.segment_names();
            names.retain(|name| self.segments.iter().all(|segment| segment.name != *name));
            self.segments.extend(names.iter().filter_map(|name| self.place.segment(name)));
        }
        (0_u32..).zip(&self.segments).find_map(|(number, segment)| {
            let place = segment.find(key)?;
            let words = Entry::read(&segment.entry(place)?)?.words();
            Some(ContentRow { key, segment: number, place, words, ordinal: None })
        })
    }

    /// Writes the contents that were added.
    fn flush(&mut self) {
        let writer = std::mem::replace(&mut self.writer, SegmentWriter::new());
        if writer.is_empty() {
            return;
        }
        let (name, bytes) = writer.finish();
        self.segments.extend(self.place.keep_segment(&name, bytes));
    }

    /// Writes the new contents, and returns the segments.
    pub(super) fn finish(mut self) -> Vec<Segment> {
        self.flush();
        self.segments
    }
}

/// The most bytes of a name or a signature that are stored.
const MAX_TEXT: usize = 200;

/// Cuts what is stored as text, after secrets in it were replaced.
///
/// # Errors
/// Those of `check`.
pub(super) fn redact_and_cut(
    home: &Home,
    definitions: &mut [Definition],
    check: &dyn Fn() -> Result<()>,
) -> Result<()> {
    /// How many are redacted between two checks.
    const UNCHECKED: usize = 2_000;
    for some in definitions.chunks_mut(UNCHECKED) {
        check()?;
        redact(home, some);
        some.iter_mut().for_each(cut);
    }
    Ok(())
}

/// Cuts the texts of a definition.
pub(super) fn cut(definition: &mut Definition) {
    for text in [&mut definition.name, &mut definition.signature] {
        text.truncate(beginning(text, MAX_TEXT).trim_end().len());
    }
}

/// Replaces secrets in what is stored as text.
fn redact(home: &Home, definitions: &mut [Definition]) {
    let redactor = home.redactor();
    // The built-in rules find in the lines together what they find in each, and in a signature what they find in the name
    // in it; a pattern of the user's may not.
    if home.own_rules() == 0 {
        let mut texts = String::new();
        for definition in &*definitions {
            let is_repeated = definition.signature.contains(&definition.name);
            let name = Some(&definition.name).filter(|_| !is_repeated);
            for text in name.into_iter().chain([&definition.signature]) {
                texts.push_str(text);
                texts.push('\n');
            }
        }
        if matches!(redactor.scrub(&texts), Cow::Borrowed(_)) {
            return;
        }
    }
    for definition in definitions {
        for text in [&mut definition.name, &mut definition.signature] {
            if let Cow::Owned(redacted) = redactor.redact(text) {
                *text = redacted;
            }
        }
    }
}
