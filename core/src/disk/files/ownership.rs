//! Folders that other users of the machine could exchange.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::disk::fs::seam::{Kind, Stat, if_there};
use crate::error::{Error, Result};

const WRITABLE_BY_GROUP: u32 = 0o020;
const WRITABLE_BY_OTHERS: u32 = 0o002;
/// In such a folder, only its owner can remove or rename an entry.
const STICKY: u32 = 0o1000;
const ROOT: u32 = 0;
/// How many links a path may lead through.
const MAX_LINKS: usize = 40;

impl Disk {
    /// Refuses a folder that users other than the current one and root own or can write to, or reach through such a folder:
    /// they could exchange what is in it between a look at it and its use. `is_own` decides whose files are the current user's.
    ///
    /// Returns whether the folder exists. One that does not is of the folder that it will be created in; where that is a shared
    /// one, another user may create it first, so it has to be checked again once it exists, before anything in it is opened.
    ///
    /// # Errors
    /// `IOError` that names the folder and says what to do.
    pub(crate) fn check_owners(&self, folder: &Path, is_own: &dyn Fn(u32) -> bool) -> Result<bool> {
        let mut rest = folder.to_owned();
        for _ in 0..MAX_LINKS {
            match self.follow(&rest, is_own)? {
                Way::Link(further) => rest = further,
                Way::Whole => return Ok(true),
                Way::Missing => return Ok(false),
            }
        }
        Err(Error::io("use the folder", folder, &io::Error::other("it leads through too many links")))
    }

    /// Checks the folders on a path up to the first link.
    fn follow(&self, path: &Path, is_own: &dyn Fn(u32) -> bool) -> Result<Way> {
        let mut way = PathBuf::new();
        let mut names = path.components();
        while let Some(name) = names.next() {
            way.push(name);
            let Some(stat) = self.stat_plain(&way)? else { return Ok(Way::Missing) };
            if stat.owner != ROOT && !is_own(stat.owner) {
                let what = format!("it belongs to another user ({}); use another folder, or chown it", stat.owner);
                return Err(Error::io("use the folder", &way, &io::Error::other(what)));
            }
            if stat.kind == Kind::Link {
                let target =
                    if_there(self.fs.read_link(&way)).map_err(|cause| Error::io("read the link", &way, &cause))?;
                way.pop();
                return Ok(target.map_or(Way::Missing, |target| Way::Link(way.join(target).join(names.as_path()))));
            }
            if is_shared(&stat) {
                let what = "other users can write to it; use another folder, or chmod go-w it";
                return Err(Error::io("use the folder", &way, &io::Error::other(what)));
            }
        }
        Ok(Way::Whole)
    }
}

/// Where a path leads.
enum Way {
    /// To an entry.
    Whole,
    /// Through a link, to this path.
    Link(PathBuf),
    /// To an entry that does not exist.
    Missing,
}

/// True if other users can exchange what is in a folder. The group of the same number as its owner has no other members on
/// systems that make one for each user, where folders are writable by it.
fn is_shared(stat: &Stat) -> bool {
    let by_group = stat.mode & WRITABLE_BY_GROUP != 0 && stat.group != stat.owner && stat.group != ROOT;
    (by_group || stat.mode & WRITABLE_BY_OTHERS != 0) && stat.mode & STICKY == 0
}
