"""The findings of a soak: problems, undecided questions, and what would decide them."""

from collections.abc import Iterator, Mapping

from callbench.analysis.stability.findings import Finding, unfinished
from callbench.analysis.stability.formatting import STATES, small
from callbench.analysis.stability.soak_result import GrowthResult, SoakResult, SoakStep, troubled_episodes
from callbench.analysis.stability.starved_hosts import starved_findings
from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.digits import figure
from callbench.stats.steady.trend import LEAST_SAMPLES, SETTLING

# A slope needs so many slices of one start.
LEAST_SLICES = round(LEAST_SAMPLES / SETTLING)
_UNITS = {"memory": (1024.0, "KiB"), "threads": (1.0, "threads"), "files": (1.0, "open files")}
_SERVERS = ("server", "both")


def soak_findings(soak: SoakResult) -> list[Finding]:
    """Return all findings, step by step."""
    return list(_all_findings(soak))


def _all_findings(soak: SoakResult) -> Iterator[Finding]:
    yield from unfinished(soak.run)
    if not soak.steps:
        yield Finding("errors", Outcome.UNDECIDED, "no slice was made")
    if soak.deaths:
        times = "" if len(soak.deaths) == 1 else f" {len(soak.deaths)} times"
        yield Finding("died", Outcome.FAILED, f"it died{times}")
    elif soak.over:
        yield Finding("died", Outcome.UNDECIDED, f"it ended early: {soak.over}")
    for step in soak.steps:
        states = dict.fromkeys(STATES[episode.state] for episode in troubled_episodes(step))
        if states:
            yield Finding("errors", Outcome.FAILED, f"{step.title}: {', '.join(states)}")
        if not step.episodes:
            yield Finding("errors", Outcome.UNDECIDED, f"{step.title}: nobody called: the machine was too busy")
        if step.unserved:
            yield Finding("errors", Outcome.FAILED, f"{step.title}: {unserved_text(step)}")
        yield from _slower(step)
        yield from _growth(step)
    yield from starved_findings("slower", soak.slices)


def _slower(step: SoakStep) -> Iterator[Finding]:
    """Test whether calls became slower."""
    if step.pace is None:
        text = f"{step.title}: the test for slower calls needs 20 slices with answers"
        yield Finding("slower", Outcome.UNDECIDED, text)
        return
    slowness = step.pace.verdict("in the end")
    if slowness.text:
        yield Finding("slower", slowness.outcome, f"{step.title}: {slowness.text}")


def _growth(step: SoakStep) -> Iterator[Finding]:
    """Test whether the server's memory, threads or files grow."""
    sides = [side for side in _SERVERS if side in step.sides]
    if not sides:
        text = f"{step.title}: the server's processes are unknown, so its growth is unknown: give --pid"
        yield Finding("growth", Outcome.UNDECIDED, text)
    for side in sides:
        grown = {name: getattr(step.sides[side], name) for name in _UNITS}
        if all(rise.per_thousand is None for rise in grown.values()):
            yield Finding("growth", Outcome.UNDECIDED, f"{step.title}: {too_short(step)}")
            continue
        yield from _grown(step, grown)


def _grown(step: SoakStep, grown: Mapping[str, GrowthResult]) -> Iterator[Finding]:
    for name, rise in grown.items():
        divisor, unit = _UNITS[name]
        if rise.leaks and rise.per_thousand is not None:
            text = f"{small(rise.per_thousand / divisor)} {unit} more per 1,000 calls"
            yield Finding("growth", Outcome.FAILED, f"{step.title}: {text}")
        elif rise.may_leak and rise.high is not None:
            text = f"up to {small(rise.high / divisor)} {unit} more per 1,000 calls, or none"
            yield Finding("growth", Outcome.UNDECIDED, f"{step.title}: {text}: make the step longer to decide")


def unserved_text(step: SoakStep) -> str:
    """Say how many clients were never served. They rest after errors, so their errors are few."""
    if step.unserved == step.clients:
        return "no client got a right answer"
    return f"in each slice, at least {step.unserved:,} of {step.clients:,} clients got no right answer"


def too_short(step: SoakStep) -> str:
    """Return why a step has no slope, and what duration would give one."""
    each = step.lasted_s / max(1, step.slices)
    return (
        f"too short for a slope: {step.slices} slices, but it needs {LEAST_SLICES} of one start,"
        f" so give --seconds {figure(1.2 * LEAST_SLICES * each, 0.05).replace(',', '')} or a shorter --every"
    )
