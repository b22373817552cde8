//! What looks like a secret but is not: hashes, ids, references, placeholders, code, and text about secrets.

use crate::random::{Random, base64};
use crate::score::Record;
use crate::words::Casing::{Camel, Kebab, Pascal, Snake, Upper};

const HEX_40: &str = "[0-9a-f]{40}";
const HEX_64: &str = "[0-9a-f]{64}";
const HEX_32: &str = "[0-9a-f]{32}";
const UUID: &str = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
const SHA_512: &str = "[A-Za-z0-9+/]{86}==";
const VERSION: &str = "[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9]{1,2}(-(alpha|beta|rc)\\.[1-9]|)";
const POD: &str = "(api|worker|web|db|cache)-[0-9a-f]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}";
const IP: &str = "(10|172|192)\\.[1-9][0-9]\\.[1-9][0-9]\\.[1-9][0-9]";
const BASE64_LONG: &str = "[A-Za-z0-9+/]{180,400}";

/// Kind, template and the pattern of its `{x}`.
const GENERATED: &[(&str, &str, &str)] = &[
    ("git hash", "Fixed in {x} by {u}.", HEX_40),
    ("git hash", "commit {x}\nAuthor: {u} <{u}@example.com>\nDate:   Mon Mar 3 10:00:00 2025\n\n    Fix {w}\n", HEX_40),
    ("git hash", "{x} {w} the {w} ({s})", "[0-9a-f]{7,10}"),
    ("git hash", "HEAD is now at {x} {w} {w}", "[0-9a-f]{7,12}"),
    ("git hash", "bisected to `{x}`, which touched {f}", HEX_40),
    ("git hash", "https://git.example.com/{w}/{s}/commit/{x}", HEX_40),
    (
        "git diff",
        "diff --git a/{f} b/{f}\nindex {x}..{x} 100644\n--- a/{f}\n+++ b/{f}\n@@ -1,7 +1,8 @@",
        "[0-9a-f]{7,11}",
    ),
    ("git submodule", "Subproject commit {x}", HEX_40),
    ("git range", "git log {x}..{x} --oneline", "[0-9a-f]{12}"),
    ("git action", "uses: actions/checkout@{x} # v4.1.1", HEX_40),
    ("uuid", "request {x} took {d} ms", UUID),
    ("uuid", "id: {x}\nname: {s}\n", UUID),
    ("uuid", "{\"session_id\": \"{x}\", \"n\": {d}}", UUID),
    ("uuid", "user_id={x} tenant_id={x}", UUID),
    ("uuid", "SELECT * FROM {w} WHERE id = '{x}';", UUID),
    ("uuid", "{x}", UUID),
    ("sha256", "{x}  {s}-linux-amd64.tar.gz", HEX_64),
    ("sha256", "sha256:{x}", HEX_64),
    ("sha256", "checksum = \"{x}\"", HEX_64),
    ("sha256", "SHA256 ({f}) = {x}", HEX_64),
    ("md5", "md5 of the {w} file is {x}", HEX_32),
    ("md5", "MD5 ({f}) = {x}", HEX_32),
    ("lock file", "[[package]]\nname = \"{w}\"\nversion = \"1.2.{d}\"\nchecksum = \"{x}\"\n", HEX_64),
    ("lock file", "{w}@^1.0.0:\n  version \"1.0.{d}\"\n  integrity sha512-{x}\n", SHA_512),
    ("lock file", "      \"integrity\": \"sha512-{x}\",\n      \"license\": \"MIT\"", SHA_512),
    ("lock file", "      \"integrity\": \"sha1-{x}=\"", "[A-Za-z0-9+/]{27}"),
    ("lock file", "{w}==1.{d} \\\n    --hash=sha256:{x} \\\n    --hash=sha256:{x}", HEX_64),
    ("lock file", "{w}/{s} v1.2.3 h1:{x}=", "[A-Za-z0-9+/]{43}"),
    ("lock file", "    resolution: {integrity: sha512-{x}}", SHA_512),
    ("lock file", "  {s}-tokenizer@npm:1.0.{d}:\n    checksum: 10c0/{x}", "[0-9a-f]{128}"),
    (
        "subresource",
        "<script src=\"/{w}.js\" integrity=\"sha384-{x}\" crossorigin=\"anonymous\"></script>",
        "[A-Za-z0-9+/]{64}",
    ),
    ("nix", "  hash = \"sha256-{x}=\";", "[A-Za-z0-9+/]{43}"),
    ("docker", "FROM debian:12@sha256:{x}", HEX_64),
    ("docker", "Digest: sha256:{x}\nStatus: Downloaded newer image for {s}:latest", HEX_64),
    ("docker", "{x}   {s}:latest   \"/entry.sh\"   2 days ago   Up 3 hours", "[0-9a-f]{12}"),
    ("docker", "Successfully built {x}", "[0-9a-f]{12}"),
    ("image", "<img src=\"data:image/png;base64,iVBORw0KGgo{x}=\">", BASE64_LONG),
    ("image", "background: url(data:image/svg+xml;base64,PHN2Zy{x})", BASE64_LONG),
    ("font", "src: url(data:font/woff2;base64,d09GMgAB{x}) format('woff2');", BASE64_LONG),
    ("source map", "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjoz{x}", BASE64_LONG),
    ("source map", "\"mappings\":\"AAAA,{x};\"", "[ACDEGIKQSUYcegikoq]{4}(,[ACDEGIKQSUYcegikoq]{4,5}){20,30}"),
    ("public key", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{x} {u}@{h}", "[A-Za-z0-9+/]{330}"),
    ("public key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{x} {u}@{w}", "[A-Za-z0-9+/]{43}"),
    ("public key", "public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{x}", "[A-Za-z0-9+/]{43}"),
    ("public key", "git.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{x}", "[A-Za-z0-9+/]{43}"),
    ("public key", "PublicKey = {x}=\nAllowedIPs = 10.0.0.2/32", "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]"),
    ("public key", "-----BEGIN PUBLIC KEY-----\n{x}\n{x}\n-----END PUBLIC KEY-----", "[A-Za-z0-9+/]{64}"),
    ("public key", "\"publicKey\": \"{x}=\"", "[A-Za-z0-9+/]{43}"),
    ("public key", "# public key: age1{x}", "[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}"),
    ("public key", "const PUBLIC_KEY = \"{x}\";", HEX_64),
    ("fingerprint", "The key fingerprint is:\nSHA256:{x} {u}@{h}", "[A-Za-z0-9+/]{43}"),
    ("fingerprint", "fingerprint {x}", "[0-9A-F]{2}(:[0-9A-F]{2}){15,19}"),
    ("certificate", "-----BEGIN CERTIFICATE-----\n{x}\n{x}\n{x}\n-----END CERTIFICATE-----", "[A-Za-z0-9+/]{64}"),
    ("certificate", "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{x}=", "[A-Za-z0-9+/]{200,300}"),
    (
        "signature of a release",
        "-----BEGIN PGP SIGNATURE-----\n\n{x}\n{x}\n-----END PGP SIGNATURE-----",
        "[A-Za-z0-9+/]{64}",
    ),
    ("pod", "pod/{x} restarted {d} times", POD),
    ("pod", "{x}   1/1     Running   0          3d", POD),
    ("pod", "kubectl logs {x} -n {e}", POD),
    ("etag", "ETag: \"{x}\"\nCache-Control: no-cache\n", HEX_32),
    ("etag", "etag: W/\"{x}\"", "[0-9a-f]{2,4}-[A-Za-z0-9+/]{27}"),
    ("trace", "trace_id={x} span_id=0123456789abcdef {s}", HEX_32),
    ("trace", "traceparent: 00-{x}-00f067aa0ba902b7-01", HEX_32),
    ("trace", "X-Request-Id: {x}", HEX_32),
    ("trace", "x-amzn-trace-id: Root=1-{x}", "[0-9a-f]{8}-[0-9a-f]{24}"),
    ("log id", "{t} INFO [{s}] job {x} done in {d} ms", "[0-9a-f]{24}"),
    ("log id", "event_id={x} kind={w}", "[0-9A-HJKMNP-TV-Z]{26}"),
    ("log id", "correlation id {x}", "[0-9a-z]{20}"),
    ("log id", "build #{d} {x} finished", "[0-9]{10,19}"),
    ("mongo id", "ObjectId(\"{x}\")", "[0-9a-f]{24}"),
    ("cloud id", "i-{x} in vpc-0a1b2c3d4e5f60718", "0[0-9a-f]{16}"),
    ("cloud id", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:{s}/{e}-{x}", "[A-Za-z0-9]{6}"),
    ("cloud id", "arn:aws:iam::{x}:role/{s}-deploy", "[0-9]{12}"),
    ("cloud id", "projects/{s}-{d}/secrets/db-password/versions/{x}", "[1-9]"),
    ("address", "0x{x} received 3 tokens", HEX_40),
    ("address", "tx 0x{x} was mined", HEX_64),
    ("pointer", "thread panicked at 0x{x}", "0000[0-9a-f]{12}"),
    ("version", "password reset v{x} shipped", VERSION),
    ("version", "token-service {x} is deployed on {e}", VERSION),
    ("version", "jsonwebtoken = \"{x}\"", VERSION),
    ("version", "\"keytar\": \"^{x}\"", VERSION),
    ("date", "tokens expire on {x}", "202[4-6]-0[1-9]-[12][0-9]"),
    ("date", "last password change: {x}", "202[4-6]-0[1-9]-[12][0-9]T1[0-9]:[0-5][0-9]:00Z"),
    ("date", "key_expires_at: {x}", "202[4-6]-0[1-9]-[12][0-9]"),
    ("ip", "token endpoint listens on {x}:8443", IP),
    ("ip", "{x} - - [03/Mar/2025:10:00:00 +0000] \"GET /login HTTP/1.1\" 200 {d}", IP),
    ("ip", "inet6 {x}/64 scope link", "fe80::[0-9a-f]{4}:[0-9a-f]{4}:[0-9a-f]{4}:[0-9a-f]{4}"),
    ("mac", "ether {x}", "[0-9a-f]{2}(:[0-9a-f]{2}){5}"),
    ("phone", "call {u} at {x}", "\\+(1|44|49) [0-9]{3} [0-9]{3} [0-9]{4}"),
    ("colour", "color: #{x}; background: #fff;", "[0-9a-f]{6}"),
    ("colour", "--token-color: #{x};", "[0-9a-f]{6,8}"),
    ("color token", "\"token\": \"keyword\", \"foreground\": \"{x}\"", "[0-9a-f]{6}"),
    ("email", "{u}.{w}{x}@example.com asked for a password reset", "[0-9]{1,3}"),
    ("url", "https://{h}:8443/v1/{w}?page={x}", "[0-9]{1,3}"),
    ("url", "https://www.example.com/@{u}/{w}-{x}", "[0-9a-f]{12}"),
    ("url", "http://{h}:{x}/@scope/pkg", "[1-9][0-9]{3}"),
    ("url", "https://{h}/reset-password?lang=de&step={x}", "[1-3]"),
    ("url", "https://cdn.example.com/{s}/{x}.js", "(main|chunk|vendor)\\.[0-9a-f]{8,20}"),
    ("url", "https://docs.example.com/d/{x}/edit", "1[A-Za-z0-9_-]{43}"),
    ("url", "git@git.example.com:{u}/{s}.git ({x})", VERSION),
    ("url", "postgres://{u}@{h}:5432/{w}_{x}", "[0-9]{1,2}"),
    ("url", "redis://{h}:6379/{x}", "[0-9]"),
    ("url", "https://videos.example.com/watch?v={x}", "[A-Za-z0-9_-]{11}"),
    ("path", "C:\\Users\\{u}\\AppData\\Local\\{w}\\token_cache_{x}.bin", "[0-9]{1,3}"),
    ("path", "/var/lib/docker/overlay2/{x}/merged", HEX_64),
    ("path", "/nix/store/{x}-openssl-3.0.12/bin", "[0-9a-z]{32}"),
    ("path", "target/debug/deps/{w}-{x}.rlib", "[0-9a-f]{16}"),
    ("path", "private_key_path: /etc/ssl/private/{s}-{x}.key", "[0-9]{1,3}"),
    ("path", "node_modules/.pnpm/{w}@1.2.3_{x}/node_modules", "[a-z0-9]{26}"),
    ("path", "/tmp/{w}.{x}/out.log", "[A-Za-z0-9]{10}"),
    ("number", "max_tokens: {x}", "[1-9][0-9]{3,5}"),
    ("number", "PASSWORD_MIN_LENGTH={x}", "[1-9][0-9]"),
    ("number", "TOKEN_TTL_SECONDS={x}", "[1-9][0-9]{3,5}"),
    ("number", "prompt_tokens={x} completion_tokens={x} total_tokens={x}", "[1-9][0-9]{2,5}"),
    ("number", "\"usage\": {\"input_tokens\": {x}, \"output_tokens\": {x}}", "[1-9][0-9]{2,5}"),
    ("number", "keepalive_timeout={x} key_size=2048", "[1-9][0-9]"),
    ("number", "tokens: {x}", "[1-9][0-9]{2,8}"),
    ("number", "api_key_id: {x}", "[1-9][0-9]{2,8}"),
    ("number", "{d} of {x} passwords were rotated", "[1-9][0-9]{2,4}"),
    ("minified", "var {x}=function(t,e,n){return t.key===e?n:t.token}", "[a-z][A-Za-z]"),
    ("minified", "!function(e,t){e.{x}=t,e.auth=n(347)}(this)", "[a-z][A-Za-z]{1,2}"),
    ("minified", "class=\"css-{x} {w}__{x}\"", "[a-z0-9]{6}"),
    ("placeholder", "npx {s} login --token ghp_{x}", "x{36}|X{36}|\\*{36}|\\.\\.\\."),
    ("placeholder", "GITHUB_TOKEN=ghp_{x}", "x{20,36}|your_token_here|\\.\\.\\.|YOURTOKENHERE"),
    (
        "placeholder",
        "API_KEY={x}",
        "x{8,32}|X{8,32}|\\*{3,20}|changeme|your-api-key|YOUR_API_KEY|<your-api-key>|\\.\\.\\.|TODO|none|null",
    ),
    (
        "placeholder",
        "password: {x}",
        "changeme|<password>|\\*{6,12}|xxxxxxxx|\\[hidden\\]|\\(hidden\\)|<redacted>|your-password|\\$\\{DB_PASSWORD\\}|example|required|null|~",
    ),
    (
        "placeholder",
        "\"api_key\": \"{x}\"",
        "your-api-key-here|<API_KEY>|xxx|insert-your-key-here|YOUR_KEY|\\$\\{API_KEY\\}|\\{\\{api_key\\}\\}|string|%s|REPLACE_ME|\\.\\.\\.",
    ),
    ("placeholder", "sk-ant-{x}", "\\.\\.\\.|x{20}|<key>|your-key-here"),
    ("placeholder", "OPENAI_API_KEY=sk-{x}", "\\.\\.\\.|x{20,48}|your-key-here|xxxx"),
    (
        "placeholder",
        "postgres://{u}:{x}@{h}:5432/{w}",
        "<password>|\\*{3,8}|\\$\\{DB_PASSWORD\\}|\\$DB_PASSWORD|PASSWORD|xxxx",
    ),
    (
        "placeholder",
        "Authorization: Bearer {x}",
        "<token>|\\$TOKEN|\\$\\{TOKEN\\}|\\{token\\}|YOUR_TOKEN|\\*{5,20}|\\.\\.\\.|%s",
    ),
    ("placeholder", "curl -u {u}:{x} https://{h}/", "\\$PASSWORD|<password>|\\*{4}|\\$\\{PASS\\}"),
    ("placeholder", "aws_access_key_id = AKIA{x}EXAMPLE", "IOSFODNN7"),
    ("placeholder", "the password is {x}", "<password>|\\*{8}|\\.\\.\\.|\\[REDACTED\\]|xxxxxxxx"),
    ("shortened", "The deploy token `ghp_{x}...` is a user token.", "[A-Za-z0-9]{4,6}"),
    ("shortened", "Rotated the key (sk-ant-api03-{x}\u{2026}) yesterday", "[A-Za-z0-9]{3,4}"),
    ("shortened", "the key that ends in ...{x} is the old one", "[A-Za-z0-9]{4}"),
    ("shortened", "sk-\u{2026}{x}", "[A-Za-z0-9]{4}"),
    ("shortened", "token starts with glpat-{x}", "[A-Za-z0-9]{2,4}\\.\\.\\.|\\*{8}"),
    ("shortened", "card ending in {x}", "[0-9]{4}"),
    ("redacted", "The token is [REDACTED:github-pat:{x}] now.", "[0-9a-f]{10}"),
    ("redacted", "DB_PASSWORD=[REDACTED:keyed:{x}]", "[0-9a-f]{10}"),
    ("sql", "INSERT INTO tokens (id, kind) VALUES ({d}, '{x}');", "[a-z]{5,9}"),
    ("base64 of text", "The header is {x} in base64.", "aGVsbG8gd29ybGQ=|SGVsbG8sIFdvcmxkIQ=="),
    ("test id", "data-testid=\"password-input-{x}\"", "[0-9]{1,3}"),
    ("tree", "{x} blob 1234 {f}", "100644|100755"),
    ("branch", "feature/{s}-token-refresh-{x}", "[0-9]{3,5}"),
    ("issue", "{x}: rotate the api key of {s}", "[A-Z]{2,4}-[0-9]{2,5}"),
    ("jenkins", "[{s}] Running in /var/jenkins/workspace/{w}@tmp/{x}", "durable-[0-9a-f]{8}"),
];

/// Lines without secrets; common slots are filled at random.
const SENTENCES: &str = include_str!("negatives.txt");

/// Names that contain a word for a secret but do not name one, with their values.
const HARMLESS_NAMES: &[(&[&str], &str)] = &[
    (&["secret", "name"], "{s}-tls"),
    (&["token", "storage"], "local"),
    (&["token", "type"], "bearer"),
    (&["token", "url"], "https://{h}/oauth/token"),
    (&["password", "policy"], "strict"),
    (&["password", "field"], "passwd_input"),
    (&["password", "file"], "/run/secrets/db_password"),
    (&["private", "key", "file"], "/etc/ssl/{s}.key"),
    (&["key", "algorithm"], "RS256"),
    (&["primary", "key"], "{w}_id"),
    (&["foreign", "key"], "{w}_{s}_id"),
    (&["sort", "key"], "created_at"),
    (&["partition", "key"], "tenant"),
    (&["cache", "key"], "{s}:{d}:{w}"),
    (&["routing", "key"], "{s}.{w}.created"),
    (&["public", "key", "id"], "{w}-{d}"),
    (&["monkey", "patch"], "enabled"),
    (&["keyboard", "layout"], "us-intl"),
    (&["compass", "heading"], "north-east"),
    (&["passenger", "name"], "{w} {w}"),
    (&["author"], "{u} {w}"),
    (&["authority"], "https://{h}/"),
    (&["tokenizer"], "cl100k_base"),
    (&["secret", "store"], "vault"),
    (&["password", "hash", "algorithm"], "argon2id"),
    (&["passthrough"], "enabled"),
    (&["bypass", "cache"], "false"),
    (&["token", "budget"], "200000"),
    (&["object", "key"], "reports/2025/{s}-{d}.csv"),
    (&["message", "key"], "errors.{s}.not_found"),
];

/// A long name as programs have them.
fn identifier(random: &mut Random) -> String {
    let casing = *random.choose(&[Camel, Snake, Pascal, Upper]);
    let mut words: Vec<&str> = (0..random.between(2..=5)).map(|_| random.word()).collect();
    if random.once_in(2) {
        let at = random.below(words.len());
        words[at] = random.pick(&["token", "password", "key", "secret", "auth", "credential", "session"]);
    }
    casing.join(&words)
}

/// A piece of code that names secrets and contains none.
fn code(random: &mut Random) -> String {
    let template = random.pick(&[
        "{i}({i}, {i});",
        "let {i} = {i}.{i}();",
        "{i}: {i},",
        "const { {i}, {i} } = require('./{w}');",
        "token = {i}",
        "password: {i},",
        "apiKey: this.{i}.{i},",
        "self.token = {i}.token",
        "secret = {i}(config)",
        "pub struct {i} { token: {i} }",
        "`{i}` calls `{i}` with the token",
        "password={i}(), token={i}[0]",
        "if (password !== {i}) { return {i}; }",
        "import { {i} } from '@{w}/{s}-auth';",
        "token: &{i},",
        "fn {i}(token: &str, key: &{i}) -> Result<{i}> {",
        "the {i} field is renamed to {i}",
        "KEY_{d} = {i}",
    ]);
    random.fill(template, |random, _| identifier(random))
}

fn generated(random: &mut Random) -> Record {
    let (kind, template, pattern) = *random.choose(GENERATED);
    let text = random.fill(template, |random, _| random.pattern(pattern));
    Record::new(&[&format!("negative: {kind}"), &format!("template: {template:?}")], text)
}

fn sentence(random: &mut Random, sentences: &[(&str, &str)]) -> Record {
    let (kind, template) = *random.choose(sentences);
    let text = random.fill(&template.replace("\\n", "\n"), |random, _| identifier(random));
    Record::new(&[&format!("negative: {kind}"), &format!("template: {template:?}")], text)
}

fn setting(random: &mut Random) -> Record {
    let (words, value) = *random.choose(HARMLESS_NAMES);
    let casing = *random.choose(&[Camel, Snake, Kebab, Upper]);
    let name = casing.join(words);
    let value = random.filled(value);
    let template =
        random.pick(&["{n}={v}", "{n}: {v}", "\"{n}\": \"{v}\"", "{n} = \"{v}\"", "--{n} {v}", "{n}: '{v}',"]);
    let text = random.fill(template, |_, slot| if slot == 'n' { name.clone() } else { value.clone() });
    Record::new(&["negative: harmless name", &format!("template: {}", words.join(" "))], text)
}

/// Base64 of plain text or images, in a field that is not a secret's.
fn blob(random: &mut Random) -> Record {
    let length = random.between(60..=300);
    let code = base64(&random.bytes(length));
    let sentence = random.filled("{w} {w} went to {h} with the {w}, and {u} said: {s} is {w}.");
    let code = if random.once_in(2) { code } else { base64(sentence.as_bytes()) };
    let template = random.pick(&[
        "{\"image\": \"{x}\", \"width\": {d}}",
        "content: {x}\nencoding: base64\n",
        "thumbnail={x}",
        "The attachment is\n{x}\n",
    ]);
    Record::new(&["negative: blob"], random.fill(template, |_, _| code.clone()))
}

/// The sentences under their headings.
fn sentences() -> Vec<(&'static str, &'static str)> {
    let mut kind = "";
    let mut found = Vec::new();
    for line in SENTENCES.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("## ") {
            Some(heading) => kind = heading,
            None if line.starts_with("# ") && kind.is_empty() => {}
            None => found.push((kind, line)),
        }
    }
    found
}

pub(crate) fn records(random: &mut Random, count: usize) -> Vec<Record> {
    let sentences = sentences();
    let record = |number: usize| match number % 12 {
        0..=4 => generated(random),
        5..=7 => sentence(random, &sentences),
        8 => setting(random),
        9 => blob(random),
        10 => Record::new(&["negative: code"], code(random)),
        _ => {
            // Several in one text, in sequence.
            let parts: Vec<String> = (0..4)
                .map(|part| match part % 2 {
                    0 => sentence(random, &sentences).text(),
                    _ => generated(random).text(),
                })
                .collect();
            Record::new(&["negative: mixed"], parts.join("\n\n"))
        }
    };
    (0..count).map(record).collect()
}
