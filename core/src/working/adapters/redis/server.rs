//! A Redis server's URL: address, credentials and database. The password is sent only to the server; a server's messages
//! in errors are without it, on one line, and of limited length.

use std::fmt;
use std::net::IpAddr;

/// The address of a server: a host and a port, or the path of a Unix socket.
pub(super) use redis::ConnectionAddr as Node;
use redis::{IntoConnectionInfo, Pipeline, RedisConnectionInfo};

use crate::error::{Error, Result};
use crate::home::ClusterHost;
use crate::safety::whole_words;

/// Replaces the password in errors.
const HIDDEN: &str = "[password]";
/// The length to which a text is cut, in bytes.
const MOST_BYTES: usize = 512;
/// A prefix of the password of this many bytes is hidden as well: servers truncate what they repeat.
const PIECE_BYTES: usize = 8;

/// A server, parsed from its URL.
pub(super) struct Server {
    /// Its address.
    pub(super) node: Node,
    /// The user, the password and the database.
    settings: RedisConnectionInfo,
    /// Whether to use TLS.
    pub(super) is_secure: bool,
    /// The hosts of its cluster: its own, and those that are configured.
    hosts: Vec<ClusterHost>,
}

/// The target of a cluster's redirect.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Redirect {
    /// A node that may be used.
    To(Node),
    /// A host that is not configured: neither keys nor the password are sent to it.
    Foreign(String),
    /// The redirect has no valid address.
    Nowhere,
}

impl Server {
    /// Parses `redis://[user[:password]@]host[:port][/database]`, the same with `rediss` for TLS, or
    /// `redis+unix:///path[?db=database]`; `hosts` are the configured hosts of its cluster.
    ///
    /// # Errors
    /// `ValidationError`, which quotes nothing of the URL.
    pub(super) fn parse(url: &str, hosts: &[ClusterHost]) -> Result<Self> {
        let unreadable = || {
            Error::validation(
                "the URL of the Redis server is invalid; use redis://[user[:password]@]host[:port][/database], the \
                 same with rediss:// for TLS, or redis+unix:///path[?db=database], and percent-encode all characters \
                 of the user and the password except letters, digits and -._~",
            )
        };
        // With rediss://, the library would use its own TLS.
        let (is_secure, url) = match url.strip_prefix("rediss://") {
            Some(rest) => (true, format!("redis://{rest}")),
            None => (false, url.to_owned()),
        };
        // If the password is not percent-encoded, part of it could be parsed as the host or the port.
        let is_misread = match url.split_once("://") {
            Some(("redis", rest)) => {
                let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
                let (authority, behind) = rest.split_at(end);
                behind.contains(['@', '#']) || authority.matches('@').count() > 1
            }
            _ => url.contains('#'),
        };
        let info = Some(url.as_str()).filter(|_| !is_misread).ok_or_else(unreadable)?;
        let info = info.into_connection_info().map_err(|_| unreadable())?;
        let settings = info.redis_settings().clone();
        if settings.db() < 0 {
            return Err(unreadable());
        }
        let (node, mut hosts) = (info.addr().clone(), hosts.to_vec());
        if let Node::Tcp(host, _) = &node {
            hosts.push(ClusterHost::new(host, None));
        }
        Ok(Server { node, settings, is_secure, hosts })
    }

    /// The first commands on a connection: authentication and the database.
    pub(super) fn greeting(&self) -> Pipeline {
        let mut greeting = Pipeline::new();
        if let Some(password) = self.password() {
            greeting.cmd("AUTH").arg(self.settings.username()).arg(password);
        }
        if self.settings.db() != 0 {
            greeting.cmd("SELECT").arg(self.settings.db());
        }
        greeting
    }

    /// The server's name in errors, when reached at `node`.
    pub(super) fn at(&self, node: &Node) -> String {
        format!("{}/{}", name(node), self.settings.db())
    }

    /// The password, which must not appear in errors.
    pub(super) fn password(&self) -> Option<&str> {
        self.settings.password()
    }

    /// Parses a redirect `SLOT HOST:PORT` from the server at `from`. It is followed only to hosts that the user has
    /// named: the URL's host, by name or by one of its `addresses`, or one of `redisHosts`. Otherwise a server, or an
    /// attacker in between, could obtain the password.
    pub(super) fn redirect(&self, details: &str, from: &Node, addresses: &[IpAddr]) -> Redirect {
        let Some(to) = details.split(' ').nth(1) else { return Redirect::Nowhere };
        match moved(from, to) {
            Some(Node::Tcp(host, port)) if self.is_named(&host, port, addresses) => Redirect::To(Node::Tcp(host, port)),
            Some(node) => Redirect::Foreign(name(&node)),
            None => Redirect::Nowhere,
        }
    }

    fn is_named(&self, host: &str, port: u16, addresses: &[IpAddr]) -> bool {
        let is_own_address = host.parse().is_ok_and(|ip: IpAddr| addresses.contains(&ip));
        is_own_address || self.hosts.iter().any(|named| named.matches(host, port))
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("at", &self.at(&self.node)).finish_non_exhaustive()
    }
}

/// Parses the node `host:port` in a redirect from a server at `own`; an empty host means the same host.
fn moved(own: &Node, to: &str) -> Option<Node> {
    let (host, port) = to.rsplit_once(':')?;
    let host = match (host, own) {
        ("", Node::Tcp(own, _)) => own.clone(),
        (host, _) => host.trim_start_matches('[').trim_end_matches(']').to_owned(),
    };
    let port = port.parse().ok().filter(|port| *port != 0)?;
    Some(host).filter(|host| !host.is_empty()).map(|host| Node::Tcp(host, port))
}

/// A node in errors. The name of its host may come from a server.
fn name(node: &Node) -> String {
    match node {
        Node::Tcp(host, port) if host.contains(':') => format!("[{}]:{port}", shown(host)),
        Node::Tcp(host, port) => format!("{}:{port}", shown(host)),
        other => other.to_string(),
    }
}

/// Escapes what a terminal would not show literally, and cuts the text to whole words of at most 512 bytes: an error is redacted
/// later.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for sign in text.chars() {
        match sign {
            '\'' | '"' | '\\' => shown.push(sign),
            sign => shown.extend(sign.escape_debug()),
        }
        if shown.len() > MOST_BYTES {
            shown.truncate(whole_words(shown.as_bytes(), MOST_BYTES).len());
            shown.push('…');
            break;
        }
    }
    shown
}

/// Hides the password and truncated copies of it.
pub(super) fn without_password(text: &str, password: Option<&str>) -> String {
    let Some(password) = password.filter(|password| !password.is_empty()) else { return text.to_owned() };
    let piece = password.get(..password.ceil_char_boundary(PIECE_BYTES)).unwrap_or(password);
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, found)) = rest.find(piece).and_then(|at| rest.split_at_checked(at)) {
        clean.push_str(before);
        clean.push_str(HIDDEN);
        let same = found.chars().zip(password.chars()).take_while(|(found, own)| found == own);
        rest = found.get(same.map(|(sign, _)| sign.len_utf8()).sum()..).unwrap_or_default();
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_parsed_and_its_password_is_never_shown() {
        let password = "s%40lt".repeat(4);
        for (url, at) in [
            ("redis://10.0.0.7".to_owned(), "10.0.0.7:6379/0"),
            (format!("redis://ann:{password}@cache:7000/3"), "cache:7000/3"),
            (format!("redis://:{password}@[::1]:7000"), "[::1]:7000/0"),
            (format!("rediss://ann:{password}@cache/3"), "cache:6379/3"),
            ("redis+unix:///run/redis.sock?db=2".to_owned(), "/run/redis.sock/2"),
        ] {
            let server = Server::parse(&url, &[]).unwrap();
            assert_eq!(server.at(&server.node), at);
            assert_eq!(server.is_secure, url.starts_with("rediss"));
            assert!(!format!("{server:?}").contains("lt"), "{server:?}");
        }
    }

    #[test]
    fn an_invalid_url_is_rejected_without_being_quoted() {
        let password = "s3cr3t".repeat(3);
        for url in [
            format!("redis://:{password}#x@cache"),
            format!("redis://:1234/{password}@cache"),
            format!("redis://cache:1234?{password}@cache"),
            format!("redis://:{password}@x@cache"),
            format!("redis://:{password}@cache/five"),
            format!("redis://:{password}@cache/-1"),
            format!("rediss://:{password}@cache/#insecure"),
            "rediss://cache#insecure".to_owned(),
            "rediss://".to_owned(),
            "redis://".to_owned(),
            "redis://:70000".to_owned(),
        ] {
            let refused = Server::parse(&url, &[]).unwrap_err();
            assert!(refused.message().starts_with("the URL of the Redis server is invalid"), "{url}: {refused}");
            assert!(!refused.to_json().contains(&password), "{refused}");
        }
    }

    #[test]
    fn a_redirect_names_its_node() {
        let own = Node::Tcp("cache".to_owned(), 7000);
        assert_eq!(moved(&own, "10.0.0.8:7001"), Some(Node::Tcp("10.0.0.8".to_owned(), 7001)));
        assert_eq!(moved(&own, ":7001"), Some(Node::Tcp("cache".to_owned(), 7001)));
        assert_eq!(moved(&own, "::1:7001"), Some(Node::Tcp("::1".to_owned(), 7001)));
        assert_eq!(moved(&own, "?"), None);
        assert_eq!(moved(&own, "10.0.0.8:0"), None);
        assert_eq!(moved(&Node::Unix("/run/redis.sock".into()), ":7001"), None);
    }

    #[test]
    fn redirects_are_followed_only_to_configured_hosts() {
        let named = [ClusterHost::new("10.0.0.8", Some(7000)), ClusterHost::new("cache-2", None)];
        let server = Server::parse("redis://cache:7000", &named).unwrap();
        let (own, addresses) = (server.node.clone(), ["10.0.0.7".parse().unwrap()]);
        for (to, host, port) in [
            ("5 :7001", "cache", 7001),
            ("5 CACHE:7001", "CACHE", 7001),
            ("5 10.0.0.7:7001", "10.0.0.7", 7001),
            ("5 10.0.0.8:7000", "10.0.0.8", 7000),
            ("5 cache-2:1", "cache-2", 1),
        ] {
            let node = Node::Tcp(host.to_owned(), port);
            assert_eq!(server.redirect(to, &own, &addresses), Redirect::To(node), "{to}");
        }
        for to in
            ["5 10.0.0.8:7001", "5 10.0.0.9:7000", "5 cache.evil:7000", "5 \u{1b}[2J:7000", "5 cache:6379@evil:7000"]
        {
            let redirect = server.redirect(to, &own, &addresses);
            assert!(matches!(redirect, Redirect::Foreign(_)), "{to}: {redirect:?}");
        }
        for to in ["", "5", "5 cache", "5 cache:", "5 cache:0", "5 cache:70000"] {
            assert_eq!(server.redirect(to, &own, &addresses), Redirect::Nowhere, "{to}");
        }
    }

    #[test]
    fn a_text_of_a_server_is_one_line_of_bounded_length() {
        assert_eq!(shown("it's \"ä\"\n\u{1b}[31m\u{202e}"), "it's \"ä\"\\n\\u{1b}[31m\\u{202e}");
        let long = shown(&"two wörds ".repeat(10_000));
        assert!((502..=512 + '…'.len_utf8()).contains(&long.len()) && long.ends_with(" two…"), "{long}");
        // Of a word that would be cut, even a secret, nothing is shown.
        assert_eq!(shown(&format!("key {}", "ä".repeat(1_000))), "key…");
    }

    #[test]
    fn a_password_is_hidden_also_where_a_server_cuts_it() {
        let password = "s@lt".repeat(50);
        let cleaned =
            without_password(&format!("unknown command '{password}', '{}'", &password[..128]), Some(&password));
        assert_eq!(cleaned, "unknown command '[password]', '[password]'");
        assert_eq!(without_password("a pw b", Some("pw")), "a [password] b");
        assert_eq!(without_password("a pw b", None), "a pw b");
    }
}
