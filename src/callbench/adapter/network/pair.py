"""Two hosts on this machine, made and held by the engine's network lab; when its process ends, all of it is gone."""

import time
from typing import Any, Self

from callbench.adapter.network.host import Carried, Host, Hosts
from callbench.adapter.process import AdapterProcess
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.model.installation import engine_remedy, home, keeper, netlab

_PATIENCE_SECONDS = 30.0


class LinkFailure(CallbenchError):  # noqa: N818 - it names what happened
    """A link cannot be made, or broke.

    Attributes:
        kind: the lab's: `no-namespaces`, `no-packets`, `bad-request`, `taken`, `file`, `kernel`; or `died`, `missing`.
    """

    def __init__(self, kind: str, message: str) -> None:
        """Keep the kind beside the sentence."""
        super().__init__(message)
        self.kind = kind


class Pair:
    """Two hosts. Close it: nothing of them is then left.

    Attributes:
        hosts: the client's and the server's.
        in_user_namespace: whether they had to be made without root.
        maker: who makes the link: `kernel`, `emulator`, or `cable` where there is none to make.
        why_emulated: why it is not the kernel, where it is the emulator.
    """

    def __init__(self, **members: Any) -> None:  # noqa: ANN401 - JSON
        """Makes the hosts.

        Args:
            **members: of the lab's request `make`, besides the hosts themselves.

        Raises:
            LinkFailure: they cannot be made here; the sentence says what would help.
        """
        program = netlab()
        if program is None or keeper() is None:
            raise LinkFailure("missing", f"two hosts need the engine, which is not built: {engine_remedy()}")
        self._last_id = 0
        try:
            self._process = AdapterProcess("the network lab", [str(program)], home(), (), kept=False)
        except AdapterFailure as failure:
            raise LinkFailure(failure.kind, str(failure)) from failure
        try:
            self.in_user_namespace = bool(self._said("ready")["user_namespace"])
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
        """Of the process that holds the hosts."""
        return self._process.pid

    def carried(self) -> Carried | None:
        """Octets and frames of the line so far, by direction; None where a cable is all there is.

        Raises:
            LinkFailure: the lab died.
        """
        told = self.ask("tell", "told")
        ways = {name: told[name] for name in ("to_server", "to_client")}
        if None in ways.values():
            return None
        return {name: (int(way["left_octets"]), int(way["left"])) for name, way in ways.items()}

    def ask(self, do: str, expect: str, within: float = _PATIENCE_SECONDS, **members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Makes a request of the lab and gives its answer.

        Args:
            do: the request.
            expect: the `is` of its answer.
            within: how long it may take, in seconds.
            **members: the request's other members.

        Raises:
            LinkFailure: it says no, or it died.
        """
        self._last_id += 1
        try:
            self._process.send({"do": do, "id": self._last_id, **members}, _PATIENCE_SECONDS)
        except AdapterFailure as failure:
            raise LinkFailure(failure.kind, str(failure)) from failure
        return self._said(expect, within)

    def _said(self, expect: str, within: float = _PATIENCE_SECONDS) -> dict[str, Any]:
        try:
            said = self._process.receive(time.monotonic() + within, expect)
        except AdapterFailure as failure:
            raise LinkFailure(failure.kind, str(failure)) from failure
        if said.get("is") == "error":
            raise LinkFailure(str(said["kind"]), str(said["message"]))
        if said.get("is") != expect:
            raise LinkFailure(
                "garbage", f"the network lab said {said.get('is')!r} where {expect} was due: {engine_remedy()}"
            )
        return said

    def close(self) -> None:
        """Ends the hosts and everything between them."""
        self._process.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()
