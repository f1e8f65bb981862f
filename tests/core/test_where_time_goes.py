"""What the tests print of where their time went, of tests whose starts are known."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TESTS
from loaded_program import LoadedProgram
from process_starts import VARIABLE, noted

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


@pytest.mark.parametrize("workers", [0, 2])
def test_starts_and_compilers_are_counted_by_file(tmp_path: Path, workers: int) -> None:
    (tmp_path / "test_first.py").write_text(FIRST)
    (tmp_path / "test_second.py").write_text(SECOND)
    (tmp_path / "cargo").write_text(COMPILER)
    (tmp_path / "cargo").chmod(0o755)
    script = f"import sys; sys.path.insert(0, {str(TESTS)!r}); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    words = ["-p", "where_time_goes", "--where-time-goes", "-n", str(workers), "-c", "/dev/null", "--rootdir", "."]
    ended = subprocess.run(
        [sys.executable, "-c", script, *words, "."], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    said = ended.stdout
    assert re.search(r"^\d+ s of tests, (\d+) processes started, \d+ s in compilers$", said, re.MULTILINE), said
    rows = re.findall(r"^ +[\d.]+ +(\d+) +(\d+) +[\d.]+  (test_\w+)\.py$", said, re.MULTILINE)
    assert {name: (int(tests), int(starts)) for tests, starts, name in rows} == {
        "test_first": (2, 3),
        "test_second": (2, 2),
    }
    programs = re.findall(r"^ +[\d.]+ +(\d+)  ([a-z]+)$", said, re.MULTILINE)
    assert {("3", "true"), ("1", "cat"), ("1", "cargo")} <= set(programs)


def test_what_the_loaded_program_starts_is_noted_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "starts"))
    with LoadedProgram(os.environ) as loaded:
        loaded.run(["verify", "honest/tcp", "--check", "Hello"], tmp_path, 100)
    started = list(noted(tmp_path / "starts"))
    assert "callbench, forked from a loaded one" in {start.program for start in started}
    assert len(started) > 1
    assert {start.test.partition("::")[0] for start in started} == {"tests/core/test_where_time_goes.py"}
