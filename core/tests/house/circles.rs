//! Files that need each other in a circle: none of them can be understood, moved or tested without the others.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, below, is_cfg_test, paths};

/// Where the modules of a crate are.
const CRATES: &[&str] = &["core/src/", "core/safety/src/", "bindings/cli/src/"];
/// Rooms in which a cycle is inherent: the repository determines which configuration applies, and the configuration
/// determines the repository.
const RECURSIVE: &[&str] = &["git"];
/// Modules whose own file, besides naming the files of the folder, contains the few items that those build on.
const ROOTS: &[&str] = &["context", "home", "human", "methods", "repo", "rules", "working::adapters::redis"];

/// The cycles among these source files, each as a list of modules.
pub(super) fn circles(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for home in CRATES {
        let modules: BTreeMap<String, &Source> = sources
            .iter()
            .filter_map(|source| {
                let inside = source.path.strip_prefix(home)?.strip_suffix(".rs")?;
                let names = inside.split('/').filter(|name| !["mod", "lib", "main"].contains(name));
                Some((names.collect::<Vec<_>>().join("::"), source))
            })
            .collect();
        let needs: BTreeMap<&str, BTreeSet<&str>> =
            modules.iter().map(|(module, source)| (module.as_str(), needs(module, source, &modules))).collect();
        let mut reported = BTreeSet::new();
        for module in needs.keys() {
            let circle: BTreeSet<_> =
                reach(module, &needs).into_iter().filter(|other| reach(other, &needs).contains(module)).collect();
            let is_allowed = module.split("::").next().is_some_and(|room| RECURSIVE.contains(&room));
            if circle.len() > 1 && !is_allowed && reported.insert(circle.clone()) {
                found.push(format!("{home}: {}", circle.into_iter().collect::<Vec<_>>().join(", ")));
            }
        }
    }
    found
}

/// The modules that the file of `module` needs, except for re-exports (`pub use`) and what its tests need.
fn needs<'m>(module: &str, source: &Source, modules: &'m BTreeMap<String, &Source>) -> BTreeSet<&'m str> {
    let own: Vec<&str> = module.split("::").filter(|name| !name.is_empty()).collect();
    let tokens = source.tokens();
    let tests = below(&tokens, is_cfg_test);
    let mut needed = BTreeSet::new();
    let mut is_reexport = false;
    for (at, token) in tokens.iter().enumerate() {
        is_reexport = match token.text {
            "use" => at > 0 && ["pub", ")"].contains(&tokens[at - 1].text),
            ";" => false,
            _ => is_reexport,
        };
        let goes_on = at > 0 && tokens[at - 1].text == "::";
        let begins = tokens.get(at + 1).is_some_and(|next| next.text == "::");
        if is_reexport || goes_on || !begins || tests.iter().any(|span| span.contains(&at)) {
            continue;
        }
        for path in paths(&tokens[at..]) {
            let supers = path.iter().take_while(|name| **name == "super").count();
            let named: Vec<&str> = match path[0] {
                "crate" => path[1..].to_vec(),
                "super" if supers <= own.len() => {
                    own[..own.len() - supers].iter().chain(&path[supers..]).copied().collect()
                }
                _ => own.iter().chain(&path).copied().collect(),
            };
            // The longest prefix that is a module; the rest names an item in it.
            let found = (1..=named.len()).rev().find_map(|end| modules.get_key_value(&named[..end].join("::")));
            let is_root = |found: &str| ROOTS.contains(&found) && module.starts_with(&format!("{found}::"));
            needed.extend(found.map(|(found, _)| found.as_str()).filter(|found| module != *found && !is_root(found)));
        }
    }
    needed
}

fn reach<'m>(module: &'m str, needs: &BTreeMap<&'m str, BTreeSet<&'m str>>) -> BTreeSet<&'m str> {
    let (mut reached, mut ahead) = (BTreeSet::new(), vec![module]);
    while let Some(module) = ahead.pop() {
        ahead.extend(needs[module].iter().copied().filter(|next| reached.insert(*next)));
    }
    reached
}

#[test]
fn a_circle_is_found_and_re_exports_and_what_tests_need_are_none() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let files = |b: &str| {
        [
            source("core/src/disk/mod.rs", "mod a;\nmod b;\npub use a::A;\npub(crate) use b::B;\n"),
            source("core/src/disk/a.rs", "use super::b::B;\nfn f() {}\n#[cfg(test)]\nmod tests { use super::*; }\n"),
            source("core/src/disk/b.rs", b),
        ]
    };
    for sound in ["use crate::error::Error;", "#[cfg(test)]\nmod tests { use super::super::a::f; }"] {
        assert_eq!(circles(&files(sound)), [""; 0], "{sound}");
    }
    for circle in ["use super::a::f;", "fn g() { crate::disk::a::f() }", "use crate::disk::{a, Disk};"] {
        assert_eq!(circles(&files(circle)), ["core/src/: disk::a, disk::b"], "{circle}");
    }
}
