"""Reports drives that cannot be true: each of its stacks in a way of its own."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driving import Client
from honest import Adapter

Done = dict[str, Any]


def histogram(**members: Callable[[Done], object]) -> Callable[[Done], None]:
    """Replace members of the histogram."""

    def lie(done: Done) -> None:
        latency = done["latency"]
        if latency is not None:
            latency.update({name: value(latency) for name, value in members.items()})

    return lie


def whole(**members: Callable[[Done], object]) -> Callable[[Done], None]:
    """Replace members of the drive itself."""

    def lie(done: Done) -> None:
        done.update({name: value(done) for name, value in members.items()})

    return lie


def longer(done: Done) -> None:
    """Multiply all times by ten."""
    for name in ("elapsed_ns", "window_ns"):
        done[name] *= 10
    for name in ("in_call_ns", "think_ns", "gap_ns"):
        done[name] = str(10 * int(done[name]))


def shorter(done: Done) -> None:
    """Divide the window and the whole time by ten, so that the rate is ten times as high."""
    for name in ("elapsed_ns", "window_ns"):
        done[name] //= 10
    for name in ("in_call_ns", "think_ns", "gap_ns"):
        done[name] = str(int(done[name]) // 10)
    done["latency"] = None
    done["timed"] = "batch"


LIES: dict[str, Callable[[Done], None]] = {
    "bucket-beyond": histogram(buckets=lambda it: [*it["buckets"][:-1], [2**52, it["buckets"][-1][1]]]),
    "bucket-order": histogram(buckets=lambda it: [*reversed(it["buckets"]), *it["buckets"]]),
    "bucket-fraction": histogram(buckets=lambda it: [[index + 0.0, count] for index, count in it["buckets"]]),
    "bucket-count": histogram(buckets=lambda it: [[index, count + 1] for index, count in it["buckets"]]),
    "histogram-count": histogram(count=lambda it: it["count"] + 1),
    "sum": histogram(sum_ns=lambda it: str(int(it["sum_ns"]) * 2)),
    "sum-long": histogram(sum_ns=lambda _: "9" * 40),
    "least": histogram(min_ns=lambda it: it["max_ns"] + 1),
    "greatest": histogram(max_ns=lambda it: it["max_ns"] * 3),
    "negative": whole(calls=lambda it: -it["calls"]),
    "calls": whole(calls=lambda it: it["calls"] + 7),
    "too-many": whole(calls=lambda _: 2**52, timed=lambda _: "batch", latency=lambda _: None),
    "window": whole(window_ns=lambda it: it["elapsed_ns"] * 3),
    "answered": whole(answered=lambda it: it["calls"] + 1),
    "in-flight": whole(in_flight=lambda _: 1000),
    "not-a-number": whole(in_flight_part=lambda _: float("nan")),
    "in-calls": whole(in_call_ns=lambda it: str(5 * int(it["in_call_ns"]) + 10**9)),
    "processor": whole(
        processor=lambda it: {"start": it["processor"]["end"], "end": {"user_ns": "0", "system_ns": "0"}}
    ),
    "half-a-letter": whole(error_messages=lambda _: {"timeout": "\ud83d"}),
    "longer": longer,
    "shorter": shorter,
    # It lies before the drive is over.
    "kinds": whole(),
}


class Untrue(Adapter):
    """Has a stack for each lie, and one that is honest."""

    name = "untrue"

    def stacks(self) -> list[str]:
        """Name the stacks."""
        return [f"{self.name}/{lie}" for lie in ("nothing", *LIES)]

    def client(self, request: dict[str, Any]) -> Client:
        """Note whose client it is."""
        self.lie = LIES.get(request["stack"].partition("/")[2])
        return super().client(request)

    def on_drive(self, request: dict[str, Any]) -> Done:
        """Drive, and lie."""
        if self.lie is LIES["kinds"]:
            kinds = {"timeout": 3}
            self.say(
                {"is": "interval", "id": request["id"], "at_ns": 1, "calls": 0, "errors": 0, "errors_by_kind": kinds}
            )
        done = super().on_drive(request)
        if self.lie:
            self.lie(done)
        return done


if __name__ == "__main__":
    Untrue().run()
