"""Results for programs: which commands print them."""

import io
import os
import signal
import sys
import threading
import time

import pytest

from callbench.cli import write_whole
from command_tree import One, every

# What prints no result, and why.
WITHOUT = {
    "callbench manual": "it prints a page",
    "callbench report": "it prints the path of a file, whose format --format says",
    "callbench ui": "it serves a page",
    "callbench publish": "it writes pages",
    "callbench agent": "it serves orders",
    "callbench hosts init": "it writes keys",
    "callbench hosts start": "it serves hosts",
}


@pytest.mark.parametrize("one", [one for one in every() if not one.group], ids=lambda one: one.path)
def test_every_command_that_prints_a_result_prints_it_for_programs(one: One) -> None:
    assert ("--json" in one.options) is (one.path not in WITHOUT)


def test_a_long_text_arrives_whole_where_a_signal_comes_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PYTHONUNBUFFERED is set, a result was cut off after 64 KiB: Ctrl-Z and `fg` came while it was printed."""
    reader, writer = os.pipe()
    arrived: list[bytes] = []
    printing = threading.get_ident()

    def read() -> None:
        time.sleep(0.2)  # Until the pipe is full. Where printing begins later, nothing comes in between.
        signal.pthread_kill(printing, signal.SIGUSR1)
        with os.fdopen(reader, "rb") as end:
            arrived.append(end.read())

    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    reading = threading.Thread(target=read)
    with os.fdopen(writer, "wb", buffering=0) as raw:
        unbuffered = io.TextIOWrapper(raw, write_through=True)
        monkeypatch.setattr(sys, "stdout", unbuffered)
        write_whole()
        reading.start()
        print("x" * 300_000)  # noqa: T201 - what is tested
    reading.join()
    signal.signal(signal.SIGUSR1, before)
    assert arrived == [b"x" * 300_000 + b"\n"]
