"""Shares and times as people write them on a command line: `2%`, `10m`."""

import math
import re

from callbench.model.errors import BadInput

_NUMBER = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*([a-zA-Z%]*)")
_SECONDS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def share(  # noqa: PLR0913 - a range and its ends
    text: str, what: str, least: float = 0.0, most: float = 1.0, *, or_least: bool = False, or_most: bool = False
) -> float:
    """Read `2%` or `0.02` as a share.

    Args:
        text: what was given.
        what: the option, for the sentence.
        least: what it must be greater than.
        most: what it must be less than.
        or_least: whether it may be the least itself.
        or_most: whether it may be the most itself.

    Raises:
        BadInput: it is no share, or out of range.
    """
    match = _NUMBER.fullmatch(text.strip())
    if not match or match[2] not in ("", "%"):
        raise BadInput(f"{what} {text}: give a percentage such as 2%")
    value = float(match[1]) / (100 if match[2] else 1)
    if not (least < value < most or (or_least and value == least) or (or_most and value == most)):
        low = f"{'at least' if or_least else 'above'} {least * 100:g}%"
        high = f"{'at most' if or_most else 'below'} {most * 100:g}%"
        raise BadInput(f"{what} {text}: it must be {low} and {high}")
    return value


def seconds(text: str, what: str) -> float:
    """Read `90s`, `10m`, `1.5h` or a bare number of seconds.

    Raises:
        BadInput: it is no time, or not above 0.
    """
    match = _NUMBER.fullmatch(text.strip())
    unit = _SECONDS.get(match[2].lower()) if match else None
    if not match or unit is None:
        raise BadInput(f"{what} {text}: give a time such as 90s, 10m or 1h")
    value = float(match[1]) * unit
    if not 0 < value < math.inf:
        raise BadInput(f"{what} {text}: it must be above 0")
    return value


def warm_up(text: str | None) -> float | None:
    """Read the limit of a warm-up in seconds: a time, or `none` for 0. None: the default.

    Raises:
        BadInput: it is neither.
    """
    if text is None:
        return None
    return 0.0 if text.strip().lower() == "none" else seconds(text, "--warm-up")


def numbers(text: str, what: str, least: int, most: int) -> tuple[int, ...]:
    """Read `1,10,50` as whole numbers.

    Raises:
        BadInput: one is none, or out of range.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise BadInput(f"{what} {text}: give whole numbers such as 1,10,50")
    values = tuple(int(part) for part in parts)
    if not all(least <= value <= most for value in values):
        raise BadInput(f"{what} {text}: each must be from {least:,} to {most:,}")
    return values
