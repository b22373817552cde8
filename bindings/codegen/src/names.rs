//! Names as each language writes them, and comments in lines of a decent length.

/// `upsertConvention` → `upsert_convention`; dots become underscores.
pub(crate) fn snake(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if character.is_uppercase() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            out.extend(character.to_lowercase());
        } else {
            out.push(if character == '.' { '_' } else { character });
        }
    }
    out
}

/// `memory.upsertConvention` → `MemoryUpsertConvention`.
pub(crate) fn pascal(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
    };
    name.split('.').map(capital).collect()
}

/// `text` in lines of at most 100 characters with `prefix` before each.
pub(crate) fn wrapped(text: &str, prefix: &str) -> String {
    let mut out = String::new();
    for (index, paragraph) in text.split("\n\n").enumerate() {
        if index > 0 {
            out.push_str(prefix.trim_end());
            out.push('\n');
        }
        let mut line = prefix.to_owned();
        for word in paragraph.split_whitespace() {
            if line.len() > prefix.len() && line.len() + 1 + word.len() > 100 {
                out.push_str(line.trim_end());
                out.push('\n');
                line = prefix.to_owned();
            }
            if line.len() > prefix.len() {
                line.push(' ');
            }
            line.push_str(word);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The rooms in the order of the table, each with its methods.
pub(crate) fn by_room(
    description: &loopmem::methods::Description,
) -> Vec<(&'static str, Vec<&loopmem::methods::MethodDescription>)> {
    let mut rooms: Vec<(&str, Vec<_>)> = Vec::new();
    for method in &description.methods {
        let (room, _) = method.room_and_verb();
        match rooms.iter_mut().find(|(name, _)| *name == room) {
            Some((_, methods)) => methods.push(method),
            None => rooms.push((room, vec![method])),
        }
    }
    rooms
}
