"""Does `callbench advise` say what is true of services whose best stack is arithmetic?

    bench/run known_advice [--only NAME] [--budget 20s]

Each service is a sample as a user has one, imported, compiled, measured and predicted as the command does. Printed are
what is true and why, what was said, and whether it is right; then the sums beside the goal: right or undecided in all.
Of those without an answer, the answer has to be among what the advice says it assumes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from advice.known_services import SERVICES, KnownService, message

ENDED = {0: {"choose", "either", "stay"}, 1: {"none"}, 3: {"undecided"}}
LONGEST_S = 3600


def advised(known: KnownService, budget: str, folder: Path) -> dict[str, Any]:
    """Return what the command prints as JSON.

    Raises:
        SystemExit: it ended otherwise than its verdict says, or failed.
    """
    (folder / "order.json").write_text(json.dumps(message(known.request)))
    argv = [sys.executable, "-m", "callbench", "advise", "order.json", *known.options, "--budget", budget, "--json"]
    if known.answer is not None:
        (folder / "total.json").write_text(json.dumps(message(known.answer)))
        argv += ["--answer", "total.json"]
    ended = subprocess.run(
        [*argv, "--out", "out"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        timeout=LONGEST_S,
    )  # fmt: skip
    if ended.returncode not in ENDED or not ended.stdout:
        raise SystemExit(f"{known.name}: exit code {ended.returncode}: {ended.stderr.strip()}")
    advice: dict[str, Any] = json.loads(ended.stdout)
    if advice["verdict"] not in ENDED[ended.returncode]:
        raise SystemExit(f"{known.name}: {advice['verdict']} with exit code {ended.returncode}")
    return advice


def main() -> int:
    """Ask for each advice; return 1 if one is false."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=[known.name for known in SERVICES], help="a service (default: all)")
    parser.add_argument("--budget", default="20s", help="for calls over the links (default 20s)")
    asked = parser.parse_args()
    ended: Counter[str] = Counter()
    for known in SERVICES:
        if asked.only in (None, known.name):
            began = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="callbench-known-") as folder:
                advice = advised(known, asked.budget, Path(folder))
            found = known.judged(advice)
            ended[found.partition(":")[0]] += 1
            print(f"{known.name}: {found}, {time.monotonic() - began:.0f} s\n  true: {known.why}", flush=True)
            print(f"  said: {advice['sentence']}\n  assumed: {' '.join(advice['assumed'])}", flush=True)
    print(f"all: {', '.join(f'{ended[word]} {word}' for word in ('right', 'undecided', 'false'))} (goal: 0 false)")
    return int(ended["false"] > 0)


if __name__ == "__main__":
    sys.exit(main())
