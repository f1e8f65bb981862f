"""Cells of a run whose calls fail: a rate counts right answers only, so what fails many has no rank."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from callbench.analysis.compare import stored
from callbench.analysis.compare.verdicts import Rule
from callbench.analysis.run.obstacles import Reason, obstacles
from callbench.analysis.run.rankings import rankings
from callbench.analysis.run.subject import subject
from callbench.report.text.choice import choices
from callbench.stats.decide.decision import Outcome
from callbench.stats.decide.failures import CallCounts
from callbench.store.record import Record
from report.synthetic import write

STACKS = ("native/soap+supertcp", "native/bin+supertcp", "native/json+supertcp")


def failing(folder: Path, stack: str, share: float, forks: tuple[int, ...] = ()) -> Record:
    """Write a run in which a share of the calls of a stack failed, in these forks; in all of them, by default."""
    write(folder, only=STACKS)
    plan = json.loads((folder / "plan.json").read_text())
    cells = {cell["id"] for cell in plan["cells"] if cell["stack"] == stack}

    def fail(line: dict[str, Any]) -> dict[str, Any]:
        if line.get("cell") in cells and "done" in line and (not forks or line["fork"] in forks):
            count = round(line["done"]["calls"] * share)
            line["done"]["errors"] = {"closed": count} if count else {}
        return line

    lines = [fail(json.loads(text)) for text in (folder / "journal.jsonl").read_text().splitlines()]
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Record(folder)


@pytest.mark.parametrize(("share", "unranked"), [(0.05, True), (0.0, False), (0.0003, False)])
def test_what_fails_many_calls_has_no_rank(tmp_path: Path, share: float, unranked: bool) -> None:
    found = subject(failing(tmp_path / "run", "native/bin+supertcp", share))
    every = rankings(found)
    assert every
    for table in every:
        names = {one.attributes["stack"] for one in table.ranked}
        assert ("native/bin+supertcp" not in names) == unranked
        assert "native/json+supertcp" in names
    reasons = {one.reason for one in obstacles(found, every)}
    assert (Reason.FAILS in reasons) == unranked
    if unranked:
        cell = next(one for one in found.results.cells if one.failing)
        assert cell.failing.endswith("calls failed")
        assert cell.failing in cell.whys
    # A server that fails a call of fifty was named the fastest, with nothing beside it: there were 48 calls.
    for one in choices(found, every):
        told = re.search(r"; \d+ of its [\d,]+ calls failed\.$", one.in_words())
        assert bool(told) == ("calls failed" in one.sure_in_short) == bool(one.best and one.best.errors)


def test_stored_runs_say_that_a_build_fails_more_calls(tmp_path: Path) -> None:
    good = failing(tmp_path / "a", "native/bin+supertcp", 0.0)
    bad = failing(tmp_path / "b", "native/bin+supertcp", 0.05)
    worse = stored.compared(good, bad, Rule())
    assert worse.outcome is Outcome.FAILED
    rows = {one.figures.stacks[0]: one for one in worse.cells if one.figures.metric == "rate"}
    assert rows["native/bin+supertcp"].verdict == "worse"
    assert "calls of B failed, 0 of" in rows["native/bin+supertcp"].why
    assert any("calls of B failed, 0 of" in note for note in worse.notes)
    better = stored.compared(bad, good, Rule())
    assert all(one.outcome is not Outcome.FAILED for one in better.cells if one.figures.metric == "rate")


@pytest.mark.parametrize(
    ("failed", "right", "exceeds"),
    [
        ([0, 0, 0, 0], [1000] * 4, False),
        ([1, 0, 0, 0], [1000] * 4, False),
        ([17, 0, 0, 0], [1000] * 4, False),  # one start that went wrong
        ([12, 10, 11, 9], [1000] * 4, True),
        ([50] * 4, [100_000] * 4, False),  # shown to be under one of a thousand
    ],
)
def test_a_share_of_failures_is_shown_to_matter_or_not(failed: list[int], right: list[int], exceeds: bool) -> None:
    assert (CallCounts(failed, right).least_share(0.05) > 0.001) == exceeds
