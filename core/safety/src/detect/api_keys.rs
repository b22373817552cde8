//! API keys that sentences state in languages other than English: "Der API-Schlüssel ist …", "La clé d'API est …",
//! "APIキーは … です".

use std::ops::Range;

use crate::classify::names::Strength;
use crate::detect::announced;
use crate::detect::keyed;
use crate::detect::name::Name;
use crate::text::bytes::{ends_ignoring_case, run_end, run_start, slice, starts_ignoring_case};

/// Words for a key after `API`, without their endings.
const AFTER: [&str; 13] = [
    "schlüssel",
    "schluessel",
    "sleutel",
    "nyckel",
    "nøkkel",
    "nøgle",
    "avai",
    "anahtar",
    "密钥",
    "密鑰",
    "金鑰",
    "キー",
    "키",
];
/// Words for a key before `API`.
const BEFORE: [&str; 22] = [
    "clé d'",
    "clé d’",
    "clé ",
    "clef d'",
    "cle d'",
    "clave de ",
    "clave de la ",
    "clave ",
    "chave de ",
    "chave da ",
    "chave ",
    "chiave ",
    "chiave dell'",
    "klucz ",
    "klucz do ",
    "klíč ",
    "klíč k ",
    "люч ",
    "люч к ",
    "люч до ",
    "λειδί ",
    "λειδί του ",
];

/// The key after the word `API` at `api`.
pub(crate) fn stated(text: &[u8], api: Range<usize>) -> Option<Range<usize>> {
    let name = name(text, &api)?;
    keyed::assigned(text, &name).or_else(|| announced::value(text, &name, true))
}

/// As [`stated`], if a hyphen at `hyphen` joins the parts of the name.
pub(crate) fn joined(text: &[u8], hyphen: usize) -> Option<Range<usize>> {
    let start = hyphen.checked_sub(3)?;
    slice(text, start..hyphen).eq_ignore_ascii_case(b"API").then(|| stated(text, start..hyphen)).flatten()
}

/// The whole name that `API` is a part of.
fn name(text: &[u8], api: &Range<usize>) -> Option<Name> {
    let gap = run_end(text, api.end, 1, |byte| matches!(byte, b' ' | b'-'));
    let rest = slice(text, gap..text.len().min(gap + 24));
    let end = AFTER.iter().find(|word| starts_ignoring_case(rest, word.as_bytes())).map(|word| {
        let end = gap + word.len();
        // Particles follow the words of scripts without spaces.
        let is_wide = word.as_bytes().first().is_some_and(|first| *first >= 0xe3);
        if is_wide {
            end
        } else {
            run_end(text, end, 8, |byte| byte.is_ascii_lowercase() || matches!(byte, 0x80..=0xc5))
        }
    });
    let place = match end {
        Some(end) => api.start..end,
        None => {
            let before = slice(text, api.start.saturating_sub(24)..api.start);
            let word = BEFORE.iter().find(|word| ends_ignoring_case(before, word.as_bytes()))?;
            run_start(text, api.start - word.len(), 2, |byte| byte >= 0x80)..api.end
        }
    };
    Some(Name { place, strength: Strength::Strong })
}
