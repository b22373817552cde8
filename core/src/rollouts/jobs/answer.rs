//! Finding the JSON object that a model answered with, alone or between other words.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::rollouts::transcript::with_whole_characters;
use crate::safety::escape;

/// The text of a model with its control characters as escapes: they would act on the terminal on which the files are read.
pub(crate) fn plain(text: &str) -> String {
    escape(text, |character| character.is_control() && !matches!(character, '\n' | '\r' | '\t')).into_owned()
}

/// How many objects in a text are tried, from its end and from its beginning.
const MAX_OBJECTS: usize = 1_000;

/// The result of `read` for the whole text, or else for the last object in it: a model may think aloud before it.
pub(crate) fn find<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    let text = &*with_whole_characters(text);
    let places = || text.match_indices('{').map(|(at, _)| at);
    let from_end = text.rmatch_indices('{').map(|(at, _)| at);
    let objects = from_end.take(MAX_OBJECTS).chain(places().take(MAX_OBJECTS)).filter_map(|at| object_at(text, at));
    std::iter::once(text.trim()).chain(objects).find_map(read)
}

/// The fault of the first object in a text, as a part of a message: its own, or the key that `lacks` names; empty if there
/// is none.
pub(crate) fn problem<T: DeserializeOwned>(text: &str, lacks: impl Fn(T) -> Option<&'static str>) -> String {
    let text = &*with_whole_characters(text);
    let Some(object) = text.find('{').and_then(|at| object_at(text, at)) else { return String::new() };
    match serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_str(object)) {
        Ok(answer) => lacks(answer).map_or_else(String::new, |key| format!(" ({key} is missing)")),
        Err(error) => format!(" ({error})"),
    }
}

/// The JSON object that begins at this place of a text.
fn object_at(text: &str, at: usize) -> Option<&str> {
    let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<&RawValue>();
    Some(values.next()?.ok()?.get())
}
