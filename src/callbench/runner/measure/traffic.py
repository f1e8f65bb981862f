"""Traffic over the link during a trial: bytes and packets in each direction."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar
from weakref import WeakKeyDictionary

from callbench.adapter.network.lab_process import LinkFailure
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell
from callbench.model.process_tree import PROC
from callbench.runner.measure.probe import Probe
from callbench.stats.wire.link import WAYS, Way, Wires, ways
from callbench.store.lines.sides import TrafficSeen, WayCarried

# proc_pid_net(5): `dev` has, per interface, received bytes and packets, and eight fields later the sent ones.
_RECEIVED, _SENT = 0, 8


class Traffic(Probe):
    """Reads what the link carried at both ends of the drive, in packets of the line.

    On a plain cable, the interfaces of the far host are read: the server's, or the backend's if there is one. Nothing
    else uses that host. A packet that segmentation offload keeps whole counts once, which is right only for a cable
    without a rate.
    """

    name: ClassVar[str] = "traffic"

    def __init__(self, wires: Wires) -> None:
        """Store the definition of each link: its rate, and what its line adds to a packet."""
        self._wires = wires
        self._sides: Sides | None = None
        # A process of each far host.
        self._far: WeakKeyDictionary[Sides, int | None] = WeakKeyDictionary()

    def begin(self, sides: Sides, cell: Cell) -> None:
        """Take the first reading, if there is a link."""
        self._sides = None
        if cell.link == LOOPBACK:
            return
        self._sides = sides
        self._ways = dict(zip(WAYS, ways(self._wires.get(cell.link, {})), strict=True))
        self._before = self._carried(sides)
        self._began = time.monotonic_ns()

    def end(self) -> TrafficSeen:
        """Take the last reading. Without a link there are no values."""
        if self._sides is None:
            return {}
        after = self._carried(self._sides)
        carried = [
            _direction(name, way, self._before[name], after[name])
            for name, way in self._ways.items()
            if name in self._before and name in after
        ]
        return {"elapsed_ns": time.monotonic_ns() - self._began, "ways": carried}

    def _carried(self, sides: Sides) -> Mapping[str, tuple[int, int]]:
        try:
            carried = sides.hosts.carried()
        except LinkFailure:
            return {}
        if carried is None and not (carried := _counted(self._far.get(sides))):
            # Finding it reads every process of the machine, so it is looked for again only when it has ended.
            self._far[sides] = _far_process(sides)
            carried = _counted(self._far[sides])
        return carried


def _far_process(sides: Sides) -> int | None:
    """Return a process of the far host."""
    by_side = side_processes.processes_of(sides)
    far = by_side.server if by_side.backend is None else by_side.backend
    return far[0] if far else None


def _direction(name: str, way: Way, before: tuple[int, int], after: tuple[int, int]) -> WayCarried:
    """Return one direction. What the line adds to each packet counts only against its rate."""
    sent_bytes, packets = (max(0, now - then) for then, now in zip(before, after, strict=True))
    return {
        "direction": name,
        "bytes": sent_bytes,
        "packets": packets,
        "line_bytes": sent_bytes + packets * int(way.get("overhead_bytes") or 0),
        "rate_bps": way.get("rate_bps"),
    }


def _counted(pid: int | None, proc: Path = PROC) -> dict[str, tuple[int, int]]:
    """Return bytes and packets by direction since the host was created; empty if its process has ended."""
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
        "to_server": (sum(line[_RECEIVED] for line in fields), sum(line[_RECEIVED + 1] for line in fields)),
        "to_client": (sum(line[_SENT] for line in fields), sum(line[_SENT + 1] for line in fields)),
    }
