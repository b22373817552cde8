//! Keeps an index small: merges segments, and makes the lists anew once many files are not in them.

use std::collections::HashMap;

use super::entry::Entry;
use super::place::Place;
use super::postings::{self, Hit, MAX_FILES};
use super::segment::{Segment, SegmentWriter};
use super::table::{ContentRow, FileRow, Snapshot};
use crate::error::Result;

/// How many segments a home has before they are merged.
const MAX_SEGMENTS: usize = 24;
/// The lists are made again when so many files are not in them, or a tenth of all.
const MAX_UNLISTED: usize = 200;

/// Leaves out the segments that no file needs.
pub(super) fn drop_unused(segments: &mut Vec<Segment>, files: &mut [FileRow]) {
    let mut numbers = vec![None; segments.len()];
    for content in files.iter().filter_map(|file| file.content) {
        numbers.get_mut(content.segment as usize).into_iter().for_each(|number| *number = Some(0));
    }
    numbers.iter_mut().flatten().zip(0..).for_each(|(number, kept)| *number = kept);
    for content in files.iter_mut().filter_map(|file| file.content.as_mut()) {
        content.segment = numbers.get(content.segment as usize).copied().flatten().unwrap_or(u32::MAX);
    }
    let mut numbers = numbers.iter();
    segments.retain(|_| numbers.next().is_some_and(Option::is_some));
}

/// Merges the segments of an index if there are too many, and returns whether it did. The old ones are left for the table
/// that uses them.
///
/// # Errors
/// Those of `check`.
pub(super) fn merge_segments(
    place: &Place<'_>,
    snapshot: &mut Snapshot,
    check: &dyn Fn() -> Result<()>,
) -> Result<bool> {
    if snapshot.segments.len() <= MAX_SEGMENTS {
        return Ok(false);
    }
    let mut writer = SegmentWriter::new();
    let mut moved = HashMap::new();
    for content in snapshot.table.files.iter().filter_map(|file| file.content) {
        check()?;
        let bytes = snapshot.segments.get(content.segment as usize).and_then(|it| it.entry(content.place));
        if let (Some(bytes), false) = (bytes, moved.contains_key(&content.key)) {
            let Some(place) = writer.add(content.key, &bytes) else { return Ok(false) };
            moved.insert(content.key, place);
        }
    }
    let (name, bytes) = writer.finish();
    let Some(segment) = place.keep_segment(&name, bytes) else { return Ok(false) };
    for content in snapshot.table.files.iter_mut().filter_map(|file| file.content.as_mut()) {
        if let Some(place) = moved.get(&content.key) {
            (content.segment, content.place) = (0, *place);
        }
    }
    (snapshot.table.segments, snapshot.segments) = (vec![name], vec![segment]);
    Ok(true)
}

/// Removes the segments that no index of the home uses any more. Called once the table is written.
pub(super) fn remove_unused(place: &Place<'_>, snapshot: &Snapshot) {
    let used: Vec<String> = place.other_tables().flat_map(|table| table.segments).collect();
    let used = |name: &String| used.contains(name) || snapshot.table.segments.contains(name);
    for name in place.segment_names().into_iter().filter(|name| !used(name)) {
        // An index that still wants it is made again.
        place.remove_segment(&name);
    }
}

/// True if the lists have to be made again, since too many files are not in them.
pub(super) fn is_due(snapshot: &Snapshot) -> bool {
    let contents = || snapshot.table.files.iter().filter_map(|file| file.content.as_ref());
    let (all, unlisted) = (contents().count(), contents().filter(|content| content.ordinal.is_none()).count());
    let dead = (snapshot.table.ordinals as usize).saturating_sub(all - unlisted);
    let most = MAX_UNLISTED.min(all / 10);
    let is_outdated = snapshot.postings.is_none() || unlisted.max(dead) > most;
    is_outdated && all > 0 && all < MAX_FILES as usize
}

/// Makes the lists anew.
///
/// # Errors
/// Those of `check`, with the lists that were there left as they are.
pub(super) fn list(place: &Place<'_>, snapshot: &mut Snapshot, check: &dyn Fn() -> Result<()>) -> Result<()> {
    let mut postings = Vec::new();
    let mut ordinals = 0;
    let rows: Vec<Option<ContentRow>> = snapshot.table.files.iter().map(|file| file.content).collect();
    for (row, content) in rows.into_iter().enumerate() {
        check()?;
        let Some(content) = content else { continue };
        let bytes = snapshot.entry(&content);
        let Some(entry) = bytes.as_deref().and_then(Entry::read) else { continue };
        let (file, start) = (ordinals, postings.len());
        postings.reserve(entry.hashes().size_hint().0);
        let posting = |(hash, count, is_defined): (u32, u32, bool)| Hit::new(file, count, is_defined).packed(hash);
        postings.extend(entry.counts().map_while(|count| count.map(posting)));
        if postings.len() - start < entry.hashes().count() {
            postings.truncate(start);
            continue;
        }
        ordinals += 1;
        if let Some(content) = &mut snapshot.table.files[row].content {
            content.ordinal = Some(file);
        }
    }
    let bytes = postings::written(postings, check)?;
    check()?;
    snapshot.postings = place.keep_lists(bytes);
    snapshot.table.lists = snapshot.postings.as_ref().map_or(0, postings::Postings::digest);
    snapshot.table.ordinals = ordinals;
    Ok(())
}
