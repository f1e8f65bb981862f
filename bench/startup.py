"""How long the program takes to start: processor time of `--help` and of `list stacks`, beside Python's own start.

`bench/run startup`. Goals: 0.25 s and 0.5 s. The three commands are started alternately in random order; the time is
user and system time of each process, as counted by the kernel.
"""

import argparse
import os
import random
import subprocess
import sys

from callbench.stats.estimate.interval import geometric_mean

PROGRAMS = {
    "python -c pass": ("-c", "pass"),
    "callbench --help": ("-m", "callbench", "--help"),
    "callbench list stacks": ("-m", "callbench", "list", "stacks"),
}
ASKED_S = {"callbench --help": 0.25, "callbench list stacks": 0.5}


def main() -> None:
    """Print the mean of each with its interval, and the best."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=20, help="Number of starts of each program.")
    times = parser.parse_args().times
    taken: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for words in PROGRAMS.values():
        # Compiled modules and the page cache are there from the first start on.
        processor_s(words)
    for _ in range(times):
        for name in random.sample(list(PROGRAMS), len(PROGRAMS)):
            taken[name].append(processor_s(PROGRAMS[name]))
    for name, seconds in taken.items():
        found = geometric_mean(seconds)
        interval = "" if found.low is None or found.high is None else f" ({found.low:.3f} to {found.high:.3f})"
        asked = f", asked {ASKED_S[name]} s" if name in ASKED_S else ""
        print(f"{name:22} {found.middle:.3f} s{interval}, best {min(seconds):.3f} s{asked}")


def processor_s(words: tuple[str, ...]) -> float:
    """Start Python once. Returns its user and system time in seconds."""
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
