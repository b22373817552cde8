//! `loopmem call`: the method table over standard input and output.

use std::collections::HashMap;
use std::io;

use loopmem::methods::{dispatch, read_input, refused};
use loopmem::{Error, ErrorKind, Result, Store};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::human::input;
use crate::interrupt::Signals;
use crate::lines::{Line, read_line};
use crate::output::{line, track_write};

/// The longest request, in bytes.
const MAX_REQUEST_BYTES: u64 = 256 << 20;

/// Calls `method` with params from standard input.
///
/// # Errors
/// The method's.
pub(crate) fn one(store: &Store, method: &str, signals: &Signals) -> Result<()> {
    input::announce("params as JSON");
    let params = input::read()?;
    line(track_write(method, signals.during(|| dispatch(store, method, &params)))?)
}

/// One line of input: a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    #[serde(default)]
    id: Option<Box<RawValue>>,
    method: String,
    #[serde(default)]
    params: Option<Box<RawValue>>,
}

impl Request {
    fn read(line: &[u8]) -> Result<Self> {
        let line = std::str::from_utf8(line).map_err(|_| Error::validation("the line is not UTF-8"))?;
        match serde_json::from_str(line) {
            // The method itself rejects a NUL in its params. serde would accept an array as a request as well.
            Ok(request) if line.trim_start().starts_with('{') => Ok(request),
            _ => read_input(line),
        }
    }
}

/// The id of an invalid request, so that its error can be matched with it.
fn id_alone(line: &[u8]) -> Option<Box<RawValue>> {
    let line = String::from_utf8_lossy(line);
    serde_json::from_str::<HashMap<String, Box<RawValue>>>(&line).ok()?.remove("id")
}

/// One line of output: the response.
#[derive(Serialize)]
struct Answer {
    id: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Box<RawValue>>,
}

/// Answers one request per line until the end of input; an invalid request is answered with an error.
///
/// # Errors
/// If reading input or writing output fails; `Cancelled` if a signal arrived during a call.
pub(crate) fn lines(store: &Store, signals: &Signals) -> Result<()> {
    input::announce("one request per line");
    let mut requests = io::stdin().lock();
    loop {
        let bytes = match read_line(&mut requests, MAX_REQUEST_BYTES).map_err(|cause| input::unreadable(&cause))? {
            Line::End => return Ok(()),
            Line::Text(bytes) if bytes.trim_ascii().is_empty() => continue,
            Line::Text(bytes) => bytes,
            Line::TooLong(_) => {
                let message = format!("a request must be at most {MAX_REQUEST_BYTES} bytes long");
                answer(None, Err(refused(Some(store.redactor()), Error::validation(message), None)))?;
                continue;
            }
        };
        let (id, outcome) = match Request::read(&bytes) {
            Ok(request) => {
                let params = request.params.as_deref().map_or("", RawValue::get);
                let done = signals.during(|| dispatch(store, &request.method, params));
                (request.id, track_write(&request.method, done))
            }
            Err(error) => (id_alone(&bytes), Err(refused(Some(store.redactor()), error, None))),
        };
        answer(id, outcome)?;
        if signals.have_arrived() {
            return Err(Error::new(ErrorKind::Cancelled, "a signal ended the command; later requests were not read"));
        }
    }
}

fn answer(id: Option<Box<RawValue>>, outcome: Result<String>) -> Result<()> {
    let raw = |json: String| RawValue::from_string(json).ok();
    let answer = match outcome {
        Ok(result) => Answer { id, result: raw(result), error: None },
        Err(error) => Answer { id, result: None, error: raw(error.to_json()) },
    };
    let text = serde_json::to_string(&answer)
        .map_err(|cause| Error::new(ErrorKind::Internal, "could not serialize a response").because(cause))?;
    line(text)
}
