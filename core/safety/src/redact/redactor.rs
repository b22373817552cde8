//! The redactor: runs every rule, merges overlapping findings, and replaces each by its placeholder.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::detect::keyed;
use crate::detect::user_rules::{Pattern, UserRules};
use crate::error::Result;
use crate::mark::found::{Finding, Found, is_disjoint, merge, replace, tagged};
use crate::mark::tag::{self, Key, KeySource, ProcessKey, ReadOnlyKeys};
use crate::redact::allowance::{Allowance, Allowances, Field};
use crate::redact::search::Search;
use crate::rules::general;
use crate::rules::{self, Rule, RuleKind};
use crate::text::blocks::{BLOCK, Walk, block};
use crate::text::bytes::{is_of_run, run_end, slice};
use crate::text::invisible;

/// Finds and redacts secrets. Cheap to clone. Its `Debug` shows how many patterns and values it has, and none of them.
#[derive(Clone)]
pub struct Redactor {
    user_rules: Vec<Arc<UserRules>>,
    keys: Arc<dyn KeySource>,
    /// False positives of rules.
    allowances: Allowances,
}

impl Redactor {
    /// A redactor with the user's `patterns` (regular expressions) and the process's `environment`, of which only the
    /// values of variables with matching names are kept. Its tags use a key private to this process.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) if a pattern does not compile or is too large. The error gives the
    /// pattern's place and not its text, which may itself be a secret.
    pub fn new(patterns: &[String], environment: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let patterns = Pattern::unnamed("memory.redactionPatterns", patterns);
        Redactor::with(patterns, environment, Arc::new(ProcessKey))
    }

    /// A redactor with these patterns, this environment, and tags made with these keys.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(
        patterns: Vec<Pattern>,
        environment: impl IntoIterator<Item = (String, String)>,
        keys: Arc<dyn KeySource>,
    ) -> Result<Self> {
        Ok(Redactor {
            user_rules: vec![UserRules::new(patterns, environment)?],
            keys,
            allowances: Allowances::default(),
        })
    }

    /// This redactor with more patterns.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn and(&self, patterns: Vec<Pattern>) -> Result<Self> {
        let mut more = self.clone();
        if !patterns.is_empty() {
            more.user_rules.push(UserRules::new(patterns, [])?);
        }
        Ok(more)
    }

    /// This redactor with other keys for tags.
    pub fn with_keys(&self, keys: Arc<dyn KeySource>) -> Self {
        Redactor { keys, ..self.clone() }
    }

    /// This redactor for a dry run: nothing is written for its tags. They use the persistent key if it already exists,
    /// and a temporary one otherwise.
    #[must_use]
    pub fn for_dry_run(&self) -> Self {
        self.with_keys(Arc::new(ReadOnlyKeys(Arc::clone(&self.keys))))
    }

    /// This redactor with more of what is no secret. [Check](Allowance::check) them first.
    #[must_use]
    pub fn allowing(&self, allowances: &[Allowance]) -> Self {
        Redactor { allowances: self.allowances.and(allowances), ..self.clone() }
    }

    /// This redactor without what is no secret.
    #[must_use]
    pub fn allowing_nothing(&self) -> Self {
        Redactor { allowances: Allowances::default(), ..self.clone() }
    }

    /// False positives of rules.
    pub fn allowances(&self) -> &[Allowance] {
        self.allowances.list()
    }

    /// All rules: the built-in ones, then the user's own.
    pub fn rules(&self) -> Vec<Rule> {
        let user_rules = self.user_rules.iter().flat_map(|set| set.patterns()).map(|pattern| Rule {
            id: pattern.id.clone().into(),
            description: pattern.description.clone().into(),
            kind: RuleKind::Custom,
        });
        rules::built_in().chain(user_rules).collect()
    }

    /// `text` with every secret replaced by `[REDACTED:rule:tag]`; borrowed if there is none.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.replaced(text, self.find_bytes(text.as_bytes()), |keys| keys.persistent()).0
    }

    /// As [`redact`](Self::redact), together with the secrets, whose places are those in `text`.
    pub fn redact_found<'t>(&self, text: &'t str) -> (Cow<'t, str>, Vec<Finding<'_>>) {
        self.replaced(text, self.find_bytes(text.as_bytes()), |keys| keys.persistent())
    }

    /// A part of `text`, redacted as a part of the whole: a secret that is only partly in it is replaced too. Its ends are moved
    /// to the next boundaries of characters within it.
    pub fn redact_part(&self, text: &str, part: Range<usize>) -> String {
        let part = text.ceil_char_boundary(part.start)..text.floor_char_boundary(part.end);
        let (mut out, mut at) = (String::new(), part.start);
        let (_, found) = self.redact_found(text);
        let within = found.iter().filter(|it| it.place.end > part.start && it.place.start < part.end);
        for finding in within {
            out.push_str(text.get(at..finding.place.start).unwrap_or_default());
            out.push_str(&finding.placeholder());
            at = finding.place.end;
        }
        out + text.get(at..part.end).unwrap_or_default()
    }

    /// As [`redact_found`](Self::redact_found), for the value of the field with this path.
    pub fn redact_field<'t>(&self, path: &str, text: &'t str) -> (Cow<'t, str>, Vec<Finding<'_>>) {
        let field = Field { key: None, path: &|| path.to_owned() };
        self.replaced(text, self.find_allowing(text.as_bytes(), Some(&field)), |keys| keys.persistent())
    }

    /// As [`redact`](Self::redact), for text that is reported and not stored: an error or a line of a log. The tags use
    /// the home's key only if it already exists.
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.replaced(text, self.find_bytes(text.as_bytes()), |keys| keys.ephemeral()).0
    }

    /// The secrets in the value of a field of a record.
    pub(crate) fn find_under(&self, field: &Field<'_>, text: &str) -> Vec<Found<'_>> {
        let secret = field.key.and_then(|key| keyed::secret_under(key, text));
        let secret = secret.filter(|_| !tag::is_placeholder(text.as_bytes()));
        let mut others = self.find_allowing(text.as_bytes(), Some(field));
        let Some(place) = secret else { return others };
        let is_whole = place == (0..text.len());
        let found = self.search().merged(text.as_bytes(), vec![Found::new(general::KEYED_VALUE, place)], Some(field));
        match found.first() {
            Some(_) if is_whole => found,
            Some(first) => {
                // The words after it may have others.
                others.retain(|other| is_disjoint(&other.place, std::slice::from_ref(&first.place)));
                let mut found = found;
                found.extend(others);
                found.sort_by_key(|found| found.place.start);
                found
            }
            None => others,
        }
    }

    /// The findings of one pass over a record's JSON without the middles of long strings, in order. Its strings are
    /// also searched one by one.
    pub(crate) fn find_in_json(&self, json: &str) -> Vec<Found<'_>> {
        let found = self.search().detect_in_json(json.as_bytes());
        let found = self.search().merged(json.as_bytes(), found, None);
        let holes = tag::placeholders(json.as_bytes());
        found.into_iter().filter(|found| is_disjoint(&found.place, &holes)).collect()
    }

    /// As [`find_under`](Self::find_under), together with what `in_context` returns: findings in the whole record that
    /// overlap this text. Its argument says whether the text itself has any findings.
    pub(crate) fn find_in_field<'r>(
        &'r self,
        field: &Field<'_>,
        text: &str,
        in_context: impl FnOnce(bool) -> Vec<Found<'r>>,
    ) -> Vec<Found<'r>> {
        let mut found = self.find_under(field, text);
        let mut in_context = in_context(!found.is_empty());
        self.allowances.drop_from(&mut in_context, text.as_bytes(), Some(field));
        self.allowances.drop_values_from(&mut in_context, text.as_bytes(), Some(field), &*self.keys);
        if in_context.is_empty() || tag::is_placeholder(text.as_bytes()) {
            return found;
        }
        found.extend(in_context);
        merge(text.as_bytes(), found)
    }

    /// `text` with what was found in it replaced by placeholders, and the findings with their tags.
    pub(crate) fn replaced<'t, 'r>(
        &self,
        text: &'t str,
        found: Vec<Found<'r>>,
        key: fn(&dyn KeySource) -> Key,
    ) -> (Cow<'t, str>, Vec<Finding<'r>>) {
        if found.is_empty() {
            return (Cow::Borrowed(text), Vec::new());
        }
        let found = tagged(text.as_bytes(), found, &key(&*self.keys));
        let mut out = Vec::with_capacity(text.len());
        replace(text.as_bytes(), &found, &mut out);
        // Findings start and end at character boundaries, so this is valid UTF-8.
        let out = String::from_utf8(out).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned());
        (Cow::Owned(out), found)
    }

    /// All secrets in `text`, which need not be UTF-8, in order and without overlaps.
    pub fn find<T: AsRef<[u8]> + ?Sized>(&self, text: &T) -> Vec<Finding<'_>> {
        let text = text.as_ref();
        let found = self.find_bytes(text);
        if found.is_empty() { Vec::new() } else { tagged(text, found, &self.keys.persistent()) }
    }

    pub(super) fn search(&self) -> Search<'_> {
        Search { user_rules: &self.user_rules, allowances: &self.allowances, keys: &*self.keys }
    }

    pub(crate) fn find_bytes(&self, text: &[u8]) -> Vec<Found<'_>> {
        self.find_allowing(text, None)
    }

    /// As [`find_bytes`](Self::find_bytes), for the value of `field` if it is in a record.
    fn find_allowing(&self, text: &[u8], field: Option<&Field<'_>>) -> Vec<Found<'_>> {
        let mut all = Vec::new();
        let mut walk = Walk::default();
        while let Some(found) = self.step(text, &mut walk, true, field) {
            all.extend(found);
        }
        all
    }

    /// Redacts the next block of a stream, of which `text` is known so far; `false` if more is needed.
    pub(crate) fn write_step<'r>(
        &'r self,
        text: &[u8],
        walk: &mut Walk<'r>,
        is_whole: bool,
        out: &mut Vec<u8>,
    ) -> bool {
        let start = walk.at;
        let Some(found) = self.step(text, walk, is_whole, None) else { return false };
        self.write(text, start..walk.at, found, out);
        true
    }

    /// Appends a part of `text` to `out`, with what was found in it replaced.
    pub(super) fn write(&self, text: &[u8], part: Range<usize>, found: Vec<Found<'_>>, out: &mut Vec<u8>) {
        let start = part.start;
        let part = slice(text, part);
        if found.is_empty() {
            out.extend_from_slice(part);
        } else {
            let found = found.into_iter().map(|found| found.shifted_back_by(start)).collect();
            replace(part, &tagged(part, found, &self.keys.persistent()), out);
        }
    }

    /// How many bytes at the end of `text` are the beginning of an environment value.
    pub(super) fn begun_value(&self, text: &[u8]) -> usize {
        self.user_rules.iter().map(|set| set.begun_value(text)).max().unwrap_or_default()
    }

    /// The secrets that start in the next block of `text`, in order and without overlaps; `None` if the text is done,
    /// or more of it is needed.
    fn step<'r>(
        &'r self,
        text: &[u8],
        walk: &mut Walk<'r>,
        is_whole: bool,
        field: Option<&Field<'_>>,
    ) -> Option<Vec<Found<'r>>> {
        let block = match block(text, walk.at, is_whole) {
            Ok(block) => block,
            Err(needed) => {
                walk.needed = needed;
                return None;
            }
        };
        let start = walk.at;
        if let Some(found) = continued(text, walk) {
            return Some(vec![found]);
        }
        let mut found = self.find_from(text, start, block.window.clone(), field);
        found.retain(|found| found.place.start < block.end);
        let last = found.last();
        walk.at = last.map_or(block.end, |last| last.place.end.max(block.end));
        let reaches = |found: &Found<'_>| invisible::run_end(text, found.place.end) >= block.window.end;
        walk.open = last.filter(|last| !block.is_last && reaches(last)).map(|last| last.rule);
        Some(found)
    }

    /// The secrets of a window, in order and without overlaps; only what is at or after `start`.
    pub(super) fn find_from(
        &self,
        text: &[u8],
        start: usize,
        window: Range<usize>,
        field: Option<&Field<'_>>,
    ) -> Vec<Found<'_>> {
        let seen = self.search().find_in_window(slice(text, window.clone()), field).into_iter();
        let mut found: Vec<_> = seen.map(|found| found.shifted_by(window.start)).collect();
        for found in found.iter_mut().filter(|found| found.place.start < start) {
            found.place.start = start;
            found.secret = None;
        }
        found.retain(|found| !found.place.is_empty());
        found
    }
}

/// The next part of the secret that reached the end of the last window, if it continues. An unbounded secret becomes
/// several findings, so that it need not be held as a whole.
pub(super) fn continued<'r>(text: &[u8], walk: &mut Walk<'r>) -> Option<Found<'r>> {
    let rule = walk.open.take()?;
    let start = walk.at;
    let end = unbounded_end(text, start);
    if end == start {
        return None;
    }
    walk.at = end;
    walk.open = (end >= start + BLOCK).then_some(rule);
    Some(Found::new(rule, start..end))
}

/// The end of the part of an unbounded secret that starts at `start`, at most a block long.
fn unbounded_end(text: &[u8], start: usize) -> usize {
    let (mut end, most) = (start, start + BLOCK);
    loop {
        let visible = invisible::run_end(text, end);
        let next = run_end(text, visible, most.saturating_sub(visible), is_of_run);
        if next == visible {
            return end;
        }
        end = next;
    }
}

impl Default for Redactor {
    /// The built-in rules alone, with tags private to this process.
    fn default() -> Self {
        Redactor { user_rules: Vec::new(), keys: Arc::new(ProcessKey), allowances: Allowances::default() }
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("patterns", &self.user_rules.iter().map(|set| set.patterns().count()).sum::<usize>())
            .field("environment", &self.user_rules.iter().map(|set| set.value_count()).sum::<usize>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::mark::tag::without_tags;

    fn redactor() -> Redactor {
        Redactor::new(&[], []).unwrap()
    }

    fn redacted(redactor: &Redactor, text: &str) -> String {
        without_tags(&redactor.redact(text))
    }

    /// Secrets are assembled at run time, so that secret scanners ignore this file.
    fn pat() -> String {
        format!("ghp_{}", "a1B2".repeat(9))
    }

    #[test]
    fn tokens_are_redacted_and_the_surrounding_text_stays() {
        for (text, expected) in [
            (format!("use {}, then push.", pat()), "use [REDACTED:github-pat], then push."),
            (format!("({})", pat()), "([REDACTED:github-pat])"),
            (format!("`AKIA{}`", "Q7ZK".repeat(4)), "`[REDACTED:aws-access-key]`"),
            // In a path, a URL or the name of a branch; in base64 it is a coincidence.
            (format!("s3://b/AKIA{}/k", "Q7ZK".repeat(4)), "s3://b/[REDACTED:aws-access-key]/k"),
            (format!("feat/AKIA{}", "Q7ZK".repeat(4)), "feat/[REDACTED:aws-access-key]"),
            (format!("a+AKIA{}", "Q7ZK".repeat(4)), "a+[REDACTED:aws-access-key]"),
            (format!("a sk-ant-{}.", "x9_Y".repeat(8)), "a [REDACTED:anthropic-key]."),
            (format!("AKIA{}{}", "Q7ZK".repeat(4), pat()), "[REDACTED:aws-access-key][REDACTED:github-pat]"),
        ] {
            assert_eq!(redacted(&redactor(), &text), expected);
        }
    }

    #[test]
    fn a_private_key_is_redacted_from_its_first_line_to_its_last() {
        let armoured = |kind: &str, body: &str| format!("-----BEGIN {kind} KEY-----\n{body}\n-----END {kind} KEY-----");
        let (private, body) = (["RSA PRIV", "ATE"].concat(), "MIIEvQ8z".repeat(8));
        let key = armoured(&private, &format!("{body}\n{body}\nQ8zMIIEv="));
        assert_eq!(redacted(&redactor(), &format!("key:\n{key}\nend")), "key:\n[REDACTED:private-key]\nend");
        // Truncated in its second line.
        assert_eq!(redacted(&redactor(), &key[..120]), "[REDACTED:private-key]");
        // A public key, and code that only names the lines around one.
        for text in [armoured("PUBLIC", &body), armoured(&private, "{body}")] {
            assert_eq!(redactor().redact(&text), text);
        }
    }

    #[test]
    fn the_value_of_a_secrets_name_is_redacted() {
        for (text, expected) in [
            ("DB_PASSWORD=hunter22 make", "DB_PASSWORD=[REDACTED:keyed-value] make"),
            ("export API_KEY=\"zq81-ppL0\"", "export API_KEY=\"[REDACTED:keyed-value]\""),
            (r#"{"clientSecret": "9fj2k1Lq"}"#, r#"{"clientSecret": "[REDACTED:keyed-value]"}"#),
            ("postgres://app:s3cr3t@db/x", "postgres://app:[REDACTED:url-password]@db/x"),
            ("Authorization: Bearer a8f7s6d5f4g3h2", "Authorization: Bearer [REDACTED:authorization]"),
            ("DBPassword=hunter22", "DBPassword=[REDACTED:keyed-value]"),
            ("APIToken: q8w9e7r6", "APIToken: [REDACTED:keyed-value]"),
            ("client_secrets=q8w9e7r6", "client_secrets=[REDACTED:keyed-value]"),
            (
                "AWS_SECRET_ACCESS_KEY=/bK7nDe/xRfiC/9wJalrXUtn/8zLq3Vt5hGdPs2M",
                "AWS_SECRET_ACCESS_KEY=[REDACTED:keyed-value]",
            ),
            ("DB_PASSWORD=$ecr3t-77", "DB_PASSWORD=[REDACTED:keyed-value]"),
            ("PASSWORD=пароль77", "PASSWORD=[REDACTED:keyed-value]"),
            ("PASSWORD=abc123,rest4567", "PASSWORD=[REDACTED:keyed-value]"),
            ("password=abc123,user=bob", "password=[REDACTED:keyed-value],user=bob"),
            ("{password: abc123, user: bob}", "{password: [REDACTED:keyed-value], user: bob}"),
            ("postgres://app:s3/cr3t9@db/x", "postgres://app:[REDACTED:url-password]@db/x"),
            (r"done\ntoken=q8w9e7r6\nend", r"done\ntoken=[REDACTED:keyed-value]\nend"),
        ] {
            assert_eq!(redacted(&redactor(), text), expected);
        }
    }

    #[test]
    fn text_that_only_looks_like_a_secret_stays() {
        for text in [
            "PASSWORD_MIN_LENGTH=12345678",
            "private_key_path: /etc/ssl/key1.pem",
            "token: &CancellationToken",
            "let token = self.token.clone();",
            "TOKEN_TTL=86400",
            "API_KEY=${API_KEY_1}",
            "password: <your password here>",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "id 0192f3a4-7b1c-7def-8123-456789abcdef",
            "https://git@github.com/owner/repo",
            "monkey=banana12, public_key: abc12345",
            "secretName=tls-cert-2, tokenStorage: disk-v2a",
            "max_tokens=4096 tokens: in12k3 out45k6",
            "TOKEN=$CI_JOB_TOKEN-v2 TOKEN=%TOKEN_2%",
            "SIGNING_KEY=/Users/alice/Work2/keys/Prod3/signing",
            "http://localhost:8080/x1@y http://a:1,http://b:2/x3@y",
        ] {
            assert_eq!(redactor().redact(text), text);
        }
    }

    #[test]
    fn values_of_matching_environment_variables_are_redacted_anywhere() {
        let environment = [("SERVICE_TOKEN", "qW3-rT5-yU7"), ("EDITOR", "vim-9.1-huge"), ("TOKEN_TTL", "86400000")];
        let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
        assert_eq!(
            redacted(&redactor, "got qW3-rT5-yU7 from vim-9.1-huge 86400000"),
            "got [REDACTED:environment-value] from vim-9.1-huge 86400000"
        );
    }

    #[test]
    fn a_short_environment_value_is_redacted_whole_beside_a_match_of_the_users_pattern() {
        let environment = [("DB_PASSWORD".to_owned(), "hunter22x9".to_owned())];
        let plain = Redactor::new(&[], environment.clone()).unwrap();
        // The environment and the patterns may be in one set of rules, or in two.
        let both = Redactor::new(&["unte".to_owned()], environment).unwrap();
        for redactor in [&both, &plain.and(Pattern::unnamed("patterns", &["unte".to_owned()])).unwrap()] {
            let text = redactor.redact("hunter22x9");
            assert!(text.starts_with("[REDACTED:") && text.ends_with(']') && !text.contains("22x9"), "{text}");
            let (sealed, _) = redactor.seal(&serde_json::json!({ "a": "hunter22x9" }), &["a"]).unwrap();
            assert!(!sealed.get("a").unwrap().get().contains("22x9"), "{:?}", sealed.get("a"));
        }
    }

    /// Counts how often a key was asked for that is written.
    #[derive(Debug)]
    struct CountedKeys(Key, AtomicUsize);

    impl KeySource for CountedKeys {
        fn persistent(&self) -> Key {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.clone()
        }

        fn ephemeral(&self) -> Key {
            self.0.clone()
        }
    }

    #[test]
    fn a_dry_run_gives_the_same_tags_and_asks_for_no_key_that_is_written() {
        let keys = Arc::new(CountedKeys(Key::random(), AtomicUsize::new(0)));
        let redactor = Redactor::default().with_keys(Arc::<CountedKeys>::clone(&keys));
        let dry_run = redactor.for_dry_run();
        let (text, found) = dry_run.redact_found("DB_PASSWORD=hunter22");
        let record = serde_json::json!({ "password": "hunter22" });
        let sealed = |redactor: &Redactor| serde_json::to_string(&redactor.seal(&record, &[]).unwrap().0).unwrap();
        let dry = sealed(&dry_run);
        assert_eq!(keys.1.load(Ordering::Relaxed), 0);
        assert_eq!((text, found.len()), (redactor.redact("DB_PASSWORD=hunter22"), 1));
        assert_eq!(dry, sealed(&redactor));
        assert_eq!(keys.1.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn an_environment_value_that_starts_like_another_is_redacted_whole() {
        let environment = [("A_TOKEN", "abcd1234"), ("B_TOKEN", "abcd1234-efgh5678ijkl"), ("C_TOKEN", "5678ijkl-mnop")];
        let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
        for text in ["abcd1234", "abcd1234-efgh5678ijkl", "abcd1234-efgh5678ijkl-mnop"] {
            assert_eq!(redacted(&redactor, text), "[REDACTED:environment-value]", "{text}");
        }
    }

    #[test]
    fn a_random_looking_environment_value_with_slashes_is_not_a_path() {
        let environment = [
            ("AWS_SECRET_ACCESS_KEY", "/bK7nDe/xRfiC/9wJalrXUtn/8zLq3Vt5hGdPs2M"),
            ("SIGNING_KEY", "/Users/alice/Work2/keys/Prod3/signing"),
        ];
        let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
        assert_eq!(redacted(&redactor, environment[0].1), "[REDACTED:environment-value]");
        assert_eq!(redactor.redact(environment[1].1), environment[1].1);
    }

    #[test]
    fn a_token_after_an_escape_is_redacted() {
        for escape in [r"\n", r"\t", r"\r"] {
            let text = format!(r#"{{"stdout":"done{escape}{}"}}"#, pat());
            let expected = format!(r#"{{"stdout":"done{escape}[REDACTED:github-pat]"}}"#);
            assert_eq!(redacted(&redactor(), &text), expected);
        }
    }

    #[test]
    fn a_finding_is_extended_to_whole_characters_only() {
        let redactor = Redactor::new(&[r"(?-u)CORP\xc3?".to_owned()], []).unwrap();
        for (text, expected) in [
            ("CORPé".as_bytes(), 0..6),
            (b"\x80CORP\x80\x80", 1..5),
            ("éCORPx".as_bytes(), 2..6),
            ("日CORP日".as_bytes(), 3..7),
        ] {
            let found: Vec<_> = redactor.find(text).into_iter().map(|it| it.place).collect();
            assert_eq!(found, vec![expected], "{text:?}");
        }
    }

    #[test]
    fn debug_shows_neither_the_environment_nor_the_patterns() {
        let environment = [("SERVICE_TOKEN".to_owned(), "qW3-rT5-yU7".to_owned())];
        let redactor = Redactor::new(&["CORP-[0-9]{4}".to_owned()], environment).unwrap();
        assert!(redactor.find("qW3-rT5-yU7").len() == 1);
        assert_eq!(format!("{redactor:?}"), "Redactor { patterns: 1, environment: 1, .. }");
    }

    #[test]
    fn the_users_patterns_apply_and_errors_name_their_place() {
        let redactor = Redactor::new(&["CORP-[0-9]{4}".to_owned()], []).unwrap();
        assert_eq!(redacted(&redactor, "see CORP-1234"), "see [REDACTED:custom-pattern]");
        for (bad, fault) in [("(hunter22", "is not a valid regular expression"), ("(hunter22){99999}", "is too large")]
        {
            let error = Redactor::new(&["fine".to_owned(), bad.to_owned()], []).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(error.message().starts_with(&format!("memory.redactionPatterns[1] {fault}")), "{error}");
            assert!(!format!("{error:?}").contains("hunter22"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn redacting_twice_changes_nothing(text in "(?s)([a-z_]{0,9}(key|token|password)?[=: \"]{0,2}|ghp_[A-Za-z0-9\u{200b}\u{e0041}]{28,60}|https?://[a-z]{1,5}:[a-z0-9]{1,9}@h|[é\u{fe0f}\u{ad}\n]{1,3}|.{0,12}){0,8}") {
            let redactor = Redactor::new(&["[0-9]{5}".to_owned()], []).unwrap();
            let once = redactor.redact(&text).into_owned();
            prop_assert_eq!(redactor.redact(&once), once.as_str());
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            redactor().redact(&text);
            redactor().quote(&text);
        }
    }
}
