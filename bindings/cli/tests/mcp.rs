//! `loopmem mcp` and clients that send nonsense. What it does for clients that do not is in `tests/interop/test_mcp.py`.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod place;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout};

use place::Place;
use serde_json::{Value, json};

/// A server, and the client that it is connected with.
struct Server {
    _place: Place,
    process: Child,
    answers: BufReader<ChildStdout>,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let place = Place::new();
        let workspace = place.path("").to_str().unwrap().to_owned();
        let mut process = place.spawn(&[&["mcp", "--workspace", &workspace], arguments].concat());
        let answers = BufReader::new(process.stdout.take().unwrap());
        Server { _place: place, process, answers }
    }

    fn send(&mut self, line: impl AsRef<[u8]>) {
        let input = self.process.stdin.as_mut().unwrap();
        input.write_all(line.as_ref()).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// Sends a request, and returns the answer to it, without those to others.
    fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        loop {
            let mut line = String::new();
            assert!(self.answers.read_line(&mut line).unwrap() > 0, "the server has ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    fn initialize(&mut self, id: u64) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let answer = self.ask(id, "initialize", &params);
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer
    }

    /// Asserts that it still serves.
    #[track_caller]
    fn serves(&mut self, id: u64) {
        let answer = self.ask(id, "tools/call", &json!({ "name": "working_get", "arguments": {} }));
        assert_eq!(answer["result"]["structuredContent"], json!({ "context": {} }), "{answer}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success() || std::thread::panicking());
    }
}

#[test]
fn a_client_that_leaves_at_any_time_is_no_error() {
    for lines in [&[][..], &["nonsense"], &[r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#]] {
        let mut server = Server::start(&[]);
        lines.iter().for_each(|line| server.send(line));
    }
    let mut server = Server::start(&[]);
    server.initialize(1);
    server.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"symbols","arguments":{}}}"#);
}

#[test]
fn a_server_goes_on_after_a_message_that_it_cannot_read() {
    let mut server = Server::start(&[]);
    // Before the session has begun.
    for line in ["nonsense", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "[]", ""] {
        server.send(line);
    }
    assert_eq!(server.initialize(1)["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(server.initialize(2)["result"]["serverInfo"]["name"], "loopmem");
    server.serves(3);
    server.send(vec![b'x'; 20 << 20]);
    server.send("[".repeat(1 << 20));
    server.send([0xFF, 0xFE, 0]);
    server.send(r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":7}"#);
    server.serves(4);
    for (id, method, params) in [
        (5, "tools/call", json!({ "name": "nothing" })),
        (6, "tools/call", json!({ "name": "context", "arguments": [1] })),
        (7, "resources/read", json!({ "uri": 7 })),
        (8, "resources/read", json!({ "uri": "file:///etc/passwd" })),
        (9, "no/such/method", json!({})),
        (10, "prompts/get", json!({ "name": "nothing", "arguments": { "task": 7 } })),
    ] {
        let answer = server.ask(id, method, &params);
        assert!(answer["error"]["code"].is_i64(), "{method}: {answer}");
    }
    server.serves(11);
}

#[test]
fn calls_that_are_sent_at_once_happen_in_their_order() {
    let call = |id: usize, name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    let mut server = Server::start(&[]);
    server.initialize(1);
    for id in (100..120).step_by(2) {
        server.send(call(id, "working_update", json!({ "set": { "step": id } })));
        server.send(call(id + 1, "working_get", json!({})));
    }
    let mut seen = 0;
    while seen < 10 {
        let mut line = String::new();
        assert!(server.answers.read_line(&mut line).unwrap() > 0, "the server has ended");
        let answer: Value = serde_json::from_str(&line).unwrap();
        if let Some(id) = answer["id"].as_u64().filter(|id| id % 2 == 1) {
            assert_eq!(answer["result"]["structuredContent"], json!({ "context": { "step": id - 1 } }), "{answer}");
            seen += 1;
        }
    }
}

/// Takes two seconds, which is how long a client may take.
#[test]
fn a_client_that_never_says_which_roots_it_has_is_served() {
    let place = Place::new();
    let mut process = place.spawn(&["mcp"]);
    let answers = BufReader::new(process.stdout.take().unwrap());
    let mut server = Server { _place: place, process, answers };
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "roots": {} }, "clientInfo": client });
    server.ask(1, "initialize", &params);
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    server.serves(2);
    server.serves(3);
}

/// Mutations of messages of the protocol, which are different in every run of the generator but the same in every test.
#[test]
fn a_fuzzed_stream_never_ends_the_server() {
    const MESSAGES: [&str; 6] = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"context","arguments":{"maxChars":100,"prompt":"x"}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"loopmem://memory"},"_meta":{"progressToken":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":{"roots":[]}}"#,
    ];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let mut server = Server::start(&["--read-only"]);
    server.initialize(1_000_000);
    for _ in 0..1_000 {
        let mut line = MESSAGES[random(MESSAGES.len())].as_bytes().to_vec();
        for _ in 0..=random(4) {
            let at = random(line.len());
            match random(4) {
                0 => line.truncate(at + 1),
                1 => line[at] = b"\"{}[]:,0x\0\xFF\\"[random(12)],
                2 => drop(line.remove(at)),
                _ => line.extend_from_within(at..),
            }
            if line.is_empty() {
                line.push(b'{');
            }
        }
        line.retain(|byte| *byte != b'\n');
        server.send(&line);
    }
    // Whatever was answered is skipped; one more request is answered as the first one was.
    server.serves(1_000_001);
}
