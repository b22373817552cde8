//! Failures of attempts to use a Redis server, and the errors that callers get.

use std::io;

use redis::{ServerError, Value};

use super::super::super::key::Key;
use super::server::{Server, shown, without_password};
use super::tls;
use crate::error::{Error, ErrorKind};

/// Why an attempt failed.
#[derive(Debug)]
pub(super) struct Failure {
    /// The error for the caller, unless another attempt succeeds.
    pub(super) error: Error,
    /// Whether the server may have received writes.
    pub(super) is_sent: bool,
    pub(super) reaction: Reaction,
}

/// How to react to a failure.
#[derive(Debug)]
pub(super) enum Reaction {
    /// Return the error to the caller.
    Fail,
    /// Try again after a pause.
    Retry,
    /// Continue at the node that the details name, to which the keys have moved; or ask it once if the keys are being
    /// migrated and this one has moved already.
    Follow { details: String, is_asking: bool },
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure { error, is_sent: false, reaction: Reaction::Fail }
    }
}

impl Failure {
    /// A temporary failure.
    pub(super) fn temporary(error: Error) -> Self {
        Failure { error: error.mark_retryable(), is_sent: false, reaction: Reaction::Retry }
    }

    /// An I/O error on a connection to the server `at`; `hint` is added if the connection broke.
    pub(super) fn of_io(cause: io::Error, at: &str, hint: &str, millis: u128) -> Self {
        let cause = match cause.downcast::<Error>() {
            Ok(error) => return error.into(),
            Err(cause) => cause,
        };
        if let Some(refused) = cause.get_ref().and_then(|cause| cause.downcast_ref()) {
            return tls::refused(at, refused).into();
        }
        match cause.kind() {
            io::ErrorKind::OutOfMemory => error(format!(
                "not enough memory for the answer of the Redis server {at}; read only the end of a long log (limit)"
            ))
            .into(),
            io::ErrorKind::UnexpectedEof => {
                Failure::unreached(at, millis, &format!("the server closed the connection{hint}"))
            }
            _ => Failure::unreached(at, millis, &format!("{cause}{hint}")),
        }
    }

    /// The server `at` could not be reached, but has been before, or the connection to it broke.
    pub(super) fn unreached(at: &str, millis: u128, cause: &str) -> Self {
        let message = format!(
            "the Redis server {at} could not be reached within {millis} ms; check that it is running and that the URL is correct"
        );
        Failure::temporary(error(message).because(cause))
    }

    /// The server `at` answered with an error, which concerns this key if it is known.
    pub(super) fn rejected(server: &Server, at: &str, reply: &ServerError, key: Option<&Key>) -> Self {
        let details = reply.details().unwrap_or_default();
        let reaction = match reply.code() {
            code @ ("MOVED" | "ASK") => Reaction::Follow { details: details.to_owned(), is_asking: code == "ASK" },
            "TRYAGAIN" | "CLUSTERDOWN" | "MASTERDOWN" | "LOADING" | "BUSY" => Reaction::Retry,
            "ERR" if details.starts_with("max number of clients") => Reaction::Retry,
            _ => Reaction::Fail,
        };
        let error = to_error(server, at, reply, key);
        let is_retryable =
            !matches!(reaction, Reaction::Fail) || matches!(reply.code(), "OOM" | "MISCONF" | "NOREPLICAS");
        let error = if is_retryable { error.mark_retryable() } else { error };
        Failure { error, is_sent: false, reaction }
    }

    /// Some keys of a scope have been migrated to another node already.
    pub(super) fn split(at: &str) -> Self {
        Failure::temporary(moving(at).because("TRYAGAIN the keys of the scope are on two nodes"))
    }
}

fn error(message: String) -> Error {
    Error::new(ErrorKind::Adapter, message)
}

/// The error for a peer that does not speak the Redis protocol.
pub(super) fn not_redis(at: &str, cause: &str) -> Error {
    error(format!("the server at {at} is not a Redis server; correct the URL")).because(cause)
}

/// The error for more than the `most` bytes that may be sent.
pub(super) fn too_large(at: &str, most: usize) -> Error {
    error(format!(
        "the Redis server {at} sent more than the {most} bytes allowed for the answer to a command; read only the end \
         of a long log (limit), and check that no other program uses the redisPrefix"
    ))
}

/// The first error reply and its index.
pub(super) fn first_error(answers: &[Value]) -> Option<(usize, &ServerError)> {
    answers.iter().enumerate().find_map(|(place, answer)| match answer {
        Value::ServerError(reply) => Some((place, reply)),
        _ => None,
    })
}

/// The server's message on one line, without the password.
pub(super) fn server_message(server: &Server, reply: &ServerError) -> String {
    let message = format!("{} {}", reply.code(), reply.details().unwrap_or_default());
    shown(&without_password(message.trim_end(), server.password()))
}

/// The error for an error reply of the server `at`: what happened and what to do.
fn to_error(server: &Server, at: &str, reply: &ServerError, key: Option<&Key>) -> Error {
    let message = match reply.code() {
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
        "MOVED" | "ASK" | "TRYAGAIN" => return about(moving(at).because(server_message(server, reply)), key),
        "LOADING" => format!("the Redis server {at} is still loading its data; try again with back-off"),
        _ => format!("the Redis server {at} rejected a command"),
    };
    about(error(message).because(server_message(server, reply)), key)
}

fn moving(at: &str) -> Error {
    error(format!("the Redis server {at} is moving the keys to another node of its cluster; try again with back-off"))
}

/// The error for a key of loopmem that has another type.
pub(super) fn foreign_key(at: &str, key: Option<&Key>) -> Error {
    let kind = key.map_or("a key of loopmem", Key::kind);
    let message = format!(
        "the Redis server {at} has data under {kind} that loopmem did not write; set redisPrefix to one that no other \
         program uses"
    );
    about(error(message), key)
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
    error(format!(
        "the Redis server {at} redirects to the host {host}, which is not configured, so loopmem does not connect to \
         it; if it belongs to the cluster, list it in redisHosts"
    ))
}
