//! Secrets that were cut into pieces: at a line break, at a backslash or `=` that ends a line, by string concatenation
//! in code, or by blanks.
//!
//! A provider's prefix and the beginning of a token before a cut start the search, as do two string literals with an
//! operator between them. The pieces are put together, and the result is searched like any text. Only what extends over
//! a cut is new.

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use crate::classify::plausibility;
use crate::detect::line_hints;
use crate::detect::normalize::NormalizedText;
use crate::detect::tokens::{self, Begun};
use crate::mark::found::{Found, sorted_ranges};
use crate::rules;
use crate::rules::providers::Alphabet;
use crate::text::bytes::{
    ends_ignoring_case, is_blank, is_of_run, is_of_token, is_quote, line_around, peek, run_end, run_start, slice,
};
use crate::text::gutters;
use crate::text::masks;

/// The longest piece, in bytes.
const MAX_PIECE: usize = 512;
/// The maximum number of pieces.
const MAX_PIECES: usize = 64;
/// The most white space between two literals, in bytes.
const MAX_GAP: usize = 160;
/// Cuts that are closer to each other than this are in one view.
const MAX_BETWEEN: usize = 256;
/// The most bytes between the bracket of a call and its first literal: `strings.Join([]string{`.
const MAX_OPENING: usize = 24;
/// How much text on either side of the cuts is part of a view, in bytes.
const CONTEXT: usize = 192;
/// A complete token continues on the next line only with at least this many characters.
const MIN_CONTINUATION: usize = 6;
/// What joins two literals; a comma, only in the arguments of some calls.
#[rustfmt::skip]
const OPERATORS: [&[u8]; 19] = [
    b".concat(", b").append(", b").concat(", b"||", b"<>", b"++", b"..", b"//", b"& _", b"+ \\", b". \\", b"+", b".", b"&", b"~",
    b"^", b") + ", b"\\", b",",
];
/// How far after a name the first characters of a spaced token are, in bytes.
const SPACED_REACH: usize = 96;

/// A part of a text without the cuts in it.
#[derive(Debug)]
pub(crate) struct View {
    text: NormalizedText,
    cuts: Vec<Range<usize>>,
}

impl View {
    pub(crate) fn text(&self) -> &NormalizedText {
        &self.text
    }

    /// Whether `place`, in the original, extends over a cut.
    pub(crate) fn is_new(&self, place: &Range<usize>) -> bool {
        let next = self.cuts.partition_point(|cut| cut.start <= place.start);
        self.cuts.get(next).is_some_and(|cut| cut.end < place.end)
    }
}

/// The parts of `text` in which a secret may have been cut. `breaks`: the line breaks that may cut a token.
/// `known`: what was found without that.
pub(crate) fn views(text: &[u8], breaks: &[usize], known: &[Found<'_>]) -> Vec<View> {
    let mut cuts = Vec::new();
    at_line_breaks(text, breaks, &mut cuts);
    between_literals(text, &mut cuts);
    // What ends a secret may be a mark that was escaped several times.
    cuts.extend(
        known.iter().filter_map(|found| literals(text, found.place.end)).filter(|it| !it.1).map(|(cut, _)| cut),
    );
    if cuts.is_empty() {
        return Vec::new();
    }
    let mut groups: Vec<Vec<Range<usize>>> = Vec::new();
    for cut in sorted_ranges(cuts.into_iter()) {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|last| cut.start <= last.end + MAX_BETWEEN) => {
                match group.last_mut() {
                    Some(last) if cut.start < last.end => last.end = last.end.max(cut.end),
                    _ => group.push(cut),
                }
            }
            _ => groups.push(vec![cut]),
        }
    }
    groups.into_iter().filter_map(|cuts| view(text, cuts)).collect()
}

fn view(text: &[u8], cuts: Vec<Range<usize>>) -> Option<View> {
    let (first, last) = (cuts.first()?, cuts.last()?);
    let start = run_start(text, first.start, CONTEXT, |byte| byte != b'\n');
    let end = run_end(text, last.end, 2 * CONTEXT, |byte| byte != b'\n');
    Some(View { text: NormalizedText::joined(text, start..end, &cuts), cuts })
}

/// How certain it is that the text continues after a cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// The text says so.
    Explicit,
    /// A line break, which may be the end.
    Line,
}

/// Adds the cuts at the ends of lines.
fn at_line_breaks(text: &[u8], breaks: &[usize], cuts: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for newline in breaks.iter().copied().filter(|newline| *newline > 0) {
        let line_end = newline - usize::from(text.get(newline - 1) == Some(&b'\r'));
        let end =
            line_end - usize::from(matches!(line_end.checked_sub(1).and_then(|at| text.get(at)), Some(b'\\' | b'=')));
        let Some(last) = end.checked_sub(1).filter(|_| end >= done) else { continue };
        match text.get(last) {
            Some(byte) if is_quote(*byte) => {
                cuts.extend(literals(text, last).filter(|(_, is_list)| !is_list).map(|(cut, _)| cut));
                continue;
            }
            Some(byte) if is_of_token(*byte) => {}
            _ => continue,
        }
        if text.get(end) == Some(&b'\\') {
            // A backslash inside a word.
            let next = line_break(text, end + 1).filter(|next| text.get(*next).is_some_and(|byte| is_of_token(*byte)));
            cuts.extend(next.map(|next| end..next));
            continue;
        }
        let start = run_start(text, end, MAX_PIECE, is_of_token);
        let begun = tokens::begun_in(text, start..end);
        if let Some((pieces, next)) = begun.and_then(|begun| pieces(text, &begun, end)) {
            cuts.extend(pieces);
            done = next;
        }
    }
}

/// The token in the literals that the call with the bracket at `bracket` joins: its rule, its place, and the token. The
/// literals are its arguments, as in `concat!("…", "…")` and `"".join(["…", "…"])`, or the list before it, as in
/// `["…", "…"].join("")`.
pub(crate) fn joined_arguments(text: &[u8], bracket: usize) -> Option<(&'static str, Range<usize>, Vec<u8>)> {
    const CALLS: [&[u8]; 6] = [b"concat", b"join", b"paste", b"paste0", b"sprintf", b"format"];
    if !matches!(
        bracket.checked_sub(1).and_then(|last| text.get(last)),
        Some(b't' | b'n' | b'e' | b'0' | b'f' | b'!' | b'T' | b'N')
    ) {
        return None;
    }
    let name = slice(text, bracket.saturating_sub(8)..bracket);
    let name = name.strip_suffix(b"!").unwrap_or(name);
    let call = CALLS.iter().find(|call| ends_ignoring_case(name, call))?;
    let list = bracket.checked_sub(call.len() + 1).filter(|end| slice(text, end.saturating_sub(1)..*end) == b"]");
    let open = match list {
        Some(end) => {
            let from = end.saturating_sub(MAX_PIECE);
            from + memchr::memrchr(b'[', slice(text, from..end))?
        }
        None => bracket,
    };
    let quote = run_end(text, open + 1, MAX_OPENING, |byte| !is_quote(byte));
    let piece = |start: usize| start..run_end(text, start, MAX_PIECE, is_of_literal);
    let next = |last: &Range<usize>| literals(text, last.end).map(|(cut, _)| piece(cut.end));
    let pieces: Vec<_> = std::iter::successors(Some(piece(text.len().min(quote + 1))), next).take(MAX_PIECES).collect();
    // A format or a separator may come first.
    let is_format =
        |place: &Range<usize>| slice(text, place.clone()).iter().all(|byte| matches!(byte, b'%' | b's' | b'{' | b'}'));
    let pieces = pieces.get(pieces.iter().take_while(|place| is_format(place)).count()..)?;
    let token = pieces.iter().flat_map(|place| slice(text, place.clone())).copied().collect::<Vec<_>>();
    let (first, last) = (pieces.first()?, pieces.last()?);
    Some((provider_of(&token)?, first.start..last.end, token))
}

/// A byte of a literal that is a piece of a token, or a format.
const fn is_of_literal(byte: u8) -> bool {
    is_of_token(byte) || matches!(byte, b'%' | b'{' | b'}')
}

/// The first piece of a token that may continue after `lines`, which end in a line break. The last pieces of it are at
/// the end of `lines`.
pub(crate) fn begun_at_end(lines: &[u8]) -> Option<Range<usize>> {
    let mut first = None;
    let mut newline = memchr::memrchr(b'\n', lines)?;
    for _ in 0..MAX_PIECES {
        let line_end = LineEnd::of(lines, newline);
        first = continued_to_end(lines, newline, &line_end).or(first);
        let Some(before) = memchr::memrchr(b'\n', slice(lines, 0..newline)) else { break };
        // A line of several words is no piece of what began before it.
        if line_break(lines, before)
            .is_none_or(|head| lines.get(head..line_end.word).is_some_and(|words| words.contains(&b' ')))
        {
            break;
        }
        newline = before;
    }
    first
}

/// What is before a line break.
struct LineEnd {
    /// Where the white space before the line break starts.
    solid: usize,
    /// Where an operator and the white space around it start, too.
    word: usize,
}

impl LineEnd {
    fn of(text: &[u8], newline: usize) -> Self {
        let is_of_operator =
            |byte: u8| matches!(byte, b'\\' | b'=' | b'+' | b'.' | b'&' | b'|' | b'~' | b'^' | b'<' | b'>');
        let solid = run_start(text, newline, MAX_GAP, |byte| is_blank(byte) || byte == b'\r');
        let operator = run_start(text, solid, 3, is_of_operator);
        LineEnd { solid, word: run_start(text, operator, MAX_GAP, is_blank) }
    }
}

/// The first piece of a token, before the line break at `newline`, whose further pieces extend to the end of `lines`.
fn continued_to_end(lines: &[u8], newline: usize, line_end: &LineEnd) -> Option<Range<usize>> {
    let quote = line_end.word.checked_sub(1)?;
    let is_literal = lines.get(quote).is_some_and(|byte| is_quote(*byte));
    if !is_literal && !line_hints::may_cut_token(lines, newline) {
        return None;
    }
    let is_marked = || line_end.solid.checked_sub(1).is_some_and(|at| matches!(lines.get(at), Some(b'\\' | b'=')));
    let end = if is_literal { quote } else { line_end.solid - usize::from(is_marked()) };
    let start = run_start(lines, end, MAX_PIECE, is_of_token);
    let begun = tokens::begun_in(lines, start..end)?;
    // `api-server`, `KEY`
    let body = slice(lines, begun.body..end);
    let is_word = !body.iter().any(u8::is_ascii_digit)
        && (body.iter().all(|byte| !byte.is_ascii_lowercase()) || body.iter().all(|byte| !byte.is_ascii_uppercase()));
    if is_word && !begun.provider.firm {
        return None;
    }
    let reaches_end = match is_literal {
        true => last_literal(lines, quote).is_some_and(|quote| is_open_at_end(lines, quote)),
        false => {
            let (.., end) = joined(lines, &begun, end);
            cut_at(lines, end, begun.provider.alphabet).is_some_and(|(cut, _)| cut.end == lines.len())
        }
    };
    reaches_end.then_some(begun.start..end)
}

/// The quotation mark at the end of the last of the literals that are joined to the one before `quote`.
fn last_literal(text: &[u8], quote: usize) -> Option<usize> {
    let mut quote = quote;
    for _ in 0..MAX_PIECES {
        let Some((cut, is_list)) = literals(text, quote) else { return Some(quote) };
        quote = run_end(text, cut.end, MAX_PIECE, is_of_token);
        if is_list || !text.get(quote).is_some_and(|byte| is_quote(*byte)) {
            return None;
        }
    }
    None
}

/// Whether nothing follows the literal before `quote` but an operator that may join another one to it.
fn is_open_at_end(text: &[u8], quote: usize) -> bool {
    let rest = text.get(quote + 1..).unwrap_or_default().trim_ascii();
    rest.is_empty() || OPERATORS.iter().any(|operator| *operator == rest && *operator != b",")
}

/// The cuts in the token whose first piece ends at `end`, and the end of its last piece.
fn pieces(text: &[u8], begun: &Begun, end: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let (cuts, body, end) = joined(text, begun, end);
    let is_whole = body.len() >= begun.provider.minimum && tokens::is_body_random(&body);
    (!cuts.is_empty() && is_whole).then_some((cuts, end))
}

/// The cuts in what may be a token whose first piece ends at `end`, its body, and the end of its last piece.
fn joined(text: &[u8], begun: &Begun, end: usize) -> (Vec<Range<usize>>, Vec<u8>, usize) {
    let alphabet = begun.provider.alphabet;
    let mut body = slice(text, begun.body..end).to_vec();
    let (mut cuts, mut end) = (Vec::new(), end);
    while let Some((cut, kind)) = cut_at(text, end, alphabet).filter(|_| cuts.len() < MAX_PIECES) {
        let next = run_end(text, cut.end, MAX_PIECE, |byte| alphabet.contains(byte));
        let piece = slice(text, cut.end..next);
        let is_complete = body.len() >= begun.provider.minimum;
        if piece.is_empty() || (kind == Cut::Line && !continues(begun, &body, piece, text.get(next), is_complete)) {
            break;
        }
        body.extend_from_slice(piece);
        end = next;
        cuts.push(cut);
    }
    (cuts, body, end)
}

/// What separates two pieces at `at`, if the text is cut there.
fn cut_at(text: &[u8], at: usize, alphabet: Alphabet) -> Option<(Range<usize>, Cut)> {
    match text.get(at)? {
        b'\\' => line_break(text, at + 1).map(|end| (at..end, Cut::Explicit)),
        b'=' if !alphabet.contains(b'=') => line_break(text, at + 1).map(|end| (at..end, Cut::Explicit)),
        b'\r' | b'\n' => line_break(text, at).map(|end| (at..end, Cut::Line)),
        _ => None,
    }
}

/// The start of the text in the line after the line break at `at`.
fn line_break(text: &[u8], at: usize) -> Option<usize> {
    let newline = at + usize::from(text.get(at) == Some(&b'\r'));
    (text.get(newline) == Some(&b'\n')).then_some(())?;
    let line = slice(text, newline + 1..text.len().min(newline + 1 + MAX_GAP));
    let indent = run_end(line, 0, MAX_GAP, is_blank);
    // `a1b2c3 | x` is not the name of a container.
    let word = slice(line, indent..run_end(line, indent, MAX_GAP, |byte| byte.is_ascii_alphanumeric()));
    let gutter = if word.len() >= MIN_CONTINUATION && is_mixed(word) { 0 } else { gutters::width(line) };
    // The sign of a patch is before all of its lines.
    let is_sign = || matches!(line.first(), Some(b'+' | b'-')) && text.get(line_around(text, at).start) != line.first();
    let gutter = if gutter == 1 && is_sign() { 0 } else { gutter };
    Some(newline + 1 + run_end(line, gutter.max(indent), MAX_GAP, is_blank))
}

/// From the end of a literal at `quote` to the start of the next one, and whether there is a comma between them rather
/// than an operator.
fn literals(text: &[u8], quote: usize) -> Option<(Range<usize>, bool)> {
    let mark = *text.get(quote).filter(|mark| !mark.is_ascii_whitespace())?;
    let mut at = white_space(text, quote + 1);
    let rest = slice(text, at..text.len().min(at + 16));
    let operator = OPERATORS.iter().find(|operator| rest.starts_with(operator));
    at = match operator {
        Some(operator) => white_space(text, at + operator.len()),
        // Literals with nothing but white space between them are one in C and Python.
        None if at > quote + 1 => at,
        // And in a shell without that.
        None if is_quote(mark) && text.get(at + 1).is_some_and(|byte| is_of_token(*byte)) => at,
        None => return None,
    };
    let is_any = operator.is_some() || at == quote + 1;
    let prefix = usize::from(matches!(text.get(at), Some(b'b' | b'f' | b'r' | b'u' | b'L' | b'@')));
    let is_list = operator == Some(&&b","[..]);
    let next = *text.get(at + prefix)?;
    // Marks may differ, but for the beginning of a block of Markdown.
    let is_literal = next == mark || (is_any && is_quote(mark) && is_quote(next) && next != b'`');
    // The end of a text in JSON is not the beginning of a literal.
    let is_end = text.get(at + prefix + 1).is_some_and(|byte| matches!(byte, b'}' | b']' | b')' | b',' | b';' | b':'));
    (is_literal && !is_end).then_some((quote..at + prefix + 1, is_list))
}

/// The end of the white space at `at`, which may contain a line break and the gutter of the next line.
fn white_space(text: &[u8], at: usize) -> usize {
    let end = run_end(text, at, MAX_GAP, is_blank);
    // In Visual Basic, an underscore continues the line.
    let end = if matches!(peek(text, end, 2), b"_\n" | b"_\r") { end + 1 } else { end };
    line_break(text, end).unwrap_or(end)
}

/// Whether a token continues in the next line with `piece`, before which its body was `body`. `next` is the byte after
/// it.
fn continues(begun: &Begun, body: &[u8], piece: &[u8], next: Option<&u8>, is_complete: bool) -> bool {
    if begun.provider.prefixes.iter().any(|prefix| piece.starts_with(prefix.as_bytes())) {
        return false;
    }
    let is_hex = |bytes: &[u8]| bytes.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    let mut parts = piece.split(|byte| !byte.is_ascii_alphanumeric());
    let is_mixed = parts.any(is_mixed) || plausibility::is_random(piece);
    let is_number = piece.len() >= 3 && piece.iter().all(u8::is_ascii_digit);
    if is_complete {
        // The token may have ended in the line before.
        is_mixed
            && piece.len() >= MIN_CONTINUATION
            && (is_hex(body) || !is_hex(piece))
            && !tokens::has_checksum(begun.provider.rule, body)
            && next.is_none_or(|next| matches!(next, b'\r' | b'\n' | b'"' | b'\'' | b'`' | b',' | b'<' | b')' | b'}'))
    } else {
        (is_mixed || is_number) && next.is_none_or(|next| !matches!(next, b'=' | b':' | b'(' | b'/' | b'@' | b'['))
    }
}

/// Whether a run of letters and digits is neither a word nor a number.
fn is_mixed(run: &[u8]) -> bool {
    let rest = run.get(1..).unwrap_or_default();
    let has_digit = run.iter().any(u8::is_ascii_digit);
    let has_letter = run.iter().any(u8::is_ascii_alphabetic);
    let is_cased = rest.iter().any(u8::is_ascii_uppercase) && run.iter().any(u8::is_ascii_lowercase);
    (has_digit && has_letter) || is_cased
}

/// The token in groups as long as the one at `start`, of which the last may be shorter: its rule, its place, and the
/// token.
fn groups(text: &[u8], start: usize) -> Option<(&'static str, Range<usize>, Vec<u8>)> {
    let mut end = run_end(text, start, 20, is_of_token);
    let length = end - start;
    if text.get(end) != Some(&b' ') || !(4..=16).contains(&length) {
        return None;
    }
    let mut token = slice(text, start..end).to_vec();
    for _ in 0..MAX_PIECES {
        let start = run_end(text, end, 3, |byte| byte == b' ');
        let next = run_end(text, start, length + 1, is_of_token);
        let group = slice(text, start..next);
        let is_last = group.len() < length;
        let is_word = group.len() > 1 && !is_mixed(group) && !group.iter().all(u8::is_ascii_digit);
        if start == end || group.is_empty() || group.len() > length || (is_last && is_word) {
            break;
        }
        token.extend_from_slice(group);
        end = next;
        if is_last {
            break;
        }
    }
    Some((provider_of(&token)?, start..end, token))
}

/// The rule of the provider's token that `text` starts with.
fn provider_of(text: &[u8]) -> Option<&'static str> {
    let mut found = Vec::new();
    tokens::find(text, &|_| None, &mut found);
    let is_random = || tokens::is_body_random(slice(text, 0..text.len().min(MAX_PIECE)));
    found
        .iter()
        .find(|found| found.place.start == 0 && rules::precedence(found.rule) == 0 && is_random())
        .map(|found| found.rule)
}

/// Adds the cuts between string literals that are joined, if both sides of a cut may be of a secret.
fn between_literals(text: &[u8], cuts: &mut Vec<Range<usize>>) {
    // Nothing but white space is also between the arguments of a command.
    let is_white =
        |cut: &Range<usize>| cut.len() > 2 && slice(text, cut.start + 1..cut.end - 1).trim_ascii().is_empty();
    let begins = |quote: usize| tokens::begun_in(text, run_start(text, quote, MAX_PIECE, is_of_token)..quote).is_some();
    let may_be_cut = |byte: Option<&u8>| byte.is_some_and(|byte| is_of_run(*byte) || *byte == b':');
    let mut done = 0;
    let is_mark = |byte| (byte == b'"') | (byte == b'\'') | (byte == b'`');
    let ControlFlow::Continue(()) = masks::each_position(text, is_mark, |first| -> ControlFlow<Infallible> {
        let mut quote = first;
        while quote >= done
            && may_be_cut(quote.checked_sub(1).and_then(|last| text.get(last)))
            && may_be_joined(text, quote)
            && let Some((cut, false)) = literals(text, quote)
            && may_be_cut(text.get(cut.end))
            && (!is_white(&cut) || begins(quote))
        {
            quote = run_end(text, cut.end, MAX_PIECE, is_of_token);
            done = cut.end;
            cuts.push(cut);
        }
        ControlFlow::Continue(())
    });
}

/// Whether an operator or another literal may follow the quotation mark at `quote`, judged by one byte: most marks are
/// followed by other punctuation, or by the text that they open.
fn may_be_joined(text: &[u8], quote: usize) -> bool {
    let next = run_end(text, quote + 1, 4, is_blank);
    matches!(
        text.get(next),
        Some(
            b'+' | b'.'
                | b'&'
                | b'|'
                | b'~'
                | b'^'
                | b'<'
                | b'/'
                | b'\\'
                | b'_'
                | b')'
                | b'"'
                | b'\''
                | b'`'
                | b'\r'
                | b'\n'
        )
    )
}

/// The provider's token soon after `from` that was written as single characters or in groups, with blanks between them:
/// its rule, its place, and the token without the blanks. It is searched for only after a name, since most text has
/// such words, and not before `done`.
pub(crate) fn spaced(text: &[u8], from: usize, done: &mut usize) -> Option<(&'static str, Range<usize>, Vec<u8>)> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // How many bytes have their highest bit set, if none has another one.
    let count = |bytes: u64| (bytes >> 7).wrapping_mul(EACH) >> 56;
    let from = std::mem::replace(done, from + SPACED_REACH).max(from)..from + SPACED_REACH;
    from.step_by(24).find_map(|at| {
        let bytes = u64::from_le_bytes(*text.get(at..)?.first_chunk()?);
        let differs = bytes ^ (EACH * u64::from(b' '));
        // The highest bit of each byte that is a blank; exact for ASCII.
        let blanks = differs.wrapping_sub(EACH) & !differs & (EACH << 7);
        match count(blanks) {
            3..=6 if count(!blanks & (blanks << 8) & (blanks >> 8) & (EACH << 7)) > 1 => singles(text, at),
            _ if has_token_like(bytes) => groups_around(text, at).or_else(|| hex_pairs(text, at)),
            _ => None,
        }
    })
}

/// Whether one of eight bytes is a digit or a capital, or punctuation beside them.
const fn has_token_like(bytes: u64) -> bool {
    ((bytes & !(bytes << 1)) | (!bytes & (bytes << 1) & (bytes << 2))) & 0x4040_4040_4040_4040 != 0
}

/// The token around `at` that was written as pairs of hexadecimal digits.
fn hex_pairs(text: &[u8], at: usize) -> Option<(&'static str, Range<usize>, Vec<u8>)> {
    let byte = |at: usize| {
        let pair = peek(text, at, 2);
        let is_pair =
            pair.iter().all(u8::is_ascii_hexdigit) && !text.get(at + 2).is_some_and(u8::is_ascii_alphanumeric);
        u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|_| is_pair)?, 16).ok()
    };
    let mut start = run_end(text, at, 3, |byte| byte != b' ') + 1;
    byte(start)?;
    while let Some(before) =
        start.checked_sub(3).filter(|before| text.get(start - 1) == Some(&b' ') && byte(*before).is_some())
    {
        if before + SPACED_REACH < at {
            break;
        }
        start = before;
    }
    let token: Vec<u8> = (start..).step_by(3).take(MAX_PIECE).map_while(byte).collect();
    Some((provider_of(&token)?, start..start + 3 * token.len() - 1, token))
}

/// The token in groups around `at`: its rule, its place, and the token without blanks.
fn groups_around(text: &[u8], at: usize) -> Option<(&'static str, Range<usize>, Vec<u8>)> {
    let first = text.len().min(run_end(text, at, 17, |byte| byte != b' ') + 1);
    let length = run_end(text, first, 17, is_of_token) - first;
    let mut start = first;
    let is_group = |start: usize| {
        let before = start.checked_sub(1)?;
        let run = run_start(text, before, length + 1, is_of_token);
        (text.get(before) == Some(&b' ') && before - run == length).then_some(run)
    };
    if !(4..=16).contains(&length) || is_group(first).is_none() {
        return None;
    }
    let mut known = 0;
    while let Some(before) = is_group(start).filter(|_| known < MAX_PIECES) {
        (start, known) = (before, known + 1);
        if let Some(found) = tokens::may_begin(text, start).then(|| groups(text, start)).flatten() {
            return Some(found);
        }
    }
    None
}

/// The token around `at` whose characters have equally many blanks between them: its rule, its place, and the token.
fn singles(text: &[u8], at: usize) -> Option<(&'static str, Range<usize>, Vec<u8>)> {
    let is_of_word = |at: usize| text.get(at).is_some_and(u8::is_ascii_graphic);
    let is_single = |at: usize| is_of_word(at) && !is_of_word(at + 1) && !at.checked_sub(1).is_some_and(is_of_word);
    let is_gap = |from: usize, to: usize| slice(text, from + 1..to).iter().all(|byte| *byte == b' ');
    let first = (at..at + 8).find(|at| is_single(*at))?;
    let gap = run_end(text, first + 1, 4, |byte| byte == b' ') - first;
    if !(2..=4).contains(&gap) {
        return None;
    }
    let mut start = first;
    while let Some(before) = start.checked_sub(gap).filter(|before| is_single(*before) && is_gap(*before, start)) {
        if start + SPACED_REACH < at {
            break;
        }
        start = before;
    }
    let (mut end, mut token) = (start, peek(text, start, 1).to_vec());
    while is_single(end + gap) && is_gap(end, end + gap) && token.len() < MAX_PIECE {
        end += gap;
        token.extend_from_slice(peek(text, end, 1));
    }
    Some((provider_of(&token)?, start..end + 1, token))
}
