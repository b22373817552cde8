//! Fits fragments into a number of characters.

use super::{Pack, Section as Report};
use crate::room::{Candidates, Fragment, Section};
use crate::rooms;

/// Separates any two texts of a pack.
const GAP: &str = "\n\n";

/// A section that is being filled.
struct SectionFill<'f> {
    section: &'static Section,
    candidates: &'f Candidates,
    taken: Vec<bool>,
    /// The characters of heading, texts and gaps; 0 while nothing is included.
    chars: usize,
}

/// Builds the pack of `candidates` in at most `max_chars` characters, with the sections in the order of the registry.
///
/// The space for the sections that change rarely does not depend on how full the other sections are, so that the
/// beginning of a pack stays the same as steps are added. Each gets an equal part, then unused space goes to them in
/// order. The sections with a reserved share divide the rest; the first record of one is included even if it exceeds
/// the share.
pub(super) fn fit(candidates: &[Candidates], max_chars: usize) -> Pack {
    let fill_of = |section: &'static Section| {
        let candidates = candidates.iter().find(|candidates| candidates.section == section.name)?;
        Some(SectionFill { section, candidates, taken: vec![false; candidates.fragments.len()], chars: 0 })
    };
    let mut sections: Vec<SectionFill<'_>> = rooms::sections().filter_map(fill_of).collect();
    let filled = (0..sections.len()).filter(|position| !sections[*position].candidates.fragments.is_empty());
    let (stable, volatile): (Vec<usize>, Vec<usize>) =
        filled.partition(|position| sections[*position].section.reserved == 0);
    // The space reserved for each volatile section and those after it.
    let mut reserved: Vec<usize> = volatile.iter().map(|position| sections[*position].reserved(max_chars)).collect();
    for position in (1..reserved.len()).rev() {
        reserved[position - 1] = (reserved[position - 1] + reserved[position]).min(max_chars);
    }
    let room = max_chars - reserved.first().copied().unwrap_or(0);
    for part in [room.checked_div(stable.len()).unwrap_or(0), room] {
        for position in &stable {
            fill(&mut sections, *position, part, room);
        }
    }
    for (index, position) in volatile.into_iter().enumerate() {
        fill(&mut sections, position, max_chars, max_chars - reserved.get(index + 1).copied().unwrap_or(0));
    }
    let text = sections.iter().filter(|section| section.chars > 0).map(SectionFill::text).collect::<Vec<_>>().join(GAP);
    Pack { text, sections: sections.iter().map(SectionFill::report).collect() }
}

/// Includes the remaining records of one section that fit, with at most `section_limit` characters in the section and
/// `limit` in the pack.
fn fill(sections: &mut [SectionFill<'_>], position: usize, section_limit: usize, limit: usize) {
    for index in sections[position].order() {
        if sections[position].taken[index] {
            continue;
        }
        let before = total(sections);
        let section = &mut sections[position];
        let mut chars = GAP.len() + section.candidates.fragments[index].text.chars().count();
        let mut gap_before = 0;
        if section.chars == 0 {
            chars += section.section.heading.len();
            gap_before = if before > 0 { GAP.len() } else { 0 };
        }
        if section.chars + gap_before + chars <= section_limit && before + gap_before + chars <= limit {
            section.taken[index] = true;
            section.chars += chars;
        }
    }
}

fn total(sections: &[SectionFill<'_>]) -> usize {
    let filled = sections.iter().filter(|section| section.chars > 0);
    let gaps = filled.clone().count().saturating_sub(1) * GAP.len();
    filled.map(|section| section.chars).sum::<usize>() + gaps
}

impl SectionFill<'_> {
    /// The number of characters reserved for it.
    fn reserved(&self, max_chars: usize) -> usize {
        let percent = self.section.reserved;
        let share = max_chars / 100 * percent + max_chars % 100 * percent / 100;
        let first = self.order().first().and_then(|first| self.candidates.fragments.get(*first));
        let first = first.map_or(0, |first| first.text.chars().count());
        let needed = GAP.len() + self.section.heading.len() + GAP.len() + first;
        if needed <= max_chars { share.max(needed) } else { share }
    }

    /// The indexes of the records in the order in which they are included.
    fn order(&self) -> Vec<usize> {
        let Candidates { fragments, relevant, .. } = self.candidates;
        let others = (0..fragments.len()).filter(|index| !relevant.contains(index));
        relevant.iter().copied().chain(others).collect()
    }

    fn taken(&self) -> impl Iterator<Item = &Fragment> {
        self.candidates.fragments.iter().zip(&self.taken).filter(|(_, taken)| **taken).map(|(fragment, _)| fragment)
    }

    fn text(&self) -> String {
        let mut text = self.section.heading.to_owned();
        for fragment in self.taken() {
            text.push_str(GAP);
            text.push_str(&fragment.text);
        }
        text
    }

    fn report(&self) -> Report {
        let dropped = self.candidates.fragments.iter().zip(&self.taken).filter(|(_, taken)| !**taken);
        Report {
            name: self.section.name,
            chars: self.chars,
            included: self.taken().map(|fragment| fragment.name.clone()).collect(),
            dropped: dropped.map(|(fragment, _)| fragment.name.clone()).collect(),
            skipped: (self.candidates.skipped > 0).then_some(self.candidates.skipped),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::room::SectionName;

    fn candidates(section: SectionName, fragments: Vec<Fragment>) -> Candidates {
        Candidates { section, fragments, relevant: Vec::new(), skipped: 0 }
    }

    fn fragments(prefix: &str, texts: &[String]) -> Vec<Fragment> {
        texts
            .iter()
            .enumerate()
            .map(|(index, text)| Fragment { name: format!("{prefix}{index}"), text: text.clone() })
            .collect()
    }

    #[test]
    fn many_conventions_do_not_take_the_share_of_summaries() {
        let candidates = [
            candidates(SectionName::CONVENTIONS, fragments("c", &vec!["x".repeat(90); 20])),
            candidates(SectionName::SUMMARIES, fragments("s", &vec!["y".repeat(90); 20])),
        ];
        let pack = fit(&candidates, 1000);
        assert!(pack.sections[1].included.len() >= 4, "{:?}", pack.sections[1]);
        assert_eq!(pack.sections[1].included[0], "s0", "the newest is the first");
        assert!(pack.sections[0].included.len() >= 4, "{:?}", pack.sections[0]);
    }

    #[test]
    fn the_newest_summary_is_included_even_if_it_exceeds_the_share() {
        let candidates = [
            candidates(SectionName::CONVENTIONS, fragments("c", &vec!["x".repeat(90); 20])),
            candidates(SectionName::SUMMARIES, fragments("s", &["y".repeat(500), "small".to_owned()])),
        ];
        let pack = fit(&candidates, 1000);
        assert_eq!(pack.sections[1].included[0], "s0");
        assert!(pack.sections[0].included.len() >= 4, "{:?}", pack.sections[0]);
    }

    #[test]
    fn sections_that_change_rarely_do_not_depend_on_the_summaries() {
        let packed = |summaries: &[String]| {
            let candidates = [
                candidates(SectionName::CONVENTIONS, fragments("c", &vec!["x".repeat(90); 40])),
                candidates(SectionName::NOTES, fragments("n", &["note".to_owned()])),
                candidates(SectionName::SUMMARIES, fragments("s", summaries)),
            ];
            let text = fit(&candidates, 1000).text;
            text.split_once("# Recent steps").map(|(before, _)| before.to_owned())
        };
        let first = packed(&["short".to_owned()]);
        assert!(first.as_ref().is_some_and(|text| text.contains("note")), "conventions do not take the part of notes");
        assert_eq!(first, packed(&["y".repeat(300), "z".repeat(200)]));
    }

    #[test]
    fn a_record_that_does_not_fit_is_listed_and_the_next_one_included() {
        let candidates = [candidates(SectionName::CONVENTIONS, fragments("c", &["x".repeat(500), "small".to_owned()]))];
        let pack = fit(&candidates, 100);
        assert_eq!(pack.text, "# Conventions\n\nsmall");
        assert_eq!(
            (pack.sections[0].included.as_slice(), pack.sections[0].dropped.as_slice()),
            (&["c1".to_owned()][..], &["c0".to_owned()][..])
        );
    }

    #[test]
    fn relevant_records_are_included_first_and_stay_in_their_order() {
        let texts: Vec<String> = (0..10).map(|number| format!("{number}").repeat(90)).collect();
        let mut of_notes = candidates(SectionName::NOTES, fragments("n", &texts));
        of_notes.relevant = vec![8, 3];
        let pack = fit(&[of_notes], 350);
        assert_eq!(pack.sections[0].included, ["n0", "n3", "n8"]);
    }

    proptest! {
        #[test]
        fn a_pack_never_exceeds_its_limit_and_lists_every_record(
            conventions in prop::collection::vec(".{0,40}", 0..8),
            summaries in prop::collection::vec("[é漢a]{0,40}", 0..8),
            max_chars in 0..400_usize,
        ) {
            let candidates = [
                candidates(SectionName::CONVENTIONS, fragments("c", &conventions)),
                candidates(SectionName::SUMMARIES, fragments("s", &summaries)),
            ];
            let pack = fit(&candidates, max_chars);
            prop_assert!(pack.text.chars().count() <= max_chars);
            for (section, candidates) in pack.sections.iter().zip(&candidates) {
                prop_assert_eq!(section.included.len() + section.dropped.len(), candidates.fragments.len());
            }
            let chars: usize = pack.sections.iter().map(|section| section.chars).sum();
            let filled = pack.sections.iter().filter(|section| section.chars > 0).count();
            prop_assert_eq!(chars + filled.saturating_sub(1) * GAP.len(), pack.text.chars().count());
        }
    }
}
