"""A relay between a client and a server: it forwards connections, and keeps what both sides send."""

import socket
import ssl
import threading
from contextlib import suppress
from typing import Self

_CHUNK = 1 << 16
_PATIENCE_S = 10.0
# So begins a handshake of TLS.
_HELLO = b"\x16\x03"


class Relay:
    """Forwards connections, and keeps what each side sends.

    Attributes:
        failure: why the server could not be reached; "" if it could.
    """

    def __init__(
        self, host: str, port: int, *, most: int | None = None, tls: ssl.SSLContext | None = None, name: str = ""
    ) -> None:
        """Listen on loopback.

        Args:
            host: of the server.
            port: of the server.
            most: bytes that are kept of each side; None: all.
            tls: for the server's side, where the client's side is plain; None: bytes are forwarded as they are.
            name: of the server, which its certificate must have.
        """
        self.failure = ""
        self._to, self._most, self._tls, self._name = (host, port), most, tls, name
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(_PATIENCE_S)
        self._ends: list[socket.socket] = [self._listener]
        self._kept: list[tuple[bytearray, bytearray]] = []
        self._thread = threading.Thread(target=self._run, name="relay", daemon=True)

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self._listener.getsockname()[1])

    @property
    def sent(self) -> bytes:
        """The bytes that the client has sent."""
        return bytes(self._call[0])

    @property
    def received(self) -> bytes:
        """The bytes that the server has sent."""
        return bytes(self._call[1])

    @property
    def _call(self) -> tuple[bytes | bytearray, bytes | bytearray]:
        """What both sides sent on the last connection with a call; after one that failed, the driver tries TLS."""
        calls = [kept for kept in self._kept if kept[0] and not kept[0].startswith(_HELLO)]
        return calls[-1] if calls else (b"", b"")

    def _run(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._ends.append(near)
                try:
                    far = self._connected()
                except OSError as failure:
                    self.failure = getattr(failure, "verify_message", "") or failure.strerror or str(failure)
                    near.close()
                    continue
                self._ends.append(far)
                self._kept.append((bytearray(), bytearray()))
                for source, sink, kept in zip((near, far), (far, near), self._kept[-1], strict=True):
                    threading.Thread(target=self._forward, args=(source, sink, kept), daemon=True).start()

    def _connected(self) -> socket.socket:
        far = socket.create_connection(self._to, _PATIENCE_S)
        return far if self._tls is None else self._tls.wrap_socket(far, server_hostname=self._name)

    def _forward(self, source: socket.socket, sink: socket.socket, kept: bytearray) -> None:
        with suppress(OSError):
            while chunk := source.recv(_CHUNK):
                kept += chunk if self._most is None else chunk[: max(0, self._most - len(kept))]
                sink.sendall(chunk)
            sink.shutdown(socket.SHUT_WR)

    def __enter__(self) -> Self:
        """Begin to forward."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End all connections."""
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._thread.join(_PATIENCE_S)
