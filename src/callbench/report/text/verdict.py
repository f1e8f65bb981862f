"""What follows from a run, in a short sentence: the title of its page."""

from collections import Counter
from collections.abc import Sequence

from callbench.analysis.judge.claims import ClaimResult, Verdict
from callbench.analysis.wording.words import listed
from callbench.report.text.choice import RankingChoice

# More names than this are counted instead.
_MOST_NAMES = 3


def verdict(judged: Sequence[ClaimResult], choices: Sequence[RankingChoice]) -> str:
    """Say which claims hold, else which stack is fastest; "" where neither was asked."""
    return _of_claims(judged) or _of_choices(choices)


def _of_claims(judged: Sequence[ClaimResult]) -> str:
    """Count the claims that were tested by their verdicts."""
    counts = Counter(claim.verdict for claim in judged)
    tested = sum(counts.values()) - counts[Verdict.UNMEASURED]
    # Behind those that hold, the verb need not be said again.
    hold = "" if counts[Verdict.HOLDS] else " hold"
    words = {
        Verdict.HOLDS: ("holds", "hold"),
        Verdict.FAILS: (f"does not{hold}", f"do not{hold}"),
        Verdict.UNDECIDED: ("is undecided", "are undecided"),
    }
    parts = [
        f"{counts[outcome]} {several[counts[outcome] != 1]}" for outcome, several in words.items() if counts[outcome]
    ]
    return f"Of {tested} claim{'s' * (tested != 1)}, {listed(parts)}" if tested else ""


def _of_choices(choices: Sequence[RankingChoice]) -> str:
    """Name the fastest stack where one is shown to be it, and count the rankings that leave it open."""
    compared = [choice for choice in choices if choice.next is not None or choice.reaching]
    if not compared:
        return ""
    winners = Counter(choice.name(choice.best) for choice in compared if choice.best is not None and choice.lasts)
    left = len(compared) - sum(winners.values())
    if not winners:
        return _open(compared)
    if len(compared) == 1:
        return f"{next(iter(winners))} is fastest"
    most = winners.most_common(_MOST_NAMES)
    rest = sum(winners.values()) - sum(count for _, count in most)
    parts = [f"{name} is fastest in {count}" for name, count in most]
    parts += [f"others in {rest}"] if rest else []
    parts += [f"{left} undecided"] if left else []
    return f"Of {len(compared)} rankings: {', '.join(parts)}"


def _open(compared: Sequence[RankingChoice]) -> str:
    """Say that no stack is shown to be the fastest, and of a single ranking who may be."""
    if len(compared) > 1:
        return f"Undecided: no stack is shown to be the fastest in any of {len(compared)} rankings"
    (only,) = compared
    if only.shown and only.best is not None:
        return f"{only.name(only.best)} is fastest in this run; another run may have another order"
    first = [] if only.first is None else [only.first]
    names = [only.name(each) for each in (*first, *only.ties, *only.reaching)]
    who = listed(names) if len(names) <= _MOST_NAMES else f"{len(names)} stacks"
    return f"Undecided: {who} are not distinguished"
