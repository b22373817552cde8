//! What hides secrets in agents' logs unintentionally: gutters, wraps, escapes, colours, encodings.

use crate::random::{Random, base64};
use crate::score::{Record, is_mark, secret, secrets, unmarked};
use crate::{keyed, prose, structures, tokens};

/// Text as a transformation sees it: a character, and whether it is a marker, which has no width.
fn width(text: &str) -> usize {
    text.chars().filter(|character| !is_mark(*character)).count()
}

/// Whether each character is inside a secret.
fn inside(marked: &str) -> impl Iterator<Item = (char, bool)> {
    let mut depth = false;
    let first = secret("").chars().next();
    marked.chars().map(move |character| {
        if is_mark(character) {
            depth = Some(character) == first;
        }
        (character, depth && !is_mark(character))
    })
}

/// Puts `prefix` before each line. A secret that spans lines has the prefix as noise.
fn prefixed(record: &mut Record, mut prefix: impl FnMut(usize) -> String) {
    let lines: Vec<String> = record.marked.split('\n').map(str::to_owned).collect();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let prefix = prefix(number);
        if number > 0 {
            text.push('\n');
            record.noise.push(format!("\n{prefix}"));
        }
        // A line that starts inside a marker keeps it.
        text.push_str(&prefix);
        text.push_str(line);
    }
    // The longest noise goes first, so that none is mistaken for the start of another.
    record.noise.sort_by_key(|noise| usize::MAX - noise.len());
    record.marked = text;
}

fn gutter(random: &mut Random, record: &mut Record) -> &'static str {
    let first = random.between(1..=300);
    let style = random.below(6);
    prefixed(record, |number| {
        let number = first + number;
        match style {
            0 => format!("{number:>4} | "),
            1 => format!("{number}: "),
            2 => format!("{number:>6}\u{2192}"),
            3 => format!("{number:>6}\t"),
            4 => format!("{number:>5}\u{2502} "),
            _ => format!("L{number}: "),
        }
    });
    ["gutter bar", "gutter colon", "gutter arrow", "gutter tab", "gutter box", "gutter letter"][style]
}

fn line_prefix(random: &mut Random, record: &mut Record) -> &'static str {
    let style = random.below(7);
    let sign = random.pick(&["+", "-"]);
    let service = random.filled("{s}");
    let instance = random.between(1..=3);
    let pod = random.filled("{s}-") + &random.pattern("[a-z0-9]{9}-[a-z0-9]{5}");
    let time = random.time();
    prefixed(record, |_| match style {
        0 => sign.to_owned(),
        1 => format!("{sign} "),
        2 => format!("{service}_{instance}  | "),
        3 => format!("{service}-{instance}  | {time} "),
        4 => format!("{time} "),
        5 => "> ".to_owned(),
        _ => format!("[pod/{pod}/{service}] "),
    });
    ["diff", "diff", "compose", "compose with time", "time", "quote", "pod"][style]
}

/// Wraps hard at a column, as terminals and `fold` do.
fn wrap(random: &mut Random, record: &mut Record) -> &'static str {
    let columns = *random.choose(&[80, 80, 80, 72, 100, 120]);
    // Pads the line so that the secret spans a wrap.
    let before = record.marked.split(is_mark).next().unwrap_or_default();
    let first = before.rsplit('\n').next().map_or(0, width);
    let length = record.secrets[0].chars().count();
    let wanted = columns - random.between(3..=length.clamp(8, columns - 2) - 3).min(columns - 1);
    let filler = (wanted + columns - first % columns) % columns;
    let mut sentence = String::new();
    while sentence.len() < filler {
        sentence = sentence + random.word() + " ";
    }
    sentence.truncate(filler.saturating_sub(1));
    if filler > 0 {
        sentence.push(' ');
    }
    let at = before.len() - before.rsplit('\n').next().map_or(0, str::len);
    record.marked.insert_str(at, &sentence);

    let (kind, left, right) = *random.choose(&[
        ("wrap", "", ""),
        ("wrap", "", ""),
        ("wrap", "", ""),
        ("wrap with gutter", "#", ""),
        ("wrap with gutter", "#", ""),
        ("wrap indented", "    ", ""),
        ("wrap quoted", "> ", ""),
        ("wrap of a diff", "+", ""),
        ("wrap in a box", "\u{2502} ", " \u{2502}"),
    ]);
    let first = random.between(1..=90);
    fold(record, columns, right, |line| if left == "#" { format!("{:>4} | ", first + line) } else { left.to_owned() });
    kind
}

/// Wraps every line at the column. Text to the left of a line may be its number.
fn fold(record: &mut Record, columns: usize, right: &str, left: impl Fn(usize) -> String) {
    let (mut line, mut column) = (0, 0);
    let mut text = left(line);
    for character in record.marked.chars() {
        let new = character == '\n';
        if !is_mark(character) && (new || column == columns) {
            line += 1;
            let padding = if right.is_empty() { 0 } else { columns - column };
            let end = format!("{right}\n{}", left(line));
            text.push_str(&" ".repeat(padding));
            text.push_str(&end);
            record.noise.push(end);
            column = 0;
        }
        if !new {
            text.push(character);
            column += usize::from(!is_mark(character));
        }
    }
    record.marked = text;
    // The longest noise goes first, so that none is mistaken for the start of another.
    record.noise.sort_by_key(|noise| usize::MAX - noise.len());
}

fn markdown(_: &mut Random, record: &mut Record) -> &'static str {
    let mut text = String::new();
    for (character, is_inside) in inside(&record.marked) {
        if is_inside && "_*~".contains(character) {
            text.push(char::from(b'\\'));
        }
        text.push(character);
    }
    record.marked = text;
    record.noise.push("\\".to_owned());
    "markdown"
}

fn colours(random: &mut Random, record: &mut Record) -> &'static str {
    let colour = random.pattern("\u{1b}\\[(1;|0;|)3[1-6]m");
    let end = random.pick(&["\u{1b}[0m", "\u{1b}[m", "\u{1b}[39;49m"]);
    record.noise.extend([colour.clone(), end.to_owned(), "\u{1b}[K".to_owned()]);
    let within = random.once_in(2);
    let mut text = String::new();
    // Inside, like matches highlighted by `grep`; else around the values, as loggers do.
    let mut left = random.between(1..=6);
    let mut coloured = false;
    for (character, is_inside) in inside(&record.marked) {
        if within && is_inside {
            left = usize::max(left, 1) - 1;
            if left == 0 {
                text.push_str(if coloured { end } else { &colour });
                coloured = !coloured;
                left = random.between(3..=30);
            }
        } else if is_mark(character) && !within {
            text.push_str(if coloured { end } else { &colour });
            coloured = !coloured;
        }
        text.push(character);
    }
    record.marked = text + if coloured { end } else { "" };
    if within { "colours inside" } else { "colours around" }
}

/// At least one of each range of Unicode's `Default_Ignorable_Code_Point`.
const INVISIBLE: &[char] = &[
    '\u{ad}',
    '\u{34f}',
    '\u{61c}',
    '\u{115f}',
    '\u{1160}',
    '\u{17b4}',
    '\u{180b}',
    '\u{180e}',
    '\u{200b}',
    '\u{200c}',
    '\u{200d}',
    '\u{200f}',
    '\u{202e}',
    '\u{2060}',
    '\u{2066}',
    '\u{206f}',
    '\u{3164}',
    '\u{fe00}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{ffa0}',
    '\u{fff0}',
    '\u{1bca0}',
    '\u{1d173}',
    '\u{e0001}',
    '\u{e0041}',
    '\u{e01ef}',
    '\u{e0fff}',
];

fn zero_width(random: &mut Random, record: &mut Record) -> &'static str {
    // Uses a separate generator, so that the records that follow stay the same.
    let mut own = Random::new(random.between(1..=6) as u64 + record.marked.len() as u64);
    let first = *own.choose(INVISIBLE);
    let second = if own.once_in(3) { *own.choose(INVISIBLE) } else { first };
    let longest = if own.once_in(4) { 40 } else { 1 };
    let mut text = String::new();
    let mut left = random.between(1..=6);
    for (character, is_inside) in inside(&record.marked) {
        if is_inside {
            left -= 1;
            if left == 0 {
                for _ in 0..own.between(1..=longest) {
                    text.push(if own.once_in(2) { first } else { second });
                }
                left = random.between(3..=20);
            }
        }
        text.push(character);
    }
    record.marked = text;
    record.noise.extend([first.to_string(), second.to_string()]);
    "zero width"
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out
}

fn json(random: &mut Random, record: &mut Record) -> &'static str {
    let twice = random.once_in(2);
    let wrapped = |random: &mut Random, text: &str| {
        let template = random.pick(&[
            r#"{"role":"tool","content":"{x}"}"#,
            r#"{"type": "text", "text": "{x}", "index": {d}}"#,
            r#"{"output":"{x}","exit_code":0}"#,
        ]);
        let inner = escaped(text);
        random.fill(template, |_, _| inner.clone())
    };
    record.marked = wrapped(random, &record.marked);
    if twice {
        record.marked = wrapped(random, &record.marked);
    }
    record.noise.push("\\".to_owned());
    if twice { "json in json" } else { "json" }
}

/// A line that contains a secret, encoded. It is secret as a whole.
fn encoded(random: &mut Random, record: &mut Record) -> &'static str {
    let code = base64(record.text().as_bytes());
    record.secrets = vec![code.clone()];
    let template = random.pick(&[
        "echo {x} | base64 -d",
        "{t} DEBUG {s} payload={x}",
        "The blob was {x}, decode it.",
        "{\"data\": \"{x}\", \"encoding\": \"base64\"}",
        "content: {x}\n",
        "{x}",
        "`{x}`",
    ]);
    record.marked = random.fill(template, |_, _| secret(&code));
    "base64"
}

fn html(_: &mut Random, record: &mut Record) -> &'static str {
    record.marked =
        record.marked.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    record.secrets = secrets(&record.marked);
    "html"
}

/// As in forms and URLs.
fn percent(random: &mut Random, record: &mut Record) -> &'static str {
    let mut text = String::new();
    for character in record.marked.chars() {
        if is_mark(character) || character.is_ascii_alphanumeric() || "-._~".contains(character) {
            text.push(character);
        } else {
            let mut bytes = [0; 4];
            let encoded = character.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}"));
            text.extend(encoded);
        }
    }
    let template = random.pick(&["payload={x}&n={d}", "GET /{w}?body={x} HTTP/1.1", "https://{h}/{w}?text={x}&page=2"]);
    record.marked = random.fill(template, |_, _| text.clone());
    record.secrets = secrets(&record.marked);
    "percent"
}

/// As written by encoders whose JSON is safe inside HTML.
fn unicode_escapes(random: &mut Random, record: &mut Record) -> &'static str {
    let mut text = escaped(&record.marked);
    for (character, code) in [('&', "26"), ('<', "3c"), ('>', "3e"), ('=', "3d"), ('\'', "27"), ('+', "2b")] {
        text = text.replace(character, &format!("\\u00{code}"));
    }
    record.marked = random.fill(r#"{"level":"info","msg":"{x}","n":{d}}"#, |_, _| text.clone());
    record.secrets = secrets(&record.marked);
    record.noise.push("\\".to_owned());
    "unicode escapes"
}

/// A log inside a log.
fn twice(random: &mut Random, record: &mut Record) -> &'static str {
    let inner: Evasion = *random.choose(&[json as Evasion, colours, carriage_returns, html, line_prefix]);
    let outer: Evasion = *random.choose(&[gutter as Evasion, line_prefix]);
    inner(random, record);
    outer(random, record);
    "two at once"
}

fn carriage_returns(_: &mut Random, record: &mut Record) -> &'static str {
    record.marked = record.marked.replace('\n', "\r\n");
    record.noise.push("\r".to_owned());
    "carriage returns"
}

type Evasion = fn(&mut Random, &mut Record) -> &'static str;

const EVASIONS: &[(Evasion, Bases)] = &[
    (gutter, Bases::All),
    (line_prefix, Bases::All),
    (gutter, Bases::All),
    (line_prefix, Bases::All),
    (wrap, Bases::Runs),
    (wrap, Bases::Runs),
    (markdown, Bases::WithMarks),
    (colours, Bases::Short),
    (json, Bases::All),
    (json, Bases::All),
    (encoded, Bases::Short),
    (zero_width, Bases::Runs),
    (html, Bases::Short),
    (carriage_returns, Bases::All),
    (percent, Bases::Short),
    (unicode_escapes, Bases::Short),
    (twice, Bases::Short),
];

/// The records that evasions apply to.
#[derive(Clone, Copy, PartialEq)]
enum Bases {
    All,
    /// Without large structures and those that stand alone.
    Short,
    /// One secret of at least twenty characters, with nothing in it that could end a word.
    Runs,
    /// A secret with a character that Markdown would treat as markup.
    WithMarks,
}

impl Bases {
    fn take(self, record: &Record) -> bool {
        let marks = record.secrets.iter().all(|secret| secret.contains(['_', '*', '~']));
        let long = record.secrets.len() == 1 && record.secrets[0].len() >= 20;
        match self {
            Bases::All => true,
            Bases::Short => (24..1500).contains(&unmarked(&record.marked).len()),
            Bases::Runs => long && !record.kinds.iter().any(|kind| kind.starts_with("phrase")),
            Bases::WithMarks => marks && !record.secrets.is_empty(),
        }
    }
}

pub(crate) fn records(random: &mut Random, count: usize) -> Vec<Record> {
    let each = count / 2 + 40;
    let bases: [(&str, Vec<Record>); 4] = [
        ("tokens", tokens::records(random, each)),
        ("keyed", keyed::records(random, each)),
        ("prose", prose::records(random, each)),
        ("structures", structures::records(random, each)),
    ];
    let record = |number: usize| {
        let (evasion, wanted) = EVASIONS[number % EVASIONS.len()];
        let (base, mut record) = loop {
            let (base, records) = random.choose(&bases);
            let record = random.choose(records);
            if wanted.take(record) {
                break (base, record.clone());
            }
        };
        let kind = evasion(random, &mut record);
        record.kinds = vec![format!("evasion: {kind}"), format!("evasion of {base}: {kind}")];
        record
    };
    (0..count).map(record).collect()
}
