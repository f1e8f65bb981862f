"""How long a warm-up lasts, on virtual time: the client says how fast it would have been."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.cell import Cell, Load
from callbench.measure.warm_up import warmed_up

if TYPE_CHECKING:
    from callbench.adapter import Adapter


@dataclass
class Client:
    """A client whose time passes only while it is driven."""

    warm_up_seconds: float
    rate_per_s: Callable[[float], float] = lambda _: 10_000.0
    warmed_s: dict[str, float] = field(default_factory=dict)
    driven_s: float = 0.0

    def drive(self, *_: object, seconds: float, **__: object) -> dict[str, Any]:
        self.driven_s += seconds
        return {"calls": max(1, round(self.rate_per_s(self.driven_s) * seconds)), "elapsed_ns": round(seconds * 1e9)}


def took(client: Client, call: str, **arguments: object) -> float:
    """How long the warm-up of a cell lasted, in seconds."""
    cell = Cell("c001", "g", "a/b", call, arguments, Load(1, 10, 0.02))
    return sum(elapsed_ns for _, elapsed_ns in warmed_up(cast("Adapter", client), cell)) / 1e9


def test_the_least_time_is_asked_once_of_an_operation() -> None:
    client = Client(warm_up_seconds=3)
    assert took(client, "EchoStructure", n=1) == pytest.approx(3, abs=0.1)
    assert took(client, "EchoStructure", n=500) == pytest.approx(0.3, abs=0.1)
    assert took(client, "EchoString", count=500) == pytest.approx(3, abs=0.1)


def test_a_type_is_an_operation_of_its_own() -> None:
    client = Client(warm_up_seconds=2)
    assert took(client, "Send", type="int", content="fixed") == pytest.approx(2, abs=0.1)
    assert took(client, "Send", type="int[]", content="fixed", count=5) == pytest.approx(2, abs=0.1)
    assert took(client, "Send", type="int[]", content="fixed", count=500) == pytest.approx(0.2, abs=0.1)


def test_a_further_cell_that_still_gets_faster_goes_on() -> None:
    client = Client(warm_up_seconds=3)
    took(client, "EchoStructure", n=1)
    began = client.driven_s
    client.rate_per_s = lambda now: 10_000 * 2 ** (min(now - began, 0.7) * 100)
    assert 0.7 <= took(client, "EchoStructure", n=500) <= 1.0


def test_without_a_least_time_it_ends_as_soon_as_it_is_settled() -> None:
    assert took(Client(warm_up_seconds=0), "Sum", a=1, b=2) == pytest.approx(0.04, abs=0.01)
