"""Our DCOM server against one built on impacket's structures: calls a second, by the same client, in one run.

Prints how many times as many calls ours holds, with the interval of the mean over the rounds, and fails below the
factor that a native server owes to an interpreted one.
"""

import contextlib
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.stats.estimate.interval import geometric_mean

ROOT = Path(__file__).resolve().parents[1]
STACK = "dcom/orpc"
CLIENTS = 4
ROUNDS = 10
SECONDS = 0.5
OWED = 10


@contextlib.contextmanager
def impacket_server() -> Iterator[str]:
    """Serve by impacket's structures, and give the endpoint."""
    with subprocess.Popen(
        [sys.executable, ROOT / "tests" / "dcom" / "impacket_server.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        if server.stdin is None or server.stdout is None:
            sys.exit("impacket's server has no pipes")
        try:
            yield server.stdout.readline().strip()
        finally:
            server.stdin.close()
            # Its last word, which it could not say into a closed pipe.
            server.stdout.read()


def rate(client: Adapter, endpoint: str) -> float:
    """Sum called in a closed loop: calls a second."""
    client.connect(STACK, endpoint, CLIENTS)
    done = client.drive("Sum", {"a": 1, "b": 2}, calls=CLIENTS, seconds=SECONDS)
    client.disconnect()
    if done["errors"]:
        sys.exit(f"calls of {endpoint} failed: {done['errors']}")
    return done["calls"] / done["elapsed_ns"] * 1e9


def main() -> int:
    """Compare, print, judge."""
    found = catalogue.load([ROOT / "adapters" / "dcom"]).adapter("dcom")
    if found.why_not:
        sys.exit(found.why_not)
    with (
        Adapter(found.manifest, "the server") as server,
        Adapter(found.manifest, "the client") as client,
        impacket_server() as theirs,
    ):
        ours = server.serve(STACK)
        rounds = []
        for _ in range(ROUNDS):
            measured = {endpoint: rate(client, endpoint) for endpoint in random.sample([ours, theirs], 2)}
            rounds.append((measured[ours], measured[theirs]))
    mine, others = (geometric_mean(side) for side in zip(*rounds, strict=True))
    ratio = geometric_mean([our / their for our, their in rounds])
    print(f"Sum by {CLIENTS} clients: ours {mine.middle:.0f} calls a second, on impacket {others.middle:.0f}")
    low, high = ratio.low or 0.0, ratio.high or 0.0
    print(f"ours holds {ratio.middle:.1f} times as many ({low:.1f} to {high:.1f}); it owes {OWED}")
    return 0 if low >= OWED else 1


if __name__ == "__main__":
    sys.exit(main())
