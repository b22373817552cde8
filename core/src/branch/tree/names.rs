//! The names of files that every system can hold. Pure, no I/O.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

/// The folder in which new files are prepared, where that cannot be done beside the folder of a memory.
pub(crate) const STAGING: &str = ".loopmem-new";
/// The longest name of a file or a folder, in bytes.
const MAX_NAME_BYTES: usize = 255;
/// The longest path, in bytes.
const MAX_PATH_BYTES: usize = 1_024;
/// The names of devices, which Windows reserves with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Returns whether a name is git's own folder on some system: Windows and macOS take these names for it too.
pub(crate) fn is_git(name: &str) -> bool {
    let is_ignored = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name: String = name.chars().filter(|c| !is_ignored(c)).collect();
    let name = name.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']).to_lowercase();
    name == ".git" || name == "git~1"
}

/// Returns whether a path stays inside the folder to which it is relative, and outside of git's.
pub(crate) fn is_path(path: &str) -> bool {
    path.split('/').all(is_inside)
}

/// Returns whether a name is that of a file or a folder inside a folder.
pub(crate) fn is_inside(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0']) && !is_git(name)
}

/// The reason for which some system cannot hold a file of this path, if there is one.
pub(crate) fn fault(path: &str) -> Option<String> {
    if path.len() > MAX_PATH_BYTES {
        return Some(format!("the path is longer than {MAX_PATH_BYTES} bytes"));
    }
    path.split('/').find_map(|name| fault_of(name).map(|fault| format!("{name:?} {fault}")))
}

fn fault_of(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ').to_lowercase();
    let is_port = |prefix: &str| {
        let digits = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "\u{b9}", "\u{b2}", "\u{b3}"];
        stem.strip_prefix(prefix).is_some_and(|rest| digits.contains(&rest))
    };
    if name.len() > MAX_NAME_BYTES {
        Some("is longer than 255 bytes")
    } else if name == STAGING {
        Some("is a name that loopmem uses")
    } else if let Some(c) = name.chars().find(|c| c.is_control() || "<>:\"|?*\\".contains(*c)) {
        Some(if c.is_control() { "has a control character" } else { "has one of < > : \" | ? * \\" })
    } else if name.ends_with([' ', '.']) {
        Some("ends in a space or a dot")
    } else if DEVICES.contains(&&*stem) || is_port("com") || is_port("lpt") {
        Some("is the name of a device on Windows")
    } else {
        None
    }
}

/// The paths seen so far, by how systems compare them that do not tell letters of different case apart.
#[derive(Debug, Default)]
pub(crate) struct Spellings(HashMap<String, String>);

impl Spellings {
    /// Adds a path, and returns another spelling of it, or of a folder above it, that was added before.
    pub(crate) fn add(&mut self, path: &str) -> Option<String> {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let prefixes = ends.filter_map(|end| path.get(..end));
        let mut other = None;
        for prefix in prefixes {
            let folded: String = prefix.nfc().flat_map(char::to_lowercase).collect();
            let first = self.0.entry(folded).or_insert_with(|| prefix.to_owned());
            if first != prefix {
                other.get_or_insert_with(|| first.clone());
            }
        }
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_some_system_cannot_hold_are_found() {
        for path in ["a.md", "notes/2024/12.json", ".hidden", "é.md", "com", "com10", "console", "a b", "-x", "~"] {
            assert_eq!(fault(path), None, "{path}");
        }
        for path in [
            "a:b",
            "a/b?",
            "x*",
            "a\\b",
            "a\nb",
            "a.",
            "a /b",
            "CON",
            "con.txt",
            "a/nul.tar.gz",
            "COM1",
            "lpt9.x",
            "com¹",
        ] {
            assert!(fault(path).is_some(), "{path}");
        }
        assert!(fault(&"a".repeat(256)).is_some() && fault(&"a/".repeat(600)).is_some());
    }

    #[test]
    fn every_name_of_gits_folder_is_known() {
        for name in [".git", ".GIT", ".Git.", ".git ", "GIT~1", ".g\u{200c}it", ".git::$INDEX_ALLOCATION"] {
            assert!(is_git(name), "{name}");
        }
        for name in [".gitignore", "git", "x.git", ".github"] {
            assert!(!is_git(name), "{name}");
        }
    }

    #[test]
    fn two_spellings_of_one_path_are_found() {
        let mut spellings = Spellings::default();
        for (path, other) in [
            ("Notes/a.md", None),
            ("Notes/b.md", None),
            ("Notes/A.md", Some("Notes/a.md")),
            ("notes/c.md", Some("Notes")),
            ("caf\u{e9}", None),
            ("cafe\u{301}", Some("caf\u{e9}")),
        ] {
            assert_eq!(spellings.add(path).as_deref(), other, "{path}");
        }
    }
}
