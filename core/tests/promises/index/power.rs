//! After a power failure, a file may have the times of a change and not its bytes.

use std::time::Duration;

use loopmem::testing::open_on;

use super::*;
use crate::file_systems::TestClock;

const OLD: &str = "fn heartbeat() {}\n";
const NEW: &str = "fn hesitated() {}\n";

/// Whether the map follows a file that changes while its times stay the same.
struct Watched {
    place: Place,
    clock: Arc<TestClock>,
}

impl Watched {
    /// A file that was changed so long ago when it was first read.
    fn of_age(age: Duration, mount: Option<&str>) -> Self {
        let watched = Watched { place: Place::new(), clock: TestClock::stopped(age) };
        watched.clock.mounted(mount);
        assert!(watched.follows(NEW) && watched.follows(NEW));
        watched
    }

    fn follows(&self, text: &str) -> bool {
        self.place.write("src/lease.rs", text);
        let clock = Arc::clone(&self.clock);
        let store = open_on(Options::at(self.place.path().join("home")), clock, []).unwrap();
        let map = map_of(&store, &self.place.top(), "").text;
        map == format!("src/lease.rs:\n  {}", text.trim_end().trim_end_matches(" {}"))
    }
}

#[test]
fn a_file_that_a_power_failure_undid_is_read_again() {
    let watched = Watched::of_age(Duration::from_secs(1), Some("first"));
    assert!(!watched.follows(OLD), "a file with the same stamp is not read while the file system is mounted");
    watched.clock.mounted(Some("second"));
    assert!(watched.follows(OLD));
}

#[test]
fn a_young_file_is_read_at_each_use_where_mounts_are_unknown() {
    let watched = Watched::of_age(Duration::from_secs(1), None);
    assert!(watched.follows(OLD) && watched.follows(NEW));
}

#[test]
fn a_file_that_was_durable_when_it_was_read_is_not_read_again() {
    let watched = Watched::of_age(Duration::from_secs(61), Some("first"));
    for mount in [Some("first"), Some("second"), None] {
        watched.clock.mounted(mount);
        assert!(!watched.follows(OLD), "{mount:?}");
    }
}

#[test]
fn the_system_reveals_mounts() {
    let of = |path: &str| RealFs.mount(Path::new(path));
    // Not before Linux 5.8.
    if let Some(mount) = of("/") {
        assert_eq!(of("/"), Some(mount.clone()));
        assert!(of("/proc").is_some_and(|other| other != mount));
    }
}
