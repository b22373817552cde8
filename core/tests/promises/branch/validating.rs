//! What may be kept, and every fault at once.

use loopmem::ErrorKind;
use loopmem::branch::{PushOptions, Rule};
use serde_json::json;

use super::{Agent, Site};

/// The faults of the files in a folder, as their paths and rules.
fn faults(agent: &Agent<'_>) -> Vec<(String, Rule)> {
    let validation = agent.validate();
    assert_eq!(validation.ok, validation.rejected.is_empty());
    validation.rejected.into_iter().map(|fault| (fault.path.unwrap_or_default(), fault.rule)).collect()
}

#[test]
fn limits_are_inclusive() {
    let site = Site::new();
    let agent = site.agent_with("a", json!({"max-file-size": 4, "max-file-count": 2}));
    agent.write("a.md", "1234").write("b.md", "1234");
    assert_eq!(faults(&agent), []);
    agent.write("c.md", "12345");
    assert_eq!(faults(&agent), [("c.md".to_owned(), Rule::FileSize), (String::new(), Rule::FileCount)]);
    let validation = agent.validate();
    let fault = &validation.rejected[0];
    assert_eq!((fault.limit, &*fault.message), (Some(4), "has 5 bytes; at most 4 are allowed"));
    assert_eq!(validation.rejected[1].limit, Some(2));
    let refused = agent.try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
    assert!(
        refused.message().contains("c.md: has 5 bytes") && refused.message().contains("there are 3 files"),
        "{refused}"
    );
}

#[test]
fn files_that_are_not_kept_count_against_no_limit_but_links_and_gits_folder_always_do() {
    let site = Site::new();
    let agent = site.agent_with("a", json!({"file-glob": ["*.md"], "max-file-count": 1, "max-file-size": 4}));
    agent.write("a.md", "a").write("large.bin", "123456").write("a:b", "");
    let validation = agent.validate();
    assert!(validation.ok, "{validation:?}");
    assert_eq!(validation.skipped, ["a:b", "large.bin"]);
    assert_eq!(validation.files.iter().map(|file| (&*file.path, file.size)).collect::<Vec<_>>(), [("a.md", 1)]);
    std::os::unix::fs::symlink("/etc/passwd", agent.directory.join("link")).unwrap();
    agent.write("deep/er/.GIT/config", "[core]");
    let expected = [("deep/er/.GIT", Rule::GitFolder), ("link", Rule::Symlink)];
    assert_eq!(faults(&agent), expected.map(|(path, rule)| (path.to_owned(), rule)));
}

#[test]
fn names_that_other_systems_cannot_hold_are_faults() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let site = Site::new();
    let agent = site.agent("a");
    for path in ["aux.md", "a?.md", "b.", "Notes/x", "notes/y", "fine.md"] {
        agent.write(path, "");
    }
    std::fs::write(agent.directory.join(OsStr::from_bytes(b"caf\xe9")), "").unwrap();
    let found = faults(&agent);
    assert!(found.iter().all(|(_, rule)| *rule == Rule::FileName), "{found:?}");
    let paths: Vec<&str> = found.iter().map(|(path, _)| &**path).collect();
    assert_eq!(paths, ["caf\u{fffd}", "a?.md", "aux.md", "b.", "notes/y"]);
}

#[test]
fn extensions_are_compared_in_lower_case_and_a_hidden_name_is_none() {
    let site = Site::new();
    let agent = site.agent_with("a", json!({"allowed-extensions": [".md", ".JSONL"]}));
    agent.write("A.MD", "").write("b.jsonl", "").write(".md", "").write("c.txt", "").write("d", "");
    let found: Vec<String> = faults(&agent).into_iter().map(|(path, _)| path).collect();
    assert_eq!(found, [".md", "c.txt", "d"]);
}

#[test]
fn a_path_that_looks_like_a_secret_is_a_fault_that_does_not_show_it() {
    let site = Site::new();
    let agent = site.agent("a");
    let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
    agent.write(&format!("{token}.md"), "");
    let validation = agent.validate();
    assert_eq!(validation.rejected[0].rule, Rule::Secret);
    assert!(!format!("{:?}", validation.rejected).contains(&token), "{validation:?}");
}

#[test]
fn a_campaign_keeps_its_rules() {
    let site = Site::new();
    let config = json!({"id": "campaigns", "file-glob": ["go/**"]});
    let agent = site.agent_with("c", config);
    agent.write("go/cursor.json", "{\"campaign_id\": \"go\", \"date\": \"2026-01-31\"}");
    let metrics = json!({"campaign_id": "go", "date": "2026-01-31", "tasks_total": 3, "tasks_completed": 1.0});
    agent.write("go/metrics/2026/01-31.json", metrics.to_string());
    assert_eq!(faults(&agent), []);
    agent.write("go/cursor.json", "{\"campaign_id\": \"stop\"").write("go/metrics/x.json", "{}");
    let found = agent.validate().rejected;
    let rules: Vec<Rule> = found.iter().map(|fault| fault.rule).collect();
    assert_eq!(rules[0], Rule::CampaignJson, "{found:?}");
    assert_eq!(rules[1..], [Rule::CampaignMetrics; 4]);
    let empty = site.agent_with("e", json!({"campaign-id": "go", "file-glob": ["*.json", "go/*"]}));
    std::fs::create_dir_all(&empty.directory).unwrap();
    let rules: Vec<Rule> = faults(&empty).into_iter().map(|(_, rule)| rule).collect();
    let expected = [Rule::CampaignPattern, Rule::CampaignFolder, Rule::CampaignCursor, Rule::CampaignMetrics];
    assert_eq!(rules, expected);
}

#[test]
fn a_folder_that_is_missing_or_a_link_is_no_empty_memory() {
    let site = Site::new();
    let agent = site.agent("a");
    let refused = agent.store.branches().validate(&agent.memory, Some(&agent.directory)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert_eq!(agent.try_push(PushOptions::new()).unwrap_err().kind(), ErrorKind::NotFound);
    std::os::unix::fs::symlink(site.path("home"), &agent.directory).unwrap();
    assert_eq!(agent.try_push(PushOptions::new()).unwrap_err().kind(), ErrorKind::Validation);
}

#[test]
fn merged_with_what_others_pushed_the_files_are_checked_as_a_push_would_leave_them() {
    let site = Site::new();
    let config = json!({"max-file-size": 40});
    let [one, other] = ["a", "b"].map(|name| site.agent_with(name, config.clone()));
    one.write("log.jsonl", "{\"n\":0,\"m\":\"a\"}\n").write("note.md", "first\n").push();
    other.checkout().unwrap();
    one.append("log.jsonl", "{\"n\":1,\"m\":\"a\"}\n").write("note.md", "mine\n").push();
    let merged = |agent: &Agent<'_>| {
        agent.store.branches().validate_merged(&agent.memory, Some(&agent.directory), &agent.source()).unwrap()
    };
    // Each keeps the limit, and both together do not.
    other.append("log.jsonl", "{\"n\":2,\"m\":\"a\"}\n").write("note.md", "theirs\n");
    let before = other.files();
    assert!(other.validate().ok);
    let seen = merged(&other);
    assert_eq!(seen.rejected.len(), 1, "{seen:?}");
    let fault = &seen.rejected[0];
    assert_eq!((fault.path.as_deref(), fault.rule, fault.limit), (Some("log.jsonl"), Rule::FileSize, Some(40)));
    assert_eq!(fault.message, "together with what others pushed: has 48 bytes; at most 40 are allowed");
    assert_eq!((seen.ok, seen.conflicts), (false, vec!["note.md".to_owned()]));
    let refused = other.try_push(PushOptions::new()).unwrap_err();
    assert!(refused.message().contains("log.jsonl: has 48 bytes"), "{refused}");
    assert_eq!((other.files(), site.commits().len()), (before, 2));
    // What it says is what the push does.
    other
        .write("log.jsonl", "{\"n\":0,\"m\":\"a\"}\n")
        .write("b.bin", b"\0\xffpassword: hunter2-very-secret\0")
        .remove("note.md");
    let seen = merged(&other);
    assert_eq!(seen.rejected.iter().map(|fault| fault.rule).collect::<Vec<_>>(), [Rule::Secret], "{seen:?}");
    other.remove("b.bin").write("note.md", "theirs\n");
    let seen = merged(&other);
    assert!(seen.ok, "{seen:?}");
    let pushed = other.push();
    assert_eq!(
        pushed.conflicts.iter().map(|it| &it.path).collect::<Vec<_>>(),
        seen.conflicts.iter().collect::<Vec<_>>()
    );
}

#[test]
fn a_validation_of_the_merged_files_changes_nothing_that_a_later_call_depends_on() {
    let site = Site::new();
    site.ready("a").write("log.jsonl", "{\"n\":1}\n").push();
    let agent = site.agent("b");
    agent.write("log.jsonl", "{\"n\":2}\n");
    let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
    agent.write("secret.md", format!("{token}\n"));
    let files = agent.files();
    let merged =
        || agent.store.branches().validate_merged(&agent.memory, Some(&agent.directory), &agent.source()).unwrap();
    assert!(merged().ok);
    // The folder is not bound to the branch yet, and its files are not beside it.
    let state = site.path("work/.b.loopmem");
    assert!(!state.join("state.json").exists());
    let git = ["--git-dir", "work/.b.loopmem/git", "cat-file", "--batch-all-objects", "--batch-check"];
    let objects = site.git(&git);
    assert_eq!(objects.lines().filter(|line| line.contains(" blob ")).count(), 1, "the file of the branch: {objects}");
    // Neither does it change the state of one that is bound.
    agent.push();
    agent.append("log.jsonl", "{\"n\":3}\n");
    let saved = std::fs::read(state.join("state.json")).unwrap();
    assert!(merged().ok);
    assert_eq!(std::fs::read(state.join("state.json")).unwrap(), saved);
    assert_eq!((agent.files(), site.commits().len()), (files, 2));
    // It stores nothing that is redacted, so that there is nothing to preview.
    let preview = serde_json::json!({"method": "branch.validate", "params": {"merged": true}}).to_string();
    let refused = loopmem::methods::dispatch(&agent.store, "safety.preview", &preview).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation, "{refused}");
}
