"""The check that stops a generator: what it does where the stop does not meet the loop, in virtual time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from callbench.runner.verify import stopped_generator


@dataclass
class Clock:
    """Time that passes only while a drive lasts: what is due meanwhile is done when it is due."""

    now: float = 0.0
    due: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def pass_until(self, end: float) -> None:
        """Let time pass."""
        while self.due and min(self.due)[0] <= end:
            self.due.remove(first := min(self.due))
            self.now = first[0]
            first[1]()
        self.now = max(self.now, end)

    def timer(self, seconds: float, act: Callable[[], None]) -> SimpleNamespace:
        """What `threading.Timer` makes, which nobody has to wait for."""
        turn = self.now + seconds, act

        def cancel() -> None:
            if turn in self.due:
                self.due.remove(turn)

        return SimpleNamespace(start=lambda: self.due.append(turn), cancel=cancel, join=lambda: None)


class FakeClient:
    """A client whose loop begins late, and which calls as its schedule says unless it is stopped."""

    def __init__(self, late_s: list[float], *, honest: bool, answer_s: float = 0.0) -> None:
        """Begin each drive so late; the last value holds for further ones. An answer comes so long after its loop."""
        self.hello = {"features": ["open"]}
        self.clock = Clock()
        self._late_s, self._honest, self._answer_s = late_s, honest, answer_s
        self.stopped: list[tuple[float, float]] = []
        self.driven = 0

    def stop(self, _pids: object) -> None:
        self.stopped.append((self.clock.now, 0.0))

    def resume(self, _pids: object) -> None:
        if self.stopped and not self.stopped[-1][1]:
            self.stopped[-1] = (self.stopped[-1][0], self.clock.now)

    def drive(self, _call: str, _arguments: object, *, calls: int, **_options: object) -> dict[str, Any]:
        """Last as long as the schedule, begun late, and say how much of it fell into the stop."""
        begun = self.clock.now + self._late_s[min(self.driven, len(self._late_s) - 1)]
        end = begun + calls * 0.002
        self.driven += 1
        self.clock.pass_until(end + self._answer_s)
        self.resume(None)
        missed = max((min(end, there) - max(begun, here) for here, there in self.stopped), default=0.0)
        missed_ns = max(0.0, missed) * 1e9 if self._honest else 0.0
        waited = {"sum_ns": str(int(missed_ns * 50)), "max_ns": int(missed_ns)}
        none = {"sum_ns": "0", "max_ns": 100_000}
        return {"latency": waited, "service": none, "lateness": waited if self._honest else none}


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Any:
    def check(client: FakeClient) -> str | None:
        processes = SimpleNamespace(processes_of=lambda _sides: SimpleNamespace(client=()))
        monkeypatch.setattr(stopped_generator, "side_processes", processes)
        monkeypatch.setattr(
            stopped_generator, "idle_processes", SimpleNamespace(stop=client.stop, resume_processes=client.resume)
        )
        monkeypatch.setattr(stopped_generator, "time", SimpleNamespace(monotonic=lambda: client.clock.now))
        monkeypatch.setattr(stopped_generator, "Timer", client.clock.timer)
        session: Any = SimpleNamespace(
            sides=lambda: SimpleNamespace(client=client), probe=SimpleNamespace(call="Sum", arguments={})
        )
        return stopped_generator.check(session)

    return check


@pytest.mark.parametrize(("late_s", "drives"), [([0.0], 1), ([0.5, 0.0], 2)])
def test_a_stop_before_the_loop_begins_is_tried_again(checked: Any, late_s: list[float], drives: int) -> None:
    client = FakeClient(late_s, honest=True)
    assert checked(client) is None
    assert client.driven == drives


def test_one_that_hides_its_stop_is_found_out(checked: Any) -> None:
    client = FakeClient([0.0], honest=False)
    assert "were stopped for 200 ms of an open loop" in checked(client)


def test_one_whose_loop_never_runs_meanwhile_is_not_excused(checked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopped_generator, "_ATTEMPTS", 2)
    client = FakeClient([0.8], honest=True)
    assert "were stopped for 200 ms of an open loop" in checked(client)
    assert client.driven == 2


def test_a_stop_between_the_loop_and_its_answer_is_tried_again(checked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first loop lasts 0.48 s, and its answer is there at 0.73 s. The second one meets the stop."""
    monkeypatch.setattr(stopped_generator, "STOPPED_FROM_S", 0.5)
    client = FakeClient([0.0, 0.2], honest=True, answer_s=0.25)
    assert checked(client) is None
    assert client.driven == 2
