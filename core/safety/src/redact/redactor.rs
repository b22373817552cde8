//! The redactor: every rule asked, overlapping findings merged, each replaced by its placeholder.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::detect::keyed;
use crate::detect::own::{Own, Pattern};
use crate::detect::{Views, detect};
use crate::error::{Error, Result};
use crate::mark::found::{Found, edges, gaps, in_order, is_free, merge, replace};
use crate::mark::tag::{self, Key, KeySource, ProcessKey};
use crate::rules::general;
use crate::rules::{self, Rule, RuleKind};
use crate::text::blocks::{BLOCK, Walk, block, visible_end};
use crate::text::bytes::{is_of_run, run_end, slice};
use crate::text::invisible;
use crate::trusted::Admitted;

/// How much of a text an error may show, in characters.
const SHOWN_CHARS: usize = 80;
/// The longest id, in bytes.
const MAX_ID_BYTES: usize = 256;
/// How often what stands around findings is looked at again, in lengths of the block: where a secret is gone, what was
/// glued to it begins a word.
const LOOKS: usize = 16;
/// A shorter piece between two findings hides nothing.
const LEAST_PIECE: usize = 8;

/// A secret's place in a text, in UTF-8 bytes, the rule that found it, and its tag. Never its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<'r> {
    /// The rule's id, such as `github-pat`.
    pub rule: &'r str,
    /// Where the secret stands, in UTF-8 bytes.
    pub place: Range<usize>,
    /// Ten hex digits by which equal secrets look equal.
    pub tag: String,
}

impl Finding<'_> {
    /// What stands in the secret's place once it is redacted.
    pub fn placeholder(&self) -> String {
        tag::placeholder(self.rule, &self.tag)
    }
}

/// Finds secrets and takes them out. Cheap to clone. Its `Debug` tells how many it knows and none of them.
#[derive(Clone)]
pub struct Redactor {
    own: Vec<Arc<Own>>,
    keys: Arc<dyn KeySource>,
}

impl Redactor {
    /// A redactor with the user's `patterns` (regular expressions) and the process's `environment`, of which only the
    /// values of variables whose names match are kept. Its tags are those of this process.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) telling the place of the pattern that does not compile or is too large; what the pattern says
    /// may itself be what is to stay unknown.
    pub fn new(patterns: &[String], environment: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let patterns = Pattern::unnamed("memory.redactionPatterns", patterns);
        Redactor::with(patterns, environment, Arc::new(ProcessKey))
    }

    /// A redactor with these patterns, this environment, and tags by these keys.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(
        patterns: Vec<Pattern>,
        environment: impl IntoIterator<Item = (String, String)>,
        keys: Arc<dyn KeySource>,
    ) -> Result<Self> {
        Ok(Redactor { own: vec![Own::of(patterns, environment)?], keys })
    }

    /// This redactor, with more patterns.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn and(&self, patterns: Vec<Pattern>) -> Result<Self> {
        let mut more = self.clone();
        if !patterns.is_empty() {
            more.own.push(Own::of(patterns, [])?);
        }
        Ok(more)
    }

    /// This redactor, with tags by other keys.
    pub fn with_keys(&self, keys: Arc<dyn KeySource>) -> Self {
        Redactor { own: self.own.clone(), keys }
    }

    /// Every rule: the built-in ones, then the user's own.
    pub fn rules(&self) -> Vec<Rule> {
        let own = self.own.iter().flat_map(|own| own.patterns()).map(|pattern| Rule {
            id: pattern.id.clone().into(),
            description: pattern.description.clone().into(),
            kind: RuleKind::Custom,
        });
        rules::built_in().chain(own).collect()
    }

    /// `text` with every secret replaced by `[REDACTED:rule:tag]`; borrowed when there is none.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redact_under(None, text)
    }

    /// As [`redact`](Self::redact), for bytes that need not be text.
    pub fn redact_bytes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let found = self.find_bytes(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = Vec::with_capacity(text.len());
        replace(text, &found, &self.keys.lasting(), &mut out);
        Cow::Owned(out)
    }

    /// As [`redact`](Self::redact), for what is told and not kept: an error, a line of a log. The tags are those of the
    /// home only if it has a key already.
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.replaced(text, &self.find_bytes(text.as_bytes()), |keys| keys.passing())
    }

    /// As [`redact`](Self::redact), for a text that stands under the key `key` of a record.
    pub(crate) fn redact_under<'t>(&self, key: Option<&str>, text: &'t str) -> Cow<'t, str> {
        self.replaced(text, &self.find_under(key, text), |keys| keys.lasting())
    }

    /// The secrets of a text that stands under the key `key` of a record.
    pub(crate) fn find_under(&self, key: Option<&str>, text: &str) -> Vec<Found<'_>> {
        let is_secret = key.is_some_and(|key| keyed::is_secret_under(key, text));
        match is_secret && !tag::is_placeholder(text.as_bytes()) {
            true => vec![Found::new(general::KEYED_VALUE, 0..text.len())],
            false => self.find_bytes(text.as_bytes()),
        }
    }

    /// What is found in a record's JSON at a glance, in order: its strings are looked at one by one besides.
    pub(crate) fn find_around(&self, json: &str) -> Vec<Found<'_>> {
        let mut found = Vec::new();
        detect(&self.own, json.as_bytes(), Views::None, &mut found);
        let found = if found.is_empty() { found } else { merge(json.as_bytes(), found) };
        let holes = tag::placeholders(json.as_bytes());
        found.into_iter().filter(|found| is_free(&found.place, &holes)).collect()
    }

    /// As [`find_under`](Self::find_under), with what was found `beside` it, where it stands in its record; it is told whether
    /// anything is found without that.
    pub(crate) fn find_beside<'r>(
        &'r self,
        key: Option<&str>,
        text: &str,
        beside: impl FnOnce(bool) -> Vec<Found<'r>>,
    ) -> Vec<Found<'r>> {
        let mut found = self.find_under(key, text);
        let beside = beside(!found.is_empty());
        if beside.is_empty() || tag::is_placeholder(text.as_bytes()) {
            return found;
        }
        found.extend(beside);
        merge(text.as_bytes(), found)
    }

    pub(crate) fn replaced<'t>(
        &self,
        text: &'t str,
        found: &[Found<'_>],
        key: fn(&dyn KeySource) -> Key,
    ) -> Cow<'t, str> {
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = Vec::with_capacity(text.len());
        replace(text.as_bytes(), found, &key(&*self.keys), &mut out);
        // Findings begin and end between characters, so that this is text.
        Cow::Owned(String::from_utf8(out).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned()))
    }

    /// Every secret in `text`, which may be bytes that are no text, in order and without overlaps.
    pub fn find<T: AsRef<[u8]> + ?Sized>(&self, text: &T) -> Vec<Finding<'_>> {
        let text = text.as_ref();
        let found = self.find_bytes(text);
        if found.is_empty() {
            return Vec::new();
        }
        let key = self.keys.lasting();
        let tag = |place: &Range<usize>| key.tag(text.get(place.clone()).unwrap_or_default());
        found.into_iter().map(|Found { rule, place }| Finding { rule, tag: tag(&place), place }).collect()
    }

    pub(crate) fn find_bytes(&self, text: &[u8]) -> Vec<Found<'_>> {
        let mut all = Vec::new();
        let mut walk = Walk::default();
        while let Some(found) = self.step(text, &mut walk, true) {
            all.extend(found);
        }
        all
    }

    /// Redacts the next block of a stream, of which `text` is known; `false` when more must be.
    pub(crate) fn write_step<'r>(
        &'r self,
        text: &[u8],
        walk: &mut Walk<'r>,
        is_whole: bool,
        out: &mut Vec<u8>,
    ) -> bool {
        let start = walk.at;
        let Some(found) = self.step(text, walk, is_whole) else { return false };
        let block = slice(text, start..walk.at);
        if found.is_empty() {
            out.extend_from_slice(block);
        } else {
            let found: Vec<_> = found.into_iter().map(|found| found.moved_back_by(start)).collect();
            replace(block, &found, &self.keys.lasting(), out);
        }
        true
    }

    /// The secrets that begin in the next block of `text`, in order and without overlaps; `None` when the text is done, or
    /// more of it must be known.
    fn step<'r>(&'r self, text: &[u8], walk: &mut Walk<'r>, is_whole: bool) -> Option<Vec<Found<'r>>> {
        let block = match block(text, walk.at, is_whole) {
            Ok(block) => block,
            Err(needed) => {
                walk.needed = needed;
                return None;
            }
        };
        let start = walk.at;
        if let Some(rule) = walk.open.take() {
            // A secret without an end is several: nobody holds all of it.
            let end = open_end(text, start);
            if end > start {
                walk.at = end;
                walk.open = (end >= start + BLOCK).then_some(rule);
                return Some(vec![Found::new(rule, start..end)]);
            }
        }
        let seen = self.find_in(slice(text, block.window.clone())).into_iter();
        let mut found: Vec<_> = seen.map(|found| found.moved_by(block.window.start)).collect();
        for found in &mut found {
            found.place.start = found.place.start.max(start);
        }
        found.retain(|found| found.place.start < block.end && !found.place.is_empty());
        let last = found.last();
        walk.at = last.map_or(block.end, |last| last.place.end.max(block.end));
        let reaches = |found: &Found<'_>| invisible::run_end(text, found.place.end) >= block.window.end;
        walk.open = last.filter(|last| !block.is_last && reaches(last)).map(|last| last.rule);
        Some(found)
    }

    /// The secrets of a text that is looked at as one, in order and without overlaps. What stands between two of them is
    /// looked at again by itself, until nothing more is found: so a text that was redacted is never redacted any further.
    fn find_in(&self, text: &[u8]) -> Vec<Found<'_>> {
        let holes = tag::placeholders(text);
        let mut all = Vec::new();
        // The user's patterns see the text whole, since they may say where it begins; what was redacted is not theirs.
        self.own.iter().for_each(|own| own.find_patterns(text, &mut all));
        all.retain(|found| is_free(&found.place, &holes));
        for gap in gaps(0..text.len(), holes.iter().cloned()) {
            let mut found = Vec::new();
            detect(&self.own, slice(text, gap.clone()), Views::WithPatterns, &mut found);
            all.extend(found.into_iter().map(|found| found.moved_by(gap.start)));
        }
        if all.is_empty() {
            return all;
        }
        let mut all = merge(text, all);
        let taken = in_order(all.iter().map(|found| found.place.clone()).chain(holes));
        let mut open: Vec<_> =
            gaps(0..text.len(), taken.into_iter()).into_iter().flat_map(|gap| edges(text, gap)).collect();
        let mut looks = text.len().saturating_mul(LOOKS);
        while let Some(gap) = open.pop() {
            let piece = slice(text, gap.clone());
            if piece.len() < LEAST_PIECE || looks < piece.len() {
                continue;
            }
            looks -= piece.len();
            let mut found = Vec::new();
            detect(&self.own, piece, Views::Plain, &mut found);
            if found.is_empty() {
                continue;
            }
            let found = merge(piece, found);
            let rests = gaps(0..piece.len(), found.iter().map(|found| found.place.clone()));
            let edges = rests.into_iter().flat_map(|rest| edges(piece, rest));
            open.extend(edges.map(|rest| rest.start + gap.start..rest.end + gap.start));
            all.extend(found.into_iter().map(|found| found.moved_by(gap.start)));
        }
        // Where two pieces met, both may have found the same.
        merge(text, all)
    }

    /// Refuses a text that must be stored as it is, such as an id, when it looks like a secret.
    ///
    /// # Errors
    /// [`Secret`](crate::ErrorKind::Secret) with the rule and the place, never the value.
    pub fn admit(&self, place: &str, text: &str) -> Result<()> {
        match self.find_bytes(text.as_bytes()).first() {
            None => Ok(()),
            Some(found) => {
                Err(Error::secret(format!("{place} looks like a secret (rule {}); use another {place}", found.rule)))
            }
        }
    }

    /// Refuses what cannot be an id, named `place` in the error. Only a caller's ids go through here: one that was
    /// generated is no secret, whatever a user's pattern matches.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) unless it is 1 to 256 bytes of text without control characters; as [`admit`](Self::admit).
    pub fn admit_id(&self, place: &str, text: &str) -> Result<Admitted> {
        if text.is_empty() || text.len() > MAX_ID_BYTES || text.chars().any(char::is_control) {
            return Err(Error::invalid(format!(
                "{place} must be 1 to {MAX_ID_BYTES} bytes of text without control characters"
            )));
        }
        self.admit(place, text)?;
        Ok(Admitted::new(text))
    }

    /// `text` fit for an error message: scrubbed, shortened and in quotes.
    pub fn quote(&self, text: &str) -> String {
        // A secret that this cut would break lies far behind what is shown.
        let mut cut = visible_end(text.as_bytes(), 4096);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let clean = self.scrub(&text[..cut]);
        match clean.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{:?}…", &clean[..end]),
            None => format!("{clean:?}"),
        }
    }
}

/// Behind what goes on at `start` of a secret that has no end, of which at most a block is taken.
fn open_end(text: &[u8], start: usize) -> usize {
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
    /// The built-in rules alone, with tags of this process.
    fn default() -> Self {
        Redactor { own: Vec::new(), keys: Arc::new(ProcessKey) }
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("patterns", &self.own.iter().map(|own| own.patterns().count()).sum::<usize>())
            .field("environment", &self.own.iter().map(|own| own.count_of_values()).sum::<usize>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::mark::tag::untagged;

    fn redactor() -> Redactor {
        Redactor::new(&[], []).unwrap()
    }

    fn redacted(redactor: &Redactor, text: &str) -> String {
        untagged(&redactor.redact(text))
    }

    /// Secrets are put together at run time, so that no scanner trips over this file.
    fn pat() -> String {
        format!("ghp_{}", "a1B2".repeat(9))
    }

    #[test]
    fn tokens_go_and_the_text_around_them_stays() {
        for (text, expected) in [
            (format!("use {}, then push.", pat()), "use [REDACTED:github-pat], then push."),
            (format!("({})", pat()), "([REDACTED:github-pat])"),
            (format!("`AKIA{}`", "Q7ZK".repeat(4)), "`[REDACTED:aws-access-key]`"),
            (format!("a sk-ant-{}.", "x9_Y".repeat(8)), "a [REDACTED:anthropic-key]."),
            (format!("AKIA{}{}", "Q7ZK".repeat(4), pat()), "[REDACTED:aws-access-key][REDACTED:github-pat]"),
        ] {
            assert_eq!(redacted(&redactor(), &text), expected);
        }
    }

    #[test]
    fn a_private_key_goes_from_its_first_line_to_its_last() {
        let armoured = |kind: &str, body: &str| format!("-----BEGIN {kind} KEY-----\n{body}\n-----END {kind} KEY-----");
        let (private, body) = (["RSA PRIV", "ATE"].concat(), "MIIEvQ8z".repeat(8));
        let key = armoured(&private, &format!("{body}\n{body}\nQ8zMIIEv="));
        assert_eq!(redacted(&redactor(), &format!("key:\n{key}\nend")), "key:\n[REDACTED:private-key]\nend");
        // Cut off within its second line.
        assert_eq!(redacted(&redactor(), &key[..120]), "[REDACTED:private-key]");
        // A public key, and code that names the lines around one.
        for text in [armoured("PUBLIC", &body), armoured(&private, "{body}")] {
            assert_eq!(redactor().redact(&text), text);
        }
    }

    #[test]
    fn a_value_under_a_secret_name_goes() {
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
    fn what_only_looks_like_a_secret_stays() {
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
    fn values_of_matching_environment_variables_go_wherever_they_stand() {
        let environment = [("SERVICE_TOKEN", "qW3-rT5-yU7"), ("EDITOR", "vim-9.1-huge"), ("TOKEN_TTL", "86400000")];
        let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
        assert_eq!(
            redacted(&redactor, "got qW3-rT5-yU7 from vim-9.1-huge 86400000"),
            "got [REDACTED:environment-value] from vim-9.1-huge 86400000"
        );
    }

    #[test]
    fn an_environment_value_that_begins_as_another_does_goes_whole() {
        let environment = [("A_TOKEN", "abcd1234"), ("B_TOKEN", "abcd1234-efgh5678ijkl"), ("C_TOKEN", "5678ijkl-mnop")];
        let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
        for text in ["abcd1234", "abcd1234-efgh5678ijkl", "abcd1234-efgh5678ijkl-mnop"] {
            assert_eq!(redacted(&redactor, text), "[REDACTED:environment-value]", "{text}");
        }
    }

    #[test]
    fn an_environment_value_with_slashes_is_no_path_when_it_looks_random() {
        let environment = [
            ("AWS_SECRET_ACCESS_KEY", "/bK7nDe/xRfiC/9wJalrXUtn/8zLq3Vt5hGdPs2M"),
            ("SIGNING_KEY", "/Users/alice/Work2/keys/Prod3/signing"),
        ];
        let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
        assert_eq!(redacted(&redactor, environment[0].1), "[REDACTED:environment-value]");
        assert_eq!(redactor.redact(environment[1].1), environment[1].1);
    }

    #[test]
    fn a_token_behind_an_escape_goes() {
        for escape in [r"\n", r"\t", r"\r"] {
            let text = format!(r#"{{"stdout":"done{escape}{}"}}"#, pat());
            let expected = format!(r#"{{"stdout":"done{escape}[REDACTED:github-pat]"}}"#);
            assert_eq!(redacted(&redactor(), &text), expected);
        }
    }

    #[test]
    fn a_finding_grows_to_whole_characters_and_takes_nothing_that_is_none() {
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
    fn debug_tells_neither_the_environment_nor_the_patterns() {
        let environment = [("SERVICE_TOKEN".to_owned(), "qW3-rT5-yU7".to_owned())];
        let redactor = Redactor::new(&["CORP-[0-9]{4}".to_owned()], environment).unwrap();
        assert!(redactor.find("qW3-rT5-yU7").len() == 1);
        assert_eq!(format!("{redactor:?}"), "Redactor { patterns: 1, environment: 1, .. }");
    }

    #[test]
    fn the_users_patterns_count_and_a_bad_one_is_told_by_its_place() {
        let redactor = Redactor::new(&["CORP-[0-9]{4}".to_owned()], []).unwrap();
        assert_eq!(redacted(&redactor, "see CORP-1234"), "see [REDACTED:custom-pattern]");
        for (bad, fault) in [("(hunter22", "is no regular expression"), ("(hunter22){99999}", "is too large")] {
            let error = Redactor::new(&["fine".to_owned(), bad.to_owned()], []).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(error.message().starts_with(&format!("memory.redactionPatterns[1] {fault}")), "{error}");
            assert!(!format!("{error:?}").contains("hunter22"), "{error}");
        }
    }

    #[test]
    fn an_id_that_is_a_secret_is_refused_without_being_told() {
        let error = redactor().admit("id", &pat()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Secret);
        assert!(!format!("{error:?}").contains(&pat()), "{error}");
        redactor().admit("id", "0192f3a4-7b1c-7def-8123-456789abcdef").unwrap();
    }

    #[test]
    fn an_id_is_1_to_256_bytes_without_control_characters() {
        for id in ["", "a\nb", &"x".repeat(257)] {
            assert_eq!(redactor().admit_id("runId", id).unwrap_err().kind(), ErrorKind::Invalid, "{id:?}");
        }
        redactor().admit_id("runId", &"x".repeat(256)).unwrap();
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
