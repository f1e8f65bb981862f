"""A stored run in which the bytes of calls were counted: the synthetic one, with an account of each call."""

import json
from pathlib import Path

from callbench.analysis.wire.counts import DIRECTIONS, FIGURES, FIRST, LIFE, SET_UP, STEADY, TEAR_DOWN
from callbench.catalog import catalogue
from callbench.model.cell import FORMAT
from conftest import ROOT
from report.synthetic import BYTES, write

STACKS = (
    "native/soap+http-keepalive",
    "native/json+http-keepalive",
    "native/protobuf+http-keepalive",
    "native/bin+supertcp",
)
LOCAL = "native/bin+shm"
_PHASES = (SET_UP, FIRST, STEADY, TEAR_DOWN, LIFE)
_PAYLOADS = {"Sum": 12, "GetPersons": 3_800, "GetBinaryData": 32_768}


def run(folder: Path) -> Path:
    """Write a run of five stacks; one of them never leaves its machine."""
    path = write(folder, only=(*STACKS, LOCAL))
    plan = json.loads((path / "plan.json").read_text())
    known = {stack.id: stack.card for stack in catalogue.load([ROOT / "engine"]).stacks}
    for stack in plan["stacks"]:
        stack["card"][FORMAT] = known[stack["id"]][FORMAT]
    (path / "plan.json").write_text(json.dumps(plan))
    lines = []
    for cell in plan["cells"]:
        if cell["group"] not in _PAYLOADS:
            continue
        message = cell["stack"].partition("/")[2].partition("+")[0]
        accounts = [] if cell["stack"] == LOCAL else _accounts(BYTES[cell["group"]][message] + 200)
        line = {"kind": "ledger", "cell": cell["id"], "stack": cell["stack"], "group": cell["group"]}
        payloads = {"request_payload": 4, "answer_payload": _PAYLOADS[cell["group"]]}
        lines.append({**line, **payloads, "accounts": accounts, "exact": True, "reused": False, "counts": []})
    with (path / "journal.jsonl").open("a") as journal:
        journal.writelines(json.dumps(line) + "\n" for line in lines)
    return path


def _accounts(size: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for phase in _PHASES:
        for way in DIRECTIONS:
            payload = 300 if way == DIRECTIONS[0] else size
            packets = -(-payload // 1448)
            figures = {"packets": packets, "ip": 20 * packets, "tcp": 32 * packets, "payload": payload, "turns": 1}
            figures |= {"data_packets": packets, "data_headers": 52 * packets, "link": 14 * packets}
            rows.append({"phase": phase, "direction": way, "connections": 0, **dict.fromkeys(FIGURES, 0), **figures})
    return rows
