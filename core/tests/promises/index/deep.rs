//! Folders in folders in folders: the time of a map grows with their number, not with its square or cube.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Place;

/// A repository with a file below that many folders inside each other. `root` are other files.
fn chain(place: &Place, depth: usize, root: &[(&str, &str)]) {
    let mut commits = String::from("commit refs/heads/main\ncommitter a <a@b> 0 +0000\ndata 1\nx\n");
    let deep = format!("{}f.rs", "d/".repeat(depth));
    for (path, text) in root.iter().copied().chain([(&*deep, "pub fn far_down() {}\n")]) {
        commits.push_str(&format!("M 100644 inline {path}\ndata {}\n{text}", text.len()));
    }
    let mut git = Command::new("git");
    let git = git.args(["fast-import", "--quiet"]).current_dir(place.top()).stdin(Stdio::piped());
    let mut git = git.spawn().unwrap();
    git.stdin.take().unwrap().write_all(commits.as_bytes()).unwrap();
    assert!(git.wait().unwrap().success());
    place.git(&["reset", "--quiet", "--hard"]);
}

#[test]
fn a_map_of_deeply_nested_folders_takes_no_time_to_speak_of() {
    // Also with files that are tracked although they are ignored.
    for (depth, root) in [(1_400, &[][..]), (400, &[(".gitignore", "*\n")])] {
        let place = Place::new();
        chain(&place, depth, root);
        let begun = Instant::now();
        // The second one reads the index.
        for _ in 0..2 {
            let index = place.store().repo(place.top()).unwrap().index();
            let map = index.map(8_000, Some("far down"), &[]).unwrap();
            assert!(map.text.contains("far_down"), "{}", map.text);
        }
        // With the square of the number of folders for each, it would take ten seconds.
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?} {root:?}", begun.elapsed());
    }
}
