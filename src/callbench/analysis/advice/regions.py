"""Where which stack wins: over payload size and link rate, or over round trip and rate where one size was measured.

A place of the map is won by one stack, or several lie within the margin of each other there, or it is undecided.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from callbench.analysis.advice.choice import LEVEL
from callbench.analysis.advice.figures import Every, Figures
from callbench.analysis.advice.prediction import added_ms
from callbench.model.situation import SituationLink
from callbench.stats.decide.best import BestByPlace, Flags, Indices, best_by_place
from callbench.stats.estimate.digits import given
from callbench.stats.estimate.prior import prior_of_ratios
from callbench.stats.wire.link import Way, Wire, round_trip_ns, ways

# How many places a map has along each axis.
PLACES = 32
RATES_MBIT = (0.1, 10_000.0)
TRIPS_MS = (0.1, 400.0)
_Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Axis:
    """One axis of a map: places that rise by equal factors, and where the situation lies.

    Attributes:
        name: `payload of a call`, `rate of the link`, `round trip of the link`.
        unit: bytes, Mbit/s or ms.
        here: of the situation, in the unit; None where it has none, as a link without a rate.
    """

    name: str
    unit: str
    places: Sequence[float]
    here: float | None


@dataclass(frozen=True)
class Regions:
    """Who wins where.

    Attributes:
        names: the candidates.
        winners: an index of `names` by row of y and column of x; -1 where it is undecided.
        tied: likewise, whether others lie within the margin of the winner. Of these, it is the one of today, or an
            ordinary one, or the one that is among the leaders in most places.
        call: the call whose sizes they are.
        fixed: what is the same everywhere, in words.
        extra: whether the sizes come from a record of their own, with one channel of each message.
    """

    names: Sequence[str]
    x: Axis
    y: Axis
    winners: Sequence[Sequence[int]]
    tied: Sequence[Sequence[bool]]
    call: str
    fixed: str
    extra: bool = False


@dataclass(frozen=True)
class WinnerRange:
    """A part of a line through the map with one winner; "" where it is undecided. Ends in the axis's unit."""

    winner: str
    tied: bool
    low: float
    high: float


def regions(  # noqa: PLR0913, PLR0917 - a map and all that it is of
    every: Every,
    names: Sequence[str],
    group: str,
    link: SituationLink,
    bounds: tuple[float, float],
    ordinary: Sequence[str] = (),
) -> Regions | None:
    """Compute the map for the call of a group; None where it says nothing: one candidate, or bytes not counted.

    Args:
        every: the figures of the record.
        names: the candidates.
        group: the group that has most of the traffic. Sizes are the groups of the same call.
        link: where most of the traffic goes: its delay holds for the whole map.
        bounds: the margin and the error of a comparison, as log-ratios.
        ordinary: of several leaders, the first of these is named.
    """
    first = next((every[name, group] for name in names if (name, group) in every), None)
    if first is None or len(names) < 2:
        return None
    sizes = _sizes(every, names, first)
    ladders = {name: [every[name, group] for group in sizes.values()] for name in names}
    forks = sorted(
        set.intersection(*(set(figures.here.latency_us["mean_us"]) for mine in ladders.values() for figures in mine))
    )
    if not forks or not all(figures.account for mine in ladders.values() for figures in mine):
        return None
    rate = _rate_mbit(link)
    y = Axis("rate of the link", "Mbit/s", _steps(RATES_MBIT), rate)
    if len(sizes) > 1:
        x = Axis("payload of a call", "bytes", _steps((max(1.0, min(sizes)), max(sizes))), first.payload)
        fixed = f"round trip {given(round_trip_ns(link.wire) / 1e6)} ms"
        times = [_by_size(ladders[name], list(sizes), forks, (x, y), link.wire) for name in names]
    else:
        x = Axis("round trip of the link", "ms", _steps(TRIPS_MS), round_trip_ns(link.wire) / 1e6 or None)
        fixed = f"payload {first.payload:,.0f} bytes" if first.payload is not None else "one payload"
        times = [_by_trip(ladders[name][0], forks, (x, y)) for name in names]
    margin, error = bounds
    prior = prior_of_ratios([[every[name, group].here.latency_us["mean_us"] for name in names]])
    logs = np.stack([taken.logs for taken in times]).reshape(len(names), len(forks), -1)
    shares = np.stack([taken.shares for taken in times]).reshape(len(names), -1)
    found = best_by_place(logs, LEVEL, margin, error, prior, shares)
    winners = np.where(found.tied, _leaders(found, names, ordinary), found.winners)
    at_most = [any(figures.at_most for figures in ladders[name]) for name in names]
    reached: Flags = np.zeros(winners.shape, dtype=np.bool_)
    if any(at_most):
        # No call is faster than its bytes and round trips: where that changes nothing, the bound does not matter.
        lowest = [taken.lowest if bound else taken.logs for taken, bound in zip(times, at_most, strict=True)]
        lower = np.stack(lowest).reshape(logs.shape)
        reached = ~_agree(found, best_by_place(lower, LEVEL, margin, error, prior, shares))
    winners[reached] = -1
    shape = len(y.places), len(x.places)
    tied = (found.tied & ~reached).reshape(shape).tolist()
    return Regions(
        names=list(names), x=x, y=y, winners=winners.reshape(shape).tolist(), tied=tied, call=first.call, fixed=fixed
    )


def _agree(found: BestByPlace, other: BestByPlace) -> Flags:
    """Return the places where both say the same: one winner, or several within the margin that the other has too."""
    same = (found.winners >= 0) & (found.winners == other.winners)
    within = (~found.within | other.within).all(axis=0)
    return np.asarray(same | (found.tied & other.tied & within))


def _leaders(found: BestByPlace, names: Sequence[str], ordinary: Sequence[str]) -> Indices:
    """Name one of the leaders in each place with several: a map of few names is easier to read."""
    among = found.within & found.tied
    chosen = found.best.copy()
    left = found.tied.copy()
    for name in ordinary:
        if name in names:
            place = names.index(name)
            chosen[left & among[place]] = place
            left &= ~among[place]
    while left.any():
        # The one that leads in most of the places that are left: the greedy cover of a set by few of its subsets.
        place = int((among & left).sum(axis=1).argmax())
        chosen[left & among[place]] = place
        left &= ~among[place]
    return chosen


def ranges(
    winners: Sequence[int], tied: Sequence[bool], places: Sequence[float], names: Sequence[str]
) -> list[WinnerRange]:
    """Join neighbours with the same winner along a line of the map. Ends lie half a step from the last place."""
    half = math.sqrt(places[1] / places[0]) if len(places) > 1 else 1.0
    found: list[WinnerRange] = []
    for index, several, place in zip(winners, tied, places, strict=True):
        name = names[index] if index >= 0 else ""
        if found and (found[-1].winner, found[-1].tied) == (name, several):
            found[-1] = replace(found[-1], high=place * half)
        else:
            found.append(WinnerRange(name, several, place / half, place * half))
    return found


def lines_through(found: Regions) -> tuple[list[WinnerRange], list[WinnerRange]]:
    """Cut the map along x and along y, through the place where the situation lies.

    Where the situation has no such place, as a link without a rate, the last one is taken.
    """
    at, column = _nearest(found.y), _nearest(found.x)
    along_x = ranges(found.winners[at], found.tied[at], found.x.places, found.names)
    winners, tied = [row[column] for row in found.winners], [row[column] for row in found.tied]
    return along_x, ranges(winners, tied, found.y.places, found.names)


def _nearest(axis: Axis) -> int:
    if axis.here is None or axis.here <= 0:
        return len(axis.places) - 1
    return int(np.abs(np.log(np.asarray(axis.places)) - math.log(axis.here)).argmin())


def _sizes(every: Every, names: Sequence[str], first: Figures) -> dict[float, str]:
    """Find the groups of the same call by payload, rising, that every candidate has."""
    groups = [group for stack, group in every if stack == first.stack and every[stack, group].call == first.call]
    found: dict[float, str] = {}
    for group in [first.group, *groups]:
        payload = every[first.stack, group].payload
        if payload is not None and payload not in found and all((name, group) in every for name in names):
            found[payload] = group
    return dict(sorted(found.items())) or {0.0: first.group}


def _steps(ends: tuple[float, float]) -> list[float]:
    return [float(step) for step in np.geomspace(*ends, PLACES)]


def _rate_mbit(link: SituationLink) -> float | None:
    rates = [rate / 1e6 for way in ways(link.wire) if (rate := way.get("rate_bps"))]
    return min(rates) if rates else None


def _parts(figures: Figures, wire: Wire) -> tuple[float, float]:
    """Give what a link adds to a call: ms of its delay, and bits that its rate divides."""
    delay, whole = (added_ms(figures, _at_rate(wire, rate)) for rate in (None, 1000))
    return delay, whole - delay


def _at_rate(wire: Wire, rate_bps: int | None) -> Wire:
    """Give the link with that rate both ways."""
    to_server, to_client = ways(wire)
    return {
        "link": {"to_server": {**to_server, "rate_bps": rate_bps}, "to_client": {**to_client, "rate_bps": rate_bps}}
    }


@dataclass(frozen=True)
class _Times:
    """The times of a stack in the places of a map, by row of y and column of x.

    Attributes:
        here: ms that a call takes on this machine, by fork; it varies from fork to fork.
        added: ms that the link adds; it does not.
    """

    here: _Array
    added: _Array

    @property
    def logs(self) -> _Array:
        """The logarithm of a call's time, by fork and place."""
        return np.asarray(np.log(self.here + self.added))

    @property
    def lowest(self) -> _Array:
        """The logarithm of what the link adds alone, likewise; where it adds nothing, as good as no time."""
        return np.asarray(np.log(np.maximum(self.here * 0 + self.added, 1e-9)))

    @property
    def shares(self) -> _Array:
        """What share of a call's time varies from fork to fork, by place."""
        return np.asarray((self.here / (self.here + self.added)).mean(axis=0))


def _by_size(
    ladder: Sequence[Figures],
    sizes: Sequence[float],
    forks: Sequence[int],
    axes: tuple[Axis, Axis],
    wire: Wire,
) -> _Times:
    """Compute a call's time by fork, rate and size.

    Between two sizes that were measured, the time on this machine follows a straight line in the logarithms of both,
    and the bytes a straight line.
    """
    x, y = axes
    at, scale = np.asarray(x.places), np.maximum(np.asarray(sizes), 1.0)
    delays, bits = (
        np.interp(at, scale, part) for part in zip(*(_parts(figures, wire) for figures in ladder), strict=True)
    )
    added = delays[None, :] + bits[None, :] / np.asarray(y.places)[:, None] / 1e3
    log_sizes = np.log(at), np.log(scale)
    times = [[math.log(figures.here.latency_us["mean_us"][fork]) for figures in ladder] for fork in forks]
    here = np.stack([np.exp(np.interp(*log_sizes, of_fork)) for of_fork in times])
    return _Times(here[:, None, :] / 1e3, added)


def _by_trip(figures: Figures, forks: Sequence[int], axes: tuple[Axis, Axis]) -> _Times:
    """Compute a call's time by fork, rate and round trip."""
    x, y = axes
    half: Way = {"delay_ns": 500_000}
    delay, bits = _parts(figures, {"link": {"to_server": half, "to_client": half}})
    added = delay * np.asarray(x.places)[None, :] + bits / np.asarray(y.places)[:, None] / 1e3
    here = np.asarray([figures.here.latency_us["mean_us"][fork] / 1e3 for fork in forks])
    return _Times(here[:, None, None], added)
