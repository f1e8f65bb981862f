"""Certificates as people make them with `openssl`."""

import subprocess
from pathlib import Path

HERE = "subjectAltName=IP:127.0.0.1,DNS:localhost"
"""The names of this machine, for `-addext`."""


def openssl(*words: object) -> None:
    """Run openssl."""
    words = ("openssl", *words)
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


def self_signed(folder: Path, name: str, *words: str) -> Path:
    """Make NAME.pem and NAME.key with `openssl req -x509`; return the certificate."""
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", folder / f"{name}.key")
    certificate = folder / f"{name}.pem"
    openssl("req", "-x509", *key, "-subj", "/CN=localhost", "-days", "2", *words, "-out", certificate)
    return certificate
