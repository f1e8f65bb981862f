"""The process of the network lab, on this machine or on another host: asked by JSON, it answers or refuses."""

import time
from typing import Any, Self

from callbench.adapter.network.host import LinkCounts
from callbench.adapter.running_process import RunningProcess
from callbench.model import machine_limits
from callbench.model.errors import AdapterFailure, CallbenchError, MachineFailure
from callbench.model.installation import engine_remedy

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


class LabProcess:
    """A lab that is ready. Close it to remove what it has made.

    Attributes:
        in_user_namespace: whether it works without root.
    """

    def __init__(self, process: RunningProcess) -> None:
        """Wait until it is ready.

        Raises:
            LinkFailure: it may make no hosts here; the sentence has the remedy. It is closed then.
        """
        self._last_id = 0
        self._process = process
        try:
            self.in_user_namespace = bool(self._read_answer("ready")["user_namespace"])
        except BaseException:
            self.close()
            raise

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
            raise link_failure(failure) from failure
        return self._read_answer(expect, within)

    def _read_answer(self, expect: str, within: float = _PATIENCE_SECONDS) -> dict[str, Any]:
        try:
            answer = self._process.receive(time.monotonic() + within, expect)
        except AdapterFailure as failure:
            raise link_failure(failure) from failure
        if answer.get("is") == "error":
            raise _refused(str(answer["kind"]), str(answer["message"]))
        if answer.get("is") != expect:
            raise LinkFailure(
                "garbage", f"the network lab said {answer.get('is')!r} where {expect} was due: {engine_remedy()}"
            )
        return answer

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

    def close(self) -> None:
        """End it, and everything that it made."""
        self._process.close()

    def __enter__(self) -> Self:
        """Return the lab."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def link_failure(failure: AdapterFailure) -> LinkFailure:
    """Return the failure of a lab's process as that of its link."""
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
