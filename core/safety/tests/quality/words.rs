//! The words around a secret: names, hosts, users and dates, and filling templates with them.

use crate::random::Random;

pub(crate) const WORDS: &[&str] = &[
    "amber", "anchor", "apple", "arrow", "autumn", "badger", "basket", "beacon", "bottle", "breeze", "bridge",
    "butter", "candle", "canyon", "carbon", "castle", "cedar", "cherry", "circle", "clover", "cobalt", "copper",
    "coral", "cotton", "crystal", "desert", "dolphin", "dragon", "eagle", "ember", "falcon", "feather", "forest",
    "galaxy", "garden", "ginger", "glacier", "granite", "hammer", "harbor", "horse", "island", "ivory", "jungle",
    "kettle", "ladder", "lantern", "lemon", "magnet", "maple", "marble", "meadow", "mirror", "monkey", "mountain",
    "needle", "ocean", "orange", "orchid", "otter", "paper", "pebble", "pepper", "pirate", "planet", "pocket",
    "prairie", "purple", "quartz", "rabbit", "raven", "ribbon", "river", "rocket", "saddle", "salmon", "shadow",
    "silver", "spider", "spring", "staple", "summer", "sunset", "tiger", "timber", "tunnel", "turtle", "valley",
    "velvet", "violet", "walnut", "willow", "window", "winter", "wizard", "zebra",
];
pub(crate) const SERVICES: &[&str] = &[
    "billing",
    "checkout",
    "search",
    "orders",
    "gateway",
    "reports",
    "mailer",
    "ingest",
    "inventory",
    "catalog",
    "worker",
    "scheduler",
    "frontend",
    "backend",
    "analytics",
    "payments",
    "accounts",
    "dashboard",
    "indexer",
    "notifier",
];
const USERS: &[&str] =
    &["admin", "root", "deploy", "alice", "bob", "svc_app", "postgres", "jenkins", "app", "readonly"];
const STAGES: &[&str] = &["staging", "production", "dev", "qa", "sandbox", "prod", "test"];
const DOMAINS: &[&str] =
    &["example.com", "internal.example.org", "corp.example.net", "example.io", "svc.cluster.local"];
const EXTENSIONS: &[&str] = &["rs", "py", "ts", "go", "java", "md", "yaml", "json", "toml", "log"];

impl Random {
    pub(crate) fn word(&mut self) -> &'static str {
        self.pick(WORDS)
    }

    pub(crate) fn host(&mut self) -> String {
        match self.below(5) {
            0 => "localhost".to_owned(),
            1 => self.pattern("10\\.[1-9][0-9]\\.[1-9][0-9]{0,1}\\.[1-9]{1,2}"),
            _ => format!("{}.{}", self.pick(SERVICES), self.pick(DOMAINS)),
        }
    }

    pub(crate) fn time(&mut self) -> String {
        let date = self.pattern("202[3-6]-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])");
        let time = self.pattern("([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]");
        match self.below(3) {
            0 => format!("{date} {time},{:03}", self.below(1000)),
            1 => format!("{date}T{time}.{:03}Z", self.below(1000)),
            _ => format!("{date}T{time}Z"),
        }
    }

    /// The template with every slot filled: `{w}` a word, `{s}` a service, `{u}` a user, `{e}` a stage, `{h}` a host,
    /// `{t}` a time, `{d}` a number, `{f}` a file path; other letters belong to the caller.
    pub(crate) fn fill(&mut self, template: &str, mut own: impl FnMut(&mut Self, char) -> String) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            let slot = match rest.as_bytes() {
                [b'{', slot @ b'a'..=b'z', b'}', ..] => char::from(*slot),
                _ => {
                    text.push('{');
                    rest = &rest[1..];
                    continue;
                }
            };
            rest = &rest[3..];
            text.push_str(&match slot {
                'w' => self.word().to_owned(),
                's' => self.pick(SERVICES).to_owned(),
                'u' => self.pick(USERS).to_owned(),
                'e' => self.pick(STAGES).to_owned(),
                'h' => self.host(),
                't' => self.time(),
                'd' => self.between(1..=9999).to_string(),
                'f' => format!("src/{}/{}.{}", self.pick(SERVICES), self.word(), self.pick(EXTENSIONS)),
                other => own(self, other),
            });
        }
        text + rest
    }

    /// The template with its common slots filled.
    pub(crate) fn filled(&mut self, template: &str) -> String {
        self.fill(template, |_, slot| format!("{{{slot}}}"))
    }
}

/// How the words of a name are joined.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Casing {
    Upper,
    Snake,
    Camel,
    Pascal,
    Kebab,
    Dotted,
    /// `X-Api-Key`.
    Header,
    /// `API key`, as in prose.
    Spaced,
}

impl Casing {
    pub(crate) fn join(self, words: &[&str]) -> String {
        let title = |word: &str| word[..1].to_uppercase() + &word[1..];
        match self {
            Casing::Upper => words.join("_").to_uppercase(),
            Casing::Snake => words.join("_"),
            Casing::Kebab => words.join("-"),
            Casing::Dotted => words.join("."),
            Casing::Spaced => words.join(" "),
            Casing::Pascal => words.iter().map(|word| title(word)).collect(),
            Casing::Header => words.iter().map(|word| title(word)).collect::<Vec<_>>().join("-"),
            Casing::Camel => words[0].to_owned() + &words[1..].iter().map(|word| title(word)).collect::<String>(),
        }
    }
}
