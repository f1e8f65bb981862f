"""An adapter as the core speaks with it: one method a request of the contract."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, cast

from callbench.adapter import equivalent
from callbench.adapter.contract import Arguments, Codec, Counts, Done, Hello, Options, misshapen_answer
from callbench.adapter.process import GRACE_SECONDS, AdapterProcess
from callbench.catalog.manifest import Manifest
from callbench.model.errors import AdapterFailure
from callbench.model.request import called, connected_with
from callbench.model.version import CONTRACT

PATIENCE_SECONDS = 10.0
SERVE_SECONDS = 30.0
DEFAULT_TIMEOUT_MS = 10_000


class Adapter:
    """A running adapter that has said hello.

    Attributes:
        hello: what it said.
        process: the process behind it.
        patience_s: how long an answer may take on top of what was asked for, in seconds.
    """

    def __init__(
        self,
        manifest: Manifest,
        part: str,
        processors: Sequence[int] = (),
        entered: Sequence[str] = (),
        request: Mapping[str, Any] | None = None,
    ) -> None:
        """Starts it; `greeted` hears its hello, so that two can start side by side.

        Args:
            manifest: what to start, and what its hello is held against.
            part: `the server`, `the client` or `both sides`, for sentences.
            processors: those to run on; empty: any.
            entered: the keeper's options that start it on a host of the network lab.
            request: how a client-only one calls the server that it connects to: the server's card has it.

        Raises:
            AdapterFailure: it cannot be started.
        """
        self._manifest = manifest
        self._request_table = request
        self._last_id = 0
        self._timeout_s = DEFAULT_TIMEOUT_MS / 1000
        self.patience_s = PATIENCE_SECONDS
        self.process = AdapterProcess(
            f"{manifest.name}, {part},", manifest.program, manifest.file.parent, processors, entered=entered
        )
        self._started = time.monotonic()
        self.answered = 0

    def greeted(self) -> Self:
        """Hears its hello. Returns itself, ready to be asked.

        Raises:
            AdapterFailure: the hello is late, wrong, or not its manifest's: the adapter is ended then.
        """
        due = self._started + self._manifest.start_seconds
        try:
            self.hello = self._checked_hello(self.process.receive(due, "hello", self._started))
        except BaseException:
            self.process.close(grace=0)
            raise
        return self

    @property
    def broken(self) -> bool:
        """Whether it died or left the contract."""
        return self.process.broken

    def _checked_hello(self, message: dict[str, Any]) -> Hello:
        if message.get("is") != "hello":
            raise self.process.failure("garbage", f"said {message.get('is')!r} first; it must say hello")
        spoken = message.get("contract")
        if spoken != CONTRACT:
            raise self.process.failure(
                "garbage", f"speaks contract version {spoken}; this Callbench speaks version {CONTRACT}: rebuild it"
            )
        wrong = misshapen_answer(message)
        if wrong:
            raise self.process.failure("garbage", f"said a hello that breaks the contract: {wrong}")
        hello = cast("Hello", message)
        name, language = self._manifest.name, self._manifest.language
        if (hello["adapter"], hello["language"]) != (name, language):
            raise self.process.failure(
                "garbage",
                f"says it is {hello['adapter']} in {hello['language']};"
                f" its manifest {self._manifest.file} says {name} in {language}",
            )
        said, written = set(hello["stacks"]), {stack.id for stack in self._manifest.stacks}
        if said != written:
            parts = [
                f"{text} {', '.join(sorted(some)[:5])}"
                for text, some in (("its hello alone has", said - written), ("its manifest alone has", written - said))
                if some
            ]
            raise self.process.failure("garbage", f"has other stacks than {self._manifest.file}: {'; '.join(parts)}")
        return hello

    def unavailable(self, stack: str) -> str | None:
        """Why the adapter itself says that a stack of its cannot run here."""
        return self.hello.get("unavailable", {}).get(stack)

    def ask(self, do: str, expect: str, within: float, **members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Makes a request and gives its answer.

        Args:
            do: the request.
            expect: the `is` of the answer.
            within: how long it may take, in seconds.
            **members: the request's other members.

        Raises:
            AdapterFailure: the answer is an `error` (with its kind), does not come, or breaks the contract.
        """
        self._request(do, members)
        return self._answer(expect, time.monotonic() + within)

    def _request(self, do: str, members: Mapping[str, Any]) -> None:
        self._last_id += 1
        self.process.send({"do": do, "id": self._last_id, **members}, self.patience_s)

    def _answer(self, expect: str, deadline: float) -> dict[str, Any]:
        message = self.process.receive(deadline, f"{expect} (request {self._last_id})")
        wrong = misshapen_answer(message)
        if wrong:
            raise self.process.failure("garbage", f"answered with what breaks the contract: {wrong}")
        if message.get("id") != self._last_id:
            raise self.process.failure(
                "garbage", f"answered request {message.get('id')}, but was asked request {self._last_id}"
            )
        if message["is"] == "error":
            if message.get("ends"):
                raise self.process.ended(message["message"])
            raise AdapterFailure(message["kind"], message["message"])
        if message["is"] not in (expect, "interval" if expect == "done" else expect):
            raise self.process.failure("garbage", f"answered {message['is']} where {expect} was due")
        return message

    def serve(self, stack: str, host: str = "127.0.0.1", options: Options | None = None, *, port: int = 0) -> str:
        """Serves a stack, at any free port unless one is given. Returns its endpoint.

        Raises:
            AdapterFailure: as `ask`.
        """
        where = {"stack": stack, "host": host, "port": port}
        said = self.ask(
            "serve", "serving", SERVE_SECONDS + self._ready_seconds(stack), **where, options=dict(options or {})
        )
        return str(said["endpoint"])

    def _ready_seconds(self, stack: str) -> float:
        """How long somebody else's server may take until it listens."""
        tables = (one.card.get("external") for one in self._manifest.stacks if one.id == stack)
        return next((float(table["ready_seconds"]) for table in tables if table), 0.0)

    def stop_serving(self) -> None:
        """Ends what `serve` began.

        Raises:
            AdapterFailure: as `ask`.
        """
        self.ask("stop-serving", "stopped-serving", SERVE_SECONDS)

    def serve_all(self, host: str, port: int, channels: Sequence[str]) -> dict[str, str]:
        """Serves every stack at once. Returns endpoints by stack.

        Raises:
            AdapterFailure: as `ask`.
        """
        said = self.ask("serve-all", "serving-all", SERVE_SECONDS, host=host, port=port, channels=list(channels))
        return dict(said["endpoints"])

    def switch(self, channel: str, *, on: bool) -> dict[str, str]:
        """Switches a channel of `serve_all`. Returns the endpoints then on.

        Raises:
            AdapterFailure: as `ask`.
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
        """Makes clients, with options of the stack's own. Returns the connections open.

        Args:
            stack: whose clients they are.
            endpoint: as the server said it.
            clients: how many.
            timeout_ms: of a call; None: as the server's card has it, or 10 s.
            options: of the stack.

        Raises:
            AdapterFailure: as `ask`.
        """
        if timeout_ms is None:
            timeout_ms = round(1000 * float((self._request_table or {}).get("timeout_s", DEFAULT_TIMEOUT_MS / 1000)))
        self._timeout_s = timeout_ms / 1000
        endpoint, options = connected_with(self._request_table, endpoint, options or {})
        members = {"stack": stack, "endpoint": endpoint, "clients": clients, "timeout_ms": timeout_ms}
        wait_s = SERVE_SECONDS + self._timeout_s
        return int(self.ask("connect", "connected", wait_s, **members, options=options)["connections"])

    def disconnect(self) -> None:
        """Takes the clients away.

        Raises:
            AdapterFailure: as `ask`.
        """
        self.ask("disconnect", "disconnected", SERVE_SECONDS)

    def call(self, call: str, arguments: Arguments) -> dict[str, Any]:
        """Makes one call: `returned`, with its value or its fault.

        Raises:
            AdapterFailure: as `ask`.
        """
        said = self.ask("call", "returned", self.patience_s + self._timeout_s, call=call, arguments=dict(arguments))
        self.answered += 1
        table = self._request_table
        if table is None or called(table) != equivalent.CALL or "value" not in said:
            return said
        return equivalent.judged(table.get("select"), arguments, said)

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
        watch: Callable[[int, int, int], None] | None = None,
        over: Callable[[], None] | None = None,
    ) -> Done:
        """Lets all clients call until both `calls` and `seconds` are reached or `limit_seconds` is.

        Args:
            call: of the service.
            arguments: its arguments.
            calls: how many at least, over all clients.
            seconds: how long at least.
            limit_seconds: how long at most.
            timing: `each`, `batch` or `auto`.
            think_ns: how long a client of a closed loop waits before it calls again (feature `think`).
            ramp_up_ns: over how long the clients of a closed loop begin, evenly spread (feature `ramp-up`).
            schedule: the file of gaps that makes an open loop of it (feature `open`); None: a closed loop.
            burn_ns: how much longer each call keeps its client busy (feature `burn`).
            clients: how many of those connected call; None: all.
            altered: the adapter is to expect an answer that differs from the right one in its last field (feature
                `altered`).
            watch: told ten times a second, with nanoseconds since the start, calls answered rightly, and errors.
            over: told once when `seconds` are over, where calls are under way still.

        Raises:
            AdapterFailure: as `ask`; `silent` also where no interval comes for longer than a call may take.
        """
        length = {"calls": calls, "seconds": seconds, "limit_seconds": limit_seconds}
        # Relative to us, a path means nothing to an adapter.
        path = None if schedule is None else str(schedule.absolute())
        pace = {"think_ns": think_ns, "schedule": path, "start_at_ns": 0, "timing": timing}
        optional = (
            ("burn_ns", burn_ns),
            ("ramp_up_ns", ramp_up_ns),
            ("clients", clients),
            ("altered", altered),
        )
        pace |= {name: value for name, value in optional if value}
        self._request("drive", {"call": call, "arguments": dict(arguments), **length, **pace})
        intervals: list[tuple[int, int, int]] = []
        # Said ten times a second; a loop that is alone in its process can be as late as one call.
        silence = self.patience_s + self._timeout_s + (think_ns + ramp_up_ns) / 1e9
        last = time.monotonic() + max(limit_seconds, seconds) + silence
        before = self.answered
        while True:
            said = self._answer("done", min(last, time.monotonic() + silence))
            # Told as it goes on: a drive that is never done has had its answers all the same.
            self.answered = before + said["calls"]
            if said["is"] == "done":
                return cast("Done", {**said, "intervals": intervals})
            intervals.append((said["at_ns"], said["calls"], said["errors"]))
            if over is not None and said["at_ns"] >= seconds * 1e9 - 1:
                over()
                over = None
            if watch is not None:
                watch(*intervals[-1])

    def counted(self) -> Counts:
        """What the server answered since last asked.

        Raises:
            AdapterFailure: as `ask`.
        """
        return cast("Counts", self.ask("counted", "counts", self.patience_s))

    def codec(
        self, stack: str, call: str, arguments: Arguments, seconds: float, options: Options | None = None
    ) -> Codec:
        """Times the message alone, at least `seconds` for each of the four times, as a client with the options has it.

        Raises:
            AdapterFailure: as `ask`.
        """
        members = {"stack": stack, "call": call, "arguments": dict(arguments), "seconds": seconds}
        if options:
            members["options"] = dict(options)
        return cast("Codec", self.ask("codec", "codec", SERVE_SECONDS + 4 * seconds, **members))

    def heap(self) -> int:
        """What its runtime's heap holds, in bytes, after collecting what can be collected.

        Raises:
            AdapterFailure: as `ask`.
        """
        return int(self.ask("heap", "heap", SERVE_SECONDS)["used_bytes"])

    def stop(self) -> bool:
        """Asks it to stop and sees to it: after 5 s it is killed. Returns whether it had to be."""
        if self.process.closed:
            return False
        if self.broken:
            self.process.close(grace=0)
            return True
        deadline = time.monotonic() + GRACE_SECONDS
        try:
            self._request("stop", {})
            self._answer("stopped", deadline)
        except AdapterFailure:
            self.process.close(grace=0)
            return True
        return self.process.close(grace=max(0.0, deadline - time.monotonic()))

    def __enter__(self) -> Self:
        """Itself, greeted."""
        return self.greeted()

    def __exit__(self, *_: object) -> None:
        """Stops it."""
        self.stop()
