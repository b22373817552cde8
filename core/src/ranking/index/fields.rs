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

/// Calls `emit` with the terms of a document's file or folder: itself, and as folders itself and those above it.
pub(super) fn each_path_term(path: &str, mut emit: impl FnMut(&str)) {
    let path = normalized(path);
    if path.is_empty() {
        return;
    }
    emit(&format!("{PATH}{path}"));
    emit(&format!("{FOLDER}{path}"));
    each_folder(&path, |folder| emit(&format!("{FOLDER}{folder}")));
}

/// Calls `emit` with the terms that find the documents of a file: itself, and the folders above it.
pub(super) fn each_query_path_term(path: &str, mut emit: impl FnMut(&str)) {
    let path = normalized(path);
    if path.is_empty() {
        return;
    }
    emit(&format!("{PATH}{path}"));
    each_folder(&path, |folder| emit(&format!("{FOLDER}{folder}")));
}

/// The term of a language.
pub(super) fn lang_term(lang: &str) -> String {
    format!("{LANG}{}", lang.trim().to_lowercase())
}

/// The term of a package; `-` and `_` are the same.
pub(super) fn crate_term(package: &str) -> String {
    format!("{CRATE}{}", package.trim().to_lowercase().replace('_', "-"))
}

/// A path with slashes, without `.` and empty components, and with `..` resolved.
fn normalized(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split(['/', '\\']) {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            name => steps.push(name),
        }
    }
    steps.join("/")
}

fn each_folder(path: &str, mut emit: impl FnMut(&str)) {
    let mut rest = path;
    while let Some((folder, _)) = rest.rsplit_once('/') {
        emit(folder);
        rest = folder;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(each: fn(&str, &mut Vec<String>), path: &str) -> Vec<String> {
        let mut terms = Vec::new();
        each(path, &mut terms);
        terms
    }

    #[test]
    fn a_file_finds_what_is_about_it_about_a_folder_above_it_and_about_files_beside_it() {
        let of_query =
            terms(|path, terms| each_query_path_term(path, |term| terms.push(term.to_owned())), "./src/a.rs");
        let finds = |path: &'static str| {
            let of_document = terms(|path, terms| each_path_term(path, |term| terms.push(term.to_owned())), path);
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
