"""kill -9 of a random process of a run on two hosts, at random moments: what is lost, and how long something is left.

python bench/kills_of_hosts.py [--kills 100] [--seed 1] [--minutes 60]
The core, either agent, the scheduler or an adapter is killed, and the run goes on with --resume. Asked: no finished
round is lost, and nothing is left after 5 s. Each kill is printed at once, and no new one begins after the minutes.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "hosts"))

from killed_run import VICTIMS, Kill, KilledRun
from two_hosts import NO_WARM_UP, SHORT_ROUNDS, TwoHosts

# Many rounds, so that a kill meets every part of a run.
WORDS = ("--forks", "5", "--set", "rounds=200", *NO_WARM_UP)


def main() -> None:
    """Kill, and print a line for each kind of victim."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--minutes", type=float, default=60.0)
    given = options.parse_args()
    until = time.monotonic() + 60 * given.minutes
    chance = random.Random(given.seed)  # noqa: S311 - no secret
    kills: list[Kill] = []
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder, ExitStack() as stack:
        two = TwoHosts(Path(folder), stack)
        run, number = None, 0
        while len(kills) < given.kills and time.monotonic() < until:
            if run is None or run.finished:
                number += 1
                study = Path(folder) / str(number) / "killed.toml"
                study.parent.mkdir()
                study.write_text(SHORT_ROUNDS)
                run = KilledRun(two, study, WORDS, seed=given.seed + number)
            kills.append(run.kill(chance.choice(VICTIMS)))
            print(len(kills), kills[-1], flush=True)
    for victim in VICTIMS:
        show(victim, [kill for kill in kills if kill.victim == victim])


def show(victim: str, kills: list[Kill]) -> None:
    """Print what the kills of one kind of victim did."""
    if not kills:
        return
    left = [kill.left_s for kill in kills]
    lost = sum(kill.lost for kill in kills)
    codes = sorted({str(kill.code) for kill in kills})
    print(
        f"{victim}: {len(kills)} kills, {lost} finished rounds lost; something was left for"
        f" {statistics.median(left):.2f} s (median), {max(left):.2f} s at most; exit codes {', '.join(codes)}"
    )


if __name__ == "__main__":
    main()
