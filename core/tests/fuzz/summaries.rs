//! Any bytes as `summaries.jsonl`: whole lines stay what they are, damaged ones are skipped and kept, a torn tail is set
//! aside, and a file of a newer version is never touched.

use loopmem::ErrorKind::{self, FormatTooNew, Parse};
use loopmem::Store;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::engine::Target;
use crate::mutation::Rng;
use crate::reference::{Journal, Members, journal, parsed};
use crate::{Home, REPO, Verdict, call, is_set_aside, must};

pub(crate) const TARGET: Target = Target { name: "summaries", run, words, begin };

const FILE: &str = "summaries.jsonl";
const TORN: &str = "summaries.jsonl.torn";
/// Of the store that prunes.
const FEW: usize = 3;

fn run(input: &[u8]) -> Verdict {
    let home = Home::new();
    home.put(FILE, input);
    let unlimited = home.options().summaries_max_entries(u32::MAX).summaries_max_bytes(200 << 20);
    let store = home.open(unlimited).map_err(|error| error.to_json())?;
    let Journal { lines, damaged, whole } = match journal(input) {
        Err(kind) => return is_refused(&home, &store, input, kind),
        Ok(read) => read,
    };
    is_read(&store, &lines)?;
    let memory = call(&store, "memory.get", &json!({ "repoHash": REPO }), &[])?.map_err(|kind| format!("{kind:?}"))?;
    let memory: Members = parsed(&memory)?;
    let skipped = damaged.split_inclusive(|byte| *byte == b'\n').count();
    let counted = memory.get("skippedSummaries").unwrap_or("0");
    must(counted == skipped.to_string(), || format!("memory.get counts {counted}, not {skipped} damaged lines"))?;
    if skipped > 0 {
        let ill = Home::new();
        ill.put(FILE, input);
        is_mended(&ill, &ill.open(ill.options()).map_err(|error| error.to_json())?, input)?;
    }
    must(home.read(FILE) == input, || "reading changed the file".to_owned())?;

    let line = appended(&store, "summary.append")?;
    let (now, torn) = (home.read(FILE), &input[whole..]);
    let expected = if torn.is_empty() {
        [input, line.as_bytes(), b"\n"].concat()
    } else {
        [lines.iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes(), line.as_bytes(), b"\n"].concat()
    };
    must(now == expected, || format!("after an append the file holds {}", now.escape_ascii()))?;
    let end: &[u8] = if torn.is_empty() || torn.ends_with(b"\n") { b"" } else { b"\n" };
    let aside = if torn.is_empty() { Vec::new() } else { [&damaged[..], torn, end].concat() };
    must(home.read(TORN) == aside, || {
        format!("{} was set aside, not {}", home.read(TORN).escape_ascii(), aside.escape_ascii())
    })?;

    let mut lines = lines;
    lines.push(line);
    is_read(&store, &lines)?;
    let few = home.options().summaries_max_entries(u32::try_from(FEW).unwrap_or(u32::MAX));
    let pruning = home.open(few).map_err(|error| error.to_json())?;
    lines.push(appended(&pruning, "summary.endStep")?);
    let kept = lines.split_off(lines.len().saturating_sub(FEW));
    if !lines.is_empty() {
        let aside = if torn.is_empty() { damaged } else { aside };
        must(home.read(TORN) == aside, || "pruning did not set aside what is damaged".to_owned())?;
    }
    // Another process reads what this one wrote.
    is_read(&store, &kept)?;
    is_read(&pruning, &kept)
}

fn appended(store: &Store, method: &str) -> Verdict<String> {
    let mut params = json!({ "repoHash": REPO, "runId": "new", "stepId": "one" });
    match method {
        "summary.append" => params["summary"] = json!("What it did."),
        _ => params["events"] = json!([{ "kind": "action", "text": "What it did" }]),
    }
    call(store, method, &params, &[])?.map_err(|kind| format!("{kind:?}"))
}

fn is_refused(home: &Home, store: &Store, input: &[u8], kind: ErrorKind) -> Verdict {
    let repo = json!({ "repoHash": REPO });
    let append = json!({ "repoHash": REPO, "runId": "r", "stepId": "s", "summary": "x" });
    let end = json!({ "repoHash": REPO, "runId": "r", "stepId": "s", "events": [{ "kind": "error", "text": "x" }] });
    let build = json!({ "repoHash": REPO, "maxChars": 100 });
    for (method, params) in [
        ("summary.list", &repo),
        ("memory.get", &repo),
        ("context.build", &build),
        ("summary.append", &append),
        ("summary.endStep", &end),
    ] {
        let answer = call(store, method, params, &[Parse, FormatTooNew])?;
        must(answer == Err(kind), || format!("{method} gives {answer:?}, not {kind:?}"))?;
        must(home.read(FILE) == input, || format!("{method} was refused and changed the file"))?;
        must(home.read(TORN).is_empty(), || format!("{method} was refused and set something aside"))?;
    }
    is_mended(home, store, input)
}

/// The doctor keeps a damaged journal as it was and brings back the lines that parse; one that is too new stays.
fn is_mended(home: &Home, store: &Store, input: &[u8]) -> Verdict {
    if !is_set_aside(home, store, FILE, input)? {
        return Ok(());
    }
    let lines = input.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    let whole: Vec<String> = lines.filter_map(|line| journal(line).ok()).flat_map(|journal| journal.lines).collect();
    is_read(store, &whole)
}

/// Exactly `lines` are returned, in any order.
fn is_read(store: &Store, lines: &[String]) -> Verdict {
    let listed = call(store, "summary.list", &json!({ "repoHash": REPO }), &[])?.map_err(|kind| format!("{kind:?}"))?;
    let listed: Vec<Box<RawValue>> = serde_json::from_str(&listed).map_err(|fault| fault.to_string())?;
    let mut returned: Vec<&str> = listed.iter().map(|it| it.get()).collect();
    let mut expected: Vec<&str> = lines.iter().map(String::as_str).collect();
    returned.sort_unstable();
    expected.sort_unstable();
    must(returned == expected, || format!("summary.list returns {returned:?}, not {expected:?}"))?;
    let pack = call(store, "context.build", &json!({ "repoHash": REPO, "maxChars": 300 }), &[])?;
    let pack: Value = serde_json::from_str(&pack.unwrap_or_default()).map_err(|fault| fault.to_string())?;
    let chars = pack["text"].as_str().map_or(usize::MAX, |text| text.chars().count());
    must(chars <= 300, || format!("a pack of 300 has {chars} characters"))
}

fn words() -> Vec<String> {
    let mut words: Vec<_> =
        ["runId", "stepId", "timestamp", "summary", "tags", "v"].map(|key| format!("\"{key}\":")).into();
    words.extend([line("1", "2026-01-31T12:00:00.000Z"), line("2", "yesterday")]);
    words.extend(
        [r#","v":1"#, r#","v":2"#, r#","v":null"#, "\n", "\n\n", "\r\n", "}\n{", r#","x":[1e400,"\ud800"]"#, "+02:00"]
            .map(str::to_owned),
    );
    words.extend(["\0".repeat(40), "[".repeat(200)]);
    words
}

fn line(step: &str, time: &str) -> String {
    format!(r#"{{"runId":"r","stepId":"{step}","timestamp":"{time}","summary":"What it did.","tags":["a"]}}"#)
}

fn begin(rng: &mut Rng) -> Vec<u8> {
    let times = ["2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00+02:00", "2025-01-01T00:00:00Z", "", "yesterday"];
    let mut bytes = Vec::new();
    for step in 0..rng.below(6) {
        let time = *rng.pick(&times);
        bytes.extend((line(&step.to_string(), time) + "\n").bytes());
    }
    if rng.once_in(2) {
        bytes.truncate(rng.below(bytes.len() + 1));
    }
    bytes
}
