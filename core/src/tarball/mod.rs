//! Tar files, compressed or not, in memory. They may come from anyone: what they unpack to is limited, and so are their names.

#[cfg(feature = "branch")]
use std::io::Write as _;
use std::io::{self, Read};

/// The most bytes of the contents of a tar file, which are in memory together.
pub(crate) const MAX_CONTENTS: u64 = 512 << 20;
/// The most bytes of a tar file, packed and unpacked: a few packed ones can be very many.
pub(crate) const MAX_BYTES: u64 = MAX_CONTENTS + (128 << 20);
/// The longest name of an entry, or other extension of one, in bytes.
const MAX_EXTENSION: u64 = 64 << 10;
/// A tar file may unpack to this many bytes, and this many times its own size more: a few kilobytes can expand to gigabytes.
const FREE_BYTES: u64 = 64 << 20;
const MAX_RATIO: u64 = 200;
/// The largest window of zstd, as a power of two.
const WINDOW: u32 = 27;
const ZSTD_LEVEL: i32 = 3;

/// How a tar file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    Zstd,
    #[cfg(feature = "branch")]
    Gzip,
    #[cfg(feature = "branch")]
    None,
}

/// The most bytes that a tar file of this size may unpack to.
pub(crate) fn most_unpacked(packed: u64) -> u64 {
    packed.saturating_mul(MAX_RATIO).saturating_add(FREE_BYTES).min(MAX_BYTES)
}

/// The tar file of these entries, by their names. The same entries give the same bytes.
///
/// # Errors
/// Those of the libraries.
pub(crate) fn pack<'e>(
    compression: Compression,
    entries: impl IntoIterator<Item = (String, &'e [u8])>,
) -> io::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        tar.append_data(&mut header, name, content)?;
    }
    let tar = tar.into_inner()?;
    match compression {
        Compression::Zstd => zstd::stream::encode_all(&*tar, ZSTD_LEVEL),
        #[cfg(feature = "branch")]
        Compression::Gzip => {
            let mut gzip = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::default());
            gzip.write_all(&tar)?;
            gzip.finish()
        }
        #[cfg(feature = "branch")]
        Compression::None => Ok(tar),
    }
}

/// Opens a tar file, whose entries may be of any kind and have any name.
///
/// # Errors
/// `InvalidData` and others for what is no such file; an error if the name of an entry is too long.
pub(crate) fn open<'b>(compression: Compression, bytes: &'b [u8]) -> io::Result<tar::Archive<impl Read + use<'b>>> {
    refuse_long_names(unpacked(compression, bytes)?)?;
    unpacked(compression, bytes)
}

fn unpacked<'b>(compression: Compression, bytes: &'b [u8]) -> io::Result<tar::Archive<impl Read + use<'b>>> {
    let unpacked: Box<dyn Read + 'b> = match compression {
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::new(bytes)?;
            decoder.window_log_max(WINDOW)?;
            Box::new(decoder)
        }
        #[cfg(feature = "branch")]
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(bytes)),
        #[cfg(feature = "branch")]
        Compression::None => Box::new(bytes),
    };
    Ok(tar::Archive::new(unpacked.take(most_unpacked(bytes.len() as u64))))
}

/// Refuses names and other extensions of entries that no file of loopmem has: the library would hold them whole.
fn refuse_long_names(mut tar: tar::Archive<impl Read>) -> io::Result<()> {
    for entry in tar.entries()?.raw(true) {
        let entry = entry?;
        let kind = entry.header().entry_type();
        let is_extension = kind.is_gnu_longname()
            || kind.is_gnu_longlink()
            || kind.is_pax_local_extensions()
            || kind.is_pax_global_extensions();
        if is_extension && entry.size() > MAX_EXTENSION {
            return Err(io::Error::other("the name of an entry is too long"));
        }
    }
    Ok(())
}

/// The content of an entry, and one byte more than `limit` if it is longer.
///
/// # Errors
/// Those of the libraries.
pub(crate) fn content(entry: &mut impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    entry.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    Ok(content)
}
