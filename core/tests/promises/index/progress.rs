//! What a refresh of the index reports while it runs, and what its callback may do.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use loopmem::index::Map;
use loopmem::{CallOptions, Cancel, ErrorKind};

use super::{Place, fill, map_of};

#[test]
fn a_refresh_reports_the_files_that_it_reads() {
    let place = Place::new();
    for number in 0..250 {
        place.write(&format!("src/part{number}.rs"), format!("fn part{number}() {{ common(); }}\n"));
    }
    let reports = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&reports);
    let progress = move |done, total| list.lock().unwrap().push((done, total));
    let store = place.store().with(CallOptions::new().progress(progress));
    store.repo(place.top()).unwrap().index().refresh().unwrap();
    let reports = reports.lock().unwrap();
    assert_eq!((reports.first(), reports.last()), (Some(&(0, 250)), Some(&(250, 250))));
    assert!(reports.is_sorted() && reports.len() == 101, "{reports:?}");
}

#[test]
fn a_refresh_can_be_cancelled_by_its_progress_callback_and_outlives_its_panic() {
    let place = Place::new();
    fill(&place);
    let expected = place.map("lock");
    place.write("src/new.rs", "fn new_lock() {}\n");
    let (cancel, reports) = (Cancel::new(), Arc::new(Mutex::new(0)));
    let (request, count) = (cancel.clone(), Arc::clone(&reports));
    let progress = move |_, _| {
        *count.lock().unwrap() += 1;
        request.cancel();
        panic!("a defect of the host");
    };
    let store = place.store().with(CallOptions::new().cancel(&cancel).progress(progress));
    let refused = store.repo(place.top()).and_then(|repo| repo.index().refresh()).unwrap_err();
    assert_eq!((refused.kind(), *reports.lock().unwrap()), (ErrorKind::Cancelled, 1));
    std::fs::remove_file(place.top().join("src/new.rs")).unwrap();
    assert_eq!(place.map("lock"), expected);
}

#[test]
fn calls_that_a_progress_callback_makes_are_misuse() {
    let place = Place::new();
    fill(&place);
    let (inner, top) = (place.store(), place.top());
    let refused = Arc::new(Mutex::new(Vec::new()));
    let kinds = Arc::clone(&refused);
    let progress = move |_, _| {
        let call = inner.repo(&top).and_then(|repo| repo.index().refresh());
        kinds.lock().unwrap().push(call.unwrap_err().kind());
    };
    let store = place.store().with(CallOptions::new().progress(progress));
    store.repo(place.top()).unwrap().index().refresh().unwrap();
    assert!(!refused.lock().unwrap().is_empty());
    assert!(refused.lock().unwrap().iter().all(|kind| *kind == ErrorKind::Misuse));
    // The thread may call again once the callback has returned.
    place.map("lock");
}

#[test]
fn while_another_process_makes_the_first_index_a_map_does_not_fail() {
    let place = Place::new();
    fill(&place);
    let (other, top) = (place.store().with(CallOptions::new().timeout(Duration::ZERO)), place.top());
    let expected = map_of(&place.store_in("elsewhere"), &top, "lock");
    let maps = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&maps);
    let at = top.clone();
    // The callback runs while the index is locked; its first call finds none.
    let progress = move |_, _| {
        let (other, at) = (other.clone(), at.clone());
        let map = std::thread::spawn(move || other.repo(at)?.index().map(4_000, Some("lock"), &[]));
        list.lock().unwrap().push(map.join());
    };
    place.store().with(CallOptions::new().progress(progress)).repo(&top).unwrap().index().refresh().unwrap();
    let maps: Vec<Map> = maps.lock().unwrap().drain(..).map(|map| map.unwrap().unwrap()).collect();
    assert!(maps.len() > 1 && maps.iter().all(|map| *map == expected), "{maps:?}");
    assert_eq!(place.map("lock"), expected);
}
