"""How much goes from one host to another: one stream by TLS, for a short time. It is in no measured call."""

import select
import socket
import ssl
import threading
import time
from contextlib import suppress

from callbench.adapter.network.remote.door import PATIENCE_SECONDS, client_context
from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.adapter.network.remote.keys import Keys

# TCP sends slowly at first, so the first part does not count.
UNCOUNTED_SECONDS = 0.2
COUNTED_SECONDS = 0.5
_BLOCK = bytes(1 << 16)
# A slow line takes so long for one block, and for what its queue holds.
_SLOW_SECONDS = 6.0


def receive_once(keys: Keys, address: str) -> int:
    """Listen for one stream of a host with keys of the same core. Return the port.

    Raises:
        OSError: it cannot listen there.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(keys.authority))
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(keys.certificate, keys.key)
    # Else a sender would find something to read before there is an answer.
    context.num_tickets = 0
    listener = socket.create_server((address, 0))
    listener.settimeout(2 * PATIENCE_SECONDS)
    threading.Thread(target=_receive, args=(listener, context), daemon=True, name="stream").start()
    return int(listener.getsockname()[1])


def _receive(listener: socket.socket, context: ssl.SSLContext) -> None:
    """Count what comes in the counted time, and answer with bytes and nanoseconds."""
    # Whoever ends it early, such as a scan of ports, has no answer.
    with suppress(OSError), listener:
        plain, _ = listener.accept()
        plain.settimeout(_SLOW_SECONDS)
        with context.wrap_socket(plain, server_side=True) as secure:
            buffer = memoryview(bytearray(len(_BLOCK)))
            secure.recv_into(buffer)
            begin_s = time.monotonic() + UNCOUNTED_SECONDS
            while (now_s := time.monotonic()) < begin_s:
                secure.recv_into(buffer)
            received, first_s = 0, now_s
            while (now_s := time.monotonic()) < first_s + COUNTED_SECONDS:
                received += secure.recv_into(buffer)
            secure.sendall(b"%d %d\n" % (received, round(1e9 * (now_s - first_s))))
            # Closed with bytes unread, it would take the answer back.
            while secure.recv_into(buffer):
                continue


def send(keys: Keys, address: str, port: int) -> float:
    """Send a stream, and return what arrived in the counted time, in Mbit/s.

    Raises:
        HostFailure: it cannot be sent.
    """
    where = f"{address}:{port}"
    try:
        with (
            socket.create_connection((address, port), PATIENCE_SECONDS) as plain,
            client_context(keys).wrap_socket(plain) as secure,
        ):
            secure.settimeout(_SLOW_SECONDS)
            # Until the other side answers: its time begins later than this one's.
            until_s = time.monotonic() + _SLOW_SECONDS
            while not select.select([secure], [], [], 0)[0] and time.monotonic() < until_s:
                secure.sendall(_BLOCK)
            received, took_ns = secure.recv(64).split()
    except TimeoutError:
        raise HostFailure(f"{where} does not answer: open all TCP ports between the hosts") from None
    except (OSError, ValueError) as failure:
        raise HostFailure(f"no stream to {where} ({failure}): open all TCP ports between the hosts") from failure
    return 8e3 * int(received) / int(took_ns)
