//! The rules of a campaign: its folder, its cursor and the snapshots of its metrics (spec 002, "Campaign Mode
//! Validation").

use std::path::Path;

use chrono::NaiveDate;
use serde_json::{Map, Value};

use super::fault::{Fault, Rule};
use super::folder::File;
use crate::branch::config::Memory;
use crate::disk::Disk;
use crate::error::{Error, Result};

/// The faults of the campaign of a memory, if it has one.
pub(crate) fn faults(disk: &Disk, memory: &Memory, directory: &Path, files: &[File]) -> Result<Vec<Fault>> {
    let Some(id) = memory.campaign() else { return Ok(Vec::new()) };
    let folder = format!("{id}/");
    let mut faults = pattern_faults(memory, &folder);
    if !files.iter().any(|file| file.path.starts_with(&folder)) {
        let message = format!("the campaign has no files; write {folder}cursor.json and {folder}metrics/DATE.json");
        faults.push(Fault::new(Some(id), Rule::CampaignFolder, None, message));
    }
    let (cursor, metrics) = (format!("{folder}cursor.json"), format!("{folder}metrics/"));
    let (mut has_cursor, mut has_metrics) = (false, false);
    for file in files.iter().filter(|file| is_json(&file.path)) {
        let is_cursor = file.path == cursor;
        let is_snapshot = file.path.starts_with(&metrics);
        has_cursor |= is_cursor;
        has_metrics |= is_snapshot;
        // One that is too large is a fault already.
        if file.size > memory.max_file_size {
            continue;
        }
        let path = Some(&*file.path);
        match read(disk, directory, file, memory.max_file_size)? {
            Err(why) => faults.push(Fault::new(path, Rule::CampaignJson, None, format!("is not JSON: {why}"))),
            Ok(value) if is_cursor => {
                let whys = cursor_faults(&value, id).into_iter();
                faults.extend(whys.map(|why| Fault::new(path, Rule::CampaignCursor, None, why)));
            }
            Ok(value) if is_snapshot => {
                let whys = metrics_faults(&value, id).into_iter();
                faults.extend(whys.map(|why| Fault::new(path, Rule::CampaignMetrics, None, why)));
            }
            Ok(_) => {}
        }
    }
    if !has_cursor {
        let message = "is missing; a campaign keeps its state there".to_owned();
        faults.push(Fault::new(Some(&cursor), Rule::CampaignCursor, None, message));
    }
    if !has_metrics {
        let message = "has no snapshot; write at least one, such as 2025-01-31.json".to_owned();
        faults.push(Fault::new(Some(&metrics), Rule::CampaignMetrics, None, message));
    }
    Ok(faults)
}

fn pattern_faults(memory: &Memory, folder: &str) -> Vec<Fault> {
    let patterns = memory.file_glob.iter().flatten().filter(|pattern| !pattern.starts_with(folder));
    let message = |pattern: &String| format!("file-glob has the pattern {pattern:?}, which must begin with {folder}");
    patterns.map(|pattern| Fault::new(None, Rule::CampaignPattern, None, message(pattern))).collect()
}

/// As patterns see it: `a.JSON` does not match `*.json`.
fn is_json(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "json")
}

/// The value in a file, or why it is not JSON.
fn read(disk: &Disk, directory: &Path, file: &File, limit: u64) -> Result<std::result::Result<Value, String>> {
    let bytes = disk.read_in_work_tree(directory, file.path.as_bytes(), limit);
    let bytes = bytes.map_err(|cause| Error::io("read", &directory.join(&file.path), &cause))?;
    Ok(serde_json::from_slice(&bytes).map_err(|cause| cause.to_string()))
}

fn cursor_faults(value: &Value, id: &str) -> Vec<String> {
    let Some(cursor) = value.as_object() else { return vec!["must be an object".to_owned()] };
    let campaign = cursor.get("campaign_id").filter(|given| given.as_str() != Some(id));
    let campaign = campaign.map(|_| format!("campaign_id must be {id:?}"));
    let date = cursor.get("date").filter(|date| !is_date(date)).map(|_| DATE_FAULT.to_owned());
    campaign.into_iter().chain(date).collect()
}

fn metrics_faults(value: &Value, id: &str) -> Vec<String> {
    let Some(metrics) = value.as_object() else { return vec!["must be an object".to_owned()] };
    let mut faults = Vec::new();
    if metrics.get("campaign_id").and_then(Value::as_str) != Some(id) {
        faults.push(format!("campaign_id must be {id:?}"));
    }
    if !metrics.get("date").is_some_and(is_date) {
        faults.push(DATE_FAULT.to_owned());
    }
    faults.extend(["tasks_total", "tasks_completed"].into_iter().filter_map(|key| count_fault(metrics, key, true)));
    faults
        .extend(["tasks_in_progress", "tasks_blocked"].into_iter().filter_map(|key| count_fault(metrics, key, false)));
    let is_velocity = |value: &Value| value.as_f64().is_some_and(|number| number >= 0.0);
    let optional = |key: &str| metrics.get(key).filter(|value| !value.is_null());
    if optional("velocity_per_day").is_some_and(|value| !is_velocity(value)) {
        faults.push("velocity_per_day must be a number of at least 0".to_owned());
    }
    if optional("estimated_completion").is_some_and(|value| !value.is_string()) {
        faults.push("estimated_completion must be a text".to_owned());
    }
    faults
}

const DATE_FAULT: &str = "date must be a day as YYYY-MM-DD";

fn count_fault(metrics: &Map<String, Value>, key: &str, is_required: bool) -> Option<String> {
    let is_count = |value: &Value| value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0);
    let value = metrics.get(key).filter(|value| is_required || !value.is_null());
    let is_valid = value.map_or(!is_required, is_count);
    (!is_valid).then(|| format!("{key} must be a whole number of at least 0"))
}

/// Returns whether a value is a day of the calendar, as `YYYY-MM-DD`.
fn is_date(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        let has_shape = text.len() == 10
            && text
                .bytes()
                .enumerate()
                .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() });
        has_shape && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_snapshot_has_the_fields_of_the_specification() {
        let good =
            json!({"campaign_id": "c", "date": "2024-02-29", "tasks_total": 10.0, "tasks_completed": 0, "more": [1]});
        assert_eq!(metrics_faults(&good, "c"), [""; 0]);
        let with = |key: &str, value: Value| {
            let mut changed = good.clone();
            changed[key] = value;
            metrics_faults(&changed, "c")
        };
        for (key, value) in [
            ("campaign_id", json!("d")),
            ("campaign_id", json!(1)),
            ("date", json!("2023-02-29")),
            ("date", json!("2024-2-29")),
            ("date", json!("+024-02-29")),
            ("tasks_total", json!(1.5)),
            ("tasks_total", json!("10")),
            ("tasks_completed", json!(-1)),
            ("tasks_in_progress", json!("2")),
            ("tasks_total", json!(null)),
            ("tasks_blocked", json!(true)),
            ("velocity_per_day", json!(-0.5)),
            ("estimated_completion", json!(3)),
        ] {
            assert_eq!(with(key, value.clone()).len(), 1, "{key} {value}");
        }
        for (key, value) in [
            ("velocity_per_day", json!(0.5)),
            ("estimated_completion", json!("soon")),
            ("velocity_per_day", json!(null)),
            ("estimated_completion", json!(null)),
            ("tasks_in_progress", json!(null)),
            ("tasks_blocked", json!(null)),
        ] {
            assert_eq!(with(key, value).len(), 0, "{key}");
        }
        assert_eq!(metrics_faults(&json!({}), "c").len(), 4);
        assert_eq!(metrics_faults(&json!([]), "c").len(), 1);
    }

    #[test]
    fn a_cursor_need_not_name_its_campaign_but_must_not_name_another() {
        for good in [json!({}), json!({"campaign_id": "c", "date": "2024-12-31", "page": 3})] {
            assert_eq!(cursor_faults(&good, "c"), [""; 0]);
        }
        for bad in [json!({"campaign_id": null}), json!({"campaign_id": "C"}), json!({"date": "today"}), json!(1)] {
            assert_eq!(cursor_faults(&bad, "c").len(), 1, "{bad}");
        }
    }
}
