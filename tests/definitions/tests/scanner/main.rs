//! How many of the definitions that tree-sitter finds in public sources the scanner finds too, and how many it adds.
//!
//! The sources are those that a build of the project leaves on a machine, and a sample of each language; see [`sources`].
//! `LOOPMEM_SOURCE_CODE=a:b` reads all files of these folders instead. `LOOPMEM_REPORT=1` prints a table, and
//! `LOOPMEM_SHOW=python` each definition of a language that only one of them finds.

#![allow(clippy::disallowed_methods, reason = "the sources are not part of a home")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

mod hostile;
mod outlines;
mod sources;

use std::collections::HashMap;
use std::io::Write as _;

use loopmem::testing::index;
use loopmem_definitions::{Language, OPTIONAL, Parsed, Reference};
use sources::Source;

/// How two lists of definitions of the same files differ.
#[derive(Debug, Default)]
struct Score {
    files: usize,
    bytes: usize,
    /// How many definitions tree-sitter finds, and how many of them the scanner does.
    expected: usize,
    found: usize,
    /// How many of those are of the same kind.
    of_kind: usize,
    /// How many definitions only the scanner finds.
    added: usize,
}

impl Score {
    /// The part of the definitions of tree-sitter that the scanner finds, in percent.
    fn recall(&self) -> f64 {
        percent(self.found, self.expected)
    }

    /// The part of the definitions of the scanner that tree-sitter does not find, in percent.
    fn false_rate(&self) -> f64 {
        percent(self.added, self.found + self.added)
    }

    fn add(&mut self, source: &Source, parsed: &Parsed, show: &mut impl FnMut(&str, usize, &str, &str)) {
        let is_unsure = |line: usize| parsed.unsure.iter().any(|lines| lines.contains(&line));
        let mut scanned: HashMap<String, Vec<(usize, &str)>> = HashMap::new();
        for (name, kind, line, _) in index::definitions(&source.path, &source.text) {
            scanned.entry(unquoted(&name).to_owned()).or_default().push((line as usize, kind.name()));
        }
        self.files += 1;
        self.bytes += source.text.len();
        for definition in parsed.definitions.iter().filter(|it| !is_unsure(*it.lines.start())) {
            let same = scanned.get_mut(unquoted(&definition.name)).and_then(|same| {
                let at = same.iter().position(|(line, _)| definition.lines.contains(line))?;
                Some(same.remove(at))
            });
            if definition.kind == OPTIONAL {
                continue;
            }
            self.expected += 1;
            match same {
                Some((_, kind)) => {
                    self.found += 1;
                    self.of_kind += usize::from(kind == definition.kind);
                }
                None => show("missing", *definition.lines.end(), definition.kind, &definition.name),
            }
        }
        for (name, rest) in scanned {
            for (line, kind) in rest.into_iter().filter(|(line, _)| !is_unsure(*line)) {
                self.added += 1;
                show("added", line, kind, &name);
            }
        }
    }
}

/// A name without the quotes that it may have in the text, as long as a name can be.
fn unquoted(name: &str) -> &str {
    name[..name.floor_char_boundary(200)].trim_matches(['"', '\'', '`', ':'])
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / (all as f64).max(1.0)
}

/// Measures the sources of a language, and asserts what the scanner has to reach: at least `recall` percent of what
/// tree-sitter finds, and at most `false_rate` percent that it does not find.
#[track_caller]
fn assert_found(language: Language, recall: f64, false_rate: f64) {
    let wants =
        |name: &str| std::env::var(name).is_ok_and(|it| it == "1" || it == format!("{language:?}").to_lowercase());
    let is_shown = wants("LOOPMEM_SHOW");
    let mut score = Score::default();
    let mut reference = Reference::new(language).unwrap();
    for source in sources::of(language) {
        let parsed = reference.parse(&source.text);
        score.add(&source, &parsed, &mut |what, line, kind, name| {
            if is_shown {
                let mut lines = source.text.split(|byte| *byte == b'\n');
                let text = lines.nth(line - 1).map(String::from_utf8_lossy).unwrap_or_default();
                println!("{language:?}\t{what}\t{kind}\t{name}\t{}:{line}\t{}", source.path, text.trim());
            }
        });
    }
    let Score { files, bytes, expected, of_kind, found, .. } = score;
    if files == 0 {
        // Straight to the terminal: what a test prints is shown only if it fails.
        let message = format!("definitions: no sources of {language:?} on this machine; set LOOPMEM_SOURCE_CODE\n");
        let _ = std::io::stderr().write_all(message.as_bytes());
        return;
    }
    let line = format!(
        "{language:?}: {files} files, {} kB, {expected} definitions, {:.1} % found, {:.2} % false, {:.1} % of the same kind",
        bytes / 1_000,
        score.recall(),
        score.false_rate(),
        percent(of_kind, found),
    );
    if wants("LOOPMEM_REPORT") {
        let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
    }
    assert!(score.recall() >= recall && score.false_rate() <= false_rate, "{line}; expected {recall} and {false_rate}");
}

macro_rules! targets {
    ($($(#[$attribute:meta])* $test:ident: $language:ident, $recall:literal, $false_rate:literal;)+) => {$(
        $(#[$attribute])*
        #[test]
        fn $test() {
            assert_found(Language::$language, $recall, $false_rate);
        }
    )+};
}

targets! {
    rust: Rust, 97.0, 0.5;
    python: Python, 97.0, 0.5;
    javascript: JavaScript, 97.0, 0.5;
    typescript: TypeScript, 97.0, 0.5;
    tsx: Tsx, 97.0, 0.5;
    go: Go, 97.0, 0.5;
    java: Java, 97.0, 0.5;
    c: C, 97.0, 0.5;
    // Of sources on a machine there are hardly any but those of cbindgen's tests, with macros for attributes.
    cpp: Cpp, 97.0, 1.5;
    lua: Lua, 95.0, 1.0;
    #[cfg(feature = "all")]
    csharp: CSharp, 97.0, 0.5;
    #[cfg(feature = "all")]
    ruby: Ruby, 95.0, 1.0;
    #[cfg(feature = "all")]
    php: Php, 95.0, 1.0;
    #[cfg(feature = "all")]
    bash: Bash, 95.0, 1.0;
    #[cfg(feature = "all")]
    kotlin: Kotlin, 95.0, 1.0;
    #[cfg(feature = "all")]
    swift: Swift, 95.0, 1.0;
    #[cfg(feature = "all")]
    scala: Scala, 95.0, 1.0;
}
