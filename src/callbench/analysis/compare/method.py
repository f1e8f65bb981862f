"""How a live comparison was made, in sentences: from its lines."""

from collections import Counter
from collections.abc import Iterator, Sequence

from callbench.analysis.wording.words import some
from callbench.model.card import PlannedPair
from callbench.stats.estimate.digits import figure
from callbench.store.lines.comparison import MetLine, MetRecord

_SLICES = "starts both in new processes and drives them in slices of 20 ms, in random order"


def method_sentence(met: Sequence[MetLine]) -> str:
    """Describe how it was made.

    Args:
        met: a line a fork of a pair.
    """
    counts = sorted(Counter(line["pair"] for line in met).values()) or [0]
    number = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    return f"{number} forks: each {_SLICES}"


def notes_of(pairs: Sequence[PlannedPair], met: Sequence[MetLine], *, hold_idle: bool) -> Iterator[str]:
    """Describe what a reader must know of how it was made.

    Args:
        pairs: of the plan.
        met: a line a fork of a pair.
        hold_idle: whether deep idle states were off.
    """
    if hold_idle:
        yield "Deep idle states were off, so a call does not wait for a processor to wake up."
    alone = [f"{pair['a']['id']} and {pair['b']['id']}" for pair in pairs if not pair.get("in_turn", True)]
    if alone:
        yield f"{some(alone)}: not alive at the same time, but driven in whole pieces. Drift can affect them unequally."
    stopped = {unit["stack"] for line in met for unit in line.get("units", ()) if unit["paused"]}
    if stopped:
        yield f"{some(sorted(stopped))}: used a processor while waiting, so it was stopped between its slices."
    busy = [why for line in met if (why := line.get("unsteady"))]
    if busy:
        yield f"{len(busy)} of {len(met)} forks do not count: {busy[0]}."
    rates = sorted(rate for line in met if (rate := echo_of(line)) is not None)
    if rates:
        low, high = (figure(rate, 0.005) for rate in (rates[0], rates[-1]))
        repeated_rounds = sum(line.get("repeated", 0) for line in met)
        repeated = f". Because of it, {repeated_rounds} rounds were repeated" if repeated_rounds else ""
        yield f"The raw echo over TCP made {low} to {high} calls/s in these forks{repeated}."


def echo_of(line: MetRecord) -> float | None:
    """Echoes a second in a fork; None if there was no echo."""
    calls, elapsed_ns = (sum(echo[place] for echo in line.get("echoes", ())) for place in (0, 1))
    return calls / (elapsed_ns / 1e9) if calls and elapsed_ns else None
