//! Whom a secure connection trusts.

use std::path::Path;
use std::sync::Arc;

use callbench_kit::{Failure, Kind};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use crate::endpoint::Endpoint;
use crate::wire::Tls;

/// Whose word is taken for who a server is.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Those whom the machine trusts.
    Machine,
    /// Those of a file of certificates.
    File(String),
    /// Anybody's: for servers of one's own.
    Anybody,
}

/// How to make connections to `endpoint` secure, for a protocol by its name in TLS.
pub fn settings(endpoint: &Endpoint, trust: &Trust, protocol: &str) -> Result<Tls, Failure> {
    let refused = |why: String| Failure::new(Kind::BadRequest, why);
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(format!("TLS cannot be set up: {error}")))?;
    let mut config = match trust {
        Trust::Anybody => builder.dangerous().with_custom_certificate_verifier(Arc::new(Credulous(provider))).with_no_client_auth(),
        Trust::Machine => builder.with_root_certificates(machine()).with_no_client_auth(),
        Trust::File(path) => builder.with_root_certificates(file(path)?).with_no_client_auth(),
    };
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let name = ServerName::try_from(endpoint.name.clone())
        .map_err(|_| refused(format!("{} is no name that a certificate can have", endpoint.name)))?;
    Ok(Tls { config: Arc::new(config), name })
}

fn machine() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    // A machine's own store often holds a few that cannot be read; those are of no use to anybody.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

fn file(path: &str) -> Result<RootCertStore, Failure> {
    let refused = |why: String| Failure::new(Kind::BadRequest, format!("the certificates {path}: {why}"));
    let found = CertificateDer::pem_file_iter(Path::new(path)).map_err(|error| refused(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in found {
        let certificate = certificate.map_err(|error| refused(error.to_string()))?;
        roots.add(certificate).map_err(|error| refused(error.to_string()))?;
    }
    if roots.is_empty() { Err(refused("no certificate is in it".to_owned())) } else { Ok(roots) }
}

/// Takes every certificate; the signatures of the handshake are checked all the same.
#[derive(Debug)]
struct Credulous(Arc<CryptoProvider>);

impl ServerCertVerifier for Credulous {
    fn verify_server_cert(
        &self,
        _end: &CertificateDer<'_>,
        _between: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
