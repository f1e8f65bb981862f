"""omniORB against JacORB, before and after the timed region was made alike, in slices of one run.

Before, the Java kit made a call of JacORB through reflection and mapped every record by reflection, on both sides; now
it calls the generated stubs and keeps their structs, as the C++ side does with omniORB. The old adapter is built from
this repository's own past, under another name; calls do not pass through anything else.

`python bench/giop_region.py [--forks 8] [--before COMMIT]`
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from callbench.analysis.cells import read_results
from callbench.catalog import catalogue
from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.logratio import paired
from callbench.store.record import Record

ROOT = Path(__file__).resolve().parent.parent
# The last commit whose Java kit spoke the contract itself.
BEFORE = "8f1e4b1"
OLD = "before"
OMNI, THEN, NOW = "cpp/corba-omniorb", f"{OLD}/corba-jacorb", "java/corba-jacorb"
CALLS = {"Sum": "{ a = 1, b = 2 }", "GetPersons": "{ n = 250 }", "EchoStructure": "{ n = 10 }"}
CELL = """
[[cells]]
group = "{call}"
stacks = ["{omni}", "{then}", "{now}"]
call = "{call}"
arguments = {arguments}
"""
LOAD = """
title = "One protocol, two regions"
about = "omniORB and JacORB, whose Java side was timed in two ways."
[load]
clients = [1]
calls = 200
seconds = 0.3
forks = 8
"""
CELLS = (CELL.format(call=call, arguments=said, omni=OMNI, then=THEN, now=NOW) for call, said in CALLS.items())
STUDY = LOAD + "".join(CELLS)


def old_adapter(commit: str, folder: Path) -> None:
    """Build the Java adapter of that commit under another name."""
    archive = folder / "old.tar"
    what = ("adapters/java", "contract", "setup")
    subprocess.run(["git", "-C", ROOT, "archive", "-o", archive, commit, *what], check=True)  # noqa: S607
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    java = folder / "adapters" / "java"
    renamed(java / "adapter.toml", 'name = "java"', f'name = "{OLD}"')
    said = java / "kit/src/main/java/org/callbench/kit/contract/Adapter.java"
    renamed(said, 'NAME = "java"', f'NAME = "{OLD}"')
    subprocess.run([folder / "setup" / "java"], check=True, stdout=sys.stderr)


def renamed(file: Path, old: str, new: str) -> None:
    """Put `new` where `old` is first.

    Raises:
        SystemExit: it is not there.
    """
    text = file.read_text()
    if old not in text:
        raise SystemExit(f"{file.name} of the commit has no {old}: give another with --before")
    file.write_text(text.replace(old, new, 1))


def measured(folder: Path, forks: int) -> Record:
    """Make the run."""
    (folder / "giop.toml").write_text(STUDY)
    argv = [str(ROOT / "callbench"), "run", str(folder / "giop.toml"), "--forks", str(forks), "--no-baselines"]
    found = {catalogue.ADAPTERS_VARIABLE: str(folder / "adapters")}
    ended = subprocess.run(
        [*argv, "--out", str(folder / "run")],
        env=os.environ | found,
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if not (folder / "run" / "record.json").is_file():
        raise SystemExit(ended.stderr)
    return Record(folder / "run")


def shown(run: Record) -> list[str]:
    """A line a call: JacORB's time a call over omniORB's, before and after, and what the region took."""
    rates: dict[tuple[str, str], dict[int, float]] = {}
    for cell in read_results.read(run).cells:
        rates[cell.attributes["group"], cell.attributes["stack"]] = dict(cell.by_fork.get("rate_per_s", {}))
    lines = []
    for call in CALLS:
        ratios = []
        for fast, slow in ((OMNI, THEN), (OMNI, NOW), (NOW, THEN)):
            of_forks = fork_ratios([rates.get((call, fast), {})], [rates.get((call, slow), {})])
            if len(of_forks) < 2:
                ratios.append("(steady in fewer than two forks)")
                continue
            ratio = paired(of_forks)
            ratios.append(f"{math.exp(ratio.log):.2f} (+- {math.expm1(2 * ratio.error) * 100:.1f} %)")
        lines.append(
            f"{call}: JacORB takes {ratios[0]} times as long as omniORB before, {ratios[1]} after;"
            f" the region's own part: {ratios[2]} times"
        )
    return lines


def main() -> None:
    """Build the old adapter, make the run, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forks", type=int, default=8, help="fresh starts of all (default 8)")
    parser.add_argument("--before", default=BEFORE, help=f"the commit of the old adapter (default {BEFORE})")
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as place:
        folder = Path(place)
        old_adapter(asked.before, folder)
        print("\n".join(shown(measured(folder, asked.forks))))
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
