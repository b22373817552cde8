//! What a name suggests about its value. The *ending* decides: `DB_PASSWORD` names a secret, `PASSWORD_MIN_LENGTH` and
//! `tokenStorage` do not.

/// The longest name, in bytes. Anything longer is data, not a name.
pub(crate) const MAX_NAME: usize = 128;
/// How much of a word of a name is examined, in bytes.
const MAX_WORD: usize = 24;
/// How many endings that only indicate a variant are skipped: `API_KEY_PROD_2`.
const MAX_VARIANTS: usize = 3;

/// What a name suggests about its value, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameClass {
    Unrelated,
    /// A secret if it looks very much like one: `sshKey`, `signature`.
    Ambiguous,
    /// A secret: `apiToken`.
    Secret,
    /// A secret that people choose and that may be a number: `pin_password`.
    Password,
}

/// A word in lower case, limited to [`MAX_WORD`] bytes.
struct Word([u8; MAX_WORD], usize);

impl Word {
    fn of(text: &[u8]) -> Self {
        let mut word = Word([0; MAX_WORD], text.len().min(MAX_WORD));
        // Of a long word the end is kept, since it decides.
        let kept = text.get(text.len() - word.1..).unwrap_or_default();
        for (place, byte) in word.0.iter_mut().zip(kept) {
            *place = byte.to_ascii_lowercase();
        }
        word
    }

    fn text(&self) -> &[u8] {
        self.0.get(..self.1).unwrap_or_default()
    }
}

/// Classifies `name`, written as `snake_case`, `kebab-case`, `dotted.names` or `camelCase`.
pub(crate) fn classify_name(name: &[u8]) -> NameClass {
    if name.len() > MAX_NAME {
        return NameClass::Unrelated;
    }
    // The name used by Rails and Django; `public_key_base64` is something else.
    if name.len() >= 15 && name.get(name.len() - 15..).is_some_and(|end| end.eq_ignore_ascii_case(b"secret_key_base")) {
        return NameClass::Secret;
    }
    let mut rest = name;
    for stripped in 0..=MAX_VARIANTS {
        let Some((before, last)) = split_last_word(rest) else { return NameClass::Unrelated };
        let word = Word::of(last);
        let previous = split_last_word(before).map(|(_, previous)| Word::of(previous));
        let previous = previous.as_ref().map_or(&b""[..], Word::text);
        // In `passValue`, "pass" is a verb.
        if stripped > 0 && previous.is_empty() && word.text() == b"pass" {
            return NameClass::Unrelated;
        }
        match classify_word(word.text(), previous) {
            NameClass::Unrelated if is_variant(word.text()) && !before.is_empty() => rest = before,
            class => return class,
        }
    }
    NameClass::Unrelated
}

/// Splits off the last word of `name`. Digits at the end of a word are a separate word.
fn split_last_word(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = name.iter().rposition(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)? + 1;
    let name = name.get(..end)?;
    let class = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_alphanumeric() || byte >= 0x80);
    let last_class = class(*name.last()?);
    let mut start = end;
    while let Some(&byte) = start.checked_sub(1).and_then(|before| name.get(before)) {
        if class(byte) != last_class {
            break;
        }
        start -= 1;
        let before = start.checked_sub(1).and_then(|before| name.get(before)).copied();
        let next = name.get(start + 1).copied().unwrap_or_default();
        // `clientSecret`, and the last capital of an acronym before a word: `DBPassword`.
        let is_start =
            |before: u8| before.is_ascii_lowercase() || (before.is_ascii_uppercase() && next.is_ascii_lowercase());
        if byte.is_ascii_uppercase() && before.is_some_and(is_start) {
            break;
        }
    }
    Some((name.get(..start)?, name.get(start..)?))
}

fn classify_word(word: &[u8], previous: &[u8]) -> NameClass {
    match (word, previous) {
        (b"tokens", b"api" | b"auth" | b"access" | b"refresh" | b"bearer") => NameClass::Ambiguous,
        // Most "tokens" are counts, not secrets.
        (b"tokens", _) => NameClass::Unrelated,
        (b"secrets" | b"passwords", _) => NameClass::Secret,
        (b"keys", b"api" | b"secret" | b"access" | b"private") => NameClass::Ambiguous,
        (b"pass" | b"pwd" | b"pw" | b"requirepass" | b"masterauth", _) | (b"passe", b"de" | b"palavra") => {
            NameClass::Password
        }
        (b"data", b"key") => NameClass::Secret,
        (b"key", _) => classify_key(previous),
        (b"string", b"secure") => NameClass::Password,
        (b"auth", b"" | b"basic" | b"http" | b"proxy" | b"npm" | b"registry" | b"docker" | b"redis") => {
            NameClass::Ambiguous
        }
        (b"signature" | b"sig" | b"sas", _) => NameClass::Ambiguous,
        (b"creds" | b"credentials" | b"credential" | b"psk", _) => NameClass::Password,
        _ => classify_ending(word),
    }
}

/// `…Key`: depends on the word before it.
fn classify_key(previous: &[u8]) -> NameClass {
    match previous {
        b"api" | b"secret" | b"access" | b"private" | b"account" | b"master" | b"encryption" | b"signing"
        | b"subscription" | b"auth" | b"admin" | b"license" | b"shared" | b"app" | b"application" | b"storage"
        | b"deploy" | b"webhook" | b"hmac" | b"jwt" | b"aes" | b"decryption" | b"service" | b"functions"
        | b"function" | b"integration" | b"client" | b"server" | b"session" | b"cookie" | b"crypto" | b"hash"
        | b"wallet" | b"root" | b"write" | b"ingest" | b"ingestion" => NameClass::Secret,
        b"" | b"public" | b"pub" | b"primary" | b"foreign" | b"sort" | b"partition" | b"cache" | b"index"
        | b"idempotency" | b"object" | b"row" | b"map" | b"lookup" | b"group" | b"range" | b"registry" | b"hot"
        | b"routing" | b"translation" | b"message" | b"query" | b"publishable" | b"host" | b"known" | b"dict"
        | b"json" | b"s3" | b"bucket" | b"sorting" | b"unique" | b"composite" | b"candidate" | b"i18n" | b"locale"
        | b"site" | b"verify" | b"verifying" | b"config" | b"dedup" | b"dedupe" | b"shard" | b"turn" | b"arrow"
        | b"up" | b"down" => NameClass::Unrelated,
        _ => NameClass::Ambiguous,
    }
}

/// Names written as one word: `dbpassword`, `authtoken`.
fn classify_ending(word: &[u8]) -> NameClass {
    const PASSWORDS: [&[u8]; 13] = [
        b"password",
        b"passwd",
        b"passphrase",
        b"passcode",
        b"passwort",
        b"kennwort",
        b"wachtwoord",
        b"userpass",
        b"dbpass",
        b"contrasena",
        b"senha",
        b"rootpass",
        b"adminpass",
    ];
    const SECRETS: [&[u8]; 8] =
        [b"secret", b"token", b"apikey", b"secretkey", b"accesskey", b"privatekey", b"accountkey", b"mnemonic"];
    let ends_in = |endings: &[&[u8]]| endings.iter().any(|ending| word.ends_with(ending));
    if ends_in(&PASSWORDS) || word == b"secret" {
        NameClass::Password
    } else if ends_in(&SECRETS) {
        NameClass::Secret
    } else {
        NameClass::Unrelated
    }
}

/// Endings that say which of several secrets it is, or in which form.
fn is_variant(word: &[u8]) -> bool {
    let is_number = word.iter().all(u8::is_ascii_digit) && word.len() <= 2;
    is_number
        || matches!(
            word,
            b"v" | b"prod"
                | b"production"
                | b"dev"
                | b"development"
                | b"staging"
                | b"stage"
                | b"stg"
                | b"test"
                | b"testing"
                | b"qa"
                | b"uat"
                | b"live"
                | b"sandbox"
                | b"local"
                | b"old"
                | b"new"
                | b"prev"
                | b"previous"
                | b"current"
                | b"next"
                | b"primary"
                | b"secondary"
                | b"backup"
                | b"main"
                | b"default"
                | b"b"
                | b"base"
                | b"plain"
                | b"plaintext"
                | b"raw"
                | b"value"
                | b"ci"
                | b"eu"
                | b"us"
                | b"rw"
                | b"ro"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_name_decides() {
        for (name, class) in [
            ("DB_PASSWORD", NameClass::Password),
            ("dbPassword", NameClass::Password),
            ("DBPassword", NameClass::Password),
            ("pin_password", NameClass::Password),
            ("db.password", NameClass::Password),
            ("mysql-passwd", NameClass::Password),
            ("Password", NameClass::Password),
            ("PASSWORD_2", NameClass::Password),
            ("SMTP_PASS", NameClass::Password),
            ("dbpassword", NameClass::Password),
            ("Pwd", NameClass::Password),
            ("JWT_SECRET", NameClass::Password),
            ("apiToken", NameClass::Secret),
            ("API_KEY", NameClass::Secret),
            ("APIKey", NameClass::Secret),
            ("apikey", NameClass::Secret),
            ("X-Api-Key", NameClass::Secret),
            ("AWS_SECRET_ACCESS_KEY", NameClass::Secret),
            ("client_secrets", NameClass::Secret),
            ("SECRET_KEY_BASE", NameClass::Secret),
            ("client-key-data", NameClass::Secret),
            ("STRIPE_KEY_PROD", NameClass::Ambiguous),
            ("API_TOKEN_PROD_2", NameClass::Secret),
            ("AccountKey", NameClass::Secret),
            ("_authToken", NameClass::Secret),
            ("_auth", NameClass::Ambiguous),
            ("sshKey", NameClass::Ambiguous),
            ("api_tokens", NameClass::Ambiguous),
            ("PASSWORD_MIN_LENGTH", NameClass::Unrelated),
            ("private_key_path", NameClass::Unrelated),
            ("secretName", NameClass::Unrelated),
            ("tokenStorage", NameClass::Unrelated),
            ("monkey", NameClass::Unrelated),
            ("public_key", NameClass::Unrelated),
            ("max_tokens", NameClass::Unrelated),
            ("key", NameClass::Unrelated),
            ("compass", NameClass::Unrelated),
            ("token_id", NameClass::Unrelated),
            ("password_hash", NameClass::Unrelated),
            ("primaryKey", NameClass::Unrelated),
            ("", NameClass::Unrelated),
            ("__", NameClass::Unrelated),
        ] {
            assert_eq!(classify_name(name.as_bytes()), class, "{name}");
        }
    }
}
