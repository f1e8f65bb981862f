"""The estimate of a run's duration follows from its plan."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import pytest

from callbench.catalog import catalogue
from callbench.catalog.study import load
from callbench.model.card import StackCard, SweepOfCell
from callbench.model.cell import AS_IS, CALLS_PER_SLICE, HELD, TIMES_CODEC, Cell, Load, Stack
from callbench.runner.drive.slices import ENOUGH_SECONDS, SLICE_SECONDS
from callbench.runner.plan import plan
from callbench.runner.plan.estimate import estimate, span
from callbench.stats.wire.link import Wires
from callbench.store.requested.run import RunLength
from conftest import MISBEHAVING

Program = Callable[..., subprocess.CompletedProcess[str]]
SLOW: Wires = {"modem": {"link": {"to_server": {"delay_ns": 60_000_000, "rate_bps": 30_000}, "to_client": {}}}}
# The defaults of a run: ten rounds per fork, and an hour.
PACE = RunLength(10, 3600.0, exact=False)


def planned(*cells: Cell, forks: int = 2) -> plan.Plan:
    stacks = [Stack("honest/tcp", "honest", "json", "tcp", "python", "l", "1")]
    return plan.make_plan(cells, stacks, forks, wires=SLOW)


def cell(number: int, *, link: str = "loopback", wire: SweepOfCell | None = None) -> Cell:
    load_ = Load(1, 10, 0.5)
    return Cell(f"c{number}", "g", "honest/tcp", "Send", {"type": "int", "content": "fixed"}, load_, link, wire=wire)


@pytest.fixture
def known() -> catalogue.Catalogue:
    return catalogue.load([MISBEHAVING])


def test_more_forks_rounds_and_conditions_take_longer(known: catalogue.Catalogue) -> None:
    every = estimate(planned(cell(1), cell(2), forks=4), known, PACE)
    assert (every.forks, every.slices, every.accounts) == (4, 4 * 2 * 10, 0)
    # No slice ends before its time, so an estimate below that is wrong.
    assert every.seconds > every.slices * SLICE_SECONDS
    half = estimate(planned(cell(1), cell(2), forks=2), known, PACE)
    assert (half.forks, half.slices) == (2, 40)
    # What a message takes alone is timed once, before the first fork.
    assert half.seconds == pytest.approx(every.seconds / 2, abs=0.2)
    assert estimate(planned(cell(1), cell(2)), known, replace(PACE, rounds=20)).seconds > half.seconds
    both = plan.make_plan(planned(cell(1), cell(2)).cells, planned(cell(1)).stacks, 2, (AS_IS, HELD))
    assert (estimate(both, known, PACE).forks, estimate(both, known, PACE).slices) == (4, 80)
    assert estimate(planned(cell(1)), known, PACE, left_out=["honest/tcp"]).seconds == 0


def test_a_run_without_a_limit_does_not_name_one(known: catalogue.Catalogue) -> None:
    limited, exact = (estimate(planned(cell(1)), known, replace(PACE, limit_s=limit)) for limit in (600.0, None))
    said = f"{exact}. It continues until its claims and neighbours are decided, for at most about 10 minutes"
    assert str(limited) == said
    assert "2 forks with 20 slices" in str(exact)
    short = estimate(planned(cell(1)), known, replace(PACE, limit_s=exact.seconds / 2))
    assert str(short).startswith("about 5 s, with as many forks and rounds as have room in it. All of them would take ")
    # A budget is kept, so it is what is foretold.
    assert replace(limited, seconds=2000.0).expected_s == 600.0


def driven(name: str, number: int, clients: int, calls: int, *, watch: bool = False) -> Cell:
    return Cell(f"c{number}", "g", name, "Hello", {}, Load(clients, calls, 0.2), watch=watch, fresh=True)


def seconds_of(known: catalogue.Catalogue, cell: Cell, **card: Unpack[StackCard]) -> float:
    stacks = [Stack(cell.stack, "x", "none", "none", "x", "l", "1", card=card)]
    return estimate(plan.make_plan([cell], stacks, 1), known, PACE).seconds


def test_what_is_known_of_a_server_says_how_long_its_calls_take(known: catalogue.Catalogue) -> None:
    slow, quick = (seconds_of(known, driven("x/y", 1, 50, 50_000), busy_us=busy) for busy in (400.0, 10.0))
    # 50 clients do not make 50 times the calls of one: one processor answers them.
    assert slow > 50_000 * 400e-6
    assert quick < 10
    # Each client calls once at least.
    assert seconds_of(known, driven("x/y", 1, 100, 20), busy_us=100_000.0) > 10
    # No trial lasts longer than its limit.
    assert seconds_of(known, driven("x/y", 1, 1, 10**9)) < 70


def test_a_rest_takes_its_time(known: catalogue.Catalogue) -> None:
    kept, watched = (seconds_of(known, driven("x/y", 1, 1, 10, watch=watch)) for watch in (False, True))
    assert watched - kept == pytest.approx(2.0)


def test_echoes_beside_the_cells_are_in_it(known: catalogue.Catalogue) -> None:
    inside = [one for one in known.stacks if one.card.get(TIMES_CODEC)]
    assert inside
    mine = Stack("honest/tcp", inside[0].adapter, inside[0].message, "tcp", "python", "l", "1")
    whole = plan.make_plan([cell(1)], [mine], 1)
    assert estimate(whole, known, PACE).seconds > estimate(whole, known, PACE, baselines=False).seconds


def test_a_slow_line_takes_its_time(known: catalogue.Catalogue) -> None:
    near, far = (estimate(planned(cell(1, link=link)), known, PACE).seconds for link in ("loopback", "modem"))
    # Two forks of slices with a few calls of 60 ms and 300 bytes or more at 30 kbit/s, until they are enough.
    assert CALLS_PER_SLICE * (0.06 + 0.08) * 10 > ENOUGH_SECONDS
    assert far - near > 2 * (ENOUGH_SECONDS - 10 * SLICE_SECONDS)


def test_counts_of_bytes_are_in_it(known: catalogue.Catalogue) -> None:
    counted = estimate(planned(cell(1, wire={}), forks=1), known, PACE)
    assert counted.accounts == 1
    assert counted.seconds > estimate(planned(cell(1), forks=1), known, PACE).seconds


def test_times_are_written_for_people() -> None:
    assert [span(seconds) for seconds in (1, 62, 700, 3 * 3600)] == [
        "about 5 s",
        "about 60 s",
        "about 12 minutes",
        "about 3.0 hours",
    ]


def test_a_dry_run_makes_nothing(callbench: Program, study: Path, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    told = callbench("run", study, "--quick", "--dry-run", check=True).stdout
    assert "honest/tcp: " in told
    assert "about " in told.splitlines()[-1]
    assert "slices" in told.splitlines()[-1]
    assert set(tmp_path.rglob("*")) == before
    ran = callbench("run", study, "--quick", "--select", "group=Sum", "--out", "r", check=True)
    assert "about " in ran.stderr.splitlines()[0]
    again = callbench("run", study, "--out", "r", "--resume", "--dry-run")
    assert again.returncode == 2
    assert "--dry-run" in again.stderr


def test_stacks_left_out_for_one_reason_are_reported_once(
    callbench: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "absent"
    folder.mkdir()
    (folder / "adapter.toml").write_text(
        'contract = 1\nname = "absent"\nlanguage = "none"\nprogram = ["./absent"]\nsetup = "make absent"\n'
        '[matrix.message.bin]\nabout = "m"\nlibrary = "none"\n'
        + "".join(f'[matrix.channel.c{number}]\nabout = "c"\n' for number in range(12))
    )
    monkeypatch.setenv("CALLBENCH_ADAPTERS", f"{os.environ['CALLBENCH_ADAPTERS']}{os.pathsep}{folder}")
    file = tmp_path / "s.toml"
    file.write_text(
        'title = "S"\n[load]\ncalls = 5\nseconds = 0.01\nforks = 1\nrounds = 2\nminutes = 0.01\n'
        '[[cells]]\ngroup = "Sum"\nstacks = ["honest/tcp", "absent/*"]\ncall = "Sum"\narguments = { a = 1, b = 2 }\n'
    )
    told = callbench("run", file, "--dry-run", check=True).stdout
    (line,) = [line for line in told.splitlines() if "absent/" in line]
    assert line.startswith("left out: absent/bin+c0, absent/bin+c1, absent/bin+c2, absent/bin+c3 and 8 more: ")
    assert line.endswith("run `make absent`")


def test_a_group_says_what_a_quick_run_has_of_it(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        'title = "T"\n[quick]\ncalls = 7\nseconds = 0.5\n'
        '[[cells]]\ngroup = "a"\nstacks = ["a/*"]\ncall = "Empty"\nclients = [1, 2, 3]\n'
        'quick = { clients = [1, 3], calls = 2, link = ["wan50"] }\n'
        '[[cells]]\ngroup = "b"\nstacks = ["a/*"]\ncall = "Empty"\nquick = { skip = true }\n'
    )
    read, stacks = load(file), [Stack("a/x", "a", "x", "tcp", "c", "l", "1")]
    quick = read.cells(stacks, quick=True)
    assert [(one.group, one.load.clients, one.load.calls, one.load.seconds, one.link) for one in quick] == [
        ("a", 1, 2, 0.5, "wan50"),
        ("a", 3, 2, 0.5, "wan50"),
    ]
    whole = read.cells(stacks, quick=False)
    assert [(one.group, one.link) for one in whole] == [("a", "loopback")] * 3 + [("b", "loopback")]
    over = load(file, link="lan100").cells(stacks, quick=True)
    assert {one.link for one in over} == {"lan100"}
