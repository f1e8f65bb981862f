"""Certificates of an authority of our own, with elliptic keys (P-256)."""

import os
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# Clocks of hosts may differ by so much before a new certificate counts as not yet valid.
_CLOCKS_DIFFER = timedelta(days=1)


class Authority:
    """Signs certificates. Its files are made if they are not there."""

    def __init__(self, certificate: Path, key: Path, days: int) -> None:
        """Read or make it.

        Args:
            certificate: its file.
            key: the file of its key.
            days: how long what it signs is valid.

        Raises:
            OSError: a file cannot be read or written.
        """
        self._days = days
        if key.exists():
            read = serialization.load_pem_private_key(key.read_bytes(), None)
            assert isinstance(read, ec.EllipticCurvePrivateKey)  # noqa: S101 - it was made here
            self._key = read
            self._name = x509.load_pem_x509_certificate(certificate.read_bytes()).subject
            return
        self._key = ec.generate_private_key(ec.SECP256R1())
        # A name of its own each: else a certificate of another core would seem to be signed by this one, wrongly.
        self._name = _named(f"callbench {x509.random_serial_number():x}"[:60])
        _write_key(key, self._key)
        write_private(certificate, self._signed(self._name, self._key.public_key(), authority=True))

    def sign(self, name: str, certificate: Path, key: Path, *, served: bool = False) -> None:
        """Make a key and its certificate.

        Args:
            name: whose it is.
            certificate: its new file.
            key: the new file of the key.
            served: whether browsers see it: then the name is a host's, or an IP address.

        Raises:
            OSError: a file cannot be written.
        """
        own = ec.generate_private_key(ec.SECP256R1())
        _write_key(key, own)
        write_private(
            certificate, self._signed(_named(name), own.public_key(), authority=False, host=name if served else "")
        )

    def _signed(self, subject: x509.Name, key: ec.EllipticCurvePublicKey, *, authority: bool, host: str = "") -> bytes:
        now = datetime.now(UTC)
        usage = x509.KeyUsage(
            digital_signature=not authority, key_cert_sign=authority, crl_sign=authority, content_commitment=False,
            key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
            decipher_only=False,
        )  # fmt: skip
        made = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _CLOCKS_DIFFER)
            .not_valid_after(now + timedelta(days=self._days))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=0 if authority else None), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        if host:
            made = made.add_extension(x509.SubjectAlternativeName([_alternative(host)]), critical=False)
        return made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def check(authority: Path, certificate: Path, key: Path, name: str) -> tuple[datetime, datetime]:
    """Check that a key, its certificate, its owner's name and the authority belong together.

    Return from when to when they are valid.

    Raises:
        ValueError: they do not, or a file is damaged.
    """
    try:
        signer = x509.load_pem_x509_certificate(authority.read_bytes())
        own = x509.load_pem_x509_certificate(certificate.read_bytes())
        private = serialization.load_pem_private_key(key.read_bytes(), None)
    except (OSError, ValueError, TypeError) as failure:
        raise ValueError("a file of these keys is damaged") from failure
    if private.public_key() != own.public_key():
        raise ValueError(f"{key.name} is not its key")
    if own.subject != _named(name):
        raise ValueError(f"it is not that of {name}")
    try:
        own.verify_directly_issued_by(signer)
    except (ValueError, TypeError, InvalidSignature) as failure:
        raise ValueError(f"{authority.name} did not sign it") from failure
    ends = min(own.not_valid_after_utc, signer.not_valid_after_utc)
    return max(own.not_valid_before_utc, signer.not_valid_before_utc), ends


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _write_key(file: Path, key: ec.EllipticCurvePrivateKey) -> None:
    form = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    write_private(file, key.private_bytes(serialization.Encoding.PEM, *form))


def write_private(file: Path, data: bytes) -> None:
    """Write a new file. Nobody else may read a key, not even for a moment.

    Raises:
        OSError: it is there, or cannot be written.
    """
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:  # noqa: PTH123 - its mode
        opened.write(data)
