//! Several agents, one branch.

use loopmem::branch::PushOptions;
use serde_json::Value;

use super::{Agent, Site};

/// Two agents whose folders have these files in common.
fn two<'s>(site: &'s Site, files: &[(&str, &str)]) -> [Agent<'s>; 2] {
    let first = site.ready("first");
    for (path, text) in files {
        first.write(path, text);
    }
    first.push();
    [first, site.ready("second")]
}

#[test]
fn both_sides_appends_are_kept_in_files_of_every_kind() {
    let site = Site::new();
    let [a, b] =
        two(&site, &[("log.jsonl", "{\"n\":0}\n"), ("notes.md", "# Notes\n"), ("state.json", "{\"a\": 1.0}\n")]);
    a.append("log.jsonl", "{\"n\":1}\n")
        .append("notes.md", "- one\n")
        .write("state.json", "{\"a\": 1.0, \"b\": 2.50}\n");
    b.append("log.jsonl", "{\"n\":2}\n").append("notes.md", "- two\n").write("state.json", "{\"a\": 1.0, \"c\": 3}\n");
    a.push();
    let push = b.push();
    assert!(push.merged && push.conflicts.is_empty(), "{push:?}");
    assert_eq!(site.on_branch("log.jsonl").unwrap(), "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n");
    assert_eq!(site.on_branch("notes.md").unwrap(), "# Notes\n- one\n- two\n");
    assert_eq!(site.on_branch("state.json").unwrap(), "{\"a\": 1.0, \"c\": 3, \"b\": 2.50}\n");
    assert_eq!(b.read("log.jsonl"), site.on_branch("log.jsonl"));
    a.push();
    for path in ["log.jsonl", "notes.md", "state.json"] {
        assert_eq!(a.read(path), b.read(path), "{path}");
    }
}

#[test]
fn what_two_agents_insert_at_one_place_is_kept_also_beside_a_line_that_one_of_them_changed() {
    let site = Site::new();
    let files = [("todo.md", "# Todo\n- [ ] one\n\n# Done\n"), ("conf.yml", "a: 1\nb: 1\n"), ("log.txt", "start\n")];
    let [a, b] = two(&site, &files);
    a.write("todo.md", "# Todo\n- [x] one\n- [ ] two\n\n# Done\n").write("conf.yml", "a: 1\nx: 1\nb: 1\n");
    b.write("todo.md", "# Todo\n- [ ] one\n- [ ] three\n\n# Done\n").write("conf.yml", "a: 2\ny: 1\nb: 1\n");
    a.write("log.txt", "started\na\n").push();
    let push = b.append("log.txt", "b\n").push();
    assert!(push.merged && push.conflicts.is_empty(), "{push:?}");
    assert_eq!(site.on_branch("todo.md").unwrap(), "# Todo\n- [x] one\n- [ ] two\n- [ ] three\n\n# Done\n");
    assert_eq!(site.on_branch("conf.yml").unwrap(), "a: 2\nx: 1\ny: 1\nb: 1\n");
    assert_eq!(site.on_branch("log.txt").unwrap(), "started\na\nb\n");
}

#[test]
fn a_file_that_this_run_did_not_touch_keeps_what_others_made_of_it() {
    let site = Site::new();
    let [a, b] = two(&site, &[("a.md", "old\n"), ("b.md", "old\n"), ("c.md", "old\n")]);
    a.write("a.md", "new\n").remove("c.md").push();
    let push = b.write("b.md", "newer\n").push();
    assert_eq!(push.changed, ["b.md"]);
    assert_eq!(site.on_branch("a.md").unwrap(), "new\n");
    assert_eq!(b.files(), ["a.md", "b.md"]);
}

#[test]
fn in_a_conflict_ours_stays_and_theirs_can_be_read_from_the_commit_that_is_named() {
    let site = Site::new();
    let [a, b] = two(&site, &[("plan.md", "old\n"), ("v.json", "{\"v\": 1}\n")]);
    a.write("plan.md", "theirs\n").write("v.json", "{\"v\": 2}\n").push();
    let push = b.write("plan.md", "ours\n").write("v.json", "{\"v\": 3}\n").push();
    assert_eq!(site.on_branch("plan.md").unwrap(), "ours\n");
    let paths: Vec<&str> = push.conflicts.iter().map(|it| &*it.path).collect();
    assert_eq!(paths, ["plan.md", "v.json"]);
    let theirs = format!("{}:plan.md", push.conflicts[0].theirs);
    assert_eq!(site.remote(&["show", &theirs]), "theirs\n");
    let message = site.remote(&["log", "-1", "--format=%B", "memory/default"]);
    assert!(message.contains(&format!("git show {theirs}")), "{message}");
    site.remote(&["fsck", "--strict"]);
}

#[test]
fn a_change_survives_a_removal_by_the_other_side() {
    let site = Site::new();
    let [a, b] = two(&site, &[("x.md", "old\n"), ("y.md", "old\n"), ("z.md", "old\n")]);
    a.remove("x.md").write("y.md", "changed\n").remove("z.md").push();
    b.write("x.md", "changed\n").remove("y.md").remove("z.md").push();
    assert_eq!(b.files(), ["x.md", "y.md"]);
    assert_eq!(site.on_branch("y.md").unwrap(), "changed\n");
}

#[test]
fn a_file_of_one_side_where_the_other_has_a_folder_gives_way_to_ours() {
    let site = Site::new();
    let [a, b] = two(&site, &[("k.md", "k\n")]);
    a.write("n", "a file\n").push();
    let push = b.write("n/x.md", "x\n").push();
    assert_eq!((b.files(), push.conflicts.len()), (vec!["k.md".to_owned(), "n/x.md".to_owned()], 1));
    a.push();
    assert_eq!(a.files(), ["k.md", "n/x.md"]);
}

#[test]
fn agents_that_push_at_once_lose_nothing() {
    const AGENTS: usize = 8;
    let site = Site::new();
    site.ready("first").write("all.jsonl", "{\"agent\":\"first\"}\n").push();
    let agents: Vec<Agent<'_>> = (0..AGENTS).map(|number| site.ready(&format!("agent-{number}"))).collect();
    std::thread::scope(|scope| {
        for (number, agent) in agents.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..2 {
                    agent.append("all.jsonl", &format!("{{\"agent\":{number},\"round\":{round}}}\n"));
                    agent.write(&format!("own/{number}-{round}.md"), "mine\n");
                    agent.try_push(PushOptions::new().run_id(number.to_string())).unwrap();
                }
            });
        }
    });
    let last = site.ready("last");
    assert_eq!(last.files().len(), 1 + 2 * AGENTS);
    let all = last.read("all.jsonl").unwrap();
    let lines: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 1 + 2 * AGENTS, "{all}");
    for number in 0..AGENTS {
        let rounds = lines.iter().filter(|line| line["agent"] == number).map(|line| line["round"].as_u64().unwrap());
        assert_eq!(rounds.collect::<Vec<_>>(), [0, 1], "ours in order");
    }
    assert_eq!(site.commits().len(), 1 + 2 * AGENTS);
}

#[test]
fn a_token_that_others_left_on_the_branch_is_redacted_where_a_push_merges_it() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("log.md", "one\n\nlast\n").write("other.md", "other\n").push();
    // With git alone, which redacts nothing.
    let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
    site.git(&["clone", "--quiet", "--branch", "memory/default", "remote.git", "clone"]);
    for name in ["log.md", "other.md"] {
        let text = std::fs::read_to_string(site.path("clone").join(name)).unwrap();
        std::fs::write(site.path("clone").join(name), format!("token {token}\n{text}")).unwrap();
    }
    site.git(&["-C", "clone", "commit", "--quiet", "--all", "--message=leak"]);
    site.git(&["-C", "clone", "push", "--quiet"]);
    agent.append("log.md", "mine\n");
    agent.push();
    let merged = site.on_branch("log.md").unwrap();
    assert!(merged.contains("one\n") && merged.ends_with("mine\n") && !merged.contains(&token), "{merged}");
    assert!(merged.contains("token "), "{merged}");
    assert_eq!(agent.read("log.md").unwrap(), merged);
    // What is theirs alone is not written anew.
    assert!(site.on_branch("other.md").unwrap().contains(&token));
}

#[test]
fn very_many_files_are_brought_to_a_folder_part_by_part() {
    let site = Site::new();
    let config = serde_json::json!({"max-file-count": 1000});
    let agent = site.agent_with("a", config.clone());
    agent.checkout().unwrap();
    for number in 0..450 {
        agent.write(&format!("f{number:03}/x.md"), format!("{number}\n"));
    }
    assert_eq!(agent.push().added.len(), 450);
    let other = site.agent_with("b", config);
    other.checkout().unwrap();
    assert_eq!(other.files(), agent.files());
    for path in agent.files().iter().filter(|path| path.as_str() > "f010") {
        agent.remove(path);
    }
    std::fs::remove_dir(agent.directory.join("f020")).unwrap();
    agent.write("f020", "a file now\n").push();
    other.write("own.md", "own\n").checkout().unwrap();
    assert_eq!(other.files().len(), 10 + 2);
}
