//! A change on a Redis server whose reply is lost is made once or not at all, and the result says which.
//!
//! A relay between loopmem and the server breaks connections where a test requests it.

use std::io::{Read, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use loopmem::ErrorKind;
use serde_json::json;

use crate::TestHome;
use crate::at_most;
use crate::redis_server::{DURABLE, RedisServer, changes, log, logs, open, put};

/// What happens to the first request that contains a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The server does it, and its answer is lost.
    AnswerLost,
    /// It is lost itself.
    RequestLost,
    /// The client is cut off, and the server gets it when the next request with that word was answered.
    Delayed,
}

/// A request that is held back, with the connection it belongs to.
type Held = Option<(TcpStream, Vec<u8>)>;

/// Relays connections to the server until one of them sends `word`; returns the URL to use in its place.
fn relay(server: &RedisServer, word: &'static str, fate: Fate) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    let port = server.port;
    let to_come = Arc::new(Mutex::new(Some(fate)));
    let held = Arc::new(Mutex::new(Held::None));
    thread::spawn(move || {
        for client in listener.incoming() {
            let (mut client, mut server) = (client.unwrap(), TcpStream::connect(("127.0.0.1", port)).unwrap());
            let (to_come, held) = (Arc::clone(&to_come), Arc::clone(&held));
            thread::spawn(move || {
                loop {
                    // A request is small, and is sent at once.
                    let Some(request) = receive(&mut client) else { return };
                    let is_it = String::from_utf8_lossy(&request).contains(word);
                    let fate = if is_it { to_come.lock().unwrap().take() } else { None };
                    match fate {
                        Some(Fate::RequestLost) => return,
                        Some(Fate::Delayed) => {
                            *held.lock().unwrap() = Some((server, request));
                            return;
                        }
                        fate => {
                            server.write_all(&request).unwrap();
                            let Some(answer) = receive(&mut server) else { return };
                            if fate.is_some() {
                                return;
                            }
                            if is_it && let Some((mut late, request)) = held.lock().unwrap().take() {
                                late.write_all(&request).unwrap();
                                let answer = receive(&mut late).unwrap();
                                assert!(answer.ends_with(b"*-1\r\n"), "{:?}", String::from_utf8_lossy(&answer));
                            }
                            client.write_all(&answer).unwrap();
                        }
                    }
                }
            });
        }
    });
    url
}

/// What comes next; `None` at the end.
fn receive(from: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 1 << 20];
    let count = from.read(&mut bytes).ok().filter(|count| *count > 0)?;
    bytes.truncate(count);
    Some(bytes)
}

#[test]
fn a_change_whose_reply_or_request_is_lost_or_late_is_made_once() {
    for fate in [Fate::AnswerLost, Fate::RequestLost, Fate::Delayed] {
        let Some(server) = RedisServer::start(DURABLE) else { return };
        let home = TestHome::new();
        let store = open(&home, &relay(&server, "EXEC", fate));
        put(&store, "job", "a", json!(1)).unwrap();
        put(&store, "job", "b", json!(1)).unwrap();
        assert_eq!(changes(&open(&home, &server.url()), "job"), ["a", "b"], "{fate:?}");
    }
}

#[test]
fn a_checkpoint_whose_answer_or_request_is_lost_is_saved_once() {
    for fate in [Fate::AnswerLost, Fate::RequestLost] {
        let Some(server) = RedisServer::start(&[]) else { return };
        let home = TestHome::new();
        put(&open(&home, &server.url()), "job", "a", json!(1)).unwrap();
        let store = open(&home, &relay(&server, "EXEC", fate));
        let timestamp = store.working().save_checkpoint("job").unwrap();
        assert_eq!(store.working().list_checkpoints("job").unwrap(), [timestamp], "{fate:?}");
    }
}

#[test]
fn a_scope_is_deleted_though_the_answer_or_the_request_is_lost() {
    for fate in [Fate::AnswerLost, Fate::RequestLost] {
        let Some(server) = RedisServer::start(&[]) else { return };
        let home = TestHome::new();
        put(&open(&home, &server.url()), "job", "a", json!(1)).unwrap();
        let store = open(&home, &relay(&server, "EXEC", fate));
        assert!(store.working().delete_scope("job").unwrap(), "{fate:?}");
        assert!(store.working().list_scopes().unwrap().is_empty());
    }
}

#[test]
fn a_log_entry_whose_reply_is_lost_is_found_or_reported_as_missing() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let home = TestHome::new();
    let store = open(&home, &relay(&server, "RPUSH", Fate::AnswerLost));
    log(&store, "job", "found").unwrap();
    assert_eq!(logs(&store, "job"), ["found"]);
    let store = open(&home, &relay(&server, "RPUSH", Fate::RequestLost));
    let refused = log(&store, "job", "lost").unwrap_err();
    // It may still be on its way: if it is tried again, it may be stored twice.
    assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Adapter, false));
    assert!(refused.message().contains("it may have been stored"), "{refused}");
    assert!(refused.may_be_stored());
    assert_eq!(logs(&store, "job"), ["found"]);
}

#[test]
fn a_read_that_is_lost_is_done_again() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let home = TestHome::new();
    put(&open(&home, &server.url()), "job", "a", json!(1)).unwrap();
    for (word, fate) in [("GET", Fate::AnswerLost), ("WATCH", Fate::RequestLost), ("LRANGE", Fate::AnswerLost)] {
        let store = open(&home, &relay(&server, word, fate));
        assert_eq!(changes(&store, "job")[0], "a");
        put(&store, "job", word, json!(1)).unwrap();
    }
    assert_eq!(changes(&open(&home, &server.url()), "job"), ["a", "GET", "WATCH", "LRANGE"]);
}

#[test]
fn a_server_that_is_not_redis_is_reported_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let _ = receive(&mut client);
            let _ = client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            let _ = client.shutdown(Shutdown::Both);
        }
    });
    let store = open(&TestHome::new(), &format!("redis://127.0.0.1:{port}"));
    let refused = put(&store.with(at_most(Duration::from_secs(60))), "job", "a", json!(1)).unwrap_err();
    assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Adapter, false));
    assert!(refused.message().contains(&format!("127.0.0.1:{port}/0 is not a Redis server")), "{refused}");
}
