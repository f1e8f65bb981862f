"""The core's own time between two trials of a native stack, from the journal of a real run.

A trial's line has the moment its drive began and how long it lasted. What passes from its end to the begin of the
next of its visit, less the warm-up between (the adapter's work, as long as asked), is the core's: journal and fsync,
counts of both sides.
"""

import itertools
import json
import statistics
import subprocess
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STACKS = ("native/bin+tcp", "native/soap+http-keepalive", "native/json+unix")


def main() -> None:
    """Runs a small study and prints the gaps in milliseconds."""
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder:
        run = Path(folder) / "run"
        select = [word for stack in STACKS for word in ("--select", stack)]
        subprocess.run(
            [ROOT / "callbench", "run", "remobjects", "--quick", "--select", "link=loopback", *select, "--out", run],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        lines = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
    gaps = sorted(gaps_ms([line for line in lines if line["kind"] == "trial"]))
    print(
        f"between two trials of a visit: median {statistics.median(gaps):.1f} ms, "
        f"greatest {gaps[-1]:.1f} ms, of {len(gaps)}"
    )


def gaps_ms(trials: list[dict[str, Any]]) -> list[float]:
    """Milliseconds from the end of each trial to the begin of the next of its visit, without the warm-up between."""
    gaps = []
    for before, after in itertools.pairwise(trials):
        if (before["block"], before["visit"]) == (after["block"], after["visit"]):
            passed_ms = (began(after) - began(before)).total_seconds() * 1000
            warm_up_ns = sum(elapsed_ns for _, elapsed_ns, _ in after["warm_up"])
            gaps.append(passed_ms - (before["done"]["elapsed_ns"] + warm_up_ns) / 1e6)
    return gaps


def began(trial: dict[str, Any]) -> datetime:
    """The moment the trial's drive began."""
    return datetime.fromisoformat(trial["started"])


if __name__ == "__main__":
    main()
