//! Findings in the Static Analysis Results Interchange Format, version 2.1.0, which CI systems display.
//!
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use std::collections::BTreeMap;

use loopmem::safety::{Rule, RuleKind};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::hit::Hit;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// What relative paths are relative to.
const BASE: &str = "%SRCROOT%";
/// Everything in a path that a URI encodes. A colon in the first part of a relative path would end a scheme.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The log of one scan. `rules` are all rules, of which only those that found something are listed.
pub(super) fn log(hits: &[Hit], rules: &[Rule], is_complete: bool) -> Value {
    let mut indexes = BTreeMap::new();
    let mut listed = Vec::new();
    for hit in hits {
        if !indexes.contains_key(hit.rule.as_str()) {
            indexes.insert(hit.rule.as_str(), listed.len());
            listed.push(rule(&hit.rule, rules));
        }
    }
    let levels: Vec<Value> = listed.iter().map(|rule| rule["defaultConfiguration"]["level"].clone()).collect();
    let result = |hit: &Hit| {
        let index = indexes.get(hit.rule.as_str()).copied().unwrap_or_default();
        json!({
            "ruleId": hit.rule,
            "ruleIndex": index,
            "level": levels.get(index),
            "message": { "text": format!("A secret was found by the rule {}. Remove it, and rotate it if it was shared.", hit.rule) },
            "locations": [{ "physicalLocation": { "artifactLocation": artifact(&hit.path), "region": {
                "startLine": hit.start.line,
                "startColumn": hit.start.column,
                "endLine": hit.end.line,
                "endColumn": hit.end.column,
            } } }],
            "partialFingerprints": { "loopmemTag/v1": hit.tag },
        })
    };
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "loopmem", "version": env!("CARGO_PKG_VERSION"), "rules": listed } },
            "invocations": [{ "executionSuccessful": is_complete }],
            "originalUriBaseIds": { BASE: { "description": { "text": "The folder in which the scan was started." } } },
            "columnKind": "unicodeCodePoints",
            "results": hits.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn rule(id: &str, rules: &[Rule]) -> Value {
    let known = rules.iter().find(|rule| rule.id == id);
    // A name or a sentence is less certain than a format.
    let level = match known.map(|rule| rule.kind) {
        Some(RuleKind::Keyed | RuleKind::Prose) => "warning",
        _ => "error",
    };
    let description = known.map_or(id, |rule| &*rule.description);
    json!({ "id": id, "shortDescription": { "text": description }, "defaultConfiguration": { "level": level } })
}

/// The location of a file: relative to the folder of the scan, or absolute.
fn artifact(path: &str) -> Value {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let encoded = |path: &str| utf8_percent_encode(path, ENCODED).to_string();
    let is_drive = cfg!(windows) && path.get(1..2) == Some(":");
    match path.strip_prefix('/') {
        Some(absolute) => json!({ "uri": format!("file:///{}", encoded(absolute)) }),
        None if is_drive => json!({ "uri": format!("file:///{}", encoded(&path).replacen("%3A", ":", 1)) }),
        None => json!({ "uri": encoded(path.trim_start_matches("./")), "uriBaseId": BASE }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_uri() {
        for (path, uri) in [
            ("./src/a b.rs", "src/a%20b.rs"),
            ("a:b/100%#?", "a%3Ab/100%25%23%3F"),
            ("日", "%E6%97%A5"),
            ("../x", "../x"),
            ("-", "-"),
        ] {
            assert_eq!(artifact(path), json!({ "uri": uri, "uriBaseId": BASE }));
        }
        assert_eq!(artifact("/tmp/a b"), json!({ "uri": "file:///tmp/a%20b" }));
    }
}
