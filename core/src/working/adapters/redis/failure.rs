//! Failures of attempts to use a Redis server, how to react to them, and the errors that callers get.

use super::super::super::key::Key;
use super::reply::{ErrorReply, Reply};
use super::server::{Redirect, Server};
use super::text::{shown, without_password};
use crate::error::{Error, ErrorKind};

/// Why an attempt failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// No connection was made: nothing is listening, or the address cannot be resolved.
    Unreachable { cause: String },
    /// The connection broke.
    Lost {
        /// Whether the server may have received writes.
        is_sent: bool,
        cause: String,
    },
    /// The deadline has passed.
    TimedOut {
        /// As above.
        is_sent: bool,
    },
    /// The keys were changed concurrently.
    Conflict,
    /// The server answered with an error, which concerns this key if it is known.
    Rejected(ErrorReply, Option<Key>),
    /// The peer does not speak the Redis protocol.
    NotRedis { is_sent: bool, cause: String },
    /// The answer is larger than the limit.
    TooLarge { is_sent: bool, most: usize },
    /// There is not enough memory for the answer.
    OutOfMemory { is_sent: bool },
    /// TLS failed, on this side or the other.
    Tls { is_sent: bool, error: Error },
    /// The call must return this error.
    Final(Error),
}

/// How to react to an error reply.
pub(super) enum Reaction {
    /// Continue at the node to which the keys have moved.
    FollowMoved(Redirect),
    /// Ask another node once: the keys are being migrated, and this one has moved already.
    FollowAsk(Redirect),
    /// Try again after a pause.
    Retry,
    /// Return the error to the caller.
    Fail,
}

impl Failure {
    /// Whether writes may have been applied.
    pub(super) fn is_sent(&self) -> bool {
        match self {
            Failure::Lost { is_sent, .. }
            | Failure::TimedOut { is_sent }
            | Failure::NotRedis { is_sent, .. }
            | Failure::TooLarge { is_sent, .. }
            | Failure::OutOfMemory { is_sent }
            | Failure::Tls { is_sent, .. } => *is_sent,
            Failure::Unreachable { .. } | Failure::Conflict | Failure::Rejected(..) | Failure::Final(_) => false,
        }
    }

    /// [`NotRedis`](Self::NotRedis) for commands that write nothing.
    pub(super) fn not_redis(cause: &str) -> Self {
        Failure::NotRedis { is_sent: false, cause: cause.to_owned() }
    }

    /// Adds a hint, on a connection without TLS on which the server has not answered yet.
    pub(super) fn before_any_answer(self) -> Self {
        match self {
            Failure::Lost { is_sent, cause } => {
                Failure::Lost { is_sent, cause: format!("{cause}; the server may require TLS (rediss://)") }
            }
            other => other,
        }
    }

    /// Names the key of an error reply.
    pub(super) fn about(self, key: &Key) -> Self {
        match self {
            Failure::Rejected(reply, None) => Failure::Rejected(reply, Some(key.clone())),
            other => other,
        }
    }
}

impl ErrorReply {
    /// The keys are split between two nodes; the same reply as a cluster's.
    pub(super) fn try_again() -> Self {
        ErrorReply { code: "TRYAGAIN".to_owned(), details: "the keys of the scope are on two nodes".to_owned() }
    }

    /// How to react to it; `redirect` parses the node that it names.
    pub(super) fn reaction(&self, redirect: impl Fn(&str) -> Redirect) -> Reaction {
        match self.code.as_str() {
            "MOVED" => Reaction::FollowMoved(redirect(&self.details)),
            "ASK" => Reaction::FollowAsk(redirect(&self.details)),
            _ if self.is_transient() => Reaction::Retry,
            _ => Reaction::Fail,
        }
    }

    /// Whether the condition is temporary.
    fn is_transient(&self) -> bool {
        match self.code.as_str() {
            // The migration of a slot finishes soon.
            "MOVED" | "ASK" | "TRYAGAIN" | "CLUSTERDOWN" | "MASTERDOWN" | "LOADING" | "BUSY" => true,
            "ERR" => self.details.starts_with("max number of clients"),
            _ => false,
        }
    }
}

/// The first error reply and its index.
pub(super) fn first_error(answers: &[Reply]) -> Option<(usize, &ErrorReply)> {
    answers.iter().enumerate().find_map(|(place, answer)| match answer {
        Reply::Error(reply) => Some((place, reply)),
        _ => None,
    })
}

/// The server's message on one line, without the password.
pub(super) fn server_message(server: &Server, reply: &ErrorReply) -> String {
    shown(&without_password(format!("{} {}", reply.code, reply.details).trim_end(), server.password()))
}

/// The error for an error reply of the server `at`: what happened and what to do.
pub(super) fn to_error(server: &Server, at: &str, reply: &ErrorReply, key: Option<&Key>) -> Error {
    let message = match reply.code.as_str() {
        "WRONGTYPE" => return foreign_key(at, key).because(server_message(server, reply)),
        "READONLY" => format!("the Redis server {at} is a read-only replica; use the primary's URL"),
        "OOM" => format!("the Redis server {at} is out of memory; free some or raise its maxmemory"),
        "MISCONF" => format!("the Redis server {at} rejects writes because it cannot persist them; see its log"),
        "NOREPLICAS" => format!("the Redis server {at} rejects writes because it has too few replicas; start them"),
        "NOAUTH" => format!("the Redis server {at} requires a password; add it to the URL (redis://:PASSWORD@…)"),
        "WRONGPASS" => format!("the Redis server {at} rejected the user or the password; correct them in the URL"),
        "DENIED" => {
            format!("the Redis server {at} is in protected mode; set a password, or bind it to localhost only")
        }
        "NOPERM" => format!(
            "the Redis server {at} does not grant its user the permissions that loopmem needs; its ACL must allow keys \
             with the prefix, and +@read +@write +@transaction +@connection +scan"
        ),
        "CROSSSLOT" => format!(
            "the Redis server {at} stores the keys of one scope on several nodes; set redisPrefix to one with braces, \
             such as {{loopmem}}:, to keep them on one node"
        ),
        "MOVED" | "ASK" | "TRYAGAIN" => {
            format!("the Redis server {at} is moving the keys to another node of its cluster; try again with back-off")
        }
        "LOADING" => format!("the Redis server {at} is still loading its data; try again with back-off"),
        _ => format!("the Redis server {at} rejected a command"),
    };
    let error = about(Error::new(ErrorKind::Adapter, message).because(server_message(server, reply)), key);
    let is_transient = matches!(reply.code.as_str(), "OOM" | "MISCONF" | "NOREPLICAS") || reply.is_transient();
    if is_transient { error.mark_retryable() } else { error }
}

/// The error for a key of loopmem that has another type.
pub(super) fn foreign_key(at: &str, key: Option<&Key>) -> Error {
    let message = format!(
        "the Redis server {at} has data under {} that loopmem did not write; set redisPrefix to one that no other \
         program uses",
        key.map_or("a key of loopmem", Key::kind)
    );
    about(Error::new(ErrorKind::Adapter, message), key)
}

fn about(error: Error, key: Option<&Key>) -> Error {
    match key {
        Some(key) => error.about(key.to_string()),
        None => error,
    }
}

/// The error for a redirect to a host that is not configured, to which neither keys nor the password are sent.
pub(super) fn foreign_node(at: &str, host: &str) -> Error {
    let host = shown(host);
    let message = format!(
        "the Redis server {at} redirects to the host {host}, which is not configured, so loopmem does not connect to \
         it; if it belongs to the cluster, list it in redisHosts"
    );
    Error::new(ErrorKind::Adapter, message)
}
