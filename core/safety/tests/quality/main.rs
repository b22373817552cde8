//! How well the redactor tells secrets from other text: recall by category, false alarms, and other text lost.
//!
//! Every record is assembled from random characters when the test runs, so that no file contains a secret. The targets
//! are those of the engine's users; the records were written without looking at its rules. On failure, a table by kind
//! shows what was missed, without the texts.
//!
//! `LOOPMEM_REPORT=1` prints every table, `LOOPMEM_SHOW=1` examples with their texts, `LOOPMEM_RECORDS=10` makes ten
//! times as many records, `LOOPMEM_SEED=7` makes others, and `LOOPMEM_SOURCE_CODE` names folders of source code to read
//! completely.

#![allow(clippy::disallowed_methods, reason = "tests look at files and the environment from outside")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod documents;
mod environment;
mod evasions;
mod keyed;
mod names;
mod negatives;
mod prose;
mod random;
mod score;
mod source_code;
mod structures;
mod tokens;
mod words;

use std::collections::BTreeMap;
use std::io::Write as _;

use loopmem_safety::Redactor;

use random::Random;
use score::{Record, Score};

/// The limit for other characters lost along with secrets.
const MOST_LOST: f64 = 0.01;
/// How much source code is read if no folder is named.
const MOST_SOURCE_CODE: usize = 60_000_000;
const SEEDS: [u64; 3] = [1, 2, 3];

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}

fn redactor(variables: &[(String, String)]) -> Redactor {
    Redactor::new(&[], variables.iter().cloned()).unwrap()
}

/// Prints past the capture of the test harness.
fn report(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// As many records as the category has, from several seeds.
fn each_seed<T>(count: usize, make: impl Fn(&mut Random, usize) -> Vec<T>) -> Vec<T> {
    let times = usize::try_from(number("LOOPMEM_RECORDS").unwrap_or(1)).unwrap();
    let seeds = number("LOOPMEM_SEED").map_or(SEEDS.to_vec(), |seed| vec![seed]);
    let count = (count * times).div_ceil(seeds.len());
    seeds.into_iter().flat_map(|seed| make(&mut Random::new(seed), count)).collect()
}

fn measure(count: usize, make: impl Fn(&mut Random, usize) -> Vec<Record>) -> Score {
    let redactor = redactor(&[]);
    let mut score = Score::default();
    each_seed(count, make).iter().for_each(|record| score.add(record, &redactor));
    score
}

/// Checks a category's rate of missed records.
#[track_caller]
fn hold(category: &str, most_missed: f64, score: &Score) {
    let (missed, lost) = (score.missed(), score.lost());
    let message = format!(
        "{category}: {:.2} % missed (at most {:.2} %), {:.2} % of other characters lost",
        missed * 100.0,
        most_missed * 100.0,
        lost * 100.0
    );
    let show = is_set("LOOPMEM_SHOW");
    if is_set("LOOPMEM_REPORT") {
        report(&format!("{message}\n{}", score.table(true, show)));
    }
    let kept = missed <= most_missed && lost <= MOST_LOST;
    assert!(kept, "{message}\n{}", score.table(false, show));
    assert!(score.records() >= 400, "{category}: {} records are too few", score.records());
    assert_eq!(score.unstable(), 0, "{category}: redacting again changes the result");
}

#[test]
fn provider_tokens_are_found() {
    hold("provider tokens", 0.002, &measure(9000, tokens::records));
}

#[test]
fn values_of_secret_names_are_found() {
    hold("keyed opaque values", 0.02, &measure(8000, keyed::records));
}

/// How many of the carriers' verdicts on the pairs of a side are right, and which carriers are wrong.
fn judged(pairs: &[names::Pair], side: names::Side) -> (f64, String) {
    let redactor = redactor(&[]);
    let must_go = side != names::Side::Innocent;
    let (mut right, mut all, mut wrong) = (0, 0, BTreeMap::new());
    for pair in pairs.iter().filter(|pair| pair.side == side) {
        for (carrier, is_gone) in names::verdicts(&redactor, pair) {
            all += 1;
            if is_gone == must_go {
                right += 1;
            } else {
                *wrong.entry(format!("{carrier:?}")).or_insert(0) += 1;
                if is_set("LOOPMEM_SHOW") {
                    report(&format!("{side:?}: {:?} = {:?} in {carrier:?}", pair.name, pair.value));
                }
            }
        }
    }
    let rate = f64::from(right) / f64::from(all);
    (rate, format!("{side:?}: {:.2} % of {all} verdicts are right\n{wrong:#?}", rate * 100.0))
}

#[test]
fn a_name_and_its_value_have_one_verdict_wherever_they_stand() {
    let pairs = each_seed(300, names::pairs);
    for (side, least) in
        [(names::Side::WeakValue, 0.98), (names::Side::Innocent, 0.995), (names::Side::RandomValue, 0.97)]
    {
        let (rate, message) = judged(&pairs, side);
        if is_set("LOOPMEM_REPORT") {
            report(&message);
        }
        assert!(rate >= least, "{message}");
    }
    let redactor = redactor(&[]);
    let is_one = |pair: &&names::Pair| {
        let verdicts = names::verdicts(&redactor, pair);
        verdicts.iter().all(|(_, is_gone)| *is_gone == verdicts[0].1)
    };
    let equal = pairs.iter().filter(is_one).count();
    assert_eq!(equal, pairs.len(), "pairs with one verdict in every carrier");
}

#[test]
fn structures_are_found() {
    hold("structures", 0.005, &measure(2400, structures::records));
}

#[test]
fn passwords_in_sentences_are_found() {
    hold("prose", 0.05, &measure(6000, prose::records));
}

#[test]
fn evasions_do_not_help() {
    hold("evasions", 0.08, &measure(5000, evasions::records));
}

/// Each has one or two secrets; whatever is redacted next to them counts as lost.
#[test]
fn secrets_amid_other_text_are_found() {
    hold("documents", 0.02, &measure(2000, documents::records));
}

#[test]
fn environment_secrets_are_found_and_harmless_values_stay() {
    let (mut score, mut traps) = (Score::default(), Score::default());
    for around in each_seed(1000, environment::surroundings) {
        let redactor = redactor(&around.variables);
        around.records.iter().for_each(|record| score.add(record, &redactor));
        around.traps.iter().for_each(|record| traps.add(record, &redactor));
    }
    hold("environment values", 0.0, &score);
    hold("environment traps", 0.003, &traps);
}

#[test]
fn text_that_only_looks_like_a_secret_stays() {
    hold("hard negatives", 0.003, &measure(12_000, negatives::records));
}

#[test]
fn source_code_is_unchanged() {
    let whole = std::env::var_os("LOOPMEM_SOURCE_CODE").is_some();
    let most = if whole { usize::MAX } else { MOST_SOURCE_CODE };
    let reading = source_code::read(&source_code::folders(), most, &redactor(&[]));
    let rate = if reading.bytes == 0 { 0.0 } else { reading.lines_per_megabyte() };
    let mut message = format!(
        "source code: {rate:.2} lines per megabyte changed in {} files, {} bytes",
        reading.files, reading.bytes
    );
    for change in &reading.changed {
        message += &format!("\n  {}:{}", change.file.display(), change.line);
        if is_set("LOOPMEM_SHOW") {
            message += &format!("\n    - {}\n    + {}", change.before.trim(), change.after.trim());
        }
    }
    if is_set("LOOPMEM_REPORT") {
        report(&message);
    }
    assert!(rate <= 1.0, "{message}");
}

/// Pauses after every line of the records that have several. What remains are wrapped tokens of which the first line
/// contains no more than the prefix of a provider and a few letters.
#[test]
fn a_pause_shows_almost_no_secret_that_is_found_in_the_whole() {
    let redactor = redactor(&[]);
    let (mut shown, mut found) = (0, 0);
    for make in
        [documents::records, tokens::records, keyed::records, structures::records, prose::records, evasions::records]
    {
        for record in each_seed(1500, make) {
            let text = record.text() + "\n";
            if !text.trim_end().contains('\n') || record.leak(&redactor.redact(&text)).is_some() {
                continue;
            }
            let mut stream = redactor.stream();
            let mut output = Vec::new();
            for line in text.split_inclusive('\n') {
                output.extend(stream.push(line.as_bytes()));
                output.extend(stream.flush_lines());
            }
            output.extend(stream.finish());
            let output = String::from_utf8(output).unwrap();
            found += 1;
            if let Some(leak) = record.leak(&output) {
                shown += 1;
                if is_set("LOOPMEM_SHOW") {
                    report(&format!("{:?} {leak:?}:\n{text}---\n{output}===", record.kinds));
                }
            }
        }
    }
    assert!(found >= 1000 && shown * 500 <= found, "{shown} of {found} are shown");
}

#[test]
fn the_scoring_is_fair() {
    type Make = fn(&mut Random, usize) -> Vec<Record>;
    let categories: [Make; 7] = [
        documents::records,
        tokens::records,
        keyed::records,
        structures::records,
        prose::records,
        evasions::records,
        negatives::records,
    ];
    for make in categories {
        score::check_scoring(&make(&mut Random::new(4), 1000));
    }
    for around in environment::surroundings(&mut Random::new(4), 400) {
        score::check_scoring(&around.records);
        score::check_scoring(&around.traps);
    }
}
