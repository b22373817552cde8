//! What sessions left in a context pack.

use std::path::Path;
use std::process::Command;

use loopmem::context::SectionName;
use loopmem::memory::{Filter, Note};
use loopmem::rollouts::Mode;

use super::*;

fn pack(codex: &Codex, folder: &Path, prompt: &str) -> String {
    let context = codex.store_at(NOON).repo(folder).unwrap().context(4_000);
    context.prompt(prompt).build().unwrap().text
}

fn extract(codex: &Codex, id: &str, cwd: &Path, summary: &str) {
    let rollouts = codex.noon();
    let path = codex.root().join("x.jsonl");
    let draft = ThreadDraft::new(id, path.to_str().unwrap(), "2026-01-30T00:00:00Z", cwd.to_str().unwrap(), "cli");
    rollouts.upsert_thread(draft).unwrap();
    let claim = only(rollouts.claim_stage1("w", None, None).unwrap().claims);
    complete(&rollouts, &claim, summary, "- m").unwrap();
}

fn repository(codex: &Codex, name: &str) -> PathBuf {
    let folder = codex.home.root().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let made = Command::new("git").args(["init", "-q", "-b", "main"]).arg(&folder).status().unwrap();
    assert!(made.success());
    folder
}

#[test]
fn the_summary_of_all_sessions_and_those_that_fit_the_prompt_join_a_pack() {
    let codex = Codex::new();
    let folder = repository(&codex, "shop");
    assert_eq!(pack(&codex, &folder, "cart"), "");
    extract(&codex, "a", &folder, "Fixed the rounding of the cart.");
    extract(&codex, "b", &folder, "Wrote the release notes.");
    codex.write("memory_summary.md", "# Always\n\nMoney is integer cents. [thread:a]\n");
    let text = pack(&codex, &folder, "why is the cart a cent off?");
    assert!(text.starts_with("# Past sessions\n\n### Always\n\nMoney is integer cents. [thread:a]\n"), "{text}");
    assert!(text.contains("Fixed the rounding of the cart.\n") && text.contains("2026-01-30T00:00:00.000Z"), "{text}");
    assert!(!text.contains("release notes"), "{text}");
    // Without a prompt, what all sessions should know is there all the same.
    let plain = codex.store_at(NOON).repo(&folder).unwrap().context(4_000).build().unwrap().text;
    assert!(plain.contains("integer cents") && !plain.contains("rounding"), "{plain}");
}

#[test]
fn a_secret_that_a_consolidation_wrote_is_not_shown() {
    let codex = Codex::new();
    let folder = repository(&codex, "shop");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    codex.write("memory_summary.md", &format!("push with {token}"));
    let text = pack(&codex, &folder, "push");
    assert!(text.contains("push with [REDACTED:github-pat:") && !text.contains(&token), "{text}");
}

#[test]
fn a_secret_in_a_prompt_matches_the_placeholder_that_replaced_it_and_no_words() {
    let codex = Codex::new();
    let folder = repository(&codex, "shop");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let (with_it, about_it) = (format!("The push with {token} failed."), "Tokens that begin with ghp are personal.");
    extract(&codex, "a", &folder, &with_it);
    extract(&codex, "b", &folder, about_it);
    let repo = codex.store_at(NOON).repo(&folder).unwrap();
    for text in [&*with_it, about_it] {
        repo.memory().upsert(Note::draft(text)).unwrap();
    }
    for (prompt, expected) in [(token.clone(), vec![]), (format!("does {token} push?"), vec!["[REDACTED:github-pat:"])]
    {
        let sessions = repo.context(4_000).sections([SectionName::ROLLOUTS]).prompt(&*prompt).build().unwrap();
        let notes = repo.memory().list(Filter::default().query(&*prompt)).unwrap();
        let notes: Vec<String> = notes.iter().map(|note| format!("{note:?}")).collect();
        let included: usize = sessions.sections.iter().map(|section| section.included.len()).sum();
        assert_eq!(included, expected.len(), "{}", sessions.text);
        assert_eq!(notes.len(), expected.len(), "{notes:?}");
        assert!(expected.iter().all(|part| sessions.text.contains(part) && notes[0].contains(part)), "{notes:?}");
    }
}

#[test]
fn a_long_summary_is_cut_at_a_line_and_says_so() {
    let codex = Codex::new();
    let folder = repository(&codex, "shop");
    codex.write("memory_summary.md", &"a line of what is known\n".repeat(2_000));
    let text = pack(&codex, &folder, "");
    assert!(text.chars().count() <= 4_000, "{}", text.len());
    assert!(text.ends_with("a line of what is known\n[the rest is in memory_summary.md]"), "{text}");
}

#[test]
fn what_is_known_from_a_withdrawn_session_alone_is_not_shown_from_then_on() {
    let codex = Codex::new();
    let folder = repository(&codex, "shop");
    for id in ["a", "b"] {
        extract(&codex, id, &folder, "s");
    }
    let known = "# Always\n\n- The zebra\n  is loud. [thread:a]\n- The giraffe is tall. [thread:b]\n- Cite [a] too.\n";
    codex.write("memory_summary.md", known);
    let shows = |word: &str| pack(&codex, &folder, "").contains(word);
    assert!(shows("zebra") && shows("loud") && shows("giraffe") && shows("Cite"));
    for mode in [Mode::Polluted, Mode::Disabled] {
        codex.noon().set_mode("a", mode).unwrap();
        assert!(!shows("zebra") && !shows("loud") && shows("giraffe") && !shows("Cite"));
    }
    codex.noon().set_mode("a", Mode::Enabled).unwrap();
    assert!(shows("zebra") && shows("Cite"));
    codex.noon().forget("a").unwrap();
    assert!(!shows("zebra") && !shows("loud") && shows("giraffe") && !shows("Cite"));
    assert_eq!(codex.read("memory_summary.md").as_deref(), Some(known));
}

fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn a_pack_shows_what_its_repository_and_the_user_left_and_nothing_of_other_projects() {
    let codex = Codex::new();
    let (shop, site) = (repository(&codex, "shop"), repository(&codex, "site"));
    extract(&codex, "a", &shop, "Fixed the cart of the shop.");
    extract(&codex, "b", &site, "Fixed the cart of the site.");
    let heading = |folder: &Path| format!("## {}\n\n", folder.display());
    let summary = format!(
        "# Summary\n\n- Kiwis for all.\n- Limes cost nothing. [thread:a]\n- Plums are dear. [thread:b]\n\n\
         {}- The shop sells figs.\n\n{}- The site sells dates. [thread:b]\n  - They come late.\n\n\
         # User\n\n- Likes pears. [thread:b]\n",
        heading(&shop),
        heading(&site)
    );
    codex.write("memory_summary.md", &summary);
    let all = ["of the shop", "Kiwis", "Limes", "figs", "pears", "of the site", "Plums", "dates", "come late"];
    let (of_shop, of_site) = ([0, 1, 2, 3, 4].as_slice(), [1, 4, 5, 6, 7, 8].as_slice());
    let assert_shown = |text: &str, shown: &[usize]| {
        for (at, words) in all.iter().enumerate() {
            assert_eq!(text.contains(words), shown.contains(&at), "{words}: {text}");
        }
    };
    assert_shown(&pack(&codex, &shop, "cart"), of_shop);
    assert_shown(&pack(&codex, &site, "cart"), of_site);
    // Elsewhere, only what is about the user or about nothing else.
    let elsewhere = repository(&codex, "elsewhere");
    assert_shown(&pack(&codex, &elsewhere, "cart"), &[1, 4]);
    // In each folder and on each branch of the repository, and after it got a remote, which changes its hash.
    let below = shop.join("api");
    std::fs::create_dir(&below).unwrap();
    git(&shop, &["checkout", "-q", "-b", "other"]);
    git(&shop, &["remote", "add", "origin", "https://example.org/shop.git"]);
    assert_shown(&pack(&codex, &below, "cart"), of_shop);
    // A repository in it is another project, also for sessions that were held there before.
    let nested = repository(&codex, "shop/nested");
    extract(&codex, "c", &nested, "Fixed the cart of the nest.");
    git(&nested, &["remote", "add", "origin", "https://example.org/nested.git"]);
    let text = pack(&codex, &shop, "cart");
    assert_shown(&text, of_shop);
    assert!(!text.contains("of the nest"), "{text}");
    assert!(pack(&codex, &nested, "cart").contains("of the nest"));
    // By its hash: where it is was recorded when something was stored for it.
    let repo = codex.store_at(NOON).repo(&shop).unwrap();
    let by_hash = || {
        let repo = codex.store_at(NOON).repo_at(repo.hash());
        repo.context(4_000).sections([SectionName::ROLLOUTS]).prompt("cart").build().unwrap().text
    };
    assert_shown(&by_hash(), &[1, 4]);
    repo.memory().upsert(Note::draft("x")).unwrap();
    assert_shown(&by_hash(), of_shop);
    // Unless that is turned off.
    let all_of_them = Codex { options: |options| options.rollouts_same_repo(false), ..codex };
    assert_shown(&pack(&all_of_them, &elsewhere, "cart"), &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn outside_of_a_repository_the_sessions_of_the_same_folder_count() {
    let codex = Codex::new();
    let folders = ["one", "one/two", "other"].map(|name| codex.home.root().join(name));
    for (folder, id) in folders.iter().zip(["first", "second", "third"]) {
        std::fs::create_dir_all(folder).unwrap();
        extract(&codex, id, folder, &format!("The {id} cart."));
    }
    let text = pack(&codex, &folders[0], "cart");
    assert!(text.contains("first cart") && !text.contains("second cart") && !text.contains("third cart"), "{text}");
}

#[test]
fn a_damaged_database_fails_the_pack_and_is_named_by_the_doctor() {
    let codex = Codex::new();
    let folder = repository(&codex, "shop");
    codex.extracted("a", "2026-01-30T00:00:00Z");
    drop(codex.store_at(NOON));
    let file = codex.root().join("rollouts.sqlite3");
    std::fs::remove_file(codex.root().join("rollouts.sqlite3-wal")).unwrap();
    std::fs::write(&file, "not a database, but somebody's text\n".repeat(200)).unwrap();
    let store = codex.store_at(NOON);
    let failed = store.repo(&folder).unwrap().context(4_000).prompt("cart").build().unwrap_err();
    assert_eq!(failed.kind(), loopmem::ErrorKind::Parse, "{failed}");
    let report = store.doctor().check().unwrap();
    assert!(report.findings.iter().any(|finding| finding.file.ends_with("rollouts.sqlite3")), "{report:?}");
}

#[test]
fn a_session_is_found_by_what_it_left_last_before_and_after_its_files_are_written() {
    let codex = Codex::with(|options| options.rollouts_same_repo(false));
    let folder = repository(&codex, "shop");
    let answer = |day: u32, summary: &str| {
        codex.thread("a", &format!("2026-01-{day}T00:00:00Z"));
        let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
        assert!(complete(&codex.noon(), &claim, summary, "").unwrap());
    };
    let found = |word: &str| pack(&codex, &folder, word).contains("Session: ");
    answer(20, "the zebra");
    assert!(found("zebra") && !found("giraffe"));
    codex.noon().materialize().unwrap();
    assert!(found("zebra") && !found("giraffe"));
    answer(21, "the giraffe");
    assert!(found("giraffe") && !found("zebra"));
    codex.noon().materialize().unwrap();
    assert!(found("giraffe") && !found("zebra"));
    assert_eq!(codex.store_at(NOON).doctor().check().unwrap().findings, []);
    answer(22, "the zebra again");
    answer(23, "the giraffe again");
    codex.noon().materialize().unwrap();
    assert!(found("giraffe") && !found("zebra"));
    codex.noon().forget("a").unwrap();
    assert!(!found("giraffe") && !found("zebra"));
    assert_eq!(codex.store_at(NOON).doctor().check().unwrap().findings, []);
}

#[test]
fn a_summary_with_many_words_in_brackets_is_read_about_as_fast_as_another_one() {
    let codex = Codex::new();
    let folder = repository(&codex, "shop");
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.noon().set_mode("a", Mode::Disabled).unwrap();
    let time = |left: &str, right: &str| {
        let words = (0..100_000).map(|number| format!("{left}{number:x}{right}\n"));
        codex.write("memory_summary.md", &words.collect::<String>());
        let start = std::time::Instant::now();
        pack(&codex, &folder, "");
        start.elapsed()
    };
    let times: Vec<_> = (0..2).map(|_| (time(" ", " "), time("[", "]"))).collect();
    // Whatever else the machine does meanwhile.
    assert!(times.iter().any(|(plain, cited)| *cited < *plain * 3), "{times:?}");
}

#[test]
fn the_memory_and_the_skills_join_a_pack_where_they_matter_and_belong() {
    let codex = Codex::new();
    let (shop, site) = (repository(&codex, "shop"), repository(&codex, "site"));
    extract(&codex, "a", &shop, "s");
    extract(&codex, "b", &site, "s");
    codex.write("memory_summary.md", "- Money is integer cents. [thread:a]\n");
    let memory = format!(
        "# User\n\n- Wants short commits. [thread:b]\n\n## {}\n\n### Tests\n\n- Start the database first. [thread:a]\n\
         - Money is integer cents. [thread:a]\n- Fonts are cached. [thread:a]\n\n## {}\n\n- The database is remote. [thread:b]\n",
        shop.display(),
        site.display()
    );
    codex.write("MEMORY.md", &memory);
    let skill =
        |about: &str, cited: &str| format!("---\nname: x\ndescription: {about}\n---\n\n1. Tag it. [thread:{cited}]\n");
    codex.write("skills/release/SKILL.md", &skill("When a version is published", "a"));
    codex.write("skills/deploy/SKILL.md", &skill("When the site goes live", "b"));
    let text = pack(&codex, &shop, "why do the tests need a database, and how is money rounded?");
    let expected = "# Past sessions\n\n- Money is integer cents. [thread:a]\n\n## Tests\n- Start the database first. [thread:a]\n\n";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("- Skill: release: When a version is published (/"), "{text}");
    assert!(text.ends_with("/memories/skills/release/SKILL.md)"), "{text}");
    for other in ["remote", "Fonts", "deploy", "short commits"] {
        assert!(!text.contains(other), "{other}: {text}");
    }
    // Without a prompt, the skills are there, and nothing of the memory.
    let plain = codex.store_at(NOON).repo(&shop).unwrap().context(4_000).build().unwrap().text;
    assert!(plain.contains("- Skill: release") && !plain.contains("database"), "{plain}");
    // Each file, as far as it is about the repository.
    let store = codex.store_at(NOON);
    let (rollouts, repo) = (store.rollouts(), store.repo(&site).unwrap());
    let paths = |files: loopmem::rollouts::MemoryFiles| files.files.into_iter().map(|it| it.path).collect::<Vec<_>>();
    assert_eq!(paths(rollouts.read(&repo, None).unwrap()), ["MEMORY.md", "skills/deploy/SKILL.md"]);
    let read = rollouts.read(&repo, Some("MEMORY.md")).unwrap().files;
    let text = read[0].text.as_deref().unwrap();
    assert!(text.contains("short commits") && text.contains("remote") && !text.contains("Start"), "{text}");
    for path in ["skills/release/SKILL.md", "../config.toml", "raw_memories.md", "skills/none/SKILL.md"] {
        assert_eq!(paths(rollouts.read(&repo, Some(path)).unwrap()), [""; 0], "{path}");
    }
}
