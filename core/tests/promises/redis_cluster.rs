//! Promises for working contexts on a Redis cluster, also while keys move between nodes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use ::redis::{Commands as _, cmd};
use loopmem::{Error, ErrorKind};
use serde_json::json;

use crate::TestHome;
use crate::at_most;
use crate::redis::assert_names_server;
use crate::redis_server::{RedisServer, changes, context, log, logs, open, open_with, put};

const CLUSTER: &[&str] = &["--cluster-enabled", "yes", "--cluster-node-timeout", "1000"];

/// Waits until the node's information on the cluster contains `what`.
fn await_cluster(server: &RedisServer, what: &str) {
    while !cmd("CLUSTER").arg("INFO").query::<String>(&mut server.bare()).unwrap().contains(what) {
        thread::yield_now();
    }
}

#[test]
fn the_keys_of_a_prefix_with_braces_stay_together_on_a_cluster_and_are_followed_to_their_node() {
    let (Some(keeps), Some(other)) = (RedisServer::start(CLUSTER), RedisServer::start(CLUSTER)) else { return };
    let _: () = cmd("CLUSTER").arg("ADDSLOTSRANGE").arg(0).arg(16383).query(&mut keeps.bare()).unwrap();
    await_cluster(&keeps, "cluster_state:ok");
    let home = TestHome::new();
    let store = open(&home, &keeps.url());
    put(&store, "job", "a", json!(1)).unwrap();
    store.working().save_checkpoint("job").unwrap();
    log(&store, "job", "first").unwrap();
    assert_eq!(changes(&store, "job"), ["a"]);

    let scattered = open_with(&home, &keeps.url(), |options| options.redis_prefix("p:"));
    let refused = put(&scattered, "job", "a", json!(1)).unwrap_err();
    assert_names_server(&refused, &keeps, "set redisPrefix to one with braces");

    let _: () = cmd("CLUSTER").arg("MEET").arg("127.0.0.1").arg(keeps.port).query(&mut other.bare()).unwrap();
    await_cluster(&other, "cluster_slots_assigned:16384");
    await_cluster(&other, "cluster_state:ok");
    // The first call is which: none of them is made where the keys are not.
    let at_the_other = || open(&home, &other.url());
    assert_eq!(context(&at_the_other(), "job"), json!({"a": 1}));
    assert_eq!(at_the_other().working().list_scopes().unwrap(), ["job"]);
    log(&at_the_other(), "job", "second").unwrap();
    let store = at_the_other();
    put(&store, "job", "b", json!(2)).unwrap();
    assert_eq!(changes(&store, "job"), ["a", "b"]);
    assert_eq!(logs(&store, "job"), ["first", "second"]);
    assert!(at_the_other().working().delete_scope("job").unwrap());
    assert_eq!(keeps.size(), 0);
}

/// Two nodes, of which the first one has every slot.
struct Nodes {
    from: RedisServer,
    to: RedisServer,
    slot: u16,
}

impl Nodes {
    fn start() -> Option<Self> {
        let (from, to) = (RedisServer::start(CLUSTER)?, RedisServer::start(CLUSTER)?);
        let _: () = cmd("CLUSTER").arg("ADDSLOTSRANGE").arg(0).arg(16383).query(&mut from.bare()).unwrap();
        let _: () = cmd("CLUSTER").arg("MEET").arg("127.0.0.1").arg(from.port).query(&mut to.bare()).unwrap();
        await_cluster(&from, "cluster_known_nodes:2");
        await_cluster(&from, "cluster_state:ok");
        await_cluster(&to, "cluster_slots_assigned:16384");
        await_cluster(&to, "cluster_state:ok");
        let slot = cmd("CLUSTER").arg("KEYSLOT").arg("{loopmem}:").query(&mut from.bare()).unwrap();
        Some(Nodes { from, to, slot })
    }

    fn set_slot(&self, server: &RedisServer, state: &str, other: &RedisServer) {
        let id: String = cmd("CLUSTER").arg("MYID").query(&mut other.bare()).unwrap();
        let _: () = cmd("CLUSTER").arg("SETSLOT").arg(self.slot).arg(state).arg(id).query(&mut server.bare()).unwrap();
    }

    fn begin_to_move(&self) {
        self.set_slot(&self.to, "IMPORTING", &self.from);
        self.set_slot(&self.from, "MIGRATING", &self.to);
    }

    /// Moves the keys of this pattern.
    fn move_keys(&self, pattern: &str) {
        let keys: Vec<String> = self.from.bare().keys(pattern).unwrap();
        for key in keys {
            let mut migrate = cmd("MIGRATE");
            migrate.arg("127.0.0.1").arg(self.to.port).arg(&key).arg(0).arg(5000);
            let _: () = migrate.query(&mut self.from.bare()).unwrap();
        }
    }

    fn end_to_move(&self) {
        self.set_slot(&self.to, "NODE", &self.to);
        self.set_slot(&self.from, "NODE", &self.to);
    }
}

fn assert_moving(refused: &Error) {
    assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Adapter, true), "{refused}");
    assert!(refused.message().contains("is moving the keys to another node"), "{refused}");
    assert!(!refused.may_be_stored());
}

#[test]
fn keys_that_move_to_another_node_are_read_and_changed_where_they_are() {
    let Some(nodes) = Nodes::start() else { return };
    let home = TestHome::new();
    let store = open(&home, &nodes.from.url());
    for scope in ["stays", "moves", "half"] {
        put(&store, scope, "a", json!(1)).unwrap();
        log(&store, scope, "first").unwrap();
    }
    let timestamp = store.working().save_checkpoint("half").unwrap();
    nodes.begin_to_move();
    nodes.move_keys("*:moves");
    nodes.move_keys("*:context:half");
    // A connection that has been used already, and new ones, to either node.
    for (number, store) in
        [store.clone(), open(&home, &nodes.from.url()), open(&home, &nodes.to.url())].into_iter().enumerate()
    {
        for scope in ["stays", "moves"] {
            let name = format!("b{number}");
            put(&store, scope, &name, json!(2)).unwrap();
            log(&store, scope, &name).unwrap();
            assert_eq!(changes(&store, scope).last(), Some(&name));
            assert_eq!(logs(&store, scope).last(), Some(&name));
        }
        // Of these keys some are here and some are there: nothing is read or written as if the others were absent.
        assert_eq!(context(&store, "half"), json!({"a": 1}));
        let short = || at_most(Duration::from_millis(200));
        assert_moving(&put(&store.with(short()), "half", "b", json!(2)).unwrap_err());
        assert_moving(&store.with(short()).working().restore_checkpoint("half", timestamp).map(drop).unwrap_err());
        assert_moving(&store.with(short()).working().delete_scope("half").unwrap_err());
        assert_eq!(store.working().list_scopes().unwrap(), ["half", "moves", "stays"]);
    }
    // An entry of a new log goes where new keys go.
    log(&store, "new", "first").unwrap();
    assert_eq!(logs(&store, "new"), ["first"]);
    assert_eq!(changes(&store, "half"), ["a"]);
    nodes.move_keys("*");
    nodes.end_to_move();
    put(&store, "half", "b", json!(2)).unwrap();
    store.working().restore_checkpoint("half", timestamp).unwrap();
    assert_eq!(context(&store, "half"), json!({"a": 1}));
    for scope in ["stays", "moves"] {
        assert_eq!(changes(&store, scope), ["a", "b0", "b1", "b2"]);
        assert_eq!(logs(&store, scope), ["first", "b0", "b1", "b2"]);
    }
    assert_eq!(store.working().list_scopes().unwrap(), ["half", "moves", "new", "stays"]);
    assert_eq!(nodes.from.size(), 0);
}

#[test]
fn nothing_is_lost_while_the_keys_move_under_writers() {
    let Some(nodes) = Nodes::start() else { return };
    let home = TestHome::new();
    let stop = Arc::new(AtomicBool::new(false));
    let (done, counted) = channel();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (store, stop, done) = (open(&home, &nodes.from.url()), Arc::clone(&stop), done.clone());
            thread::spawn(move || {
                let (scope, mut names) = (format!("job-{}", writer % 2), Vec::new());
                while !stop.load(Ordering::Relaxed) {
                    let name = format!("{writer}-{}", names.len());
                    put(&store, &scope, &name, json!(1)).unwrap();
                    log(&store, &scope, &name).unwrap();
                    names.push(name);
                    let _ = done.send(());
                }
                names
            })
        })
        .collect();
    let pass = |count| (0..count).for_each(|_| counted.recv().unwrap());
    pass(40);
    nodes.begin_to_move();
    pass(10);
    nodes.move_keys("*:job-0");
    pass(10);
    nodes.move_keys("*");
    pass(10);
    nodes.end_to_move();
    pass(40);
    stop.store(true, Ordering::Relaxed);
    let written: Vec<Vec<String>> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
    let store = open(&home, &nodes.to.url());
    for job in 0..2 {
        let scope = format!("job-{job}");
        let mut expected = [written[job].clone(), written[job + 2].clone()].concat();
        let (mut changed, mut logged) = (changes(&store, &scope), logs(&store, &scope));
        [&mut expected, &mut changed, &mut logged].into_iter().for_each(|names| names.sort());
        assert_eq!(changed, expected);
        assert_eq!(logged, expected);
    }
    assert_eq!(
        context(&store, "job-0").as_object().map(serde_json::Map::len),
        Some(written[0].len() + written[2].len())
    );
}
