"""Every native stack twice under two names in one run: how many are found different from themselves?

The second adapter is the native manifest with another name, and a shell script that starts the same program and
replaces that name in its messages with the core. Calls do not pass through the script. Goal: at a level of 1 %, at most
2 of 100. A real difference would be an error of the measurement.

`python bench/twice.py [--forks 8]`
"""

from __future__ import annotations

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from callbench.analysis.cells import read_results
from callbench.catalog import catalogue
from callbench.stats.decide.decision import holm
from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.logratio import LogRatio, paired
from callbench.store.record import Record

ROOT = Path(__file__).resolve().parent.parent
NAME, AGAIN = "native", "twin"
LEVEL, ASKED = 0.01, 0.02
STUDY = """
title = "Every native stack twice"
about = "The same stacks under two names."
[load]
clients = [1]
calls = 20
seconds = 0.1
forks = 5
[quick]
calls = 20
seconds = 0.1
forks = 5
rounds = 5
[[cells]]
group = "Sum"
stacks = ["native/*", "twin/*"]
call = "Sum"
arguments = { a = 1, b = 2 }
"""


# Only what the program and the core say to each other goes through sed.
SCRIPT = """#!/bin/sh
sed -u 's#"{again}/#"{name}/#g' | '{program}' "$@" | exec sed -u 's#"{name}\\([/"]\\)#"{again}\\1#g'
"""


def twin(folder: Path) -> None:
    """Write the native adapter once more, under another name."""
    manifest = catalogue.load().adapter(NAME).manifest
    folder.mkdir(parents=True)
    script = folder / "twin.sh"
    script.write_text(SCRIPT.format(program=manifest.program[0], name=NAME, again=AGAIN))
    script.chmod(0o755)
    text, named = re.subn(rf'(?m)^name = "{NAME}"$', f'name = "{AGAIN}"', manifest.file.read_text(), count=1)
    text, placed = re.subn(r'(?m)^program = \["[^"]*"', f'program = ["{script}"', text, count=1)
    if not (named and placed):
        raise SystemExit(f"{manifest.file} has no name or no program where they were")
    (folder / "adapter.toml").write_text(text)


def made(folder: Path, forks: int) -> dict[str, LogRatio]:
    """Make the run, and give the ratio of each stack's rate under its second name to that under its first."""
    twin(folder / "adapters" / AGAIN)
    (folder / "twice.toml").write_text(STUDY)
    argv = [str(ROOT / "callbench"), "run", str(folder / "twice.toml"), "--quick", "--forks", str(forks), "--hold-idle"]
    argv += ["--no-baselines", "--out", str(folder / "run")]
    found = {catalogue.ADAPTERS_VARIABLE: str(folder / "adapters")}
    ended = subprocess.run(
        argv, env=os.environ | found, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    if not (folder / "run" / "record.json").is_file():
        raise SystemExit(ended.stderr)
    rates: dict[str, dict[int, float]] = {}
    for cell in read_results.read(Record(folder / "run")).cells:
        rates[cell.attributes["stack"]] = dict(cell.by_fork.get("rate_per_s", {}))
    ratios: dict[str, LogRatio] = {}
    for stack, mine in rates.items():
        adapter, _, rest = stack.partition("/")
        of_forks = fork_ratios([rates.get(f"{AGAIN}/{rest}", {})], [mine]) if adapter == NAME else []
        if len(of_forks) > 1:
            ratios[stack] = paired(of_forks)
    return ratios


def main() -> int:
    """Make the run and print how many stacks differ from themselves; return 1 if that is more than the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forks", type=int, default=8, help="fresh starts of all (default 8)")
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder:
        ratios = made(Path(folder), asked.forks)
    alone = {stack: ratio for stack, ratio in ratios.items() if ratio.p_value() < LEVEL}
    together = sum(p < LEVEL for p in holm([ratio.p_value() for ratio in ratios.values()]))
    most = max(1, math.ceil(ASKED * len(ratios)))
    said = ", ".join(f"{stack} {math.exp(ratio.log):.3f}" for stack, ratio in alone.items()) or "none"
    reach = statistics.median(math.expm1(2 * ratio.error) for ratio in ratios.values()) if ratios else math.nan
    print(
        f"{len(ratios)} native stacks under two names, {asked.forks} forks, {time.monotonic() - began:.0f} s: found"
        f" different at 1 %, each by itself: {len(alone)} (asked: at most {most}): {said}; all together (Holm):"
        f" {together}; two standard errors are {reach * 100:.1f} % at the median"
    )
    print(f"load {os.getloadavg()[0]:.1f}")
    return int(len(alone) > most or not ratios)


if __name__ == "__main__":
    sys.exit(main())
