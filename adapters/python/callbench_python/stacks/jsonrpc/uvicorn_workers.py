"""`json+uvicorn-workers`: uvicorn with several processes that accept from one socket, as with its option --workers.

The first process serves nothing. Each worker is a runner of the same program. The first process speaks the runner
protocol with it, passes its questions on to the host, and adds up the counts.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from callbench_python.driving import processor
from callbench_python.service import Service
from callbench_python.stacks.jsonrpc.uvicorn_one import PATH, endpoint_of, listener_at

_FEWEST = 2
_SECONDS = 20.0


class Worker:
    """One process, and the conversation with it."""

    def __init__(
        self, service: Service, request: Mapping[str, Any], listener: int, lost: Callable[["Worker"], None]
    ) -> None:
        """Start it; `lost` is called when it has ended."""
        self._service, self._lost = service, lost
        self._process = subprocess.Popen(
            [sys.executable, "-m", "callbench_python", *sys.argv[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[listener],
        )
        self._writing = threading.Lock()
        self._said: SimpleQueue[Mapping[str, Any]] = SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.say({**request, "stack": "json+httpx", "options": {"listener": listener}})

    def say(self, message: Mapping[str, Any]) -> None:
        """Write a line to it. If it has gone, `lost` reports it."""
        stdin = self._process.stdin
        if stdin is not None:
            with self._writing, contextlib.suppress(OSError, ValueError):
                stdin.write(json.dumps(message).encode() + b"\n")
                stdin.flush()

    def heard(self, what: str) -> Mapping[str, Any]:
        """Its next answer, which is `what`.

        Raises:
            RuntimeError: it died, or refused.
        """
        said = self._said.get(timeout=_SECONDS)
        if said["is"] != what:
            raise RuntimeError(f"a worker of the server failed: {said.get('message', said['is'])}")
        return said

    def close(self) -> None:
        """End it by the end of its input."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(_SECONDS)

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            said = json.loads(line)
            if said["is"] == "ask":
                self._ask(said)
            else:
                self._said.put(said)
        self._said.put({"is": "it has died"})
        self._lost(self)

    def _ask(self, said: Mapping[str, Any]) -> None:
        def tell(told: Future[Mapping[str, Any]]) -> None:
            self.say({**told.result(), "do": "answer", "ask": said["ask"]})

        self._service.ask(said["call"], said["arguments"]).add_done_callback(tell)


class Workers:
    """As many as there are processors, and at least two."""

    def __init__(self, request: Mapping[str, Any], service: Service) -> None:
        """Start them all."""
        self._request, self._service, self._closing = request, service, False
        self._listener = listener_at(request["host"], request["port"])
        self.endpoint = endpoint_of(self._listener, PATH)
        self._workers: list[Worker] = []
        self._workers += [self._started() for _ in range(max(_FEWEST, len(os.sched_getaffinity(0))))]
        for worker in self._workers:
            worker.heard("ready")
            worker.heard("serving")

    def _started(self) -> Worker:
        return Worker(self._service, self._request, self._listener.fileno(), self._lost)

    def _lost(self, worker: Worker) -> None:
        """Replace a worker that died, as uvicorn does; what it counted is lost with it, which the core then sees."""
        if self._closing or worker not in self._workers:
            return
        sys.stderr.write("callbench: a worker of uvicorn died; another takes its place\n")
        other = self._started()
        other.heard("ready")
        other.heard("serving")
        self._workers[self._workers.index(worker)] = other

    def counted(self) -> dict[str, Any]:
        """The answered calls of all workers since the last request, and the processor time of all processes."""
        calls, used = Counter[str](), Counter({name: int(its) for name, its in processor().items()})
        for worker in self._workers:
            worker.say({"do": "counted", "id": 1})
        for worker in self._workers:
            said = worker.heard("counts")
            calls.update(said["calls"])
            used.update({name: int(its) for name, its in said["processor"].items()})
        return {"calls": calls, "processor": {name: str(its) for name, its in used.items()}}

    def close(self) -> None:
        """End them."""
        self._closing = True
        for worker in self._workers:
            worker.close()
        self._listener.close()


serve = Workers
