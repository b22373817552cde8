//! Finding transcripts.

use loopmem::ErrorKind;
use loopmem::rollouts::{Mode, Reason, TranscriptKind};

use super::*;

/// A rollout with this id, in this folder.
fn meta(id: &str, more: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-01-20T09:00:00.000Z","type":"session_meta","payload":{{"id":"{id}","timestamp":"2026-01-20T09:00:00Z","cwd":"/work/shop","source":"cli"{more}}}}}"#
    )
}

fn said(time: &str) -> String {
    format!(
        r#"{{"timestamp":"{time}","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"hi"}}]}}}}"#
    )
}

fn claude(id: &str, time: &str, more: &str) -> String {
    format!(
        r#"{{"type":"user","sessionId":"{id}","cwd":"/work/site","gitBranch":"dev","timestamp":"{time}"{more},"message":{{"role":"user","content":"hi"}}}}"#
    )
}

impl Codex {
    /// Writes a transcript below the Codex home.
    fn transcript(&self, path: &str, lines: &[String]) -> PathBuf {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        path
    }

    /// Finds those of Codex, and those below `claude`: what Claude Code itself has on this machine is not looked at.
    fn scanned(&self) -> [usize; 4] {
        let found = self.noon().scan(Some(&[TranscriptKind::Codex]), None).unwrap();
        [found.found, found.new, found.changed, found.unchanged]
    }

    /// Its transcripts are no longer so young that their times say nothing.
    fn settle(&self, path: &std::path::Path) {
        let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_769_000_000);
        let file = std::fs::File::options().append(true).open(path).unwrap();
        file.set_modified(old).unwrap();
        // The time of this change itself is young.
        std::thread::sleep(std::time::Duration::from_millis(40));
    }
}

#[test]
fn rollouts_are_found_at_any_depth_with_what_they_say_of_their_session() {
    let codex = Codex::new();
    codex.transcript(
        "sessions/2026/01/20/rollout-x-a.jsonl",
        &[meta("a", r#","git":{"branch":"main"}"#), said("2026-01-20T10:00:00Z")],
    );
    codex.transcript(
        "sessions/rollout-b.jsonl",
        &[meta("b", ""), "not json".to_owned(), said("2026-01-21T10:00:00Z"), r#"{"timestamp":"2026-01-29"#.to_owned()],
    );
    codex.transcript("archived_sessions/rollout-c.jsonl", &[meta("c", ""), said("2026-01-22T10:00:00Z")]);
    codex.transcript("sessions/notes.txt", &[meta("d", "")]);
    codex.transcript("sessions/x.jsonl", &[meta("e", "")]);
    assert_eq!(codex.scanned(), [3, 3, 0, 0]);
    assert_eq!(claimed(&codex.noon()), ["b", "a"]);
    let rollouts = codex.noon();
    assert_eq!(rollouts.explain("c").unwrap().reason, Reason::Archived);
    let a = rollouts.set_mode("a", Mode::Enabled).unwrap();
    assert_eq!(
        (&*a.updated_at, &*a.cwd, &*a.source, a.git_branch.as_deref()),
        ("2026-01-20T10:00:00.000Z", "/work/shop", "cli", Some("main"))
    );
    assert!(a.rollout_path.ends_with("sessions/2026/01/20/rollout-x-a.jsonl"));
    // The last line of b is not finished.
    assert_eq!(rollouts.set_mode("b", Mode::Enabled).unwrap().updated_at, "2026-01-21T10:00:00.000Z");
}

#[test]
fn an_unchanged_transcript_is_not_read_again_and_a_changed_one_is() {
    let codex = Codex::new();
    let path = codex.transcript("sessions/rollout-a.jsonl", &[meta("a", ""), said("2026-01-20T10:00:00Z")]);
    codex.settle(&path);
    assert_eq!(codex.scanned(), [1, 1, 0, 0]);
    assert_eq!(codex.scanned(), [1, 0, 0, 1]);
    codex.noon().set_mode("a", Mode::Polluted).unwrap();
    codex.transcript("sessions/rollout-a.jsonl", &[meta("a", ""), said("2026-01-21T10:00:00Z")]);
    assert_eq!(codex.scanned(), [1, 0, 1, 0]);
    let thread = codex.noon().set_mode("a", Mode::Polluted).unwrap();
    assert_eq!((&*thread.updated_at, thread.mode), ("2026-01-21T10:00:00.000Z", Mode::Polluted));
}

#[test]
fn a_compressed_rollout_is_read_unless_the_plain_one_is_still_there() {
    let codex = Codex::new();
    let lines = [meta("a", ""), said("2026-01-20T10:00:00Z")].join("\n");
    let folder = codex.root().join("sessions");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("rollout-a.jsonl.zst"), zstd(&lines)).unwrap();
    codex.transcript("sessions/rollout-b.jsonl", &[meta("b", ""), said("2026-01-21T10:00:00Z")]);
    std::fs::write(folder.join("rollout-b.jsonl.zst"), zstd("x")).unwrap();
    assert_eq!(codex.scanned(), [2, 2, 0, 0]);
    assert_eq!(claimed(&codex.noon()), ["b", "a"]);
    assert_eq!(codex.noon().input("a", None).unwrap().transcript, "--- user\nhi\n\n");
    // One that was cut off.
    let half = zstd(&lines.repeat(100));
    std::fs::write(folder.join("rollout-c.jsonl.zst"), &half[..half.len() / 2]).unwrap();
    assert_eq!(codex.scanned()[0], 3);
}

/// Compressed by the command of the same name, or by storing it in a frame.
fn zstd(text: &str) -> Vec<u8> {
    // One raw block, as RFC 8878 describes it.
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0xA0];
    frame.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
    let header = u32::try_from(text.len()).unwrap() << 3 | 1;
    frame.extend(&header.to_le_bytes()[..3]);
    frame.extend(text.as_bytes());
    frame
}

#[test]
fn a_small_file_that_unpacks_to_gigabytes_is_skipped() {
    let codex = Codex::new();
    let first = codex.transcript("sessions/rollout-a.jsonl", &[meta("a", "")]);
    let mut bomb = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0x38];
    let mut block = |kind: u32, is_last: bool, size: usize, bytes: &[u8]| {
        let header = u32::from(is_last) | kind << 1 | u32::try_from(size).unwrap() << 3;
        bomb.extend(&header.to_le_bytes()[..3]);
        bomb.extend(bytes);
    };
    let line = meta("b", "") + "\n";
    block(0, false, line.len(), line.as_bytes());
    // Two gigabytes of blank lines, in blocks that repeat a byte.
    for number in 0..16_384 {
        block(1, number == 16_383, 128 << 10, b"\n");
    }
    std::fs::write(first.with_file_name("rollout-b.jsonl.zst"), bomb).unwrap();
    let scanned = codex.noon().scan(Some(&[TranscriptKind::Codex]), None).unwrap();
    assert_eq!((scanned.found, scanned.new), (2, 1));
    assert_eq!(scanned.skipped[0].reason, "invalid");
    assert_eq!(codex.noon().scan(Some(&[TranscriptKind::Codex]), None).unwrap().skipped[0].reason, "invalid");
}

#[test]
fn what_a_damaged_transcript_says_of_its_session_is_found_in_its_whole_records() {
    let codex = Codex::new();
    let (first, last) = (meta("a", ""), said("2026-01-21T10:00:00Z"));
    let (half, nul) = (&first[..first.len() - 9], "\0".repeat(300 << 10));
    let long = last.replace("hi", &"A".repeat(17 << 20));
    for (number, text) in [
        format!("\u{feff}{first}\n{last}\n"),
        format!("{half}{first}\n{last}"),
        format!("{half}\n{first}{last}{half}\n"),
        format!("{nul}{first}{nul}{last}{nul}"),
        format!("{first}\n{long}\n"),
    ]
    .iter()
    .enumerate()
    {
        let id = format!("of-{number}");
        let text = text.replace(r#""id":"a""#, &format!(r#""id":"{id}""#));
        codex.transcript(&format!("sessions/rollout-{id}.jsonl"), &[text]);
        assert_eq!(codex.scanned()[1], 1, "{number}");
        let thread = codex.noon().set_mode(&id, Mode::Enabled).unwrap();
        assert_eq!((&*thread.updated_at, &*thread.cwd), ("2026-01-21T10:00:00.000Z", "/work/shop"), "{number}");
    }
    let folder = codex.root().join("claude");
    let line = claude("s", "2026-01-20T10:00:00Z", "");
    codex.transcript("claude/s.jsonl", &[format!("\u{feff}{}{line}{nul}", &line[..20])]);
    let found = codex.noon().scan(Some(&[TranscriptKind::Claude]), Some(&[folder])).unwrap();
    assert_eq!((found.found, found.new), (1, 1));
    assert_eq!(codex.noon().set_mode("s", Mode::Enabled).unwrap().updated_at, "2026-01-20T10:00:00.000Z");
}

/// What a person said at a time.
fn asked(time: &str, text: &str) -> String {
    said(time).replace("hi", text)
}

/// The header of a rollout that was written at a time.
fn header(id: &str, time: &str, more: &str) -> String {
    meta(id, more).replace("2026-01-20T09:00:00Z", time).replace("2026-01-20T09:00:00.000Z", time)
}

#[test]
fn a_session_in_several_files_is_read_in_their_order() {
    let codex = Codex::new();
    let parts = [
        ("sessions/2026/01/20/rollout-2026-01-20T09-00-00-a.jsonl", "2026-01-20T10:00:00Z", "one"),
        ("sessions/2026/01/21/rollout-2026-01-20T09-00-00-a_0199.jsonl", "2026-01-21T10:00:00Z", "two"),
        ("sessions/2026/01/22/rollout-2026-01-22T09-00-00-a_019a.jsonl", "2026-01-22T10:00:00Z", "three"),
    ];
    let mut paths = Vec::new();
    for (path, time, text) in parts.iter().rev() {
        paths.push(codex.transcript(path, &[meta("a", ""), asked(time, text)]));
    }
    // A copy does not count.
    codex.transcript("sessions/rollout-2026-01-20T09-00-00-a.jsonl", &[meta("a", ""), asked(parts[0].1, "one")]);
    assert_eq!(codex.scanned()[..2], [4, 1]);
    let input = codex.noon().input("a", None).unwrap();
    assert_eq!((&*input.transcript, input.omitted), ("--- user\none\n\n--- user\ntwo\n\n--- user\nthree\n\n", 0));
    assert_eq!(codex.noon().set_mode("a", Mode::Enabled).unwrap().updated_at, "2026-01-22T10:00:00.000Z");
    // When the newest is gone, the others are still the session.
    std::fs::remove_file(&paths[0]).unwrap();
    codex.scanned();
    assert_eq!(codex.noon().explain("a").unwrap().reason, Reason::Due);
    assert_eq!(codex.noon().input("a", None).unwrap().transcript, "--- user\none\n\n--- user\ntwo\n\n");
    // Between two scans, what is gone of it is lost.
    std::fs::remove_file(&paths[2]).unwrap();
    std::fs::remove_file(codex.root().join("sessions/rollout-2026-01-20T09-00-00-a.jsonl")).unwrap();
    let input = codex.noon().input("a", None).unwrap();
    assert_eq!((&*input.transcript, input.omitted), ("[1 entries left out]\n\n--- user\ntwo\n\n", 1));
    std::fs::remove_file(&paths[1]).unwrap();
    assert_eq!(codex.noon().input("a", None).unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn a_fork_is_read_from_where_it_was_forked() {
    let turn = |time: &str, payload: &str| {
        format!(r#"{{"timestamp":"{time}","type":"event_msg","payload":{{"type":"task_started",{payload}}}}}"#)
    };
    let context = |time: &str, id: &str| {
        format!(r#"{{"timestamp":"{time}","type":"turn_context","payload":{{"turn_id":"{id}","cwd":"/w"}}}}"#)
    };
    let (before, forked, burst, own) =
        ("2026-01-20T10:00:00Z", "2026-01-21T10:00:00Z", "2026-01-21T10:00:04Z", "2026-01-21T10:00:05Z");
    let named = header("b", forked, r#","forked_from_id":"a""#);
    let own_header = header("b", own, r#","forked_from_id":"a""#);
    let parent = |time: &str| [header("a", time, ""), asked(time, "of the parent"), asked(time, "of it too")];
    let later = [asked(own, "of the fork"), asked("2026-01-21T10:00:05Z", "and more")];
    let join = |parts: &[&[String]]| parts.concat();
    let one = std::slice::from_ref::<String>;
    let cases = [
        // With the times of the parent, or those of the fork.
        join(&[one(&named), &parent(before), &later]),
        join(&[one(&named), &parent(forked), &later]),
        join(&[one(&header("b", forked, "")), &parent(forked), &later]),
        join(&[one(&named), &parent(before)[1..], &later]),
        // In a moment, or not, with turns that say when they began.
        join(&[
            one(&named),
            &parent(forked),
            &[turn(burst, r#""started_at":1768903200"#), asked(burst, "of the parent")],
            &[turn(own, r#""started_at":1768989605"#)],
            &later,
        ]),
        join(&[
            one(&named),
            &parent(forked),
            &[context(burst, "019bdad8-cd00-7000-8000-000000000000"), asked(burst, "of the parent")],
            &[context(own, "019bdfff-3c88-7000-8000-000000000000")],
            &later,
        ]),
        // Where its header is repeated.
        join(&[one(&named), &parent(forked)[1..], one(&own_header), &later]),
        join(&[one(&named), &parent(forked), &parent(burst), one(&own_header), &later]),
    ];
    for (number, lines) in cases.iter().enumerate() {
        let codex = Codex::new();
        codex.transcript("sessions/rollout-1-a.jsonl", &parent(before));
        codex.transcript("sessions/rollout-2-b.jsonl", lines);
        assert_eq!(codex.scanned()[..2], [2, 2]);
        let input = codex.noon().input("b", None).unwrap();
        assert_eq!(input.transcript, "--- user\nof the fork\n\n--- user\nand more\n\n", "{number}");
        assert!(input.omitted == 0 && input.prompt.contains("\n- forked from another session"), "{number}");
        let parent = codex.noon().input("a", None).unwrap();
        assert_eq!(parent.transcript, "--- user\nof the parent\n\n--- user\nof it too\n\n");
        assert!(!parent.prompt.contains("forked"));
    }
    // Nothing is left out of a fork that repeats nothing, and all of one in which nothing was said.
    let codex = Codex::new();
    let base = header("c", forked, r#","forked_from_id":"a","history_base":{"thread_id":"a"}"#);
    codex.transcript("sessions/rollout-3-c.jsonl", &join(&[one(&base), &[asked(forked, "at once")]]));
    codex.transcript("sessions/rollout-4-b.jsonl", &join(&[one(&named), &parent(forked)]));
    codex.scanned();
    assert_eq!(codex.noon().input("c", None).unwrap().transcript, "--- user\nat once\n\n");
    assert_eq!(codex.noon().input("b", None).unwrap().transcript, "");
}

#[test]
fn nothing_that_was_said_in_a_fork_is_taken_for_the_history_that_it_repeats() {
    let at = |millis: u32| format!("2026-01-21T10:00:{:02}.{:03}Z", millis / 1_000, millis % 1_000);
    let answered = |time: &str, text: &str| asked(time, text).replace(r#""user""#, r#""assistant""#);
    let fork = r#","forked_from_id":"a""#;
    let enabled = format!(r#"{fork},"memory_mode":"enabled""#);
    let own = |millis: u32, more: &str| header("b", &at(millis), more);
    let turn = |millis: u32, started_at: u32| {
        let payload = format!(r#"{{"type":"task_started","started_at":{started_at}}}"#);
        format!(r#"{{"timestamp":"{}","type":"event_msg","payload":{payload}}}"#, at(millis))
    };
    let history = || {
        let lines = [header("a", &at(1), ""), asked(&at(2), "of the parent"), answered(&at(3), "and its answer")];
        [vec![own(0, fork)], lines.to_vec()].concat()
    };
    let unanswered = || [history(), vec![asked(&at(4), "of the parent")]].concat();
    let said = |question: u32, answer: u32| vec![asked(&at(question), "question"), answered(&at(answer), "answer")];
    let more = || vec![asked(&at(40_000), "more")];
    let cases = [
        // Its header is appended again, as it was or with a mode.
        [history(), said(5_000, 8_000), vec![own(30_000, fork)], more()].concat(),
        [history(), said(5_000, 8_000), vec![own(30_000, &enabled)], more()].concat(),
        [history(), said(20, 8_000), vec![own(30_000, &enabled)], more()].concat(),
        // It begins soon after its header, or at once, with turns that say when they began or without.
        [history(), said(400, 8_000), more()].concat(),
        [history(), said(400, 700), more()].concat(),
        [history(), said(4, 8_000), more()].concat(),
        [unanswered(), said(400, 8_000), more()].concat(),
        [history(), vec![turn(5, 1_768_903_200), turn(300, 1_768_989_600)], said(301, 302), more()].concat(),
        [history(), vec![asked(&at(4), "question"), turn(5, 1_768_989_600)], vec![answered(&at(6), "answer")], more()]
            .concat(),
        // It repeats nothing.
        [vec![own(0, fork)], said(400, 700), more()].concat(),
        [vec![own(0, fork)], said(1, 2), more()].concat(),
        [vec![own(0, fork)], said(1, 8_000), vec![own(30_000, &enabled)], more()].concat(),
        [vec![own(0, fork)], said(1, 2), vec![own(30_000, &enabled)], more()].concat(),
        [vec![own(0, fork), turn(1, 1_768_989_600)], said(2, 3), more()].concat(),
        [vec![own(0, ""), own(0, "")], said(1, 2), more()].concat(),
    ];
    for (number, lines) in cases.iter().enumerate() {
        let codex = Codex::new();
        codex.transcript("sessions/rollout-1-b.jsonl", lines);
        // A later part of it has the same header.
        codex
            .transcript("sessions/rollout-2-b_1.jsonl", &[own(50_000, fork), asked(&at(50_001), "in its second part")]);
        codex.scanned();
        let input = codex.noon().input("b", None).unwrap();
        let expected = "--- user\nquestion\n\n--- assistant, answer\nanswer\n\n--- user\nmore\n\n\
             --- user\nin its second part\n\n";
        assert_eq!((&*input.transcript, input.omitted), (expected, 0), "{number}");
    }
}

#[test]
fn a_session_of_claude_code_is_read_without_the_one_that_it_continues() {
    let codex = Codex::new();
    let time = "2026-01-20T10:00:00Z";
    let line = |id: &str, more: &str, text: &str| claude(id, time, more).replace("hi", text);
    let fork = r#","forkedFrom":{"sessionId":"a","messageUuid":"u"}"#;
    codex.transcript("claude/b.jsonl", &[line("a", "", "of another"), line("b", "", "own"), line("a", "", "own too")]);
    codex.transcript("claude/c.jsonl", &[line("c", fork, "of another"), line("c", r#","forkedFrom":null"#, "own")]);
    // A copy by another name is the session all the same.
    codex.transcript("claude/copy.jsonl", &[line("a", "", "own")]);
    codex.noon().scan(Some(&[TranscriptKind::Claude]), Some(&[codex.root().join("claude")])).unwrap();
    let read = |id: &str| codex.noon().input(id, None).unwrap().transcript;
    assert_eq!(read("b"), "--- user\nown\n\n--- user\nown too\n\n");
    assert_eq!([read("c"), read("copy")], ["--- user\nown\n\n"; 2]);
}

#[test]
fn linked_folders_and_files_are_followed_once_and_cycles_end() {
    let link = |target: &std::path::Path, path: &std::path::Path| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    };
    let codex = Codex::new();
    let (sessions, disk) = (codex.root().join("sessions"), codex.root().join("disk"));
    let lines = |id: &str| [meta(id, ""), said("2026-01-20T10:00:00Z")];
    for id in ["a", "b", "c", "d"] {
        codex.transcript(&format!("disk/2025/{id}/rollout-1-{id}.jsonl"), &lines(id));
    }
    codex.transcript("sessions/2026/rollout-1-e.jsonl", &lines("e"));
    link(&disk.join("2025"), &sessions.join("2025"));
    link(&disk.join("2025"), &sessions.join("again"));
    link(&disk.join("2025/a"), &sessions.join("2024"));
    link(&sessions, &disk.join("2025/b/cycle"));
    link(&sessions.join("loop"), &sessions.join("loop"));
    link(&disk.join("2025/c/rollout-1-c.jsonl"), &sessions.join("rollout-1-c.jsonl"));
    let alone = codex.transcript("elsewhere/rollout-1-f.jsonl", &lines("f"));
    link(&alone, &sessions.join("rollout-1-f.jsonl"));
    link(&alone, &sessions.join("rollout-2-f.jsonl"));
    link(&disk.join("gone.jsonl"), &sessions.join("rollout-1-g.jsonl"));
    assert_eq!(codex.scanned(), [6, 6, 0, 0]);
    assert_eq!(codex.scanned()[..2], [6, 0]);
    let status = codex.noon().status().unwrap().threads;
    assert_eq!((status.due, status.missing), (6, 0));
    // Its root as well, and what is moved away and linked stays known.
    let moved = codex.root().join("moved");
    std::fs::rename(&sessions, &moved).unwrap();
    link(&moved, &sessions);
    std::fs::rename(moved.join("2026"), disk.join("2026")).unwrap();
    link(&disk.join("2026"), &moved.join("2026"));
    assert_eq!(codex.scanned()[..2], [6, 0]);
    assert_eq!(codex.noon().status().unwrap().threads.missing, 0);
    // A disk that is not there has not lost its sessions.
    std::fs::rename(&moved, codex.root().join("unmounted")).unwrap();
    codex.scanned();
    assert_eq!(codex.noon().status().unwrap().threads.missing, 0);
    std::fs::rename(codex.root().join("unmounted"), &moved).unwrap();
    std::fs::rename(&disk, codex.root().join("unmounted")).unwrap();
    codex.scanned();
    assert_eq!(codex.noon().status().unwrap().threads.missing, 0);
    std::fs::remove_file(&sessions).unwrap();
    codex.scanned();
    assert_eq!(codex.noon().status().unwrap().threads.missing, 6);
}

#[test]
fn linked_projects_of_claude_code_are_found() {
    let codex = Codex::new();
    codex.transcript("elsewhere/s.jsonl", &[claude("s", "2026-01-20T10:00:00Z", "")]);
    let projects = codex.root().join("projects");
    std::fs::create_dir_all(&projects).unwrap();
    std::os::unix::fs::symlink(codex.root().join("elsewhere"), projects.join("X")).unwrap();
    let found = codex.noon().scan(Some(&[TranscriptKind::Claude]), Some(&[projects])).unwrap();
    assert_eq!((found.found, found.new, found.skipped), (1, 1, vec![]));
}

#[test]
fn of_a_transcript_and_its_compressed_copy_the_one_with_a_session_counts() {
    for beside in ["", "\n\0\0", r#"{"timestamp":"2026-01-20T09:00:00Z","type":"sess"#] {
        let codex = Codex::new();
        let plain = codex.transcript("sessions/rollout-a.jsonl", &[]);
        std::fs::write(&plain, beside).unwrap();
        let lines = [meta("a", ""), said("2026-01-20T10:00:00Z")].join("\n");
        std::fs::write(plain.with_extension("jsonl.zst"), zstd(&lines)).unwrap();
        let found = codex.noon().scan(Some(&[TranscriptKind::Codex]), None).unwrap();
        assert_eq!((found.found, found.new, found.skipped), (1, 1, vec![]), "{beside:?}");
        assert_eq!(codex.noon().input("a", None).unwrap().transcript, "--- user\nhi\n\n");
        // Until the plain one is written again.
        codex.transcript("sessions/rollout-a.jsonl", &[meta("a", ""), asked("2026-01-21T10:00:00Z", "later")]);
        assert_eq!(codex.scanned()[..3], [1, 0, 1]);
        assert_eq!(codex.noon().input("a", None).unwrap().transcript, "--- user\nlater\n\n");
        assert_eq!(codex.noon().status().unwrap().threads.missing, 0);
    }
}

#[test]
fn the_mode_in_a_header_is_that_of_the_session() {
    let codex = Codex::new();
    let with = |id: &str, mode: &str| meta(id, &format!(r#","memory_mode":"{mode}""#));
    let hi = said("2026-01-20T10:00:00Z");
    let long = said("2026-01-20T11:00:00Z").replace("hi", &"x".repeat(400 << 10));
    for (id, lines, expected) in [
        ("a", vec![with("a", "disabled"), hi.clone()], Mode::Disabled),
        ("b", vec![with("b", "polluted"), hi.clone()], Mode::Polluted),
        ("c", vec![with("c", "of tomorrow"), hi.clone()], Mode::Disabled),
        ("d", vec![with("d", "enabled"), hi.clone()], Mode::Enabled),
        // One that was appended, wherever it is now.
        ("e", vec![meta("e", ""), hi.clone(), with("e", "polluted")], Mode::Polluted),
        ("f", vec![meta("f", ""), long.clone(), with("f", "disabled"), long.clone()], Mode::Disabled),
        ("g", vec![with("g", "disabled"), hi.clone(), with("g", "enabled"), hi.clone()], Mode::Enabled),
        // The file of another session, or of no session.
        ("h", vec![meta("h", ""), with("a", "disabled"), hi.clone()], Mode::Enabled),
        ("i", vec![meta("i", ""), hi.replace("hi", r#"\"memory_mode\":\"disabled\""#)], Mode::Enabled),
    ] {
        codex.transcript(&format!("sessions/rollout-{id}.jsonl"), &lines);
        codex.scanned();
        let reason = codex.noon().explain(id).unwrap().reason;
        let mode = match reason {
            Reason::Disabled => Mode::Disabled,
            Reason::Polluted => Mode::Polluted,
            _ => Mode::Enabled,
        };
        assert_eq!(mode, expected, "{id}: {reason:?}");
    }
    // What the user chose is not undone.
    codex.noon().set_mode("d", Mode::Disabled).unwrap();
    codex.noon().set_mode("a", Mode::Polluted).unwrap();
    for id in ["d", "a"] {
        let mode = if id == "d" { "enabled" } else { "disabled" };
        codex.transcript(&format!("sessions/rollout-{id}.jsonl"), &[with(id, mode), said("2026-01-21T10:00:00Z")]);
    }
    assert_eq!(codex.scanned()[2], 2);
    assert_eq!(codex.noon().explain("d").unwrap().reason, Reason::Disabled);
    assert_eq!(codex.noon().explain("a").unwrap().reason, Reason::Polluted);
    // A session that is disabled later is withdrawn.
    codex.transcript("sessions/rollout-d2.jsonl", &[meta("d2", ""), hi.clone()]);
    codex.scanned();
    assert_eq!(codex.noon().explain("d2").unwrap().reason, Reason::Due);
    codex.transcript("sessions/rollout-d2.jsonl", &[meta("d2", ""), hi.clone(), with("d2", "disabled")]);
    codex.scanned();
    assert_eq!(codex.noon().explain("d2").unwrap().reason, Reason::Disabled);
}

#[test]
fn sessions_of_claude_code_are_found_and_those_of_its_subagents_are_not() {
    let codex = Codex::new();
    let folder = codex.root().join("claude");
    let session = "6d0f3a52-3f0f-4a3b-9a67-0d7f4a3c1b22";
    codex.transcript(
        &format!("claude/-work-site/{session}.jsonl"),
        &[
            r#"{"type":"summary","summary":"Of another session","leafUuid":"x"}"#.to_owned(),
            claude("of the session that it continues", "2026-01-20T10:00:00Z", ""),
            claude(session, "2026-01-20T11:00:00Z", ""),
        ],
    );
    codex.transcript(
        "claude/-work-site/agent-1.jsonl",
        &[claude(session, "2026-01-20T10:00:00Z", r#","isSidechain":true"#)],
    );
    codex.transcript("claude/-work-site/empty.jsonl", &[r#"{"type":"summary","summary":"x"}"#.to_owned()]);
    let found = codex.noon().scan(Some(&[TranscriptKind::Claude]), Some(&[folder])).unwrap();
    assert_eq!((found.found, found.new), (3, 1));
    let reasons: Vec<_> = found.skipped.iter().map(|it| it.reason.as_str()).collect();
    assert_eq!(reasons, ["subagent", "noSession"]);
    let thread = codex.noon().set_mode(session, Mode::Enabled).unwrap();
    assert_eq!((&*thread.source, &*thread.cwd, thread.git_branch.as_deref()), ("claude", "/work/site", Some("dev")));
    assert_eq!(thread.updated_at, "2026-01-20T11:00:00.000Z");
    assert_eq!(claimed(&codex.noon()), [session]);
}

#[test]
fn the_session_of_a_subagent_or_of_a_script_is_not_interactive() {
    let codex = Codex::new();
    for (id, more) in [("sub", r#","source":{"subagent":"review"}"#), ("exec", r#","source":"exec""#), ("old", "")] {
        let line = meta(id, more).replacen(r#","source":"cli""#, "", 1);
        codex.transcript(&format!("sessions/rollout-{id}.jsonl"), &[line, said("2026-01-20T10:00:00Z")]);
    }
    codex.scanned();
    assert_eq!(claimed(&codex.noon()), ["old"]);
    assert!(codex.noon().explain("sub").unwrap().detail.starts_with("its source is subagent"));
}

#[test]
fn the_older_form_is_read_with_the_folder_that_its_environment_names() {
    let codex = Codex::new();
    codex.transcript("sessions/rollout-old.jsonl", &[
        r#"{"id":"old","timestamp":"2026-01-20T09:00:00Z","instructions":null,"git":{"branch":"main"}}"#.to_owned(),
        r#"{"record_type":"state"}"#.to_owned(),
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n<cwd>/work/old</cwd>\n</environment_context>"}]}"#.to_owned(),
    ]);
    assert_eq!(codex.scanned(), [1, 1, 0, 0]);
    let thread = codex.noon().set_mode("old", Mode::Enabled).unwrap();
    assert_eq!((&*thread.cwd, thread.git_branch.as_deref()), ("/work/old", Some("main")));
    assert_eq!(thread.updated_at, "2026-01-20T09:00:00.000Z");
}

#[test]
fn a_transcript_that_is_gone_is_noticed_and_one_that_moved_is_followed() {
    let codex = Codex::new();
    let path = codex.transcript("sessions/rollout-a.jsonl", &[meta("a", ""), said("2026-01-20T10:00:00Z")]);
    codex.scanned();
    let archived = codex.root().join("archived_sessions/rollout-a.jsonl");
    std::fs::create_dir_all(archived.parent().unwrap()).unwrap();
    std::fs::rename(&path, &archived).unwrap();
    assert_eq!(codex.scanned(), [1, 0, 1, 0]);
    assert_eq!(codex.noon().explain("a").unwrap().reason, Reason::Archived);
    std::fs::rename(&archived, &path).unwrap();
    codex.scanned();
    assert_eq!(codex.noon().explain("a").unwrap().reason, Reason::Due);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(codex.scanned(), [0, 0, 0, 0]);
    assert_eq!(codex.noon().explain("a").unwrap().reason, Reason::TranscriptMissing);
    assert_eq!(claimed(&codex.noon()), [""; 0]);
}

#[test]
fn a_forgotten_session_is_not_registered_again() {
    let codex = Codex::new();
    let path = codex.transcript("sessions/rollout-a.jsonl", &[meta("a", ""), said("2026-01-20T10:00:00Z")]);
    codex.settle(&path);
    codex.scanned();
    codex.noon().forget("a").unwrap();
    for _ in 0..2 {
        let found = codex.noon().scan(Some(&[TranscriptKind::Codex]), None).unwrap();
        assert_eq!((found.found, found.new, only(found.skipped).reason.as_str()), (1, 0, "forgotten"));
    }
    assert_eq!(codex.noon().status().unwrap().threads.registered, 0);
}

#[test]
fn a_transcript_whose_path_or_id_cannot_be_stored_is_skipped_by_reason() {
    let codex = Codex::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    codex.transcript(&format!("sessions/{token}/rollout-a.jsonl"), &[meta("a", ""), said("2026-01-20T10:00:00Z")]);
    codex.transcript("sessions/rollout-b.jsonl", &[meta(&"x".repeat(100), ""), said("2026-01-20T10:00:00Z")]);
    codex.transcript("sessions/rollout-c.jsonl", &["{}".to_owned()]);
    let found = codex.noon().scan(Some(&[TranscriptKind::Codex]), None).unwrap();
    let mut reasons: Vec<_> = found.skipped.iter().map(|it| it.reason.as_str()).collect();
    reasons.sort_unstable();
    assert_eq!((found.found, found.new, reasons), (3, 0, vec!["invalid", "noSession", "secret"]));
    assert!(found.skipped.iter().all(|it| !it.path.contains(&token)));
}

/// Takes three seconds: a hole has to be larger than what is read at once, which is slow without optimization.
#[test]
fn a_transcript_with_a_hole_delays_no_other_one() {
    let codex = Codex::new();
    let holes: [(&str, u64); 3] = [("huge", 20 << 30), ("tail", 52 << 20), ("middle", 34 << 20)];
    for (id, size) in holes {
        let path = codex.transcript(&format!("sessions/rollout-{id}.jsonl"), &[meta(id, "")]);
        std::fs::File::options().append(true).open(&path).unwrap().set_len(size).unwrap();
        if id == "middle" {
            let more = format!("\n{}\n", said("2026-01-21T10:00:00Z"));
            std::io::Write::write_all(&mut std::fs::File::options().append(true).open(&path).unwrap(), more.as_bytes())
                .unwrap();
        }
    }
    let lines = [meta("lines", ""), "\n".repeat(6 << 20), said("2026-01-22T10:00:00Z")];
    codex.transcript("sessions/rollout-lines.jsonl", &lines);
    codex.transcript("sessions/rollout-whole.jsonl", &[meta("whole", ""), said("2026-01-20T10:00:00Z")]);
    let begun = std::time::Instant::now();
    let found = codex.noon().scan(Some(&[TranscriptKind::Codex]), None).unwrap();
    assert!(begun.elapsed() < std::time::Duration::from_secs(10), "{:?}", begun.elapsed());
    let skipped = only(found.skipped);
    assert_eq!((found.new, skipped.reason.as_str()), (4, "invalid"));
    assert!(skipped.path.ends_with("rollout-huge.jsonl"));
    let rollouts = codex.noon();
    for (id, updated_at) in [
        ("middle", "2026-01-21T10:00:00.000Z"),
        ("lines", "2026-01-22T10:00:00.000Z"),
        ("whole", "2026-01-20T10:00:00.000Z"),
    ] {
        assert_eq!(rollouts.set_mode(id, Mode::Enabled).unwrap().updated_at, updated_at, "{id}");
    }
    let transcript = rollouts.input("middle", None).unwrap().transcript;
    assert!(transcript.contains("hi"), "{transcript}");
    // One that has got a hole since it was registered.
    let path = codex.root().join("sessions/rollout-whole.jsonl");
    std::fs::File::options().append(true).open(&path).unwrap().set_len(20 << 30).unwrap();
    assert_eq!(rollouts.input("whole", None).unwrap_err().kind(), ErrorKind::Validation);
}

#[test]
fn a_folder_with_a_name_that_no_system_allows_is_in_no_input() {
    let codex = Codex::new();
    let long = meta("a", "").replace("/work/shop", &format!("/work/{}", "x".repeat(1 << 20)));
    codex.transcript("sessions/rollout-a.jsonl", &[long, said("2026-01-20T10:00:00Z")]);
    let found = codex.noon().scan(Some(&[TranscriptKind::Codex]), None).unwrap();
    assert_eq!((found.new, only(found.skipped).reason.as_str()), (0, "invalid"));
}

#[test]
fn a_root_that_is_no_folder_is_refused_and_missing_default_ones_are_not() {
    let codex = Codex::new();
    assert_eq!(codex.scanned(), [0, 0, 0, 0]);
    let refused = codex.noon().scan(None, Some(&["/nowhere/at/all".into()])).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
}

#[test]
fn a_mode_is_found_in_what_was_appended_since_the_last_scan_whatever_it_is() {
    use std::io::Write as _;
    let long = said("2026-01-20T11:00:00Z").replace("hi", &"x".repeat(400 << 10));
    let header = meta("a", r#","memory_mode":"polluted""#);
    // A header that is half written at first, too, and one in a file that was replaced by a longer one.
    for at in [0, 9, header.len() - 20, header.len()] {
        let codex = Codex::new();
        let path = codex.transcript("sessions/rollout-a.jsonl", &[meta("a", ""), long.clone()]);
        let append = |text: &str| {
            std::fs::File::options().append(true).open(&path).unwrap().write_all(text.as_bytes()).unwrap();
        };
        append(&header[..at]);
        codex.scanned();
        append(&format!("{}\n{long}\n", &header[at..]));
        codex.scanned();
        assert_eq!(codex.noon().explain("a").unwrap().reason, Reason::Polluted, "{at}");
    }
    let codex = Codex::new();
    let path = codex.transcript("sessions/rollout-a.jsonl", &[meta("a", ""), long.clone()]);
    codex.scanned();
    let other = codex.transcript("other", &[meta("a", ""), header, long.clone(), long]);
    std::fs::rename(other, path).unwrap();
    codex.scanned();
    assert_eq!(codex.noon().explain("a").unwrap().reason, Reason::Polluted);
}
