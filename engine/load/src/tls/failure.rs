//! Error messages for TLS: the cause and the remedy.

use callbench_kit::{Failure, Kind};
use rustls::pki_types::{ServerName, UnixTime};
use rustls::{AlertDescription, CertificateError, Error, PeerIncompatible};

const TRUST_IT: &str = "give it or its signer with --certificates, or accept any with --insecure";

/// The failure for an error of TLS.
pub fn failure(error: &Error) -> Failure {
    match error {
        Error::InvalidCertificate(error) => certificate(error),
        Error::NoCertificatesPresented => refused("the server sent none"),
        // The bytes are not TLS.
        Error::InvalidMessage(_) => Failure::protocol("the server answered without TLS: is its URL http://...?"),
        Error::AlertReceived(alert) => alerted(*alert),
        Error::PeerIncompatible(how) => incompatible(how),
        other => Failure::protocol(format!("TLS failed: {other}")),
    }
}

fn refused(why: &str) -> Failure {
    Failure::new(Kind::Certificate, format!("the server's certificate is refused: {why}"))
}

fn certificate(error: &CertificateError) -> Failure {
    let why = match error {
        CertificateError::UnknownIssuer => format!("it is not signed by a trusted authority: {TRUST_IT}"),
        CertificateError::ExpiredContext { time, not_after } => {
            format!("it expired {} ago: renew it, or accept it with --insecure", duration_text(*not_after, *time))
        }
        CertificateError::NotValidYetContext { time, not_before } => {
            let wait = duration_text(*time, *not_before);
            format!("it becomes valid in {wait}: correct the clock of this machine, or accept it with --insecure")
        }
        CertificateError::NotValidForNameContext { expected, presented } => wrong_name(expected, presented),
        CertificateError::InvalidPurposeContext { .. } | CertificateError::InvalidPurpose => {
            "it is not for servers (its extendedKeyUsage lacks serverAuth): give the server one that is".to_owned()
        }
        // Debian's own certificate of this machine is for localhost, and trusted: many certificates of tests have its name.
        CertificateError::BadSignature | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            format!("it is not signed by a trusted authority, but by another one with the same name: {TRUST_IT}")
        }
        CertificateError::Other(other) => match other.0.downcast_ref() {
            Some(webpki::Error::CaUsedAsEndEntity) => {
                "it is an authority's own (CA:TRUE, as `openssl req -x509` makes it): give that very one with --certificates, or take any \
                 with --insecure"
                    .to_owned()
            }
            Some(webpki::Error::UnsupportedCertVersion) => {
                "it is X.509 version 1, which contains no host names: make one with a subjectAltName, or accept it with --insecure"
                    .to_owned()
            }
            _ => other.to_string(),
        },
        other => other.to_string(),
    };
    refused(&why)
}

/// `presented`: the names in the certificate, as webpki writes them: `DnsName("a.example")`.
fn wrong_name(expected: &ServerName, presented: &[String]) -> String {
    let wanted = expected.to_str();
    let kind = if matches!(expected, ServerName::IpAddress(_)) { "IP" } else { "DNS" };
    if presented.is_empty() {
        return format!(
            "it names no host, and its common name (CN) does not count: make it with subjectAltName={kind}:{wanted}, or take it with \
             --insecure"
        );
    }
    let names: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
    format!("it is for {}, not for {wanted}: use that name in the URL, or accept it with --insecure", names.join(", "))
}

fn bare(name: &str) -> &str {
    let inner = name.split_once('(').map_or(name, |(_, rest)| rest.trim_end_matches(')'));
    inner.trim_matches('"')
}

/// The time between two moments in words.
fn duration_text(from: UnixTime, to: UnixTime) -> String {
    let seconds = to.as_secs().saturating_sub(from.as_secs());
    match (seconds / 86_400, seconds / 3_600) {
        (0, 0 | 1) => format!("{} minutes", (seconds / 60).max(1)),
        (0 | 1, hours) => format!("{hours} hours"),
        (days, _) => format!("{days} days"),
    }
}

fn alerted(alert: AlertDescription) -> Failure {
    let why = match alert {
        AlertDescription::NoApplicationProtocol => {
            "the server does not speak the version of HTTP that was asked for; try it with --http2, or without"
        }
        AlertDescription::ProtocolVersion => "the server has no TLS version in common with the driver: it must allow TLS 1.2 or 1.3",
        AlertDescription::CertificateRequired => {
            "the server requires client certificates, which the driver does not support: configure the server without them"
        }
        AlertDescription::HandshakeFailure | AlertDescription::InsufficientSecurity => {
            "the server refused to agree: it has no cipher in common with us (AES-GCM or ChaCha20, with ECDHE), or it wants a \
             certificate of its clients, which the driver cannot show"
        }
        AlertDescription::UnrecognisedName => "the server has no site of this name: use the name that its certificate is for",
        other => return Failure::protocol(format!("TLS failed: the server ended the handshake with the alert {other:?}")),
    };
    Failure::protocol(format!("TLS failed: {why}"))
}

fn incompatible(how: &PeerIncompatible) -> Failure {
    let versions = matches!(how, PeerIncompatible::ServerDoesNotSupportTls12Or13 | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig);
    if versions {
        alerted(AlertDescription::ProtocolVersion)
    } else {
        Failure::protocol(format!("TLS failed: the server and the driver have no common {how:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn names_of_certificates_are_written_without_their_wrapping() {
        let expected = ServerName::try_from("b.example").expect("a name");
        let wrong = wrong_name(&expected, &["DnsName(\"a.example\")".to_owned(), "IpAddress(127.0.0.1)".to_owned()]);
        assert!(wrong.starts_with("it is for a.example, 127.0.0.1, not for b.example"), "{wrong}");
        assert!(wrong_name(&expected, &[]).contains("subjectAltName=DNS:b.example"));
    }

    #[test]
    fn times_are_told_in_the_unit_that_fits() {
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        for (seconds, words) in [(30, "1 minutes"), (7_000, "116 minutes"), (86_400, "24 hours"), (2 * 86_400, "2 days")] {
            assert_eq!(duration_text(at(100), at(100 + seconds)), words);
        }
    }
}
