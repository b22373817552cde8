//! The terms of the fields of a document other than its text. Each begins with a control character for its field, which no term
//! of a text contains.

/// The file itself.
const PATH: char = '\u{1}';
/// The folder itself, or one above it.
const FOLDER: char = '\u{2}';
/// A language.
const LANG: char = '\u{3}';
/// A package.
const CRATE: char = '\u{4}';

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

/// Whose path it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// A document is about what is in its path as well, if that is a folder.
    Document,
    Query,
}

/// Calls `emit` with the terms of a file or folder: itself, and the folders above it.
pub(super) fn each_path_term(path: &str, side: Side, mut emit: impl FnMut(&str)) {
    let path = path_steps(path).join("/");
    if path.is_empty() {
        return;
    }
    emit(&format!("{PATH}{path}"));
    if side == Side::Document {
        emit(&format!("{FOLDER}{path}"));
    }
    let mut rest = path.as_str();
    while let Some((folder, _)) = rest.rsplit_once('/') {
        emit(&format!("{FOLDER}{folder}"));
        rest = folder;
    }
}

/// The term of a language.
pub(super) fn lang_term(lang: &str) -> String {
    format!("{LANG}{}", lang.trim().to_lowercase())
}

/// The term of a package; `-` and `_` are the same.
pub(super) fn crate_term(package: &str) -> String {
    format!("{CRATE}{}", package.trim().to_lowercase().replace('_', "-"))
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

    fn terms(path: &str, side: Side) -> Vec<String> {
        let mut terms = Vec::new();
        each_path_term(path, side, |term| terms.push(term.to_owned()));
        terms
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
}
