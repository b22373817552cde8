//! `docs/METHODS.md`: the method reference.

use std::fmt::Write as _;

use loopmem::ErrorKind;
use loopmem::methods::{Description, Field, Struct, Type};

/// The reference.
pub(crate) fn markdown(description: &Description) -> String {
    let mut out = String::from(
        "# Methods\n\n<!-- Generated from the method table by scripts/generate. Do not edit. -->\n\n\
         Every language has these methods, with these params and results. `?` marks what is optional; null means absent.\n\
         Unknown keys are refused, except in records, whose unknown fields are preserved. Times are RFC 3339 in UTC. Offsets into\n\
         a text are UTF-8 bytes; the typed methods of TypeScript return UTF-16 units, those of Python code points.\n",
    );
    for method in &description.methods {
        let _ = write!(out, "\n## `{}`\n\n{}\n\n", method.name, method.doc);
        table(&mut out, &method.params);
        let _ = write!(out, "\nReturns {}.\n", type_of(&method.output));
    }
    out.push_str("\n# Records\n");
    for it in description.structs.iter().chain([&description.options]) {
        let _ = write!(out, "\n## `{}`\n\n{}\n\n", it.name, it.doc);
        table(&mut out, it);
    }
    for it in &description.unions {
        let structs: Vec<_> = it.structs.iter().map(|name| format!("`{name}`")).collect();
        let _ = write!(out, "\n## `{}`\n\n{}\n\nOne of {}.\n", it.name, it.doc, structs.join(", "));
    }
    out.push_str("\n# Errors\n\nAn error's own `retryable` overrides that of its kind: for example, the error of a server that is briefly unreachable \
         may be retried. `mayBeStored` is true if the change may have been stored although the call failed: check before you try \
         again. `errno` is the operating system's error number of the cause, if known. Classes have the names of the codes; \
         Python's for `IOError` is `IoError`.\n\n| code | status in C | retryable | meaning |\n|---|---|---|---|\n");
    for kind in ErrorKind::ALL {
        let retryable = if kind.retryable() { "yes" } else { "no" };
        let _ = writeln!(out, "| `{}` | {} | {retryable} | {} |", kind.code(), kind.status(), kind.doc());
    }
    out
}

fn table(out: &mut String, it: &Struct) {
    if it.fields.is_empty() {
        out.push_str("No params.\n");
        return;
    }
    out.push_str("| key | value | meaning |\n|---|---|---|\n");
    for Field { name, doc, ty, required, nullable, .. } in &it.fields {
        let mark = if *required { "" } else { "?" };
        let null = if *required && *nullable { " or null" } else { "" };
        let _ = writeln!(out, "| `{name}`{mark} | {}{null} | {} |", type_of(ty), doc.replace("\n\n", " "));
    }
}

fn type_of(ty: &Type) -> String {
    match ty {
        Type::Text => "string".to_owned(),
        Type::Integer => "integer".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::OneOf(names) => names.iter().map(|name| format!("`\"{name}\"`")).collect::<Vec<_>>().join(" or "),
        Type::List(inner) => format!("list of {}", type_of(inner)),
        Type::ListOrStruct(names, values) => format!("list of {}, or `{values}`", type_of(names)),
        Type::TextOrStruct(name) => format!("string, or `{name}`"),
        Type::Struct(name) => format!("`{name}`"),
        Type::Number => "number".to_owned(),
        Type::Object => "object".to_owned(),
        Type::Json => "JSON".to_owned(),
    }
}
