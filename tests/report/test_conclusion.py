"""Who is named cheapest, and how sure that is; where the bytes of then and now differ."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.analysis.wire.accounts import Ledger
from callbench.analysis.wire.counts import LIFE, STEADY
from callbench.catalog.study import load
from callbench.model.errors import BadInput
from callbench.report.studies.thesis.conclusion import RowCost, _first, costs, section
from callbench.report.studies.thesis.overhead_beside import _difference
from conftest import SMALL

if TYPE_CHECKING:
    from callbench.analysis.run.subject import Subject

CONCLUSION = """
[conclusion]
title = "Which"
links = ["wan50"]
calls = [{ label = "sum", near = "Sum" }]
[[conclusion.environments]]
label = "anywhere"
rows = ["tcp"]
"""
ROWS = '\n[[rows]]\nlabel = "tcp"\nwhere = { channel = "tcp" }\n'


def measured(*ms: float) -> RowCost:
    return RowCost(dict(enumerate(ms)), True, {})


def predicted(*ms: float) -> RowCost:
    return RowCost(dict(enumerate(ms)), False, {})


def test_only_what_is_shown_is_said_to_be_ahead() -> None:
    there = {"near": measured(11, 12.1, 10.9), "slow": measured(20, 22, 20.1), "quick": measured(10, 11, 10.1)}
    assert _first(there, 0.05) == ("quick", "10.4", "near", "9.3 %", "measured; shown")
    # The forks change places: none is ahead.
    jumpy = {"one": measured(10, 14, 9), "other": measured(11, 10, 12)}
    assert _first(jumpy, 0.05)[0] == "one = other"
    assert "not distinguished" in _first(jumpy, 0.05)[-1]


def test_a_prediction_is_not_finer_than_it_is_good_for() -> None:
    close = {"one": predicted(100, 101, 100), "other": predicted(103, 104, 103), "far": predicted(150, 151, 150)}
    told = _first(close, 0.05)
    assert (told[0], told[2], told[4]) == ("one = other", "far", "predicted; not distinguished")
    assert _first(close, 0.01)[0] == "one"


def test_a_difference_alike_for_every_type_is_not_in_the_call() -> None:
    assert "419 bytes more than in 2003 for every type" in _difference("RMI", 419, 419, [1199, 65, 63])
    assert "encoded differently" in _difference("X", -10, 200, [])
    assert "Nearly all of it" in _difference("Y", -384, -368, [])


@dataclass
class Cells:
    """Results that are chosen as those of a run are, with accounts of two of them."""

    cells: list[Any]
    ledgers: dict[str, Ledger]

    def where(self, conditions: dict[str, str]) -> list[Any]:
        return [one for one in self.cells if conditions.items() <= one.attributes.items()]


def cell(id_: str, group: str, channel: str, link: str, *us: float) -> SimpleNamespace:
    attributes = {"group": group, "channel": channel, "link": link, "clients": "1"}
    return SimpleNamespace(id=id_, attributes=attributes, at_least=False, by_fork={"mean_us": dict(enumerate(us))})


def account(octets: int) -> Ledger:
    """A call of one packet each way."""
    row = {"packets": 1, "ip": 20, "tcp": 32, "payload": octets, "retransmitted": 0, "turns": 1, "connections": 1}
    return Ledger({STEADY: [row, row], LIFE: [row, row]}, 0, 0, exact=True)


def test_what_was_not_measured_is_predicted_from_bytes_and_distinguished(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    rows = ROWS + '\n[[rows]]\nlabel = "http"\nwhere = { channel = "http" }\n'
    text = CONCLUSION.replace('near = "Sum"', 'near = "Sum", far = "GetPersons"').replace(
        '"wan50"', '"wan50", "modem56k"'
    )
    file.write_text(SMALL + rows + text.replace('["tcp"]', '["tcp", "http"]'))
    cells = [
        cell("c1", "Sum", "tcp", "loopback", 1000, 1010, 990),
        cell("c2", "Sum", "http", "loopback", 1000, 1005, 995),
        cell("c3", "GetPersons", "tcp", "wan50", 52000, 51500, 51000),
    ]
    results = Cells(cells, {"c1": account(48), "c2": account(1048)})
    subject = cast("Subject", SimpleNamespace(study=load(file), results=results))
    part = load(file).part.conclusion
    assert part
    found = costs(subject, part, part.calls[0])
    near = found["tcp", "wan50"]
    assert (near.measured, near.ms[0]) == (True, 52)
    # A millisecond here, and 50 ms there and back.
    assert near.predicted[0] == pytest.approx(51)
    far = found["tcp", "modem56k"], found["http", "modem56k"]
    assert [one.measured for one in far] == [False, False]
    # A thousand more bytes each way, at 30 and 49 kbit/s.
    assert far[1].ms[0] - far[0].ms[0] == pytest.approx(8000 / 30 + 8000 / 49)
    shown = section(subject)
    assert shown
    assert any("measured and predicted once" in text for text in shown.found)
    which = [row for row in shown.sheets[0].rows if row[1] == "modem56k"]
    assert [(row[3], row[5], row[7]) for row in which] == [("tcp", "http", "predicted; shown")]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('near = "Sum"', 'near = "Sums"', 'there is no group "Sums"'),
        ('"wan50"', '"wan51"', 'there is no link "wan51"'),
        ('rows = ["tcp"]', 'rows = ["udp"]', 'no row is called "udp"'),
    ],
)
def test_a_conclusion_names_what_exists(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL + ROWS + CONCLUSION)
    assert load(file).part.conclusion
    file.write_text(SMALL + ROWS + CONCLUSION.replace(old, new))
    with pytest.raises(BadInput, match=said):
        load(file)
