//! What counts as a secret and what does not, with an example for each way in which a text can contain one.
//!
//! Secrets are assembled at run time, so that secret scanners ignore this file.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

mod samples;

use loopmem_safety::Redactor;

use crate::samples::generated;

/// `text` with each secret replaced by its rule, as in `‹keyed-value›`. Checks that one pass redacts everything and a
/// second one nothing more.
fn shown(text: &str) -> String {
    let redactor = Redactor::default();
    let (mut shown, mut clean, mut copied) = (String::new(), String::new(), 0);
    for it in redactor.find(text) {
        let between = &text[copied..it.place.start];
        shown = shown + between + "‹" + it.rule + "›";
        clean = clean + between + &it.placeholder();
        copied = it.place.end;
    }
    let rest = &text[copied..];
    clean += rest;
    assert_eq!(redactor.redact(text), clean);
    assert_eq!(redactor.redact(&clean), clean, "redacted twice");
    shown + rest
}

/// In each text, the `{v}`, replaced by `value`, is found by `rule`, and nothing else is found.
#[track_caller]
fn assert_found(rule: &str, value: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(shown(&text.replace("{v}", value)), text.replace("{v}", &format!("‹{rule}›")));
    }
}

/// In each text, `{v}` is replaced by a value that looks like a secret, and nothing is found.
#[track_caller]
fn assert_stays(value: &str, texts: &[&str]) {
    for text in texts {
        let text = text.replace("{v}", value);
        assert_eq!(shown(&text), text);
    }
}

fn opaque(length: usize) -> String {
    generated(length, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
}

fn hex(length: usize) -> String {
    generated(length, "0123456789abcdef")
}

fn pat() -> String {
    format!("ghp_{}", opaque(36))
}

/// A password as people choose them.
fn password() -> String {
    ["Kestrel", "47", "!x"].concat()
}

fn private_key(divider: &str) -> String {
    let label = ["PRIV", "ATE KEY"].concat();
    let lines = [opaque(64), opaque(64), opaque(20) + "="];
    format!("-----BEGIN {label}-----{divider}{}{divider}-----END {label}-----", lines.join(divider))
}

#[test]
fn the_value_of_a_setting_is_redacted_in_any_syntax() {
    assert_found(
        "keyed-value",
        &opaque(24),
        &[
            "export SERVICE_TOKEN={v}",
            "db.password = {v}  # of staging",
            "  api_key: '{v}'",
            r#"{"user": "alice", "clientSecret": "{v}"}"#,
            "run --api-key {v} --verbose",
            "run --api-key={v} --verbose",
            r#"set_password("alice", password="{v}")"#,
            r#"{"name": "DB_PASSWORD", "value": "{v}"}"#,
            "<server><username>ci</username><password>{v}</password></server>",
            r#"<add key="Password" value="{v}"/>"#,
            "<key>password</key>\n<string>{v}</string>",
            "Server=db;User Id=sa;Password={v};Encrypt=True",
            r#"variable "db_password" { default = "{v}" }"#,
            r#"password: str = "{v}""#,
            "ENV API_KEY {v}",
        ],
    );
}

#[test]
fn a_password_in_an_sql_statement_is_redacted() {
    assert_found(
        "keyed-value",
        &password(),
        &["CREATE USER app IDENTIFIED BY '{v}';", "ALTER ROLE app WITH LOGIN PASSWORD '{v}';"],
    );
}

#[test]
fn cells_below_a_heading_that_names_a_secret_are_redacted() {
    assert_found(
        "keyed-value",
        &password(),
        &[
            "| user | password | note |\n|---|---|---|\n| alice | {v} | first |\n| bob | {v} | |\n\nUsers above.",
            "user,password,role\nalice,{v},admin\nbob,{v},guest\n",
        ],
    );
}

#[test]
fn secrets_in_command_lines_are_redacted() {
    assert_found(
        "keyed-value",
        &password(),
        &[
            "echo {v} | docker login -u ci --password-stdin",
            "printf '%s' '{v}' | gh secret set DEPLOY_KEY",
            "curl -u alice:{v} https://api.example.com/",
            "mysql -u root -p{v} shop",
            "sshpass -p '{v}' ssh alice@host",
            "redis-cli -a {v} ping",
            r#"requests.get(url, auth=("alice", "{v}"))"#,
            r#"client.get(url).basic_auth("alice", Some("{v}"))"#,
        ],
    );
}

#[test]
fn credentials_in_headers_and_urls_are_redacted() {
    assert_found(
        "authorization",
        &opaque(32),
        &["Authorization: Bearer {v}", "curl -H 'Authorization: token {v}' https://example.com/", "sent Bearer {v}."],
    );
    let basic = base64(format!("alice:{}", password()).as_bytes());
    assert_found("authorization", &basic, &["Proxy-Authorization: Basic {v}\nHost: example.com"]);
    assert_found(
        "cookie",
        &opaque(32),
        &["Cookie: theme=dark; sessionid={v}; lang=en", "Set-Cookie: sid={v}; Path=/; HttpOnly"],
    );
    assert_found(
        "url-password",
        &password(),
        &["postgres://app:{v}@db.example.com/shop", "amqps://app:{v}@queue:5671/%2f?heartbeat=30"],
    );
}

#[test]
fn in_password_files_everything_else_is_kept() {
    assert_found(
        "password-file",
        &password(),
        &[
            "machine example.com login alice password {v}\nmachine other.example.com",
            "machine example.com\n  login alice\n  password {v}\n",
            "db.example.com:5432:shop:alice:{v}\n",
        ],
    );
    assert_found(
        "kubernetes-secret",
        &opaque(20),
        &[
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ndata:\n  first: {v}\n  second: {v}\n---\nkind: Pod\n",
            "stringData:\n  config: \"{v}\"\nkind: Secret\n",
        ],
    );
}

#[test]
fn only_the_private_part_of_a_key_is_redacted() {
    for divider in ["\n", "\\n", "\r\n", "\n    "] {
        assert_found("private-key", &private_key(divider), &["key:\n{v}\nend", r#"{"private_key": "{v}"}"#]);
    }
    // The checksum over the key is redacted with it.
    let lines = format!("{}\n{}\nPrivate-MAC: {}", opaque(64), opaque(40), hex(64));
    let putty = format!("PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPublic-Lines: 1\n{}\n", hex(64));
    assert_found("private-key", &lines, &[&(putty + "Private-Lines: 2\n{v}\n\nnext")]);
    assert_found(
        "private-key",
        &opaque(43),
        &[r#"{"kty":"EC","crv":"P-256","x":"public-x","y":"public-y","d":"{v}"}"#, r#"{"kty": "oct", "k": "{v}"}"#],
    );
    assert_stays(&opaque(43), &[r#"{"kty":"EC","crv":"P-256","x":"{v}","y":"{v}"}"#, "ssh-ed25519 AAAA{v} alice@host"]);
}

#[test]
fn a_token_of_an_unknown_provider_is_found_by_its_prefix_and_randomness() {
    assert_found(
        "prefixed-token",
        &format!("acme_{}", opaque(40)),
        &["use {v}, then push", r#"{"log":"done\n{v}\n"}"#],
    );
}

#[test]
fn a_web_token_is_redacted_anywhere() {
    let json = |text: &str| base64(text.as_bytes()).trim_end_matches('=').to_owned();
    let token =
        [json(r#"{"alg":"HS256","typ":"JWT"}"#), json(r#"{"sub":"alice","iat":1700000000}"#), opaque(43)].join(".");
    assert_found("jwt", &token, &["The session was {v}.", "GET /feed?jwt={v}&page=2", "`{v}`", "使用{v}登录"]);
}

#[test]
fn a_password_stated_in_a_sentence_is_redacted_in_any_major_language() {
    assert_found(
        "password-in-text",
        &password(),
        &[
            "The root password is {v}, do not share it.",
            "Use {v} as the password for staging.",
            "I changed the password from {v} to {v} this morning.",
            "Das Passwort lautet {v}.",
            "Le mot de passe est {v}.",
            "La contraseña es {v}.",
            "A senha é {v}.",
            "La password è {v}.",
            "Het wachtwoord is {v}.",
            "Hasło to {v}.",
            "Пароль теперь {v}.",
            "密码是{v}。",
            "パスワードは{v}です。",
            "비밀번호는 {v} 입니다.",
            "كلمة المرور هي {v}",
            "पासवर्ड {v} है",
        ],
    );
}

#[test]
fn log_noise_inside_a_secret_does_not_hide_it() {
    let pat = pat();
    let (head, tail) = pat.split_at(17);
    for within in ["\u{1b}[1;31m", "\u{200b}", "\u{ad}", "\n", "\n 12 | ", " │\n│ ", "\n+", "\n> "] {
        // A terminal wraps at its width, which is the length of the text before the break.
        let before = "w".repeat(79 - head.len());
        let text = format!("{before} {head}{within}{tail} end\n");
        assert_eq!(shown(&text), format!("{before} ‹github-pat› end\n"), "{within:?}");
    }
    assert_eq!(shown(&pat.replace('_', "\\_")), "‹github-pat›");
}

#[test]
fn the_number_of_a_line_is_no_part_of_the_name_behind_it() {
    for gutter in ["     3\u{2192}", "3\u{2192}", "12 | ", "\u{2502}", "\u{2502} ", "3:", "  3\t"] {
        for name in ["DB_PASS", "DB_PASSWORD", "password", "API_TOKEN"] {
            let text = format!("{gutter}{name}={}\n", password());
            assert_eq!(shown(&text), format!("{gutter}{name}=‹keyed-value›\n"), "{text}");
        }
    }
}

#[test]
fn encoded_text_hides_nothing() {
    let plain = format!("{{\"password\": \"{}\"}}", password());
    let once = serde_json::to_string(&plain).unwrap();
    let twice = serde_json::to_string(&once).unwrap();
    for text in [plain, once, twice] {
        let expected = text.replace(&password(), "‹keyed-value›");
        assert_eq!(shown(&text), expected);
    }
    let encoded = base64(format!("{{\"auth\": \"{}\"}}", pat()).as_bytes());
    assert_eq!(shown(&format!("config {encoded} end")), "config ‹github-pat› end");
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * place)) as usize & 63]));
        }
        text.push_str(&"=".repeat(3 - chunk.len()));
    }
    text
}

#[test]
fn text_about_passwords_stays() {
    assert_stays(
        "",
        &[
            "The password is stored as a hash and must have at least 12 characters.",
            "Passwords expire after 90 days; the reset link is valid for 24 hours.",
            "Das Passwort ist falsch. Le mot de passe est obligatoire.",
            "password: <your password here>",
            "API_KEY=${API_KEY}",
            "token: xxxxxxxxxxxxxxxxxxxx",
            "The token count is 4096, the key is pressed twice.",
            "Set DB_PASSWORD in .env and run `make deploy`.",
        ],
    );
}

#[test]
fn code_that_handles_secrets_stays() {
    assert_stays(
        "",
        &[
            "let password = std::env::var(\"DB_PASSWORD\")?;",
            "const token = await getAccessToken(user.id);",
            "self.api_key = config.get('api_key') or default_key()",
            "if (password !== confirmPassword) throw new PasswordMismatchError();",
            "func NewToken(secret []byte, ttl time.Duration) (*Token, error) {",
            "| name | type | required |\n|---|---|---|\n| password | string | yes |\n",
            "private_key_path: /etc/ssl/private/server.pem",
        ],
    );
}

#[test]
fn hashes_and_ids_stay() {
    assert_stays(
        &hex(40),
        &["commit {v}", "HEAD is now at {v}", "actions/checkout@{v}", "https://github.com/owner/repo/commit/{v}"],
    );
    assert_stays(&hex(64), &["sha256:{v}", "{v}  release.tar.gz", "\"checksum\": \"{v}\""]);
    assert_stays(
        &base64(&[0x5e; 64]),
        &["\"integrity\": \"sha512-{v}\"", "<img src=\"data:image/png;base64,{v}\">", "h1:{v}"],
    );
    assert_stays("0192f3a4-7b1c-7def-8123-456789abcdef", &["request {v} took 12 ms", "\"id\": \"{v}\""]);
}

#[test]
fn a_token_in_pieces_is_redacted() {
    let pat = pat();
    let (a, rest) = pat.split_at(14);
    let (b, c) = rest.split_at(13);
    let found = |text: &str| {
        let text = text.replace("{a}", a).replace("{b}", b).replace("{c}", c);
        let shown = shown(&text);
        assert!(shown.contains("‹github-pat›") && !shown.contains(c), "{text} -> {shown}");
        shown
    };
    assert_eq!(found("use {a}\n{b}{c} for it"), "use ‹github-pat› for it");
    assert_eq!(
        found("auth:\n    x: >-\n        {a}\n        {b}\n        {c}\n    y: 1"),
        "auth:\n    x: >-\n        ‹github-pat›\n    y: 1"
    );
    assert_eq!(found("export X={a}\\\n{b}\\\n  {c}\necho ok"), "export X=‹github-pat›\necho ok");
    for operator in [" + ", "+", " & _\n    ", " || ", "\n        "] {
        assert_eq!(found(&format!("x = \"{{a}}\"{operator}\"{{b}}\"{operator}\"{{c}}\";")), "x = \"‹github-pat›\";");
    }
    assert_eq!(found("concat!(\"{a}\", \"{b}\", \"{c}\")"), "concat!(\"‹github-pat›\")");
    let spaced: Vec<String> = pat.chars().map(String::from).collect();
    assert_eq!(found(&format!("the token is {}", spaced.join(" "))), "the token is ‹github-pat›");
    let groups: Vec<&str> = pat.as_bytes().chunks(8).map(|group| std::str::from_utf8(group).unwrap()).collect();
    assert_eq!(found(&format!("my token: {} (no blanks)", groups.join(" "))), "my token: ‹github-pat› (no blanks)");
    // A prefix alone, words after a token, and pieces of something else.
    for stays in [
        "prefixes: ghp_\nabc\n",
        "hf_hub\ndownload_the_model_from_the_hub_into_the_cache_of_the_user",
        "x = \"ghp_\" + \"your-token-goes-here-and-nowhere-else\"",
        "the key is a b c d e f g h i j k l m n o p q r s t u v w x y z",
        "key: 1 0 0 1 0 1 1 0 0 1 0 1 1 0 0 1 0 1 1 0 0 1 0 1 1 0 0 1",
        "the token counts: 1204 3391 2210 8841 1204 3391 2210 8841",
        "log_level = \"in\" + \"fo\"",
    ] {
        assert_eq!(shown(stays), stays);
    }
    let ids = format!("{}\n{}\n", hex(40), hex(40));
    assert_eq!(shown(&ids), ids);
    assert_eq!(shown(&format!("token {pat}\nThanks a lot")), "token ‹github-pat›\nThanks a lot");
    assert_eq!(shown(&format!("{pat}\n2024-03-01 12:00:00 started")), "‹github-pat›\n2024-03-01 12:00:00 started");
}

#[test]
fn a_token_in_another_encoding_is_redacted() {
    let pat = pat();
    let digits: Vec<String> = pat.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(shown(&format!("decode('{}', 'hex')", digits.concat())), "decode('‹github-pat›', 'hex')");
    let lines: Vec<String> = digits.chunks(30).map(<[String]>::concat).collect();
    assert_eq!(shown(&format!("$ xxd -p\n{}\n", lines.join("\n"))), "$ xxd -p\n‹github-pat›\n");
    assert_eq!(shown(&format!("the token in hex: {}", digits.join(" "))), "the token in hex: ‹github-pat›");
    let dump = |bytes: &[u8]| {
        let row = |(index, row): (usize, &[u8])| {
            let pairs: Vec<String> =
                row.chunks(2).map(|pair| pair.iter().map(|byte| format!("{byte:02x}")).collect()).collect();
            let text: String =
                row.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' }).collect();
            format!("{:08x}: {:39}  {text}\n", index * 16, pairs.join(" "))
        };
        bytes.chunks(16).enumerate().map(row).collect::<String>()
    };
    let shown_dump = shown(&dump(format!("key={pat}\n").as_bytes()));
    assert!(shown_dump.starts_with("00000000: 6b65 793d ‹github-pat›"), "{shown_dump}");
    let entities: String = pat.bytes().map(|byte| format!("&#{byte};")).collect();
    assert_eq!(shown(&format!("<p>{entities}</p>")), "<p>‹github-pat›</p>");
    let (head, tail) = pat.split_at(20);
    let mail = "Content-Transfer-Encoding: quoted-printable\n\nuse ";
    assert_eq!(shown(&format!("{mail}{head}=\n{tail} now")), format!("{mail}‹github-pat› now"));
    // A soft line break and a hexdump at the edges of a text.
    let declared = "a=3Db\nDB_PASSWORD=";
    assert_eq!(shown(&format!("{declared}qW3rT5yU7q=\nzX9v")), "a=3Db\nDB_PASSWORD=‹keyed-value›");
    let dumped = shown(&format!("xxd k\n{}", dump(pat.as_bytes())));
    assert!(dumped.starts_with("xxd k\n") && dumped.contains("‹github-pat›"), "{dumped}");
    // Digests and binary data.
    let image: Vec<u8> = (0..200_u8).map(|byte| byte.wrapping_mul(37)).collect();
    for stays in [hex(64), hex(40).to_uppercase(), dump(&image), dump(b"hello, world: this is a test of the dump\n")] {
        assert_eq!(shown(&stays), stays);
    }
}

#[test]
fn equal_secrets_have_equal_tags_however_they_are_written() {
    let redactor = Redactor::default();
    let tag = |text: &str| {
        let found = redactor.find(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        found[0].tag.clone()
    };
    let secret = opaque(24);
    let (head, tail) = secret.split_at(12);
    let plain = tag(&format!("DB_PASSWORD={secret}"));
    let each = |form: fn(u8) -> String| secret.bytes().map(form).collect::<String>();
    for other in [
        format!("DB_PASSWORD={head}\u{200b}{tail}"),
        format!("DB_PASSWORD={head}\u{1b}[31m{tail}"),
        format!("export DB_PASSWORD={head}\\\n{tail}"),
        format!("password = \"{head}\" + \"{tail}\""),
        format!("{{\"password\": \"{}\"}}", each(|byte| format!("\\u{byte:04x}"))),
        format!("https://h/x?password={}&y=1", each(|byte| format!("%{byte:02X}"))),
        format!("<password>{}</password>", each(|byte| format!("&#{byte};"))),
        format!("password=3D{head}=\n{tail}"),
    ] {
        assert_eq!(tag(&other), plain, "{other}");
    }
    let pat = pat();
    let digits: String = pat.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(tag(&digits), tag(&pat));
}

#[test]
fn a_token_glued_to_a_word_is_redacted() {
    let token = format!("glpat-{}", opaque(20));
    for word in ["token", "Password", "KEY"] {
        assert_eq!(shown(&format!("log: {word}{token} ok")), format!("log: {word}‹gitlab-pat› ok"));
    }
    // The prefix is part of a name, or of random characters.
    let random = format!("x = {}9{token}", opaque(8));
    for stays in
        ["raghp_the_name_of_a_function_with_many_words_in_it_2", "chf_download_the_model_of_the_hub_now_2", &random]
    {
        assert_eq!(shown(stays), stays);
    }
}
