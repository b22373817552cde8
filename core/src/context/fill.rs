//! A section of a pack while it is filled.

use std::collections::HashMap;

use super::Section as Report;
use crate::room::{Candidates, Fragment, Section};

/// Separates any two sections of a pack.
pub(super) const GAP: &str = "\n\n";

/// A section that is being filled.
#[derive(Clone)]
pub(super) struct Fill<'f> {
    pub(super) section: &'static Section,
    pub(super) candidates: &'f Candidates,
    /// The record that is shown for each record: the first one that says the same.
    shown: Vec<usize>,
    /// The lengths of the texts.
    pub(super) lengths: Vec<usize>,
    /// The records that are shown, in the order in which they are included.
    pub(super) order: Vec<usize>,
    pub(super) taken: Vec<bool>,
    /// The characters of heading, texts and gaps; 0 while nothing is included.
    pub(super) chars: usize,
    /// What the first record needs that fits into the pack.
    floor: usize,
}

/// The characters that a section needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need {
    /// For its first record.
    pub(super) first: usize,
    /// For all of its records.
    pub(super) all: usize,
}

impl<'f> Fill<'f> {
    pub(super) fn new(section: &'static Section, candidates: &'f Candidates, max_chars: usize) -> Self {
        let fragments = &candidates.fragments;
        let mut first = HashMap::with_capacity(fragments.len());
        let of_content = |(at, fragment): (usize, &'f Fragment)| *first.entry(fragment.content()).or_insert(at);
        let shown: Vec<usize> = fragments.iter().enumerate().map(of_content).collect();
        let mut is_ordered = vec![false; fragments.len()];
        let by_rank = candidates.relevant.iter().chain(&candidates.newest).filter_map(|at| shown.get(*at).copied());
        let order: Vec<usize> = by_rank.filter(|at| !std::mem::replace(&mut is_ordered[*at], true)).collect();
        let lengths = fragments.iter().map(|fragment| fragment.text.chars().count()).collect();
        let mut fill = Fill {
            section,
            candidates,
            shown,
            lengths,
            order,
            taken: vec![false; fragments.len()],
            chars: 0,
            floor: 0,
        };
        let needed = fill.order.iter().map(|at| GAP.len() + fill.alone(*at));
        fill.floor = needed.filter(|needed| *needed <= max_chars).take(1).sum();
        fill
    }

    /// What the first record needs that fits into the pack.
    pub(super) fn floor(&self) -> usize {
        self.floor
    }

    /// What the records need that fit into `room`, with a gap before the section.
    pub(super) fn need(&self, room: usize) -> Need {
        let mut fitting = self.order.iter().filter(|at| self.alone(**at) <= room);
        let first = fitting.next().map_or(0, |at| GAP.len() + self.alone(*at));
        let others = fitting.map(|at| self.section.gap.len() + self.lengths[*at]);
        Need { first, all: others.fold(first, usize::saturating_add) }
    }

    /// The characters of the section with only this record.
    pub(super) fn alone(&self, at: usize) -> usize {
        self.section.heading.len() + GAP.len() + self.lengths[at]
    }

    fn is_included(&self, at: usize) -> bool {
        self.taken[self.shown[at]]
    }

    /// The number of records that are left out.
    pub(super) fn dropped(&self) -> usize {
        (0..self.shown.len()).filter(|at| !self.is_included(*at)).count()
    }

    /// Whether some records are included, and all of them come before those that are left out.
    pub(super) fn is_cut_off(&self) -> bool {
        let first_dropped = self.order.iter().position(|at| !self.taken[*at]);
        let last_taken = self.order.iter().rposition(|at| self.taken[*at]);
        last_taken.is_some_and(|taken| first_dropped.is_none_or(|dropped| taken < dropped))
    }

    pub(super) fn text(&self) -> String {
        let mut text = self.section.heading.to_owned();
        let mut gap = GAP;
        for (fragment, _) in self.candidates.fragments.iter().zip(&self.taken).filter(|(_, taken)| **taken) {
            text.push_str(gap);
            text.push_str(&fragment.text);
            gap = self.section.gap;
        }
        text
    }

    pub(super) fn report(&self) -> Report {
        let (included, dropped): (Vec<usize>, Vec<usize>) = (0..self.shown.len()).partition(|at| self.is_included(*at));
        let fragments = &self.candidates.fragments;
        let names = |list: &[usize]| list.iter().map(|at| fragments[*at].name.clone()).collect();
        let inherited: Vec<usize> = included.iter().copied().filter(|at| fragments[*at].is_inherited).collect();
        Report {
            name: self.section.name,
            chars: self.chars,
            included: names(&included),
            dropped: names(&dropped),
            inherited: names(&inherited),
            skipped: (self.candidates.skipped > 0).then_some(self.candidates.skipped),
        }
    }
}
