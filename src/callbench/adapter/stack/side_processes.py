"""The processes of each side: the adapter and everything that it started, found from outside.

An adapter cannot report them: it does not know its daemons, and Wine has process numbers of its own. The supervisor is
the root: a daemon that leaves its process group is still below the first process of the PID namespace, or below the
supervisor as its subreaper. Processes on another machine are not found here: their agent watches them.
"""

from contextlib import suppress
from dataclasses import dataclass

from callbench.adapter.session import Adapter
from callbench.adapter.stack.sides import Sides
from callbench.adapter.watch.adapter_processes import below, descendants_of
from callbench.adapter.watch.adapter_watch import Watch
from callbench.model.errors import CallbenchError
from callbench.model.process_tree import younger


@dataclass(frozen=True)
class SideProcesses:
    """Process ids as the core sees them, parents before children, without supervisor and init.

    Attributes:
        client: of the calling side.
        server: of the answering side; the same as `client` if one process is both.
        backend: of the backend, if there is one.
        unknown: the sides whose processes are not visible here: a server that runs by itself at an unknown place, and
            every side on another machine.
    """

    client: tuple[int, ...]
    server: tuple[int, ...]
    backend: tuple[int, ...] | None = None
    unknown: frozenset[str] = frozenset()

    @property
    def every(self) -> tuple[int, ...]:
        """All processes, each once."""
        return tuple(dict.fromkeys((*self.client, *self.server, *(self.backend or ()))))

    def by_side(self) -> dict[str, tuple[int, ...]]:
        """Return `client` and `server`, or `both` for a single process. An unknown side is missing.

        If there is a backend, it is `backend`.
        """
        if self.client == self.server and not self.unknown:
            return {"both": self.client}
        behind = {} if self.backend is None else {"backend": self.backend}
        every = {"client": self.client, "server": self.server, **behind}
        return {side: pids for side, pids in every.items() if side not in self.unknown}


def processes_of(sides: Sides, *, new: bool = False) -> SideProcesses:
    """Find the current processes of both sides. A side that has ended has none.

    Args:
        sides: the sides.
        new: whether they have just been started, which makes the search faster.
    """
    # The client is started first.
    first = sides.client.process.pid
    children = younger(first) if new and first is not None else None

    def find(root: int | None) -> tuple[int, ...]:
        return descendants_of(root) if root is None or children is None else below(root, children)

    client = find(first)
    if sides.server is sides.client:
        return SideProcesses(client, client)
    elsewhere = _elsewhere(sides)
    if sides.external is None:
        backend = None if sides.backend is None else find(sides.backend.process.pid)
        return SideProcesses(client, find(sides.server.process.pid), backend, elsewhere)
    server = sides.external.pids()
    return SideProcesses(client, server, unknown=elsewhere if server else elsewhere | {"server"})


def _elsewhere(sides: Sides) -> frozenset[str]:
    """Return the sides that run on another machine."""
    return frozenset(side for side, adapter in _adapters(sides).items() if adapter.process.pid is None)


def _adapters(sides: Sides) -> dict[str, Adapter]:
    behind = {} if sides.backend is None else {"backend": sides.backend}
    return {"client": sides.client, "server": sides.server, **behind}


def watched_elsewhere(sides: Sides) -> dict[str, Watch]:
    """Begin to watch the sides that run on another machine. One that cannot be watched is left out."""
    found: dict[str, Watch] = {}
    for side, adapter in _adapters(sides).items():
        with suppress(CallbenchError):
            if watch := adapter.watch():
                found[side] = watch
    return found
