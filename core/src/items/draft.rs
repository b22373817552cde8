//! Drafts of items and changes to them: what a caller passes, checked and redacted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::expiry;
use super::record::{ItemType, RelevanceHints, Scope};
use crate::error::{Error, Result};
use crate::home::Home;
use crate::safety::{Admitted, Numbers, SealedObject, Timestamp, Trusted};
use crate::setters::strings;

/// The maximum number of tags, and of hints of each kind.
const MAX_LIST: usize = 100;
/// The maximum length of a tag or a hint, in bytes.
const MAX_WORD_BYTES: usize = 4_096;
/// The maximum length of the name of a session, in bytes.
const MAX_SESSION_BYTES: usize = 1_024;
/// The maximum number of dimensions of an embedding.
pub(super) const MAX_DIMENSIONS: usize = 16_384;
/// The fields that are redacted.
pub(super) const TEXTS: &[&str] = &["content", "tags", "relevance_hints"];

/// An item to store.
#[derive(Debug, Clone)]
pub struct ItemDraft {
    pub(super) scope: Scope,
    pub(super) item_type: ItemType,
    pub(super) content: ItemPatch,
}

/// A change to an item. A field that is omitted keeps its value; the empty string or list clears it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemPatch {
    /// What kind of memory it is.
    #[serde(rename = "type")]
    pub(super) item_type: Option<ItemType>,
    /// The memory, in one or a few sentences.
    pub(super) content: Option<String>,
    /// Tags to find it by.
    pub(super) tags: Option<Vec<String>>,
    /// When it is relevant.
    pub(super) relevance_hints: Option<RelevanceHints>,
    /// When it expires: an RFC 3339 time, or a duration from now such as `30d`. Empty: never.
    pub(super) expiry: Option<String>,
    /// The session that it was said in. Empty: none, and no position in it.
    pub(super) session: Option<String>,
    /// Its position in the session.
    pub(super) seq: Option<i64>,
    /// Its embedding vector. Empty: none.
    pub(super) embedding: Option<Vec<f32>>,
    /// Whether it may be recalled.
    pub(super) recallable: Option<bool>,
    #[serde(skip)]
    pub(super) is_forced: bool,
}

impl ItemDraft {
    /// An item of this type with this content.
    pub fn new(scope: Scope, item_type: ItemType, content: impl Into<String>) -> Self {
        ItemDraft { scope, item_type, content: ItemPatch::new().content(content) }
    }

    /// Where it applies.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    setters! {
        /// Tags to find it by.
        tags(tags: impl IntoIterator<Item: Into<String>>) => content.tags = strings(tags);
        /// When it is relevant.
        relevance_hints(hints: RelevanceHints) => content.relevance_hints = Some(hints);
        /// When it expires: an RFC 3339 time, or a duration from now such as `30d`.
        expiry(expiry: impl Into<String>) => content.expiry = Some(expiry.into());
        /// The session that it was said in.
        session(session: impl Into<String>) => content.session = Some(session.into());
        /// Its position in the session.
        seq(seq: i64) => content.seq = Some(seq);
        /// Its embedding vector.
        embedding(embedding: impl Into<Vec<f32>>) => content.embedding = Some(embedding.into());
        /// Whether it may be recalled.
        recallable(is_recallable: bool) => content.recallable = Some(is_recallable);
        /// Whether a secret in it is redacted; otherwise the item is refused.
        force(is_forced: bool) => content.is_forced = is_forced;
    }
}

impl ItemPatch {
    /// A change of nothing.
    pub fn new() -> Self {
        ItemPatch::default()
    }

    setters! {
        /// What kind of memory it is.
        item_type(item_type: ItemType) => item_type = Some(item_type);
        /// The memory, in one or a few sentences.
        content(content: impl Into<String>) => content = Some(content.into());
        /// Tags to find it by.
        tags(tags: impl IntoIterator<Item: Into<String>>) => tags = strings(tags);
        /// When it is relevant.
        relevance_hints(hints: RelevanceHints) => relevance_hints = Some(hints);
        /// When it expires: an RFC 3339 time, or a duration from now such as `30d`. Empty: never.
        expiry(expiry: impl Into<String>) => expiry = Some(expiry.into());
        /// The session that it was said in. Empty: none, and no position in it.
        session(session: impl Into<String>) => session = Some(session.into());
        /// Its position in the session.
        seq(seq: i64) => seq = Some(seq);
        /// Its embedding vector. Empty: none.
        embedding(embedding: impl Into<Vec<f32>>) => embedding = Some(embedding.into());
        /// Whether it may be recalled.
        recallable(is_recallable: bool) => recallable = Some(is_recallable);
        /// Whether a secret in it is redacted; otherwise the change is refused.
        force(is_forced: bool) => is_forced = is_forced;
    }
}

/// The part of an item that is redacted.
#[derive(Serialize)]
struct Texts<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<&'c [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relevance_hints: Option<&'c RelevanceHints>,
}

/// The content of an item, checked and without secrets.
#[derive(Debug, Clone)]
pub(super) struct SealedContent {
    /// Content, tags and hints.
    pub(super) texts: SealedObject,
    pub(super) item_type: Option<ItemType>,
    pub(super) expiry: Option<Option<Timestamp>>,
    pub(super) session: Option<Option<Admitted>>,
    pub(super) seq: Option<Option<Numbers>>,
    pub(super) embedding: Option<Option<Numbers>>,
    pub(super) recallable: Option<bool>,
}

impl ItemPatch {
    /// Checks and redacts it. Unless it is forced, a secret is an error. The text may have `max_chars` characters. In a change of
    /// an item (`clears`), what is empty clears a field; in a new item it is an error.
    ///
    /// # Errors
    /// `ValidationError` naming the field; `SecretRefused` naming the rule and the field.
    pub(super) fn sealed(&self, home: &Home, max_chars: usize, clears: bool) -> Result<SealedContent> {
        if let Some(content) = &self.content {
            check_content(content, max_chars)?;
        }
        check_words("tags", self.tags.as_deref().unwrap_or_default())?;
        if let Some(hints) = &self.relevance_hints {
            for (name, words) in [("files", &hints.files), ("crates", &hints.crates), ("langs", &hints.langs)] {
                check_words(&format!("relevance_hints.{name}"), words)?;
            }
        }
        let now = expiry::now(home);
        let expiry = self.expiry.as_deref().map(|expiry| match expiry.trim() {
            "" if clears => Ok(None),
            _ => expiry::parse(expiry, now).map(Some),
        });
        let session = self.session.as_deref().map(|session| match session.len() {
            0 if clears => Ok(None),
            1..=MAX_SESSION_BYTES => Ok(Some(home.redactor().admit_id("session", session)?)),
            _ => Err(Error::validation(format!("session must be 1 to {MAX_SESSION_BYTES} bytes of text"))),
        });
        let (expiry, session) = (expiry.transpose()?, session.transpose()?);
        // A position is one in a session.
        let no_position = matches!(session, Some(None)).then_some(None);
        let seq = self.seq.as_ref().map(|seq| number(seq).map(Some)).transpose()?.or(no_position);
        let embedding = self.embedding.as_deref().map(|embedding| match embedding {
            [] if clears => Ok(None),
            _ => numbers(embedding).map(Some),
        });
        let embedding = embedding.transpose()?;
        let texts = Texts {
            content: self.content.as_deref(),
            tags: self.tags.as_deref(),
            relevance_hints: self.relevance_hints.as_ref(),
        };
        let texts = if self.is_forced { home.seal(&texts, TEXTS)? } else { home.seal_without_secrets(&texts, TEXTS)? };
        let (item_type, recallable) = (self.item_type, self.recallable);
        Ok(SealedContent { texts, item_type, expiry, session, seq, embedding, recallable })
    }
}

impl SealedContent {
    /// Sets the fields that are not omitted in a stored `record`.
    pub(super) fn apply(self, record: &mut SealedObject) -> Result<()> {
        if let Some(item_type) = self.item_type {
            record.set("type", &item_type.as_str())?;
        }
        record.overlay(self.texts);
        set_or_clear(record, "expiry", self.expiry)?;
        set_or_clear(record, "session", self.session)?;
        set_or_clear(record, "seq", self.seq)?;
        set_or_clear(record, "embedding", self.embedding)?;
        match self.recallable {
            Some(true) => drop(record.take("recallable")),
            Some(false) => record.set("recallable", &false)?,
            None => {}
        }
        Ok(())
    }
}

/// Sets a member, or removes it if the value is cleared.
fn set_or_clear(record: &mut SealedObject, name: &'static str, value: Option<Option<impl Trusted>>) -> Result<()> {
    match value {
        Some(Some(value)) => record.set(name, &value)?,
        Some(None) => drop(record.take(name)),
        None => {}
    }
    Ok(())
}

fn check_content(content: &str, most: usize) -> Result<()> {
    if content.trim().is_empty() {
        return Err(Error::validation("content must not be empty"));
    }
    let characters = content.chars().count();
    if characters > most {
        return Err(Error::validation(format!(
            "content is {characters} characters long; at most {most} are allowed (items.maxContentChars)"
        )));
    }
    Ok(())
}

fn check_words(field: &str, words: &[String]) -> Result<()> {
    if words.len() > MAX_LIST {
        return Err(Error::validation(format!("{field} has {} entries; at most {MAX_LIST} are allowed", words.len())));
    }
    match words.iter().position(|word| word.trim().is_empty() || word.len() > MAX_WORD_BYTES) {
        Some(index) => Err(Error::validation(format!("{field}[{index}] must be 1 to {MAX_WORD_BYTES} bytes of text"))),
        None => Ok(()),
    }
}

/// An embedding as it is stored.
fn numbers(embedding: &[f32]) -> Result<Numbers> {
    check_embedding(embedding)?;
    number(&embedding)
}

/// Refuses an embedding that cannot be compared with another.
pub(super) fn check_embedding(embedding: &[f32]) -> Result<()> {
    if embedding.is_empty() || embedding.len() > MAX_DIMENSIONS {
        return Err(Error::validation(format!("embedding must have 1 to {MAX_DIMENSIONS} numbers")));
    }
    if embedding.iter().any(|number| !number.is_finite()) {
        return Err(Error::validation("embedding contains a number that is too large, or is not a number"));
    }
    Ok(())
}

fn number(value: &impl Serialize) -> Result<Numbers> {
    let json = serde_json::value::to_raw_value(value)
        .map_err(|cause| Error::validation("the number cannot be written as JSON").because(cause))?;
    Ok(Numbers::read(json)?)
}
