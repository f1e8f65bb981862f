"""When the calls of a group are made: combine [quick], the group and [load], and check the result."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.catalog.study.loads import Group, LoadPart, PacePart, QuickPart
from callbench.catalog.study.model import StudyPart
from callbench.model.cell import CLOSED
from callbench.model.errors import BadInput
from callbench.stats.estimate.digits import given

# A trial makes all of its calls, however slowly they arrive. More than an hour is a mistake.
LONGEST_SECONDS = 3_600.0


@dataclass(frozen=True)
class Pace:
    """One way of arriving, as in `Load`."""

    arrivals: str = CLOSED
    rate_per_s: float | None = None
    think_ns: int = 0
    ramp_up_ns: int = 0


def paces(group: Group, load: LoadPart, quick: QuickPart | None) -> list[Pace]:
    """Return a pace for each rate of a group; a single one for a closed loop.

    The first of [quick], the group and [load] that has a value decides. A rate belongs to an open loop, think time and
    ramp-up to a closed one; values that do not fit the arrivals are not inherited.
    """
    parts = _parts_in_order(group, load, quick)
    arrivals = _arrivals(parts)
    if arrivals == CLOSED:
        think_ms = next((part.think_ms for part in parts if part.think_ms is not None), 0.0)
        own = [group.quick.ramp_up_ms] if quick else []
        ramps = [*own, *(part.ramp_up_ms for part in parts)]
        ramp_up_ms = next((ramp for ramp in ramps if ramp is not None), 0.0)
        return [Pace(think_ns=round(think_ms * 1e6), ramp_up_ns=round(ramp_up_ms * 1e6))]
    rates = next((part.rate for part in parts if part.rate is not None), [])
    return [Pace(arrivals, rate) for rate in rates]


def check_paces(study: StudyPart, file: str) -> None:
    """Check that every group has the rate that it needs, and no value without effect.

    Raises:
        BadInput: the first mistake.
    """
    for group in study.cells:
        for quick in (None, study.quick):
            _check(group, study.load, quick, f"{file}: group {group.group}")
    for name, part in (("[load]", study.load), ("[quick]", study.quick)):
        every = {
            _arrivals(_parts_in_order(group, study.load, quick))
            for group in study.cells
            for quick in (None, study.quick)
        }
        if part.rate and every == {CLOSED}:
            raise BadInput(f"{file}: {name} has a rate, but no group is an open loop: {_SAY_OPEN}")
        if part.think_ms and CLOSED not in every:
            raise BadInput(f"{file}: {name} has think_ms, but every group is an open loop, whose calls do not wait")


_SAY_OPEN = 'say arrivals = "constant" or "poisson", or take the rate away'


def _parts_in_order(group: Group, load: LoadPart, quick: QuickPart | None) -> list[PacePart]:
    """Return the parts in the order in which they decide."""
    return [part for part in (quick, group, load) if part is not None]


def _arrivals(parts: Sequence[PacePart]) -> str:
    """Return the arrivals in force."""
    return next((part.arrivals for part in parts if part.arrivals), CLOSED)


def _check(group: Group, load: LoadPart, quick: QuickPart | None, place: str) -> None:
    """Check one group, with or without [quick]."""
    parts = _parts_in_order(group, load, quick)
    arrivals = _arrivals(parts)
    own = _arrivals(_parts_in_order(group, load, None))
    if group.rate and own == CLOSED:
        raise BadInput(f"{place}: rate is of an open loop, and arrivals are closed: {_SAY_OPEN}")
    if group.think_ms and own != CLOSED:
        raise BadInput(f"{place}: think_ms is of a closed loop, and arrivals are {own}: such calls do not wait")
    if group.ramp_up_ms and own != CLOSED:
        raise BadInput(f"{place}: ramp_up_ms is of a closed loop, and arrivals are {own}: their schedule begins them")
    every = paces(group, load, quick)
    if not every:
        raise BadInput(f"{place}: arrivals are {arrivals}, but there is no rate: give calls a second, rate = 500")
    calls = quick.calls if quick else group.calls or load.calls
    own_quick = group.quick.seconds if quick else None
    seconds = own_quick or (quick.seconds if quick else group.seconds or load.seconds)
    for pace in every:
        if pace.ramp_up_ns > seconds * 1e9:
            raise BadInput(
                f"{place}: ramp_up_ms is {given(pace.ramp_up_ns / 1e6)}, longer than the trial of {given(seconds)} s:"
                " ask for more seconds or a shorter ramp-up"
            )
        if pace.rate_per_s and calls / pace.rate_per_s > LONGEST_SECONDS:
            raise BadInput(
                f"{place}: {calls} calls at {given(pace.rate_per_s)} a second take"
                f" {calls / pace.rate_per_s:,.0f} s a trial: ask for fewer calls or a higher rate"
            )
