//! Pairs of a name and a value, through every carrier that people use: settings, code, commands, requests, tables, logs,
//! and records. The verdict on a pair depends on the pair, and not on the carrier.

use loopmem_safety::Redactor;
use serde_json::Value;

use crate::random::Random;
use crate::words::Casing::{self, Camel, Kebab, Pascal, Snake, Upper};
use crate::words::WORDS;

/// What a pair is, and whether its value must go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// A value that looks like nothing, under a name that can mean nothing else than a secret.
    WeakValue,
    /// A placeholder or a reference, or a value that is not secret.
    Innocent,
    /// A random value under a name that may mean a credential.
    RandomValue,
}

/// A name by its words, and a value.
pub(crate) struct Pair {
    pub(crate) side: Side,
    pub(crate) name: Vec<&'static str>,
    pub(crate) value: String,
}

const STRONG: &[&[&str]] = &[
    &["password"],
    &["passwd"],
    &["passphrase"],
    &["secret"],
    &["api", "key"],
    &["private", "key"],
    &["access", "key"],
    &["secret", "key"],
    &["client", "secret"],
    &["credentials"],
    &["password", "confirmation"],
    &["mysql", "pwd"],
    &["passwort"],
    &["mot", "de", "passe"],
    &["contrasena"],
    &["senha"],
    &["wachtwoord"],
    &["heslo"],
    &["adgangskode"],
    &["passord"],
    &["salasana"],
    &["пароль"],
    &["密码"],
    &["パスワード"],
    &["비밀번호"],
];
/// Names in languages that put what it opens after the word.
const LEADING: &[&[&str]] =
    &[&["contraseña", "admin"], &["пароль", "бд"], &["hasło", "bazy"], &["mot", "de", "passe", "base"]];
const PREFIXES: &[&str] = &["db", "smtp", "admin", "billing", "redis", "app"];
const WEAK: &[&[&str]] =
    &[&["token"], &["key"], &["auth"], &["session"], &["deploy", "token"], &["ssh", "key"], &["cookie"]];
/// Names and the values that they have in programs.
const INNOCENT: &[(&[&str], &[&str])] = &[
    (&["token"], &["IDENT", "keyword", "string_literal"]),
    (&["key"], &["user_id", "arrow_left", "name"]),
    (&["pass"], &["green", "first", "lint"]),
    (&["session"], &["agent:main", "morning", "default"]),
    (&["session", "key"], &["agent:main", "current_user"]),
    (&["hash", "key"], &["path", "tenant_id"]),
    (&["primary", "key"], &["order_id", "uuid"]),
    (&["partition", "key"], &["tenant"]),
    (&["next", "page", "token"], &["CAUQAA", "c29tZS1jdXJzb3ItdmFsdWU"]),
    (&["continuation", "token"], &["bmV4dC1wYWdlLTAwMQ", "0x8F12AB"]),
    (&["max", "tokens"], &["4096", "128000"]),
    (&["password", "min", "length"], &["12", "16"]),
    (&["private", "key", "path"], &["/etc/ssl/private/site.pem"]),
    (&["token", "type"], &["bearer", "mac"]),
    (&["code"], &["ENOENT", "404", "en-GB"]),
    (&["pin"], &["4821", "GPIO17"]),
    (&["cursor"], &["pointer", "default"]),
    (&["sha256"], &["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]),
    (&["commit"], &["3f786850e387550fdab836ed7e6dc881de23001b"]),
    (&["hash"], &["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]),
];
/// What stands in the place of a secret under a strong name.
const STAND_INS: &[&str] = &[
    "${DB_SECRET}",
    "$DB_SECRET",
    "vault:kv/billing#login",
    "op://Private/db/login",
    "env:DB_SECRET",
    "file:/run/secrets/db",
    "changeme",
    "xxx",
    "***",
    "<your-value>",
    "CHANGE_ME",
    "/run/secrets/db",
];

/// Where a pair may stand: `{n}` is its name and `{v}` its value.
const CARRIERS: &[(Casing, &str)] = &[
    (Upper, "STAGE=dev\n{n}={v}\nPORT=80\n"),
    (Upper, "{n}=\"{v}\"\n"),
    (Upper, "export {n}='{v}'\n"),
    (Upper, "{n}={v} make deploy"),
    (Upper, "I started it with {n}={v} and it works"),
    (Upper, "docker run -e {n}={v} billing:latest"),
    (Upper, "FROM debian:12\nENV {n}={v}\nRUN make\n"),
    (Upper, "FROM debian:12\nARG {n}={v}\nRUN make\n"),
    (Upper, "os.environ[\"{n}\"] = \"{v}\"\n"),
    (Upper, "os.Setenv(\"{n}\", \"{v}\")\n"),
    (Upper, "| name | value |\n|---|---|\n| {n} | {v} |\n"),
    (Upper, "- name: {n}\n  value: \"{v}\"\n"),
    (Upper, "{\"name\": \"{n}\", \"value\": \"{v}\"}"),
    (Upper, "#define {n} \"{v}\"\n"),
    (Snake, "host: db.internal\n{n}: {v}\nport: 80\n"),
    (Snake, "settings:\n  {n}: \"{v}\"\n"),
    (Snake, "[billing]\nhost = \"db\"\n{n} = \"{v}\"\n"),
    (Snake, "[billing]\nhost = db\n{n} = {v}\n"),
    (Snake, "connect(host=\"db\", {n}=\"{v}\")\n"),
    (Snake, "let {n} = \"{v}\";\n"),
    (Snake, "{n} = '{v}'\n"),
    (Snake, "POST /login HTTP/1.1\n\nuser=ann&{n}={v}&page=2"),
    (Snake, "level=info msg=started {n}={v} port=80"),
    (Snake, "id,{n},host\n7,{v},db\n"),
    (Snake, "| user | {n} |\n|---|---|\n| ann | {v} |\n"),
    (Snake, "<server><host>db</host><{n}>{v}</{n}></server>\n"),
    (Camel, "{\"host\":\"db\",\"{n}\":\"{v}\",\"port\":80}"),
    (Camel, "{\n  \"{n}\": \"{v}\"\n}\n"),
    (Camel, "{\"body\": \"{\\\"{n}\\\": \\\"{v}\\\"}\"}"),
    (Camel, "const client = new Client({ host: 'db', {n}: '{v}', port: 80 });\n"),
    (Camel, "config['{n}'] = '{v}';\n"),
    (Camel, "props.setProperty(\"{n}\", \"{v}\");\n"),
    (Pascal, "client.Set{n}(\"{v}\");\n"),
    (Kebab, "run --host db --{n}={v} --verbose"),
    (Kebab, "run --host db --{n} {v} --verbose"),
    (Kebab, "[\"run\", \"--{n}\", \"{v}\"]"),
    (Kebab, "--part\nContent-Disposition: form-data; name=\"{n}\"\n\n{v}\n--part--\n"),
    (Kebab, "<add key=\"{n}\" value=\"{v}\" />"),
];
/// Records, as JSON.
const RECORDS: &[(Casing, &str)] = &[
    (Snake, r#"{"{n}": "{v}", "host": "db"}"#),
    (Camel, r#"{"settings": {"db": {"{n}": "{v}"}}}"#),
    (Camel, r#"{"set": {"{n}": "{v}"}}"#),
    (Kebab, r#"{"list": [{"{n}": "{v}"}]}"#),
    (Upper, r#"{"env": [{"name": "{n}", "value": "{v}"}]}"#),
    (Upper, r#"{"text": "deployed with {n}={v} on db"}"#),
];

/// A value that people choose and that looks like nothing.
fn weak_value(random: &mut Random) -> String {
    let phrase = |random: &mut Random, sign: &str| {
        let count = random.between(2..=5);
        (0..count).map(|_| random.pick(WORDS)).collect::<Vec<_>>().join(sign)
    };
    match random.below(6) {
        0 => random.pattern("[b-df-hj-np-tv-z]{2}[a-z]{4,6}"),
        1 => random.pick(WORDS).to_owned(),
        2 => phrase(random, "-"),
        3 => phrase(random, "_"),
        4 => random.pattern("[1-9][0-9]{3,9}"),
        _ => random.pattern("[a-z]{4}[0-9]{1,2}"),
    }
}

/// So many pairs of each side.
pub(crate) fn pairs(random: &mut Random, count: usize) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for _ in 0..count {
        let mut name = random.choose(STRONG).to_vec();
        if random.once_in(8) {
            name = random.choose(LEADING).to_vec();
        } else if random.once_in(2) {
            name.insert(0, random.pick(PREFIXES));
        }
        pairs.push(Pair { side: Side::WeakValue, name: name.clone(), value: weak_value(random) });
        pairs.push(Pair { side: Side::Innocent, name, value: random.pick(STAND_INS).to_owned() });
        let (name, values) = *random.choose(INNOCENT);
        pairs.push(Pair { side: Side::Innocent, name: name.to_vec(), value: random.pick(values).to_owned() });
        let value = random.pattern("[A-Za-z][A-Za-z0-9]{21,30}[0-9][A-Z]|[0-9a-f]{32}");
        pairs.push(Pair { side: Side::RandomValue, name: random.choose(WEAK).to_vec(), value });
    }
    pairs
}

/// Whether each carrier's value is gone.
pub(crate) fn verdicts(redactor: &Redactor, pair: &Pair) -> Vec<(&'static str, bool)> {
    let filled = |(casing, template): &(Casing, &'static str)| {
        template.replace("{n}", &joined(*casing, &pair.name)).replace("{v}", &pair.value)
    };
    // A bracket would be another element, and methods have English names.
    let is_english = pair.name.iter().all(|word| word.is_ascii());
    let is_apt = |template: &str| {
        !(pair.value.starts_with('<') && template.contains("</{n}>")) && (is_english || !template.contains("Set{n}"))
    };
    let texts = CARRIERS.iter().filter(|(_, template)| is_apt(template)).map(|carrier| {
        let text = redactor.redact(&filled(carrier)).into_owned();
        (carrier.1, !text.contains(&pair.value))
    });
    let records = RECORDS.iter().map(|carrier| {
        let record: Value = serde_json::from_str(&filled(carrier)).unwrap();
        let sealed = serde_json::to_string(&redactor.seal(&record, &[]).unwrap().0).unwrap();
        (carrier.1, !sealed.contains(&pair.value))
    });
    texts.chain(records).collect()
}

/// The name in a casing; letters of other scripts have none.
fn joined(casing: Casing, words: &[&str]) -> String {
    match words.iter().all(|word| word.is_ascii()) {
        true => casing.join(words),
        false => words.join("_"),
    }
}
