//! Secrets recognized by their structure: armoured keys, web tokens, cookies and credential files.

use crate::random::{Random, base64, base64url};
use crate::score::{Record, either, is_mark, secret, unmarked};

/// The kinds of private keys, without the word they share, so that secret scanners ignore this file.
const ARMOURED: &[&str] = &["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "", "ED25519 ", "SSH2 ENCRYPTED "];

/// The body between the `BEGIN` and `END` of a private key, `columns` wide, with a dozen to thirty lines.
fn body(random: &mut Random, columns: usize) -> Vec<String> {
    let lines = random.between(3..=24);
    let mut body: Vec<String> = (0..lines).map(|_| random.pattern(&format!("[A-Za-z0-9+/]{{{columns}}}"))).collect();
    body.push(random.pattern("[A-Za-z0-9+/]{20,40}="));
    body
}

fn armour(edge: &str, label: &str) -> String {
    either(&format!("-----{edge} {label}-----"))
}

fn private(kind: &str) -> String {
    format!("{kind}{} KEY", "PRIVATE")
}

/// Each line is a secret; the line breaks may be redacted too.
fn lines(body: &[String], divider: &str) -> String {
    body.iter().map(|line| secret(line)).collect::<Vec<_>>().join(&either(divider))
}

fn pem(random: &mut Random, divider: &str) -> String {
    let label = private(random.pick(ARMOURED));
    let columns = if label.starts_with("OPENSSH") { 70 } else { 64 };
    let body = lines(&body(random, columns), divider);
    let (begin, end) = (armour("BEGIN", &label), armour("END", &label));
    let divider = either(divider);
    format!("{begin}{divider}{body}{divider}{end}")
}

fn encrypted_pem(random: &mut Random) -> String {
    let label = private("RSA ");
    let vector = random.pattern("[0-9A-F]{32}");
    let headers = either(&format!("\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{vector}\n\n"));
    let body = lines(&body(random, 64), "\n");
    armour("BEGIN", &label) + &headers + &body + &either("\n") + &armour("END", &label)
}

fn truncated(random: &mut Random) -> String {
    let body = body(random, 64);
    let whole = random.between(2..=body.len() - 1);
    let (begin, body) = (armour("BEGIN", &private("RSA ")), lines(&body[..whole], "\n"));
    format!("{begin}{}{body}{}", either("\n"), either(random.pick(&["\n... (truncated)", "\n[...]", ""])))
}

fn pgp(random: &mut Random) -> String {
    let label = format!("PGP {} KEY BLOCK", "PRIVATE");
    let head = either(random.pick(&["\n\n", "\nVersion: GnuPG v2\n\n", "\nComment: work\n\n"]));
    let body = lines(&body(random, 64), "\n");
    let sum = either(&random.pattern("\n=[A-Za-z0-9+/]{4}\n"));
    armour("BEGIN", &label) + &head + &body + &sum + &armour("END", &label)
}

/// `header.payload.signature`, as used on the web.
fn jwt(random: &mut Random) -> String {
    let header = random.pick(&[
        r#"{"alg":"HS256","typ":"JWT"}"#,
        r#"{"typ":"JWT","alg":"RS256"}"#,
        r#"{"alg":"ES256","kid":"2024-01"}"#,
        r#"{"alg":"none"}"#,
    ]);
    let payload =
        random.fill(r#"{"sub":"{d}","name":"{w} {u}","iat":17{d},"iss":"https://{h}"}"#, |_, _| String::new());
    let signature = if random.once_in(3) { "[A-Za-z0-9_-]{342}" } else { "[A-Za-z0-9_-]{43}" };
    format!("{}.{}.{}", base64url(header.as_bytes()), base64url(payload.as_bytes()), random.pattern(signature))
}

fn jwe(random: &mut Random) -> String {
    let header = base64url(br#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#);
    let rest = random.pattern(r"[A-Za-z0-9_-]{342}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{60,90}\.[A-Za-z0-9_-]{22}");
    format!("{header}.{rest}")
}

fn putty(random: &mut Random) -> String {
    let (public, private_lines) = (body(random, 64), body(random, 64));
    let mac = random.pattern("[0-9a-f]{64}");
    format!(
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: work\nPublic-Lines: {}\n{}\n{}{}\n{}{}",
        public.len(),
        public.join("\n"),
        either(&format!("{}-Lines: ", "Private")),
        either(&private_lines.len().to_string()),
        lines(&private_lines, "\n"),
        either(&format!("\nPrivate-MAC: {mac}")),
    )
}

fn jwk(random: &mut Random) -> String {
    let d = secret(&random.pattern("[A-Za-z0-9_-]{43}"));
    let (x, y) = (random.pattern("[A-Za-z0-9_-]{43}"), random.pattern("[A-Za-z0-9_-]{43}"));
    match random.below(3) {
        0 => format!(r#"{{"kty":"EC","crv":"P-256","x":"{}","y":"{}","d":"{d}"}}"#, either(&x), either(&y)),
        1 => format!(r#"{{"kty":"OKP","crv":"Ed25519","d":"{d}","use":"sig","x":"{}"}}"#, either(&x)),
        _ => {
            let n = either(&random.pattern("[A-Za-z0-9_-]{342}"));
            let d = secret(&random.pattern("[A-Za-z0-9_-]{342}"));
            let p = secret(&random.pattern("[A-Za-z0-9_-]{171}"));
            let q = secret(&random.pattern("[A-Za-z0-9_-]{171}"));
            format!(r#"{{"kty": "RSA", "n": "{n}", "e": "AQAB", "d": "{d}", "p": "{p}", "q": "{q}"}}"#)
        }
    }
}

fn service_account(random: &mut Random) -> String {
    let id = either(&random.pattern("[0-9a-f]{40}"));
    let key = pem(random, "\\n") + &either("\\n");
    random.fill(
        "{\n  \"type\": \"service_account\",\n  \"project_id\": \"{s}-{d}\",\n  \"private_key_id\": \"{i}\",\n  \
         \"private_key\": \"{k}\",\n  \"client_email\": \"{u}@{s}.iam.gserviceaccount.com\"\n}",
        |_, slot| if slot == 'i' { id.clone() } else { key.clone() },
    )
}

/// A password that needs no quotes.
fn password(random: &mut Random) -> String {
    random.pattern("[A-Za-z0-9][A-Za-z0-9!@%^*_+=~-]{6,18}[0-9][A-Za-z]")
}

fn basic(random: &mut Random) -> String {
    let user = random.filled("{u}");
    let password = password(random);
    secret(&base64(format!("{user}:{password}").as_bytes()))
}

/// `{v}` stands for the value, generated by the pattern beside it.
const TEMPLATES: &[(&str, &str, &str)] = &[
    ("netrc", "machine {h} login {u} password {v}", "[A-Za-z0-9][A-Za-z0-9!@%^*_+=~-]{6,20}[0-9a-z]"),
    ("netrc", "machine {h}\n  login {u}\n  password {v}\n", "[A-Za-z0-9][A-Za-z0-9!@%^*_+=~-]{6,20}[0-9a-z]"),
    ("netrc", "default login {u} password {v}\n", "[A-Za-z0-9]{12,40}"),
    ("pgpass", "{h}:5432:{w}:{u}:{v}", "[A-Za-z0-9][A-Za-z0-9!@%^*_+=~-]{6,20}[0-9a-z]"),
    ("pgpass", "# ~/.pgpass\n{h}:5432:*:{u}:{v}\n*:*:*:{u}:{v}\n", "[A-Za-z0-9]{12,24}"),
    ("cookie", "GET / HTTP/1.1\nCookie: session={v}\n", "[A-Za-z0-9_-]{32,86}"),
    ("cookie", "Cookie: sessionid={v}\nAccept: */*\n", "[a-z0-9]{32}"),
    ("cookie", "-H 'Cookie: connect.sid={v}'", "s%3A[A-Za-z0-9_-]{32}\\.[A-Za-z0-9]{43}"),
    ("cookie", "Cookie: _gitlab_session={v}\n", "[0-9a-f]{32}"),
    ("cookie", "Set-Cookie: sid={v}; Path=/; HttpOnly; Secure\n", "[A-Za-z0-9]{26,40}"),
    ("cookie", "< set-cookie: auth_token={v}; Max-Age=3600; SameSite=Lax\n", "[A-Za-z0-9_-]{40}"),
    ("cookie", "Set-Cookie: JSESSIONID={v}; Path=/{w}", "[0-9A-F]{32}"),
    ("cookie", "\"cookie\": \"laravel_session={v}\"", "[A-Za-z0-9]{80,120}"),
    ("age", "# created: {t}\n# public key: age1{w}\n{v}\n", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    (
        "shared access signature",
        "https://{w}.blob.core.windows.net/{s}/a.zip?sv=2022-11-02&sr=b&sp=r&sig={v}",
        "([A-Za-z0-9]{8,12}%2[BF]){1,2}[A-Za-z0-9]{20,26}%3D",
    ),
    ("client settings", "[client]\nuser={u}\npassword={v}\nhost={h}\n", "[A-Za-z0-9!@%^*_+=~-]{8,20}[0-9a-z]"),
    (
        "credentials file",
        "[default]\naws_access_key_id = {w}\naws_secret_access_key = {v}\nregion = eu-west-1\n",
        "[A-Za-z0-9/+]{40}",
    ),
    ("git credentials", "https://{u}:{v}@git.example.com\n", "[A-Za-z0-9]{20,40}"),
    (
        "wireguard",
        "[Interface]\nAddress = 10.0.0.2/32\nPrivateKey = {v}\nDNS = 10.0.0.1\n",
        "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=",
    ),
    (
        "maven",
        "<server><id>{s}</id><username>{u}</username><password>{v}</password></server>",
        "[A-Za-z0-9!@%^*_+=~-]{10,24}[0-9a-z]",
    ),
    ("wifi", "network={\n  ssid=\"{w}\"\n  psk=\"{v}\"\n}\n", "[A-Za-z0-9!@%^*_+=~-]{12,24}[0-9a-z]"),
];

/// The surroundings of a structure that is recognized by itself; `{x}` is the structure.
const AROUND: &[&str] = &[
    "{x}",
    "The key for {s} on {e}:\n\n{x}\n\nKeep it safe.",
    "```\n{x}\n```\nasked {u} about it",
    "$ cat ~/.ssh/{w}\n{x}\n$ exit",
    "{t} INFO [{s}] read {f}\n{x}\n{t} INFO [{s}] done",
    "notes:\n{x}\n",
];
const INLINE: &[&str] = &[
    "{x}",
    "Authorization: Bearer {x}\n",
    "The session of {u} was {x}, then it expired.",
    "`{x}`",
    "{\"token\": \"{x}\", \"expires_in\": {d}}",
    "{t} DEBUG {s} got {x} for {u}",
    "curl -H 'Authorization: Bearer {x}' https://{h}/",
    "(see {x})",
    "wss://{h}/socket?jwt={x}&v=2",
    "使用{x}登录",
    "It was {x}.",
];
const BASIC: &[&str] = &[
    "Authorization: Basic {x}\nHost: {h}\n",
    "curl -H \"Authorization: Basic {x}\" https://{h}/",
    "{\"headers\": {\"Authorization\": \"Basic {x}\"}}",
    "{t} DEBUG > Proxy-Authorization: Basic {x}",
    "headers: { Authorization: 'Basic {x}' }",
];
const DOCKER: &[&str] = &[
    "{\"auths\": {\"containers.example.com\": {\"auth\": \"{x}\"}}}",
    "{\n  \"auths\": {\n    \"https://containers.example.com/v1/\": {\n      \"auth\": \"{x}\"\n    }\n  }\n}",
];

const KINDS: usize = 20;

fn record(random: &mut Random, number: usize) -> Record {
    let (kind, around, structure) = match number % KINDS {
        0 => ("pem", AROUND, pem(random, "\n")),
        1 => ("pem encrypted", AROUND, encrypted_pem(random)),
        2 => ("pem cut off", &AROUND[..1], truncated(random)),
        3 => ("pem in json", &["{\"key\": \"{x}\", \"user\": \"{u}\"}"][..], pem(random, "\\n") + &either("\\n")),
        4 => ("pem on one line", &["SIGNING_PEM=\"{x}\"\nPORT={d}\n"][..], pem(random, "\\n")),
        5 => ("pem indented", &["tls:\n  key: |\n    {x}\n  port: {d}\n"][..], pem(random, "\n    ")),
        6 => {
            let pem = numbered(&pem(random, "\n"), random.below(3));
            ("pem numbered", &["{x}", "Read {f}:\n{x}\n"][..], pem)
        }
        7 => ("pgp", AROUND, pgp(random)),
        8 | 9 => ("jwt", INLINE, secret(&jwt(random))),
        10 => ("jwe", INLINE, secret(&jwe(random))),
        11 => ("putty", AROUND, putty(random)),
        12 => ("jwk", AROUND, jwk(random)),
        13 => ("service account", AROUND, service_account(random)),
        14 => ("basic", BASIC, basic(random)),
        15 => ("docker config", DOCKER, basic(random)),
        16 => {
            let divider = random.pick(&["\r\n", " "]);
            ("pem with other line ends", &AROUND[..2], pem(random, divider))
        }
        17 => {
            let pem = unmarked(&pem(random, "\n"));
            let template = "users:\n- name: {u}\n  user:\n    client-key-data: {x}\n";
            ("kubeconfig", &[template][..], secret(&base64(pem.as_bytes())))
        }
        _ => {
            let (kind, template, pattern) = *random.choose(TEMPLATES);
            let value = secret(&random.pattern(pattern));
            let text = random.fill(template, |_, _| value.clone());
            return Record::new(&[&format!("structure: {kind}")], text);
        }
    };
    let text = random.pick(around);
    let text = random.fill(text, |_, _| structure.clone());
    Record::new(&[&format!("structure: {kind}")], text)
}

/// Line numbers before every line, as tools show files; they may be redacted with the key.
fn numbered(marked: &str, style: usize) -> String {
    debug_assert!(marked.contains(is_mark));
    let number = |(at, line): (usize, &str)| {
        let gutter = match style {
            0 => format!("{:>5}\t", at + 1),
            1 => format!("{:>4} | ", at + 1),
            _ => format!("{:>6}\u{2192}", at + 1),
        };
        either(&gutter) + line
    };
    // A line break is a separate marker, which the gutter must not be inside.
    let split = marked.replace(&either("\n"), "\n");
    split.split('\n').enumerate().map(number).collect::<Vec<_>>().join(&either("\n"))
}

pub(crate) fn records(random: &mut Random, count: usize) -> Vec<Record> {
    (0..count).map(|number| record(random, number)).collect()
}
