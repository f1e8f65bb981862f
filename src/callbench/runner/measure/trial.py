"""One trial: warm up, drive with probes, and compare the counts of both sides."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from callbench.adapter import oracle
from callbench.adapter.contract import Counts, Done
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell, Load
from callbench.model.errors import AdapterFailure
from callbench.runner.measure.probe import Probe, TrialProbes
from callbench.runner.measure.steadiness import unsteady
from callbench.runner.measure.warm_up import LIMIT_SECONDS, warm_up_cell
from callbench.store.head import now
from callbench.store.lines.driven import Counted, CpuAtEnds, CpuSoFar, Driven
from callbench.store.lines.rounds import Probed, SliceSeen
from callbench.store.lines.sides import ProcessorsSeen
from callbench.store.lines.starts import WarmedCell

# Seconds of an open loop for late answers.
_SLACK_SECONDS = 2.0
# Seconds after a process in which its supervisor may end.
_SUPERVISOR_SECONDS = 0.5


def measure_trial(
    sides: Sides, cell: Cell, probes: Sequence[Probe] = (), schedule: Path | None = None
) -> tuple[WarmedCell, SliceSeen]:
    """Make a trial with the connected clients. Return how it was warmed up, and what was seen of it.

    Args:
        sides: the processes of both sides.
        cell: what to measure.
        probes: the probes.
        schedule: the arrivals of an open loop.

    Raises:
        AdapterFailure: a side failed, so there is no trial.
    """
    warm = warm_up_cell(sides, cell)
    before = sides.counted()
    behind = sides.backend_counts
    started = now()
    with TrialProbes(probes, sides, cell) as watch:
        done = sides.client.drive(
            cell.call,
            cell.arguments,
            calls=cell.load.calls,
            seconds=cell.load.seconds,
            limit_seconds=limit_seconds(cell.load),
            think_ns=cell.load.think_ns,
            ramp_up_ns=cell.load.ramp_up_ns,
            schedule=schedule,
            on_window_end=watch.so_far,
        )
    after = counted_after(sides, done)
    watched = watch.within(done)
    warmed = WarmedCell(warm_up=warm.pieces, warmed=warm.record(), unsteady=unsteady(warm, done, watched, cell.load))
    seen = SliceSeen(
        started=started,
        done=journal_form(done),
        counted=reported_counts(before, after, watch.found),
        backend=reported_backend_counts(behind, sides.backend_counts),
        agree=None if after is None else oracle.agree(cell.call, done, after),
    )
    return warmed, cast("SliceSeen", {**seen, **watched})


def journal_form(done: Any) -> Driven:  # noqa: ANN401 - a Done
    """Return a drive as the journal stores it, without members that follow from its place."""
    kept = {key: value for key, value in done.items() if key not in ("is", "id") and (key != "intervals" or value)}
    return cast("Driven", kept)


def counted_after(sides: Sides, done: Done) -> Counts | None:
    """Ask the server what it counted. If the server has died, that is noticed here, because a driver continues."""
    try:
        # A server that cannot count is not asked, so check whether it died. Its supervisor ends a moment later.
        # Of others the question itself tells, and on another machine this would be one more order.
        if done["errors"] or not sides.counts:
            died = sides.server.process.died(_SUPERVISOR_SECONDS if done["errors"] else 0.0)
            if died is not None:
                raise died
        return sides.counted()
    except AdapterFailure as failure:
        failure.answered = done["calls"]
        raise


def reported_counts(before: Counts | None, after: Counts | None, watched: Probed) -> Counted | None:
    """Return the server's counts and processor time. If it cannot count, use the probe's processor time, if known."""
    if before is None or after is None:
        sides = (watched.get("processors") or ProcessorsSeen()).get("sides", ())
        mine = next((side for side in sides if side["side"] == "server" and side["processes"]), None)
        if mine is None:
            return None
        none = CpuSoFar(user_ns="0", system_ns="0")
        used = CpuSoFar(user_ns=str(mine["user_ns"]), system_ns=str(mine["system_ns"]))
        return Counted(calls={}, processor=CpuAtEnds(start=none, end=used))
    processor = CpuAtEnds(start=before["processor"], end=after["processor"])
    return Counted(calls=after["calls"], processor=processor, stages=after.get("stages"))


def reported_backend_counts(before: Counts | None, after: Counts | None) -> Counted | None:
    """Return the counts of the backend; None if there is none."""
    if before is None or after is None:
        return None
    return Counted(calls=after["calls"], processor=CpuAtEnds(start=before["processor"], end=after["processor"]))


def limit_seconds(load: Load) -> float:
    """Return the seconds after which a trial ends in any case."""
    if load.rate_per_s:
        # After twice the time of its arrivals the rate is missed for certain, and the queue need not be emptied.
        return 2 * max(load.seconds, load.calls / load.rate_per_s) + _SLACK_SECONDS
    think_s = load.calls / load.clients * load.think_ns / 1e9
    return max(LIMIT_SECONDS, 10 * load.seconds, 2 * think_s) + load.ramp_up_ns / 1e9
