"""What a session needs of an adapter's process, wherever it runs: on this machine, or on another host."""

import signal
from collections.abc import Mapping
from typing import Protocol

from callbench.adapter.contract import ContractMessage
from callbench.adapter.watch.adapter_watch import Watch
from callbench.model.errors import AdapterFailure


class RunningProcess(Protocol):
    """A running adapter. Close it, and nothing of it is left. `AdapterProcess` describes the methods."""

    @property
    def who(self) -> str:
        """Its name in messages, for instance `native, the server`."""

    @property
    def pid(self) -> int | None:
        """Its process on this machine: the supervisor's if there is one. None: it runs on another host."""

    @property
    def broken(self) -> bool:
        """Whether it died or broke the contract."""

    @property
    def closed(self) -> bool:
        """Whether `close` has ended it."""

    def send(self, message: Mapping[str, object], seconds: float) -> None:
        """Write one line within so many seconds."""

    def receive(self, deadline: float, awaited: str, since: float | None = None) -> ContractMessage:
        """Read one line as a JSON object, until `deadline` on the monotonic clock."""

    def failure(self, kind: str, what: str) -> AdapterFailure:
        """Return the error for a broken contract. No more requests are sent."""

    def ended(self, why: str) -> AdapterFailure:
        """Return the error for an adapter that announced why it ends, and wait for its end."""

    def died(self, within_s: float = 0.0) -> AdapterFailure | None:
        """Return the error for its end, if it has ended or ends within this time; else None."""

    def close_input(self) -> None:
        """Close its standard input, which asks it to end."""

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this one process."""

    def wait(self, seconds: float) -> int | None:
        """Wait for its end. Return the exit code, or None if it still runs."""

    def watch(self) -> Watch | None:
        """Watch its processes on their machine. None: they are on this one, and are read here."""

    def last_log_lines(self) -> str:
        """Return its last log lines as the end of a sentence, or ""."""

    def close(self, *, grace: float = ...) -> bool:
        """Close its input, and kill it after `grace` seconds. Return whether it was killed."""
