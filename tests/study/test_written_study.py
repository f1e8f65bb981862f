"""The file of a study with what was chosen of it measures what the command line does."""

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.catalog import catalogue
from callbench.catalog.study import load
from callbench.catalog.study.chosen import chosen
from callbench.catalog.study.loads import RunPart
from callbench.model.errors import BadInput
from callbench.runner.run.launch import RunRequest, plan_run, preview

Callbench = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    "asked",
    [
        RunRequest("remobjects", select=("message=soap", "channel=unix"), settings={"persons": "10"}, quick=True),
        RunRequest("remobjects", select=("group=Sum",), settings={"fill": "random"}, link="loopback", forks=7),
        RunRequest("today"),
        RunRequest("qlio", select=("clients=1",)),
    ],
)
def test_it_plans_the_same_cells_in_the_same_time(tmp_path: Path, asked: RunRequest) -> None:
    known = catalogue.load()
    shown = preview(asked, known).record()
    file = tmp_path / f"{asked.study}.toml"
    file.write_text(shown.pop("study_file"))
    alone = RunRequest(str(file))
    again = preview(alone, known).record()
    assert again.pop("study_file") == file.read_text(), "it is its own file"
    assert again == shown
    by_line, by_file = plan_run(asked, known), plan_run(alone, known)
    assert by_file.plan == by_line.plan
    assert by_file.study.part.model_copy(update={"run": RunPart()}) == by_line.study.part
    assert (by_file.request.quick, by_file.request.forks) == (asked.quick, asked.forks)


def test_the_command_prints_it_and_runs_it_alone(callbench: Callbench, study: Path, tmp_path: Path) -> None:
    words = ("--select", "group=GetPersons", "--set", "persons=7", "--quick")
    said = json.loads(callbench("run", str(study), *words, "--dry-run", "--json", check=True).stdout)
    file = tmp_path / "mine.toml"
    file.write_text(said["study_file"])
    alone = callbench("run", str(file), "--dry-run", check=True).stdout
    assert alone == callbench("run", str(study), *words, "--dry-run", check=True).stdout
    assert "2 cells" in alone
    other = callbench("run", str(file), "--select", "group=Sum", "--dry-run", check=True).stdout
    assert "honest/tcp: 1 cells" in other, "the command line goes before the file"


@pytest.mark.parametrize(
    "text",
    [
        'title = "a"\nabout = """\n[not a heading]\n"""\n[parameters]\nn = 1 # few\n',
        'title = "a"\nparameters = { n = 1 }\n',
        'title = "a"\n[run]\nselect = ["x"]\nquick = true\n[parameters]\n"n" = 1\n',
        'title = "a"\n[parameters]\n  n=1   # a "comment" # of two\nname = "a # b" # kept\n',
    ],
)
def test_the_file_says_what_was_chosen_however_it_is_written(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.toml"
    cells = '[[cells]]\ngroup = "g"\nstacks = ["native/json+tcp"]\ncall = "Sum"\narguments = { a = "{n}", b = 1 }\n'
    file.write_text(text + cells)
    made = tomllib.loads(chosen(load(file, {"n": "5"}), RunPart(forks=3)))
    assert made.pop("run") == {"forks": 3}
    assert made["parameters"]["n"] == 5
    before = tomllib.loads(file.read_text())
    before.pop("run", None)
    before["parameters"]["n"] = 5
    assert made == before


def test_comments_are_kept_and_secrets_masked(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text("""# Why this exists.
title = "a"
[parameters]
n = 1  # few
[servers.mine]
url = "http://127.0.0.1:1"
request = { headers = [["Authorization", "Bearer Zebra-Quartz-77"]] }
[[cells]]
group = "g"
stacks = ["native/json+tcp"]
call = "Sum"
arguments = { a = "{n}", b = 1 }
""")
    text = chosen(load(file, {"n": 2}), RunPart())
    assert "# Why this exists." in text
    assert "n = 2  # few\n" in text
    assert "Zebra-Quartz-77" not in text
    assert f"Keep this file beside {file.name}" in text
    assert "[run]" not in text, "nothing was chosen"


@pytest.mark.parametrize(
    ("line", "says"), [('linkk = "lan100"', "linkk"), ("forks = 0", "forks"), ('select = "x"', "select")]
)
def test_a_wrong_option_is_refused_with_its_place(study: Path, line: str, says: str) -> None:
    study.write_text(f"{study.read_text()}[run]\n{line}\n")
    with pytest.raises(BadInput, match=rf"{study.name}: run.{says}"):
        load(study)


def test_the_link_of_the_file_is_that_of_every_cell(study: Path) -> None:
    study.write_text(f'{study.read_text()}[run]\nlink = "no-such-link"\n')
    with pytest.raises(BadInput, match="no-such-link"):
        plan_run(RunRequest(str(study)), catalogue.load())
