"""`python/uvicorn`: uvicorn with uvloop and httptools, one process, as its users start it behind nothing else."""

import socket
import threading
import time

import uvicorn

from callbench_python.hello_world import PATH, HelloWorld
from callbench_python.refusal import Refusal
from callbench_python.slowness import Slowness

_BACKLOG = 2048  # uvicorn's own
_START_SECONDS = 20.0
_END_SECONDS = 4.0


class Serving:
    """A server that runs on a thread of its own, since the main one hears the core.

    Attributes:
        endpoint: where it answers.
    """

    def __init__(self, host: str, port: int, slowness: Slowness) -> None:
        """Start it.

        Raises:
            OSError: it cannot listen there.
            Refusal: it did not start.
        """
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        shown = f"[{host}]" if ":" in host else host
        self.endpoint = f"http://{shown}:{listener.getsockname()[1]}{PATH}"
        self._application = HelloWorld(slowness)
        self._taken = 0
        # No line a request, since none of the other servers writes one.
        settings = uvicorn.Config(
            self._application,
            loop="uvloop",
            http="httptools",
            lifespan="off",
            log_level="warning",
            access_log=False,
        )
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True)
        self._thread.start()
        self._await_start()

    def _await_start(self) -> None:
        due = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > due:
                raise Refusal("internal", "uvicorn did not start: its log says why")
            time.sleep(0.005)

    def take_counted(self) -> int:
        """What was answered since last asked."""
        # Only the server's thread writes its count, so that none is lost between two threads.
        counted, before = self._application.counted, self._taken
        self._taken = counted
        return counted - before

    def close(self) -> None:
        """End it, with its connections."""
        self._server.force_exit = True
        self._server.should_exit = True
        self._thread.join(_END_SECONDS)
