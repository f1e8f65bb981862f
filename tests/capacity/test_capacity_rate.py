"""What a search says of the rate at the capacity, where loads of that level came to different rates."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from callbench.analysis.capacity.result import broken_from, proof_of, read
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


def _load(level: float, calls: int, *, holds: bool) -> Any:
    return {"level": level, "load": {"calls": calls}, "holds": holds, "errors": {}, "at_s": level}


def test_a_server_that_answers_rightly_no_more_is_told_from_one_that_too_many_call() -> None:
    """One that answered wrongly for good after 5,000 calls was said to be slowed by something rare."""
    broke: Any = _load(8, 0, holds=False)
    held = [_load(level, 50, holds=True) for level in (1, 2, 4)]
    assert broken_from([*held, broke, _load(5, 0, holds=False)]) is None
    assert broken_from([*held, broke, _load(3, 0, holds=False)]) == broke
    answers_again = [_load(3, 0, holds=False), _load(2, 9, holds=True)]
    assert broken_from([*held, broke, *answers_again]) is None


def test_longer_loads_whose_calls_failed_are_not_called_slow() -> None:
    met: Any = next(line for line in read(RECORD).steps if line["holds"])
    missed: Any = {**met, "holds": False, "errors": {"status": 3}}
    found = proof_of([missed] * 2, [met])
    asked = replace(read(RECORD).request, need=None)
    said = " ".join(answer(replace(read(RECORD), proof=found, request=asked, saturation=None), ()))
    assert "met it: calls failed (status)." in said
