"""The view that compares records: the decisions of `callbench compare RUN RUN`, for each run against the first."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from callbench.analysis.wording.words import change_text
from callbench.model.errors import BadInput
from callbench.store.shelf import Shelf
from callbench.web.guard import READING_POLICY
from callbench.web.program import KeptAnswers, parsed
from callbench.web.reports import state_of
from callbench.web.views import view

MOST_RUNS = 6
# Passed, a regression, undecided: the comparison was made in each case.
_ENDS = (0, 1, 3)
_NOISE, _MISSING = frozenset({"equivalent", "undecided"}), "not compared"


class Comparing:
    """What `/compare` answers."""

    def __init__(self, shelf: Shelf) -> None:
        """Compare runs of a folder."""
        self._shelf, self._answers = shelf, KeptAnswers()

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (Route("/compare", self._compare),)

    def _compare(self, request: Request) -> Response:
        runs = list(dict.fromkeys(request.query_params.getlist("run")))
        if not 2 <= len(runs) <= MOST_RUNS:
            raise BadInput(f"choose from two to {MOST_RUNS} runs in Records: {len(runs)} were chosen")
        # The list has the newest first; what is asked is what came after the oldest.
        runs.sort(key=lambda name: self._shelf.entry(name).started)
        hidden = request.query_params.get("noise") == "hidden"
        first, *others = runs
        return view(
            "compare",
            {
                "runs": runs,
                "first": first,
                "hidden": hidden,
                "tables": [(other, table(parsed(self.text(first, other)))) for other in others],
            },
            policy=READING_POLICY,
        )

    def text(self, first: str, other: str) -> str:
        """Return what the command prints of two runs, in JSON; it is made anew when one of them changes.

        Raises:
            BadInput: they cannot be compared; the sentence is the command's.
            MachineFailure: it took too long.
        """
        paths = [self._shelf.path(name) for name in (first, other)]
        return self._answers.text(["compare", *map(str, paths), "--json"], list(map(state_of, paths)), _ENDS)


def table(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is shown of a comparison, the greatest change by its noise first.

    Args:
        document: as `comparison.schema.json` has it.
    """
    rows = [_row(cell) for cell in sorted(document["cells"], key=_by_noise, reverse=True)]
    return {
        "rows": rows,
        "noise": sum(row["noise"] for row in rows),
        "missing": sum(row["missing"] for row in rows),
        "title": document["title"],
        "sentences": [sentence for sentence in document["sentences"] if sentence != document["outcome"]],
        "notes": document["notes"],
    }


def _by_noise(cell: Mapping[str, Any]) -> float:
    """Return how far the ratio lies from 1, in half-widths of its interval; what has none comes last."""
    ratio, low, high = cell["ratio"], cell["low"], cell["high"]
    if not (ratio and low and high):
        return -1.0
    return abs(math.log(ratio)) / max(math.log(high / low) / 2, 1e-12)


def _name(stacks: Sequence[str], cell: str) -> str:
    """Return what a cell is called: by its stack too, since many have the same call."""
    a, b = stacks
    return f"{a if a == b else f'{a} → {b}'} {cell}"


def _row(cell: Mapping[str, Any]) -> dict[str, Any]:
    ratio, low, high = cell["ratio"], cell["low"], cell["high"]
    far = _by_noise(cell)
    return {
        "name": _name(cell["stacks"], cell["name"]),
        "metric": cell["metric"],
        "change": change_text(ratio) if ratio else "",
        "interval": f"{change_text(low)} to {change_text(high)}" if low and high else "",
        "by_noise": f"{far:,.1f}" if far >= 0 else "",
        "verdict": cell["verdict"],
        "noise": cell["verdict"] in _NOISE,
        "missing": cell["verdict"] == _MISSING,
        "why": cell["why"],
    }
