//! The values of the process's own secret variables, anywhere in a text; and values that are not secret.

use crate::random::Random;
use crate::score::{Record, secret};

/// Names that suggest a secret.
const NAMES: &[&str] = &[
    "DB_PASSWORD",
    "API_KEY",
    "STRIPE_SECRET_KEY",
    "SESSION_SECRET",
    "NPM_TOKEN",
    "GITHUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "SMTP_PASS",
    "REDIS_PASSWORD",
    "MY_SERVICE_TOKEN",
    "ENCRYPTION_KEY",
    "CLIENT_SECRET",
    "SIGNING_KEY",
    "PGPASSWORD",
    "OPENAI_API_KEY",
    "DATABASE_PASSWD",
    "ADMIN_PWD",
    "AUTH_TOKEN",
    "KEYSTORE_PASSPHRASE",
    "PRIVATE_KEY",
    "BOT_TOKEN",
    "access_token",
    "app.secret",
    "DEPLOY_CREDENTIALS",
];
/// Names of secrets with harmless values, and secret-looking values of harmless names.
const TRAPS: &[(&str, &str)] = &[
    ("DEPLOY_KEY", "a"),
    ("TOKEN_TTL", "86400000"),
    ("API_TOKEN", "1234567890"),
    ("AUTH_TOKEN", "development"),
    ("DB_PASSWORD", "password"),
    ("SIGNING_KEY", "/etc/ssl/private/server.key"),
    ("SSH_KEY", "/home/alice/.ssh/id_ed25519"),
    ("SECRET_KEY", "true"),
    ("API_KEY", "short1"),
    ("MASTER_KEY", "disabled"),
    ("SESSION_TOKEN", "undefined"),
    ("KEYBOARD", "de-latin1-nodeadkeys"),
    ("MONKEY", "banana42banana"),
    ("EDITOR", "code --wait"),
    ("HOSTNAME", "build-7f3a9c21"),
    ("PASSWORD_MIN_LENGTH", "00000012"),
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("PASSWORD_FILE", "/run/secrets/db_password"),
    ("TOKENIZERS_PARALLELISM", "notallowed7"),
];
const PLACES: &[&str] = &[
    "{x}",
    "the run printed {x} and stopped",
    "{w} {x}.",
    "({x})",
    "\"{x}\"",
    "{t} DEBUG {s} got {x} from {h}",
    "https://{h}/{x}/hook",
    "{w}{x}{w}",
    "{w}-{x}-{w}",
    "{w}={x}&{w}={d}",
    "第{x}号",
    "{\"{w}\":[\"{x}\"]}",
    "line\n{x}\nline",
    "- {w}: {x}\n- {w}: {d}",
    "assert_eq!(left, \"{x}\"); // {w}",
];

/// An environment, and records to read in it.
pub(crate) struct Surroundings {
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) records: Vec<Record>,
    /// Texts with values that are not secrets.
    pub(crate) traps: Vec<Record>,
}

fn value(random: &mut Random) -> String {
    random.pattern(
        "[A-Za-z0-9]{6,14}[0-9][a-z]|[0-9a-f]{32}|[A-Za-z0-9+/]{30,40}=|[A-Za-z][A-Za-z0-9!@#%^*_+~-]{7,15}[0-9]|\
         [A-Za-z0-9_-]{16,40}[0-9]",
    )
}

/// Environments for this many records in all; several records share one.
pub(crate) fn surroundings(random: &mut Random, count: usize) -> Vec<Surroundings> {
    const SHARED_BY: usize = 40;
    let one = |_| {
        let mut variables = Vec::new();
        let mut records = Vec::new();
        for _ in 0..4 {
            let name = random.pick(NAMES);
            let value = value(random);
            for _ in 0..SHARED_BY / 4 {
                let place = random.pick(PLACES);
                let text = random.fill(place, |_, _| secret(&value));
                records.push(Record::new(&[&format!("name: {name}"), &format!("place: {place:?}")], text));
            }
            // A later value of the same name would replace it.
            variables.retain(|(other, _)| other != name);
            records.retain(|record| {
                let told = format!("name: {name}");
                record.kinds[0] != told || record.secrets[0] == value
            });
            variables.push((name.to_owned(), value));
        }
        let mut traps = Vec::new();
        for (name, value) in TRAPS {
            let place = random.pick(PLACES);
            let text = random.fill(place, |_, _| (*value).to_owned());
            traps.push(Record::new(&[&format!("trap: {name}")], text));
            if !variables.iter().any(|(other, _)| other == name) {
                variables.push(((*name).to_owned(), (*value).to_owned()));
            }
        }
        Surroundings { variables, records, traps }
    };
    (0..count.div_ceil(SHARED_BY)).map(one).collect()
}
