//! Where a Redis server is, and who asks there: what its URL says. The password is told to the server and to nobody else.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use redis::{ConnectionAddr, IntoConnectionInfo, Pipeline};

use super::text::shown;
use crate::error::{Error, Result};
use crate::home::ClusterHost;

/// A server by its URL.
pub(super) struct Server {
    /// Where it is.
    pub(super) node: Node,
    user: Option<String>,
    password: Option<String>,
    database: i64,
    /// Whether it is spoken to by TLS.
    pub(super) is_secure: bool,
    /// The hosts of its cluster that the user has named besides.
    hosts: Vec<ClusterHost>,
}

/// An address at which a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// Host and port.
    Tcp(String, u16),
    /// A socket's path.
    Unix(PathBuf),
}

/// Where a server of a cluster says that keys are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Redirect {
    /// At this node, which may be asked.
    To(Node),
    /// At a host that the user has not named: it gets neither keys nor the password.
    Foreign(String),
    /// It does not say where.
    Nowhere,
}

impl Server {
    /// Reads `redis://[user[:password]@]host[:port][/database]`, the same with `rediss` for TLS, or
    /// `redis+unix:///path[?db=database]`; `hosts` belong to its cluster.
    ///
    /// # Errors
    /// `ValidationError`, which repeats nothing of the URL.
    pub(super) fn parse(url: &str, hosts: &[ClusterHost]) -> Result<Self> {
        let unreadable = || {
            Error::validation(
                "the URL of the Redis server cannot be read; it is redis://[user[:password]@]host[:port][/database], \
                 rediss:// with the same for TLS, or redis+unix:///path[?db=database], and in a user and a password every sign but letters, digits and -._~ \
                 is written as % and its code",
            )
        };
        // With the other scheme the library would look for TLS of its own.
        let (is_secure, url) = match url.strip_prefix("rediss://") {
            Some(rest) => (true, format!("redis://{rest}")),
            None => (false, url.to_owned()),
        };
        // With a sign of a password that is not written so, a part of it would be read as the host or the port.
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

    /// What is said to the server before anything else.
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

    /// The server as errors name it, where it is reached at `node`.
    pub(super) fn at(&self, node: &Node) -> String {
        format!("{node}/{}", self.database)
    }

    /// The password, to be kept out of errors.
    pub(super) fn password(&self) -> Option<&str> {
        self.password.as_deref()
    }

    /// Where keys are of which a server at `from` says `SLOT HOST:PORT`. Whatever it says, a host is asked only if the
    /// user has named it: the one of the URL, by its name or one of its `addresses`, or one of `redisHosts`. Any other
    /// would be sent the password because a server, or somebody in between, wants it so.
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
            Node::Tcp(own, _) => ClusterHost::new(own, None).is_it(host, port),
            Node::Unix(_) => false,
        };
        let is_own_address = host.parse().is_ok_and(|ip: IpAddr| addresses.contains(&ip));
        own || is_own_address || self.hosts.iter().any(|named| named.is_it(host, port))
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("node", &self.node).field("database", &self.database).finish_non_exhaustive()
    }
}

impl Node {
    /// The node of which a server of a cluster at `self` says that it holds a key: `host:port`, where an empty host is
    /// that of the server.
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
            // A server may have named it.
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
    fn a_url_says_where_the_server_is_and_the_password_is_shown_nowhere() {
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
    fn a_url_that_cannot_be_read_is_refused_without_being_told() {
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
            assert!(refused.message().starts_with("the URL of the Redis server cannot be read"), "{url}: {refused}");
            assert!(!refused.to_json().contains(&password), "{refused}");
        }
    }

    #[test]
    fn a_moved_key_names_its_node() {
        let own = Node::Tcp("cache".to_owned(), 7000);
        assert_eq!(own.moved("10.0.0.8:7001"), Some(Node::Tcp("10.0.0.8".to_owned(), 7001)));
        assert_eq!(own.moved(":7001"), Some(Node::Tcp("cache".to_owned(), 7001)));
        assert_eq!(own.moved("::1:7001"), Some(Node::Tcp("::1".to_owned(), 7001)));
        assert_eq!(own.moved("?"), None);
        assert_eq!(own.moved("10.0.0.8:0"), None);
        assert_eq!(Node::Unix("/run/redis.sock".into()).moved(":7001"), None);
    }

    #[test]
    fn keys_are_followed_to_hosts_that_the_user_has_named_and_to_no_others() {
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
