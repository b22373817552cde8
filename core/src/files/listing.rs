//! What is in a folder, two levels deep, word for word as Anthropic's SDKs say it.

use std::ffi::OsStr;
use std::path::Path;

use super::folder::Place;
use super::path::ToolPath;
use super::sdk::Sdk;
use crate::disk::Kind;
use crate::error::Result;
use crate::safety::escape_controls_on_one_line;

/// How deep a folder is listed.
const LEVELS: usize = 2;
/// The size of a folder that does not exist yet: what an empty one has on most file systems.
const EMPTY_FOLDER: u64 = 4_096;
/// A folder that the SDK for TypeScript leaves out.
const PACKAGES: &str = "node_modules";

/// The folder `full`, of this size, at `path`.
///
/// # Errors
/// `IOError`, `Cancelled`.
pub(super) fn folder(place: &Place, sdk: Sdk, path: &ToolPath<'_>, full: &Path, size: u64) -> Result<String> {
    let mut listing = Listing { place, sdk, path, lines: first(sdk, path, size) };
    listing.add(full, "", 1)?;
    Ok(listing.lines.join("\n"))
}

/// The folder itself, before anything is in it.
pub(super) fn empty(sdk: Sdk, path: &ToolPath<'_>) -> String {
    first(sdk, path, EMPTY_FOLDER).join("\n")
}

fn first(sdk: Sdk, path: &ToolPath<'_>, bytes: u64) -> Vec<String> {
    let excluded = match sdk {
        Sdk::Python => "hidden items",
        Sdk::TypeScript => "hidden items and node_modules",
    };
    let heading = format!("Here're the files and directories up to 2 levels deep in {path}, excluding {excluded}:");
    vec![heading, format!("{}\t{path}", size(sdk, bytes))]
}

struct Listing<'l> {
    place: &'l Place,
    sdk: Sdk,
    path: &'l ToolPath<'l>,
    lines: Vec<String>,
}

impl Listing<'_> {
    fn add(&mut self, folder: &Path, above: &str, level: usize) -> Result<()> {
        self.place.home().wait_options().cancel.check()?;
        let mut entries = self.place.entries(folder)?;
        if self.sdk == Sdk::TypeScript {
            // JavaScript compares UTF-16.
            entries.sort_by_key(|(name, ..)| name.to_string_lossy().encode_utf16().collect::<Vec<_>>());
        }
        entries.retain(|(name, ..)| is_shown(self.sdk, name));
        for (name, full, stat) in entries {
            let is_folder = stat.kind == Kind::Folder;
            if !is_folder && stat.kind != Kind::File {
                continue;
            }
            let end = if is_folder { "/" } else { "" };
            let name = format!("{above}{}{end}", escape_controls_on_one_line(&name.to_string_lossy()));
            self.lines.push(format!("{}\t{}/{name}", size(self.sdk, stat.size), self.path));
            if is_folder && level < LEVELS {
                self.add(&full, &name, level + 1)?;
            }
        }
        Ok(())
    }
}

fn is_shown(sdk: Sdk, name: &OsStr) -> bool {
    !name.as_encoded_bytes().starts_with(b".") && (sdk == Sdk::Python || name != PACKAGES)
}

/// A size in the largest unit that it reaches, with one decimal place unless it is whole.
#[allow(clippy::cast_precision_loss, reason = "one decimal place of what is at most 1,024 is shown, or of gigabytes")]
fn size(sdk: Sdk, bytes: u64) -> String {
    const UNITS: [&str; 4] = ["B", "K", "M", "G"];
    let unit = (bytes.max(1).ilog2() / 10).min(3);
    let divisor = 1_u64 << (10 * unit);
    let name = UNITS.get(unit as usize).copied().unwrap_or_default();
    if bytes.is_multiple_of(divisor) {
        return format!("{}{name}", bytes / divisor);
    }
    let size = bytes as f64 / divisor as f64;
    // Of two that are equally near, Python takes the even one and JavaScript the larger one.
    let is_tie = (size * 10.0).fract() == 0.5 && sdk == Sdk::TypeScript;
    if is_tie { format!("{:.1}{name}", (size * 10.0).ceil() / 10.0) } else { format!("{size:.1}{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_as_each_language_does() {
        for (bytes, python, typescript) in [
            (0, "0B", "0B"),
            (1_023, "1023B", "1023B"),
            (1_024, "1K", "1K"),
            (1_280, "1.2K", "1.3K"),
            (1_281, "1.3K", "1.3K"),
            (1_536, "1.5K", "1.5K"),
            (4_096, "4K", "4K"),
            (1_048_575, "1024.0K", "1024.0K"),
            (5 << 30, "5G", "5G"),
        ] {
            assert_eq!([size(Sdk::Python, bytes), size(Sdk::TypeScript, bytes)], [python, typescript], "{bytes}");
        }
    }
}
