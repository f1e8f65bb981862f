"""Which cells the probes watch: each that a side may limit, and one of every unit."""

import hypothesis.strategies as some
from hypothesis import given

from callbench.model.cell import Cell, Load
from callbench.runner.drive.cell_task import CellTask
from callbench.runner.drive.slices import Length
from callbench.runner.run.batch import cells_to_watch


def task(number: int, unit: str, load: Load, link: str = "loopback") -> CellTask:
    cell = Cell(f"c{number}", "g", unit, "Sum", {}, load, link)
    return CellTask(cell, unit, number, Length(0.02, 4), lambda _cell, _number: None)


LOADS = some.sampled_from((Load(1, 1, 1.0), Load(8, 1, 1.0), Load(1, 1, 1.0, "poisson", 10.0)))


@given(some.lists(some.tuples(some.sampled_from("xyz"), LOADS, some.sampled_from(("loopback", "lan100"))), max_size=12))
def test_each_unit_is_looked_at_and_each_cell_that_is_not_serial(fork_task: list[tuple[str, Load, str]]) -> None:
    tasks = [task(number, *one) for number, one in enumerate(fork_task)]
    chosen = cells_to_watch(tasks)
    assert {one.unit for one in chosen} == {one.unit for one in tasks}
    assert len({one.cell.id for one in chosen}) == len(chosen)
    serial = [one for one in tasks if one.cell.load == Load(1, 1, 1.0) and one.cell.link == "loopback"]
    assert [one for one in tasks if one not in serial and one not in chosen] == []
    for unit in {one.unit for one in serial}:
        assert sum(one.unit == unit and one in serial for one in chosen) == 1
