//! Parses JSON into values without losing a member: a duplicate key is an error.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Parses `json`.
///
/// # Errors
/// Those of the parser, and one for a duplicate key. They give positions and quote nothing.
pub(crate) fn parse(json: &str) -> serde_json::Result<Value> {
    let mut parser = serde_json::Deserializer::from_str(json);
    let value = Strict.deserialize(&mut parser)?;
    parser.end().map(|()| value)
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Strict)? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            if members.insert(key, object.next_value_seed(Strict)?).is_some() {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        Ok(members.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_usual_parser() {
        for json in [r#"{"a":[1,-2,3.5,1e3,true,null,"x\n",{}],"b":{"a":"é"}}"#, " 18446744073709551615 ", "\"\""] {
            assert_eq!(parse(json).unwrap(), serde_json::from_str::<Value>(json).unwrap());
        }
    }

    #[test]
    fn a_duplicate_key_is_an_error_that_does_not_quote_it() {
        let refused = |json: &str| parse(json).unwrap_err().to_string();
        assert!(refused(r#"{"a":{"hunter2":1,"hunter2":2}}"#).starts_with("duplicate key at line 1"));
        assert!(refused("1 2").contains("trailing") && refused("[1e400]").starts_with("number out of range"));
        assert!(refused(&"[".repeat(200)).starts_with("recursion limit exceeded"));
    }
}
