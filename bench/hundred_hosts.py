"""A hundred hosts of one core: placing them, starting their agents, taking all, and collecting a block from each.

python bench/hundred_hosts.py [--hosts 100] [--rounds 20]
Each host is a real agent with its own keys: a Dask worker with TLS and a process of its own, without adapters. All are
on this machine, and forked from one process that has imported what they need. So they share its memory, and imports
take no time. Asked: 5 s for placing, starting and collecting, and a core under 500 MB.
"""

import argparse
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "hosts"))

from fleet_lab import free_port, made_keys, started

from callbench.adapter.network.remote import facts, settings
from callbench.adapter.network.remote.agent import serve_agent
from callbench.adapter.network.remote.fleet import Agent, Fleet
from callbench.adapter.network.remote.keys import Keys, read

PATIENCE_S = 300.0


def main() -> None:
    """Measure, and print a line for each step."""
    # Whoever ends this ends the agents.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--hosts", type=int, default=100)
    options.add_argument("--rounds", type=int, default=20)
    given = options.parse_args()
    names = [f"h{number}" for number in range(given.hosts)]
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder, ExitStack() as stack:
        begun = time.monotonic()
        keys = made_keys(Path(folder) / "hosts", *names, port=free_port())
        show("making their keys", time.monotonic() - begun)
        stack.enter_context(started(["hosts", "start", "--keys", keys.folder], "agents can connect"))
        begin, agents = forked(keys, names)
        stack.callback(ended, agents)
        fleet = stack.enter_context(closing(Fleet(keys)))
        begun = time.monotonic()
        os.close(begin)
        while len(fleet.present()) < len(names):
            if time.monotonic() - begun > PATIENCE_S:
                sys.exit(f"only {len(fleet.present())} hosts are there")
            time.sleep(0.05)
        show("starting: all agents are connected", time.monotonic() - begun)
        measure(fleet, names, given.rounds)
        memory = [psutil.Process(pid).memory_full_info() for pid in agents]
        print(f"an agent: {statistics.median(one.uss for one in memory) / 1e6:.0f} MB of its own")


def forked(keys: Keys, names: Sequence[str]) -> tuple[int, list[int]]:
    """Fork an agent for each host. Return what lets all begin when it is closed, and their processes."""
    settings.apply()
    # What they share: all is imported before, and no thread runs yet.
    from callbench.adapter.network.remote import servers  # noqa: F401, PLC0415

    facts.of_this_host()
    waits, begins = os.pipe()
    agents = []
    for number, name in enumerate(names):
        pid = os.fork()
        if pid == 0:
            # Each as on a machine of its own; else the core refuses two names of one machine.
            facts.machine = lambda: str(number)  # noqa: B023 - forked
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.close(begins)
            os.read(waits, 1)
            with suppress(BaseException):
                serve_agent(read(keys.folder / name), 0, lambda _: None)
            os._exit(0)
        agents.append(pid)
    return begins, agents


def ended(agents: Sequence[int]) -> None:
    """End them, and wait."""
    for pid in agents:
        os.kill(pid, signal.SIGKILL)
    for pid in agents:
        os.waitpid(pid, 0)


def measure(fleet: Fleet, names: Sequence[str], rounds: int) -> None:
    """Place, then order something of all again and again, as a block does."""
    begun = time.monotonic()
    fleet.take_all(names)
    agents = [fleet.take(name) for name in names]
    show("placing", time.monotonic() - begun)
    with ThreadPoolExecutor(len(agents)) as pool:

        def all_do(do: str) -> float:
            first = time.monotonic()
            list(pool.map(lambda agent: ask(agent, do), agents))
            return time.monotonic() - first

        times = [all_do("usage") for _ in range(rounds)]
    show(f"collecting an answer of all, median of {rounds}", statistics.median(times))
    show("collecting an answer of all, longest", max(times))
    print(f"the core: {psutil.Process().memory_info().rss / 1e6:.0f} MB; load {os.getloadavg()[0]:.0f}")


def ask(agent: Agent, do: str) -> object:
    """Order something of a host."""
    return agent.ask(do, {}, 30.0)


def show(what: str, seconds: float) -> None:
    """Print how long a step took."""
    print(f"{what}: {seconds:.2f} s", flush=True)


if __name__ == "__main__":
    main()
