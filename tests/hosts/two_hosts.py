"""Two hosts with agents, the core on one of them; and what a run on them has written."""

import json
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fleet_lab import Program, made_keys, ran, serving

from callbench.adapter.network.pair import HostPair
from callbench.catalog.links.profile import BARE

if TYPE_CHECKING:
    from callbench.adapter.network.host import Host
    from callbench.adapter.network.remote.keys import Keys

# Two stacks that need no warm-up, in short rounds; `--set rounds=200` has more of them.
SHORT_ROUNDS = """
title = "Short rounds"
about = "Two stacks that need no warm-up."
[parameters]
rounds = 40
[load]
clients = [2]
calls = 1
seconds = 0.02
rounds = "{rounds}"
minutes = 60
[[cells]]
group = "Hello"
stacks = ["native/bin+supertcp", "native/json+http-keepalive"]
call = "Hello"
"""
NO_WARM_UP = ("--seed", "1", "--no-baselines", "--warm-up", "none")


class TwoHosts:
    """The core and `beta` on one host, `alpha` on the other."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        """Make the hosts, the keys, and start the scheduler and the agents."""
        self.hosts = stack.enter_context(HostPair(**BARE.wire)).hosts
        self.core: Host = self.hosts.client
        self.keys: Keys = made_keys(folder / "hosts", "alpha", "beta", address=self.core.address)
        self.programs: dict[str, Program] = stack.enter_context(serving(self.keys, "beta", host=self.core))
        stack.callback(self._end)
        self.start("alpha", self.hosts.server)

    def _end(self) -> None:
        """End what runs now: a test may have started others than those at first."""
        for program in self.programs.values():
            program.end()

    def start(self, name: str, host: "Host") -> None:
        """Start the agent of a host."""
        self.programs[name] = Program(["agent", self.keys.folder / name], host)
        self.programs[name].await_line(f"host {name} serves")

    def restart(self, name: str) -> None:
        """Start a program again that was killed, and wait until both agents serve."""
        if name != "scheduler":
            self.start(name, self.hosts.server if name == "alpha" else self.core)
            return
        self.programs[name] = Program(["hosts", "start", "--keys", self.keys.folder], self.core)
        self.programs[name].await_line("agents can connect")
        for agent in ("alpha", "beta"):
            self.programs[agent].await_line(f"host {agent} serves")

    def begin(self, *words: object, cwd: Path) -> Program:
        """Start the program on the core's host."""
        return Program(words, self.core, cwd=cwd, CALLBENCH_HOSTS=str(self.keys.folder))

    def run(self, *words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run the program on the core's host."""
        return ran(self.core, *words, cwd=cwd, CALLBENCH_HOSTS=str(self.keys.folder))


def journal(run: Path) -> list[dict[str, Any]]:
    """The lines of a run's journal."""
    return [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]


def rounds(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rounds among them."""
    return [line for line in lines if line["kind"] == "round"]
