"""The load driver beside ghz, both calling Hello of java/grpc: processor time a call, and the rate, in pairs.

`bench/run load_against_ghz`, or with the number of pairs: `.venv/bin/python bench/load_against_ghz.py 20`.
50 calls at once over 50 connections. ghz comes from the Go module proxy. The figure: a fifth of ghz's processor time.
"""

import json

from rivals import CLIENTS, ROOT, SECONDS, asked_pairs, compare, driver, from_go, ours, processors, theirs

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.request import connected_with

GHZ = "github.com/bojand/ghz/cmd/ghz@v0.121.0"
STACK = "load/grpc:java/grpc"


def main() -> None:
    """Runs the pairs, and prints both ratios."""
    ghz = from_go("ghz", GHZ)
    known = catalogue.load()
    stack = known.stack(STACK)
    served = known.programs(stack).server
    with Adapter(served, "the server", (processors()[1],)) as server, driver() as adapter:
        endpoint = server.serve("java/grpc")
        url, options = connected_with(stack.card["request"], endpoint, {})
        adapter.connect("load/grpc", url, CLIENTS, options=options)
        ours(adapter)  # The server's runtime compiles as it goes.
        proto = ["--insecure", "--proto", str(ROOT / "contract" / "service.proto")]
        argv = [ghz, *proto, "--call", "callbench.SpeedService.Hello", "-O", "json"]
        # It takes longer to read the service's description than to make a thousand calls; one call shows how long.
        start_us = theirs([*argv, "-n", "1", "-c", "1", endpoint], read).microseconds
        load = ["-c", str(CLIENTS), "--connections", str(CLIENTS), "-z", f"{SECONDS:.0f}s", "--duration-stop", "wait"]
        rival = [*argv, *load, endpoint]
        compare("ghz", {"ours": lambda: ours(adapter), "ghz": lambda: theirs(rival, read, start_us)}, asked_pairs())


def read(said: str) -> tuple[float, float]:
    """Calls, and calls a second."""
    found = json.loads(said)
    return found["count"], found["rps"]


if __name__ == "__main__":
    main()
