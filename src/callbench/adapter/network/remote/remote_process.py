"""An adapter's process on another host, asked through the agent there. `AdapterProcess` is the same on this machine."""

import base64
import itertools
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from callbench.adapter.network.remote.lease import LEASE_OVER
from callbench.adapter.process import GRACE_SECONDS
from callbench.adapter.watch.adapter_watch import samples_of
from callbench.adapter.watch.sampler import SideSamples
from callbench.catalog.external import OF_STUDY
from callbench.catalog.manifest import Manifest
from callbench.model.errors import AdapterFailure, CallbenchError, HostLost, MachineFailure
from callbench.model.process_readings import FullReading

# How an agent is asked: an operation, its members, and the seconds that it may take there. It returns the answer, and
# raises ConnectionError if there is none.
Ask = Callable[[str, Mapping[str, Any], float], dict[str, Any]]
_START_SECONDS = 20.0
_SHORT_SECONDS = 1.0


class RemoteProcess:
    """An adapter on a host. Close it, and nothing of it is left there.

    Attributes:
        who: its name in messages, for instance `native, the server on host a,`.
        session: its number on that host.
    """

    pid = None

    def __init__(  # noqa: PLR0913 - what, where and how
        self, who: str, manifest: Manifest | None, host: str, session: int, ask: Ask, *, within: int | None = None
    ) -> None:
        """Start an adapter that is installed on the host, a study's own servers that it allows, or the network lab.

        Args:
            who: its name in messages.
            manifest: of the adapter; None: the network lab.
            host: the name of the host.
            session: a number that no other process of this host has.
            ask: how its agent is asked.
            within: the session of the network lab on whose host it is started; None: on the machine's own.

        Raises:
            AdapterFailure: it cannot be started.
            MachineFailure: the host has no room, files, threads or memory for it.
            HostLost: the host does not answer.
        """
        # A name may end with a comma, as in `native, the server,`.
        self.who = f"{who.removesuffix(',')} on host {host}{',' * who.endswith(',')}"
        self._host, self.session, self._ask_agent = host, session, ask
        self._numbers = itertools.count()
        self._unsent: list[Mapping[str, Any]] = []
        self._received: deque[dict[str, Any]] = deque()
        self._files: dict[str, str] = {}
        self._send_s = 0.0
        self.broken = self.closed = False
        name = None if manifest is None else manifest.name
        stacks = manifest.stacks if manifest is not None and name == OF_STUDY else ()
        servers = {stack.id: stack.card["external"] for stack in stacks}
        self._ask("start", _START_SECONDS, adapter=name, servers=servers, who=self.who, within=within)

    def _ask(self, do: str, wait_s: float, /, **members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Order something, and raise what failed there.

        Raises:
            AdapterFailure, MachineFailure: it failed.
            HostLost: the host does not answer, or has ended everything of this core.
        """
        order = {"session": self.session, "number": next(self._numbers), **members}
        try:
            answer = self._ask_agent(do, order, wait_s)
        except ConnectionError as lost:
            self.broken = True
            raise HostLost(str(lost), self._host) from lost
        self.broken = self.broken or bool(answer.get("broken"))
        if answer.get("failure"):
            raise self._failure_of(answer["failure"])
        return answer

    def _failure_of(self, said: Mapping[str, Any]) -> CallbenchError:
        """Return the failure that the agent described."""
        if said["kind"] == LEASE_OVER:
            return HostLost(f"host {self._host} {said['message']}", self._host)
        if said["kind"] is None:
            return MachineFailure(f"host {self._host}: {said['message']}")
        message = str(said["message"])
        failure = AdapterFailure(said["kind"], message if self._host in message else f"{self.who} {message}")
        failure.ending, failure.exit_code = said["ending"], said["exit_code"]
        return failure

    def send(self, message: Mapping[str, Any], seconds: float) -> None:
        """Keep a line until `receive` asks for the answer: both are then one order."""
        if path := message.get("schedule"):
            self._files[path] = base64.b64encode(Path(path).read_bytes()).decode()
        self._unsent.append(message)
        self._send_s = seconds

    def receive(self, deadline: float, awaited: str, since: float | None = None) -> dict[str, Any]:
        """Send what was kept, and read one line as a JSON object, until `deadline` on the monotonic clock.

        An answer can have several lines. They are returned one by one, before the next order.

        Raises:
            AdapterFailure: `died`, `silent` or `garbage`, as on this machine.
            HostLost: as in `_ask`.
        """
        now = time.monotonic()
        lines, files, self._unsent, self._files = self._unsent, self._files, [], {}
        seconds = max(0.0, deadline - now)
        waited_s = 0.0 if since is None else now - since
        if lines or not self._received:
            self._received += self._ask(
                "exchange",
                seconds + (self._send_s if lines else 0.0),
                lines=lines,
                files=files,
                send_s=self._send_s,
                read_s=seconds,
                awaited=awaited,
                waited_s=waited_s,
            )["lines"]
        return self._received.popleft()

    def _flush(self) -> None:
        """Send what was kept, as nobody waits for an answer."""
        lines, self._unsent = self._unsent, []
        if lines:
            self._ask("exchange", self._send_s, lines=lines, files={}, send_s=self._send_s, read_s=None)

    def failure(self, kind: str, what: str) -> AdapterFailure:
        """Return the error for a broken contract. No more requests are sent."""
        self.broken = True
        return AdapterFailure(kind, f"{self.who} {what}{self.last_log_lines()}")

    def ended(self, why: str) -> AdapterFailure:
        """Return the error for an adapter that announced why it ends, and wait for its end."""
        self.broken = True
        failure = AdapterFailure("died", f"{self.who} ended: {why}")
        died = self.died(GRACE_SECONDS)
        failure.ending = None if died is None else died.ending
        return failure

    def died(self, within_s: float = 0.0) -> AdapterFailure | None:
        """Return the error for its end, if it has ended or ends within this time; else None."""
        said = self._ask("died", within_s, seconds=within_s)["died"]
        if said is None:
            return None
        self.broken = True
        failure = self._failure_of(said)
        return failure if isinstance(failure, AdapterFailure) else AdapterFailure("died", str(failure))

    def close_input(self) -> None:
        """Close its standard input, which asks it to end."""
        self._flush()
        self._ask("close input", _SHORT_SECONDS)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it, also while another thread waits for a line of it."""
        try:
            self._ask("signal", _SHORT_SECONDS, signal=number.name)
        except (AdapterFailure, HostLost):
            # As on this machine: what has ended needs no signal.
            return

    def wait(self, seconds: float) -> int | None:
        """Wait for its end. Return the exit code, or None if it still runs."""
        code: int | None = self._ask("wait", seconds, seconds=seconds)["code"]
        return code

    def watch(self) -> "RemoteWatch":
        """Let its agent watch its processes.

        Raises:
            AdapterFailure, HostLost: as in `receive`.
        """
        return RemoteWatch(self._ask)

    def last_log_lines(self) -> str:
        """Return its last log lines as the end of a sentence, or ""."""
        try:
            return str(self._ask("log", _SHORT_SECONDS)["log"])
        except (AdapterFailure, HostLost):
            return ""

    def close(self, *, grace: float = GRACE_SECONDS) -> bool:
        """Close its input, and kill it after `grace` seconds. Return whether it was killed."""
        if self.closed:
            return False
        self.closed = True
        try:
            return bool(self._ask("close", grace + _SHORT_SECONDS, seconds=grace)["killed"])
        except (AdapterFailure, HostLost):
            # Its agent ends it, if it hears nothing of this core.
            return True


class RemoteWatch:
    """What the agent reads of an adapter's processes.

    Attributes:
        begin: the first reading.
    """

    def __init__(self, ask: Callable[[str, float], Mapping[str, Any]]) -> None:
        """Let it begin."""
        self._ask = ask
        self.begin = FullReading(**ask("watch", _SHORT_SECONDS)["reading"])

    def read(self) -> FullReading:
        """Read all values now."""
        return FullReading(**self._ask("read", _SHORT_SECONDS)["reading"])

    def end(self) -> SideSamples:
        """Return the samples, and watch no more."""
        return samples_of(self._ask("watched", _SHORT_SECONDS)["samples"])
