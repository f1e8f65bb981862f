"""What to choose: of each ranking the best stack, the next, by how much and how sure.

No stack is named that a bound reaches: a rate that is "at least" may be any higher one, and one that is "at most" may
be as high.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.analysis.cells.results import Result, Results
from callbench.analysis.judge.lower_bounds import reaching
from callbench.analysis.run.headline import middle, stack_name
from callbench.analysis.run.rankings import Ranking, in_process
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.naming import at
from callbench.analysis.wording.words import beyond_text, ratio_text, some
from callbench.report.text.section import Sheet
from callbench.stats.estimate.digits import figure
from callbench.stats.estimate.interval import Interval

BETWEEN, WITHIN = "between processes", "in one process"
COLUMNS = ("call", "fastest", "calls/s", "times as fast", "as the next", "certainty")
NOTE = (
    "The ratio is computed fork by fork, with its 95 % interval. Where runs of this machine differ by more, the"
    " interval from run to run follows. Shown: faster than each other stack, corrected for their number."
)
NOT_KNOWN = "not known"
SHOWN, SHOWN_HERE = "shown", "shown in this run; another run may have another order"
MOST_ROWS = 24
MOST_NAMES = 2


@dataclass(frozen=True)
class RankingChoice:
    """The first of a ranking, or of those of its stacks that have two processes, or one.

    Attributes:
        kind: which of its stacks are meant, if it has both.
        first: the one with the highest rate of those that none is shown to be faster than; None if none has a rank.
        reaching: rates that are "at least" or "at most" and reach that of `first`. With any, no stack is the fastest.
        below: rates that are bounds and lie below it, as far as they were measured.
        ties: the others that none is shown to be faster than, best first: with 95 % certainty the fastest is `first` or
            one of them, unless it is one of `reaching`.
        next: the one with the next rate, whether or not it can be told from the best; None if there is none.
        ratio: the best one's rate over the next one's, fork by fork.
        beyond: the same from run to run on this machine; None if nothing is known of that.
        shown: whether the first is faster than every other beyond doubt, and no bound may be ahead.
        names: what the stacks are called, by their ids.
    """

    ranking: Ranking
    kind: str
    first: Result | None
    reaching: Sequence[Result]
    below: Sequence[Result]
    ties: Sequence[Result]
    next: Result | None
    ratio: Interval | None
    shown: bool
    names: dict[str, str]
    beyond: Interval | None = None

    @property
    def where(self) -> str:
        """The call with its load and link, and which stacks are meant."""
        table = self.ranking
        return at(table.group, table.clients, table.link) + (f", {self.kind}" if self.kind else "")

    @property
    def best(self) -> Result | None:
        """The fastest stack; None where it is not known."""
        return None if self.reaching else self.first

    @property
    def lasts(self) -> bool:
        """Whether it is shown, and another run of the machine would name the same stack, as far as its runs tell."""
        return self.shown and not self._may_change

    @property
    def _may_change(self) -> bool:
        """Whether another run of the machine may have the next stack before it."""
        return self.beyond is not None and self.beyond.low is not None and self.beyond.low <= 1

    @property
    def sure(self) -> str:
        """Describe how sure it is."""
        if self.best is None:
            return self._refuted()
        return self._certainty() + self._beside_bounds() + self._failed()

    @property
    def sure_in_short(self) -> str:
        """Describe it in a few words, for a table that has no room: with which others the fastest ties."""
        return "" if self.best is None else self._ties_in_short() + self._failed()

    def _ties_in_short(self) -> str:
        if not self.ties:
            # A rate that is a minimum may be ahead, however low it was seen.
            return f"{self._certainty()}{'' if self.shown else ', of those with a rank'}"
        if self.ratio is None or self.ratio.low is None:
            return "unknown: one fork"
        if self.next in self.ties:
            # Its interval stands alone, the ranking corrects for the number of stacks.
            alone = len(self.ties) == 1
            return "likely, not shown" if alone and self.ratio.low > 1 else f"ties with the next{self._more_ties}"
        # The next is shown to be slower, and one behind it is not: only what varies more can do that.
        return f"ties with {some([self.name(cell) for cell in self.ties], 1)}, known less well"

    @property
    def _more_ties(self) -> str:
        return f" and {len(self.ties) - 1} more" if len(self.ties) > 1 else ""

    def _refuted(self) -> str:
        """Describe what could be faster than the first with a rank."""
        faster = f"{some([self._bound(cell) for cell in self.reaching], MOST_NAMES)} calls/s"
        if self.first is None:
            return f"{NOT_KNOWN}: {faster}, and none has a rank"
        return f"{NOT_KNOWN}: {faster}; {self.name(self.first)}, the fastest with a rank, has {_rate(self.first)}"

    def _bound(self, cell: Result) -> str:
        return f"{self.name(cell)} has at {'most' if cell.at_most else 'least'} {_rate(cell)}"

    def _failed(self) -> str:
        """Say how many calls of the fastest failed: too few to be shown to fail, which would leave it no rank."""
        failed = sum(self.best.errors.values()) if self.best else 0
        return f"; {failed:,} of its {self.best.calls + failed:,} calls failed" if self.best and failed else ""

    def _beside_bounds(self) -> str:
        """Name what has no rank: its rate is known only from one side."""
        if not self.below:
            return ""
        return f"; without a rank: {some([self._bound(cell) for cell in self.below], MOST_NAMES)}"

    def _certainty(self) -> str:
        """Describe how sure it is, beside those with a rank."""
        if self.next is None:
            return "the only ranked stack"
        if not self.ties:
            return SHOWN_HERE if self._may_change else SHOWN
        if self.ratio is None or self.ratio.low is None:
            return "unknown: one fork gives no interval"
        others = some([self.name(cell) for cell in self.ties if cell is not self.next], MOST_NAMES)
        if self.next not in self.ties:
            return f"faster than the next; not distinguished from {others}, known less well"
        # Its interval stands alone, the ranking corrects for the number of stacks.
        if self.ratio.low > 1:
            also = f"; not distinguished from {others}" if others else ""
            return f"likely, but not shown after the correction for all stacks{also}"
        return "not distinguished from the next" + (f", nor from {others}" if others else "")

    def name(self, cell: Result) -> str:
        """Return what a stack is called."""
        return self.names[cell.attributes["stack"]]

    def in_words(self) -> str:
        """Write it in a sentence."""
        if self.best is None:
            return f"{self.sure}."
        rate = f"{self.name(self.best)} ({_rate(self.best)} calls/s)"
        if self.next is None:
            return f"{rate}, {self.sure}."
        beyond = beyond_text(self.ratio, self.beyond)
        ahead = f"{ratio_text(self.ratio)} times as fast as {self.name(self.next)}, the next{beyond}"
        return f"{rate}, {ahead}; {self.sure}."


def choices(subject: Subject, every: Sequence[Ranking]) -> list[RankingChoice]:
    """Choose from every ranking that compares stacks."""
    found = []
    for table in every:
        if len(table.cells) < 2:
            continue
        names = {cell.attributes["stack"]: stack_name(cell, table, subject) for cell in table.cells}
        every_place = range(len(table.contenders))
        inside = [place for place in every_place if in_process(subject, table.contenders[place])]
        outside = [place for place in every_place if place not in inside]
        parts = [(BETWEEN, outside), (WITHIN, inside)] if inside and outside else []
        # One stack alone is no choice; where each kind has but one, the two are beside each other.
        parts = [(kind, among) for kind, among in parts if len(among) > 1] or [("", list(every_place))]
        found += [_choice(subject.results, table, kind, among, names) for kind, among in parts if among]
    return found


def _choice(results: Results, table: Ranking, kind: str, among: Sequence[int], names: dict[str, str]) -> RankingChoice:
    """Choose from some of a ranking's stacks, given by their places among its contenders."""
    ranked = [place for place in among if place < len(table.ranked)]
    bounds = [table.contenders[place] for place in among if place >= len(table.ranked)]
    if not ranked:
        return RankingChoice(
            ranking=table,
            kind=kind,
            first=None,
            reaching=bounds,
            below=(),
            ties=(),
            next=None,
            ratio=None,
            shown=False,
            names=names,
        )
    by_rate = sorted(ranked, key=lambda place: -middle(table.ranked[place]))
    standing = {standing.index: standing for standing in table.standings}
    ahead = {place: set(standing[place].behind) & set(ranked) if standing else set() for place in ranked}
    best = next((place for place in by_rate if not ahead[place]), by_rate[0])
    rest = [place for place in by_rate if place != best]
    ties = [place for place in rest if not ahead[place]]
    following = table.ranked[rest[0]] if rest else None
    first = table.ranked[best]
    above = reaching(results, first, bounds)
    return RankingChoice(
        ranking=table,
        kind=kind,
        first=first,
        reaching=above,
        below=[cell for cell in bounds if cell not in above],
        ties=[table.ranked[place] for place in ties],
        next=following,
        ratio=results.ratio(first, following) if following else None,
        shown=not ties and not above and not any(cell.at_least for cell in bounds),
        names=names,
        beyond=results.ratio_beyond(first, following) if following else None,
    )


def sheet(every: Sequence[RankingChoice]) -> Sheet:
    """Write them as a table."""
    rows = [_row(choice) for choice in every[:MOST_ROWS]]
    more = f" {len(every) - MOST_ROWS} more loads and links are in the ranking." if len(every) > MOST_ROWS else ""
    return Sheet("Fastest stacks", COLUMNS, rows, NOTE + more)


def _row(choice: RankingChoice) -> tuple[str, ...]:
    """Write one of them as a line of the table."""
    if choice.best is None:
        return choice.where, NOT_KNOWN, "", "", "", choice.sure.removeprefix(f"{NOT_KNOWN}: ")
    beside = (
        ("", "")
        if choice.next is None
        else (f"{ratio_text(choice.ratio)}{beyond_text(choice.ratio, choice.beyond)}", choice.name(choice.next))
    )
    return choice.where, choice.name(choice.best), _rate(choice.best), *beside, choice.sure


def _rate(cell: Result) -> str:
    return figure(cell.rate.middle, cell.rate.half_width) if cell.rate else ""
