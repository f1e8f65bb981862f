"""What the tests print of where their time went, of tests whose starts are known."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from callbench.catalog.own import protoc
from conftest import TESTS
from loaded_program import LoadedProgram
from process_starts import LOADED, LOADING, VARIABLE, Start, note, noted
from where_time_goes import WhereTimeGoes

COMPILER = """#!/bin/sh
exit 0
"""
FIRST = """
import subprocess
import pytest

@pytest.mark.parametrize("times", [1, 2])
def test_starts(times):
    for _ in range(times):
        subprocess.run(["/bin/true"], check=True)
"""
SECOND = """
import subprocess
from pathlib import Path

def test_compiles():
    subprocess.run([Path(__file__).with_name("cargo"), "build"], check=True)
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as cat:
        assert cat.communicate(b"a") == (b"a", None)

def test_starts_nothing():
    pass
"""


def where_time_goes(within: Path, workers: int) -> str:
    """Run the tests of a folder, and return what they print."""
    script = f"import sys; sys.path.insert(0, {str(TESTS)!r}); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    words = ["-p", "where_time_goes", "--where-time-goes", "-n", str(workers), "-c", "/dev/null", "--rootdir", "."]
    ended = subprocess.run(
        [sys.executable, "-c", script, *words, "."], cwd=within, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize("workers", [0, 2])
def test_starts_and_compilers_are_counted_by_file(tmp_path: Path, workers: int) -> None:
    (tmp_path / "test_first.py").write_text(FIRST)
    (tmp_path / "test_second.py").write_text(SECOND)
    (tmp_path / "cargo").write_text(COMPILER)
    (tmp_path / "cargo").chmod(0o755)
    said = where_time_goes(tmp_path, workers)
    whole = r"^\d+ s of tests, \d+ processes started, \d+ s in compilers, \d+ s of processors$"
    assert re.search(whole, said, re.MULTILINE), said
    rows = re.findall(r"^ +[\d.]+ +[\d.]+ +(\d+) +(\d+) +[\d.]+  (test_\w+)\.py$", said, re.MULTILINE)
    assert {name: (int(tests), int(starts)) for tests, starts, name in rows} == {
        "test_first": (2, 3),
        "test_second": (2, 2),
    }
    programs = re.findall(r"^ +[\d.]+ +[\d.]+ +(\d+)  ([a-z]+)$", said, re.MULTILINE)
    assert {("3", "true"), ("1", "cat"), ("1", "cargo")} <= set(programs)


COMPUTING = """
import subprocess
import sys
import time

USE = "import time\\nwhile time.process_time() < 1.0: pass"

def test_of_its_own():
    begin = time.process_time()
    while time.process_time() - begin < 1.5:
        pass

def test_by_a_child():
    subprocess.run([sys.executable, "-S", "-c", USE], check=True)
"""


@pytest.mark.parametrize("workers", [0, 2])
def test_what_a_test_and_its_children_compute_is_its_files(tmp_path: Path, workers: int) -> None:
    (tmp_path / "test_computing.py").write_text(COMPUTING)
    said = where_time_goes(tmp_path, workers)
    of_file = re.search(r"^ +([\d.]+) .*  test_computing\.py$", said, re.MULTILINE)
    assert of_file, said
    assert float(of_file[1]) >= 2.5
    of_program = re.search(r"^ +([\d.]+) .* 1  python[\d.]*$", said, re.MULTILINE)
    assert of_program, said
    assert float(of_program[1]) >= 1.0


def test_what_a_loaded_program_computes_is_told_once() -> None:
    starts = [
        Start("a.py::a", "callbench-native", compiles=False, seconds=1, processor_s=3.0, is_within=True),
        Start("a.py::a", LOADED, compiles=False, seconds=1, processor_s=5.0, is_within=False),
        Start("", LOADING, compiles=False, seconds=1, processor_s=6.0, is_within=False),
    ]
    said = WhereTimeGoes(Path("none")).lines(starts)
    assert said[0].endswith(", 5 s of processors")
    assert {line.split()[0] for line in said if "callbench" in line or "loaded" in line} == {"3.0", "2.0", "1.0"}


def test_the_test_in_which_a_loaded_program_ends_has_not_its_runs() -> None:
    """One second of its own, and six that the program took, of which five were runs of another test."""
    starts = [
        Start("a.py::a", LOADED, compiles=False, seconds=1, processor_s=5.0, is_within=False),
        Start("b.py::b", LOADING, compiles=False, seconds=1, processor_s=6.0, is_within=False),
    ]
    goes = WhereTimeGoes(Path("none"))
    goes.files["b.py"].processor_s = 7.0
    said = goes.lines(starts)
    assert said[0].endswith(", 6 s of processors")
    assert {line.split()[0] for line in said if line.endswith(".py")} == {"5.0", "1.0"}


def test_what_the_loaded_program_starts_is_noted_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "starts"))
    with LoadedProgram(os.environ) as loaded:
        loaded.run(["verify", "honest/tcp", "--check", "Hello"], tmp_path, 100)
    started = list(noted(tmp_path / "starts"))
    assert "callbench, forked from a loaded one" in {start.program for start in started}
    assert len(started) > 1
    (run,) = (start for start in started if start.program == LOADED)
    within = [start for start in started if start.is_within]
    assert within == [start for start in started if start is not run]
    assert run.processor_s > sum(start.processor_s for start in within) > 0
    assert {start.test.partition("::")[0] for start in started} == {"tests/core/test_where_time_goes.py"}


def test_protobufs_compiler_has_its_name(tmp_path: Path) -> None:
    note(tmp_path / "starts", [*protoc.program(), "-I/tmp", "a.proto"], 1.0, 0.5)
    assert [(start.program, start.compiles) for start in noted(tmp_path / "starts")] == [("protoc", True)]
