//! Replaying inputs and making new ones: a target, its corpus, and the loop between them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::Verdict;
use crate::coverage::Reached;
use crate::mutation::{Rng, mutated, trimmed};

/// Something that takes any bytes.
pub(crate) struct Target {
    /// Also the folder of its corpus.
    pub(crate) name: &'static str,
    pub(crate) run: fn(&[u8]) -> Verdict,
    /// Words that inputs are made of.
    pub(crate) words: fn() -> Vec<String>,
    /// An input out of nothing.
    pub(crate) begin: fn(&mut Rng) -> Vec<u8>,
}

/// How long an input may take; the longest of a corpus takes some milliseconds.
const HANGS: Duration = Duration::from_secs(20);
/// How inputs are named that torture found: those that reach what no other does, and those that break a promise.
const FOUND: &str = "found-";
const FAILING: &str = "failing-";
/// How inputs are named that break a promise which is not repaired yet; the name tells what is wrong.
const OPEN: &str = "open-";
/// How many edges a found input must add to those that are kept, to be kept too.
const WORTH: usize = 10;

/// Runs `target` on `input` in a thread of its own, which is left behind when it hangs.
pub(crate) fn judge(target: &Target, input: &[u8]) -> Verdict {
    let (sender, receiver) = mpsc::channel();
    let (run, input) = (target.run, input.to_vec());
    std::thread::spawn(move || sender.send(run(&input)));
    match receiver.recv_timeout(HANGS) {
        Ok(verdict) => verdict,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(format!("it takes longer than {HANGS:?}")),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err("it panics".to_owned()),
    }
}

/// Every input of the corpus by its name.
fn corpus(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz/corpus").join(target.name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|cause| panic!("{}: {cause}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 4, "{} has no corpus", target.name);
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

fn is_named(path: &Path, kind: &str) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(kind))
}

/// Fails with every input of the corpus on which a promise is broken, and with those on which one is kept again.
pub(crate) fn replay(target: &Target) {
    let fault = |path: &Path, input: &[u8]| match (judge(target, input), is_named(path, OPEN)) {
        (Err(fault), false) => Some(fault),
        (Ok(()), true) => Some(format!("this is repaired; take the {OPEN} off its name")),
        (Ok(()), false) | (Err(_), true) => None,
    };
    let faults: Vec<String> = corpus(target)
        .iter()
        .filter_map(|(path, input)| Some(format!("{}: {}", path.display(), fault(path, input)?)))
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Makes inputs for so long, keeps those that reach something new, and stops at the first that breaks a promise.
pub(crate) fn torture(target: &Target, seed: u64, time: Duration) -> Verdict {
    let mut rng = Rng::new(seed);
    let words = (target.words)();
    let (mut reached, mut pool) = (Reached::default(), Vec::new());
    let mut known = corpus(target);
    known.retain(|(path, _)| !is_named(path, OPEN));
    let folder = known[0].0.parent().unwrap();
    let mut named: Vec<Vec<u8>> = known.iter().map(|(_, input)| input.clone()).collect();
    named.extend((0..50).map(|_| (target.begin)(&mut rng)));
    for input in named {
        judge(target, &input).map_err(|fault| kept(target, folder, &input, &fault))?;
        reached.add();
        pool.push(input);
    }
    println!("{}: {} inputs reach {} edges", target.name, pool.len(), reached.edges());
    let (begun, mut runs, mut slowest) = (Instant::now(), 0_u64, Duration::ZERO);
    while begun.elapsed() < time {
        let input = if rng.once_in(50) { (target.begin)(&mut rng) } else { mutated(&mut rng, &pool, &words) };
        let started = Instant::now();
        judge(target, &input).map_err(|fault| kept(target, folder, &input, &fault))?;
        slowest = slowest.max(started.elapsed());
        runs += 1;
        let news = reached.add();
        if !news.edges.is_empty() {
            let reaches = |it: &[u8]| {
                Reached::clear();
                judge(target, it).is_ok() && Reached::includes(&news.edges)
            };
            let input = trimmed(input, reaches);
            std::fs::write(folder.join(name(FOUND, &input)), &input).unwrap();
            pool.push(input);
        } else if news.counts {
            pool.push(input);
        }
    }
    println!("{}: {runs} runs reach {} edges; the slowest took {slowest:?}", target.name, reached.edges());
    weed(target);
    Ok(())
}

fn name(kind: &str, input: &[u8]) -> String {
    Sha256::digest(input)[..6].iter().fold(kind.to_owned(), |name, byte| format!("{name}{byte:02x}"))
}

/// Writes the core of a failing input beside the others, and tells where.
fn kept(target: &Target, folder: &Path, input: &[u8], fault: &str) -> String {
    // A hang is not trimmed: each step would take as long.
    let fails = |it: &[u8]| judge(target, it).is_err();
    let input = if fault.contains("longer than") { input.to_vec() } else { trimmed(input.to_vec(), fails) };
    let fault = judge(target, &input).err().unwrap_or_else(|| format!("{fault}, but not every time"));
    let path = folder.join(name(FAILING, &input));
    std::fs::write(&path, &input).unwrap();
    format!("{}: {fault}\n  kept as {}", target.name, path.display())
}

/// Removes found inputs that reach little but what others do, those that reach most standing first.
fn weed(target: &Target) {
    Reached::clear();
    let reach = |input: &[u8]| {
        // One that fails was kept before, and stays.
        let _ = judge(target, input);
        Reached::default().add().edges
    };
    let (mut found, named): (Vec<_>, Vec<_>) = corpus(target)
        .into_iter()
        .map(|(path, input)| (reach(&input), path))
        .partition(|(_, path)| is_named(path, FOUND));
    let mut reached: HashSet<usize> = named.into_iter().flat_map(|(edges, _)| edges).collect();
    // Built without counters there is nothing to sender by.
    if reached.is_empty() {
        return;
    }
    while !found.is_empty() {
        found.iter_mut().for_each(|(edges, _)| edges.retain(|edge| !reached.contains(edge)));
        found.sort_by_key(|(edges, _)| edges.len());
        match found.pop() {
            Some((edges, _)) if edges.len() >= WORTH => reached.extend(edges),
            Some((_, path)) => std::fs::remove_file(path).unwrap(),
            None => {}
        }
    }
}
