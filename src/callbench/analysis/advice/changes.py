"""What would change an advice: larger or smaller messages, and more or fewer calls a second."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from callbench.analysis.advice.choice import AdviceVerdict
from callbench.analysis.advice.elsewhere import FURTHEST, Measured, Place, Turn, turn, with_calls, with_messages
from callbench.analysis.advice.scaling import Scale


@dataclass(frozen=True)
class Change:
    """Along one quantity, how far an advice goes.

    Attributes:
        unit: of the quantity: bytes, of answers, or calls/s.
        here: where the advice is.
        below: the nearest smaller place with another advice; None if there is none down to a hundredth;
            of answers, down to empty ones.
        above: likewise, up to a hundred times as much.
    """

    unit: str
    here: float
    below: Turn | None
    above: Turn | None


def changes(measured: Measured) -> list[Change]:
    """Look along each quantity that is known; nothing where the advice is undecided."""
    if measured.here.choice.verdict in (AdviceVerdict.UNDECIDED, AdviceVerdict.NONE):
        return []
    found = []
    for unit, here, least, at in _quantities(measured):
        if here and at(1.0) is not None:
            found.append(Change(unit, here, turn(measured, at, least), turn(measured, at, FURTHEST)))
    return found


def _quantities(measured: Measured) -> Iterator[tuple[str, float, float, Callable[[float], Place | None]]]:
    calls = frozenset(figures.call for (_, group), figures in measured.every.items() if group in measured.groups)
    yield (
        "bytes", _mean_answer(measured), 0.0,
        lambda factor: with_messages(measured, Scale(calls, answers=factor)),
    )  # fmt: skip
    yield (
        "calls/s", measured.situation.calls_per_s or 0.0, 1 / FURTHEST,
        lambda factor: with_calls(measured, factor),
    )  # fmt: skip


def _mean_answer(measured: Measured) -> float:
    """Give the bytes of data of an answer, as the mean over the calls by their shares; 0 where that is not known."""
    by_group = {group: figures.answer for (_, group), figures in measured.every.items()}
    return sum(share * (by_group[group] or 0.0) for group, share in measured.groups.items())
