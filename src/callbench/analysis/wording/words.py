"""How ratios, verdicts and cards are written, the same in every format."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from callbench.analysis.judge.claims import ClaimComparison, ClaimResult, Verdict
from callbench.analysis.judge.questions import Answer
from callbench.model.card import ExternalTable, RequestTable
from callbench.stats.estimate.digits import end, figure, percent, tells
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.power import MOST_FORKS
from callbench.stats.estimate.processor_time import ProcessorTime
from callbench.stats.estimate.run_spread import RunSpread

MARKS = {Verdict.HOLDS: "✓", Verdict.FAILS: "✗", Verdict.UNDECIDED: "?", Verdict.UNMEASURED: "–"}  # noqa: RUF001 - a mark, not a minus
ANSWERS = {
    Verdict.HOLDS: "yes",
    Verdict.FAILS: "no",
    Verdict.UNDECIDED: "undecided",
    Verdict.UNMEASURED: "not measured",
}
CLASSES = {Verdict.HOLDS: "holds", Verdict.FAILS: "fails", Verdict.UNDECIDED: "open", Verdict.UNMEASURED: "unmeasured"}

# So many that one can choose between are named.
_CHOICES = 4
# A multiple beyond says no more than this.
_MOST_TIMES = 100
# A claim may have several, of which others need more.
_RATIO = "this ratio"
_OF_A_REQUEST = frozenset({"method", "path", "protocol"})
_CHECKED_BY = {
    "its body byte by byte": ("expect_body", "expect_body_file", "expect_body_hex"),
    "its body by JSON path": ("expect_json", "expect_path"),
    "its body by a regular expression": ("expect_match",),
    "its body by a JSON Schema": ("expect_schema", "expect_schema_file"),
}


def some(names: Sequence[str], most: int = 4) -> str:
    """Join names, the first few if there are many."""
    if len(names) <= most + 1:
        return listed(names)
    return ", ".join(names[:most]) + f" and {len(names) - most} more"


def counted(number: int, thing: str, several: str = "") -> str:
    """Write a number of things: `1 client`, `2,000 clients`, `2 losses`."""
    return f"{number:,} {thing if number == 1 else several or thing + 's'}"


def either(names: Sequence[str]) -> str:
    """Join names between which one can choose, the first few if there are many: `a, b or c`."""
    if len(names) > _CHOICES + 1:
        return f"one of {some(names, _CHOICES)}"
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)


def ties(others: Sequence[str]) -> str:
    """Name those that share a place with one that stands before: `, not distinguished from b and c`."""
    return f", not distinguished from {some(others, 3)}" if others else ""


def ratio_text(ratio: Interval | None) -> str:
    """Write a ratio with its interval: `1.72 (1.71 to 1.74)`; a ratio of counts, the same in every fork, has none."""
    if ratio is None:
        return ""
    middle = figure(ratio.middle, ratio.half_width)
    if ratio.low is None or ratio.high is None:
        return f"{middle} (one fork)"
    if math.isclose(ratio.low, ratio.high, rel_tol=1e-9):
        return f"{ratio.middle:.4g}"
    if not tells(ratio.half_width):
        return f"{figure(ratio.middle)} (known to no better than a factor of 100)"
    return f"{middle} ({_end(ratio, ratio.low)} to {_end(ratio, ratio.high)})"


def change_text(ratio: float) -> str:
    """Write a ratio as a change: `+3.1 %`, and from twice on or from half down as a multiple: `4.2 times`."""
    if 1 / 2 < ratio < 2:
        return percent(ratio - 1, 1, sign=True)
    if not 1 / _MOST_TIMES <= ratio <= _MOST_TIMES:
        return f"over {_MOST_TIMES} times" if ratio > 1 else f"under {1 / _MOST_TIMES:g} times"
    return f"{figure(ratio)} times"


def claim_ratio_text(compared: ClaimComparison) -> str:
    """Write the ratio of a comparison with its interval, and from where to where it lies in other runs of the machine.

    The verdict is of the latter; where the machine has no other run, the first interval is all there is.
    """
    return f"{ratio_text(compared.ratio)}{beyond_text(compared.ratio, compared.beyond)}"


def beyond_text(ratio: Interval | None, beyond: Interval | None) -> str:
    """Write from where to where a ratio lies in other runs of the machine, behind the ratio and its interval.

    Nothing if that is not known, or where it reads as the interval of this run does.
    """
    if beyond is None or beyond.low is None or beyond.high is None:
        return ""
    ends = f"{_beside_1(_end(beyond, beyond.low), beyond.low)} to {_beside_1(_end(beyond, beyond.high), beyond.high)}"
    if ratio is not None and ratio_text(ratio).endswith(f"({ends})"):
        return ""
    return f", from run to run {ends}"


def _beside_1(text: str, bound: float) -> str:
    """Write an end that would read as 1 with more digits: on which side of 1 it lies decides."""
    return f"{bound:.3g}" if float(text.replace(",", "")) == 1 else text


def _end(ratio: Interval, bound: float) -> str:
    return end(bound, ratio.middle, ratio.half_width)


def run_spread_text(spread: RunSpread) -> str:
    """Write whether statements that go beyond the run have in them what runs of this machine differ by."""
    if spread.other is None:
        return (
            "No earlier run of this study on this machine lies beside this one. So the intervals are of this run alone,"
            " and another run can differ by more."
        )
    earlier = spread.runs - 1
    return (
        f"From run to run: the interval that holds for other runs on this machine, as {earlier} earlier"
        f" run{'s' * (earlier > 1)} of this study differ{'s' * (earlier == 1)}. Verdicts on claims use it."
    )


def served_text(request: RequestTable | None, external: ExternalTable | None, *, counts: bool) -> list[tuple[str, str]]:
    """Write what a card says of a server that is called by a request: how, what is right, and where it runs."""
    rows: list[tuple[str, str]] = []
    if request is not None:
        method, path = request.get("method", "GET"), request.get("path", "")
        own = sorted(name for name in request if name not in _OF_A_REQUEST and not name.startswith("expect_"))
        rows.append(("called by", f"{method} {path}".strip() + (f", with {', '.join(own)}" if own else "")))
        status = " or ".join(str(code) for code in request.get("expect_status") or ("any status from 200 to 299",))
        rows.append(("right answer", f"{status}, {_right_body(request)}"))
    if external is not None:
        start, url = external.get("start"), external.get("url")
        rows.append(("started by", " ".join(start)) if start else ("already running at", str(url)))
    if not counts:
        rows.append(("counts", "the server cannot count calls, so only the client's count is used"))
    return rows


# Of one, and of several.
_VERDICT_WORDS = {
    Verdict.HOLDS: ("holds", "hold"),
    Verdict.FAILS: ("does not hold", "do not hold"),
    Verdict.UNDECIDED: ("is undecided", "are undecided"),
    Verdict.UNMEASURED: ("was not measured", "were not measured"),
}


def _right_body(request: RequestTable) -> str:
    """Write how the body of an answer is checked."""
    whys = [why for why, names in _CHECKED_BY.items() if any(name in request for name in names)]
    return " and ".join(whys) or "any body"


def remark_text(compared: ClaimComparison) -> str:
    """Write what its value alone does not say of a comparison: why it is undecided, equal to its bound, or apart."""
    stand_in = f"a stand-in for {compared.stand_in}" if compared.stand_in else ""
    tested = compared.tested
    at_bound = ""
    if tested is not None and tested.at_bound:
        share = _share_text(compared.comparison.margin)
        at_bound = (
            f"{'no difference' if 1.0 in compared.comparison.bounds else 'no more than its threshold'}, within {share}"
        )
    return "; ".join(part for part in (stand_in, at_bound, undecided_text(compared)) if part)


def undecided_text(compared: ClaimComparison) -> str:
    """Write what an undecided comparison could have seen, and what would settle it; nothing of a decided one."""
    tested = compared.tested
    if compared.verdict is not Verdict.UNDECIDED or tested is None:
        return ""
    if compared.bounded:
        return "undecided: Callbench itself limited a rate in it, which may be higher"
    if compared.decided_alone:
        return "undecided: this run alone would decide it, but runs on this machine differ by more than that"
    if tested.detectable is None:
        return "undecided: one fork does not show how much forks differ"
    if tested.corrected_away or (compared.margin is not None and compared.margin < 0):
        reaches = (
            "not shown after the correction for all comparisons" if tested.corrected_away else "its interval is not"
        )
        return f"undecided: outside its threshold, but {reaches}; {_more_text(tested.more_forks, _RATIO)}"
    return f"undecided: {detectable_text(tested.detectable, tested.more_forks, _RATIO)}"


def detectable_text(detectable: float, more_forks: int | None, what: str = "it") -> str:
    """Write the smallest difference that could have been detected, and about how many more forks would settle it."""
    seen = f"a difference under {_share_text(detectable)} could not be detected"
    return f"{seen}; {_more_text(more_forks, what)}"


def _more_text(more_forks: int | None, what: str) -> str:
    """Write about how many more forks would settle something."""
    if more_forks is None:
        return f"even {MOST_FORKS} more forks would not decide {what}"
    return f"about {more_forks} more fork{'s' * (more_forks > 1)} would decide {what}"


def counted_verdicts(counts: Mapping[Verdict, int]) -> str:
    """Write how many hold, and how many do not: `1 holds and 2 are undecided`."""
    return listed(f"{counts[verdict]} {words[counts[verdict] != 1]}"
                  for verdict, words in _VERDICT_WORDS.items() if counts.get(verdict))  # fmt: skip


def apart_text(claim: ClaimResult) -> str:
    """Write what the stand-ins say of a claim that they do not decide; nothing if there are none."""
    by_original: dict[str, Counter[Verdict]] = {}
    for compared in claim.apart:
        by_original.setdefault(compared.stand_in, Counter())[compared.verdict] += 1
    parts = [f"{original}: {counted_verdicts(counts)}" for original, counts in by_original.items()]
    return f"judged apart, as stand-ins for {'; '.join(parts)}" if parts else ""


def _share_text(share: float) -> str:
    """Write a difference as a share, from twice on as a factor: `12 %`, `a factor of 2.5`."""
    return f"{share * 100:.2g} %" if share < 1 else f"a factor of {min(1 + share, 100):.2g}"


def answer_text(answer: Answer) -> str:
    """Write an answer in a line: what follows, and the value that it follows from."""
    compared = answer.compared
    shown = f"{claim_ratio_text(compared)}, threshold {compared.threshold}" if compared.ratio else compared.why
    label = f"{compared.comparison.label}: {shown}"
    published = f"; published: {published_text(compared.published)}" if compared.published is not None else ""
    sentence = answer.sentence or as_sentence(remark_text(compared))
    return f"{sentence} {label}{published}".strip()


LOST = {
    "error": "the call fails",
    "hang": "the call waits until its time-out",
    "retry": "the library repeats the call: answered, but executed twice",
    "twice": "executed twice, and the call still fails",
    "answered": "the call is answered",
    "no connection": "no connection to cut",
}


def server_loss_text(when_lost: Mapping[str, object]) -> tuple[str, str, str]:
    """Write what becomes of a call whose server is killed, whose connection is cut, and of the client afterwards."""
    back = when_lost.get("back")
    again = "not stated" if back is None else "can call again" if back else "must connect again"
    killed, cut = (LOST.get(str(when_lost.get(key)), "not stated") for key in ("killed", "cut"))
    return killed, cut, again


def published_text(ratio: float | None) -> str:
    """Write a ratio of published values, which come without intervals, with three digits."""
    return "" if ratio is None else f"{ratio:.3g}"


def as_sentence(phrase: str) -> str:
    """Make a sentence of a phrase; nothing of nothing."""
    return f"{phrase[:1].upper()}{phrase[1:]}." if phrase else ""


def listed(words: Iterable[str]) -> str:
    """Join words: `a, b and c`."""
    every = list(words)
    return every[0] if len(every) == 1 else ", ".join(every[:-1]) + " and " + every[-1] if every else ""


def processor_time_text(spent: ProcessorTime) -> str:
    """Write processor time: `3.1`, or `under 0.9` where its clock cannot tell it from nothing; microseconds a call."""
    interval = spent.interval()
    return figure(interval.middle, interval.half_width) if interval else f"under {figure(spent.under or 0.0)}"


def sent_again_sentence(calls: int) -> str:
    """Say how many calls were sent a second time, on a new connection.

    Args:
        calls: their number, at least 1.
    """
    them = "1 call was" if calls == 1 else f"{calls:,} calls were"
    return f"{them} sent again: the server had closed the kept connection."
