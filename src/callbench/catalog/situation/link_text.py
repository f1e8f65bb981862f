"""A link in a few words: a name of `callbench list links`, or what `ping` and a speed test say, as `25ms,20mbit`."""

import re

from callbench.catalog.links.profile import Link, LinkPart, find
from callbench.catalog.reach import LOOPBACK
from callbench.model.errors import BadInput

EXAMPLE = "25ms,20mbit"
_PIECE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|kbit|mbit|gbit|%)")
_MS = {"ms": 1.0, "s": 1000.0}
_MBIT = {"kbit": 0.001, "mbit": 1.0, "gbit": 1000.0}


def link_of(text: str) -> Link:
    """Read a link.

    A time is the round trip, half of it each way. A rate holds each way. A percentage is the share of lost frames.

    Args:
        text: `loopback`, a name, or pieces such as `25ms,20mbit,1%`.

    Raises:
        BadInput: it is none of these, or out of range.
    """
    plain = text.strip()
    if plain == LOOPBACK:
        return Link(LOOPBACK, "one machine", "", {})
    if not plain[:1].isdigit():
        return find(plain)
    values: dict[str, float] = {}
    for piece in plain.lower().replace("/s", "").split(","):
        match = _PIECE.fullmatch(piece.strip())
        if match is None:
            raise BadInput(f'link "{text}": write the round trip and the rate as {EXAMPLE}, or a name of a link')
        number, unit = float(match[1]), match[2]
        name, value = (
            ("delay_ms", number * _MS[unit] / 2)
            if unit in _MS
            else ("rate_mbit", number * _MBIT[unit])
            if unit in _MBIT
            else ("loss", number / 100)
        )
        if name in values:
            raise BadInput(f'link "{text}": it has two times, rates or losses; give each once')
        values[name] = value
    try:
        return Link.of(plain.replace(" ", ""), LinkPart.model_validate(values))
    except ValueError as failure:
        raise BadInput(
            f'link "{text}" is out of range: a round trip is up to 120 s, a rate 0 to 1,000 Gbit/s'
        ) from failure
