//! How much a memory may hold in all.

use loopmem::ErrorKind;
use loopmem::branch::PushOptions;
use serde_json::json;

use super::Site;

#[test]
fn the_files_that_were_changed_longest_ago_make_way_and_what_is_pushed_stays() {
    let site = Site::new();
    let config = json!({"max-total-size": 30, "clean-up": "oldest", "file-glob": ["*.md"]});
    let agent = site.agent_with("a", config);
    agent.checkout().unwrap();
    // In another order than that of their names.
    for path in ["c.md", "a.md", "b.md"] {
        agent.write(path, "123456789\n").push();
    }
    agent.write("c.md", "987654321\n").write("not-kept.bin", "x".repeat(100)).push();
    let push = agent.write("d.md", "123456789\n").push();
    assert_eq!((push.cleaned, push.removed), (vec!["a.md".to_owned()], vec!["a.md".to_owned()]));
    assert_eq!(agent.files(), ["b.md", "c.md", "d.md", "not-kept.bin"]);
    let other = site.agent_with("b", json!({"max-total-size": 30, "clean-up": "oldest"}));
    other.checkout().unwrap();
    other.write("e.md", "x".repeat(25)).push();
    assert_eq!(other.files(), ["e.md"]);
    agent.push();
    assert_eq!(agent.files(), ["e.md", "not-kept.bin"]);
    let refused = agent.write("f.md", "x".repeat(31)).try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation, "{refused:?}");
    assert_eq!(site.on_branch("e.md").unwrap().len(), 25);
}

#[test]
fn a_folder_that_was_just_checked_out_knows_what_was_changed_longest_ago() {
    let site = Site::new();
    let config = json!({"max-total-size": 30, "clean-up": "oldest"});
    let agent = site.agent_with("a", config.clone());
    agent.checkout().unwrap();
    for path in ["c.md", "a.md", "b.md"] {
        agent.write(path, "123456789\n").push();
    }
    let fresh = site.agent_with("fresh", config);
    fresh.checkout().unwrap();
    let push = fresh.write("d.md", "123456789\n").push();
    assert_eq!(push.cleaned, ["c.md"]);
}

#[test]
fn without_a_policy_nothing_is_removed() {
    let site = Site::new();
    let agent = site.agent_with("a", json!({"max-total-size": 10}));
    agent.checkout().unwrap();
    agent.write("a.md", "12345").push();
    agent.write("b.md", "123456");
    assert!(!agent.validate().ok);
    let refused = agent.try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
    agent.write("b.md", "12345").push();
    // Two that fit by themselves, and not together.
    let other = site.ready("b");
    agent.remove("b.md").push();
    other.write("c.md", "12345").push();
    let refused = agent.write("d.md", "12345").try_push(PushOptions::new()).unwrap_err();
    assert!(refused.message().contains("would have 15 bytes in all"), "{refused}");
    assert_eq!(site.on_branch("d.md"), None);
}
