"""Run the engine's program for misbehaving connections, and read its reports."""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, cast

from callbench.adapter.network.host import LOOPBACK_HOSTS, Host
from callbench.adapter.process import AdapterProcess
from callbench.model.errors import AdapterFailure, MachineFailure
from callbench.model.installation import engine_remedy, home, torture_program

if TYPE_CHECKING:
    from callbench.store.lines.torture import ConnectionsSoFar, ConnectionTotals

_START_S = 30.0
_SILENCE_S = 30.0


class TortureConnections:
    """Misbehaving connections for a given time. Close it.

    Attributes:
        intervals: reports, ten times a second.
        done: the last report; None before.
        failure: why it ended early, or None.
    """

    def __init__(
        self, request: Mapping[str, Any], processors: Sequence[int], host: Host = LOOPBACK_HOSTS.client
    ) -> None:
        """Start the program on a host.

        Raises:
            MachineFailure: it is not built.
        """
        program = torture_program()
        if program is None:
            raise MachineFailure(f"the engine's torture program is not built: run `{engine_remedy()}`")
        self.intervals: list[ConnectionsSoFar] = []
        self.done: ConnectionTotals | None = None
        self.failure: AdapterFailure | None = None
        self._process = AdapterProcess(
            "the torture program", [str(program)], home(), processors, host_options=host.enter_options()
        )
        self._process.send(request, _START_S)
        self._deadline = time.monotonic() + float(request["seconds"]) + _SILENCE_S
        self._thread = threading.Thread(target=self._read_reports, name="torture connections", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the connections are still active."""
        return self._thread.is_alive()

    def _read_reports(self) -> None:
        try:
            while self.done is None:
                report = self._process.receive(self._deadline, "how it goes")
                match report.get("is"):
                    case "interval":
                        self.intervals.append(cast("ConnectionsSoFar", report))
                    case "done":
                        del report["is"]
                        self.done = cast("ConnectionTotals", report)
                    case _:
                        self.failure = AdapterFailure(
                            "internal", f"the engine's torture program reported: {report.get('message')}"
                        )
                        return
        except AdapterFailure as failure:
            self.failure = failure

    def close(self) -> None:
        """End the program."""
        self._process.close(grace=0.5)
        self._thread.join()

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()
