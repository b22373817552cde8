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
    assert_eq!(sandbox.run("loopmem search zebra", ""), "nothing matches\n");
    for (line, status, message) in [
        ("loopmem search", 2, "TEXT"),
        ("loopmem search x --room attic", 1, "rooms has an unknown name"),
        ("loopmem search x --since yesterday", 1, "RFC 3339"),
    ] {
        let failed = sandbox.start(line, "");
        assert_eq!(failed.status.code(), Some(status), "{line}");
        assert!(crate::text(&failed.stderr).contains(message), "{line}: {}", crate::text(&failed.stderr));
    }
}
