"""The processes of a side are found with their descendants, and without what keeps them."""

import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from callbench.adapter.placement import Placement
from callbench.adapter.process import AdapterProcess
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.catalog import catalogue
from callbench.model import process_tree
from callbench.model.installation import supervisor
from conftest import MISBEHAVING, eventually

# A daemon as they are made: it leaves its parent, its session and its process group.
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
os.wait()
print("{}", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("in_process", [False, True])
def test_each_side_is_its_adapter_alone(in_process: bool) -> None:
    manifest = catalogue.load([MISBEHAVING]).adapter("honest").manifest
    with Sides(manifest.both, Placement((), ()), in_process=in_process) as sides:
        found = side_processes.processes_of(sides)
        assert len(found.client) == len(found.server) == 1
        assert (found.client == found.server) == in_process
        assert set(found.by_side()) == ({"both"} if in_process else {"client", "server"})
        assert side_processes.processes_of(sides, new=True) == found
        for pid in found.every:
            assert b"honest.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    assert side_processes.processes_of(sides).every == ()


def test_a_daemon_that_left_belongs_to_its_side(tmp_path: Path) -> None:
    process = AdapterProcess("a daemon's parent", [sys.executable, "-c", DAEMON], tmp_path, ())
    try:
        process.receive(time.monotonic() + 60, "anything")
        side: Any = SimpleNamespace(process=process)
        both = cast("Sides", SimpleNamespace(client=side, server=side))
        kept = supervisor() is not None
        assert eventually(lambda: len(side_processes.processes_of(both).client) == (2 if kept else 1))
    finally:
        process.close(grace=0)


def test_ids_that_began_again_hide_no_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for pid, parent in ((9, 90), (95, 90), (50, 1)):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (a) S {parent} 7 7 0")
    monkeypatch.setattr(process_tree, "PROC", tmp_path)
    for last, found in ((96, {90: [95]}), (10, {90: [9, 95], 1: [50]})):
        (tmp_path / "loadavg").write_text(f"0.5 0.4 0.3 1/600 {last}\n")
        assert {parent: sorted(mine) for parent, mine in process_tree.younger(90).items()} == found


def test_a_name_with_brackets_does_not_shift_the_fields(tmp_path: Path) -> None:
    folder = tmp_path / "7"
    folder.mkdir()
    (folder / "stat").write_text("7 (a) b) c) S 3 7 7 0")
    (tmp_path / "self").mkdir()
    assert process_tree.children_of_all(tmp_path) == {3: [7]}
    assert process_tree.stat_fields(tmp_path / "8") == ()
