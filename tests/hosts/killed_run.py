"""A run on two hosts of which a process is killed at a random moment, again and again, until it is finished."""

import json
import random
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from fleet_lab import Program
from two_hosts import TwoHosts, rounds

VICTIMS = ("core", "alpha", "beta", "scheduler", "adapter")
PATIENCE_S = 120.0
# A moment lies within so many seconds after the first new round of a core, or after its begin.
_WITHIN_S = 1.0


@dataclass(frozen=True)
class Kill:
    """What a kill did.

    Attributes:
        lost: finished rounds that are not on the disk any more.
        left_s: seconds until nothing was left on the hosts.
        code: exit code of the core; None if it was the one that was killed.
        said: what the core said; nothing if it was killed.
    """

    victim: str
    lost: int
    left_s: float
    code: int | None
    said: str


class KilledRun:
    """A run whose processes are killed."""

    def __init__(self, two: TwoHosts, study: Path, words: tuple[object, ...], seed: int) -> None:
        """Begin nothing yet. The run is made beside the study; `words` are its options."""
        self._two, self._study, self._words = two, study, words
        self._chance = random.Random(seed)  # noqa: S311 - no secret
        self.folder = study.parent / "run"

    def kill(self, victim: str) -> Kill:
        """Begin the run or go on with it, kill a process at a random moment, and wait until nothing is left.

        What was killed runs again afterwards.
        """
        had = len(self.rounds())
        core = self._two.begin(*self._line(), cwd=self._study.parent)
        self._await_begin(core, had)
        time.sleep(self._chance.random() * _WITHIN_S)
        before = self.rounds()
        self._kill(victim, core)
        killed_s = time.monotonic()
        code = None if victim == "core" else core.process.wait(PATIENCE_S)
        if victim == "adapter":
            # The run goes on without its stack, and ends by itself.
            killed_s = time.monotonic()
        while any(left_by(self._two.programs[name]) for name in ("alpha", "beta")):
            assert time.monotonic() - killed_s < PATIENCE_S, "something is left on a host"
            time.sleep(0.02)
        left_s = time.monotonic() - killed_s
        said = "" if victim == "core" else core.rest()
        core.end()
        if victim in self._two.programs:
            self._two.restart(victim)
        after = self.rounds()
        return Kill(victim, sum(one not in after for one in before), left_s, code, said)

    def finish(self) -> int:
        """Go on until the end. Return the exit code."""
        return self._two.run(*self._line(), cwd=self._study.parent).returncode

    @property
    def finished(self) -> bool:
        """Whether the record says that it is finished."""
        file = self.folder / "record.json"
        return file.exists() and json.loads(file.read_text())["state"] == "finished"

    def rounds(self) -> list[dict[str, Any]]:
        """The finished rounds on the disk: whole lines."""
        file = self.folder / "journal.jsonl"
        whole = file.read_text().rpartition("\n")[0].splitlines() if file.exists() else []
        return rounds([json.loads(line) for line in whole])

    def _line(self) -> list[object]:
        out = ["--out", self.folder.name]
        if (self.folder / "record.json").exists():
            return ["run", self._study.name, *out, "--resume"]
        return ["run", self._study.name, *out, *self._words, "--hosts", "alpha,beta"]

    def _await_begin(self, core: Program, had: int) -> None:
        """Wait until the core has a further round, or has ended."""
        until = time.monotonic() + PATIENCE_S
        while len(self.rounds()) <= had and core.process.poll() is None:
            assert time.monotonic() < until, "no further round"
            time.sleep(0.02)

    def _kill(self, victim: str, core: Program) -> None:
        if victim == "core":
            core.process.kill()
        elif victim == "adapter":
            host = self._two.programs[self._chance.choice(("alpha", "beta"))]
            adapters = [one for below in left_by(host) for one in below.children(recursive=True)] or left_by(host)
            if adapters:
                with suppress(psutil.NoSuchProcess):
                    self._chance.choice(adapters).kill()
        else:
            self._two.programs[victim].process.kill()


def left_by(agent: Program) -> list[psutil.Process]:
    """The supervisors of adapters below an agent; those of a killed agent end with it."""
    found = []
    with suppress(psutil.NoSuchProcess):
        for one in psutil.Process(agent.process.pid).children():
            with suppress(psutil.NoSuchProcess):
                # The one that keeps the agent's folder stays.
                if "--remove" not in one.cmdline():
                    found.append(one)
    return found
