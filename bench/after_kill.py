"""How long processes live on after a SIGKILL of the core, or of supervisors; what else is left behind.

python bench/after_kill.py [--kills 50] [--seed 1] [--kind plain|linked|java|wine]... [--victim core|supervisor]
Prints per kind the distribution of seconds from the victim's death until no process of the run is alive.
"""

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

MARK = "CALLBENCH_BENCH_MARK"
STUDY = """
title = "To be killed"
about = "Short forks, so that a kill meets every part of a run."
[load]
clients = [2]
calls = 5
seconds = {seconds}
forks = 50
rounds = 2
{link}
[[cells]]
group = "Hello"
stacks = {stacks}
call = "Hello"
"""
# By kind: stacks, and the link between their sides.
KINDS = {
    "plain": ('["native/soap+supertcp", "native/json+http"]', ""),
    "linked": ('["native/soap+supertcp", "native/json+http"]', 'link = "wan50"'),
    "java": ('["java/rmi"]', ""),
    "wine": ('["windows/soap+winmsg"]', ""),
}
# Where a process leaves what outlives it.
PLACES = ("/tmp", "/dev/shm", "/dev/mqueue", "/run/netns", "/sys/class/net", "/run/user")  # noqa: S108
LONGEST_S = 20.0


def marked(mark: str) -> dict[int, str]:
    """Every process with the mark in its environment, with its command line."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes():
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:120]
            except OSError:
                continue
    return found


def left_in(places: Sequence[str]) -> set[str]:
    """What lies there."""
    return {str(entry) for place in places if Path(place).is_dir() for entry in Path(place).iterdir()}


def killed(kind: str, victim: str, moment_s: float, folder: Path) -> tuple[float, dict[int, str]]:
    """Starts a run, kills once, and waits. Returns seconds until nothing lives, and who lived after half a second."""
    stacks, link = KINDS[kind]
    study = folder / "killed.toml"
    study.write_text(STUDY.format(stacks=stacks, seconds=0.02, link=link))
    mark = uuid.uuid4().hex
    out = folder / f"run-{mark}"
    run = subprocess.Popen(
        [sys.executable, "-m", "callbench", "run", str(study), "--out", str(out), "--no-baselines"],
        env={**os.environ, MARK: mark},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not out.exists() and run.poll() is None:
        time.sleep(0.01)
    time.sleep(moment_s)
    if run.poll() is not None:
        raise SystemExit(f"the run ended by itself ({run.returncode}): `callbench run {study}` says why")
    if victim == "supervisor":
        supervisors = [pid for pid, line in marked(mark).items() if "callbench-supervisor" in line]
        for pid in supervisors:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
    run.kill()
    run.wait()
    began = time.monotonic()
    late: dict[int, str] = {}
    while (alive := marked(mark)) and time.monotonic() - began < LONGEST_S:
        if not late and time.monotonic() - began > 0.5:
            late = alive
        time.sleep(0.005)
    for pid in alive:
        os.kill(pid, signal.SIGKILL)
    return time.monotonic() - began, late


def main() -> None:
    """Kills, and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=sorted(KINDS))
    parser.add_argument("--victim", choices=["core", "supervisor"], default="core")
    parser.add_argument("--within", type=float, default=3.0, help="seconds after the run's begin that a kill may come")
    asked = parser.parse_args()
    chance = random.Random(asked.seed)  # noqa: S311 - moments, not secrets
    before = left_in(PLACES)
    with tempfile.TemporaryDirectory(prefix="after-kill-") as text:
        folder = Path(text)
        before.add(text)
        for kind in asked.kind or KINDS:
            seen = []
            for _ in range(asked.kills):
                seconds, late = killed(kind, asked.victim, chance.uniform(0, asked.within), folder)
                seen.append(seconds)
                for line in late.values():
                    print(f"  {kind}: alive after 0.5 s (all gone after {seconds:.2f} s): {line}")
            seen.sort()
            beyond = sum(seconds > 0.5 for seconds in seen)
            print(
                f"{kind}, {asked.victim} killed {len(seen)} times: median {statistics.median(seen):.3f} s,"
                f" 90 % {seen[int(0.9 * (len(seen) - 1))]:.3f} s, greatest {seen[-1]:.3f} s, {beyond} beyond 0.5 s",
                flush=True,
            )
    time.sleep(0.5)
    new = sorted(left_in(PLACES) - before)
    print(f"left behind: {', '.join(new) or 'nothing'}")


if __name__ == "__main__":
    main()
