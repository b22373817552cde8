//! What may go wrong between loopmem and a Redis server, and what is to be done about it.

use super::super::super::key::Key;
use super::reply::{Refusal, Reply};
use super::server::{Redirect, Server};
use super::text::{shown, without_password};
use crate::error::{Error, ErrorKind};

/// Why an attempt came to nothing.
#[derive(Debug)]
pub(super) enum Trouble {
    /// No connection was made: nothing listens there, or the way to it is not known.
    Unreachable { cause: String },
    /// The connection broke.
    Lost {
        /// Whether the server may have got what writes.
        is_sent: bool,
        cause: String,
    },
    /// The time is over.
    Late {
        /// As above.
        is_sent: bool,
    },
    /// Somebody else wrote in between.
    Conflict,
    /// The server said no, where this is known of this key.
    Refused(Refusal, Option<Key>),
    /// What answers there does not speak as Redis does.
    NoRedis { is_sent: bool, cause: String },
    /// The answer is larger than what is read of it.
    TooLarge { is_sent: bool, most: usize },
    /// The system has no memory for the answer.
    NoMemory { is_sent: bool },
    /// TLS was refused, by this side or the other.
    Untrusted { is_sent: bool, error: Error },
    /// The call ends with this.
    Ended(Error),
}

/// What a refusal calls for.
pub(super) enum Remedy {
    /// The keys of this node are elsewhere now.
    Move(Redirect),
    /// The keys are on their way, and this one is elsewhere already.
    Ask(Redirect),
    /// Try again a little later.
    Wait,
    /// Tell the caller.
    Tell,
}

impl Trouble {
    /// Whether it is not known what became of a write.
    pub(super) fn is_sent(&self) -> bool {
        match self {
            Trouble::Lost { is_sent, .. }
            | Trouble::Late { is_sent }
            | Trouble::NoRedis { is_sent, .. }
            | Trouble::TooLarge { is_sent, .. }
            | Trouble::NoMemory { is_sent }
            | Trouble::Untrusted { is_sent, .. } => *is_sent,
            Trouble::Unreachable { .. } | Trouble::Conflict | Trouble::Refused(..) | Trouble::Ended(_) => false,
        }
    }

    /// What answers there does not speak as Redis does, in answer to what writes nothing.
    pub(super) fn no_redis(cause: &str) -> Self {
        Trouble::NoRedis { is_sent: false, cause: cause.to_owned() }
    }

    /// As this one, on a connection without TLS on which the server has said nothing yet.
    pub(super) fn before_any_answer(self) -> Self {
        match self {
            Trouble::Lost { is_sent, cause } => {
                Trouble::Lost { is_sent, cause: format!("{cause}; it may want TLS (rediss://)") }
            }
            other => other,
        }
    }

    /// As this one, where a refusal is about `key`.
    pub(super) fn about(self, key: &Key) -> Self {
        match self {
            Trouble::Refused(refusal, None) => Trouble::Refused(refusal, Some(key.clone())),
            other => other,
        }
    }
}

impl Refusal {
    /// The keys are on two nodes: a server of a cluster says so too.
    pub(super) fn try_again() -> Self {
        Refusal { code: "TRYAGAIN".to_owned(), details: "the keys of the scope are on two nodes".to_owned() }
    }

    /// What it calls for, where `redirect` reads what it says of another node.
    pub(super) fn remedy(&self, redirect: impl Fn(&str) -> Redirect) -> Remedy {
        match self.code.as_str() {
            "MOVED" => Remedy::Move(redirect(&self.details)),
            "ASK" => Remedy::Ask(redirect(&self.details)),
            _ if self.may_pass() => Remedy::Wait,
            _ => Remedy::Tell,
        }
    }

    /// Whether it is over soon.
    fn may_pass(&self) -> bool {
        match self.code.as_str() {
            // A slot that is on its way to another node is there soon.
            "MOVED" | "ASK" | "TRYAGAIN" | "CLUSTERDOWN" | "MASTERDOWN" | "LOADING" | "BUSY" => true,
            "ERR" => self.details.starts_with("max number of clients"),
            _ => false,
        }
    }
}

/// The first answer that is an error.
pub(super) fn refusal_in(answers: &[Reply]) -> Option<(usize, &Refusal)> {
    answers.iter().enumerate().find_map(|(place, answer)| match answer {
        Reply::Refused(refusal) => Some((place, refusal)),
        _ => None,
    })
}

/// Redis' own words in one line, without the password.
pub(super) fn words(server: &Server, refusal: &Refusal) -> String {
    shown(&without_password(format!("{} {}", refusal.code, refusal.details).trim_end(), server.password()))
}

/// The error for what the server `at` there refused: what happened and what to do.
pub(super) fn told(server: &Server, at: &str, refusal: &Refusal, key: Option<&Key>) -> Error {
    let said = match refusal.code.as_str() {
        "WRONGTYPE" => return foreign(at, key).because(words(server, refusal)),
        "READONLY" => format!("the Redis server {at} is a replica, which takes no writes; name the primary's URL"),
        "OOM" => format!("the Redis server {at} has no memory left for writes; free some, or raise its maxmemory"),
        "MISCONF" => format!("the Redis server {at} takes no writes because it cannot save them; its log tells why"),
        "NOREPLICAS" => format!("the Redis server {at} takes no writes because it has too few replicas; start them"),
        "NOAUTH" => format!("the Redis server {at} asks for a password; put it into the URL (redis://:PASSWORD@…)"),
        "WRONGPASS" => format!("the Redis server {at} refused the user or the password; mend them in the URL"),
        "DENIED" => {
            format!("the Redis server {at} is in protected mode; give it a password, or let it listen here only")
        }
        "NOPERM" => format!(
            "the Redis server {at} does not allow its user what loopmem needs; its ACL must grant the keys below the \
             prefix, and +@read +@write +@transaction +@connection +scan"
        ),
        "CROSSSLOT" => format!(
            "the Redis server {at} keeps the keys of one scope on several nodes; give loopmem a redisPrefix with \
             braces, such as {{loopmem}}:, which keep them together"
        ),
        "MOVED" | "ASK" | "TRYAGAIN" => {
            format!("the Redis server {at} is moving the keys to another node of its cluster; try again with back-off")
        }
        "LOADING" => format!("the Redis server {at} is still loading its data; try again with back-off"),
        _ => format!("the Redis server {at} refused a command"),
    };
    let error = about(Error::new(ErrorKind::Adapter, said).because(words(server, refusal)), key);
    let may_pass = matches!(refusal.code.as_str(), "OOM" | "MISCONF" | "NOREPLICAS") || refusal.may_pass();
    if may_pass { error.mark_retryable() } else { error }
}

/// The error for what is no value, or no list, where loopmem keeps one.
pub(super) fn foreign(at: &str, key: Option<&Key>) -> Error {
    let message = format!(
        "the Redis server {at} keeps something under {} that loopmem did not put there; give loopmem a redisPrefix that \
         no other program uses",
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

/// The error for a node that the server names, and to which neither keys nor the password are sent.
pub(super) fn foreign_node(at: &str, host: &str) -> Error {
    let host = shown(host);
    let message = format!(
        "the Redis server {at} says that another host has the keys, {host}, to which loopmem sends nothing unasked; if \
         it belongs to the cluster, list it in redisHosts"
    );
    Error::new(ErrorKind::Adapter, message)
}
