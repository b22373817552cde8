//! Where folders are on this machine that were elsewhere on another one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, check_path};
use crate::repo::real_path;

/// Folders and where they are now, the longest first.
#[derive(Debug, Default)]
pub(super) struct PathMap(Vec<(PathBuf, PathBuf)>);

impl PathMap {
    /// Checks what the caller passed.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused`.
    pub(super) fn new(home: &Home, pairs: &[(PathBuf, PathBuf)]) -> Result<Self> {
        let mut map: Vec<(PathBuf, PathBuf)> = Vec::new();
        for (old, new) in pairs {
            for path in [old, new] {
                check_path("pathMap", path)?;
                home.admit_path("pathMap", path)?;
            }
            if !old.is_absolute() {
                let message =
                    format!("the old path {} in pathMap must be absolute, as repo.list shows it", old.display());
                return Err(Error::validation(message).at(old));
            }
            // Without a slash at its end.
            let old: PathBuf = old.components().collect();
            if map.iter().any(|(other, _)| *other == old) {
                return Err(Error::validation(format!("pathMap has {} twice", old.display())).at(&old));
            }
            map.push((old, real_path(home, new)?));
        }
        map.sort_by_key(|(old, _)| std::cmp::Reverse(old.as_os_str().len()));
        Ok(PathMap(map))
    }

    /// Where a folder is now.
    pub(super) fn now(&self, path: &Path) -> PathBuf {
        for (old, new) in &self.0 {
            if let Ok(rest) = path.strip_prefix(old) {
                return if rest.as_os_str().is_empty() { new.clone() } else { new.join(rest) };
            }
        }
        path.to_owned()
    }

    /// Refuses to bring two of these folders to one.
    ///
    /// # Errors
    /// `Conflict` that names both.
    pub(super) fn refuse_to_join<'p>(&self, folders: impl Iterator<Item = &'p Path>) -> Result<()> {
        let mut known: BTreeMap<PathBuf, &Path> = BTreeMap::new();
        for folder in folders {
            let now = self.now(folder);
            match known.get(&now) {
                Some(other) if *other != folder => {
                    let message = format!(
                        "{} and {} would both be {}; nothing was changed; map them to different folders, and adopt one from \
                         the other afterwards (loopmem repo adopt)",
                        other.display(),
                        folder.display(),
                        now.display()
                    );
                    return Err(Error::new(ErrorKind::Conflict, message).at(&now));
                }
                _ => drop(known.insert(now, folder)),
            }
        }
        Ok(())
    }
}
