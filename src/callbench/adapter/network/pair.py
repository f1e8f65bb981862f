"""Two hosts on this machine, created by the engine's network lab. They are removed when its process ends."""

import time
from typing import Any, Self

from callbench.adapter.network.host import Host, Hosts, LinkCounts
from callbench.adapter.process import AdapterProcess
from callbench.model import machine_limits
from callbench.model.errors import AdapterFailure, CallbenchError, MachineFailure
from callbench.model.installation import engine_remedy, home, netlab, supervisor

_PATIENCE_SECONDS = 30.0


class LinkFailure(CallbenchError):  # noqa: N818 - it names what happened
    """A link cannot be created, or broke.

    Attributes:
        kind: the lab's error: `no-namespaces`, `no-packets`, `bad-request`, `taken`, `file`, `kernel`; or `died`,
            `missing`.
    """

    def __init__(self, kind: str, message: str) -> None:
        """Store the kind beside the message."""
        super().__init__(message)
        self.kind = kind


class HostPair:
    """Two hosts. Close it to remove them.

    Attributes:
        hosts: the hosts of client and server.
        in_user_namespace: whether they were created without root.
        maker: who makes the link: `kernel`, `emulator`, or `cable` for a plain cable.
        why_emulated: why the emulator is used instead of the kernel.
    """

    def __init__(self, **members: Any) -> None:  # noqa: ANN401 - JSON
        """Create the hosts.

        Args:
            **members: of the lab's request `make`, besides the hosts themselves.

        Raises:
            LinkFailure: the hosts cannot be created; the sentence has the remedy.
        """
        program = netlab()
        if program is None or supervisor() is None:
            raise LinkFailure("missing", f"two hosts need the engine, which is not built: {engine_remedy()}")
        self._last_id = 0
        try:
            self._process = AdapterProcess("the network lab", [str(program)], home(), (), supervised=False)
        except AdapterFailure as failure:
            raise _as_link_failure(failure) from failure
        try:
            self.in_user_namespace = bool(self._read_answer("ready")["user_namespace"])
            made = self.ask("make", "made", **members)
        except BaseException:
            self.close()
            raise
        self.maker: str = made.get("maker") or "cable"
        self.why_emulated: str | None = made.get("why_emulated")
        user = made["user"]
        client, server = (Host(made[side]["address"], made[side]["netns"], user) for side in ("client", "server"))
        self.hosts = Hosts(client, server, self.carried)

    @property
    def pid(self) -> int:
        """The process that holds the hosts."""
        return self._process.pid

    def carried(self) -> LinkCounts | None:
        """Return bytes and frames of the line so far, by direction; None for a plain cable.

        Raises:
            LinkFailure: the lab died.
        """
        counts = self.ask("count", "counted")
        ways = {name: counts[name] for name in ("to_server", "to_client")}
        if None in ways.values():
            return None
        return {name: (int(way["left_bytes"]), int(way["left"])) for name, way in ways.items()}

    def ask(self, do: str, expect: str, within: float = _PATIENCE_SECONDS, **members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Send a request to the lab and return its answer.

        Args:
            do: the request.
            expect: the `is` of the answer.
            within: the longest wait in seconds.
            **members: the other members of the request.

        Raises:
            LinkFailure: the lab refused or died.
        """
        self._last_id += 1
        try:
            self._process.send({"do": do, "id": self._last_id, **members}, _PATIENCE_SECONDS)
        except AdapterFailure as failure:
            raise _as_link_failure(failure) from failure
        return self._read_answer(expect, within)

    def _read_answer(self, expect: str, within: float = _PATIENCE_SECONDS) -> dict[str, Any]:
        try:
            answer = self._process.receive(time.monotonic() + within, expect)
        except AdapterFailure as failure:
            raise _as_link_failure(failure) from failure
        if answer.get("is") == "error":
            raise _refused(str(answer["kind"]), str(answer["message"]))
        if answer.get("is") != expect:
            raise LinkFailure(
                "garbage", f"the network lab said {answer.get('is')!r} where {expect} was due: {engine_remedy()}"
            )
        return answer

    def close(self) -> None:
        """Remove the hosts and everything between them."""
        self._process.close()

    def __enter__(self) -> Self:
        """Return the pair."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def _as_link_failure(failure: AdapterFailure) -> LinkFailure:
    refused = LinkFailure(failure.kind, str(failure))
    refused.exit_code = failure.exit_code
    return refused


def _refused(kind: str, why: str) -> LinkFailure:
    """Return what the lab refused. It names the remedy itself, but for threads that it cannot start."""
    if not machine_limits.lacks_threads(why):
        return LinkFailure(kind, why)
    refused = LinkFailure(kind, machine_limits.remedied(why))
    refused.exit_code = MachineFailure.exit_code
    return refused
