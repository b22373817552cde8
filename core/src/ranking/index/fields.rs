//! The terms of the fields of a document other than its text. Each begins with a control character for its field, which no term
//! of a text contains.

use chrono::{DateTime, Datelike as _};

/// The file itself.
const PATH: char = '\u{1}';
/// The folder itself, or one above it.
const FOLDER: char = '\u{2}';
/// A language.
const LANG: char = '\u{3}';
/// A package.
const CRATE: char = '\u{4}';
/// A word of the date.
const DATE: char = '\u{5}';
/// The name of who said it.
const SPEAKER: char = '\u{7}';
/// A mark of the owner.
const MARK: char = '\u{6}';

/// The maximum number of names in the path of a term. What is deeper counts as its folder.
const MAX_STEPS: usize = 32;
/// The maximum length of the path or name of a term, in bytes.
const MAX_BYTES: usize = 1_024;
/// How many words the name of who said it has at most.
const MAX_NAMES: usize = 3;
/// How many files, packages or languages of a document or a query count.
pub(super) const MAX_HINTS: usize = 100;

/// A field that a query is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The same file.
    File,
    /// A folder that contains both, or that the document is about.
    Folder,
    /// The same language.
    Lang,
    /// The same package.
    Crate,
}

/// The field of a term, and what it names there; `None` for a term of the text.
pub(super) fn field_of(term: &str) -> Option<(Field, &str)> {
    let mut characters = term.chars();
    let field = match characters.next()? {
        PATH => Field::File,
        FOLDER => Field::Folder,
        LANG => Field::Lang,
        CRATE => Field::Crate,
        _ => return None,
    };
    Some((field, characters.as_str()))
}

/// The owner of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// A document is about what is in its path as well, if that is a folder.
    Document,
    Query,
}

/// Calls `emit` with the terms of a file or folder: itself, and the folders above it. A path that is too deep or too long is
/// that of the folder where it becomes so: each folder has a term with its whole path, whose lengths would add up.
pub(super) fn each_path_term(path: &str, side: Side, mut emit: impl FnMut(&str)) {
    let steps = path_steps(path);
    let mut whole = String::new();
    let mut kept = 0;
    for step in steps.iter().take(MAX_STEPS) {
        if whole.len() + 1 + step.len() > MAX_BYTES {
            break;
        }
        if kept > 0 {
            whole.push('/');
        }
        whole.push_str(step);
        kept += 1;
    }
    if whole.is_empty() {
        return;
    }
    let is_whole = kept == steps.len();
    if is_whole {
        emit(&format!("{PATH}{whole}"));
    }
    if side == Side::Document || !is_whole {
        emit(&format!("{FOLDER}{whole}"));
    }
    let mut rest = whole.as_str();
    while let Some((folder, _)) = rest.rsplit_once('/') {
        emit(&format!("{FOLDER}{folder}"));
        rest = folder;
    }
}

/// The term of a language; `None` for what is too long to be one.
pub fn lang_term(lang: &str) -> Option<String> {
    let lang = Some(lang.trim()).filter(|lang| lang.len() <= MAX_BYTES)?;
    Some(format!("{LANG}{}", lang.to_lowercase()))
}

/// The term of a package; `-` and `_` are the same. `None` for what is too long to be one.
pub fn crate_term(package: &str) -> Option<String> {
    let package = Some(package.trim()).filter(|package| package.len() <= MAX_BYTES)?;
    Some(format!("{CRATE}{}", package.to_lowercase().replace('_', "-")))
}

/// The term of a mark.
pub(super) fn mark_term(mark: &str) -> String {
    format!("{MARK}{mark}")
}

/// The name of who said a text, with which it begins, as in `Maya: we moved`; `None` if it begins otherwise.
pub(super) fn speaker_of(text: &str) -> Option<&str> {
    const MAX_CHARS: usize = 40;
    let begins: &str = text.char_indices().nth(MAX_CHARS).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
    let (name, _) = begins.split_once(": ")?;
    let is_name = name.chars().next().is_some_and(char::is_uppercase) && name.split(' ').count() <= MAX_NAMES;
    is_name.then_some(name)
}

/// The term of a word in the name of who said it.
pub(super) fn speaker_term(term: &str) -> String {
    format!("{SPEAKER}{term}")
}

/// The months, each as the term of its name and as that of its abbreviation.
const MONTHS: [(&str, &str); 12] = [
    ("januari", "jan"),
    ("februari", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may", "may"),
    ("june", "jun"),
    ("juli", "jul"),
    ("august", "aug"),
    ("septemb", "sep"),
    ("octob", "oct"),
    ("novemb", "nov"),
    ("decemb", "dec"),
];

/// Calls `emit` with the terms of the date of a time, in milliseconds since 1970: the year, the month and the day.
pub(super) fn each_date_term(time: i64, mut emit: impl FnMut(&str)) {
    let Some(date) = DateTime::from_timestamp_millis(time) else { return };
    emit(&format!("{DATE}{}", date.year()));
    emit(&format!("{DATE}{}", date.day()));
    if let Some((month, _)) = MONTHS.get(date.month0() as usize) {
        emit(&format!("{DATE}{month}"));
    }
}

/// The term of a date that a term of a text may mean: that of a year, a month or a day.
pub(super) fn date_term(term: &str) -> Option<String> {
    let is_number = (1..=4).contains(&term.len()) && term.bytes().all(|byte| byte.is_ascii_digit());
    let month = || MONTHS.iter().find(|(name, short)| *name == term || *short == term).map(|(name, _)| *name);
    let word = if is_number { term } else { month()? };
    Some(format!("{DATE}{word}"))
}

/// The names in a path, without `.` and empty ones, and with `..` resolved.
pub fn path_steps(path: &str) -> Vec<&str> {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split(['/', '\\']) {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            name => steps.push(name),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Analyzer;

    #[test]
    fn a_date_is_found_by_its_year_its_day_and_its_month_however_that_is_written() {
        for (number, name) in (1..).zip([
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ]) {
            let time = DateTime::parse_from_rfc3339(&format!("2023-{number:02}-07T23:59:59Z")).unwrap();
            let mut terms = Vec::new();
            each_date_term(time.timestamp_millis(), |term| terms.push(term.to_owned()));
            for text in [format!("{name} 7, 2023"), format!("7 {} 2023", &name[..3])] {
                let mut asked: Vec<_> =
                    Analyzer::default().distinct(&text).iter().filter_map(|term| date_term(term)).collect();
                asked.sort();
                terms.sort();
                assert_eq!(asked, terms, "{text}");
            }
        }
        assert_eq!((date_term("port"), date_term("20230"), date_term("")), (None, None, None));
        each_date_term(i64::MAX, |term| panic!("{term}"));
    }

    fn terms(path: &str, side: Side) -> Vec<String> {
        let mut terms = Vec::new();
        each_path_term(path, side, |term| terms.push(term.to_owned()));
        terms
    }

    #[test]
    fn a_text_may_begin_with_who_said_it() {
        for (text, speaker) in [
            ("Maya: we moved", Some("Maya")),
            ("Dr. Ana Lima: yes", Some("Dr. Ana Lima")),
            ("ÉMILE: oui", Some("ÉMILE")),
            ("maya: we moved", None),
            ("We moved on Friday, she said: it is better", None),
            ("Maya:moved", None),
            (": ", None),
            ("", None),
        ] {
            assert_eq!(speaker_of(text), speaker, "{text}");
        }
    }

    #[test]
    fn a_file_finds_what_is_about_it_about_a_folder_above_it_and_about_files_beside_it() {
        let of_query = terms("./src/a.rs", Side::Query);
        let finds = |path: &'static str| {
            let of_document = terms(path, Side::Document);
            of_document.iter().find(|term| of_query.contains(term)).and_then(|term| Some(field_of(term)?.0))
        };
        assert_eq!(finds("src/a.rs"), Some(Field::File));
        assert_eq!(finds("src\\a.rs"), Some(Field::File));
        assert_eq!(finds("src/"), Some(Field::Folder));
        assert_eq!(finds("src/b.rs"), Some(Field::Folder));
        assert_eq!(finds("docs/a.rs"), None);
        assert_eq!(finds(""), None);
    }

    #[test]
    fn the_terms_of_a_path_are_limited_in_number_and_length() {
        let deep = |last: &str| format!("{}{last}", "a/".repeat(500_000));
        for side in [Side::Document, Side::Query] {
            for path in [deep("b"), "ab/".repeat(1_000_000), format!("src/{}", "x".repeat(1 << 20))] {
                let terms = terms(&path, side);
                assert!(!terms.is_empty() && terms.len() <= MAX_STEPS, "{} terms", terms.len());
                assert!(terms.iter().all(|term| term.len() <= 1 + MAX_BYTES));
            }
            assert_eq!(terms(&"x".repeat(1 << 20), side), [""; 0]);
        }
        // What is deeper is only known to be in the same folder.
        let (document, query) = (terms(&deep("b"), Side::Document), terms(&deep("c"), Side::Query));
        assert_eq!(document, query);
        assert_eq!(field_of(&document[0]).map(|it| it.0), Some(Field::Folder));
        assert_eq!((lang_term(&deep("")), crate_term(&deep(""))), (None, None));
    }
}
