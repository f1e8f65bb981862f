"""Where the page listens: at this machine only, or by TLS at another address of it."""

import errno
import hashlib
import ipaddress
import shutil
import socket
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from callbench.adapter.network.remote.extra import require_extra
from callbench.adapter.network.remote.keys import settings_folder
from callbench.model import machine_limits
from callbench.model.errors import BadInput, MachineFailure

# A certificate that was made here is made anew when it ends within a day.
_DAYS, _SOON = 365, timedelta(days=1)


@dataclass(frozen=True)
class Listening:
    """A socket at which the page listens.

    Attributes:
        names: by which browsers may call its host.
        certificate: and `key`: of its TLS; None: it speaks plain HTTP, to this machine alone.
        fingerprint: of a certificate that was made here, for people to compare: SHA-256; "" for any other.
    """

    socket: socket.socket
    names: tuple[str, ...]
    certificate: Path | None = None
    key: Path | None = None
    fingerprint: str = ""

    @property
    def port(self) -> int:
        """The port."""
        return int(self.socket.getsockname()[1])

    @property
    def address(self) -> str:
        """The address of the page."""
        host = self.names[0]
        return f"http{'s' if self.certificate else ''}://{f'[{host}]' if ':' in host else host}:{self.port}/"


def listening(host: str, port: int, certificate: Path | None, key: Path | None) -> Listening:
    """Listen.

    Args:
        host: an address of this machine, or a name of it. All but its loopback need TLS.
        port: where; 0: a free one.
        certificate: of TLS, as PEM; None: one is made where TLS is needed.
        key: of the certificate.

    Raises:
        BadInput: this machine has no such address, or the certificate cannot be used.
        MachineFailure: the port cannot be used.
    """
    if (certificate is None) != (key is None):
        raise BadInput("--certificate and --key belong together: give both, or leave out both")
    family, at = _place(host, port)
    if certificate is not None and key is not None:
        _check(certificate, key)
        return Listening(_bound(family, at, host), (host.lower(),), certificate, key)
    if ipaddress.ip_address(at[0]).is_loopback:
        return Listening(_bound(family, at, host), tuple(dict.fromkeys((host.lower(), at[0], "localhost"))))
    made = _bound(family, at, host)
    try:
        folder = _made(host.lower())
    except BaseException:
        made.close()
        raise
    own = folder / "own.pem"
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(own.read_text())).hexdigest().upper()
    return Listening(
        made,
        (host.lower(),),
        own,
        folder / "own.key",
        ":".join(map("".join, zip(digest[::2], digest[1::2], strict=True))),
    )


def _place(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int]]:
    try:
        family, *_, at = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as failure:
        raise BadInput(f"--host {host} is no known name: give an address of this machine, or a name of it") from failure
    if ipaddress.ip_address(at[0]).is_unspecified:
        raise BadInput(f"--host {host} is every address: give the one address or name that browsers use")
    return family, (str(at[0]), int(at[1]))


def _bound(family: socket.AddressFamily, at: tuple[str, int], host: str) -> socket.socket:
    made = socket.socket(family)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(at)
        made.listen()
    except OSError as failure:
        made.close()
        if failure.errno == errno.EADDRINUSE:
            raise MachineFailure(f"port {at[1]} is in use: give another --port, or end what listens there") from failure
        if failure.errno == errno.EADDRNOTAVAIL:
            raise BadInput(
                f"--host {host} is not this machine: give an address of its own, or a name of it"
            ) from failure
        raise machine_limits.written(f"cannot listen at {host}:{at[1]}", failure) from failure
    return made


def _check(certificate: Path, key: Path) -> None:
    try:
        # A key with a password would be asked for at the terminal.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as failure:
        raise BadInput(
            f"{certificate} and {key} are no certificate and its key in PEM, without a password"
            f" ({getattr(failure, 'strerror', None) or failure}): give --certificate and --key that belong together"
        ) from failure


def _made(host: str) -> Path:
    """Return the folder of a certificate for a host that was made here, and is made anew before it ends."""
    require_extra("a certificate for --host needs")
    from callbench.adapter.network.remote import certificates  # noqa: PLC0415 - part of the extra `hosts`

    folder = settings_folder() / "page" / host
    authority, own, key = folder / "ca.pem", folder / "own.pem", folder / "own.key"
    try:
        if certificates.check(authority, own, key, host)[1] > datetime.now(UTC) + _SOON:
            return folder
    except ValueError:
        pass
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700, parents=True)
        certificates.Authority(authority, folder / "ca.key", _DAYS).sign(host, own, key, served=True)
    except OSError as failure:
        raise machine_limits.written(f"cannot make a certificate in {folder}", failure) from failure
    return folder
