//! Generates every language's typed API from the method table: the C header, the TypeScript and Python types, methods
//! and errors, and the method reference.
//!
//! `loopmem-codegen` writes the files; `loopmem-codegen --check` fails if one of them is stale.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]
#![allow(clippy::disallowed_methods, reason = "a build tool, which writes source files")]

mod c;
mod names;
mod numpydoc;
mod python;
mod raises;
mod reference;
mod typescript;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use loopmem::methods::describe;

fn main() -> ExitCode {
    let check = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--check") => true,
        Some(other) => {
            eprintln!("loopmem-codegen: unknown option {other}; there is --check");
            return ExitCode::from(2);
        }
    };
    match run(check) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(stale) => {
            eprintln!("loopmem-codegen: {stale} generated files are stale; run scripts/generate");
            ExitCode::FAILURE
        }
        Err(failure) => {
            eprintln!("loopmem-codegen: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// A file of npm's with the version of the workspace as its first `count` versions: `Cargo.toml` alone decides it.
fn with_version(root: &Path, name: &str, count: usize) -> Result<String, String> {
    let key = "\"version\": \"";
    let old = std::fs::read_to_string(root.join(name)).map_err(|cause| format!("{name}: {cause}"))?;
    let mut parts = old.splitn(count + 1, key);
    let mut new = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once('"').ok_or_else(|| format!("{name}: a version has no end"))?;
        new.push_str(&format!("{key}{}\"{rest}", env!("CARGO_PKG_VERSION")));
    }
    Ok(new)
}

fn run(check: bool) -> Result<usize, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let description = describe();
    if let Some(name) = names::ambiguous(&description) {
        return Err(format!("two different structs are called {name}; give one of them another name"));
    }
    let files: Vec<(&str, String)> = vec![
        ("include/loopmem.h", c::header(&root.join("ffi"), &description)?),
        ("bindings/node/ts/generated/types.cts", typescript::types(&description)),
        ("bindings/node/ts/generated/rooms.cts", typescript::rooms(&description)),
        ("bindings/node/ts/generated/errors.cts", typescript::errors()),
        ("bindings/node/ts/generated/error_classes.cts", typescript::error_classes()),
        ("bindings/python/python/loopmem/_types.py", python::types(&description)),
        ("bindings/python/python/loopmem/_rooms.py", python::rooms(&description)),
        ("bindings/python/python/loopmem/_calls.pyi", python::calls(&description)),
        ("bindings/python/python/loopmem/_aio_rooms.py", python::aio_rooms(&description)),
        ("bindings/python/python/loopmem/errors.py", python::errors()),
        ("docs/METHODS.md", reference::markdown(&description)),
        ("bindings/node/package.json", with_version(&root, "bindings/node/package.json", 1)?),
        ("bindings/node/package-lock.json", with_version(&root, "bindings/node/package-lock.json", 2)?),
    ];
    let mut stale = 0;
    for (name, text) in files {
        let path: PathBuf = root.join(name);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        stale += 1;
        println!("{} {name}", if check { "stale:" } else { "wrote" });
        if !check {
            let folder = path.parent().ok_or_else(|| format!("{name} has no folder"))?;
            std::fs::create_dir_all(folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
            std::fs::write(&path, text).map_err(|cause| format!("{}: {cause}", path.display()))?;
        }
    }
    Ok(if check { stale } else { 0 })
}
