//! TLS to a Redis server (`rediss://`): which certificates are trusted, and that nothing is sent before.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::thread;
use std::time::Duration;

use loopmem::{Error, ErrorKind, Store};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use serde_json::json;

use crate::TestHome;
use crate::at_most;
use crate::locks::{FOREVER, waiting};
use crate::redis_fake::Fake;
use crate::redis_server::{RedisServer, changes, context, log, logs, open_with, put};

/// A certificate authority for a test.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Authority { issuer: Issuer::new(params, key), pem }
    }

    /// A server with a certificate of this authority, and the port at which it speaks TLS.
    fn server(&self, names: &[&str], is_expired: bool, options: &[&str]) -> Option<(RedisServer, u16)> {
        let folder = tempfile::tempdir().unwrap();
        let mut params = CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        if is_expired {
            (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let write = |name: &str, pem: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, pem).unwrap();
            path.display().to_string()
        };
        let files = [
            write("server.pem", certificate.pem()),
            write("server.key", key.serialize_pem()),
            write("ca.pem", self.pem.clone()),
        ];
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let tls_port = port.to_string();
        let tls = ["--tls-port", &tls_port, "--tls-cert-file", &files[0], "--tls-key-file", &files[1]];
        let tls = [&tls[..], &["--tls-ca-cert-file", &files[2]], options].concat();
        RedisServer::start(&tls).map(|server| (server, port))
    }

    /// A store that trusts this authority.
    fn open(&self, home: &TestHome, url: &str) -> Store {
        trusting(home, url, &self.pem)
    }
}

const ANY_CLIENT: &[&str] = &["--tls-auth-clients", "no"];

fn trusting(home: &TestHome, url: &str, pem: &str) -> Store {
    std::fs::create_dir_all(home.root()).unwrap();
    let file = home.root().join("ca.pem");
    std::fs::write(&file, pem).unwrap();
    open_with(home, url, |options| options.redis_ca_file(file))
}

fn refusal(store: &Store) -> Error {
    let refused = store.with(at_most(FOREVER)).working().get_context("job").map(drop).unwrap_err();
    assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Adapter, false), "{refused}");
    refused
}

#[test]
fn a_server_with_a_trusted_certificate_is_used_through_tls_only() {
    let authority = Authority::new();
    let password = "s3cret".repeat(3);
    let options = [ANY_CLIENT, &["--requirepass", &password]].concat();
    let Some((server, port)) = authority.server(&["127.0.0.1", "localhost"], false, &options) else { return };
    let home = TestHome::new();
    let text = "0123456789 äöü\n".repeat(650_000);
    for host in ["127.0.0.1", "localhost"] {
        let store = authority.open(&home, &format!("rediss://:{password}@{host}:{port}"));
        put(&store, host, "a", json!(1)).unwrap();
        log(&store, host, &text).unwrap();
        store.working().save_checkpoint(host).unwrap();
        assert_eq!(changes(&store, host), ["a"]);
        assert_eq!(logs(&store, host), [text.as_str()]);
    }
    let mut bare = ::redis::Client::open(format!("redis://:{password}@127.0.0.1:{}", server.port))
        .unwrap()
        .get_connection()
        .unwrap();
    let keys: usize = ::redis::cmd("DBSIZE").query(&mut bare).unwrap();
    assert_eq!(keys, 10);
}

#[test]
fn a_file_of_certificates_is_resolved_against_the_home() {
    let authority = Authority::new();
    let Some((_server, port)) = authority.server(&["127.0.0.1"], false, ANY_CLIENT) else { return };
    let home = TestHome::new();
    std::fs::create_dir_all(home.root()).unwrap();
    std::fs::write(home.root().join("ca.pem"), &authority.pem).unwrap();
    let config = format!("[working]\nadapter = \"rediss://127.0.0.1:{port}\"\nredisCaFile = \"ca.pem\"\n");
    std::fs::write(home.root().join("config.toml"), config).unwrap();
    put(&home.open(), "job", "a", json!(1)).unwrap();
    assert_eq!(context(&home.open(), "job"), json!({"a": 1}));
}

#[test]
fn an_invalid_certificate_is_refused_and_the_error_says_what_to_do() {
    let (authority, other) = (Authority::new(), Authority::new());
    let home = TestHome::new();
    for (names, is_expired, trusted, what) in [
        (["127.0.0.1"], false, &other, "set redisCaFile to the file of its CA's certificate"),
        (["cache.internal"], false, &authority, "is for another host"),
        (["127.0.0.1"], true, &authority, "has expired"),
    ] {
        let Some((_server, port)) = authority.server(&names, is_expired, ANY_CLIENT) else { return };
        let refused = refusal(&trusted.open(&home, &format!("rediss://127.0.0.1:{port}")));
        assert!(refused.message().contains(what), "{refused}");
        assert!(refused.message().contains(&format!("127.0.0.1:{port}/0")), "{refused}");
    }
}

#[test]
fn a_private_authority_is_not_trusted_unless_it_is_named() {
    let authority = Authority::new();
    let Some((_server, port)) = authority.server(&["127.0.0.1"], false, ANY_CLIENT) else { return };
    let refused = refusal(&open_with(&TestHome::new(), &format!("rediss://127.0.0.1:{port}"), |options| options));
    assert!(refused.message().contains("redisCaFile"), "{refused}");
}

#[test]
fn a_server_that_requires_a_client_certificate_has_its_own_error() {
    let authority = Authority::new();
    let Some((_server, port)) = authority.server(&["127.0.0.1"], false, &[]) else { return };
    let home = TestHome::new();
    let store = authority.open(&home, &format!("rediss://127.0.0.1:{port}"));
    let refused = log(&store.with(at_most(FOREVER)), "job", "entry").unwrap_err();
    assert!(refused.message().contains("requires a client certificate"), "{refused}");
    assert!(!refused.may_be_stored());
}

#[test]
fn a_plain_server_gets_no_password_and_neither_gets_one_whose_certificate_is_refused() {
    let authority = Authority::new();
    let password = "s3cret".repeat(3);
    let plain = Fake::saying("127.0.0.1", "-ERR unknown command\r\n");
    let home = TestHome::new();
    let store = authority.open(&home, &format!("rediss://:{password}@127.0.0.1:{}", plain.port));
    let refused = refusal(&store);
    assert!(refused.message().contains("does not speak TLS; use redis:// in the URL"), "{refused}");
    assert!(!plain.received().concat().contains(&password));
    let Some(server) = RedisServer::start(&[]) else { return };
    let store = authority.open(&home, &format!("rediss://127.0.0.1:{}", server.port));
    let late = store.with(at_most(Duration::from_millis(300))).working().get_context("job").map(drop).unwrap_err();
    assert!(late.message().contains("check that it supports TLS at this port, or use redis://"), "{late}");
    let options = [ANY_CLIENT, &["--requirepass", &password]].concat();
    let Some((server, port)) = authority.server(&["127.0.0.1"], false, &options) else { return };
    let store = Authority::new().open(&home, &format!("rediss://:wrong@127.0.0.1:{port}"));
    refusal(&store);
    let mut bare = ::redis::Client::open(format!("redis://:{password}@127.0.0.1:{}", server.port))
        .unwrap()
        .get_connection()
        .unwrap();
    let stats: String = ::redis::cmd("INFO").arg("errorstats").query(&mut bare).unwrap();
    assert!(!stats.contains("WRONGPASS"), "{stats}");
}

#[test]
fn a_tls_server_behind_a_plain_url_has_its_own_error() {
    let authority = Authority::new();
    let Some((_server, port)) = authority.server(&["127.0.0.1"], false, ANY_CLIENT) else { return };
    let home = TestHome::new();
    let store = authority.open(&home, &format!("redis://127.0.0.1:{port}"));
    let refused = store.with(at_most(Duration::from_millis(300))).working().get_context("job").map(drop).unwrap_err();
    assert!(format!("{refused:#}").contains("TLS (rediss://)"), "{refused}");
}

#[test]
fn a_handshake_that_never_ends_ends_the_call_by_its_time_and_by_its_cancel() {
    // Silent, or a record of TLS that comes byte by byte.
    for drips in [false, true] {
        let server = Fake::start("127.0.0.1", move |stream, _| {
            let _ = stream.write_all(&[0x16, 3, 3, 0x20, 0]);
            while drips && stream.write_all(&[0]).is_ok() {
                thread::sleep(Duration::from_millis(1));
            }
            true
        });
        let authority = Authority::new();
        let home = TestHome::new();
        let store = authority.open(&home, &format!("rediss://127.0.0.1:{}", server.port));
        let late = store.with(at_most(Duration::from_millis(300))).working().get_context("job").map(drop).unwrap_err();
        assert!(late.message().contains("did not finish the TLS handshake within 300 ms"), "{late}");
        let (cancel, asks) = waiting();
        let wait = at_most(FOREVER).cancel(&cancel);
        let call = thread::spawn(move || store.with(wait.clone()).working().get_context("job").map(drop).unwrap_err());
        asks.recv().unwrap();
        cancel.cancel();
        assert_eq!(call.join().unwrap().kind(), ErrorKind::Cancelled);
    }
}

#[test]
fn a_file_without_certificates_is_an_error_that_names_it() {
    let home = TestHome::new();
    let url = "rediss://127.0.0.1:1";
    let begin = |path: &Path| {
        let path = path.to_owned();
        let store = open_with(&home, url, |options| options.redis_ca_file(path));
        store.with(at_most(FOREVER)).working().get_context("job").map(drop).unwrap_err()
    };
    std::fs::create_dir_all(home.root()).unwrap();
    let file = home.root().join("none.pem");
    let absent = begin(&file);
    assert_eq!((absent.kind(), absent.path()), (ErrorKind::Io, Some(&*file)), "{absent}");
    for text in [
        "",
        "no certificate",
        "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ] {
        std::fs::write(&file, text).unwrap();
        let refused = begin(&file);
        assert_eq!((refused.kind(), refused.path()), (ErrorKind::Validation, Some(&*file)), "{text:?}: {refused}");
        assert!(refused.message().contains("redisCaFile"), "{refused}");
    }
    std::fs::remove_file(&file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
    assert!(made.success());
    assert_eq!(begin(&file).kind(), ErrorKind::Io);
}
