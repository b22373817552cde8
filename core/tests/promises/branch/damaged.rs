//! Damage in what is beside a memory: found, named and made again, without a lost line.

use std::path::{Path, PathBuf};

use loopmem::ErrorKind;
use loopmem::branch::PushOptions;

use super::{Agent, Site};
use crate::file_systems::{fault_rotation, tries_all_faults};

/// The ways in which a power failure or a bad disk damages a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Empty,
    Zeros,
    Cut,
    Flipped(usize),
    Pipe,
}

impl Damage {
    fn apply(self, path: &Path) {
        let mut bytes = std::fs::read(path).unwrap();
        match self {
            Damage::Empty => bytes.clear(),
            Damage::Zeros => bytes.fill(0),
            Damage::Cut => bytes.truncate(bytes.len() / 2),
            // At another place in each file.
            Damage::Flipped(part) if !bytes.is_empty() => {
                let at = (bytes.len() * part / 8).min(bytes.len() - 1);
                bytes[at] ^= 1 << (part % 8);
            }
            Damage::Flipped(_) => {}
            Damage::Pipe => {
                std::fs::remove_file(path).unwrap();
                assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
                return;
            }
        }
        // Those of git cannot be written to.
        std::fs::remove_file(path).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

impl Site {
    /// Keeps everything as it is, or sets it back to that.
    fn copy(&self, from: &str, to: &str) {
        for name in ["work", "remote.git"] {
            let (from, to) = (self.path(from).join(name), self.path(to).join(name));
            if to.exists() {
                std::fs::remove_dir_all(&to).unwrap();
            }
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            assert!(std::process::Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
        }
    }
}

impl Agent<'_> {
    fn state(&self) -> PathBuf {
        self.directory.with_file_name(".a.loopmem")
    }

    /// The files of the state, relative to it, sorted.
    fn state_files(&self) -> Vec<PathBuf> {
        let (mut files, mut folders) = (Vec::new(), vec![self.state()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }

    /// The repositories that were kept since they were damaged.
    fn kept(&self) -> usize {
        let names = std::fs::read_dir(self.state()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_str().unwrap().contains("git.damaged")).count()
    }
}

const LINES: [&str; 4] = ["{\"n\":1}", "{\"n\":2}", "{\"n\":3}", "{\"other\":1}"];

/// A site where the agent `a` has a line on the branch, one in a commit that waits, and one in its folder, while another agent
/// pushed.
fn site() -> Site {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("log.jsonl", format!("{}\n", LINES[0])).write("text.md", "some text\n".repeat(200)).push();
    agent.checkout().unwrap();
    std::fs::rename(site.path("remote.git"), site.path("gone.git")).unwrap();
    agent.append("log.jsonl", &format!("{}\n", LINES[1])).write("queued.md", "queued\n");
    let store = loopmem::Store::open(site.options().branch_attempts(1)).unwrap();
    let options = PushOptions::new().source(agent.source());
    store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    std::fs::rename(site.path("gone.git"), site.path("remote.git")).unwrap();
    agent.append("log.jsonl", &format!("{}\n", LINES[2]));
    site.ready("b").append("log.jsonl", &format!("{}\n", LINES[3])).push();
    site.copy("", "saved");
    site
}

fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Every third file is damaged, others with each commit, each in another way: git runs a dozen times for each of them.
#[test]
fn each_file_beside_a_memory_that_is_damaged_is_made_again_or_named() {
    let site = site();
    let agent = Agent { store: loopmem::Store::open(site.options().branch_attempts(2)).unwrap(), ..site.agent("a") };
    let files = agent.state_files();
    assert!(files.len() > 10, "{files:?}");
    let kinds = |part| [Damage::Empty, Damage::Zeros, Damage::Cut, Damage::Flipped(part), Damage::Pipe];
    let all = (0..files.len()).flat_map(|number| kinds(number).map(|damage| (number, damage)));
    let (first, step) = if tries_all_faults() { (0, 1) } else { (fault_rotation() % 13, 13) };
    for (number, damage) in all.skip(first).step_by(step) {
        let (file, is_checkout) = (&files[number], number % 2 == 0);
        site.copy("saved", "");
        damage.apply(file);
        let what = format!("{damage:?} of {}", file.display());
        agent.store.branches().validate(&agent.memory, Some(&agent.directory)).expect(&what);
        let done = match is_checkout {
            true => agent.checkout().map(drop),
            false => agent.try_push(PushOptions::new()).map(drop),
        };
        if let Err(error) = done {
            assert!(error.message().contains(file.to_str().unwrap()), "{what}: {error}");
            assert!(matches!(error.kind(), ErrorKind::Parse | ErrorKind::Io), "{what}: {error}");
            // As the message says.
            std::fs::rename(file, site.path("moved away")).unwrap();
        }
        agent.try_push(PushOptions::new()).expect(&what);
        let mut expected: Vec<String> = LINES.map(str::to_owned).to_vec();
        expected.sort();
        assert_eq!(sorted(&site.on_branch("log.jsonl").unwrap()), expected, "{what}");
        assert_eq!(sorted(&agent.read("log.jsonl").unwrap()), expected, "{what}");
        assert_eq!(site.on_branch("queued.md").as_deref(), Some("queued\n"), "{what}");
        // Nothing is made again twice.
        let kept = agent.kept();
        agent.append("log.jsonl", "{\"n\":4}\n").push();
        assert_eq!(agent.kept(), kept, "{what}");
    }
}

#[test]
fn a_commit_that_waits_without_its_folder_is_restored_or_kept() {
    let site = site();
    let agent = site.agent("a");
    let packs: Vec<PathBuf> =
        agent.state_files().into_iter().filter(|path| path.to_str().unwrap().contains("/pack/")).collect();
    let mut restored = 0;
    for (number, file) in packs.iter().enumerate() {
        site.copy("saved", "");
        std::fs::remove_dir_all(&agent.directory).unwrap();
        Damage::Flipped(number + 3).apply(file);
        agent.checkout().unwrap();
        match agent.read("queued.md").as_deref() {
            Some("queued\n") => restored += 1,
            other => assert!(other.is_none() && agent.kept() == 1, "{}", file.display()),
        }
    }
    assert!(restored > packs.len() / 2, "{restored} of {}", packs.len());
}

#[test]
fn a_folder_in_the_place_of_a_file_of_git_and_the_other_way_round_is_no_error_for_ever() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "0\n").push();
    agent.checkout().unwrap();
    site.copy("", "kept");
    let of_git = |path: &PathBuf| path.starts_with(agent.state().join("git"));
    let files: Vec<PathBuf> = agent.state_files().into_iter().filter(of_git).collect();
    let missing = ["shallow", "packed-refs", "objects/pack/extra"].map(|name| agent.state().join("git").join(name));
    let of_files = files.iter().chain(&missing).map(|file| (file.clone(), true));
    let of_folders = ["objects/pack", "objects", "info"].map(|name| (agent.state().join("git").join(name), false));
    for (place, is_file) in of_files.chain(of_folders) {
        site.copy("kept", "");
        if is_file {
            let _ = std::fs::remove_file(&place);
            std::fs::create_dir_all(place.join("folder")).unwrap();
        } else {
            let _ = std::fs::remove_dir_all(&place);
            std::fs::write(&place, "a file\n").unwrap();
        }
        agent.append("a.md", "1\n").push();
        assert_eq!(site.on_branch("a.md").as_deref(), Some("0\n1\n"), "{place:?}");
    }
}
