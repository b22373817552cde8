//! Names in the style of each language, what they refer to, and line-wrapped comments.

use std::collections::HashSet;

use loopmem::methods::{Description, MethodDescription, Struct, Type};

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

/// `upsert_convention` → `upsertConvention`.
pub(crate) fn camel(name: &str) -> String {
    let (first, others) = name.split_once('_').unwrap_or((name, ""));
    format!("{first}{}", pascal(&others.replace('_', ".")))
}

/// `memory.upsertConvention` → `MemoryUpsertConvention`.
pub(crate) fn pascal(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
    };
    name.split('.').map(capital).collect()
}

/// `text` in lines of at most 100 characters, each with `prefix`.
pub(crate) fn wrapped(text: &str, prefix: &str) -> String {
    wrapped_at(100, text, prefix)
}

/// `text` in lines of at most `width` characters, each with `prefix`.
pub(crate) fn wrapped_at(width: usize, text: &str, prefix: &str) -> String {
    let mut out = String::new();
    for (index, paragraph) in text.split("\n\n").enumerate() {
        if index > 0 {
            out.push_str(prefix.trim_end());
            out.push('\n');
        }
        let mut line = prefix.to_owned();
        for word in paragraph.split_whitespace() {
            if line.len() > prefix.len() && line.len() + 1 + word.len() > width {
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

/// The areas in the order of the table, each with its methods.
pub(crate) fn by_room(description: &Description) -> Vec<(&'static str, Vec<&MethodDescription>)> {
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

/// The direction of a value: what a host passes in may be frozen, what it gets back is its own copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    In,
    Out,
}

/// The direction.
pub(crate) fn way(it: &Struct, description: &Description) -> Way {
    if taken(description).contains(it.name.as_str()) { Way::In } else { Way::Out }
}

/// The structs that hosts pass in: those that params refer to, and those that these refer to in turn.
fn taken(description: &Description) -> HashSet<&str> {
    fn collect<'d>(description: &'d Description, of: &'d Struct, taken: &mut HashSet<&'d str>) {
        for field in &of.fields {
            let mut ty = &field.ty;
            while let Type::List(inner) = ty {
                ty = inner;
            }
            let Type::Struct(name) = ty else { continue };
            let Some(inner) = description.structs.iter().find(|it| it.name == *name) else { continue };
            if taken.insert(name) {
                collect(description, inner, taken);
            }
        }
    }
    let mut taken = HashSet::new();
    description.methods.iter().for_each(|method| collect(description, &method.params, &mut taken));
    taken
}

/// Whether unlisted fields are preserved: those of what hosts pass in, and of the record made from such a draft. A
/// result may only get more fields in a later version, so they are not part of its type.
pub(crate) fn keeps_unknown_fields(it: &Struct, description: &Description) -> bool {
    let is_kept = |it: &Struct| it.open && way(it, description) == Way::In;
    let draft = format!("{}Draft", it.name);
    is_kept(it) || description.structs.iter().any(|other| other.name == draft && is_kept(other))
}

/// The offsets in a result that a typed API converts to its own string index.
pub(crate) struct Offsets<'d> {
    /// The member of the result that is the list with offsets; `None` if the result itself is that list.
    pub(crate) list: Option<&'d str>,
    /// The members of its items that are offsets.
    pub(crate) keys: Vec<&'d str>,
    /// The param whose text they refer to.
    pub(crate) text: &'d str,
}

/// The offsets in what `method` returns, if any.
pub(crate) fn offsets<'d>(description: &'d Description, method: &'d MethodDescription) -> Option<Offsets<'d>> {
    let named = |ty: &Type| {
        let Type::Struct(name) = ty else { return None };
        description.structs.iter().find(|it| it.name == *name)
    };
    let of_items = |list: Option<&'d str>, ty: &'d Type| {
        let Type::List(item) = ty else { return None };
        let fields = &named(item)?.fields;
        let text = fields.iter().find_map(|field| field.offset_into.as_deref())?;
        let keys = fields.iter().filter(|field| field.offset_into.is_some()).map(|field| field.name.as_str());
        Some(Offsets { list, keys: keys.collect(), text })
    };
    of_items(None, &method.output).or_else(|| {
        let fields = &named(&method.output)?.fields;
        fields.iter().find_map(|field| of_items(Some(&field.name), &field.ty))
    })
}

/// A name that two structs share, which would make them one type in every language.
pub(crate) fn ambiguous(description: &Description) -> Option<&str> {
    description.structs.windows(2).find(|pair| pair[0].name == pair[1].name).map(|pair| pair[0].name.as_str())
}

#[cfg(test)]
mod tests {
    use loopmem::methods::Field;

    use super::*;

    fn a_struct(name: &str, ty: Type) -> Struct {
        let field = Field {
            name: "it".into(),
            doc: String::new(),
            ty,
            required: true,
            nullable: false,
            path: false,
            offset_into: None,
        };
        Struct { name: name.into(), doc: String::new(), fields: vec![field], open: false }
    }

    fn description(structs: Vec<Struct>) -> Description {
        let params = a_struct("room.verb", Type::List(Box::new(Type::Struct("Draft".into()))));
        let method = MethodDescription { name: "room.verb", doc: String::new(), params, output: Type::Json };
        Description {
            rooms: Vec::new(),
            methods: vec![method],
            structs,
            unions: Vec::new(),
            options: a_struct("StoreOptions", Type::Text),
        }
    }

    #[test]
    fn what_is_passed_in_is_found_however_deep_it_lies() {
        let inner = Type::List(Box::new(Type::Struct("Inner".into())));
        let structs = vec![a_struct("Draft", inner), a_struct("Inner", Type::Text), a_struct("Result", Type::Text)];
        assert_eq!(taken(&description(structs)), HashSet::from(["Draft", "Inner"]));
    }

    #[test]
    fn unknown_fields_are_kept_where_an_open_draft_may_bring_them() {
        let description = loopmem::methods::describe();
        let kept = |it: &&Struct| keeps_unknown_fields(it, &description);
        let names: Vec<_> = description.structs.iter().filter(kept).map(|it| it.name.as_str()).collect();
        let drafts = ["Convention", "Decision", "MemoryEntry", "MemoryEntryMetadata", "Note"];
        assert_eq!(names, drafts.map(|name| [name.to_owned(), format!("{name}Draft")]).concat());
    }

    #[test]
    fn offsets_are_found_in_a_list_and_one_member_below() {
        let description = loopmem::methods::describe();
        let of = |name: &str| {
            let method = description.methods.iter().find(|method| method.name == name).unwrap();
            offsets(&description, method).map(|it| (it.list, it.keys, it.text))
        };
        assert_eq!(of("safety.scan"), Some((None, vec!["start", "end"], "text")));
        assert_eq!(of("safety.redact"), Some((Some("findings"), vec!["start", "end"], "text")));
        assert_eq!(of("memory.get"), None);
    }

    #[test]
    fn a_name_of_two_structs_is_refused() {
        let twice = description(vec![a_struct("Draft", Type::Text), a_struct("Draft", Type::Integer)]);
        assert_eq!(ambiguous(&twice), Some("Draft"));
        assert_eq!(ambiguous(&loopmem::methods::describe()), None);
    }
}
