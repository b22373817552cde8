//! A branch of a few kilobytes that stands for any number of files, or bytes: refused before anything is written.

use std::process::{Command, Stdio};

use loopmem::ErrorKind;

use super::{Agent, Site};

impl Site {
    /// Stores an object in the repository, also one that git would not make.
    fn object(&self, kind: &str, content: impl AsRef<[u8]>) -> String {
        use std::io::Write as _;

        let mut git = Command::new("git");
        git.args(["--git-dir", "remote.git", "hash-object", "-w", "--literally", "-t", kind, "--stdin"]);
        git.current_dir(self.home.root()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut git = git.spawn().unwrap();
        git.stdin.take().unwrap().write_all(content.as_ref()).unwrap();
        String::from_utf8(git.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
    }

    /// Stores a folder with these entries.
    fn folder(&self, entries: impl IntoIterator<Item = (&'static str, String, String)>) -> String {
        let raw =
            |id: &str| (0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap()).collect::<Vec<_>>();
        let entry =
            |(mode, name, id): (&str, String, String)| [format!("{mode} {name}\0").into_bytes(), raw(&id)].concat();
        let entries: Vec<u8> = entries.into_iter().flat_map(entry).collect();
        self.object("tree", entries)
    }

    /// Puts the branch on a commit of this folder.
    fn set_branch(&self, tree: &str) {
        let commit = self.remote(&["commit-tree", "-m", "planted", tree]);
        self.remote(&["update-ref", "refs/heads/memory/default", commit.trim()]);
    }
}

#[track_caller]
fn assert_refused(agent: &Agent<'_>, what: &str) {
    let refused = agent.checkout().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Git, "{refused}");
    assert!(refused.message().contains(what) && refused.message().contains("remove it with git"), "{refused}");
    assert_eq!(agent.files(), ["mine.md"]);
}

fn agent(site: &Site) -> Agent<'_> {
    let agent = site.agent("a");
    std::fs::create_dir_all(&agent.directory).unwrap();
    agent.write("mine.md", "mine\n");
    agent
}

#[test]
fn folders_in_each_other_that_stand_for_billions_of_files_are_refused() {
    let site = Site::new();
    let mut below = site.object("blob", "x");
    let mut mode = "100644";
    for _ in 0..12 {
        below = site.folder((0..50).map(|name| (mode, format!("d{name:02}"), below.clone())));
        mode = "40000";
    }
    site.set_branch(&below);
    assert_refused(&agent(&site), "has more than 100000 files and folders");
}

#[test]
fn folders_without_an_end_and_more_files_than_a_folder_can_have_are_refused() {
    let site = Site::new();
    let blob = site.object("blob", "x");
    let mut below = site.folder([("100644", "file".to_owned(), blob.clone())]);
    for _ in 0..101 {
        below = site.folder([("40000", "d".to_owned(), below)]);
    }
    site.set_branch(&below);
    assert_refused(&agent(&site), "too deep");
    site.set_branch(&site.folder((0..100_001).map(|name| ("100644", format!("{name:06}"), blob.clone()))));
    assert_refused(&agent(&site), "has more than 100000 files and folders");
}

#[test]
fn a_content_of_many_names_is_refused_before_it_is_read() {
    let site = Site::new();
    // git compresses and unpacks it, which takes a second.
    let half = site.object("blob", vec![0; 60 << 20]);
    site.set_branch(&site.folder((0..20).map(|name| ("100644", format!("f{name:02}"), half.clone()))));
    assert_refused(&agent(&site), "with 62914560 bytes");
}
