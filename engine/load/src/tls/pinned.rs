//! Trusts a given certificate itself, whoever has signed it.
//!
//! `openssl req -x509` makes a certificate of an authority (CA:TRUE), which a server then uses as its own. The rules of the web refuse this, even if
//! exactly this certificate is trusted. A user who gives the certificate of a server wants to trust exactly that certificate.

use std::sync::Arc;

use callbench_tls::Shown;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::CertificateDer;
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error};

/// Trusts the given certificates themselves, and certificates signed by them.
#[derive(Debug)]
pub struct Pinned {
    pub certificates: Vec<CertificateDer<'static>>,
    pub signed: Arc<WebPkiServerVerifier>,
}

impl Pinned {
    /// Accepts a certificate, or says why not.
    pub fn accept(&self, shown: &Shown<'_>) -> Result<(), Error> {
        let signed = self.signed.verify_server_cert(shown.certificate, shown.intermediates, shown.name, shown.ocsp, shown.now);
        let refused = match signed {
            Err(Error::InvalidCertificate(error)) if about_its_signer(&error) => error,
            other => return other.map(|_| ()),
        };
        if !self.certificates.iter().any(|one| one.as_ref() == shown.certificate.as_ref()) {
            return Err(Error::InvalidCertificate(refused));
        }
        // The validity period was checked before the signer. The name has not been checked yet.
        verify_server_name(&ParsedCertificate::try_from(shown.certificate)?, shown.name)
    }
}

/// Whether a certificate is refused because of its signer and not because of its content. webpki checks the validity period first.
fn about_its_signer(error: &CertificateError) -> bool {
    match error {
        CertificateError::UnknownIssuer
        | CertificateError::BadSignature
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => true,
        CertificateError::Other(other) => matches!(other.0.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity)),
        _ => false,
    }
}
