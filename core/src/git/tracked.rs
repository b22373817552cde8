//! The paths that git tracks, from its index. Objects are not read.

use std::path::Path;

use crate::disk::Disk;

/// The lengths of an object id, in bytes: SHA-1 and SHA-256.
const IDS: [usize; 2] = [20, 32];
/// The largest index that is read, in bytes.
const MAX_INDEX_BYTES: u64 = 256 << 20;
/// The mode of a regular file, and the bits that tell the kind.
const REGULAR: u32 = 0o100_000;
const KIND: u32 = 0o170_000;
/// The bit of an entry's flags that says that more flags follow.
const EXTENDED: u16 = 0x4000;
/// Seconds, ids and sizes before the mode; and the bytes of the stat in all.
const MODE_AT: usize = 24;
const STAT: usize = 40;
/// A longer path cannot be opened. Without a limit, each entry of version 4 could be longer than the index.
const MAX_PATH_BYTES: usize = 4_096;

/// The paths of the regular files that the repository with this git directory tracks, relative to its work tree; `None` if
/// its index cannot be read.
pub(crate) fn tracked_files(disk: &Disk, git_dir: &Path) -> Option<Vec<Vec<u8>>> {
    match disk.read_foreign(&git_dir.join("index"), MAX_INDEX_BYTES) {
        Ok(None) => Some(Vec::new()),
        Ok(Some(index)) => IDS.iter().find_map(|id| tracked_paths(&index, *id)),
        Err(_) => None,
    }
}

/// The paths of the regular files in the bytes of an index, relative to the work tree; `None` if the index is damaged or of an
/// unknown version. `id` is the length of an object id, in bytes.
fn tracked_paths(bytes: &[u8], id: usize) -> Option<Vec<Vec<u8>>> {
    let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let version = number(4).filter(|version| bytes.starts_with(b"DIRC") && (2..=4).contains(version))?;
    let mut paths: Vec<Vec<u8>> = Vec::new();
    let (mut at, mut last) = (12, Vec::new());
    for _ in 0..number(8)? {
        let start = at;
        let mode = number(start + MODE_AT)?;
        at = start + STAT + id;
        let flags = u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?);
        at += if flags & EXTENDED != 0 { 4 } else { 2 };
        let path = if version == 4 {
            let (stripped, length) = stripped(bytes.get(at..)?)?;
            at += length;
            let kept = last.len().checked_sub(stripped)?;
            let suffix = until_nul(bytes.get(at..)?)?;
            at += suffix.len() + 1;
            [last.get(..kept)?, suffix].concat()
        } else {
            let path = until_nul(bytes.get(at..)?)?;
            // Padded with at least one NUL to a multiple of eight bytes.
            at = start + (at + path.len() - start + 8) / 8 * 8;
            path.to_vec()
        };
        if path.len() > MAX_PATH_BYTES {
            return None;
        }
        last.clone_from(&path);
        // Git has no other paths in an index; one with these was made to mislead.
        if mode & KIND == REGULAR && path.split(|byte| *byte == b'/').all(is_step) {
            paths.push(path);
        }
    }
    Some(paths)
}

/// Whether a step of a path stays inside the work tree, and outside git's own folder.
fn is_step(step: &[u8]) -> bool {
    !step.is_empty() && step != b"." && step != b".." && !step.eq_ignore_ascii_case(b".git")
}

fn until_nul(bytes: &[u8]) -> Option<&[u8]> {
    bytes.get(..memchr::memchr(0, bytes)?)
}

/// How many bytes of the path before are not part of this one, and the length of that number.
fn stripped(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (index, byte) in bytes.iter().enumerate().take(9) {
        value = value.checked_shl(7)? | usize::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the test runs git in a folder of its own")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_tracked_files_are_those_that_git_lists_in_every_version_of_its_index() {
        let folder = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| {
            let output = std::process::Command::new("git").args(args).current_dir(folder.path()).output().unwrap();
            assert!(output.status.success(), "{args:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        git(&["init", "-q"]);
        for path in ["a", "src/lib.rs", "src/library/mod.rs", "src/library/model.rs", "z"] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        git(&["add", "."]);
        // An entry with more flags.
        git(&["update-index", "--skip-worktree", "z"]);
        let expected: Vec<Vec<u8>> =
            git(&["ls-files"]).lines().filter(|path| *path != "link").map(|path| path.as_bytes().to_vec()).collect();
        for version in ["2", "4"] {
            git(&["update-index", "--index-version", version]);
            let bytes = std::fs::read(folder.path().join(".git/index")).unwrap();
            assert_eq!(tracked_paths(&bytes, 20).unwrap(), expected, "version {version}");
            for end in 0..bytes.len() {
                let _ = tracked_paths(&bytes[..end], 20);
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(rest in prop::collection::vec(any::<u8>(), 0..200), version in 0..6_u8) {
            let bytes = [b"DIRC\0\0\0".as_slice(), &[version], &rest].concat();
            let _ = tracked_paths(&bytes, 20);
        }
    }
}
