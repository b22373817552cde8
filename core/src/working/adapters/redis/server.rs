//! A Redis server's URL: address, credentials and database. The password is sent only to the server.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use redis::{ConnectionAddr, IntoConnectionInfo, Pipeline};

use super::text::shown;
use crate::error::{Error, Result};
use crate::home::ClusterHost;

/// A server, parsed from its URL.
pub(super) struct Server {
    /// Its address.
    pub(super) node: Node,
    user: Option<String>,
    password: Option<String>,
    database: i64,
    /// Whether to use TLS.
    pub(super) is_secure: bool,
    /// Further hosts of its cluster, as configured.
    hosts: Vec<ClusterHost>,
}

/// The address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// Host and port.
    Tcp(String, u16),
    /// The path of a Unix socket.
    Unix(PathBuf),
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
    /// `redis+unix:///path[?db=database]`; `hosts` are the configured hosts of
    /// its cluster.
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
        let node = match info.addr() {
            ConnectionAddr::Tcp(host, port) => Node::Tcp(host.clone(), *port),
            ConnectionAddr::Unix(path) => Node::Unix(path.clone()),
            _ => return Err(unreadable()),
        };
        let settings = info.redis_settings();
        if settings.db() < 0 {
            return Err(unreadable());
        }
        Ok(Server {
            node,
            user: settings.username().map(str::to_owned),
            password: settings.password().map(str::to_owned),
            database: settings.db(),
            is_secure,
            hosts: hosts.to_vec(),
        })
    }

    /// The first commands on a connection: authentication and the database.
    pub(super) fn greeting(&self) -> Pipeline {
        let mut greeting = Pipeline::new();
        if let Some(password) = &self.password {
            greeting.cmd("AUTH");
            if let Some(user) = &self.user {
                greeting.arg(user);
            }
            greeting.arg(password);
        }
        if self.database != 0 {
            greeting.cmd("SELECT").arg(self.database);
        }
        greeting
    }

    /// The server's name in errors, when reached at `node`.
    pub(super) fn at(&self, node: &Node) -> String {
        format!("{node}/{}", self.database)
    }

    /// The password, which must not appear in errors.
    pub(super) fn password(&self) -> Option<&str> {
        self.password.as_deref()
    }

    /// Parses a redirect `SLOT HOST:PORT` from the server at `from`. It is followed only to hosts that the user has
    /// named: the URL's host, by name or by one of its `addresses`, or one of `redisHosts`. Otherwise a server, or an
    /// attacker in between, could obtain the password.
    pub(super) fn redirect(&self, details: &str, from: &Node, addresses: &[IpAddr]) -> Redirect {
        let Some(to) = details.split(' ').nth(1) else { return Redirect::Nowhere };
        match from.moved(to) {
            Some(Node::Tcp(host, port)) if self.has_named(&host, port, addresses) => {
                Redirect::To(Node::Tcp(host, port))
            }
            Some(node) => Redirect::Foreign(node.to_string()),
            None => Redirect::Nowhere,
        }
    }

    fn has_named(&self, host: &str, port: u16, addresses: &[IpAddr]) -> bool {
        let own = match &self.node {
            Node::Tcp(own, _) => ClusterHost::new(own, None).matches(host, port),
            Node::Unix(_) => false,
        };
        let is_own_address = host.parse().is_ok_and(|ip: IpAddr| addresses.contains(&ip));
        own || is_own_address || self.hosts.iter().any(|named| named.matches(host, port))
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("node", &self.node).field("database", &self.database).finish_non_exhaustive()
    }
}

impl Node {
    /// Parses the node `host:port` in a redirect from a server at `self`; an empty host means the same host.
    pub(super) fn moved(&self, to: &str) -> Option<Self> {
        let (host, port) = to.rsplit_once(':')?;
        let host = match (host, self) {
            ("", Node::Tcp(own, _)) => own.clone(),
            ("", Node::Unix(_)) => return None,
            (host, _) => host.trim_start_matches('[').trim_end_matches(']').to_owned(),
        };
        let port = port.parse().ok().filter(|port| *port != 0)?;
        Some(host).filter(|host| !host.is_empty()).map(|host| Node::Tcp(host, port))
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The name may come from a server.
            Node::Tcp(host, port) if host.contains(':') => write!(f, "[{}]:{port}", shown(host)),
            Node::Tcp(host, port) => write!(f, "{}:{port}", shown(host)),
            Node::Unix(path) => write!(f, "{}", path.display()),
        }
    }
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
        assert_eq!(own.moved("10.0.0.8:7001"), Some(Node::Tcp("10.0.0.8".to_owned(), 7001)));
        assert_eq!(own.moved(":7001"), Some(Node::Tcp("cache".to_owned(), 7001)));
        assert_eq!(own.moved("::1:7001"), Some(Node::Tcp("::1".to_owned(), 7001)));
        assert_eq!(own.moved("?"), None);
        assert_eq!(own.moved("10.0.0.8:0"), None);
        assert_eq!(Node::Unix("/run/redis.sock".into()).moved(":7001"), None);
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
}
