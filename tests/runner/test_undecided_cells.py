"""Which cells a run still needs: those that are not precise enough, or that something undecided rests on."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from callbench.analysis.cells import read_results
from callbench.analysis.cells.read_results import read
from callbench.analysis.cells.results import Latency, OpenLoop
from callbench.runner.plan import plan
from callbench.runner.plan.undecided_cells import early_level, early_undecided_cells, endings, undecided_cells
from callbench.stats.estimate.logratio import many_paired
from callbench.store.record import Record
from report.synthetic import write

OVER = "+supertcp"
ONLY = ("native/bin+supertcp", "native/soap+supertcp", "native/json+http")


def folder_of(path: Path, **info: object) -> tuple[Record, plan.Plan]:
    """A run that never took place, with the given request."""
    write(path, only=ONLY)
    file = path / "record.json"
    record = json.loads(file.read_text())
    file.write_text(json.dumps({**record, "request": record["request"] | info}))
    run = Record(path)
    return run, plan.read({**run.plan(), "forks": 3, "conditions": ["as it is"]})


@pytest.mark.parametrize(("until", "some_open"), [(1e-6, True), (1e6, False)])
def test_where_a_precision_is_requested_those_that_have_not_reached_it(
    tmp_path: Path, until: float, some_open: bool
) -> None:
    run, planned = folder_of(tmp_path / "run", until=until)
    assert undecided_cells(run, planned) == ({cell.id for cell in planned.timed} if some_open else set())
    ends = {line["cell"]: line["why"] for line in endings(run, planned)}
    assert ends == dict.fromkeys((cell.id for cell in planned.timed), "budget" if some_open else "precise")


def test_who_is_far_from_everybody_is_not_needed_for_a_ranking(tmp_path: Path) -> None:
    """Of three stacks that lie tens of percents apart nothing is open; of two that are alike both are."""
    run, planned = folder_of(tmp_path / "run")
    assert endings(run, planned) == [], "nobody asked for a precision"
    every = {cell.id: cell for cell in planned.timed}
    found = undecided_cells(run, planned)
    assert found <= set(every)
    journal = run.path / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    soap, binary = (
        next(cell.id for cell in planned.timed if cell.group == "GetPersons" and cell.stack == f"native/{name}{OVER}")
        for name in ("soap", "bin")
    )
    assert not {soap, binary} & found
    # The fast cell now has the slow one's drives, each from another fork and a little faster: not distinguishable.
    drives = [line["done"] for line in lines if line["kind"] == "trial" and line["cell"] == soap]
    moved = iter([*drives[1:], drives[0]])
    for line in lines:
        if line["kind"] == "trial" and line["cell"] == binary:
            own = next(moved)
            line["done"] = own | {"elapsed_ns": int(own["elapsed_ns"] * 0.95)}
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert {soap, binary} <= undecided_cells(Record(run.path), planned)


def test_an_early_look_keeps_more_and_leaves_out_what_is_far_from_everybody(tmp_path: Path) -> None:
    run, planned = folder_of(tmp_path / "run")
    early = early_undecided_cells(run, planned, 1)
    assert undecided_cells(run, planned) <= early < {cell.id for cell in planned.timed}


@pytest.mark.parametrize("planned_forks", [3, 5])
def test_early_looks_hardly_raise_the_share_of_wrong_conclusions(planned_forks: int) -> None:
    """Two that are equal are told apart by chance in 5 % of runs, and in 1 % more at most by looks after each fork."""
    runs = 20_000
    differences = np.random.default_rng(planned_forks).normal(0, 0.1, (runs, planned_forks))
    wrong, left_out = {}, {}
    for rule, share in (("early", 1.0), ("naive", math.inf)):
        left_out[rule] = np.zeros(runs, dtype=np.bool_)
        for look, forks in enumerate(range(2, planned_forks), 1):
            level = min(0.05, share * early_level(0.05, look))
            left_out[rule] |= many_paired(differences[:, :forks]).p_values < level
        wrong[rule] = float((left_out[rule] | (many_paired(differences).p_values < 0.05)).mean())
    assert wrong["early"] < 0.06
    assert wrong["naive"] > 0.075


def measured(folder: Path, forks: int, **info: object) -> dict[str, str]:
    """Return why the cells of a run end that is copied until it has enough forks, two of which differ."""
    run, planned = folder_of(folder, until=1e-6, **info)
    journal = run.path / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    trials = [line for line in lines if line["kind"] == "trial"]
    last = max(line["fork"] for line in trials)
    copies = [
        {**line, "fork": fork, "trial": 10**6 * fork + line["trial"]}
        for fork in range(last + 1, forks)
        for line in trials
        if line["fork"] == fork % (last + 1)
    ]
    journal.write_text("".join(json.dumps(line) + "\n" for line in [*lines, *copies]))
    run = Record(run.path)
    opened = undecided_cells(run, planned)
    ends = {line["cell"]: line["why"] for line in endings(run, planned)}
    # One rule: what is open when the time is over ended with the time, and nothing else did.
    assert {cell for cell, why in ends.items() if why == "budget"} == opened
    return ends


@pytest.mark.parametrize(
    ("forks", "budget_s", "why"), [(49, None, "budget"), (50, None, "forks"), (50, 600.0, "budget")]
)
def test_a_cell_ends_after_fifty_forks_without_a_time_limit(
    tmp_path: Path, forks: int, budget_s: float | None, why: str
) -> None:
    assert set(measured(tmp_path / "run", forks, budget_s=budget_s).values()) == {why}


def test_what_has_no_value_is_not_waited_for(tmp_path: Path) -> None:
    run, planned = folder_of(tmp_path / "run", until=1e-6)
    journal = run.path / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    first, second, *others = sorted(cell.id for cell in planned.timed)
    stack = next(cell.stack for cell in planned.timed if cell.id == second)
    left_out = {"kind": "excluded", "fork": 0, "stack": stack, "cell": second, "why": "it hangs"}
    kept = [line for line in lines if line["kind"] != "trial" or line["cell"] != first]
    journal.write_text("".join(json.dumps(line) + "\n" for line in [*kept, left_out]))
    run = Record(run.path)
    assert undecided_cells(run, planned) == set(others)
    ends = {line["cell"]: line["why"] for line in endings(run, planned)}
    assert ends == {first: "no value", second: "excluded", **dict.fromkeys(others, "budget")}


def test_an_open_loop_is_as_precise_as_its_mean_latency(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rate is the requested one, so it hardly varies."""
    run, planned = folder_of(tmp_path / "run", until=0.05)
    found = read(run)
    first, second, *others = found.cells
    nothing = Latency(None, None, None)
    loop = OpenLoop(100.0, None, nothing, nothing, nothing, None)
    same, wide = {0: 100.0, 1: 100.1, 2: 99.9}, {0: 10.0, 1: 20.0, 2: 40.0}
    closed = replace(first, by_fork={"rate_per_s": same, "mean_us": wide})
    opened = replace(second, by_fork={"rate_per_s": same, "mean_us": wide}, open_loop=loop)
    monkeypatch.setattr(read_results, "read", lambda _run: replace(found, cells=[closed, opened, *others]))
    assert {first.id, second.id} & undecided_cells(run, planned) == {second.id}
    reached = {line["cell"]: line["reached"] for line in endings(run, planned)}
    assert (reached[first.id] or 1) < 0.05 < (reached[second.id] or 0)
