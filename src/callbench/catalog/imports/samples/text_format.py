"""What a text stands for, seen from samples of it."""

import datetime as dt
import re
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_DECIMAL = re.compile(r"[+-]?\d{1,30}\.\d{1,30}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_moment(text: str) -> bool:
    if not _MOMENT.fullmatch(text):
        return False
    return _is_date(text[:10]) and text[11:13] <= "24" and text[14:16] <= "59" and text[17:19] <= "60"


def _is_uri(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme and parts.netloc and not re.search(r"\s", text))


_FORMATS: dict[str, Callable[[str], bool]] = {
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
    "date-time": _is_moment,
    "date": _is_date,
    "decimal": lambda text: _DECIMAL.fullmatch(text) is not None,
    "uri": _is_uri,
    "email": lambda text: _EMAIL.fullmatch(text) is not None,
}
ALL = frozenset(_FORMATS)


def still(formats: Iterable[str], text: str) -> frozenset[str]:
    """Those of the formats that this text has too."""
    return frozenset(name for name in formats if _FORMATS[name](text))
