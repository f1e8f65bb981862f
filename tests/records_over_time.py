"""A folder with a record of a load each day, whose rate changes once."""

import json
import shutil
from pathlib import Path

import numpy as np

from conftest import ROOT

BASE = ROOT / "tests/records/load"


def write(folder: Path, count: int, changed_at: int, ratio: float, noise: float = 0.01) -> None:
    """Write `count` loads, one a day; from `changed_at` on the rate is `ratio` times what it was."""
    some = np.random.default_rng(4)
    journal = [json.loads(line) for line in (BASE / "journal.jsonl").read_text().splitlines()]
    for day in range(count):
        record = folder / f"load-{day:02d}"
        shutil.copytree(BASE, record)
        info = json.loads((record / "record.json").read_text())
        info["started"] = f"2026-03-{day + 1:02d}T12:00:00.000Z"
        del info["journal"]
        (record / "record.json").write_text(json.dumps(info))
        level = ratio if day >= changed_at else 1.0
        for line in journal:
            if line["kind"] == "result":
                line["rate_per_s"] = 100.0 * level * float(np.exp(some.normal(0, noise)))
        (record / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in journal))
