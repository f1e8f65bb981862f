"""The core's side of the contract: one method for each request to an adapter."""

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, cast

from callbench.adapter import equivalent
from callbench.adapter.contract import (
    Arguments,
    Codec,
    ContractMessage,
    Counts,
    Done,
    DriveInterval,
    Hello,
    OnInterval,
    OnLatency,
    Options,
    schema_error_in_answer,
)
from callbench.adapter.drive_check import Asked, buckets_error, drive_error
from callbench.adapter.network.host import THIS_HOST, Host
from callbench.adapter.process import GRACE_SECONDS
from callbench.adapter.watch.adapter_watch import Watch
from callbench.catalog.external import OF_COMMAND_LINE
from callbench.catalog.manifest import Manifest
from callbench.model import machine_limits
from callbench.model.card import RequestTable
from callbench.model.errors import AdapterFailure, HostLost
from callbench.model.request import called, connected_with
from callbench.model.service.imported import Imported
from callbench.model.version import CONTRACT

PATIENCE_SECONDS = 10.0
SERVE_SECONDS = 30.0
DEFAULT_TIMEOUT_MS = 10_000


class Adapter:
    """A running adapter.

    Attributes:
        host: where it runs.
        hello: its first message.
        process: its process.
        patience_s: seconds that an answer may take beyond the requested time.
    """

    def __init__(
        self,
        manifest: Manifest,
        part: str,
        processors: Sequence[int] = (),
        host: Host = THIS_HOST,
        request: RequestTable | None = None,
    ) -> None:
        """Start the process. `read_hello` waits for its first message, so that two can start at the same time.

        Args:
            manifest: what to start, and what its hello message is compared with.
            part: `the server`, `the client` or `both sides`, for messages.
            processors: the processors to use; empty: any.
            host: where it runs: on this machine, in the network lab, or on another machine.
            request: how a client calls a server of another adapter, from the server's card; else None.

        Raises:
            AdapterFailure: it cannot be started.
        """
        self.host = host
        self._manifest = manifest
        self._request_table = request
        self._last_id = 0
        self._timeout_s = DEFAULT_TIMEOUT_MS / 1000
        self.patience_s = PATIENCE_SECONDS
        # A server of the command line has no name of its own.
        who = part if manifest.name == OF_COMMAND_LINE else f"{manifest.name}, {part},"
        self.process = host.start(who, manifest, processors)
        self._started = time.monotonic()
        self.answered = 0
        self._clients = 0
        self._drive_ended = False

    def read_hello(self) -> Self:
        """Read and check its hello message. Return the adapter.

        Raises:
            AdapterFailure: the message is late, wrong, or does not fit the manifest. The adapter is ended then.
        """
        due = self._started + self._manifest.start_seconds
        try:
            self.hello = self._checked_hello(self.process.receive(due, "hello", self._started))
        except BaseException:
            self.process.close(grace=0)
            raise
        return self

    @property
    def every(self) -> "Sequence[Adapter]":
        """The adapters that it stands for: itself, or all of several hosts."""
        return [self]

    @property
    def service(self) -> Imported | None:
        """The imported service whose calls it has besides, or None."""
        return self._manifest.service

    @property
    def broken(self) -> bool:
        """Whether it died or broke the contract."""
        return self.process.broken

    def _checked_hello(self, message: ContractMessage) -> Hello:
        if message.get("is") != "hello":
            raise self.process.failure("garbage", f"said {message.get('is')!r} first; it must say hello")
        spoken = message.get("contract")
        if spoken != CONTRACT:
            raise self.process.failure(
                "garbage", f"speaks contract version {spoken}; this Callbench speaks version {CONTRACT}: rebuild it"
            )
        wrong = schema_error_in_answer(message)
        if wrong:
            raise self.process.failure("garbage", f"sent a hello that breaks the contract: {wrong}")
        hello = cast("Hello", message)
        name, language = self._manifest.name, self._manifest.language
        if (hello["adapter"], hello["language"]) != (name, language):
            raise self.process.failure(
                "garbage",
                f"says it is {hello['adapter']} in {hello['language']};"
                f" its manifest {self._manifest.file} says {name} in {language}",
            )
        answer_text, written = set(hello["stacks"]), self._manifest.served
        if answer_text != written:
            parts = [
                f"{text} {', '.join(sorted(some)[:5])}"
                for text, some in (
                    ("its hello alone has", answer_text - written),
                    ("its manifest alone has", written - answer_text),
                )
                if some
            ]
            raise self.process.failure("garbage", f"has other stacks than {self._manifest.file}: {'; '.join(parts)}")
        return hello

    def unavailable(self, stack: str) -> str | None:
        """Return why the adapter cannot run one of its stacks here; None if it can."""
        return self.hello.get("unavailable", {}).get(stack)

    def ask(self, do: str, expect: str, within: float, **members: Any) -> ContractMessage:  # noqa: ANN401 - JSON
        """Send a request and return its answer.

        Args:
            do: the request.
            expect: the `is` of the answer.
            within: the longest wait in seconds.
            **members: the other members of the request.

        Raises:
            AdapterFailure: the answer is an `error` (with its kind), does not come, or breaks the contract.
        """
        self._request(do, members)
        return self._answer(expect, time.monotonic() + within)

    def _request(self, do: str, members: Mapping[str, object]) -> None:
        self._last_id += 1
        self.process.send({"do": do, "id": self._last_id, **members}, self.patience_s)

    def _answer(self, expect: str, deadline: float) -> ContractMessage:
        message = self.process.receive(deadline, f"{expect} (request {self._last_id})")
        wrong = schema_error_in_answer(message)
        if wrong:
            raise self.process.failure("garbage", f"sent an answer that breaks the contract: {wrong}")
        if message.get("id") != self._last_id:
            raise self.process.failure(
                "garbage", f"answered request {message.get('id')}, but was asked request {self._last_id}"
            )
        if message["is"] == "error":
            if message.get("ends"):
                raise self.process.ended(message["message"])
            raise AdapterFailure(message["kind"], machine_limits.remedied(message["message"]))
        if message["is"] not in (expect, "interval" if expect == "done" else expect):
            raise self.process.failure("garbage", f"answered {message['is']} where {expect} was due")
        return message

    def serve(self, stack: str, host: str = "127.0.0.1", options: Options | None = None, *, port: int = 0) -> str:
        """Serve a stack, on any free port by default. Return its endpoint.

        Raises:
            AdapterFailure: as in `ask`.
        """
        where = {"stack": stack, "host": host, "port": port}
        answer_text = self.ask(
            "serve", "serving", SERVE_SECONDS + self._ready_seconds(stack), **where, options=dict(options or {})
        )
        return str(answer_text["endpoint"])

    def _ready_seconds(self, stack: str) -> float:
        """Return how long an external server may take until it listens, in seconds."""
        tables = (candidate.card.get("external") for candidate in self._manifest.stacks if candidate.id == stack)
        return next((float(table["ready_seconds"]) for table in tables if table), 0.0)

    def stop_serving(self) -> None:
        """End what `serve` began.

        Raises:
            AdapterFailure: as in `ask`.
        """
        self.ask("stop-serving", "stopped-serving", SERVE_SECONDS)

    def serve_all(self, host: str, port: int, channels: Sequence[str]) -> dict[str, str]:
        """Serve every stack at once. Return the endpoints by stack.

        Raises:
            AdapterFailure: as in `ask`.
        """
        answer_text = self.ask("serve-all", "serving-all", SERVE_SECONDS, host=host, port=port, channels=list(channels))
        return dict(answer_text["endpoints"])

    def switch(self, channel: str, *, on: bool) -> dict[str, str]:
        """Switch a channel of `serve_all` on or off. Return the active endpoints.

        Raises:
            AdapterFailure: as in `ask`.
        """
        return dict(self.ask("channel", "channel", SERVE_SECONDS, name=channel, on=on)["endpoints"])

    def connect(
        self,
        stack: str,
        endpoint: str,
        clients: int,
        *,
        timeout_ms: int | None = None,
        options: Arguments | None = None,
    ) -> int:
        """Connect clients, with options of the stack. Return the number of open connections.

        Args:
            stack: the stack of the clients.
            endpoint: as reported by the server.
            clients: the number of clients.
            timeout_ms: of a call; None: as the server's card says, or 10 s.
            options: of the stack.

        Raises:
            AdapterFailure: as in `ask`.
        """
        if timeout_ms is None:
            timeout_ms = round(1000 * float((self._request_table or {}).get("timeout_s", DEFAULT_TIMEOUT_MS / 1000)))
        self._timeout_s = timeout_ms / 1000
        endpoint, options = connected_with(self._request_table, endpoint, options or {})
        members = {"stack": stack, "endpoint": endpoint, "clients": clients, "timeout_ms": timeout_ms}
        wait_s = SERVE_SECONDS + self._timeout_s
        connections = int(self.ask("connect", "connected", wait_s, **members, options=options)["connections"])
        self._clients = clients
        return connections

    def disconnect(self) -> None:
        """Disconnect the clients.

        Raises:
            AdapterFailure: as in `ask`.
        """
        self.ask("disconnect", "disconnected", SERVE_SECONDS)

    def call(self, call: str, arguments: Arguments) -> ContractMessage:
        """Make one call. Return the `returned` message with a value or a fault.

        Raises:
            AdapterFailure: as in `ask`.
        """
        answer_text = self.ask(
            "call", "returned", self.patience_s + self._timeout_s, call=call, arguments=dict(arguments)
        )
        self.answered += 1
        table = self._request_table
        if table is None or called(table) != equivalent.CALL or "value" not in answer_text:
            return answer_text
        return equivalent.check_body(table.get("select"), arguments, answer_text)

    def drive(  # noqa: PLR0913 - a drive has so many members
        self,
        call: str,
        arguments: Arguments,
        *,
        calls: int,
        seconds: float,
        limit_seconds: float = 60.0,
        timing: str = "auto",
        think_ns: int = 0,
        ramp_up_ns: int = 0,
        schedule: Path | None = None,
        burn_ns: int = 0,
        clients: int | None = None,
        altered: bool = False,
        start_at_ns: int = 0,
        on_interval: OnInterval | None = None,
        on_window_end: Callable[[], None] | None = None,
        on_latency: OnLatency | None = None,
    ) -> Done:
        """Let all clients call until `calls` and `seconds` are reached, or `limit_seconds`.

        Args:
            call: of the service.
            arguments: its arguments.
            calls: the least number of calls over all clients.
            seconds: the least duration.
            limit_seconds: the longest duration.
            timing: `each`, `batch` or `auto`.
            think_ns: how long a client of a closed loop waits before its next call (feature `think`).
            ramp_up_ns: the time in which the clients of a closed loop begin, evenly spread (feature `ramp-up`).
            schedule: the file of gaps of an open loop (feature `open`); None: a closed loop.
            burn_ns: how much longer each call keeps its client busy (feature `burn`).
            clients: how many of the connected clients call; None: all.
            altered: whether to expect an answer with a different last field (feature `altered`).
            start_at_ns: when all begin, on the monotonic clock of the client's host; 0: at once.
            on_interval: called ten times a second.
            on_window_end: called once when `seconds` are over and calls are still in progress.
            on_latency: called once a second, if the clients report it, with nanoseconds since the start, and with
                buckets and counts of the latencies since the call before.

        Raises:
            AdapterFailure: as in `ask`; also `silent` if no interval comes for longer than a call may take, and
                `untrue` if the figures contradict each other, the request or the core's clock.
        """
        length = {"calls": calls, "seconds": seconds, "limit_seconds": limit_seconds}
        # An adapter has another working folder, so the path must be absolute.
        path = None if schedule is None else str(schedule.absolute())
        pace = {"think_ns": think_ns, "schedule": path, "start_at_ns": start_at_ns, "timing": timing}
        optional = (
            ("burn_ns", burn_ns),
            ("ramp_up_ns", ramp_up_ns),
            ("clients", clients),
            ("altered", altered),
        )
        pace |= {name: value for name, value in optional if value}
        began = time.monotonic_ns()
        self._request("drive", {"call": call, "arguments": dict(arguments), **length, **pace})
        # Intervals come ten times a second. A loop without threads can be late by one call.
        silence = self.patience_s + self._timeout_s + (think_ns + ramp_up_ns) / 1e9
        last = time.monotonic() + max(limit_seconds, seconds) + silence
        done, intervals = self._driven(silence, last, seconds, on_interval, on_window_end, on_latency)
        asked = Asked(
            clients=clients or self._clients,
            calls=calls,
            length_ns=min(seconds, limit_seconds) * 1e9,
            timing=timing,
            open=schedule is not None,
            took_ns=time.monotonic_ns() - began,
            stopped=self._drive_ended,
        )
        wrong = drive_error(asked, done, intervals)
        if wrong:
            raise AdapterFailure("untrue", f"{self.process.who} reported what cannot be true: {wrong}")
        return done

    def lead_in(self, call: str, arguments: Arguments, seconds: float, clients: int) -> None:
        """Let clients make a few calls that do not count: they wake threads and fill caches.

        Raises:
            AdapterFailure: as in `drive`.
        """
        self.drive(call, arguments, calls=1, seconds=seconds, clients=clients)

    def _driven(  # noqa: PLR0913, PLR0917 - the moments of a drive, and who is told of them
        self,
        silence: float,
        last: float,
        seconds: float,
        on_interval: OnInterval | None,
        on_window_end: Callable[[], None] | None,
        on_latency: OnLatency | None,
    ) -> tuple[Done, list[DriveInterval]]:
        """Read the intervals of a drive until it is done.

        Args:
            silence: the seconds that may pass between two messages.
            last: when it must be done, on the monotonic clock.
            seconds: as in `drive`.
            on_interval: as in `drive`.
            on_window_end: as in `drive`.
            on_latency: as in `drive`.

        Raises:
            AdapterFailure: as in `drive`.
        """
        intervals: list[DriveInterval] = []
        before = self.answered
        while True:
            answer_text = self._answer("done", min(last, time.monotonic() + silence))
            # Count them during the drive: a drive that never ends has had answers all the same.
            self.answered = before + answer_text["calls"]
            if answer_text["is"] == "done":
                sums = [interval[:3] for interval in intervals]
                return cast("Done", {**answer_text, "intervals": sums}), intervals
            intervals.append(_interval(answer_text))
            if on_window_end is not None and answer_text["at_ns"] >= seconds * 1e9 - 1:
                on_window_end()
                on_window_end = None
            if on_interval is not None:
                on_interval(intervals[-1])
            if on_latency is not None and (counts := answer_text.get("latency")):
                if wrong := buckets_error(counts):
                    raise AdapterFailure("untrue", f"{self.process.who} reported latencies of a second: {wrong}")
                on_latency(answer_text["at_ns"], counts)

    def end_drive(self) -> None:
        """Ask for the end of the drive in progress: its answer comes as soon as its clients are done.

        The adapter then ends, as the contract has it of SIGTERM.
        """
        self._drive_ended = True
        self.process.signal(signal.SIGTERM)

    @property
    def drive_ended(self) -> bool:
        """Whether a drive was asked to end early."""
        return self._drive_ended

    def counted(self) -> Counts:
        """Return what the server answered since the last request.

        Raises:
            AdapterFailure: as in `ask`.
        """
        return cast("Counts", self.ask("counted", "counts", self.patience_s))

    def codec(
        self, stack: str, call: str, arguments: Arguments, seconds: float, options: Options | None = None
    ) -> Codec:
        """Time the message alone as a client with these options: at least `seconds` for each of the four values.

        Raises:
            AdapterFailure: as in `ask`.
        """
        members = {"stack": stack, "call": call, "arguments": dict(arguments), "seconds": seconds}
        if options:
            members["options"] = dict(options)
        return cast("Codec", self.ask("codec", "codec", SERVE_SECONDS + 4 * seconds, **members))

    def watch(self) -> Watch | None:
        """Watch its processes on their machine. None: they are on this one, and are read here.

        Raises:
            AdapterFailure, HostLost: its agent cannot.
        """
        return self.process.watch()

    def heap(self) -> int:
        """Return the bytes in the runtime's heap after a collection.

        Raises:
            AdapterFailure: as in `ask`.
        """
        return int(self.ask("heap", "heap", SERVE_SECONDS)["used_bytes"])

    def kill(self) -> None:
        """End it at once."""
        self.process.close(grace=0)

    def stop(self) -> bool:
        """Ask it to stop; kill it after 5 s. Return whether it was killed."""
        if self.process.closed:
            return False
        if self.broken:
            self.process.close(grace=0)
            return True
        deadline = time.monotonic() + GRACE_SECONDS
        try:
            self._request("stop", {})
            self._answer("stopped", deadline)
        except (AdapterFailure, HostLost):
            self.process.close(grace=0)
            return True
        return self.process.close(grace=max(0.0, deadline - time.monotonic()))

    def __enter__(self) -> Self:
        """Read the hello message and return the adapter."""
        return self.read_hello()

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self.stop()


def _interval(message: ContractMessage) -> DriveInterval:
    errors = message["errors"]
    return DriveInterval(
        message["at_ns"], message["calls"], errors, message.get("errors_by_kind", None if errors else {})
    )
