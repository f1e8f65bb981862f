"""Which processes each side of a trial is: the adapter and everything it started, found from outside.

An adapter cannot say so itself: it does not know its daemons, and Wine's process numbers are not Unix's. Its keeper is
the root of all: a daemon that leaves its process group still hangs below the first process of its PID namespace, or
below the keeper where that is its subreaper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.adapter.external.program import NAME as EXTERNAL
from callbench.adapter.stack.sides import Sides
from callbench.model.process_tree import PROC, descendants, younger

# As the kernel has it: a command is cut to 15 bytes.
_OURS = (b"callbench-keeper"[:15], EXTERNAL)


@dataclass(frozen=True)
class SideProcesses:
    """Process ids as the core sees them, parents before children; the keeper and its init are not among them.

    Attributes:
        client: of the side that calls.
        server: of the side that answers; the same ones where one process plays both.
        backend: of what stands behind the server, where something does.
        unknown: whether the server runs by itself, and nobody knows where.
    """

    client: tuple[int, ...]
    server: tuple[int, ...]
    backend: tuple[int, ...] | None = None
    unknown: bool = False

    @property
    def every(self) -> tuple[int, ...]:
        """Each once."""
        return tuple(dict.fromkeys((*self.client, *self.server, *(self.backend or ()))))

    def by_side(self) -> dict[str, tuple[int, ...]]:
        """`client` and `server`; `both` where one process plays both; no `server` where nobody knows its processes.

        A `backend` besides, where one stands behind the server.
        """
        if self.client == self.server:
            return {"both": self.client}
        if self.unknown:
            return {"client": self.client}
        behind = {} if self.backend is None else {"backend": self.backend}
        return {"client": self.client, "server": self.server, **behind}


def of(sides: Sides, *, new: bool = False) -> SideProcesses:
    """Finds the processes of both sides now. A side that has ended has none.

    Args:
        sides: whose.
        new: whether they have just been started, which makes looking cheaper, and their end.
    """
    # The client is the first that is started.
    children = younger(sides.client.process.pid) if new else None

    def find(root: int) -> tuple[int, ...]:
        return below(root) if children is None else _below(root, children)

    client = find(sides.client.process.pid)
    if sides.server is sides.client:
        return SideProcesses(client, client)
    if sides.elsewhere is None:
        backend = None if sides.backend is None else find(sides.backend.process.pid)
        return SideProcesses(client, find(sides.server.process.pid), backend)
    server = sides.elsewhere.pids()
    return SideProcesses(client, server, unknown=not server)


def below(root: int) -> tuple[int, ...]:
    """The process `root` and its descendants now, without keeper and init."""
    return _below(root, descendants(root))


def _below(root: int, children: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    """The process `root` and its descendants, without keeper and init, and without what starts an external server."""
    found: list[int] = []
    waiting = [root]
    while waiting:
        pid = waiting.pop(0)
        found.append(pid)
        waiting += sorted(children.get(pid, ()))
    keeping = [pid for pid in found[:3] if _command(pid) in _OURS]
    return tuple(pid for pid in found if pid not in keeping and (pid != root or (PROC / str(pid)).exists()))


def _command(pid: int) -> bytes:
    try:
        return (PROC / str(pid) / "comm").read_bytes().strip()
    except OSError:
        return b""
