"""Other numbers of the same size. All numbers of a place in one message are moved by the same step.

So what repeats goes on repeating, what is sorted stays sorted, and common leading digits stay common.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass
from random import Random

_EXACT = 10**15


@dataclass(frozen=True, slots=True)
class NumberGroup:
    """Numbers that are moved together: those of one size class with the same number of zeros at their end.

    Attributes:
        least: the least of the class, in units.
        most: the greatest, in units.
        unit: a power of ten that divides all of them.
        decimals: digits behind the point; -1 for an integer.
        last: whether the last digit is none of the number: it is replaced by itself, and never by zero.
    """

    least: int
    most: int
    unit: int
    decimals: int = -1
    last: bool = False


def group_of(number: float, bounds: tuple[float, float] | None = None) -> NumberGroup | None:
    """The group of a number; None if it has to stay as it is: zero, or a number with an exponent.

    Args:
        number: an integer or a floating-point number, as JSON has it.
        bounds: the least and greatest number seen at the place, if enough were seen to trust them.
    """
    if isinstance(number, int):
        return _integers(number, -1, bounds)
    parts = _parts(number)
    if parts is None:
        return None
    mantissa, decimals = parts
    if number.is_integer():
        return _integers(int(number), 0, bounds)
    # The last digit is not zero, or the number would be shorter: it is moved by itself.
    front = abs(mantissa) // 10
    power = len(str(front))
    least = 10 ** (power - 1) if front else 0
    most = 10**power - 1 if front else 0
    # A zero before the point stays there: 0.82 is not to become 4.82.
    if abs(number) < 1:
        least, most = (10 ** (power - 1), 10**power - 1) if front else (0, 0)
        most = min(most, 10 ** (decimals - 1) - 1)
    if bounds is not None:
        low, high = sorted((abs(bounds[0]), abs(bounds[1])))
        scale = 10 ** (decimals - 1)
        if bounds[0] * bounds[1] < 0 or high >= _EXACT:
            return None
        # Any last digit is to be within the bounds too.
        least, most = max(least, math.ceil(low * scale)), min(most, int(high * scale - 0.9))
        if not least <= front <= most:
            return None
    return NumberGroup(least, most, 1, decimals, last=True)


def moved(number: float, group: NumberGroup, step: int) -> float:
    """The number `step` units further in its class, beginning anew behind its end."""
    if group.last:
        parts = _parts(float(number))
        if parts is None:
            return number
        mantissa, decimals = parts
        front, last = divmod(abs(mantissa), 10)
        front = _cyclic(front, group, step)
        # With 16 digits or more, some decimal numbers are written with other digits: the next last digit is tried.
        for more in range(9):
            text = str(front * 10 + 1 + (last - 1 + step + more) % 9).rjust(decimals + 1, "0")
            other = float(f"{'-' if number < 0 else ''}{text[:-decimals]}.{text[-decimals:]}")
            if len(repr(other)) == len(repr(number)):
                return other
        return number
    units = int(number) // group.unit
    value = _cyclic(units, group, step) * group.unit
    return float(value) if isinstance(number, float) else value


def step_for(numbers: list[float], group: NumberGroup, random: Random) -> int:
    """A step for all numbers of a group: one that takes none of them over the end, if there is one."""
    width = group.most - group.least + 1
    if width <= 1:
        return random.randrange(9) if group.last else 0
    units = [_front(number, group) for number in numbers]
    down, up = min(units) - group.least, group.most - max(units)
    if down + up > 0:
        step = random.randint(-down, up - 1)
        return step if step < 0 else step + 1
    return random.randrange(width)


def _integers(number: int, decimals: int, bounds: tuple[float, float] | None) -> NumberGroup | None:
    if number == 0:
        return None
    least, most = size_class(number)
    if bounds is not None and bounds[0] <= number <= bounds[1]:
        least, most = max(least, int(bounds[0])), min(most, int(bounds[1]))
    text = str(abs(number))
    unit = 10 ** (len(text) - len(text.rstrip("0")))
    return NumberGroup(-(-least // unit), most // unit, unit, decimals)


def _front(number: float, group: NumberGroup) -> int:
    if not group.last:
        return int(number) // group.unit
    parts = _parts(float(number))
    return abs(parts[0]) // 10 if parts else 0


def _cyclic(units: int, group: NumberGroup, step: int) -> int:
    width = group.most - group.least + 1
    return group.least + (units - group.least + step) % width if width > 0 else units


def _parts(number: float) -> tuple[int, int] | None:
    """Mantissa and decimals of the shortest text of a number."""
    text = repr(number)
    whole, dot, fraction = text.partition(".")
    if not dot or not fraction.isdigit():
        return None
    return int(whole + fraction), len(fraction)


# The bounds are those of JSON (decimal digits), protobuf and Avro (varints of 7 bits a byte, with and without zigzag),
# MessagePack, CBOR and BSON (1, 2, 4 or 8 bytes). Between two neighbouring bounds, all integers have one size
# everywhere.
_DIGITS = [10**power for power in range(20)]
_VARINT = [1 << 7 * count for count in range(1, 10)]
_ZIGZAG = [1 << (7 * count - 1) for count in range(1, 10)]
_FIXED = [1 << 8, 1 << 15, 1 << 16, 1 << 31, 1 << 32, 1 << 63, 1 << 64]
# The first of each class. CBOR has 0 to 23 in its first byte, MessagePack 0 to 127.
_POSITIVE = sorted({24, 128, *_DIGITS, *_VARINT, *_ZIGZAG, *_FIXED})
# The same for -v: CBOR has -1 to -24 in its first byte, MessagePack -1 to -32.
_NEGATIVE = sorted({25, 33, *_DIGITS, *(bound + 1 for bound in (*_ZIGZAG, 1 << 7, *_FIXED))})


def size_class(value: int) -> tuple[int, int]:
    """The least and the greatest integer of the size of this one, both included. Zero is alone."""
    if value == 0:
        return 0, 0
    bounds = _POSITIVE if value > 0 else _NEGATIVE
    at = bisect_right(bounds, abs(value))
    least = bounds[at - 1]
    most = bounds[at] - 1 if at < len(bounds) else abs(value)
    return (least, most) if value > 0 else (-most, -least)
