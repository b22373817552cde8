//! The texts that redaction is measured on: what people and programs write, made by a seed from templates, so that every
//! run and every machine reads the same bytes.
//!
//! A text is a row of passages with a blank line behind each. Ordinary passages hold a word such as `key` or `token`
//! every 500 bytes or so and a run of sixteen characters every 200, as source code and its documentation do.

mod templates;

use super::random::Random;

/// What a passage is made of.
type Passage = fn(&mut Random) -> String;

const ORDINARY: &[Passage] = &[
    |random| paragraph(random, &[templates::PROSE]),
    |random| passage(random, &[templates::MARKDOWN], 2),
    |random| passage(random, &[templates::LOG], 8),
    |random| passage(random, &[templates::CODE], 2),
];
const DENSE: &[Passage] = &[
    |random| paragraph(random, &[templates::DENSE_PROSE, templates::PROSE, templates::PROSE]),
    |random| passage(random, &[templates::DENSE_LOG, templates::LOG], 8),
    |random| passage(random, &[templates::DENSE_CODE, templates::CODE], 3),
    |random| passage(random, &[templates::DENSE_CONFIG, templates::CONFIG, templates::CONFIG], 6),
];
const FOREIGN: &[Passage] =
    &[|random| foreign(random, templates::CHINESE, "", "。"), |random| foreign(random, templates::CYRILLIC, " ", ". ")];

/// English prose, Markdown, logs and source code.
pub(crate) fn ordinary(bytes: usize) -> String {
    text(1, bytes, ORDINARY)
}

/// A word that may name a secret every 60 bytes, and no secret.
pub(crate) fn dense(bytes: usize) -> String {
    text(2, bytes, DENSE)
}

/// As [`dense`], with a secret behind the passage that ends after every 2 KB.
pub(crate) fn with_secrets(bytes: usize) -> String {
    let mut random = Random::new(3);
    let mut text = String::with_capacity(bytes + 8192);
    let mut next = 0;
    while text.len() < bytes {
        add(&mut text, &mut random, DENSE);
        if text.len() >= next {
            text.push_str(&secret(&mut random));
            next += 2048;
        }
    }
    text
}

/// Ordinary text, and as much in Chinese and Russian.
pub(crate) fn half_foreign(bytes: usize) -> String {
    let mut random = Random::new(4);
    let mut text = String::with_capacity(bytes + 8192);
    let (mut foreign, mut all) = (0, 0);
    while text.len() < bytes {
        let is_behind = 2 * foreign < all;
        add(&mut text, &mut random, if is_behind { FOREIGN } else { ORDINARY });
        if is_behind {
            foreign += text.len() - all;
        }
        all = text.len();
    }
    text
}

/// One object of JSON a line, with quotes and line breaks escaped in its strings.
pub(crate) fn json_log(bytes: usize) -> String {
    text(5, bytes, &[|random| passage(random, &[templates::JSON_LOG], 10)])
}

/// A log for a terminal, every line with several colours.
pub(crate) fn coloured_log(bytes: usize) -> String {
    text(6, bytes, &[|random| passage(random, &[templates::COLOURED_LOG], 10).replace("<E>", "\x1b[")])
}

/// Ordinary text without a line break.
pub(crate) fn one_line(bytes: usize) -> String {
    ordinary(bytes).replace('\n', " ")
}

/// Names of secrets and nothing else, with `sign` behind each.
pub(crate) fn names(bytes: usize, sign: &str) -> String {
    let mut random = Random::new(7);
    let mut text = String::with_capacity(bytes + 64);
    while text.len() < bytes {
        text.push_str(random.pick(templates::NAMES));
        text.push_str(sign);
    }
    text
}

/// So many secrets, each under a name on a line of its own.
pub(crate) fn secrets(count: usize) -> String {
    let mut random = Random::new(8);
    (0..count).map(|_| random.pattern("DB_PASSWORD=[a-zA-Z0-9]{20}\n")).collect()
}

fn text(seed: u64, bytes: usize, passages: &[Passage]) -> String {
    let mut random = Random::new(seed);
    let mut text = String::with_capacity(bytes + 8192);
    while text.len() < bytes {
        add(&mut text, &mut random, passages);
    }
    text
}

fn add(text: &mut String, random: &mut Random, passages: &[Passage]) {
    let write = *random.choose(passages);
    text.push_str(&write(random));
    text.push('\n');
}

/// So many templates, each of one of the lists, one below the other.
fn passage(random: &mut Random, lists: &[&[&str]], count: usize) -> String {
    (0..count).map(|_| filled(random, lists)).collect()
}

/// Sentences, some of them wrapped at 80 columns and some on one line.
fn paragraph(random: &mut Random, lists: &[&[&str]]) -> String {
    let count = random.between(3..=6);
    let said: Vec<String> = (0..count).map(|_| filled(random, lists)).collect();
    let said = said.join(" ");
    if random.once_in(2) {
        return said + "\n";
    }
    let mut wrapped = String::new();
    let mut column = 0;
    for word in said.split(' ') {
        let sign = match column {
            0 => "",
            _ if column + word.len() < 80 => " ",
            _ => "\n",
        };
        column = if sign == "\n" { word.len() } else { column + sign.len() + word.len() };
        wrapped.push_str(sign);
        wrapped.push_str(word);
    }
    wrapped + "\n"
}

/// Sentences of words that `gap` parts.
fn foreign(random: &mut Random, words: &[&str], gap: &str, end: &str) -> String {
    let mut text = String::new();
    for _ in 0..random.between(3..=6) {
        let length = random.between(6..=16);
        let sentence: Vec<&str> = (0..length).map(|_| random.pick(words)).collect();
        text.push_str(&sentence.join(gap));
        text.push_str(end);
    }
    text + "\n"
}

fn filled(random: &mut Random, lists: &[&[&str]]) -> String {
    let list = *random.choose(lists);
    let template = random.pick(list);
    random.fill(template, |random, slot| match slot {
        'a' => random.pick(templates::ADJECTIVES).to_owned(),
        'v' => random.pick(templates::VERBS).to_owned(),
        'n' => random.pick(templates::NOUNS).to_owned(),
        'x' => random.pattern("[a-f0-9]{40}"),
        'i' => random.pattern("[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}"),
        'k' => random.pick(templates::NAMES).to_owned(),
        other => format!("{{{other}}}"),
    })
}

/// What a redactor is there for, in a line of the forms in which it mostly comes.
fn secret(random: &mut Random) -> String {
    match random.below(4) {
        0 => random.pattern("export GITHUB_TOKEN=ghp_[a-zA-Z0-9]{36}\n"),
        1 => random.pattern("  \"client_secret\": \"[a-zA-Z0-9_]{32}\",\n"),
        2 => random.pattern("postgres://app:[a-zA-Z0-9]{16}@db.internal:5432/app\n"),
        _ => random.pattern("The password is [a-z]{5}[0-9]{3}[A-Z]{4}!, do not lose it.\n"),
    }
}
