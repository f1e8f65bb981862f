"""How far apart the generators of one load begin, on five hosts: by their own clocks, and as a record says.

python bench/generators_start.py [--drives 200]
The hosts are network namespaces of this machine with a real agent each. So all of them read one monotonic clock, and
the difference of two starts is the truth. The core does not know that: it takes the clocks for those of five machines,
estimates how far each is off, and orders the start accordingly. Asked: within 1 ms of each other.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "hosts"))

from fleet_lab import Program, entering, made_keys, namespaces, started

from callbench.adapter.joint_drive.client import Generators
from callbench.adapter.network.remote.fleet import hosts_of
from callbench.adapter.session import Adapter
from callbench.catalog import catalogue

HOSTS, DRIVES, DRIVE_S = 5, 200, 0.2
STACK = "native/json+http-keepalive"
ASKED_MS = 1.0


def main() -> None:
    """Start the agents, and a core on a host of its own."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--drives", type=int, default=DRIVES)
    drives = options.parse_args().drives
    names = [f"g{number}" for number in range(HOSTS)]
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder, ExitStack() as stack:
        core, hosts = stack.enter_context(namespaces(HOSTS))
        keys = made_keys(Path(folder) / "hosts", *names, address=core.address)
        stack.enter_context(started(["hosts", "start", "--keys", keys.folder], "agents can connect", core))
        for name, host in zip(names, hosts, strict=True):
            agent = Program(["agent", keys.folder / name], host)
            stack.callback(agent.end)
            agent.await_line(f"host {name} serves")
        environment = {**os.environ, "CALLBENCH_HOSTS": str(keys.folder)}
        line = [*entering(core), sys.executable, __file__, core.address, *names, str(drives)]
        subprocess.run(line, env=environment, check=True)


def measure(address: str, names: list[str], drives: int) -> None:
    """Be the core: print how far apart the starts of each drive are."""
    manifest = catalogue.load().adapter("native").manifest
    hosts = [*hosts_of({name: name for name in names}).values()]
    apart_ms, said_ms, bounds_ms = [], [], []
    with Adapter(manifest, "the server") as server, Generators(manifest, hosts, [], None) as clients:
        clients.connect(STACK, server.serve(STACK, address), len(hosts))
        for _ in range(drives):
            done = clients.drive("Sum", {"a": 1, "b": 2}, calls=1, seconds=DRIVE_S)
            late_ms = [report["late_start_ns"] / 1e6 for report in done["generators"]]
            # Each by its own clock, which is the same here.
            begun_ns = [report["started_ns"] for report in done["generators"]]
            apart_ms.append((max(begun_ns) - min(begun_ns)) / 1e6)
            said_ms.append(max(late_ms) - min(late_ms))
            bounds_ms.append(max(report["clock_bound_ns"] for report in done["generators"]) / 1e6)
    print(f"{len(hosts)} generators, {drives} drives, load {os.getloadavg()[0]:.0f}; asked: within {ASKED_MS:g} ms")
    show("the first and the last start, by one clock", apart_ms)
    show("the same by the clocks as the core knows them", said_ms)
    show("the greatest bound of a clock", bounds_ms)


def show(what: str, ms: list[float]) -> None:
    """Print the median, the 99th percentile and the greatest of some times."""
    in_order = sorted(ms)
    greatest = f"p99 {in_order[int(0.99 * len(in_order))]:.2f} ms, at most {in_order[-1]:.2f} ms"
    print(f"{what}: median {statistics.median(in_order):.2f} ms apart, {greatest}")


if __name__ == "__main__":
    if len(sys.argv) > 3:
        measure(sys.argv[1], sys.argv[2:-1], int(sys.argv[-1]))
    else:
        main()
