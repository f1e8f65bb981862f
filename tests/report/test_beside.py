"""The values of a run beside the echo of their rounds, or beside a chosen stack."""

import math
import re
from dataclasses import replace

import pytest

from callbench.analysis.cells.results import AT_LEAST, Result
from callbench.analysis.metrics.metric_values import value_of
from callbench.analysis.run.beside import ECHO, Beside
from callbench.analysis.run.subject import Subject, subject
from callbench.model.errors import BadInput
from callbench.model.metrics.latency import ECHOES
from callbench.report.export.page import page
from callbench.store.record import Record
from report.synthetic import write

FEW = ("native/soap+supertcp", "native/bin+library", "native/bincomp+http")
CHOSEN = FEW[1]


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject(Record(write(tmp_path_factory.mktemp("runs") / "few", only=FEW)), CHOSEN)


def pairs(run: Subject, stack: str) -> list[tuple[Result, Result]]:
    """Each cell with the same one of a stack, if that was measured."""
    known = {cell.identity[1:]: cell for cell in run.results.cells if cell.attributes["stack"] == stack}
    return [(cell, known[cell.identity[1:]]) for cell in run.results.cells if cell.identity[1:] in known]


def test_a_rate_is_divided_fork_by_fork(few: Subject) -> None:
    assert pairs(few, CHOSEN)
    for cell, other in pairs(few, CHOSEN):
        place, mine, its = few.place(cell, "rate_per_s"), cell.by_fork["rate_per_s"], other.by_fork["rate_per_s"]
        logs = [math.log(mine[fork] / its[fork]) for fork in mine]
        assert place.value == pytest.approx(math.exp(sum(logs) / len(logs)))
        assert place.interval is not None
        assert place.cell == cell.id
        if cell is other:
            assert (place.text, place.spread) == ("1", ""), "of itself there is no doubt"
        else:
            assert (place.interval.low or 0) < place.interval.middle < (place.interval.high or 0)
            assert f"of {CHOSEN}" in place.about


def test_a_percentile_is_the_ratio_of_what_other_tables_show(few: Subject) -> None:
    beside = Beside(FEW[0], few.results)
    for cell, other in pairs(few, FEW[0]):
        mine, its = value_of(cell, "p99_us"), value_of(other, "p99_us")
        if mine is not None and its is not None:
            assert beside.place(cell, "p99_us").value == pytest.approx(mine.middle / its.middle)


def test_times_are_in_times_of_the_echo_and_rates_in_calls_in_its_time(few: Subject) -> None:
    beside = Beside(ECHO, few.results)
    measured = [cell for cell in few.results.cells if ECHOES in cell.by_fork]
    assert measured
    for cell in measured:
        echoes = cell.interval(ECHOES)
        assert echoes is not None
        assert beside.place(cell, "mean_us").value == pytest.approx(echoes.middle)
        rate = beside.place(cell, "rate_per_s").value
        assert rate == pytest.approx(1 / echoes.middle, rel=0.2), "but for the time of the load loop"
    assert beside.place(measured[0], "bytes").why == "no echo"
    assert not beside.place(measured[0], "bytes").text


def test_what_was_not_measured_so_has_no_ratio(few: Subject) -> None:
    first = next(cell for cell in few.results.cells if cell.attributes["stack"] == CHOSEN)
    beside = Beside(CHOSEN, replace(few.results, cells=[first]))
    others = [cell for cell in few.results.cells if cell.identity[1:] != first.identity[1:]]
    assert {beside.place(cell, "rate_per_s").why for cell in others} == {"not measured"}


def test_a_bound_stays_a_bound_on_its_side(few: Subject) -> None:
    def bounded(cell: Result) -> Result:
        return replace(cell, doubts=(f"{AT_LEAST}x",))

    cell = next(cell for cell, other in pairs(few, CHOSEN) if cell is not other)
    above = Beside(CHOSEN, few.results).place(bounded(cell), "rate_per_s")
    assert above.text.startswith("≥ ")
    cells = [bounded(other) if other.attributes["stack"] == CHOSEN else other for other in few.results.cells]
    below = Beside(CHOSEN, replace(few.results, cells=cells))
    assert below.place(cell, "rate_per_s").text.startswith("≤ ")
    assert below.place(cell, "mean_us").text.startswith("≥ "), "the other's time may be lower"
    assert below.place(bounded(cell), "rate_per_s").text.startswith("~ ")


def test_a_fork_in_which_the_clock_saw_nothing_is_left_out(few: Subject) -> None:
    cell, other = next((cell, other) for cell, other in pairs(few, CHOSEN) if cell is not other)
    assert other.costs["cpu_us"].under is None
    first, *others = other.by_fork["cpu_us"]
    nothing = replace(other, by_fork={**other.by_fork, "cpu_us": {**other.by_fork["cpu_us"], first: 0.0}})
    beside = Beside(CHOSEN, replace(few.results, cells=[cell, nothing]))
    interval = beside.place(cell, "cpu_us").interval
    assert interval is not None
    assert interval.forks == len(others)


def test_the_page_says_what_its_tables_are(few: Subject) -> None:
    text = page(few)
    assert f"are divided by those of {CHOSEN}" in text
    assert f"Beside {CHOSEN}." in text
    assert len(re.findall(r'<details class="?part"? open>', text)) == 2, "the tables are what was asked for"
    assert "published" not in text.partition("id=tables")[2].partition("</details>")[0].lower()


def test_another_stack_is_refused_with_those_there_are(few: Subject) -> None:
    with pytest.raises(BadInput, match=r'has no stack "native/bin": did you mean "native/bin\+library"'):
        Beside("native/bin", few.results)
