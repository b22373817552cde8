//! The hosts of a Redis cluster that the user allows: data and passwords are sent to no other host.

use std::net::IpAddr;

use crate::error::{Error, Result};

/// The maximum length of a host name, in bytes.
const MAX_HOST_BYTES: usize = 253;

/// A host, with one port or any port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterHost {
    host: String,
    port: Option<u16>,
}

impl ClusterHost {
    /// Creates a host with this port or any port.
    pub fn new(host: &str, port: Option<u16>) -> Self {
        ClusterHost { host: host.to_owned(), port }
    }

    /// Parses `host`, `host:port`, `1.2.3.4`, `::1` or `[::1]:port`, the value of the option `place`.
    ///
    /// # Errors
    /// `ValidationError` naming the option.
    pub(super) fn parse(place: &str, text: &str) -> Result<Self> {
        let refused = || {
            Error::validation(format!(
                "{place} must list hosts as HOST or HOST:PORT, such as 10.0.0.8 or cache-2.internal:7000"
            ))
        };
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
            _ => (text, None),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '.' | '_');
        let is_host = host.parse::<IpAddr>().is_ok() || (!host.is_empty() && host.chars().all(is_name));
        let port = port.map(|port| port.parse().ok().filter(|port| *port != 0).ok_or_else(refused)).transpose()?;
        if is_host && host.len() <= MAX_HOST_BYTES { Ok(ClusterHost::new(host, port)) } else { Err(refused()) }
    }

    /// Whether this is the given host.
    pub fn matches(&self, host: &str, port: u16) -> bool {
        let ip = |host: &str| host.parse::<IpAddr>().ok().map(|ip| ip.to_canonical());
        let is_host = match (ip(&self.host), ip(host)) {
            (Some(own), Some(other)) => own == other,
            _ => self.host.eq_ignore_ascii_case(host),
        };
        is_host && self.port.is_none_or(|own| own == port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_matches_every_spelling_of_itself_and_no_other_host() {
        let matches =
            |text: &str, host: &str, port| ClusterHost::parse("redisHosts", text).unwrap().matches(host, port);
        for (text, host, port) in [
            ("10.0.0.8", "10.0.0.8", 7000),
            ("10.0.0.8", "::ffff:10.0.0.8", 7000),
            ("Cache-2.internal", "cache-2.INTERNAL", 1),
            ("cache:7000", "cache", 7000),
            ("::1", "0:0:0:0:0:0:0:1", 7000),
            ("[::1]:7000", "::1", 7000),
        ] {
            assert!(matches(text, host, port), "{text} {host} {port}");
        }
        for (text, host, port) in [
            ("10.0.0.8", "10.0.0.80", 7000),
            ("cache", "cache.evil", 7000),
            ("cache", "evil-cache", 7000),
            ("cache:7000", "cache", 7001),
            ("::1", "::2", 7000),
        ] {
            assert!(!matches(text, host, port), "{text} {host} {port}");
        }
    }

    #[test]
    fn an_invalid_host_is_rejected_without_being_quoted() {
        for text in
            ["", ":7000", "cache:", "cache:0", "cache:70000", "redis://cache", "user@cache", "a b", "a/24", "[::1"]
        {
            let refused = ClusterHost::parse("redisHosts", text).unwrap_err();
            assert!(refused.message().starts_with("redisHosts must list hosts as HOST"), "{text}: {refused}");
        }
    }
}
