"""The processes of a server that runs by itself: all that listen at its URL, with their families.

A server may have many processes: a master whose workers share one listening socket, or workers with their own socket on
one port (SO_REUSEPORT) and a master without any. Workers change during a measurement, so they are searched again and
again: but a search looks at every process of the machine, and a load asks several times in the same moment.
"""

import math
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from callbench.adapter.external import listeners
from callbench.model.card import ExternalTable
from callbench.model.process_tree import ancestors, children_of_all, family, is_alive, parent_of, program_of

_INIT = 1
# For so long after a search its result holds.
_MOMENT_S = 0.2


class RunningServer:
    """A server that runs by itself. Its processes are searched again after each moment."""

    def __init__(self, url: str, pid: int | None = None) -> None:
        """Store how to find the server.

        Args:
            url: of the server.
            pid: a given process of it: needed if nothing visible listens at the URL on this machine.
        """
        parts = urlsplit(url)
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._pid = pid
        self._looked_s = -math.inf
        self._seen: tuple[tuple[int, ...], int] = ((), 0)

    def pids(self) -> tuple[int, ...]:
        """Return all of its current processes, parents before children; empty if it runs elsewhere or is not visible.

        A given process stands for all of them if it is one of those behind the URL. Otherwise only its own family
        counts.
        """
        return self._look()[0]

    def unseen(self) -> str:
        """Return which of its processes are not visible, in a sentence; "" if all are."""
        pids, hidden = self._look()
        if not hidden:
            return ""
        who = "the other listening processes" if pids else "the listening process"
        return (
            f"{who} at port {self._port} cannot be seen: run callbench as its user or as root,"
            " or name a process with --pid (pid in a study)"
        )

    def _look(self) -> tuple[tuple[int, ...], int]:
        if time.monotonic() - self._looked_s > _MOMENT_S:
            self._seen = self._search()
            self._looked_s = time.monotonic()
        return self._seen

    def _search(self) -> tuple[tuple[int, ...], int]:
        listening = listeners.listeners_at(self._host, self._port)
        children = children_of_all()
        mine = family(_with_masters(_servers(listening.pids)), children)
        if self._pid is None or self._pid in mine:
            return mine, listening.hidden
        return (family([self._pid], children) if is_alive(self._pid) else ()), 0


def running_server(table: ExternalTable) -> RunningServer:
    """Return the server of an `external` table with a `url`."""
    return RunningServer(str(table["url"]), int(table["pid"]) if table.get("pid") else None)


def root_processes(pids: Iterable[int]) -> tuple[int, ...]:
    """Return the processes whose parents are not among them. The server ends with these, not with a replaced worker."""
    every = set(pids)
    return tuple(pid for pid in sorted(every) if parent_of(pid) not in every)


def _servers(holders: tuple[int, ...]) -> list[int]:
    """Return the holders that serve with their socket.

    The init process only opens sockets for others (systemd socket units).
    """
    others = [pid for pid in holders if pid != _INIT]
    return others or list(holders)


def _with_masters(holders: list[int]) -> list[int]:
    """Return the holders, preceded by master processes that forked them and hold no socket.

    A parent is a master if it runs the same program and has several holders as children, or if it has the same command
    line (a fork). A shell or script that starts servers is not a master, nor is the parent of this program.
    """
    ours = ancestors()
    found = list(holders)
    for pid in found:
        parent = parent_of(pid)
        if parent > _INIT and parent not in found and parent not in ours and _forked(parent, pid, holders):
            found.append(parent)
    return sorted(found)


def _forked(parent: int, child: int, holders: list[int]) -> bool:
    its, theirs = program_of(parent), program_of(child)
    if its is None or theirs is None or its[0] != theirs[0]:
        return False
    siblings = sum(parent_of(holder) == parent for holder in holders)
    return its[1] == theirs[1] or siblings > 1
