"""A first, bare TLS connection to a scheduler or an agent: it says in one sentence why there is none.

Dask tries again for a long time, and its errors name its own parts.
"""

import socket
import ssl
import time

from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys

# A connection that is not there by then is dropped on its way.
PATIENCE_SECONDS = 4.0
# From the begin to the first byte: a core that a hundred agents greet at once takes its time, yet every fault is said
# within 10 s.
GREETING_SECONDS = 8.0
# OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED.
_NOT_YET, _EXPIRED = 9, 10


def check_door(  # noqa: PLR0913 - whom, what to say of it, and how patient to be
    keys: Keys,
    where: tuple[str, int],
    what: str,
    remedy: str,
    *,
    connect_s: float = PATIENCE_SECONDS,
    seconds: float = GREETING_SECONDS,
) -> str:
    """Connect once, with certificates on both sides. Return this machine's address on that connection.

    Args:
        keys: of this side.
        where: address and port of the other side.
        what: the other side, as the begin of a sentence: `the core at 10.0.0.1:8786`.
        remedy: what to do if nobody listens there.
        connect_s: until there is a connection.
        seconds: until the other side has greeted.

    Raises:
        HostFailure: there is no connection.
    """
    until = time.monotonic() + seconds
    try:
        with socket.create_connection(where, connect_s) as plain:
            own = str(plain.getsockname()[0])
            plain.settimeout(max(0.1, until - time.monotonic()))
            try:
                _greet(keys, plain, what)
            except TimeoutError:
                raise HostFailure(
                    f"{what} takes connections, but says nothing within {seconds:g} s: its machine is too busy, or"
                    " another program listens there, so look at what it runs"
                ) from None
            return own
    except TimeoutError:
        raise HostFailure(
            f"{what} does not answer within {connect_s:g} s: a firewall may drop what is sent there,"
            f" or a NAT lie between, so open TCP port {where[1]}"
        ) from None
    except ConnectionRefusedError:
        raise HostFailure(f"nobody listens for {what}: {remedy}") from None
    except OSError as failure:
        raise HostFailure(f"{what} cannot be reached ({failure.strerror or failure}): {remedy}") from failure


def nobody_listens(where: tuple[str, int], seconds: float) -> bool:
    """Return whether connections to an address and a port are refused; not whether they are dropped on their way."""
    try:
        socket.create_connection(where, seconds).close()
    except ConnectionRefusedError:
        return True
    except OSError:
        return False
    return False


def client_context(keys: Keys) -> ssl.SSLContext:
    """Return what a client needs of TLS: its certificate, and the authority that the other side's must be from."""
    context = ssl.create_default_context(cafile=str(keys.authority))
    context.check_hostname = False
    context.load_cert_chain(keys.certificate, keys.key)
    return context


def _greet(keys: Keys, plain: socket.socket, what: str) -> None:
    """Make the TLS handshake, and wait for a first byte: only then has the other side accepted our certificate."""
    try:
        with client_context(keys).wrap_socket(plain) as secure:
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
