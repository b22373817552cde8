//! Wherever a text is cut, no piece of a secret is left: not in a file, and not in an answer.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use loopmem::index::SymbolQuery;
use loopmem::summary::{Event, EventKind};
use loopmem::testing::disk::RealFs;
use loopmem::{Options, Store};

use crate::torture::Rng;

/// The shortest piece that gives something away.
const PIECE: usize = 8;

/// A text with a secret, and the secret.
struct Planted {
    text: String,
    secret: String,
}

/// One of each kind, none of them the same twice.
fn planted(rng: &mut Rng) -> Vec<Planted> {
    let mut word =
        |alphabet: &[u8], length: usize| -> String { (0..length).map(|_| char::from(*rng.pick(alphabet))).collect() };
    const ALPHANUMERIC: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
    let [short, long] = [24, 40].map(|length| word(ALPHANUMERIC, length));
    let token = format!("ghp_{}", word(ALPHANUMERIC, 36));
    let key = format!("sk-ant-api03-{}", word(ALPHANUMERIC, 93));
    let aws = format!("AKIA{}", word(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16));
    let signature = word(ALPHANUMERIC, 43);
    let plain = |secret: String| Planted { text: secret.clone(), secret };
    vec![
        Planted { text: format!("postgres://app:{short}@db.internal:5432/app"), secret: short },
        plain(token),
        plain(key),
        plain(aws),
        Planted {
            text: format!("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{signature}"),
            secret: signature,
        },
        Planted { text: format!("-----BEGIN PRIVATE KEY----- {long} -----END PRIVATE KEY-----"), secret: long },
    ]
}

/// Texts in which a secret begins or ends at each place around the cut.
fn around(cut: usize, before: usize) -> Vec<(String, Planted)> {
    let mut rng = Rng::new(cut as u64);
    let mut texts = Vec::new();
    for kind in 0..planted(&mut rng).len() {
        let length = planted(&mut rng).swap_remove(kind).text.len();
        for start in (cut.saturating_sub(length + 2)..=cut + 2).filter(|start| *start > before + 2) {
            let planted = planted(&mut rng).swap_remove(kind);
            let pad = "of it ".repeat(start / 6 + 1)[..start - before - 1].to_owned();
            texts.push((format!("{pad} {}", planted.text), planted));
        }
    }
    texts
}

/// Fails if a piece of a secret is in one of `texts`.
fn assert_clean(secrets: &[(String, Planted)], texts: &[(String, Vec<u8>)]) {
    let pieces: HashMap<&[u8], &str> = secrets
        .iter()
        .flat_map(|(_, it)| it.secret.as_bytes().windows(PIECE).map(|piece| (piece, &*it.secret)))
        .collect();
    for (name, text) in texts {
        for part in text.windows(PIECE) {
            if let Some(secret) = pieces.get(part) {
                panic!("{name}: {} of {secret}", String::from_utf8_lossy(part));
            }
        }
    }
}

/// All files below a folder.
fn files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push((path.display().to_string(), std::fs::read(&path).unwrap())),
        }
    }
}

fn store(folder: &Path) -> Store {
    let options = Options::at(folder.join("home")).codex_home(folder.join("codex"));
    loopmem::testing::open_on(options, Arc::new(RealFs), []).unwrap()
}

#[test]
fn no_piece_of_a_secret_is_in_a_name_or_a_signature_that_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().join("work");
    std::fs::create_dir(&top).unwrap();
    // Those of stored texts, of what is kept before they are redacted, and of the lines of a map.
    let mut secrets: Vec<_> = [200, 500, 96].into_iter().flat_map(|cut| around(cut, 22)).collect();
    secrets.extend(around(200, 2));
    let (functions, headings) = secrets.split_at(secrets.len() - around(200, 2).len());
    let part = |at: usize| top.join(format!("part{}.py", at / 100));
    for (at, functions) in functions.chunks(100).enumerate() {
        let line =
            |(at, (text, _)): (usize, &(String, Planted))| format!("def function{at:05}(a=\"{text}\"):\n    pass\n");
        let text: String = functions.iter().enumerate().map(line).collect();
        std::fs::write(part(at * 100), text).unwrap();
    }
    let text: String = headings.iter().map(|(text, _)| format!("# {text}\n")).collect();
    std::fs::write(top.join("README.md"), text).unwrap();
    let store = store(folder.path());
    let index = store.repo(&top).unwrap().index();
    let (mut found, mut redacted) = (Vec::new(), 0);
    for at in (0..functions.len()).step_by(100) {
        let path = part(at).file_name().unwrap().to_str().unwrap().to_owned();
        let symbols = index.symbols(&SymbolQuery::new().path(path.clone()).limit(1_000)).unwrap();
        assert_eq!(symbols.len(), functions.len().min(at + 100) - at);
        redacted += symbols.iter().filter(|symbol| symbol.signature.contains("[REDACTED:")).count();
        found.push((path.clone(), format!("{symbols:?}").into_bytes()));
        found.push((path.clone(), index.map(100_000, None, &[path]).unwrap().text.into_bytes()));
    }
    assert!(redacted > functions.len() / 4, "{redacted} of {}", functions.len());
    let symbols = index.symbols(&SymbolQuery::new().path("README.md".to_owned()).limit(1_000)).unwrap();
    found.push(("README.md".to_owned(), format!("{symbols:?}").into_bytes()));
    found
        .push(("README.md".to_owned(), index.map(100_000, None, &["README.md".to_owned()]).unwrap().text.into_bytes()));
    files(&folder.path().join("home"), &mut found);
    assert_clean(&secrets, &found);
}

#[test]
fn no_piece_of_a_secret_is_in_a_summary_that_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let summaries = store.repo(folder.path()).unwrap().summaries();
    let secrets = around(400, 0);
    let mut found = Vec::new();
    for (at, secrets) in secrets.chunks(9).enumerate() {
        let event = |(text, _): &(String, Planted)| Event::new(EventKind::Action, text);
        let events: Vec<Event> = secrets.iter().map(event).collect();
        let summary = summaries.end_step("run", &format!("step-{at}"), &events, &[]).unwrap();
        found.push(("summary".to_owned(), format!("{summary:?}").into_bytes()));
    }
    files(&folder.path().join("home"), &mut found);
    assert_clean(&secrets, &found);
}
