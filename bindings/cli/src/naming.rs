//! What commands and options for methods and params are called.

use loopmem::methods::{Field, Type};

/// What the command for a method of the table is called: `rm` for `remove`, as people type it.
pub(crate) fn command_name(verb: &str) -> String {
    if verb == "remove" { "rm".to_owned() } else { kebab(verb) }
}

/// The name of the option for a field: `--focus-file`, which may be repeated, for `focusFiles`.
pub(crate) fn flag(field: &Field) -> String {
    let name = kebab(&field.name);
    if is_repeated(field) { singular(&name) } else { name }
}

/// Whether the option may be repeated, once for each element of a list.
pub(crate) fn is_repeated(field: &Field) -> bool {
    match &field.ty {
        Type::List(item) => is_text(item),
        Type::ListOrStruct(..) => true,
        _ => false,
    }
}

/// `thread-ids` → `thread-id`, `repo-hashes` → `repo-hash`.
fn singular(name: &str) -> String {
    let stem = name.strip_suffix("hes").map(|stem| format!("{stem}h"));
    stem.unwrap_or_else(|| name.strip_suffix('s').unwrap_or(name).to_owned())
}

/// `upsertConvention` → `upsert-convention`, `relevance_hints` → `relevance-hints`.
pub(crate) fn kebab(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if character.is_uppercase() {
            out.push('-');
        }
        let character = if character == '_' { '-' } else { character };
        out.extend(character.to_lowercase());
    }
    out
}

/// Whether a list is passed by repeating the option; any other list is passed as JSON.
pub(crate) fn is_text(item: &Type) -> bool {
    matches!(item, Type::Text | Type::OneOf(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_in_kebab_case_and_those_that_may_be_repeated_in_the_singular() {
        let named = |name: &str| (kebab(name), singular(&kebab(name)));
        for (name, option, repeated) in [
            ("focusFiles", "focus-files", "focus-file"),
            ("repoHashes", "repo-hashes", "repo-hash"),
            ("relevance_hints", "relevance-hints", "relevance-hint"),
            ("remove", "remove", "remove"),
        ] {
            assert_eq!(named(name), (option.to_owned(), repeated.to_owned()));
        }
    }
}
