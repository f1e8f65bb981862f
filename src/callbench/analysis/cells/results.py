"""What a run found, as everything that shows or tests it has it: one result a cell. read_results.py reads it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from callbench.analysis.cells.cold_starts import ColdStart
from callbench.analysis.cells.loop_time import LoopTime
from callbench.analysis.cells.messages import CodecCost
from callbench.analysis.cells.unsteady import Unsteady
from callbench.analysis.cells.validity import Validity
from callbench.analysis.wire.accounts import Ledger, Sweep
from callbench.model.metrics.latency import ECHOES
from callbench.model.metrics.registry import SHARED_SPREAD
from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.interval import CONFIDENCE, Interval, geometric_mean
from callbench.stats.estimate.logratio import LogRatio, paired
from callbench.stats.estimate.prior import NONE, Prior
from callbench.stats.estimate.processor_time import ProcessorTime
from callbench.stats.estimate.run_spread import UNKNOWN, RunSpread
from callbench.stats.load.bottleneck import LimitVerdict
from callbench.stats.steady.plateau import Plateau

# What the doubt of a rate begins with that is a lower bound.
AT_LEAST = "at least: "
# Likewise of one that is an upper bound.
AT_MOST = "at most: "


@dataclass(frozen=True)
class Latency:
    """Latency of a cell over all its trials, in microseconds.

    Attributes:
        percentiles: those of p50, p90, p99 and p999 that enough calls know; None if calls were timed in batches.
        max: the greatest, None likewise.
        mean: over all calls.
    """

    percentiles: Mapping[str, float] | None
    max: float | None
    mean: float | None


@dataclass(frozen=True)
class OpenLoop:
    """What only an open loop has.

    Attributes:
        target_per_s: the rate asked for.
        reached: the rate at which calls were begun, or None if no call was answered.
        latency: from the intended start, also where the target was missed.
        service: from the real start: what a closed loop would call latency.
        lateness: of the generator itself.
        missed: why the values are not those of the target, or None.
    """

    target_per_s: float
    reached: Interval | None
    latency: Latency
    service: Latency
    lateness: Latency
    missed: str | None


@dataclass(frozen=True)
class Result:
    """One cell: its request and its results.

    Attributes:
        attributes: cell, group, stack, adapter, message, channel, language, call, clients, arrivals, rate, link as
        texts, for choosing cells.
        calls: answered rightly, over all trials.
        errors: by kind, over all trials.
        by_fork: a value a fork by the name of its metric; where batches of a fork met different moments of the
            machine, at the mean speed of the fork.
        rate: calls a second, or None if no call was answered.
        batched: whether calls were too short to be timed one by one.
        agree: whether client and server counted alike in every trial.
        excluded: why nothing was measured, or nothing more.
        doubts: why its value must not be ranked, a phrase each; the code that finds a reason adds it here.
        failing: of the doubts, that too many of its calls failed; else "".
        think_ms: how long a client of a closed loop thought between two calls.
        ramp_up_ms: within which clients began one after another.
        options: what clients connected with.
        open_loop: of an open loop; where its target was missed, the cell has no other values.
        plateaus: where its latencies stand for a reason.
        verdict: what limited it.
        costs: processor time a call by statistic: sums over the time driven.
        spread: what all cells of the run say together of how the rate of one varies from fork to fork.
        echo_spread: likewise of how the time of one in echoes varies.
        unsteady: the trials that do not count, if any. Where no others are left, the cell has no values.
        died: where a process of its stack ended while it was measured: `died after 1,234 calls,
            restarted once`; else "".
        too_few: of each percentile that too few calls know, how many it needs.
        tail_spreads: of percentiles, what all cells say together of how one varies from fork to fork.
        loop: the load loop's own time, which the rate is without; None where it is not taken off.
    """

    attributes: Mapping[str, str]
    arguments: Mapping[str, Any]
    calls: int
    errors: Mapping[str, int]
    trials: int
    by_fork: Mapping[str, Mapping[int, float]]
    rate: Interval | None
    latency: Latency
    batched: bool
    agree: bool
    excluded: str | None = None
    doubts: Sequence[str] = ()
    failing: str = ""
    think_ms: float = 0.0
    ramp_up_ms: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)
    open_loop: OpenLoop | None = None
    plateaus: Sequence[Plateau] = ()
    verdict: LimitVerdict | None = None
    costs: Mapping[str, ProcessorTime] = field(default_factory=dict)
    died: str = ""
    unsteady: Unsteady | None = None
    loop: LoopTime | None = None
    spread: Prior = NONE
    echo_spread: Prior = NONE
    too_few: Mapping[str, str] = field(default_factory=dict)
    tail_spreads: Mapping[str, Prior] = field(default_factory=dict)

    @property
    def not_steady(self) -> str:
        """Why it has no values, where no trial of it was steady; else nothing."""
        return self.unsteady.kind if self.unsteady is not None and not self.trials else ""

    @property
    def ranked(self) -> bool:
        """Whether its rate may stand in a ranking: it has one, it was not given up, and nothing speaks against it."""
        return self.rate is not None and self.excluded is None and not self.doubts

    @property
    def at_least(self) -> bool:
        """Whether its rate is a lower bound and nothing else speaks against it: it can be higher, but not lower."""
        return self._doubted_only(AT_LEAST)

    @property
    def at_most(self) -> bool:
        """Whether its rate is an upper bound and nothing else speaks against it: it can be lower, but not higher."""
        return self._doubted_only(AT_MOST)

    def _doubted_only(self, how: str) -> bool:
        doubted = self.rate is not None and self.excluded is None and bool(self.doubts)
        return doubted and all(doubt.startswith(how) for doubt in self.doubts)

    @property
    def whys(self) -> Sequence[str]:
        """Why it has no rank, a phrase each."""
        doubts = [doubt.removeprefix(AT_LEAST).removeprefix(AT_MOST) for doubt in self.doubts]
        return [*doubts, *([self.excluded] if self.excluded else [])]

    @property
    def id(self) -> str:
        """The cell's id."""
        return self.attributes["cell"]

    @property
    def ranking(self) -> tuple[str, ...]:
        """What all cells of one ranking have in common."""
        return tuple(self.attributes[name] for name in ("group", "clients", "arrivals", "rate", "link"))

    @property
    def kind(self) -> str:
        """What it shares with the cells that differ alike from run to run: whose channel it is, and which."""
        return f"{self.attributes.get('adapter', '')}/{self.attributes.get('channel', '')}"

    @property
    def identity(self) -> tuple[str, ...]:
        """What makes a cell the same in another run, whatever its id."""
        arguments = json.dumps(dict(self.arguments), sort_keys=True)
        return (*(self.attributes[name] for name in ("stack", "call")), *self.ranking, str(self.think_ms), arguments)

    @property
    def forks(self) -> int:
        """How many forks measured it."""
        return len(self.by_fork.get("rate_per_s", {}))

    def interval(self, statistic: str) -> Interval | None:
        """Compute the geometric mean of a statistic over the forks, with its interval; of costs, their sums' mean."""
        spent = self.costs.get(statistic)
        if spent is not None:
            return spent.interval()
        values = list(self.by_fork.get(statistic, {}).values())
        spread = self.tail_spreads.get(statistic)
        if spread is None and statistic in SHARED_SPREAD | {ECHOES}:
            spread = self.echo_spread if statistic == ECHOES else self.spread
        return over_forks(values, spread)


def over_forks(values: Sequence[float], spread: Prior | None) -> Interval | None:
    """Compute the geometric mean of what the forks say, with its interval; None without forks.

    Args:
        values: of each fork, all above 0.
        spread: what all cells say together of how it varies from fork to fork; None: the forks alone.
    """
    if len(values) > 1 and spread is not None:
        return spread.moderated(paired(values)).interval(CONFIDENCE)
    return geometric_mean(values) if values else None


@dataclass(frozen=True)
class Excluded:
    """A stack, or one of its cells, that was not measured, or no further."""

    stack: str
    cell: str | None
    fork: int
    why: str


@dataclass(frozen=True)
class Results:
    """All that a run found.

    Attributes:
        stand_ins: what a stack stands in for, by its id.
        run_spread: how ratios differ from run to run on this machine, as the runs before this one say.
    """

    cells: Sequence[Result]
    codecs: Sequence[CodecCost]
    excluded: Sequence[Excluded]
    starts: int = 0
    trials: int = 0
    notes: Sequence[str] = field(default_factory=tuple)
    validity: Validity = field(default_factory=Validity)
    ledgers: Mapping[str, Ledger] = field(default_factory=dict)
    sweeps: Mapping[str, Sweep] = field(default_factory=dict)
    cold: Sequence[ColdStart] = ()
    prior: Prior = NONE
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    run_spread: RunSpread = UNKNOWN

    def estimated(self, one: Result, other: Result) -> LogRatio | None:
        """Estimate the log of one cell's rate over another's, fork by fork, with what the run knows of how such vary.

        None from fewer than two forks that have both.
        """
        values = fork_ratios(*([each.by_fork.get("rate_per_s", {})] for each in (one, other)))
        return self.prior.moderated(paired(values)) if len(values) > 1 else None

    def ratio(self, one: Result, other: Result) -> Interval | None:
        """Divide one cell's rate by another's, with its interval if there is one; None if no fork has both."""
        known = self.estimated(one, other)
        if known is not None:
            return known.interval(CONFIDENCE)
        values = fork_ratios(*([each.by_fork.get("rate_per_s", {})] for each in (one, other)))
        return geometric_mean(values) if values else None

    def ratio_beyond(self, one: Result, other: Result) -> Interval | None:
        """Return the interval of one cell's rate over another's from run to run; None if nothing is known of that."""
        known = self.estimated(one, other)
        wide = None if known is None else self.run_spread.beyond(known, [one.kind, other.kind])
        return None if wide is None else wide.interval(CONFIDENCE)

    def where(self, conditions: Mapping[str, str]) -> list[Result]:
        """Choose the cells that have every value given."""
        if not conditions:
            return list(self.cells)
        places = set.intersection(*(self._places.get(pair, set()) for pair in conditions.items()))
        return [self.cells[place] for place in sorted(places)]

    @cached_property
    def _places(self) -> Mapping[tuple[str, str], set[int]]:
        """The places of the cells that have a value, by name and value: tables ask for thousands of cells."""
        found: dict[tuple[str, str], set[int]] = {}
        for place, cell in enumerate(self.cells):
            for pair in cell.attributes.items():
                found.setdefault(pair, set()).add(place)
        return found
