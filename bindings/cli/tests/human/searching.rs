//! Anything that is remembered is found with one command.

use crate::Sandbox;

#[test]
fn what_is_remembered_is_found_with_one_command() {
    let sandbox = Sandbox::new();
    sandbox.run("loopmem memory add note --id n the cart was broken on Friday", "");
    sandbox.run("loopmem items add --type fact Carts are priced in cents", "");
    sandbox.run("printf '# Shop\\n\\nprices are in cents\\n' > shop.md", "");
    let found = sandbox.json("loopmem search prices of the cart in cents --json");
    let rooms: Vec<_> = found["hits"].as_array().unwrap().iter().map(|it| it["room"].as_str().unwrap()).collect();
    assert_eq!(rooms, ["items", "index", "memory"], "{found}");
    assert_eq!(found["hits"][1]["id"], "shop.md", "items of the folder are found as items alone: {found}");
    // Through a pipe it is text too: agents have no terminal.
    let shown = sandbox.run("loopmem search broken cart --kind note", "");
    assert!(shown.starts_with("note n"), "{shown}");
    assert!(shown.ends_with("\n  the cart was broken on Friday\n"), "{shown}");
    assert_eq!(sandbox.run("loopmem search zebra", ""), "");
    assert_eq!(sandbox.run("loopmem search prices cents --format jsonl", "").lines().count(), 2);
    let newest = sandbox.run("loopmem search", "");
    assert!(newest.starts_with("fact ") && newest.contains("note n") && !newest.contains("shop.md"), "{newest}");
    for (line, status, message) in [
        ("loopmem search x --room attic", 2, "unknown room; choose from"),
        ("loopmem search x --since yesterday", 2, "a day such as 2026-01-31"),
    ] {
        let failed = sandbox.start(line, "");
        assert_eq!(failed.status.code(), Some(status), "{line}");
        assert!(crate::text(&failed.stderr).contains(message), "{line}: {}", crate::text(&failed.stderr));
    }
}

#[test]
fn no_secret_of_a_file_is_found_by_a_part_of_it() {
    let sandbox = Sandbox::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let write = |name: &str, text: &str| std::fs::write(sandbox.folder.path().join("work").join(name), text).unwrap();
    let body = "MzEfYyjiWA4R4qVbT8sLnP2xZk0uHc7d".repeat(2);
    write("k.pem", &format!("-----BEGIN PRIVATE KEY-----\n{body}\n{body}\n-----END PRIVATE KEY-----\n"));
    write("s.yaml", "password: |\n  gr8Zebra-Quokka91xT\n");
    write("long.txt", &format!("wombat {}{token}\n", "z ".repeat(144)));
    for (query, secret) in [("MzEfYyjiWA4R4qVbT8sLnP2xZk0uHc7d", "R4qVb"), ("zebra", "Quokka91"), ("wombat", "ghp_a")] {
        let shown = sandbox.run(&format!("loopmem search {query}"), "");
        assert!(!shown.contains(secret), "{query}: {shown}");
    }
    // The first line of a model's file is cut too.
    sandbox.run("loopmem memory add note x", "");
    let hash = sandbox.json("loopmem repo identify")["repoHash"].as_str().unwrap().to_owned();
    let folder = sandbox.folder.path().join("home").join("repos").join(hash).join("files");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.md"), format!("{}{token}\n", "z ".repeat(97))).unwrap();
    let listed = sandbox.run("loopmem files list --json", "");
    assert!(listed.contains("/memories/a.md") && !listed.contains("ghp_a"), "{listed}");
}

#[test]
fn what_is_never_recalled_is_not_found_and_what_is_damaged_does_not_hide_the_rest() {
    let sandbox = Sandbox::new();
    sandbox.run("loopmem items add --never-recall the quoll is secret", "");
    sandbox.run("loopmem working log job --add a quoll of a job", "");
    assert_eq!(sandbox.run("loopmem search quoll", ""), "");
    sandbox.run("loopmem summary add --run-id r --step-id s the quoll was fed", "");
    sandbox.run("loopmem memory add note x", "");
    let hash = sandbox.json("loopmem repo identify")["repoHash"].as_str().unwrap().to_owned();
    std::fs::write(sandbox.folder.path().join("home").join("repos").join(hash).join("memory.json"), "{damaged")
        .unwrap();
    let found = sandbox.json("loopmem search quoll --json");
    assert_eq!(found["hits"][0]["room"], "summary", "{found}");
    assert!(found["faults"][0].as_str().unwrap().contains("memory.json"), "{found}");
    // Words of one character are words.
    assert_eq!(sandbox.json("loopmem search x --json")["faults"].as_array().unwrap().len(), 1);
}
