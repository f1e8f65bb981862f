"""The page of a run's cells: each value with its forks and slices, and the command that measures it again."""

import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from callbench.analysis.cells.results import Result
from callbench.analysis.run.subject import Subject, subject
from callbench.catalog import catalogue
from callbench.report.export.cells import again, text
from callbench.runner.run.launch import RunRequest, plan_run, settings_of
from callbench.store.record import Record
from conftest import ROOT, assert_one_sentence
from report.synthetic import write

FEW = ("native/soap+supertcp", "native/bin+library", "native/bincomp+http")


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject(Record(write(tmp_path_factory.mktemp("runs") / "few", only=FEW)))


def test_each_cell_has_its_forks_and_slices(few: Subject) -> None:
    page = text(few)
    cells = re.findall(r"<details id=(c\d+)><summary>(.*?)</summary>(.*?)</details>", page, re.DOTALL)
    assert [name for name, _, _ in cells] == [cell.id for cell in few.results.cells]
    with few.run.connection() as connection:
        counted = dict(connection.execute("SELECT cell, sum(slices) FROM trials GROUP BY cell").fetchall())
    for cell, (_, summary, inner) in zip(few.results.cells, cells, strict=True):
        assert cell.attributes["stack"] in summary
        lines = unescape(re.findall(r"\n\n(.*?)(?:\n\n|</pre>)", inner, re.DOTALL)[0]).splitlines()
        assert len(lines) == 1 + cell.forks
        assert len(set(map(len, lines))) == 1, "columns stand below each other"
        end = lines[0].index("slices") + len("slices")
        assert sum(int(line[:end].split()[-1].replace(",", "")) for line in lines[1:]) == counted[cell.id]


def test_each_cell_that_has_percentiles_has_a_curve_and_no_cell_takes_more_than_a_kilobyte(few: Subject) -> None:
    """In a publication their record takes most of the bytes."""
    cells = re.findall(r"<details id=c.*?</details>", text(few), re.DOTALL)
    for cell, shown in zip(few.results.cells, cells, strict=True):
        assert ("<svg" in shown) == ("p50_us" in cell.by_fork) == ("\n\np50 " in shown)
        assert len(shown.encode()) <= 1000
    assert sum("<svg" in shown for shown in cells) > len(cells) / 2


def alike(few: Subject, cell: Result) -> list[Result]:
    """The cells of its stack and group."""
    own = cell.attributes
    return [
        other
        for other in few.results.cells
        if (other.attributes["stack"], other.attributes["group"]) == (own["stack"], own["group"])
    ]


def test_the_command_measures_this_cell_and_no_other(few: Subject) -> None:
    known = catalogue.load()
    for cell in few.results.cells:
        program, name, study, *options = again(few, cell, alike(few, cell))
        assert (program, name, study) == ("callbench", "run", few.requested.study)
        given: dict[str, list[str]] = {}
        for option in options:
            key, _, value = option.removeprefix("--").partition("=")
            given.setdefault(key, []).append(value)
        request = RunRequest(
            study,
            quick="quick" in given,
            select=given["select"],
            settings=settings_of(given.get("set", [])),
            link=given.get("link", [None])[0],
        )
        ids = {(planned.group, planned.stack, planned.load.clients) for planned in plan_run(request, known).plan.cells}
        own = cell.attributes
        assert ids == {(own["group"], own["stack"], int(own["clients"]))}


def test_a_cell_of_an_imported_service_is_measured_in_its_folder(few: Subject, tmp_path: Path) -> None:
    """The record has no schema: a study beside it could not be measured."""
    cell = few.results.cells[0]
    record = few.run.under(few.run.condition)
    record.request = {**record.request, "study": "orders", "service": str(tmp_path)}
    words = again(replace(few, run=record), cell, alike(few, cell))
    assert words[:3] == ["callbench", "run", str(tmp_path)]


def test_the_command_writes_it_of_runs_alone(
    callbench: Callable[..., subprocess.CompletedProcess[str]], few: Subject, tmp_path: Path
) -> None:
    out = tmp_path / "cells.html"
    callbench("report", str(few.run.path), "--cells", "--out", str(out), check=True)
    first = few.results.cells[0]
    assert shlex.join(again(few, first, alike(few, first))) in unescape(out.read_text())
    for words, says in (
        ([str(ROOT / "tests/records/soak")], "not a run"),
        ([str(few.run.path), "--format=md"], "--cells"),
    ):
        ended = callbench("report", *words, "--cells")
        assert ended.returncode == 2
        assert_one_sentence(ended.stderr.strip(), [says])
