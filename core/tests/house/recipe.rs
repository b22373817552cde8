//! The recipe in docs/ADDING-A-ROOM.md is a patch of the sources as they are.

use std::path::Path;
use std::process::Command;

/// `scripts/torture recipe` applies it to a copy, compiles that and runs its tests. There it can be reverted.
#[test]
fn the_recipe_for_a_room_applies() {
    let check = |options: &[&str]| {
        let mut git = Command::new("git");
        git.arg("apply").args(options).args(["--check", "docs/adding-a-room.patch"]);
        git.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).output().unwrap()
    };
    let applied = check(&[]);
    let applies = applied.status.success() || check(&["--reverse"]).status.success();
    assert!(applies, "{}", String::from_utf8_lossy(&applied.stderr));
}
