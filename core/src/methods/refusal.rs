//! Errors and messages that a binding or the command line produces outside of a call. They may contain what the caller
//! passed, such as a mistyped name, so they are scrubbed here in the same way as the errors of calls.

use super::entry;
use crate::error::{Error, ErrorKind};
use crate::home::process_redactor;
use crate::safety::Redactor;

/// Replaces a text that could not be scrubbed.
const UNSCRUBBED: &str = "the message is withheld because it could not be searched for secrets";

/// Returns `text` without secrets, for texts that may show what a caller passed while no store is open. Applies the
/// built-in rules and redacts the values of secrets in the process's environment.
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

/// An error that a binding raises itself, of the kind with this `code`; scrubbed as by [`refused`].
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

/// Scrubs an error that a binding created itself, in the same way as the errors of calls: with `redactor`, the one
/// of the open store, or else as [`scrub`] does.
///
/// `operation` is the method as the caller named it. An unknown name is shortened.
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
        Some(known) if known == "open" || entry(known).is_some() => error.in_operation(known),
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
