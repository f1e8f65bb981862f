"""What came out, in words reckoned from the run: the paragraph at the top, and what a reader must know."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.claims import Verdict
from callbench.report import along, limits, plateaus
from callbench.report.growth import deaths, leaks
from callbench.report.subject import Subject
from callbench.report.words import listed, some
from callbench.results import Result
from callbench.stats.digits import figure, percent

MOST_REASONS = 4
DRIFT = 0.10


@dataclass(frozen=True)
class Found:
    """One thing that came out: what it is about, and a sentence or two."""

    about: str
    text: str

    def __str__(self) -> str:
        """Write both in a line."""
        return f"{self.about}: {self.text}"


@dataclass(frozen=True)
class Sway:
    """How far one attribute moves the rate when all others are averaged out.

    Attributes:
        factor: rate of the best value over that of the worst, geometric means over the other attribute.
    """

    best: str
    worst: str
    factor: float


def groups(subject: Subject) -> list[str]:
    """Name the groups that have figures, in the study's order."""
    measured = {one.attributes["group"] for one in subject.results.cells if one.rate}
    return [group.group for group in subject.study.groups if group.group in measured]


def uncharted(subject: Subject) -> list[str]:
    """Name the groups that have figures and no place on a chart of the study: the others are told together there."""
    charted = {point.group for part in subject.study.charts for point in part.points}
    return [name for name in groups(subject) if name not in charted]


def sway(cells: Sequence[Result], along: str, other: str) -> Sway | None:
    """Measure how much one attribute matters: over the values of `other` that every value of `along` was measured with.

    These are the main effects of an additive model of the logarithm in a balanced two-way layout (Fisher,
    "Statistical Methods for Research Workers", 1925, chapter VIII). None where there is no such layout.
    """
    table: dict[str, dict[str, float]] = {}
    for one in cells:
        if one.rate:
            table.setdefault(one.attributes[along], {})[one.attributes[other]] = math.log(one.rate.middle)
    if len(table) < 2:
        return None
    common = set.intersection(*(set(row) for row in table.values()))
    if not common:
        return None
    means = {name: sum(row[key] for key in common) / len(common) for name, row in table.items()}
    best, worst = max(means, key=lambda name: means[name]), min(means, key=lambda name: means[name])
    return Sway(best, worst, math.exp(means[best] - means[worst]))


def in_process(subject: Subject, result: Result) -> bool:
    """Say whether one program plays both sides of a stack's call."""
    card = subject.cards.get(result.attributes["stack"], {}).get("card") or {}
    return bool(card.get("roles") == "in-process")


def sentences(subject: Subject) -> list[Found]:
    """Write what came out, group by group or as the study charts them, then the claims and what is missing."""
    left = uncharted(subject)
    written = [Found(subject.title_of(name), text) for name in left if (text := _of_group(subject, name))]
    told = ((part.title, along.in_words(part, along.figures(part, subject.results))) for part in subject.study.charts)
    written += [Found(title, text) for title, text in told if text]
    for table in subject.tables:
        if table.in_words:
            rows = [(row.label, [one.text for one in row.places]) for row in table.rows]
            text = limits.in_words(table.columns, rows)
            written += [Found(table.title, text)] if text else []
    if subject.judged:
        written.append(Found("Claims", _of_claims(subject)))
    return written


def over_first_link(cells: Sequence[Result]) -> list[Result]:
    """Take the cells over the link that comes first, so that a stack stands there once."""
    first = next((one.attributes["link"] for one in cells), "")
    return [one for one in cells if one.attributes["link"] == first]


def _of_group(subject: Subject, name: str) -> str:
    """Write what came out of one group with its fewest clients, or nothing where there is nothing to compare."""
    every = [one for one in subject.results.cells if one.attributes["group"] == name and one.rate and not one.open_loop]
    if not every:
        return ""
    fewest = min(int(one.attributes["clients"]) for one in every)
    cells = over_first_link([one for one in every if one.attributes["clients"] == str(fewest)])
    ranked = sorted(cells, key=lambda one: one.rate.middle if one.rate else 0.0)
    outside = [one for one in ranked if not in_process(subject, one)]
    if len(outside) < 3:
        return ""
    best, worst = (_named(one, outside, subject.every_name) for one in (outside[-1], outside[0]))
    channel, message = sway(cells, "channel", "message"), sway(cells, "message", "channel")
    if not (channel and message):
        return f"the fastest between processes was {best}, the slowest {worst}."
    first, second = ("channel", channel), ("message", message)
    if message.factor > channel.factor:
        first, second = second, first
    text = f"between processes the fastest was {best}, the slowest {worst}. "
    by_first, by_second = (f"{figure(one.factor)} ({one.worst} to {one.best})" for one in (first[1], second[1]))
    return text + (
        f"The {first[0]} mattered more: it changed the rate by a factor of {by_first}, the {second[0]} by {by_second}."
    )


def _named(one: Result, cells: Sequence[Result], names: Mapping[str, str]) -> str:
    """Name a stack with its rate: as the study's rows do, or by message and channel where no other has them."""
    rate = one.rate
    text = figure(rate.middle, rate.half_width) if rate else ""
    mine, *others = ((each.attributes["message"], each.attributes["channel"]) for each in (one, *cells))
    stack = one.attributes["stack"]
    name = names.get(stack) or (f"{mine[0]} over {mine[1]}" if others.count(mine) == 1 else stack)
    return f"{name} ({text} calls/s)"


def _of_claims(subject: Subject) -> str:
    """Count the verdicts."""
    tally = {verdict: sum(one.verdict is verdict for one in subject.judged) for verdict in Verdict}
    words = {
        Verdict.HOLDS: ("holds", "hold"),
        Verdict.FAILS: ("does not", "do not"),
        Verdict.OPEN: ("is inconclusive", "are inconclusive"),
        Verdict.UNMEASURED: ("was not measured", "were not measured"),
    }
    parts = [f"{count} {words[verdict][count != 1]}" for verdict, count in tally.items() if count]
    return f"of {len(subject.judged)} held against this run, {listed(parts)}."


def cautions(subject: Subject) -> list[str]:
    """Write what a reader must know before believing a figure."""
    info, results = subject.run.info, subject.results
    told = []
    if subject.quick:
        told.append(
            f"This was a quick run: {info['blocks']} blocks of short trials. Its intervals are wide: run without"
            " --quick before deciding anything."
        )
    share = subject.study.part.load.share
    if share != 1 and not subject.quick:
        told.append(f"This run made {percent(share)} of the study's calls, and its trials lasted as much less.")
    if info["state"] != "finished":
        told.append(f"This run is {info['state']}: what is not there has not been measured yet. Go on with --resume.")
    if info.get("hold_idle"):
        told.append(
            "The processors were kept from idling deeply (--hold-idle): waiting costs less than on a machine that is"
            " left alone, and figures compare with such runs only."
        )
    shared = _sharing(subject)
    if shared:
        told.append(shared)
    inside = sorted({one.attributes["channel"] for one in results.cells if one.rate and in_process(subject, one)})
    if inside:
        told.append(
            f"Over {listed(inside)} one program plays both sides of a call: there is no server that others could call."
        )
    batched = sorted({one.attributes["channel"] for one in results.cells if one.batched})
    if batched:
        told.append(
            f"Some calls over {listed(batched)} are shorter than 20 readings of the clock. They were timed in batches"
            " and have a mean, no percentiles."
        )
    standing = plateaus.unexplained(subject)
    if standing:
        told.append(standing)
    told += _meanwhile(subject)
    told += _troubles(subject)
    return told


def _sharing(subject: Subject) -> str:
    """Say where client and server shared a processor."""
    placement = subject.environment.get("placement")
    if not isinstance(placement, Mapping):
        return ""
    client, server = placement.get("client") or [], placement.get("server") or []
    if set(client) & set(server):
        return (
            "Client and server shared a processor: each slowed the other, and rates are lower than either could reach."
        )
    return ""


def _meanwhile(subject: Subject) -> list[str]:
    """Say what the machine, the generator and the warm-up did to the figures."""
    beliefs, told = subject.results.beliefs, []
    if beliefs.drift is not None and beliefs.drift > DRIFT:
        told.append(
            f"The machine drifted: a raw echo was up to {_faster(beliefs.drift)} at one time than at"
            " another. Compare within this run, where comparisons are taken block by block, and not with other runs."
        )
    spoiled = [one for one in beliefs.spoiled if one.counted and one.why]
    if spoiled:
        cells = len({one.cell for one in spoiled})
        told.append(
            f"{len(spoiled)} trials of {cells} cells were spoiled by a busy neighbour and count all the same, since no"
            " better one was made. Run on a quieter machine before deciding anything by them."
        )
    unsteady = [curve for known in beliefs.cells.values() for curve in known.curves if curve.unsteady]
    if unsteady:
        cells = len({curve.cell for curve in unsteady})
        told.append(f"{len(unsteady)} trials of {cells} cells were not steady while they were measured.")
    at_least = [one.id for one in subject.results.cells if one.verdict and one.verdict.at_least]
    if at_least:
        told.append(
            f"In {some(at_least)} Callbench itself was the limit: these rates are written as at least, and are not"
            " ranked."
        )
    return told


def _faster(drift: float) -> str:
    """Say how much faster something is: in per cent, or from twice on as a factor."""
    return f"{percent(drift)} faster" if drift < 1 else f"{figure(drift + 1)} times faster"


def _troubles(subject: Subject) -> list[str]:
    """Count what went wrong."""
    results = subject.results
    told = []
    for why, stacks in list(left_out(subject).items())[:MOST_REASONS]:
        told.append(f"Excluded: {some(stacks)}: {why}.")
    if len(left_out(subject)) > MOST_REASONS:
        told.append("More were excluded for other reasons, which the report lists.")
    failed = [one for one in results.cells if one.errors]
    if failed:
        total = sum(sum(one.errors.values()) for one in failed)
        told.append(f"{total:,} calls in {len(failed)} cells failed; they count in no rate.")
    unequal = [one.id for one in results.cells if not one.agree]
    if unequal:
        told.append(f"Client and server counted differently in {listed(unequal[:8])}: take those figures for wrong.")
    told += [f"{one} It may be a leak." for one in leaks(subject.health)]
    told += deaths(subject.deaths)
    told += [f"Noted while running: {text}" for text in results.notes]
    return told


def left_out(subject: Subject) -> dict[str, list[str]]:
    """Gather what was excluded by reason: stacks, and cells where only these are meant."""
    gathered: dict[str, list[str]] = {}
    for one in subject.results.excluded:
        names = gathered.setdefault(one.why.rstrip("."), [])
        name = f"{one.stack} ({one.cell})" if one.cell else one.stack
        if name not in names:
            names.append(name)
    return gathered
