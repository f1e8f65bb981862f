"""Whether a trial was steady. This rule decides which trials count, and is fixed before anything is measured."""

from callbench.adapter.contract import Done
from callbench.model.cell import Load
from callbench.runner.measure.compiler import is_compiler
from callbench.runner.measure.warm_up import WarmUp
from callbench.stats.estimate.digits import percent
from callbench.stats.steady.steady import rates_of, shift
from callbench.stats.steady.warmed import BUSY
from callbench.store.lines.rounds import Probed
from callbench.store.lines.sides import ProcessorsSeen


def unsteady(warm: WarmUp, done: Done, watched: Probed, load: Load) -> str:
    """Return why a trial does not count, or "".

    If no runtime compiles, a changing rate is caused by the machine: the trial counts, and the change is noted
    elsewhere. If one compiles, a trial does not count in three cases: its warm-up was not steady, a compiler used more
    than 5 % of a processor, or its rate rose. A falling rate counts, because no compiler slows calls down. The
    machine's own changes go both ways, so this does not favour fast or slow trials.

    Args:
        warm: the warm-up before the trial.
        done: the client's report.
        watched: the values of the probes.
        load: of the cell.

    Returns:
        A phrase. The part before a colon is the kind of reason, without values.
    """
    if warm.not_steady or not warm.compiles:
        return warm.not_steady
    return compiler_report(watched) or _rate_rise(done, load)


def compiler_report(watched: Probed) -> str:
    """Return how much a compiler worked during a trial, in words, or ""."""
    processors = watched.get("processors") or ProcessorsSeen()
    seen_ns = processors.get("seen_ns") or 0
    for side in processors.get("sides", ()):
        run_ns = sum(thread["run_ns"] for thread in side["threads"] if is_compiler(thread["name"]))
        if seen_ns and run_ns > BUSY * seen_ns:
            who = "both sides" if side["side"] == "both" else f"the {side['side']}"
            return f"the compiler of {who} was active: it used {percent(run_ns / seen_ns)} of a processor"
    return ""


def _rate_rise(done: Done, load: Load) -> str:
    """Return by how much the rate rose during a trial, in words, or "". The ramp-up is left out."""
    points = [(at_ns, calls) for at_ns, calls, _ in done.get("intervals") or () if at_ns >= load.ramp_up_ns]
    if load.ramp_up_ns and points:
        (begin_ns, calls_before), *rest = points
        points = [(at_ns - begin_ns, calls - calls_before) for at_ns, calls in rest]
    rise = shift([rate for rate in rates_of(points) if rate > 0])
    if rise is None or not rise.real or rise.ratio < 1:
        return ""
    return f"its rate rose while it was measured: by {percent(rise.ratio - 1)}"
