"""The published sizes: `studies/published/fleet-2023.toml`."""

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from callbench.model.installation import home

LARGEST = 2**20
"""Bytes at which sizes are cut: larger messages are sent in parts, or as files."""
_TOTAL = 8 * 2**20
_SAMPLES = 256


def folder() -> Path:
    """Where published figures are."""
    return home() / "studies" / "published"


def figures() -> dict[str, Any]:
    """The published file."""
    return tomllib.loads((folder() / "fleet-2023.toml").read_text(encoding="utf-8"))


def sizes(quantiles: Sequence[tuple[float, float]]) -> list[int]:
    """Sizes that have these quantiles: one from the middle of each of up to 256 equal parts of the distribution.

    Between two quantiles, the logarithm of the size grows evenly. Fewer samples are made if they would have over 8 MiB.

    Args:
        quantiles: share of the messages, 0 to 1, and the size in bytes that they are at most, both rising.
    """
    count = _SAMPLES
    while True:
        drawn = [min(LARGEST, round(_at((index + 0.5) / count, quantiles))) for index in range(count)]
        if sum(drawn) <= _TOTAL or count <= 8:
            return drawn
        count //= 2


def _at(share: float, quantiles: Sequence[tuple[float, float]]) -> float:
    below = quantiles[0]
    for above in quantiles:
        if share <= above[0]:
            width = above[0] - below[0]
            part = (share - below[0]) / width if width else 1.0
            return math.exp(math.log(below[1]) + part * (math.log(above[1]) - math.log(below[1])))
        below = above
    return quantiles[-1][1]
