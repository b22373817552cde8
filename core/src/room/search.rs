//! What a room provides to a search over all of them.

use std::borrow::Cow;

use super::owner::Owner;
use crate::ranking::Prompt;

/// A record as a search ranks and shows it.
#[derive(Debug, Clone)]
pub struct Findable {
    /// What it belongs to.
    pub owner: Owner,
    /// Its kind: `note`.
    pub kind: Cow<'static, str>,
    /// Its id.
    pub id: String,
    /// Its title; empty if it has none.
    pub title: String,
    /// Its text.
    pub text: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The files that it is about.
    pub files: Vec<String>,
    /// When it was changed last, RFC 3339.
    pub time: Option<String>,
}

impl Findable {
    /// One of this kind that belongs to `owner`, without a title.
    pub(crate) fn new(owner: Owner, kind: impl Into<Cow<'static, str>>, id: impl Into<String>, text: String) -> Self {
        let (title, tags, files) = (String::new(), Vec::new(), Vec::new());
        Findable { owner, kind: kind.into(), id: id.into(), title, text, tags, files, time: None }
    }
}

/// What is looked for, by a room whose records are not those of an archive.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'s> {
    /// The text.
    pub prompt: &'s Prompt,
    /// Whether what belongs to other repositories is found too.
    pub all: bool,
    /// The number of records that are worth being ranked.
    pub most: usize,
    /// Whether files of the repository are left out.
    pub records_only: bool,
}
