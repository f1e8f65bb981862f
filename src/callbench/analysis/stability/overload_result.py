"""The result of an overload, computed from its journal: what was kept of the capacity, and whether it came back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import cast

from callbench.analysis.load.endpoints import Endpoint, endpoint_record, summed
from callbench.analysis.stability.findings import UNFINISHED, Finding, unfinished
from callbench.analysis.stability.formatting import STATES
from callbench.analysis.stability.lines import notes, valid_lines
from callbench.analysis.stability.slices import slice_of, window_of_line
from callbench.analysis.stability.slowness import judge_slowness
from callbench.analysis.stability.starved_hosts import starved_findings, without_blame
from callbench.model.objective import Objective
from callbench.model.objective import parse as parse_objective
from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.digits import figure
from callbench.stats.load.collapse import kept_under_overload
from callbench.stats.load.recovery import Recovery, State, recovery, worst
from callbench.store.lines.overload import (
    OVERLOAD_LINES,
    BeforeLine,
    HalfLine,
    Moment,
    OverloadDeathLine,
    OverloadLine,
    OverloadTestLine,
)
from callbench.store.lines.sides import SideRead, SideUse
from callbench.store.lines.slices import Percentiles
from callbench.store.record import Record
from callbench.store.requested.overload import RequestedOverload

_AFTER = "after"


@dataclass(frozen=True)
class OverloadStep:
    """One overload and what came after it.

    Attributes:
        answered_per_s: calls answered rightly, a second, while more was asked for.
        held: whether it met the objective all the same; None: the record does not say.
        service: microseconds from the real start of each call; `latency` from when it was due, which says for how long
            the overload went on.
        last_answer_s: since its beginning.
        well_again: since no more calls came; None: not while it was looked at.
        watched_s: for how long that was.
        unwell: the worst state afterwards.
        endpoints: if clients call several.
    """

    factor: float
    asked_per_s: float
    answered_per_s: float
    held: bool | None
    calls: int
    service: Percentiles
    latency: Percentiles
    errors: Mapping[str, int]
    last_answer_s: float | None
    well_again: Recovery | None
    watched_s: float
    unwell: State
    sides: Mapping[str, SideUse]
    endpoints: Sequence[Endpoint] = ()


@dataclass(frozen=True)
class OverloadResult:
    """The result of an overload test.

    Attributes:
        capacity_per_s: calls per second, searched for or given; None if it was not found.
        before: the journal line of the calls before; None if there is none.
        steps: the overloads, each with what came after it.
        deaths: the journal lines of deaths.
        lines: the journal without interrupted steps.
        notes: notes for the reader.
    """

    run: Record
    capacity_per_s: float | None
    before: BeforeLine | None
    steps: Sequence[OverloadStep]
    deaths: Sequence[OverloadDeathLine]
    lines: Sequence[OverloadTestLine]
    notes: Sequence[str]

    @property
    def objective(self) -> Objective:
        """What the capacity is defined by."""
        return parse_objective(self.run.requested(RequestedOverload).objective)

    @property
    def capacity_doubt(self) -> str | None:
        """What contradicts the capacity, a phrase without a full stop; None if nothing does."""
        halves = [line for line in self.lines if line["kind"] == "slice" and line["phase"] == "before"]
        above = (doubt_above(step.factor, step.held, self.objective) for step in self.steps)
        return doubt_at_half(halves, self.objective) or next((doubt for doubt in above if doubt), None)

    @property
    def moments(self) -> dict[Moment, dict[str, SideRead]]:
        """What each side used at the begin, at the end and after the rest, by the moment."""
        return {line["moment"]: line["sides"] for line in self.lines if line["kind"] == "moment"}

    @property
    def sizes(self) -> dict[str, tuple[SideRead | None, SideRead | None, SideRead | None]]:
        """The same by side, in the order of these moments; None where it was not read."""
        moments = self.moments
        return {
            side: (
                moments["begin"].get(side),
                moments.get("end", {}).get(side),
                moments.get("rested", {}).get(side),
            )
            for side in moments.get("begin", {})
        }


def read(run: Record) -> OverloadResult:
    """Compute the result of an overload, finished or not.

    Raises:
        BadInput: the folder is damaged.
    """
    lines = valid_lines(OVERLOAD_LINES.read(run.lines(), run.journal_file), "factor")
    capacity = next((line["rate_per_s"] for line in lines if line["kind"] == "capacity"), None)
    before = next((line for line in lines if line["kind"] == "before"), None)
    steps = [] if before is None else [_step(line, lines, before) for line in lines if line["kind"] == "over"]
    deaths = [line for line in lines if line["kind"] == "death"]
    return OverloadResult(
        run=run,
        capacity_per_s=capacity,
        before=before,
        steps=steps,
        deaths=deaths,
        lines=lines,
        notes=notes(run, lines),
    )


def _step(line: OverloadLine, lines: Sequence[OverloadTestLine], before: BeforeLine) -> OverloadStep:
    after = [
        slice_of(entry)
        for entry in lines
        if entry["kind"] == "slice" and entry["phase"] == _AFTER and entry["factor"] == line["factor"]
    ]
    return OverloadStep(
        factor=line["factor"],
        asked_per_s=line["rate_asked_per_s"],
        answered_per_s=window_of_line(line).per_s,
        held=line.get("holds"),
        calls=line["calls"],
        service=line["service_us"],
        latency=_latency(line),
        errors=line["errors"],
        last_answer_s=line["last_answer_s"],
        well_again=recovery(after, line["until_s"], before["limit_us"]),
        watched_s=max(0.0, after[-1].end_s - line["until_s"]) if after else 0.0,
        unwell=worst(after, before["limit_us"]),
        sides=line["sides"],
        endpoints=summed([line["endpoints"]]) if "endpoints" in line else (),
    )


def _latency(line: OverloadLine) -> Percentiles:
    return cast("Percentiles", {name: value for name, value in line.items() if name in Percentiles.__annotations__})


def overload_findings(result: OverloadResult) -> list[Finding]:
    """Return all findings: what was wrong, or cannot be told."""
    collapses = () if result.deaths else _collapses(result)
    driven = [line for line in result.lines if line["kind"] in ("step", "slice", "over")]
    return [
        *unfinished(result.run),
        *_not_recovered(result),
        *collapses,
        *starved_findings("collapsed", driven),
    ]


def _not_recovered(result: OverloadResult) -> Iterator[Finding]:
    """Yield what did not come back. Who was only slow while others were busy may have come back."""
    lines = result.lines
    if result.capacity_per_s is None:
        yield Finding(UNFINISHED, Outcome.UNDECIDED, "its capacity was not found")
    if result.deaths:
        yield Finding("died", Outcome.FAILED, "it died")
    before = [line for line in lines if line["kind"] == "slice" and line["phase"] == "before"]
    for step in result.steps:
        if step.well_again is not None or result.deaths:
            continue
        after = [
            line
            for line in lines
            if line["kind"] == "slice" and (line["phase"], line["factor"]) == (_AFTER, step.factor)
        ]
        within = f"within {step.watched_s:.1f} s ({STATES[step.unwell]})"
        text = f"{step.factor:g} times the capacity: it did not recover {within}"
        if not _was_well(before, result.before):
            yield Finding("not-recovered", Outcome.UNDECIDED, f"{text}, and was not well before either")
        elif step.unwell is State.SLOW and result.before is not None:
            allowed = result.before["limit_us"] / result.before["before_us"]
            slowness = judge_slowness(before, after, allowed, "after it")
            yield Finding("not-recovered", without_blame(slowness.outcome, after), f"{text}: {slowness.text}")
        else:
            outcome = Outcome.FAILED if after else Outcome.UNDECIDED
            yield Finding("not-recovered", without_blame(outcome, after), text)


def _was_well(before: Sequence[HalfLine], limit: BeforeLine | None) -> bool:
    """Return whether it was as well before all overloads as it must be after one."""
    return limit is None or recovery([slice_of(line) for line in before], 0.0, limit["limit_us"]) is not None


def _collapses(result: OverloadResult) -> Iterator[Finding]:
    """Yield what the overloads left of the capacity, where that is too little or not certain.

    Of a capacity that the test itself contradicts, no share says anything.
    """
    capacity = result.capacity_per_s
    if not capacity:
        return
    if result.capacity_doubt is not None:
        text = f"its capacity is not {figure(capacity, 0.05)} calls/s, for {result.capacity_doubt}"
        yield Finding("collapsed", Outcome.UNDECIDED, text)
        return
    limit_us = result.objective.limit_us
    for step in result.steps:
        median_us = step.service.get("p50_us")
        kept = kept_under_overload(step.answered_per_s / capacity, median_us is None or median_us > limit_us)
        if kept.outcome is not Outcome.PASSED:
            driven = [line for line in result.lines if line["kind"] == "over" and line["factor"] == step.factor]
            yield Finding(
                "collapsed", without_blame(kept.outcome, driven), f"{step.factor:g} times the capacity: {kept.text}"
            )


def record(result: OverloadResult) -> dict[str, object]:
    """Return the overload as a JSON object."""
    before = result.before
    return {
        "kind": "overload",
        "folder": str(result.run.path),
        "of": result.run.request,
        "state": result.run.info["state"],
        "capacity_per_s": result.capacity_per_s,
        "before_us": None if before is None else before["before_us"],
        "limit_us": None if before is None else before["limit_us"],
        "overloads": [_step_record(step) for step in result.steps],
        "deaths": [{name: value for name, value in death.items() if name != "kind"} for death in result.deaths],
        "moments": result.moments,
    }


def _step_record(step: OverloadStep) -> dict[str, object]:
    """Return the JSON object of an overload."""
    return {**asdict(step), "endpoints": [endpoint_record(each) for each in step.endpoints]}


def doubt_at_half(before: Sequence[HalfLine], objective: Objective) -> str | None:
    """Say that the capacity is lower than supposed, or return None.

    Half of a capacity is held. So it is not the capacity if most of the seconds at half of it missed the objective, or
    if more of their calls failed than the objective allows.

    Args:
        before: the slices at half of the capacity, before all overloads. Those of old records are not judged.
        objective: what the capacity is defined by.
    """
    judged = [line for line in before if "holds" in line]
    missed = sum(not line["holds"] for line in judged)
    if missed * 2 > len(judged):
        return f"at half of it, {missed} of {len(judged)} seconds missed {objective.text}"
    failed = sum(sum(line["errors"].values()) for line in judged)
    calls = failed + sum(line["calls"] for line in judged)
    # A call that failed counts as one that never ended: the mean and the longest allow none.
    allowed = 0.0 if objective.share is None else 1 - objective.share
    if failed > allowed * calls:
        return f"at half of it, {failed:,} of {calls:,} calls failed"
    return None


def doubt_above(factor: float, held: bool | None, objective: Objective) -> str | None:
    """Say that the capacity is higher than supposed, for its multiple met the objective too; else return None."""
    return f"{factor:g} times as many calls met {objective.text} too" if held else None
