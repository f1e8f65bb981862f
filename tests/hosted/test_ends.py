"""The host and its runner end together, whichever ends first, and the host sleeps during a drive."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from callbench.model.process_tree import children_of_all, is_alive
from conftest import MISBEHAVING, ROOT, eventually
from left_behind import marked

HOST = ROOT / "engine" / "target" / "release" / "callbench-host"
ENDLESS = {"seconds": 1000, "limit_seconds": 1000}


class Conversation:
    """The host of the honest runner, spoken to as the core does, with one client connected."""

    def __init__(self) -> None:
        """Start it, serve, connect."""
        self.process = subprocess.Popen(
            [HOST, "honest", sys.executable, MISBEHAVING / "runners" / "runner.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin: IO[bytes] = self.process.stdin
        self.stdout: IO[bytes] = self.process.stdout
        self.stderr: IO[bytes] = self.process.stderr
        self.last_id = 0
        assert json.loads(self.stdout.readline())["is"] == "hello"
        (self.runner,) = children_of_all()[self.process.pid]
        served = self.ask("serve", stack="honest/tcp", host="127.0.0.1", port=0, options={})
        place = {"endpoint": served["endpoint"], "clients": 1, "timeout_ms": 5000, "options": {}}
        assert self.ask("connect", stack="honest/tcp", **place)["connections"] == 1

    def send(self, do: str, **members: Any) -> None:
        """Make a request."""
        self.last_id += 1
        self.stdin.write(json.dumps({"do": do, "id": self.last_id, **members}).encode() + b"\n")
        self.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """Take a line."""
        line: dict[str, Any] = json.loads(self.stdout.readline())
        return line

    def ask(self, do: str, **members: Any) -> dict[str, Any]:
        """Make a request and take its answer, past the intervals."""
        self.send(do, **members)
        while (said := self.hear())["is"] == "interval":
            pass
        return said

    def drive(self, **members: Any) -> dict[str, Any]:
        """Members of a drive of 0.5 s."""
        usual = {"call": "Hello", "arguments": {}, "calls": 1, "seconds": 0.5, "limit_seconds": 60}
        return {**usual, "timing": "each", "think_ns": 0, "schedule": None, "start_at_ns": 0, **members}


@pytest.fixture
def talk(mark: str) -> Iterator[Conversation]:
    """A conversation, of which nothing is left."""
    conversation = Conversation()
    yield conversation
    conversation.process.kill()
    conversation.process.wait()
    for pipe in (conversation.stdin, conversation.stdout, conversation.stderr):
        pipe.close()
    assert eventually(lambda: not marked(mark)), f"still alive: {marked(mark)}"


def test_a_host_that_is_killed_leaves_no_runner(talk: Conversation) -> None:
    talk.send("drive", **talk.drive(**ENDLESS))
    assert talk.hear()["is"] == "interval"
    assert is_alive(talk.runner)
    talk.process.kill()
    assert eventually(lambda: not is_alive(talk.runner))


@pytest.mark.parametrize("told", ["SIGTERM", "the end of its input"])
def test_a_host_that_is_asked_to_end_ends_its_runner_in_a_drive_too(talk: Conversation, told: str) -> None:
    talk.send("drive", **talk.drive(**ENDLESS))
    assert talk.hear()["is"] == "interval"
    if told == "SIGTERM":
        talk.process.send_signal(signal.SIGTERM)
    else:
        talk.stdin.close()
    talk.process.wait()
    assert eventually(lambda: not is_alive(talk.runner))


def test_a_runner_that_is_killed_ends_its_host_as_it_ended(talk: Conversation) -> None:
    os.kill(talk.runner, signal.SIGKILL)
    assert talk.process.wait() == 128 + signal.SIGKILL
    assert talk.stderr.read() == b"callbench: the runner of honest died (killed by SIGKILL)\n"


def test_what_a_server_asks_is_answered_in_the_middle_of_a_drive(talk: Conversation) -> None:
    done = talk.ask("drive", **talk.drive(call="GetPersons", arguments={"n": 7}, seconds=0))
    assert (done["is"], done["calls"], done["errors"]) == ("done", 1, {})


def test_a_host_wakes_for_the_intervals_of_a_drive_and_for_nothing_else(talk: Conversation) -> None:
    talk.ask("drive", **talk.drive(seconds=0))
    before = wakings(talk.process.pid)
    talk.send("drive", **talk.drive(seconds=1))
    lines = 1
    while talk.hear()["is"] == "interval":
        lines += 1
    # A few threads are woken by each line that passes; one that looked every millisecond would be a thousand times.
    assert wakings(talk.process.pid) - before < 10 * (lines + 5)


def wakings(pid: int) -> int:
    """How often the threads of a process have gone to sleep."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    lines = [line for task in tasks for line in (task / "status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
