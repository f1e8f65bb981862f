"""What stands under a title says more than it: no sentence of an opening only says the title again."""

import re
from pathlib import Path

import pytest

from callbench.report.record_kinds import report_of
from callbench.report.text.opening import MOST_SENTENCES, opening_of
from callbench.store.record import Record

RECORDS = Path(__file__).parents[1] / "records"
NAMES = sorted(file.parent.name for file in RECORDS.glob("*/record.json"))


@pytest.mark.parametrize(
    ("title", "sentence", "left"),
    [
        ("Passed: none failed", "Passed: none failed.", []),
        ("Both agree in 1 of 2 cells; 1 not driven", "1 agree, 1 not driven.", []),
        (
            "Failed: it grew; 2 more findings",
            "Failed: it grew; it died; it slept.",
            ["Also failed: it died; it slept."],
        ),
        ("Failed: it grew", "Failed: it grew; it died.", ["Also failed: it died."]),
        (
            "Holds 2 clients",
            "It holds 2 clients (1 to 3), at 180 calls/s.",
            ["It holds 2 clients (1 to 3), at 180 calls/s."],
        ),
        ("90 calls/s", "89 calls/s; none failed.", ["89 calls/s; none failed."]),
    ],
)
def test_a_title_is_not_said_again(title: str, sentence: str, left: list[str]) -> None:
    assert list(opening_of(title, [sentence], []).sentences) == left


@pytest.mark.parametrize("name", [name for name in NAMES if name != "compare"])
def test_no_record_begins_by_saying_its_title_again(name: str) -> None:
    """Nor does a sentence of its opening say what one above it says."""
    opening = report_of(Record(RECORDS / name)).opening
    above = opening.title
    for sentence in [*opening.sentences, *opening.more][:MOST_SENTENCES]:
        parts = [part for part in re.split(r"[.;] ", sentence.removesuffix(".")) if len(part.split()) > 4]
        assert not [part for part in parts if part in above], sentence
        above += f"\n{sentence}"


def test_there_is_a_record_of_each_kind() -> None:
    assert {"compare", "load", "soak", "overload", "torture", "capacity", "peer"} <= {*NAMES}
