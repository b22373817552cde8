//! Fitting fragments into a number of characters.

use super::{Pack, Section, SectionName};
use crate::fragment::Fragment;

/// Between any two texts of a pack.
const GAP: &str = "\n\n";
/// The share of a pack, in hundredths, that is kept for summaries when there are any: nothing else can crowd them out.
const SUMMARIES_SHARE: usize = 40;

/// One section while it is filled.
struct Filling<'f> {
    name: SectionName,
    fragments: &'f [Fragment],
    taken: Vec<bool>,
    /// Characters of heading, texts and gaps; 0 while nothing is taken.
    chars: usize,
}

/// The pack of `offers`, which stand in the order of the pack, in at most `max_chars` characters.
///
/// The sections that change seldom get the room that summaries leave them whatever their length, so that a pack's
/// beginning stays the same while steps go by: each first its equal part, then what is left in their order. Summaries
/// take the rest, the newest first; for that one even more than the share is kept when it needs it.
pub(super) fn fit(offers: &[(SectionName, Vec<Fragment>)], max_chars: usize) -> Pack {
    let mut sections: Vec<Filling<'_>> = offers
        .iter()
        .map(|(name, fragments)| Filling { name: *name, fragments, taken: vec![false; fragments.len()], chars: 0 })
        .collect();
    let filled: Vec<usize> = (0..sections.len()).filter(|place| !sections[*place].fragments.is_empty()).collect();
    let (summaries, steady): (Vec<usize>, Vec<usize>) =
        filled.into_iter().partition(|place| sections[*place].name == SectionName::Summaries);
    let kept = summaries.first().map_or(0, |place| kept_for_summaries(&sections[*place], max_chars));
    let room = max_chars - kept;
    for part in [room.checked_div(steady.len()).unwrap_or(0), room] {
        for place in &steady {
            fill(&mut sections, *place, part, room);
        }
    }
    for place in summaries {
        fill(&mut sections, place, max_chars, max_chars);
    }
    let text = sections.iter().filter(|section| section.chars > 0).map(Filling::text).collect::<Vec<_>>().join(GAP);
    Pack { text, sections: sections.iter().map(Filling::report).collect() }
}

/// How much of a pack is kept for summaries.
fn kept_for_summaries(summaries: &Filling<'_>, max_chars: usize) -> usize {
    let share = max_chars / 100 * SUMMARIES_SHARE + max_chars % 100 * SUMMARIES_SHARE / 100;
    let newest = summaries.fragments.first().map_or(0, |newest| newest.text.chars().count());
    let needed = GAP.len() + summaries.name.heading().len() + GAP.len() + newest;
    if needed <= max_chars { share.max(needed) } else { share }
}

/// Takes what is not yet taken of one section, as long as the section stays within `own` and the pack within `limit`.
fn fill(sections: &mut [Filling<'_>], place: usize, own: usize, limit: usize) {
    for index in 0..sections[place].fragments.len() {
        if sections[place].taken[index] {
            continue;
        }
        let before = total(sections);
        let section = &mut sections[place];
        let mut chars = GAP.len() + section.fragments[index].text.chars().count();
        let mut gap_before = 0;
        if section.chars == 0 {
            chars += section.name.heading().len();
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
    fn taken(&self) -> impl Iterator<Item = &Fragment> {
        self.fragments.iter().zip(&self.taken).filter(|(_, taken)| **taken).map(|(fragment, _)| fragment)
    }

    fn text(&self) -> String {
        let mut text = self.name.heading().to_owned();
        for fragment in self.taken() {
            text.push_str(GAP);
            text.push_str(&fragment.text);
        }
        text
    }

    fn report(&self) -> Section {
        let dropped = self.fragments.iter().zip(&self.taken).filter(|(_, taken)| !**taken);
        Section {
            name: self.name,
            chars: self.chars,
            included: self.taken().map(|fragment| fragment.name.clone()).collect(),
            dropped: dropped.map(|(fragment, _)| fragment.name.clone()).collect(),
            skipped: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            (SectionName::Conventions, fragments("c", &vec!["x".repeat(90); 20])),
            (SectionName::Summaries, fragments("s", &vec!["y".repeat(90); 20])),
        ];
        let pack = fit(&offers, 1000);
        assert!(pack.sections[1].included.len() >= 4, "{:?}", pack.sections[1]);
        assert_eq!(pack.sections[1].included[0], "s0", "the newest is the first");
        assert!(pack.sections[0].included.len() >= 4, "{:?}", pack.sections[0]);
    }

    #[test]
    fn the_newest_summary_comes_in_even_when_it_is_longer_than_the_share() {
        let offers = [
            (SectionName::Conventions, fragments("c", &vec!["x".repeat(90); 20])),
            (SectionName::Summaries, fragments("s", &["y".repeat(500), "small".to_owned()])),
        ];
        let pack = fit(&offers, 1000);
        assert_eq!(pack.sections[1].included[0], "s0");
        assert!(pack.sections[0].included.len() >= 4, "{:?}", pack.sections[0]);
    }

    #[test]
    fn what_changes_seldom_stays_the_same_whatever_the_summaries_are() {
        let packed = |summaries: &[String]| {
            let offers = [
                (SectionName::Conventions, fragments("c", &vec!["x".repeat(90); 40])),
                (SectionName::Notes, fragments("n", &["note".to_owned()])),
                (SectionName::Summaries, fragments("s", summaries)),
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
        let offers = [(SectionName::Conventions, fragments("c", &["x".repeat(500), "small".to_owned()]))];
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
                (SectionName::Conventions, fragments("c", &conventions)),
                (SectionName::Summaries, fragments("s", &summaries)),
            ];
            let pack = fit(&offers, max_chars);
            prop_assert!(pack.text.chars().count() <= max_chars);
            for (section, (_, offered)) in pack.sections.iter().zip(&offers) {
                prop_assert_eq!(section.included.len() + section.dropped.len(), offered.len());
            }
            let told: usize = pack.sections.iter().map(|section| section.chars).sum();
            let filled = pack.sections.iter().filter(|section| section.chars > 0).count();
            prop_assert_eq!(told + filled.saturating_sub(1) * GAP.len(), pack.text.chars().count());
        }
    }
}
