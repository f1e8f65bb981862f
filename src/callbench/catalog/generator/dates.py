"""Dates and times, moved by the same span in all of a message."""

import datetime as dt
import re
from random import Random

_MOMENT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:(?P<mark>[T ])(?P<time>\d\d:\d\d(?::\d\d)?)(?P<rest>[.,]\d+)?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
_DAY = 86_400
# Half a year: the year's digits mostly stay, as they do in messages of one day.
_SPAN = 183 * _DAY
# Years of four digits, all of which a moved date can be written with.
_YEARS = range(1000, 10_000)


def is_moment(text: str) -> bool:
    """Whether a text is a date, or a date with a time, as RFC 3339 writes them."""
    return _read(text) is not None


def unit(text: str) -> int:
    """The seconds by which a moment may be moved and look as round as before: a day, an hour, a minute or one."""
    moment = _read(text)
    if moment is None:
        return 1
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    return next(step for step in (_DAY, 3600, 60, 1) if seconds % step == 0)


def span(units: list[int], random: Random) -> int:
    """Seconds by which to move the moments of a message, whose units these are."""
    step = max(units, default=1) if len(set(units)) == 1 else min(units, default=1)
    count = _SPAN // step
    return (random.randint(1, count) if random.random() < 0.5 else -random.randint(1, count)) * step


def moved(text: str, seconds: int) -> str:
    """The moment so many seconds later, written as before."""
    moment = _read(text)
    match = _MOMENT.fullmatch(text)
    if moment is None or match is None:
        return text
    try:
        later = moment + dt.timedelta(seconds=seconds)
    except OverflowError:
        return text
    if later.year not in _YEARS:
        return text
    if match["time"] is None:
        return later.strftime("%Y-%m-%d")
    time = later.strftime("%H:%M:%S")[: len(match["time"])]
    return f"{later.strftime('%Y-%m-%d')}{match['mark']}{time}{match['rest'] or ''}{match['zone'] or ''}"


def _read(text: str) -> dt.datetime | None:
    match = _MOMENT.fullmatch(text)
    if match is None or int(text[:4]) not in _YEARS:
        return None
    try:
        return dt.datetime.fromisoformat(match["date"] + ("T" + match["time"] if match["time"] else ""))
    except ValueError:
        return None
