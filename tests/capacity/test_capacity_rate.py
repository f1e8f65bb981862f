"""What a search says of the rate at the capacity, where loads of that level came to different rates."""

from dataclasses import replace
from pathlib import Path

from callbench.analysis.capacity.result import read
from callbench.report.capacity.answer import answer
from callbench.report.capacity.capacity_report import capacity_report
from callbench.store.record import Record

RECORD = Record(Path(__file__).parents[1] / "records" / "capacity")


def test_the_sentence_and_the_row_of_the_capacity_have_one_rate() -> None:
    """One of its seven loads missed the objective, with fewer calls than the others."""
    table = capacity_report(RECORD).sections[0].sheets[0]
    row = next(row for row in table.rows if row[0] == "2")
    assert row[1:3] == ("7", "6")
    # As if nobody had disturbed it.
    sentence = next(answer(replace(read(RECORD), saturation=None), ()))
    assert sentence.startswith("It holds 2 clients")
    assert f", at {row[table.columns.index('calls/s')]} (" in sentence
