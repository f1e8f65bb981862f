"""The results in words, computed from the run: the paragraph at the top, and what a reader must know."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from callbench.analysis.cells.validity import CellValidity, host_of_both, placed_together
from callbench.analysis.judge.claims import ClaimResult, Verdict
from callbench.analysis.run.headline import of_group, without_rates
from callbench.analysis.run.obstacles import obstacles
from callbench.analysis.run.rankings import Ranking, in_process, rankings
from callbench.analysis.run.subject import CONDITIONS, Subject
from callbench.analysis.wording import limits
from callbench.analysis.wording.naming import by_id, named
from callbench.analysis.wording.words import counted, counted_verdicts, listed, run_spread_text, some
from callbench.model.card import card_of
from callbench.model.cell import HELD
from callbench.report.text import along, plateaus
from callbench.report.text.choice import RankingChoice, choices
from callbench.report.text.growth import deaths, leaks
from callbench.report.text.more_time import OpenResults, open_results
from callbench.stats.estimate.digits import figure, percent
from callbench.store.rows import grouped

MOST_REASONS = 4
MOST_ALONE = 3
MOST_CLAIMS = 6
DRIFT = 0.10


@dataclass(frozen=True)
class SummaryFinding:
    """One result: what it is about, and a sentence or two."""

    about: str
    text: str

    def __str__(self) -> str:
        """Write both in a line."""
        return f"{self.about}: {self.text}"


def groups(subject: Subject) -> list[str]:
    """Name the groups that have values, in the study's order."""
    measured = {cell.attributes["group"] for cell in subject.results.cells if cell.rate}
    return [group.group for group in subject.study.groups if group.group in measured]


def charted_groups(subject: Subject) -> set[str]:
    """Name the groups that have a place on a chart of the study: they are described together there."""
    return {point.group for part in subject.study.charts for point in part.points}


def uncharted(subject: Subject) -> list[str]:
    """Name the groups that have values and no place on a chart of the study."""
    charted = charted_groups(subject)
    return [name for name in groups(subject) if name not in charted]


@dataclass(frozen=True)
class Summary:
    """What a report begins with, in the order of a reader's questions.

    Attributes:
        choices: what to choose, by how much and how sure.
        claims: how many hold, in a sentence; "" without claims.
        ahead: what is not known, why, and what five minutes more would settle.
        besides: the other results, group by group or as the study charts it.
    """

    choices: Sequence[RankingChoice]
    claims: str
    open_results: OpenResults
    besides: Sequence[SummaryFinding]

    @property
    def sentences(self) -> list[SummaryFinding]:
        """Write all of it without its tables."""
        texts = [SummaryFinding(choice.where, choice.in_words()) for choice in self.choices]
        texts += [SummaryFinding("Claims", self.claims)] if self.claims else []
        more = self.open_results.in_words()
        texts += [SummaryFinding("Undecided", more)] if more else []
        return [*texts, *self.besides]


def summary(subject: Subject) -> Summary:
    """Describe the results of a run.

    Raises:
        BadInput: the run is damaged.
    """
    every = rankings(subject)
    claims = of_claims(subject.judged) if subject.judged else ""
    claims += "".join(f" {sentence}" for sentence in elsewhere(subject))
    return Summary(
        choices(subject, every),
        claims,
        open_results(subject, obstacles(subject, every)),
        _other_findings(subject, every),
    )


def _other_findings(subject: Subject, every: Sequence[Ranking]) -> list[SummaryFinding]:
    """Write the results besides the rankings' first places, group by group or as the study charts them."""
    charted = charted_groups(subject)
    written: list[SummaryFinding] = []
    alone: list[SummaryFinding] = []
    for name in dict.fromkeys(group.group for group in subject.study.groups):
        text = "" if name in charted else of_group(subject, name, every) or without_rates(subject, name)
        compared = any(table.group == name and len(table.cells) > 1 for table in every)
        (written if compared else alone).extend([SummaryFinding(subject.title_of(name), text)] if text else [])
    # Groups of one stack each compare nothing here; tables, claims and questions do so across groups.
    if len(alone) > MOST_ALONE and (written or len(every) > len(alone)):
        has = "The table All cells has their values."
        written.append(SummaryFinding("Other results", f"{len(alone)} groups of one stack each. {has}"))
    else:
        written += alone
    sentences = ((part.title, along.in_words(part, subject.results)) for part in subject.study.charts)
    written += [SummaryFinding(title, text) for title, text in sentences if text]
    for table in subject.tables:
        if table.in_words:
            rows = [(row.label, [cell.text for cell in row.places]) for row in table.rows]
            text = limits.in_words(table.columns, rows)
            written += [SummaryFinding(table.title, text)] if text else []
    if subject.requested.knees:
        written.append(
            SummaryFinding("Knees", "the section Knee has the highest level at which each stack met its objective.")
        )
    return written


def verdicts_text(results: Sequence[ClaimResult]) -> str:
    """Count the verdicts on the claims that were tested."""
    tested = [result.verdict for result in results if result.verdict is not Verdict.UNMEASURED]
    return f"of {len(tested)} tested, {counted_verdicts(Counter(tested))}." if tested else "none were tested."


def elsewhere(subject: Subject) -> list[str]:
    """Count the verdicts in the run's other conditions of the machine's idle states, and name those that differ."""
    own = {claim.id: claim.verdict for claim in subject.judged}
    lines = []
    for name, other in subject.others.items():
        if not other.judged:
            continue
        differ = [
            f"“{claim.text.rstrip('.')}” {claim.verdict}"
            for claim in other.judged
            if claim.verdict is not own[claim.id]
        ]
        there = f" Otherwise than above: {some(differ, MOST_CLAIMS)}." if differ else ""
        lines.append(f"With {CONDITIONS[name]}: {verdicts_text(other.judged)}{there}")
    return lines


def of_claims(judged: Sequence[ClaimResult]) -> str:
    """Count the verdicts on the claims that were tested, and name those that were not, with why."""
    text = verdicts_text(judged)
    missing: dict[str, list[str]] = {}
    for claim in judged:
        if claim.verdict is Verdict.UNMEASURED:
            missing.setdefault(claim.deciding.why, []).append(claim.text)
    if missing:
        texts = [f"{len(claims)} ({why})" for why, claims in list(missing.items())[:MOST_REASONS]]
        more = sum(len(claims) for claims in list(missing.values())[MOST_REASONS:])
        texts += [f"{more} more"] if more else []
        text += f" Not measured and not counted: {'; '.join(texts)}."
    return text


def cautions(subject: Subject) -> list[str]:
    """Write what a reader must know before believing a value."""
    results = subject.results
    texts = [subject.left_out] if subject.left_out else []
    if subject.quick:
        texts.append(
            "This was a quick run. It ends after some minutes and leaves the rest undecided. Its decided results"
            " hold within this run."
        )
    texts.append(run_spread_text(results.run_spread))
    share = subject.study.part.load.share
    if share != 1 and not subject.quick:
        texts.append(f"This run used {percent(share)} of the study's calls and of its trial times.")
    if subject.run.state != "finished":
        texts.append(
            f"This run {subject.run.state_in_words}. Missing values are not measured yet. Continue with --resume."
        )
    if subject.run.condition == HELD:
        beside = " The section Idle states has both." if subject.others else ""
        texts.append(
            "Deep idle states were off for all values without another note. Waiting then costs less than on a machine"
            f" with its own idle states.{beside}"
        )
    texts += _sharing(subject)
    inside = sorted({cell.attributes["channel"] for cell in results.cells if cell.rate and in_process(subject, cell)})
    if inside:
        texts.append(
            f"Over {listed(inside)}, one program is both client and server. There is no server that others could call."
        )
    batched = sorted({cell.attributes["channel"] for cell in results.cells if cell.batched})
    if batched:
        texts.append(
            f"Some calls over {listed(batched)} are shorter than 20 clock readings. They were timed in batches, so"
            " they have a mean but no percentiles."
        )
    standing = plateaus.unexplained(subject)
    if standing:
        texts.append(standing)
    texts += _meanwhile(subject)
    texts += _troubles(subject)
    return texts


def _sharing(subject: Subject) -> list[str]:
    """Describe where client and server shared processors."""
    links = subject.run.plan().get("links") or {}
    texts = []
    over = {cell.attributes["link"] for cell in subject.results.cells}
    if placed_together(subject.environment) and any("hosts" not in links.get(link, {}) for link in over):
        texts.append(
            "Client and server shared a processor and slowed each other. Both could reach higher rates on separate"
            " processors."
        )
    beside = {
        (host, cell.attributes["stack"])
        for cell in subject.results.cells
        if (
            host := host_of_both(
                card_of(subject.cards, cell.attributes["stack"]), links.get(cell.attributes["link"], {})
            )
        )
    }
    for host in sorted({host for host, _ in beside}):
        stacks = sorted(stack for at, stack in beside if at == host)
        texts.append(
            f"{listed(stacks)} ran on host {host} beside the clients, and shared its processors with them: the real"
            " link lies before the backend. A role backend in [hosts] parts them."
        )
    return texts


def _meanwhile(subject: Subject) -> list[str]:
    """Describe what the machine, the generator and the warm-up did to the values."""
    validity, texts = subject.results.validity, []
    if validity.drift is not None and validity.drift > DRIFT:
        texts.append(
            f"The machine changed its speed: a raw echo was up to {_faster(validity.drift)} at one time than at"
            " another. Compare values only within this run, where ratios are computed fork by fork."
        )
    disturbed = [trial for trial in validity.disturbed if trial.counted and trial.why]
    if disturbed:
        cells = len({trial.cell for trial in disturbed})
        texts.append(
            f"{len(disturbed)} trials of {cells} cells were disturbed by other programs. They count. Repeat on a"
            " quieter machine before you decide anything by them."
        )
    unsteady = [curve for known in validity.cells.values() for curve in known.curves if curve.unsteady]
    if unsteady:
        out = [curve for curve in unsteady if curve.left_out]
        never = sum(bool(cell.not_steady) for cell in subject.results.cells)
        if out:
            none_left = f" {never} cells have no value left." if never else ""
            texts.append(f"{len(out)} trials were not steady and do not count.{none_left}")
        rest = [curve for curve in unsteady if not curve.left_out]
        if rest:
            cells = len({curve.cell for curve in rest})
            texts.append(f"{len(rest)} trials of {cells} cells changed their rate during the measurement. They count.")
    at_least = [named(cell) for cell in subject.results.cells if cell.verdict and cell.verdict.at_least]
    if at_least:
        texts.append(
            f"In {some(at_least)}, Callbench itself was the limit. These rates are minimum values and are not ranked."
        )
    texts += _starved_hosts(validity.cells.values())
    at_most = [named(cell) for cell in subject.results.cells if cell.at_most]
    if at_most:
        texts.append(
            f"In {some(at_most)}, calls took longer than slices. These rates are maximum values and are not ranked."
        )
    return texts


def _starved_hosts(cells: Iterable[CellValidity]) -> list[str]:
    """Name each host of clients that was starved, with a sentence for each thing that it lacked."""
    lacked = grouped((short for cell in cells for short in cell.starved), lambda short: (short.host, short.lacked))
    texts = []
    for (host, what), every in sorted(lacked.items()):
        shares = sorted(short.share for short in every)
        ends = dict.fromkeys(map(percent, (shares[0], shares[-1])))
        texts.append(f"In {counted(len(every), 'cell')}, host {host} was starved: {what.format(' to '.join(ends))}.")
    return texts


def _faster(drift: float) -> str:
    """Describe how much faster something is: in per cent, or from twice on as a factor."""
    return f"{percent(drift)} faster" if drift < 1 else f"{figure(drift + 1)} times faster"


def _troubles(subject: Subject) -> list[str]:
    """Count what went wrong."""
    results = subject.results
    texts = []
    for why, stacks in list(exclusions(subject).items())[:MOST_REASONS]:
        texts.append(f"Excluded: {some(stacks)}: {why}.")
    if len(exclusions(subject)) > MOST_REASONS:
        texts.append("The report lists more exclusions with other reasons.")
    failed = [cell for cell in results.cells if cell.errors]
    if failed:
        total = sum(sum(cell.errors.values()) for cell in failed)
        texts.append(f"{total:,} calls in {len(failed)} cells failed. They count in no rate.")
    unequal = [named(cell) for cell in results.cells if not cell.agree]
    if unequal:
        texts.append(f"Client and server counted differently in {some(unequal)}. These values are wrong.")
    texts += [f"{sentence} It may be a leak." for sentence in leaks(subject.health)]
    texts += deaths(subject.deaths)
    texts += [f"Note of the run: {text}" for text in results.notes]
    return texts


def exclusions(subject: Subject) -> dict[str, list[str]]:
    """Gather what was excluded by reason: stacks, and cells where only these are meant."""
    gathered: dict[str, list[str]] = {}
    cells = by_id(subject.results.cells)
    for excluded in subject.results.excluded:
        names = gathered.setdefault(excluded.why.rstrip("."), [])
        name = named(cells[excluded.cell]) if excluded.cell in cells else excluded.stack
        if name not in names:
            names.append(name)
    return gathered
