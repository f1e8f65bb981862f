//! A certificate that the user gave is trusted as it is, whoever has signed it.
//!
//! What `openssl req -x509` makes is a certificate of an authority (CA:TRUE) that a server then shows as its own. The rules of the web
//! refuse that, also where it was given byte for byte as the one to trust. Who gives a server's own certificate means just that one.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

/// Trusts given certificates themselves, and those whom they have signed.
#[derive(Debug)]
pub struct Given {
    pub certificates: Vec<CertificateDer<'static>>,
    pub signed: Arc<WebPkiServerVerifier>,
}

impl ServerCertVerifier for Given {
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
        // Its dates were looked at before its signer; its name would have been looked at after.
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

/// Whether a certificate is refused for who signed it, not for what it says. webpki looks at its dates first.
fn about_its_signer(error: &CertificateError) -> bool {
    match error {
        CertificateError::UnknownIssuer => true,
        CertificateError::Other(other) => matches!(other.0.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity)),
        _ => false,
    }
}
