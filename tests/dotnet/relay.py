"""Stands between a client and a server, and keeps what each said."""

import contextlib
import socket
import threading


class Relay:
    """Listens on loopback until it is closed. Nothing arrives any more once it is `silent`."""

    def __init__(self, port: int) -> None:
        """To a server's port on loopback."""
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]
        self.asked = bytearray()
        self.silent = False
        self.answered = bytearray()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Ends all connections."""
        self._listener.close()
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._port))
                self._open += [client, server]
                for one, other, kept in ((client, server, self.asked), (server, client, self.answered)):
                    threading.Thread(target=self._pass_on, args=(one, other, kept), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket, kept: bytearray) -> None:
        with contextlib.suppress(OSError):
            while said := one.recv(1 << 16):
                kept += said
                if not self.silent:
                    other.sendall(said)
            other.shutdown(socket.SHUT_WR)
