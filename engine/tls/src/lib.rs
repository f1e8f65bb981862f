//! The client side of TLS with a rule of one's own for certificates: the load driver and the channels have one each.
//!
//! rustls verifies the signatures of the handshake in all cases. So a rule decides only whether the certificate is accepted.

use std::fmt;
use std::sync::Arc;

use callbench_contract::{Failure, Kind};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};

/// What a server shows of itself.
pub struct Shown<'a> {
    pub certificate: &'a CertificateDer<'a>,
    pub intermediates: &'a [CertificateDer<'a>],
    pub name: &'a ServerName<'a>,
    /// The stapled answer of the authority, if there is one.
    pub ocsp: &'a [u8],
    pub now: UnixTime,
}

/// The settings of a client.
///
/// # Arguments
///
/// * `protocols` - the names for ALPN, the preferred one first.
/// * `accept` - the rule: an error refuses the certificate.
pub fn client(
    protocols: &[&str],
    accept: impl Fn(&Shown<'_>) -> Result<(), Error> + Send + Sync + 'static,
) -> Result<ClientConfig, Failure> {
    let provider = Arc::new(ring::default_provider());
    let rule = Arc::new(Rule { provider: Arc::clone(&provider), accept });
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?
        .dangerous()
        .with_custom_certificate_verifier(rule)
        .with_no_client_auth();
    config.alpn_protocols = alpn(protocols);
    Ok(config)
}

/// Names of protocols as ALPN has them.
#[must_use]
pub fn alpn(protocols: &[&str]) -> Vec<Vec<u8>> {
    protocols.iter().map(|name| name.as_bytes().to_vec()).collect()
}

/// Why TLS cannot be set up.
pub fn unusable(error: &dyn fmt::Display) -> Failure {
    Failure::new(Kind::Internal, format!("TLS cannot be set up: {error}"))
}

struct Rule<F> {
    provider: Arc<CryptoProvider>,
    accept: F,
}

impl<F> fmt::Debug for Rule<F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Rule")
    }
}

impl<F: Fn(&Shown<'_>) -> Result<(), Error> + Send + Sync> ServerCertVerifier for Rule<F> {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        (self.accept)(&Shown { certificate, intermediates, name, ocsp, now })?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
