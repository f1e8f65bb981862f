"""Decide from a trial's probes what may have disturbed it."""

from callbench.stats.load.side_shares import SideReading
from callbench.stats.steady.disturbance import TrialConditions, why_disturbed
from callbench.store.lines.rounds import Probed
from callbench.store.lines.sides import GapsSeen, ProcessorsSeen, SideTimes


def disturbed_by(trial: Probed) -> str:
    """Return why a trial is disturbed, or "".

    Args:
        trial: its journal line, with the members of its probes.
    """
    return why_disturbed(disturbances_of(trial))


def disturbances_of(trial: Probed) -> TrialConditions:
    """Return the disturbances that a journal line shows."""
    gap_share, sure = _gaps(trial.get("gaps") or GapsSeen())
    processors = trial.get("processors") or ProcessorsSeen()
    elapsed = processors.get("elapsed_ns") or 0
    if not elapsed:
        return TrialConditions(gap_share=gap_share, sure=sure)
    everywhere = elapsed * max(1, processors["processors"])
    sides = processors["sides"]
    return TrialConditions(
        gap_share=gap_share,
        sure=sure,
        steal_share=processors["steal_ns"] / everywhere,
        neighbour_share=max(
            (side["neighbour_ns"] / (elapsed * max(1, len(side["cpus"]))) for side in sides), default=None
        ),
        wait_share=max((wait_share(side) for side in sides), default=None),
    )


def readings_of(processors: ProcessorsSeen, side: str) -> list[SideReading]:
    """Return a side's processor times in the form of `stats.side_shares`; empty if the probe did not see the side."""
    return [
        {
            "elapsed_ns": processors["elapsed_ns"],
            "seen_ns": processors["seen_ns"],
            "cpus": len(watched["cpus"]),
            "busiest_ns": max((thread["busiest_ns"] for thread in watched["threads"]), default=0),
            "run_ns": watched["run_ns"],
            "wait_ns": watched["wait_ns"],
            "neighbour_ns": watched["neighbour_ns"],
        }
        for watched in processors.get("sides", ())
        if watched["side"] == side
    ]


def wait_share(side: SideTimes) -> float:
    """Return the share of time that a side's threads waited for a processor, of the time in which they could run."""
    wanted = side["run_ns"] + side["wait_ns"]
    return float(side["wait_ns"] / wanted) if wanted else 0.0


def _gaps(gaps: GapsSeen) -> tuple[float | None, bool]:
    """Return the worst processor's share of time in gaps, and whether its watcher had real-time priority."""
    watched, watched_processors = gaps.get("watched_ns") or 0, gaps.get("processors") or ()
    if not watched or not watched_processors:
        return None, True
    worst = max(watched_processors, key=lambda watched: watched["gap_ns"])
    return worst["gap_ns"] / watched, bool(worst["realtime"])
