//! Contents of files, in the repository or only in memory until a commit needs them.

use std::collections::HashMap;

use git2::Oid;

use super::folder::{File, total};
use crate::branch::config::glob::Patterns;
use crate::branch::repository::objects::{Item, Objects, Tree, id_of};
use crate::error::Result;

/// The contents in a repository, and those that are not stored there yet.
pub(crate) struct Contents<'o> {
    objects: &'o Objects,
    added: HashMap<Oid, Vec<u8>>,
}

impl<'o> Contents<'o> {
    /// Those in the repository.
    pub(crate) fn new(objects: &'o Objects) -> Self {
        Contents { objects, added: HashMap::new() }
    }

    /// Adds a content, in memory.
    pub(crate) fn add(&mut self, content: Vec<u8>) -> Result<Oid> {
        let id = id_of(&content)?;
        if !self.objects.has(id) {
            self.added.insert(id, content);
        }
        Ok(id)
    }

    /// A content.
    pub(crate) fn get(&self, id: Oid) -> Result<Vec<u8>> {
        self.added.get(&id).map_or_else(|| self.objects.content(id), |content| Ok(content.clone()))
    }

    /// The size of the content of a file, in bytes.
    pub(crate) fn size(&self, item: &Item) -> Result<u64> {
        self.added.get(&item.id).map_or_else(|| self.objects.size(item), |content| Ok(content.len() as u64))
    }

    /// The files of a tree that are kept, with their sizes, sorted by path.
    pub(crate) fn kept(&self, tree: &Tree, patterns: &Patterns) -> Result<Vec<File>> {
        let files = tree.iter().filter(|(path, item)| item.is_file() && patterns.take(path));
        files.map(|(path, item)| Ok(File { path: path.clone(), size: self.size(item)? })).collect()
    }

    /// The size of the files of a tree that are kept, in bytes.
    pub(crate) fn total_size(&self, tree: &Tree, patterns: &Patterns) -> Result<u64> {
        Ok(total(self.kept(tree, patterns)?.iter().map(|file| file.size)))
    }

    /// Stores the contents of `tree`.
    pub(crate) fn store(&self, tree: &Tree) -> Result<()> {
        let needed = tree.values().filter_map(|item| self.added.get(&item.id));
        needed.map(|content| self.objects.write(content)).collect::<Result<Vec<_>>>().map(drop)
    }
}
