"""The program that a worker keeps loaded: a run that is cut off takes nothing from the runs after it."""

import os
import signal
import subprocess
from pathlib import Path
from types import FrameType

import pytest

from callbench.model.version import VERSION
from loaded_program import LoadedProgram

# Ten minutes of calls, over two processes of adapters.
LONG = ["compare", "honest/tcp", "honest/inproc", "--seconds", "600", "--call", "Sum", "--out", "long"]


class OutOfTimeError(Exception):
    """What a time-out of the whole test raises, wherever the test is."""


def assert_works(loaded: LoadedProgram, within: Path) -> None:
    ended = loaded.run(["--version"], within, 60)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert VERSION in ended.stdout


@pytest.mark.usefixtures("nothing_left")
def test_a_run_past_its_time_leaves_the_next_one_a_program(loaded_program: LoadedProgram, tmp_path: Path) -> None:
    """What is forked wrote of the killed run into a pipe that nobody read, and ended by that: 35 tests failed."""
    before = loaded_program.pid
    with pytest.raises(subprocess.TimeoutExpired):
        loaded_program.run(LONG, tmp_path, 0.5)
    assert loaded_program.pid != before
    assert_works(loaded_program, tmp_path)


@pytest.mark.usefixtures("nothing_left")
def test_a_test_past_its_time_does_so_too(loaded_program: LoadedProgram, tmp_path: Path) -> None:
    def time_out(_number: int, _frame: FrameType | None) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGUSR1, time_out)
    # Not by a timer: as soon as the run is going on, some process of it says so.
    teller = subprocess.Popen(
        ["/bin/sh", "-c", f"until [ -s {tmp_path}/long/plan.json ]; do sleep 0.05; done; kill -USR1 {os.getpid()}"]
    )
    try:
        with pytest.raises(OutOfTimeError):
            loaded_program.run(LONG, tmp_path, 200)
    finally:
        teller.kill()
        teller.wait()
        signal.signal(signal.SIGUSR1, before)
    assert_works(loaded_program, tmp_path)


def test_a_program_that_is_gone_is_loaded_anew(loaded_program: LoadedProgram, tmp_path: Path) -> None:
    os.kill(loaded_program.pid, signal.SIGKILL)
    os.waitid(os.P_PID, loaded_program.pid, os.WEXITED | os.WNOWAIT)
    assert_works(loaded_program, tmp_path)
