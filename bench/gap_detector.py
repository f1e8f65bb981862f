"""What the gap detector costs what it watches, and whether a starved generator is found out.

All in one run: a raw echo over loopback with and without the detector, alternately in random order, as paired ratios.
It is measured for the checks of a trial, for the more frequent ones of a slice, and with processors kept awake. Also a
stack of eight clients whose processor another program uses.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from callbench.adapter.placement import Placement, choose_placement
from callbench.model.installation import host_monitor
from callbench.runner.machine import idle_states
from callbench.runner.machine.host_absence import GAP_CHECK_US
from callbench.runner.measure.host_monitor import GapDetector
from callbench.stats.estimate.interval import geometric_mean

ROOT = Path(__file__).resolve().parent.parent
PAIRS = 30
SECONDS = 0.2
STUDY = """
title = "Eight clients"
about = "What a starved generator looks like."
[load]
clients = [8]
calls = 100
seconds = 1.0
forks = 2
[quick]
calls = 100
seconds = 0.5
forks = 1
[[cells]]
group = "Sum"
stacks = ["native/bin+supertcp"]
call = "Sum"
arguments = { a = 1, b = 2 }
"""
HOG = "import os\nos.sched_setaffinity(0, {cpus})\nwhile True: pass"


def main() -> None:
    """Prints the cost and the verdicts."""
    for hold in (False, True) if os.access(idle_states.DEVICE, os.W_OK) else (False,):
        with idle_states.hold_idle_states(hold=hold):
            for what, word in (("a trial", "begin"), ("a slice", f"begin {GAP_CHECK_US}")):
                print(f"{'processors kept awake' if hold else 'as the machine is'}, looks of {what}: {cost(word)}")
    quiet, starved = verdict(hogs=0), verdict(hogs=3)
    print(f"eight clients, nobody else: {quiet}")
    print(f"eight clients, three hogs on their processors: {starved}")


def echo_rate(where: Placement) -> float:
    """Measure a raw TCP echo over loopback once, on the processors of both sides. Calls per nanosecond."""
    client, server = (",".join(map(str, side)) for side in (where.client, where.server))
    words = [str(host_monitor()), "echo", "--client", client, "--server", server, "--seconds", f"{SECONDS:g}"]
    echoes = json.loads(subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout)
    return float(echoes["calls"]) / float(echoes["elapsed_ns"])


def cost(word: str) -> str:
    """Return the echo's rate with the detector, started with this word, divided by the rate without it."""
    where = choose_placement()
    if host_monitor() is None:
        return "the engine is not built: make engine"
    dice = random.Random(1)  # noqa: S311 - an order, not a secret
    ratios, spent, watched = [], 0, 0
    with GapDetector(where) as detector:
        for _ in range(PAIRS):
            rates = {}
            for watching in dice.sample((False, True), 2):
                if watching:
                    detector.send(word)
                rates[watching] = echo_rate(where)
                if watching:
                    found = detector.end()
                    spent += found["cost_ns"]
                    watched += found["watched_ns"] * len(found["processors"])
            ratios.append(rates[True] / rates[False])
    ratio = geometric_mean(ratios)
    low, high = ratio.low or ratio.middle, ratio.high or ratio.middle
    share = spent / watched if watched else 0.0
    return (
        f"raw echo beside the gap detector: {ratio.middle:.4f} ({low:.4f} to {high:.4f}) of its rate without,"
        f" {PAIRS} pairs; the detector took {share:.2%} of each processor"
    )


def verdict(hogs: int) -> str:
    """Return the verdict of one cell while so many processes use the client's processors."""
    cpus = set(choose_placement().client)
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder:
        study = Path(folder) / "eight.toml"
        study.write_text(STUDY)
        program = HOG.replace("{cpus}", repr(cpus))
        running = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(hogs)]
        try:
            argv = [
                sys.executable,
                "-m",
                "callbench",
                "run",
                str(study),
                "--quick",
                "--forks",
                "1",
                "--no-baselines",
                "--out",
                f"{folder}/run",
            ]
            subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ), cwd=ROOT)
        finally:
            for hog in running:
                hog.kill()
                hog.wait()
        shown = subprocess.run(
            [sys.executable, "-m", "callbench", "show", f"{folder}/run", "--json"],
            check=True,
            capture_output=True,
            cwd=ROOT,
        )
    (cell,) = json.loads(shown.stdout)["cells"]
    return f"{cell['verdict']['limit']} ({cell['verdict']['why']})"


if __name__ == "__main__":
    main()
