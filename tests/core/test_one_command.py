"""A command with a record is added by files of its own and a line in the table of commands, and by nothing else."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

TABLE = "cli/help/command_table.py"
LINE = 'CommandEntry("greet", "Greet some people.", ("callbench greet 3",)),'
FILES = {
    "cli/commands/greet.py": '''
"""`callbench greet`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options.parameters import AsJson, Undecided


def command(
    people: Annotated[int, typer.Argument(min=1, help="Number of people.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="FOLDER", help="Folder for the result.")] = None,
    undecided: Undecided = None,
    as_json: AsJson = False,
) -> None:
    """Greet some people.

    Exit code 1: there are more than ten.
    """
    from callbench.cli.recorded.command import Ending
    from callbench.cli.recorded.greet import GreetCommand

    GreetCommand(people, Ending(out, undecided=undecided, as_json=as_json)).go()
''',
    "cli/recorded/greet.py": '''
"""Greetings."""

from contextlib import nullcontext

from callbench.cli.outcome.output import console
from callbench.cli.recorded.command import RecordedCommand
from callbench.model.errors import BadInput
from callbench.report import record_report
from callbench.report.record_kinds import report_of
from callbench.report.record_report import RecordReport
from callbench.stats.decide.decision import Outcome
from callbench.store.head import folder, head
from callbench.store.record import Record
from callbench.store.record_writer import RecordWriter


class GreetCommand(RecordedCommand[int, RecordReport]):
    kind = "greet"

    def __init__(self, people, ending):
        super().__init__(ending)
        self._people = people

    def prepared(self):
        if self._people == 13:
            raise BadInput("13 people: invite one more")
        return nullcontext(self._people)

    def folder(self, subject):
        return RecordWriter.create(
            folder(self.ending.out, "greet"),
            head("greet", "greetings", {"people": subject}),
            {"environment.json": b"{}"},
        )

    def kept(self, path):
        return f"who was greeted is in {path}"

    def work(self, run, subject):
        for number in range(subject):
            if number == 99:
                raise KeyboardInterrupt
            run.append({"kind": "greeting", "number": number})

    def result(self, path):
        return report_of(Record(path))

    def as_json(self, result):
        return record_report.as_record(result)

    def show(self, result):
        record_report.show(result, console())

    def outcome(self, result):
        return Outcome.PASSED if result.record["greeted"] <= 10 else Outcome.FAILED
''',
    "report/greet/__init__.py": '"""Greetings, shown."""\n',
    "report/greet/greet_report.py": '''
"""The report of greetings."""

from callbench.report.record_report import RecordReport


def greet_report(run):
    greeted = sum(line["kind"] == "greeting" for line in run.lines())
    return RecordReport(run, "People were greeted.", [f"{greeted} were greeted."], [], {"greeted": greeted})
''',
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The core with one command more."""
    place = tmp_path_factory.mktemp("copy")
    core = place / "callbench"
    shutil.copytree(ROOT / "src/callbench", core, ignore=shutil.ignore_patterns("__pycache__", "installed"))
    for name, text in FILES.items():
        (core / name).parent.mkdir(exist_ok=True)
        assert not (core / name).exists()
        (core / name).write_text(text)
    table = (core / TABLE).read_text()
    before, title, after = table.partition('"Explore",\n        (\n')
    assert title
    (core / TABLE).write_text(f"{before}{title}            {LINE}\n{after}")
    return place


def run(copy: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Start the copy's program in the copy's folder."""
    return subprocess.run(
        [sys.executable, "-m", "callbench", *map(str, words)],
        cwd=copy, env={**os.environ, "PYTHONPATH": str(copy), "CALLBENCH_HOME": str(ROOT)},
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip


def test_a_new_command_with_a_record_is_run_shown_and_reported(copy: Path, tmp_path: Path) -> None:
    made = run(copy, "greet", 3, "--out", tmp_path / "three")
    assert (made.returncode, made.stderr) == (0, "")
    assert "3 were greeted." in made.stdout.splitlines()
    info = json.loads((tmp_path / "three/record.json").read_text())
    assert (info["kind"], info["state"], info["request"]) == ("greet", "finished", {"people": 3})
    assert run(copy, "show", tmp_path / "three").stdout == made.stdout
    shown = run(copy, "show", tmp_path / "three", "--json")
    assert json.loads(shown.stdout) == {"greeted": 3, "findings": [], "found": ["3 were greeted."]}
    written = run(copy, "report", tmp_path / "three", "--format", "md")
    assert written.returncode == 0, written.stderr
    assert "3 were greeted." in (tmp_path / "three/report.md").read_text()
    for page in (run(copy, "--help"), run(copy, "manual")):
        assert "Greet some people." in page.stdout


def test_it_ends_as_every_command_with_a_record_does(copy: Path, tmp_path: Path) -> None:
    failed = run(copy, "greet", 11, "--out", tmp_path / "eleven", "--json")
    assert (failed.returncode, json.loads(failed.stdout)["greeted"]) == (1, 11)
    wrong = run(copy, "greet", 13, "--out", tmp_path / "wrong")
    assert (wrong.returncode, wrong.stderr) == (2, "callbench: 13 people: invite one more\n")
    assert not (tmp_path / "wrong").exists()
    stopped = run(copy, "greet", 100, "--out", tmp_path / "stopped")
    assert (stopped.returncode, stopped.stderr) == (
        130,
        f"callbench: stopped; who was greeted is in {tmp_path / 'stopped'}\n",
    )
    assert json.loads((tmp_path / "stopped/record.json").read_text())["state"] == "stopped"
