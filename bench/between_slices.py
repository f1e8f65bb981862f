"""The time between two slices of native stacks, from the journal of a real run.

A slice's record has the moment its drive began, to the millisecond, and its duration. The time from its end to the
begin of the next slice of its round is the core's: it resumes paused stacks and makes a millisecond of calls that do
not count. None of it is measured, and all of it makes a run longer.
"""

import itertools
import json
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STACKS = ("native/bin+supertcp", "native/soap+http-keepalive", "native/json+unix")


def main() -> None:
    """Runs a small study and prints the gaps in milliseconds."""
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder:
        run = Path(folder) / "run"
        select = [word for stack in STACKS for word in ("--select", stack)]
        quick = ("--quick", "--forks", "2", "--select", "link=loopback")
        subprocess.run(
            [ROOT / "callbench", "run", "remobjects", *quick, *select, "--out", run],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        lines = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
    rounds = [line for line in lines if line["kind"] == "round" and not line.get("whole")]
    gaps = sorted(gap for line in rounds for gap in gaps_ms([*line["slices"], *line["echoes"], *line["references"]]))
    print(f"between two slices: median {statistics.median(gaps):.1f} ms, greatest {gaps[-1]:.1f} ms, of {len(gaps)}")


def gaps_ms(slices: Sequence[dict[str, Any]]) -> list[float]:
    """Milliseconds from the end of each slice to the begin of the next."""
    in_order = sorted((began(line), line["done"]["elapsed_ns"]) for line in slices if "started" in line)
    return [
        (after - before).total_seconds() * 1e3 - elapsed_ns / 1e6
        for (before, elapsed_ns), (after, _) in itertools.pairwise(in_order)
    ]


def began(line: dict[str, Any]) -> datetime:
    """The moment the slice's drive began."""
    return datetime.fromisoformat(line["started"])


if __name__ == "__main__":
    main()
