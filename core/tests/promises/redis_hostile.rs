//! Malicious and broken Redis servers: a call ends with an error, in time and in bounded memory, and nothing is sent to
//! a host that the user has not named.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use loopmem::{Error, ErrorKind, Store};
use serde_json::json;

use crate::TestHome;
use crate::at_most;
use crate::locks::{FOREVER, waiting};
use crate::redis_fake::Fake;
use crate::redis_server::{log, open, open_with, put};

fn context(store: &Store) -> Error {
    store.working().get_context("job").map(drop).unwrap_err()
}

fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// Writes it again and again, until the client goes.
fn for_ever(stream: &mut TcpStream, piece: &[u8], pause: Duration) -> bool {
    loop {
        if stream.write_all(piece).is_err() {
            return false;
        }
        if !pause.is_zero() {
            thread::sleep(pause);
        }
    }
}

#[test]
fn a_reply_that_is_too_large_too_deep_or_invalid_ends_the_call_at_once() {
    let before = peak_memory();
    let nested = "*1\r\n".repeat(100_000);
    let zeros = vec![b'0'; 1 << 16];
    let too_large = "sent more than the 68157440 bytes";
    for (begin, piece, what) in [
        ("$9999999999999\r\n", &b""[..], too_large),
        ("$9223372036854775807\r\n", &zeros, too_large),
        ("$67000000\r\n", &zeros, "a value does not have the announced length"),
        ("*1000000000\r\n", b"", too_large),
        ("*99999999999999999999\r\n", b"", "a number is invalid"),
        ("*9223372036854775807\r\n", b":1\r\n", too_large),
        ("*2000000\r\n", b"$60\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n", too_large),
        ("+", &zeros, too_large),
        (":", &zeros, too_large),
        ("-", &zeros, too_large),
        ("$", &zeros, too_large),
        (&nested, b"", "more than 8 nested lists"),
        ("$-7\r\n", b"", "a number is invalid"),
        ("\u{1b}[2J\r\n", b"", r"a reply begins with \u{1b}[2J"),
        ("\u{15}\u{3}\u{3}", b"", "the server seems to require TLS (rediss://)"),
        (">1\r\n+x\r\n", b"", "is not a Redis server"),
    ] {
        let (begun, piece) = (begin.to_owned(), piece.to_vec());
        let server = Fake::start("127.0.0.1", move |stream, _| {
            let _ = stream.write_all(begun.as_bytes());
            piece.is_empty() || for_ever(stream, &piece, Duration::ZERO)
        });
        let refused = context(&open(&TestHome::new(), &server.url()).with(at_most(FOREVER)));
        assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Adapter, false), "{refused}");
        assert!(format!("{refused:#}").contains(what), "{:?}: {refused}", &begin[..begin.len().min(20)]);
        assert!(!format!("{refused:#}").contains('\u{1b}'), "{refused}");
    }
    let taken = peak_memory() - before;
    assert!(taken < 400 << 20, "{taken} bytes");
}

#[test]
fn a_reply_that_drips_ends_the_call_by_its_time_and_by_its_cancel() {
    // Slower than a wait on the socket, and faster: then the socket never has to be waited for.
    for pause in [100, 1] {
        let server = Fake::start("127.0.0.1", move |stream, _| {
            let _ = stream.write_all(b"$1000000\r\n");
            for_ever(stream, b"x", Duration::from_millis(pause))
        });
        let store = open(&TestHome::new(), &server.url());
        let begun = Instant::now();
        let late = context(&store.with(at_most(Duration::from_millis(300))));
        assert!(late.message().contains("did not answer within 300 ms"), "{late}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        let (cancel, asks) = waiting();
        let wait = at_most(FOREVER).cancel(&cancel);
        let call = thread::spawn(move || context(&store.with(wait.clone())));
        asks.recv().unwrap();
        cancel.cancel();
        assert_eq!(call.join().unwrap().kind(), ErrorKind::Cancelled);
    }
}

#[test]
fn a_connection_that_closes_in_the_middle_of_a_reply_is_made_again_until_the_time_is_over() {
    let server = Fake::start("127.0.0.1", |stream, _| {
        let _ = stream.write_all(b"$100\r\nabc");
        false
    });
    let lost = context(&open(&TestHome::new(), &server.url()).with(at_most(Duration::from_millis(200))));
    // The time may end between two attempts or in the middle of one.
    let [unreachable, unanswered] = ["could not be reached within 200 ms", "did not answer within 200 ms"];
    assert!(lost.message().contains(unreachable) || lost.message().contains(unanswered), "{lost}");
    assert!(lost.retryable());
    assert!(server.received().len() > 3, "{:?}", server.received());
}

/// The answers to EXISTS and SCAN: a key, and a cursor for more.
const LISTED: &str = ":0\r\n*2\r\n$1\r\n1\r\n*1\r\n$21\r\n{loopmem}:context:job\r\n";

#[test]
fn a_listing_without_end_ends_by_its_time_and_by_its_cancel() {
    let server = Fake::start("127.0.0.1", |stream, _| stream.write_all(LISTED.as_bytes()).is_ok());
    let store = open(&TestHome::new(), &server.url());
    let late = store.with(at_most(Duration::from_millis(200))).working().list_scopes().unwrap_err();
    assert!(late.message().contains("did not answer within 200 ms"), "{late}");
    let (cancel, asks) = waiting();
    let wait = at_most(FOREVER).cancel(&cancel);
    let call = thread::spawn(move || store.with(wait.clone()).working().list_scopes().unwrap_err());
    asks.recv().unwrap();
    cancel.cancel();
    assert_eq!(call.join().unwrap().kind(), ErrorKind::Cancelled);
}

#[test]
fn an_unsolicited_reply_is_not_mistaken_for_the_next_one() {
    let asked = AtomicUsize::new(0);
    let server = Fake::start("127.0.0.1", move |stream, _| {
        let first = asked.fetch_add(1, Ordering::Relaxed) == 0;
        stream.write_all(if first { b"$7\r\n{\"a\":1}\r\n$7\r\n{\"b\":2}\r\n" } else { b"$7\r\n{\"a\":1}\r\n" }).is_ok()
    });
    let store = open(&TestHome::new(), &server.url());
    for _ in 0..3 {
        assert_eq!(crate::redis_server::context(&store, "job"), json!({"a": 1}));
    }
}

#[test]
fn a_write_with_an_invalid_reply_may_be_stored_and_says_so() {
    let garbage = Fake::start("127.0.0.1", |stream, _| stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").is_ok());
    let refused = log(&open(&TestHome::new(), &garbage.url()).with(at_most(FOREVER)), "job", "entry").unwrap_err();
    assert!(refused.may_be_stored(), "{refused}");
    assert!(refused.to_json().contains(r#""mayBeStored":true"#), "{}", refused.to_json());
    // A server without transactions makes what was to be one.
    let partial = Fake::start("127.0.0.1", |stream, text| {
        let answer = match text {
            _ if text.contains("MULTI") => {
                "-ERR unknown command 'MULTI'\r\n+OK\r\n:1\r\n-ERR unknown command 'EXEC'\r\n"
            }
            _ => "+OK\r\n$-1\r\n+none\r\n",
        };
        stream.write_all(answer.as_bytes()).is_ok()
    });
    let refused =
        put(&open(&TestHome::new(), &partial.url()).with(at_most(FOREVER)), "job", "a", json!(1)).unwrap_err();
    assert!(refused.may_be_stored(), "{refused}");
    // What only reads is not in doubt.
    let refused = context(&open(&TestHome::new(), &garbage.url()).with(at_most(FOREVER)));
    assert!(!refused.may_be_stored(), "{refused}");
}

#[test]
fn a_password_that_a_server_repeats_is_not_in_the_error() {
    let password = "p4ss-w0rd".repeat(3);
    let (begin, secret) = (&password[..20], password.as_str());
    for answer in [
        format!("{secret} garbage\r\n"),
        format!("-ERR no {secret}\r\n"),
        format!("-MOVED 5 {secret}:1\r\n"),
        format!("-ASK 5 {secret}:1\r\n"),
        format!("-{secret} 1\r\n"),
    ] {
        let server = Fake::saying("127.0.0.1", answer.clone());
        let store = open(&TestHome::new(), &format!("redis://:{password}@127.0.0.1:{}", server.port));
        let refused = context(&store.with(at_most(FOREVER)));
        assert!(!refused.to_json().contains(begin), "{answer}: {refused}");
        let refused = log(&store.with(at_most(FOREVER)), "job", "entry").unwrap_err();
        assert!(!refused.to_json().contains(begin), "{answer}: {refused}");
    }
}

#[test]
fn an_unexpected_reply_acknowledges_no_write() {
    for answer in ["+QUEUED\r\n", "$-1\r\n", ":0\r\n", "*0\r\n"] {
        let server = Fake::saying("127.0.0.1", answer);
        let refused = log(&open(&TestHome::new(), &server.url()).with(at_most(FOREVER)), "job", "entry").unwrap_err();
        assert!(refused.may_be_stored(), "{answer}: {refused}");
    }
}

#[test]
fn a_password_is_sent_to_no_host_that_the_user_has_not_named() {
    let password = "p4ss-w0rd".repeat(3);
    for word in ["MOVED", "ASK"] {
        let other = Fake::saying("127.0.0.2", "$7\r\n{\"a\":1}\r\n");
        let server = Fake::saying("127.0.0.1", format!("-{word} 5 127.0.0.2:{}\r\n", other.port));
        let url = format!("redis://:{password}@127.0.0.1:{}", server.port);
        let with = |hosts: &[&str]| {
            let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
            open_with(&TestHome::new(), &url, |options| options.redis_hosts(hosts))
        };
        for hosts in [&[][..], &["127.0.0.3"], &["127.0.0.2:1"]] {
            let refused = context(&with(hosts).with(at_most(FOREVER)));
            assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Adapter, false));
            let address = format!("127.0.0.2:{}", other.port);
            assert!(refused.message().contains(&address) && refused.message().contains("redisHosts"), "{refused}");
            let refused = put(&with(hosts).with(at_most(FOREVER)), "job", "a", json!(1));
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Adapter);
        }
        assert_eq!(other.received(), [""; 0]);
        for host in ["127.0.0.2".to_owned(), format!("127.0.0.2:{}", other.port)] {
            assert_eq!(crate::redis_server::context(&with(&[&host]), "job"), json!({"a": 1}));
        }
        let received = other.received().concat();
        assert!(received.contains(&password), "{received}");
        assert_eq!(received.contains("ASKING"), word == "ASK", "{received}");
    }
}

#[test]
fn keys_are_followed_to_other_ports_of_the_host_that_the_url_names() {
    let other = Fake::saying("127.0.0.1", "$7\r\n{\"a\":1}\r\n");
    for to in ["", "127.0.0.1", "localhost"] {
        let server = Fake::saying("127.0.0.1", format!("-MOVED 5 {to}:{}\r\n", other.port));
        let store = open(&TestHome::new(), &format!("redis://localhost:{}", server.port));
        assert_eq!(crate::redis_server::context(&store, "job"), json!({"a": 1}));
    }
}

#[test]
fn servers_that_send_each_other_the_keys_end_the_call_by_its_time() {
    for (first, second) in [("MOVED", "MOVED"), ("ASK", "ASK"), ("ASK", "MOVED")] {
        let port = Arc::new(AtomicU16::new(0));
        let to = Arc::clone(&port);
        let back = Fake::start("127.0.0.1", move |stream, text| {
            let asked = if text.contains("ASKING") { "+OK\r\n" } else { "" };
            let to = to.load(Ordering::Relaxed);
            stream.write_all(format!("{asked}-{second} 5 127.0.0.1:{to}\r\n").as_bytes()).is_ok()
        });
        let server = Fake::saying("127.0.0.1", format!("-{first} 5 127.0.0.1:{}\r\n", back.port));
        port.store(server.port, Ordering::Relaxed);
        let late = context(&open(&TestHome::new(), &server.url()).with(at_most(Duration::from_millis(200))));
        assert_eq!((late.kind(), late.retryable()), (ErrorKind::Adapter, true), "{late}");
        assert!(late.message().contains("is moving the keys to another node"), "{late}");
        // With pauses that grow: not as fast as it can.
        assert!(back.received().len() < 500, "{}", back.received().len());
    }
}

#[test]
fn messages_of_a_server_are_short_on_one_line_and_without_the_password() {
    let password = "p4ss-w0rd".repeat(30);
    let url = |server: &Fake| format!("redis://:{password}@127.0.0.1:{}", server.port);
    let cut = &password[..128];
    for text in [
        format!("-ERR \u{1b}[31mred\u{7} \u{202e}{password} and '{cut}' {}\r\n", "long ".repeat(10_000)),
        format!("-MOVED 5 \u{1b}[2J{}:1\r\n", "host".repeat(10_000)),
        format!("-{}\r\n", "\u{7}".repeat(60_000)),
    ] {
        let server = Fake::saying("127.0.0.1", text);
        let refused = context(&open(&TestHome::new(), &url(&server)).with(at_most(FOREVER)));
        let shown = format!("{refused} {refused:?} {}", refused.to_json());
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown}");
        assert!(!shown.contains("p4ss-w0"), "{shown}");
        assert!(shown.len() < 5000, "{}: {shown}", shown.len());
    }
}

#[test]
fn an_unreachable_server_is_reported_at_once_on_first_use() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let home = TestHome::new();
    let socket = home.root().with_file_name("no.sock");
    let servers = [
        (format!("redis://127.0.0.1:{port}"), format!("127.0.0.1:{port}/0")),
        (format!("redis+unix://{}", socket.display()), format!("{}/0", socket.display())),
    ];
    for (url, at) in servers {
        let store = open(&home, &url);
        for refused in [
            context(&store.with(at_most(FOREVER))),
            put(&store.with(at_most(FOREVER)), "job", "a", json!(1)).unwrap_err(),
        ] {
            assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Adapter, true));
            assert!(!refused.may_be_stored());
            let message = format!("nothing is listening at {at}; start the Redis server or correct the URL");
            assert_eq!(refused.message(), message);
        }
    }
}
