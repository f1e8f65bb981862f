"""A run whose clients were on several hosts: one that was starved is named, and its cells are not ranked."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from callbench.analysis.cells.validity import host_shortages
from callbench.analysis.run.subject import subject
from callbench.report.text.summary import cautions
from callbench.store.record import Record
from report.synthetic import write

if TYPE_CHECKING:
    from callbench.analysis.cells.table_rows import ClientHostRow

CROWDED, FREE = "native/soap+supertcp", "native/bin+supertcp"


def generator(host: str, calls: int, **members: float) -> dict[str, Any]:
    usual = {"late_start_ns": 0, "clock_bound_ns": 1000, "driver_busy": 0.95, "host_busy": 0.4, "late": 0.0}
    return {"host": host, "clients": 1, "calls": calls, "errors": 0, "starved": "", **usual, **members}


def test_a_starved_host_is_named_and_its_cells_are_not_ranked(tmp_path: Path) -> None:
    """A busy client of a stack's own is the stack's; a busy host is nobody's."""
    folder = tmp_path / "run"
    write(folder, only=(CROWDED, FREE))
    plan = json.loads((folder / "plan.json").read_text())
    crowded = {cell["id"] for cell in plan["cells"] if cell["stack"] == CROWDED}
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    for line in lines:
        if line["kind"] == "trial":
            busy = 0.97 if line["cell"] in crowded else 0.5
            late = 0.06 + 0.001 * int(line["cell"][1:]) if line["cell"] not in crowded else 0.0
            hosts = [generator("beta", 3), generator("gamma", 4, host_busy=busy, late=late)]
            line["done"] |= {"calls": line["done"]["calls"], "generators": hosts}
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for table in (folder / "parquet").iterdir():
        table.unlink()
    found = subject(Record(folder))
    for cell in found.results.cells:
        named = [doubt for doubt in cell.doubts if "host gamma was starved: its processors were 97 % busy" in doubt]
        assert bool(named) == (cell.id in crowded), cell.doubts
    # A sentence for each thing that it lacked.
    said = [text for text in cautions(found) if "starved" in text]
    assert [text.partition(", ")[2] for text in said] == [
        "host gamma was starved: it was late for 6 % to 7 % of its arrivals.",
        "host gamma was starved: its processors were 97 % busy; end other programs there.",
    ]


def test_what_a_host_lacked_over_all_slices() -> None:
    fair: ClientHostRow = {
        "cell": "c",
        "host": "beta",
        "missed": 0.1,
        "driver_busy": 0.95,
        "host_busy": 0.5,
        "late": 0.01,
    }
    assert host_shortages([fair], driver=False) == []
    for other, driver, says in (
        ({}, True, "its driver was 95 % busy"),
        ({"missed": 0.6}, False, "it missed 60 % of the time"),
        ({"late": 0.09}, False, "it was late for 9 % of its arrivals"),
    ):
        (lacking,) = host_shortages([cast("ClientHostRow", {**fair, **other})], driver=driver)
        assert says in str(lacking)
