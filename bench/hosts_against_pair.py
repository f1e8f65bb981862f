"""The same cells by two agents and by the local pair: rate, p99, and what a slice takes beyond its calls.

The hosts are the same two network namespaces and the same processors both times. By the pair, this process starts the
adapters itself. By agents, orders go through Dask with TLS. Slices take turns, so that drift meets both; ratios are
taken fork by fork. A second local pair shows what such a ratio is worth. Asked: the same within the interval, under
3 %; 5 ms between slices.

On a machine with other work, rates of short slices follow the share of the processor that the client had, so it is
printed, and so is the median, which depends on it little. As root, adapters outrank other programs, which makes the
shares alike: docs/decisions/0130. CALLBENCH_AS_OTHERS=1 leaves their rank as it is.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "hosts"))

from fleet_lab import Program, entering, made_keys, serving

from callbench.adapter.network import creation
from callbench.adapter.network.host import Host, Hosts
from callbench.adapter.network.pair import HostPair
from callbench.adapter.placement import choose_placement
from callbench.adapter.watch.adapter_processes import descendants_of
from callbench.catalog import catalogue
from callbench.catalog.links.profile import BARE
from callbench.model.cell import Cell, Load
from callbench.runner.drive.rounds import LEAD_SECONDS
from callbench.runner.drive.running_stack import RunningStack
from callbench.runner.drive.slices import drive_slice, length_of
from callbench.stats.estimate.histogram import Buckets, merged
from callbench.stats.estimate.logratio import paired
from callbench.stats.load.rate import window_of
from callbench.store.lines.driven import CpuAtEnds, Driven

STACKS = ("native/bin+supertcp", "native/json+http-keepalive")
FORKS, ROUNDS, CLIENTS = 12, 30, 2
WAYS = ("pair", "second pair", "agents")
HOSTS = {"server": "alpha", "client": "beta"}
MEDIAN, P99 = 0.5, 0.99
RATIOS = ("rate", "median", "p99", "processor time a call", "share of the processor")
HIGHEST_RANK = "-20"


def main() -> None:
    """Print a line a stack."""
    placement = choose_placement()
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder, ExitStack() as stack:
        hosts = stack.enter_context(HostPair(**BARE.wire)).hosts
        keys = made_keys(Path(folder) / "hosts", *sorted(HOSTS.values()), address=hosts.client.address)
        pinned = {"beta": placement.client, "alpha": placement.server}
        stack.enter_context(serving(keys, host=hosts.client))
        for name, host in (("beta", hosts.client), ("alpha", hosts.server)):
            agent = Program(["agent", keys.folder / name], host)
            stack.callback(agent.end)
            agent.await_line(f"host {name} serves")
            os.sched_setaffinity(agent.process.pid, pinned[name])
        words = [f"{host.address} {host.netns} {host.user or ''}".strip() for host in (hosts.client, hosts.server)]
        environment = {**os.environ, "CALLBENCH_HOSTS": str(keys.folder)}
        subprocess.run([*entering(hosts.client), sys.executable, __file__, *words], env=environment, check=True)


def measure(client: str, server: str) -> None:
    """Be the core, on the host of the clients."""
    local = Hosts(_host(client), _host(server), lambda: None)
    with creation.link_hosts("real", {"real": {"hosts": HOSTS}}) as remote:
        for name in STACKS:
            forks = [
                fork(name, dict(zip(WAYS, (local, local, remote), strict=True)), number) for number in range(FORKS)
            ]
            show(name, forks)


def _host(text: str) -> Host:
    address, netns, *user = text.split()
    return Host(address, netns, user[0] if user else None)


def fork(name: str, ways: dict[str, Hosts], number: int) -> dict[str, dict[str, float]]:
    """Start a stack by each way, drive slices in turn. Return rate, p99 in ns and ms beyond the calls, by way."""
    known = catalogue.load()
    stack, placement = known.stack(name), choose_placement()
    load = Load(CLIENTS, calls=1, seconds=0.02)
    cell = Cell(id=name, stack=name, group="Sum", call="Sum", arguments={"a": 1, "b": 2}, load=load, link="real")
    found: dict[str, list[tuple[Driven, float]]] = {way: [] for way in WAYS}
    with ExitStack() as alive:
        running = {
            way: alive.enter_context(RunningStack(known.programs(stack), stack, [cell], placement, hosts))
            for way, hosts in ways.items()
        }
        if os.geteuid() == 0 and "CALLBENCH_AS_OTHERS" not in os.environ:
            outrank()
        for at in range(ROUNDS + 1):
            for way in np.random.default_rng([number, at]).permutation(WAYS):
                running[way].connect(cell)
                # As in a round: a millisecond of calls that do not count wakes what slept.
                running[way].sides.client.drive(cell.call, cell.arguments, calls=1, seconds=LEAD_SECONDS)
                began = time.monotonic_ns()
                result = drive_slice(running[way].sides, cell, length_of(load))
                beyond_ms = (time.monotonic_ns() - began - result["done"]["elapsed_ns"]) / 1e6
                if at:
                    found[way].append((result["done"], beyond_ms))
    return {way: _values(slices) for way, slices in found.items()}


def outrank() -> None:
    """Let adapters go before other programs: each has a session, which is a group to the scheduler (sched(7))."""
    for pid in descendants_of(os.getppid()):
        process = Path("/proc") / str(pid)
        if (process / "exe").readlink().name == "callbench-native":
            (process / "autogroup").write_text(HIGHEST_RANK)


def _values(slices: list[tuple[Driven, float]]) -> dict[str, float]:
    windows = [window_of(done) for done, _ in slices]
    calls, ns = sum(window.calls for window in windows), sum(window.ns for window in windows)
    histogram = merged(dict(latency["buckets"]) for done, _ in slices if (latency := done.get("latency")))
    used_ns = sum(_used_ns(done["processor"]) for done, _ in slices)
    return {
        "processor time a call": used_ns / sum(done["calls"] for done, _ in slices),
        "share of the processor": used_ns / sum(done["elapsed_ns"] for done, _ in slices),
        "rate": 1e9 * calls / ns,
        "median": Buckets.of(histogram).percentiles([MEDIAN])[0],
        "p99": Buckets.of(histogram).percentiles([P99])[0],
        "beyond": statistics.median(beyond for _, beyond in slices),
    }


def _used_ns(processor: CpuAtEnds) -> int:
    return sum(int(processor["end"][kind]) - int(processor["start"][kind]) for kind in ("user_ns", "system_ns"))


def show(name: str, forks: list[dict[str, dict[str, float]]]) -> None:
    """Print the ratios to the pair with their intervals, and the time beyond the calls."""
    rate = statistics.median(by_way["pair"]["rate"] for by_way in forks)
    print(f"{name}, {rate:,.0f} calls/s by the pair:")
    for way in WAYS[1:]:
        parts = []
        for what in RATIOS:
            ratio = paired([by_way[way][what] / by_way["pair"][what] for by_way in forks]).interval(0.95)
            parts.append(f"{what} {ratio.middle:.3f} ({ratio.low:.3f} to {ratio.high:.3f})")
        print(f"  {way} / pair: {', '.join(parts)}")
    beyond = {way: statistics.median(by_way[way]["beyond"] for by_way in forks) for way in WAYS}
    print(
        f"  a slice beyond its calls: {beyond['pair']:.1f} ms by the pair, {beyond['agents']:.1f} by agents (asked: 5)"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(*sys.argv[1:])
    else:
        main()
