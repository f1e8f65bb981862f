"""Does each command conclude rightly about servers whose answers are arithmetic?

    bench/run known_answers [--runs N] [--part simulated|real] [--only SERVER] [--command COMMAND]

A question about a real server is a command as a user gives it, and the exit code that is right: 0 passes, 1 fails. Exit
code 3 is undecided, and every other is false. A simulated server is asked in virtual time, by the code that judges the
real ones: it takes a minute, and the real ones hours. Printed are the sums of each server and command, each false
conclusion, and the totals beside the goal: no false conclusion, and at most a quarter undecided.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from callbench.stats.decide.decision import Outcome
from known import commands as simulated

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

SERVER = Path(__file__).resolve().parent / "known_servers" / "arithmetic_server.py"
COMMANDS = ("load", "capacity", "overload", "soak", "compare")
UNDECIDED, MOST_UNDECIDED = 3, 0.25
TOLD_LINES = 12


@dataclass(frozen=True)
class Known:
    """A server's truth.

    Attributes:
        clients: with which it is full, or 4 where nothing is used up.
        inside, outside: conditions of `load --fail-if` that are false and true, both by a factor.
        objective, holds: of a capacity along clients, and the most clients that meet it; None: more than is asked.
        rate: calls/s, for an overload.
        fails_overload, fails_soak: whether a right conclusion is exit code 1.
    """

    clients: int
    inside: str
    outside: str
    objective: str
    holds: int | None
    rate: int
    fails_overload: bool = False
    fails_soak: bool = False


# A pool of k places and s seconds answers c clients after c s / k; a server without places answers after s.
SERVERS = {
    "pool": Known(8, "rate < 400/s", "rate < 1600/s", "p95 under 12.5 ms", 8, 800),
    "lock": Known(4, "rate < 50/s", "rate < 200/s", "p95 under 45 ms", 4, 100),
    "bucket": Known(4, "rate < 50/s", "rate < 200/s", "p95 under 45 ms", 4, 100),
    "connections": Known(8, "p50 > 40 ms", "p50 > 5 ms", "p95 under 60 ms", 16, 400),
    "bimodal": Known(4, "p50 > 10 ms", "p95 > 10 ms", "p95 under 10 ms", 0, 200),
    "stall": Known(4, "p50 > 20 ms", "p95 > 20 ms", "p50 under 30 ms", None, 200),
    "refuse": Known(4, "errors > 99%", "errors > 10%", "p50 under 50 ms", None, 100),
    "errors": Known(4, "errors > 8%", "errors > 0.5%", "p50 under 50 ms", None, 200, fails_soak=True),
    "leak": Known(2, "p50 > 40 ms", "p50 > 1 ms", "p50 under 50 ms", None, 100, fails_soak=True),
}
# What the servers above leave open: which calls fail depends on the rate that the machine reaches, not on arithmetic.
LEFT_OUT = {
    ("refuse", "capacity"),
    ("refuse", "overload"),
    ("refuse", "soak"),
    ("errors", "overload"),
    ("leak", "capacity"),
    ("connections", "overload"),
    ("refuse", "compare"),
    ("leak", "compare"),
    ("errors", "compare"),
    ("stall", "compare"),
}


def server_command(name: str, slower: int = 1) -> str:
    """Give the command that starts a server."""
    return f"{sys.executable} {SERVER} {{port}} {name} {slower}"


def questions(name: str, command: str) -> list[tuple[list[str], int]]:
    """Give arguments and right exit codes of a command about a server."""
    known, start = SERVERS[name], ["--start", server_command(name), "--path", "/"]
    if (name, command) in LEFT_OUT:
        return []
    if command == "load":
        # A stall is met by a tenth of the arrivals, but by few of the calls of clients that call in a loop.
        arrivals = ["--clients", "64", "--rate", "200"] if name == "stall" else ["--clients", str(known.clients)]
        load = ["load", *start, *arrivals, "--seconds", "3", "--fail-if"]
        return [([*load, known.inside], 0), ([*load, known.outside], 1)]
    if command == "capacity":
        search = ["capacity", *start, "--objective", known.objective, "--seconds", "20", "--most", "64", "--need"]
        held = 4 if known.holds is None else known.holds
        inside = [([*search, str(held // 2)], 0)] if held else []
        outside = [] if known.holds is None else [([*search, str(max(2, held * 2))], 1)]
        return inside + outside
    if command == "overload":
        overload = ["overload", *start, "--capacity", str(known.rate), "--times", "2", "--seconds", "3", "--rest", "1"]
        return [(overload, int(known.fails_overload))]
    if command == "soak":
        soak = ["soak", *start, "--clients", str(known.clients), "--seconds", "30", "--rest", "2"]
        return [(soak, int(known.fails_soak))]
    allowed = ["--path", "/", "--seconds", "5", "--threshold", "20%", "--p99-threshold", "none"]
    itself, slower = server_command(name), server_command(name, 2)
    return [(["compare", itself, itself, *allowed], 0), (["compare", itself, slower, *allowed], 1)]


def conclude(arguments: list[str], right: int) -> str:
    """Run a command; print a false conclusion. Return right, undecided or false."""
    with tempfile.TemporaryDirectory(prefix="callbench-known-") as folder:
        argv = [sys.executable, "-m", "callbench", *arguments, "--out", str(Path(folder) / "out")]
        ended = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=600)
    if ended.returncode in (right, UNDECIDED):
        return "right" if ended.returncode == right else "undecided"
    told = (ended.stdout.strip() or ended.stderr.strip()).splitlines()
    print(f"  FALSE: exit code {ended.returncode}, right is {right}: callbench {shlex.join(arguments)}")
    print("".join(f"    {line}\n" for line in told[:TOLD_LINES]), end="", flush=True)
    return "false"


def real(name: str, command: str, runs: int) -> Counter[str]:
    """Ask a real server."""
    return Counter(conclude(arguments, right) for arguments, right in questions(name, command) * runs)


def in_virtual_time(name: str, command: str, runs: int) -> Counter[str]:
    """Ask a simulated server, each time with other chance."""
    ended: Counter[str] = Counter()
    for asked in simulated.questions(name, command):
        for seed in range(runs):
            found = asked.conclude(seed)
            if found in (asked.right, Outcome.UNDECIDED):
                ended["right" if found is asked.right else "undecided"] += 1
                continue
            ended["false"] += 1
            print(f"  FALSE: {found}, right is {asked.right}: {name}, {command}, {asked.what}, seed {seed}", flush=True)
    return ended


PARTS: dict[str, tuple[Collection[str], Callable[[str, str, int], Counter[str]]]] = {
    "simulated": (simulated.TRUTHS, in_virtual_time),
    "real": (SERVERS, real),
}


def main() -> int:
    """Ask all, or what the command line names; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="of each question (default 10)")
    parser.add_argument("--part", choices=PARTS, help="(default: both)")
    parser.add_argument("--only", choices=dict.fromkeys([*simulated.TRUTHS, *SERVERS]), help="a server (default: all)")
    parser.add_argument("--command", choices=COMMANDS, help="a command (default: all)")
    asked = parser.parse_args()
    total: Counter[str] = Counter()
    for part in [asked.part] if asked.part else PARTS:
        servers, ask = PARTS[part]
        for name in [asked.only] if asked.only else servers:
            for command in [asked.command] if asked.command else COMMANDS:
                ended = ask(name, command, asked.runs) if name in servers else Counter()
                if ended:
                    total += ended
                    print(f"{part} {name}, {command}: {_sums(ended)}", flush=True)
    print(f"all: {_sums(total)} (goal: 0 false, at most {MOST_UNDECIDED * total.total():g} undecided)")
    return int(total["false"] > 0 or total["undecided"] > MOST_UNDECIDED * total.total())


def _sums(ended: Counter[str]) -> str:
    return ", ".join(f"{ended[word]} {word}" for word in ("right", "undecided", "false"))


if __name__ == "__main__":
    sys.exit(main())
