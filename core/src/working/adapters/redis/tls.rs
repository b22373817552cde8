//! TLS to a Redis server (`rediss://`): which certificates are trusted, and what a refused one calls for.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{AlertDescription, CertificateError, ClientConfig, ClientConnection, InvalidMessage, RootCertStore};

use super::server::Node;
use super::text::shown;
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// The largest file of certificates that is read.
const MOST_CA_BYTES: u64 = 4 << 20;

/// What every connection of a process has in common. Verification cannot be turned off.
///
/// # Errors
/// `IOError` or `ValidationError` for the file of `redisCaFile`; `AdapterError` when the system trusts no certificate.
pub(super) fn settings(home: &Home) -> Result<Arc<ClientConfig>> {
    let roots = match &home.config().redis_ca_file {
        Some(path) => listed(home, path)?,
        None => native()?,
    };
    let unusable = |cause: rustls::Error| Error::new(ErrorKind::Adapter, "TLS could not be set up").because(cause);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().map_err(unusable)?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    // Sessions would be kept under a mutex, which another thread of a parent might hold while it forks.
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

/// A connection's side of TLS, which has sent nothing yet.
///
/// # Errors
/// `AdapterError` for a host whose name no certificate can have.
pub(super) fn session(settings: &Arc<ClientConfig>, node: &Node, at: &str) -> Result<Box<ClientConnection>> {
    let name = match node {
        Node::Tcp(host, _) => ServerName::try_from(host.clone()).ok(),
        Node::Unix(_) => None,
    };
    let name = name.ok_or_else(|| {
        let message = format!("the Redis server {at} has a name that no certificate can be for; mend the URL");
        Error::new(ErrorKind::Adapter, message)
    })?;
    ClientConnection::new(Arc::clone(settings), name).map(Box::new).map_err(|cause| refused(at, &cause))
}

/// The error for what went wrong with TLS: what happened and what to do.
pub(super) fn refused(at: &str, cause: &rustls::Error) -> Error {
    use CertificateError::{
        ApplicationVerificationFailure, BadSignature, Expired, ExpiredContext, NotValidForName, NotValidForNameContext,
        NotValidYet, NotValidYetContext, UnknownIssuer,
    };
    let message = match cause {
        rustls::Error::InvalidCertificate(UnknownIssuer | BadSignature | ApplicationVerificationFailure) => format!(
            "the certificate of the Redis server {at} was issued by an authority that is not trusted here; name the \
             file of its CA's certificate in redisCaFile"
        ),
        rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => format!(
            "the certificate of the Redis server {at} is for another host; connect by a name that it is valid for, or \
             issue one for this name"
        ),
        rustls::Error::InvalidCertificate(Expired | ExpiredContext { .. }) => {
            format!("the certificate of the Redis server {at} has expired; renew it on the server")
        }
        rustls::Error::InvalidCertificate(NotValidYet | NotValidYetContext { .. }) => {
            format!("the certificate of the Redis server {at} is not valid yet; see that this machine's clock is right")
        }
        rustls::Error::InvalidCertificate(_) => {
            format!("the certificate of the Redis server {at} is not acceptable; issue another one")
        }
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType | InvalidMessage::MessageTooLarge) => {
            format!("what answers at {at} does not speak TLS; use redis:// in the URL, or name the port of its TLS")
        }
        rustls::Error::AlertReceived(AlertDescription::CertificateRequired) => format!(
            "the Redis server {at} asks for a certificate of the client, which loopmem does not have; set \
             tls-auth-clients no on the server"
        ),
        _ => format!("TLS with the Redis server {at} failed; see that the server speaks TLS 1.2 or 1.3 at this port"),
    };
    Error::new(ErrorKind::Adapter, message).because(shown(&cause.to_string()))
}

/// The error for a handshake that took longer than the call has time: a server without TLS says nothing to it.
pub(super) fn unfinished(at: &str, timeout: Duration) -> Error {
    let message = format!(
        "the Redis server {at} did not finish the TLS handshake within {} ms; see that it speaks TLS at this port, or \
         use redis:// in the URL",
        timeout.as_millis()
    );
    Error::new(ErrorKind::Adapter, message).mark_retryable()
}

/// The certificates of the user's file, and no others.
fn listed(home: &Home, path: &Path) -> Result<RootCertStore> {
    let unread = |cause: &std::io::Error| Error::io("read the certificates of redisCaFile from", path, cause);
    let bytes = match home.disk().read_foreign(path, MOST_CA_BYTES) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(unread(&std::io::ErrorKind::NotFound.into())),
        Err(cause) => return Err(unread(&cause)),
    };
    let refused = |what: &str| {
        let message = format!("redisCaFile: {} {what}; it must be certificates as PEM", path.display());
        Error::validation(message).at(path)
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|_| refused("cannot be read"))?;
        roots.add(certificate).map_err(|_| refused("holds a certificate that cannot be read"))?;
    }
    if roots.is_empty() { Err(refused("holds no certificate")) } else { Ok(roots) }
}

/// The certificates that the system trusts; `SSL_CERT_FILE` and `SSL_CERT_DIR` name others.
fn native() -> Result<RootCertStore> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let message = "this system trusts no certificates; install them (Debian: ca-certificates), or name the file of \
                       the server's CA in redisCaFile";
        let error = Error::new(ErrorKind::Adapter, message);
        return Err(match found.errors.first() {
            Some(cause) => error.because(shown(&cause.to_string())),
            None => error,
        });
    }
    Ok(roots)
}
