//! `adapter.*`

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{MethodGroup, Removed, method, methods, params};
use crate::working::names;

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "adapter",
    about: "The storage of working contexts, by key",
    entries: methods! { Get, Set, Del, Push, GetList },
};

/// Any JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
struct Any(Box<RawValue>);

impl JsonSchema for Any {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Any".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({})
    }
}

/// What is stored under a key.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StoredValue {
    /// The value; null if there is none.
    #[schemars(with = "Option<Any>")]
    pub value: Option<Box<RawValue>>,
}

/// As [`params!`], with the key of a value or a list.
macro_rules! of_key {
    ($(#[$doc:meta])* struct $params:ident { $($fields:tt)* }) => {
        params! {
            $(#[$doc])*
            struct $params {
                /// The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`, or any
                /// other text.
                key: String,
                $($fields)*
            }
        }
    };
}

of_key! {
    /// Returns the value under a key of the adapter that stores working contexts.
    struct Get {}
}

method! {
    Get = names::ADAPTER_GET => StoredValue |self, store| Ok(StoredValue { value: store.adapter().get(&self.key)? })
}

of_key! {
    /// Sets the value under a key of the adapter and returns it as stored. Secrets are redacted.
    ///
    /// A context or a checkpoint must be an object. Setting a context adds an entry to the history of its scope; setting a
    /// checkpoint adds its timestamp to `checkpoints:JOB`. `logs:SCOPE` and `trail:SCOPE` are lists: use `adapter.push`.
    struct Set {
        /// The value, any JSON.
        value: Any,
    }
}

method! {
    Set = names::ADAPTER_SET => StoredValue, WRITES, REDACTS |self, store| {
        Ok(StoredValue { value: Some(store.adapter().set(&self.key, &self.value)?) })
    }
}

of_key! {
    /// Deletes the value and the list under a key of the adapter.
    ///
    /// Deleting a context also deletes the history of its scope; `undo.restore` brings the context back. A history cannot be
    /// deleted alone.
    struct Del {}
}

method! {
    Del = names::ADAPTER_DEL => Removed, WRITES |self, store| Ok(Removed { removed: store.adapter().del(&self.key)? })
}

of_key! {
    /// Appends an item to the list under a key of the adapter and returns it as stored. Secrets are redacted.
    ///
    /// An item of `logs:SCOPE` is a log entry, whose missing members are filled in as by `working.addLog`.
    struct Push {
        /// The item, any JSON.
        item: Any,
    }
}

method! {
    Push = names::ADAPTER_PUSH => StoredValue, WRITES, REDACTS |self, store| {
        Ok(StoredValue { value: Some(store.adapter().push(&self.key, &self.item)?) })
    }
}

of_key! {
    /// Returns the items of the list under a key of the adapter, in the order in which they were added; an empty list if there
    /// is no list.
    struct GetList {}
}

method! {
    GetList = names::ADAPTER_GET_LIST => Vec<Any> |self, store| {
        Ok(store.adapter().get_list(&self.key)?.into_iter().map(Any).collect())
    }
}
