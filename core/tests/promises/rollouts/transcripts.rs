//! What a model is asked to read.

use std::fmt::Write as _;
use std::io::Write as _;

use loopmem::rollouts::Input;

use super::*;
use crate::{start, started_on};

fn message(role: &str, text: &str) -> String {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    let payload = json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] });
    json!({ "timestamp": "2026-01-20T10:00:00Z", "type": "response_item", "payload": payload }).to_string()
}

fn tool_output(text: &str) -> String {
    let payload = json!({ "type": "function_call_output", "call_id": "c", "output": text });
    json!({ "timestamp": "2026-01-20T10:00:00Z", "type": "response_item", "payload": payload }).to_string()
}

impl Codex {
    /// Registers a session with this transcript.
    fn session(&self, id: &str, bytes: &[u8]) {
        let path = self.root().join(format!("sessions/rollout-{id}.jsonl"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self.thread(id, "2026-01-30T00:00:00Z");
    }

    fn input(&self, id: &str, max_tokens: u32) -> Input {
        self.noon().input(id, Some(max_tokens)).unwrap()
    }
}

#[test]
fn an_input_has_the_transcript_the_instructions_and_a_strict_schema() {
    let codex = Codex::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let lines = [
        message("developer", "of the developer"),
        message("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>of the system</INSTRUCTIONS>"),
        message("user", &format!("push with {token}")),
        tool_output(&format!("TOKEN={token}")),
        message("assistant", "pushed"),
    ];
    codex.session("a", lines.join("\n").as_bytes());
    let input = codex.input("a", 1_000);
    assert!(input.transcript.starts_with("--- user\npush with [REDACTED:github-pat:"), "{}", input.transcript);
    assert!(input.transcript.ends_with("--- assistant, answer\npushed\n\n"), "{}", input.transcript);
    let all = serde_json::to_string(&input).unwrap();
    for absent in [&token, "of the developer", "of the system"] {
        assert!(!all.contains(absent), "{absent}");
    }
    assert_eq!((input.omitted, input.tokens), (0, u32::try_from(input.transcript.len().div_ceil(3)).unwrap()));
    assert!(input.prompt.contains("- thread: a\n") && input.prompt.contains("- working folder: /work/shop\n"));
    let schema = serde_json::to_value(&input.schema).unwrap();
    assert_eq!(schema["required"], json!(["rollout_slug", "rollout_summary", "raw_memory"]));
    assert_eq!(schema["additionalProperties"], json!(false));
}

#[test]
fn the_budget_is_kept_and_what_people_said_and_were_answered_is_kept_first() {
    let codex = Codex::new();
    let mut lines = Vec::new();
    for turn in 0..200 {
        lines.push(message("user", &format!("question {turn}: {}", "why? ".repeat(20))));
        lines.push(tool_output(&format!("output {turn} {}", "x ".repeat(5_000))));
        lines.push(message("assistant", &format!("answer {turn}")));
    }
    codex.session("a", lines.join("\n").as_bytes());
    let mut before = 0;
    for tokens in [100, 400, 3_000, 20_000, 100_000] {
        let input = codex.input("a", tokens);
        assert!(input.transcript.len() <= tokens as usize * 3 && input.tokens <= tokens, "{tokens}: {}", input.tokens);
        assert!(input.transcript.len() > before, "{tokens}");
        before = input.transcript.len();
        let position = |text: &str| input.transcript.find(text);
        assert!(position("question 0:").is_some(), "{tokens}");
        if tokens >= 400 {
            assert!(position("question 199:") < position("answer 199"), "{tokens}");
        }
        if tokens < 20_000 {
            assert!(position("output 5 ").is_none(), "{tokens}");
            assert!(input.omitted > 0);
        }
    }
    let all = codex.input("a", 10_000_000);
    assert_eq!(all.omitted, 0);
    assert_eq!(all.transcript.matches("bytes left out").count(), 200);
    assert_eq!(codex.input("a", 3_000).transcript, codex.input("a", 3_000).transcript);
}

#[test]
fn each_failed_attempt_reads_half_as_much() {
    let codex = Codex::with(|options| options.rollouts_input_max_tokens(4_000));
    let lines: Vec<String> = (0..2_000).map(|number| message("user", &format!("question {number} of many"))).collect();
    codex.session("a", lines.join("\n").as_bytes());
    let tokens = |rollouts: &Rollouts| rollouts.input("a", None).unwrap().tokens;
    let mut read = Vec::new();
    for _ in 0..2 {
        let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
        read.push(tokens(&codex.noon()));
        codex.noon().fail_stage1("a", &claim.ownership_token, "too long", Some(0)).unwrap();
    }
    read.push(tokens(&codex.noon()));
    assert!(read[0] > 3_800 && (1_800..=2_000).contains(&read[1]) && (900..=1_000).contains(&read[2]), "{read:?}");
}

#[test]
fn damaged_lines_are_counted_and_unknown_records_and_invalid_utf8_are_passed_over() {
    let codex = Codex::new();
    let mut bytes = Vec::new();
    for line in
        [&message("user", "first")[..], "{\"type\":", "[1,2]", "null", "", r#"{"type":"of tomorrow"}"#, "\u{feff}"]
    {
        bytes.extend(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes.extend(br#"{"type":"response_item","payload":{"type":"message","role":"user","content":"caf"#);
    bytes.extend(b"\xe9\"}}\n\xff\xfe\n\0\0\0\n");
    bytes.extend(message("assistant", "last").as_bytes());
    bytes.extend(b"\n{\"timestamp\":\"2026-01-20T10:00:00Z\",\"type\":\"resp");
    codex.session("a", &bytes);
    let expected = "--- user\nfirst\n\n[3 entries left out]\n\n--- user\ncaf\u{fffd}\n\n[1 entries left out]\n\n\
         --- assistant, answer\nlast\n\n[1 entries left out]\n\n";
    let input = codex.input("a", 1_000);
    assert_eq!((&*input.transcript, input.omitted), (expected, 5));
    codex.session("empty", b"");
    assert_eq!(codex.input("empty", 1_000).transcript, "");
}

/// What a person said and was answered, as each program writes it.
fn conversation(program: &str, said: &str, answer: &str) -> [String; 2] {
    match program {
        "claude" => [("user", said), ("assistant", answer)].map(|(role, text)| {
            json!({
                "parentUuid": null, "type": role, "sessionId": "c", "cwd": "/w", "gitBranch": "b",
                "timestamp": "2026-01-20T10:00:00Z", "message": { "role": role, "content": [{ "type": "text", "text": text }] },
            })
            .to_string()
        }),
        "older" => [("user", said), ("assistant", answer)]
            .map(|(role, text)| json!({ "type": "message", "role": role, "content": text }).to_string()),
        _ => [message("user", said), message("assistant", answer)],
    }
}

#[test]
fn whole_records_are_read_wherever_they_are_and_what_is_lost_is_counted() {
    let codex = Codex::new();
    let nul = "\0".repeat(100 << 10);
    for program in ["codex", "claude", "older"] {
        let [said, answer] = conversation(program, "a question", "an answer");
        let half = &said[..said.len() / 2];
        for (bytes, omitted) in [
            (format!("\u{feff}{said}\n{answer}\n"), 0),
            (format!("{nul}{said}\n{nul}\n{answer}{nul}"), 0),
            (format!("{said}\0\0{answer}\n"), 0),
            (format!("{said}{answer}\n"), 0),
            (format!("{said}\r\n{answer}"), 0),
            (format!("{half}{said}\n{half}\n{answer}\n"), 2),
            (format!("{said}\n{half}{nul}{answer}\n"), 1),
            (format!("{said}{half}\u{feff}{answer}{half}"), 2),
            (format!("{}\n{said}\n{answer}\n", &said[said.len() / 2..]), 1),
        ] {
            codex.session(program, bytes.as_bytes());
            let name = if program == "claude" { "c.jsonl" } else { "rollout-x.jsonl" };
            let path = codex.root().join("sessions").join(name);
            std::fs::write(&path, &bytes).unwrap();
            let draft = ThreadDraft::new(program, path.to_str().unwrap(), "2026-01-30T00:00:00Z", "/w", "cli");
            codex.noon().upsert_thread(draft).unwrap();
            let input = codex.input(program, 1_000);
            let start: String = bytes.chars().filter(|it| *it != '\0').take(60).collect();
            assert_eq!(input.omitted, omitted, "{program}: {start}");
            assert_eq!(
                input.transcript.matches("left out]").count(),
                usize::try_from(omitted).unwrap(),
                "{program}: {start}"
            );
            let entries: Vec<&str> = input.transcript.split("\n\n").filter(|it| it.starts_with("---")).collect();
            assert_eq!(entries, ["--- user\na question", "--- assistant, answer\nan answer"], "{program}: {start}");
        }
    }
}

#[test]
fn a_record_whose_members_are_not_what_they_should_be_is_counted() {
    let codex = Codex::new();
    for (program, name, odd) in [
        ("codex", "rollout-x.jsonl", r#"{"type":"response_item","payload":["message"]}"#),
        ("codex", "rollout-x.jsonl", r#"{"type":"response_item","payload":{"type":"message","role":7,"content":"a"}}"#),
        (
            "codex",
            "rollout-x.jsonl",
            r#"{"type":"response_item","payload":{"type":"message","role":"user","role":"user"}}"#,
        ),
        ("codex", "rollout-x.jsonl", r#"{"type":"compacted","payload":{"message":"a","message":"b"}}"#),
        ("claude", "c.jsonl", r#"{"type":"user","message":["a"],"sessionId":"c","timestamp":"2026-01-20T10:00:00Z"}"#),
        ("claude", "c.jsonl", r#"{"type":"attachment","attachment":{"type":7,"prompt":"a"},"sessionId":"c"}"#),
        (
            "claude",
            "c.jsonl",
            r#"{"type":"user","isMeta":"no","message":{"role":"user","content":"a"},"sessionId":"c"}"#,
        ),
    ] {
        let [said, answer] = conversation(program, "a question", "an answer");
        let path = codex.root().join("sessions").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("{said}\n{odd}\n{answer}\n")).unwrap();
        let draft = ThreadDraft::new(program, path.to_str().unwrap(), "2026-01-30T00:00:00Z", "/w", "cli");
        codex.noon().upsert_thread(draft).unwrap();
        let input = codex.input(program, 1_000);
        let expected = "--- user\na question\n\n[1 entries left out]\n\n--- assistant, answer\nan answer\n\n";
        assert_eq!((&*input.transcript, input.omitted), (expected, 1), "{odd}");
    }
}

#[test]
fn a_message_that_mentions_the_records_of_a_program_is_read_and_an_item_of_a_later_program_passed_over() {
    let codex = Codex::new();
    let later = r#"{"type":"response_item","payload":{"type":"of a later program","name":{"of":"it"}}}"#;
    let quoting = r#"{"payload":{"role":"user","content":"a question","type":"message","note":{"type":"event_msg"}},"type":"response_item"}"#;
    codex.session("a", format!("{later}\n{quoting}\n").as_bytes());
    let input = codex.input("a", 1_000);
    assert_eq!((&*input.transcript, input.omitted), ("--- user\na question\n\n", 0));
}

#[test]
fn half_a_character_is_replaced_and_changes_nothing_about_who_speaks() {
    let codex = Codex::new();
    for program in ["codex", "older"] {
        let lines = [
            conversation(
                program,
                "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>of the system @</INSTRUCTIONS>",
                "@",
            ),
            conversation(program, "a question @", "an answer @"),
        ];
        let text = lines.concat().join("\n") + "\n" + &tool_output(&json!({ "output": "it @ says" }).to_string());
        // The last one is escaped twice.
        let text = text.replace("it @ says", r"it \\ud83d says").replace('@', r"\ud83d");
        codex.session(program, text.as_bytes());
        let input = codex.input(program, 1_000);
        let expected = "--- assistant\n\u{fffd}\n\n--- user\na question \u{fffd}\n\n\
             --- assistant, answer\nan answer \u{fffd}\n\n--- tool output\nit \u{fffd} says\n\n";
        let shown = input.transcript.replace("--- assistant, answer\n\u{fffd}", "--- assistant\n\u{fffd}");
        assert_eq!((&*shown, input.omitted), (expected, 0), "{program}");
    }
    let [said, answer] =
        conversation("claude", "a question @<system-reminder>of the program</system-reminder>", "ok @");
    codex.session("claude", b"");
    let path = codex.root().join("sessions/c.jsonl");
    std::fs::write(&path, format!("{said}\n{answer}\n").replace('@', r"\uDE00")).unwrap();
    let draft = ThreadDraft::new("claude", path.to_str().unwrap(), "2026-01-30T00:00:00Z", "/w", "cli");
    codex.noon().upsert_thread(draft).unwrap();
    let expected = "--- user\na question \u{fffd}\n\n--- assistant, answer\nok \u{fffd}\n\n";
    assert_eq!(codex.input("claude", 1_000).transcript, expected);
}

#[test]
fn a_request_with_large_images_keeps_its_texts() {
    let codex = Codex::new();
    let image = format!("data:image/png;base64,{}", "A".repeat(9 << 20));
    let content = json!([
        { "type": "input_text", "text": "what is on this?" }, { "type": "input_image", "image_url": image },
        { "type": "input_text", "text": "and here?" },
    ]);
    let payload = json!({ "type": "message", "role": "user", "content": content });
    let request =
        json!({ "timestamp": "2026-01-20T10:00:00Z", "type": "response_item", "payload": payload }).to_string();
    codex.session("a", format!("{request}\n{}\n{request}", message("assistant", "a cat")).as_bytes());
    let input = codex.input("a", 1_000);
    let said = "--- user\nwhat is on this?\n\n--- user\nand here?\n\n[1 entries left out]\n\n";
    assert_eq!((input.transcript, input.omitted), (format!("{said}--- assistant, answer\na cat\n\n{said}"), 2));
    // And how much is left out of a long text is said.
    codex.session("b", message("user", &"x".repeat(9 << 20)).as_bytes());
    let left_out = (9 << 20) - 20_000;
    let transcript = codex.input("b", 100_000).transcript;
    assert!(
        transcript.contains(&format!("\n[... {left_out} bytes left out ...]\n")),
        "{}",
        &transcript[15_900..16_100]
    );
}

#[test]
fn a_transcript_that_is_no_file_is_an_error_that_names_it() {
    let codex = Codex::new();
    codex.thread("gone", "2026-01-30T00:00:00Z");
    codex.thread("folder", "2026-01-30T00:00:00Z");
    std::fs::create_dir_all(codex.root().join("sessions/rollout-folder.jsonl")).unwrap();
    for id in ["gone", "folder"] {
        let error = codex.noon().input(id, None).unwrap_err();
        assert_eq!(error.kind(), loopmem::ErrorKind::Io, "{error}");
        assert!(error.path().unwrap().ends_with(format!("rollout-{id}.jsonl")), "{error}");
    }
}

#[test]
fn any_bytes_at_all_give_an_input_within_its_budget() {
    let codex = Codex::new();
    let mut state = 7_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let lines = [message("user", "a question"), tool_output(&"é\n".repeat(9_000)), message("assistant", "an answer")];
    for _ in 0..60 {
        let mut bytes = Vec::new();
        for _ in 0..random() % 6 {
            bytes.extend(lines[random() % 3].as_bytes());
            bytes.push(b'\n');
        }
        for _ in 0..random() % 8 {
            let at = random() % (bytes.len() + 1);
            bytes.insert(at, u8::try_from(random() % 256).unwrap());
            bytes.truncate(bytes.len().saturating_sub(random() % 40));
        }
        codex.session("a", &bytes);
        assert!(codex.input("a", 200).transcript.len() <= 600);
    }
}

/// The process whose memory is measured.
#[test]
#[ignore = "the part of another process"]
fn reads_a_long_transcript() {
    let Some(home) = started_on() else { return };
    let options = Options::at(home.join("home")).codex_home(home.join("codex")).clock(NOON);
    let rollouts = Store::open(options).unwrap().rollouts();
    let peak = || -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    // What every call takes.
    rollouts.input("short", None).unwrap();
    let idle = peak();
    let input = rollouts.input("long", None).unwrap();
    assert!(input.transcript.contains("question 0") && input.omitted > 1_000);
    println!("took {} KiB", peak() - idle);
}

#[test]
fn a_transcript_of_500_megabytes_is_read_in_less_than_64() {
    let codex = Codex::new();
    codex.session("short", message("user", "hi").as_bytes());
    codex.thread("long", "2026-01-30T00:00:00Z");
    let path = codex.root().join("sessions/rollout-long.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let mut written = 0;
    let mut turn = 0;
    // A line that is too long to be looked at, and many long ones.
    writeln!(file, "{}", tool_output(&"x".repeat(100 << 20))).unwrap();
    while written < 400 << 20 {
        let mut line = message("user", &format!("question {turn}"));
        write!(line, "\n{}\n{}", tool_output(&"a line of output\n".repeat(2_000)), message("assistant", "answer"))
            .unwrap();
        written += line.len();
        turn += 1;
        writeln!(file, "{line}").unwrap();
    }
    file.flush().unwrap();
    drop(file);
    let (mut child, said) = start("rollouts::transcripts::reads_a_long_transcript", &codex.home.root());
    let said: Vec<String> = said.map_while(Result::ok).collect();
    assert!(child.wait().unwrap().success());
    let took = said.iter().find_map(|line| line.strip_prefix("took ")?.strip_suffix(" KiB")?.parse::<usize>().ok());
    let took = took.unwrap();
    assert!(took < 64 << 10, "{took} KiB");
}

#[test]
fn of_a_record_with_too_many_short_texts_the_first_ones_are_read_and_the_rest_counts() {
    let codex = Codex::new();
    let short = r#",{"type":"of tomorrow","a":[1,"b"]}"#.repeat(260_000);
    let long = message("user", "Why?").replace(r#""}]"#, &format!(r#""}}{short}]"#));
    assert!(long.len() > 8 << 20);
    let lines = [message("assistant", "before"), long, message("assistant", "after")];
    codex.session("a", lines.join("\n").as_bytes());
    let input = codex.input("a", 1_000);
    let expected = "--- assistant, answer\nbefore\n\n--- user\nWhy?\n\n[1 entries left out]\n\n\
         --- assistant, answer\nafter\n\n";
    assert_eq!((&*input.transcript, input.omitted), (expected, 1));
}
