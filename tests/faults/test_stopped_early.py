"""The first Ctrl-C ends measuring: what is known is printed and kept, and nothing is left behind."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from callbench.store.journal import Journal, read
from callbench.store.record import Record
from callbench.store.stopping import Sigterm, stoppable
from conftest import eventually
from loaded_program import Begin

Program = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.usefixtures("nothing_left")


class Dropping:
    """Python drops what is raised while it forgets such an object."""

    def __init__(self, number: int) -> None:
        """Send this signal then."""
        self._number = number

    def __del__(self) -> None:
        """Be forgotten."""
        signal.raise_signal(self._number)


STOPS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]


def stopped(
    begin: Begin, words: Sequence[object], out: Path, number: int, lines: int, *, again: bool = False
) -> tuple[int, str, str]:
    """Start the program, stop it when its journal has so many lines, and return its code and its output."""
    running = begin(*words, "--out", out)
    journal = out / "journal.jsonl"
    assert eventually(lambda: journal.is_file() and journal.read_bytes().count(b"\n") >= lines, 120)
    running.send_signal(number)
    if again:
        running.send_signal(number)
    stdout, stderr = running.communicate(timeout=60)
    assert "Traceback" not in stderr
    return running.wait(), stdout, stderr


@pytest.mark.parametrize(("number", "code"), STOPS)
def test_a_load_says_what_it_knows(begin: Begin, tmp_path: Path, number: int, code: int) -> None:
    words = ("load", "native/json+http", "--clients", "2", "--seconds", "3000")
    ended, stdout, stderr = stopped(begin, words, tmp_path / "load", number, 2)
    assert ended == code
    assert "calls/s" in stdout
    assert "Stopped after" in stdout
    assert "s of 3,000." in stderr
    record = Record(tmp_path / "load")
    assert record.info["state"] == "stopped"
    last = list(record.lines())[-1]
    assert last["kind"] == "result"
    assert last["calls"] > 0
    # By its own clock: the window is what was driven and not what was asked for.
    assert last["seconds"] < 3000
    assert last["calls"] == last["histogram_ns"]["count"]


def test_a_stopped_load_is_shown_again(begin: Begin, callbench: Program, tmp_path: Path) -> None:
    words = ("load", "native/json+http", "--clients", "2", "--calls", str(10**9), "--json")
    ended, stdout, _ = stopped(begin, words, tmp_path / "load", signal.SIGINT, 1)
    assert ended == 130
    assert json.loads(stdout)["stopped"].startswith("Stopped after")
    assert "Stopped after" in callbench("show", tmp_path / "load", check=True).stdout


def test_clients_that_have_no_result_of_a_part_say_how_far_they_came(begin: Begin, tmp_path: Path) -> None:
    """The stand-in ends at once when it is told to: its intervals are what is known."""
    ended, _, stderr = stopped(begin, ("load", "honest/tcp", "--seconds", "3000"), tmp_path / "load", signal.SIGINT, 1)
    assert ended == 130
    assert "stopped after" in stderr
    assert "calls and 0 errors" in stderr


def test_the_second_stop_ends_at_once(begin: Begin, tmp_path: Path) -> None:
    words = ("load", "native/json+http", "--clients", "2", "--seconds", "3000")
    ended, _, stderr = stopped(begin, words, tmp_path / "load", signal.SIGINT, 1, again=True)
    assert ended == 130
    assert "topped" in stderr


@pytest.mark.parametrize(
    ("words", "lines", "says"),
    [
        (("soak", "native/json+http", "--clients", "1,2", "--seconds", "100", "--every", "0.2"), 6, "clients"),
        (("compare", "honest/tcp", "honest/inproc", "--seconds", "100", "--rounds", "600"), 6, "rate: "),
        (("overload", "native/json+http", "--seconds", "30"), 6, ""),
        (("capacity", "native/json+http", "--objective", "p99 under 500 ms"), 4, ""),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_every_command_shows_its_record(
    begin: Begin, tmp_path: Path, words: Sequence[str], lines: int, says: str
) -> None:
    ended, stdout, stderr = stopped(begin, words, tmp_path / "record", signal.SIGINT, lines)
    assert ended == 130, stderr
    assert says in stdout
    assert stderr.strip().splitlines()[-1].startswith("callbench: stopped; ")


@pytest.mark.parametrize(("number", "raised"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Sigterm)])
def test_a_stop_that_python_drops_is_sent_again(number: int, raised: type[BaseException]) -> None:
    """A Ctrl-C while a process was forked was lost, and the command went on to its end."""

    def work() -> None:
        with stoppable():
            Dropping(number)
            eventually(lambda: False)

    with pytest.raises(raised):
        work()


def test_a_stop_in_the_middle_of_a_line_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append({"kind": "note", "text": "kept"})
    write = os.write

    def half(descriptor: int, data: bytes) -> int:
        write(descriptor, data[:5])
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(KeyboardInterrupt):
        journal.append({"kind": "note", "text": "half"})
    monkeypatch.setattr(os, "write", write)
    journal.append({"kind": "note", "text": "the next"})
    journal.close()
    assert [line["text"] for line in read(tmp_path / "journal.jsonl")] == ["kept", "the next"]


def test_a_stop_after_a_line_is_written_keeps_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork that was finished was cut off again, where the stop came while the disk took its line."""
    journal = Journal(tmp_path / "journal.jsonl")

    def stopped_here(_descriptor: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", stopped_here)
        with pytest.raises(KeyboardInterrupt):
            journal.append({"kind": "note", "text": "finished"})
    journal.append({"kind": "note", "text": "the next"})
    journal.close()
    assert [line["text"] for line in read(tmp_path / "journal.jsonl")] == ["finished", "the next"]
