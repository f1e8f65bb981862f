"""Homa's workloads W1 to W5: the sizes of messages in five places, from Facebook's caches to web search."""

import datetime as dt
from random import Random

from callbench.catalog.imports.fleet import published
from callbench.model.service.imported import Imported, Pair
from callbench.model.service.schema import Field, Kind, Message, OwnCall, Schema

_SHARES = {"p10": 0.1, "p50": 0.5, "p75": 0.75, "p90": 0.9, "p99": 0.99, "p99_9": 0.999, "max": 1.0}
_SOURCE = (
    "Sizes: PlatformLab/HomaModule, util/dist.cc, BSD-2-Clause or GPL-2.0; the quantiles are in "
    "studies/published/fleet-2023.toml."
)
# A letter for each byte; all occur equally often.
_LETTERS = b"abcdefghijklmnopqrstuvwxyz012345" * 8


def names() -> dict[str, str]:
    """The workloads, each with one sentence."""
    return {
        f"homa-w{number}": f"Homa's workload W{number}: sizes of messages, cut at 1 MiB. The text is random."
        for number in range(1, 6)
    }


def imported(name: str) -> Imported:
    """The service of a workload: a request is sent back as its answer, as in Homa's own benchmark."""
    table = published.figures()["homa"]
    row = dict(zip(table["columns"], table[name.removeprefix("homa-")], strict=True))
    quantiles = [(0.0, float(min(8, row["p10"]))), *((share, float(row[column])) for column, share in _SHARES.items())]
    random = Random(name)  # noqa: S311 - nothing secret
    drawn = published.sizes(quantiles)
    random.shuffle(drawn)
    pairs = []
    for size in drawn:
        text = random.randbytes(size).translate(_LETTERS).decode()
        pairs.append(Pair({"text": text}, {"text": text}))
    message = Message("Body", (Field("text", "text", 1, Kind.STRING),))
    schema = Schema("Homa", (message,), (OwnCall("Echo", "Body", "Body"),))
    notes = (
        _SOURCE,
        f"The text has the published size, cut at {published.LARGEST:,} bytes; what a format adds comes on top.",
        f"There are {len(drawn)} messages, each from the middle of an equal part of the distribution.",
        "The text is random letters and digits, so compression of it says nothing about real messages.",
    )
    return Imported(schema, f"fleet:{name}", "fleet", dt.datetime.now(tz=dt.UTC).date(), {"Echo": tuple(pairs)}, notes)
