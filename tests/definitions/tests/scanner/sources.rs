//! Public sources on this machine: crates in cargo's registry, packages of npm and PyPI, and Python's standard library.

use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

use loopmem_definitions::Language;

/// How much of a language is read, in bytes.
const SAMPLE: usize = 1_500_000;
/// Larger files are generated more often than not.
const MAX_FILE: u64 = 200_000;
/// The mean length of lines from which on a text is minified, in bytes.
const MINIFIED: usize = 150;

/// A source file.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: Vec<u8>,
}

/// The sources of a language, in the order of the hashes of their paths: as many as fit in a sample, or all of the folders
/// in `LOOPMEM_SOURCE_CODE`.
pub(crate) fn of(language: Language) -> Vec<Source> {
    let folders = std::env::var_os("LOOPMEM_SOURCE_CODE");
    let given: Option<Vec<PathBuf>> = folders.as_deref().map(|folders| std::env::split_paths(folders).collect());
    let mut found = Vec::new();
    for root in given.clone().unwrap_or_else(|| roots(language)) {
        collect(language, &root, &root, &mut found);
    }
    found.sort();
    let mut left = if given.is_some() { usize::MAX } else { SAMPLE };
    let mut sources = Vec::new();
    for (_, name, path) in found {
        let Ok(text) = std::fs::read(&path) else { continue };
        let lines = text.iter().filter(|byte| **byte == b'\n').count() + 1;
        if text.len() / lines > MINIFIED || language == Language::C && is_cpp(&text) {
            continue;
        }
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        sources.push(Source { path: name, text });
    }
    sources
}

/// Whether a header is one of C++.
fn is_cpp(text: &[u8]) -> bool {
    let is_of =
        |line: &[u8]| [&b"namespace "[..], b"class ", b"template", b"public:"].iter().any(|it| line.starts_with(it));
    text.split(|byte| *byte == b'\n').any(|line| is_of(line.trim_ascii_start()))
        || text.windows(5).any(|bytes| bytes == b"std::")
}

/// Adds the files of a language below `folder` with the hashes of their paths.
fn collect(language: Language, root: &Path, folder: &Path, found: &mut Vec<(u64, String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (Ok(kind), path) = (entry.file_type(), entry.path()) else { continue };
        if kind.is_dir() {
            collect(language, root, &path, found);
            continue;
        }
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let is_small = || entry.metadata().is_ok_and(|it| it.len() <= MAX_FILE);
        if kind.is_file() && extensions(language).contains(&extension) && is_small() {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            // Always with the same keys.
            let mut hasher = std::hash::DefaultHasher::new();
            hasher.write(name.as_bytes());
            found.push((hasher.finish(), name, path));
        }
    }
}

fn extensions(language: Language) -> &'static [&'static str] {
    match language {
        Language::Rust => &["rs"],
        Language::Python => &["py", "pyi"],
        Language::JavaScript => &["js", "mjs", "cjs", "jsx"],
        Language::TypeScript => &["ts", "mts", "cts"],
        Language::Tsx => &["tsx"],
        Language::Go => &["go"],
        Language::Java => &["java"],
        Language::C => &["c", "h"],
        Language::Cpp => &["cpp", "cc", "cxx", "hpp", "hh"],
        Language::Lua => &["lua"],
        #[cfg(feature = "all")]
        Language::CSharp => &["cs"],
        #[cfg(feature = "all")]
        Language::Ruby => &["rb"],
        #[cfg(feature = "all")]
        Language::Php => &["php"],
        #[cfg(feature = "all")]
        Language::Bash => &["sh", "bash"],
        #[cfg(feature = "all")]
        Language::Kotlin => &["kt", "kts"],
        #[cfg(feature = "all")]
        Language::Swift => &["swift"],
        #[cfg(feature = "all")]
        Language::Scala => &["scala", "sc"],
    }
}

/// The folders with sources of a language that a build of the project leaves.
fn roots(language: Language) -> Vec<PathBuf> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    match language {
        Language::Rust | Language::C | Language::Cpp => crates(top),
        Language::JavaScript | Language::TypeScript | Language::Tsx => vec![top.join("bindings/node/node_modules")],
        Language::Python => {
            let environments = [top.join(".venv/lib"), PathBuf::from("/usr/lib"), PathBuf::from("/usr/local/lib")];
            environments.iter().flat_map(|it| folders(it)).filter(|path| is_python(path)).collect()
        }
        _ => Vec::new(),
    }
}

fn is_python(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("python3"))
}

/// The crates that the project depends on, with their versions.
fn crates(top: &Path) -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let lock = std::fs::read_to_string(top.join("Cargo.lock")).unwrap();
    let value =
        |line: &str, key: &str| Some(line.strip_prefix(key)?.strip_prefix(" = \"")?.trim_end_matches('"').to_owned());
    let mut names = Vec::new();
    let mut name = String::new();
    for line in lock.lines() {
        name = value(line, "name").unwrap_or(name);
        names.extend(value(line, "version").map(|version| format!("{name}-{version}")));
    }
    let registries = folders(&home.join("registry").join("src"));
    let of_registry = |registry: &PathBuf| names.iter().map(|name| registry.join(name)).collect::<Vec<_>>();
    registries.iter().flat_map(of_registry).filter(|path| path.is_dir()).collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}
