"""Single values for a schema without samples: lengths as in Google's fleet, words from a short list, within limits.

Lengths of text are fleetbench's (studies/published/fleet-2023.toml, `filled.proto`): p10 2, p50 11, p90 52, p99 505.
"""

import base64
import datetime as dt
import math
import uuid
from collections.abc import Callable
from itertools import pairwise
from random import Random

from callbench.model.service.imported import Json
from callbench.model.service.limits import NO_LIMITS, Limits
from callbench.model.service.schema import NARROW, NULL, THRIFT_UUID, WHOLE, Field, Kind

FORMATS = frozenset({
    *("uuid", "date-time", "date", "time", "duration", "decimal", "email", "uri", "ipv4", "ipv6", "hostname"),
    *("uri-reference", "iri", "iri-reference", "idn-email", "idn-hostname", "regex", "json-pointer"),
    *("relative-json-pointer", "uri-template", "url"),
})  # fmt: skip
"""Formats of text that are drawn as such."""
_RANGES = {
    Kind.INT32: (-(2**31), 2**31 - 1),
    Kind.INT64: (-(2**53), 2**53),
    Kind.UINT32: (0, 2**32 - 1),
    Kind.UINT64: (0, 2**53),
}
_WIDEST = {Kind.FLOAT: 3.4028234663852886e38, Kind.DOUBLE: 1.7976931348623157e308}
_EXACT = 2.0**53
_WIDE = {Kind.INT64, Kind.UINT64}
_SPAN = 10**6
_TRIES = 50
_LENGTHS = ((0.0, 1.0), (0.1, 2.0), (0.5, 11.0), (0.9, 52.0), (0.99, 505.0), (1.0, 505.0))
_TEXT = (
    "account active address amount area available base blue book branch build call card case city class client "
    "code color company contact copy country course credit customer data date day default delivery design detail "
    "device direct document door east event example express field file final first form free garden general gold "
    "green group hand head high home house image index input item job key large last left level light line list "
    "local location main manager market message model month mobile name new north note number office open order "
    "other owner paper part person phone place plan point post price product project public quality question "
    "range record red region report request result river road room sales second section service shop short side "
    "sign silver site size small south source space special standard start state station status stock store "
    "street summer supply support system table team test text time title total town track travel type unit update "
    "user value version view water week west white window winter word work world year yellow young zone "
)
_WORDS = tuple(_TEXT.split())


class Scalars:
    """Draws values that hold no others."""

    def __init__(self, random: Random) -> None:
        """Draws from this."""
        self._random = random

    def key(self, field: Field) -> str:
        """A key of a map."""
        if field.key is Kind.BOOL:
            return self._random.choice(("true", "false"))
        if field.key_format == THRIFT_UUID:
            return self._text(THRIFT_UUID, NO_LIMITS)
        most = NARROW.get(field.key_format, range(10_001)).stop - 1
        return self._random.choice(_WORDS) if field.key is Kind.STRING else str(self._random.randint(1, most))

    def drawn(self, field: Field) -> Json:
        """A value of a field that holds neither a message nor an enumeration."""
        if field.limits.values:
            value: Json = self._random.choice(field.limits.values)
            return value
        drawn: dict[Kind, Callable[[], Json]] = {
            Kind.JSON: lambda: self._any(field),
            Kind.STRING: lambda: self._text(field.format, field.limits),
            Kind.BOOL: lambda: self._random.random() < 0.5,
            Kind.DOUBLE: lambda: self._number(field.kind, field.limits),
            Kind.FLOAT: lambda: self._number(field.kind, field.limits),
            Kind.BYTES: lambda: base64.b64encode(self._random.randbytes(_size(field, self._length()))).decode(),
        }
        return drawn[field.kind]() if field.kind in drawn else self._integer(field.kind, field.limits)

    def _any(self, field: Field) -> Json:
        """A value of one of the types that are allowed: a text, if it can be one."""
        if field.format == NULL:
            return None
        types = field.limits.types
        if types is None or "string" in types:
            return self._text(field.format, field.limits)
        drawn: dict[str, Callable[[], Json]] = {
            "integer": lambda: self._integer(Kind.INT32, field.limits),
            "number": lambda: self._number(Kind.DOUBLE, field.limits),
            "boolean": lambda: self._random.random() < 0.5,
            "array": list,
            "object": dict,
        }
        kinds = sorted(types & drawn.keys())
        return drawn[self._random.choice(kinds)]() if kinds else None

    def _integer(self, kind: Kind, limits: Limits) -> int:
        least, most = limits.whole_bounds()
        if least is None and most is None and limits.multiple is None:
            return self._random.getrandbits(
                self._random.choice((7, 14, 21, 31, 42, 50) if kind in _WIDE else (4, 7, 10, 14, 21, 31))
            )
        smallest, largest = _RANGES[kind]
        if least is None:
            least = max(0, smallest) if most is None or most >= 0 else max(most - _SPAN, smallest)
        if most is None:
            most = min(least + _SPAN, largest)
        least, most = max(least, smallest), min(most, largest)
        step = limits.whole_step()
        first, last = -(-least // step), most // step
        if first <= last:
            return self._random.randint(first, last) * step
        # Where all that is allowed lies beyond the type, the import has listed that as a loss.
        return min(least, WHOLE[kind].stop - 1)

    def _number(self, kind: Kind, limits: Limits) -> float:
        if limits == NO_LIMITS:
            # One of 32 bits is exact.
            return (
                self._random.randrange(2**14) / 2**6 if kind is Kind.FLOAT else round(self._random.uniform(0, 1000), 2)
            )
        least = _tightest(max, limits.least, limits.above)
        most = _tightest(min, limits.most, limits.below)
        if least is None:
            least = 0.0 if most is None or most > 0 else most - 1000
        if most is None:
            most = least + 1000
        widest = _WIDEST[kind]
        least, most = max(least, -widest), min(most, widest)
        for _ in range(_TRIES):
            share = self._random.random()
            number = least * (1 - share) + most * share  # their difference can be beyond what a double holds
            if limits.multiple is not None and abs(number / limits.multiple) < _EXACT:
                # As people write it: 727 times 0.01 is 7.27, and not 7.2700000000000005.
                number = float(f"{round(number / limits.multiple) * limits.multiple:.15g}")
            short = abs(number) < _EXACT
            candidates = (round(number, 2), math.floor(number * 2**6) / 2**6, number) if short else (number,) * 2
            for candidate in candidates[1:] if kind is Kind.FLOAT else candidates:
                if limits.admits(candidate):
                    return candidate
        return most if limits.below is None else least

    def _text(self, form: str, limits: Limits) -> str:
        random = self._random
        moment = dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=random.randrange(2 * 365 * 86_400))
        word, other = random.choice(_WORDS), random.choice(_WORDS)
        number = random.randint(1, 10_000)
        known: dict[str, Callable[[], str]] = {
            **dict.fromkeys(("uuid", THRIFT_UUID), lambda: str(uuid.UUID(int=random.getrandbits(128), version=4))),
            "date-time": lambda: moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "date": lambda: moment.strftime("%Y-%m-%d"),
            "time": lambda: moment.strftime("%H:%M:%SZ"),
            "duration": lambda: f"PT{random.randint(1, 3600)}S",
            "decimal": lambda: f"{number}.{random.randint(0, 99):02}",
            **dict.fromkeys(("email", "idn-email"), lambda: f"{word}.{other}@example.org"),
            **dict.fromkeys(("uri", "url", "iri", "uri-template"), lambda: f"https://example.org/{word}/{number}"),
            **dict.fromkeys(("uri-reference", "iri-reference", "json-pointer"), lambda: f"/{word}/{number}"),
            "relative-json-pointer": lambda: f"1/{word}",
            "regex": lambda: f"^{word}[0-9]+$",
            "ipv4": lambda: f"192.0.2.{random.randint(1, 254)}",
            "ipv6": lambda: f"2001:db8::{random.randint(1, 0xFFFF):x}",
            **dict.fromkeys(("hostname", "idn-hostname"), lambda: f"{word}.example.org"),
        }
        if form in known:
            return known[form]()
        length = max(self._length(), limits.least_length or 0)
        length = length if limits.most_length is None else min(length, limits.most_length)
        text = " ".join(random.choices(_WORDS, k=1 + length // 4)).ljust(length, "a")[:length]
        return (text[:-1] + "a" if text.endswith(" ") else text) or ("a" if limits.most_length != 0 else "")

    def _length(self) -> int:
        """A length with the published quantiles; between them its logarithm grows evenly."""
        share = self._random.random()
        for (low, short), (high, long) in pairwise(_LENGTHS):
            if share <= high:
                part = (share - low) / (high - low)
                return round(math.exp(math.log(short) + part * (math.log(long) - math.log(short))))
        return round(_LENGTHS[-1][1])


def _size(field: Field, drawn: int) -> int:
    return drawn if field.fixed_size is None else field.fixed_size


def _tightest(which: Callable[[float, float], float], one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return other if one is None else one
    return which(one, other)
