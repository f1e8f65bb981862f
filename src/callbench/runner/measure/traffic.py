"""What crosses the link while a trial is driven: octets and packets each way."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from callbench.adapter.network.pair import LinkFailure
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell
from callbench.model.process_tree import PROC
from callbench.runner.measure.probe import Probe

# proc_pid_net(5): of `dev`, per interface: octets and packets received, and eight fields on the same of sent ones.
_RECEIVED, _SENT = 0, 8


class Traffic(Probe):
    """Reads at both ends of the drive what the link has carried: packets as the line has them.

    Where a cable alone lies between the hosts, the interfaces of the far one are read: the server's, or the backend's
    where one stands behind the server. Nobody else is on it. They count a packet that segmentation offload keeps whole
    once, which is right for a cable without a rate, and for nothing else.
    """

    name: ClassVar[str] = "traffic"

    def __init__(self, wires: Mapping[str, Mapping[str, Any]]) -> None:
        """Takes what each link is made of: its rate, and what its line adds to a packet."""
        self._wires = wires
        self._sides: Sides | None = None

    def begin(self, sides: Sides, cell: Cell) -> None:
        """Reads, where there is a link."""
        self._sides = None
        if cell.link == LOOPBACK:
            return
        self._sides = sides
        self._link = (self._wires.get(cell.link) or {}).get("link") or {}
        self._before = self._crossed(sides)
        self._began = time.monotonic_ns()

    def end(self) -> Mapping[str, Any]:
        """Reads again. Without a link there is nothing to tell."""
        if self._sides is None:
            return {}
        after = self._crossed(self._sides)
        ways = [
            _way(name, self._link.get(name) or {}, self._before[name], after[name])
            for name in ("to_server", "to_client")
            if name in self._before and name in after
        ]
        return {"elapsed_ns": time.monotonic_ns() - self._began, "ways": ways}

    @staticmethod
    def _crossed(sides: Sides) -> Mapping[str, tuple[int, int]]:
        try:
            carried = sides.hosts.carried()
        except LinkFailure:
            return {}
        return _counted(_far(sides)) if carried is None else carried


def _far(sides: Sides) -> int | None:
    """A process of the far host: to find it is a look at every process of the machine."""
    found = side_processes.of(sides)
    far = found.server if found.backend is None else found.backend
    return far[0] if far else None


def _way(name: str, line: Mapping[str, Any], before: tuple[int, int], after: tuple[int, int]) -> dict[str, Any]:
    """One direction. What its line adds to each packet counts against its rate alone."""
    octets, packets = (max(0, now - then) for then, now in zip(before, after, strict=True))
    return {
        "direction": name,
        "octets": octets,
        "packets": packets,
        "line_octets": octets + packets * int(line.get("overhead_bytes") or 0),
        "rate_bps": line.get("rate_bps"),
    }


def _counted(pid: int | None, proc: Path = PROC) -> dict[str, tuple[int, int]]:
    """Octets and packets by direction since the host was made; empty where its process has ended."""
    try:
        lines = (proc / str(pid) / "net" / "dev").read_text().splitlines()[2:]
    except OSError:
        return {}
    fields = [
        list(map(int, rest.split()))
        for name, _, rest in (line.partition(":") for line in lines)
        if name.strip() != "lo"
    ]
    return {
        "to_server": (sum(one[_RECEIVED] for one in fields), sum(one[_RECEIVED + 1] for one in fields)),
        "to_client": (sum(one[_SENT] for one in fields), sum(one[_SENT + 1] for one in fields)),
    }
