//! The structure of the project, checked in its sources: the direction of dependencies and that there are no circles, what
//! a binding may name, how a file begins and how long it may be, that nothing panics, and that every method has conformance
//! cases.
//!
//! A rule is a function from a source to its faults. Each is tested with a bad example, so that none stops working.

#![allow(clippy::disallowed_methods, reason = "source files are not part of a home")]
#![allow(clippy::unwrap_used, reason = "a test")]

mod cases;
mod circles;
mod layers;
mod recipe;
mod registry;
mod seals;

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

/// The layers from top to bottom. A room names only rooms of the layers below its own.
const LAYERS: &[&[&str]] = &[
    &["methods", "recipes", "testing"],
    &["store"],
    &["status"],
    &["archive", "context", "doctor", "redaction", "repos", "search", "undo"],
    &["sync"],
    &["adopt"],
    &["rooms"],
    REGISTERED,
    &["room"],
    // Rooms add their methods to the handle of a repository.
    &["repo"],
    &["git", "graph", "process", "ranking", "trash", "warm"],
    &["home"],
    &["host", "sqlite"],
    &["disk"],
    &["warning"],
    &["redactions"],
    &["logger"],
    &["finding", "guard", "tarball"],
    &["error", "mutex", "segments", "setters"],
    &["lazy"],
    // A separate crate.
    &["safety"],
];
/// The layer of the rooms in the registry, whose names are read there.
const REGISTERED: &[&str] = &["the rooms of core/src/rooms.rs"];
/// The layers of the crate `loopmem-safety`, from top to bottom.
const LAYERS_OF_SAFETY: &[&[&str]] = &[
    &["seal"],
    &["redact"],
    &["detect"],
    &["mark"],
    &["rules"],
    &["classify"],
    &["text"],
    &["trusted"],
    &["error", "lazy"],
];
/// What a binding may name in the core. Streaming redaction is not a method, so `safety` is among it.
const DOOR: &[&[&str]] = &[
    &["methods"],
    &["safety"],
    // State that a forked child must not share.
    &["PerProcess"],
    &["CallOptions"],
    &["Cancel"],
    &["Error"],
    &["ErrorKind"],
    &["Options"],
    &["Result"],
    &["Store"],
];
/// What the command may name besides: the types of results, which it formats for a terminal.
const RESULTS: &[&[&str]] = &[
    &["archive"],
    &["branch"],
    &["context"],
    &["doctor"],
    &["files"],
    &["graph"],
    &["index"],
    &["items"],
    &["repo"],
    &["repos"],
    &["rollouts"],
    &["search"],
    &["status"],
    &["summary"],
    &["sync"],
    &["undo"],
    &["working"],
    &["Redaction"],
];
/// What panics, and the lint whose `allow` permits it. A `debug_assert!` may state an invariant anywhere: it is absent from
/// release builds.
const PANICS: &[(&str, &str)] = &[
    ("unwrap", "unwrap_used"),
    ("unwrap_err", "unwrap_used"),
    ("expect", "expect_used"),
    ("expect_err", "expect_used"),
    ("panic", "panic"),
    ("todo", "todo"),
    ("unimplemented", "unimplemented"),
    ("unreachable", "unreachable"),
    ("assert", "panic"),
    ("assert_eq", "panic"),
    ("assert_ne", "panic"),
];
/// The files that may use what `clippy.toml` bans elsewhere, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("core/src/disk/fs/real.rs", "the one implementation of the seam"),
    ("core/src/disk/fs/seam.rs", "a handle holds the open file"),
    ("core/src/git/objects.rs", "git's objects are files of git, as libgit2 reads them"),
    ("core/src/home/clock.rs", "the only reader of the system clock"),
    ("core/src/home/environment.rs", "the only reader of the environment"),
    ("core/src/home/layout.rs", "the home is in the user's home folder by default"),
    ("core/src/home/mod.rs", "the workspace is the current folder by default"),
    ("bindings/cli/src/human/environment.rs", "the clock and the file in the editor are not part of a home"),
    ("bindings/cli/src/human/local_files.rs", "files that the user names are not part of a home"),
    ("bindings/codegen/src/main.rs", "a build tool, which writes source files"),
];
/// The loops over the lines or rows of an input that do not ask whether the call was cancelled, and what bounds them.
const BOUNDED: &[(&str, &str)] = &[
    ("core/src/disk/files/ignores.rs", "512 KiB of patterns"),
    ("core/src/disk/files/journal.rs", "a journal of at most 256 MiB, read for all who wait for it"),
    ("core/src/disk/files/lines.rs", "as many lines as are asked for"),
    ("core/src/sqlite/recover.rs", "a repair, which ends with the database"),
    ("core/src/working/adapters/file.rs", "a trail of limited size"),
    ("core/src/working/adapters/sqlite.rs", "a list of limited size"),
];
/// The lints that enforce these bans, and their groups.
const BANS: &[&str] = &["disallowed_methods", "disallowed_types", "style", "all", "warnings"];
const MAX_LINES: usize = 1_000;

struct Source {
    /// Relative to the workspace.
    path: String,
    text: String,
}

struct Token<'t> {
    line: usize,
    text: &'t str,
}

/// A line and what is wrong there.
type Fault = (usize, String);

impl Source {
    /// Words, `::`, string literals and punctuation, without comments.
    fn tokens(&self) -> Vec<Token<'_>> {
        static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r##"(?xs) //[^\n]* | /\*.*?\*/ | b?r\#\#".*?"\#\# | b?r\#".*?"\# | b?r"[^"]*" | [bc]?"(?:[^"\\]|\\.)*"
                  | b?'(?:[^'\\]|\\u\{[^}]*\}|\\x..|\\.)' | \w+ | :: | \S"##,
            )
            .unwrap()
        });
        let mut tokens = Vec::new();
        let (mut line, mut counted) = (1, 0);
        for token in TOKEN.find_iter(&self.text) {
            line += self.text[counted..token.start()].matches('\n').count();
            counted = token.start();
            if !token.as_str().starts_with("//") && !token.as_str().starts_with("/*") {
                tokens.push(Token { line, text: token.as_str() });
            }
        }
        tokens
    }
}

/// `crate::` and `super::` paths that name a room of the same layer or a higher one, or no room at all.
fn arrows(source: &Source) -> Vec<Fault> {
    let file = source.path.strip_suffix(".rs").unwrap_or_default();
    let (inside, layers) = match (file.strip_prefix("core/src/"), file.strip_prefix("core/safety/src/")) {
        (Some(inside), _) => (inside, LAYERS),
        (_, Some(inside)) => (inside, LAYERS_OF_SAFETY),
        _ => return Vec::new(),
    };
    let modules: Vec<&str> = inside.split('/').filter(|name| *name != "mod").collect();
    let room = modules[0];
    // `lib.rs` and the top layer may name everything.
    if room == "lib" || (layers == LAYERS && LAYERS[0].contains(&room)) {
        return Vec::new();
    }
    let is_on = |room: &str, layer: &[&str]| {
        layer.contains(&room) || (layer == REGISTERED && registry::rooms().iter().any(|it| it == room))
    };
    let layer_of = |room: &str| layers.iter().position(|layer| is_on(room, layer));
    let Some(layer) = layer_of(room) else { return vec![(1, format!("the room {room} is in no layer"))] };
    let tokens = source.tokens();
    let inner_modules =
        spans(&tokens, |tokens| (tokens.len() > 2 && tokens[0].text == "mod" && tokens[2].text == "{").then_some(0));
    let mut faults = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let begins_path = tokens.get(at + 1).is_some_and(|next| next.text == "::");
        let goes_on = at > 0 && tokens[at - 1].text == "::";
        if !begins_path || goes_on || !["crate", "super"].contains(&token.text) {
            continue;
        }
        let depth = modules.len() + inner_modules.iter().filter(|span| span.contains(&at)).count();
        for path in paths(&tokens[at..]) {
            let supers = path.iter().take_while(|name| **name == "super").count();
            let from_the_top = match path[0] {
                "crate" => &path[1..],
                _ if supers >= depth => &path[supers..],
                _ => continue,
            };
            let named = from_the_top.first().copied().unwrap_or("crate itself");
            match layer_of(named) {
                _ if named == room => {}
                Some(other) if other > layer => {}
                Some(_) => faults.push((token.line, format!("{room} names {named}, which is not below it"))),
                None => faults.push((token.line, format!("{room} names {named}, which is not a room"))),
            }
        }
    }
    faults
}

/// Names of the core that a binding may not use.
fn door(source: &Source) -> Vec<Fault> {
    let is_binding = source.path.starts_with("ffi/") || source.path.starts_with("bindings/");
    if !is_binding || is_test(source) || source.path.starts_with("bindings/codegen/") {
        return Vec::new();
    }
    let results = if source.path.starts_with("bindings/cli/") { RESULTS } else { &[] };
    let may_be_named = |path: &[&str]| DOOR.iter().chain(results).any(|it| path.starts_with(it));
    let tokens = source.tokens();
    let mut faults = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| ["loopmem", "loopmem_core"].contains(&token.text))
    {
        if tokens.get(at + 1).is_some_and(|next| next.text == "::") {
            let stray = paths(&tokens[at..]).into_iter().filter(|path| !may_be_named(&path[1..]));
            faults.extend(stray.map(|path| (token.line, format!("a binding uses {}", path.join("::")))));
        } else if at > 0 && ["use", "crate"].contains(&tokens[at - 1].text) {
            faults.push((token.line, "a binding renames the core".to_owned()));
        }
    }
    faults
}

fn purpose(source: &Source) -> Vec<Fault> {
    let has_purpose = source.text.starts_with("//! ");
    if has_purpose { Vec::new() } else { vec![(1, "the file does not begin with its purpose (//!)".to_owned())] }
}

fn length(source: &Source) -> Vec<Fault> {
    let lines = source.text.lines().count();
    if lines <= MAX_LINES {
        Vec::new()
    } else {
        vec![(lines, format!("the file is longer than {MAX_LINES} lines: cut it by meaning"))]
    }
}

/// Lints against banned calls that are allowed outside tests and the files in [`ALLOWED`].
fn bans(source: &Source) -> Vec<Fault> {
    if is_test(source) || ALLOWED.iter().any(|(path, _)| *path == source.path) {
        return Vec::new();
    }
    let tokens = source.tokens();
    let tests = below(&tokens, is_cfg_test);
    let mut faults = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| ["allow", "expect"].contains(&token.text)) {
        let called = at > 0 && [".", "::", "fn"].contains(&tokens[at - 1].text);
        if called || tests.iter().any(|span| span.contains(&at)) {
            continue;
        }
        let lints = tokens[at + 1..].iter().take_while(|token| token.text != ")");
        let lint = lints.map(|token| token.text).find(|text| BANS.contains(text));
        faults.extend(lint.map(|lint| (token.line, format!("{lint} is allowed, but this file is not in ALLOWED"))));
    }
    faults
}

/// Logging in the core without `crate::warning`, which redacts, and `crate::logger`, which is given what was scrubbed.
fn logs(source: &Source) -> Vec<Fault> {
    let is_core = ["core/src/", "core/safety/src/"].iter().any(|core| source.path.starts_with(core));
    if !is_core || ["core/src/warning.rs", "core/src/logger.rs"].contains(&&*source.path) {
        return Vec::new();
    }
    let tokens = source.tokens();
    let logs = tokens
        .iter()
        .filter(|token| ["tracing", "eprintln", "eprint", "println", "print", "dbg"].contains(&token.text));
    logs.map(|token| (token.line, format!("{} logs what only crate::warning redacts", token.text))).collect()
}

/// Loops over the lines of a file or the rows of a database that do not ask whether the call was cancelled.
fn uncancellable(source: &Source) -> Vec<Fault> {
    let is_bounded = BOUNDED.iter().any(|(path, _)| *path == source.path);
    if !source.path.starts_with("core/src/") || is_test(source) || is_bounded {
        return Vec::new();
    }
    let lines: Vec<&str> = source.text.lines().collect();
    let reads = |line: &str| {
        let line = line.trim_start();
        (line.starts_with("for ") && line.contains(r"b'\n'"))
            || (line.starts_with("while let Some(row)") && line.contains("next()"))
    };
    let asks = |at: usize| lines[at..].iter().take(20).any(|line| line.contains("check()") || line.contains("Cancel"));
    let is_of_test = |at: usize| lines[..at].contains(&"#[cfg(test)]");
    let found = (0..lines.len()).filter(|at| reads(lines[*at]) && !asks(*at) && !is_of_test(*at));
    found.map(|at| (at + 1, "it reads an input without asking whether the call was cancelled".to_owned())).collect()
}

/// What may panic, except in tests and below an `allow` with a reason.
fn panics(source: &Source) -> Vec<Fault> {
    if source.path.starts_with("bindings/codegen/") || is_test(source) {
        return Vec::new();
    }
    let tokens = source.tokens();
    let tests = below(&tokens, is_cfg_test);
    let mut faults = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some((word, lint)) = PANICS.iter().find(|(word, _)| *word == token.text) else { continue };
        let next = tokens.get(at + 1).map(|next| next.text);
        let called = at > 0 && [".", "::"].contains(&tokens[at - 1].text) && word != lint;
        if !called && next != Some("!") {
            continue;
        }
        let excuse = |attribute: &[&str]| {
            attribute.starts_with(&["[", "allow", "(", "clippy"])
                && attribute.contains(lint)
                && attribute.windows(3).any(|it| it[..2] == ["reason", "="] && it[2].len() > 2)
        };
        if !tests.iter().chain(&below(&tokens, excuse)).any(|span| span.contains(&at)) {
            faults.push((token.line, format!("{word} without #[allow(clippy::{lint}, reason = …)]")));
        }
    }
    faults
}

/// The paths of the tree that the tokens begin with: `a::{b, c::d as e}` is `a::b` and `a::c::d`.
fn paths<'t>(tokens: &[Token<'t>]) -> Vec<Vec<&'t str>> {
    fn expand<'t>(tokens: &[Token<'t>], mut at: usize, mut path: Vec<&'t str>, out: &mut Vec<Vec<&'t str>>) -> usize {
        let text = |at: usize| tokens.get(at).map_or("}", |token| token.text);
        loop {
            if text(at) == "{" {
                at += 1;
                while text(at) != "}" {
                    at = if text(at) == "," { at + 1 } else { expand(tokens, at, path.clone(), out) };
                }
                return at + 1;
            }
            if text(at) != "self" {
                path.push(text(at));
            }
            at += 1;
            match text(at) {
                "::" => at += 1,
                "as" => {
                    at += 2;
                    break;
                }
                _ => break,
            }
        }
        out.push(path);
        at
    }
    let mut out = Vec::new();
    expand(tokens, 0, Vec::new(), &mut out);
    out
}

fn is_test(source: &Source) -> bool {
    source.path.split('/').any(|folder| ["tests", "benches"].contains(&folder))
}

fn is_cfg_test(attribute: &[&str]) -> bool {
    attribute == ["[", "cfg", "(", "test", ")"]
}

/// The items and statements with an attribute that is `wanted`; it is passed the tokens between `#` and `]`.
fn below(tokens: &[Token<'_>], wanted: impl Fn(&[&str]) -> bool) -> Vec<std::ops::Range<usize>> {
    spans(tokens, |tokens| {
        let length = tokens.iter().position(|token| token.text == "]").filter(|_| tokens[0].text == "#")?;
        let attribute: Vec<_> = tokens[1..length].iter().map(|token| token.text).collect();
        wanted(&attribute).then_some(length + 1)
    })
}

/// The items and statements that `begins` finds; it returns the offset at which they start, after an attribute.
fn spans(tokens: &[Token<'_>], begins: impl Fn(&[Token<'_>]) -> Option<usize>) -> Vec<std::ops::Range<usize>> {
    let item = |at: usize| {
        let start = at + begins(&tokens[at..])?;
        let mut depth = 0_i32;
        let end = (start..tokens.len()).find(|end| {
            depth += match tokens[*end].text {
                "{" | "(" | "[" => 1,
                "}" | ")" | "]" => -1,
                _ => 0,
            };
            let goes_on = tokens.get(end + 1).is_some_and(|next| ["else", "."].contains(&next.text));
            depth < 0 || (depth == 0 && (tokens[*end].text == ";" || (tokens[*end].text == "}" && !goes_on)))
        });
        Some(start..end.unwrap_or(tokens.len()))
    };
    (0..tokens.len()).filter_map(item).collect()
}

/// The sources of the core and of the bindings, including tests and benches.
fn sources() -> Vec<Source> {
    fn collect(top: &Path, folder: &Path, found: &mut Vec<Source>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                collect(top, &entry, found);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                let path = entry.strip_prefix(top).unwrap().to_str().unwrap().replace('\\', "/");
                found.push(Source { path, text: std::fs::read_to_string(&entry).unwrap() });
            }
        }
    }
    let top = top();
    let mut crates =
        vec![top.join("core"), top.join("core/safety"), top.join("ffi"), top.join("tests/conformance/runner")];
    crates.extend(std::fs::read_dir(top.join("bindings")).unwrap().map(|entry| entry.unwrap().path()));
    let folders: Vec<_> =
        crates.iter().flat_map(|at| ["src", "tests", "benches"].map(|folder| at.join(folder))).collect();
    let mut found = Vec::new();
    folders.iter().filter(|folder| folder.is_dir()).for_each(|folder| collect(&top, folder, &mut found));
    let expected = ["core/src/lib.rs", "core/src/disk/locks/lock.rs", "ffi/src/lib.rs", "bindings/cli/src/lib.rs"];
    for expected in
        expected.into_iter().chain(["core/tests/house/main.rs", "core/benches/floor.rs", "ffi/tests/hosts.rs"])
    {
        assert!(found.iter().any(|source| source.path == expected), "{expected} was not read");
    }
    found
}

fn top() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

#[track_caller]
fn hold(rule: impl Fn(&Source) -> Vec<Fault>) {
    let faults: Vec<String> = sources()
        .iter()
        .flat_map(|source| {
            rule(source).into_iter().map(|(line, what)| format!("{}:{line}: {what}", source.path)).collect::<Vec<_>>()
        })
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn dependencies_point_down() {
    hold(arrows);
}

#[test]
fn bindings_use_only_the_method_table() {
    hold(door);
}

#[test]
fn every_file_begins_with_its_purpose() {
    hold(purpose);
}

/// A file that no other declares is never compiled, and its tests never run.
#[test]
fn every_file_is_declared_as_a_module() {
    let sources = sources();
    for source in &sources {
        let path = Path::new(&source.path).with_extension("");
        let path = if path.ends_with("mod") { path.parent().unwrap() } else { &path };
        let (folder, name) = (path.parent().unwrap(), path.file_name().unwrap().to_str().unwrap());
        let names_it = |parent: &Source| parent.text.contains(&format!("mod {name};"));
        let is_parent = |it: &&Source| {
            let it = Path::new(&it.path);
            it.with_extension("") == folder
                || ["mod.rs", "main.rs", "lib.rs"].iter().any(|root| it == folder.join(root))
        };
        let mut parents = sources.iter().filter(is_parent).peekable();
        // A file without a parent is a program or a test.
        let is_root = ["main", "lib"].contains(&name) || parents.peek().is_none();
        assert!(is_root || parents.any(names_it), "no file declares {}", source.path);
    }
}

#[test]
fn no_files_depend_on_each_other_in_a_cycle() {
    assert_eq!(circles::circles(&sources()), [""; 0]);
}

#[test]
fn no_file_is_too_long() {
    hold(length);
}

#[test]
fn banned_calls_are_allowed_only_where_listed() {
    hold(bans);
    for (path, _) in ALLOWED {
        assert!(sources().iter().any(|source| source.path == *path), "{path} is in ALLOWED and does not exist");
    }
}

#[test]
fn nothing_is_logged_without_redaction() {
    hold(logs);
}

#[test]
fn nothing_gets_around_the_redactor() {
    hold(seals::seals);
}

#[test]
fn what_serves_all_rooms_names_none() {
    hold(registry::names_a_room);
}

#[test]
fn whatever_reads_an_input_can_be_cancelled() {
    hold(uncancellable);
    let text = "fn f() {\n    for line in bytes.split(|byte| *byte == b'\\n') {\n        g(line);\n    }\n}\n";
    let source = |text: &str| Source { path: "core/src/items/import.rs".to_owned(), text: text.to_owned() };
    assert_eq!(uncancellable(&source(text)).len(), 1);
    assert_eq!(uncancellable(&source(&text.replace("g(line)", "check()?"))).len(), 0);
}

#[test]
fn nothing_panics() {
    hold(panics);
}

mod a_rule_finds {
    use super::*;

    fn lines(rule: impl Fn(&Source) -> Vec<Fault>, path: &str, text: &str) -> Vec<usize> {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        rule(&source).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn dependencies_that_point_up_or_sideways() {
        let disk = "use crate::error::Result;\nuse crate::home::Home;\nfn f() -> crate::memory::Note {}\n";
        assert_eq!(lines(arrows, "core/src/disk/locks/lock.rs", disk), [2, 3]);
        assert_eq!(lines(arrows, "core/src/memory/mod.rs", "use crate::{disk::Disk, home,\n summary::Line};"), [1]);
        assert_eq!(lines(arrows, "core/src/memory/mod.rs", "use super::summary::Line;\nuse self::record;"), [1]);
        assert_eq!(lines(arrows, "core/src/memory/record.rs", "use super::summary;\nuse super::super::working;"), [2]);
        assert_eq!(
            lines(arrows, "core/safety/src/seal/json.rs", "use crate::redact::stream;\nuse super::json;\n"),
            [0_usize; 0]
        );
        assert_eq!(lines(arrows, "core/src/home/mod.rs", "use crate::Store;\nuse crate::*;"), [1, 2]);
        let renamed = "use super::{self as it, super::summary as other};";
        assert_eq!(lines(arrows, "core/src/memory/record.rs", renamed), [1]);
        assert_eq!(lines(arrows, "core/src/attic.rs", "//! In no layer."), [1]);
    }

    #[test]
    fn no_dependencies_in_comments_strings_and_lower_layers() {
        let memory = "//! See crate::summary.\n/* crate::repo */ use crate::home::Home;\nconst X: &str = \"crate::context\";\n\
                      const Y: char = '\"'; mod tests { use super::*; use super::super::disk; } pub(crate) fn f<'a>() {}";
        assert_eq!(lines(arrows, "core/src/memory/mod.rs", memory), [0_usize; 0]);
        assert_eq!(lines(arrows, "core/src/methods/mod.rs", "use crate::{store::Store, disk};"), [0_usize; 0]);
    }

    #[test]
    fn bindings_that_use_more_than_the_method_table() {
        let ffi = "use loopmem_core::{Error, memory::{self, Note}};\nfn f(home: &loopmem::testing::home::Home) {}\n\
                   use loopmem as core;\nuse loopmem::testing::disk::Cancel;\nuse loopmem::*;";
        assert_eq!(lines(door, "ffi/src/lib.rs", ffi), [1, 1, 2, 3, 4, 5]);
        let good =
            "use loopmem::Cancel;\nuse loopmem::methods::{dispatch, guard};\nfn loopmem() { loopmem::Store::open() }";
        assert_eq!(lines(door, "bindings/node/src/lib.rs", good), [0_usize; 0]);
    }

    #[test]
    fn files_without_a_purpose_are_found() {
        assert_eq!(lines(purpose, "core/src/a.rs", "use std::io;\n//! Late.\n"), [1]);
        assert_eq!(lines(purpose, "core/src/a.rs", ""), [1]);
    }

    #[test]
    fn files_that_are_too_long_are_found() {
        assert_eq!(lines(length, "core/src/a.rs", &"//! x\n".repeat(1_001)), [1_001]);
        assert_eq!(lines(length, "core/src/a.rs", &"//! x\n".repeat(1_000)), [0_usize; 0]);
    }

    #[test]
    fn banned_calls_that_are_allowed() {
        let text = "#![allow(clippy::disallowed_methods, reason = \"in a hurry\")]\n#[expect(clippy::disallowed_types)]\n\
                    fn f() {}\n#[cfg_attr(unix, allow(clippy::all))]\nfn g() {}\n#![allow(warnings)]\n";
        assert_eq!(lines(bans, "core/src/memory/mod.rs", text), [1, 2, 4, 6]);
        assert_eq!(lines(bans, "core/src/disk/fs/real.rs", text), [0_usize; 0]);
        assert_eq!(lines(bans, "core/tests/promises/main.rs", text), [0_usize; 0]);
        let good = "#[allow(clippy::panic, reason = \"all disallowed_methods\")]\nfn f() { a.expect(all); }\n\
                    #[cfg(test)]\n#[allow(clippy::disallowed_methods)]\nmod tests { fn allow(all: u8) {} }\n";
        assert_eq!(lines(bans, "core/src/memory/mod.rs", good), [0_usize; 0]);
    }

    #[test]
    fn what_is_logged_without_redaction() {
        let text =
            "// tracing\nfn f() {\n tracing::warn!(path);\n}\nuse tracing::warn;\nfn g() { eprintln!(\"tracing\") }\n";
        assert_eq!(lines(logs, "core/src/disk/locks/lock.rs", text), [3, 5, 6]);
        assert_eq!(lines(logs, "core/src/warning.rs", text), [0_usize; 0]);
        assert_eq!(lines(logs, "bindings/cli/src/warnings.rs", text), [0_usize; 0]);
    }

    #[test]
    fn what_may_panic() {
        let text = "fn f() {\n a.unwrap();\n b.expect(\"x\");\n panic!();\n todo!();\n unimplemented!();\n c.map(Option::unwrap);\n}\n\
                    #[allow(clippy::unwrap_used)]\nfn no_reason() { a.unwrap() }\n\
                    #[allow(clippy::panic, reason = \"of another lint\")]\nfn g() { a.unwrap() }\n\
                    #[cfg(test)]\nmod tests { fn f() { a.unwrap() } }\nfn after_tests() { a.unwrap() }\n\
                    fn h() {\n assert!(a);\n debug_assert_eq!(a, b);\n}\n";
        assert_eq!(lines(panics, "ffi/src/lib.rs", text), [2, 3, 4, 5, 6, 7, 10, 12, 15, 17]);
    }

    #[test]
    fn no_panic_in_tests_and_where_a_reason_is_given() {
        let text = "#[allow(clippy::panic, reason = \"debug builds\")]\nif debug {\n panic!(\"x\")\n}\n\
                    #[allow(clippy::unwrap_used, reason = \"checked above\")]\nlet x = if a { b } else { c.unwrap() };\n\
                    #[cfg(test)]\nmod tests { fn f() { a.unwrap() } }\n// .unwrap()\nfn expect() { \"panic!()\" }";
        assert_eq!(lines(panics, "core/src/a.rs", text), [0_usize; 0]);
    }
}
