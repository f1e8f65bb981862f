"""The values of a page that stand with an interval, and those that stand with two: a quantity has one."""

import html
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

_NUMBER = r"(?<![\w.,])-?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?"
# `1.18 (1.10 to 1.26)` and `193.8 calls/s (185.1 to 202.9)`; `27.3 ± 4 %`, and `27.3 | ± 4 %` of two columns.
_BOTH_ENDS = re.compile(rf"({_NUMBER})\s?([^\s()|\d][^()|\d]{{0,12}})?\s?\(({_NUMBER}) to ({_NUMBER})\)")
_HALF_WIDTH = re.compile(rf"({_NUMBER})\s?([^\s()|\d±][^()|\d±]{{0,12}})?\s?\|?\s?± ({_NUMBER}) %")
# With fewer digits, many values of a page are the same; zeros at the end are what rounding left.
_DIGITS = 3
_UNREAD = re.compile(r"<(style|script|svg)\b.*?</\1>", re.DOTALL)
_CELL, _TAG = re.compile(r"</t[dh]>"), re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Figure:
    """A value with its interval, as they are printed.

    Attributes:
        value: its digits.
        low: the lower end, within half a unit of `off`.
        high: the upper end.
        off: how far the ends may be from the true ones, because they were rounded.
        place: the text around it.
    """

    value: str
    low: float
    high: float
    off: float
    place: str

    def contradicts(self, other: "Figure") -> bool:
        """Whether both cannot be one interval, rounded in two ways."""
        off = self.off + other.off
        return abs(self.low - other.low) > off or abs(self.high - other.high) > off


def words_of(page: str) -> str:
    """Return the text of an HTML page, with a bar between the cells of a row; any other text as it is."""
    if "<html" not in page:
        return page
    return html.unescape(_TAG.sub(" ", _CELL.sub(" | ", _UNREAD.sub(" ", page))))


def figures(page: str) -> Iterator[Figure]:
    """Yield the values with an interval of a page."""
    text = re.sub(r"[ \n\u00a0]+", " ", words_of(page))
    for match in _BOTH_ENDS.finditer(text):
        ends = match[3], match[4]
        low, high = (float(end.replace(",", "")) for end in ends)
        yield Figure(match[1], low, high, max(map(_unit, ends)), _around(text, match))
    for match in _HALF_WIDTH.finditer(text):
        value, half = float(match[1].replace(",", "")), float(match[3].replace(",", "")) / 100
        off = abs(value) * _unit(match[3]) / 100 + _unit(match[1])
        # The half is that of the upper end, or of both: the interval of a ratio is not as far below as above.
        yield Figure(match[1], value * (1 - half), value * (1 + half), off + abs(value) * half**2, _around(text, match))


def _unit(number: str) -> float:
    """Return by how much a rounded number may be off, with a hair."""
    return float(Decimal(1).scaleb(int(Decimal(number.replace(",", "")).as_tuple().exponent))) * 0.51


def _around(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - 60) : match.end() + 10]


def with_two_intervals(page: str) -> dict[tuple[str, str], tuple[Figure, Figure]]:
    """Return the pairs of figures that are one value to three digits, with two intervals, by the words around them.

    Two quantities may have one value by chance. What is one quantity is found with the same words in each record.
    """
    same: dict[str, list[Figure]] = defaultdict(list)
    for one in figures(page):
        if len(one.value.replace(",", "").replace(".", "").strip("-0")) >= _DIGITS:
            same[f"{float(one.value.replace(',', '')):.{_DIGITS}g}"].append(one)
    return {
        (_words(one.place), _words(other.place)): (one, other)
        for several in same.values()
        for one, other in combinations(several, 2)
        if one.contradicts(other)
    }


def _words(place: str) -> str:
    return re.sub(r"[\d.,]+", "#", place)
