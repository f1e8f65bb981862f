"""A sweep: the bytes of new clients over a grid of sizes. Only as many sizes are counted as needed to know all."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from callbench.adapter.session import Adapter
from callbench.analysis.wire.counts import Row
from callbench.catalog.manifest import Programs
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.wire.lab import Lab
from callbench.runner.wire.payload import payload
from callbench.runner.wire.trial import call_once, connect_client
from callbench.stats.wire.sweep import even, swept
from callbench.store.lines.wire import CountedSweep, SweepPoint

# A client that connects again in the same process takes milliseconds, a new process up to a second.
_MOST_PROCESSES = 12
_AGAIN_SECONDS = 2.0


class Lives:
    """Counts the lives of clients of one stack against one server."""

    def __init__(self, lab: Lab, programs: Programs, cell: Cell, endpoint: str) -> None:
        """Find out whether a client process can be reused: its second life must have the bytes of a new process.

        Raises:
            AdapterFailure: a side failed, or an answer was wrong.
        """
        self._lab, self._programs, self._endpoint = lab, programs, endpoint
        self._client: Adapter | None = None
        fresh = self._life_in_new_process(cell)
        self._client = lab.client(programs).read_hello()
        self.reused = False
        try:
            again = [self._life_in_same_process(cell), self._life_in_same_process(cell)]
            self.reused = all(settled and _bytes_each_way(life) == _bytes_each_way(fresh) for life, settled in again)
        finally:
            if not self.reused:
                self.close()

    def count_life(self, cell: Cell) -> tuple[int, int]:
        """Count a life with the cell's call: stream bytes to the server and to the client."""
        if not self.reused:
            return _bytes_each_way(self._life_in_new_process(cell))
        life, settled = self._life_in_same_process(cell)
        if not settled:
            raise AdapterFailure("silent", "a client's connections stayed open after it had disconnected")
        return _bytes_each_way(life)

    def close(self) -> None:
        """End the client."""
        if self._client is not None:
            self._client.stop()
            self._client = None

    def _life_in_new_process(self, cell: Cell) -> list[Row]:
        with self._lab.client(self._programs) as client:
            self._live(client, cell)
        life, settled = self._lab.end_phase("life", closed=True)
        if not settled:
            raise AdapterFailure("silent", "connections of an ended client stay open: its bytes cannot be counted")
        return life

    def _life_in_same_process(self, cell: Cell) -> tuple[list[Row], bool]:
        assert self._client is not None  # noqa: S101 - `reused` says so
        self._live(self._client, cell)
        return self._lab.end_phase("life", closed=True, within_s=_AGAIN_SECONDS if not self.reused else 10.0)

    def _live(self, client: Adapter, cell: Cell) -> None:
        connect_client(client, cell, self._endpoint)
        call_once(client, cell)
        client.disconnect()


def _bytes_each_way(life: Sequence[Row]) -> tuple[int, int]:
    to_server, to_client = (int(row["payload"]) for row in life)
    return to_server, to_client


def at(cell: Cell, value: object) -> Cell:
    """Return the cell with the swept argument set."""
    assert cell.wire is not None  # noqa: S101 - a sweep's cell has it
    return replace(cell, arguments={**cell.arguments, cell.wire["over"]: value})


def run_sweep(lab: Lab, programs: Programs, cell: Cell, count: Callable[[], None]) -> CountedSweep:
    """Sweep a cell's argument.

    Args:
        lab: the hosts.
        programs: the programs of the cell's stack.
        cell: the cell, with a sweep in its `wire`.
        count: called after each life.

    Returns:
        The journal record: `points` as counted, in the order of the grid.

    Raises:
        AdapterFailure: a side failed, or an answer was wrong.
        LinkFailure: the lab failed.
    """
    sweep = cell.wire or {}
    server = lab.server(programs)
    try:
        server.read_hello()
        endpoint = lab.serve(server, cell)
        lab.begin()
        try:
            points, reused = _points(lab, programs, cell, endpoint, count)
        finally:
            lost, trouble = lab.end()
    finally:
        server.stop()
    return CountedSweep(points=points, over=sweep["over"], reused=reused, lost=lost, trouble=trouble)


def _points(
    lab: Lab, programs: Programs, cell: Cell, endpoint: str, count: Callable[[], None]
) -> tuple[list[SweepPoint], bool]:
    sweep = cell.wire or {}
    lives = Lives(lab, programs, at(cell, sweep["grid"][0]), endpoint)
    most = int(sweep["most"]) if lives.reused else min(_MOST_PROCESSES, int(sweep["most"]))
    points: dict[tuple[str, Any], SweepPoint] = {}

    def measure(grid: Literal["coarse", "fine"], value: Any) -> int:  # noqa: ANN401 - a size or a type
        cell_at = at(cell, value)
        to_server, to_client = lives.count_life(cell_at)
        count()
        data = sum(payload(cell_at.call, cell_at.arguments))
        points[grid, value] = SweepPoint(
            grid=grid, value=str(value), to_server=to_server, to_client=to_client, payload=data
        )
        return to_server + to_client

    try:
        if even(sweep["grid"]):
            swept(sweep["grid"], lambda size: measure("coarse", size), most)
            if sweep["fine"] and lives.reused:
                for size in range(int(sweep["fine"]) + 1):
                    measure("fine", size)
        else:
            for value in sweep["grid"]:
                measure("coarse", value)
    finally:
        lives.close()
    order = {value: place for place, value in enumerate(sweep["grid"])}
    coarse = sorted((key for key in points if key[0] == "coarse"), key=lambda key: order[key[1]])
    fine = sorted(key for key in points if key[0] == "fine")
    return [points[key] for key in (*coarse, *fine)], lives.reused
