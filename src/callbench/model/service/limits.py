"""What a user's schema says of the size and the range of values. Only generated payloads depend on it."""

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

    def admits(self, number: float) -> bool:
        """Whether a number is within the limits, as validators compute it."""
        within = (self.least is None or number >= self.least) and (self.most is None or number <= self.most)
        apart = (self.above is None or number > self.above) and (self.below is None or number < self.below)
        return within and apart and (self.multiple is None or float(number / self.multiple).is_integer())

    def both(self, other: "Limits") -> "Limits":
        """If both hold."""
        return Limits(
            _chosen(max, self.least_size, other.least_size),
            _chosen(min, self.most_size, other.most_size),
            self.unique or other.unique,
            _chosen(max, self.least_length, other.least_length),
            _chosen(min, self.most_length, other.most_length),
            _chosen(max, self.least, other.least),
            _chosen(min, self.most, other.most),
            _chosen(max, self.above, other.above),
            _chosen(min, self.below, other.below),
            # A multiple of two numbers is one of their product.
            other.multiple if self.multiple is None else self.multiple * (other.multiple or 1),
        )


NO_LIMITS = Limits()


def _chosen(which: Callable[[_N, _N], _N], one: _N | None, other: _N | None) -> _N | None:
    if one is None or other is None:
        return other if one is None else one
    return which(one, other)
