//! Resolving HEAD and refs to commits: loose files, symbolic links as made by old versions of git, and `packed-refs`.

use std::path::{Path, PathBuf};

use super::repository::Repository;
use super::{Files, MAX_LINE_FILE_BYTES, bytes_of, path_of, refused};
use crate::disk::{Handle, Kind};
use crate::error::Result;

/// The limit on chained symbolic refs, which is git's.
const MAX_SYMBOLIC: usize = 5;
/// The maximum size of `packed-refs`. It is never loaded as a whole.
const MAX_PACKED_BYTES: u64 = 256 << 20;
/// The size of reads from it; longer than any line.
const CHUNK: usize = 64 << 10;
/// The size of reads during the binary search.
const PROBE: usize = 16 << 10;

/// The state of HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// The branch, as bytes: names in git need not be UTF-8.
    pub(crate) branch: Option<Vec<u8>>,
    /// The commit in hex; `None` before the first one.
    pub(crate) commit: Option<String>,
    /// Whether it names a commit instead of a branch.
    pub(crate) detached: bool,
}

enum Ref {
    /// Another ref.
    Name(Vec<u8>),
    Commit(String),
    Missing,
}

impl Repository {
    /// Reads HEAD.
    ///
    /// # Errors
    /// `GitError` if it is missing, is neither a ref nor a commit, or leads to a ref that cannot be read; `Cancelled`.
    pub(crate) fn head(&self, files: &Files<'_>) -> Result<Head> {
        match self.read_ref(files, b"HEAD")? {
            Ref::Missing => Err(refused(&self.git_dir().join("HEAD"), "HEAD is missing; see `git status`")),
            Ref::Commit(commit) => Ok(Head { branch: None, commit: Some(commit), detached: true }),
            Ref::Name(name) => {
                let branch = name.strip_prefix(b"refs/heads/").unwrap_or(&name).to_owned();
                Ok(Head { branch: Some(branch), commit: self.commit_of_ref(files, &name)?, detached: false })
            }
        }
    }

    /// The commit of `branch`; `None` if it has none or the name is invalid.
    ///
    /// # Errors
    /// `GitError` if the ref cannot be read; `Cancelled`.
    pub(crate) fn commit_of_branch(&self, files: &Files<'_>, branch: &str) -> Result<Option<String>> {
        let name = format!("refs/heads/{branch}");
        if is_ref_name(name.as_bytes()) { self.commit_of_ref(files, name.as_bytes()) } else { Ok(None) }
    }

    /// The commit of a branch of `origin` as it was last fetched; `None` if there is none or the name is invalid.
    ///
    /// # Errors
    /// As [`commit_of_branch`](Self::commit_of_branch).
    pub(crate) fn commit_of_fetched_branch(&self, files: &Files<'_>, branch: &str) -> Result<Option<String>> {
        let name = format!("refs/remotes/origin/{branch}");
        if is_ref_name(name.as_bytes()) { self.commit_of_ref(files, name.as_bytes()) } else { Ok(None) }
    }

    /// The default branch: the one that `origin/HEAD` names, else `main` if there is one, else `master` if there is one,
    /// else `main`.
    ///
    /// # Errors
    /// `GitError` if a ref cannot be read; `Cancelled`.
    pub(crate) fn default_branch(&self, files: &Files<'_>) -> Result<String> {
        if let Ref::Name(name) = self.read_ref(files, b"refs/remotes/origin/HEAD")?
            && let Some(branch) = name.strip_prefix(b"refs/remotes/origin/")
            && let Ok(branch) = std::str::from_utf8(branch)
        {
            return Ok(branch.to_owned());
        }
        for branch in ["main", "master"] {
            if self.commit_of_branch(files, branch)?.is_some() {
                return Ok(branch.to_owned());
            }
        }
        Ok("main".to_owned())
    }

    fn commit_of_ref(&self, files: &Files<'_>, name: &[u8]) -> Result<Option<String>> {
        let mut name = name.to_owned();
        for _ in 0..MAX_SYMBOLIC {
            match self.read_ref(files, &name)? {
                Ref::Name(next) => name = next,
                Ref::Commit(commit) => return Ok(Some(commit)),
                Ref::Missing => return Ok(None),
            }
        }
        Err(refused(
            &self.file_of(&name),
            "this ref leads through more than 5 symbolic refs; check whether refs name each other",
        ))
    }

    /// Reads one ref without following it; the name is HEAD or satisfies [`is_ref_name`].
    fn read_ref(&self, files: &Files<'_>, name: &[u8]) -> Result<Ref> {
        let file = self.file_of(name);
        match files.stat_entry(&file)?.map(|stat| stat.kind) {
            // A folder contains the refs below this name.
            None | Some(Kind::Folder) => self.packed(files, name),
            Some(Kind::Link) => self.linked(files, &file),
            Some(Kind::File | Kind::Other) => match files.read(&file, MAX_LINE_FILE_BYTES)? {
                Some(text) => self.parse(&file, &text),
                // It was packed concurrently.
                None => self.packed(files, name),
            },
        }
    }

    /// The file of a ref: per-worktree refs are in the work tree's git directory, others in the common one.
    fn file_of(&self, name: &[u8]) -> PathBuf {
        let own: [&[u8]; 3] = [b"refs/worktree/", b"refs/bisect/", b"refs/rewritten/"];
        let is_own = name == b"HEAD" || own.iter().any(|own| name.starts_with(own));
        if is_own { self.git_dir() } else { self.common_dir() }.join(path_of(name))
    }

    fn parse(&self, file: &Path, text: &[u8]) -> Result<Ref> {
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        if let Some(name) = text.strip_prefix(b"ref:") {
            let name = name.trim_ascii();
            if !is_ref_name(name) {
                return Err(refused(file, "it does not name a valid ref; see `git status`"));
            }
            return Ok(Ref::Name(name.to_owned()));
        }
        let id = text.split(is_blank).next().unwrap_or_default();
        self.commit(id)
            .map(Ref::Commit)
            .ok_or_else(|| refused(file, "it names neither a ref nor a commit; see `git status`"))
    }

    fn commit(&self, id: &[u8]) -> Option<String> {
        let id = std::str::from_utf8(id).ok()?;
        let is_id = id.len() == self.id_length() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then(|| id.to_ascii_lowercase())
    }

    /// A link is accepted only if it leads to another ref of this repository. Other targets are not read.
    fn linked(&self, files: &Files<'_>, file: &Path) -> Result<Ref> {
        let Some(real) = files.canonical(file)? else {
            return Err(refused(file, "the target of this link does not exist; see `git status`"));
        };
        let within = [self.common_dir(), self.git_dir()].into_iter().find_map(|folder| real.strip_prefix(folder).ok());
        match within.map(bytes_of).filter(|name| is_ref_name(name)) {
            Some(name) => Ok(Ref::Name(name.to_owned())),
            None => Err(refused(file, "this link leads outside the repository's refs; replace it with a regular file")),
        }
    }

    fn packed(&self, files: &Files<'_>, name: &[u8]) -> Result<Ref> {
        // Only names below refs/ are packed.
        if !name.starts_with(b"refs/") {
            return Ok(Ref::Missing);
        }
        let path = self.common_dir().join("packed-refs");
        let Some((file, size)) = files.open(&path)? else { return Ok(Ref::Missing) };
        if size > MAX_PACKED_BYTES {
            return Err(refused(&path, &format!("it is larger than the limit of {MAX_PACKED_BYTES} bytes")));
        }
        let id = Packed { files, path: &path, file: &file, size, name }.find()?;
        match id {
            None => Ok(Ref::Missing),
            Some(id) => self.commit(&id).map(Ref::Commit).ok_or_else(|| malformed(&path)),
        }
    }
}

/// Whether it is a valid full name of a ref (`git check-ref-format`).
fn is_ref_name(name: &[u8]) -> bool {
    let is_bad = |byte: &u8| byte.is_ascii_control() || b" ~^:?*[\\".contains(byte);
    let is_part = |part: &[u8]| !part.is_empty() && !part.starts_with(b".") && !part.ends_with(b".lock");
    let has = |two: &[u8]| name.windows(2).any(|pair| pair == two);
    name.starts_with(b"refs/")
        && !name.iter().any(is_bad)
        && !has(b"..")
        && !has(b"@{")
        && !name.ends_with(b".")
        && name.split(|byte| *byte == b'/').all(is_part)
}

/// The search for one name in `packed-refs`.
struct Packed<'p> {
    files: &'p Files<'p>,
    path: &'p Path,
    file: &'p Handle,
    size: u64,
    name: &'p [u8],
}

impl Packed<'_> {
    /// Finds the id of the name, as written in the file.
    fn find(&self) -> Result<Option<Vec<u8>>> {
        let mut probe = vec![0; PROBE];
        let header = self.read(&mut probe, 0)?;
        let header = &header[..header.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1)];
        let traits = header.strip_prefix(b"# pack-refs with:").unwrap_or_default();
        let is_sorted = traits.split(u8::is_ascii_whitespace).any(|word| word == b"sorted");
        let (mut low, mut high) = (header.len() as u64, self.size);
        if !header.starts_with(b"#") {
            low = 0;
        }
        // `low` and `high` are at line starts.
        while is_sorted && high.saturating_sub(low) > CHUNK as u64 {
            let middle = low + (high - low) / 2;
            let part = self.read(&mut probe, middle)?;
            let Some((begin, line)) = line_within(part) else { break };
            let at = middle + begin as u64;
            if at >= high {
                break;
            }
            match name_of(line) {
                Some(name) if name == self.name => return Ok(id_of(line)),
                Some(name) if name < self.name => low = at,
                Some(_) => high = at,
                None => return Err(malformed(self.path)),
            }
        }
        self.scan(low, high)
    }

    /// Searches the lines that begin at `from` or later and before `end`.
    fn scan(&self, mut from: u64, end: u64) -> Result<Option<Vec<u8>>> {
        let wanted = [b" ", self.name].concat();
        let finder = memchr::memmem::Finder::new(&wanted);
        let mut chunk = vec![0; CHUNK];
        while from < end {
            let part = self.read(&mut chunk, from)?;
            let is_last = part.len() < CHUNK;
            let whole = match part.iter().rposition(|byte| *byte == b'\n') {
                _ if is_last => part,
                Some(last) => &part[..=last],
                None => return Err(malformed(self.path)),
            };
            // The end of the last line checked: a line may contain the name several times.
            let mut seen = 0;
            for at in finder.find_iter(whole) {
                if at < seen {
                    continue;
                }
                let begin = whole[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
                let line = whole[begin..].split(|byte| *byte == b'\n').next().unwrap_or_default();
                if name_of(line) == Some(self.name) {
                    return Ok(id_of(line));
                }
                seen = begin + line.len();
            }
            if is_last {
                break;
            }
            from += whole.len() as u64;
        }
        Ok(None)
    }

    fn read<'b>(&self, bytes: &'b mut [u8], offset: u64) -> Result<&'b [u8]> {
        let count = self.files.read_at(self.path, self.file, bytes, offset)?;
        Ok(&bytes[..count])
    }
}

/// The first complete line of a ref that begins in `part`, and its offset; `part` may begin in the middle of a line.
fn line_within(part: &[u8]) -> Option<(usize, &[u8])> {
    let mut begin = part.iter().position(|byte| *byte == b'\n')? + 1;
    loop {
        let length = part.get(begin..)?.iter().position(|byte| *byte == b'\n')?;
        let line = &part[begin..begin + length];
        // A line with the target of a tag is not a ref.
        if !line.starts_with(b"^") {
            return Some((begin, line));
        }
        begin += length + 1;
    }
}

fn name_of(line: &[u8]) -> Option<&[u8]> {
    let space = line.iter().position(|byte| *byte == b' ')?;
    Some(line[space + 1..].trim_ascii_end())
}

fn id_of(line: &[u8]) -> Option<Vec<u8>> {
    line.split(|byte| *byte == b' ').next().map(<[u8]>::to_owned)
}

fn malformed(path: &Path) -> crate::error::Error {
    refused(path, "it has an invalid line; see `git pack-refs`")
}

#[cfg(test)]
mod tests {
    use super::is_ref_name;

    #[test]
    fn names_that_lead_outside_refs_are_invalid() {
        for name in ["refs/heads/main", "refs/heads/a/b.c", "refs/x", "refs/heads/caf\u{e9}", "refs/heads/@"] {
            assert!(is_ref_name(name.as_bytes()), "{name}");
        }
        for name in [
            "HEAD",
            "refs/",
            "refs/../config",
            "refs/heads/../../x",
            "refs/heads/.x",
            "refs//x",
            "/refs/x",
            "refs/a b",
            "refs/a.lock",
            "refs/a\\b",
            "refs/a.",
            "refs/a@{b",
            "refs/a\nb",
            "refs/a/",
        ] {
            assert!(!is_ref_name(name.as_bytes()), "{name}");
        }
    }
}
