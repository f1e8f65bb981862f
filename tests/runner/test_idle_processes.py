"""Who spins while it is not driven is restless and can be stopped; who sleeps is not. With real processes."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from callbench.runner.machine import idle_processes
from conftest import eventually

SPINS = "print(flush=True)\nwhile True: pass"
SLEEPS = "print(flush=True)\nimport time\ntime.sleep(600)"


@pytest.fixture
def pid(request: pytest.FixtureRequest) -> Iterator[int]:
    """A started process of the program that the test names."""
    with subprocess.Popen([sys.executable, "-c", request.param], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"\n"
            yield process.pid
        finally:
            process.kill()


def watched(pid: int) -> idle_processes.IdleUsage:
    """Return what it used while it was not driven, watched until that is known."""
    one = idle_processes.IdleUsage([pid])
    while one.share is None:
        one.slice_ended()
        time.sleep(0.1)
        one.slice_begins()
    return one


@pytest.mark.parametrize("pid", [SPINS], indirect=True)
def test_who_spins_is_restless(pid: int) -> None:
    assert watched(pid).exceeds_limit


@pytest.mark.parametrize("pid", [SLEEPS], indirect=True)
def test_who_sleeps_is_not(pid: int) -> None:
    assert not watched(pid).exceeds_limit


@pytest.mark.parametrize("pid", [SPINS], indirect=True)
def test_what_it_does_while_it_is_driven_is_not_counted(pid: int) -> None:
    one = watched(pid)
    before = one.share
    # Between `slice_begins` and `slice_ended` lies one of its slices.
    ran = idle_processes.ran_ns([pid])
    assert eventually(lambda: idle_processes.ran_ns([pid]) > ran)
    assert one.share == before


@pytest.mark.parametrize("pid", [SPINS], indirect=True)
def test_who_is_stopped_takes_nothing_until_it_continues(pid: int) -> None:
    idle_processes.stop([pid])
    assert eventually(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    ran = idle_processes.ran_ns([pid])
    time.sleep(0.05)
    assert idle_processes.ran_ns([pid]) == ran
    idle_processes.resume_processes([pid])
    assert eventually(lambda: idle_processes.ran_ns([pid]) > ran)


def test_nothing_is_said_too_soon_and_who_is_gone_is_passed_over() -> None:
    ended = subprocess.Popen(["/usr/bin/env", "true"])
    ended.wait()
    one = idle_processes.IdleUsage([ended.pid])
    one.slice_begins()
    assert one.share is None
    assert not one.exceeds_limit
    idle_processes.stop([ended.pid])
    idle_processes.resume_processes([ended.pid])
    assert idle_processes.ran_ns([ended.pid]) == 0
