//! The one clock that records are dated by.

use chrono::{DateTime, Utc};

use crate::error::{Error, Result};

/// The time of day, or an instant at which a test lets it stand still.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Option<DateTime<Utc>>);

impl Clock {
    /// The system's clock, or one that stands still at `instant` (RFC 3339).
    ///
    /// # Errors
    /// `ValidationError` when `instant` is no such time.
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

    /// Now.
    #[allow(clippy::disallowed_methods, reason = "this is the room of the clock")]
    pub fn now(&self) -> DateTime<Utc> {
        self.0.unwrap_or_else(|| std::time::SystemTime::now().into())
    }
}
