"""Cells are distinguished by columns for what differs; what they share is written once."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from callbench.analysis.cells.results import Latency, Result
from callbench.analysis.run.subject import subject
from callbench.report.text.columns import alike, differing
from callbench.store.record import Record
from report.synthetic import write


def cell(group: str = "g", link: str = "loopback", n: int = 1, **more: object) -> Result:
    attributes = {"group": group, "stack": "a/x", "call": "Sum", "clients": "1", "arrivals": "closed", "rate": ""}
    return Result(
        attributes={**attributes, "link": link},
        arguments={"n": n},
        calls=1,
        errors={},
        trials=1,
        by_fork={},
        rate=None,
        latency=Latency(None, None, None),
        batched=False,
        agree=True,
        **more,  # type: ignore[arg-type]
    )


def names(*cells: Result, within: bool = False) -> list[str]:
    return [one.name for one in differing(cells, within=within)]


def test_what_differs_has_a_column() -> None:
    assert names(cell(), cell(link="wan50")) == ["link"]
    assert names(cell(), cell(think_ms=900.0), cell(options={"level": 9})) == ["options", "think ms"]
    assert names(cell(), cell()) == []


def test_what_a_groups_name_stands_for_needs_no_column_beside_it() -> None:
    cells = cell("small", n=1), cell("large", n=9, link="wan50")
    assert names(*cells) == ["arguments", "link"]
    assert names(*cells, within=True) == ["link"]
    assert names(cell(n=1), cell(n=9), within=True) == ["arguments"]


def test_what_does_not_differ_is_said_once() -> None:
    assert alike([cell(), cell()]) == 'All cells: call Sum, arguments {"n": 1}, clients 1, link loopback.'
    assert "link" not in alike([cell(), cell(link="wan50")])


def test_show_and_the_page_have_the_link(
    tmp_path: Path, callbench: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    folder = write(tmp_path / "run", only=("native/bin+supertcp",), clients=(1, 8))
    plan = json.loads((folder / "plan.json").read_text())
    plan["cells"][0]["link"] = "lan100"
    (folder / "plan.json").write_text(json.dumps(plan))
    # They were made from the plan as it was.
    shutil.rmtree(folder / "parquet")
    shown = callbench("show", str(folder)).stdout
    assert "lan100" in shown
    assert "loopback" in shown
    assert {"clients", "link"} <= {one.name for one in differing(subject(Record(folder)).results.cells)}
