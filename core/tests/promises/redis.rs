//! Promises for working contexts on a Redis server.

#![allow(unsafe_code, reason = "std has no fork")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use ::redis::{Commands as _, cmd};
use loopmem::testing::disk::{Cancel, WaitOptions};
use loopmem::testing::working::{Adapter as _, Key, Write};
use loopmem::{CallOptions, Error, ErrorKind, Options, Store};
use serde_json::{Value, json};

use crate::locks::{FOREVER, waiting};
use crate::redis_server::{DURABLE, RedisServer, adapter, changes, context, log, logs, open, open_with, put};
use crate::{TestHome, at_most, start, started_on};

/// Checks that an adapter's error names the server and contains `what`.
#[track_caller]
pub(crate) fn assert_names_server(refused: &Error, server: &RedisServer, what: &str) {
    assert_eq!(refused.kind(), ErrorKind::Adapter, "{refused}");
    assert!(refused.message().contains(&format!("127.0.0.1:{}/0", server.port)), "{refused}");
    assert!(format!("{refused:#}").contains(what), "{refused}");
}

#[test]
fn a_bare_client_finds_the_keys_of_the_specification() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let home = TestHome::new();
    let store = open(&home, &server.url());
    put(&store, "job: *[1]", "a", json!({"deep": [1, null, "x"]})).unwrap();
    put(&store, "job: *[1]", "b", Value::Null).unwrap();
    log(&store, "job: *[1]", "first").unwrap();
    log(&store, "job: *[1]", "second").unwrap();
    let timestamp = store.working().save_checkpoint("job: *[1]").unwrap();
    put(&store, "global", "c", json!(1)).unwrap();

    let mut bare = server.bare();
    let keys: BTreeSet<String> = bare.keys("*").unwrap();
    let saved = format!("{{loopmem}}:checkpoint:job: *[1]:{timestamp}");
    let expected = [
        "{loopmem}:checkpoints:job: *[1]",
        "{loopmem}:context:global",
        "{loopmem}:context:job: *[1]",
        "{loopmem}:logs:job: *[1]",
        "{loopmem}:trail:global",
        "{loopmem}:trail:job: *[1]",
        &saved,
    ];
    assert_eq!(keys, expected.map(str::to_owned).into());
    let text = r#"{"a":{"deep":[1,null,"x"]},"b":null}"#;
    assert_eq!(bare.get::<_, String>("{loopmem}:context:job: *[1]").unwrap(), text);
    assert_eq!(bare.get::<_, String>(saved).unwrap(), text);
    assert_eq!(bare.get::<_, String>("{loopmem}:checkpoints:job: *[1]").unwrap(), format!("[{timestamp}]"));
    let entries: Vec<String> = bare.lrange("{loopmem}:logs:job: *[1]", 0, -1).unwrap();
    let contents: Vec<_> =
        entries.iter().map(|it| serde_json::from_str::<Value>(it).unwrap()["content"].clone()).collect();
    assert_eq!(contents, ["first", "second"]);
    assert_eq!(bare.llen::<_, usize>("{loopmem}:trail:job: *[1]").unwrap(), 2);
}

#[test]
fn everything_survives_a_restart_of_the_store_and_a_crash_of_the_server() {
    let Some(mut server) = RedisServer::start(DURABLE) else { return };
    let home = TestHome::new();
    let store = open(&home, &server.url());
    put(&store, "job", "a", json!(1)).unwrap();
    let timestamp = store.working().save_checkpoint("job").unwrap();
    put(&store, "job", "a", json!(2)).unwrap();
    log(&store, "job", "first").unwrap();
    server.end(libc::SIGKILL);
    server.start_again();
    // Nothing is sent on a connection that is known to be gone, so nothing is in doubt.
    log(&store, "job", "second").unwrap();
    // The store whose connection was gone, and one that is new.
    for store in [store, open(&home, &server.url())] {
        assert_eq!(context(&store, "job"), json!({"a": 2}));
        assert_eq!(changes(&store, "job"), ["a", "a"]);
        assert_eq!(logs(&store, "job"), ["first", "second"]);
        assert_eq!(store.working().list_checkpoints("job").unwrap(), [timestamp]);
    }
    let store = open(&home, &server.url());
    let restored = store.working().restore_checkpoint("job", timestamp).unwrap();
    assert_eq!(restored.to::<Value>().unwrap(), json!({"a": 1}));
}

/// A process that adds keys to one context. The configuration in its home names the server.
#[test]
#[ignore = "the part of another process"]
fn adds_keys() {
    let Some(home) = started_on() else { return };
    let store = Store::open(Options::at(home)).unwrap();
    for number in 0..100 {
        let name = format!("{}-{number}", std::process::id());
        put(&store, "job", &name, json!(number)).unwrap();
        println!("added {name}");
    }
}

/// A home that is configured to use the server.
fn configured(server: &RedisServer) -> TestHome {
    let home = TestHome::new();
    std::fs::create_dir_all(home.root()).unwrap();
    std::fs::write(home.root().join("config.toml"), format!("[working]\nadapter = \"{}\"\n", server.url())).unwrap();
    home
}

#[test]
fn eight_processes_that_add_a_hundred_keys_each_lose_none_and_leave_each_in_the_trail_once() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let home = configured(&server);
    let processes: Vec<_> = (0..8).map(|_| start("redis::adds_keys", &home.root())).collect();
    let mut added = Vec::new();
    for (mut child, said) in processes {
        added.extend(said.map_while(Result::ok).filter_map(|line| Some(line.strip_prefix("added ")?.to_owned())));
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(added.len(), 800);
    let mut changed = changes(&home.open(), "job");
    changed.sort();
    added.sort();
    assert_eq!(changed, added);
}

#[test]
fn a_change_is_computed_again_after_a_concurrent_write() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let (home, adapter) = adapter(&TestHome::new(), &server.url());
    let scope = scope();
    let mut seen = Vec::new();
    let saw = Arc::new(Mutex::new(Vec::new()));
    let (key, writer_saw) = (Key::Context(scope.clone()), Arc::clone(&saw));
    let mut bare = server.bare();
    let decide = move |read: &mut loopmem::testing::working::Read<'_>| {
        let value = read(&key)?.map(|json| json.get().to_owned());
        writer_saw.lock().unwrap().push(value.clone());
        if seen.len() < 2 {
            let _: () = bare.set(format!("{{loopmem}}:{key}"), format!("{{\"n\":{}}}", seen.len())).unwrap();
        }
        seen.push(value);
        Ok(vec![Write::Set(key.clone(), home.redactor().seal_value(&json!({"last": true}), &[])?.0.value()?)])
    };
    adapter.update(&WaitOptions::default(), &scope, Box::new(decide)).unwrap();
    let saw: Vec<_> = saw.lock().unwrap().iter().map(|it| it.clone().unwrap_or_default()).collect();
    assert_eq!(saw, ["", r#"{"n":0}"#, r#"{"n":1}"#]);
    assert_eq!(server.bare().get::<_, String>("{loopmem}:context:job").unwrap(), r#"{"last":true}"#);
}

#[test]
fn a_change_that_always_loses_the_race_is_a_conflict() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let (_, adapter) = adapter(&TestHome::new(), &server.url());
    let (scope, mut bare) = (scope(), server.bare());
    let key = Key::Context(scope.clone());
    let decide = move |read: &mut loopmem::testing::working::Read<'_>| {
        read(&key)?;
        let _: () = bare.incr("{loopmem}:context:job", 1).unwrap();
        Ok(vec![Write::Del(key.clone())])
    };
    let refused =
        adapter.update(&WaitOptions::at_most(Duration::from_millis(50)), &scope, Box::new(decide)).unwrap_err();
    assert_eq!((refused.kind(), refused.retryable(), refused.id()), (ErrorKind::Conflict, true, Some("job")));
    assert!(server.bare().get::<_, u64>("{loopmem}:context:job").unwrap() > 0);
}

#[test]
fn a_refused_change_leaves_no_key_watched() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let (_, adapter) = adapter(&TestHome::new(), &server.url());
    let (scope, wait) = (scope(), WaitOptions::default());
    let key = Key::Context(scope.clone());
    let refused = adapter.update(&wait, &scope, Box::new(move |read| read(&key).and(Err(Error::validation("no")))));
    assert_eq!(refused.unwrap_err().message(), "no");
    // Were it watched on the connection that is used again, this would make the next transaction fail.
    let _: () = server.bare().set("{loopmem}:context:job", "{}").unwrap();
    let decided = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&decided);
    let other = Key::Checkpoints(scope.clone());
    let decide = move |_: &mut loopmem::testing::working::Read<'_>| {
        *counted.lock().unwrap() += 1;
        Ok(vec![Write::Del(other.clone()), Write::Del(other.clone())])
    };
    adapter.update(&wait, &scope, Box::new(decide)).unwrap();
    assert_eq!(*decided.lock().unwrap(), 1);
}

fn scope() -> loopmem::testing::working::Scope {
    let Some(Key::Context(scope)) = Key::parse("context:job") else { panic!("it is a key") };
    scope
}

#[test]
fn acknowledged_writes_are_stored_once_however_often_the_server_is_killed() {
    let Some(mut server) = RedisServer::start(DURABLE) else { return };
    let home = TestHome::new();
    let stop = Arc::new(AtomicBool::new(false));
    let (done, counted) = channel();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            // A store each, as in processes of their own.
            let (store, stop, done) = (open(&home, &server.url()), Arc::clone(&stop), done.clone());
            thread::spawn(move || {
                let (mut changed, mut logged) = (Vec::new(), Vec::new());
                let mut number = 0;
                while !stop.load(Ordering::Relaxed) {
                    let name = format!("{writer}-{number}");
                    if put(&store, "job", &name, json!(number)).is_ok() {
                        changed.push(name.clone());
                    }
                    if log(&store, "job", &name).is_ok() {
                        logged.push(name);
                    }
                    number += 1;
                    let _ = done.send(());
                }
                (changed, logged)
            })
        })
        .collect();
    for _ in 0..12 {
        // Somewhere in the middle of what they do.
        for _ in 0..7 {
            counted.recv().unwrap();
        }
        server.end(libc::SIGKILL);
        server.start_again();
    }
    stop.store(true, Ordering::Relaxed);
    let (mut changed, mut logged) = (BTreeSet::new(), BTreeSet::new());
    for writer in writers {
        let (its_changes, its_logs) = writer.join().unwrap();
        changed.extend(its_changes);
        logged.extend(its_logs);
    }
    server.end(libc::SIGKILL);
    server.start_again();
    let store = open(&home, &server.url());
    // What was not acknowledged may be there too, but with its entry in the trail, and once.
    for (acknowledged, stored) in [(changed, changes(&store, "job")), (logged, logs(&store, "job"))] {
        let once: BTreeSet<_> = stored.iter().cloned().collect();
        assert_eq!(once.len(), stored.len(), "something is there twice: {stored:?}");
        let lost: Vec<_> = acknowledged.difference(&once).collect();
        assert!(lost.is_empty(), "{lost:?} are lost of {}", acknowledged.len());
        assert!(acknowledged.len() > 50, "{}", acknowledged.len());
    }
}

#[test]
fn a_call_waits_for_a_server_that_is_coming_back() {
    let Some(mut server) = RedisServer::start(DURABLE) else { return };
    let store = open(&TestHome::new(), &server.url());
    put(&store, "job", "a", json!(1)).unwrap();
    server.end(libc::SIGTERM);
    let refused = put(&store.with(at_most(Duration::from_millis(60))), "job", "b", json!(1)).unwrap_err();
    assert_names_server(&refused, &server, "could not be reached within 60 ms");
    assert!(refused.retryable());
    let (cancel, asks) = waiting();
    let call = thread::spawn(move || {
        put(&store.with(at_most(FOREVER).cancel(&cancel)), "job", "c", json!(1)).unwrap();
        context(&store, "job")
    });
    asks.recv().unwrap();
    server.start_again();
    assert_eq!(call.join().unwrap(), json!({"a": 1, "c": 1}));
}

#[test]
fn a_server_that_hangs_ends_a_call_by_its_time_or_by_its_cancel() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let home = TestHome::new();
    let store = open(&home, &server.url());
    put(&store, "job", "a", json!(1)).unwrap();
    server.signal(libc::SIGSTOP);
    let late = store.with(at_most(Duration::from_millis(60))).working().get_context("job").unwrap_err();
    assert_names_server(&late, &server, "did not answer within 60 ms");
    assert!(late.retryable());
    let patient =
        open_with(&home, &server.url(), |options| options.adapter_timeout(std::time::Duration::from_millis(70)));
    let late = patient.working().get_context("job").unwrap_err();
    assert_names_server(&late, &server, "did not answer within 70 ms");
    for write in [false, true] {
        let (cancel, asks) = waiting();
        let wait = at_most(FOREVER).cancel(&cancel);
        let store = store.clone();
        let call = thread::spawn(move || match write {
            false => store.with(wait.clone()).working().get_context("job").map(drop),
            true => put(&store.with(wait.clone()), "job", "b", json!(1)),
        });
        asks.recv().unwrap();
        cancel.cancel();
        assert_eq!(call.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    }
    // A log entry is sent at once: nobody knows then whether it was stored.
    let (cancel, asks) = waiting();
    let wait = at_most(FOREVER).cancel(&cancel);
    let call = thread::spawn({
        let store = store.clone();
        move || log(&store.with(wait.clone()), "job", "entry")
    });
    asks.recv().unwrap();
    cancel.cancel();
    let unknown = call.join().unwrap().unwrap_err();
    assert_names_server(&unknown, &server, "it may have been stored");
    assert!(unknown.may_be_stored());
    assert!(!unknown.retryable());
    server.signal(libc::SIGCONT);
    assert_eq!(context(&store, "job"), json!({"a": 1}));
}

#[test]
fn a_call_that_was_cancelled_before_it_began_does_nothing() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let store = open(&TestHome::new(), &server.url());
    let cancel = Cancel::new();
    cancel.cancel();
    let refused = put(&store.with(CallOptions::new().cancel(&cancel)), "job", "a", json!(1)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Cancelled);
    assert_eq!(server.size(), 0);
}

#[test]
fn a_password_is_sent_only_to_the_server() {
    let password = ["s3", "cr&", "t@/", "pw"].concat();
    let written = password.replace('&', "%26").replace('@', "%40").replace('/', "%2F");
    let Some(server) = RedisServer::start(&["--requirepass", &password]) else { return };
    let home = TestHome::new();
    let with = |password: &str| format!("redis://:{password}@127.0.0.1:{}", server.port);
    let store = open(&home, &with(&written));
    put(&store, "job", "a", json!(1)).unwrap();
    assert_eq!(context(&store, "job"), json!({"a": 1}));
    let wrong = [password.as_str(), "wrong"].concat().replace('&', "%26").replace('@', "%40").replace('/', "%2F");
    let other_database = format!("redis://:{written}@127.0.0.1:{}/4000", server.port);
    let refused = [
        (with(&wrong), "rejected the user or the password"),
        (server.url(), "requires a password"),
        (other_database, "DB index is out of range"),
    ];
    let mut shown = format!("{store:?} {:?}", loopmem::testing::home(&store).config());
    for (url, what) in refused {
        let store = open(&home, &url);
        let refused = put(&store, "job", "a", json!(1)).unwrap_err();
        assert!(format!("{refused:#}").contains(what), "{refused}");
        assert!(refused.message().contains(&format!("127.0.0.1:{}/", server.port)), "{refused}");
        shown += &format!("{refused:?} {} {store:?}", refused.to_json());
    }
    for secret in [&password, &written, &wrong] {
        assert!(!shown.contains(&**secret), "{shown}");
    }
}

#[test]
fn nothing_is_connected_before_the_first_call() {
    let store = open(&TestHome::new(), "redis://127.0.0.1:1");
    let refused = store.with(at_most(Duration::from_millis(20))).working().list_scopes().unwrap_err();
    assert!(refused.message().contains("nothing is listening at 127.0.0.1:1/0"), "{refused}");
}

#[test]
fn ten_megabytes_are_returned_unchanged() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let home = TestHome::new();
    let text = "0123456789 äöü\n".repeat(650_000);
    let store = open(&home, &server.url());
    put(&store, "job", "large", json!(text)).unwrap();
    log(&store, "job", &text).unwrap();
    let other = open(&home, &server.url());
    assert_eq!(context(&other, "job")["large"], text);
    assert_eq!(logs(&other, "job"), [text]);
}

#[test]
fn the_end_of_a_long_log_is_read_without_the_rest() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let store = open(&TestHome::new(), &server.url());
    let mut commands = ::redis::pipe();
    for number in 0..100_000 {
        let entry =
            json!({"id": number.to_string(), "content": "x".repeat(200), "metadata": {"source": "s", "timestamp": 1}});
        commands.rpush("{loopmem}:logs:job", entry.to_string()).ignore();
    }
    let _: () = commands.query(&mut server.bare()).unwrap();
    let last = loopmem::working::Range::all().limit(100);
    let read = || store.working().get_logs("job", last).unwrap();
    assert!(read()[99].json().get().contains(r#""id":"99999""#));
    let bytes = |server: &RedisServer| -> usize {
        let info: String = cmd("INFO").arg("stats").query(&mut server.bare()).unwrap();
        let line = info.lines().find_map(|line| line.strip_prefix("total_net_output_bytes:")).unwrap();
        line.parse().unwrap()
    };
    let before = bytes(&server);
    assert_eq!(read().len(), 100);
    assert!(bytes(&server) - before < 100_000);
    let fastest = (0..20).map(|_| {
        let begun = Instant::now();
        read();
        begun.elapsed()
    });
    // A thousandth of what the whole list takes.
    let fastest = fastest.min().unwrap();
    assert!(fastest < Duration::from_millis(20), "{fastest:?}");
    assert_eq!(logs(&store, "job").len(), 100_000);
}

#[test]
fn a_forked_child_opens_new_connections() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let home = configured(&server);
    let (mut child, said) = start("redis::forks", &home.root());
    let said: Vec<_> = said.map_while(Result::ok).collect();
    assert!(child.wait().unwrap().success());
    assert!(said.contains(&"status 0".to_owned()), "{said:?}");
    let mut changed = changes(&home.open(), "job");
    changed.sort();
    let mut expected: Vec<_> =
        (0..50).flat_map(|number| [format!("child-{number}"), format!("parent-{number}")]).collect();
    expected.push("before".to_owned());
    expected.sort();
    assert_eq!(changed, expected);
}

/// A process that forks; both processes use the store at the same time.
#[test]
#[ignore = "the part of another process"]
fn forks() {
    let Some(home) = started_on() else { return };
    let store = Store::open(Options::at(home)).unwrap();
    put(&store, "job", "before", json!(1)).unwrap();
    let add = |who: &str| (0..50).all(|number| put(&store, "job", &format!("{who}-{number}"), json!(number)).is_ok());
    // SAFETY: the child uses loopmem, which is what is tested, and leaves without running the parent's destructors.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: as above; a child that hangs is ended by the kernel.
            unsafe { libc::alarm(60) };
            let is_added = add("child");
            // SAFETY: as above.
            unsafe { libc::_exit(i32::from(!is_added)) };
        }
        child => {
            assert!(add("parent"));
            let mut status = -1;
            // SAFETY: the pointer is to an integer of ours.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            println!("status {status}");
        }
    }
}

#[test]
fn foreign_data_under_our_keys_is_an_error_and_is_kept() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let store = open(&TestHome::new(), &server.url());
    let mut bare = server.bare();
    let _: () = bare.set("{loopmem}:context:text", "no JSON").unwrap();
    let _: () = bare.set("{loopmem}:context:number", "5").unwrap();
    let _: () = bare.set("{loopmem}:context:bytes", b"\xff\xfe").unwrap();
    let _: () = bare.rpush("{loopmem}:context:list", "{}").unwrap();
    let _: () = bare.set("{loopmem}:trail:trail", "{}").unwrap();
    let _: () = bare.rpush("{loopmem}:logs:items", "no JSON").unwrap();
    for scope in ["text", "number", "bytes", "list"] {
        let refused = store.working().get_context(scope).unwrap_err();
        assert_eq!((refused.kind(), refused.id()), (ErrorKind::Adapter, Some(&*format!("context:{scope}"))));
        let refused = put(&store, scope, "a", json!(1)).unwrap_err();
        assert_eq!((refused.kind(), refused.id()), (ErrorKind::Adapter, Some(&*format!("context:{scope}"))));
        assert_eq!(bare.llen::<_, usize>(format!("{{loopmem}}:trail:{scope}")).unwrap(), 0);
    }
    let refused = store.working().get_context("list").unwrap_err();
    assert_names_server(&refused, &server, "WRONGTYPE Operation against a key holding the wrong kind of value");
    assert_eq!(bare.get::<_, String>("{loopmem}:context:number").unwrap(), "5");
    // A transaction that cannot be made wholly is not begun.
    let refused = put(&store, "trail", "a", json!(1)).unwrap_err();
    assert_names_server(&refused, &server, "redisPrefix");
    assert_eq!(refused.id(), Some("trail:trail"));
    assert!(!bare.exists::<_, bool>("{loopmem}:context:trail").unwrap());
    let refused = store.working().get_logs("items", loopmem::working::Range::default()).unwrap_err();
    assert_eq!((refused.kind(), refused.id()), (ErrorKind::Adapter, Some("logs:items")));
}

#[test]
fn the_error_of_a_server_that_refuses_writes_says_what_to_do() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let store = open(&TestHome::new(), &server.url());
    let write = || put(&store.with(at_most(Duration::from_millis(300))), "job", "a", json!(1)).unwrap_err();
    let set = |name: &str, value: &str| -> () {
        cmd("CONFIG").arg("SET").arg(name).arg(value).query(&mut server.bare()).unwrap()
    };
    set("maxmemory", "1");
    assert_names_server(&write(), &server, "is out of memory");
    assert!(write().retryable());
    set("maxmemory", "0");
    set("min-replicas-to-write", "1");
    assert_names_server(&write(), &server, "too few replicas");
    set("min-replicas-to-write", "0");
    let _: () = cmd("REPLICAOF").arg("127.0.0.1").arg(1).query(&mut server.bare()).unwrap();
    assert_names_server(&write(), &server, "is a read-only replica");
    let _: () = cmd("REPLICAOF").arg("NO").arg("ONE").query(&mut server.bare()).unwrap();
    let user = ["+get", "~*", "on", "nopass"];
    let _: () = cmd("ACL").arg("SETUSER").arg("reader").arg(&user).query(&mut server.bare()).unwrap();
    let reader = open(&TestHome::new(), &format!("redis://reader:x@127.0.0.1:{}", server.port));
    assert_names_server(&put(&reader, "job", "a", json!(1)).unwrap_err(), &server, "its ACL must allow");
    assert_eq!(server.size(), 0);
    put(&store, "job", "a", json!(1)).unwrap();
}

#[test]
fn scopes_are_those_of_the_prefix_and_a_deleted_one_leaves_nothing() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let home = TestHome::new();
    let with = |prefix: &str| open_with(&home, &server.url(), |options| options.redis_prefix(prefix.to_owned()));
    let (ours, others) = (with("a*[b]\\?:"), with("aX[b]\\Y:"));
    for scope in ["checkpoint:1", "ä b", "job:1"] {
        put(&ours, scope, "a", json!(1)).unwrap();
    }
    log(&ours, "only a log", "entry").unwrap();
    log(&ours, "job:1", "entry").unwrap();
    ours.working().save_checkpoint("job:1").unwrap();
    ours.working().save_checkpoint("job:1").unwrap();
    put(&others, "theirs", "a", json!(1)).unwrap();
    let expected = ["checkpoint:1", "job:1", "only a log", "ä b"];
    assert_eq!(ours.working().list_scopes().unwrap(), expected);
    for number in 0..3000 {
        let _: () = server.bare().set(format!("a*[b]\\?:context:many-{number:04}"), "{}").unwrap();
    }
    assert_eq!(ours.working().list_scopes().unwrap().len(), 3004);
    let before = server.size();
    assert!(ours.working().delete_scope("job:1").unwrap());
    assert_eq!(before - server.size(), 6);
    assert!(!ours.working().delete_scope("job:1").unwrap());
    assert!(!ours.working().list_scopes().unwrap().contains(&"job:1".to_owned()));
    assert_eq!(others.working().list_scopes().unwrap(), ["theirs"]);
}
