//! What was acknowledged is there after kill -9.

use crate::{TestHome, append, conventions, open, start, started_on, steps, upsert};

/// The part of the process that is killed: it writes for ever and tells each id when its write has returned.
#[test]
#[ignore = "the part of another process"]
fn writes_until_it_is_killed() {
    let Some(home) = started_on() else { return };
    let store = open(&home, std::sync::Arc::new(loopmem::testing::disk::RealFs));
    for number in 0.. {
        let id = format!("{}-{number}", std::process::id());
        upsert(&store, &id, "What was acknowledged.").unwrap();
        println!("stored {id}");
        append(&store, &id).unwrap();
        println!("appended {id}");
    }
}

#[test]
fn an_acknowledged_write_survives_kill_9() {
    let home = TestHome::new();
    let mut acknowledged = Vec::new();
    for wanted in [1, 2, 15, 16, 31, 32] {
        let (mut child, mut said) = start("crash::writes_until_it_is_killed", &home.root());
        let mut heard = 0;
        while heard < wanted {
            let line = said.next().unwrap().unwrap();
            heard += usize::from(line.starts_with("stored ") || line.starts_with("appended "));
            acknowledged.push(line);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever it said before it died counts; a pipe takes a short line whole or not at all.
        acknowledged.extend(said.map_while(Result::ok));
    }
    let store = home.open();
    // A lock that died with its holder is free, and a line that was cut off is set aside.
    upsert(&store, "last", "After the crashes.").unwrap();
    append(&store, "last").unwrap();
    home.assert_no_litter();
    let (conventions, steps) = (conventions(&store), steps(&store));
    for line in acknowledged {
        match line.split_once(' ') {
            Some(("stored", id)) => assert!(conventions.iter().any(|(stored, _)| stored == id), "{id} is lost"),
            Some(("appended", id)) => assert!(steps.iter().any(|step| step == id), "{id} is lost"),
            // What the test runner itself says.
            _ => {}
        }
    }
    assert!(conventions.len() + steps.len() >= 99, "{} and {}", conventions.len(), steps.len());
}
