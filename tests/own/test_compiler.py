"""A compiler that is run for a service: its errors, and its end with the program."""

import subprocess
import sys
from pathlib import Path

import pytest

from callbench.adapter.generators import compiler
from callbench.model.errors import CallbenchError
from conftest import ROOT, eventually
from left_behind import marked

SLEEPS = "from callbench.adapter.generators import compiler; compiler.run(['sleep', '600'], 'it did not sleep')"


def test_what_it_says_is_in_the_error(tmp_path: Path) -> None:
    command = ["sh", "-c", 'echo "$PWD: $WHAT is missing" >&2; seq 100; exit 3']
    with pytest.raises(CallbenchError) as caught:
        compiler.run(command, "it could not compile", folder=tmp_path, environment={"WHAT": "a brace"})
    lines = str(caught.value).splitlines()
    assert lines[:2] == ["it could not compile (exit code 3). It says:", f"{tmp_path}: a brace is missing"]
    assert len(lines) < 40


def test_one_that_succeeds_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    compiler.run(["echo", "a warning"], "it could not compile")
    assert capfd.readouterr() == ("", "")


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_it_ends_with_a_program_that_is_killed(mark: str) -> None:
    program = subprocess.Popen([sys.executable, "-c", SLEEPS], cwd=ROOT)
    try:
        assert eventually(lambda: "sleep 600" in map(command_line, marked(mark)))
    finally:
        program.kill()
        program.wait()


def command_line(process: int) -> str:
    """Its words; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return ""
