"""A stack that waits 40 ms in each call: named in the report, with its card's reason, and flagged without one."""

import json
from pathlib import Path

import pytest

from callbench.analysis.run.subject import subject
from callbench.report.export.formats import TEXTS
from callbench.store.record import Record
from histograms import histogram
from report.synthetic import write

STACK, WAIT_NS = "native/json+http", 40_300_000


def napping(folder: Path, card: dict[str, object]) -> Record:
    """A run of one stack with this on its card, each of whose calls took as long: a real one would wait for a turn."""
    # Its calls take about 160 us, so this is about the wait.
    write(folder, only=(STACK,), slower={"http": WAIT_NS / 160e3})
    journal = folder / "journal.jsonl"
    lines = [json.loads(text) for text in journal.read_text().splitlines()]
    for line in lines:
        if line["kind"] == "trial":
            line["done"]["latency"] = histogram([WAIT_NS] * line["done"]["calls"])
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    plan = json.loads((folder / "plan.json").read_text())
    for stack in plan["stacks"]:
        stack["card"] |= card
    (folder / "plan.json").write_text(json.dumps(plan))
    return Record(folder)


@pytest.mark.parametrize(
    ("card", "says", "flagged"),
    [
        (
            {"explains": {"40 ms": "it naps"}},
            f"Many calls of {STACK} take 40 ms. The card explains it: it naps.",
            False,
        ),
        ({}, f"Many calls of {STACK} take 40 ms. Its cause is not known", True),
    ],
)
def test_a_plateau_stands_beside_what_its_card_says_of_it(
    card: dict[str, object], says: str, flagged: bool, tmp_path: Path
) -> None:
    report = TEXTS["md"](subject(napping(tmp_path / "run", card)))
    (plateau,) = [line for line in report.splitlines() if "take 40 ms" in line]
    assert says in plateau
    assert ("No card explains it." in plateau) == flagged
    assert (f"without an explanation on the card: {STACK} (40 ms)" in report) == flagged
