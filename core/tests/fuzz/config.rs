//! Any bytes as `config.toml`: what it says holds, or opening is refused with `ValidationError`; it is never written.

use std::time::Duration;

use loopmem::BranchScope;
use loopmem::testing::home::Config;
use loopmem::{ErrorKind, Options};
use serde::Deserialize;
use serde_json::json;
use toml::{Table, Value};

use crate::engine::Target;
use crate::mutation::Rng;
use crate::{Home, REPO, Verdict, call, must};

pub(crate) const TARGET: Target = Target { name: "config", run, words, begin };

fn run(input: &[u8]) -> Verdict {
    let home = Home::new();
    let path = home.0.path().join("config.toml");
    std::fs::write(&path, input).unwrap();
    let opened = home.open(Options::at(home.0.path()));
    must(std::fs::read(&path).unwrap() == input, || "opening changed the configuration".to_owned())?;
    let store = match (opened, Read::of(input)) {
        (Ok(store), Some(read)) => {
            read.holds(loopmem::testing::home(&store).config())?;
            store
        }
        (Ok(_), None) => return Err("it cannot hold and is taken".to_owned()),
        (Err(error), read) => {
            must(error.kind() == ErrorKind::Validation, || error.to_json())?;
            // Whether a pattern compiles is for the regex crate to say.
            let is_patterns = error.message().starts_with("memory.redactionPatterns[");
            return must(read.is_none() || is_patterns, || {
                format!("it could hold and is refused: {}", error.to_json())
            });
        }
    };
    let note = json!({ "repoHash": REPO, "note": { "content": "a plain note" } });
    let append = json!({ "repoHash": REPO, "runId": "run", "stepId": "1", "summary": "what it did" });
    call(&store, "memory.upsertNote", &note, &[])?.map_err(|kind| format!("{kind:?}"))?;
    // Ids may be what a pattern redacts, and the text too long for what is configured.
    let _ = call(&store, "summary.append", &append, &[ErrorKind::SecretRefused, ErrorKind::Validation])?;
    let build = json!({ "repoHash": REPO, "maxChars": 300 });
    call(&store, "context.build", &build, &[])?.map_err(|kind| format!("{kind:?}")).map(drop)
}

/// The file as `docs/FORMAT.md` tells it, read without the core.
struct Read {
    scope: Option<String>,
    inherit_from: Option<String>,
    numbers: Vec<Option<u32>>,
    patterns: Vec<String>,
}

const NUMBERS: [&str; 6] = [
    "maxSummariesInContext",
    "summariesMaxEntries",
    "summariesMaxBytes",
    "summaryMaxBytes",
    "lockTimeoutMs",
    "appendTimeoutMs",
];

impl Read {
    /// `None` when it holds a value that cannot be.
    fn of(bytes: &[u8]) -> Option<Read> {
        // What stands elsewhere is another program's.
        #[derive(Deserialize)]
        struct File {
            #[serde(default)]
            memory: Table,
        }
        let File { memory } = toml::from_str(std::str::from_utf8(bytes).ok()?).ok()?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let scope = memory.get("branchScope").map(|it| text(it).ok_or(())).transpose().ok()?;
        if scope.as_deref().is_some_and(|it| !["perBranch", "sharedRepo"].contains(&it)) {
            return None;
        }
        let inherit_from = memory.get("inheritFrom").map(|it| text(it).ok_or(())).transpose().ok()?;
        let is_name = |it: &str| (1..=1024).contains(&it.len()) && !it.chars().any(char::is_control);
        if inherit_from.as_deref().is_some_and(|it| !is_name(it)) {
            return None;
        }
        let number = |key: &&str| match memory.get(*key) {
            None => Some(None),
            Some(value) => {
                let number = u32::try_from(value.as_integer()?).ok()?;
                let most = match *key {
                    "summaryMaxBytes" => 1_000_000,
                    "summariesMaxBytes" => 240 << 20,
                    _ => number,
                };
                (number <= most).then_some(Some(number))
            }
        };
        let numbers = NUMBERS.iter().map(number).collect::<Option<_>>()?;
        let patterns = match memory.get("redactionPatterns") {
            None => Vec::new(),
            Some(value) => value.as_array()?.iter().map(text).collect::<Option<_>>()?,
        };
        Some(Read { scope, inherit_from, numbers, patterns })
    }

    fn holds(&self, config: &Config) -> Verdict {
        let scope =
            if self.scope.as_deref() == Some("sharedRepo") { BranchScope::SharedRepo } else { BranchScope::PerBranch };
        let millis = |time: Duration| usize::try_from(time.as_millis()).unwrap();
        let found = [
            config.max_summaries_in_context,
            config.summaries_max_entries,
            config.summaries_max_bytes,
            config.summary_max_bytes,
            millis(config.lock_timeout),
            millis(config.append_timeout),
        ];
        let defaults = [10, 100, 1_048_576, 65_536, 5_000, 1_000];
        let same = self
            .numbers
            .iter()
            .zip(defaults)
            .zip(found)
            .all(|((configured, default), found)| configured.unwrap_or(default) == u32::try_from(found).unwrap());
        let inherit_from = Some(self.inherit_from.as_deref().unwrap_or("default")).filter(|branch| *branch != "none");
        let same = same && config.inherit_from.as_deref() == inherit_from;
        let holds = same && config.branch_scope == scope && config.redaction_patterns.0 == self.patterns;
        must(holds, || format!("what holds is {config:?}"))
    }
}

fn words() -> Vec<String> {
    let mut words: Vec<String> = NUMBERS.iter().map(|key| format!("{key} = ")).collect();
    words.extend(
        "[memory]\n|[other]\n|[[memory]]\n|memory.|memory = {|branchScope = |inheritFrom = |\"sharedRepo\"|\"perBranch\"|'''|\"\"\"|\
         redactionPatterns = [|\"CORP-[0-9]{4}\"|'(?i)\\w{9}'|'(a|b)*$'|'.*'|'^'|0x10|0o7|1_000|1e3|inf|1979-05-27|07:32:00|\
         new = |\"new.key\" = |[memory.new]\n|# |\\u00e9|, |]|}| = |\n"
            .split('|')
            .map(str::to_owned),
    );
    words
}

fn begin(rng: &mut Rng) -> Vec<u8> {
    let values = ["0", "1", "10", "65536", "4294967295", "4294967296", "-1", "1.0", "\"1\"", "true", "[]", "0x10"];
    let mut lines = vec!["[memory]".to_owned()];
    for key in NUMBERS.iter().filter(|_| rng.once_in(3)).collect::<Vec<_>>() {
        lines.push(format!("{key} = {}", if rng.once_in(3) { *rng.pick(&values) } else { "500" }));
    }
    if rng.once_in(2) {
        lines.push(format!("branchScope = {}", rng.pick(&["\"sharedRepo\"", "\"perBranch\"", "\"all\"", "1"])));
    }
    if rng.once_in(2) {
        lines.push(format!("redactionPatterns = {}", rng.pick(&["[]", "['a+', \"[0-9]{4}\"]", "['(']", "'a'", "[1]"])));
    }
    if rng.once_in(2) {
        lines.push(format!("later = {}", rng.pick(&["1979-05-27", "{a = 1979-05-27T07:32:00Z}", "[[], 1.5]", "inf"])));
    }
    (lines.join("\n") + "\n").into_bytes()
}
