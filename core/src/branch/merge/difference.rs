//! The differences of two versions of a text, line by line.
//!
//! Lines that both versions have once are matched first, as in a patience diff, and what is between them by the shortest edit.
//! The work is bounded: what would take more counts as replaced as a whole.
//!
//! The crate `imara-diff` does not bound the work of its histogram and cannot be cancelled, and it would bring second versions of
//! `hashbrown` and `foldhash`.

use std::collections::HashMap;
use std::ops::Range;

use crate::error::Result;

/// The most steps for one pair of versions. One takes some nanoseconds.
const MAX_WORK: usize = 50_000_000;
/// The most lines of a shortest edit.
const MAX_EDIT: usize = 500;
/// The number of steps between two checks.
const STEPS: usize = 4096;

/// Lines of base, and those of the other version in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) base: Range<usize>,
    pub(super) lines: Range<usize>,
}

/// The differences between `base` and `other`, whose equal lines have equal numbers. Hunks are in order, and at least one line
/// that both have is between them.
pub(super) fn difference(base: &[u32], other: &[u32], check: &dyn Fn() -> Result<()>) -> Result<Vec<Hunk>> {
    let mut work = Work { left: MAX_WORK, unchecked: 0, check };
    let mut hunks = Vec::new();
    let mut parts = vec![Hunk { base: 0..base.len(), lines: 0..other.len() }];
    while let Some(part) = parts.pop() {
        let part = trimmed(base, other, part, &mut work)?;
        if part.base.is_empty() || part.lines.is_empty() {
            hunks.push(part);
            continue;
        }
        let (of_base, of_other) = (&base[part.base.clone()], &other[part.lines.clone()]);
        let anchors = match anchors(of_base, of_other, &mut work)? {
            anchors if anchors.is_empty() => shortest_edit(of_base, of_other, &mut work)?,
            anchors => anchors,
        };
        if anchors.is_empty() {
            hunks.push(part);
            continue;
        }
        // The last part is the next one that is looked at, so that hunks come from the end to the start.
        let (mut from, mut from_other) = (part.base.start, part.lines.start);
        for (line, other_line) in anchors {
            let (at, other_at) = (part.base.start + line, part.lines.start + other_line);
            parts.push(Hunk { base: from..at, lines: from_other..other_at });
            (from, from_other) = (at + 1, other_at + 1);
        }
        parts.push(Hunk { base: from..part.base.end, lines: from_other..part.lines.end });
    }
    hunks.retain(|hunk| !(hunk.base.is_empty() && hunk.lines.is_empty()));
    hunks.reverse();
    Ok(hunks)
}

/// Counts the steps.
struct Work<'c> {
    left: usize,
    unchecked: usize,
    check: &'c dyn Fn() -> Result<()>,
}

impl Work<'_> {
    /// Counts steps. Returns whether more may be made.
    fn spend(&mut self, steps: usize) -> Result<bool> {
        self.left = self.left.saturating_sub(steps);
        self.unchecked += steps;
        if self.unchecked >= STEPS {
            self.unchecked = 0;
            (self.check)()?;
        }
        Ok(self.left > 0)
    }
}

/// A part without the lines at its start and its end that both have.
fn trimmed(base: &[u32], other: &[u32], part: Hunk, work: &mut Work<'_>) -> Result<Hunk> {
    let Hunk { base: mut lines, lines: mut others } = part;
    while !lines.is_empty() && !others.is_empty() && base[lines.start] == other[others.start] {
        (lines.start, others.start) = (lines.start + 1, others.start + 1);
        work.spend(1)?;
    }
    while !lines.is_empty() && !others.is_empty() && base[lines.end - 1] == other[others.end - 1] {
        (lines.end, others.end) = (lines.end - 1, others.end - 1);
        work.spend(1)?;
    }
    Ok(Hunk { base: lines, lines: others })
}

/// The longest sequence of lines in the same order that both versions have exactly once: their indexes in each.
fn anchors(base: &[u32], other: &[u32], work: &mut Work<'_>) -> Result<Vec<(usize, usize)>> {
    // Their number in each version, and the index of the last one.
    let mut seen: HashMap<u32, [(usize, usize); 2]> = HashMap::new();
    for (version, lines) in [base, other].into_iter().enumerate() {
        for (at, line) in lines.iter().enumerate() {
            if !work.spend(4)? {
                return Ok(Vec::new());
            }
            let (count, last) = &mut seen.entry(*line).or_default()[version];
            (*count, *last) = (*count + 1, at);
        }
    }
    let once = base.iter().enumerate().filter_map(|(at, line)| match seen.get(line) {
        Some([(1, _), (1, there)]) => Some((at, *there)),
        _ => None,
    });
    let once: Vec<(usize, usize)> = once.collect();
    // By patience: each pile's last card, and for each card the one below it on the pile before.
    let (mut piles, mut below): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::with_capacity(once.len()));
    for (card, (_, there)) in once.iter().enumerate() {
        work.spend(4)?;
        let pile = piles.partition_point(|last| once[*last].1 < *there);
        below.push(pile.checked_sub(1).map(|before| piles[before]));
        match piles.get_mut(pile) {
            Some(last) => *last = card,
            None => piles.push(card),
        }
    }
    let mut longest = Vec::with_capacity(piles.len());
    let mut next = piles.last().copied();
    while let Some(card) = next {
        longest.push(once[card]);
        next = below[card];
    }
    longest.reverse();
    Ok(longest)
}

/// The lines that the shortest edit keeps, by Myers' algorithm: their indexes in each version; none if it is too long.
fn shortest_edit(base: &[u32], other: &[u32], work: &mut Work<'_>) -> Result<Vec<(usize, usize)>> {
    // The farthest index in base on each diagonal, the difference of both indexes; before each edit. Shifted by `MAX_EDIT + 1`.
    const ZERO: usize = MAX_EDIT + 1;
    let mut farthest = vec![0_usize; 2 * ZERO + 1];
    let mut before: Vec<Vec<usize>> = Vec::new();
    let comes_down = |farthest: &[usize], diagonal: usize, edits: usize| {
        diagonal == ZERO - edits || (diagonal != ZERO + edits && farthest[diagonal - 1] < farthest[diagonal + 1])
    };
    for edits in 0..=MAX_EDIT.min(base.len() + other.len()) {
        before.push(farthest[ZERO - edits - 1..=ZERO + edits + 1].to_vec());
        for diagonal in (ZERO - edits..=ZERO + edits).step_by(2) {
            let down = comes_down(&farthest, diagonal, edits);
            let mut at = if down { farthest[diagonal + 1] } else { farthest[diagonal - 1] + 1 };
            // On diagonals outside of both versions, nothing is found.
            let other_of = |at: usize| (at + ZERO).checked_sub(diagonal);
            let start = at;
            while let Some(there) = other_of(at)
                && at < base.len()
                && there < other.len()
                && base[at] == other[there]
            {
                at += 1;
            }
            farthest[diagonal] = at;
            if !work.spend(1 + at - start)? {
                return Ok(Vec::new());
            }
            if at >= base.len() && other_of(at).is_some_and(|there| there >= other.len()) {
                return Ok(kept(&before, [base.len(), other.len()]));
            }
        }
    }
    Ok(Vec::new())
}

/// The lines that an edit keeps, from the farthest indexes before each of its steps and the end of both versions.
fn kept(before: &[Vec<usize>], [mut at, mut there]: [usize; 2]) -> Vec<(usize, usize)> {
    let mut kept = Vec::new();
    for (edits, farthest) in before.iter().enumerate().rev() {
        // The middle of `farthest` is diagonal 0.
        let middle = edits + 1;
        let diagonal = middle + at - there;
        let down = diagonal == 1 || (diagonal != 2 * edits + 1 && farthest[diagonal - 1] < farthest[diagonal + 1]);
        let from = if down { diagonal + 1 } else { diagonal - 1 };
        let (start, start_there) = match edits {
            0 => (0, 0),
            _ => (farthest[from], farthest[from] + middle - from),
        };
        while at > start && there > start_there {
            (at, there) = (at - 1, there - 1);
            kept.push((at, there));
        }
        (at, there) = (start, start_there);
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The hunks, after a check that they make the one of the other.
    fn hunks(base: &[u32], other: &[u32]) -> Vec<Hunk> {
        let hunks = difference(base, other, &|| Ok(())).unwrap();
        let (mut made, mut at) = (Vec::<u32>::new(), 0);
        for (nth, hunk) in hunks.iter().enumerate() {
            assert!(!hunk.base.is_empty() || !hunk.lines.is_empty());
            assert!(hunk.base.start > at || nth == 0, "a line that both have is between hunks: {hunks:?}");
            made.extend(&base[at..hunk.base.start]);
            assert_eq!(made.len(), hunk.lines.start);
            made.extend(&other[hunk.lines.clone()]);
            at = hunk.base.end;
        }
        made.extend(&base[at..]);
        assert_eq!(made, other);
        hunks
    }

    fn edit_length(hunks: &[Hunk]) -> usize {
        hunks.iter().map(|hunk| hunk.base.len() + hunk.lines.len()).sum()
    }

    #[test]
    fn the_edits_of_lines_that_are_repeated_are_found() {
        let many: Vec<u32> = (0..1_000).map(|line| line % 3).collect();
        for at in [0, 1, 500, 999, 1_000] {
            let mut other = many.clone();
            other.insert(at, 0);
            other.insert(at / 2, 1);
            assert!(edit_length(&hunks(&many, &other)) <= 2, "{at}");
        }
    }

    #[test]
    fn what_takes_too_much_work_counts_as_replaced() {
        // No line occurs once, and every one has moved.
        let base: Vec<u32> = (0..40_000).map(|line| line % 10_000).collect();
        let other: Vec<u32> = base.iter().rev().copied().collect();
        assert_eq!(hunks(&base, &other).len(), 1);
    }

    proptest! {
        #[test]
        fn hunks_make_the_other_version(
            base in proptest::collection::vec(0..6_u32, 0..20), other in proptest::collection::vec(0..6_u32, 0..20),
        ) {
            let found = edit_length(&hunks(&base, &other));
            // All lines of both, without those at the start that are the same.
            prop_assert!(found <= base.len() + other.len());
            prop_assert_eq!(found == 0, base == other);
        }
    }
}
