"""One trial: warmed up, watched, counted on both sides."""

from collections.abc import Sequence
from typing import Any

from callbench import judge
from callbench.cell import Cell
from callbench.measure.probe import Probe, Watch
from callbench.measure.warm_up import LIMIT_SECONDS, warmed_up
from callbench.run_writer import now
from callbench.sides import Sides


def measured(sides: Sides, cell: Cell, probes: Sequence[Probe] = ()) -> dict[str, Any]:
    """Makes a trial with the clients connected. Returns what the journal has of it, but for its place in the plan.

    Raises:
        AdapterFailure: a side failed: there is no trial then.
    """
    pieces = warmed_up(sides.client, cell)
    before = sides.server.counted()
    started = now()
    with Watch(probes, sides, cell) as watch:
        done = sides.client.drive(
            cell.call,
            cell.arguments,
            calls=cell.load.calls,
            seconds=cell.load.seconds,
            limit_seconds=max(LIMIT_SECONDS, 10 * cell.load.seconds),
        )
    after = sides.server.counted()
    return {
        "started": started,
        "warm_up": pieces,
        "done": done,
        "counted": {
            "calls": after["calls"],
            "processor": {"start": before["processor"], "end": after["processor"]},
        },
        "agree": judge.agree(cell.call, done, after),
        **watch.found,
    }
