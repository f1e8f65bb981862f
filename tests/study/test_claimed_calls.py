"""Cells of a claim about a percentile get as many calls in a fork as an interval of it needs."""

from dataclasses import replace
from pathlib import Path

import pytest

from callbench.catalog.study import Study, load
from callbench.catalog.study.claimed_calls import with_claimed_calls
from callbench.model.cell import Cell, Load, Stack
from callbench.runner.drive.slices import length_of
from callbench.stats.estimate.percentile_calls import fewest_calls

STUDY = """
title = "t"
[[cells]]
group = "g"
stacks = ["*"]
call = "Sum"
arguments = { a = 1, b = 2 }
clients = [1, 4]
[[claims]]
id = "one"
text = "x has a lower p99 than y"
statistic = "p99_us"
[[claims.compare]]
over = [{ message = "x", clients = 1 }]
under = [{ message = "y", clients = 4 }]
below = 1
label = "x to y"
"""
STACKS = {
    name: Stack(name, "a", name[-1], "tcp", "rust", "", "") for name in ("a/x", "a/y", "a/z")
}  # fmt: skip
ROUNDS = 4


def study(folder: Path, text: str = STUDY) -> Study:
    (folder / "s.toml").write_text(text)
    return load(folder / "s.toml")


def cells(**changes: object) -> dict[tuple[str, int], Cell]:
    return {
        (name, clients): Cell(f"c{clients}", "g", name, "Sum", {}, replace(Load(clients, 4, 1.0), **changes))  # type: ignore[arg-type]
        for name in STACKS
        for clients in (1, 4)
    }


def claimed(folder: Path, text: str = STUDY, **changes: object) -> dict[tuple[str, int], Cell]:
    before = cells(**changes)
    after = with_claimed_calls(list(before.values()), STACKS, study(folder, text), ROUNDS)
    return dict(zip(before, after, strict=True))


def test_the_cells_of_both_sides_get_them_and_no_other(tmp_path: Path) -> None:
    found = claimed(tmp_path)
    assert {place for place, cell in found.items() if cell.load.fork_calls} == {("a/x", 1), ("a/y", 4)}
    assert {place: found[place] for place in found if not found[place].load.fork_calls} == {
        place: cell for place, cell in cells().items() if place not in {("a/x", 1), ("a/y", 4)}
    }


@pytest.mark.parametrize("place", [("a/x", 1), ("a/y", 4)])
def test_the_slices_of_a_fork_have_them(tmp_path: Path, place: tuple[str, int]) -> None:
    assert ROUNDS * length_of(claimed(tmp_path)[place].load).calls >= fewest_calls(0.99)


def test_the_slices_of_an_open_loop_have_them_too(tmp_path: Path) -> None:
    found = claimed(tmp_path, arrivals="poisson", rate_per_s=20.0, seconds=60.0)
    assert ROUNDS * length_of(found["a/y", 4].load).calls >= fewest_calls(0.99)
    assert length_of(found["a/z", 4].load).calls == 50


def test_a_claim_about_rates_needs_no_more(tmp_path: Path) -> None:
    text = STUDY.replace('statistic = "p99_us"\n', "").replace("below = 1", "above = 1")
    assert claimed(tmp_path, text) == cells()


def test_a_statistic_of_the_comparison_counts_as_one_of_the_claim(tmp_path: Path) -> None:
    text = STUDY.replace('statistic = "p99_us"\n', "").replace("below = 1", 'below = 1\nstatistic = "p999_us"')
    assert claimed(tmp_path, text)["a/x", 1].load.fork_calls == fewest_calls(0.999)
