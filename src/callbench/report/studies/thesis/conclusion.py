"""Which row is cheapest over which link and if it can serve: measured, or predicted from its bytes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from callbench.analysis.cells.read_results import TRIALS_SQL
from callbench.analysis.judge.lower_bounds import is_below
from callbench.analysis.run.subject import Subject
from callbench.analysis.wire.accounts import Ledger
from callbench.analysis.wire.counts import LIFE, STEADY
from callbench.analysis.wording.words import listed
from callbench.catalog.links.profile import find
from callbench.catalog.study.report_parts import ConclusionPart, EnvironmentPart, NetworkCall
from callbench.report.text.section import Section, Sheet
from callbench.stats.decide.ranking import faster
from callbench.stats.estimate.digits import figure
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.wire.link import on_the_line_ms

ABOUT = (
    "Milliseconds per call with one client, over links between two hosts. A value is measured if the run has the cell."
    " Otherwise it is predicted. A prediction is the time on this machine, plus the round trips at the link's delay,"
    " plus the bytes at the link's rate (wire ledger). A row is the cheapest if it is shown to be faster than every"
    " other row of that environment. The level is 95 %, with the Holm correction for all pairs. Rows that are not"
    " distinguished from the fastest stand beside it. Predictions tie if they differ by less than the error of a"
    " prediction."
)
NOT_KNOWN = "not known"
FRESH = "Predicted time on the link of one new client: name service, connections, handshakes and one call."
# What a prediction is taken to be good for where the run cannot say.
_GOOD_FOR = 0.05
ByBlock = Mapping[int, float]


@dataclass(frozen=True)
class RowCost:
    """What a call of one row costs over one link.

    Attributes:
        ms: by fork.
        measured: whether it was, or is predicted.
        predicted: ms by fork as predicted, where both are known.
        at_most: whether it is an upper bound, because Callbench itself was the limit of the rate.
    """

    ms: ByBlock
    measured: bool
    predicted: ByBlock
    at_most: bool = False

    @property
    def interval(self) -> Interval:
        """The mean over the forks, in ms."""
        return geometric_mean(list(self.ms.values()))


# By row and link.
Costs = Mapping[tuple[str, str], RowCost]


def section(subject: Subject) -> Section | None:
    """Write the conclusion, where a study asks for one and the run has values for it."""
    part = subject.study.part.conclusion
    if part is None:
        return None
    by_call = {call.label: costed for call in part.calls if (costed := costs(subject, part, call))}
    if not by_call:
        return None
    good_for, checked = _good_for(by_call.values())
    sheets = [_sheet(label, part, known) for label, known in by_call.items()]
    texts = [checked] if checked else []
    fresh = _fresh(subject, part)
    if fresh:
        rows_fresh = [(label, *map(figure, ms)) for label, ms in fresh.items()]
        title = f"Milliseconds on the link of a client that calls once: {part.calls[0].label}"
        sheets.append(Sheet(title, ("", *part.links), rows_fresh, FRESH))
        texts += _least(part.links, fresh)
    rows = []
    for environment in part.environments:
        lines = _cheapest(part, environment, by_call, good_for)
        rows += lines
        texts += [_sentence(environment, lines)] if lines else []
    columns = ("where", "link", "call", "cheapest", "ms", "next", "ahead by", "certainty")
    sheets.insert(0, Sheet("Cheapest stack by network", columns, rows))
    about = f"{ABOUT} {part.about}".strip()
    return Section("conclusion", part.title, about, found=texts, sheets=sheets, source=TRIALS_SQL.strip())


def costs(subject: Subject, part: ConclusionPart, call: NetworkCall) -> Costs:
    """Look up or compute what a call costs, by row and link."""
    found: dict[tuple[str, str], RowCost] = {}
    for row in subject.study.part.rows:
        near = subject.results.where({**row.where.conditions(), "group": call.near, "clients": "1"})
        times = near[0].by_fork.get("mean_us", {}) if len(near) == 1 else {}
        ledger = subject.results.ledgers.get(near[0].id) if len(near) == 1 else None
        for link in part.links:
            cells = [] if call.far is None else subject.results.where(
                {**row.where.conditions(), "group": call.far, "link": link, "clients": "1"}
            )  # fmt: skip
            own = cells[0].by_fork.get("mean_us", {}) if len(cells) == 1 else {}
            measured = {fork: value / 1e3 for fork, value in own.items()}
            predicted = _predicted(subject, link, times, ledger)
            if measured or predicted:
                at_most = any(cell.at_least for cell in (cells if measured else near))
                found[row.label, link] = RowCost(measured or predicted, bool(measured), predicted, at_most)
    return found


def _predicted(subject: Subject, link: str, times: ByBlock, ledger: Ledger | None) -> dict[int, float]:
    """Compute a call over a link, fork by fork; nothing if its bytes were not counted."""
    if ledger is None or not ledger.phases:
        return {}
    more = on_the_line_ms(find(link, subject.study.part.links).wire, ledger.phases[STEADY])
    return {fork: value / 1e3 + more for fork, value in times.items()}


def _good_for(every: Iterable[Costs]) -> tuple[float, str]:
    """Return by how much predictions were off where both values are known: a share and a sentence."""
    off = [
        abs(geometric_mean(list(cost.predicted.values())).middle / cost.interval.middle - 1)
        for of_call in every
        for cost in of_call.values()
        if cost.measured and cost.predicted
    ]
    if not off:
        return _GOOD_FOR, ""
    share = float(np.quantile(off, 0.9))
    times = "once" if len(off) == 1 else f"{len(off)} times"
    sentence = (
        f"A call was both measured and predicted {times}. The median error of the prediction is"
        f" {100 * float(np.median(off)):.2g} %, the largest {100 * max(off):.2g} %."
    )
    return max(_GOOD_FOR, share), sentence


def _sheet(label: str, part: ConclusionPart, of_call: Costs) -> Sheet:
    """Write a row a middleware and a column a link."""
    rows = []
    for name in dict.fromkeys(row for row, _ in of_call):
        texts = []
        for link in part.links:
            cost = of_call.get((name, link))
            if cost is None:
                texts.append("")
                continue
            own = figure(cost.interval.middle, cost.interval.half_width)
            beside = f" ({figure(geometric_mean(list(cost.predicted.values())).middle)})" if cost.predicted else ""
            own = f"≤ {own}" if cost.at_most else own
            texts.append(f"{own}{beside}" if cost.measured else f"({own})")
        rows.append((name, *texts))
    return Sheet(f"Milliseconds per call: {label}", ("", *part.links), rows, "In brackets: predicted.")


def _fresh(subject: Subject, part: ConclusionPart) -> dict[str, list[float]]:
    """Compute what the line takes of a client that connects, calls once and ends, from its whole life: ms by row."""
    found: dict[str, list[float]] = {}
    for row in subject.study.part.rows:
        near = subject.results.where({**row.where.conditions(), "group": part.calls[0].near, "clients": "1"})
        ledger = subject.results.ledgers.get(near[0].id) if len(near) == 1 else None
        if ledger is not None and ledger.phases:
            life = ledger.phases[LIFE]
            wires = [find(link, subject.study.part.links).wire for link in part.links]
            found[row.label] = [on_the_line_ms(wire, life, float(life[0]["connections"])) for wire in wires]
    return found


def _cheapest(
    part: ConclusionPart, environment: EnvironmentPart, by_call: Mapping[str, Costs], good_for: float
) -> list[tuple[str, ...]]:
    """Find the cheapest row of an environment by link and call."""
    lines = []
    for link in part.links:
        for label, of_call in by_call.items():
            there = {name: of_call[name, link] for name in environment.rows if (name, link) in of_call}
            if there:
                lines.append((environment.label, link, label, *_first(there, good_for)))
    return lines


def _first(there: Mapping[str, RowCost], good_for: float) -> tuple[str, ...]:
    """Name the quickest, those that tie with it, the next, by how much, and how sure that is."""
    names = sorted((name for name in there if not there[name].at_most), key=lambda name: there[name].interval.middle)
    how = "measured" if all(cost.measured for cost in there.values()) else "predicted"
    bounds = [name for name in there if there[name].at_most]
    reaching = [name for name in bounds if not (names and is_below(there[names[0]].interval, there[name].interval))]
    if reaching:
        least = listed([f"{name} takes at most {figure(there[name].interval.middle)} ms" for name in reaching])
        return NOT_KNOWN, "", "", "", f"{how}; {least}"
    is_faster = faster([{fork: 1 / ms for fork, ms in there[name].ms.items()} for name in names])
    first, best = names[0], there[names[0]].interval.middle
    ties = []
    for place, name in enumerate(names[1:], 1):
        only_predicted = not (there[first].measured and there[name].measured)
        close = there[name].interval.middle / best - 1 < good_for
        if not is_faster[0, place] or (only_predicted and close):
            ties.append(name)
    behind = [name for name in names[1:] if name not in ties]
    if len(there) == 1:
        sure = f"{how}; the only one in this run"
    elif ties:
        sure = f"{how}; not distinguished"
    else:
        sure = f"{how}; shown" + (f", without {listed(bounds)}" if bounds else "")
    best_text = figure(best, there[first].interval.half_width)
    if not behind:
        return " = ".join([first, *ties]), best_text, "", "", sure
    ahead = there[behind[0]].interval.middle / best
    return " = ".join([first, *ties]), best_text, behind[0], _times(ahead), sure


def _times(ratio: float) -> str:
    """Write by how much one is ahead: as a share, and from twice on as a factor."""
    return f"{100 * (ratio - 1):.2g} %" if ratio < 2 else f"{figure(ratio)} times"


def _sentence(environment: EnvironmentPart, lines: Sequence[tuple[str, ...]]) -> str:
    """Describe the results for an environment, beside what was published."""
    by_link: dict[str, dict[str, list[str]]] = {}
    for _, link, call, name, *_ in lines:
        by_link.setdefault(link, {}).setdefault(name, []).append(call)
    links_of: dict[str, list[str]] = {}
    for link, names in by_link.items():
        parts = [name + ("" if len(names) == 1 else f" ({', '.join(calls)})") for name, calls in names.items()]
        links_of.setdefault("; ".join(parts), []).append(link)
    here = ". ".join(f"Over {', '.join(links)}: {text}" for text, links in links_of.items())
    there = f" The thesis: {environment.published}" if environment.published else ""
    return f"{environment.label}: cheapest stacks. {here}.{there}"


def _least(links: Sequence[str], ms: Mapping[str, Sequence[float]]) -> list[str]:
    """Name who takes least of each line, and who most, with a client that calls once."""
    if len(ms) < 2:
        return []
    texts = []
    for place, link in enumerate(links):
        names = sorted(ms, key=lambda name: ms[name][place])
        least, most = ms[names[0]][place], ms[names[-1]][place]
        texts.append(f"{link}: {names[0]} with {figure(least)} ms ({names[-1]} {figure(most)})")
    return [f"Shortest and longest time on the link of a client that calls once: {'; '.join(texts)}."]
