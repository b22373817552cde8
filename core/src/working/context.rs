//! The context of a scope: a JSON object changed by patches.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use super::adapter::{Write, damaged};
use super::key::{Key, Scope};
use super::trail::{Change, Operation};
use super::{Working, members, names};
use crate::disk::{Fields, Json, Mode};
use crate::error::{Error, ErrorKind, Result};
use crate::home::read_input;
use crate::logger::Level;
use crate::safety::SealedObject;

/// A snapshot of a context. Changing it does not change what is stored.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Context(Json);

impl Context {
    /// The adapter's value under `key`; `{}` if there is none.
    pub(super) fn read(key: &Key, json: Option<Json>) -> Result<Self> {
        match json {
            Some(json) if json.get().starts_with('{') => Ok(Context(json)),
            Some(_) => Err(damaged(key, "is not an object")),
            None => Ok(Context(Json::from(&SealedObject::default().value()?))),
        }
    }

    /// Its JSON.
    pub fn json(&self) -> &RawValue {
        &self.0
    }

    /// Its JSON as stored.
    pub(super) fn stored(&self) -> &Json {
        &self.0
    }

    /// Deserializes the context.
    ///
    /// # Errors
    /// `ValidationError` if it is not a `T`.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(self.0.get())
            .map_err(|cause| Error::validation("the context is not of this type").because(cause))
    }
}

impl JsonSchema for Context {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Context".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Fields::json_schema(generator)
    }
}

/// A change of a context.
///
/// ```
/// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
/// # let store = loopmem::Store::open(loopmem::Options::at(folder.path()))?;
/// use loopmem::working::Patch;
///
/// let patch = Patch::default().set("step", &"build")?.set("tries", &2)?.source("agent-x");
/// let context = store.working().update_context("job-1", patch)?;
/// assert_eq!(context.json().get(), r#"{"step":"build","tries":2}"#);
/// # Ok::<(), loopmem::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Patch {
    set: Fields,
    remove: Vec<String>,
    increment: Fields,
    append: Fields,
    expected: Fields,
    source: Option<String>,
}

impl Patch {
    /// Parses the values to set from a JSON object.
    ///
    /// # Errors
    /// `ValidationError` if it is not an object or has duplicate keys.
    pub fn from_json(json: &str) -> Result<Self> {
        Ok(Patch::from(read_input::<Fields>(json)?))
    }

    /// Sets a value, replacing the previous one entirely.
    ///
    /// # Errors
    /// `ValidationError` if it cannot be serialized as JSON.
    pub fn set(mut self, name: &str, value: &impl Serialize) -> Result<Self> {
        self.set.set(name, to_raw_value(value).map_err(unwritable)?);
        Ok(self)
    }

    /// Removes these keys before the values are set.
    #[must_use]
    pub fn remove(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.remove.extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds `by` to a number. One that is missing counts as 0.
    ///
    /// # Errors
    /// `ValidationError` if it cannot be serialized as JSON.
    pub fn increment(mut self, name: &str, by: &impl Serialize) -> Result<Self> {
        self.increment.set(name, to_raw_value(by).map_err(unwritable)?);
        Ok(self)
    }

    /// Appends the elements of `list` to a list. One that is missing counts as empty.
    ///
    /// # Errors
    /// `ValidationError` if it cannot be serialized as JSON.
    pub fn append(mut self, name: &str, list: &impl Serialize) -> Result<Self> {
        self.append.set(name, to_raw_value(list).map_err(unwritable)?);
        Ok(self)
    }

    /// Makes the change only if the context has this value; null is that of a key that is missing.
    ///
    /// # Errors
    /// `ValidationError` if it cannot be serialized as JSON.
    pub fn only_if(mut self, name: &str, value: &impl Serialize) -> Result<Self> {
        self.expected.set(name, to_raw_value(value).map_err(unwritable)?);
        Ok(self)
    }

    /// As [`increment`](Self::increment), [`append`](Self::append) and [`only_if`](Self::only_if), for all of these.
    #[must_use]
    pub fn depending_on(mut self, increment: Fields, append: Fields, expected: Fields) -> Self {
        self.increment.overlay(increment);
        self.append.overlay(append);
        self.expected.overlay(expected);
        self
    }

    /// Refuses a key that is changed in two ways at once.
    fn check(&self) -> Result<()> {
        let changes = [("patch", &self.set), ("increment", &self.increment), ("append", &self.append)];
        for (number, (one, fields)) in changes.iter().enumerate() {
            for (name, _) in fields.iter() {
                let again = changes.iter().skip(number + 1).find(|(_, other)| other.get(name).is_some());
                if let Some((other, _)) = again {
                    return Err(Error::validation(format!(
                        "`{name}` is in both {one} and {other}; change it in one of them"
                    )));
                }
            }
        }
        Ok(())
    }

    setters! {
        /// Who makes the change.
        source(source: impl Into<String>) => source = Some(source.into());
    }
}

/// The patch that sets these values.
impl From<Fields> for Patch {
    fn from(set: Fields) -> Self {
        Patch { set, ..Patch::default() }
    }
}

/// The part of a change that is supplied by the caller and must be redacted.
#[derive(Serialize)]
struct UserContent {
    patch: Fields,
    increment: Fields,
    append: Fields,
    expect: Fields,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remove: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

impl Working {
    /// Returns the context of a scope; `{}` if it has none.
    ///
    /// # Errors
    /// `ValidationError` and `SecretRefused` for an invalid id; `ParseError` or `AdapterError` if the stored value is
    /// not an object; `LockAcquisitionError`, `IOError`.
    pub fn get_context(&self, scope_id: &str) -> Result<Context> {
        self.call_on(names::GET_CONTEXT, ("scopeId", scope_id), Mode::Shared, |working, scope| {
            let key = Key::Context(scope);
            Context::read(&key, working.adapter.get(working.home.wait_options(), &key)?)
        })
    }

    /// Removes keys from a scope's context, sets values in it, adds to its numbers and lists, and returns the new context. The
    /// merge is shallow: a value replaces the previous one entirely. Secrets in it are redacted.
    ///
    /// # Errors
    /// As [`get_context`](Self::get_context); `Conflict` if a value is not the expected one; `ValidationError` for a number that
    /// is added to something else, or an element that is appended to something else, and if the new context would be longer than
    /// [`MAX_VALUE_BYTES`](crate::safety::MAX_VALUE_BYTES); nothing is written then.
    pub fn update_context(&self, scope_id: &str, patch: Patch) -> Result<Context> {
        self.call_on(names::UPDATE_CONTEXT, ("scopeId", scope_id), Mode::Exclusive, |working, scope| {
            patch.check()?;
            let redactor = working.home.redactor();
            // A key that is a secret was stored as its placeholder.
            // A key that is allowed was stored as it is.
            let as_given = patch.remove.clone();
            let remove = patch.remove.iter().map(|name| redactor.scrub(name).into_owned()).collect();
            let Patch { set: patch, increment, append, expected: expect, source, .. } = patch;
            let content = UserContent { patch, increment, append, expect, remove, source };
            let known = ["patch", "increment", "append", "expect", "remove", "source"];
            let mut content = working.home.seal_value(&content, &known)?;
            let names: Vec<String> = match content.get("remove") {
                Some(_) => content
                    .read("remove")
                    .ok_or_else(|| Error::internal("the keys to remove were lost; please report this"))?,
                None => Vec::new(),
            };
            let (patch, remove, source) =
                (content.take_object("patch")?, content.take("remove"), content.take("source"));
            let increment = content.take_object("increment")?;
            let (append, expect) = (content.take_object("append")?, content.take_object("expect")?);
            let (home, key) = (working.home.clone(), Key::Context(scope.clone()));
            let context = working.update(&scope, move |read| {
                let mut context = members(&key, read(&key)?)?;
                if let Some(name) = context.first_difference(&expect) {
                    return Err(unexpected(name, key.scope()));
                }
                context.remove_all(&names);
                context.remove_all(&as_given);
                // Replaying the trail needs the new values alone.
                let mut patch = patch.clone();
                patch.overlay(context.added(&increment)?);
                patch.overlay(context.appended(&append)?);
                context.overlay(patch.clone());
                let next = context.value()?;
                let change = Change {
                    operation: Operation::UpdateContext,
                    patch: &patch,
                    remove: remove.as_ref(),
                    source: source.as_ref(),
                };
                let entry = change.entry(&home)?.value()?;
                let (json, trail) = (Json::from(&next), Key::Trail(key.scope().clone()));
                Ok((vec![Write::Set(key.clone(), next), Write::Push(trail, entry)], json))
            })?;
            working.log(Level::Debug, "Context updated for", &scope, None);
            Ok(Context(context))
        })
    }
}

fn unexpected(name: &str, scope: &Scope) -> Error {
    let message = format!("`{name}` does not have the expected value; read the context and decide again");
    Error::new(ErrorKind::Conflict, message).about(scope.as_str())
}

fn unwritable(cause: serde_json::Error) -> Error {
    Error::validation("the context cannot be serialized as JSON").because(cause)
}
