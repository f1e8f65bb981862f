"""What another five minutes of the same measuring would settle of what a run left open."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.analysis.run.obstacles import Obstacle, ObstacleKind, Reason, gathered
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.words import listed, some
from callbench.report.text.section import Sheet
from callbench.stats.decide.forecast import Forecast, forecast
from callbench.stats.estimate.digits import figure

SECONDS = 300.0
# From one fork's first call to the next one's: with what comes before. Where conditions take turns, a fork of this one
# takes those of the others too.
FORKS_SQL = """
WITH forks AS (
    SELECT fork, min(started) AS began, max(started + to_microseconds(elapsed_ns // 1000)) AS ended,
           bool_or(cells.cell IS NOT NULL) AS own
    FROM trials LEFT JOIN cells USING (cell) GROUP BY fork)
SELECT coalesce(median(epoch(following - began)), max(epoch(ended - began))) * count(*) / count(*) FILTER (own)
FROM (SELECT *, lead(began) OVER (ORDER BY began) AS following FROM forks)"""
COLUMNS = ("result", "reason", "with five more minutes")
ABOUT = (
    "Undecided claims, neighbours in a ranking that are not distinguished, and results without a rank. The last column"
    " is a forecast. It assumes that ratios and scatter stay as in this run. A fork is one new start of every stack."
)
# Where more of the same is of no use, what is.
_REMEDIES = {
    Reason.LINK: "time does not help: the link is the limit, not the stacks",
    Reason.UNSTEADY: "time does not help: a longer --warm-up may",
    Reason.EXCLUDED: "time does not help: the stack must work first",
    Reason.FAILS: "time does not help: its calls must succeed first",
    Reason.FEW_CALLS: "more forks do not help: give the groups longer --rounds, as many times as calls are missing",
    Reason.GENERATOR: "time does not help: leave it more processors, or use a faster driver",
    Reason.CUT: "another fork has longer slices, as far as they can be: its calls may be too long for any",
    Reason.DISAGREE: "time does not help: calls were lost or made twice",
    Reason.NOT_HERE: "time does not help: run without --select, with the link that it needs",
}
MOST_ROWS = 30
MOST_NAMES = 3


@dataclass(frozen=True)
class OpenResults:
    """What is open, and what of it more time would settle.

    Attributes:
        fork_s: how long a fork of this run took; None if nothing was timed.
        outlook: of each obstacle; None likewise.
    """

    obstacles: Sequence[Obstacle]
    fork_s: float | None
    forecast: Forecast | None

    def settled(self, some_: Sequence[Obstacle]) -> int:
        """Count those that five minutes more would settle."""
        if self.forecast is None:
            return 0
        sure = {id(obstacle) for obstacle, done in zip(self.obstacles, self.forecast.settled, strict=True) if done}
        return sum(id(obstacle) in sure for obstacle in some_)

    def in_words(self) -> str:
        """Describe it in a sentence; nothing if nothing is open that time could settle."""
        parts = []
        for kind, name in (
            (ObstacleKind.CLAIM, "undecided claim"),
            (ObstacleKind.NEIGHBOURS, "pair of neighbours in rank"),
        ):
            own = [obstacle for obstacle in self.obstacles if obstacle.kind is kind and obstacle.timed]
            if own:
                first, _, rest = name.partition(" of ")
                plural = f"{first}s" + (f" of {rest}" if rest else "") if len(own) > 1 else name
                parts.append(f"{self.settled(own)} of {len(own)} {plural}")
        if not parts or self.forecast is None or self.fork_s is None:
            return ""
        if not self.forecast.forks:
            return f"A fork took {figure(self.fork_s)} s, so five more minutes are too short for another."
        forks = f"{self.forecast.forks} fork" + ("" if self.forecast.forks == 1 else "s")
        return (
            f"Five more minutes allow about {forks} of {figure(self.fork_s)} s each. They would decide"
            f" {listed(parts)}, if ratios and scatter stay as measured."
        )

    def sheet(self) -> Sheet | None:
        """Write what is open as a table, a line a reason; None if nothing is."""
        lines = list(gathered(self.obstacles).values())
        if not lines:
            return None
        rows = [(_what(group), _why(group), self._more(group)) for group in lines[:MOST_ROWS]]
        note = f"{len(lines) - MOST_ROWS} more are in the JSON report." if len(lines) > MOST_ROWS else ""
        return Sheet("Undecided and missing results", COLUMNS, rows, note)

    def _more(self, own: Sequence[Obstacle]) -> str:
        """Describe what five minutes more would do for one line."""
        if not own[0].timed:
            return _REMEDIES[own[0].reason]
        if len(own) > 1:
            return f"would decide {self.settled(own)} of {len(own)}"
        if self.settled(own):
            return "would decide it"
        more = own[0].more
        return f"not enough: about {more} more forks" if more is not None else "not enough: over 100 more forks"


def open_results(subject: Subject, every: Sequence[Obstacle]) -> OpenResults:
    """Look ahead from a run.

    Raises:
        BadInput: the run is damaged.
    """
    with subject.run.connection() as connection:
        row = connection.execute(FORKS_SQL).fetchone()
    fork_s = float(row[0]) if row and row[0] else None
    forecast_ = forecast([obstacle.more for obstacle in every], fork_s, SECONDS) if fork_s else None
    return OpenResults(every, fork_s, forecast_)


def _what(own: Sequence[Obstacle]) -> str:
    """Name what is not known."""
    first = own[0]
    names = [obstacle.about for obstacle in own]
    if first.kind is ObstacleKind.CLAIM:
        return f"claim{'s' * (len(own) > 1)}: {' '.join(names) if len(names) <= MOST_NAMES else f'{len(names)}'}"
    where = f"{first.where}: " if first.where else ""
    if first.kind is ObstacleKind.NEIGHBOURS:
        more = len(own) - 1
        return f"{where}{names[0]}" + (f", and {more} more pair{'s' * (more > 1)}" if more else "")
    return f"{where}{some(names, MOST_NAMES)}"


def _why(own: Sequence[Obstacle]) -> str:
    """Explain why, with the value of the first."""
    first = own[0]
    if first.reason is Reason.NOT_HERE:
        return some(list(dict.fromkeys(obstacle.detail for obstacle in own)), MOST_NAMES)
    return first.detail if first.detail.startswith(first.reason) else f"{first.reason}: {first.detail}"
