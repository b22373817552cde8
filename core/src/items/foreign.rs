//! Items as other programs write them: words in any case, hints of other names, and how long an item is valid.

use serde::Deserialize;
use serde::de::value::StringDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer as _};
use serde_json::{Map, Value};

use super::record::RelevanceHints;

/// The members of the hints that loopmem knows, each with its other name.
const HINTS: [(&str, Option<&str>); 3] = [("files", None), ("crates", None), ("langs", Some("languages"))];

/// A word such as `archived`, in any case.
pub(super) fn word<'de, D: Deserializer<'de>, T: DeserializeOwned>(source: D) -> Result<Option<T>, D::Error> {
    Option::<String>::deserialize(source)?.map(|word| known(&word).map_err(D::Error::custom)).transpose()
}

/// As [`word`]; another value is none.
pub(super) fn word_if_known<'de, D: Deserializer<'de>, T: DeserializeOwned>(source: D) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(source)?;
    Ok(value.as_str().and_then(|word| known(word).ok()))
}

fn known<T: DeserializeOwned>(word: &str) -> Result<T, serde::de::value::Error> {
    let word: StringDeserializer<serde::de::value::Error> = word.to_ascii_lowercase().into_deserializer();
    T::deserialize(word)
}

/// When an item expires: a text, or an object with the seconds after its creation and when to look at it again.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Expiry {
    Text(String),
    After { ttl_secs: Option<u64>, review_after: Option<String> },
}

/// The hints that loopmem knows.
pub(super) fn known_hints<'de, D: Deserializer<'de>>(source: D) -> Result<RelevanceHints, D::Error> {
    Ok(Option::<Hints>::deserialize(source)?.map(|hints| hints.known).unwrap_or_default())
}

/// The hints of an item of any program.
#[derive(Debug, Default)]
pub(super) struct Hints {
    pub(super) known: RelevanceHints,
    /// Those that loopmem does not know.
    pub(super) others: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Hints {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let mut others = Map::<String, Value>::deserialize(source)?;
        let mut known = RelevanceHints::default();
        let lists = [&mut known.files, &mut known.crates, &mut known.langs];
        for ((name, other_name), list) in HINTS.into_iter().zip(lists) {
            for name in std::iter::once(name).chain(other_name) {
                if let Some(words) = others.get(name).and_then(words) {
                    list.extend(words);
                    others.remove(name);
                }
            }
        }
        others.retain(|_, value| !matches!(value, Value::Null) && *value != Value::Array(Vec::new()));
        Ok(Hints { known, others })
    }
}

/// A list of texts; `None` if the value is something else.
fn words(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::String(word) => Some(vec![word.clone()]),
        Value::Array(words) => words.iter().map(|word| word.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}
