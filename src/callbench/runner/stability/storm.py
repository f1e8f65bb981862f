"""The engine's storm, started and listened to."""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from callbench.adapter.network.host import LOOPBACK_HOSTS, Host
from callbench.adapter.process import AdapterProcess
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.model.installation import engine_remedy, home, storm

_START_S = 30.0
_SILENCE_S = 30.0


class Storm:
    """Connections that are up to no good, until their time is over. Close it.

    Attributes:
        intervals: what had come of it, ten times a second.
        done: what came of it in the end; None before.
        failure: why it ended before that, or None.
    """

    def __init__(self, wish: Mapping[str, Any], processors: Sequence[int], host: Host = LOOPBACK_HOSTS.client) -> None:
        """Starts it on a host.

        Raises:
            CallbenchError: it is not built.
        """
        program = storm()
        if program is None:
            raise CallbenchError(f"the storm is not built: run `{engine_remedy()}`")
        self.intervals: list[dict[str, Any]] = []
        self.done: dict[str, Any] | None = None
        self.failure: AdapterFailure | None = None
        self._process = AdapterProcess("the storm", [str(program)], home(), processors, entered=host.entered())
        self._process.send(wish, _START_S)
        self._deadline = time.monotonic() + float(wish["seconds"]) + _SILENCE_S
        self._thread = threading.Thread(target=self._listen, name="storm", daemon=True)
        self._thread.start()

    @property
    def rages(self) -> bool:
        """Whether it goes on."""
        return self._thread.is_alive()

    def _listen(self) -> None:
        try:
            while self.done is None:
                said = self._process.receive(self._deadline, "how it goes")
                match said.get("is"):
                    case "interval":
                        self.intervals.append(said)
                    case "done":
                        self.done = said
                    case _:
                        self.failure = AdapterFailure("internal", f"the storm said: {said.get('message')}")
                        return
        except AdapterFailure as failure:
            self.failure = failure

    def close(self) -> None:
        """Ends it."""
        self._process.close(grace=0.5)
        self._thread.join()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()
