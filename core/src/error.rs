//! The error type: what happened, to which file or id, and what to do about it.
//!
//! [`Error`] is one pointer wide and has the same content in every language (as JSON: [`Error::to_json`]). Its kinds
//! are listed in one table, [`ErrorKind::ALL`], from which the error classes and status numbers of every binding are
//! generated. Programs handle errors by [`Error::kind`] and [`Error::retryable`]; the message is for people.
//!
//! A caller's text is never copied into a message as is: [`Redactor::quote`](crate::safety::Redactor::quote) shortens
//! and scrubs it first.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use crate::safety;

/// Ends the message of every `ParseError`.
pub(crate) const DAMAGE_ADVICE: &str = "; run doctor.check (loopmem doctor) to see what can be recovered";

/// The result of every fallible function of loopmem.
pub type Result<T, E = Error> = std::result::Result<T, E>;

// The docs are written as attributes so that `doc()` can return their text.
macro_rules! kinds {
    ($(#[doc = $doc:literal] $kind:ident = $status:literal, $code:literal, $retry:literal;)*) => {
        /// The kind of an error. Deliberately coarse: a kind tells the caller what to do next.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind { $(#[doc = $doc] $kind,)* }

        impl ErrorKind {
            /// Every kind, in the order of the status numbers. Append only.
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$kind,)*];

            /// The name that every language uses: `ValidationError`, `IOError`, …
            pub const fn code(self) -> &'static str {
                match self { $(ErrorKind::$kind => $code,)* }
            }

            /// The status number of the C ABI; 0 is success. Numbers are never reused.
            pub const fn status(self) -> i32 {
                match self { $(ErrorKind::$kind => $status,)* }
            }

            /// Whether the same call may succeed later, unchanged.
            pub const fn retryable(self) -> bool {
                match self { $(ErrorKind::$kind => $retry,)* }
            }

            /// What the kind means, in one sentence: the documentation of the class in every binding.
            pub const fn doc(self) -> &'static str {
                match self { $(ErrorKind::$kind => $doc,)* }
            }
        }
    };
}

/// Prints the [code](ErrorKind::code).
impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

kinds! {
    #[doc = "The caller passed invalid input; nothing was written."]
    Validation = 1, "ValidationError", false;
    #[doc = "A stored file is damaged; it was not changed."]
    Parse = 2, "ParseError", false;
    #[doc = "The operating system refused to read, write or sync a file."]
    Io = 3, "IOError", false;
    #[doc = "A new version of a file was written but could not replace the old one, which is unchanged."]
    Rename = 4, "RenameError", false;
    #[doc = "A lock could not be acquired within the timeout; try again with back-off."]
    LockAcquisition = 5, "LockAcquisitionError", true;
    #[doc = "A secret was found where it can neither be stored nor redacted, such as in an id."]
    SecretRefused = 6, "SecretRefused", false;
    #[doc = "Nothing with this id or name exists."]
    NotFound = 7, "NotFound", false;
    #[doc = "The id is already in use, or the data was changed concurrently."]
    Conflict = 8, "Conflict", false;
    #[doc = "The lease expired, or another worker owns it now."]
    LeaseLost = 9, "LeaseLost", false;
    #[doc = "A server or the host's adapter failed."]
    Adapter = 10, "AdapterError", false;
    #[doc = "The git repository could not be read or written."]
    Git = 11, "GitError", false;
    #[doc = "This platform or build does not support the operation."]
    Unsupported = 12, "Unsupported", false;
    #[doc = "The caller cancelled the call; nothing was written, unless `mayBeStored` says so."]
    Cancelled = 13, "Cancelled", true;
    #[doc = "A file was written by a newer version of loopmem; it was not changed."]
    FormatTooNew = 14, "FormatTooNew", false;
    #[doc = "The library was used incorrectly, such as by a call on a closed store."]
    Misuse = 15, "Misuse", false;
    #[doc = "A bug in loopmem; the call was aborted and the process continues."]
    Internal = 16, "Internal", false;
}

/// An error with its kind, its message, and the file or record that it is about.
///
/// ```
/// use loopmem::{Error, ErrorKind};
///
/// let error = Error::validation("maxChars must be at least 1").in_operation("context.build");
/// assert_eq!(error.kind(), ErrorKind::Validation);
/// assert_eq!(error.to_string(), "context.build: maxChars must be at least 1");
/// ```
///
/// `{}` prints the operation and the message; `{:#}` appends the cause in parentheses. Neither prints the kind, which
/// [`kind`](Self::kind) returns and which can be printed too: `eprintln!("{}: {error:#}", error.kind())`.
#[derive(Clone)]
pub struct Error(Box<Details>);

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    #[serde(rename = "code", serialize_with = "as_code")]
    kind: ErrorKind,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    path: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
    /// The error number of the operating system.
    #[serde(skip_serializing_if = "Option::is_none")]
    errno: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thrown: Option<u64>,
    retryable: bool,
    #[serde(skip_serializing_if = "is_false")]
    may_be_stored: bool,
}

impl Error {
    /// Creates an error of `kind`. The message says what happened and what to do.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Details {
            kind,
            message: message.into(),
            operation: None,
            path: None,
            id: None,
            cause: None,
            errno: None,
            thrown: None,
            retryable: kind.retryable(),
            may_be_stored: false,
        }))
    }

    /// The caller's input is invalid.
    pub fn validation(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Validation, message)
    }

    /// Something that cannot happen did: a bug in loopmem.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Internal, message)
    }

    /// A system call on `path` failed. `doing` completes "could not …".
    pub fn io(doing: &str, path: &Path, cause: &std::io::Error) -> Self {
        Error::new(ErrorKind::Io, format!("could not {doing} {}", path.display())).at(path).because_of(cause)
    }

    /// The stored file `path` does not parse.
    pub fn parse(path: &Path, message: impl fmt::Display) -> Self {
        let text = format!("{} is damaged and was left as it is: {message}{DAMAGE_ADVICE}", path.display());
        Error::new(ErrorKind::Parse, text).at(path)
    }

    /// Appends `more` to the message.
    #[must_use]
    pub(crate) fn and(mut self, more: &str) -> Self {
        self.0.message.push_str(more);
        self
    }

    /// Adds the name of the operation, unless there is one already.
    #[must_use]
    pub fn in_operation(mut self, operation: &str) -> Self {
        self.0.operation.get_or_insert_with(|| operation.to_owned());
        self
    }

    /// Adds the path of the file, unless there is one already.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Self {
        self.0.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// Adds the id of the record, unless there is one already.
    #[must_use]
    pub fn about(mut self, id: impl Into<String>) -> Self {
        self.0.id.get_or_insert_with(|| id.into());
        self
    }

    /// Adds the cause, as text.
    #[must_use]
    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.0.cause = Some(Cause::Text(CauseText(cause.to_string())));
        self
    }

    /// Adds the cause, an error of the operating system.
    #[must_use]
    pub fn because_of(mut self, cause: &std::io::Error) -> Self {
        self.0.errno = cause.raw_os_error();
        self.0.cause = Some(match self.0.errno {
            // Created anew from its number, it cannot contain a caller's text.
            Some(errno) => Cause::System(Arc::new(std::io::Error::from_raw_os_error(errno))),
            None => Cause::Text(CauseText(cause.to_string())),
        });
        self
    }

    /// Adds the host's own exception as the cause, by the number under which the binding keeps it.
    #[must_use]
    pub fn thrown(mut self, number: u64) -> Self {
        self.0.thrown = Some(number);
        self
    }

    /// Marks the error as retryable: the same call may succeed later.
    #[must_use]
    pub fn mark_retryable(mut self) -> Self {
        self.0.retryable = true;
        self
    }

    /// Marks the error as one of a write that may have taken effect: check before trying again.
    #[must_use]
    pub fn maybe_stored(mut self) -> Self {
        self.0.may_be_stored = true;
        self
    }

    /// Marks the error as one of a call whose earlier part is stored, and says which: `stored` is a sentence.
    #[must_use]
    pub(crate) fn after(self, stored: &str) -> Self {
        self.and("; ").and(stored).maybe_stored()
    }

    /// As [`after`](Self::after), if any of `count` things is stored; `what` follows their number.
    #[must_use]
    pub(crate) fn after_some(self, count: usize, what: &str) -> Self {
        if count == 0 { self } else { self.after(&format!("{count} {what}")) }
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message, without the operation and the cause.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The method that failed, such as `memory.get`.
    pub fn operation(&self) -> Option<&str> {
        self.0.operation.as_deref()
    }

    /// The file that the error is about.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The id of the record that the error is about.
    pub fn id(&self) -> Option<&str> {
        self.0.id.as_deref()
    }

    /// The error number of the operating system, such as `ENOSPC`.
    pub fn raw_os_error(&self) -> Option<i32> {
        self.0.errno
    }

    /// Whether the same call may succeed later, unchanged.
    pub fn retryable(&self) -> bool {
        self.0.retryable
    }

    /// Whether the change may have been stored although the call failed. The caller has to check.
    pub fn may_be_stored(&self) -> bool {
        self.0.may_be_stored
    }

    /// The error as JSON, the same in every language: `code`, `message`, `operation`, `path`, `id`, `cause`, `errno`,
    /// `thrown`, `retryable`, and `mayBeStored` if true. Members without a value are omitted.
    pub fn to_json(&self) -> String {
        // Strings and a bool always serialize; the fallback only keeps this path free of panics.
        serde_json::to_string(&*self.0)
            .unwrap_or_else(|_| format!(r#"{{"code":"{}","message":"","retryable":false}}"#, self.0.kind.code()))
    }

    /// Passes every text of this error through `scrub`. Done last, before the error is returned to the caller.
    #[must_use]
    pub fn scrubbed(mut self, scrub: impl Fn(&str) -> String) -> Self {
        let details = &mut *self.0;
        details.message = scrub(&details.message);
        for text in [&mut details.operation, &mut details.id].into_iter().flatten() {
            *text = scrub(text);
        }
        if let Some(Cause::Text(CauseText(text))) = &mut details.cause {
            *text = scrub(text);
        }
        if let Some(path) = &mut details.path {
            let shown = path.to_string_lossy();
            let clean = scrub(&shown);
            if clean != shown {
                *path = PathBuf::from(clean);
            }
        }
        self
    }
}

impl From<safety::Error> for Error {
    fn from(refused: safety::Error) -> Self {
        let kind = match refused.kind() {
            safety::ErrorKind::Secret => ErrorKind::SecretRefused,
            _ => ErrorKind::Validation,
        };
        let error = Error::new(kind, refused.message());
        match std::error::Error::source(&refused) {
            Some(cause) => error.because(cause),
            None => error,
        }
    }
}

/// The cause of an error.
#[derive(Clone)]
enum Cause {
    /// An error of the operating system.
    System(Arc<std::io::Error>),
    /// Anything else, as text.
    Text(CauseText),
}

/// The text of a cause, without secrets.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
struct CauseText(String);

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::System(cause) => cause.fmt(f),
            Cause::Text(cause) => cause.fmt(f),
        }
    }
}

impl Serialize for Cause {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl std::error::Error for Error {
    /// For an error of the operating system, an [`std::io::Error`] with its number; otherwise the text of the cause.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.0.cause.as_ref()? {
            Cause::System(cause) => Some(&**cause),
            Cause::Text(cause) => Some(cause),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = &self.operation {
            write!(f, "{operation}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(cause) = self.cause.as_ref().filter(|_| f.alternate()) {
            write!(f, " ({cause})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {self:#}", self.0.kind.code())
    }
}

impl Serialize for Error {
    /// See [`to_json`](Error::to_json).
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

fn as_code<S: serde::Serializer>(kind: &ErrorKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.code())
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

fn as_text<S: serde::Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_numbers_are_dense_and_codes_are_unique() {
        let mut codes = std::collections::HashSet::new();
        for (place, kind) in (1..).zip(ErrorKind::ALL) {
            assert_eq!(kind.status(), place, "{}", kind.code());
            assert!(codes.insert(kind.code()));
        }
    }

    #[test]
    fn the_cause_is_the_source_and_is_printed_by_the_alternate_form() {
        let full = std::io::Error::from_raw_os_error(28);
        let error = Error::io("write", Path::new("/home/m.json"), &full).scrubbed(|text| text.replace("home", "[…]"));
        let source =
            std::error::Error::source(&error).and_then(<dyn std::error::Error>::downcast_ref::<std::io::Error>);
        assert_eq!(source.and_then(std::io::Error::raw_os_error), Some(28));
        assert_eq!(error.raw_os_error(), Some(28));
        assert_eq!(error.to_string(), "could not write /[…]/m.json");
        assert_eq!(format!("{error:#}"), format!("could not write /[…]/m.json ({full})"));
        let error = Error::validation("no").because("a secret").scrubbed(|text| text.replace("secret", "…"));
        assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "a …");
        assert_eq!((error.raw_os_error(), format!("{error:?}")), (None, "ValidationError: no (a …)".to_owned()));
    }

    #[test]
    fn json_omits_unknown_members() {
        let error = Error::parse(Path::new("/home/m.json"), "no closing brace").in_operation("memory.get");
        let json: serde_json::Value = serde_json::from_str(&error.to_json()).unwrap();
        assert_eq!(
            json,
            serde_json::json!({
                "code": "ParseError",
                "message": "/home/m.json is damaged and was left as it is: no closing brace; run doctor.check (loopmem doctor) to see what can be recovered",
                "operation": "memory.get",
                "path": "/home/m.json",
                "retryable": false,
            })
        );
    }
}
