"""Which language each figure comes from, and what the stacks of other languages reach."""

import math
from collections.abc import Iterator, Mapping

from callbench.analysis.advice.advice import Advice
from callbench.analysis.advice.languages import Shared
from callbench.analysis.wording.words import listed
from callbench.report.advice.amounts import more
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.contrast import ByBlock, fork_ratios
from callbench.stats.estimate.digits import figure, share
from callbench.stats.estimate.interval import CONFIDENCE, geometric_mean
from callbench.stats.estimate.logratio import paired

MOST_BOUNDS = 6
"""So many stacks of other languages are listed."""


def languages(advice: Advice, what: str, unit: tuple[str, float]) -> Section | None:
    """Write the section; None where no stack of a named language was measured.

    Args:
        advice: what was computed.
        what: the goal in words.
        unit: of its values, and their factor.
    """
    spoken = advice.languages
    if not spoken.measured:
        return None
    named, (word, scale) = listed(spoken.measured), unit
    sheets = []
    if len(spoken.measured) > 1:
        rows = [row for shared in spoken.shared for row in _rows(advice, shared, scale)]
        columns = ("format and channel", "language", "stack", f"{what}, {word}", "figures on this page")
        sheets += [Sheet("By language", columns, rows)] if rows else []
        about = (
            f"{named} must take part. A candidate is a format over a channel that each of them has. Of a language with"
            " several such stacks, the one that needs the least counts. Then the figures on this page are of the"
            " language that needs the most."
        )
    else:
        about = f"{named} must take part, so only its stacks are candidates. Client and server are programs in {named}."
    if bounds := _bounds(advice, spoken.bound, scale):
        note = (
            "These are no candidates, since other languages must take part. Another language has other processor times,"
            " and often other headers. If a format has no stack in a named language here, only this is known of it."
        )
        headings = ("stack", f"{what}, {word}", f"beside {advice.choice.best}" if advice.choice.best else "")
        sheets.append(Sheet("What stacks of other languages reach", headings, bounds, note))
    return Section("languages", "Languages", about, sheets=sheets)


def origin_sentences(advice: Advice) -> Iterator[str]:
    """Say in sentences whose figures those of the choice are."""
    spoken, best = advice.languages, advice.choice.best
    for shared in spoken.shared:
        if shared.counted == best:
            others = [stack for stack in shared.stacks.values() if stack != best]
            what = protocol(advice, best)
            yield f"The figures of {what} are those of {best}, which needs more than {listed(others)}."
    if len(spoken.measured) == 1 and best:
        yield f"Only stacks in {spoken.measured[0]} are candidates."
    today = str((advice.situation.source or {}).get("today") or "")
    if today and today != advice.situation.today:
        yield f"{today} runs today. The figures of its protocol are those of {advice.situation.today}."


def protocol(advice: Advice, stack: str) -> str:
    """Name what a stack speaks: `protobuf+grpc`."""
    of_stack = next(figures for (name, _), figures in advice.every.items() if name == stack)
    return f"{of_stack.message}+{of_stack.channel}"


def _rows(advice: Advice, shared: Shared, scale: float) -> Iterator[tuple[str, ...]]:
    for language, stack in shared.stacks.items():
        counts = "these" if stack == shared.counted else ""
        yield protocol(advice, shared.counted), language, stack, _value(shared.values[stack], scale), counts


def _bounds(advice: Advice, bound: Mapping[str, ByBlock], scale: float) -> list[tuple[str, ...]]:
    best = advice.goals.get(advice.choice.best, {})
    middles = {name: math.fsum(map(math.log, values.values())) / len(values) for name, values in bound.items()}
    rows: list[tuple[str, ...]] = []
    for name in sorted(middles, key=lambda name: middles[name])[:MOST_BOUNDS]:
        ratios = fork_ratios([bound[name]], [best])
        beside = more(paired(ratios), CONFIDENCE) if len(ratios) > 1 else ""
        rows.append((name, _value(bound[name], scale), beside))
    return rows


def _value(values: ByBlock, scale: float) -> str:
    average = geometric_mean([value * scale for value in values.values()])
    return f"{figure(average.middle, average.half_width)} {share(average.half_width)}".strip()
