"""A slice is repeated if the host took the processors away, by a rule that considers the machine alone."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.model.errors import AdapterFailure
from callbench.runner.machine.host_absence import GAP_CHECK_US, LOST_SHARE, MOST_REPEATS, drive_undisturbed

if TYPE_CHECKING:
    from callbench.runner.measure.host_monitor import GapDetector

SLICE_NS = 20_000_000


class Watching:
    """Stands for the detector: the machine was away for so long in each slice."""

    def __init__(self, *absence_ns: int) -> None:
        """Take in one a slice; the last one stays."""
        self._absence_ns = [*absence_ns]
        self.watches_since: list[int] = []
        self.watched = 0

    def start_watching(self, every_us: int) -> None:
        self.watches_since.append(every_us)

    def absence_ns(self) -> int:
        self.watched += 1
        return self._absence_ns.pop(0) if len(self._absence_ns) > 1 else self._absence_ns[0]


def detector(watching: Watching) -> "GapDetector":
    return cast("GapDetector", watching)


def slices(**beside: Any) -> Callable[[], Any]:
    """Slices whose calls show which one it is."""
    made: list[int] = []

    def drive() -> Any:
        made.append(len(made) + 1)
        return {"done": {"calls": made[-1], "elapsed_ns": SLICE_NS, "errors": {}, **beside}}

    return drive


def test_a_slice_counts_where_the_machine_was_there() -> None:
    watching = Watching(int(LOST_SHARE * SLICE_NS))
    found = drive_undisturbed(slices(), detector(watching))
    assert found == {"done": {"calls": 1, "elapsed_ns": SLICE_NS, "errors": {}}, "absence_ns": LOST_SHARE * SLICE_NS}
    assert watching.watches_since == [GAP_CHECK_US]


def test_it_is_repeated_where_the_machine_was_absent_and_what_is_set_aside_is_kept() -> None:
    found = drive_undisturbed(slices(), detector(Watching(3_000_000, 0)))
    assert found["done"]["calls"] == 2
    assert found["repeated"] == [{"calls": 1, "elapsed_ns": SLICE_NS, "absence_ns": 3_000_000}]
    assert "absence_ns" not in found, "the one that counts met nothing"


def test_the_last_one_counts_whatever_it_met() -> None:
    found = drive_undisturbed(slices(), detector(Watching(3_000_000)))
    assert (found["done"]["calls"], found["absence_ns"]) == (MOST_REPEATS + 1, 3_000_000)
    assert len(found["repeated"]) == MOST_REPEATS


def test_a_slice_with_an_error_counts_in_any_case() -> None:
    found = drive_undisturbed(slices(errors={"timeout": 1}), detector(Watching(3_000_000, 0)))
    assert (found["done"]["calls"], found["absence_ns"]) == (1, 3_000_000)


def test_without_a_detector_nothing_is_watched() -> None:
    assert drive_undisturbed(slices(), None)["done"]["calls"] == 1


def test_watching_ends_where_the_slice_fails() -> None:
    def fails() -> Any:
        raise AdapterFailure("died", "it died")

    watching = Watching(0)
    with pytest.raises(AdapterFailure, match="it died"):
        drive_undisturbed(fails, detector(watching))
    assert watching.watched == 1
