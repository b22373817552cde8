//! Values that depend on what they were: sums and longer lists, of sealed objects alone.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Number, Value};

use super::fields::Fields;
use super::object::SealedObject;
use super::size::not_serializable;
use crate::error::{Error, Result};

impl SealedObject {
    /// The members of this object that have the names of `numbers`, each with its number added. One that is missing or null
    /// counts as 0. Whole numbers stay whole.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) naming a member that is not a number, or a sum that is too large.
    pub fn added(&self, numbers: &SealedObject) -> Result<SealedObject> {
        self.combined(numbers, |name, old, by| match (old.map_or("0", RawValue::get), by.get()) {
            (old, by) if is_number(old) && is_number(by) => {
                to_raw_value(&sum(name, old, by)?).map_err(not_serializable)
            }
            (old, _) if !is_number(old) => {
                Err(Error::invalid(format!("{name} is not a number, so nothing is added to it")))
            }
            _ => Err(Error::invalid(format!("increment.{name} must be a number"))),
        })
    }

    /// The members of this object that have the names of `lists`, each followed by the elements of its list. One that is
    /// missing or null counts as empty.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) naming a member that is not a list.
    pub fn appended(&self, lists: &SealedObject) -> Result<SealedObject> {
        self.combined(lists, |name, old, list| {
            let elements = |json: &RawValue| serde_json::from_str::<Vec<Box<RawValue>>>(json.get());
            let old = old.map(elements).transpose();
            let mut all = old
                .map_err(|_| Error::invalid(format!("{name} is not a list, so nothing is appended to it")))?
                .unwrap_or_default();
            let added = elements(list);
            all.extend(added.map_err(|_| Error::invalid(format!("append.{name} must be a list")))?);
            to_raw_value(&all).map_err(not_serializable)
        })
    }

    /// The name of the first member of `expected` that has another value here; null is expected of one that is missing.
    pub fn first_difference<'e>(&self, expected: &'e SealedObject) -> Option<&'e str> {
        let value = |json: &RawValue| serde_json::from_str::<Value>(json.get()).ok();
        let differs = |(name, wanted): &(&str, &RawValue)| {
            let found = self.get(name).unwrap_or(RawValue::NULL);
            found.get() != wanted.get()
                && !value(found).zip(value(wanted)).is_some_and(|(one, other)| is_same(&one, &other))
        };
        expected.members().find(differs).map(|(name, _)| name)
    }

    fn combined(
        &self,
        with: &SealedObject,
        mut combine: impl FnMut(&str, Option<&RawValue>, &RawValue) -> Result<Box<RawValue>>,
    ) -> Result<SealedObject> {
        let mut combined = Fields::default();
        for (name, value) in with.members() {
            let old = self.get(name).filter(|old| old.get() != "null");
            combined.set(name, combine(name, old, value)?);
        }
        Ok(SealedObject::new(combined))
    }
}

fn is_number(json: &str) -> bool {
    json.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

fn sum(name: &str, old: &str, by: &str) -> Result<Number> {
    let too_large = || Error::invalid(format!("{name} would be too large a number"));
    if let (Ok(old), Ok(by)) = (old.parse::<i128>(), by.parse::<i128>()) {
        let sum = old.checked_add(by).ok_or_else(too_large)?;
        return Number::from_i128(sum).ok_or_else(too_large);
    }
    let [old, by] = [old, by].map(|number| number.parse::<f64>().unwrap_or(f64::INFINITY));
    Number::from_f64(old + by).ok_or_else(too_large)
}

/// Whether two values are equal, as numbers also if they are written differently.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) if one.is_f64() || other.is_f64() => one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::redactor::Redactor;

    fn object(json: &str) -> SealedObject {
        let fields: Fields = serde_json::from_str(json).unwrap();
        Redactor::new(&[], []).unwrap().seal_value(&fields, &[]).unwrap().0
    }

    fn json(object: SealedObject) -> String {
        object.value().unwrap().json().get().to_owned()
    }

    #[test]
    fn numbers_are_added_to_what_was_there_and_whole_ones_stay_whole() {
        let context = object(r#"{"a":40,"b":1.5,"c":null,"s":"x","big":9223372036854775807}"#);
        let sums = context.added(&object(r#"{"a":40,"b":2,"c":-3,"new":1,"big":1}"#)).unwrap();
        assert_eq!(json(sums), r#"{"a":80,"b":3.5,"c":-3,"new":1,"big":9223372036854775808}"#);
        for (by, message) in [
            (r#"{"s":1}"#, "s is not a number, so nothing is added to it"),
            (r#"{"a":"1"}"#, "increment.a must be a number"),
            (r#"{"a":1e400}"#, "a would be too large a number"),
            (r#"{"big":9223372036854775809}"#, "big would be too large a number"),
        ] {
            assert_eq!(context.added(&object(by)).unwrap_err().message(), message);
        }
    }

    #[test]
    fn elements_are_appended_to_what_was_there_byte_for_byte() {
        let context = object(r#"{"a":[1.50],"b":null,"s":"x"}"#);
        let lists = context.appended(&object(r#"{"a":[2,{"k":[]}],"b":[],"new":["n"]}"#)).unwrap();
        assert_eq!(json(lists), r#"{"a":[1.50,2,{"k":[]}],"b":[],"new":["n"]}"#);
        for (list, message) in [
            (r#"{"s":[1]}"#, "s is not a list, so nothing is appended to it"),
            (r#"{"a":1}"#, "append.a must be a list"),
        ] {
            assert_eq!(context.appended(&object(list)).unwrap_err().message(), message);
        }
    }

    #[test]
    fn a_value_is_as_expected_however_it_is_written() {
        let context = object(r#"{"step":"plan","n":1,"l":[1, 2],"none":null}"#);
        let differs = |expected: &str| context.first_difference(&object(expected)).map(str::to_owned);
        assert_eq!(differs(r#"{"step":"pl\u0061n","n":1.0,"l":[1,2],"none":null,"missing":null}"#), None);
        assert_eq!(differs(r#"{"n":1,"step":"build"}"#).as_deref(), Some("step"));
        assert_eq!(differs(r#"{"missing":0}"#).as_deref(), Some("missing"));
        let large = object(r#"{"rev":1767312000000000001}"#);
        assert_eq!(large.first_difference(&object(r#"{"rev":1767312000000000000}"#)), Some("rev"));
    }
}
