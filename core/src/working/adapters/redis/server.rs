//! Where a Redis server is, and who asks there: what its URL says. The password is told to the server and to nobody else.

use std::fmt;
use std::net::ToSocketAddrs;
use std::path::PathBuf;

use redis::{ConnectionAddr, IntoConnectionInfo, Pipeline};
use socket2::SockAddr;

use crate::error::{Error, Result};

/// What an error shows in the place of the password.
const HIDDEN: &str = "[password]";

/// A server by its URL.
pub(super) struct Server {
    /// Where it is.
    pub(super) node: Node,
    user: Option<String>,
    password: Option<String>,
    database: i64,
}

/// An address at which a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// Host and port.
    Tcp(String, u16),
    /// A socket's path.
    Unix(PathBuf),
}

impl Server {
    /// Reads `redis://[user[:password]@]host[:port][/database]` or `redis+unix:///path[?db=database]`.
    ///
    /// # Errors
    /// `ValidationError`, which repeats nothing of the URL.
    pub(super) fn parse(url: &str) -> Result<Self> {
        let unreadable = || {
            Error::validation(
                "the URL of the Redis server cannot be read; it is redis://[user[:password]@]host[:port][/database] or \
                 redis+unix:///path[?db=database], and in a user and a password every sign but letters, digits and -._~ \
                 is written as % and its code",
            )
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
        let info = Some(url).filter(|_| !is_misread).ok_or_else(unreadable)?;
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

    /// A text of the server's without the password, which it may have repeated.
    pub(super) fn without_password(&self, text: &str) -> String {
        match self.password.as_deref() {
            None | Some("") => text.to_owned(),
            Some(password) => text.replace(password, HIDDEN),
        }
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
        Some(Node::Tcp(host, port.parse().ok()?))
    }

    /// The addresses that its name stands for.
    pub(super) fn addresses(&self) -> std::io::Result<Vec<SockAddr>> {
        match self {
            Node::Tcp(host, port) => Ok((host.as_str(), *port).to_socket_addrs()?.map(SockAddr::from).collect()),
            Node::Unix(path) => SockAddr::unix(path).map(|address| vec![address]),
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Tcp(host, port) if host.contains(':') => write!(f, "[{host}]:{port}"),
            Node::Tcp(host, port) => write!(f, "{host}:{port}"),
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
            ("redis+unix:///run/redis.sock?db=2".to_owned(), "/run/redis.sock/2"),
        ] {
            let server = Server::parse(&url).unwrap();
            assert_eq!(server.at(&server.node), at);
            assert!(!format!("{server:?}").contains("lt"), "{server:?}");
        }
        let server = Server::parse(&format!("redis://:{password}@cache")).unwrap();
        let told = server.without_password(&format!("unknown command with {}", "s@lt".repeat(4)));
        assert_eq!(told, "unknown command with [password]");
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
            "redis://".to_owned(),
            "redis://:70000".to_owned(),
        ] {
            let refused = Server::parse(&url).unwrap_err();
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
    }
}
