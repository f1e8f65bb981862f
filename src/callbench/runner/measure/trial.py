"""One trial: warmed up, watched, counted on both sides."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from callbench.adapter import oracle
from callbench.adapter.contract import Counts, Done
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell, Load
from callbench.model.errors import AdapterFailure
from callbench.runner.measure.probe import Probe, Watch
from callbench.runner.measure.steadiness import unsteady
from callbench.runner.measure.warm_up import LIMIT_SECONDS, warmed_up
from callbench.store.head import now

# Of an open loop: for answers that come late after all.
_SLACK_SECONDS = 2.0
# How long after a process its keeper may end.
_KEEPER_S = 0.5


def measured(sides: Sides, cell: Cell, probes: Sequence[Probe] = (), schedule: Path | None = None) -> dict[str, Any]:
    """Makes a trial with the clients connected. Returns what the journal has of it, but for its place in the plan.

    Args:
        sides: the processes of both.
        cell: what to measure.
        probes: those that watch.
        schedule: the arrivals of an open loop.

    Raises:
        AdapterFailure: a side failed: there is no trial then.
    """
    warm = warmed_up(sides, cell)
    before = sides.counted()
    behind = sides.backend_counts
    started = now()
    with Watch(probes, sides, cell) as watch:
        done = sides.client.drive(
            cell.call,
            cell.arguments,
            calls=cell.load.calls,
            seconds=cell.load.seconds,
            limit_seconds=limit_seconds(cell.load),
            think_ns=cell.load.think_ns,
            ramp_up_ns=cell.load.ramp_up_ns,
            schedule=schedule,
            over=watch.over,
        )
    after = counted_after(sides, done)
    found = watch.within(done)
    return {
        "started": started,
        "warm_up": warm.pieces,
        "warmed": warm.record(),
        "done": done,
        "counted": told_counts(before, after, watch.found),
        "behind": told_behind(behind, sides.backend_counts),
        "agree": None if after is None else oracle.agree(cell.call, done, after),
        "unsteady": unsteady(warm, done, found, cell.load),
        **found,
    }


def counted_after(sides: Sides, done: Done) -> Counts | None:
    """Asks the server what it answered. A driver goes on where its server dies: that turns out here."""
    try:
        # One that cannot count is asked nothing, and its death would go unnoticed; its keeper ends a moment later.
        died = sides.server.process.died(_KEEPER_S if done["errors"] else 0.0)
        if died is not None:
            raise died
        return sides.counted()
    except AdapterFailure as failure:
        failure.answered = done["calls"]
        raise


def told_counts(before: Counts | None, after: Counts | None, found: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the server said of itself; of one that cannot count its processor time from outside, where it is known."""
    if before is None or after is None:
        sides = (found.get("processors") or {}).get("sides", ())
        mine = next((one for one in sides if one["side"] == "server" and one["processes"]), None)
        if mine is None:
            return None
        used = {kind: str(mine[kind]) for kind in ("user_ns", "system_ns")}
        return {"calls": {}, "processor": {"start": dict.fromkeys(used, "0"), "end": used}}
    processor = {"start": before["processor"], "end": after["processor"]}
    return {"calls": after["calls"], "processor": processor, "stages": after.get("stages")}


def told_behind(before: Counts | None, after: Counts | None) -> dict[str, Any] | None:
    """What stands behind the server said of itself; None where nothing does."""
    if before is None or after is None:
        return None
    return {"calls": after["calls"], "processor": {"start": before["processor"], "end": after["processor"]}}


def limit_seconds(load: Load) -> float:
    """Say after how many seconds a trial ends in any case."""
    if load.rate_per_s:
        # Twice as long as its arrivals take, a rate has been missed beyond doubt: the queue need not be worked off.
        return 2 * max(load.seconds, load.calls / load.rate_per_s) + _SLACK_SECONDS
    think_s = load.calls / load.clients * load.think_ns / 1e9
    return max(LIMIT_SECONDS, 10 * load.seconds, 2 * think_s) + load.ramp_up_ns / 1e9
