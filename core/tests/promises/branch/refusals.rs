//! What is refused, previewed or cancelled leaves everything as it was, and says what is so.

use loopmem::branch::{PushOptions, Source};
use loopmem::methods::dispatch;
use loopmem::{CallOptions, Cancel, ErrorKind};
use serde_json::{Value, json};

use super::{Site, script};

#[test]
fn a_preview_says_what_is_redacted_and_neither_pushes_nor_packs() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("old.md", "nothing\n").push();
    let secret = format!("token = ghp_{}\n", "A1b2C3d4".repeat(5));
    agent.write("new.md", &secret);
    let before = site.remote(&["for-each-ref"]);
    let state = std::fs::read(site.path("work/.a.loopmem/state.json")).unwrap();
    let artifact = site.path("a.tar");
    for (method, more) in [
        ("branch.push", json!({"remote": site.path("remote.git")})),
        ("branch.push", json!({"remote": site.path("nowhere.git")})),
        ("branch.pack", json!({"artifactPath": artifact})),
    ] {
        let mut params = json!({"directory": agent.directory});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let preview = json!({"method": method, "params": params}).to_string();
        let redacted = dispatch(&agent.store, "safety.preview", &preview).unwrap();
        let redacted: Vec<Value> = serde_json::from_str(&redacted).unwrap();
        assert_eq!(redacted.len(), 1, "{redacted:?}");
        assert_eq!(redacted[0]["field"], "new.md");
    }
    assert_eq!(site.remote(&["for-each-ref"]), before);
    assert_eq!(std::fs::read(site.path("work/.a.loopmem/state.json")).unwrap(), state);
    assert_eq!(agent.read("new.md").unwrap(), secret);
    assert!(!artifact.exists());
}

#[test]
fn a_call_that_is_cancelled_while_git_pushes_says_that_the_commit_may_be_there() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    // The branch has the commit when this runs, and git does not end before it does.
    let (started, go) = (site.path("started"), site.path("go"));
    let text =
        format!("#!/bin/sh\ntouch {}\nwhile [ ! -e {} ]; do sleep 0.02; done\n", started.display(), go.display());
    script(&site.path("remote.git/hooks/post-receive"), &text);
    let cancel = Cancel::polling(move || started.exists());
    let store = agent.store.with(CallOptions::new().cancel(&cancel));
    agent.write("b.md", "b\n");
    let options = PushOptions::new().source(agent.source());
    let cancelled = store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    std::fs::write(&go, "").unwrap();
    assert_eq!(cancelled.kind(), ErrorKind::Cancelled, "{cancelled:?}");
    assert!(cancelled.may_be_stored(), "{cancelled:?}");
    assert!(!cancelled.message().contains("before it wrote"), "{cancelled}");
    std::fs::remove_file(site.path("remote.git/hooks/post-receive")).unwrap();
    agent.push();
    assert_eq!(site.on_branch("b.md").unwrap(), "b\n");
    assert_eq!(site.commits().len(), 2, "it is there once");
}

#[test]
fn a_hook_that_refuses_is_asked_once_whatever_it_says_and_the_repository_is_called() {
    let site = Site::new();
    site.git(&["init", "--quiet", "--bare", "blockchain-403.git"]);
    let counted = site.path("counted");
    let text = format!(
        "#!/bin/sh\necho x >> {}\necho 'blocked: bad object format, see unlock' >&2\nexit 1\n",
        counted.display()
    );
    script(&site.path("blockchain-403.git/hooks/pre-receive"), &text);
    let agent = site.agent("a");
    let source = || Source::new().remote(site.path("blockchain-403.git").to_str().unwrap());
    let branches = agent.store.branches();
    branches.checkout(&agent.memory, Some(&agent.directory), &source()).unwrap();
    agent.write("a.md", "a\n");
    let options = PushOptions::new().source(source());
    let refused = branches.push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Git, false), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&counted).unwrap(), "x\n");
    // Out of reach, which is no refusal, although its name looks like one.
    std::fs::rename(site.path("blockchain-403.git"), site.path("away")).unwrap();
    let options = PushOptions::new().source(source());
    let unreached = branches.push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    assert_eq!((unreached.kind(), unreached.retryable()), (ErrorKind::Git, true), "{unreached:?}");
}

#[test]
fn a_branch_where_a_folder_of_branches_is_fails_at_once() {
    let site = Site::new();
    let agent = site.agent_with("a", json!({"branch-name": "memory/default/deep"}));
    site.ready("b").write("b.md", "b\n").push();
    agent.checkout().unwrap();
    let refused = agent.write("a.md", "a\n").try_push(PushOptions::new()).unwrap_err();
    assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Git, false), "{refused:?}");
}

#[test]
fn the_first_push_counts_against_the_limit_of_a_push() {
    let site = Site::new();
    let agent = site.agent_with("a", json!({"max-patch-size": 5}));
    agent.checkout().unwrap();
    agent.write("a.md", "123456");
    assert!(!agent.validate().ok);
    assert_eq!(agent.try_push(PushOptions::new()).unwrap_err().kind(), ErrorKind::Validation);
    // Of a folder of which nobody knows where it comes from, what it adds to the branch counts.
    let copy = site.agent_with("copy", json!({"max-patch-size": 5}));
    copy.write("a.md", "123456");
    let refused = copy.try_push(PushOptions::new()).unwrap_err();
    assert!(refused.message().contains("became larger by 6 bytes"), "{refused}");
    agent.write("a.md", "12345").push();
    copy.write("a.md", "1234567890").push();
    let other = site.agent_with("other", json!({"max-patch-size": 5}));
    let refused = other.write("b.md", "1234567890").try_push(PushOptions::new()).unwrap_err();
    assert!(refused.message().contains("became larger by 10 bytes"), "{refused}");
    assert_eq!(site.on_branch("b.md"), None);
}

#[test]
fn the_time_of_a_call_is_for_all_of_its_requests() {
    let site = Site::new();
    let agent = site.agent("a");
    // It takes a connection, and says nothing.
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let source = Source::new().remote(format!("git://{}/r.git", server.local_addr().unwrap()));
    let store = agent.store.with(CallOptions::new().timeout(std::time::Duration::from_millis(300)));
    agent.write("a.md", "a\n");
    let options = PushOptions::new().source(source);
    let late = store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    assert_eq!((late.kind(), late.retryable()), (ErrorKind::Git, true), "{late:?}");
    assert!(late.message().contains("(1 attempt)") && late.message().contains("within 300 ms"), "{late}");
}

#[test]
fn a_folder_in_which_somebody_works_with_git_is_no_memory() {
    let site = Site::new();
    site.git(&["init", "--quiet", "work/a"]);
    let agent = site.agent("a");
    let refused = agent.checkout().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation, "{refused:?}");
    let packed = site.ready("packed");
    packed.write("a.md", "a\n");
    let artifact = site.path("a.tar");
    let branches = agent.store.branches();
    branches.pack(&packed.memory, Some(&packed.directory), &artifact, None).unwrap();
    for directory in [site.path("work/a"), site.path("work/a/.git"), site.path("remote.git")] {
        let options = || PushOptions::new().source(agent.source());
        let all = [
            branches.checkout(&agent.memory, Some(&directory), &agent.source()).map(drop),
            branches.push(&agent.memory, Some(&directory), &options()).map(drop),
            branches.pack(&agent.memory, Some(&directory), &site.path("x.tar"), None).map(drop),
            branches.unpack(&artifact, Some(&directory)).map(drop),
        ];
        for refused in all.map(Result::unwrap_err) {
            assert_eq!(refused.kind(), ErrorKind::Validation, "{refused:?}");
            assert!(refused.message().contains("a git repository"), "{refused}");
        }
        let name = directory.file_name().unwrap().to_str().unwrap();
        assert!(!directory.with_file_name(format!(".{name}.loopmem")).exists());
    }
}

#[test]
fn a_file_that_becomes_too_large_by_a_placeholder_is_refused_before_it_blocks_the_branch() {
    let site = Site::new();
    let agent = site.agent_with("a", json!({"max-file-size": 30}));
    agent.checkout().unwrap();
    agent.write("a.md", "DB_PASSWORD=Hunter2!x9\n");
    assert!(agent.validate().ok);
    let refused = agent.try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation, "{refused:?}");
    assert!(refused.message().contains("with placeholders for secrets"), "{refused}");
    assert_eq!(site.remote(&["for-each-ref"]), "");
}

#[test]
fn the_state_of_a_memory_inside_another_is_not_pushed() {
    let site = Site::new();
    let (outer, inner) = (site.ready("a"), site.ready("a/inner"));
    inner.write("x.md", "x\n").push();
    let faults = outer.validate().rejected;
    assert_eq!(faults.iter().map(|fault| fault.path.as_deref()).collect::<Vec<_>>(), [Some(".inner.loopmem")]);
    assert!(faults[0].message.contains("state of another memory"), "{faults:?}");
}

#[test]
fn a_folder_inside_gits_own_is_refused() {
    let site = Site::new();
    let agent = site.agent("a");
    let inside = site.path("repository/.git/memory");
    let refused = agent.store.branches().checkout(&agent.memory, Some(&inside), &agent.source()).unwrap_err();
    assert_eq!((refused.kind(), inside.exists()), (ErrorKind::Validation, false), "{refused}");
}

#[test]
fn a_branch_whose_name_begins_like_an_option_is_one() {
    let site = Site::new();
    let agent = site.agent_with("a", json!({"branch-name": "-x/y"}));
    let pushed = agent.write("a.md", "a\n").push();
    let other = site.agent_with("b", json!({"branch-name": "-x/y"}));
    assert_eq!(other.checkout().unwrap().base, pushed.commit);
}

#[test]
fn a_secret_in_a_text_that_is_not_in_utf_8_is_refused_and_other_such_texts_are_pushed() {
    let site = Site::new();
    let agent = site.agent_with("a", json!({"max-file-size": 100_000}));
    let wide = |text: &str, mark: bool, encode: fn(char) -> Vec<u8>| -> Vec<u8> {
        let mark = mark.then_some('\u{feff}');
        mark.into_iter().chain(text.chars()).flat_map(encode).collect()
    };
    let encodings: [fn(char) -> Vec<u8>; 4] = [
        |letter| letter.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_le_bytes()).collect(),
        |letter| letter.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_be_bytes()).collect(),
        |letter| u32::from(letter).to_le_bytes().to_vec(),
        |letter| u32::from(letter).to_be_bytes().to_vec(),
    ];
    let token = format!("ghp_{}", "A1b2C3d4e5F6g7H8i9".repeat(2));
    for encode in encodings {
        for mark in [true, false] {
            for secret in [&*format!("Grüße: {token}\r\n"), "password: hunter2-very-secret"] {
                let refused =
                    agent.write("a.txt", wide(secret, mark, encode)).try_push(PushOptions::new()).unwrap_err();
                assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused:?}");
                assert!(refused.message().contains("save it in UTF-8"), "{refused}");
            }
            agent.write("a.txt", wide(&format!("Straße {mark}\r\n"), mark, encode)).push();
        }
    }
    agent.write("a.txt", wide(&"漢字かな交じり文。".repeat(100), false, encodings[0])).push();
    // Behind other letters, and in the middle of a file that is no text.
    let hidden = [&b"\x7fELF\0"[..], &wide(&format!("PATH {token} "), false, encodings[0]), &[0xff; 9]].concat();
    for lead in ["中".repeat(5_000), "😀".repeat(40)] {
        let text = wide(&format!("{lead}{token}"), true, encodings[0]);
        let refused = agent.write("a.txt", text).try_push(PushOptions::new()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused:?}");
    }
    let refused = agent.write("a.txt", hidden).try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused:?}");
}

#[test]
fn a_secret_in_a_file_that_is_not_text_is_refused_and_random_bytes_are_not() {
    let site = Site::new();
    let agent = site.ready("a");
    let secret = [b"\x00\x01\x02".as_slice(), b"password: hunter2-very-secret", b"\xff\x00"].concat();
    let refused = agent.write("a.bin", secret).try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused:?}");
    assert!(refused.message().contains("at byte 13"), "{refused}");
    // The agent that checks its files learns of it too.
    let validation = agent.validate();
    let [fault] = &*validation.rejected else { panic!("{validation:?}") };
    assert!(!validation.ok && fault.path.as_deref() == Some("a.bin"));
    assert!(fault.message.starts_with("is not a text file, and has what looks like a secret at byte 13"), "{fault:?}");
    // Text with a zero byte is not text, and stays as it is.
    let refused = agent.write("a.bin", b"\0password: hunter2-very-secret").try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused:?}");
    // A token whose format tells it needs no words around it: in a database, between zeros.
    let token = format!("ghp_{}", "A1b2C3d4e5F6g7H8i9".repeat(2));
    let padded = [&[0_u8; 40][..], token.as_bytes(), &[0; 40]].concat();
    let refused = agent.write("a.bin", padded).try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused:?}");
    let database = rusqlite::Connection::open(agent.directory.join("a.db")).unwrap();
    database.execute_batch(&format!("CREATE TABLE t (name, value); INSERT INTO t VALUES ('x', '{token}');")).unwrap();
    drop(database);
    agent.remove("a.bin");
    let refused = agent.try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused:?}");
    agent.remove("a.db");
    // The text around it counts, so that its tag is that of the text.
    agent.write("a.bin", b"\0\xffpassword: hunter2-very-secret\0\0");
    let refused = agent.try_push(PushOptions::new()).unwrap_err();
    let tag = agent.store.safety().scan("password: hunter2-very-secret").unwrap()[0].tag.clone();
    assert!(refused.message().contains(&format!("tag {tag}")), "{refused}");
    agent.remove("a.bin");
    let noise = [[0x80_u8, 0x93, 0x0c, 0xfe, 0x01].repeat(4).as_slice(), b"pwd=Zk4v9\xa0", &[0x85; 20]].concat();
    let many = [noise.as_slice(), b"\x10Psk\xa0\xc2\x81z", b"\x90Pw \xe2abc\x01", b"3NPw=,\xef\x00"].concat();
    agent.write("a.bin", many.repeat(100)).push();
}

#[test]
fn artifacts_are_not_written_over_what_they_are_made_of() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n");
    let artifact = site.path("a.tar");
    let branches = agent.store.branches();
    branches.pack(&agent.memory, Some(&agent.directory), &artifact, None).unwrap();
    let whole = std::fs::read(&artifact).unwrap();
    std::os::unix::fs::symlink(&artifact, site.path("link.tar")).unwrap();
    for since in [artifact.clone(), site.path("link.tar")] {
        let refused = branches.pack(&agent.memory, Some(&agent.directory), &artifact, Some(&since)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Validation, "{refused:?}");
    }
    assert_eq!(std::fs::read(&artifact).unwrap(), whole);
    let inside = agent.directory.join("x.tar");
    let refused = branches.pack(&agent.memory, Some(&agent.directory), &inside, None).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation, "{refused:?}");
}

#[test]
fn a_damaged_state_is_left_as_it_is_and_the_error_says_what_to_do() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    let state = site.path("work/.a.loopmem/state.json");
    std::fs::write(&state, "{\"schemaVersion\":").unwrap();
    let refused = agent.checkout().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Parse, "{refused:?}");
    assert!(refused.message().contains("move it away"), "{refused}");
    assert_eq!(std::fs::read_to_string(&state).unwrap(), "{\"schemaVersion\":");
    std::fs::remove_file(&state).unwrap();
    agent.write("b.md", "b\n").push();
    assert_eq!(agent.files(), ["a.md", "b.md"]);
}

#[test]
fn a_remote_that_is_not_there_is_told_from_one_that_is_not_named() {
    let site = Site::new();
    let agent = site.agent("a");
    let source = Source::new().repo_dir(site.path("work")).remote("upstream");
    let refused = agent.store.branches().checkout(&agent.memory, Some(&agent.directory), &source).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert!(refused.message().contains("remote is neither a URL nor a path"), "{refused}");
}

#[test]
fn links_planted_beside_the_folder_lead_to_no_removal() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    let git = site.path("work/.a.loopmem/git");
    site.git(&["init", "--quiet", "project"]);
    let alternates = site.path("project/.git/objects/info/alternates");
    std::fs::write(&alternates, "/elsewhere\n").unwrap();
    std::fs::rename(git.join("objects"), site.path("objects")).unwrap();
    std::os::unix::fs::symlink(site.path("project/.git/objects"), git.join("objects")).unwrap();
    let refused = agent.checkout().unwrap_err();
    assert!(refused.message().contains("is a link"), "{refused}");
    assert!(alternates.exists());
}

#[test]
fn the_repository_beside_a_folder_may_be_removed_at_any_time() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    // A push of which nobody knows whether it happened.
    std::fs::rename(site.path("remote.git"), site.path("away.git")).unwrap();
    agent.write("b.md", "b\n").try_push(PushOptions::new()).unwrap_err();
    std::fs::rename(site.path("away.git"), site.path("remote.git")).unwrap();
    std::fs::remove_dir_all(site.path("work/.a.loopmem/git")).unwrap();
    assert!(agent.checkout().unwrap().merged);
    agent.push();
    assert_eq!(site.on_branch("b.md").unwrap(), "b\n");
    assert_eq!(site.commits().len(), 2);
}

#[test]
fn a_folder_into_which_many_artifacts_were_unpacked_is_pushed() {
    let site = Site::new();
    let (agent, copy) = (site.ready("a"), site.agent("copy"));
    agent.write("a.md", "a\n").push();
    for number in 0..55 {
        agent.write("a.md", format!("{number}\n"));
        let artifact = site.path(&format!("{number}.tar"));
        agent.store.branches().pack(&agent.memory, Some(&agent.directory), &artifact, None).unwrap();
        copy.store.branches().unpack(&artifact, Some(&copy.directory)).unwrap();
    }
    copy.push();
    assert_eq!(site.on_branch("a.md").unwrap(), "54\n");
}

#[test]
fn the_repository_beside_a_folder_stays_small() {
    let site = Site::new();
    let agent = site.ready("a");
    for number in 0..55 {
        agent.append("log.md", &format!("{number}\n")).push();
    }
    let packs = std::fs::read_dir(site.path("work/.a.loopmem/git/objects/pack")).unwrap();
    let packs = packs.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|it| it == "pack"));
    assert!((1..=10).contains(&packs.count()));
    site.ready("b").append("log.md", "b\n").push();
    agent.append("log.md", "a\n").push();
    assert!(agent.read("log.md").unwrap().ends_with("54\nb\na\n"));
    assert_eq!(site.commits().len(), 57);
}

#[test]
fn names_in_a_configuration_that_look_like_secrets_are_refused() {
    let site = Site::new();
    let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
    for (key, value) in [
        ("branch-name", serde_json::json!(format!("memory/{token}"))),
        ("target-repo", serde_json::json!(format!("me/{token}"))),
        ("campaign-id", serde_json::json!(token)),
        ("file-glob", serde_json::json!(["*.md", format!("{token}/**")])),
    ] {
        let entry = serde_json::json!({ key: value });
        let refused = site.store().branches().parse_entry(entry).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{key}: {refused}");
        assert!(refused.message().contains(key) && !refused.to_json().to_string().contains(&token), "{refused}");
    }
}

#[test]
fn a_branch_that_leads_to_no_commit_is_named_with_what_it_leads_to() {
    let site = Site::new();
    site.ready("a").write("a.md", "a\n").push();
    site.remote(&["tag", "-a", "-m", "tag", "tagged", "memory/default"]);
    for (what, kind) in [("tagged", "tag"), ("memory/default^{tree}", "tree"), ("memory/default:a.md", "blob")] {
        let id = site.remote(&["rev-parse", what]);
        std::fs::write(site.path("remote.git/refs/heads/memory/default"), &id).unwrap();
        let agent = site.agent(kind);
        agent.checkout().map(drop).unwrap_err();
        std::fs::create_dir_all(&agent.directory).unwrap();
        agent.write("b.md", "b\n");
        for refused in [agent.checkout().unwrap_err(), agent.try_push(PushOptions::new()).unwrap_err()] {
            assert_eq!(refused.kind(), ErrorKind::Git, "{refused}");
            assert!(refused.message().contains(&format!("points to a {kind} instead of a commit")), "{refused}");
        }
        site.remote(&["update-ref", "refs/heads/memory/default", "tagged^{commit}"]);
    }
}

#[test]
fn an_error_of_a_broken_configuration_shows_no_part_of_a_secret() {
    let site = Site::new();
    let agent = site.ready("a");
    let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
    let key = "MIIEowIBAAKCAQEAx7Vq2Z9kPf3LrT8bWn5YcD1hJg6MsQe4Ua0XoKi".repeat(2);
    let mut texts: Vec<String> =
        (0..80).map(|pad| format!("a: {{k: \"{token}\", {} : [ }}\n", "p".repeat(pad))).collect();
    texts.extend((0..80).map(|pad| format!("a: {{{}: \"{token}\" : [ }}\n", "p".repeat(pad))));
    texts.extend([
        "password:\n  Zx9q8w7e6r5t4y3u2\n b: [\n".to_owned(),
        "password: >-\n  Zx9q8w7e6r5t4y3u2\n b: [\n".to_owned(),
        "password: \"Zx9q8w7e\n 6r5t4y3u2\n b: [\n".to_owned(),
        format!("key: |\n  -----BEGIN RSA PRIVATE KEY-----\n  {key}\n  {key}\n  {key}\n b: [\n"),
        format!("---\npassword: Zx9q8w7e6r5t4y3u2\n b: [\n---\ntext with {token}\n"),
    ]);
    for text in texts {
        let params = json!({ "config": text }).to_string();
        let refused = dispatch(&agent.store, "branch.parseConfig", &params).unwrap_err();
        let shown = format!("{refused:?} {}", serde_json::to_string(&refused).unwrap_or_default());
        for secret in [&token, &key, "Zx9q8w7e6r5t4y3u2", "Zx9q8w7e", "6r5t4y3u2"] {
            let parts = secret.as_bytes().windows(8.min(secret.len()));
            for part in parts.map(|part| std::str::from_utf8(part).unwrap()) {
                assert!(!shown.contains(part), "{text}\n{shown}");
            }
        }
    }
}
