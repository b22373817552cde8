//! Exact symbols of one source text, by tree-sitter.
//!
//! The scanner finds candidate definitions in every file; this module parses the few files that are shown or asked
//! about. The grammars are compiled in, in two tiers: the cargo feature `syntax` (C, Go, Java, JavaScript, Python,
//! Rust, TypeScript, TSX) and `syntax-all` (also Bash, C++, C#, Kotlin, Lua, PHP, Ruby, Scala, Swift). Without either,
//! [`symbols`] returns `None` for every language and the caller keeps the scanner's definitions.
//!
//! The result depends on the language and the bytes alone, so it can be memoised by content hash: no clock is read
//! (work is counted instead), no state is kept between calls other than the compiled queries.

#[cfg(feature = "syntax")]
mod extract;
#[cfg(feature = "syntax")]
mod gate;
#[cfg(feature = "syntax")]
mod grammar;
#[cfg(feature = "syntax")]
mod signature;
mod symbol;
#[cfg(feature = "syntax")]
#[cfg(test)]
mod tests;

use super::scan::Language;
pub(super) use symbol::Symbol;

/// The longest text that is parsed, in bytes. Longer ones are generated or data more often than they are read.
const MAX_BYTES: usize = 2_000_000;

/// The symbols of `text`, in the order of the text.
///
/// Text that is not UTF-8, or that does not conform to the grammar, is parsed as far as it can be recovered. Returns
/// `None` if this build has no grammar for `language`, if `text` is longer than [`MAX_BYTES`] or nested deeper than source
/// text is, or if parsing takes far more steps than source text of that length needs. Runs on the caller's thread.
pub(super) fn symbols(language: Language, text: &[u8]) -> Option<Vec<Symbol>> {
    if text.len() > MAX_BYTES {
        return None;
    }
    #[cfg(feature = "syntax")]
    return if gate::admits(language, text) { extract::symbols(grammar::of(language)?, text) } else { None };
    #[cfg(not(feature = "syntax"))]
    {
        let _ = language;
        None
    }
}

/// Whether this build has a grammar for `language`. Compiles its query on first use.
pub(super) fn has_grammar(language: Language) -> bool {
    #[cfg(feature = "syntax")]
    return grammar::of(language).is_some();
    #[cfg(not(feature = "syntax"))]
    {
        let _ = language;
        false
    }
}
