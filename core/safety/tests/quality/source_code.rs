//! Real source code: the dependencies that are on this machine anyway. None of its lines should change.

use std::path::{Path, PathBuf};

use loopmem_safety::Redactor;

const EXTENSIONS: &[&str] = &["rs", "js", "ts", "py", "c", "h", "go", "java"];
/// A longer file is a table of data or a bundle.
const LONGEST: u64 = 1 << 20;

/// Sources that contain passwords or private keys, if only for their own tests: redacting those is not a false alarm.
const WITH_PASSWORDS: &[&str] =
    &["git2-", "libgit2-sys-", "pem-", "rcgen-", "redis-", "ring-", "rustls-", "security-framework-", "url-"];

/// The result of reading the sources.
#[derive(Default)]
pub(crate) struct Reading {
    pub(crate) bytes: usize,
    pub(crate) files: usize,
    pub(crate) changed: Vec<Change>,
}

pub(crate) struct Change {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) before: String,
    pub(crate) after: String,
}

impl Reading {
    #[allow(clippy::cast_precision_loss, reason = "there is not that much")]
    pub(crate) fn lines_per_megabyte(&self) -> f64 {
        self.changed.len() as f64 / (self.bytes as f64 / 1_000_000.0)
    }
}

/// The folders requested, or cargo's sources of the dependencies: those of `Cargo.lock`, whatever else this machine has.
pub(crate) fn folders() -> Vec<PathBuf> {
    if let Some(folders) = std::env::var_os("LOOPMEM_SOURCE_CODE") {
        return std::env::split_paths(&folders).collect();
    }
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let registries = home.and_then(|home| std::fs::read_dir(home.join("registry").join("src")).ok());
    let registries: Vec<PathBuf> = registries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let mut crates = locked();
    crates.retain(|name| !WITH_PASSWORDS.iter().any(|it| name.starts_with(it)));
    let folders = registries.iter().flat_map(|registry| crates.iter().map(|name| registry.join(name)));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// The folders of the dependencies: `NAME-VERSION`.
fn locked() -> Vec<String> {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock")).unwrap_or_default();
    assert!(!lock.is_empty(), "this is tested in the workspace, which has a lock file");
    let value = |line: &str, key: &str| Some(line.strip_prefix(key)?.trim_matches('"').to_owned());
    let lines: Vec<&str> = lock.lines().collect();
    let pairs = lines
        .windows(2)
        .filter_map(|pair| Some(format!("{}-{}", value(pair[0], "name = ")?, value(pair[1], "version = ")?)));
    pairs.collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        let is_passed_over =
            WITH_PASSWORDS.iter().any(|it| entry.file_name().as_encoded_bytes().starts_with(it.as_bytes()));
        if kind.is_dir() && !is_passed_over {
            files(&path, found);
        } else if kind.is_file() && path.extension().is_some_and(|it| EXTENSIONS.iter().any(|other| it == *other)) {
            found.push(path);
        }
    }
}

/// Redacts files of the folders, spread evenly, up to this many bytes.
pub(crate) fn read(folders: &[PathBuf], most_bytes: usize, redactor: &Redactor) -> Reading {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| files(folder, &mut found));
    found.sort();
    // Neighbouring files have the same author: a stride coprime to the count visits all in a different order.
    let stride = (found.len() * 5 / 8..).find(|stride| *stride > 0 && coprime(*stride, found.len())).unwrap_or(1);
    let mut reading = Reading::default();
    for number in 0..found.len() {
        let file = &found[number * stride % found.len()];
        if reading.bytes >= most_bytes || std::fs::metadata(file).map_or(true, |it| it.len() > LONGEST) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        reading.bytes += text.len();
        reading.files += 1;
        let redacted = redactor.redact(&text);
        if redacted != text {
            compare(file, &text, &redacted, &mut reading.changed);
        }
    }
    reading
}

fn coprime(one: usize, other: usize) -> bool {
    let (mut one, mut other) = (one, other);
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one == 1
}

/// The lines that differ. After a gap, comparison continues from the next line that agrees.
fn compare(file: &Path, before: &str, after: &str, changed: &mut Vec<Change>) {
    let before: Vec<&str> = before.lines().collect();
    let mut after = after.lines().peekable();
    for (number, line) in before.iter().enumerate() {
        if after.peek() == Some(line) {
            after.next();
            continue;
        }
        // The replacement: a line that is none of the following ones.
        let replaced = after.next_if(|it| before.get(number + 1) != Some(it)).unwrap_or_default();
        changed.push(Change {
            file: file.to_owned(),
            line: number + 1,
            before: (*line).to_owned(),
            after: replaced.to_owned(),
        });
    }
}

#[test]
fn lines_are_compared_across_a_gap() {
    let mut changed = Vec::new();
    compare(Path::new("a"), "1\n2\n3\n4\n5", "1\nx\n4\n5", &mut changed);
    let lines: Vec<_> = changed.iter().map(|change| change.line).collect();
    assert_eq!(lines[0], 2);
    assert!(lines.len() >= 2);
}
