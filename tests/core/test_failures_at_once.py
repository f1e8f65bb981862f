"""What the suite prints of a failed test when it fails, and not only at its end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]
# The second test waits until what was printed of the first can be read, or gives up.
TESTS = """
import pathlib, time

def test_fails():
    assert [1, 2] == [1, 3], "a failure with a name"

def test_is_read_meanwhile():
    due = time.monotonic() + 60
    while "a failure with a name" not in pathlib.Path("said").read_text():
        assert time.monotonic() < due
        time.sleep(0.05)
"""


@pytest.mark.parametrize("workers", [0, 1])
def test_a_failure_is_printed_before_the_next_test_ends(tmp_path: Path, workers: int) -> None:
    (tmp_path / "test_two.py").write_text(TESTS)
    said = tmp_path / "said"
    words = [
        "-p",
        "failures_at_once",
        "-p",
        "no:cacheprovider",
        "-n",
        str(workers),
        "-c",
        "/dev/null",
        "--rootdir",
        ".",
    ]
    with said.open("w") as out:
        argv = [sys.executable, "-u", "-m", "pytest", *words, "test_two.py"]
        env = {**os.environ, "PYTHONPATH": str(HERE)}
        ended = subprocess.run(
            argv, cwd=tmp_path, env=env, stdout=out, stderr=subprocess.STDOUT, timeout=120, check=False
        )
    text = said.read_text()
    assert ended.returncode == 1, text
    assert "1 failed, 1 passed" in text
    assert "FAILED test_two.py::test_fails (call, after 0 s)" in text
