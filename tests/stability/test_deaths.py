"""A slice or a trial whose server dies: after how many calls, in the journal, the table and the page."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callbench.model import process_end
from study_text import cells, study_text

HERE = Path(__file__).resolve().parent
SICK = "sick/tcp"
LOAD = {"clients": [2], "calls": 40000, "seconds": 0.1, "forks": 1, "rounds": 600, "minutes": 2}


def study_of(load: dict[str, Any], *, restart: bool = False, **where: int) -> str:
    """Calls of a server that dies of them, and a table of the rates."""
    rates = {
        "id": "rates", "title": "Rates", "group": "Hello", "statistic": "rate_per_s",
        "rows": [{"label": "sick", "where": {"stack": SICK, **where}}],
        "columns": [{"label": "calls/s", "where": {}}],
    }  # fmt: skip
    may_restart = {"restart": True} if restart else {}
    return study_text({**cells("Hello", SICK), **may_restart}, load={**LOAD, **load}, tables=[rates])


@pytest.mark.parametrize("counts", ["true", "false"])
@pytest.mark.usefixtures("nothing_left")
def test_the_row_says_died_after_so_many_calls_also_of_who_cannot_count(
    callbench: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    counts: str,
) -> None:
    # More than verifying it takes, so that it dies in its slices; and so few that a slow machine makes them.
    calls = 3000
    monkeypatch.setenv("SICK", f"crash {calls}")
    manifest = (HERE / "sick" / "adapter.toml").read_text().replace("[card]", f"[card]\ncounts = {counts}")
    (tmp_path / "adapter.toml").write_text(manifest.replace("sick_server.py", str(HERE / "sick" / "sick_server.py")))
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(tmp_path))
    (tmp_path / "small.toml").write_text(study_of({}))
    made = callbench("run", "small.toml", "--forks", 1, "--out", "run", "--no-baselines", "--warm-up", "none")
    assert made.returncode == 1  # its one cell was left out
    rows = deaths(callbench)
    assert len(rows) == 2
    assert {row["how"] for row in rows} == {"crash"}
    # All of its life: the calls that verify it and warm it up and those of earlier slices are not this slice's. Two
    # clients may have called, and what was answered in the moment of its death may be lost on the way.
    assert all((row["answered"] or 0) < row["since_start"] for row in rows)
    assert all(calls - 4 <= row["since_start"] <= calls for row in rows)
    assert [row["again"] for row in rows] == [True, False]
    page = (tmp_path / "run" / "report.html").read_text()
    assert f"{told(rows)}, restarted once" in page


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_it_is_started_again_and_again_where_the_study_asks_for_it(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(HERE / "sick"))
    monkeypatch.setenv("SICK", "crash 2000")
    (tmp_path / "small.toml").write_text(study_of({"restart": True}))
    assert callbench("run", "small.toml", "--out", "run", "--no-baselines").returncode == 1  # its one cell was left out
    rows = deaths(callbench)
    assert [row["again"] for row in rows] == [True] * 5 + [False]
    page = (tmp_path / "run" / "report.html").read_text()
    assert f"{told(rows)}, restarted 5 times" in page
    (excluded,) = json.loads(callbench("query", "run", "SELECT why FROM excluded", "--json", check=True).stdout)
    assert "failed 6 times" in excluded["why"]


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_who_may_be_restarted_is_driven_on_a_start_of_its_own(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(HERE / "sick"))
    monkeypatch.setenv("SICK", "crash 15000")
    # One cell lives through it, and four on one start would not.
    few = {"calls": 6000, "clients": [1, 2, 3, 4], "seconds": 0.01}
    (tmp_path / "small.toml").write_text(study_of(few, restart=True, clients=2))
    callbench("run", "small.toml", "--forks", "1", "--out", "run", "--no-baselines", check=True)
    assert deaths(callbench) == []
    trials = json.loads(callbench("query", "run", "SELECT calls FROM trials", "--json", check=True).stdout)
    # Where a few slices took the time of all, a busy machine makes fewer than were asked for.
    assert [row["calls"] > 0 for row in trials] == [True] * 4
    assert json.loads(callbench("query", "run", "SELECT why FROM excluded", "--json", check=True).stdout) == []


@pytest.mark.parametrize(
    ("least", "most", "restarts", "says"),
    [
        (None, None, 0, "died"),
        (1, 1, 0, "died after 1 call"),
        (1234, 1234, 1, "died after 1,234 calls, restarted once"),
        (0, 1310, 5, "died after 0 to 1,310 calls, restarted 5 times"),
    ],
)
def test_a_death_in_words(least: int | None, most: int | None, restarts: int, says: str) -> None:
    assert process_end.after(least, most, restarts) == says


def deaths(callbench: Callable[..., subprocess.CompletedProcess[str]]) -> list[dict[str, Any]]:
    rows = json.loads(callbench("query", "run", "SELECT * FROM deaths", "--json", check=True).stdout)
    assert isinstance(rows, list)
    return rows


def told(rows: list[dict[str, Any]]) -> str:
    lives = sorted({row["since_start"] for row in rows})
    span = f"{lives[0]:,}" if len(lives) == 1 else f"{lives[0]:,} to {lives[-1]:,}"
    return f"died after {span} calls"
