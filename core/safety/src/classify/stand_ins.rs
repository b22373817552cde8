//! Values under a secret's name that are not the secret: placeholders, references, types, literals and labels.

use crate::classify::formats;
use crate::classify::labels;
use crate::classify::names::{self, Strength};
use crate::classify::placeholders;
use crate::classify::plausibility;
use crate::classify::word_lists::Words;
use crate::text::bytes::{find, slice};

/// Values that are words of a language or a format, and no secret.
#[rustfmt::skip]
static LITERALS: Words = Words::new(
    "true false yes no on off null nil none undefined nan empty unset default required optional \
    include same-origin omit inherit unknown n/a na missing invalid incorrect wrong expired enabled disabled \
    show hide copy edit reset rotate revoke regenerate generate active inactive unchanged changed \
    password passwd passphrase secret token key apikey api_key api-key credentials pass pwd ngmodel foobared bcrypt scrypt hmac \
    mandatory pflichtfeld erforderlich obligatoire requis obligatorio requerido obbligatorio richiesto obrigatório \
    verplicht wymagane wymagany povinné nullable sometimes обязательное обязательный обов'язкове krävs obligatorisk påkrevd pakollinen обов'язково обязательно zorunlu gerekli \
    必填 必填项 必须 必須 必須項目 必需 필수 필수항목 必填欄位",
);
/// Words for a password or a secret, as translations of user interfaces have them.
#[rustfmt::skip]
static LABELS: Words = Words::new(
    "geheim geheimnis zaporka segredo segreto titok rahasia tajna tajemství tajné parolă parole parola hemlighet hemmelighed \
    hemmelighet salaisuus sekret tajny Секрет секрет Тайна тайна Парола парола Таємниця סיסמה סוד مرور سر رمز पासवर्ड \
    गुप्त रहस्य รหัสผ่าน ความลับ noslēpums paslaptis saladus slaptažodis parool skrivnost geslo",
);
/// Types of programming languages and schemas, in lower case.
#[rustfmt::skip]
static TYPES: Words = Words::new(
    "string str text char character varchar int integer long short number numeric float double bool boolean \
    byte bytes bytearray binary blob any object array list map dict void never uuid date datetime bigint symbol \
    secretstr secretstring charsequence stringfield charfield anystr uint8array uint8clampedarray buffer arraybuffer \
    cryptokey keyobject bytestring bytea nvarchar varchar2 nchar clob citext tinytext mediumtext longtext varbinary json \
    jsonb timestamp timestamptz smallint tinyint decimal real serial bigserial qstring nsstring cstring pathbuf osstring \
    duration usize u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 uint uint8 uint16 uint32 uint64 int8 int16 int32 int64 float32 \
    float64 rune password_hash textfield passwordfield hiddenfield inputfield",
);

/// Whether `value` is a reference to a secret elsewhere: `$X`, `${X}`, `env.X`, `vault:…`, a path of files or code, a
/// call.
pub(crate) fn is_reference(value: &[u8]) -> bool {
    is_parameter(value)
        || plausibility::is_reference(value)
        || formats::is_path_of_files(value)
        || is_path_of_code(value)
        || is_constant(value)
        || (value.starts_with(b"projects/") && find(value, b"/secrets/").is_some())
        || is_name_of_secret(value)
        || is_call(value)
}

/// `:name`, `%s`, `!Ref`, `0x1f`, `<<EOF`: parameters of statements and formats, tags, and literals of code.
fn is_parameter(value: &[u8]) -> bool {
    let is_name = |name: &[u8]| {
        name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && name.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_')
    };
    match value {
        [b':', name @ ..] => is_name(name),
        [b'0', b'x', digits @ ..] => digits.len() < 16 && digits.iter().all(u8::is_ascii_hexdigit),
        [b'<', b'<', mark @ ..] => {
            mark.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'~' | b'_'))
        }
        [b'!', tag @ ..] => tag.iter().all(u8::is_ascii_alphabetic) && tag.len() > 2,
        [b'%', rest @ ..] => matches!(rest, [b's' | b'v' | b'd' | b'q' | b'r' | b'@']),
        _ => false,
    }
}

/// `config.db.password`, `Settings::API_KEY`, `os.environ`; but not a phrase such as `correct.horse.battery`.
fn is_path_of_code(value: &[u8]) -> bool {
    static ROOTS: Words = Words::new(
        "self this config cfg conf settings options opts props params args env environ process os req request \
        ctx context state store app user account db secrets vars var local data input form fields body event module",
    );
    if find(value, b"::").is_some() {
        return value.split(|byte| *byte == b':').all(|part| part.is_empty() || is_identifier(part));
    }
    let mut parts = value.split(|byte| *byte == b'.');
    let Some(root) = parts.next() else { return false };
    if parts.next().is_none() {
        return false;
    }
    let names_secret = value.split(|byte| *byte == b'.').any(|part| names::strength(part) > Strength::None);
    value.split(|byte| *byte == b'.').all(is_identifier) && (ROOTS.has(root) || names_secret)
}

/// `POLICY_CREATE_SECRET`: the name of a constant, as in `auth/SET_PASSWORD`.
fn is_constant(value: &[u8]) -> bool {
    let start = value.iter().rposition(|byte| matches!(byte, b'/' | b':' | b'.')).map_or(0, |sign| sign + 1);
    let (lead, name) = (slice(value, 0..start), slice(value, start..value.len()));
    let is_of_lead = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b':' | b'.' | b'@' | b'-' | b'_');
    name.contains(&b'_')
        && name.len() >= 8
        && name.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        && lead.iter().all(is_of_lead)
}

/// `db_password`, `MY_API_KEY`: the name of a variable or of an entry that holds it.
fn is_name_of_secret(value: &[u8]) -> bool {
    let words = value.split(|byte| matches!(byte, b'_' | b'-')).count();
    let begins =
        || value.split(|byte| *byte == b'_').next().is_some_and(|word| names::strength(word) == Strength::Strong);
    (2..=3).contains(&words)
        && value.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'))
        && (names::strength(value) == Strength::Strong || begins())
}

fn is_identifier(part: &[u8]) -> bool {
    part.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && !plausibility::is_random(part)
}

/// `getPassword()`, `os.environ["X"]`, `config.get('password')`
fn is_call(value: &[u8]) -> bool {
    let name = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'!' | b'?'))
        .count();
    let called = slice(value, 0..name);
    let rest = slice(value, name..value.len());
    let is_closed = matches!(
        (rest.first(), rest.last()),
        (Some(b'('), Some(b')')) | (Some(b'['), Some(b']')) | (Some(b'{'), Some(b'}'))
    );
    // The closing bracket may come after the value.
    let is_of_argument = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'=' | b'.' | b'&' | b'$' | b'{' | b'[' | b'(')
    };
    let is_open = matches!(rest, [b'(' | b'[' | b'{', argument @ ..]
        if argument.iter().all(is_of_argument) && !is_mixed(argument));
    // `pwd.getpwuid(uid).pw_passwd`
    let is_chain = called.contains(&b'.') && rest.starts_with(b"(") && find(rest, b").").is_some();
    // `decode(text)["password"]`
    let is_chain = is_chain || (rest.starts_with(b"(") && rest.ends_with(b"]") && find(rest, b")[").is_some());
    name >= 3
        && (is_closed || is_open || is_chain)
        && called.iter().filter(|byte| byte.is_ascii_digit()).count() < 5
        && !plausibility::is_random(called)
}

/// Whether `argument` has digits and letters of both cases, as no name of a variable has.
fn is_mixed(argument: &[u8]) -> bool {
    let has = |class: fn(&u8) -> bool| argument.iter().any(class);
    has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// Whether `value` is used in place of a secret: a placeholder, a literal such as `null`, a type, or a text about one.
pub(crate) fn is_stand_in(value: &[u8]) -> bool {
    is_literal(value)
        || formats::is_algorithm(value)
        || is_placeholder(value)
        || is_type(value)
        || is_label(value)
        || labels::is_wide_label(value)
        || labels::is_title(value)
}

fn is_literal(value: &[u8]) -> bool {
    // A prompt: "Password: "
    let end = value.iter().rposition(|byte| !matches!(byte, b':' | b' ' | b'?' | b'*')).map_or(0, |last| last + 1);
    let value = if end > 0 { slice(value, 0..end) } else { value };
    // A label in another language: "Passwort", "Clé d'API"
    let is_phrase =
        || ["كلمة المرور", "كلمة السر", "bí mật"].iter().any(|label| label.as_bytes().eq_ignore_ascii_case(value));
    let is_label = value.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80 || matches!(byte, b' ' | b'\''))
        && names::strength(value) == Strength::Strong;
    is_label || is_phrase() || LITERALS.has(value) || LABELS.has(value) || value.len() < 16 && has_no_letters(value)
}

/// Whether `value` consists of a few signs, such as a dash or a tick.
fn has_no_letters(value: &[u8]) -> bool {
    let is_sign = |letter: char| !letter.is_alphanumeric();
    std::str::from_utf8(value).is_ok_and(|text| text.chars().take(6).all(is_sign) && text.chars().nth(5).is_none())
}

fn is_placeholder(value: &[u8]) -> bool {
    let is_filler = value.len() >= 3
        && value.iter().all(|byte| matches!(byte, b'x' | b'X' | b'*' | b'.' | b'#' | b'_' | b'-' | b'?'));
    let is_bracketed = matches!(
        (value.first(), value.last()),
        (Some(b'<'), Some(b'>')) | (Some(b'['), Some(b']')) | (Some(b'{'), Some(b'}')) | (Some(b'('), Some(b')'))
    ) && !plausibility::is_random(value);
    let is_bracketed = is_bracketed || (value.starts_with("（".as_bytes()) && value.ends_with("）".as_bytes()));
    let is_bulleted = std::str::from_utf8(value)
        .is_ok_and(|text| text.chars().all(|letter| matches!(letter, '•' | '●' | '…' | '∗' | '·')));
    // A header of a private key without its body
    let is_header = value.starts_with(b"-----");
    // `user=%s password=%s`
    let is_format = find(value, b"%s").is_some();
    is_header
        || is_format
        || is_filler
        || is_bracketed
        || is_bulleted
        || has_placeholder_word(value)
        || plausibility::has_interpolation(value)
}

/// `your-password`, `CHANGE_ME`, `example`: one of its words, and nothing in it that is chosen.
fn has_placeholder_word(value: &[u8]) -> bool {
    let words = || value.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_nth = |number: usize, known: &[u8]| words().nth(number).is_some_and(|word| word.eq_ignore_ascii_case(known));
    let is_change_me = is_nth(0, b"change") && (is_nth(1, b"me") || is_nth(1, b"this"));
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    // In a phrase, it is one of the words.
    let is_at_edge = [words().next(), words().next_back()].into_iter().flatten().any(placeholders::is_word)
        || words().any(|word| word.eq_ignore_ascii_case(b"your"));
    let is_about_secret = || words().any(|word| names::strength(word) > Strength::None);
    // `replace-with-a-long-random-string`
    let is_request = || (is_nth(0, b"replace") || is_nth(0, b"insert")) && digits == 0 && words().count() >= 3;
    is_change_me
        || is_request()
        || (digits < 3 && is_at_edge && (words().count() <= 2 || is_about_secret()))
        || find(value, b"...").is_some()
        || find(value, "…".as_bytes()).is_some()
        || find(value, b"****").is_some()
        || find(value, b"xxxxx").is_some()
}

/// `string`, `varchar(255)`, `Option<String>`, `&'static str`
fn is_type(value: &[u8]) -> bool {
    let end = value.iter().position(|byte| matches!(byte, b'(' | b'<' | b'[' | b'?' | b'|')).unwrap_or(value.len());
    let head = slice(value, 0..end);
    // In GraphQL: `String!`
    let head = head.strip_suffix(b"!").unwrap_or(head);
    static GENERICS: Words = Words::new("option optional vec list array maybe box arc rc secret zeroizing nullable");
    let is_generic = end < value.len() && GENERICS.has(head);
    // `required|string|size:40`
    let is_rule = value.get(end) == Some(&b'|') && (LITERALS.has(head) || TYPES.has(head));
    let bare = head.strip_prefix(b"&").unwrap_or(head);
    let bare = bare.strip_prefix(b"'static ").unwrap_or(bare);
    is_generic || is_rule || TYPES.has(bare)
}

/// A sentence about a secret, and not a passphrase: "Enter your password", "Must have 8 characters."
fn is_label(value: &[u8]) -> bool {
    let words = || value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let count = words().count();
    if count < 2 {
        return false;
    }
    let functions = words().filter(|word| is_function_word(word)).count();
    let names = words().any(|word| names::strength(bare(word)) == Strength::Strong);
    let is_sentence =
        value.first().is_some_and(u8::is_ascii_uppercase) || matches!(value.last(), Some(b'.' | b'?' | b'!' | b':'));
    (functions > 0 && (names || is_sentence)) || (3 * functions > count && count > 3) || (2 * functions > count)
}

/// Whether `value` consists of four or more plain words that form no sentence: `correct horse battery staple`.
pub(crate) fn is_plain_phrase(value: &[u8]) -> bool {
    let words = || value.split(|byte| *byte == b' ');
    // The count is asked last: most lines have another word soon.
    words().all(|word| word.len() >= 3 && word.iter().all(u8::is_ascii_lowercase) && !is_function_word(word))
        && words().count() >= 4
}

/// `word` without the punctuation around it.
fn bare(word: &[u8]) -> &[u8] {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    let start = word.iter().position(is_letter).unwrap_or(word.len());
    let end = word.iter().rposition(is_letter).map_or(start, |last| last + 1);
    slice(word, start..end)
}

/// Whether a sentence about a secret may begin with `word`: `generated by setup.sh`, `(see the vault)`. A word with digits is
/// no such word.
pub(crate) fn begins_sentence(word: &[u8]) -> bool {
    static PARTICIPLES: Words = Words::new(
        "injected generated provided loaded mounted configured managed prompted rotated fetched pulled filled supplied \
        passed defined created taken resolved exported replaced removed shared derived needed redacted encrypted \
        unused deprecated comes minimum maximum wrong falsch run replace insert put add pass paste fill generate ask your",
    );
    let word = bare(word);
    PARTICIPLES.has(word) || is_function_word(word)
}

/// Whether `word` may follow the first word of a sentence that is about that: `hunter2 works on staging`.
pub(crate) fn continues_subject(word: &[u8]) -> bool {
    static VERBS: Words =
        Words::new("works worked opens opened unlocks unlocked expires expired still now until while since as by");
    VERBS.has(bare(word)) || is_function_word(word)
}

/// Whether `value` is a word of a language or a format.
pub(crate) fn is_word_of_format(value: &[u8]) -> bool {
    LITERALS.has(value)
}

/// Whether `word` is one that sentences need and passphrases do not.
fn is_function_word(word: &[u8]) -> bool {
    static FUNCTION_WORDS: Words = Words::new(
        "the a an is are be must to your my our we they of for with and or not at least in on this that please enter \
        required invalid do does did should has have had was were will can may no from by if it its as see ask same use \
        used set get got via into out only also kept stored read written when until after before then than but all any \
        forgot choose confirm try again too short must der die das ist und oder bitte ein eine ihr nicht le la les un une est et ou votre el los \
        es su y de il per non che siehe beim fragen erfragen voir chez véase pregunta preguntar zie vraag vedi chiedi \
        chiedere см смотри спросить zobacz patrz zapytaj viz katso fråga spør spørg",
    );
    FUNCTION_WORDS.has(bare(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_no_secrets() {
        for value in [
            "${DB_PASSWORD}",
            "$DB_PASSWORD",
            "vault:kv/db#password",
            "op://Private/db",
            "env:DB_PASSWORD",
            "file:/run/secrets/db",
            "/run/secrets/db",
            "~/.ssh/id_ed25519",
            "config.db.password",
            "self.token",
            "Settings::API_KEY",
            "os.getenv('X')",
            "getPassword()",
            "db_password",
            ":password",
            "%s",
            "!Ref",
            "0x1F",
        ] {
            assert!(is_reference(value.as_bytes()), "{value}");
        }
        for value in ["hunter2", "correct-horse-battery", "correct.horse.battery", "$ecr3t-77", "a(b)c", "letmein1"] {
            assert!(!is_reference(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn stand_ins_are_no_secrets() {
        for value in [
            "changeme",
            "CHANGE_ME",
            "xxx",
            "***",
            "••••••",
            "<your password>",
            "your-api-key-here",
            "null",
            "false",
            "include",
            "string",
            "varchar(255)",
            "Option<String>",
            "&'static str",
            "Enter your password",
            "Mot de passe oublié ?",
            "Must have at least 8 characters.",
            "{{ password }}",
            "password",
        ] {
            assert!(is_stand_in(value.as_bytes()), "{value}");
        }
        for value in ["hunter", "correct horse battery staple", "sunshine", "12345678", "example77x9", "stringent"] {
            assert!(!is_stand_in(value.as_bytes()), "{value}");
        }
    }
}
