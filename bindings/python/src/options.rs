//! Store options from keyword arguments; done here so that opening a store does not import Python's `json`.

use loopmem::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PySequence, PyString};

/// `options` as a JSON object; keys whose value is None are left out.
pub(crate) fn as_json(options: &Bound<'_, PyDict>) -> Result<String> {
    let mut members = Vec::new();
    for (key, value) in options.iter() {
        let key = text(&key)?;
        if !value.is_none() {
            members.push(format!("{key}:{}", value_as_json(&key, &value)?));
        }
    }
    Ok(format!("{{{}}}", members.join(",")))
}

fn value_as_json(key: &str, value: &Bound<'_, PyAny>) -> Result<String> {
    let unfit = || {
        Error::validation(format!("{key} has a value that is no text, number, truth value, or list of texts or dicts"))
            .in_operation("open")
    };
    if value.is_instance_of::<PyString>() {
        return text(value);
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(value.is_truthy().map_err(|_| unfit())?.to_string());
    }
    if value.is_instance_of::<PyInt>() {
        // Its value, and not what a subclass would write.
        return value.extract::<i64>().map(|number| number.to_string()).map_err(|_| unfit());
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        let number = number.value();
        return if number.is_finite() { Ok(number.to_string()) } else { Err(unfit()) };
    }
    // Any other sequence, such as a list or a tuple, but not a mapping or a set.
    let items = value.cast::<PySequence>().map_err(|_| unfit())?.try_iter().map_err(|_| unfit())?;
    let item = |item: PyResult<Bound<'_, PyAny>>| {
        let item = item.map_err(|_| unfit())?;
        match item.cast::<PyDict>() {
            Ok(members) => as_json(members),
            Err(_) => text(&item),
        }
    };
    let items: Result<Vec<_>> = items.map(item).collect();
    Ok(format!("[{}]", items?.join(",")))
}

fn text(value: &Bound<'_, PyAny>) -> Result<String> {
    let text: String = value
        .extract()
        .map_err(|_| Error::validation("an option is not text, or contains a lone surrogate").in_operation("open"))?;
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    Ok(quoted)
}
