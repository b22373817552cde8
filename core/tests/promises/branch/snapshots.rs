//! States of a branch under a name.

use loopmem::ErrorKind;
use loopmem::branch::Retention;

use super::Site;

#[test]
fn a_branch_can_be_set_back_and_forth_and_no_commit_is_lost() {
    let site = Site::new();
    let agent = site.ready("a");
    let (branches, source) = (agent.store.branches(), agent.source());
    agent.write("a.md", "one\n").write("gone.md", "g\n").push();
    let first = branches.snapshot(&agent.memory, Some("first"), &source).unwrap();
    agent.write("a.md", "two\n").remove("gone.md").write("new.md", "n\n").push();
    branches.snapshot(&agent.memory, Some("second"), &source).unwrap();
    let commit = branches.rollback(&agent.memory, "first", &source).unwrap().unwrap();
    assert_eq!(site.remote(&["rev-parse", "memory/default"]).trim(), commit);
    assert_eq!(site.remote(&["diff", &first.commit, "memory/default"]), "");
    agent.checkout().unwrap();
    assert_eq!(
        (agent.files(), agent.read("a.md").unwrap()),
        (vec!["a.md".to_owned(), "gone.md".to_owned()], "one\n".to_owned())
    );
    branches.rollback(&agent.memory, "second", &source).unwrap().unwrap();
    assert_eq!(agent.push().commit, None);
    assert_eq!(agent.files(), ["a.md", "new.md"]);
    assert_eq!(site.commits().len(), 4);
    assert_eq!(site.remote(&["tag", "--list"]), "memory/default/first\nmemory/default/second\n");
    site.remote(&["fsck", "--strict"]);
}

#[test]
fn snapshots_are_listed_and_pruned_by_number_and_by_age() {
    let site = Site::new();
    let agent = site.ready("a");
    let source = agent.source();
    agent.write("a.md", "a\n").push();
    let at = |day: u32| {
        let time = format!("2026-01-{day:02}T00:00:00Z");
        loopmem::Store::open(site.options().clock(time)).unwrap().branches()
    };
    for day in [1, 2, 2, 9, 10] {
        at(day).snapshot(&agent.memory, None, &source).unwrap();
    }
    // Tags of others are not ours to remove, even those that look alike.
    site.remote(&["tag", "memory/other", "memory/default"]);
    site.remote(&["tag", "memory/default-2/x", "memory/default"]);
    let names =
        || -> Vec<String> { at(10).snapshots(&agent.memory, &source).unwrap().into_iter().map(|it| it.tag).collect() };
    let all = ["20260110T000000Z", "20260109T000000Z", "20260102T000000Z-2", "20260102T000000Z", "20260101T000000Z"];
    assert_eq!(names(), all);
    let prune = |retention| at(10).prune(&agent.memory, retention, &source).unwrap();
    assert_eq!(prune(Retention::new()), [""; 0]);
    assert_eq!(prune(Retention::new().max_age_days(8)), all[4..]);
    assert_eq!(prune(Retention::new().keep(2)), all[2..4]);
    assert_eq!(names(), all[..2]);
    assert_eq!(site.remote(&["tag", "--list", "memory/other", "memory/default-2/*"]).lines().count(), 2);
}

#[test]
fn names_that_no_tag_can_have_are_refused() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    for name in ["", "-f", "a/b", "a..b", "a.lock", ".a", "a ", "a~1", "é", &"a".repeat(101)] {
        let refused = agent.store.branches().snapshot(&agent.memory, Some(name), &agent.source()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Validation, "{name}");
    }
    assert_eq!(site.remote(&["tag"]), "");
}
