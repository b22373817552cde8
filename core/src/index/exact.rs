//! The exact definitions of the files that are asked about: each content is parsed once, and what was found is kept.

use std::collections::HashMap;
use std::path::Path;

use super::contents::redact;
use super::entry::{self, Entry};
use super::place::Place;
use super::scan::{Definition, Language, Scanned};
use super::segment::{ContentKey, Segment, SegmentWriter, content_key};
use super::syntax;
use super::table::{ContentRow, FileRow};

/// How many contents are kept; beyond it, those of earlier calls are forgotten.
const MAX_KEPT: usize = 4_000;

/// Parses files, and remembers what it found.
pub(super) struct Exact<'p> {
    place: &'p Place<'p>,
    top: &'p Path,
    kept: Option<Segment>,
    parsed: HashMap<ContentKey, Vec<u8>>,
}

impl<'p> Exact<'p> {
    pub(super) fn new(place: &'p Place<'p>, top: &'p Path) -> Self {
        Exact { place, top, kept: place.symbols(), parsed: HashMap::new() }
    }

    /// The definitions of a file, in the order of its text; `None` if it cannot be parsed or has changed since it was indexed.
    pub(super) fn definitions(&mut self, file: &FileRow, content: &ContentRow) -> Option<Vec<Definition>> {
        let known = self.kept.as_ref().and_then(|kept| kept.entry(kept.find(content.key)?));
        if let Some(definitions) = known.and_then(Entry::read).and_then(|entry| entry.definitions()) {
            return Some(definitions);
        }
        let language = Language::of_path(&file.path);
        if !syntax::has_grammar(language) {
            return None;
        }
        let text = self.place.home.disk().read_in_work_tree(self.top, &file.path, file.stamp.size).ok()?;
        if content_key(language.name(), self.place.home.own_rules(), &text) != content.key {
            return None;
        }
        let symbols = syntax::symbols(language, &text)?;
        let mut definitions: Vec<Definition> = symbols.into_iter().map(definition).collect();
        redact(self.place.home, &mut definitions);
        let scanned = Scanned { definitions, ..Scanned::default() };
        self.parsed.insert(content.key, entry::written(&scanned, |_| false));
        Some(scanned.definitions)
    }

    /// Keeps what was parsed.
    pub(super) fn keep(self) {
        if self.parsed.is_empty() {
            return;
        }
        let mut writer = SegmentWriter::new();
        let old = self.kept.iter().flat_map(Segment::entries).collect::<Vec<_>>();
        let old = if old.len() + self.parsed.len() > MAX_KEPT { Vec::new() } else { old };
        let new = self.parsed.iter().map(|(key, bytes)| (*key, bytes.as_slice()));
        for (key, bytes) in old.into_iter().filter(|(key, _)| !self.parsed.contains_key(key)).chain(new) {
            if writer.add(key, bytes).is_none() {
                break;
            }
        }
        self.place.keep_symbols(&writer.finish().1);
    }
}

fn definition(symbol: syntax::Symbol) -> Definition {
    let syntax::Symbol { name, kind, line, end_line: _, depth, signature } = symbol;
    Definition { name, kind, line, depth, signature }
}
