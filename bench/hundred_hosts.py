"""A hundred hosts of one core: placing them, starting their agents, taking all, and collecting a block from each.

python bench/hundred_hosts.py [--hosts 100] [--rounds 20]
Each host is a real agent with its own keys: a Dask worker with TLS and a process of its own, without adapters. All are
on this machine, and forked from one process that has imported what they need. So they share its memory, and imports
take no time. Asked: 5 s for placing, starting and collecting, and a core under 500 MB.

Each step has its processor time, too: that of the core, of its scheduler, and of all agents together. The agents' part
is a hundred machines' elsewhere, and only the other two are the core's machine.
"""

import argparse
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "hosts"))

from fleet_lab import made_keys, started

from callbench.adapter.network.remote import facts, settings
from callbench.adapter.network.remote.agent import serve_agent
from callbench.adapter.network.remote.fleet import Agent, Fleet
from callbench.adapter.network.remote.host_failure import HostFailure
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
        keys = made_keys(Path(folder) / "hosts", *names)
        scheduler = stack.enter_context(started(["hosts", "start", "--keys", keys.folder], "agents can connect"))
        begin, agents = forked(keys, names)
        stack.callback(ended, agents)
        steps = Steps(scheduler.process.pid, agents)
        fleet = stack.enter_context(closing(Fleet(keys)))
        with steps.step("starting: all agents are connected"):
            os.close(begin)
            await_all(fleet, len(names))
        measure(fleet, names, given.rounds, steps)
        memory = [psutil.Process(pid).memory_full_info() for pid in agents]
        print(f"an agent: {statistics.median(one.uss for one in memory) / 1e6:.0f} MB of its own")


class Steps:
    """Prints what each step takes: seconds, and processor seconds by who uses them."""

    def __init__(self, scheduler: int, agents: Sequence[int]) -> None:
        """Remember the processes."""
        self._who = {"core": [os.getpid()], "scheduler": [scheduler], "agents": agents}

    @contextmanager
    def step(self, what: str, *, times: int = 1) -> Iterator[None]:
        """Print what the context takes; for one time of so many."""
        before, begun = self._used_s(), time.monotonic()
        yield
        took_s = (time.monotonic() - begun) / times
        used = ", ".join(f"{who} {(after - before[who]) / times:.2f} s" for who, after in self._used_s().items())
        print(f"{what}: {took_s:.2f} s; of processors: {used}; load {os.getloadavg()[0]:.0f}", flush=True)

    def _used_s(self) -> dict[str, float]:
        return {
            who: sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in processes)
            for who, processes in self._who.items()
        }


def await_all(fleet: Fleet, count: int) -> None:
    """Wait until so many agents are connected."""
    until = time.monotonic() + PATIENCE_S
    while (there := len(fleet.present())) < count:
        if time.monotonic() > until:
            sys.exit(f"only {there} hosts are there")
        time.sleep(0.05)


def forked(keys: Keys, names: Sequence[str]) -> tuple[int, list[int]]:
    """Fork an agent for each host. Return what lets all begin when it is closed, and their processes."""
    settings.apply()
    # What they share: all is imported before, and no thread runs yet.
    from distributed.versions import get_versions  # noqa: PLC0415
    from tornado.netutil import _client_ssl_defaults  # noqa: PLC0415

    from callbench.adapter.network.remote import servers  # noqa: F401, PLC0415

    facts.of_this_host()
    get_versions()
    # Tornado reads all authorities that the system trusts at its first connection, and uses none of them.
    _client_ssl_defaults()
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
            try:
                serve_agent(read(keys.folder / name), 0, lambda _: None)
            except HostFailure as failure:
                print(failure, flush=True)
            finally:
                os._exit(0)
        agents.append(pid)
    return begins, agents


def ended(agents: Sequence[int]) -> None:
    """End them, and wait."""
    for pid in agents:
        os.kill(pid, signal.SIGKILL)
    for pid in agents:
        os.waitpid(pid, 0)


def measure(fleet: Fleet, names: Sequence[str], rounds: int, steps: Steps) -> None:
    """Place, then order something of all again and again, as a block does."""
    with steps.step("placing"):
        fleet.take_all(names)
    agents = [fleet.take(name) for name in names]
    with (
        ThreadPoolExecutor(len(agents)) as pool,
        steps.step(f"collecting an answer of all, mean of {rounds}", times=rounds),
    ):
        for _ in range(rounds):
            list(pool.map(ask, agents))
    print(f"the core: {psutil.Process().memory_info().rss / 1e6:.0f} MB")


def ask(agent: Agent) -> object:
    """Order something of a host."""
    return agent.ask("usage", {}, 30.0)


if __name__ == "__main__":
    main()
