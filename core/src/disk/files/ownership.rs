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
    /// they could exchange what is in it between a look at it and its use. A folder that does not exist yet is one of the
    /// folder that it is created in. `is_own` decides whose files are the current user's.
    ///
    /// # Errors
    /// `IOError` that names the folder and says what to do.
    pub(crate) fn check_owners(&self, folder: &Path, is_own: &dyn Fn(u32) -> bool) -> Result<()> {
        let mut rest = folder.to_owned();
        for _ in 0..MAX_LINKS {
            match self.first_link(&rest, is_own)? {
                Some(further) => rest = further,
                None => return Ok(()),
            }
        }
        Err(Error::io("use the folder", folder, &io::Error::other("it leads through too many links")))
    }

    /// Checks the folders on a path up to the first link, and returns the path that this link stands for.
    fn first_link(&self, path: &Path, is_own: &dyn Fn(u32) -> bool) -> Result<Option<PathBuf>> {
        let mut way = PathBuf::new();
        let mut names = path.components();
        while let Some(name) = names.next() {
            way.push(name);
            let Some(stat) = self.stat_plain(&way)? else { break };
            if stat.owner != ROOT && !is_own(stat.owner) {
                let what = format!("it belongs to another user ({}); use another folder, or chown it", stat.owner);
                return Err(Error::io("use the folder", &way, &io::Error::other(what)));
            }
            if stat.kind == Kind::Link {
                let target =
                    if_there(self.fs.read_link(&way)).map_err(|cause| Error::io("read the link", &way, &cause))?;
                way.pop();
                return Ok(target.map(|target| way.join(target).join(names.as_path())));
            }
            if is_shared(&stat) {
                let what = "other users can write to it; use another folder, or chmod go-w it";
                return Err(Error::io("use the folder", &way, &io::Error::other(what)));
            }
        }
        Ok(None)
    }
}

/// True if other users can exchange what is in a folder. The group of the same number as its owner has no other members on
/// systems that make one for each user, where folders are writable by it.
fn is_shared(stat: &Stat) -> bool {
    let by_group = stat.mode & WRITABLE_BY_GROUP != 0 && stat.group != stat.owner && stat.group != ROOT;
    (by_group || stat.mode & WRITABLE_BY_OTHERS != 0) && stat.mode & STICKY == 0
}
