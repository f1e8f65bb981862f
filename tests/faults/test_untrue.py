"""A drive whose figures cannot be true is named by `verify`, costs `run` that stack alone, and an honest one passes."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callbench.adapter.contract import DriveInterval
from callbench.adapter.drive_check import Asked, drive_error
from callbench.adapter.placement import choose_placement
from callbench.catalog.catalogue import KnownAdapter
from callbench.runner.verify import suite
from callbench.store.record import Record
from conftest import MISBEHAVING, ROOT, SMALL, assert_one_sentence

TRACES = sorted((ROOT / "contract" / "golden" / "traces").glob("*.json"))
NO_TIME = {"user_ns": "0", "system_ns": "0"}
# What the sentence about each lie has.
SAYS = {
    "bucket-beyond": "it has a bucket 4503599627370496, and the last one is 4607",
    "bucket-order": "bucket indices do not rise",
    "bucket-fraction": "not written as a whole number",
    "bucket-count": "and its buckets hold",
    "histogram-count": "and its buckets hold",
    "sum": "its buckets allow only",
    "sum-long": "breaks the contract: done.latency",
    "least": "its least time is",
    "greatest": "its least and greatest times are in",
    "negative": "is less than the minimum of 0",
    "calls": "calls were answered",
    "too-many": "more than one each nanosecond",
    "window": "its window is",
    "answered": "were answered within its window",
    "in-flight": "had 1000 calls in flight",
    "not-a-number": "not a line of the contract",
    "in-calls": "spent",
    "processor": "its processor time went back",
    "half-a-letter": "not a line of the contract",
    "longer": "and its answer came after",
    "shorter": "timing 'each' was requested",
    "kinds": "an interval had 0 errors, and by kind 3",
}
# The small study's first group, of stacks that lie and one that does not.
STUDY = (
    SMALL.partition('[[cells]]\ngroup = "GetPersons"')[0]
    .replace("honest/*", "untrue/*")
    .replace("forks = 2", "forks = 1")
)


@pytest.mark.parametrize("file", TRACES, ids=lambda file: file.stem)
def test_what_every_loop_must_report_can_be_true(file: Path) -> None:
    trace = json.loads(file.read_bytes())
    plan: dict[str, Any] = trace["plan"]
    done = {**trace["expect"]["done"], "intervals": [], "processor": {"start": NO_TIME, "end": NO_TIME}}
    asked = Asked(
        clients=1,
        calls=plan["calls"],
        length_ns=min(plan["length_ns"], plan["limit_ns"]),
        timing=plan["timing"],
        open=plan["gaps"] is not None,
        took_ns=done["elapsed_ns"],
    )
    assert drive_error(asked, done, []) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        ([None, None, None], None),
        ([{}, {"timeout": 2}, {"closed": 1, "timeout": 3}], None),
        ([{}, {"timeout": 1}, {"timeout": 4}], "an interval had 2 errors, and by kind 1"),
        ([{}, {"timeout": 2}, {"closed": 4}], "its intervals go back, from 2 errors of the kind timeout to 0"),
        ([{}, {"timeout": 2}, None], "its intervals go back, from 2 errors of the kind timeout to 0"),
        ([{}, {}, {"timeout": 4}], "an interval had 2 errors, and by kind 0"),
        ([None, None, {"timeout": 4}], "an interval had 4 errors of the kind timeout, and the whole drive 3"),
    ],
)
def test_errors_by_kind_are_those_of_the_interval_and_of_the_drive(
    kinds: list[dict[str, int] | None], sentence: str | None
) -> None:
    done: Any = {
        **json.loads(TRACES[0].read_bytes())["expect"]["done"],
        "processor": {"start": NO_TIME, "end": NO_TIME},
    }
    done["errors"] = {"timeout": 3, "closed": 1}
    asked = Asked(1, 1, 0, done["timed"], open=False, took_ns=10**12, stopped=True)
    seen = [DriveInterval(at, 0, errors, of) for at, errors, of in zip((1, 2, 3), (0, 2, 4), kinds, strict=True)]
    assert drive_error(asked, done, seen) == sentence


def test_every_lie_is_tested() -> None:
    manifest = tomllib.loads((MISBEHAVING / "untrue" / "adapter.toml").read_text())
    assert {stack["name"] for stack in manifest["stack"]} == {"nothing", *SAYS}


@pytest.mark.usefixtures("nothing_left")
def test_verify_names_each(misbehaving: Callable[[str], KnownAdapter]) -> None:
    adapter = misbehaving("untrue")
    why = {
        outcome.subject.partition("/")[2]: outcome.why
        for outcome in suite.outcomes(adapter, adapter.stacks, choose_placement(), "drive")
    }
    assert why.pop("nothing") is None
    for lie, sentence in why.items():
        assert_one_sentence(sentence, [SAYS[lie]])


@pytest.mark.usefixtures("nothing_left")
def test_a_run_excludes_each_and_keeps_the_rest(callbench: Callable[..., Any], tmp_path: Path) -> None:
    study = tmp_path / "lies.toml"
    study.write_text(STUDY)
    callbench("run", study, "--out", "run")
    record = Record(tmp_path / "run")
    with record.connection() as connection:
        measured = connection.execute(
            "SELECT DISTINCT c.stack FROM trials t JOIN cells c ON c.cell = t.cell WHERE t.calls > 0"
        ).fetchall()
        excluded = dict(connection.execute("SELECT stack, why FROM excluded").fetchall())
    assert measured == [("untrue/nothing",)]
    assert set(excluded) == {f"untrue/{lie}" for lie in SAYS}
    assert "it has a bucket 4503599627370496, and the last one is 4607" in excluded["untrue/bucket-beyond"]
    callbench("show", "run", check=True)
