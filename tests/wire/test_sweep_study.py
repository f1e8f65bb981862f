"""Groups with optional stacks, ledgers and sweeps: what they become, and what is refused."""

from pathlib import Path

import pytest

from callbench.catalog.study import load
from callbench.model.cell import Stack
from callbench.model.errors import BadInput
from callbench.runner.plan import plan

HEAD = 'title = "T"\n[[cells]]\ngroup = "g"\ncall = "Send"\n'
HUGE = """arguments = { type = "int[]", content = "fixed" }
sweep = { over = "count", range = [0, 99000000, 9000000] }
"""
STACKS = [Stack("a/x", "a", "x", "tcp", "c", "l", "1"), Stack("a/y", "a", "y", "tcp", "c", "l", "1")]


def study(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "s.toml"
    file.write_text(HEAD + text)
    return file


def test_sweeps_are_planned_and_not_timed(tmp_path: Path) -> None:
    text = """stacks = ["a/x"]
arguments = { type = "int[]", content = "fixed" }
sweep = { over = "count", range = [0, 1000, 500], quick = [0, 5], fine = 3 }
optional = ["b/*", "a/y"]
"""
    loaded = load(study(tmp_path, text))
    cells = loaded.cells(STACKS, quick=False)
    assert [cell.stack for cell in cells] == ["a/x", "a/y"]
    assert cells[0].wire == {"over": "count", "grid": [0, 500, 1000], "fine": 3, "most": 64}
    assert loaded.cells(STACKS, quick=True)[0].wire == {"over": "count", "grid": [0, 5], "fine": 0, "most": 64}
    planned = plan.make_plan(cells, STACKS, 2)
    assert planned.timed == ()
    assert [stack.id for stack in planned.stacks] == ["a/x", "a/y"]
    assert plan.read(planned.record()).cells == planned.cells


def test_optional_stacks_may_be_missing(tmp_path: Path) -> None:
    text = 'optional = ["nowhere/*"]\narguments = { type = "int", content = "fixed" }\nledger = true\n'
    assert load(study(tmp_path, text)).cells(STACKS, quick=False) == []
    there = load(study(tmp_path, text.replace("nowhere", "a"))).cells(STACKS, quick=False)
    assert [cell.wire for cell in there] == [{}, {}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must have stacks"),
        ('stacks = ["*"]\nsweep = { over = "count" }', "either range"),
        ('stacks = ["*"]\nsweep = { over = "count", range = [5, 1, 1] }', "must rise"),
        ('stacks = ["*"]\n' + HUGE, "count"),
        (
            'stacks = ["*"]\narguments = { content = "fixed" }\nsweep = { over = "type", values = ["int", "integer"] }',
            "integer",
        ),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load(study(tmp_path, text))
