"""Nothing that a test started outlives a pytest that is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conftest import TESTS, eventually

# One that runs tests: it starts a program with a session of its own, as the page does.
WORKER = """
import os, subprocess, sys
import left_behind
watch = left_behind.Watch()
marked = {**os.environ, left_behind.MARK: left_behind.SESSION + "1"}
program = subprocess.Popen(["sleep", "60"], env=marked, stdout=subprocess.DEVNULL, start_new_session=True)
print(program.pid, flush=True)
sys.stdin.read()
watch.close()
"""


@contextmanager
def worker() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A worker and the program that it has started, which is gone afterwards."""
    argv = [sys.executable, "-c", WORKER]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    with subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        program = int(started.stdout.readline())
        try:
            yield started, program
        finally:
            started.kill()
            if lives(program):
                os.kill(program, signal.SIGKILL)


def lives(pid: int) -> bool:
    """Whether a program runs. One that has ended and that nobody waits for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def test_it_ends_with_a_worker_that_is_killed() -> None:
    """A page's load of 600 s went on after its tests were stopped."""
    with worker() as (started, program):
        assert lives(program)
        started.kill()
        assert eventually(lambda: not lives(program))


def test_it_is_seen_after_a_worker_that_ends_as_it_should() -> None:
    """The test that left it is to be mended: nothing sweeps it up."""
    with worker() as (started, program):
        started.communicate("")
        assert started.returncode == 0
        assert lives(program)
