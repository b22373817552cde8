//! What a binding or the command says by itself, before or beside a call: its texts may hold what the caller passed, such as
//! the path to a value or a name that was mistyped, and are scrubbed here as those of calls are.

use super::row;
use crate::error::{Error, ErrorKind};
use crate::home::process_redactor;
use crate::safety::Redactor;

/// What stands for a text that could not be scrubbed.
const UNSCRUBBED: &str = "the message is withheld, since it could not be searched for secrets";

/// `text` without secrets, by the rules that hold where no store is open: the built-in ones and the values of the process's
/// own environment. For texts that may show what a caller passed.
///
/// ```
/// let token = format!("ghp_{}", "a1B2".repeat(9));
/// assert!(!loopmem::methods::scrub(&format!("no such file: {token}")).contains(&token));
/// ```
pub fn scrub(text: &str) -> String {
    match process_redactor() {
        Ok(redactor) => redactor.scrub(text).into_owned(),
        Err(_) => UNSCRUBBED.to_owned(),
    }
}

/// The error for what a binding refuses by itself, of the kind with this `code`: see [`refused`]. `cause` is what lies beneath.
pub fn refusal(
    redactor: Option<&Redactor>,
    code: &str,
    message: &str,
    operation: Option<&str>,
    cause: Option<&str>,
) -> Error {
    let kind = ErrorKind::ALL.iter().find(|kind| kind.code() == code).copied().unwrap_or(ErrorKind::Misuse);
    let error = Error::new(kind, message);
    refused(redactor, cause.into_iter().fold(error, Error::because), operation)
}

/// An error that a binding made by itself, scrubbed as the errors of calls are: by `redactor`, which is that of the open
/// store, else as [`scrub`] does.
///
/// `operation` is the method as the caller named it. A name that no method has is shortened.
pub fn refused(redactor: Option<&Redactor>, error: Error, operation: Option<&str>) -> Error {
    let outside;
    let redactor = match redactor {
        Some(redactor) => redactor,
        None => match process_redactor() {
            Ok(redactor) => {
                outside = redactor;
                &outside
            }
            Err(_) => return Error::new(error.kind(), UNSCRUBBED),
        },
    };
    let error = match operation {
        Some(known) if known == "open" || row(known).is_some() => error.in_operation(known),
        Some(other) => error.in_operation(redactor.quote(other).trim_matches('"')),
        None => error,
    };
    error.scrubbed(|text| redactor.scrub(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> String {
        format!("ghp_{}", "a1B2".repeat(9))
    }

    #[test]
    fn no_text_of_a_binding_holds_a_secret() {
        let secret = token();
        for redactor in [None, Some(&Redactor::default())] {
            for place in [secret.clone(), format!("patch.{secret}"), format!("patch.a[3].{secret}.b")] {
                let error =
                    refusal(redactor, "ValidationError", &format!("{place}: a BigInt"), Some(&place), Some(&place));
                assert_eq!(error.kind(), ErrorKind::Validation);
                assert!(!error.to_json().contains(&secret), "{error}");
                assert!(error.message().ends_with(": a BigInt"), "{error}");
            }
            let error = refusal(redactor, "Cancelled", "it was cancelled", Some("memory.get"), None);
            assert_eq!((error.operation(), error.retryable()), (Some("memory.get"), true));
        }
        assert!(!scrub(&format!("unrecognized subcommand '{secret}'")).contains(&secret));
    }

    #[test]
    fn a_long_name_that_no_method_has_is_shortened() {
        let error = refusal(None, "ValidationError", "no", Some(&"m".repeat(1 << 20)), None);
        assert!(error.to_json().len() < 300, "{error}");
    }
}
