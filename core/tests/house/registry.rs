//! Code that serves all rooms asks the registry and names none of them.

use std::sync::LazyLock;

use super::{Fault, Source, below, is_cfg_test, sources};

/// The code that serves all rooms.
const GENERAL: &[&str] = &[
    "core/src/archive/",
    "core/src/context/",
    "core/src/doctor/",
    "core/src/repos/",
    "core/src/search/",
    "core/src/status/",
    "core/src/undo/",
];
/// The file that may name every room.
const REGISTRY: &str = "core/src/rooms.rs";

/// The rooms in the registry.
pub(super) fn rooms() -> &'static [String] {
    static ROOMS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let registry = sources().into_iter().find(|source| source.path == REGISTRY).unwrap();
        let tokens = registry.tokens();
        let named = tokens.windows(5).filter(|it| it[0].text == "crate" && it[4].text.ends_with("Room"));
        named.map(|it| it[2].text.to_owned()).collect()
    });
    &ROOMS
}

/// The methods that rooms add to the handle of a repository: `repo.memory()`.
fn handles() -> &'static [String] {
    static HANDLES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let is_room =
            |source: &Source| rooms().iter().any(|room| source.path.starts_with(&format!("core/src/{room}/")));
        let mut handles: Vec<_> = sources().iter().filter(|source| is_room(source)).flat_map(handles_in).collect();
        handles.sort();
        handles
    });
    &HANDLES
}

fn handles_in(source: &Source) -> Vec<String> {
    let tokens = source.tokens();
    let begins = |at: &usize| tokens[*at..].iter().map(|it| it.text).take(3).eq(["impl", "Repo", "{"]);
    let handle = |at: usize| {
        let position = tokens[at..].iter().position(|token| token.text == "fn")?;
        tokens.get(at + position + 1).map(|name| name.text.to_owned())
    };
    (0..tokens.len()).filter(begins).filter_map(handle).collect()
}

/// Rooms that code for all of them names: as a word there, in the command as a string.
pub(super) fn names_a_room(source: &Source) -> Vec<Fault> {
    let is_general = GENERAL.iter().any(|folder| source.path.starts_with(folder));
    let is_command = source.path.starts_with("bindings/cli/src/")
        // What people and agents are offered is about rooms.
        && (["/human/mod.rs", "/mcp/mod.rs"].iter().any(|it| source.path.ends_with(it)) || !["/human/", "/mcp/", "/agents/"].iter().any(|it| source.path.contains(it)));
    let is_named = |text: &str| {
        if is_general {
            rooms().iter().chain(handles()).any(|room| room == text)
        } else {
            let text = text.trim_matches('"');
            rooms().iter().any(|room| text.split_once('.').map_or(text, |(before, _)| before) == room)
        }
    };
    if !is_general && !is_command {
        return Vec::new();
    }
    let tokens = source.tokens();
    let tests = below(&tokens, is_cfg_test);
    let in_tests = |at: usize| tests.iter().any(|span| span.contains(&at));
    // Every repository has branches, every home has files and every list has indexes; the rooms are meant where a path names them.
    let is_common = |text: &str| is_general && ["branch", "files", "index"].contains(&text);
    let is_in_a_path = |at: usize| {
        [at.checked_sub(1), Some(at + 1)]
            .into_iter()
            .flatten()
            .any(|at| tokens.get(at).is_some_and(|token| token.text == "::"))
    };
    tokens
        .iter()
        .enumerate()
        .filter(|(at, token)| !in_tests(*at) && (is_general || token.text.starts_with('"')) && is_named(token.text))
        .filter(|(at, token)| !is_common(token.text) || is_in_a_path(*at))
        .map(|(_, token)| (token.line, format!("{} is a room; ask the registry", token.text)))
        .collect()
}

/// A room has rows in the table of writes, whose harnesses crash and damage its files. Rows replay what was written through
/// the seam of the file system; a room that also uses SQLite, git or the files of a project instead has a test that interrupts
/// its work at every call of the seam.
#[test]
fn every_room_has_writes_and_damages_to_test_or_is_interrupted_everywhere() {
    let has = |path: String, text: &str| sources().iter().any(|it| it.path == path && it.text.contains(text));
    let is_tested = |room: &String| {
        has(format!("core/tests/promises/operations/{room}.rs"), "operations!")
            || has(format!("core/tests/promises/{room}/interrupted.rs"), "stop_at_every_call")
    };
    let without: Vec<_> = rooms().iter().filter(|room| !is_tested(room)).collect();
    assert!(without.is_empty(), "add core/tests/promises/operations/ROOM.rs for {without:?}");
}

#[test]
fn rooms_named_where_the_registry_should_be_asked_are_found() {
    let lines = |path: &str, text: &str| -> Vec<usize> {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        names_a_room(&source).into_iter().map(|(line, _)| line).collect()
    };
    let text = "//! memory\nuse crate::memory::Memory;\nfn f() { repo.summaries().list(\"memory\") }\n\
                #[cfg(test)]\nmod tests { fn f() { repo.memory() } }\n";
    assert_eq!(lines("core/src/doctor/mod.rs", text), [2, 3]);
    assert_eq!(lines("core/src/store.rs", text), [0_usize; 0]);
    let text =
        "fn f() { call(\"memory.get\"); memory::face(); g(\"summary\", \"context.build\", \"memory of a job\") }";
    assert_eq!(lines("bindings/cli/src/lib.rs", text), [1, 1]);
    assert_eq!(lines("bindings/cli/src/human/mod.rs", text), [1, 1]);
    assert_eq!(lines("bindings/cli/src/mcp/mod.rs", text), [1, 1]);
    assert_eq!(lines("bindings/cli/src/human/memory.rs", text), [0_usize; 0]);
    assert_eq!(lines("bindings/cli/src/mcp/tools.rs", text), [0_usize; 0]);
    assert_eq!(rooms()[..2], ["memory", "summary"]);
    assert!(["memory", "summaries"].iter().all(|handle| handles().iter().any(|it| it == handle)));
}
