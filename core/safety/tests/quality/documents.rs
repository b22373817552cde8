//! Secrets amid text that only looks like one: records of the other categories, in texts of several paragraphs.

use crate::random::Random;
use crate::score::Record;
use crate::{keyed, negatives, structures, tokens};

/// One or two records with secrets among others without, in any order.
pub(crate) fn records(random: &mut Random, count: usize) -> Vec<Record> {
    let secret = [tokens::records(random, count), keyed::records(random, count), structures::records(random, count)];
    let mut harmless = negatives::records(random, count * 2);
    // A placeholder that was already there would be mistaken for one of the redactor's.
    harmless.retain(|record| !record.marked.contains("[REDACTED:"));
    let record = |number: usize| {
        let mut parts: Vec<&Record> = (0..random.between(2..=6)).map(|_| random.choose(&harmless)).collect();
        for kind in 0..random.between(1..=2) {
            let at = random.below(parts.len() + 1);
            parts.insert(at, &secret[(number + kind) % secret.len()][number]);
        }
        let marked: Vec<&str> = parts.iter().map(|part| part.marked.as_str()).collect();
        let kinds: Vec<&str> = parts.iter().map(|part| part.kinds[0].as_str()).collect();
        Record::new(&kinds, marked.join("\n\n"))
    };
    (0..count).map(record).collect()
}
