"""Small HTTP servers with weaknesses: `sick_http.py KIND` says its port and serves until it is ended.

`well`: a thread a connection. `alone`: one connection at a time, and a connection that says nothing is waited for.
`crash`: ends by a signal where a request is no HTTP. `shy`: closes its door while there are more than ten connections.
`slow`: a call takes 50 ms longer while there are more than ten. `keeps`: never closes what it was given.
"""

import os
import socket
import sys
import threading
import time

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nHello World"
CROWD = 10


class Server:
    """Answers every request alike."""

    def __init__(self, kind: str) -> None:
        """Listen."""
        self.kind = kind
        self.listener = self.listening(0)
        self.port = self.listener.getsockname()[1]
        self.open: set[socket.socket] = set()
        self.kept: list[socket.socket] = []

    @staticmethod
    def listening(port: int) -> socket.socket:
        """Open the door."""
        return socket.create_server(("127.0.0.1", port), backlog=128)

    def run(self) -> None:
        """Serve for ever."""
        print(self.port, flush=True)  # noqa: T201 - that is how its port is told
        while True:
            connection, _ = self.listener.accept()
            if self.kind == "alone":
                self.answer(connection)
                continue
            self.open.add(connection)
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()
            if self.kind == "shy" and len(self.open) > CROWD:
                self.listener.close()
                while len(self.open) > CROWD // 2:
                    time.sleep(0.05)
                self.listener = self.listening(self.port)

    def answer(self, connection: socket.socket) -> None:
        """Answer until it is closed."""
        read = b""
        try:
            while octets := connection.recv(65536):
                read += octets
                if self.kind == "crash" and not b"GET ".startswith(read[:4]):
                    os.abort()
                while b"\r\n\r\n" in read:
                    read = read.partition(b"\r\n\r\n")[2]
                    if self.kind == "slow" and len(self.open) > CROWD:
                        time.sleep(0.05)
                    connection.sendall(ANSWER)
        except OSError:
            pass
        self.open.discard(connection)
        if self.kind == "keeps":
            self.kept.append(connection)
        else:
            connection.close()


if __name__ == "__main__":
    Server(sys.argv[1]).run()
