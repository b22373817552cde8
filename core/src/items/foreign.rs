//! Items as other programs write them: words in any case, and how long an item is valid.

use serde::Deserialize;
use serde::de::value::StringDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer as _};
use serde_json::{Map, Value};

/// A word such as `archived`, in any case.
pub(super) fn word<'de, D: Deserializer<'de>, T: DeserializeOwned>(source: D) -> Result<Option<T>, D::Error> {
    Option::<String>::deserialize(source)?.map(|word| known(&word).map_err(D::Error::custom)).transpose()
}

/// As [`word`]; `None` for any other value.
pub(super) fn word_if_known<'de, D: Deserializer<'de>, T: DeserializeOwned>(source: D) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(source)?;
    Ok(value.as_str().and_then(|word| known(word).ok()))
}

fn known<T: DeserializeOwned>(word: &str) -> Result<T, serde::de::value::Error> {
    let word: StringDeserializer<serde::de::value::Error> = word.to_ascii_lowercase().into_deserializer();
    T::deserialize(word)
}

/// When an item expires: a text, or an object such as `{"ttl_secs": 60, "review_after": null}`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Expiry {
    Text(String),
    Object(Map<String, Value>),
}

/// A number of seconds, as a number or a text; `None` for anything else.
pub(super) fn seconds(value: &Value) -> Option<u64> {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned()).parse().ok()
}
