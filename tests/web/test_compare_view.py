"""Two runs compared on the page: the command's decisions, sorted by change over noise, noise hidden by a switch."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from callbench.analysis.wording.words import change_text
from callbench.web.comparing import table
from report import synthetic

pytest_plugins = ["web_page"]


def cell(name: str, ratio: float | None, half: float, verdict: str) -> dict[str, Any]:
    low, high = (None, None) if ratio is None else (ratio / (1 + half), ratio * (1 + half))
    return {
        "name": name,
        "stacks": ["a/b", "a/b"],
        "metric": "rate",
        "ratio": ratio,
        "low": low,
        "high": high,
        "verdict": verdict,
        "why": "",
    }


CELLS = [
    cell("unknown", None, 0, "not compared"),
    cell("large, noisy", 1.20, 0.30, "undecided"),
    cell("small, sure", 0.95, 0.01, "worse"),
    cell("large, sure", 1.30, 0.02, "better"),
    cell("none", 1.001, 0.01, "equivalent"),
]


def test_changes_are_sorted_by_their_noise_and_noise_is_marked() -> None:
    made = table({"cells": CELLS, "title": "Failed: x", "outcome": "failed", "sentences": ["y", "failed"], "notes": []})
    assert made["sentences"] == ["y"]
    names = ["large, sure", "small, sure", "large, noisy", "none", "unknown"]
    assert [row["name"] for row in made["rows"]] == [f"a/b {name}" for name in names]
    assert [row["verdict"] for row in made["rows"] if not row["noise"]] == ["better", "worse", "not compared"]
    # What was not compared is no noise.
    assert (made["noise"], made["missing"]) == (2, 1)
    assert made["rows"][0]["change"] == "+30.0 %"
    assert made["rows"][0]["by_noise"] == "13.2"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.031, "+3.1 %"), (0.51, "-49.0 %"), (0.2, "0.20 times"), (4.2, "4.2 times"), (1685.0, "over 100 times")],
)
def test_a_change_of_many_times_is_no_share(ratio: float, text: str) -> None:
    """It was "+168415.0 %"."""
    assert change_text(ratio) == text


@pytest.fixture
def runs(folder: Path) -> Path:
    synthetic.write(folder / "a")
    shutil.copytree(folder / "a", folder / "b")
    return folder


def test_decisions_are_those_of_the_command(
    page: TestClient, runs: Path, callbench: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    ticked = re.findall(r'form="compare" name="run" value="(\w+)"', page.get("/").text)
    assert sorted(ticked) == ["a", "b"]
    answer = page.get("/compare", params={"run": ["a", "b"]})
    assert answer.status_code == 200, answer.text
    said = json.loads(callbench("compare", str(runs / "a"), str(runs / "b"), "--json").stdout)
    assert answer.text.count('<th scope="row">') == len(said["cells"]) > 0
    assert f"<strong>{said['title']}</strong>" in answer.text
    # Of a study, many cells have one call: rows of several stacks were called alike.
    names = set(re.findall(r'<th scope="row">([^<]+)</th>', answer.text))
    assert {f"{one['stacks'][0]} {one['name']}" for one in said["cells"]} <= names
    for verdict in {one["verdict"] for one in said["cells"]}:
        count = sum(one["verdict"] == verdict for one in said["cells"])
        assert answer.text.count(f">{verdict}</span>") == count
    hidden = page.get("/compare", params={"run": ["a", "b"], "noise": "hidden"}).text
    assert 'value="hidden" checked' in hidden
    assert 'class="hide-noise"' in hidden, "for a browser whose styles cannot ask for the box"
    told_apart = sum(one["verdict"] in {"better", "worse"} for one in said["cells"])
    assert hidden.count('<tr><th scope="row">') == told_apart
    assert hidden.count('<tr class="noise"><th scope="row">') == len(said["cells"]) - told_apart


def test_newer_runs_are_compared_with_the_oldest(page: TestClient, runs: Path) -> None:
    file = runs / "b/record.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "started": "2001-01-01T00:00:00.000Z"}))
    assert "<h2>a against b</h2>" in page.get("/compare", params={"run": ["a", "b"]}).text


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ([], "0 were chosen"),
        (["soak"], "1 were chosen"),
        (["soak", "load"], "runs/load"),
        (["soak", "../load"], "there is no record"),
        (["soak", "<b>"], "there is no record"),
        (list("abcdefg"), "7 were chosen"),
    ],
)
def test_what_cannot_be_compared_is_said(page: TestClient, chosen: list[str], says: str) -> None:
    answer = page.get("/compare", params={"run": chosen})
    assert answer.status_code == (404 if says == "there is no record" else 400)
    assert says in answer.text
    assert "<b>" not in answer.text
