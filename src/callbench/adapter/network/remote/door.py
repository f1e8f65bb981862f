"""A first, bare TLS connection to a scheduler or an agent: it says in one sentence why there is none.

Dask tries again for a long time, and its errors name its own parts.
"""

import socket
import ssl

from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys

# Two waits of this length stay under the 10 s within which every fault is said.
PATIENCE_SECONDS = 4.0
# OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED.
_NOT_YET, _EXPIRED = 9, 10


def check_door(keys: Keys, address: str, port: int, what: str, remedy: str) -> str:
    """Connect once, with certificates on both sides. Return this machine's address on that connection.

    Args:
        keys: of this side.
        address: of the other side.
        port: of the other side.
        what: the other side, as the begin of a sentence: `the core at 10.0.0.1:8786`.
        remedy: what to do if nobody listens there.

    Raises:
        HostFailure: there is no connection.
    """
    try:
        with socket.create_connection((address, port), PATIENCE_SECONDS) as plain:
            own = str(plain.getsockname()[0])
            _greet(keys, plain, what)
            return own
    except TimeoutError:
        raise HostFailure(
            f"{what} does not answer within {PATIENCE_SECONDS:g} s: a firewall may drop what is sent there,"
            f" so open TCP port {port}"
        ) from None
    except ConnectionRefusedError:
        raise HostFailure(f"nobody listens for {what}: {remedy}") from None
    except OSError as failure:
        raise HostFailure(f"{what} cannot be reached ({failure.strerror or failure}): {remedy}") from failure


def _greet(keys: Keys, plain: socket.socket, what: str) -> None:
    """Make the TLS handshake, and wait for a first byte: only then has the other side accepted our certificate."""
    context = ssl.create_default_context(cafile=str(keys.authority))
    context.check_hostname = False
    context.load_cert_chain(keys.certificate, keys.key)
    try:
        with context.wrap_socket(plain) as secure:
            if not secure.recv(1):
                raise HostFailure(f"{what} closed the connection: another program may listen there; see its log")
    except ssl.SSLCertVerificationError as failure:
        if failure.verify_code in {_NOT_YET, _EXPIRED}:
            raise HostFailure(
                f"the certificate of {what} has expired, or a clock is wrong: compare the clocks,"
                " and make new keys with `callbench hosts init ADDRESS NAME`"
            ) from failure
        raise HostFailure(
            f"{what} has the key of another core: copy its keys from the core that it belongs to"
        ) from failure
    except ssl.SSLError as failure:
        reason = (failure.reason or "").lower().replace("_", " ")
        if "alert" not in reason:
            raise HostFailure(f"{what} does not speak TLS: another program listens there") from failure
        raise HostFailure(
            f"{what} refuses {keys.certificate} ({reason}): copy the keys of host {keys.name} again from that core"
        ) from failure
