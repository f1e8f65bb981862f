"""From what the probes found beside a trial to what may have spoiled it."""

from collections.abc import Mapping
from typing import Any

from callbench.stats.spoiled import Beside, why_spoiled


def spoiled_by(trial: Mapping[str, Any]) -> str:
    """Why a trial's figures are spoiled, or nothing.

    Args:
        trial: the journal's line, with the members of the probes that are there.
    """
    return why_spoiled(beside(trial))


def beside(trial: Mapping[str, Any]) -> Beside:
    """What the journal's line has of the machine meanwhile."""
    gap_share, sure = _gaps(trial.get("gaps") or {})
    processors = trial.get("processors") or {}
    elapsed = processors.get("elapsed_ns") or 0
    if not elapsed:
        return Beside(gap_share=gap_share, sure=sure)
    everywhere = elapsed * max(1, processors["processors"])
    sides = processors["sides"]
    return Beside(
        gap_share=gap_share,
        sure=sure,
        steal_share=processors["steal_ns"] / everywhere,
        neighbour_share=max(
            (one["neighbour_ns"] / (elapsed * max(1, len(one["cpus"]))) for one in sides), default=None
        ),
        wait_share=max((waited(one) for one in sides), default=None),
    )


def rows_of(processors: Mapping[str, Any], side: str) -> list[dict[str, Any]]:
    """What the probe of processor time found of a side, as `stats.side_shares` takes it; empty where it saw none."""
    return [
        {
            "elapsed_ns": processors["elapsed_ns"],
            "seen_ns": processors["seen_ns"],
            "cpus": len(one["cpus"]),
            "busiest_ns": max((thread["busiest_ns"] for thread in one["threads"]), default=0),
            **{name: one[name] for name in ("run_ns", "wait_ns", "neighbour_ns")},
        }
        for one in processors.get("sides", ())
        if one["side"] == side
    ]


def waited(side: Mapping[str, Any]) -> float:
    """The share of the time in which a side's threads waited for a processor, of that in which they wanted one."""
    wanted = side["run_ns"] + side["wait_ns"]
    return float(side["wait_ns"] / wanted) if wanted else 0.0


def _gaps(gaps: Mapping[str, Any]) -> tuple[float | None, bool]:
    """The worst processor's share of time in gaps, and whether its watcher ran before every ordinary thread."""
    watched, seen = gaps.get("watched_ns") or 0, gaps.get("processors") or ()
    if not watched or not seen:
        return None, True
    worst = max(seen, key=lambda one: one["gap_ns"])
    return worst["gap_ns"] / watched, bool(worst["first"])
