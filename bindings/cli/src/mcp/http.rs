//! The server over streamable HTTP, for clients on this machine that have its token.
//!
//! A page in a browser reaches this address as well: the token keeps it out, and so do the checks of `Host` and `Origin`, which
//! the library makes.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use loopmem::{Error, ErrorKind, Result};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::server::{MAX_MESSAGE_BYTES, Server};
use crate::human::environment;
use crate::output;

/// The variable with a token of the user's own.
const TOKEN: &str = "LOOPMEM_MCP_TOKEN";
/// A shorter one could be guessed.
const MIN_TOKEN_BYTES: usize = 16;
const PATH: &str = "/mcp";
/// How many connections are served at once; others wait.
const MAX_CONNECTIONS: usize = 64;
/// How long a client may take for the head of a request.
const PATIENCE: Duration = Duration::from_secs(10);

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// Serves on a port of the loopback interface, and prints its address, until the process ends.
///
/// # Errors
/// `ValidationError` for a token that is too short; `IOError` if the port cannot be used.
pub(super) async fn serve(port: u16, is_json: bool, server: impl Fn() -> Server + Send + Sync + 'static) -> Result<()> {
    let given = environment::variable(TOKEN)?;
    if given.as_ref().is_some_and(|token| token.len() < MIN_TOKEN_BYTES) {
        return Err(Error::validation(format!("{TOKEN} must have at least {MIN_TOKEN_BYTES} characters")));
    }
    let is_new = given.is_none();
    let token: Arc<str> =
        given.unwrap_or_else(|| [Uuid::new_v4(), Uuid::new_v4()].map(|it| it.simple().to_string()).concat()).into();
    let failed = |cause: std::io::Error| {
        Error::new(ErrorKind::Io, format!("could not listen on port {port} of 127.0.0.1")).because_of(&cause)
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
    let url = format!("http://{}{PATH}", listener.local_addr().map_err(failed)?);
    // It is printed once, for whoever starts the server; one that was given is not repeated.
    let shown = is_new.then_some(&*token);
    match (is_json, shown) {
        (true, _) => output::line(json!({ "url": url, "token": shown }).to_string())?,
        (false, Some(token)) => output::text(&format!("{url}\nAuthorization: Bearer {token}"))?,
        (false, None) => output::text(&url)?,
    }
    let config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server()), sessions, config);
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&free).acquire_owned().await else { return Ok(()) };
        // Of a client that is gone already.
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (service, token) = (service.clone(), Arc::clone(&token));
        tokio::spawn(async move {
            let answer = service_fn(|request: Request<Incoming>| {
                let refused = refusal(&request, &token);
                let service = &service;
                async move {
                    Ok::<Answer, Infallible>(match refused {
                        Some(refused) => refused,
                        None => service.handle(request).await,
                    })
                }
            });
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
            // What goes wrong is between the client and its connection.
            let _ = connection.serve_connection(TokioIo::new(stream), answer).await;
            drop(place);
        });
    }
}

/// The answer to a request that is not served.
fn refusal(request: &Request<Incoming>, token: &str) -> Option<Answer> {
    let answer = |status: StatusCode| {
        let mut answer = Response::new(Full::new(Bytes::new()).boxed());
        *answer.status_mut() = status;
        answer
    };
    if !is_authorized(request.headers().get(AUTHORIZATION), token) {
        let mut answer = answer(StatusCode::UNAUTHORIZED);
        answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return Some(answer);
    }
    (request.uri().path() != PATH).then(|| answer(StatusCode::NOT_FOUND))
}

/// Whether a header has the token. The time that it takes says nothing about the token but its length.
fn is_authorized(header: Option<&HeaderValue>, token: &str) -> bool {
    const SCHEME: &[u8] = b"bearer ";
    let Some((scheme, given)) = header.and_then(|it| it.as_bytes().split_at_checked(SCHEME.len())) else {
        return false;
    };
    scheme.eq_ignore_ascii_case(SCHEME) && bool::from(given.ct_eq(token.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_authorized() {
        for (header, expected) in [
            ("Bearer secret", true),
            ("bearer secret", true),
            ("Bearer secre", false),
            ("Bearer secrets", false),
            ("Bearer ", false),
            ("Basic secret", false),
            ("secret", false),
            ("", false),
        ] {
            let header = HeaderValue::from_static(header);
            assert_eq!(is_authorized(Some(&header), "secret"), expected, "{header:?}");
        }
        assert!(!is_authorized(None, "secret"));
    }
}
