//! Finding sessions by their ids, or by prefixes of them.

use loopmem::{Error, Result};
use serde_json::Value;

use crate::human::screen::on_one_line;
use crate::session::{Members, Session, text};

/// How many ids are named if a prefix fits several.
const NAMED: usize = 5;

/// The ids for these ids or unique prefixes. What fits no session is returned as it is.
///
/// # Errors
/// `ValidationError` for a prefix of several ids.
pub(super) fn find_all<'g>(session: &Session<'_>, given: impl Iterator<Item = &'g str>) -> Result<Vec<String>> {
    let params = Members::from_iter([("limit".to_owned(), u32::MAX.into())]);
    let listed: Members = session.ask("rollouts.list", params)?;
    let threads = listed.get("threads").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let known: Vec<&str> = threads.map(|thread| text(thread, "threadId")).collect();
    given.map(|given| expand(&known, given)).collect()
}

/// As [`find_all`], for one.
pub(super) fn find(session: &Session<'_>, given: &str) -> Result<String> {
    find_all(session, std::iter::once(given)).map(|mut ids| ids.pop().unwrap_or_default())
}

fn expand(known: &[&str], given: &str) -> Result<String> {
    let fitting: Vec<&str> = known.iter().copied().filter(|id| id.starts_with(given)).collect();
    match fitting.as_slice() {
        [id] => Ok((*id).to_owned()),
        [] => Ok(given.to_owned()),
        several if several.contains(&given) => Ok(given.to_owned()),
        several => {
            let named: Vec<String> = several.iter().take(NAMED).map(|id| on_one_line(id)).collect();
            let more = if several.len() > NAMED { ", …" } else { "" };
            Err(Error::validation(format!(
                "{} is the beginning of {} session ids ({}{more}); add more characters",
                on_one_line(given),
                several.len(),
                named.join(", ")
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_found_by_its_id_or_the_beginning_of_it() {
        let known = ["0199-a", "0199-b", "0199", "x"];
        for (given, found) in [("0199-a", "0199-a"), ("0199", "0199"), ("x", "x"), ("y", "y"), ("x-y", "x-y")] {
            assert_eq!(expand(&known, given).unwrap(), found);
        }
        let refused = expand(&known, "0199-").unwrap_err();
        assert_eq!(refused.message(), "0199- is the beginning of 2 session ids (0199-a, 0199-b); add more characters");
    }
}
