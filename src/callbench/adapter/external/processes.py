"""The processes of a server that runs by itself: all that listen where its URL points to, with their families.

A server is often many: a master that forks workers, all with one listening socket; or workers with a socket each on one
port (SO_REUSEPORT), whose master has none. Workers come and go while it is measured, so they are looked for anew
each time.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from callbench.adapter.external import listeners
from callbench.model.process_tree import ancestors, children_of_all, family, is_alive, parent_of, program_of

_INIT = 1


class Running:
    """A server that somebody else runs. It is looked for each time it is asked for."""

    def __init__(self, url: str, pid: int | None = None) -> None:
        """Looks for nobody yet.

        Args:
            url: of the server.
            pid: a process of it that was named: the only way to it where nothing of it listens at the URL here.
        """
        parts = urlsplit(url)
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._pid = pid

    def pids(self) -> tuple[int, ...]:
        """All its processes now, parents before children. Empty where it runs elsewhere, or we may not know.

        A process that was named stands for all of them where it is one of those behind the URL: its own family else.
        """
        return self._look()[0]

    def unseen(self) -> str:
        """What of it cannot be seen, in a sentence; nothing where all can."""
        pids, hidden = self._look()
        if not hidden:
            return ""
        who = "the rest of those who listen" if pids else "whoever listens"
        return (
            f"{who} at port {self._port} cannot be seen: run callbench as their user or as root,"
            " or name a process with --pid (pid in a study)"
        )

    def _look(self) -> tuple[tuple[int, ...], int]:
        found = listeners.at(self._host, self._port)
        children = children_of_all()
        mine = family(_with_masters(_servers(found.pids)), children)
        if self._pid is None or self._pid in mine:
            return mine, found.hidden
        return (family([self._pid], children) if is_alive(self._pid) else ()), 0


def of_table(table: Mapping[str, Any]) -> Running:
    """The server of an `external` table with a `url`."""
    return Running(str(table["url"]), int(table["pid"]) if table.get("pid") else None)


def tops(pids: Iterable[int]) -> tuple[int, ...]:
    """Those whose parents are not among them: a server ends with them, and not with a worker that is replaced."""
    every = set(pids)
    return tuple(pid for pid in sorted(every) if parent_of(pid) not in every)


def _servers(holders: tuple[int, ...]) -> list[int]:
    """Those who hold a socket to serve with it: init only opens it for another (systemd's socket units)."""
    others = [pid for pid in holders if pid != _INIT]
    return others or list(holders)


def _with_masters(holders: list[int]) -> list[int]:
    """The holders, and before them the masters that forked them and hold no socket themselves.

    A parent is a master where it runs the same program and has several of them as children, or has been started by the
    very same command: a fork. A shell or a script that starts servers is none, nor is whoever started us.
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
    siblings = sum(parent_of(one) == parent for one in holders)
    return its[1] == theirs[1] or siblings > 1
