//! A merge of any size takes bounded work, and can be cancelled at every step of it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::branch::merge::merge;
use crate::error::{Error, ErrorKind};

const LINES: usize = 4_000;

/// Versions of a text in which no line stayed where it was, with lines that occur once or often.
fn shuffled(distinct: usize, line: impl Fn(usize) -> String) -> [String; 3] {
    // Each multiplier has no factor in common with the number of lines.
    [1, 7_919, 15_013].map(|factor| {
        let numbers = (0..LINES).map(|number| number * factor % LINES % distinct);
        numbers.map(&line).collect::<Vec<_>>().concat()
    })
}

/// The number of checks in a merge.
fn checks(path: &str, [base, ours, theirs]: &[String; 3]) -> usize {
    let count = Cell::new(0);
    let check = || {
        count.set(count.get() + 1);
        Ok(())
    };
    merge(path, Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes(), &check).unwrap();
    count.get()
}

#[test]
fn a_merge_of_any_kind_is_cancelled_at_the_next_step() {
    let object = |text: &str| format!("{{{}\"end\":0}}", text.replace('\n', ","));
    let member = |number: usize| format!("\"{number}\":{number}\n");
    let [base, ours, theirs] = shuffled(LINES, member);
    let changed = |text: &str, name: &str| object(text).replace(":5", &format!(":{name}5"));
    let objects = [object(&base), changed(&ours, "1"), changed(&theirs, "2")];
    let record = |number: usize| format!("{{\"id\":{number},\"text\":\"some\"}}\n");
    let [base, ours, theirs] = shuffled(LINES, record);
    let records = [base, ours.replace("some", "ours"), theirs.replace("some", "theirs")];
    let text = |number| format!("line {number}\n");
    for (path, versions) in [
        ("a.json", objects),
        ("a.jsonl", records),
        ("a.md", shuffled(LINES, text)),
        ("a.md", shuffled(100, text)),
        ("a.md", shuffled(LINES / 2, text)),
    ] {
        let all = checks(path, &versions);
        // Once for each line or value at least, and a bounded number of times.
        assert!((LINES..100 * LINES).contains(&all), "{path}: {all}");
        for most in [0, 1, all / 3, all / 2, all - 1] {
            let left = Cell::new(most);
            let check = || match left.get().checked_sub(1) {
                Some(fewer) => {
                    left.set(fewer);
                    Ok(())
                }
                None => Err(Error::new(ErrorKind::Cancelled, "cancelled")),
            };
            let [base, ours, theirs] = &versions;
            let merged = merge(path, Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes(), &check);
            assert_eq!(merged.unwrap_err().kind(), ErrorKind::Cancelled, "{path} {most}");
        }
    }
}

/// A change of the first line by both sides, and what they add to it.
fn added(ours: &str, theirs: &str) -> [String; 3] {
    let version = |name: &str, added: &str| format!("the first line of {name}\n{added}end\n");
    [version("it", ""), version("ours", ours), version("theirs", theirs)]
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the longest time without a check is measured")]
fn no_step_of_a_merge_of_text_takes_long() {
    const MANY: usize = 100_000;
    const FEW: usize = 10_000;
    let numbered = |name: &str| (0..FEW).map(|number| format!("{name} {number}\n")).collect::<String>();
    // Theirs inserts a line between any two of those that ours replaces.
    let between = [
        numbered("line") + "end\n",
        numbered("of ours, another") + "end of ours\n",
        numbered("line").replace('\n', "\ninserted\n") + "end of theirs\n",
    ];
    for versions in [
        added(&("x\n".repeat(MANY) + "y\n"), &("x\n".repeat(MANY / 2) + "z\n")),
        added(&("y\n".to_owned() + &"x\n".repeat(MANY)), &("z\n".to_owned() + &"x\n".repeat(MANY / 2))),
        between,
        [numbered("line"), numbered("ours"), numbered("theirs")],
    ] {
        let (last, longest, count) = (Cell::new(Instant::now()), Cell::new(Duration::ZERO), Cell::new(0));
        let check = || {
            count.set(count.get() + 1);
            longest.set(longest.get().max(last.replace(Instant::now()).elapsed()));
            Ok(())
        };
        let [base, ours, theirs] = versions.each_ref().map(String::as_bytes);
        merge("a.md", Some(base), ours, theirs, &check).unwrap();
        check().unwrap();
        assert!(longest.get() < Duration::from_secs(1), "{:?}", longest.get());
        assert!(count.get() < 100 * MANY, "{}", count.get());
    }
}
