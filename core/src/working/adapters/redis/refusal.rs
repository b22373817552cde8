//! What may go wrong between loopmem and a Redis server, and what is to be done about it.

use redis::{ServerError, Value};

use super::super::super::key::Key;
use super::server::{Node, Server};
use crate::error::{Error, ErrorKind};

/// Why an attempt came to nothing.
pub(super) enum Trouble {
    /// The connection was not made, or broke.
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
    Refused(ServerError, Option<Key>),
    /// What answers there does not speak as Redis does.
    NoRedis(String),
    /// The call ends with this.
    Ended(Error),
}

/// What a refusal calls for.
pub(super) enum Remedy {
    /// Ask this node.
    Move(Node),
    /// Try again a little later.
    Wait,
    /// Tell the caller.
    Tell,
}

impl Trouble {
    /// Whether it is not known what became of a write.
    pub(super) fn is_sent(&self) -> bool {
        matches!(self, Trouble::Lost { is_sent: true, .. } | Trouble::Late { is_sent: true })
    }

    /// As this one, where a refusal is about `key`.
    pub(super) fn about(self, key: &Key) -> Self {
        match self {
            Trouble::Refused(refusal, None) => Trouble::Refused(refusal, Some(key.clone())),
            other => other,
        }
    }
}

impl Remedy {
    /// What `refusal`, which `node` gave, calls for.
    pub(super) fn of(refusal: &ServerError, node: &Node) -> Self {
        let details = refusal.details().unwrap_or_default();
        match refusal.code() {
            "MOVED" => details.split(' ').nth(1).and_then(|to| node.moved(to)).map_or(Remedy::Tell, Remedy::Move),
            // A slot that is on its way to another node is there soon.
            "ASK" | "TRYAGAIN" | "CLUSTERDOWN" | "MASTERDOWN" | "LOADING" | "BUSY" => Remedy::Wait,
            "ERR" if details.starts_with("max number of clients") => Remedy::Wait,
            _ => Remedy::Tell,
        }
    }
}

/// The first answer that is an error.
pub(super) fn refusal_in(answers: &[Value]) -> Option<(usize, &ServerError)> {
    answers.iter().enumerate().find_map(|(place, answer)| match answer {
        Value::ServerError(refusal) => Some((place, refusal)),
        _ => None,
    })
}

/// Redis' own words, without the password.
pub(super) fn words(server: &Server, refusal: &ServerError) -> String {
    server.without_password(format!("{} {}", refusal.code(), refusal.details().unwrap_or_default()).trim_end())
}

/// The error for what the server `at` there refused: what happened and what to do.
pub(super) fn told(server: &Server, at: &str, refusal: &ServerError, key: Option<&Key>) -> Error {
    let said = match refusal.code() {
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
        "LOADING" => format!("the Redis server {at} is still loading its data; try again with back-off"),
        _ => format!("the Redis server {at} refused a command"),
    };
    let error = about(Error::new(ErrorKind::Adapter, said).because(words(server, refusal)), key);
    let may_pass = matches!(refusal.code(), "OOM" | "MISCONF" | "NOREPLICAS") || matches_wait(refusal);
    if may_pass { error.to_be_retried() } else { error }
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

fn matches_wait(refusal: &ServerError) -> bool {
    matches!(Remedy::of(refusal, &Node::Tcp(String::new(), 0)), Remedy::Wait)
}
