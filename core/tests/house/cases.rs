//! Every method has conformance cases.

use super::{Fault, Source, hold, top};

/// Methods of a room that its conformance cases do not call; `cases` reads their file if it exists.
fn conformance(source: &Source, table: &[&str], cases: impl Fn(&str) -> Option<String>) -> Vec<Fault> {
    let Some(room) = source.path.strip_prefix("core/src/methods/").and_then(|path| path.strip_suffix(".rs")) else {
        return Vec::new();
    };
    if !source.tokens().windows(2).any(|it| it[0].text == "const" && it[1].text == "GROUP") {
        return Vec::new();
    }
    let Some(cases) = cases(room) else { return vec![(1, format!("there is no tests/conformance/{room}.json"))] };
    let methods: Vec<_> = table.iter().filter(|name| name.split('.').next() == Some(room)).collect();
    if methods.is_empty() {
        return vec![(1, format!("{room} has methods but no entry in the table"))];
    }
    let untested = methods.into_iter().filter(|name| !cases.contains(&format!("\"{name}\"")));
    untested.map(|name| (1, format!("tests/conformance/{room}.json has no case of {name}"))).collect()
}

#[test]
fn every_method_has_conformance_cases() {
    let table: Vec<_> = loopmem::methods::entries().map(|entry| entry.name).collect();
    hold(|source| {
        conformance(source, &table, |room| {
            std::fs::read_to_string(top().join(format!("tests/conformance/{room}.json"))).ok()
        })
    });
}

#[test]
fn methods_without_cases_are_found() {
    fn lines(rule: impl Fn(&Source) -> Vec<Fault>, path: &str, text: &str) -> Vec<usize> {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        rule(&source).into_iter().map(|(line, _)| line).collect()
    }
    let rule = |cases: Option<&'static str>| {
        move |source: &Source| conformance(source, &["memory.get"], |_| cases.map(str::to_owned))
    };
    let with_method = "const GROUP: MethodGroup = MethodGroup {};";
    assert_eq!(lines(rule(None), "core/src/methods/memory.rs", with_method), [1]);
    assert_eq!(lines(rule(Some("[]")), "core/src/methods/memory.rs", with_method), [1]);
    assert_eq!(lines(rule(Some("[]")), "core/src/methods/attic.rs", with_method), [1]);
    let good = Some(r#"[{"method": "memory.get"}]"#);
    assert_eq!(lines(rule(good), "core/src/methods/memory.rs", with_method), [0_usize; 0]);
    assert_eq!(lines(rule(None), "core/src/methods/guard.rs", "fn guard() {}"), [0_usize; 0]);
}
