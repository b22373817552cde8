//! The budget of a pack: how many characters each section may have.
//!
//! A section has a floor, which is what its first record needs, and a share. Sections that change rarely divide what the
//! others do not reserve, so that the beginning of a pack stays the same as steps are added.

use super::SectionName;
use super::fill::{Fill, Need};
use super::sizes::Size;

/// What all sections together may reserve of a pack, in percent.
const MAX_RESERVED: usize = 60;

/// The room of the sections of one pack.
pub(super) struct Budget {
    /// What all of the sections that change rarely may have together.
    pub(super) stable: usize,
    /// What the pack may have.
    pub(super) all: usize,
    /// What is reserved for each section that is filled after those.
    pub(super) reserved: Vec<usize>,
}

impl Budget {
    /// The budget of `volatile` sections and of those that change rarely, in `max_chars` characters of which `last_line`
    /// are needed for the last line.
    pub(super) fn by_default(volatile: &[&Fill<'_>], max_chars: usize, last_line: usize) -> Self {
        // However many of them there are, they leave room for the sections that change rarely.
        let total: usize = volatile.iter().map(|fill| fill.section.reserved).sum();
        let share = |fill: &Fill<'_>| {
            let share = percent(max_chars, fill.section.reserved);
            if total > MAX_RESERVED { share * MAX_RESERVED / total } else { share }
        };
        let needed = |fill: &Fill<'_>| fill.floor();
        Budget::new(volatile, max_chars, max_chars, last_line, &share, &needed)
    }

    /// The budget of sections with sizes.
    pub(super) fn sized(fills: &[&Fill<'_>], sizes: &Sizes<'_>, last_line: usize) -> Self {
        let share = |fill: &Fill<'_>| sizes.reserved(fill.section.name);
        let needed = |fill: &Fill<'_>| fill.floor().min(sizes.reserved(fill.section.name));
        Budget::new(fills, sizes.max_chars, sizes.all, last_line, &share, &needed)
    }

    fn new(
        volatile: &[&Fill<'_>],
        max_chars: usize,
        all: usize,
        last_line: usize,
        share: &dyn Fn(&Fill<'_>) -> usize,
        needed: &dyn Fn(&Fill<'_>) -> usize,
    ) -> Self {
        let mut last_line = last_line.saturating_sub(max_chars - all);
        let all = all.saturating_sub(last_line);
        let mut free = all;
        let (mut reserved, mut floors) = (Vec::new(), Vec::new());
        for fill in volatile {
            let (share, needed) = (share(fill), needed(fill));
            let floor = if needed <= free { needed } else { 0 };
            free -= floor;
            floors.push(floor);
            reserved.push(share);
        }
        // The last line takes its room from what is above a floor, of the last section first, and so from the sections
        // that change rarely only if there is no other.
        for (reserved, floor) in reserved.iter_mut().zip(&floors).rev() {
            let above = reserved.saturating_sub(*floor);
            let taken = above.min(last_line);
            last_line -= taken;
            // Floors come before shares.
            let more = (above - taken).min(free);
            free -= more;
            *reserved = floor + more;
        }
        Budget { stable: free, all, reserved }
    }

    /// What the sections may have that come after so many of the volatile ones.
    pub(super) fn after(&self, volatile: usize) -> usize {
        self.reserved.iter().skip(volatile).sum()
    }
}

/// The sizes of sections that a caller chose.
pub(super) struct Sizes<'s> {
    sizes: &'s [(SectionName, Size)],
    max_chars: usize,
    /// What all of them may have.
    all: usize,
    /// The sum of all sizes, in characters.
    sum: usize,
}

impl<'s> Sizes<'s> {
    pub(super) fn new(sizes: &'s [(SectionName, Size)], max_chars: usize) -> Self {
        let sum = sizes.iter().map(|(_, size)| chars(*size, max_chars)).fold(0, usize::saturating_add);
        Sizes { sizes, max_chars, all: sum.min(max_chars), sum }
    }

    fn of(&self, section: SectionName) -> Option<Size> {
        self.sizes.iter().find(|(name, _)| *name == section).map(|(_, size)| *size)
    }

    /// What a section may fill if the sections before it leave `spare` of the pack.
    pub(super) fn space(&self, section: SectionName, spare: usize) -> usize {
        let reserved = self.reserved(section);
        match self.of(section) {
            Some(Size::Share(_)) => reserved.max(spare.min(self.all)),
            _ => reserved,
        }
    }

    /// What is reserved for a section: less than its size if all of them together exceed the pack.
    fn reserved(&self, section: SectionName) -> usize {
        let size = self.of(section).map_or(0, |size| chars(size, self.max_chars));
        if self.sum <= self.max_chars {
            return size;
        }
        let scaled = size as u128 * self.max_chars as u128 / self.sum as u128;
        usize::try_from(scaled).unwrap_or(self.max_chars)
    }

    /// The most that a section may have.
    pub(super) fn most(&self, fill: &Fill<'_>) -> usize {
        match self.of(fill.section.name) {
            Some(Size::Chars(chars)) => chars,
            Some(Size::Share(_)) => self.all,
            None => 0,
        }
    }
}

fn chars(size: Size, max_chars: usize) -> usize {
    match size {
        Size::Chars(chars) => chars,
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of at most 2^32 characters"
        )]
        Size::Share(share) => (share * max_chars as f64).floor() as usize,
    }
}

/// So many percent of a pack.
pub(super) fn percent(max_chars: usize, percent: usize) -> usize {
    max_chars / 100 * percent + max_chars % 100 * percent / 100
}

/// What each of several sections may have of `room`: as much as it needs, else at least what its first record needs and
/// as much as the others.
pub(super) fn divide(needs: &[Need], room: usize) -> Vec<usize> {
    let mut floors: Vec<usize> = needs.iter().map(|need| need.first).collect();
    // Without room for the first record of each, those of the last sections are left out.
    while floors.iter().fold(0, |sum: usize, floor| sum.saturating_add(*floor)) > room {
        let Some(last) = floors.iter().rposition(|floor| *floor > 0) else { break };
        floors[last] = 0;
    }
    let at = |level: usize| -> Vec<usize> {
        needs.iter().zip(&floors).map(|(need, floor)| need.all.min(level).max(*floor)).collect()
    };
    // The highest level at which they fit.
    let (mut low, mut high) = (0, room);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if at(middle).iter().fold(0, |sum: usize, part| sum.saturating_add(*part)) <= room {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    at(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_divided_equally_and_what_one_leaves_goes_to_the_others() {
        let needs = |needs: &[(usize, usize)]| -> Vec<Need> {
            needs.iter().map(|(first, all)| Need { first: *first, all: *all }).collect()
        };
        for (wanted, room, parts) in [
            (&[(10, 100), (10, 100)][..], 100, &[50, 50][..]),
            (&[(10, 20), (10, 100), (10, 100)], 120, &[20, 50, 50]),
            (&[(60, 100), (10, 100)], 100, &[60, 40]),
            (&[(60, 100), (60, 100)], 100, &[60, 40]),
            (&[(10, 30), (10, 30)], 100, &[30, 30]),
            (&[], 100, &[]),
        ] {
            assert_eq!(divide(&needs(wanted), room), parts, "{wanted:?}");
        }
    }
}
