"""Does a search for a capacity find it? Servers whose capacity follows from how they are made.

    bench/run capacity_known [--servers N] [--seconds S] [--seed N]

Each server is a pool of k workers, or a lock, with a fixed time s for a call. k m clients in a closed loop wait m s
for
each answer, and one more makes at least one of k calls wait (m + 1) s. So "p95 under (m + 1/2) s" is held by k m
clients, for k up to 16, at k / s calls a second. A last server burns its processor. Printed are each interval beside
the truth, what was named as used up first, and how long it took.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

SERVER = Path(__file__).resolve().parents[1] / "tests" / "capacity" / "known_server.py"


@dataclass(frozen=True)
class Known:
    """A server and its truth.

    Attributes:
        ms: of a call.
        waits: m: how many calls' times one may take.
        resource: what is used up first.
    """

    kind: str
    places: int
    ms: float
    waits: int
    resource: str

    @property
    def clients(self) -> int:
        """How many it holds."""
        return self.places * self.waits

    @property
    def limit_ms(self) -> float:
        """Of the objective."""
        return round((self.waits + 0.5) * self.ms, 1)


def drawn(count: int, seed: int) -> Iterator[Known]:
    """Servers of random sizes, every third a lock; the last burns the processor."""
    dice = random.Random(seed)  # noqa: S311 - a choice to be repeated
    for number in range(count - 1):
        lock = number % 3 == 2
        places = 1 if lock else dice.randint(2, 16)
        ms = round(dice.uniform(20, 50), 1)
        kind = "lock" if lock else "pool"
        yield Known(kind, places, ms, dice.randint(2, 8), kind)
    yield Known("burn", 1, 5.0, 10, "processor")


def searched(known: Known, seconds: float, folder: Path) -> dict[str, Any]:
    """What a search says of a server."""
    command = f"{sys.executable} {SERVER} {{port}} {known.kind} {known.places} {known.ms}"
    objective = f"p95 under {known.limit_ms:g} ms"
    argv = [sys.executable, "-m", "callbench", "capacity", "--start", command, "--objective", objective]
    argv += ["--seconds", str(seconds), "--json", "--out", str(folder), "--path", "/"]
    finished = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=seconds * 3 + 120)
    if finished.returncode not in (0, 3):
        raise SystemExit(finished.stderr)
    found: dict[str, Any] = json.loads(finished.stdout)
    return found


def main() -> None:
    """Prints a line a server, then the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    covered, widths, took, named = [], [], [], []
    with tempfile.TemporaryDirectory(prefix="callbench-capacity-") as folder:
        for number, known in enumerate(drawn(options.servers, options.seed)):
            began = time.monotonic()
            found = searched(known, options.seconds, Path(folder) / str(number))
            took.append(time.monotonic() - began)
            capacity, resource = found["capacity"], (found["saturated"] or {}).get("resource", "none")
            low, high = capacity["low"], capacity["high"]
            named.append(resource == known.resource)
            truth = known.clients if known.kind != "burn" else None
            if truth is not None and low is not None:
                covered.append(low <= truth <= high)
                widths.append((high - low) / truth)
            rate = found["calls_per_s"]
            print(
                f"{known.kind} of {known.places}, {known.ms:g} ms, p95 under {known.limit_ms:g} ms: truth {truth},"
                f" found {capacity['level']:g} ({low} to {high}), {rate['middle'] if rate else 0:.1f} calls/s of"
                f" {known.places / known.ms * 1e3:.1f}, named {resource}, {took[-1]:.0f} s",
                flush=True,
            )
    print(f"intervals that covered the truth: {sum(covered)} of {len(covered)}")
    print(f"mean width of an interval: {mean(widths):.1%} of the truth" if widths else "no interval")
    print(f"resource named rightly: {sum(named)} of {len(named)}")
    print(f"mean duration: {mean(took):.0f} s")


if __name__ == "__main__":
    main()
