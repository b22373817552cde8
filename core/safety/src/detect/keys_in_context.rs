//! Keys that look like digests, which only the words around them tell apart: older tokens of Azure DevOps, keys of
//! Azure Cosmos DB and of WireGuard.

use std::ops::Range;

use crate::classify::plausibility;
use crate::rules::general::{KEYED_VALUE, STORAGE_KEY};
use crate::text::bytes::{contains_ignoring_case, find, peek, run_end, run_start, slice};

/// The rule for tokens of Azure DevOps.
const AZURE_DEVOPS: &str = "azure-devops-pat";
/// How far before a key the word for it may be, in bytes.
const MAX_LEAD: usize = 128;

/// The key that is the run of base64 at `run`, and its rule.
pub(crate) fn find_in(text: &[u8], run: &Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let lead = slice(text, run.start.saturating_sub(MAX_LEAD)..run.start);
    match run.len() {
        52 => azure_devops(text, run, lead).then(|| (AZURE_DEVOPS, run.clone())),
        86 => cosmos(text, run, lead).then(|| (STORAGE_KEY, run.start..run.end + 2)),
        43 => wireguard(text, run, lead).then(|| (KEYED_VALUE, run.start..run.end + 1)),
        _ => None,
    }
}

/// 52 characters of base32.
fn azure_devops(text: &[u8], run: &Range<usize>, lead: &[u8]) -> bool {
    let key = slice(text, run.clone());
    let is_one = key.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'))
        && key.iter().filter(|byte| byte.is_ascii_digit()).count() >= 4;
    is_one
        && (contains_ignoring_case(lead, b"azure")
            || contains_ignoring_case(lead, b"devops")
            || lead.split(|byte| !byte.is_ascii_alphabetic()).any(|word| matches!(word, b"PAT" | b"Pat" | b"pat")))
}

/// 86 characters of base64, and `==`.
fn cosmos(text: &[u8], run: &Range<usize>, lead: &[u8]) -> bool {
    peek(text, run.end, 3).starts_with(b"==")
        && text.get(run.end + 2) != Some(&b'=')
        && (contains_ignoring_case(lead, b"cosmos") || contains_ignoring_case(lead, b"documents.azure.com"))
        && plausibility::is_random(slice(text, run.clone()))
}

/// 43 characters of base64, and `=`: what `wg genkey` prints, what `wg set` reads, and the contents of a file of a key.
fn wireguard(text: &[u8], run: &Range<usize>, lead: &[u8]) -> bool {
    const WORDS: [&[u8]; 8] = [
        b"wg genkey",
        b"wg genpsk",
        b"cat psk",
        b"wg0.key",
        b"private-key ",
        b"privatekey",
        b"private.key",
        b"preshared",
    ];
    if text.get(run.end) != Some(&b'=') || text.get(run.end + 1) == Some(&b'=') {
        return false;
    }
    // This line, and the one before it.
    let line = run_start(lead, lead.len(), lead.len(), |byte| byte != b'\n');
    let above = run_start(lead, line.saturating_sub(1), lead.len(), |byte| byte != b'\n');
    let near = slice(lead, above..lead.len());
    let after = slice(text, run.end..run_end(text, run.end, MAX_LEAD, |byte| byte != b'\n'));
    let is_named = WORDS.iter().any(|word| find(near, word).is_some())
        || (find(after, b"wireguard").is_some() && find(after, b"private").is_some());
    is_named && find(near, b"ublic").is_none() && plausibility::is_random(slice(text, run.clone()))
}
