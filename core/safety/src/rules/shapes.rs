//! Tokens without a prefix that are unmistakable nevertheless: by a marker in the middle, parts of known lengths, or
//! the punctuation between them.
//!
//! A shape examines one run of token characters, `[A-Za-z0-9_.-]`, as long as it goes. It reads other parts of the
//! token (the number before a colon, the parts around a `~`) from the text around the run. It runs on every long word
//! of a text, so it first rejects by a length or by one byte.

mod run;
mod wallets;

use std::ops::Range;

use crate::text::bytes;
use run::{
    MAX_CONTEXT, Run, all, alnum, base64url, beginning, digit, ending, lower_alnum, lower_hex, mixed, upper_alnum,
};
use wallets::{bitcoin_private_key, bitlocker_recovery_key, ethereum_private_key};

/// No shape matches a shorter run.
pub(crate) const SHORTEST_RUN: usize = 16;

/// A secret's place in the text, and the rule that found it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) rule: &'static str,
    pub(crate) place: Range<usize>,
}

/// A kind of token recognized by its shape.
pub(crate) struct ShapeRule {
    /// The rule's id.
    pub(crate) rule: &'static str,
    /// A description for people.
    pub(crate) description: &'static str,
    find: fn(&Run<'_>) -> Option<Range<usize>>,
}

macro_rules! shapes {
    ($($rule:literal = $find:ident: $description:literal;)*) => {
        &[$(ShapeRule { rule: $rule, description: $description, find: $find }),*]
    };
}

/// All shapes.
pub(crate) static SHAPES: &[ShapeRule] = shapes! {
    "1password-secret-key" = one_password_secret_key: "1Password secret key";
    "ably-key" = ably_key: "Ably API key";
    "airtable-pat" = airtable_pat: "Airtable personal access token";
    "asana-pat" = asana_pat: "Asana personal access token";
    "azure-devops-pat" = azure_devops_pat: "Azure DevOps personal access token";
    "azure-key" = azure_key: "Key of an Azure service (84 characters)";
    "azure-search-key" = azure_search_key: "Azure AI Search key";
    "azure-function-key" = azure_function_key: "Azure Functions key";
    "azure-client-secret" = azure_client_secret: "Microsoft Entra client secret";
    "bitcoin-private-key" = bitcoin_private_key: "Private key of Bitcoin, or an extended one of a wallet";
    "bitlocker-recovery-key" = bitlocker_recovery_key: "Recovery password of BitLocker";
    "bitwarden-token" = bitwarden_token: "Bitwarden Secrets Manager access token";
    "braintree-access-token" = braintree_access_token: "Braintree access token";
    "clickup-token" = clickup_token: "ClickUp personal API token";
    "deepl-key" = deepl_key: "DeepL API key (free)";
    "discord-bot-token" = discord_bot_token: "Discord bot token";
    "ethereum-private-key" = ethereum_private_key: "Private key of Ethereum, as the argument of a call";
    "firebase-server-key" = firebase_server_key: "Firebase Cloud Messaging server key";
    "ghost-admin-key" = ghost_admin_key: "Ghost Admin API key";
    "launchdarkly-key" = launchdarkly_key: "LaunchDarkly SDK key or API token";
    "mailchimp-key" = mailchimp_key: "Mailchimp API key";
    "mailgun-key-in-parts" = mailgun_key: "Mailgun API or signing key (newer)";
    "maxmind-key" = maxmind_key: "MaxMind license key";
    "meta-app-token" = meta_app_token: "Meta app access token";
    "newrelic-license-key" = newrelic_license_key: "New Relic license key";
    "ngrok-token" = ngrok_token: "ngrok authtoken or API key";
    "openai-legacy-key" = openai_key: "OpenAI API key, known by its middle";
    "rancher-token" = rancher_token: "Rancher API token";
    "rapidapi-key" = rapidapi_key: "RapidAPI key";
    "salesforce-session" = salesforce_session: "Salesforce session id";
    "sanctum-token" = sanctum_token: "Laravel Sanctum API token";
    "sanity-token" = sanity_token: "Sanity API token";
    "telegram-bot-token" = telegram_bot_token: "Telegram bot token";
    "terraform-token" = terraform_token: "Terraform Cloud API token";
    "twilio-api-key" = twilio_api_key: "Twilio API key";
    "twitter-bearer-token" = twitter_bearer_token: "Twitter bearer token";
    "zhipu-key" = hex_and_secret: "Zhipu or Ollama API key";
};

/// The token that contains `run`, a run of `[A-Za-z0-9_.-]` in `text`.
pub(crate) fn find(text: &[u8], run: Range<usize>) -> Option<Shape> {
    if run.len() < SHORTEST_RUN {
        return None;
    }
    let run = Run::new(text, run)?;
    SHAPES.iter().find_map(|shape| (shape.find)(&run).map(|place| Shape { rule: shape.rule, place }))
}

fn has_at(bytes: &[u8], at: usize, mark: &[u8]) -> bool {
    bytes.get(at..).is_some_and(|rest| rest.starts_with(mark))
}

/// Whether `bytes` are groups of these lengths, each of bytes for which `is` holds, joined by hyphens.
fn in_groups(bytes: &[u8], lengths: &[usize], is: fn(u8) -> bool) -> bool {
    let mut groups = bytes.split(|byte| *byte == b'-');
    lengths.iter().all(|length| groups.next().is_some_and(|group| group.len() == *length && all(group, is)))
        && groups.next().is_none()
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == 36 && in_groups(bytes, &[8, 4, 4, 4, 12], |byte| byte.is_ascii_hexdigit())
}

fn one_password_secret_key(run: &Run<'_>) -> Option<Range<usize>> {
    let rest = run.word.strip_prefix(b"A3-")?;
    (in_groups(rest, &[6, 11, 5, 5, 5], upper_alnum) || in_groups(rest, &[6, 6, 5, 5, 5, 5], upper_alnum))
        .then(|| run.word_place())
}

/// `APP_ID.KEY_ID:SECRET`.
fn ably_key(run: &Run<'_>) -> Option<Range<usize>> {
    let front = run.before().strip_suffix(b":")?;
    let name = ending(front, |byte| base64url(byte) || byte == b'.');
    let (app, key) = name.split_at_checked(6)?;
    let key = key.strip_prefix(b".")?;
    let fits = key.len() == 6 && all(app, base64url) && all(key, base64url);
    (fits && (40..=44).contains(&run.bytes().len()) && all(run.bytes(), base64url) && mixed(run.bytes()))
        .then(|| run.with_before(name.len() + 1))
}

fn airtable_pat(run: &Run<'_>) -> Option<Range<usize>> {
    let (id, secret) = run.word.strip_prefix(b"pat")?.split_at_checked(14)?;
    let secret = secret.strip_prefix(b".")?;
    (secret.len() >= 60 && all(id, alnum) && all(secret, lower_hex)).then(|| run.word_place())
}

/// `1/USER:SECRET` or `2/APP/USER:SECRET`.
fn asana_pat(run: &Run<'_>) -> Option<Range<usize>> {
    let front = run.before().strip_suffix(b":")?;
    let numbers = ending(front, |byte| digit(byte) || byte == b'/');
    let id = numbers.strip_prefix(b"1/").or_else(|| numbers.strip_prefix(b"2/"))?;
    (id.len() >= 10 && run.word.len() >= 32 && all(run.word, lower_hex)).then(|| run.with_before(numbers.len() + 1))
}

/// The positions of the year and of the service's signature in keys that Microsoft marks.
const AZURE_LENGTH: usize = 84;
const AZURE_MARK: (usize, &[u8]) = (52, b"JQQJ99");
const AZURE_DEVOPS_MARK: (usize, &[u8]) = (76, b"AZDO");

fn azure_devops_pat(run: &Run<'_>) -> Option<Range<usize>> {
    run.piece(AZURE_LENGTH, |piece| has_at(piece, AZURE_DEVOPS_MARK.0, AZURE_DEVOPS_MARK.1))
}

fn azure_key(run: &Run<'_>) -> Option<Range<usize>> {
    run.piece(AZURE_LENGTH, |piece| has_at(piece, AZURE_MARK.0, AZURE_MARK.1))
}

fn azure_search_key(run: &Run<'_>) -> Option<Range<usize>> {
    run.piece(52, |piece| has_at(piece, 42, b"AzSe"))
}

fn azure_function_key(run: &Run<'_>) -> Option<Range<usize>> {
    let padded = run.bytes().len() == 54 && run.after().starts_with(b"==");
    (padded && has_at(run.bytes(), 44, b"AzFu")).then_some(run.start..run.end + 2)
}

/// Three characters, a digit, `Q~` and 31 to 34 more, which may include another `~`.
fn azure_client_secret(run: &Run<'_>) -> Option<Range<usize>> {
    let near = |byte| base64url(byte) || matches!(byte, b'.' | b'~');
    let front = ending(run.before(), near);
    let start = run.start - front.len();
    if !front.ends_with(b"~") && !run.after().starts_with(b"~") {
        return None;
    }
    let rest = run.text.get(start..run.text.len().min(run.end + MAX_CONTEXT))?;
    let whole = beginning(rest, near);
    let mark = bytes::find(whole, b"Q~")?;
    let (id, secret) = whole.split_at_checked(mark + 2)?;
    let version = id.get(mark.checked_sub(1)?)?;
    let begin = mark.checked_sub(4)?;
    let trailing = secret.iter().rev().take_while(|byte| matches!(byte, b'.' | b'-')).count();
    let fits = version.is_ascii_digit() && (30..=40).contains(&(secret.len() - trailing));
    fits.then_some(start + begin..start + whole.len() - trailing)
}

/// `0.ID.SECRET:KEY==`.
fn bitwarden_token(run: &Run<'_>) -> Option<Range<usize>> {
    let (id, secret) = run.word.strip_prefix(b"0.")?.split_at_checked(36)?;
    let key = beginning(run.after().strip_prefix(b":")?, |byte| alnum(byte) || matches!(byte, b'+' | b'/' | b'='));
    let fits = is_uuid(id) && secret.starts_with(b".") && secret.len() >= 30 && key.len() == 24 && key.ends_with(b"==");
    fits.then(|| run.word_start..run.end + 1 + key.len())
}

/// `access_token$production$MERCHANT$SECRET`.
fn braintree_access_token(run: &Run<'_>) -> Option<Range<usize>> {
    let merchant = run.before().strip_suffix(b"$")?;
    let (front, merchant) = merchant.split_at_checked(merchant.len().checked_sub(16)?)?;
    let marks: [&[u8]; 2] = [b"access_token$production$", b"access_token$sandbox$"];
    let mark = marks.into_iter().find(|mark| front.ends_with(mark))?;
    (all(merchant, lower_alnum) && run.word.len() >= 32 && all(run.word, lower_hex))
        .then(|| run.with_before(mark.len() + merchant.len() + 1))
}

fn clickup_token(run: &Run<'_>) -> Option<Range<usize>> {
    let rest = run.word.strip_prefix(b"pk_")?;
    let user = beginning(rest, digit);
    let secret = rest.get(user.len()..)?.strip_prefix(b"_")?;
    (user.len() >= 5 && secret.len() >= 30 && all(secret, upper_alnum)).then(|| run.word_place())
}

fn deepl_key(run: &Run<'_>) -> Option<Range<usize>> {
    let mark = run.after().strip_prefix(b":fx")?;
    let ends = !mark.first().is_some_and(u8::is_ascii_alphanumeric);
    (ends && run.end == run.word_place().end && is_uuid(run.word)).then(|| run.word_start..run.end + 3)
}

/// The user's number in base64, the time and a signature.
fn discord_bot_token(run: &Run<'_>) -> Option<Range<usize>> {
    // Digits are 0x30 to 0x39: the first of every four characters is one of these.
    let is_number = |part: &[u8]| part.iter().step_by(4).all(|byte| matches!(byte, b'M' | b'N' | b'O'));
    let mut parts = run.bytes().split(|byte| *byte == b'.');
    let (user, time, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let fits = parts.next().is_none()
        && (22..=30).contains(&user.len())
        && (5..=8).contains(&time.len())
        && (25..=48).contains(&signature.len());
    let is_likely = matches!(user.first(), Some(b'M' | b'N' | b'O'))
        && (23..=26).contains(&user.len())
        && time.len() == 6
        && mixed(signature);
    (fits && (is_number(user) || is_likely)).then_some(run.start..run.end)
}

/// `AAAA1234567:APA91b…`.
fn firebase_server_key(run: &Run<'_>) -> Option<Range<usize>> {
    let front = run.before().strip_suffix(b":")?;
    let sender = ending(front, base64url);
    let fits = sender.len() == 11 && sender.starts_with(b"AAAA") && run.bytes().len() >= 100;
    (fits && run.bytes().starts_with(b"APA91b")).then(|| run.with_before(sender.len() + 1))
}

fn ghost_admin_key(run: &Run<'_>) -> Option<Range<usize>> {
    let id = ending(run.before().strip_suffix(b":")?, alnum);
    (id.len() == 24 && all(id, lower_hex) && run.word.len() == 64 && all(run.word, lower_hex))
        .then(|| run.with_before(id.len() + 1))
}

fn launchdarkly_key(run: &Run<'_>) -> Option<Range<usize>> {
    let id = run.word.strip_prefix(b"sdk-").or_else(|| run.word.strip_prefix(b"api-"))?;
    is_uuid(id).then(|| run.word_place())
}

fn mailchimp_key(run: &Run<'_>) -> Option<Range<usize>> {
    let (secret, center) = run.word.split_at_checked(32)?;
    let center = center.strip_prefix(b"-us")?;
    ((1..=2).contains(&center.len()) && all(center, digit) && all(secret, lower_hex)).then(|| run.word_place())
}

fn mailgun_key(run: &Run<'_>) -> Option<Range<usize>> {
    (run.word.len() == 50 && in_groups(run.word, &[32, 8, 8], lower_hex)).then(|| run.word_place())
}

fn maxmind_key(run: &Run<'_>) -> Option<Range<usize>> {
    let (id, secret) = run.word.strip_suffix(b"_mmk")?.split_at_checked(6)?;
    let secret = secret.strip_prefix(b"_")?;
    (secret.len() >= 24 && all(id, alnum) && all(secret, alnum)).then(|| run.word_place())
}

/// The number and the `|` before the run: their total length, and the number of digits.
fn number_and_bar(run: &Run<'_>) -> Option<usize> {
    let number = ending(run.before().strip_suffix(b"|")?, alnum);
    (!number.is_empty() && all(number, digit)).then_some(number.len())
}

/// `APP|SECRET`.
fn meta_app_token(run: &Run<'_>) -> Option<Range<usize>> {
    let digits = number_and_bar(run).filter(|digits| (13..=17).contains(digits))?;
    ((25..=42).contains(&run.bytes().len()) && all(run.bytes(), base64url)).then(|| run.with_before(digits + 1))
}

/// `ROW|SECRET`. A hash after a bar is a table cell.
fn sanctum_token(run: &Run<'_>) -> Option<Range<usize>> {
    let digits = number_and_bar(run).filter(|digits| *digits <= 12)?;
    (matches!(run.word.len(), 40 | 48) && all(run.word, alnum) && mixed(run.word)).then(|| run.with_before(digits + 1))
}

fn newrelic_license_key(run: &Run<'_>) -> Option<Range<usize>> {
    run.piece(40, |piece| {
        piece
            .strip_suffix(b"NRAL")
            .is_some_and(|key| all(key, |byte| lower_alnum(byte) || byte == b'F') && key.iter().any(u8::is_ascii_digit))
    })
}

/// A time-ordered id of 27 characters and a secret that starts with a digit.
fn ngrok_token(run: &Run<'_>) -> Option<Range<usize>> {
    let (id, secret) = run.word.split_at_checked(27)?;
    let secret = secret.strip_prefix(b"_")?;
    let fits = (20..=23).contains(&secret.len()) && secret.first().is_some_and(u8::is_ascii_digit);
    (fits && id.first().is_some_and(u8::is_ascii_digit) && all(id, alnum) && all(secret, alnum) && mixed(run.word))
        .then(|| run.word_place())
}

fn openai_key(run: &Run<'_>) -> Option<Range<usize>> {
    if run.word.len() < 40 {
        return None;
    }
    let mark = bytes::find(run.word, b"T3BlbkFJ")?;
    let (front, back) = run.word.split_at_checked(mark)?;
    (front.len() >= 16 && back.len() >= 24 && all(run.word, base64url)).then(|| run.word_place())
}

/// `token-NAME:SECRET`.
fn rancher_token(run: &Run<'_>) -> Option<Range<usize>> {
    let front = run.before().strip_suffix(b":")?;
    let name = ending(front, |byte| lower_alnum(byte) || byte == b'-');
    let known = name.starts_with(b"token-") || name.starts_with(b"kubeconfig-");
    (known && run.word.len() == 54 && all(run.word, lower_alnum)).then(|| run.with_before(name.len() + 1))
}

fn rapidapi_key(run: &Run<'_>) -> Option<Range<usize>> {
    run.piece(50, |piece| {
        has_at(piece, 10, b"msh") && has_at(piece, 28, b"p1") && has_at(piece, 36, b"jsn") && all(piece, lower_alnum)
    })
}

/// `00D…!SECRET`, where the first part is the organization's id.
fn salesforce_session(run: &Run<'_>) -> Option<Range<usize>> {
    let id = ending(run.before().strip_suffix(b"!")?, alnum);
    (matches!(id.len(), 15 | 18) && id.starts_with(b"00D") && run.bytes().len() >= 40)
        .then(|| run.with_before(id.len() + 1))
}

fn sanity_token(run: &Run<'_>) -> Option<Range<usize>> {
    let long = run.word.len() >= 120 && run.word.starts_with(b"sk");
    (long && all(run.word, alnum) && mixed(run.word)).then(|| run.word_place())
}

/// `BOT:SECRET`; in a URL, the word `bot` precedes the number.
fn telegram_bot_token(run: &Run<'_>) -> Option<Range<usize>> {
    let front = run.before().strip_suffix(b":")?;
    let bot = ending(front, digit);
    let word = ending(front.get(..front.len() - bot.len())?, alnum);
    let secret = beginning(run.bytes(), base64url);
    let fits =
        (6..=12).contains(&bot.len()) && (word.is_empty() || word == b"bot") && (33..=37).contains(&secret.len());
    (fits && secret.starts_with(b"A")).then(|| run.start - bot.len() - 1..run.start + secret.len())
}

fn terraform_token(run: &Run<'_>) -> Option<Range<usize>> {
    if run.word.len() < 50 {
        return None;
    }
    let mark = bytes::find(run.word, b".atlasv1.")?;
    let (front, back) = run.word.split_at_checked(mark)?;
    let id = ending(front, alnum);
    (id.len() >= 10 && back.len() >= 40).then(|| run.word_start + mark - id.len()..run.end)
}

/// `SK` and a hash; an account's id starts with `AC` instead and is not a secret.
fn twilio_api_key(run: &Run<'_>) -> Option<Range<usize>> {
    run.piece(34, |piece| piece.strip_prefix(b"SK").is_some_and(|id| all(id, |byte| byte.is_ascii_hexdigit())))
}

/// Base64 zeros, then two parts with an escaped `=` between them; zeros alone may be any binary data.
fn twitter_bearer_token(run: &Run<'_>) -> Option<Range<usize>> {
    if !run.word.starts_with(b"AAAAAAAAAAAAAAAAAA") {
        return None;
    }
    let rest = run.text.get(run.word_start..run.text.len().min(run.end + MAX_CONTEXT))?;
    let token = beginning(rest, |byte| alnum(byte) || byte == b'%');
    (token.len() >= 80 && bytes::find(token, b"%3D").is_some()).then(|| run.part(0, token))
}

/// An id of 32 hexadecimal digits, a dot, and a secret of 16 or 24 characters.
fn hex_and_secret(run: &Run<'_>) -> Option<Range<usize>> {
    let (id, secret) = run.word.split_at_checked(32)?;
    let secret = secret.strip_prefix(b".")?;
    let fits = matches!(secret.len(), 16 | 22..=24) && all(secret, base64url) && all(id, lower_hex);
    (fits && secret.iter().any(u8::is_ascii_digit) && secret.iter().any(u8::is_ascii_uppercase))
        .then_some(run.word_start..run.end)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::rules::providers::PROVIDERS;

    const HEX: &str = "0123456789abcdef";
    const LOWER: &str = "0123456789abcdefghijklmnopqrstuvwxyz";
    const UPPER: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const ALNUM: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    /// Characters that look random and are the same in every run.
    struct Random(u64);

    impl Random {
        fn of(&mut self, alphabet: &str, length: usize) -> String {
            let choices: Vec<char> = alphabet.chars().collect();
            let mut next = || {
                self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                choices[usize::try_from(self.0 >> 40).unwrap() % choices.len()]
            };
            (0..length).map(|_| next()).collect()
        }

        /// Letters of both cases and digits, with all three among the first.
        fn mixed(&mut self, length: usize) -> String {
            format!("{}{}", "aB3", self.of(ALNUM, length - 3))
        }

        fn uuid(&mut self) -> String {
            [8, 4, 4, 4, 12].map(|length| self.of(HEX, length)).join("-")
        }
    }

    /// Tokens of every kind, assembled here so that secret scanners ignore this file.
    fn examples(r: &mut Random) -> Vec<(&'static str, String)> {
        let bot = |r: &mut Random| format!("{}:AA{}", r.of("123456789", 10), r.of(ALNUM, 33));
        let discord: String = (0..6).map(|_| format!("M{}", r.of(ALNUM, 3))).collect();
        vec![
            ("1password-secret-key", format!("A3-{}-{}-ABCDE-12345-Z9Z9Z", r.of(UPPER, 6), r.of(UPPER, 11))),
            ("1password-secret-key", format!("A3-{}-{}-A1B2C-ABCDE-12345-Z9Z9Z", r.of(UPPER, 6), r.of(UPPER, 6))),
            ("ably-key", format!("{}.{}:{}", r.mixed(6), r.mixed(6), r.mixed(43))),
            ("airtable-pat", format!("pat{}.{}", r.of(ALNUM, 14), r.of(HEX, 64))),
            ("asana-pat", format!("1/{}:{}", r.of("123456789", 16), r.of(HEX, 32))),
            ("asana-pat", format!("2/{}/{}:{}", r.of("123456789", 16), r.of("123456789", 16), r.of(HEX, 32))),
            ("azure-devops-pat", format!("{}JQQJ99{}AZDO{}", r.of(ALNUM, 52), r.of(ALNUM, 18), r.of(ALNUM, 4))),
            ("azure-key", format!("{}JQQJ99{}", r.of(ALNUM, 52), r.of(ALNUM, 26))),
            ("azure-search-key", format!("{}AzSe{}", r.of(ALNUM, 42), r.of(ALNUM, 6))),
            ("azure-function-key", format!("{}AzFu{}==", r.of(ALNUM, 44), r.of(ALNUM, 6))),
            ("azure-client-secret", format!("{}8Q~{}", r.of(ALNUM, 3), r.of(ALNUM, 34))),
            ("azure-client-secret", format!("~.{}8Q~{}~{}", r.of(ALNUM, 1), r.of(ALNUM, 10), r.of(ALNUM, 23))),
            ("bitcoin-private-key", wallets::tests::base58(&[&[0x80], r.of(ALNUM, 32).as_bytes()].concat())),
            (
                "bitlocker-recovery-key",
                vec![r.of("123456", 6); 4].join("-") + &format!("-{}", r.of("123456", 6)).repeat(4),
            ),
            ("bitwarden-token", format!("0.{}.{}:{}==", r.uuid(), r.of(ALNUM, 30), r.of(ALNUM, 22))),
            ("braintree-access-token", format!("access_token${}${}${}", "sandbox", r.of(LOWER, 16), r.of(HEX, 32))),
            ("clickup-token", format!("pk_{}_{}", r.of("123456789", 8), r.of(UPPER, 32))),
            ("deepl-key", format!("{}:fx", r.uuid())),
            ("discord-bot-token", format!("{discord}.{}.{}", r.of(ALNUM, 6), r.of(ALNUM, 38))),
            ("firebase-server-key", format!("AAAA{}:APA91b{}", r.of(ALNUM, 7), r.of(ALNUM, 134))),
            ("ghost-admin-key", format!("{}:{}", r.of(HEX, 24), r.of(HEX, 64))),
            ("launchdarkly-key", format!("sdk-{}", r.uuid())),
            ("mailchimp-key", format!("{}-us{}", r.of(HEX, 32), 14)),
            ("mailgun-key-in-parts", format!("{}-{}-{}", r.of(HEX, 32), r.of(HEX, 8), r.of(HEX, 8))),
            ("maxmind-key", format!("{}_{}_mmk", r.of(ALNUM, 6), r.of(ALNUM, 29))),
            ("meta-app-token", format!("{}|{}", r.of("123456789", 16), r.of(ALNUM, 27))),
            ("newrelic-license-key", format!("{}FFFFNRAL", r.of(HEX, 32))),
            ("ngrok-token", format!("2{}_5{}", r.mixed(26), r.of(ALNUM, 20))),
            ("openai-legacy-key", format!("sk-{}T3Blbk{}{}", r.of(ALNUM, 20), "FJ", r.of(ALNUM, 20))),
            ("rancher-token", format!("token-{}:{}", r.of(LOWER, 5), r.of(LOWER, 54))),
            ("rapidapi-key", format!("{}msh{}p1{}jsn{}", r.of(HEX, 10), r.of(HEX, 15), r.of(HEX, 6), r.of(HEX, 11))),
            ("salesforce-session", format!("00D{}!{}.{}", r.of(ALNUM, 12), r.of(ALNUM, 50), r.of(ALNUM, 40))),
            ("sanctum-token", format!("17|{}", r.mixed(40))),
            ("sanity-token", format!("sk{}", r.mixed(178))),
            ("telegram-bot-token", bot(r)),
            ("terraform-token", format!("{}.atlasv1.{}", r.of(ALNUM, 14), r.of(ALNUM, 67))),
            ("twilio-api-key", format!("SK{}", r.of(HEX, 32))),
            ("twitter-bearer-token", format!("{}{}%3D{}", "A".repeat(22), r.of(ALNUM, 30), r.of(ALNUM, 50))),
            ("zhipu-key", format!("{}.{}", r.of(HEX, 32), r.mixed(16))),
            ("zhipu-key", format!("{}.{}", r.of(HEX, 32), r.mixed(24))),
        ]
    }

    /// The findings in all runs of a text.
    fn found(text: &str) -> Vec<Shape> {
        let in_run = |byte: &u8| base64url(*byte) || *byte == b'.';
        let bytes = text.as_bytes();
        let starts = (0..bytes.len()).filter(|at| in_run(&bytes[*at]) && (*at == 0 || !in_run(&bytes[at - 1])));
        starts
            .filter_map(|at| find(bytes, at..at + bytes[at..].iter().take_while(|byte| in_run(byte)).count()))
            .collect()
    }

    #[test]
    fn a_rule_has_one_row_and_a_description() {
        let mut seen: HashSet<_> = PROVIDERS.iter().map(|provider| provider.rule).collect();
        for ShapeRule { rule, description, .. } in SHAPES {
            assert!(seen.insert(rule), "{rule}");
            assert!(rule.bytes().all(|byte| lower_alnum(byte) || byte == b'-'), "{rule}");
            assert!(!description.is_empty(), "{rule}");
        }
    }

    #[test]
    fn a_whole_token_is_found_in_prose_code_and_urls() {
        for seed in 0..50 {
            let examples = examples(&mut Random(seed));
            // What only its surroundings give away is tested with them.
            for ShapeRule { rule, .. } in SHAPES.iter().filter(|shape| shape.rule != "ethereum-private-key") {
                assert!(examples.iter().any(|(example, _)| example == rule), "{rule} has no example");
            }
            for (rule, token) in examples {
                for (before, trailing) in [
                    ("", ""),
                    ("use ", ", then"),
                    ("(", ")."),
                    ("KEY=", "\n"),
                    ("it is ", "."),
                    ("**", "**"),
                    ("\"", "\""),
                ] {
                    let text = format!("{before}{token}{trailing}");
                    let place = before.len()..before.len() + token.len();
                    assert_eq!(found(&text), [Shape { rule, place }], "{text}");
                }
            }
        }
    }

    #[test]
    fn a_telegram_token_is_found_after_the_word_bot_in_its_url() {
        let secret = Random(7).of(ALNUM, 34);
        let text = format!("https://example.org/bot1234567890:A{secret}/getMe");
        let place = text.find("123").unwrap()..text.find("/getMe").unwrap();
        assert_eq!(found(&text), [Shape { rule: "telegram-bot-token", place }]);
    }

    #[test]
    fn text_that_only_resembles_a_token_is_refused() {
        let mut r = Random(11);
        let (uuid, md5, sha1, sha256) = (r.uuid(), r.of(HEX, 32), r.of(HEX, 40), r.of(HEX, 64));
        for text in [
            &uuid,
            &md5,
            &sha1,
            &sha256,
            &format!("file.{sha1}.js"),
            &format!("|12|{sha1}|"),
            &format!("{md5}.min.js"),
            &format!("AC{md5}"),
            &format!("sha256:{sha256}"),
            &format!("time 12:{sha1}"),
            &format!("urn:uuid:{uuid}"),
            &format!("{uuid}:fxa"),
            &format!("mob-{uuid}"),
            &"A".repeat(120),
            &format!("{}%3D", "A".repeat(30)),
            &format!("1/2:{md5}"),
            &format!("image@{sha256}"),
            &format!("{md5}-us-east-1"),
            &format!("pk_live_{md5}"),
            "com.example.project.internal.SomeVeryLongClassName",
            "some_quite_long_identifier_in_snake_case_v2",
            "MainActivity.onCreate.savedInstanceStateHandler",
            "node_modules/.pnpm/react-dom@18.2.0_react@18.2.0",
            "2024-06-01T12:30:45.123456789Z",
            "v1.2.3-beta.4+build.20240601123045",
            "my-app-7d9f8b6c5d-x2x7z",
            "token-bucket:some-quite-long-name-of-a-limiter",
            "https://example.org/~user/a-long-path-of-some-page",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn a_run_outside_the_text_is_refused() {
        assert_eq!(find(b"short", 0..100), None);
        assert_eq!(find(b"", 0..0), None);
        assert_eq!(find(&[b'.'; 40], 0..40), None);
    }
}
