//! The context of a scope: a JSON object that is changed by patches.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::adapter::{Json, Write, damaged};
use super::key::Key;
use super::trail::{Operation, TrailEntry};
use super::{Working, members};
use crate::disk::{Fields, Mode};
use crate::error::{Error, Result};
use crate::home::read_input;
use crate::logger::Level;

/// A context, as it stood when it was read. Changing what it was read into changes nothing stored.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Context(Json);

impl Context {
    /// What an adapter keeps under `key`; `{}` when it keeps nothing.
    pub(super) fn read(key: &Key, json: Option<Json>) -> Result<Self> {
        match json {
            Some(json) if json.get().starts_with('{') => Ok(Context(json)),
            Some(_) => Err(damaged(key, "is no object")),
            None => Ok(Context(Arc::from(serde_json::value::to_raw_value(&Fields::default()).map_err(unwritable)?))),
        }
    }

    /// Its JSON.
    pub fn json(&self) -> &RawValue {
        &self.0
    }

    /// The context as a value of the caller's own.
    ///
    /// # Errors
    /// `ValidationError` when it is no `T`.
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

/// How a context is to change.
#[derive(Debug, Clone, Default)]
pub struct Patch {
    /// The values to set, by name. Null is stored as null.
    pub set: Fields,
    /// The names to take away, before the values are set.
    pub remove: Vec<String>,
    /// Who changes it.
    pub source: Option<String>,
}

impl Patch {
    /// The patch that sets these values: a JSON object.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
    /// # let store = loopmem::Store::open(loopmem::Options::at(folder.path()))?;
    /// use loopmem::working::Patch;
    ///
    /// let patch = Patch::from_json(r#"{"step": "build"}"#)?;
    /// let context = store.working().update_context("job-1", patch)?;
    /// assert_eq!(context.json().get(), r#"{"step":"build"}"#);
    /// # Ok::<(), loopmem::Error>(())
    /// ```
    ///
    /// # Errors
    /// `ValidationError` for what is no object, or has a name twice.
    pub fn from_json(json: &str) -> Result<Self> {
        Ok(Patch { set: read_input(json)?, ..Patch::default() })
    }
}

/// What of a change is the host's own text.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Said {
    patch: Fields,
    remove: Vec<String>,
    source: Option<String>,
}

impl Working {
    /// The context of a scope, `{}` when there is none.
    ///
    /// # Errors
    /// `ValidationError` and `SecretRefused` for an id that cannot be one; `ParseError` or `AdapterError` when what is
    /// stored is no object; `LockAcquisitionError`, `IOError`.
    pub fn get_context(&self, scope_id: &str) -> Result<Context> {
        self.call_on("working.getContext", ("scopeId", scope_id), Mode::Shared, |working, scope| {
            let key = Key::Context(scope);
            Context::read(&key, working.adapter.get(working.home.wait(), &key)?)
        })
    }

    /// Takes names away from a scope's context, sets values in it, and returns the new one. Nothing deeper is merged: a
    /// value takes the place of the whole one before. Secrets in it are redacted.
    ///
    /// # Errors
    /// As [`get_context`](Self::get_context); `ValidationError` when the context would be longer than
    /// [`MAX_VALUE_BYTES`](crate::safety::MAX_VALUE_BYTES); then nothing was written.
    pub fn update_context(&self, scope_id: &str, patch: Patch) -> Result<Context> {
        self.call_on("working.updateContext", ("scopeId", scope_id), Mode::Exclusive, |working, scope| {
            let redactor = working.home.redactor();
            // What was stored under a secret is found under what stands in its place.
            let remove = patch.remove.iter().map(|name| redactor.scrub(name).into_owned()).collect();
            let said = Said { patch: patch.set, remove, source: patch.source };
            let said = redactor.seal_value::<Said>(&said, &["patch", "remove", "source"])?;
            let (home, key) = (working.home.clone(), Key::Context(scope.clone()));
            let context = working.update(&scope, move |read| {
                let mut context = match read(&key)? {
                    Some(json) => members(&key, &json)?,
                    None => Fields::default(),
                };
                let next = said.clone().complete_json(|Said { patch, remove, .. }| {
                    context.remove_all(&remove);
                    context.overlay(patch);
                    Ok::<_, Error>(context)
                })?;
                let entry = said.clone().complete_json(|Said { patch, remove, source }| {
                    Ok::<_, Error>(TrailEntry {
                        remove,
                        source,
                        ..TrailEntry::new(&home, Operation::UpdateContext, patch)
                    })
                })?;
                let json = next.shared();
                let trail = Key::Trail(key.scope().clone());
                Ok((vec![Write::Set(key.clone(), next), Write::Push(trail, entry)], json))
            })?;
            working.tell(Level::Debug, "Context updated for", &scope, None);
            Ok(Context(context))
        })
    }
}

fn unwritable(cause: serde_json::Error) -> Error {
    Error::validation("the context cannot be written as JSON").because(cause)
}
