"""A slice is made again where the machine was away, by a rule that looks at the machine alone."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.model.errors import AdapterFailure
from callbench.runner.away import AWAY, LOOK_US, MOST_AGAIN, undisturbed

if TYPE_CHECKING:
    from callbench.runner.measure.witness import GapDetector

SLICE_NS = 20_000_000


class Watching:
    """Stands for the detector: the machine was away for so long in each slice."""

    def __init__(self, *away_ns: int) -> None:
        """Take in one a slice; the last one stays."""
        self._away_ns = [*away_ns]
        self.watches_since: list[int] = []
        self.watched = 0

    def watches(self, every_us: int) -> None:
        self.watches_since.append(every_us)

    def away_ns(self) -> int:
        self.watched += 1
        return self._away_ns.pop(0) if len(self._away_ns) > 1 else self._away_ns[0]


def detector(watching: Watching) -> "GapDetector":
    return cast("GapDetector", watching)


def slices(**beside: Any) -> Callable[[], dict[str, Any]]:
    """Slices whose calls tell which one it is."""
    made: list[int] = []

    def drive() -> dict[str, Any]:
        made.append(len(made) + 1)
        return {"done": {"calls": made[-1], "elapsed_ns": SLICE_NS, "errors": {}, **beside}}

    return drive


def test_a_slice_counts_where_the_machine_was_there() -> None:
    watching = Watching(int(AWAY * SLICE_NS))
    found = undisturbed(slices(), detector(watching))
    assert found == {"done": {"calls": 1, "elapsed_ns": SLICE_NS, "errors": {}}, "away_ns": AWAY * SLICE_NS}
    assert watching.watches_since == [LOOK_US]


def test_it_is_made_again_where_the_machine_was_away_and_what_is_set_aside_is_kept() -> None:
    found = undisturbed(slices(), detector(Watching(3_000_000, 0)))
    assert found["done"]["calls"] == 2
    assert found["aside"] == [{"calls": 1, "elapsed_ns": SLICE_NS, "away_ns": 3_000_000}]
    assert "away_ns" not in found, "the one that counts met nothing"


def test_the_last_one_counts_whatever_it_met() -> None:
    found = undisturbed(slices(), detector(Watching(3_000_000)))
    assert (found["done"]["calls"], found["away_ns"]) == (MOST_AGAIN + 1, 3_000_000)
    assert len(found["aside"]) == MOST_AGAIN


def test_a_slice_with_an_error_counts_in_any_case() -> None:
    found = undisturbed(slices(errors={"timeout": 1}), detector(Watching(3_000_000, 0)))
    assert (found["done"]["calls"], found["away_ns"]) == (1, 3_000_000)


def test_nobody_watches_where_there_is_no_detector() -> None:
    assert undisturbed(slices(), None)["done"]["calls"] == 1


def test_watching_ends_where_the_slice_fails() -> None:
    def fails() -> dict[str, Any]:
        raise AdapterFailure("died", "it died")

    watching = Watching(0)
    with pytest.raises(AdapterFailure, match="it died"):
        undisturbed(fails, detector(watching))
    assert watching.watched == 1
