//! The layers in CONTRIBUTING are those that this test enforces.

use std::path::Path;

use super::registry::rooms;
use super::{LAYERS, REGISTERED};

const BEGIN: &str = "<!-- layers -->\n";
const END: &str = "<!-- end of layers -->";

/// A line for each layer, from top to bottom.
fn printed() -> String {
    let line = |layer: &&[&str]| {
        if *layer == REGISTERED { format!("{}      (the registry)", rooms().join("  ")) } else { layer.join("  ") }
    };
    format!("```\n{}\n```\n", LAYERS.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// With `LOOPMEM_WRITE=1`, writes them instead.
#[test]
fn the_layers_are_in_contributing() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../CONTRIBUTING.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (layers, after) = rest.split_once(END).unwrap();
    if std::env::var_os("LOOPMEM_WRITE").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{}{END}{after}", printed())).unwrap();
        return;
    }
    assert_eq!(layers, printed(), "LOOPMEM_WRITE=1 cargo test -p loopmem --test house corrects CONTRIBUTING.md");
}
