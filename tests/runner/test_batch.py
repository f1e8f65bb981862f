"""A batch tries no stack more of what there is no more of, and ends what spins before all others."""

from contextlib import ExitStack
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import AdapterFailure
from callbench.runner.drive.unit import UnitRequest
from callbench.runner.run import batch as module
from callbench.runner.run.batch import Batch
from callbench.runner.run.context import Context, ForkTask

if TYPE_CHECKING:
    from callbench.catalog.manifest import Programs
    from callbench.runner.run.failures import Failures


def request(name: str, channel: str) -> UnitRequest:
    stack = cast("Stack", SimpleNamespace(id=name, adapter="a", message="m", channel=channel, card={}))
    cell = Cell(name, "g", name, "Sum", {}, Load(1, 1, 0.01))
    # As in a first fork, where nothing is started before its turn.
    return UnitRequest(name, stack, cast("Programs", None), (cell,), LOOPBACK, cold=True)


class Started:
    """Stands for a unit: of a channel with queues only one can be alive."""

    alive: list[str]
    ended: list[str]
    compiles = broken = False
    pids = ()

    def __init__(self, one: UnitRequest, *_: object) -> None:
        """Starts, or fails for want of a queue."""
        Started.alive.append(one.name)
        if one.stack.channel == "queue" and any(name.startswith("queue") for name in Started.alive[:-1]):
            raise AdapterFailure("out-of-resources", "no queue is left")
        self.request, self.name = one, one.name
        self.spins = one.stack.channel == "spin"
        self.start: int | None = None
        self.running = SimpleNamespace(record={})

    def start_idle_watch(self) -> None:
        pass

    def close(self) -> None:
        Started.ended.append(self.name)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> tuple[Batch, ExitStack]:
    monkeypatch.setattr(module, "Unit", Started)
    Started.alive, Started.ended = [], []
    nothing: Any = lambda *_, **__: None  # noqa: E731
    of = SimpleNamespace(
        placement=None,
        plan=SimpleNamespace(wires={}),
        progress=SimpleNamespace(show_start=nothing, show_warm_up=nothing),
        stacks={},
        sizes={},
        baselines={},
        quick=True,
        write_start=nothing,
        write=nothing,
    )
    failures = SimpleNamespace(exclude_unsupported=nothing, allows=lambda _: False)
    owned = ExitStack()
    fork_task = ForkTask(0, "as it is", (), 1, watch=False)
    return Batch(cast("Context", of), fork_task, cast("Failures", failures), owned), owned


def test_where_a_resource_is_short_no_other_of_its_channel_is_tried(made: tuple[Batch, ExitStack]) -> None:
    batch, owned = made
    names = ["queue 1", "tcp 1", "queue 2", "queue 3", "tcp 2"]
    batch._context.stacks.update({name: request(name, name.split()[0]).stack for name in names})
    with owned:
        batch.fill([request(name, name.split()[0]) for name in names], limited=True)
        assert batch.tried == ["queue 1", "tcp 1", "tcp 2"], "the others wait for the next batch"
        assert Started.alive == ["queue 1", "tcp 1", "queue 2", "tcp 2"], "the third is not even started"


def test_what_spins_is_ended_first(made: tuple[Batch, ExitStack]) -> None:
    batch, owned = made
    names = ["tcp 1", "tcp 2", "spin 1", "tcp 3", "spin 2"]
    batch._context.stacks.update({name: request(name, name.split()[0]).stack for name in names})
    with owned:
        batch.fill([request(name, name.split()[0]) for name in names], limited=True)
    assert Started.ended[:2] == ["spin 1", "spin 2"]
    assert sorted(Started.ended) == sorted(names)
