//! Trusts a given certificate itself, whoever has signed it.
//!
//! `openssl req -x509` makes a certificate of an authority (CA:TRUE), which a server then uses as its own. The rules of the web refuse this, even if
//! exactly this certificate is trusted. A user who gives the certificate of a server wants to trust exactly that certificate.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

/// Trusts the given certificates themselves, and certificates signed by them.
#[derive(Debug)]
pub struct Pinned {
    pub certificates: Vec<CertificateDer<'static>>,
    pub signed: Arc<WebPkiServerVerifier>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let refused = match self.signed.verify_server_cert(end, between, name, ocsp, now) {
            Err(Error::InvalidCertificate(error)) if about_its_signer(&error) => error,
            other => return other,
        };
        if !self.certificates.iter().any(|one| one.as_ref() == end.as_ref()) {
            return Err(Error::InvalidCertificate(refused));
        }
        // The validity period was checked before the signer. The name has not been checked yet.
        verify_server_name(&ParsedCertificate::try_from(end)?, name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.signed.supported_verify_schemes()
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
