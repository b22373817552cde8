//! Fits fragments into a number of characters.

use super::budget::{Budget, Sizes, divide, percent};
use super::fill::{Fill, GAP, Need};
use super::notice;
use super::sizes::Size;
use super::{Pack, SectionName};
use crate::room::{Candidates, Section};
use crate::rooms;

/// Builds the pack of `candidates` in at most `max_chars` characters, with the sections in the order of the registry.
///
/// The space for the sections that change rarely depends on how full the other sections are in large steps alone, so that the
/// beginning of a pack mostly stays the same as steps are added. They divide what the others do not reserve; each of those has its
/// share and what the sections before it leave. The first record of a section is included even if it exceeds the share.
/// If anything is left out, the last line says so.
pub(super) fn fit(candidates: &[Candidates], sizes: Option<&[(SectionName, Size)]>, max_chars: usize) -> Pack {
    let fill_of = |section: &'static Section| {
        let candidates = candidates.iter().find(|candidates| candidates.section == section.name)?;
        Some(Fill::new(section, candidates, max_chars))
    };
    let empty: Vec<Fill<'_>> = rooms::sections().filter_map(fill_of).collect();
    let sizes = sizes.map(|sizes| Sizes::new(sizes, max_chars));
    let filled = |last_line: usize| {
        let mut fills = empty.clone();
        match &sizes {
            None => fill_by_default(&mut fills, max_chars, last_line),
            Some(sizes) => fill_sized(&mut fills, sizes, last_line),
        }
        fills
    };
    for form in [notice::by_section, notice::in_all] {
        let mut reserved = 0;
        while reserved <= max_chars {
            let fills = filled(reserved);
            let Some(line) = form(&fills) else { return pack(&fills, None) };
            let gap = if total(&fills) > 0 { GAP.len() } else { 0 };
            let needed = gap + line.chars().count();
            if needed <= reserved {
                return pack(&fills, Some(line));
            }
            reserved = needed;
        }
    }
    // There is no room for it.
    pack(&filled(0), None)
}

/// Fills first the sections that change rarely, then those with a share.
fn fill_by_default(fills: &mut [Fill<'_>], max_chars: usize, last_line: usize) {
    let with_records = (0..fills.len()).filter(|at| !fills[*at].candidates.fragments.is_empty());
    let (stable, volatile): (Vec<usize>, Vec<usize>) = with_records.partition(|at| fills[*at].section.reserved == 0);
    let budget = {
        let volatile: Vec<&Fill<'_>> = volatile.iter().map(|at| &fills[*at]).collect();
        Budget::by_default(&volatile, max_chars, last_line)
    };
    // A gap for each section, the first of which has none.
    let needs: Vec<Need> = stable.iter().map(|at| fills[*at].need(budget.stable)).collect();
    let parts = divide(&needs, budget.stable + GAP.len());
    for (at, part) in stable.iter().zip(parts) {
        fill(fills, *at, part.saturating_sub(GAP.len()), budget.stable, Some(budget.stable));
    }
    for at in &stable {
        fill(fills, *at, budget.stable, budget.stable, None);
    }
    for (position, at) in volatile.iter().enumerate() {
        fill(fills, *at, budget.all, budget.all.saturating_sub(budget.after(position + 1)), None);
    }
    // What is left goes back to the sections that left something out: to those that change rarely in large steps, so that they
    // stay the same for most of what is added to the others.
    let spare = budget.all.saturating_sub(total(fills));
    let limit = total(fills) + spare - spare % percent(max_chars, STEP).max(1);
    for at in stable {
        fill(fills, at, limit, limit, None);
    }
    for at in volatile {
        fill(fills, at, budget.all, budget.all, None);
    }
}

/// The steps in which sections that change rarely get what others leave, in percent of the pack.
const STEP: usize = 10;

/// Fills sections whose sizes were chosen, in order. One with a share may have what those before it left.
fn fill_sized(fills: &mut [Fill<'_>], sizes: &Sizes<'_>, last_line: usize) {
    let with_records: Vec<usize> = (0..fills.len()).filter(|at| !fills[*at].candidates.fragments.is_empty()).collect();
    let budget = {
        let fills: Vec<&Fill<'_>> = with_records.iter().map(|at| &fills[*at]).collect();
        Budget::sized(&fills, sizes, last_line)
    };
    for (position, at) in with_records.into_iter().enumerate() {
        let most = sizes.most(&fills[at]);
        fill(fills, at, most, budget.all.saturating_sub(budget.after(position + 1)), None);
    }
}

/// Includes the remaining records of one section in order, with at most `section_limit` characters in the section and
/// `limit` in the pack. A record that does not fit ends the section, since those after it are older or less relevant; but
/// one that exceeds `largest`, by default all of the room that the section has, is left out and the next one is tried.
fn fill(fills: &mut [Fill<'_>], at: usize, section_limit: usize, limit: usize, largest: Option<usize>) {
    let others = total(fills) - fills[at].chars;
    let gap = if others > 0 && fills[at].chars == 0 { GAP.len() } else { 0 };
    let room = section_limit.min(limit.saturating_sub(others + gap));
    let largest = largest.unwrap_or(room);
    let fill = &mut fills[at];
    for record in fill.order.clone() {
        if fill.taken[record] {
            continue;
        }
        let added = if fill.chars == 0 { fill.alone(record) } else { fill.section.gap.len() + fill.lengths[record] };
        if fill.chars + added <= room {
            fill.taken[record] = true;
            fill.chars += added;
        } else if fill.alone(record) <= largest {
            break;
        }
    }
}

fn total(fills: &[Fill<'_>]) -> usize {
    let filled = fills.iter().filter(|fill| fill.chars > 0);
    let gaps = filled.clone().count().saturating_sub(1) * GAP.len();
    filled.map(|fill| fill.chars).sum::<usize>() + gaps
}

fn pack(fills: &[Fill<'_>], left_out: Option<String>) -> Pack {
    let sections = fills.iter().filter(|fill| fill.chars > 0).map(Fill::text);
    let text = sections.chain(left_out.clone()).collect::<Vec<_>>().join(GAP);
    Pack { text, sections: fills.iter().map(Fill::report).collect(), left_out, notice: None, elsewhere: None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::room::{Fragment, Mark};

    fn candidates(section: SectionName, fragments: Vec<Fragment>) -> Candidates {
        let newest = (0..fragments.len()).collect();
        Candidates { fragments, newest, ..Candidates::empty(section) }
    }

    fn fragments(prefix: &str, texts: &[String]) -> Vec<Fragment> {
        texts.iter().enumerate().map(|(at, text)| Fragment::verbatim(format!("{prefix}{at}"), text.as_str())).collect()
    }

    #[test]
    fn many_conventions_do_not_take_the_share_of_summaries() {
        let candidates = [
            candidates(SectionName::CONVENTIONS, fragments("c", &vec!["x".repeat(90); 20])),
            candidates(SectionName::SUMMARIES, fragments("s", &vec!["y".repeat(90); 20])),
        ];
        let pack = fit(&candidates, None, 1000);
        assert!(pack.sections[1].included.len() >= 4, "{:?}", pack.sections[1]);
        assert_eq!(pack.sections[1].included[0], "s0", "the newest is the first");
        assert!(pack.sections[0].included.len() >= 4, "{:?}", pack.sections[0]);
    }

    #[test]
    fn sections_that_change_rarely_have_room_beside_all_others() {
        let texts: Vec<String> = (10..50).map(|number| format!("{number}").repeat(45)).collect();
        let full = |section, prefix| candidates(section, fragments(prefix, &texts));
        let all: Vec<Candidates> = rooms::sections().map(|section| full(section.name, section.name.as_str())).collect();
        let pack = fit(&all, None, 4_000);
        let chars = |stable: bool| -> usize {
            let of = rooms::sections().zip(&pack.sections).filter(|(section, _)| (section.reserved == 0) == stable);
            of.map(|(_, section)| section.chars).sum()
        };
        assert!(chars(true) > 1_200 && chars(false) > 1_200, "{:?}", pack.sections);
        assert!(pack.sections.iter().all(|section| !section.included.is_empty()), "{:?}", pack.sections);
    }

    #[test]
    fn the_newest_summary_is_included_even_if_it_exceeds_the_share() {
        let candidates = [
            candidates(SectionName::CONVENTIONS, fragments("c", &vec!["x".repeat(90); 20])),
            candidates(SectionName::SUMMARIES, fragments("s", &["y".repeat(500), "small".to_owned()])),
        ];
        let pack = fit(&candidates, None, 1000);
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
            let text = fit(&candidates, None, 1000).text;
            text.split_once("# Recent steps").map(|(before, _)| before.to_owned())
        };
        let first = packed(&["short".to_owned()]);
        assert!(first.as_ref().is_some_and(|text| text.contains("note")), "conventions do not take the part of notes");
        assert_eq!(first, packed(&["y".repeat(300), "z".repeat(200)]));
    }

    #[test]
    fn a_record_that_does_not_fit_is_listed_and_the_next_one_included() {
        let candidates = [candidates(SectionName::CONVENTIONS, fragments("c", &["x".repeat(500), "small".to_owned()]))];
        let pack = fit(&candidates, None, 100);
        assert_eq!(pack.text, "# Conventions\n\nsmall\n\n1 convention left out");
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
        let pack = fit(&[of_notes], None, 350);
        assert_eq!(pack.sections[0].included, ["n0", "n3", "n8"]);
    }

    #[test]
    fn what_is_left_out_is_the_oldest_and_the_last_line_says_so() {
        let texts: Vec<String> = (0..10).map(|number| format!("{number}").repeat(90)).collect();
        let mut of_notes = candidates(SectionName::NOTES, fragments("n", &texts));
        of_notes.newest = (0..10).rev().collect();
        let pack = fit(&[of_notes.clone()], None, 350);
        assert_eq!(pack.sections[0].included, ["n7", "n8", "n9"]);
        assert!(pack.text.ends_with("\n\n7 older notes left out"), "{}", pack.text);
        of_notes.relevant = vec![1];
        let pack = fit(&[of_notes], None, 350);
        assert_eq!(pack.sections[0].included, ["n1", "n8", "n9"]);
        assert_eq!(pack.left_out.as_deref(), Some("7 less relevant notes left out"));
    }

    #[test]
    fn what_several_records_say_is_shown_once() {
        let record = |name: &str| Fragment::record(name, Mark { id: Some(name), from: None }, "", "the same", "", &[]);
        let pack = fit(&[candidates(SectionName::NOTES, vec![record("a"), record("b")])], None, 100);
        assert_eq!(pack.text, "# Notes\n\n[a] the same");
        assert_eq!(pack.sections[0].included, ["a", "b"]);
    }

    #[test]
    fn a_size_in_characters_is_never_exceeded_and_a_share_takes_what_is_left() {
        let texts = vec!["x".repeat(40); 50];
        let texts: Vec<String> = texts.iter().enumerate().map(|(at, text)| format!("{at}{text}")).collect();
        let of = |section, prefix: &str| candidates(section, fragments(prefix, &texts));
        let all = [of(SectionName::CONVENTIONS, "c"), of(SectionName::NOTES, "n"), of(SectionName::SUMMARIES, "s")];
        let sizes = [
            (SectionName::CONVENTIONS, Size::Chars(200)),
            (SectionName::NOTES, Size::Share(0.3)),
            (SectionName::SUMMARIES, Size::Share(0.3)),
        ];
        let pack = fit(&all, Some(&sizes), 1000);
        let chars: Vec<usize> = pack.sections.iter().map(|section| section.chars).collect();
        assert!(chars[0] <= 200 && chars[0] > 140, "{chars:?}");
        assert!((250..=360).contains(&chars[1]) && (200..=400).contains(&chars[2]), "{chars:?}");
        let few = [of(SectionName::CONVENTIONS, "c"), candidates(SectionName::NOTES, Vec::new()), all[2].clone()];
        let pack = fit(&few, Some(&sizes), 1000);
        assert!(pack.sections[2].chars > 500, "the share of notes goes on: {:?}", pack.sections[2].chars);
        let too_large = [(SectionName::CONVENTIONS, Size::Share(1.0)), (SectionName::NOTES, Size::Share(1.0))];
        let pack = fit(&all[..2], Some(&too_large), 1000);
        assert!(pack.sections.iter().all(|section| section.chars > 350), "{:?}", pack.sections);
    }

    /// Candidates with texts that may repeat, and with some that are relevant.
    fn any_candidates(section: SectionName) -> impl Strategy<Value = Candidates> {
        let texts = prop::collection::vec("[é漢ab]{0,3}|[a-z]{20,60}", 0..12);
        (texts, prop::collection::vec(0..12_usize, 0..4), any::<bool>()).prop_map(
            move |(texts, relevant, is_newest_last)| {
                let mut it = candidates(section, fragments(section.as_str(), &texts));
                it.relevant = relevant.into_iter().filter(|at| *at < texts.len()).collect();
                if is_newest_last {
                    it.newest.reverse();
                }
                it
            },
        )
    }

    fn any_size() -> impl Strategy<Value = Size> {
        prop_oneof![(0.01..=1.0).prop_map(Size::Share), (2..500_usize).prop_map(Size::Chars)]
    }

    proptest! {
        #[test]
        fn a_pack_never_exceeds_its_limit_and_its_last_line_is_true(
            conventions in any_candidates(SectionName::CONVENTIONS),
            notes in any_candidates(SectionName::NOTES),
            summaries in any_candidates(SectionName::SUMMARIES),
            recalled in any_candidates(SectionName::RECALLED),
            sizes in prop::option::of((any_size(), any_size())),
            max_chars in 0..700_usize,
        ) {
            let sizes = sizes.map(|(notes, summaries)| {
                [(SectionName::NOTES, notes), (SectionName::SUMMARIES, summaries)]
            });
            let all = match sizes {
                None => vec![conventions, notes, summaries, recalled],
                Some(_) => vec![notes, summaries],
            };
            let pack = fit(&all, sizes.as_ref().map(<[_; 2]>::as_slice), max_chars);
            prop_assert_eq!(&pack, &fit(&all, sizes.as_ref().map(<[_; 2]>::as_slice), max_chars));
            prop_assert!(pack.text.chars().count() <= max_chars);
            for (section, candidates) in pack.sections.iter().zip(&all) {
                prop_assert_eq!(section.included.len() + section.dropped.len(), candidates.fragments.len());
                if let Some((_, Size::Chars(most))) = sizes.iter().flatten().find(|(name, _)| *name == section.name) {
                    prop_assert!(section.chars <= *most);
                }
            }
            let dropped: usize = pack.sections.iter().map(|section| section.dropped.len()).sum();
            let line = pack.text.lines().last().filter(|line| line.ends_with(" left out"));
            prop_assert_eq!(line, pack.left_out.as_deref());
            match line {
                None => prop_assert!(dropped == 0 || max_chars < 30, "{} {:?}", max_chars, pack),
                Some(line) => {
                    let counted: usize = line.split(' ').filter_map(|word| word.parse::<usize>().ok()).sum();
                    prop_assert_eq!(counted, dropped, "{}", line);
                }
            }
        }
    }
}
