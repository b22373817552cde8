//! The files of one session: a program that goes on with it may begin another file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::ThreadRow;
use crate::rollouts::database::all;
use crate::rollouts::transcript::stem;
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::Connection;

/// The files of a thread in their order, the last of which are the newest.
pub(crate) fn parts_of(connection: &Connection, thread: &ThreadRow) -> Result<Vec<PathBuf>, Failure> {
    let sql = "SELECT path FROM transcript WHERE thread_id = ?1 AND reason IS NULL ORDER BY path";
    let known: Vec<String> = all(connection, sql, [&thread.id], |row| row.get(0))?;
    Ok(parts(&thread.id, &thread.rollout_path, known))
}

fn parts(id: &str, current: &str, known: Vec<String>) -> Vec<PathBuf> {
    let Some(name) = name(id, current) else { return vec![current.into()] };
    let mut parts = BTreeMap::from([(name, current)]);
    for path in &known {
        // Files of one name are copies.
        if let Some(name) = self::name(id, path) {
            parts.entry(name).or_insert(path);
        }
    }
    let number = |part: &str| part.parse::<u64>().ok();
    let is_numbered = parts.keys().all(|(_, part)| part.is_empty() || number(part).is_some());
    let mut parts: Vec<_> = parts.into_iter().collect();
    if is_numbered {
        parts.sort_by_key(|((session, part), _)| (*session, number(part)));
    }
    parts.into_iter().map(|(_, path)| path.into()).collect()
}

/// The name of a part of a session, which sorts by time: `rollout-TIME-ID` or `rollout-TIME-ID_PART`, in front of the part and
/// behind it. `None` for another file.
fn name<'p>(id: &str, path: &'p str) -> Option<(&'p str, &'p str)> {
    let name = stem(Path::new(path)).filter(|name| name.starts_with("rollout-"))?;
    let (_, part) = name.rsplit_once(&format!("-{id}"))?;
    let session = &name[..name.len() - part.len()];
    if part.is_empty() { Some((session, "")) } else { Some((session, part.strip_prefix('_')?)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_session_are_read_in_order_and_a_copy_is_none() {
        let read = |current: &str, known: &[&str]| -> Vec<String> {
            let known = known.iter().map(|path| (*path).to_owned()).collect();
            parts("ID", current, known).iter().map(|path| path.display().to_string()).collect()
        };
        let (first, second, third) =
            ("/s/rollout-1-ID.jsonl", "/s/rollout-1-ID_A.jsonl.zst", "/t/rollout-2-ID_B.jsonl");
        assert_eq!(read(third, &[third, second, first]), [first, second, third]);
        assert_eq!(read(first, &[second, first, third]), [first, second, third]);
        assert_eq!(read(first, &["/archived/rollout-1-ID.jsonl", first]), [first]);
        assert_eq!(read(third, &["/s/rollout-1-ID copy.jsonl", "/s/rollout-1-IDx.jsonl", "/s/x.jsonl"]), [third]);
        assert_eq!(read("/s/ID.jsonl", &["/t/ID.jsonl", first]), ["/s/ID.jsonl"]);
        assert_eq!(read(first, &[]), [first]);
        // Numbers are in their order; parts of UUIDs are none, even if one has only digits.
        let name = |part: &str| format!("/s/rollout-1-ID{part}.jsonl");
        for parts in [["", "_1", "_2", "_9", "_10", "_100"], ["", "_0199", "_019a", "_01aa", "_0200", "_1000"]] {
            let expected = parts.map(name);
            let mut known: Vec<&str> = expected.iter().map(String::as_str).collect();
            for _ in parts {
                known.rotate_left(1);
                assert_eq!(read(known[0], &known), expected);
            }
        }
    }
}
