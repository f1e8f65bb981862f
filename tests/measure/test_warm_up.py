"""How long a warm-up lasts, on virtual time: the client says how fast it would have been."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from callbench.adapter.contract import Done
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell, Load
from callbench.runner.measure.steadiness import unsteady
from callbench.runner.measure.warm_up import LIMIT, SKIPPED, STEADY, WarmUp, warm_up_cell
from callbench.store.lines.rounds import Probed


@dataclass
class Client:
    """A client whose time passes only while it is driven."""

    rate_per_s: Callable[[float], float] = lambda _: 10_000.0
    driven_s: float = 0.0
    # A process without a compiler.
    process: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(pid=os.getpid()))

    def drive(self, *_: object, seconds: float, **__: object) -> dict[str, Any]:
        self.driven_s += seconds
        return {"calls": round(self.rate_per_s(self.driven_s) * seconds), "elapsed_ns": round(seconds * 1e9)}


def sides_of(client: Client, *, compiles: bool = True, limit_s: float | None = None) -> Sides:
    """Both sides in one process that runs nothing which compiles."""
    both = SimpleNamespace(
        client=client,
        server=client,
        compiles=compiles,
        warmed_s={},
        steady=set(),
        warm_up_limit_s=limit_s,
        elsewhere=None,
    )
    return cast("Sides", both)


def warm(sides: Sides, call: str, **arguments: object) -> WarmUp:
    """Warm a cell up."""
    return warm_up_cell(sides, Cell("c001", "g", "a/b", call, arguments, Load(1, 10, 0.02)))


def took(sides: Sides, call: str, **arguments: object) -> float:
    """How long the warm-up of a steady cell lasted, in seconds."""
    found = warm(sides, call, **arguments)
    assert (found.steady, found.ended, found.not_steady) == (True, STEADY, "")
    return found.seconds


def test_the_first_operation_takes_longest_and_a_further_cell_of_one_least() -> None:
    sides = sides_of(Client())
    assert took(sides, "EchoStructure", n=1) == pytest.approx(8, abs=0.3)
    assert took(sides, "EchoStructure", n=500) == pytest.approx(1, abs=0.2)
    assert took(sides, "EchoString", count=500) == pytest.approx(4, abs=0.3)


def test_a_type_is_an_operation_of_its_own() -> None:
    sides = sides_of(Client())
    took(sides, "Hello")
    assert took(sides, "Send", type="int", content="fixed") == pytest.approx(4, abs=0.3)
    assert took(sides, "Send", type="int[]", content="fixed", count=5) == pytest.approx(4, abs=0.3)
    assert took(sides, "Send", type="int[]", content="fixed", count=500) == pytest.approx(1, abs=0.2)


def test_a_further_cell_is_tested_however_long_its_operation_was_driven_before() -> None:
    client = Client()
    sides = sides_of(client)
    took(sides, "EchoStructure", n=1)
    began = client.driven_s
    client.rate_per_s = lambda now: 1_000 * 4 ** min(now - began, 3)
    found = warm(sides, "EchoStructure", n=500)
    assert found.steady
    assert found.before_s >= 8
    assert found.seconds > 4


def test_what_never_becomes_steady_ends_at_its_limit_and_says_so() -> None:
    client = Client(lambda now: 100 * 1.1**now)
    found = warm(sides_of(client), "Hello")
    assert (found.steady, found.ended) == (False, LIMIT)
    assert found.seconds == pytest.approx(60, abs=0.5)
    assert found.not_steady.startswith("its warm-up ended before it was steady: after 60 s the rate rose by ")


def test_the_limit_is_of_an_operation_and_leaves_a_further_cell_some_seconds() -> None:
    client = Client(lambda now: 100 * 1.1**now)
    sides = sides_of(client)
    warm(sides, "Hello")
    assert warm(sides, "Hello").seconds == pytest.approx(10, abs=0.5)


def test_a_limit_that_was_requested_ends_it_without_a_word_of_steady() -> None:
    found = warm(sides_of(Client(), limit_s=1), "Hello")
    assert (found.steady, found.ended) == (False, LIMIT)
    assert found.not_steady == "its warm-up ended before it was steady: after 1 s too short to tell"


@pytest.mark.parametrize("compiles", [True, False])
def test_what_is_not_warmed_up_at_all_does_not_count(*, compiles: bool) -> None:
    client = Client()
    found = warm(sides_of(client, compiles=compiles, limit_s=0), "Hello")
    assert (found.ended, client.driven_s) == (SKIPPED, 0)
    assert unsteady(found, intervals(), {}, Load(1, 1, 1.0)) == "it was not warmed up"


def test_where_nothing_compiles_it_ends_as_soon_as_it_gets_no_faster() -> None:
    sides = sides_of(Client(), compiles=False)
    assert took(sides, "Sum", a=1, b=2) == pytest.approx(0.04, abs=0.01)


def intervals(*rates: float) -> Done:
    """A trial of a tenth of a second a rate."""
    points, calls = [], 0.0
    for place, rate in enumerate(rates, 1):
        calls += rate / 10
        points.append((place * 100_000_000, round(calls), 0))
    return cast("Done", {"intervals": points})


def watched(name: str, run_ns: int) -> Probed:
    """A second in which a server's thread had so much of a processor."""
    side = {"side": "server", "threads": [{"name": name, "run_ns": run_ns}, {"name": "worker", "run_ns": 10**9}]}
    return cast("Probed", {"processors": {"seen_ns": 10**9, "sides": [side]}})


WARM = WarmUp(compiles=True, steady=True, ended=STEADY, why="", limit_s=60, before_s=0)
NATIVE = WarmUp(compiles=False, steady=True, ended=STEADY, why="", limit_s=1, before_s=0)
FLAT, RISES = intervals(*[1000] * 10), intervals(*[1000, 1010] * 3, *[1500, 1510] * 3)
FALLS = intervals(*[1500, 1510] * 3, *[1000, 1010] * 3)
PLAIN = Load(1, 1, 1.0)


def test_a_rise_counts_against_a_stack_that_compiles_and_a_fall_does_not() -> None:
    assert unsteady(WARM, FLAT, {}, PLAIN) == ""
    assert unsteady(WARM, RISES, {}, PLAIN) == "its rate rose while it was measured: by 50 %"
    assert unsteady(WARM, FALLS, {}, PLAIN) == ""


def test_the_machines_own_changes_leave_a_stack_that_does_not_compile_its_results() -> None:
    assert unsteady(NATIVE, RISES, watched("C2 CompilerThre", 10**9), PLAIN) == ""


def test_a_compiler_at_work_counts_against_a_trial_over_its_share() -> None:
    assert unsteady(WARM, FLAT, watched("C2 CompilerThre", 40_000_000), PLAIN) == ""
    said = unsteady(WARM, FLAT, watched("C2 CompilerThre", 130_000_000), PLAIN)
    assert said == "the compiler of the server was active: it used 13 % of a processor"
    assert unsteady(WARM, FLAT, watched("G1 Conc", 130_000_000), PLAIN) == ""


def test_clients_that_begin_one_after_another_are_no_rise() -> None:
    begins = intervals(*range(100, 1100, 100), *[1000, 1010] * 6)
    assert unsteady(WARM, begins, {}, PLAIN) != ""
    assert unsteady(WARM, begins, {}, Load(10, 1, 2.0, ramp_up_ns=10**9)) == ""
