//! Acknowledged writes survive kill -9.

use std::sync::Arc;

use loopmem::testing::disk::RealFs;
use loopmem::{Options, Store};
use serde_json::Value;

use crate::operations::{Operation, ROOMS, view};
use crate::{TestHome, start, started_on};

/// The operations whose results no other operation removes.
fn operations() -> impl Iterator<Item = &'static Operation> {
    ROOMS.iter().flat_map(|room| room.operations).copied().filter(|it| it.syncs.is_some())
}

fn open(home: &std::path::Path) -> Store {
    let options = Options::at(home).adapter("file").summaries_max_entries(10_000);
    loopmem::testing::open_on(options, Arc::new(RealFs), []).unwrap()
}

/// The process that is killed: it writes forever, and reports the result of each write that has returned.
#[test]
#[ignore = "the part of another process"]
fn writes_until_it_is_killed() {
    let Some(home) = started_on() else { return };
    let store = open(&home);
    for number in 0.. {
        for (kind, operation) in operations().enumerate() {
            let word = format!("<{}-{kind}-{number}>", std::process::id());
            let answer: Value = serde_json::from_str(&operation.answers(&store, &word).unwrap()[0]).unwrap();
            // A checkpoint is known by the time that it was given.
            println!("stored {}", answer["timestamp"].as_u64().map_or(word, |timestamp| timestamp.to_string()));
        }
    }
}

#[test]
fn an_acknowledged_write_survives_kill_9() {
    let home = TestHome::new();
    let mut acknowledged = Vec::new();
    for wanted in [1, 2, 3, 15, 16, 31, 32] {
        for (mut child, mut said) in [(); 2].map(|()| start("crash::writes_until_it_is_killed", &home.root())) {
            let mut heard = 0;
            while heard < wanted {
                let line = said.next().unwrap().unwrap();
                heard += usize::from(line.starts_with("stored "));
                acknowledged.push(line);
            }
            child.kill().unwrap();
            child.wait().unwrap();
            // Whatever it said before it died counts; a pipe takes a short line whole or not at all.
            acknowledged.extend(said.map_while(Result::ok));
        }
    }
    let store = open(&home.root());
    // A lock that died with its holder is free, and a line that was cut off is set aside.
    operations().for_each(|operation| operation.write(&store, "after the crashes").unwrap());
    home.assert_no_litter();
    let said: Vec<_> = view(&store).unwrap().into_values().map(Result::unwrap).collect();
    // What else is said is the test runner's.
    let marks: Vec<_> = acknowledged.iter().filter_map(|line| line.strip_prefix("stored ")).collect();
    for mark in &marks {
        assert!(said.iter().any(|it| it.contains(mark)), "{mark} is lost");
    }
    assert!(marks.len() >= 200, "{}", marks.len());
}
