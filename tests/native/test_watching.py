"""The probe of processes on real stacks: it finds them, and a killed server is reported."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from callbench.adapter import placement
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.catalog import catalogue
from callbench.model.cell import Cell, Load
from callbench.model.errors import AdapterFailure
from callbench.runner.measure.processes import Processes
from callbench.runner.measure.trial import measure_trial

CELL = Cell("c001", "Sum", "native/json+supertcp", "Sum", {"a": 1, "b": 2}, Load(2, 50, 0.05), watch=True)


@pytest.fixture
def sides() -> Iterator[Sides]:
    """A stack that serves and is connected."""
    known = catalogue.load()
    with Sides(known.adapter("native").manifest.both, placement.choose_placement(), in_process=False) as started:
        endpoint = started.server.serve(CELL.stack)
        started.client.connect(CELL.stack, endpoint, 2)
        yield started


@pytest.mark.usefixtures("nothing_left")
def test_a_trial_has_what_its_processes_took(sides: Sides) -> None:
    _, seen = measure_trial(sides, CELL, [Processes(rest_s=0.01)])
    found: Any = seen["processes"]
    by_side = {one["side"]: one for one in found["sides"]}
    assert by_side.keys() == {"client", "server"}
    for one in by_side.values():
        assert one["begin"]["processes"] == one["end"]["processes"] == 1
        assert one["peak_bytes"] > 0
        assert one["end"]["resident_bytes"] >= one["end"]["unique_bytes"] > 0
        assert one["end"]["files"] >= 3
        assert one["rest"]["threads"] >= 1
        assert one["heap_bytes"] > 0
        assert len(one["samples"]) >= 2
        assert one["end"]["voluntary"] >= one["begin"]["voluntary"]
    assert found["rest_ms"] == 10


@pytest.mark.usefixtures("nothing_left")
def test_a_server_that_is_killed_ends_so_and_the_probe_says_what_it_saw(sides: Sides) -> None:
    probe = Processes(rest_s=0)
    probe.begin(sides, CELL)
    [server] = side_processes.processes_of(sides).server
    os.kill(server, signal.SIGKILL)
    with pytest.raises(AdapterFailure) as failure:
        sides.server.counted()
    assert failure.value.ending in ("killed", "out-of-memory")  # another program may have run out of memory
    found = {one["side"]: one for one in probe.end()["sides"]}
    assert found["server"]["end"]["processes"] == 0
    assert found["server"]["processes_ended"] == 1
    assert found["server"]["heap_bytes"] is None
    assert found["client"]["end"]["processes"] == 1
