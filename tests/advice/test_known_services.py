"""Advice on services whose best stack is arithmetic: the bytes of each format's own library, and assumed times.

`bench/run known_advice` measures the same services.
"""

from pathlib import Path

import pytest

from advice.known_services import JSON, SERVICES, KnownService, message
from advice.orders import service_of
from advice.simulated import Truth, record
from callbench.analysis.advice.advice import of_figures
from callbench.analysis.advice.choice import AdviceVerdict
from callbench.catalog.encoders.byte_table import byte_table
from callbench.catalog.encoders.codings import LEAST
from callbench.catalog.own import folder
from callbench.catalog.situation.file import situation_of

FORMATS = ("json", "protobuf", "avro", "cbor", "msgpack")
# A channel, its envelope and headers both ways in bytes, its coding, and µs for each byte of JSON.
CHANNELS = (
    ("tcp-tls", 60.0, "plain", 0.01),
    ("https-keepalive", 400.0, "plain", 0.01),
    ("https-keepalive-gzip", 450.0, "gzip", 0.04),
    ("https-keepalive-zstd", 450.0, "zstd", 0.02),
)


def _stacks(known: KnownService, made: Path) -> list[Truth]:
    long = max(known.request, known.answer or 0)
    (table,) = byte_table(folder.read(service_of(made, message(long))), {})
    rows = {row.format: row.answer for row in table.formats}
    truths = []
    for name in FORMATS:
        for channel, around, coding, us in CHANNELS:
            size = rows[name][coding] if rows[name]["plain"] >= LEAST else rows[name]["plain"]
            truths.append(Truth(f"native/{name}+{channel}", 100.0, us, around, size / long))
    return truths


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("known", SERVICES, ids=[known.name for known in SERVICES])
def test_no_advice_contradicts_the_truth(known: KnownService, seed: int, tmp_path: Path) -> None:
    situation = situation_of(dict(known.situation), "the test")
    truths = _stacks(known, tmp_path)
    assert JSON in {truth.name for truth in truths}
    long = float(max(known.request, known.answer or 0))
    choice = of_figures(record(truths, {"Order": long}, situation, seed), situation).choice
    leaders = choice.leaders if choice.verdict is AdviceVerdict.EITHER else [choice.best]
    said = {"assumed": ["the answer"], "verdict": choice.verdict, "leaders": leaders, "choice": choice.best}
    assert known.judged(said) in ("right", "undecided")
    # Of several that compress alike, the cheapest may stay open: what runs today is to be left all the same.
    assert choice.verdict is not AdviceVerdict.UNDECIDED or (choice.leave and AdviceVerdict.CHOOSE in known.verdicts)


def test_what_is_false_of_an_advice_is_seen() -> None:
    known = SERVICES[2]
    right = {
        "assumed": ["answers are as large as requests"],
        "verdict": "choose",
        "choice": f"{JSON}-gzip",
        "leaders": [],
    }
    assert known.judged(right) == "right"
    assert known.judged({**right, "choice": JSON}) == f"false: it names {JSON}"
    assert known.judged({**right, "verdict": "stay"}) == "false: stay"
    assert known.judged({**right, "assumed": []}).startswith("false: it does not name the answer")
    assert known.judged({**right, "verdict": "undecided"}) == "undecided"
