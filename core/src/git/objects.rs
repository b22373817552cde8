//! The objects of a repository that anyone may have made, read without libgit2 (features `history` and `branch`).
//!
//! libgit2 trusts packs and their indexes, and unpacks what they claim: a flipped bit in one ends the process, and a few kilobytes
//! may unpack to all of its memory. Here every number is checked before it is used, every object and everything that it is a
//! difference to is of bounded size, and all of them together are a bounded amount of work. Only regular files are read. A
//! `multi-pack-index` is not needed: each pack has an index of its own.
//!
//! Files are read directly, as git's own are, and not through `disk`: nothing here is written or has to be durable.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "git's objects are files of git")]

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use flate2::bufread::ZlibDecoder;

use super::path_of;
use crate::error::Result;

/// The id of an object.
pub(crate) type ObjectId = [u8; ID];

const ID: usize = 20;
/// Magic and version of an index, and the sizes of its tables: the counts by first byte, and per object an id, a checksum and an
/// offset.
const INDEX_MAGIC: &[u8; 8] = b"\xfftOc\0\0\0\x02";
const FANOUT_AT: u64 = 8;
const IDS_AT: u64 = FANOUT_AT + 256 * 4;
const PER_OBJECT: u64 = ID as u64 + 4 + 4;
/// The checksums at the end of an index, and of a pack.
const INDEX_TRAILER: u64 = 2 * ID as u64;
const PACK_TRAILER: u64 = ID as u64;
/// The header of a pack.
const PACK_HEADER: u64 = 12;
/// The bit of an offset that is in the table of large ones.
const LARGE: u32 = 1 << 31;
/// The number of packs, and of those whose index is open all the time; git joins them when there are fifty.
const MAX_PACKS: usize = 4_096;
const MAX_OPEN: usize = 64;
/// The number of folders with objects, and how many alternates lead to one.
const MAX_FOLDERS: usize = 16;
const MAX_ALTERNATES_BYTES: u64 = 64 << 10;
/// The number of objects of which one is a difference to the next; git makes at most 4,095.
const MAX_CHAIN: usize = 4_095;
/// The largest header of an object in a file of its own.
const MAX_HEADER: usize = 32;
/// The sizes of objects that are kept for those which are differences to them, in bytes.
const MAX_KEPT: usize = 256 << 10;
const MAX_KEPT_IN_ALL: u64 = 16 << 20;
/// What an object costs in addition to its bytes.
const COST: u64 = 256;

/// The kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// An object: its kind and content.
type Object = (ObjectKind, Rc<[u8]>);

/// The bounds of what is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectLimits {
    /// The largest object, in bytes.
    pub(crate) object: u64,
    /// All of them, in bytes that are unpacked or passed on.
    pub(crate) work: u64,
}

/// The objects of a repository.
pub(crate) struct ObjectStore<'c> {
    check: &'c dyn Fn() -> Result<()>,
    limits: ObjectLimits,
    /// The folders of loose objects.
    folders: Vec<PathBuf>,
    packs: Vec<Pack>,
    /// By pack and offset.
    kept: HashMap<(usize, u64), Object>,
    kept_bytes: u64,
}

impl<'c> ObjectStore<'c> {
    /// Opens the objects in the folder `objects`, and in those that its alternates name. Packs that are damaged, and those beyond
    /// a limit, are left out. `check` is called before each object is read.
    pub(crate) fn open(objects: &Path, limits: ObjectLimits, check: &'c dyn Fn() -> Result<()>) -> Self {
        let folders = with_alternates(objects);
        let mut store = ObjectStore { check, limits, folders, packs: Vec::new(), kept: HashMap::new(), kept_bytes: 0 };
        store.refresh();
        store
    }

    /// Opens packs that were added. Returns whether there are any.
    pub(crate) fn refresh(&mut self) -> bool {
        let before = self.packs.len();
        for path in self.folders.iter().flat_map(|folder| packs_in(&folder.join("pack"))) {
            if self.packs.len() < MAX_PACKS && !self.packs.iter().any(|pack| pack.path == path) {
                let stays_open = self.packs.len() < MAX_OPEN;
                self.packs.extend(Pack::open(&path, stays_open).ok().flatten());
            }
        }
        self.packs.len() > before
    }

    /// The ids of the objects in packs.
    #[cfg(feature = "branch")]
    pub(crate) fn packed_ids(&self) -> Vec<ObjectId> {
        self.packs.iter().flat_map(|pack| (0..pack.count()).map_while(|at| pack.id(at).ok())).collect()
    }

    /// Returns whether there is an object of this id, which may be damaged.
    #[cfg(feature = "branch")]
    pub(crate) fn contains(&self, id: &ObjectId) -> bool {
        let is_packed = |pack: &Pack| pack.find(id).is_ok_and(|found| found.is_some());
        let loose = loose_name(id);
        self.packs.iter().any(is_packed) || self.folders.iter().any(|folder| regular(&folder.join(&loose)).is_ok())
    }

    /// The kind and the size of an object, of which little is read; `None` as for [`read`](Self::read).
    ///
    /// # Errors
    /// Those of `check`.
    #[cfg(feature = "branch")]
    pub(crate) fn size(&mut self, id: &ObjectId) -> Result<Option<u64>> {
        (self.check)()?;
        for pack in 0..self.packs.len() {
            let Some(pack) = self.packs.get(pack) else { continue };
            let Some(offset) = pack.find(id).ok().flatten() else { continue };
            if let Some(size) = pack.size_at(offset) {
                return Ok(Some(size));
            }
        }
        let loose = loose_name(id);
        Ok(self.folders.iter().find_map(|folder| loose_header(&folder.join(&loose))).map(|(_, size, _)| size))
    }

    /// An object; `None` if it is missing, damaged or too large, or the work is done.
    ///
    /// # Errors
    /// Those of `check`.
    pub(crate) fn read(&mut self, id: &ObjectId) -> Result<Option<Object>> {
        for pack in 0..self.packs.len() {
            let place = self.packs.get(pack).and_then(|it| it.find(id).ok().flatten());
            if let Some(offset) = place
                && let Some(found) = self.packed(pack, offset)?
            {
                return Ok(Some(found));
            }
        }
        for folder in 0..self.folders.len() {
            (self.check)()?;
            if let Some(found) = self.loose(folder, id) {
                return Ok(Some(found));
            }
        }
        // To look for one that is missing is work, too.
        let _ = self.work(0);
        Ok(None)
    }

    /// Takes so many bytes of the work that is left; `None` if that was all.
    fn work(&mut self, bytes: u64) -> Option<()> {
        self.limits.work = self.limits.work.checked_sub(bytes.saturating_add(COST))?;
        Some(())
    }

    fn loose(&mut self, folder: usize, id: &ObjectId) -> Option<Object> {
        let path = self.folders.get(folder)?.join(loose_name(id));
        let (kind, size, content) = loose_header(&path).filter(|(_, size, _)| *size <= self.limits.object)?;
        self.work(size)?;
        Some((kind, exactly(content, size)?.into()))
    }

    /// The object at an offset of a pack: the differences that lead to it, from the last one to the whole object that they
    /// begin with.
    fn packed(&mut self, pack: usize, offset: u64) -> Result<Option<Object>> {
        let (mut at, mut differences, mut pending) = (offset, Vec::new(), 0);
        let whole = loop {
            (self.check)()?;
            if let Some(kept) = self.kept.get(&(pack, at)) {
                break kept.clone();
            }
            match self.entry(pack, at) {
                Some(Entry::Whole(kind, content)) => break (kind, content.into()),
                Some(Entry::Difference { base, content }) => {
                    pending += content.len() as u64;
                    differences.push((at, content));
                    at = base;
                }
                None => return Ok(None),
            }
            if differences.len() > MAX_CHAIN || pending > self.limits.object {
                return Ok(None);
            }
        };
        let (kind, mut content) = whole;
        if self.work(content.len() as u64).is_none() {
            return Ok(None);
        }
        self.keep(pack, at, kind, &content);
        for (at, difference) in differences.into_iter().rev() {
            (self.check)()?;
            let Some(applied) = self.applied(&content, &difference) else { return Ok(None) };
            content = applied.into();
            self.keep(pack, at, kind, &content);
        }
        Ok(Some((kind, content)))
    }

    fn keep(&mut self, pack: usize, at: u64, kind: ObjectKind, content: &Rc<[u8]>) {
        if content.len() > MAX_KEPT {
            return;
        }
        if self.kept_bytes > MAX_KEPT_IN_ALL {
            self.kept.clear();
            self.kept_bytes = 0;
        }
        if self.kept.insert((pack, at), (kind, Rc::clone(content))).is_none() {
            self.kept_bytes += content.len() as u64 + COST;
        }
    }

    /// What a pack has at an offset.
    fn entry(&mut self, pack: usize, at: u64) -> Option<Entry> {
        let Header { kind, size, base, content } = self.packs.get(pack)?.header(at)?;
        if size > self.limits.object {
            return None;
        }
        self.work(size)?;
        let content = exactly(content, size)?;
        Some(match kind {
            1 => Entry::Whole(ObjectKind::Commit, content),
            2 => Entry::Whole(ObjectKind::Tree, content),
            3 => Entry::Whole(ObjectKind::Blob, content),
            4 => Entry::Whole(ObjectKind::Tag, content),
            _ => Entry::Difference { base: base?, content },
        })
    }

    /// What a difference makes of `base`: a list of parts of it, and of new bytes.
    fn applied(&mut self, base: &[u8], difference: &[u8]) -> Option<Vec<u8>> {
        let mut rest = difference;
        if size_of(&mut rest)? != base.len() as u64 {
            return None;
        }
        let size = size_of(&mut rest).filter(|size| *size <= self.limits.object)?;
        self.work(size)?;
        let mut applied = Vec::new();
        while let Some(code) = byte_of(&mut rest) {
            if code & 0x80 == 0 {
                let (new, behind) = rest.split_at_checked(usize::from(code)).filter(|_| code != 0)?;
                applied.extend_from_slice(new);
                rest = behind;
            } else {
                let mut number = |bits: std::ops::Range<u8>| -> Option<usize> {
                    let mut number = 0;
                    for (place, bit) in bits.enumerate() {
                        if code & 1 << bit != 0 {
                            number |= usize::from(byte_of(&mut rest)?) << (8 * place);
                        }
                    }
                    Some(number)
                };
                let (start, length) = (number(0..4)?, number(4..7)?);
                let length = if length == 0 { 1 << 16 } else { length };
                applied.extend_from_slice(base.get(start..start.checked_add(length)?)?);
            }
            if applied.len() as u64 > size {
                return None;
            }
        }
        (applied.len() as u64 == size).then_some(applied)
    }
}

/// What a pack has at an offset.
enum Entry {
    Whole(ObjectKind, Vec<u8>),
    /// What an object at the offset `base` has to be changed by.
    Difference {
        base: u64,
        content: Vec<u8>,
    },
}

/// What comes before the content of an object in a pack.
struct Header {
    kind: u8,
    /// The size of the content.
    size: u64,
    /// The offset of the object to which the content is a difference.
    base: Option<u64>,
    content: ZlibDecoder<BufReader<File>>,
}

/// A pack with its index.
struct Pack {
    path: PathBuf,
    /// Its size without the checksum at its end.
    end: u64,
    /// `None` if it is opened each time.
    index: Option<File>,
    /// How many objects there are up to each first byte of their ids.
    fanout: Vec<u32>,
    /// The number of large offsets.
    large: u64,
}

impl Pack {
    /// The pack at `path`; `None` if it or its index is damaged.
    fn open(path: &Path, stays_open: bool) -> io::Result<Option<Pack>> {
        let (data, index) = (regular(path)?, regular(&path.with_extension("idx"))?);
        let (size, index_size) = (data.metadata()?.len(), index.metadata()?.len());
        let Some(least) = index_size.checked_sub(IDS_AT + INDEX_TRAILER) else { return Ok(None) };
        let Some(end) = size.checked_sub(PACK_TRAILER).filter(|end| *end >= PACK_HEADER) else { return Ok(None) };
        let fanout: Vec<u32> = bytes_at::<{ 256 * 4 }>(&index, FANOUT_AT)?.chunks_exact(4).map(number).collect();
        let count = fanout.last().copied().unwrap_or_default();
        let header = bytes_at::<12>(&data, 0)?;
        let large = least.checked_sub(u64::from(count) * PER_OBJECT).filter(|rest| rest % 8 == 0);
        let is_valid = bytes_at(&index, 0)? == *INDEX_MAGIC
            && fanout.is_sorted()
            && header.starts_with(b"PACK\0\0\0")
            && header.get(8..).map(number) == Some(count)
            && bytes_at::<ID>(&data, end)? == bytes_at::<ID>(&index, index_size - INDEX_TRAILER)?;
        let index = Some(index).filter(|_| stays_open);
        let pack = |large| Pack { path: path.to_owned(), end, index, fanout, large: large / 8 };
        Ok(large.filter(|_| is_valid).map(pack))
    }

    fn count(&self) -> u64 {
        u64::from(self.fanout.last().copied().unwrap_or_default())
    }

    /// Bytes of the index.
    fn indexed<const LENGTH: usize>(&self, offset: u64) -> io::Result<[u8; LENGTH]> {
        match &self.index {
            Some(index) => bytes_at(index, offset),
            None => bytes_at(&regular(&self.path.with_extension("idx"))?, offset),
        }
    }

    fn id(&self, at: u64) -> io::Result<ObjectId> {
        self.indexed(IDS_AT + at * ID as u64)
    }

    /// The offset of an object; `None` if it is not in the pack.
    fn find(&self, id: &ObjectId) -> io::Result<Option<u64>> {
        let first = usize::from(id[0]);
        let upto = |first: usize| self.fanout.get(first).map_or(0, |count| u64::from(*count));
        let (mut low, mut high) = (first.checked_sub(1).map_or(0, upto), upto(first));
        while low < high {
            let middle = low.midpoint(high);
            match self.id(middle)?.cmp(id) {
                std::cmp::Ordering::Equal => return self.offset(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// The offset of the object with this number; `None` if it is not in the pack.
    fn offset(&self, at: u64) -> io::Result<Option<u64>> {
        let offsets = IDS_AT + self.count() * (ID as u64 + 4);
        let offset = number(&self.indexed::<4>(offsets + at * 4)?);
        let offset = match offset & LARGE {
            0 => u64::from(offset),
            _ if u64::from(offset ^ LARGE) >= self.large => return Ok(None),
            _ => {
                let larges = offsets + self.count() * 4;
                u64::from_be_bytes(self.indexed(larges + u64::from(offset ^ LARGE) * 8)?)
            }
        };
        Ok(Some(offset).filter(|offset| (PACK_HEADER..self.end).contains(offset)))
    }

    /// What comes before a content.
    fn header(&self, at: u64) -> Option<Header> {
        let mut file = regular(&self.path).ok()?;
        file.seek(SeekFrom::Start(at)).ok()?;
        let mut file = BufReader::new(file);
        let first = byte_of(&mut file)?;
        let (mut size, mut shift, mut more) = (u64::from(first & 0x0f), 4, first & 0x80 != 0);
        while more {
            let byte = byte_of(&mut file)?;
            size |= u64::from(byte & 0x7f).checked_shl(shift).filter(|_| shift < 57)?;
            (shift, more) = (shift + 7, byte & 0x80 != 0);
        }
        let kind = first >> 4 & 7;
        let base = match kind {
            1..=4 => None,
            6 => {
                let mut byte = byte_of(&mut file)?;
                let mut back = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = byte_of(&mut file)?;
                    back = back.checked_add(1)?.checked_mul(128)? | u64::from(byte & 0x7f);
                }
                Some(at.checked_sub(back).filter(|base| back > 0 && *base >= PACK_HEADER)?)
            }
            7 => {
                let mut id = [0; ID];
                file.read_exact(&mut id).ok()?;
                Some(self.find(&id).ok()??)
            }
            _ => return None,
        };
        Some(Header { kind, size, base, content: ZlibDecoder::new(file) })
    }

    /// The size of the object at an offset; that of a difference says what it leads to.
    #[cfg(feature = "branch")]
    fn size_at(&self, at: u64) -> Option<u64> {
        let Header { size, base, mut content, .. } = self.header(at)?;
        if base.is_none() {
            return Some(size);
        }
        size_of(&mut content)?;
        size_of(&mut content)
    }
}

/// The folder `objects`, and those that its alternates name, without what is no regular file.
fn with_alternates(objects: &Path) -> Vec<PathBuf> {
    let (mut folders, mut next) = (vec![objects.to_owned()], 0);
    while let Some(folder) = folders.get(next).cloned() {
        next += 1;
        let mut text = Vec::new();
        let file = regular(&folder.join("info/alternates"));
        // Without alternates, there is nothing to add.
        let _ = file.and_then(|file| file.take(MAX_ALTERNATES_BYTES).read_to_end(&mut text));
        let named = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#"));
        for named in named.map(|line| folder.join(path_of(line))) {
            if folders.len() < MAX_FOLDERS && !folders.contains(&named) {
                folders.push(named);
            }
        }
    }
    folders
}

/// The packs in a folder, sorted.
fn packs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut packs: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|it| it == "pack")).collect();
    packs.sort_unstable();
    packs
}

/// Opens a regular file, without waiting for anything else.
fn regular(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// The path of a loose object in the folder of all.
fn loose_name(id: &ObjectId) -> PathBuf {
    let name: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let (folder, rest) = name.split_at_checked(2).unwrap_or_default();
    Path::new(folder).join(rest)
}

/// The kind and the size of a loose object, before its content.
fn loose_header(path: &Path) -> Option<(ObjectKind, u64, impl Read + use<>)> {
    let mut unpacked = ZlibDecoder::new(BufReader::new(regular(path).ok()?));
    let mut header = Vec::new();
    while !header.ends_with(b"\0") && header.len() < MAX_HEADER {
        header.push(byte_of(&mut unpacked)?);
    }
    let header = std::str::from_utf8(header.strip_suffix(b"\0")?).ok()?;
    let (kind, size) = header.split_once(' ')?;
    let kind = match kind {
        "commit" => ObjectKind::Commit,
        "tree" => ObjectKind::Tree,
        "blob" => ObjectKind::Blob,
        "tag" => ObjectKind::Tag,
        _ => return None,
    };
    Some((kind, size.parse().ok()?, unpacked))
}

/// Exactly so many bytes.
fn exactly(source: impl Read, size: u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    source.take(size.saturating_add(1)).read_to_end(&mut content).ok()?;
    (content.len() as u64 == size).then_some(content)
}

fn bytes_at<const LENGTH: usize>(file: &File, offset: u64) -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

fn byte_of(source: &mut impl Read) -> Option<u8> {
    let mut byte = [0];
    source.read_exact(&mut byte).ok()?;
    Some(byte[0])
}

/// A size at the beginning of a difference.
fn size_of(source: &mut impl Read) -> Option<u64> {
    let (mut size, mut shift) = (0, 0);
    loop {
        let byte = byte_of(source)?;
        size |= u64::from(byte & 0x7f).checked_shl(shift).filter(|_| shift < 57)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(size);
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

#[cfg(feature = "history")]
#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the tests run git in a folder of their own")]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;
    use proptest::strategy::ValueTree as _;

    use super::*;

    const LIMITS: ObjectLimits = ObjectLimits { object: 1 << 20, work: 64 << 20 };

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            let folder = Folder(tempfile::tempdir().unwrap());
            folder.git(&["init", "-q", "-b", "main"]);
            folder
        }

        fn git(&self, args: &[&str]) -> Vec<u8> {
            let who = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
            let git = Command::new("git").args(who).args(args).current_dir(self.0.path()).output().unwrap();
            assert!(git.status.success(), "{args:?}: {}", String::from_utf8_lossy(&git.stderr));
            git.stdout
        }

        /// Commits that differ little, so that git packs them as differences.
        fn commits(&self, count: usize) {
            for number in 0..count {
                let text: String =
                    (0..200).map(|line| format!("{line} {}\n", if line == number { "x" } else { "" })).collect();
                std::fs::write(self.0.path().join("some file"), text).unwrap();
                self.git(&["add", "-A"]);
                self.git(&["commit", "-qm", "one more"]);
            }
        }

        fn objects(&self) -> PathBuf {
            self.0.path().join(".git/objects")
        }

        /// The ids of all objects, as git lists them.
        fn ids(&self) -> Vec<String> {
            let list = self.git(&["cat-file", "--batch-check=%(objectname)", "--batch-all-objects"]);
            String::from_utf8(list).unwrap().lines().map(str::to_owned).collect()
        }

        /// Reads all objects, and compares them with those that git reads.
        fn compare(&self) {
            let mut store = ObjectStore::open(&self.objects(), LIMITS, &|| Ok(()));
            for id in self.ids() {
                let kind = String::from_utf8(self.git(&["cat-file", "-t", &id])).unwrap();
                let expected = self.git(&["cat-file", kind.trim(), &id]);
                let (found, content) = store.read(&raw(&id)).unwrap().unwrap();
                assert_eq!((format!("{found:?}\n").to_lowercase(), &*content), (kind, &*expected), "{id}");
            }
        }

        fn files(&self, ending: &str) -> Vec<PathBuf> {
            let all = std::fs::read_dir(self.objects().join("pack")).unwrap().map(|entry| entry.unwrap().path());
            all.filter(|path| path.to_str().unwrap().ends_with(ending)).collect()
        }
    }

    fn raw(hex: &str) -> ObjectId {
        let mut id = ObjectId::default();
        for (byte, at) in id.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        }
        id
    }

    #[test]
    fn objects_are_those_that_git_reads_wherever_they_are() {
        let folder = Folder::new();
        folder.commits(4);
        folder.git(&["tag", "-a", "-m", "tagged", "tag"]);
        folder.compare();
        folder.git(&["gc", "-q", "--aggressive"]);
        assert!(folder.ids().len() > 12);
        folder.compare();
        folder.commits(2);
        folder.git(&["repack", "-q", "-d", "--write-midx"]);
        folder.git(&["-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-d", "-f"]);
        folder.compare();
        // Another repository, whose objects are those of this one.
        let other = Folder(tempfile::tempdir_in(folder.0.path()).unwrap());
        other.git(&["clone", "-q", "--shared", folder.0.path().to_str().unwrap(), "."]);
        other.compare();
    }

    #[test]
    fn an_object_beyond_the_limits_is_not_read() {
        let folder = Folder::new();
        std::fs::write(folder.0.path().join("large"), "x".repeat(2 << 20)).unwrap();
        std::fs::write(folder.0.path().join("small"), "x".repeat(1 << 19)).unwrap();
        let id = |name: &str| raw(String::from_utf8(folder.git(&["hash-object", "-w", name])).unwrap().trim());
        let (large, small) = (id("large"), id("small"));
        for is_packed in [false, true] {
            if is_packed {
                folder.git(&["add", "-A"]);
                folder.git(&["commit", "-qm", "all"]);
                folder.git(&["gc", "-q"]);
            }
            let mut store = ObjectStore::open(&folder.objects(), LIMITS, &|| Ok(()));
            assert!(store.read(&large).unwrap().is_none() && store.read(&small).unwrap().is_some());
            let limits = ObjectLimits { work: 1 << 18, ..LIMITS };
            let mut store = ObjectStore::open(&folder.objects(), limits, &|| Ok(()));
            assert!(store.read(&small).unwrap().is_none());
        }
    }

    #[test]
    fn pipes_and_devices_in_the_place_of_files_are_not_read() {
        let folder = Folder::new();
        folder.commits(1);
        let ids = folder.ids();
        let loose = folder.objects().join(&ids[0][..2]).join(&ids[0][2..]);
        for path in [&*loose, &folder.objects().join("info/alternates"), &folder.objects().join("pack/pack-1.pack")] {
            let _ = std::fs::remove_file(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        }
        std::os::unix::fs::symlink("/dev/zero", folder.objects().join("pack/pack-1.idx")).unwrap();
        let mut store = ObjectStore::open(&folder.objects(), LIMITS, &|| Ok(()));
        assert!(store.read(&raw(&ids[0])).unwrap().is_none() && store.read(&raw(&ids[1])).unwrap().is_some());
    }

    #[test]
    fn any_damage_of_packs_and_indexes_is_survived() {
        let folder = Folder::new();
        folder.commits(3);
        folder.git(&["gc", "-q"]);
        folder.commits(3);
        folder.git(&["repack", "-q", "-d", "--write-midx"]);
        let ids: Vec<ObjectId> = folder.ids().iter().map(|id| raw(id)).collect();
        let read_all = || {
            let mut store = ObjectStore::open(&folder.objects(), LIMITS, &|| Ok(()));
            ids.iter().filter(|id| store.read(id).unwrap().is_some()).count()
        };
        assert_eq!(read_all(), ids.len());
        let files = [folder.files(".idx"), folder.files(".pack"), folder.files("multi-pack-index")].concat();
        assert!(files.len() >= 5, "{files:?}");
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        for path in files {
            let bytes = std::fs::read(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            let damage = (0..bytes.len(), 0..8_u8, any::<bool>());
            for _ in 0..100 {
                let (at, bit, is_cut) = damage.new_tree(&mut runner).unwrap().current();
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                if is_cut {
                    damaged.truncate(at);
                }
                std::fs::write(&path, damaged).unwrap();
                read_all();
            }
            std::fs::write(&path, bytes).unwrap();
        }
        assert_eq!(read_all(), ids.len());
    }
}
