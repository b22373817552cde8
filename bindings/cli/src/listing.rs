//! `--limit` and `--since` of lists: which of their entries are shown.

use chrono::{DateTime, Duration, NaiveDate, Utc};
use clap::{Arg, ArgMatches, Command, value_parser};
use loopmem::methods::{Description, MethodDescription, Type, writes};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::human::environment;

const LIMIT: &str = "entriesLimit";
/// The limit of a method's own.
pub(crate) const OF_METHOD: &str = "limit";
const SINCE: &str = "entriesSince";
/// The param of methods that then return the most relevant entries first.
const QUERY: &str = "query";
/// The members of an entry that say when it was changed, in the order in which they count.
const TIMES: [&str; 8] =
    ["updatedAt", "updated_at", "modifiedAt", "timestamp", "at", "time", "createdAt", "created_at"];
/// The members that hold the record of an entry.
const RECORDS: [&str; 4] = ["record", "item", "entry", "metadata"];
/// The lists in results that also say something else.
const LISTS: [&str; 2] = ["threads", "snapshots"];

/// Which entries of a list are shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listing {
    limit: Option<usize>,
    since: Option<DateTime<Utc>>,
    /// Whether the method's own limit is kept from it: old entries must not count.
    takes_limit: bool,
    /// Whether the first entries are kept, as they are the most relevant, and not the newest.
    is_ranked: bool,
}

/// Adds the options to the command of a method that returns a list, unless the method has them itself.
pub(crate) fn extend(command: Command, method: &MethodDescription, description: &Description) -> Command {
    let Some(entry) = entry(&method.output, description).filter(|_| !writes(method.name)) else { return command };
    let has = |name: &str| method.params.fields.iter().any(|field| field.name == name);
    let command = if has("limit") { command } else { command.arg(limit()) };
    if has("since") || !has_time(entry, description) { command } else { command.arg(since()) }
}

/// What is in the list that a result is or has.
fn entry<'d>(output: &'d Type, description: &'d Description) -> Option<&'d Type> {
    match output {
        Type::List(entry) => Some(entry),
        Type::Struct(name) => {
            let found = description.structs.iter().find(|it| it.name == *name)?;
            let list = found.fields.iter().find(|field| LISTS.contains(&field.name.as_str()))?;
            if let Type::List(entry) = &list.ty { Some(entry) } else { None }
        }
        _ => None,
    }
}

/// Whether the entries of a list say when they were changed.
fn has_time(entry: &Type, description: &Description) -> bool {
    match entry {
        // Checkpoints.
        Type::Integer => true,
        Type::Struct(name) => {
            let is_time = |name: &str| TIMES.contains(&name) || RECORDS.contains(&name);
            let found = description.structs.iter().find(|it| it.name == *name);
            // The records of several kinds have times.
            found.is_none_or(|it| it.fields.iter().any(|field| is_time(&field.name)))
        }
        _ => false,
    }
}

/// The option for the maximum number of entries.
pub(crate) fn limit() -> Arg {
    Arg::new(LIMIT)
        .long("limit")
        .value_name("N")
        .value_parser(value_parser!(u32))
        .help("At most N entries: the newest, if they have times")
}

/// The option for the time since which entries have changed.
pub(crate) fn since() -> Arg {
    let help = "Only entries that have changed since then: a time, a day such as 2026-01-31, or an age such as 7d";
    Arg::new(SINCE).long("since").value_name("TIME").value_parser(time).help(help)
}

/// The same as [`time`], for a param that is RFC 3339.
pub(crate) fn rfc3339(typed: &str) -> Result<String, String> {
    time(typed).map(|time| time.to_rfc3339())
}

/// A time as RFC 3339 has it, a day, or an age.
pub(crate) fn time(typed: &str) -> Result<DateTime<Utc>, String> {
    let expected = "not a time such as 2026-01-31T12:00:00Z, a day such as 2026-01-31, or an age such as 12h, 7d or 2w";
    if let Ok(time) = DateTime::parse_from_rfc3339(typed) {
        return Ok(time.to_utc());
    }
    if let Some(midnight) = typed.parse::<NaiveDate>().ok().and_then(|day| day.and_hms_opt(0, 0, 0)) {
        return Ok(midnight.and_utc());
    }
    let unit = typed.chars().last().unwrap_or_default();
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        'w' => 7 * 24 * 60,
        'y' => 365 * 24 * 60,
        _ => return Err(expected.to_owned()),
    };
    let number: Option<i64> = typed.strip_suffix(unit).and_then(|number| number.parse::<u32>().ok()).map(i64::from);
    let age = number.and_then(|number| Duration::try_minutes(number.checked_mul(minutes)?));
    age.and_then(|age| environment::now().checked_sub_signed(age)).ok_or_else(|| expected.to_owned())
}

impl Listing {
    /// What the options of the innermost command say.
    pub(crate) fn of(mut args: &ArgMatches) -> Self {
        while let Some((_, inner)) = args.subcommand() {
            args = inner;
        }
        let limit = args.try_get_one::<u32>(LIMIT).ok().flatten();
        let since = args.try_get_one::<DateTime<Utc>>(SINCE).ok().flatten().copied();
        let of_method =
            args.try_get_one::<i64>(OF_METHOD).ok().flatten().and_then(|limit| usize::try_from(*limit).ok());
        let of_method = of_method.filter(|_| since.is_some());
        Listing {
            limit: limit.and_then(|limit| usize::try_from(*limit).ok()).or(of_method),
            since,
            takes_limit: of_method.is_some(),
            is_ranked: args.try_contains_id(QUERY).unwrap_or(false),
        }
    }

    /// Whether a method is called without this param.
    pub(crate) fn takes(&self, param: &str) -> bool {
        self.takes_limit && param == OF_METHOD
    }

    /// The result of a method with these entries alone, each as it was.
    pub(crate) fn of_result(&self, json: String) -> String {
        if self.limit.is_none() && self.since.is_none() {
            return json;
        }
        if let Ok(entries) = serde_json::from_str::<Vec<&RawValue>>(&json) {
            return self.of_entries(entries);
        }
        let Ok(mut members) = serde_json::from_str::<serde_json::Map<String, Value>>(&json) else { return json };
        for name in LISTS {
            if let Some(list) = members.get_mut(name) {
                let text = list.to_string();
                let entries = serde_json::from_str(&text).unwrap_or_default();
                *list = serde_json::from_str(&self.of_entries(entries)).unwrap_or_default();
            }
        }
        Value::from(members).to_string()
    }

    fn of_entries(&self, entries: Vec<&RawValue>) -> String {
        let timed =
            entries.into_iter().map(|entry| (time_of(&serde_json::from_str(entry.get()).unwrap_or_default()), entry));
        let is_new = |(time, _): &(Option<DateTime<Utc>>, &RawValue)| {
            self.since.is_none_or(|since| time.is_some_and(|time| time >= since))
        };
        let mut kept: Vec<_> = timed.filter(is_new).collect();
        let limit = self.limit.unwrap_or(usize::MAX);
        // Several stores may be listed one after the other.
        let mut times: Vec<_> = kept.iter().filter_map(|(time, _)| *time).collect();
        if kept.len() > limit && times.len() == kept.len() && !self.is_ranked {
            times.sort_unstable_by(|one, other| other.cmp(one));
            let oldest = times.get(limit).copied();
            let mut left = limit - times.iter().filter(|time| Some(**time) > oldest).count();
            kept.retain(|(time, _)| {
                let is_tie = *time == oldest && left > 0;
                left -= usize::from(is_tie);
                *time > oldest || is_tie
            });
        }
        if kept.len() > limit {
            kept.truncate(limit);
        }
        format!("[{}]", kept.iter().map(|(_, entry)| entry.get()).collect::<Vec<_>>().join(","))
    }
}

/// When an entry has changed.
fn time_of(entry: &Value) -> Option<DateTime<Utc>> {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "drops a fraction of a millisecond; a time out of range is none"
    )]
    let of_milliseconds = |number: &Value| DateTime::from_timestamp_millis(number.as_f64()? as i64);
    let of_value = |value: &Value| match value {
        Value::String(text) => DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc()),
        Value::Number(_) => of_milliseconds(value),
        _ => None,
    };
    if entry.is_number() {
        return of_milliseconds(entry);
    }
    let own = TIMES.iter().find_map(|name| of_value(entry.get(name)?));
    own.or_else(|| RECORDS.iter().find_map(|name| time_of(entry.get(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(limit: Option<usize>, since: Option<&str>) -> Listing {
        Listing { limit, since: since.map(|since| time(since).unwrap()), ..Listing::default() }
    }

    #[test]
    fn the_newest_entries_are_kept_whichever_end_of_the_list_they_are_at() {
        let (old, new) =
            (r#"{"id":1,"updatedAt":"2026-01-01T00:00:00Z"}"#, r#"{"id": 2,"updatedAt":"2026-01-02T00:00:00Z"}"#);
        let ascending = format!("[{old},{new}]");
        let descending = format!("[{new},{old}]");
        let one = format!("[{new}]");
        assert_eq!(listing(Some(1), None).of_result(ascending.clone()), one);
        assert_eq!(listing(Some(1), None).of_result(descending.clone()), one);
        assert_eq!(listing(None, Some("2026-01-02")).of_result(ascending.clone()), one);
        assert_eq!(listing(None, None).of_result(ascending.clone()), ascending);
        assert_eq!(listing(Some(0), None).of_result(descending), "[]");
    }

    #[test]
    fn times_are_found_in_every_kind_of_entry() {
        for entry in [
            r#"{"kind":"note","record":{"updatedAt":"2026-01-02T00:00:00Z"}}"#,
            r#"{"updated_at":"2026-01-02T00:00:00Z","created_at":"2020-01-01T00:00:00Z"}"#,
            r#"{"metadata":{"timestamp":1767312000000.0}}"#,
            r#"{"score":1,"entry":{"metadata":{"timestamp":1767312000000}}}"#,
            "1767312000000",
        ] {
            let list = format!("[{entry}]");
            assert_eq!(listing(None, Some("2026-01-02T00:00:00Z")).of_result(list.clone()), list);
            assert_eq!(listing(None, Some("2026-01-02T00:00:01Z")).of_result(list), "[]");
        }
    }

    #[test]
    fn an_age_is_a_time() {
        let now = environment::now();
        let hours = |typed: &str| (time(typed).unwrap() - now).num_minutes().div_euclid(60);
        assert_eq!((hours("12h"), hours("2d"), hours("1w")), (-12, -48, -168), "as long ago, or a moment less");
        for typed in ["", "d", "-1d", "1.5d", "yesterday", "99999999999y", "2026-13-01"] {
            assert!(time(typed).is_err(), "{typed}");
        }
    }
}
