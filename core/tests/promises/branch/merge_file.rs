//! The merge of three versions of a file for git: what is written, and that nothing else is.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use loopmem::branch::{MergeOutcome, MergedFile};
use loopmem::testing::open_on;
use loopmem::{ErrorKind, Options, Result, Store};

use crate::TestHome;
use crate::file_systems::stop_at_every_call;

const BASE: &str = "{\"id\":\"a\",\"n\":1}\n";
const OURS: &str = "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\"}\n";
const THEIRS: &str = "{\"id\":\"a\",\"n\":2}\n{\"id\":\"c\"}\n";
const MERGED: &str = "{\"id\":\"a\",\"n\":2}\n{\"id\":\"c\"}\n{\"id\":\"b\"}\n";

struct Versions(TestHome);

impl Versions {
    fn of(versions: [impl AsRef<[u8]>; 3]) -> Self {
        let all = Versions(TestHome::new());
        std::fs::create_dir_all(all.0.root().join("tree")).unwrap();
        for (name, version) in ["base", "ours", "theirs"].into_iter().zip(versions) {
            std::fs::write(all.path(name), version).unwrap();
        }
        all
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.root().join("tree").join(name)
    }

    fn options(&self) -> Options {
        Options::at(self.0.root().join("home"))
    }

    fn merge(&self, store: &Store, path: &str) -> Result<MergedFile> {
        let [base, ours, theirs] = ["base", "ours", "theirs"].map(|name| self.path(name));
        store.branches().merge_file(&base, &ours, &theirs, Some(path))
    }

    fn merged(&self, path: &str) -> MergedFile {
        self.merge(&Store::open(self.options()).unwrap(), path).unwrap()
    }

    fn ours(&self) -> Vec<u8> {
        std::fs::read(self.path("ours")).unwrap()
    }

    /// The names in the folder of the versions.
    fn names(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.path("")).unwrap().map(|it| it.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn both_sides_are_in_the_file_which_is_replaced_with_its_mode_and_nothing_else_is_written() {
    let versions = Versions::of([BASE, OURS, THEIRS]);
    std::fs::set_permissions(versions.path("ours"), std::fs::Permissions::from_mode(0o640)).unwrap();
    let merged = versions.merged(".codex/memory/items.jsonl");
    assert_eq!((merged.outcome, merged.records), (MergeOutcome::Merged, vec![]));
    assert_eq!(String::from_utf8(versions.ours()).unwrap(), MERGED);
    assert_eq!(std::fs::metadata(versions.path("ours")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(versions.names(), ["base", "ours", "theirs"]);
    assert!(!versions.0.root().join("home").exists(), "without a secret, not even a home is created");
    let again = versions.merged("items.jsonl");
    assert_eq!((again.outcome, String::from_utf8(versions.ours()).unwrap()), (MergeOutcome::Merged, MERGED.to_owned()));
}

#[test]
fn a_merge_that_ends_at_any_call_leaves_ours_or_the_merged_file() {
    stop_at_every_call(|fs, nth| {
        let versions = Versions::of([BASE, OURS, THEIRS]);
        if let Ok(store) = open_on(versions.options(), fs, std::env::vars_os()) {
            let _ = versions.merge(&store, "items.jsonl");
        }
        let left = String::from_utf8(versions.ours()).unwrap();
        assert!(left == OURS || left == MERGED, "call {nth}: {left}");
        versions.merged("items.jsonl");
        assert_eq!(String::from_utf8(versions.ours()).unwrap(), MERGED, "call {nth}");
    });
}

#[test]
fn where_both_sides_changed_a_record_ours_is_kept_and_its_id_is_named_without_secrets() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let record = |id: &str, n: u32| format!("{{\"id\":{id},\"n\":{n}}}\n");
    let ids = ["\"a\"".to_owned(), "7".to_owned(), format!("\"{token}\""), format!("\"{}\"", "x".repeat(500))];
    let version = |n: u32| ids.iter().map(|id| record(id, n)).collect::<String>();
    let theirs = format!("{}{{\"id\":\"new\",\"key\":\"{token}\"}}\n", version(3));
    let versions = Versions::of([version(1), version(2), theirs]);
    let merged = versions.merged("items.jsonl");
    assert_eq!(merged.outcome, MergeOutcome::Conflict);
    assert_eq!(merged.records[..2], ["a", "7"]);
    assert!(merged.records[2].starts_with("[REDACTED:github-pat:"), "{:?}", merged.records);
    assert_eq!(merged.records[3], "x".repeat(200));
    let left = String::from_utf8(versions.ours()).unwrap();
    assert!(
        left.contains(&record("\"a\"", 2)) && left.contains("{\"id\":\"new\",\"key\":\"[REDACTED:github-pat:"),
        "{left}"
    );
    assert!(!left.contains(&token) && left.lines().all(|line| line.starts_with('{')), "{left}");
}

#[test]
fn what_cannot_be_merged_by_records_stays_as_it_is() {
    let large = format!("{{\"id\":1,\"text\":\"{}\"}}\n", "x".repeat(65 << 20));
    for (path, versions, outcome) in [
        ("main.rs", ["1\n", "1\n2\n", "1\n3\n"].map(str::as_bytes), MergeOutcome::OtherFormat),
        ("", ["1\n", "1\n2\n", "1\n3\n"].map(str::as_bytes), MergeOutcome::OtherFormat),
        ("a.json", ["{}", "{\"a\":1}", "// no JSON\n{}"].map(str::as_bytes), MergeOutcome::Conflict),
        ("a.jsonl", [b"1\n".as_slice(), b"2\n", b"\xff\n"], MergeOutcome::Conflict),
        ("a.jsonl", [b"1\n".as_slice(), b"2\n", large.as_bytes()], MergeOutcome::Conflict),
    ] {
        let ours = versions[1];
        let versions = Versions::of(versions);
        let merged = versions.merged(path);
        assert_eq!((merged.outcome, merged.records), (outcome, vec![]), "{path}");
        assert_eq!(versions.ours(), ours, "{path}");
        assert_eq!(versions.names(), ["base", "ours", "theirs"], "{path}");
    }
}

#[test]
fn a_version_that_is_no_file_is_refused_and_no_link_is_written_through() {
    for name in ["base", "ours", "theirs"] {
        let versions = Versions::of([BASE, OURS, THEIRS]);
        let elsewhere = versions.0.root().join("elsewhere");
        std::fs::rename(versions.path(name), &elsewhere).unwrap();
        let obstacles: [&dyn Fn(); 3] =
            [&|| {}, &|| std::os::unix::fs::symlink(&elsewhere, versions.path(name)).unwrap(), &|| {
                std::fs::remove_file(versions.path(name)).unwrap();
                std::fs::create_dir(versions.path(name)).unwrap();
            }];
        let before = std::fs::read(&elsewhere).unwrap();
        for obstacle in obstacles {
            obstacle();
            let store = Store::open(versions.options()).unwrap();
            let refused = versions.merge(&store, "items.jsonl").unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Validation, "{name}: {refused}");
            assert_eq!(refused.path(), Some(&*versions.path(name)));
        }
        assert_eq!(std::fs::read(&elsewhere).unwrap(), before);
    }
}
