//! TLS to a Redis server (`rediss://`): trusted certificates, and errors for rejected ones.

use std::path::Path;
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{AlertDescription, CertificateError, ClientConfig, ClientConnection, InvalidMessage, RootCertStore};

use super::server::{Node, shown};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// The maximum size of `redisCaFile`.
const MOST_CA_BYTES: u64 = 4 << 20;

/// The TLS configuration of all connections of a process. Verification cannot be disabled.
///
/// # Errors
/// `IOError` or `ValidationError` for the file of `redisCaFile`; `AdapterError` if the system has no trusted
/// certificates.
pub(super) fn settings(home: &Home) -> Result<Arc<ClientConfig>> {
    let roots = match &home.config().redis_ca_file {
        Some(path) => listed(home, path)?,
        None => native()?,
    };
    let unusable = |cause: rustls::Error| Error::new(ErrorKind::Adapter, "TLS could not be set up").because(cause);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().map_err(unusable)?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    // The session cache has a mutex, which another thread could hold during a fork.
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

/// A new TLS session; nothing is sent yet.
///
/// # Errors
/// `AdapterError` for a host name that cannot be in a certificate.
pub(super) fn session(settings: &Arc<ClientConfig>, node: &Node, at: &str) -> Result<Box<ClientConnection>> {
    let name = match node {
        Node::Tcp(host, _) => ServerName::try_from(host.clone()).ok(),
        _ => None,
    };
    let name = name.ok_or_else(|| {
        let message = format!("the Redis server {at} has a host name that cannot be in a certificate; correct the URL");
        Error::new(ErrorKind::Adapter, message)
    })?;
    ClientConnection::new(Arc::clone(settings), name).map(Box::new).map_err(|cause| refused(at, &cause))
}

/// The error for a TLS failure: what happened and what to do.
pub(super) fn refused(at: &str, cause: &rustls::Error) -> Error {
    use CertificateError::{
        ApplicationVerificationFailure, BadSignature, Expired, ExpiredContext, NotValidForName, NotValidForNameContext,
        NotValidYet, NotValidYetContext, UnknownIssuer,
    };
    let (of, what) = match cause {
        rustls::Error::InvalidCertificate(cause) => {
            let what = match cause {
                UnknownIssuer | BadSignature | ApplicationVerificationFailure => {
                    "was issued by an untrusted authority; set redisCaFile to the file of its CA's certificate"
                }
                NotValidForName | NotValidForNameContext { .. } => {
                    "is for another host; connect by a name that it is valid for, or issue one for this name"
                }
                Expired | ExpiredContext { .. } => "has expired; renew it on the server",
                NotValidYet | NotValidYetContext { .. } => "is not valid yet; check this machine's clock",
                _ => "is invalid; issue another one",
            };
            ("the certificate of the Redis server", what)
        }
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType | InvalidMessage::MessageTooLarge) => {
            ("the server at", "does not speak TLS; use redis:// in the URL, or the server's TLS port")
        }
        rustls::Error::AlertReceived(AlertDescription::CertificateRequired) => (
            "the Redis server",
            "requires a client certificate, which loopmem does not support; set tls-auth-clients no on the server",
        ),
        _ => ("TLS with the Redis server", "failed; check that the server supports TLS 1.2 or 1.3 at this port"),
    };
    Error::new(ErrorKind::Adapter, format!("{of} {at} {what}")).because(shown(&cause.to_string()))
}

/// The error for a handshake that timed out: a server without TLS does not answer it.
pub(super) fn unfinished(at: &str, millis: u128) -> Error {
    let message = format!(
        "the Redis server {at} did not finish the TLS handshake within {millis} ms; check that it supports TLS at this \
         port, or use redis:// in the URL"
    );
    Error::new(ErrorKind::Adapter, message).mark_retryable()
}

/// Only the certificates of the user's file.
fn listed(home: &Home, path: &Path) -> Result<RootCertStore> {
    let unread = |cause: &std::io::Error| Error::io("read the certificates of redisCaFile from", path, cause);
    let bytes = match home.disk().read_foreign(path, MOST_CA_BYTES) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(unread(&std::io::ErrorKind::NotFound.into())),
        Err(cause) => return Err(unread(&cause)),
    };
    let refused = |what: &str| {
        let message = format!("redisCaFile: {} {what}; it must contain certificates in PEM format", path.display());
        Error::validation(message).at(path)
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|_| refused("cannot be read"))?;
        roots.add(certificate).map_err(|_| refused("contains an invalid certificate"))?;
    }
    if roots.is_empty() { Err(refused("contains no certificate")) } else { Ok(roots) }
}

/// The system's trusted certificates; `SSL_CERT_FILE` and `SSL_CERT_DIR` override them.
fn native() -> Result<RootCertStore> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let message = "this system has no trusted certificates; install them (Debian: ca-certificates), or set \
                       redisCaFile to the file of the server's CA";
        let error = Error::new(ErrorKind::Adapter, message);
        return Err(match found.errors.first() {
            Some(cause) => error.because(shown(&cause.to_string())),
            None => error,
        });
    }
    Ok(roots)
}
