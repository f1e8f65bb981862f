"""A sweep: the lives of fresh clients over a grid of sizes, only as many counted as it takes to know them all."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from callbench.adapter.session import Adapter
from callbench.analysis.wire.counts import Row
from callbench.catalog.manifest import Programs
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.wire.lab import Lab
from callbench.runner.wire.payload import payload
from callbench.runner.wire.trial import called, connected
from callbench.stats.sweep import even, swept

# A client that connects anew in the same process costs milliseconds, a new process up to a second.
_MOST_PROCESSES = 12
_AGAIN_SECONDS = 2.0


class Lives:
    """Counts lives of clients of one stack against one server, over one account."""

    def __init__(self, lab: Lab, programs: Programs, cell: Cell, endpoint: str) -> None:
        """Finds out whether a client may be used again: whether its second life costs what a fresh process costs.

        Raises:
            AdapterFailure: a side failed, or an answer was wrong.
        """
        self._lab, self._programs, self._endpoint = lab, programs, endpoint
        self._client: Adapter | None = None
        fresh = self._in_a_process(cell)
        self._client = lab.client(programs).greeted()
        self.reused = False
        try:
            again = [self._again(cell), self._again(cell)]
            self.reused = all(settled and _ways(life) == _ways(fresh) for life, settled in again)
        finally:
            if not self.reused:
                self.close()

    def counted(self, cell: Cell) -> tuple[int, int]:
        """Counts a life with the cell's call in it: bytes of the streams to the server, and to the client."""
        if not self.reused:
            return _ways(self._in_a_process(cell))
        life, settled = self._again(cell)
        if not settled:
            raise AdapterFailure("silent", "a client's connections stayed open after it had disconnected")
        return _ways(life)

    def close(self) -> None:
        """Ends the client."""
        if self._client is not None:
            self._client.stop()
            self._client = None

    def _in_a_process(self, cell: Cell) -> list[Row]:
        with self._lab.client(self._programs) as client:
            self._lived(client, cell)
        life, settled = self._lab.ended("life", closed=True)
        if not settled:
            raise AdapterFailure(
                "silent", "connections of a client that has ended stay open: its life cannot be counted"
            )
        return life

    def _again(self, cell: Cell) -> tuple[list[Row], bool]:
        assert self._client is not None  # noqa: S101 - `reused` says so
        self._lived(self._client, cell)
        return self._lab.ended("life", closed=True, within_s=_AGAIN_SECONDS if not self.reused else 10.0)

    def _lived(self, client: Adapter, cell: Cell) -> None:
        connected(client, cell, self._endpoint)
        called(client, cell)
        client.disconnect()


def _ways(life: Sequence[Row]) -> tuple[int, int]:
    to_server, to_client = (int(row["payload"]) for row in life)
    return to_server, to_client


def at(cell: Cell, value: object) -> Cell:
    """The cell with the swept argument set."""
    assert cell.wire is not None  # noqa: S101 - a sweep's cell has it
    return replace(cell, arguments={**cell.arguments, cell.wire["over"]: value})


def explored(lab: Lab, programs: Programs, cell: Cell, count: Callable[[], None]) -> dict[str, Any]:
    """Sweeps a cell's argument.

    Args:
        lab: the hosts.
        programs: of the cell's stack.
        cell: with a sweep in its `wire`.
        count: called after each life.

    Returns:
        What the journal has of it: `points` as counted, in the order of the grid.

    Raises:
        AdapterFailure: a side failed, or an answer was wrong.
        LinkFailure: the lab failed.
    """
    sweep = cell.wire or {}
    server = lab.server(programs)
    try:
        server.greeted()
        endpoint = lab.serve(server, cell)
        lab.begin()
        try:
            found, reused = _points(lab, programs, cell, endpoint, count)
        finally:
            lost, trouble = lab.end()
    finally:
        server.stop()
    return {"points": found, "over": sweep["over"], "reused": reused, "lost": lost, "trouble": trouble}


def _points(
    lab: Lab, programs: Programs, cell: Cell, endpoint: str, count: Callable[[], None]
) -> tuple[list[dict[str, Any]], bool]:
    sweep = cell.wire or {}
    lives = Lives(lab, programs, at(cell, sweep["grid"][0]), endpoint)
    most = int(sweep["most"]) if lives.reused else min(_MOST_PROCESSES, int(sweep["most"]))
    found: dict[tuple[str, Any], dict[str, Any]] = {}

    def measure(grid: str, value: Any) -> int:  # noqa: ANN401 - a size or a type
        there = at(cell, value)
        to_server, to_client = lives.counted(there)
        count()
        data = sum(payload(there.call, there.arguments))
        said = {"grid": grid, "value": str(value), "to_server": to_server, "to_client": to_client, "payload": data}
        found[grid, value] = said
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
    coarse = sorted((key for key in found if key[0] == "coarse"), key=lambda key: order[key[1]])
    fine = sorted(key for key in found if key[0] == "fine")
    return [found[key] for key in (*coarse, *fine)], lives.reused
