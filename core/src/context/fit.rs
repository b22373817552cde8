//! Fitting fragments into a number of characters.

use super::{Pack, Section as Report};
use crate::room::{Fragment, Offer, Section};
use crate::rooms;

/// Between any two texts of a pack.
const GAP: &str = "\n\n";

/// One section while it is filled.
struct Filling<'f> {
    section: &'static Section,
    offer: &'f Offer,
    taken: Vec<bool>,
    /// Characters of heading, texts and gaps; 0 while nothing is taken.
    chars: usize,
}

/// The pack of `offers` in at most `max_chars` characters, with the sections in the order of the registry.
///
/// The sections that change rarely get the room that the others leave them whatever their length, so that the beginning of
/// a pack stays the same while steps go by: each first an equal part, then what is left in their order. A section with a
/// share of its own takes the rest, its first record included even when that needs more than the share.
pub(super) fn fit(offers: &[Offer], max_chars: usize) -> Pack {
    let filling = |section: &'static Section| {
        let offer = offers.iter().find(|offer| offer.section == section.name)?;
        Some(Filling { section, offer, taken: vec![false; offer.fragments.len()], chars: 0 })
    };
    let mut sections: Vec<Filling<'_>> = rooms::sections().filter_map(filling).collect();
    let filled = (0..sections.len()).filter(|place| !sections[*place].offer.fragments.is_empty());
    let (steady, moving): (Vec<usize>, Vec<usize>) = filled.partition(|place| sections[*place].section.kept == 0);
    // What is kept for each moving section and those behind it.
    let mut kept: Vec<usize> = moving.iter().map(|place| sections[*place].kept(max_chars)).collect();
    for place in (1..kept.len()).rev() {
        kept[place - 1] = (kept[place - 1] + kept[place]).min(max_chars);
    }
    let room = max_chars - kept.first().copied().unwrap_or(0);
    for part in [room.checked_div(steady.len()).unwrap_or(0), room] {
        for place in &steady {
            fill(&mut sections, *place, part, room);
        }
    }
    for (index, place) in moving.into_iter().enumerate() {
        fill(&mut sections, place, max_chars, max_chars - kept.get(index + 1).copied().unwrap_or(0));
    }
    let text = sections.iter().filter(|section| section.chars > 0).map(Filling::text).collect::<Vec<_>>().join(GAP);
    Pack { text, sections: sections.iter().map(Filling::report).collect() }
}

/// Takes what is not yet taken of one section, as long as the section stays within `own` and the pack within `limit`.
fn fill(sections: &mut [Filling<'_>], place: usize, own: usize, limit: usize) {
    for index in 0..sections[place].offer.fragments.len() {
        if sections[place].taken[index] {
            continue;
        }
        let before = total(sections);
        let section = &mut sections[place];
        let mut chars = GAP.len() + section.offer.fragments[index].text.chars().count();
        let mut gap_before = 0;
        if section.chars == 0 {
            chars += section.section.heading.len();
            gap_before = if before > 0 { GAP.len() } else { 0 };
        }
        if section.chars + gap_before + chars <= own && before + gap_before + chars <= limit {
            section.taken[index] = true;
            section.chars += chars;
        }
    }
}

fn total(sections: &[Filling<'_>]) -> usize {
    let filled = sections.iter().filter(|section| section.chars > 0);
    let gaps = filled.clone().count().saturating_sub(1) * GAP.len();
    filled.map(|section| section.chars).sum::<usize>() + gaps
}

impl Filling<'_> {
    /// How much of a pack is kept for it.
    fn kept(&self, max_chars: usize) -> usize {
        let hundredths = self.section.kept;
        let share = max_chars / 100 * hundredths + max_chars % 100 * hundredths / 100;
        let first = self.offer.fragments.first().map_or(0, |first| first.text.chars().count());
        let needed = GAP.len() + self.section.heading.len() + GAP.len() + first;
        if needed <= max_chars { share.max(needed) } else { share }
    }

    fn taken(&self) -> impl Iterator<Item = &Fragment> {
        self.offer.fragments.iter().zip(&self.taken).filter(|(_, taken)| **taken).map(|(fragment, _)| fragment)
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
        let dropped = self.offer.fragments.iter().zip(&self.taken).filter(|(_, taken)| !**taken);
        Report {
            name: self.section.name,
            chars: self.chars,
            included: self.taken().map(|fragment| fragment.name.clone()).collect(),
            dropped: dropped.map(|(fragment, _)| fragment.name.clone()).collect(),
            skipped: (self.offer.skipped > 0).then_some(self.offer.skipped),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::room::SectionName;

    fn offer(section: SectionName, fragments: Vec<Fragment>) -> Offer {
        Offer { section, fragments, skipped: 0 }
    }

    fn fragments(prefix: &str, texts: &[String]) -> Vec<Fragment> {
        texts
            .iter()
            .enumerate()
            .map(|(index, text)| Fragment { name: format!("{prefix}{index}"), text: text.clone() })
            .collect()
    }

    #[test]
    fn summaries_keep_their_share_however_many_conventions_there_are() {
        let offers = [
            offer(SectionName::CONVENTIONS, fragments("c", &vec!["x".repeat(90); 20])),
            offer(SectionName::SUMMARIES, fragments("s", &vec!["y".repeat(90); 20])),
        ];
        let pack = fit(&offers, 1000);
        assert!(pack.sections[1].included.len() >= 4, "{:?}", pack.sections[1]);
        assert_eq!(pack.sections[1].included[0], "s0", "the newest is the first");
        assert!(pack.sections[0].included.len() >= 4, "{:?}", pack.sections[0]);
    }

    #[test]
    fn the_newest_summary_comes_in_even_when_it_is_longer_than_the_share() {
        let offers = [
            offer(SectionName::CONVENTIONS, fragments("c", &vec!["x".repeat(90); 20])),
            offer(SectionName::SUMMARIES, fragments("s", &["y".repeat(500), "small".to_owned()])),
        ];
        let pack = fit(&offers, 1000);
        assert_eq!(pack.sections[1].included[0], "s0");
        assert!(pack.sections[0].included.len() >= 4, "{:?}", pack.sections[0]);
    }

    #[test]
    fn what_changes_seldom_stays_the_same_whatever_the_summaries_are() {
        let packed = |summaries: &[String]| {
            let offers = [
                offer(SectionName::CONVENTIONS, fragments("c", &vec!["x".repeat(90); 40])),
                offer(SectionName::NOTES, fragments("n", &["note".to_owned()])),
                offer(SectionName::SUMMARIES, fragments("s", summaries)),
            ];
            let text = fit(&offers, 1000).text;
            text.split_once("# Recent steps").map(|(before, _)| before.to_owned())
        };
        let first = packed(&["short".to_owned()]);
        assert!(first.as_ref().is_some_and(|text| text.contains("note")), "conventions leave notes their part");
        assert_eq!(first, packed(&["y".repeat(300), "z".repeat(200)]));
    }

    #[test]
    fn a_record_too_large_for_the_room_is_named_and_the_next_one_taken() {
        let offers = [offer(SectionName::CONVENTIONS, fragments("c", &["x".repeat(500), "small".to_owned()]))];
        let pack = fit(&offers, 100);
        assert_eq!(pack.text, "# Conventions\n\nsmall");
        assert_eq!(
            (pack.sections[0].included.as_slice(), pack.sections[0].dropped.as_slice()),
            (&["c1".to_owned()][..], &["c0".to_owned()][..])
        );
    }

    proptest! {
        #[test]
        fn a_pack_is_never_longer_than_asked_and_loses_nothing_in_silence(
            conventions in prop::collection::vec(".{0,40}", 0..8),
            summaries in prop::collection::vec("[é漢a]{0,40}", 0..8),
            max_chars in 0..400_usize,
        ) {
            let offers = [
                offer(SectionName::CONVENTIONS, fragments("c", &conventions)),
                offer(SectionName::SUMMARIES, fragments("s", &summaries)),
            ];
            let pack = fit(&offers, max_chars);
            prop_assert!(pack.text.chars().count() <= max_chars);
            for (section, offer) in pack.sections.iter().zip(&offers) {
                prop_assert_eq!(section.included.len() + section.dropped.len(), offer.fragments.len());
            }
            let told: usize = pack.sections.iter().map(|section| section.chars).sum();
            let filled = pack.sections.iter().filter(|section| section.chars > 0).count();
            prop_assert_eq!(told + filled.saturating_sub(1) * GAP.len(), pack.text.chars().count());
        }
    }
}
