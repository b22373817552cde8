//! Durable files: atomic replace, append, locks, and one trait over the system calls.
//!
//! A [`DocumentFile`] is one JSON document that is replaced as a whole; a [`JournalFile`] is a list of JSON lines that
//! grows at its end; a [`Folder`] holds values and lists that change together. All promise:
//!
//! - A write that returned `Ok` survives kill -9 and power loss. Any other write is either fully applied or not at all.
//! - Writers of all processes take the same advisory lock (`NAME.lock`, through the turnstile `NAME.gate`) in order of
//!   arrival, with a time-out; the error names the holder.
//! - A file that does not parse is never overwritten, and fields unknown to this version are preserved. Only `examine`
//!   repairs such a file, when asked to, and keeps a copy of it first.
//! - Text from a host is accepted only as [`Sealed`](crate::safety::Sealed).
//!
//! Every system call goes through [`Fs`], so that tests can record each of them or make it fail.
//!
//! `fs` is that seam, `locks` orders the callers, `files` holds the kinds of data files, and `repair` recovers damaged
//! ones. Each needs only those before it.

mod files;
mod fs;
mod locks;
mod repair;

pub use files::disk::{Disk, Policy};
pub use files::document::{Document, DocumentFile, DocumentSchema, Edit, RecordIndex};
pub use files::folder::{Folder, FolderEdit, FolderTransaction};
pub use files::journal::{Journal, JournalEdit, JournalFile, Limits, Line};
pub use files::plain_files::UserFile;
pub use files::record::RecordFile;
pub use files::stored::{Json, Raw, Reader, Recorded, Row, Stored};
pub use fs::per_process::PerProcess;
pub use fs::real::RealFs;
pub use fs::seam::{Fs, Handle, Kind, Stat};
#[cfg(feature = "testing")]
pub use fs::seam::{Open, Process, Sync};
pub use locks::lease::Lease;
pub use locks::lock::Guard;
pub use locks::queue::Mode;
pub use locks::wait::{Cancel, Ticket, TicketQueue, WaitOptions};

pub use crate::safety::Fields;

pub(crate) use files::disk::ForeignReader;
pub(crate) use files::line_file::{LineFile, read_record};
pub(crate) use files::line_snapshot::{LineEdit, LineIndex, LineRef, LineSnapshot};
pub(crate) use files::lines::read_line;
pub(crate) use files::plain_files::FileChange;
pub(crate) use files::text::{refuse_newer, without_mark};
pub(crate) use files::value::{read_value, with_value};
pub(crate) use files::work_tree::{Epoch, Moment, Stamp};
pub(crate) use fs::per_process::Recent;
pub(crate) use fs::writing::{Introduction, beside};
pub(crate) use locks::backoff::Backoff;
pub(crate) use locks::queue::Deadline;
pub(crate) use repair::file_check::{Listing, not_a_file, quarantined};
pub(crate) use repair::inspection::{DamageList, Inspection, Repair, counted, reason};
