"""A claim's comparisons, one for each combination of its variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from callbench.study.model import ClaimPart, ComparePart, Where
from callbench.study.parameters import fill_text


@dataclass(frozen=True)
class Comparison:
    """One ratio and the range it is held against.

    Attributes:
        label: what is compared, in words.
        over: conditions of the cells whose statistics are multiplied above the line.
        under: the same below the line.
        low: the ratio must lie above it (0: no bound).
        high: the ratio must lie below it (infinity: no bound).
        under_statistic: what is taken of the cells below the line, where it is not the claim's statistic.
    """

    label: str
    over: tuple[Mapping[str, str], ...]
    under: tuple[Mapping[str, str], ...]
    low: float
    high: float
    under_statistic: str | None = None


def comparisons(claim: ClaimPart) -> list[Comparison]:
    """Write out every comparison of a claim, in the order of the file."""
    return [one for part in claim.compare for one in _expanded(part, f"claim {claim.id}")]


def _expanded(part: ComparePart, place: str) -> list[Comparison]:
    """Write out one comparison for each combination of its variables."""
    low, high = part.between or (part.above or 0.0, part.below or float("inf"))
    names = list(part.for_each)
    written = []
    for values in product(*part.for_each.values()):
        chosen = dict(zip(names, values, strict=True))

        def conditions(cells: list[Where], chosen: Mapping[str, str | int] = chosen) -> tuple[Mapping[str, str], ...]:
            return tuple(
                {key: str(fill_text(text, chosen, place)) for key, text in cell.conditions().items()} for cell in cells
            )

        label = str(fill_text(part.label, chosen, place))
        written.append(
            Comparison(label, conditions(part.over), conditions(part.under), low, high, part.under_statistic)
        )
    return written
