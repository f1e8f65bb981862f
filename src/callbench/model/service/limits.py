"""What a user's schema says of the size and the range of values. Only generated payloads depend on it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

_N = TypeVar("_N", int, float)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a value, of the list that holds it, or of the map.

    Attributes:
        least_size: of a list or a map.
        most_size: likewise.
        unique: no two items of the list are equal.
        least_length: of a text, in characters.
        most_length: likewise.
        least: of a number.
        most: likewise.
        above: the number is greater than this.
        below: the number is less than this.
        multiple: the number is a multiple of it.
        types: of a value of any type, the types of JSON Schema that it can have; none: all.
        values: those that are allowed, where the type does not say it; none: all.
        only: `request` or `answer`, if the value is in these alone; otherwise empty.
    """

    least_size: int | None = None
    most_size: int | None = None
    unique: bool = False
    least_length: int | None = None
    most_length: int | None = None
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    multiple: float | None = None
    types: frozenset[str] | None = None
    values: tuple[Any, ...] | None = None
    only: str = ""

    def admits(self, number: float) -> bool:
        """Whether a number is within the limits, as validators compute it."""
        within = (self.least is None or number >= self.least) and (self.most is None or number <= self.most)
        apart = (self.above is None or number > self.above) and (self.below is None or number < self.below)
        return within and apart and (self.multiple is None or float(number / self.multiple).is_integer())

    def whole_bounds(self) -> tuple[int | None, int | None]:
        """The least and the greatest whole number within the limits."""
        least = [math.ceil(self.least)] if self.least is not None else []
        least += [math.floor(self.above) + 1] if self.above is not None else []
        most = [math.floor(self.most)] if self.most is not None else []
        most += [math.ceil(self.below) - 1] if self.below is not None else []
        return max(least, default=None), min(most, default=None)

    def whole_step(self) -> int:
        """The least whole number that is a multiple."""
        if self.multiple is None:
            return 1
        for times in range(1, 1001):
            if float(self.multiple * times).is_integer():
                return max(1, int(self.multiple * times))
        return 1

    def contradict(self, *, whole: bool) -> bool:
        """Whether no value is within the limits.

        Args:
            whole: whether a number has to be a whole one.
        """
        closed = [(self.least_size, self.most_size), (self.least_length, self.most_length), (self.least, self.most)]
        opened = [(self.above, self.most), (self.least, self.below), (self.above, self.below)]
        crossed = any(low is not None and high is not None and low > high for low, high in closed)
        met = any(low is not None and high is not None and low >= high for low, high in opened)
        if crossed or met:
            return True
        least, most = self.whole_bounds()
        step = self.whole_step()
        return whole and least is not None and most is not None and -(-least // step) > most // step

    def both(self, other: "Limits") -> "Limits":
        """If both hold."""
        return Limits(
            least_size=_chosen(max, self.least_size, other.least_size),
            most_size=_chosen(min, self.most_size, other.most_size),
            unique=self.unique or other.unique,
            least_length=_chosen(max, self.least_length, other.least_length),
            most_length=_chosen(min, self.most_length, other.most_length),
            least=_chosen(max, self.least, other.least),
            most=_chosen(min, self.most, other.most),
            above=_chosen(max, self.above, other.above),
            below=_chosen(min, self.below, other.below),
            # A multiple of two numbers is one of their product.
            multiple=other.multiple if self.multiple is None else self.multiple * (other.multiple or 1),
        )


NO_LIMITS = Limits()


def _chosen(which: Callable[[_N, _N], _N], own: _N | None, other: _N | None) -> _N | None:
    if own is None or other is None:
        return other if own is None else own
    return which(own, other)
