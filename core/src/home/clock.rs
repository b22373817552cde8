//! The clock of all timestamps in records.

use chrono::{DateTime, Utc};

use crate::error::{Error, Result};

/// The system clock, or a fixed time for tests.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Option<DateTime<Utc>>);

impl Clock {
    /// The system clock, or a clock that always returns `instant` (RFC 3339).
    ///
    /// # Errors
    /// `ValidationError` if `instant` is not such a time.
    pub fn new(instant: Option<&str>) -> Result<Self> {
        let fixed = instant
            .map(|text| {
                DateTime::parse_from_rfc3339(text).map(|time| time.to_utc()).map_err(|cause| {
                    Error::validation("clock must be an RFC 3339 time such as 2026-01-31T12:00:00Z").because(cause)
                })
            })
            .transpose()?;
        Ok(Clock(fixed))
    }

    /// The current time.
    #[allow(clippy::disallowed_methods, reason = "the only reader of the system clock")]
    pub fn now(&self) -> DateTime<Utc> {
        self.0.unwrap_or_else(|| std::time::SystemTime::now().into())
    }
}
