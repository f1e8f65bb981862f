"""Whether a trial was steady: the rule that decides which trials count, fixed before anything is measured."""

from collections.abc import Mapping
from typing import Any

from callbench.model.cell import Load
from callbench.runner.measure.compiler import is_compiler
from callbench.runner.measure.warm_up import WarmUp
from callbench.stats.digits import percent
from callbench.stats.steady import rates_of, shift
from callbench.stats.warmed import BUSY


def unsteady(warm: WarmUp, done: Mapping[str, Any], found: Mapping[str, Any], load: Load) -> str:
    """Why a trial does not count, or nothing.

    Where no side's runtime compiles, a rate that changes is the machine's doing: the trial counts, and the change is
    noted elsewhere. Where one compiles, a trial does not count whose warm-up ended without being steady, in which a
    compiler took more than 5 % of a processor, or whose rate rose. A rate that fell counts: no compiler slows down. A
    machine's own changes go up as often as down, fast or slow, so leaving out the rises favours neither.

    Args:
        warm: the warm-up before it.
        done: what the client said.
        found: what the probes saw.
        load: of the cell.

    Returns:
        A phrase; what stands before a colon is the kind of reason, without figures.
    """
    if warm.not_steady or not warm.compiles:
        return warm.not_steady
    return compiled(found) or _rose(done, load)


def compiled(found: Mapping[str, Any]) -> str:
    """Say by how much a compiler was at work during a trial, or nothing where it was not."""
    processors = found.get("processors") or {}
    seen_ns = processors.get("seen_ns") or 0
    for side in processors.get("sides", ()):
        run_ns = sum(one["run_ns"] for one in side["threads"] if is_compiler(one["name"]))
        if seen_ns and run_ns > BUSY * seen_ns:
            who = "both sides" if side["side"] == "both" else f"the {side['side']}"
            return f"the compiler of {who} was at work meanwhile: it took {percent(run_ns / seen_ns)} of a processor"
    return ""


def _rose(done: Mapping[str, Any], load: Load) -> str:
    """Say by how much the rate rose during a trial, or nothing. While clients still begin it rises by itself."""
    points = [(at_ns, calls) for at_ns, calls, _ in done.get("intervals") or () if at_ns >= load.ramp_up_ns]
    if load.ramp_up_ns and points:
        (begin_ns, begun), *rest = points
        points = [(at_ns - begin_ns, calls - begun) for at_ns, calls in rest]
    found = shift([rate for rate in rates_of(points) if rate > 0])
    if found is None or not found.real or found.ratio < 1:
        return ""
    return f"its rate rose while it was measured: by {percent(found.ratio - 1)}"
