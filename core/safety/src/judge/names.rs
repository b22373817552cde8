//! What a name says of the value under it. The *ending* decides: `DB_PASSWORD` names a secret, `PASSWORD_MIN_LENGTH` and
//! `tokenStorage` do not.

/// The longest name, in bytes. A name of absurd length is a blob, not a name.
pub(crate) const MAX_NAME: usize = 128;
/// The longest word of a name that is looked at, in bytes.
const MAX_WORD: usize = 24;
/// How many endings that only tell a variant are passed over: `API_KEY_PROD_2`.
const MAX_VARIANTS: usize = 3;

/// What a name says of the value under it, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Says {
    Nothing,
    /// A secret, if it looks very much like one: `sshKey`, `signature`.
    Perhaps,
    /// A secret: `apiToken`.
    Secret,
    /// A secret that people choose, and that may be a number: `pin_password`.
    Password,
}

/// A word in small letters, of which no more than [`MAX_WORD`] bytes are kept.
struct Word([u8; MAX_WORD], usize);

impl Word {
    fn of(text: &[u8]) -> Self {
        let mut word = Word([0; MAX_WORD], text.len().min(MAX_WORD));
        // Of a long word the end is kept, for it decides.
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

/// What `name` says. Takes `snake_case`, `kebab-case`, `dotted.names` and `camelCase`.
pub(crate) fn said_by(name: &[u8]) -> Says {
    if name.len() > MAX_NAME {
        return Says::Nothing;
    }
    // Rails and Django call it so; `public_key_base64` is another thing.
    if name.len() >= 15 && name.get(name.len() - 15..).is_some_and(|end| end.eq_ignore_ascii_case(b"secret_key_base")) {
        return Says::Secret;
    }
    let mut rest = name;
    for stripped in 0..=MAX_VARIANTS {
        let Some((before, last)) = split_last_word(rest) else { return Says::Nothing };
        let word = Word::of(last);
        let previous = split_last_word(before).map(|(_, previous)| Word::of(previous));
        let previous = previous.as_ref().map_or(&b""[..], Word::text);
        // `passValue` passes one.
        if stripped > 0 && previous.is_empty() && word.text() == b"pass" {
            return Says::Nothing;
        }
        match said_by_word(word.text(), previous) {
            Says::Nothing if is_variant(word.text()) && !before.is_empty() => rest = before,
            said => return said,
        }
    }
    Says::Nothing
}

/// `name` without its last word, and that word. Digits at a word's end are a word of their own.
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
        // `clientSecret`, and the last capital of an acronym that a word follows: `DBPassword`.
        let is_start =
            |before: u8| before.is_ascii_lowercase() || (before.is_ascii_uppercase() && next.is_ascii_lowercase());
        if byte.is_ascii_uppercase() && before.is_some_and(is_start) {
            break;
        }
    }
    Some((name.get(..start)?, name.get(start..)?))
}

fn said_by_word(word: &[u8], previous: &[u8]) -> Says {
    match (word, previous) {
        (b"tokens", b"api" | b"auth" | b"access" | b"refresh" | b"bearer") => Says::Perhaps,
        // Most tokens are counted, and no secrets.
        (b"tokens", _) => Says::Nothing,
        (b"secrets" | b"passwords", _) => Says::Secret,
        (b"keys", b"api" | b"secret" | b"access" | b"private") => Says::Perhaps,
        (b"pass" | b"pwd" | b"pw" | b"requirepass" | b"masterauth", _) | (b"passe", b"de" | b"palavra") => {
            Says::Password
        }
        (b"data", b"key") => Says::Secret,
        (b"key", _) => said_by_key(previous),
        (b"string", b"secure") => Says::Password,
        (b"auth", b"" | b"basic" | b"http" | b"proxy" | b"npm" | b"registry" | b"docker" | b"redis") => Says::Perhaps,
        (b"signature" | b"sig" | b"sas", _) => Says::Perhaps,
        (b"creds" | b"credentials" | b"credential" | b"psk", _) => Says::Password,
        _ => said_by_ending(word),
    }
}

/// `…Key`: which one?
fn said_by_key(previous: &[u8]) -> Says {
    match previous {
        b"api" | b"secret" | b"access" | b"private" | b"account" | b"master" | b"encryption" | b"signing"
        | b"subscription" | b"auth" | b"admin" | b"license" | b"shared" | b"app" | b"application" | b"storage"
        | b"deploy" | b"webhook" | b"hmac" | b"jwt" | b"aes" | b"decryption" | b"service" | b"functions"
        | b"function" | b"integration" | b"client" | b"server" | b"session" | b"cookie" | b"crypto" | b"hash"
        | b"wallet" | b"root" | b"write" | b"ingest" | b"ingestion" => Says::Secret,
        b"" | b"public" | b"pub" | b"primary" | b"foreign" | b"sort" | b"partition" | b"cache" | b"index"
        | b"idempotency" | b"object" | b"row" | b"map" | b"lookup" | b"group" | b"range" | b"registry" | b"hot"
        | b"routing" | b"translation" | b"message" | b"query" | b"publishable" | b"host" | b"known" | b"dict"
        | b"json" | b"s3" | b"bucket" | b"sorting" | b"unique" | b"composite" | b"candidate" | b"i18n" | b"locale"
        | b"site" | b"verify" | b"verifying" | b"config" | b"dedup" | b"dedupe" | b"shard" | b"turn" | b"arrow"
        | b"up" | b"down" => Says::Nothing,
        _ => Says::Perhaps,
    }
}

/// Names that were written as one word: `dbpassword`, `authtoken`.
fn said_by_ending(word: &[u8]) -> Says {
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
        Says::Password
    } else if ends_in(&SECRETS) {
        Says::Secret
    } else {
        Says::Nothing
    }
}

/// Endings that tell which of several secrets it is, or in which form.
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
        for (name, says) in [
            ("DB_PASSWORD", Says::Password),
            ("dbPassword", Says::Password),
            ("DBPassword", Says::Password),
            ("pin_password", Says::Password),
            ("db.password", Says::Password),
            ("mysql-passwd", Says::Password),
            ("Password", Says::Password),
            ("PASSWORD_2", Says::Password),
            ("SMTP_PASS", Says::Password),
            ("dbpassword", Says::Password),
            ("Pwd", Says::Password),
            ("JWT_SECRET", Says::Password),
            ("apiToken", Says::Secret),
            ("API_KEY", Says::Secret),
            ("APIKey", Says::Secret),
            ("apikey", Says::Secret),
            ("X-Api-Key", Says::Secret),
            ("AWS_SECRET_ACCESS_KEY", Says::Secret),
            ("client_secrets", Says::Secret),
            ("SECRET_KEY_BASE", Says::Secret),
            ("client-key-data", Says::Secret),
            ("STRIPE_KEY_PROD", Says::Perhaps),
            ("API_TOKEN_PROD_2", Says::Secret),
            ("AccountKey", Says::Secret),
            ("_authToken", Says::Secret),
            ("_auth", Says::Perhaps),
            ("sshKey", Says::Perhaps),
            ("api_tokens", Says::Perhaps),
            ("PASSWORD_MIN_LENGTH", Says::Nothing),
            ("private_key_path", Says::Nothing),
            ("secretName", Says::Nothing),
            ("tokenStorage", Says::Nothing),
            ("monkey", Says::Nothing),
            ("public_key", Says::Nothing),
            ("max_tokens", Says::Nothing),
            ("key", Says::Nothing),
            ("compass", Says::Nothing),
            ("token_id", Says::Nothing),
            ("password_hash", Says::Nothing),
            ("primaryKey", Says::Nothing),
            ("", Says::Nothing),
            ("__", Says::Nothing),
        ] {
            assert_eq!(said_by(name.as_bytes()), says, "{name}");
        }
    }
}
