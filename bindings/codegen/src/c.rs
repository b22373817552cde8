//! `include/loopmem.h`: the exported functions through cbindgen, then the typed ones.
//!
//! cbindgen does not see what macros make, so the exported functions are written by hand and stay a dozen; the typed
//! ones are `static inline` and cost the binary interface nothing.

use std::fmt::Write as _;
use std::path::Path;

use loopmem::ErrorKind;
use loopmem::methods::{Description, Field, Struct, Type};

use crate::names::{snake, wrapped};

const HEADER: &str = "\
/* loopmem: durable, local-first memory for coding agents. Generated; see docs/ABI.md.
 *
 * Threads. Every function may be called from any thread at any time. A call blocks only while it waits for a lock, at
 * most as long as is configured, and ends early when its cancel request is made.
 *
 * Ownership. What the host passes in is read during the call and stays the host's. A loopmem_buffer that the library
 * fills in is the host's, to be given back with loopmem_buffer_free. Stores and cancel requests are numbers: using one
 * after it was closed is LOOPMEM_MISUSE and never a crash.
 *
 * Aliasing. Pointers that are passed to one call must not overlap where the library writes.
 *
 * Failures. Nothing unwinds or aborts out of the library; a defect in it is LOOPMEM_INTERNAL.
 *
 * Functions of the host. A host may lend a store an adapter and a logger: tables of functions with a ctx.
 *   Threads: a function is called on the thread of the call that needs it, and on several threads at once when several
 *     call; what ctx leads to must bear that. Calls on one scope that change it come one after the other.
 *   Lifetimes: loopmem_open copies the tables. The functions and ctx are used from then until destroy, which is called
 *     exactly once: when the store was closed and the last of its calls has ended, by loopmem_close or by that call, on
 *     its thread. When loopmem_open fails nothing was taken and destroy is not called.
 *   Ownership: what a function is passed is the library's and valid until the function returns. What it answers, through
 *     loopmem_host_answer and loopmem_host_fail, is copied at once and stays the host's.
 *   Calls from within: an adapter's function may call loopmem, also on the store that called it, but not on the scope
 *     that it was called for: that is LOOPMEM_MISUSE. From another thread such a call says where it comes from in
 *     loopmem_call_options.within, or it would wait for itself until its time is up. A logger's function and destroy may
 *     call whatever they like; for destroy its own store is closed. A function may close its own store.
 *   Failures: a function returns its failure. It must not leave by an exception or longjmp, which ends the process.
 *     loopmem.hpp catches exceptions. Nobody stops a function that takes too long: it holds up the calls on its scope,
 *     which give up after their time-out.
 */

#ifndef LOOPMEM_H
#define LOOPMEM_H";

/// The header.
pub(crate) fn header(ffi: &Path, description: &Description) -> Result<String, String> {
    let config = cbindgen::Config {
        language: cbindgen::Language::C,
        header: Some(HEADER.to_owned()),
        // cbindgen would close its own guard before the trailer, and the typed functions could be included only once.
        include_guard: None,
        no_includes: true,
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"]
            .map(str::to_owned)
            .to_vec(),
        cpp_compat: true,
        usize_is_size_t: true,
        documentation_style: cbindgen::DocumentationStyle::Doxy,
        after_includes: Some(statuses()),
        trailer: Some(typed(description)),
        ..cbindgen::Config::default()
    };
    let source = ffi.join("src/lib.rs");
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(source)
        .generate()
        .map_err(|cause| format!("cbindgen: {cause}"))?;
    let mut out = Vec::new();
    bindings.write(&mut out);
    String::from_utf8(out).map_err(|cause| cause.to_string())
}

fn statuses() -> String {
    let mut out = String::from(
        "\n/** Every kind of error: X(status, NAME, Code, \"what it means\"). */\n#define LOOPMEM_ERRORS(X)",
    );
    for kind in ErrorKind::ALL {
        let _ = write!(out, " \\\n  X({}, {}, {}, \"{}\")", kind.status(), constant(*kind), kind.code(), kind.doc());
    }
    out.push_str("\n\n/** What functions return: 0, or a kind of error. Append-only. */\nenum {\n  LOOPMEM_OK = 0,\n");
    for kind in ErrorKind::ALL {
        let _ = writeln!(out, "  /** {} */\n  LOOPMEM_{} = {},", kind.doc(), constant(*kind), kind.status());
    }
    out.push_str("};\n");
    out
}

fn constant(kind: ErrorKind) -> String {
    snake(&kind.code().replace("IOError", "IoError")).to_uppercase()
}

fn typed(description: &Description) -> String {
    let mut out = String::from("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    out.push_str(include_str!("prelude.h"));
    write_struct(&mut out, "loopmem_store_options", &description.options);
    out.push_str(
        "\n/**\n * Opens a store with typed options; everything else is as for loopmem_open. `options` may be NULL.\n */\n\
         static inline loopmem_status loopmem_store_open(\n    const loopmem_store_options *options, const loopmem_host *host,\n    \
         loopmem_store *store, loopmem_buffer *answer) {\n  loopmem_json json = {NULL, 0, 0, false};\n  \
         loopmem_status status;\n  if (options != NULL) loopmem_store_options_write(&json, options);\n  \
         if (loopmem_json_failed(&json, answer)) return LOOPMEM_IO_ERROR;\n  \
         status = loopmem_open(json.data, json.length, host, store, answer);\n  free(json.data);\n  return status;\n}\n",
    );
    let mut written = Vec::new();
    for method in &description.methods {
        let base = format!("loopmem_{}", snake(method.name));
        nested(&mut out, description, &method.params, &mut written);
        write_struct(&mut out, &format!("{base}_params"), &method.params);
        let _ = write!(out, "\n/**\n{} */\nstatic inline loopmem_status {base}(\n", wrapped(&method.doc, " * "));
        let _ = write!(
            out,
            "    loopmem_store store, const {base}_params *params,\n    const loopmem_call_options *options, loopmem_buffer *answer) {{\n  \
             loopmem_json json = {{NULL, 0, 0, false}};\n  if (params != NULL) {base}_params_write(&json, params);\n  \
             return loopmem_json_call(store, \"{}\", &json, options, answer);\n}}\n",
            method.name
        );
    }
    out.push_str("\n#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n\n#endif /* LOOPMEM_H */\n");
    out
}

/// The structs that `of` holds, each once and before it is used.
fn nested(out: &mut String, description: &Description, of: &Struct, written: &mut Vec<String>) {
    for field in &of.fields {
        let Some(name) = struct_of(&field.ty) else { continue };
        let Some(inner) = description.structs.iter().find(|it| it.name == name) else { continue };
        if written.iter().any(|it| it == name) {
            continue;
        }
        written.push(name.to_owned());
        nested(out, description, inner, written);
        write_struct(out, &format!("loopmem_{}", snake(name)), inner);
    }
}

fn write_struct(out: &mut String, name: &str, it: &Struct) {
    let _ = write!(out, "\n/**\n{} */\ntypedef struct {name} {{\n", wrapped(&it.doc, " * "));
    for field in &it.fields {
        let doc = if is_json(&field.ty) { format!("{} As JSON.", field.doc) } else { field.doc.clone() };
        let _ = writeln!(out, "  /**\n{}   */", wrapped(&doc, "   * "));
        declare(out, field);
    }
    if it.fields.is_empty() {
        out.push_str("  /** Nothing is taken; zero. */\n  int unused;\n");
    }
    let _ = write!(
        out,
        "}} {name};\n\nstatic inline void {name}_write(loopmem_json *json, const {name} *value) {{\n  \
         loopmem_json_bytes(json, \"{{\", 1);\n"
    );
    for field in &it.fields {
        let member = snake(&field.name);
        let key = format!("loopmem_json_key(json, \"{}\");", field.name);
        let (condition, statement) = match &field.ty {
            Type::Text | Type::OneOf(_) => {
                (format!("value->{member} != NULL"), format!("loopmem_json_text(json, value->{member});"))
            }
            Type::Integer if field.required => (String::new(), format!("loopmem_json_integer(json, value->{member});")),
            Type::Integer => {
                (format!("value->{member} != NULL"), format!("loopmem_json_integer(json, *value->{member});"))
            }
            Type::Number if field.required => (String::new(), format!("loopmem_json_number(json, value->{member});")),
            Type::Number => {
                (format!("value->{member} != NULL"), format!("loopmem_json_number(json, *value->{member});"))
            }
            Type::List(inner) if **inner == Type::Number => (
                format!("value->{member} != NULL"),
                format!("loopmem_json_numbers(json, value->{member}, value->{member}_count);"),
            ),
            Type::Boolean if field.required => (String::new(), format!("loopmem_json_boolean(json, value->{member});")),
            Type::Boolean => {
                (format!("value->{member} != NULL"), format!("loopmem_json_boolean(json, *value->{member});"))
            }
            Type::List(inner) if is_text(inner) => (
                format!("value->{member} != NULL"),
                format!("loopmem_json_texts(json, value->{member}, value->{member}_count);"),
            ),
            Type::Struct(inner) => {
                (format!("value->{member} != NULL"), format!("loopmem_{}_write(json, value->{member});", snake(inner)))
            }
            Type::List(inner) if struct_of(inner).is_some() => (
                format!("value->{member} != NULL"),
                format!(
                    "size_t item;\n    loopmem_json_bytes(json, \"[\", 1);\n    \
                     for (item = 0; item < value->{member}_count; item++) {{\n      \
                     if (item > 0) loopmem_json_bytes(json, \",\", 1);\n      \
                     loopmem_{}_write(json, &value->{member}[item]);\n    }}\n    loopmem_json_bytes(json, \"]\", 1);",
                    struct_of(inner).map(snake).unwrap_or_default()
                ),
            ),
            Type::List(_) | Type::Object | Type::Json => {
                (format!("value->{member}_json != NULL"), format!("loopmem_json_value(json, value->{member}_json);"))
            }
        };
        if condition.is_empty() {
            let _ = writeln!(out, "  {key}\n  {statement}");
        } else {
            let _ = writeln!(out, "  if ({condition}) {{\n    {key}\n    {statement}\n  }}");
        }
    }
    if it.fields.is_empty() {
        out.push_str("  (void)value;\n");
    }
    out.push_str("  loopmem_json_bytes(json, \"}\", 1);\n}\n");
}

fn declare(out: &mut String, field: &Field) {
    let member = snake(&field.name);
    let _ = match &field.ty {
        Type::Text | Type::OneOf(_) => writeln!(out, "  const char *{member};"),
        Type::Integer if field.required => writeln!(out, "  int64_t {member};"),
        Type::Integer => writeln!(out, "  const int64_t *{member};"),
        Type::Number if field.required => writeln!(out, "  double {member};"),
        Type::Number => writeln!(out, "  const double *{member};"),
        Type::List(inner) if **inner == Type::Number => {
            writeln!(
                out,
                "  const double *{member};\n  /** How many `{member}` there are. */\n  size_t {member}_count;"
            )
        }
        Type::Boolean if field.required => writeln!(out, "  bool {member};"),
        Type::Boolean => writeln!(out, "  const bool *{member};"),
        Type::List(inner) if is_text(inner) => {
            writeln!(
                out,
                "  const char *const *{member};\n  /** How many `{member}` there are. */\n  size_t {member}_count;"
            )
        }
        Type::Struct(inner) => writeln!(out, "  const loopmem_{} *{member};", snake(inner)),
        Type::List(inner) if struct_of(inner).is_some() => {
            let item = struct_of(inner).map(snake).unwrap_or_default();
            writeln!(
                out,
                "  const loopmem_{item} *{member};\n  /** How many `{member}` there are. */\n  size_t {member}_count;"
            )
        }
        Type::List(_) | Type::Object | Type::Json => writeln!(out, "  const char *{member}_json;"),
    };
}

fn is_text(ty: &Type) -> bool {
    matches!(ty, Type::Text | Type::OneOf(_))
}

/// Whether C has no type for it.
fn is_json(ty: &Type) -> bool {
    match ty {
        Type::Object | Type::Json => true,
        Type::List(inner) => !is_text(inner) && **inner != Type::Number && struct_of(inner).is_none(),
        _ => false,
    }
}

/// The struct that a member holds, one or many.
fn struct_of(ty: &Type) -> Option<&str> {
    match ty {
        Type::Struct(name) => Some(name),
        Type::List(inner) => struct_of(inner),
        _ => None,
    }
}
