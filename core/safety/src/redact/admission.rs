//! Texts that cannot be redacted: ids, which are refused if they look like a secret, and what an error quotes.

use crate::error::{Error, Result};
use crate::mark::tag::beginning;
use crate::redact::redactor::Redactor;
use crate::text::blocks::visible_end;
use crate::trusted::Admitted;

/// How much of a text an error may show, in characters.
const SHOWN_CHARS: usize = 80;
/// The maximum length of an id, in bytes.
const MAX_ID_BYTES: usize = 256;

impl Redactor {
    /// Checks a text that must be stored unchanged, such as an id, and refuses it if it looks like a secret.
    ///
    /// # Errors
    /// [`Secret`](crate::ErrorKind::Secret) with the rule and the place, never the value.
    pub fn admit(&self, place: &str, text: &str) -> Result<()> {
        match self.find_bytes(text.as_bytes()).first() {
            None => Ok(()),
            Some(found) => {
                Err(Error::secret(format!("{place} looks like a secret (rule {}); use another {place}", found.rule)))
            }
        }
    }

    /// Checks a caller's id, which errors call `place`. A generated id need not be checked: it is no secret, whatever a
    /// user's pattern matches.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) unless it is 1 to 256 bytes of text without control characters; as
    /// [`admit`](Self::admit).
    pub fn admit_id(&self, place: &str, text: &str) -> Result<Admitted> {
        if text.is_empty() || text.len() > MAX_ID_BYTES || text.chars().any(char::is_control) {
            return Err(Error::invalid(format!(
                "{place} must be 1 to {MAX_ID_BYTES} bytes of text without control characters"
            )));
        }
        self.admit(place, text)?;
        Ok(Admitted::new(text))
    }

    /// `text` prepared for an error message: redacted, shortened and in quotes.
    pub fn quote(&self, text: &str) -> String {
        // Cutting here can only break a secret far beyond what is shown.
        let mut cut = visible_end(text.as_bytes(), 4096);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let clean = self.scrub(&text[..cut]);
        match clean.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{:?}…", beginning(&clean, end)),
            None => format!("{clean:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn redactor() -> Redactor {
        Redactor::new(&[], []).unwrap()
    }

    /// Assembled at run time, so that secret scanners ignore this file.
    fn pat() -> String {
        format!("ghp_{}", "a1B2".repeat(9))
    }

    #[test]
    fn an_id_that_is_a_secret_is_refused_and_not_repeated() {
        let error = redactor().admit("id", &pat()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Secret);
        assert!(!format!("{error:?}").contains(&pat()), "{error}");
        redactor().admit("id", "0192f3a4-7b1c-7def-8123-456789abcdef").unwrap();
    }

    #[test]
    fn an_id_is_1_to_256_bytes_without_control_characters() {
        for id in ["", "a\nb", &"x".repeat(257)] {
            assert_eq!(redactor().admit_id("runId", id).unwrap_err().kind(), ErrorKind::Invalid, "{id:?}");
        }
        redactor().admit_id("runId", &"x".repeat(256)).unwrap();
    }
}
