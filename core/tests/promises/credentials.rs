//! No credential of a remote's URL is ever shown in a result, a file, a log or an error, whatever its form in git's
//! configuration; and every rule of spec 000's "Remote URL sanitization" holds.

use std::fmt::{Debug, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex};

use loopmem::methods::dispatch;
use loopmem::repo::sanitize_remote_url;
use proptest::prelude::*;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::TestHome;

/// Records everything that is logged.
#[derive(Clone, Default)]
pub(crate) struct Log(pub(crate) Arc<Mutex<String>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        writeln!(self.0.lock().unwrap(), "{field} = {value:?}").unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut self.clone());
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }
    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn every_rule_of_the_spec_holds() {
    for (rule, url, clean) in [
        (
            "the example",
            "https://user:token@github.com:443/owner/repo/?foo=bar#section",
            "https://github.com/owner/repo",
        ),
        ("HTTPS: user and password go", "https://user:password@host/o/r", "https://host/o/r"),
        ("HTTPS: a user goes", "https://user@host/o/r", "https://host/o/r"),
        ("HTTPS: the default port goes", "https://host:443/o/r", "https://host/o/r"),
        ("HTTP: the default port goes", "http://host:80/o/r", "http://host/o/r"),
        ("HTTP: any other port stays", "http://host:443/o/r", "http://host:443/o/r"),
        ("HTTPS: the scheme becomes lower case", "HTTPS://host/o/r", "https://host/o/r"),
        ("HTTPS: the query goes", "https://host/o/r?a=b&c=d", "https://host/o/r"),
        ("HTTPS: the fragment goes", "https://host/o/r#a?b", "https://host/o/r"),
        ("HTTPS: trailing slashes go", "https://host/o/r///", "https://host/o/r"),
        ("HTTPS: a .git stays, since no rule takes it", "https://host/o/r.git", "https://host/o/r.git"),
        ("the SCP example", "git@github.com:owner/repo.git", "ssh://github.com/owner/repo"),
        ("the ssh:// example", "ssh://user@github.com:22/owner/repo.git?foo=bar", "ssh://github.com/owner/repo"),
        ("SCP: a user goes", "user@host:o/r", "ssh://host/o/r"),
        ("SCP: it needs no user", "host:o/r", "ssh://host/o/r"),
        ("SCP: host:path becomes host/path", "git@host:/o/r", "ssh://host/o/r"),
        ("SSH: user and password go", "ssh://user:password@host/o/r", "ssh://host/o/r"),
        ("SSH: every port goes", "ssh://git@host:2222/o/r", "ssh://host/o/r"),
        ("SSH: a .git goes", "ssh://host/o/r.git", "ssh://host/o/r"),
        ("SSH: the scheme becomes lower case", "SSH://host/o/r", "ssh://host/o/r"),
        ("SSH: query and fragment go", "ssh://host/o/r?a#b", "ssh://host/o/r"),
        ("SCP: query and fragment go", "git@host:o/r.git?a#b", "ssh://host/o/r"),
        ("SSH: trailing slashes go", "ssh://host/o/r.git//", "ssh://host/o/r"),
        ("hosts become lower case, paths stay", "https://Host.Example/Owner/Repo", "https://host.example/Owner/Repo"),
    ] {
        assert_eq!(sanitize_remote_url(url).unwrap(), clean, "{rule}: {url}");
    }
}

/// URLs with a user and a password, and whether these may contain an unescaped slash.
const FORMS: &[(&str, &str, bool)] = &[
    ("https://", "@host.org/o/r.git", true),
    ("HTTPS://", "@Host.org:443/o/r", true),
    ("http://", "@host.org:8080/o/r/", true),
    ("ssh://", "@host.org:22/o/r.git", true),
    ("git+ssh://", "@[::1]/o/r", true),
    ("git://", "@host.org/o/r", true),
    ("ftps://", "@host.org/o/r?a=b", true),
    ("", "@host.org:o/r.git", true),
    ("", "@[::1]:o/r.git", true),
    // No more than git has for these.
    ("", "@host.org/o/r", false),
    ("  https://", "@host.org/o/r \t", true),
    ("file://", "@host.org/o/r", true),
    ("hg::https://", "@host.org/o/r", true),
    ("https://proxy.org/https://", "@host.org/o/r", true),
    ("https://proxy.org/fetch?url=https://", "@host.org/o/r", true),
    ("https:/", "@host.org/o/r", true),
    ("https:", "@host.org/o/r", false),
    ("//", "@host.org/o/r", true),
    ("://", "@host.org/o/r", true),
];

/// A user and a password made of recognizable pieces, with punctuation between them.
#[derive(Debug, Clone)]
struct Credential {
    text: String,
    pieces: Vec<String>,
}

fn credential(marks: &'static str) -> impl Strategy<Value = Credential> {
    let piece = "Z[a-z0-9]{5}Z";
    (piece, prop::collection::vec((piece, marks), 1..4), prop::option::of("[:@%]")).prop_map(|(user, password, end)| {
        let mut pieces = vec![user.clone()];
        let mut text = user + ":";
        for (index, (piece, mark)) in password.into_iter().enumerate() {
            if index > 0 {
                text.push_str(&mark);
            }
            text.push_str(&piece);
            pieces.push(piece);
        }
        text.extend(end);
        Credential { text, pieces }
    })
}

fn url(marks: &'static str, with_slash: bool) -> impl Strategy<Value = (String, Credential)> {
    let forms: Vec<_> = FORMS.iter().filter(|(_, _, slash)| *slash || !with_slash).collect();
    (prop::sample::select(forms), credential(marks))
        .prop_map(|((before, after, _), credential)| (format!("{before}{}{after}", credential.text), credential))
}

/// Git ends a userinfo at a slash: with another `@`, a password cannot be distinguished from a path.
fn any_url() -> impl Strategy<Value = (String, Credential)> {
    prop_oneof![
        url("%[0-9A-F]{2}", false),
        url("[]\\[:@!$&'()*+,;=._~%-]{1,3}", false),
        url("[:!$&'()*+,;=._~%-]{0,2}/[:!$&'()*+,;=._~%-]{0,2}", true)
            .prop_filter("an @ besides", |(_, it)| !it.text.contains('@')),
    ]
}

fn shown(credential: &Credential, text: &str) -> Option<String> {
    credential.pieces.iter().find(|piece| text.to_ascii_lowercase().contains(&piece.to_ascii_lowercase())).cloned()
}

/// Everything that results from `url` as a remote: results, errors, logs, and every file of the home.
fn traces(repository: &Path, url: &str, config: &str) -> String {
    let quoted = url.replace('\\', "\\\\").replace('"', "\\\"");
    std::fs::write(repository.join(".git/config"), config.replace("URL", &quoted)).unwrap();
    let (home, log) = (TestHome::new(), Log::default());
    let mut seen = String::new();
    tracing::subscriber::with_default(log.clone(), || {
        let store = home.open();
        for (method, params) in [
            ("repo.identify", json!({ "workspace": repository })),
            ("repo.identify", json!({ "workspace": repository, "branch": "other", "branchScope": "sharedRepo" })),
            ("memory.upsertNote", json!({ "workspace": repository, "note": { "content": "a note" } })),
            ("memory.upsertNote", json!({ "workspace": repository, "note": {} })),
            ("context.build", json!({ "workspace": repository, "maxChars": 1000 })),
            ("repo.list", json!({})),
        ] {
            let answer = dispatch(&store, method, &params.to_string());
            writeln!(seen, "{method}: {answer:?}").unwrap();
        }
        // The typed API has no last door that scrubs errors.
        writeln!(seen, "identify: {:?}", store.repos().identify(repository)).unwrap();
        // Unreadable names are warned about.
        for path in home.entries().iter().filter(|path| path.ends_with("repo.json")) {
            seen.push_str(&std::fs::read_to_string(path).unwrap());
            std::fs::write(path, format!("{{\"remoteUrl\": {:?}", url)).unwrap();
            writeln!(seen, "repo.list: {:?}", dispatch(&store, "repo.list", "{}")).unwrap();
            std::fs::remove_file(path).unwrap();
        }
    });
    for path in home.entries() {
        writeln!(seen, "{}", path.display()).unwrap();
        seen.push_str(&String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()));
    }
    let logged = log.0.lock().unwrap();
    seen + &logged
}

fn empty_repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in [".git/objects", ".git/refs"] {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    folder
}

const CORE: &str = "[core]\n\trepositoryformatversion = 0\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_piece_of_a_credential_stays_in_a_url_and_sanitizing_twice_changes_nothing((url, credential) in any_url()) {
        let clean = sanitize_remote_url(&url).unwrap();
        prop_assert_eq!(shown(&credential, &clean), None, "{} becomes {}", url, clean);
        prop_assert_eq!(sanitize_remote_url(&clean).unwrap(), clean, "{}", url);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_credential_of_a_remote_shows_in_a_result_a_file_a_log_or_an_error((url, credential) in any_url()) {
        let folder = empty_repository();
        for remote in ["[remote \"origin\"]\n\turl = \"URL\"\n", "[remote \"a\"]\n\turl = \"URL\"\n\turl = \"URL\"\n"] {
            let seen = traces(folder.path(), &url, &format!("{CORE}{remote}"));
            prop_assert!(seen.contains("remote_url: Some"), "{}", seen);
            prop_assert_eq!(shown(&credential, &seen), None, "{}: {}", url, seen);
        }
        // What git itself cannot read.
        for broken in ["[remote \"origin\"]\n\turl = \"URL\n", "[remote \"URL\"\n", "[remote \"origin\"]\n\turl = \"URL\\q\"\n",
            "[core]\n\trepositoryformatversion = URL\n", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tURL = 1\n"] {
            let seen = traces(folder.path(), &url, broken);
            prop_assert_eq!(shown(&credential, &seen), None, "{}: {}", broken, seen);
        }
    }
}

#[test]
fn the_log_of_these_tests_records_what_is_logged() {
    let folder = empty_repository();
    let seen = traces(folder.path(), "https://host/o/r", &format!("{CORE}[remote \"origin\"]\n\turl = URL\n"));
    assert!(seen.contains("message = could not read a repository's name"), "{seen}");
    assert!(seen.contains("\"remoteUrl\":\"https://host/o/r\""), "{seen}");
}
